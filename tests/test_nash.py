"""Equilibria, essential strategies and Nash clusters, against brute force."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from transitivity.errors import InputError
from transitivity.measures import nash
from transitivity.measures.nash import beaten_share, nash_clusters, nash_equilibrium
from transitivity.payoff.core import Payoff

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0.0]])


def skew(n: int, seed: int, integers: bool = False) -> np.ndarray:
    """A random game; with small integers, full of ties and of equilibria that are not unique."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-1, 2, (n, n)).astype(float) if integers else rng.normal(size=(n, n))
    A = np.triu(A, 1)
    return A - A.T


def essential_by_programs(A: np.ndarray) -> np.ndarray:
    """The strategies that some equilibrium uses: one linear program a strategy, on the whole game."""
    n = len(A)
    largest = [-linprog(-np.eye(n)[i], -A.T, np.zeros(n), np.ones((1, n)), [1.0], bounds=(0, 1)).fun for i in range(n)]
    return np.array(largest) > 1e-7


def clusters_by_programs(A: np.ndarray) -> np.ndarray:
    clusters, rest, cluster = np.zeros(len(A), dtype=int), np.arange(len(A)), 0
    while len(rest):
        cluster += 1
        essential = essential_by_programs(A[np.ix_(rest, rest)])
        clusters[rest[essential]] = cluster
        rest = rest[~essential]
    return clusters


def blotto(soldiers: int, fields: int) -> np.ndarray:
    splits = [s for s in itertools.product(range(soldiers + 1), repeat=fields) if sum(s) == soldiers]
    splits = np.array(splits)
    return np.sign(splits[:, None] - splits).mean(2)


def test_rock_paper_scissors_is_one_cluster():
    np.testing.assert_array_equal(nash_clusters(RPS), [1, 1, 1])
    np.testing.assert_allclose(nash_equilibrium(RPS), 1 / 3, atol=1e-9)


def test_unequal_rock_paper_scissors():
    # Rock wins 3 against scissors: the equilibrium weighs each by the stake of the other two.
    A = np.array([[0, -1, 3], [1, 0, -2], [-3, 2, 0.0]])
    np.testing.assert_allclose(nash_equilibrium(A), np.array([2, 3, 1]) / 6, atol=1e-9)


def test_triangular_game_is_n_clusters():
    order = np.random.default_rng(0).permutation(50)
    np.testing.assert_array_equal(nash_clusters(np.sign(order[:, None] - order)), 50 - order)


def test_transitive_payoffs_are_ranked():
    ratings = np.random.default_rng(1).normal(size=40)
    payoff = Payoff.from_dense(1 / (1 + np.exp(ratings - ratings[:, None])))
    np.testing.assert_array_equal(nash_clusters(payoff), 1 + np.argsort(np.argsort(-ratings)))
    assert nash_equilibrium(payoff)[ratings.argmax()] == 1


def test_ties():
    np.testing.assert_array_equal(nash_clusters(np.zeros((4, 4))), np.ones(4))
    # Two champions who tie, then one who loses to both.
    A = np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0.0]])
    np.testing.assert_array_equal(nash_clusters(A), [1, 1, 2])
    # 0 ties with 1, who loses to 2, who loses to 0: only 0 is safe, and 2 mixes with no one.
    A = np.array([[0, 0, 1], [0, 0, -1], [-1, 1, 0.0]])
    np.testing.assert_array_equal(nash_clusters(A), clusters_by_programs(A))


def test_rounding_noise_is_no_win():
    noise = skew(3, 3) * 1e-13
    np.testing.assert_array_equal(nash_clusters(blotto(3, 3)), nash_clusters(blotto(3, 3) + skew(10, 1) * 1e-13))
    A = np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0.0]]) + noise
    np.testing.assert_array_equal(nash_clusters(A), [1, 1, 2])


def test_copies_of_a_strategy_stay_together():
    A = skew(9, 4)
    copies = np.concatenate([np.arange(9), [0, 3, 3]])
    np.testing.assert_array_equal(nash_clusters(A[np.ix_(copies, copies)]), nash_clusters(A)[copies])


def test_players_who_beat_no_one_do_not_matter():
    A = skew(6, 5)
    bigger = np.full((7, 7), 1.0)
    bigger[6] = -1
    bigger[:6, :6], bigger[6, 6] = A, 0
    clusters = nash_clusters(A)
    np.testing.assert_array_equal(nash_clusters(bigger), np.append(clusters, clusters.max() + 1))


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_equilibrium_by_trying_all_supports(n, seed):
    """A random game has one equilibrium: the support on which the payoffs balance and no one gains."""
    A = skew(n, seed)
    found = []
    for size in range(1, n + 1, 2):
        for support in map(list, itertools.combinations(range(n), size)):
            system = np.vstack([A[np.ix_(support, support)].T, np.ones(size)])
            part, *_ = np.linalg.lstsq(system, np.append(np.zeros(size), 1), rcond=None)
            x = np.zeros(n)
            x[support] = part
            balanced = np.abs(system @ part - np.append(np.zeros(size), 1)).max() < 1e-9
            if balanced and (part > 1e-9).all() and (x @ A > -1e-9).all():
                found.append(x)
    assert len(found) == 1
    np.testing.assert_allclose(nash_equilibrium(A), found[0], atol=1e-7)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_clusters_are_the_strategies_of_all_equilibria(n, seed, integers):
    A = skew(n, seed, integers)
    np.testing.assert_array_equal(nash_clusters(A), clusters_by_programs(A))


@given(st.integers(2, 40), st.integers(0, 2**32 - 1), st.booleans())
def test_equilibrium_is_strictly_complementary(n, seed, integers):
    A = skew(n, seed, integers)
    x = nash_equilibrium(A)
    gain = x @ A
    assert x.sum() == pytest.approx(1) and (x >= 0).all() and gain.min() > -1e-8
    assert ((x > 0) != (gain > nash.PRODUCT**0.5)).all()
    np.testing.assert_array_equal(x > 0, nash_clusters(A) == 1)


@given(st.integers(2, 30), st.integers(0, 2**32 - 1), st.booleans(), st.floats(0, 3))
def test_order_and_scale_do_not_matter(n, seed, integers, skill):
    rng = np.random.default_rng(seed)
    strength = np.round(skill * rng.normal(size=n))
    A = skew(n, seed, integers) + strength[:, None] - strength
    order = rng.permutation(n)
    clusters = nash_clusters(A)
    np.testing.assert_array_equal(nash_clusters(7.5 * A[np.ix_(order, order)]), clusters[order])
    assert set(clusters) == set(range(1, clusters.max() + 1))


@pytest.mark.parametrize(("soldiers", "fields"), [(4, 3), (5, 3), (5, 4)])
def test_blotto_full_of_ties(soldiers, fields):
    A = blotto(soldiers, fields)
    clusters = nash_clusters(A)
    np.testing.assert_array_equal(clusters, clusters_by_programs(A))
    # Fields are alike: permuted plans are equally strong.
    splits = [s for s in itertools.product(range(soldiers + 1), repeat=fields) if sum(s) == soldiers]
    for plan in set(map(tuple, map(sorted, splits))):
        assert len({clusters[i] for i, s in enumerate(splits) if tuple(sorted(s)) == plan}) == 1


@pytest.mark.parametrize("name", ["Kuhn-poker", "10,3-Blotto"])
def test_real_payoffs_in_any_order(shared_data, name):
    with open(shared_data / "payoffs" / f"{name}.pkl", "rb") as file:
        A = np.asarray(pickle.load(file, encoding="latin1"), dtype=float)
    order = np.random.default_rng(0).permutation(len(A))
    clusters = nash_clusters(A)
    np.testing.assert_array_equal(nash_clusters(A[np.ix_(order, order)]), clusters[order])
    np.testing.assert_array_equal(clusters == 1, essential_by_programs(A))


def test_beaten_share():
    np.testing.assert_allclose(beaten_share(np.array([1, 2, 2, 3])), [1, 1 / 2, 0])
    np.testing.assert_allclose(beaten_share(np.array([1, 1, 1])), [0])


def test_beaten_share_is_what_the_equilibria_win():
    A = skew(40, 6)
    clusters = nash_clusters(A)
    mixtures = np.zeros((clusters.max(), 40))
    for cluster in range(1, clusters.max() + 1):
        rest = np.flatnonzero(clusters >= cluster)
        mixtures[cluster - 1, rest] = nash_equilibrium(A[np.ix_(rest, rest)])
    gains = mixtures @ A
    for cluster, gain in enumerate(gains, 1):
        assert (gain[clusters > cluster] > 0).all()
    # Between clusters, the stronger equilibrium wins.
    assert (np.triu(gains @ mixtures.T, 1)[np.triu_indices(len(gains), 1)] > 0).all()


@pytest.mark.parametrize("function", [nash_clusters, nash_equilibrium])
def test_bad_games(function):
    with pytest.raises(InputError, match="need every pair"):
        function(Payoff(np.array(["a", "b", "c"]), [0], [1], [0.6]))
    with pytest.raises(InputError, match="square"):
        function(np.zeros((2, 3)))
    with pytest.raises(InputError, match="not finite"):
        function(np.array([[0, np.nan], [np.nan, 0]]))
    with pytest.raises(InputError, match="not skew-symmetric"):
        function(np.array([[0, 1.0], [1.0, 0]]))


def saturated_disc_game(n: int, steepness: float, seed: int = 1) -> np.ndarray:
    """Points in a disc under a sigmoid: smooth, so that many strategies are nearly equal."""
    rng = np.random.default_rng(seed)
    radius, angle = np.sqrt(rng.uniform(size=n)), rng.uniform(0, 2 * np.pi, n)
    u, v = radius * np.cos(angle), radius * np.sin(angle)
    return np.tanh(steepness * (np.outer(u, v) - np.outer(v, u)))


@pytest.mark.parametrize("steepness", [1, 3, 10, 100])
def test_saturated_disc_game_in_any_order(steepness):
    # At 3 some probabilities and gains are so small that linear programs do not tell them from 0.
    A = saturated_disc_game(200, steepness)
    clusters = nash_clusters(A)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(200)
        np.testing.assert_array_equal(nash_clusters(A[np.ix_(order, order)]), clusters[order])
    x = nash_equilibrium(A)
    assert (x @ A).min() > -1e-6
    np.testing.assert_array_equal(x > 0, clusters == 1)


def test_smooth_game_is_one_cluster():
    # At a low steepness its rank is nearly 2: whoever surrounds the centre makes all others tie.
    assert nash_clusters(saturated_disc_game(200, 0.01)).max() == 1


@pytest.mark.parametrize("steepness", [30, 100, 300])
def test_steep_disc_game_by_programs(steepness):
    A = saturated_disc_game(45, steepness)
    np.testing.assert_array_equal(nash_clusters(A), clusters_by_programs(A))


@pytest.mark.parametrize("A", [saturated_disc_game(100, 3), blotto(5, 4), skew(80, 7), skew(80, 8, integers=True), RPS])
def test_central_path(A):
    """It solves the equations that define it, which have one solution."""
    A = A / np.abs(A).max()
    x, s = nash._central_path(A)
    np.testing.assert_allclose(x * s, nash.PRODUCT, rtol=1e-3)
    assert (x > 0).all() and x.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(x @ A + len(A) * nash.PRODUCT, s, atol=1e-10)


def test_who_enters_the_restricted_game_does_not_matter(monkeypatch):
    A = saturated_disc_game(150, 30)
    clusters = nash_clusters(A)
    monkeypatch.setattr(nash, "START_SIZE", 150)
    np.testing.assert_array_equal(nash_clusters(A), clusters)
