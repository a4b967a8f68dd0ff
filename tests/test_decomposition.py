"""Theorem 1, Propositions 1 and 2, Theorem 2, and the gauges of a disc game."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from transitivity.disc.component import (
    balance,
    convex_hull,
    disc_component,
    reparametrise,
    skill_and_consistency,
    verdict,
)
from transitivity.disc.decomposition import normal_decomposition
from transitivity.errors import InputError
from transitivity.measures import evidence
from transitivity.payoff.core import Payoff

seeds = st.integers(0, 2**32 - 1)


def skew(n: int, rng: np.random.Generator) -> np.ndarray:
    A = rng.normal(size=(n, n))
    return A - A.T


def area(u, v):
    return np.outer(u, v) - np.outer(v, u)


def random_map(rng: np.random.Generator) -> np.ndarray:
    """A random matrix of determinant 1, of moderate condition."""
    while True:
        M = rng.normal(size=(2, 2))
        if np.linalg.cond(M) < 20:
            M /= math.sqrt(abs(np.linalg.det(M)))
            return M if np.linalg.det(M) > 0 else M[:, ::-1]


def moved(u, v, M):
    return M[0, 0] * u + M[0, 1] * v, M[1, 0] * u + M[1, 1] * v


def polar(*degrees):
    angles = np.radians(degrees)
    return np.cos(angles), np.sin(angles)


# ------------------------------------------------------------------ Theorem 1


@pytest.mark.parametrize("n", [2, 3, 4, 7, 30, 31])
def test_normal_decomposition_rebuilds_the_matrix(n):
    A = skew(n, np.random.default_rng(n))
    found = normal_decomposition(A)
    assert found.values.shape == (n // 2,) and found.u.shape == found.v.shape == (n, n // 2)
    np.testing.assert_allclose(found.matrix(), A, atol=1e-12 * n)
    family = np.hstack([found.u, found.v])
    np.testing.assert_allclose(family.T @ family, np.diag(np.tile(found.values, 2)), atol=1e-12 * n)
    assert (np.diff(found.values) <= 0).all()
    singular = np.linalg.svd(A, compute_uv=False)
    np.testing.assert_allclose(np.repeat(found.values, 2), singular[: 2 * (n // 2)], atol=1e-12 * n)


def test_some_components_are_the_first_of_all():
    A = skew(40, np.random.default_rng(1))
    full, part = normal_decomposition(A), normal_decomposition(A, 3)
    np.testing.assert_allclose(part.values, full.values[:3])
    np.testing.assert_allclose(part.u, full.u[:, :3], atol=1e-10)
    np.testing.assert_allclose(part.v, full.v[:, :3], atol=1e-10)


def test_equal_values_still_give_an_orthogonal_family():
    # A cycle of 3 next to another: λ = √3 twice, and two zero values of the matrix.
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]])
    A = np.kron(np.eye(2), cycle)
    found = normal_decomposition(A)
    np.testing.assert_allclose(found.values, [math.sqrt(3), math.sqrt(3), 0], atol=1e-12)
    np.testing.assert_allclose(found.matrix(), A, atol=1e-12)
    family = np.hstack([found.u, found.v])
    np.testing.assert_allclose(family.T @ family, np.diag(np.tile(found.values, 2)), atol=1e-12)


def test_normal_decomposition_of_an_elo_game_is_in_the_fixed_gauge():
    ratings = np.array([0.3, 2.0, -1.0, 0.5])
    found = normal_decomposition(ratings[:, None] - ratings)
    u, v = found.u[:, 0], found.v[:, 0]
    assert np.ptp(v) < 1e-12 and v[0] > 0
    np.testing.assert_allclose(u * v[0], ratings - ratings.mean(), atol=1e-12)
    assert found.values[1] == 0 and not found.u[:, 1].any()


def test_normal_decomposition_does_not_depend_on_the_order_of_players():
    rng = np.random.default_rng(5)
    A, order = skew(9, rng), rng.permutation(9)
    found, permuted = normal_decomposition(A), normal_decomposition(A[np.ix_(order, order)])
    np.testing.assert_allclose(permuted.u, found.u[order], atol=1e-10)
    np.testing.assert_allclose(permuted.v, found.v[order], atol=1e-10)


def test_zero_matrix():
    found = normal_decomposition(np.zeros((5, 5)))
    assert not found.values.any() and not found.u.any() and not found.v.any()


@pytest.mark.parametrize(
    ("A", "n_components", "words"),
    [
        (np.ones((3, 3)), None, "do not cancel"),
        (np.array([[0, 1.0], [1, 0]]), None, "do not cancel"),
        (np.array([[0, np.nan], [np.nan, 0]]), None, "A\\[0, 1\\] is nan"),
        (np.array([[0, np.inf], [-np.inf, 0]]), None, "A\\[0, 1\\] is inf"),
        (np.zeros((2, 3)), None, "square"),
        (np.zeros((5, 5)), 3, "1 to 2 pairs"),
        (np.zeros((5, 5)), 0, "1 to 2 pairs"),
    ],
)
def test_normal_decomposition_refuses(A, n_components, words):
    with pytest.raises(InputError, match=words):
        normal_decomposition(A, n_components)


@given(seeds, st.integers(4, 12), st.booleans())
def test_theorem_2_at_most_one_pair_is_transitive(seed, n, strongly_transitive):
    rng = np.random.default_rng(seed)
    A = skew(n, rng)
    if strongly_transitive:
        strength = 5 * rng.normal(size=n)
        A += strength[:, None] - strength
    found = normal_decomposition(A)
    pairs = [disc_component(u, v) for u, v in zip(found.u.T, found.v.T, strict=True)]
    assert sum(pair.transitive for pair in pairs) <= 1


# ------------------------------------------------------------------ Proposition 1


def test_known_games():
    ratings = np.array([3.0, 1.0, -2.0, 0.5])
    elo = disc_component(ratings, np.ones(4))
    assert elo.transitive and not elo.fully_cyclic and 0 < elo.margin_degrees < 180
    turn = np.arange(7) * 360 / 7
    cyclic = disc_component(*polar(*turn))
    assert cyclic.fully_cyclic and not cyclic.transitive
    assert cyclic.margin_degrees == pytest.approx(360 / 7 - 180)


def test_gap_of_exactly_pi_is_the_border():
    # Player 1 loses to 0 and beats 2, who ties with 0.
    border = disc_component(*polar(0, 90, 180))
    assert border.on_border and not border.transitive and not border.fully_cyclic
    assert abs(border.margin) < 1e-12


def test_verdicts_by_proposition_1():
    rps = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    pair = normal_decomposition(rps, 1)
    assert verdict(disc_component(pair.u[:, 0], pair.v[:, 0])) == "cyclic"
    assert verdict(disc_component(np.array([3.0, 1.0, -2.0]), np.ones(3))) == "transitive"
    assert verdict(disc_component(*polar(0, 90, 180))) == "undecided"
    assert verdict(disc_component(np.zeros(3), np.zeros(3))) == "undecided"


@pytest.mark.parametrize(
    ("cycles", "penalty_decides", "word"),
    [
        (None, False, "transitive"),
        (3, False, "transitive"),
        (3, True, "undecided"),
        (None, True, "undecided"),
        (0, False, "transitive by the graph"),
        # Without cycles nothing can be hidden, and the largest penalty is taken: the graph is the reason.
        (0, True, "transitive by the graph"),
    ],
)
def test_only_a_transitive_verdict_asks_for_its_reason(cycles, penalty_decides, word):
    reasons = {"cycles": cycles, "penalty_decides": penalty_decides}
    assert verdict(disc_component(np.array([3.0, 1.0, -2.0]), np.ones(3)), **reasons) == word
    assert verdict(disc_component(*polar(0, 120, 240)), **reasons) == "cyclic"
    assert verdict(disc_component(*polar(0, 90, 180)), **reasons) == "undecided"


def test_players_at_the_origin_are_ignored():
    u, v = polar(30, 60, 100)
    with_origin = disc_component(np.append(u, 0), np.append(v, 0))
    assert with_origin.transitive and with_origin.n_at_origin == 1
    assert with_origin.margin == pytest.approx(disc_component(u, v).margin)
    nobody = disc_component(np.zeros(3), np.zeros(3))
    assert not (nobody.transitive or nobody.fully_cyclic or nobody.on_border)
    assert math.isnan(nobody.margin) and nobody.n_at_origin == 3


def test_players_on_a_line():
    # All tie. On one side of 0 nothing contradicts transitivity; on both sides 0 is in the hull, a segment.
    same = disc_component(np.array([1.0, 2.0, 0.5]), 2 * np.array([1.0, 2.0, 0.5]))
    assert same.transitive and same.largest_gap == pytest.approx(2 * math.pi)
    both = disc_component(np.array([1.0, -2.0, 0.5]), 2 * np.array([1.0, -2.0, 0.5]))
    assert both.on_border


@given(seeds, st.integers(3, 9), st.floats(90, 360))
def test_proposition_1_against_definition_2_2(seed, n, arc):
    """Transitive by the angles iff no triple contradicts it; cyclic iff strongly connected (Camion)."""
    rng = np.random.default_rng(seed)
    u, v = polar(*rng.uniform(0, arc, n))
    u, v = moved(u, v, random_map(rng))
    beats = area(u, v)
    assume(np.abs(beats[~np.eye(n, dtype=bool)]).min() > 1e-6)
    beats = beats > 0
    found = disc_component(u, v)
    transitive = all(beats[i, k] for i, j, k in itertools.permutations(range(n), 3) if beats[i, j] and beats[j, k])
    assert found.transitive == transitive
    # Camion 1959: a tournament has a Hamiltonian cycle iff it is strongly connected.
    assert found.fully_cyclic == (connected_components(beats, connection="strong")[0] == 1)
    assert found.transitive != found.fully_cyclic


@pytest.mark.parametrize("arc", [150, 360])
def test_fully_cyclic_is_a_cycle_through_all_players(arc):
    rng = np.random.default_rng(arc)
    for _ in range(30):
        u, v = polar(*rng.uniform(0, arc, 6))
        beats = area(u, v) > 0
        cycle = any(
            all(beats[a, b] for a, b in itertools.pairwise((0, *rest, 0)))
            for rest in itertools.permutations(range(1, 6))
        )
        assert disc_component(u, v).fully_cyclic == cycle


# ------------------------------------------------------------------ gauges, Proposition 2, Eq. 7


@given(seeds, st.integers(3, 12), st.floats(20, 360))
def test_results_do_not_depend_on_the_gauge(seed, n, arc):
    rng = np.random.default_rng(seed)
    u, v = polar(*rng.uniform(0, arc, n))
    u, v = moved(u * rng.uniform(0.5, 2, n), v, np.eye(2))
    assume(np.linalg.cond(np.column_stack([u, v])) < 1e3)
    other = moved(u, v, random_map(rng))
    here, there = disc_component(u, v), disc_component(*other)
    assume(abs(here.margin) > 1e-6)
    assert here.transitive == there.transitive and here.margin == pytest.approx(there.margin, abs=1e-7)
    for function in (balance, reparametrise):
        np.testing.assert_allclose(function(*other), function(u, v), atol=1e-6)


@given(seeds, st.integers(2, 12), st.floats(20, 360))
def test_proposition_2(seed, n, arc):
    rng = np.random.default_rng(seed)
    u, v = polar(*rng.uniform(0, arc, n))
    u, v = u * rng.uniform(0.1, 3, n), v * rng.uniform(0.1, 3, n)
    assume(np.linalg.cond(np.column_stack([u, v])) < 1e4)
    component = disc_component(u, v)
    assume(abs(component.margin) > 1e-6)
    new_u, new_v = reparametrise(u, v)
    np.testing.assert_allclose(area(new_u, new_v), area(u, v), atol=1e-8)
    assert (new_v > 0).all() == component.transitive
    assert abs(new_u @ new_v) < 1e-8 * max(1, np.linalg.norm(new_u) * np.linalg.norm(new_v))
    balanced_u, balanced_v = balance(u, v)
    np.testing.assert_allclose(area(balanced_u, balanced_v), area(u, v), atol=1e-8)
    assert balanced_u @ balanced_u == pytest.approx(balanced_v @ balanced_v)
    assert abs(balanced_u @ balanced_v) < 1e-8
    if component.transitive:
        skill, consistency = skill_and_consistency(u, v)
        logits = np.outer(consistency, consistency) * (skill[:, None] - skill)
        np.testing.assert_allclose(logits, area(u, v), atol=1e-7)
    else:
        np.testing.assert_allclose((new_u, new_v), (balanced_u, balanced_v))


def test_an_elo_game_comes_back_from_any_gauge():
    rng = np.random.default_rng(2)
    ratings = rng.normal(size=50) * 3
    for _ in range(5):
        u, v = moved(ratings, np.ones(50), random_map(rng))
        new_u, new_v = reparametrise(u, v)
        np.testing.assert_allclose(new_v, 1, atol=1e-10)
        np.testing.assert_allclose(new_u, ratings - ratings.mean(), atol=1e-10)
        skill, consistency = skill_and_consistency(u, v)
        np.testing.assert_allclose(skill, new_u, atol=1e-10)
        np.testing.assert_allclose(consistency, 1, atol=1e-10)


def test_the_middle_of_the_arc_serves_where_the_projection_does_not():
    # Many players at one end of a wide arc: their mean is more than 90 degrees from the other end.
    u, v = polar(*np.full(30, 1.0), *np.full(30, 3.0), 150, 172)
    centre = balance(u, v)[1]
    assert disc_component(u, v).transitive and centre.min() < 0
    new_u, new_v = reparametrise(u, v)
    assert new_v.min() > 0
    np.testing.assert_allclose(area(new_u, new_v), area(u, v), atol=1e-10)
    assert abs(new_u @ new_v) < 1e-10


def test_reflected_games_stay_distinct():
    u, v = polar(10, 50, 130)
    np.testing.assert_allclose(area(*reparametrise(v, u)), -area(*reparametrise(u, v)), atol=1e-12)


def test_origin_in_a_transitive_game():
    u, v = polar(30, 60, 100)
    skill, consistency = skill_and_consistency(np.append(u, 0), np.append(v, 0))
    assert np.isnan(skill[3]) and consistency[3] == 0
    assert (np.argsort(-skill[:3]) == [0, 1, 2]).all() and (consistency[:3] > 0).all()


def test_no_skill_in_a_cycle():
    with pytest.raises(InputError, match="not transitive"):
        skill_and_consistency(*polar(0, 120, 240))


@pytest.mark.parametrize("function", [balance, disc_component, reparametrise, convex_hull])
def test_points_are_checked(function):
    with pytest.raises(InputError, match="shapes"):
        function(np.ones(3), np.ones(4))
    with pytest.raises(InputError, match="not finite"):
        function(np.array([1, np.nan]), np.ones(2))


# ------------------------------------------------------------------ hull


def test_convex_hull_is_anticlockwise():
    u, v = np.array([0, 2, 2, 0, 1.0]), np.array([0, 0, 1, 1, 0.5])
    for signs in ((1, 1), (-1, 1), (1, -1)):
        x, y = signs[0] * u, signs[1] * v
        corners = convex_hull(x, y)
        assert set(corners) == {0, 1, 2, 3}
        a, b = x[corners], y[corners]
        assert a @ np.roll(b, -1) - b @ np.roll(a, -1) == pytest.approx(4)


def test_convex_hull_of_flat_sets():
    line = np.array([0.3, -1.0, 5.0, 0.0])
    assert set(convex_hull(line, 2 * line + 1)) == {1, 2}
    assert set(convex_hull(line, np.ones(4))) == {1, 2}
    assert list(convex_hull(np.ones(3), np.ones(3))) == [0]
    assert set(convex_hull(np.array([0.0, 1.0]), np.array([0.0, 1.0]))) == {0, 1}
    assert list(convex_hull(np.array([2.0]), np.array([1.0]))) == [0]


def test_zero_outside_the_hull_is_a_positive_margin():
    rng = np.random.default_rng(8)
    for _ in range(50):
        u, v = rng.normal(size=(2, 5)) + 0.8
        corners = convex_hull(u, v)
        a, b = u[corners], v[corners]
        # 0 is inside iff it lies to the left of every edge of the anticlockwise hull.
        inside = (a * np.roll(b, -1) - b * np.roll(a, -1) > 0).all()
        assert disc_component(u, v).transitive != inside


# ---------------------------------------------------------------------- the script


@pytest.fixture
def decomposed(run_script, tmp_path, monkeypatch):
    """Return the verdicts of scripts/measure.py on a payoff."""
    # Of the power only its size matters here, and not how many games would decide.
    monkeypatch.setattr(evidence, "N_PLANTED", 20)
    monkeypatch.setattr(evidence, "MULTIPLES", ())

    def verdicts(payoff):
        payoff.save(tmp_path / "payoff.npz")
        outputs = {name: f"{name}.csv" for name in ("points", "clusters", "measures")} | {"hull": "hull.json"}
        options = [word for name, file in outputs.items() for word in (f"--{name}", tmp_path / file)]
        options += ["--dataset", "round_robin", "--payoff", tmp_path / "payoff.npz", "--resamples", "19"]
        assert run_script("measure", *options) is None
        hull = json.loads((tmp_path / "hull.json").read_text())
        return {space: hull[space]["verdict"] for space in hull}

    return verdicts


def test_luck_makes_no_complete_league_cyclic(decomposed):
    """Coins tossed by 12 players, 8 for each pair: as payoffs without games they are what they are, cyclic."""
    i, j = np.triu_indices(12, 1)
    games = np.full(len(i), 8.0)
    players = np.array([f"p{k:02}" for k in range(12)])
    wins = np.random.default_rng(0).binomial(8, 0.5, len(i))
    of_games = decomposed(Payoff(players, i, j, wins / 8, games))
    assert of_games == {"logit": "undecided", "probability": ""}
    assert set(decomposed(Payoff(players, i, j, wins / 8)).values()) == {"cyclic"}


def test_a_complete_league_with_a_cycle_is_cyclic(decomposed):
    angle = np.arange(12) * 2 * np.pi / 12
    i, j = np.triu_indices(12, 1)
    chances = 1 / (1 + np.exp(-2 * np.sin(angle[i] - angle[j])))
    p = np.random.default_rng(0).binomial(100, chances) / 100
    players = np.array([f"p{k:02}" for k in range(12)])
    found = decomposed(Payoff(players, i, j, p, np.full(len(i), 100.0)))
    assert found == {"logit": "cyclic", "probability": ""}
