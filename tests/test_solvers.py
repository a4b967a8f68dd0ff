"""Solvers against each other, against their algorithms' definitions, and against the games' own symmetries."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import expit

from transitivity import games
from transitivity.disc.decomposition import normal_decomposition
from transitivity.errors import NotConvergedWarning
from transitivity.fitting import as_published, solvers
from transitivity.fitting.as_published import alternating, published
from transitivity.fitting.elo import stationary_elo
from transitivity.fitting.losses import CrossEntropy, SquaredLinear
from transitivity.fitting.objective import PairObjective
from transitivity.fitting.solvers import descend, joint, pair_after_pair
from transitivity.models import Disc, DiscRegularised, Elo, MEloLogit
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import is_separated


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def layered_game(n: int, seed: int) -> Payoff:
    """Three orthogonal disc games of falling size in logit space, and a little noise."""
    draw = np.random.default_rng(seed)
    Q = np.linalg.qr(draw.standard_normal((n, 6)))[0]
    x = sum(s * n / 4 * np.outer(Q[:, 2 * a], Q[:, 2 * a + 1]) for a, s in enumerate((3, 1.5, 0.7)))
    x = x + 0.05 * draw.standard_normal((n, n))
    return Payoff.from_dense(expit(x - x.T))


def oblique_game(n: int, seed: int, missing: float = 0.0) -> Payoff:
    """Elo plus disc plus noise, whose planes are not orthogonal; some pairs missing."""
    draw = np.random.default_rng(seed)
    ratings, u, v = draw.standard_normal((3, n))
    x = ratings[:, None] + np.outer(u, v) + 0.2 * draw.standard_normal((n, n))
    payoff = Payoff.from_dense(expit(x - x.T))
    return payoff.select_pairs(draw.random(payoff.n_pairs) >= missing)


def predicted(objective: PairObjective, fit: solvers.Fit) -> np.ndarray:
    return expit(objective.scores(fit.U, fit.V))


# ---------------------------------------------------------------------- disc: solver against solver


@pytest.mark.parametrize("n", [6, 15, 40])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_one_pair_by_algorithm_1_and_at_once(n, missing):
    objective = PairObjective(oblique_game(n, n, missing), CrossEntropy())
    at_once, printed = pair_after_pair(objective, 1, rng()), alternating(objective, 1, rng())
    assert at_once.converged and printed.converged
    assert printed.loss == pytest.approx(at_once.loss, rel=1e-9)
    np.testing.assert_allclose(predicted(objective, printed), predicted(objective, at_once), atol=1e-5)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_algorithm_2_with_a_heavy_penalty_is_pair_after_pair(k, seed, monkeypatch):
    """`pair_after_pair` keeps the constraints exactly, so it is the limit of ever heavier penalties.

    The weight must be heavy: a penalty is not invariant under u -> c u, v -> v / c, so that alternation can lean at
    little cost with the one that it has made small.
    """
    objective = PairObjective(layered_game(12, seed), CrossEntropy())
    printed_penalty = as_published.printed_penalty
    monkeypatch.setattr(
        as_published, "printed_penalty", lambda x, M: tuple(1e5 * value for value in printed_penalty(x, M))
    )
    at_once, printed = pair_after_pair(objective, k, rng()), alternating(objective, k, rng())
    np.testing.assert_allclose(predicted(objective, printed), predicted(objective, at_once), atol=3e-4)
    np.testing.assert_allclose(printed.U.T @ printed.V - np.diag(np.diag(printed.U.T @ printed.V)), 0, atol=0.02)


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1)])
def test_algorithm_2_as_printed_is_near_pair_after_pair(k, seed):
    """The printed penalty of weight 1 lets pairs lean a little: a lower loss than with the constraint, by less than
    0.2 %, a P̂ that differs by less than 0.1, and never less loss than all pairs jointly."""
    objective = PairObjective(layered_game(12, seed), CrossEntropy())
    exact, printed = (pair_after_pair(objective, k, rng()), alternating(objective, k, rng(), n_alternations=100))
    assert exact.loss * (1 - 2e-3) < printed.loss < exact.loss * (1 + 1e-9)
    assert printed.loss >= joint(objective, k, rng()).loss - 1e-9
    assert np.abs(predicted(objective, printed) - predicted(objective, exact)).max() < 0.1


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", [0, 1])
def test_all_pairs_jointly_lose_no_more_than_one_after_the_other(k, missing, seed):
    objective = PairObjective(oblique_game(16, seed, missing), CrossEntropy())
    one_by_one, together = pair_after_pair(objective, k, rng()), joint(objective, k, rng())
    # With missing entries so many parameters may have no best value; the loss still is lower.
    assert together.converged or missing
    assert together.loss <= one_by_one.loss + 1e-12
    assert together.n_iter > one_by_one.n_iter


def test_one_pair_jointly_is_one_pair():
    objective = PairObjective(oblique_game(10, 0), CrossEntropy())
    together, alone = joint(objective, 1, rng()), pair_after_pair(objective, 1, rng())
    np.testing.assert_allclose(predicted(objective, together), predicted(objective, alone), atol=1e-6)


EMBEDDED = {
    "blotto_5_3": {"n_soldiers": 5, "n_fields": 3},
    "blotto_5_4": {"n_soldiers": 5, "n_fields": 4},
    "parity": {},
    "kuhn_poker": {},
    "elo_game": {"n_players": 30, "noise": 0.5},
    "disc_game": {"n_players": 30},
    "random_game_of_skill": {"n_players": 30},
    "normal_bernoulli": {"n_players": 30},
    "transitive_game": {"n_players": 30},
    "triangular_game": {"n_players": 30},
}


@pytest.mark.parametrize("loss", [CrossEntropy(), SquaredLinear()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("game", EMBEDDED)
def test_on_every_game_the_train_loss_jointly_is_at_most_that_of_algorithm_2(game, loss):
    name = "blotto" if game.startswith("blotto") else game
    payoff = games.compute(name, rng=np.random.default_rng(1), **EMBEDDED[game])
    payoff = payoff.select_pairs(np.random.default_rng(2).random(payoff.n_pairs) > 0.2)
    objective = PairObjective(payoff, loss)
    one_by_one, together = pair_after_pair(objective, 2, rng()), joint(objective, 2, rng(), n_starts=2)
    assert together.loss <= one_by_one.loss + 1e-12


def two_groups(seed: int, bridge: bool = False) -> Payoff:
    """Two groups of six who played among themselves, an Elo game and noise, and one pair between them if asked."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=12)[:, None] + 0.3 * draw.normal(size=(12, 12))
    payoff = Payoff.from_dense(expit(x - x.T))
    return payoff.select_pairs((payoff.i < 6) == (payoff.j < 6) | bridge & (payoff.i == 0) & (payoff.j == 6))


@pytest.mark.parametrize("bridge", [False, True], ids=["unconnected", "joined by one pair"])
@pytest.mark.parametrize("seed", range(8))
def test_no_fit_loses_more_than_elo_which_is_nested_in_it(seed, bridge):
    payoff = two_groups(seed, bridge)
    elo = Elo().fit(payoff).loss_
    assert Disc().fit(payoff).loss_ < elo
    assert MEloLogit().fit(payoff).loss_ < elo


def test_two_pairs_of_players_who_never_met():
    payoff = Payoff(list("abcd"), [0, 2], [1, 3], [0.7, 0.9])
    for model in (Disc(), Disc(2), MEloLogit(), MEloLogit(2)):
        np.testing.assert_allclose(model.fit(payoff).predict([0, 2], [1, 3]), [0.7, 0.9], atol=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_more_pairs_than_the_game_has(k):
    """One disc game with up to four pairs, and with ratings and up to four pairs, is fitted as well as with one."""
    u, v = np.random.default_rng(0).normal(size=(2, 8))
    payoff = Payoff.from_dense(expit(np.outer(u, v) - np.outer(v, u)))
    for model in (Disc(k), MEloLogit(k)):
        assert model.fit(payoff).converged_
        np.testing.assert_allclose(model.predict(payoff.i, payoff.j), payoff.p, atol=1e-4)


def test_every_rung_of_the_ladder_loses_no_more_than_the_one_below():
    """Where scores go to infinity, too; disc k + 1 contains m-Elo k in logit space, whose first v is 1."""
    payoff = oblique_game(16, 0, 0.3)
    payoff = Payoff(
        payoff.players, payoff.i, payoff.j, np.where(np.abs(payoff.p - 0.5) > 0.45, payoff.p > 0.5, payoff.p)
    )
    losses = [Elo().fit(payoff).loss_]
    for k in (1, 2, 3):
        losses += [Disc(k).fit(payoff).loss_, MEloLogit(k).fit(payoff).loss_]
    assert losses == sorted(losses, reverse=True)


def test_above_elo_never_starts_above_elo():
    for payoff in (oblique_game(16, 0, 0.3), layered_game(12, 1)):
        objective = PairObjective(payoff, CrossEntropy())
        elo = stationary_elo(objective)
        for more in (0, 1, 3):
            U, V = solvers.above_elo(objective, elo, more, rng())
            assert U.shape == V.shape == (payoff.n_players, 1 + more)
            assert objective.value_and_gradient(U, V)[0] <= elo.loss + 1e-12


def test_the_starts_are_told_and_give_the_same_bytes_again():
    objective = PairObjective(games.compute("blotto", n_soldiers=5, n_fields=4), CrossEntropy())
    first, again = joint(objective, 2, rng()), joint(objective, 2, rng())
    assert len(first.optima) == solvers.STARTS and min(first.optima) == first.loss and first.optima == again.optima
    np.testing.assert_array_equal(first.U, again.U)
    np.testing.assert_array_equal(first.V, again.V)
    alone = joint(objective, 2, rng(), n_starts=1)
    assert len(alone.optima) == 1 and alone.n_iter < first.n_iter
    assert min(abs(loss / alone.loss - 1) for loss in first.optima) < 1e-6


@pytest.mark.parametrize("k", [2, 3])
def test_pair_after_pair_keeps_its_constraints(k):
    """Equations 4 and 5: a later pair is orthogonal to u and v of the earlier ones, which it leaves as they are."""
    objective = PairObjective(oblique_game(14, 3, 0.2), CrossEntropy())
    fit, earlier = pair_after_pair(objective, k, rng()), pair_after_pair(objective, k - 1, rng())
    np.testing.assert_array_equal(fit.U[:, :-1], earlier.U)
    before, last = np.hstack([earlier.U, earlier.V]), np.column_stack([fit.U[:, -1], fit.V[:, -1]])
    np.testing.assert_allclose(before.T @ last, 0, atol=1e-10)
    assert fit.loss < earlier.loss


@pytest.mark.parametrize("start", range(3))
def test_any_rng_leads_to_the_same_fit(start):
    objective = PairObjective(layered_game(15, 2), CrossEntropy())
    fit = pair_after_pair(objective, 2, np.random.default_rng(start))
    np.testing.assert_allclose(
        predicted(objective, fit), predicted(objective, pair_after_pair(objective, 2, rng())), atol=1e-5
    )


@pytest.mark.parametrize("solver", [pair_after_pair, joint, alternating])
def test_rock_paper_scissors(solver):
    """u = 0, where every row sum is 1/2, is a stationary point of Algorithm 1; no solver may end there."""
    for game in (games.compute("rps"), games.compute("cyclic_disc", n_players=7)):
        objective = PairObjective(game, CrossEntropy())
        np.testing.assert_allclose(predicted(objective, solver(objective, 1, rng())), game.p, atol=1e-4)


def test_a_dense_and_a_sparse_fit_agree(monkeypatch):
    payoff = oblique_game(20, 5, 0.4)
    dense = PairObjective(payoff, CrossEntropy())
    monkeypatch.setattr("transitivity.fitting.objective.DENSE_ABOVE", 2.0)
    monkeypatch.setattr("transitivity.fitting.objective.SMALL", 0)
    sparse = PairObjective(payoff, CrossEntropy())
    assert dense.is_dense and not sparse.is_dense
    np.testing.assert_allclose(
        predicted(dense, pair_after_pair(dense, 2, rng())),
        predicted(sparse, pair_after_pair(sparse, 2, rng())),
        atol=1e-5,
    )


# ---------------------------------------------------------------------- what they are made of


def test_spectral_start_is_the_leading_pair_of_the_residual():
    payoff = layered_game(15, 0)
    objective = PairObjective(payoff, SquaredLinear())
    none = np.zeros((15, 0))
    u, v = solvers.spectral_start(objective, none, none, rng())
    expected = normal_decomposition(payoff.to_dense() - 0.5, 1).matrix()
    np.testing.assert_allclose(np.outer(u, v) - np.outer(v, u), expected, atol=1e-3)
    # The next start leaves out what the first pair has fitted.
    next_u, next_v = solvers.spectral_start(objective, u[:, None], v[:, None], rng())
    second = normal_decomposition(payoff.to_dense() - 0.5, 2).matrix() - expected
    np.testing.assert_allclose(np.outer(next_u, next_v) - np.outer(next_v, next_u), second, atol=0.02)


def test_descend_moves_only_what_is_free():
    objective = PairObjective(oblique_game(10, 0), CrossEntropy())
    U, V = np.random.default_rng(1).normal(size=(2, 10, 2))
    fit = descend(objective, U, V, np.array([True, False]), np.array([False, False]))
    np.testing.assert_array_equal(fit.V, V)
    np.testing.assert_array_equal(fit.U[:, 1], U[:, 1])
    _, gradient_U, _ = objective.value_and_gradient(fit.U, fit.V)
    assert fit.converged
    assert 10 * np.abs(gradient_U[:, 0]).max() == pytest.approx(fit.gradient_norm)


def test_descend_with_a_ridge_is_at_its_stationary_point():
    objective = PairObjective(games.compute("triangular_game", n_players=8), CrossEntropy())
    U, V = 0.1 * np.random.default_rng(1).normal(size=(2, 8, 1))
    free = np.ones(1, dtype=bool)
    fit = descend(objective, U, V, free, free, ridge=1e-3)
    _, gradient_U, gradient_V = objective.value_and_gradient(fit.U, fit.V)
    np.testing.assert_allclose(gradient_U + 1e-3 / 8 * fit.U, 0, atol=1e-6)
    np.testing.assert_allclose(gradient_V + 1e-3 / 8 * fit.V, 0, atol=1e-6)


def test_separated_fits_are_told():
    payoff = games.compute("triangular_game", n_players=12)
    objective = PairObjective(payoff, CrossEntropy())
    for fit in (pair_after_pair(objective, 1, rng()), alternating(objective, 1, rng()), published(objective, 1)):
        assert fit.separated and np.isfinite(fit.U).all() and np.isfinite(fit.V).all()
        assert np.abs(predicted(objective, fit) - payoff.p).max() < 0.01
    assert not pair_after_pair(PairObjective(layered_game(12, 0), CrossEntropy()), 1, rng()).separated
    # In probability space nothing runs away.
    assert not pair_after_pair(PairObjective(payoff, SquaredLinear()), 1, rng()).separated


def test_penalties():
    """The printed penalty's gradient belongs to its value; the published one's does not, as facts have it."""
    x, M = np.array([1.0, 2.0, -1.0]), np.array([[1.0, 0.0], [1.0, 3.0], [0.0, 4.0]])
    products, norms = M.T @ x, np.array([2.0, 25.0])
    np.testing.assert_array_equal(products, [3, 2])
    value, gradient = as_published.printed_penalty(x, M)
    assert value == pytest.approx(9 / 2 + 4 / 25)
    h = 1e-6
    for a in range(3):
        step = h * np.eye(3)[a]
        numerical = as_published.printed_penalty(x + step, M)[0] - as_published.printed_penalty(x - step, M)[0]
        assert gradient[a] == pytest.approx(numerical / (2 * h), rel=1e-6)
    value, gradient = as_published.published_penalty(x, M)
    assert value == pytest.approx((9 + 4) / (2 * 27))
    np.testing.assert_allclose(gradient, M @ (products / norms))
    # With a single column the two of the published code do belong together: half the printed ones.
    for of_one, twice in zip(
        as_published.published_penalty(x, M[:, :1]), as_published.printed_penalty(x, M[:, :1]), strict=True
    ):
        np.testing.assert_allclose(2 * of_one, twice)
    for penalty in (as_published.printed_penalty, as_published.published_penalty):
        for empty in (M[:, :0], np.zeros((3, 2))):
            value, gradient = penalty(x, empty)
            assert value == 0 and not gradient.any()


def test_newtons_method_ends_what_l_bfgs_leaves(monkeypatch):
    """To the same fit, with and without a constraint, and far below the tolerance where L-BFGS stalls."""
    objective = PairObjective(oblique_game(20, 2, 0.2), CrossEntropy())
    usual = pair_after_pair(objective, 2, rng())
    monkeypatch.setattr(solvers, "MAX_ITERATIONS", 3)
    fit = pair_after_pair(objective, 2, rng())
    assert fit.converged and fit.loss == pytest.approx(usual.loss, rel=1e-7)
    np.testing.assert_allclose(predicted(objective, fit), predicted(objective, usual), atol=1e-5)
    before, last = np.hstack([fit.U[:, :1], fit.V[:, :1]]), np.column_stack([fit.U[:, 1], fit.V[:, 1]])
    np.testing.assert_allclose(before.T @ last, 0, atol=1e-10)
    tight = pair_after_pair(objective, 1, rng(), tolerance=1e-13)
    assert tight.gradient_norm < 1e-11


def test_newtons_method_knows_a_penalty(monkeypatch):
    objective = PairObjective(oblique_game(15, 4), CrossEntropy())

    def penalty(U, V):
        return 0.1 * float(np.vdot(U, U) + np.vdot(V - 1, V - 1)), 0.2 * U, 0.2 * (V - 1)

    U, V = np.random.default_rng(1).normal(size=(2, 15, 1))
    free = np.ones(1, dtype=bool)
    usual = descend(objective, U, V, free, free, penalty=penalty)
    monkeypatch.setattr(solvers, "MAX_ITERATIONS", 2)
    fit = descend(objective, U, V, free, free, penalty=penalty)
    assert fit.converged and fit.gradient_norm < 1e-7
    np.testing.assert_allclose(predicted(objective, fit), predicted(objective, usual), atol=1e-6)


# ---------------------------------------------------------------------- stationary Elo


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_stationary_elo_solves_equation_1(missing):
    payoff = oblique_game(20, 1, missing)
    fit = stationary_elo(PairObjective(payoff, CrossEntropy()))
    u = fit.U[:, 0]
    surplus = payoff.p - expit(u[payoff.i] - u[payoff.j])
    of_player = np.bincount(payoff.i, surplus, 20) - np.bincount(payoff.j, surplus, 20)
    assert fit.converged and fit.n_iter < 15 and (fit.V == 1).all()
    np.testing.assert_allclose(of_player, 0, atol=1e-6)


def test_weights_of_stationary_elo_are_repeated_pairs():
    """A weight of 3 is what three games of one pair are; with two players the optimum is known."""
    payoff = Payoff(np.array(["a", "b", "c"]), [0, 0, 1], [1, 2, 2], [0.9, 0.5, 0.4])
    weights = np.array([3.0, 1.0, 2.0])
    u = stationary_elo(PairObjective(payoff, CrossEntropy(), weights=weights)).U[:, 0]
    surplus = weights * (payoff.p - expit(u[payoff.i] - u[payoff.j]))
    np.testing.assert_allclose(np.bincount(payoff.i, surplus, 3) - np.bincount(payoff.j, surplus, 3), 0, atol=1e-6)


def test_the_observed_diagonal_does_not_change_elo():
    payoff = oblique_game(12, 1, 0.3)
    with_diagonal = payoff.select_pairs(np.ones(payoff.n_pairs, dtype=bool), np.arange(12) % 3 > 0)
    plain, other = (
        stationary_elo(PairObjective(game, CrossEntropy()), tolerance=1e-11) for game in (payoff, with_diagonal)
    )
    np.testing.assert_allclose(plain.U, other.U, atol=1e-9)
    # Newton on the right scale converges quadratically there too.
    assert other.n_iter <= plain.n_iter + 1


def test_the_ridge_of_stationary_elo():
    payoff = games.compute("triangular_game", n_players=6)
    objective = PairObjective(payoff, CrossEntropy())
    small, large = (stationary_elo(objective, ridge) for ridge in (1e-6, 1e-2))
    assert small.converged and large.converged
    assert np.ptp(small.U) > np.ptp(large.U) > 0
    gradient = objective.value_and_gradient(large.U, large.V)[1]
    np.testing.assert_allclose(gradient + 1e-2 / 6 * large.U, 0, atol=1e-7)


@pytest.mark.parametrize(
    ("n", "results", "separated"),
    [
        (2, {(0, 1): 0.7}, False),
        (2, {(0, 1): 1.0}, True),
        (3, {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 0.0}, False),
        (3, {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0}, True),
        (3, {(0, 1): 0.5}, True),
        (4, {(0, 1): 0.5, (2, 3): 0.5}, True),
        (4, {(0, 1): 0.5, (2, 3): 0.5, (1, 2): 0.0}, True),
        (4, {(0, 1): 0.5, (2, 3): 0.5, (1, 2): 0.01}, False),
    ],
)
def test_when_elo_has_no_finite_solution(n, results, separated):
    i, j = zip(*results, strict=True)
    assert is_separated(Payoff(np.arange(n).astype(str), i, j, list(results.values()))) == separated


def test_elo_on_a_long_chain():
    """A sparse graph whose Laplacian is badly conditioned: conjugate gradients still get there."""
    n = 600
    draw = np.random.default_rng(0)
    ratings = np.cumsum(draw.normal(size=n)) / 5
    i = np.arange(n - 1)
    payoff = Payoff(np.arange(n).astype(str), i, i + 1, expit(ratings[:-1] - ratings[1:]))
    objective = PairObjective(payoff, CrossEntropy())
    fit = stationary_elo(objective)
    assert not objective.is_dense and fit.converged
    np.testing.assert_allclose(predicted(objective, fit), payoff.p, atol=1e-4)


# ---------------------------------------------------------------------- the published solver


def test_published_elo_is_a_single_step():
    """u with v = ln(10)/400 fixed: the penalty pulls its mean to 0, and the loss alone decides the rest."""
    payoff = oblique_game(15, 2, 0.2)
    objective = PairObjective(payoff, CrossEntropy())
    fit = published(objective, 1, n_alternations=0)
    assert (fit.V == np.log(10) / 400).all()
    np.testing.assert_allclose(predicted(objective, fit), predicted(objective, stationary_elo(objective)), atol=1e-5)


def test_published_disc_of_one_pair_is_near_the_optimum():
    objective = PairObjective(layered_game(15, 0), CrossEntropy())
    few, many = published(objective, 1, n_alternations=2), published(objective, 1, n_alternations=40)
    best = pair_after_pair(objective, 1, rng())
    assert best.loss <= many.loss + 1e-12 and many.loss <= few.loss + 1e-12
    assert many.loss == pytest.approx(best.loss, rel=1e-4)


# ---------------------------------------------------------------------- sparse payoffs of every shape


def sparse_payoff(shape: str, n: int, seed: int = 0) -> Payoff:
    """20 games a pair between players of random skill, few of whom meet many others."""
    rng = np.random.default_rng(seed)
    if shape == "hubs":
        i, j = (a.ravel() for a in np.meshgrid(np.arange(4), np.arange(4, n), indexing="ij"))
    elif shape == "wheel":
        rim = np.arange(1, n - 1)
        i, j = np.r_[np.zeros(n - 1, dtype=int), rim], np.r_[np.arange(1, n), rim + 1]
    elif shape == "few pairs":
        i = np.arange(0, n // 5 * 2, 2)
        j = i + 1
    else:
        chance = (1 + np.arange(n)) ** -0.8
        a, b = rng.choice(n, (2, 3 * n), p=chance / chance.sum())
        code = np.unique(np.minimum(a, b)[a != b] * n + np.maximum(a, b)[a != b])
        i, j = code // n, code % n
    skill = rng.standard_normal(n)
    p = rng.binomial(20, expit(skill[i] - skill[j])) / 20
    return Payoff(np.arange(n).astype(str), i, j, np.clip(p, 0.02, 0.98), np.full(len(i), 20))


@pytest.mark.parametrize("shape", ["hubs", "wheel", "few pairs", "heavy tail"])
@pytest.mark.parametrize(("n", "regularisation"), [(300, 0.0), (1500, 1.0)])
def test_sparse_payoffs_of_every_shape_are_fitted(shape, n, regularisation):
    """Whatever its start, a fit is better than a coin, nobody's probability runs away, and more pairs fit better."""
    payoff = sparse_payoff(shape, n)
    losses = [np.log(2)]
    for k in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Without a penalty some of them have a long way to go.
            warnings.simplefilter("ignore", NotConvergedWarning)
            model = (
                DiscRegularised(n_components=k, grid=(regularisation,)) if regularisation else Disc(n_components=k)
            ).fit(payoff)
        found = model.predict(payoff.i, payoff.j)
        assert np.isfinite(model.u_).all() and np.isfinite(model.v_).all()
        assert model.loss_ <= losses[-1] * (1 + 1e-9)
        assert np.abs(found - payoff.p).max() < 0.9
        losses.append(model.loss_)
    elo = Elo().fit(payoff)
    assert losses[1] <= elo.loss_ * (1 + 1e-6) or regularisation == 0
