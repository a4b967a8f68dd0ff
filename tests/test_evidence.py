"""Verdicts with error rates: false "cyclic" is rare, planted cycles are seen, and little data decide nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from transitivity import Payoff
from transitivity.errors import InputError
from transitivity.measures.evidence import BY_GRAPH, CYCLIC, TRANSITIVE, UNDECIDED, transitivity_evidence

#: Enough for the level 0.05, and quick.
B = 39


def pairs_of(shape: str, rng: np.random.Generator) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return players, pairs and numbers of games of a league of some shape."""
    if shape == "round robin":
        i, j = np.triu_indices(24, 1)
        return 24, i, j, np.full(len(i), 4)
    if shape == "uneven games":
        i, j = np.triu_indices(40, 1)
        met = rng.random(len(i)) < 0.4
        return 40, i[met], j[met], np.maximum(1, rng.lognormal(1, 1.3, met.sum()).round()).astype(int)
    n, activity = 120, rng.pareto(1.2, 120) + 0.3
    met: set[tuple[int, int]] = set()
    while len(met) < 600:
        a, b = rng.choice(n, 2, replace=False, p=activity / activity.sum())
        met.add((min(a, b), max(a, b)))
    i, j = np.array(sorted(met)).T
    return n, i, j, np.ones(len(i), dtype=int)


def league(shape: str, kind: str, seed: int, size: float = 1.0) -> Payoff:
    rng = np.random.default_rng(seed)
    n, i, j, games = pairs_of(shape, rng)
    r, (a, b) = rng.normal(0, 1, n), rng.normal(0, 1, (2, n))
    v = np.exp(rng.normal(0, 0.4, n))
    x = {
        "additive": r[i] - r[j],
        "not additive": v[i] * v[j] * (r[i] - r[j]),
        "cyclic": size * (a[i] * b[j] - b[i] * a[j]),
    }[kind]
    return Payoff(np.arange(n).astype(str), i, j, rng.binomial(games, expit(x)) / games, games)


@pytest.mark.parametrize("kind", ["additive", "not additive"])
@pytest.mark.parametrize("shape", ["round robin", "uneven games", "pareto activity"])
def test_transitive_leagues_are_rarely_called_cyclic(shape, kind):
    """At the level 0.05 more than three of eight would come by chance once in 2,700 times."""
    verdicts = [
        transitivity_evidence(league(shape, kind, seed), B, np.random.default_rng(seed)).verdict for seed in range(8)
    ]
    assert verdicts.count(CYCLIC) <= 3


@pytest.mark.parametrize("shape", ["round robin", "uneven games"])
def test_planted_cyclic_leagues_are_called_cyclic(shape):
    found = [
        transitivity_evidence(league(shape, "cyclic", seed), B, np.random.default_rng(seed)).verdict
        for seed in range(5)
    ]
    assert found.count(CYCLIC) >= 4


def test_a_league_is_transitive_only_where_a_planted_cycle_would_be_seen():
    """Many games of an Elo league are called transitive; ten games are not, and the report says what would decide."""
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(20, 1)
    r = rng.normal(0, 1, 20)
    p = expit(r[i] - r[j])
    many = Payoff(np.arange(20).astype(str), i, j, rng.binomial(60, p) / 60, np.full(len(i), 60))
    evidence = transitivity_evidence(many, B, rng)
    assert evidence.verdict == TRANSITIVE
    assert evidence.power >= 0.8
    assert evidence.games_needed == many.games.sum()
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


def test_p_is_a_rank_among_the_draws():
    evidence = transitivity_evidence(league("round robin", "additive", 3), B, np.random.default_rng(0))
    assert (evidence.p_value * (B + 1)) == pytest.approx(round(evidence.p_value * (B + 1)))
    again = transitivity_evidence(league("round robin", "additive", 3), B, np.random.default_rng(0))
    assert again == evidence


def test_an_exact_payoff_and_too_few_draws_are_refused():
    with pytest.raises(InputError, match="games"):
        transitivity_evidence(Payoff.from_dense(np.full((4, 4), 0.5)))
    with pytest.raises(InputError, match="n_resamples"):
        transitivity_evidence(league("round robin", "additive", 0), 5)
