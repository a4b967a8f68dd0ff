"""Models with Gaussian priors, their nesting, and the choice of their precisions on hidden pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from transitivity import Payoff
from transitivity.evaluation.hold_outs import hold_out
from transitivity.fitting import ladder, tuning
from transitivity.fitting.ladder import Path, Shape, gaussian_prior
from transitivity.fitting.losses import CrossEntropy, SquaredLinear
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.folds import folds_that_keep_a_game

LOSS = CrossEntropy()


def league(n: int = 30, cycle: float = 0.0, games_a_pair: int = 4, share: float = 0.5, seed: int = 0) -> Payoff:
    """Results of games between players with ratings and, perhaps, a cyclic part."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    seen = rng.random(len(i)) < share
    i, j = i[seen], j[seen]
    r, (a, b) = rng.normal(0, 1, n), rng.normal(0, 1, (2, n))
    p = expit(r[i] - r[j] + cycle * (a[i] * b[j] - b[i] * a[j]))
    played = rng.integers(1, 2 * games_a_pair, len(i))
    return Payoff([f"p{k:03}" for k in range(n)], i, j, rng.binomial(played, p) / played, played)


def objective_of(payoff: Payoff) -> PairObjective:
    return PairObjective(payoff, LOSS, weights=tuning.weights_by_games(payoff))


def game_log_loss(payoff: Payoff, fit) -> float:
    x = (fit.U[payoff.i] * fit.V[payoff.j] - fit.V[payoff.i] * fit.U[payoff.j]).sum(axis=1)
    return float(payoff.games @ (np.logaddexp(0, x) - payoff.p * x) / payoff.games.sum())


def test_the_prior_is_a_precision_against_the_summed_log_loss():
    """Two players, one pair: the penalised optimum solves g (p - σ(2u)) = τ u, whatever the number of pairs is."""
    payoff = Payoff(["a", "b"], [0], [1], [0.75], [8])
    tau = 2.0
    fit = Path(objective_of(payoff), Shape(0, False), tau, np.random.default_rng(0), tolerance=1e-9).last
    u = fit.U[:, 0]
    assert u[0] == pytest.approx(-u[1], abs=1e-8)
    assert 8 * (0.75 - expit(u[0] - u[1])) == pytest.approx(tau * u[0], abs=1e-6)


def test_an_infinite_precision_on_the_ratings_is_a_coin():
    payoff = league()
    fit = Path(objective_of(payoff), Shape(0, False), 1e9, np.random.default_rng(0)).last
    assert np.abs(fit.U).max() < 1e-6
    assert fit.loss == pytest.approx(math.log(2), abs=1e-6)


@pytest.mark.parametrize("consistency", [False, True])
@pytest.mark.parametrize("cycle", [0.0, 0.7])
def test_no_model_ends_above_one_that_is_nested_in_it(consistency, cycle):
    """Down the path the penalised loss at each precision is at most that of the last fit, and so of Elo."""
    payoff = league(cycle=cycle)
    objective = objective_of(payoff)
    path = Path(objective, Shape(2, consistency), 1.0, np.random.default_rng(1))
    for cycles in (100, 10, 5, 2, 1, 0.3):
        before = path.value(path.last, cycles)
        after = path.value(path.to(cycles), cycles)
        assert after <= before + 1e-9


def test_cyclic_parts_are_zero_exactly_above_the_largest_singular_value_of_the_residual():
    """The prior on a cyclic part is a nuclear norm: above the norm of the residual nothing pays, below it something."""
    payoff = league(cycle=0.7, games_a_pair=6)
    path = Path(objective_of(payoff), Shape(3, False), 1.0, np.random.default_rng(0))
    x = path.last.U[payoff.i, 0] - path.last.U[payoff.j, 0]
    S = np.zeros((payoff.n_players,) * 2)
    S[payoff.i, payoff.j] = payoff.games * (expit(x) - payoff.p)
    largest = np.linalg.norm(S - S.T, 2)
    assert path.largest_useful() == pytest.approx(largest, rel=1e-3)
    assert np.abs(path.to(1.01 * largest).U[:, 1:]).max() < 1e-3
    assert np.abs(path.to(0.8 * largest).U[:, 1:]).max() > 0.01


def test_the_gradient_of_the_prior_is_that_of_its_value():
    objective = objective_of(league())
    penalty = gaussian_prior(objective, 0.7, 3.0)
    rng = np.random.default_rng(2)
    U, V, dU, dV = rng.normal(size=(4, objective.n, 3))
    _, gradient_U, gradient_V = penalty(U, V)
    step = 1e-5
    numeric = (penalty(U + step * dU, V + step * dV)[0] - penalty(U - step * dU, V - step * dV)[0]) / (2 * step)
    assert numeric == pytest.approx(float(np.vdot(gradient_U, dU) + np.vdot(gradient_V, dV)), rel=1e-6)


def test_an_elo_game_plus_cycles_is_found_through_the_path():
    """A complete exact payoff of rank 4 in logits: with priors that vanish the path ends at P itself."""
    rng = np.random.default_rng(3)
    r, a, b = rng.normal(size=(3, 20))
    X = r[:, None] - r + a[:, None] * b - b[:, None] * a
    payoff = Payoff.from_dense(expit(X))
    objective = PairObjective(payoff, LOSS)
    path = Path(objective, Shape(1, False), 1e-6, rng, tolerance=1e-8)
    for cycles in (10, 3, 1, 0.1, 0.01, 1e-4, 1e-6):
        fit = path.to(cycles)
    x = (fit.U[payoff.i] * fit.V[payoff.j] - fit.V[payoff.i] * fit.U[payoff.j]).sum(axis=1)
    assert np.abs(x - logit(payoff.p)).max() < 1e-2


def test_where_there_is_only_luck_the_choice_is_elo(monkeypatch):
    """Leagues without cycles: a tuned family is Elo, or loses at most .002 of log-loss a game to it."""
    monkeypatch.setattr(tuning, "SCORED", 500)
    lost = []
    for seed in range(4):
        payoff = league(n=40, share=0.3, games_a_pair=3, seed=seed)
        train, test = hold_out(payoff, 0.2, [np.random.default_rng(seed)]).split(0)
        choice = tuning.tune(train, LOSS, lambda k: Shape(k, False), rng=np.random.default_rng(seed))
        if math.isinf(choice.cycles):
            lost.append(0.0)
            continue
        losses = []
        # Elo's precision is the best of those that were tried without cycles.
        elo = min((score, ratings) for k, ratings, _, score in choice.scores if k == 0)[1]
        for shape, ratings, visited in (
            (Shape(0, False), elo, ()),
            (Shape(choice.n_components, False), choice.ratings, choice.visited),
        ):
            path = Path(objective_of(train), shape, ratings, np.random.default_rng(0))
            for cycles in visited:
                path.to(cycles)
            losses.append(game_log_loss(test, path.last))
        lost.append(losses[1] - losses[0])
    assert np.mean(lost) <= 0.002


def test_few_players_rarely_keep_cycles_that_luck_made(monkeypatch):
    """At two standard errors more than two of eight Elo leagues would keep some once in 200 times."""
    monkeypatch.setattr(tuning, "SCORED", 90)
    kept = 0
    for seed in range(8):
        payoff = league(n=10, share=1.0, games_a_pair=4, seed=seed)
        choice = tuning.tune(payoff, LOSS, lambda k: Shape(k, False), components=(1,), rng=np.random.default_rng(seed))
        kept += math.isfinite(choice.cycles)
    assert kept <= 2


def test_deals_of_a_pair_are_one_observation():
    """A gain that rests on one pair of three is within error, however often the pairs are hidden."""
    simple, rich = (0, 1.0, math.inf), (1, 1.0, 1.0)
    scores = tuning._Scores(np.tile([0, 1, 2], 50))
    scores.losses = {simple: np.ones(150), rich: np.tile([0.4, 1.0, 1.0], 50)}
    assert not scores.is_better(rich, simple)


def test_a_tuned_disc_keeps_the_cycles_of_a_game_without_ratings(monkeypatch):
    """Players on a circle: the prior on the ratings is as strong as can be, and the path goes on to the cycles."""
    monkeypatch.setattr(tuning, "SCORED", 36)
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(9, 1)
    p = expit(1.5 * np.sin(2 * np.pi / 9 * (i - j)))
    payoff = Payoff([f"p{k}" for k in range(9)], i, j, rng.binomial(20, p) / 20, np.full(len(i), 20))
    choice = tuning.tune(payoff, LOSS, lambda k: Shape(k - 1, True), components=(1, 2), rng=rng)
    assert choice.n_components == 2
    assert math.isfinite(choice.cycles)


def test_a_strong_cycle_is_chosen_and_predicts_better():
    payoff = league(n=30, cycle=1.2, games_a_pair=10, share=0.9, seed=1)
    choice = tuning.tune(payoff, LOSS, lambda k: Shape(k, False), rng=np.random.default_rng(0))
    assert math.isfinite(choice.cycles)
    assert choice.n_components >= 1
    by_key = {(k, ratings, cycles): score for k, ratings, cycles, score in choice.scores}
    elo = min(score for (k, _, _), score in by_key.items() if k == 0)
    assert by_key[choice.n_components, choice.ratings, choice.cycles] < elo


def test_the_grid_of_ratings_is_extended_until_the_best_lies_inside():
    """Near even players need a strong prior, players far apart a weak one; neither is at an end of what was tried."""
    for scale in (0.02, 4.0):
        rng = np.random.default_rng(0)
        i, j = np.triu_indices(40, 1)
        r = rng.normal(0, scale, 40)
        payoff = Payoff(np.arange(40).astype(str), i, j, rng.binomial(5, expit(r[i] - r[j])) / 5, np.full(len(i), 5))
        choice = tuning.tune(payoff, LOSS, None, rng=rng)
        tried = sorted(ratings for _, ratings, _, _ in choice.scores)
        assert tried[0] < choice.ratings < tried[-1]
        assert choice.n_scored >= 2000 or choice.n_scored == 4 * payoff.n_pairs


def test_folds_leave_every_player_a_game_and_do_not_depend_on_the_order_of_players():
    payoff = league(n=25, share=0.12, seed=4)
    fold = folds_that_keep_a_game(payoff, 5, np.random.default_rng(0))
    met = payoff.degrees > 0
    for number in range(5):
        train = payoff.select_pairs(fold != number)
        assert (train.degrees[met] > 0).all()
    order = np.random.default_rng(1).permutation(payoff.n_players)
    permuted = payoff.select_players(order)
    again = folds_that_keep_a_game(permuted, 5, np.random.default_rng(0))

    def by_pair(one: Payoff, folds: np.ndarray) -> dict[frozenset, int]:
        return {
            frozenset((str(one.players[a]), str(one.players[b]))): int(f)
            for a, b, f in zip(one.i, one.j, folds, strict=True)
        }

    assert by_pair(payoff, fold) == by_pair(permuted, again)


def test_nothing_can_be_hidden_in_a_tree():
    """Three players in a chain: every pair is needed, and the choice says that nothing was scored."""
    payoff = Payoff(list("abc"), [0, 1], [1, 2], [1.0, 1.0], [3, 3])
    choice = tuning.tune(payoff, LOSS, lambda k: Shape(k, False), components=(1,), rng=np.random.default_rng(0))
    assert choice.n_scored == 0
    assert math.isinf(choice.cycles)


def test_a_squared_loss_counts_as_the_log_loss_that_it_stands_for():
    payoff = Payoff.from_dense(np.full((12, 12), 0.5))
    assert ladder.total(PairObjective(payoff, SquaredLinear())) == 4 * payoff.n_pairs
    assert ladder.total(PairObjective(payoff, LOSS)) == payoff.n_pairs
