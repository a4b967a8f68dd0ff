"""Verdicts with error rates: false "cyclic" is rare, planted cycles are seen, and little data decide nothing."""

from __future__ import annotations

import itertools
import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from transitivity import Payoff
from transitivity.errors import InputError
from transitivity.measures import evidence
from transitivity.measures.evidence import BY_GRAPH, CYCLIC, TRANSITIVE, UNDECIDED, Evidence, transitivity_evidence

#: The leagues of docs/verdicts.md.
SIMULATED = runpy.run_path(str(Path(__file__).resolve().parents[1] / "benchmarks" / "verdicts.py"))
#: Enough for the level 0.05, and quick.
B = 39


def league(shape: str, truth: str, seed: int) -> Payoff:
    return SIMULATED["league"](shape, truth, np.random.default_rng(seed))


def judged(shape: str, truth: str, seed: int, n_resamples: int = B) -> Evidence:
    return transitivity_evidence(league(shape, truth, seed), n_resamples, np.random.default_rng(seed))


@pytest.fixture
def no_forecast(monkeypatch) -> None:
    """Without the numbers of games that would decide, for which many more leagues are drawn."""
    monkeypatch.setattr(evidence, "MULTIPLES", ())


@pytest.fixture
def only_p(monkeypatch, no_forecast) -> None:
    """Without the power either: whether a league is called cyclic depends on neither."""
    monkeypatch.setattr(evidence, "N_PLANTED", 1)


TRANSITIVE_TRUTHS = ("Elo", "disc, v > 0", "better wins 75 %", "bounded", "steep top", "convex")
QUICK = {("round robin", "disc, v > 0"), ("round robin", "better wins 75 %")}


@pytest.mark.usefixtures("only_p")
@pytest.mark.parametrize(
    ("shape", "truth"),
    [
        pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow)
        for case in itertools.product(SIMULATED["SHAPES"], TRANSITIVE_TRUTHS)
    ],
)
def test_transitive_leagues_are_rarely_called_cyclic(shape, truth):
    """At the level 0.05 more than two of four would come by chance once in 2,000 times, three of eight in 2,700."""
    seeds, most = (4, 2) if shape == "round robin" else (8, 3)
    assert [judged(shape, truth, seed, 19).verdict for seed in range(seeds)].count(CYCLIC) <= most


@pytest.mark.usefixtures("only_p")
def test_strict_orders_of_few_players_are_rarely_called_cyclic():
    """Ten players, 1,000 games of one pair and 30 of the others; the better one of any pair wins 75 %."""
    i, j = np.triu_indices(10, 1)
    games = np.where((i == 2) & (j == 3), 1000, 30)
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        payoff = Payoff(np.arange(10).astype(str), i, j, rng.binomial(games, 0.75) / games, games)
        found.append(transitivity_evidence(payoff, 19, rng).verdict)
    assert found.count(CYCLIC) <= 1


def strict(n: int, games: int, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs of a round robin, and the scores of the better players, who win a share of the games."""
    i, j = np.triu_indices(n, 1)
    return i, j, rng.binomial(games, share, len(i)) / games


@pytest.mark.usefixtures("only_p")
def test_orders_that_are_nearly_certain_do_not_contradict_ratings():
    """The better of any two wins 99 %: at the level 0.05 more than two of six would come by chance 2 of 1,000 times."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        i, j, p = strict(20, 20, 0.99, rng)
        found.append(transitivity_evidence(Payoff(np.arange(20).astype(str), i, j, p, np.full(190, 20)), 19, rng))
    assert sum(one.p_value <= 0.05 for one in found) <= 2


@pytest.mark.usefixtures("only_p")
@pytest.mark.parametrize(("games", "factor"), [(100, 1), (20, 2)])
def test_links_by_which_small_differences_hardly_count_are_no_cycle(games, factor):
    """More than two of six would come by chance 2 of 1,000 times; with g = 1 alone about half were called cyclic."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 5])
        i, j = np.triu_indices(20, 1)
        r = rng.standard_normal(20)
        x = factor * (r[i] - r[j]) * np.abs(r[i] - r[j])
        payoff = Payoff(np.arange(20).astype(str), i, j, rng.binomial(games, expit(x)) / games, np.full(190, games))
        found.append(transitivity_evidence(payoff, 19, rng).verdict)
    assert found.count(CYCLIC) <= 2


@pytest.mark.usefixtures("only_p")
def test_players_without_whom_no_majorities_cycle_are_named_alone(monkeypatch):
    """Of the only cycle of majorities, a player is left out: whatever p is then, the league is not called cyclic."""
    monkeypatch.setattr("transitivity.measures.evidence.LAPSES", (0.0,))
    rng = np.random.default_rng(4)
    i, j, p = strict(12, 20, 0.99, rng)
    p[(i == 0) & (j == 2)] = 0.4
    evidence = transitivity_evidence(Payoff([f"p{k:02}" for k in range(12)], i, j, p, np.full(66, 20)), B, rng)
    assert evidence.verdict == CYCLIC
    assert evidence.hinges in (("p00",), ("p01",), ("p02",))


@pytest.mark.usefixtures("no_forecast")
def test_the_power_that_is_stated_is_no_larger_than_what_is_found():
    """On a near-matching 8 of 30 cycles of 0.5 are found; what was said before was 72 %."""
    assert np.mean([judged("near-matching", "Elo + cycles of 0.5", seed, 19).power for seed in range(3)]) < 0.65


@pytest.mark.usefixtures("only_p")
def test_a_league_of_many_players_is_judged_without_a_dense_matrix(monkeypatch):
    """The two ways to solve the normal equations agree."""
    payoff = league("two groups", "Elo + cycles of 1", 1)
    dense = transitivity_evidence(payoff, 39, np.random.default_rng(0))
    monkeypatch.setattr("transitivity.measures.evidence.MOST_DENSE", 0)
    sparse = transitivity_evidence(payoff, 39, np.random.default_rng(0))
    assert sparse.statistic == pytest.approx(dense.statistic, rel=0.1)
    assert abs(sparse.p_value - dense.p_value) <= 0.1


def test_the_statistic_is_the_largest_singular_value():
    """Also of many players of few games, whose singular values lie close together; all draws are done at once."""
    payoff = league("Pareto activity", "Elo", 0)
    test = evidence._null(payoff, np.random.default_rng(0))
    residuals = test._residuals(test.draw(3, np.random.default_rng(1)))
    exact = []
    for residual in residuals:
        matrix = np.zeros((payoff.n_players,) * 2)
        matrix[payoff.i, payoff.j] = residual
        exact.append(np.linalg.norm(matrix - matrix.T, 2))
    assert test._leading(residuals)[0] == pytest.approx(exact, rel=0.02)


@pytest.mark.usefixtures("only_p")
@pytest.mark.parametrize("shape", ["round robin", pytest.param("uneven games", marks=pytest.mark.slow)])
def test_planted_cyclic_leagues_are_called_cyclic(shape):
    assert [judged(shape, "cyclic disc of 1", seed, 19).verdict for seed in range(4)].count(CYCLIC) >= 3


@pytest.mark.parametrize(("games", "verdict"), [(1, UNDECIDED), (10, CYCLIC)])
def test_rock_paper_scissors(games, verdict):
    """Three games in a circle come by luck once in four times; thirty do not, and hang on any one player."""
    evidence = transitivity_evidence(Payoff(list("abc"), [0, 1, 0], [1, 2, 2], [1.0, 1.0, 0.0], [games] * 3), B)
    assert evidence.verdict == verdict
    assert len(evidence.hinges) == (verdict == CYCLIC)


def test_players_who_won_or_lost_everything_are_no_evidence():
    i, j = np.triu_indices(6, 1)
    evidence = transitivity_evidence(Payoff(list("abcdef"), i, j, np.ones(15), np.full(15, 10)), B)
    assert evidence.verdict == UNDECIDED


def test_a_league_is_transitive_only_where_a_planted_cycle_would_be_seen():
    """Many games of an Elo league are called transitive; ten games are not, and the report says what would decide."""
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(20, 1)
    r = rng.normal(0, 1, 20)
    p = expit(r[i] - r[j])
    many = Payoff(np.arange(20).astype(str), i, j, rng.binomial(60, p) / 60, np.full(len(i), 60))
    evidence = transitivity_evidence(many, B, rng)
    assert evidence.verdict == TRANSITIVE
    assert evidence.power >= 0.95
    assert math.isnan(evidence.games_needed)
    few = Payoff(list("abcde"), [0, 0, 1, 2, 3, 0], [1, 2, 2, 3, 4, 4], [1, 0, 1, 1, 0, 1.0], [2, 1, 2, 1, 2, 2])
    evidence = transitivity_evidence(few, B, rng)
    assert evidence.verdict in (UNDECIDED, BY_GRAPH)
    assert evidence.games_needed > few.games.sum()


def test_a_tree_of_pairs_is_transitive_by_the_graph():
    chain = Payoff(list("abcd"), [0, 1, 2], [1, 2, 3], [1.0, 0.5, 0.2], [5, 4, 5])
    evidence = transitivity_evidence(chain, B)
    assert evidence.verdict == BY_GRAPH
    assert math.isnan(evidence.p_value)
    assert math.isinf(evidence.games_needed)


@pytest.mark.usefixtures("only_p")
def test_a_league_that_hangs_on_one_player_names_him():
    """An Elo league with one player who beats the strong half and loses to the weak half."""
    rng = np.random.default_rng(5)
    n = 24
    i, j = np.triu_indices(n, 1)
    r = np.sort(rng.normal(0, 1.5, n))[::-1]
    x = r[i] - r[j]
    odd = (i == 7) | (j == 7)
    other = np.where(i == 7, j, i)
    beats = np.where(other < 12, 2.5, -2.5)
    x = np.where(odd, np.where(i == 7, beats, -beats), x)
    payoff = Payoff([f"p{k:02}" for k in range(n)], i, j, rng.binomial(10, expit(x)) / 10, np.full(len(i), 10))
    evidence = transitivity_evidence(payoff, B, rng)
    assert evidence.verdict == CYCLIC
    assert evidence.hinges[:1] == ("p07",)


@pytest.mark.usefixtures("only_p")
def test_p_is_a_rank_among_the_draws():
    evidence = judged("round robin", "Elo", 3)
    assert (evidence.p_value * (B + 1)) == pytest.approx(round(evidence.p_value * (B + 1)))
    assert judged("round robin", "Elo", 3) == evidence


def test_an_exact_payoff_and_too_few_draws_are_refused():
    with pytest.raises(InputError, match="games"):
        transitivity_evidence(Payoff.from_dense(np.full((4, 4), 0.5)))
    with pytest.raises(InputError, match="whole"):
        transitivity_evidence(Payoff(list("abc"), [0, 1, 0], [1, 2, 2], [0.5, 0.5, 0.5], [1.5, 2, 2]))
    with pytest.raises(InputError, match="n_resamples"):
        transitivity_evidence(league("round robin", "Elo", 0), 5)
