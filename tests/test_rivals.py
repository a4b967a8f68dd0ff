"""Models from the literature besides the paper's: each against a closed form, or against its definition."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit, ndtr, ndtri

from transitivity import games
from transitivity.errors import InputError
from transitivity.fitting.losses import CrossEntropy, ProbitCrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.measures.hodge import hodge_potential
from transitivity.models import (
    BladeChestDist,
    BladeChestInner,
    CounterCategories,
    HodgeRankSVD,
    MEloLogit,
    SingularValueThresholding,
    Thurstone,
    blade_chest_dist,
    find,
)
from transitivity.payoff.core import Payoff
from transitivity.testing import check_model

DOCS = Path(__file__).parents[1] / "docs"


def noisy_game(n: int = 12, seed: int = 0, missing: float = 0.0, games_a_pair: bool = False) -> Payoff:
    """Ratings, a cyclic part and noise, in logit space; some pairs missing, 1 to 30 games a pair if asked."""
    rng = np.random.default_rng(seed)
    r, u, v = rng.standard_normal((3, n))
    x = r[:, None] + np.outer(u, v) + 0.3 * rng.standard_normal((n, n))
    payoff = Payoff.from_dense(expit(x - x.T))
    keep = rng.random(payoff.n_pairs) >= missing
    counts = rng.integers(1, 31, keep.sum()) if games_a_pair else None
    return Payoff(payoff.players, payoff.i[keep], payoff.j[keep], payoff.p[keep], counts)


def table(model, n: int) -> np.ndarray:
    return model.predict(np.arange(n)[:, None], np.arange(n))


@pytest.mark.parametrize(
    "factory",
    [
        Thurstone,
        partial(Thurstone, weights="games"),
        *(partial(HodgeRankSVD, k, space) for k in (1, 2) for space in ("probability", "logit")),
        SingularValueThresholding,
        *(partial(CounterCategories, m) for m in (1, 3, 9)),
        *(partial(cls, n_components=k) for cls in (BladeChestInner, BladeChestDist) for k in (1, 2)),
    ],
    ids=lambda factory: repr(factory()),
)
def test_rivals_keep_every_rule(factory):
    check_model(factory)


def test_the_page_of_models_has_every_model():
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    assert [name for name in find() if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: HodgeRankSVD(space="logits"), "space='logits'"),
        (lambda: SingularValueThresholding(eta=0), "eta=0"),
        (lambda: BladeChestDist(regularisation=0), "regularisation=0"),
        (lambda: CounterCategories(n_categories=0), "n_categories"),
        (lambda: Thurstone(weights="game"), "weights='game'"),
    ],
)
def test_bad_parameters(make, says):
    with pytest.raises(InputError) as raised:
        make()
    assert says in str(raised.value)


def test_numbers_of_parameters():
    for model, number in (
        (Thurstone(), 10),
        (HodgeRankSVD(2), 50),
        (BladeChestInner(2), 50),
        (BladeChestDist(2), 50),
        (CounterCategories(4), 26),
    ):
        assert model.n_params(10) == number, model


# -------------------------------------------------------------------- Thurstone


@pytest.mark.parametrize("p", [0.02, 0.5, 0.7, 0.999])
def test_thurstone_of_two_players(p):
    model = Thurstone().fit(Payoff(["a", "b"], [0], [1], [p]))
    assert model.ratings_[0] - model.ratings_[1] == pytest.approx(ndtri(p), abs=1e-5)
    assert model.predict(0, 1) == pytest.approx(p, abs=1e-6)


def test_thurstone_recovers_its_ratings():
    ratings = np.random.default_rng(1).normal(size=15)
    payoff = Payoff.from_dense(ndtr(ratings[:, None] - ratings))
    payoff = payoff.select_pairs(np.random.default_rng(2).random(payoff.n_pairs) > 0.4)
    np.testing.assert_allclose(Thurstone().fit(payoff).ratings_, ratings - ratings.mean(), atol=1e-5)


def test_derivatives_of_the_probit_loss():
    loss, step = ProbitCrossEntropy(), 1e-5
    p, x = (grid.ravel() for grid in np.meshgrid([0.0, 0.3, 1.0], np.linspace(-6, 6, 13)))
    value, slope = loss.value_and_slope(p, x)
    np.testing.assert_allclose(value, -p * np.log(ndtr(x)) - (1 - p) * np.log(ndtr(-x)), atol=1e-14)
    np.testing.assert_allclose(value, loss.value_and_slope(1 - p, -x)[0])
    (low, low_slope), (high, high_slope) = (loss.value_and_slope(p, x + sign * step) for sign in (-1, 1))
    np.testing.assert_allclose(slope, (high - low) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(loss.curvature(p, x), (high_slope - low_slope) / (2 * step), atol=1e-8)


# -------------------------------------------------------------------- HodgeRank and SVD


def test_hodge_rank_is_the_potential_of_the_hodge_decomposition():
    for payoff in (noisy_game(), noisy_game(missing=0.5), Payoff(list("abcd"), [0, 2], [1, 3], [0.7, 0.9])):
        for space, flow in (("probability", payoff.p - 0.5), ("logit", logit(payoff.p.clip(0.01, 0.99)))):
            ratings = HodgeRankSVD(1, space).fit(payoff).ratings_
            np.testing.assert_allclose(ratings, hodge_potential(payoff, flow), atol=1e-6)


def test_hodge_rank_weighted_by_games_is_weighted_least_squares():
    payoff = noisy_game(missing=0.4, games_a_pair=True)
    differences = np.zeros((payoff.n_pairs, payoff.n_players))
    rows, root = np.arange(payoff.n_pairs), np.sqrt(payoff.games)
    differences[rows, payoff.i], differences[rows, payoff.j] = root, -root
    expected = np.linalg.lstsq(differences, root * (payoff.p - 0.5), rcond=None)[0]
    np.testing.assert_allclose(HodgeRankSVD(weights="games").fit(payoff).ratings_, expected, atol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_pairs_are_the_truncated_singular_value_decomposition(k):
    payoff = noisy_game(missing=0.2)
    n = payoff.n_players
    model = HodgeRankSVD(k).fit(payoff)
    residual = np.zeros((n, n))
    residual[payoff.i, payoff.j] = payoff.p - 0.5 - (model.ratings_[payoff.i] - model.ratings_[payoff.j])
    left, values, right = np.linalg.svd(residual - residual.T)
    truncated = left[:, : 2 * k] * values[: 2 * k] @ right[: 2 * k]
    x = 0.5 + np.subtract.outer(model.ratings_, model.ratings_) + truncated
    np.testing.assert_allclose(table(model, n), x.clip(0, 1), atol=1e-9)


# -------------------------------------------------------------------- singular value thresholding


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_thresholding_is_that_of_the_singular_values(missing):
    payoff = noisy_game(80, missing=missing)
    Y = np.zeros((80, 80))
    Y[payoff.i, payoff.j], Y[payoff.j, payoff.i] = 2 * payoff.p - 1, 1 - 2 * payoff.p
    left, values, right = np.linalg.svd(Y)
    kept = values >= 2.01 * np.sqrt(80 * payoff.density)
    assert 0 < kept.sum() < 80
    M = (left[:, kept] * values[kept] @ right[kept] / payoff.density).clip(-1, 1)
    model = SingularValueThresholding().fit(payoff)
    np.testing.assert_allclose(table(model, 80), (1 + M) / 2, atol=1e-9)
    assert model.n_params(80) == 80 * kept.sum()


def test_a_game_below_the_threshold_is_a_coin():
    """The singular value of rock, paper, scissors is √3, and the threshold more than twice that."""
    assert (table(SingularValueThresholding().fit(games.compute("rps")), 3) == 0.5).all()


# -------------------------------------------------------------------- blade and chest


def test_blade_and_chest_with_inner_products_is_m_elo_in_logit_space():
    payoff = noisy_game(missing=0.2)
    n, d = payoff.n_players, 2
    model = BladeChestInner(d, regularisation=0.3).fit(payoff)
    same = MEloLogit(d, regularisation=0.3).fit(payoff)
    np.testing.assert_array_equal(table(model, n), table(same, n))
    # By the definition, and of rank 2 d without the ratings.
    gamma, blades, chests = model.u_[:, 0], model.u_[:, 1:], model.v_[:, 1:]
    score = blades @ chests.T - chests @ blades.T
    assert np.linalg.matrix_rank(score, tol=1e-8) == 2 * d
    np.testing.assert_allclose(table(model, n), expit(score + np.subtract.outer(gamma, gamma)), atol=1e-12)


def distances(gamma: np.ndarray, blades: np.ndarray, chests: np.ndarray) -> np.ndarray:
    """Return the scores by the definition of the distance model."""
    squared = ((blades[:, None] - chests) ** 2).sum(axis=-1)
    return squared.T - squared + np.subtract.outer(gamma, gamma)


def test_blade_and_chest_with_distances_follows_its_definition():
    payoff = noisy_game(missing=0.2)
    model = BladeChestDist(2).fit(payoff)
    assert model.converged_
    expected = expit(distances(model.gamma_, model.blades_, model.chests_))
    np.testing.assert_allclose(table(model, payoff.n_players), expected, atol=1e-9)


@pytest.mark.parametrize("weights", [None, "games"])
def test_gradient_of_the_distance_model(weights):
    payoff = noisy_game(8, missing=0.2, games_a_pair=True)
    objective = PairObjective(payoff, CrossEntropy(), weights=payoff.games / payoff.games.mean() if weights else None)
    theta = np.random.default_rng(3).normal(size=8 * 5)
    value, gradient = blade_chest_dist.penalised(objective, 0.5, theta)
    numerical = approx_fprime(theta, lambda x: blade_chest_dist.penalised(objective, 0.5, x)[0], 1e-7)
    np.testing.assert_allclose(gradient, numerical, atol=1e-6)
    # The value: cross entropy and prior, summed over pairs (or games), and divided by their number.
    x = distances(*blade_chest_dist.unpacked(theta, 8))[payoff.i, payoff.j]
    counts = payoff.games if weights else np.ones(payoff.n_pairs)
    losses = np.log1p(np.exp(x)) - payoff.p * x
    assert value == pytest.approx((counts @ losses + 0.5 / 2 * theta @ theta) / counts.sum())


def test_both_blade_chest_models_reach_m_elo_without_a_prior():
    """Their scores are the same set of matrices, so that only the priors tell them apart."""
    payoff = noisy_game(10, 4)
    free = MEloLogit(1).fit(payoff).loss_
    for cls in (BladeChestInner, BladeChestDist):
        assert free - 1e-7 <= cls(1, regularisation=1e-5).fit(payoff).loss_ <= free + 1e-4


# -------------------------------------------------------------------- counter categories


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_counter_categories_find_the_blocks_of_rock_paper_scissors(missing):
    kinds = np.random.default_rng(5).permutation(np.repeat(np.arange(3), 5))
    P = np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])[np.ix_(kinds, kinds)]
    payoff = Payoff.from_dense(P)
    model = CounterCategories(3).fit(payoff)
    np.testing.assert_allclose(table(model, 15), P, atol=1e-6)
    assert len({*zip(kinds, model.categories_, strict=True)}) == 3
    seen = payoff.select_pairs(np.random.default_rng(6).random(payoff.n_pairs) >= missing)
    assert len({*zip(kinds, CounterCategories(3).fit(seen).categories_, strict=True)}) == 3


def test_no_other_category_of_one_player_fits_better():
    payoff = noisy_game(10, 7, missing=0.2)
    model = CounterCategories(3).fit(payoff)
    residual = payoff.p - expit(model.ratings_[payoff.i] - model.ratings_[payoff.j])

    def error(categories: np.ndarray) -> float:
        a, b = categories[payoff.i], categories[payoff.j]
        return ((residual - model.table_[a, b]) ** 2).sum()

    assert np.abs(model.table_ + model.table_.T).max() < 1e-15
    for player in range(10):
        for category in range(3):
            changed = model.categories_.copy()
            changed[player] = category
            assert error(changed) >= error(model.categories_) - 1e-9
