"""The regularised disc: Equation 21, its folds, and the λ that cross-validation picks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from transitivity import models
from transitivity.disc.component import disc_component
from transitivity.errors import InputError
from transitivity.fitting.equation_21 import LARGEST_RADIUS, descend_roughly, equation_21, starts
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.matchups.table import filter_matchups
from transitivity.models import Disc, DiscRegularised, Elo, TooManyComponents
from transitivity.models._base import pair_weights
from transitivity.payoff.core import Payoff
from transitivity.payoff.folds import folds_by_pairs
from transitivity.sources.simulated import draw_league
from transitivity.testing import check_model

SMALL_GRID = (0.1, 1.0, 10.0)


def league(
    seed: int, n: int = 30, m: int = 200, games: int = 30, cyclic: bool = False, certain: bool = False
) -> Payoff:
    """Counted games between random pairs: skill with consistency 1, or a disc game around 0.

    Unless certain results are wanted, every pair has half a win more for each.
    """
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    kept = np.sort(rng.permutation(len(i))[:m])
    i, j = i[kept], j[kept]
    angle = rng.uniform(0, 2 * np.pi, n)
    u, v = (1.5 * np.cos(angle), 1.5 * np.sin(angle)) if cyclic else (rng.standard_normal(n), np.ones(n))
    played = rng.integers(1, 2 * games, size=m)
    wins = rng.binomial(played, expit(u[i] * v[j] - v[i] * u[j]))
    p = wins / played if certain else (wins + 0.5) / (played + 1)
    return Payoff(np.array([f"player {k:03}" for k in range(n)]), i, j, p, played)


def n_components(payoff: Payoff, keep: np.ndarray) -> int:
    n = payoff.n_players
    graph = coo_array((np.ones(keep.sum()), (payoff.i[keep], payoff.j[keep])), shape=(n, n))
    return connected_components(graph, directed=False)[0]


# ---------------------------------------------------------------------- the model


@pytest.mark.parametrize(
    "factory",
    [
        partial(DiscRegularised, grid=(0.1, 10.0), folds=2),
        partial(DiscRegularised, grid=(1.0,), n_components=2, folds=2),
        partial(Disc, weights="games"),
    ],
    ids=lambda factory: repr(factory()),
)
def test_it_keeps_every_rule(factory):
    check_model(factory)


def test_the_registry_finds_it():
    model = models.make("disc_regularised", {"n_components": 1, "folds": 3})
    assert isinstance(model, DiscRegularised) and model.n_params(10) == 20


def test_the_fit_is_that_of_the_chosen_strength():
    payoff = league(0)
    model = DiscRegularised(grid=SMALL_GRID, weights="games").fit(payoff)
    same = DiscRegularised(grid=(model.regularisation_,), weights="games").fit(payoff)
    np.testing.assert_allclose(model.predict(payoff.i, payoff.j), same.predict(payoff.i, payoff.j), atol=1e-6)
    assert model.regularisation_ == SMALL_GRID[int(np.argmin(model.cv_scores_))]
    assert model.converged_


@pytest.mark.parametrize(("cyclic", "chosen"), [(False, 1e3), (True, 1e-2)])
def test_cross_validation_tells_elo_from_a_cycle(cyclic, chosen):
    """On an Elo game the pull to v = 1 costs nothing; on a disc game around 0 it costs everything."""
    payoff = league(1, cyclic=cyclic)
    model = DiscRegularised(grid=[1e-2, 1e3]).fit(payoff)
    assert model.regularisation_ == chosen
    assert model.n_scored_ > payoff.n_pairs / 2


def test_the_score_is_that_of_refits_without_the_fold():
    payoff = league(2)
    # A single λ would be taken as it is.
    model = DiscRegularised(grid=[3.0, 3.0], folds=4, weights="games").fit(payoff, np.random.default_rng(7))
    fold = folds_by_pairs(payoff, 4, np.random.default_rng(7))
    errors = np.full(payoff.n_pairs, np.nan)
    for number in range(4):
        held_out = fold == number
        refit = DiscRegularised(grid=(3.0,), weights="games").fit(payoff.select_pairs(~held_out))
        errors[held_out] = (payoff.p - refit.predict(payoff.i, payoff.j))[held_out] ** 2
    scored = fold >= 0
    expected = np.average(errors[scored], weights=payoff.games[scored])
    assert model.cv_scores_[0] == pytest.approx(expected, abs=1e-5)
    assert model.n_scored_ == scored.sum()


def test_repeats_pool_the_scores_of_several_deals():
    payoff = league(2, n=20, m=80)
    several = DiscRegularised(grid=SMALL_GRID, folds=4, repeats=3).fit(payoff, np.random.default_rng(7))
    # One after the other from the same generator.
    rng, single = np.random.default_rng(7), DiscRegularised(grid=SMALL_GRID, folds=4)
    scored = [single._cross_validate(payoff, np.array(SMALL_GRID), rng) for _ in range(3)]
    assert several.n_scored_ == sum(n for _, n in scored) > 2 * payoff.n_pairs
    expected = np.average([scores for scores, _ in scored], axis=0, weights=[n for _, n in scored])
    np.testing.assert_allclose(several.cv_scores_, expected, rtol=1e-12)


def test_with_repeats_the_strength_hangs_less_on_the_deal():
    """Of 14 pairs about as many are scored once: over seeds, single deals disagree about λ."""
    payoff = league(3, n=8, m=14, games=10)
    spread = {}
    for repeats in (1, 4):
        fits = [
            DiscRegularised(grid=[0.1, 10.0], folds=3, repeats=repeats).fit(payoff, np.random.default_rng(seed))
            for seed in range(6)
        ]
        chosen = np.std([np.log10(fit.regularisation_) for fit in fits])
        spread[repeats] = chosen, np.std([np.subtract(*fit.cv_scores_) for fit in fits])
    assert spread[4][0] < spread[1][0]
    assert spread[4][1] < spread[1][1] / 1.5


def test_slack_takes_the_largest_strength_that_is_nearly_best():
    payoff = league(1, cyclic=True)
    best, same = (DiscRegularised(grid=SMALL_GRID, slack=slack).fit(payoff) for slack in (0.0, 1e6))
    assert same.regularisation_ == max(SMALL_GRID) > best.regularisation_
    np.testing.assert_array_equal(same.cv_scores_, best.cv_scores_)
    # From the share by which the score of the next larger λ exceeds the least, and not below it.
    following = SMALL_GRID.index(best.regularisation_) + 1
    excess = best.cv_scores_[following] / best.cv_scores_.min() - 1
    for slack, expected in ((0.99 * excess, best.regularisation_), (1.01 * excess, SMALL_GRID[following])):
        assert DiscRegularised(grid=SMALL_GRID, slack=slack).fit(payoff).regularisation_ == expected


def test_a_regularised_disc_predicts_sparse_noisy_games_better():
    """Few games a pair: the plain disc fits the noise."""
    payoff = league(3, n=40, m=200, games=5)
    rng = np.random.default_rng(0)
    train = folds_by_pairs(payoff, 5, rng) != 0
    test = payoff.select_pairs(~train)

    def mse(model):
        model.fit(payoff.select_pairs(train))
        return np.mean((model.predict(test.i, test.j) - test.p) ** 2)

    assert mse(DiscRegularised(grid=[1, 10, 100])) < 0.8 * mse(Disc())
    assert mse(DiscRegularised(n_components=2, grid=[1, 10, 100])) < 0.8 * mse(Disc(n_components=2))


def test_a_graph_without_cycles_is_fitted_as_elo():
    """Nothing can be held out, so that nothing is known of v."""
    n = 12
    payoff = Payoff(np.arange(n).astype(str), np.arange(n - 1), np.arange(1, n), np.linspace(0.3, 0.8, n - 1))
    model = DiscRegularised(grid=[0.1, 1e6]).fit(payoff)
    assert model.regularisation_ == 1e6 and model.n_scored_ == 0 and np.isnan(model.cv_scores_).all()
    expected = Elo().fit(payoff)
    every = np.arange(n)
    np.testing.assert_allclose(model.predict(every[:, None], every), expected.predict(every[:, None], every), atol=1e-4)


def test_certain_results_stay_finite():
    """Players who win everything have no finite best rating."""
    i, j = np.triu_indices(12, 1)
    payoff = Payoff(np.arange(12).astype(str), i, j, np.ones(len(i)))
    model = DiscRegularised(grid=SMALL_GRID).fit(payoff)
    assert model.separated_ and model.converged_ and np.isfinite(model.cv_scores_).all()
    P = model.predict(i, j)
    assert (P > 0.9).all() and np.isfinite(model.u_).all()
    assert not DiscRegularised(grid=SMALL_GRID).fit(league(4)).separated_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"grid": []}, "grid="),
        ({"grid": [1, -1]}, "grid="),
        ({"grid": ["a"]}, "grid="),
        ({"grid": 3}, "grid="),
        ({"folds": 1}, "folds=1"),
        ({"folds": 0}, "folds"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 1.5}, "repeats"),
        ({"slack": -0.1}, "slack=-0.1"),
        ({"slack": float("nan")}, "slack=nan"),
        ({"weights": "game"}, "weights='game'"),
    ],
)
def test_mistakes_are_named(parameters, message):
    with pytest.raises(InputError, match=message):
        DiscRegularised(**parameters)


def test_too_many_components():
    with pytest.raises(TooManyComponents):
        DiscRegularised(n_components=3).fit(league(0, n=5, m=8))


# ---------------------------------------------------------------------- Equation 21


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("weights", ["equal", "games"])
def test_the_scale_of_the_paper(k, weights):
    """Objective and penalty together are the sum of Equation 21 over ordered entries, over twice the pairs."""
    payoff, strength = league(5), 0.7
    rng = np.random.default_rng(0)
    U, V = rng.standard_normal((2, payoff.n_players, k))
    w = pair_weights(payoff, weights)
    objective = PairObjective(payoff, CrossEntropy(), weights=w)
    value = objective.value_and_gradient(U, V)[0] + equation_21(objective, strength)(U, V)[0]
    w = np.ones(payoff.n_pairs) if w is None else w
    assert w.mean() == pytest.approx(1)
    total = 0.0
    for i, j, p, weight in zip(payoff.i, payoff.j, payoff.p, w, strict=True):
        for a, b, q in ((i, j, p), (j, i, 1 - p)):
            x = U[a] @ V[b] - V[a] @ U[b]
            total += weight * -(q * np.log(expit(x)) + (1 - q) * np.log(expit(-x)))
    total += strength / 2 * (np.sum((V[:, 0] - 1) ** 2) + np.sum(U[:, 1:] ** 2) + np.sum(V[:, 1:] ** 2))
    assert value == pytest.approx(total / (2 * payoff.n_pairs))


def test_weights_are_those_of_repeated_games():
    """A pair of 30 games counts three times as much as one of 10: the gradient of the weighted sum vanishes."""
    payoff = league(6)
    model = DiscRegularised(grid=(1.0,), weights="games").fit(payoff)
    x = model.u_[payoff.i, 0] * model.v_[payoff.j, 0] - model.v_[payoff.i, 0] * model.u_[payoff.j, 0]
    slope = 2 * payoff.games / payoff.games.mean() * (expit(x) - payoff.p)
    n = payoff.n_players
    gradient = np.bincount(payoff.i, slope * model.v_[payoff.j, 0], n)
    gradient -= np.bincount(payoff.j, slope * model.v_[payoff.i, 0], n)
    np.testing.assert_allclose(gradient, 0, atol=1e-4)
    unweighted = DiscRegularised(grid=(1.0,)).fit(payoff)
    difference = model.predict(payoff.i, payoff.j) - unweighted.predict(payoff.i, payoff.j)
    assert np.abs(difference).max() > 1e-3


def test_without_numbers_of_games_all_pairs_count_the_same():
    payoff = league(7)
    unknown = Payoff(payoff.players, payoff.i, payoff.j, payoff.p)
    assert pair_weights(unknown, "games") is None
    weighted, equal = (DiscRegularised(grid=(1.0,), weights=one).fit(unknown) for one in ("games", "equal"))
    np.testing.assert_array_equal(weighted.v_, equal.v_)


# ---------------------------------------------------------------------- folds


@given(st.integers(2, 12), st.integers(0, 10_000), st.integers(2, 6), st.floats(0.1, 1))
def test_train_sets_connect_whom_the_payoff_connects(n, seed, n_folds, share):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    kept = rng.random(len(i)) < share
    kept[0] = True
    payoff = Payoff(np.arange(n).astype(str), i[kept], j[kept], rng.random(kept.sum()))
    fold = folds_by_pairs(payoff, n_folds, rng)
    every = np.ones(payoff.n_pairs, dtype=bool)
    for number in range(n_folds):
        held_out = fold == number
        assert n_components(payoff, ~held_out) == n_components(payoff, every)
    # A pair is returned only where its fold needs it: on a cycle without chords each train set spares one pair.
    assert set(fold) <= {-1, *range(n_folds)}


def test_a_dense_game_returns_no_pair():
    payoff = league(8, n=20, m=190)
    fold = folds_by_pairs(payoff, 5, np.random.default_rng(0))
    assert np.bincount(fold).tolist() == [38] * 5


def test_a_cycle_spares_one_pair_of_a_fold():
    n = 10
    i, j = np.arange(n - 1), np.arange(1, n)
    payoff = Payoff(np.arange(n).astype(str), np.r_[0, 0, i[1:]], np.r_[1, n - 1, j[1:]], np.full(n, 0.5))
    fold = folds_by_pairs(payoff, 2, np.random.default_rng(0))
    assert sorted(fold[fold >= 0]) == [0, 1]


def test_folds_belong_to_pairs_of_names():
    """However the players are ordered, with the same generator the same pairs are held out together."""
    payoff = league(9)
    order = np.random.default_rng(1).permutation(payoff.n_players)
    shuffled = payoff.select_players(order)
    by_name = []
    for game in (payoff, shuffled):
        fold = folds_by_pairs(game, 5, np.random.default_rng(2))
        names = zip(game.players[game.i], game.players[game.j], strict=True)
        by_name.append({frozenset(pair): int(f) for pair, f in zip(names, fold, strict=True)})
    assert by_name[0] == by_name[1]


@pytest.mark.parametrize("space", ["logit", "probability"])
def test_a_league_without_cycles_is_elo_in_either_space(space):
    # A path: ratings fit any results, and the penalty leaves them the only optimum.
    p = np.array([0.7, 0.2, 0.9, 0.5])
    payoff = Payoff(np.array(list("abcde")), np.arange(4), np.arange(1, 5), p)
    model = DiscRegularised(space=space).fit(payoff)
    np.testing.assert_allclose(model.predict(payoff.i, payoff.j), p, atol=1e-6)
    np.testing.assert_allclose(model.v_, 1, atol=1e-5)
    assert model.regularisation_ == max(model.grid) and model.n_scored_ == 0


def test_the_space_of_probabilities_fits_a_disc_game_of_probabilities():
    rng = np.random.default_rng(3)
    u, v = rng.uniform(-0.4, 0.4, 25), rng.uniform(0.5, 1.5, 25)
    P = 0.5 + (np.outer(u, v) - np.outer(v, u)) / 3
    model = DiscRegularised(space="probability", grid=[1e-4]).fit(Payoff.from_dense(P))
    i, j = np.triu_indices(25, 1)
    np.testing.assert_allclose(model.predict(i, j), P[i, j], atol=2e-3)


def test_an_unknown_space_is_named():
    with pytest.raises(InputError, match="space"):
        DiscRegularised(space="logits")


def test_cross_validation_finds_a_cyclic_league_that_no_path_from_elo_leads_to():
    rng = np.random.default_rng(1)
    league = draw_league("cyclic", rng, profile="starcraft")
    kept, _ = filter_matchups(league.matchups(rng), min_games=100)
    model = DiscRegularised(grid=(0.01, 0.1, 1, 10), folds=3).fit(Payoff.from_counts(kept), rng)
    assert model.regularisation_ == 0.01
    assert not disc_component(model.u_[:, 0], model.v_[:, 0]).transitive


@pytest.mark.parametrize("space", ["logit", "probability"])
@pytest.mark.parametrize("k", [1, 2])
def test_the_disc_game_that_fits_start_from_does_not_hang_on_chance_nor_on_the_order_of_players(space, k):
    """Its gauge matters to the penalty."""
    payoff = league(3, cyclic=True)
    order = np.random.default_rng(5).permutation(payoff.n_players)
    i, j = order[payoff.i], order[payoff.j]
    names = np.empty_like(payoff.players)
    names[order] = payoff.players
    other = Payoff(names, np.minimum(i, j), np.maximum(i, j), np.where(i < j, payoff.p, 1 - payoff.p))
    loss = DiscRegularised(space=space).loss
    found = []
    for seed, one, place in ((0, payoff, slice(None)), (1, payoff, slice(None)), (2, other, order)):
        _, (U, V) = starts(PairObjective(one, loss), k, np.random.default_rng(seed))
        found.append(np.column_stack([U[place, 0], V[place, 0]]))
    size = np.abs(found[0]).max()
    for start in found:
        u, v = start.T
        assert abs(u.sum()) < 1e-9 * size and v.sum() > 0
        np.testing.assert_allclose(start, found[0], atol=0.01 * size)


def test_no_player_of_a_sparse_league_starts_far_from_the_others():
    """The leading disc game of few games a player is that of a few players' luck."""
    rng = np.random.default_rng(0)
    sparse = Payoff.from_counts(draw_league("transitive", rng, n_players=2000, n_pairs=20_000).matchups(rng))
    objective = PairObjective(sparse, CrossEntropy(), weights=pair_weights(sparse, "games"))
    assert not objective.is_dense
    _, (U, V) = starts(objective, 1, np.random.default_rng(1))
    radius = np.hypot(U, V)
    assert radius.max() <= LARGEST_RADIUS * (1 + 1e-12) and (radius > LARGEST_RADIUS * (1 - 1e-9)).sum() > 1
    assert abs(U.sum()) < 1e-9 * len(U) and V.sum() > 0


@pytest.mark.parametrize("kind", ["transitive", "cyclic"])
def test_fits_of_a_sparse_league_converge_and_their_starts_agree(kind):
    rng = np.random.default_rng(0)
    sparse = Payoff.from_counts(draw_league(kind, rng, n_players=3000, n_pairs=60_000).matchups(rng))
    model = DiscRegularised(grid=(1.0,), weights="games").fit(sparse)
    assert model.converged_ and model.n_iter_ < 250
    objective = PairObjective(sparse, CrossEntropy(), weights=pair_weights(sparse, "games"))
    penalty = equation_21(objective, 1.0)
    rough = [descend_roughly(objective, U, V, 1.0) for U, V in starts(objective, 1, rng)]
    losses = [fit.loss + penalty(fit.U, fit.V)[0] for fit in rough]
    best = model.loss_ + penalty(model.u_, model.v_)[0]
    assert max(losses) - best < 1e-4 * best
