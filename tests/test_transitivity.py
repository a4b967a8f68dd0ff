"""Every measure of transitivity against its definition, brute force or a theorem."""

from __future__ import annotations

import itertools
import json
import math
import runpy
import sys
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit
from scipy.stats import kendalltau

from transitivity import games
from transitivity.disc.component import disc_component
from transitivity.disc.decomposition import normal_decomposition
from transitivity.errors import InputError
from transitivity.matchups.tally import COLUMNS as COUNTS
from transitivity.measures.hodge import chance_of_gradient, gradient_share, hodge_potential
from transitivity.measures.measure import _tau, measure
from transitivity.measures.triads import count_triads
from transitivity.models import Disc
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
seeds = st.integers(0, 2**32 - 1)
RPS = np.array([[0.5, 0.2, 0.8], [0.8, 0.5, 0.2], [0.2, 0.8, 0.5]])


def tournament(n: int, code: int) -> np.ndarray:
    """The tournament whose results are the bits of `code`, as P."""
    P = np.full((n, n), 0.5)
    for bit, (i, j) in enumerate(itertools.combinations(range(n), 2)):
        P[i, j] = code >> bit & 1
        P[j, i] = 1 - P[i, j]
    return P


def random_payoff(seed: int, n: int, observed: float = 1.0, levels: int = 0) -> Payoff:
    """Random probabilities; with `levels`, rounded so that some tie; some pairs missing."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    p = rng.uniform(0.01, 0.99, len(i))
    if levels:
        p = np.round(p * levels) / levels
    keep = rng.uniform(size=len(i)) < observed
    keep[0] = True
    return Payoff(np.arange(n).astype(str), i[keep], j[keep], p[keep])


def triads_by_hand(payoff: Payoff) -> tuple[int, int, int]:
    P = payoff.to_dense()
    total = cyclic = intransitive = 0
    for triad in itertools.combinations(range(payoff.n_players), 3):
        if np.isnan(P[np.ix_(triad, triad)]).any():
            continue
        total += 1
        orders = list(itertools.permutations(triad))
        cyclic += any(P[i, j] > 0.5 and P[j, k] > 0.5 and P[k, i] > 0.5 for i, j, k in orders)
        intransitive += any(P[i, j] > 0.5 and P[j, k] > 0.5 and not P[i, k] > 0.5 for i, j, k in orders)
    return total, cyclic, intransitive


def counts(payoff: Payoff) -> tuple[int, int, int]:
    found = count_triads(payoff)
    return found.total, found.cyclic, found.intransitive


# ------------------------------------------------------------------ triads


@pytest.mark.parametrize("n", [3, 4, 5])
def test_triads_of_all_small_tournaments(n):
    for code in range(2 ** math.comb(n, 2)):
        payoff = Payoff.from_dense(tournament(n, code))
        assert counts(payoff) == triads_by_hand(payoff)


@given(seeds, st.integers(3, 12), st.sampled_from([0.3, 0.7, 1.0]), st.sampled_from([0, 2, 4]))
def test_triads_with_ties_and_missing_pairs(seed, n, observed, levels):
    payoff = random_payoff(seed, n, observed, levels)
    assert counts(payoff) == triads_by_hand(payoff)


def test_sparse_and_dense_products_agree(monkeypatch):
    payoff = random_payoff(0, 60, 0.5, 4)
    dense = counts(payoff)
    monkeypatch.setattr("transitivity.measures.triads.DENSE_PLAYERS", 0)
    assert counts(payoff) == dense and dense[1] > 0 and dense[2] > dense[1]


def test_kendall_and_babington_smith_bound():
    # In the regular tournament on n = 2m + 1 players (each beats the next m) triads are as cyclic as can be.
    n = 11
    ahead = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    P = np.where(ahead == 0, 0.5, np.where(ahead <= n // 2, 0.9, 0.1))
    found = measure(Payoff.from_dense(P), nash=False)
    assert found.cyclic_triads == pytest.approx((n + 1) / (4 * (n - 2)))


def test_rounding_noise_is_a_tie():
    P = np.array([[0.5, 0.9, 0.5 + 1e-13], [0.1, 0.5, 0.9], [0.5 - 1e-13, 0.1, 0.5]])
    found = measure(Payoff.from_dense(P))
    assert found.tied_pairs == pytest.approx(1 / 3)
    assert (found.cyclic_triads, found.intransitive_triads) == (0, 1)


# ------------------------------------------------------------------ Hodge


@given(seeds, st.integers(2, 12), st.sampled_from([0.2, 0.6, 1.0]), st.booleans())
def test_hodge_is_the_orthogonal_projection(seed, n, observed, large):
    payoff = random_payoff(seed, n, observed)
    flow = logit(payoff.p)
    differences = np.zeros((payoff.n_pairs, n))
    rows = np.arange(payoff.n_pairs)
    differences[rows, payoff.i], differences[rows, payoff.j] = 1, -1
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr("transitivity.measures.triads.DENSE_PLAYERS", 0)
        potential = hodge_potential(payoff, flow)
        share = gradient_share(payoff, flow)
    expected, *_ = np.linalg.lstsq(differences, flow, rcond=None)
    np.testing.assert_allclose(potential, expected, atol=1e-8)
    gradient = differences @ potential
    rest = flow - gradient
    np.testing.assert_allclose(differences.T @ rest, 0, atol=1e-8)
    assert gradient @ gradient + rest @ rest == pytest.approx(flow @ flow)
    assert share == pytest.approx((gradient @ gradient) / (flow @ flow))


def test_elo_game_is_a_gradient_in_logits_also_with_missing_pairs():
    rng = np.random.default_rng(3)
    ratings = rng.normal(size=30)
    payoff = Payoff.from_dense(expit(ratings[:, None] - ratings))
    found = measure(payoff)
    assert found.logit_gradient_share == pytest.approx(1) and found.probability_gradient_share < 1
    part = payoff.select_pairs(rng.uniform(size=payoff.n_pairs) < 0.3)
    assert gradient_share(part, logit(part.p)) == pytest.approx(1)


def test_graph_without_cycles_is_a_gradient():
    star = Payoff(np.array(list("abcd")), [0, 0, 0], [1, 2, 3], [0.1, 0.7, 0.9])
    found = measure(star)
    assert found.probability_gradient_share == pytest.approx(1)
    assert found.n_triads == 0 and math.isnan(found.cyclic_triads)


# ------------------------------------------------------------------ the first component


def test_elo_game():
    ratings = np.random.default_rng(4).normal(size=20)
    found = measure(Payoff.from_dense(expit(ratings[:, None] - ratings)))
    assert found.logit_component == "exact" and found.logit_transitive and found.probability_transitive
    assert found.logit_margin_degrees > 0
    assert found.logit_share_1 == pytest.approx(1) and found.logit_share_2 == pytest.approx(0, abs=1e-12)
    assert found.logit_rank_agreement == pytest.approx(1)
    assert found.nash_rank_agreement == pytest.approx(1)
    assert (found.cyclic_triads, found.n_nash_clusters, found.largest_nash_cluster) == (0, 20, 1)


def test_players_whom_a_fit_sets_apart_by_its_tolerance_only_tie():
    """In Blotto, strategies that are permutations of each other are equal; a fit tells them apart by about 1e-9."""
    payoff = games.compute("blotto", n_soldiers=5, n_fields=4)
    model = Disc().fit(payoff)
    assert measure(payoff, disc=(model.u_, model.v_)).logit_rank_agreement == pytest.approx(0.9241, abs=5e-5)


def test_rock_paper_scissors():
    found = measure(Payoff.from_dense(RPS))
    assert found.logit_transitive is False and found.probability_transitive is False
    assert found.logit_margin_degrees == pytest.approx(-60)
    assert found.logit_gradient_share == pytest.approx(0, abs=1e-12)
    assert found.logit_share_1 == pytest.approx(1) and found.logit_share_2 == 0
    assert found.cyclic_triads == found.intransitive_triads == 1
    assert (found.n_nash_clusters, found.largest_nash_cluster) == (1, 3)
    assert math.isnan(found.logit_rank_agreement) and math.isnan(found.nash_rank_agreement)


def test_shares_are_those_of_the_full_decomposition():
    payoff = random_payoff(5, 15)
    found = measure(payoff, nash=False)
    P = payoff.to_dense()
    for space, A in (("logit", logit(P)), ("probability", P - 0.5)):
        full = normal_decomposition(A)
        shares = full.values**2 / (full.values**2).sum()
        got = [getattr(found, f"{space}_share_{k}") for k in (1, 2, 3)]
        np.testing.assert_allclose(got, shares[:3])
        component = disc_component(full.u[:, 0], full.v[:, 0])
        assert getattr(found, f"{space}_transitive") == component.transitive
        assert getattr(found, f"{space}_margin_degrees") == pytest.approx(component.margin_degrees, abs=1e-6)


def test_the_gradient_never_exceeds_the_first_pair():
    # It is a sum r 1ᵀ - 1 rᵀ, one pair; the first pair is the best of all pairs (Eckart and Young).
    for seed in range(20):
        found = measure(random_payoff(seed, 9), nash=False)
        assert found.logit_gradient_share <= found.logit_share_1 + 1e-12
        assert found.probability_gradient_share <= found.probability_share_1 + 1e-12


@pytest.mark.parametrize("observed", [0.3, 1.0])
def test_chance_reaches_players_less_components_over_pairs(observed):
    """Equal sizes on every pair: the mean gradient share is that of a random projection, whatever was observed."""
    payoff = random_payoff(3, 15, observed)
    flow = np.where(payoff.p > 0.5, 1.0, -1.0)
    found = chance_of_gradient(payoff, flow, np.random.default_rng(0))
    components = identifiability(payoff).components
    assert found.mean == pytest.approx((payoff.n_players - components) / payoff.n_pairs, abs=0.015)
    shares = [
        gradient_share(payoff, flow * np.random.default_rng(seed).choice([-1, 1], len(flow))) for seed in range(200)
    ]
    inside = np.mean([found.low <= share <= found.high for share in shares])
    assert 0.8 < inside < 0.98


def test_no_chance_exceeds_one():
    n = 12
    tree = Payoff(np.array(list("abcdefghijkl")), np.zeros(n - 1), np.arange(1, n), np.linspace(0.1, 0.8, n - 1))
    for seed in range(20):
        found = chance_of_gradient(tree, tree.p - 0.5, np.random.default_rng(seed))
        assert 1 - 1e-9 < found.low <= found.mean <= found.high <= 1


def test_a_league_of_luck_lies_within_its_chance_level():
    """An Elo game lies above it."""
    rng = np.random.default_rng(1)
    names = [f"p{i}" for i in range(30)]
    pairs = [(a, b, rng.binomial(20, 0.5)) for i, a in enumerate(names) for b in names[i + 1 :]]
    table = pd.DataFrame([(a, b, w, 0, 20 - w) for a, b, w in pairs], columns=COUNTS)
    inside = []
    ratings = np.linspace(0, 3, 30)
    for payoff in (Payoff.from_counts(table), Payoff.from_dense(expit(np.subtract.outer(ratings, ratings)))):
        found = measure(payoff, nash=False)
        inside.append(found.probability_gradient_chance_low <= found.probability_gradient_share)
        inside.append(found.probability_gradient_share <= found.probability_gradient_chance_high)
        inside.append(found.cyclic_chance_low <= found.cyclic_triads <= found.cyclic_chance_high)
    assert inside == [True, True, True, True, False, False]


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_the_chance_of_triads_is_that_of_coins(ties):
    rng = np.random.default_rng(2)
    payoff = random_payoff(5, 9, 0.8)
    tied = rng.random(payoff.n_pairs) < ties

    def flipped() -> Payoff:
        return Payoff(payoff.players, payoff.i, payoff.j, np.where(tied, 0.5, rng.choice([0.2, 0.8], len(tied))))

    drawn = [count_triads(flipped()) for _ in range(400)]
    for kind in ("cyclic", "intransitive"):
        shares = [getattr(triads, kind) / triads.total for triads in drawn]
        mean, deviation = drawn[0].chance(with_ties=kind == "intransitive")
        assert (np.mean(shares), np.std(shares)) == pytest.approx((mean, deviation), rel=0.15)


@given(seeds, st.integers(3, 9), st.floats(100, 360))
def test_disc_game_by_camion(seed, n, arc):
    """For a disc game the component is the game: its verdict is the strong connection of the tournament."""
    rng = np.random.default_rng(seed)
    angles, sizes = np.radians(rng.uniform(0, arc, n)), rng.uniform(0.5, 1.5, n)
    u, v = sizes * np.cos(angles), sizes * np.sin(angles)
    A = np.outer(u, v) - np.outer(v, u)
    payoff = Payoff.from_dense(expit(A))
    found = measure(payoff, nash=False)
    if abs(found.logit_margin_degrees) < 1e-6 or np.abs(A[np.triu_indices(n, 1)]).min() < 1e-6:
        return
    strong = connected_components(A > 0, connection="strong")[0] == 1
    assert found.logit_transitive != strong
    assert (found.cyclic_triads == 0) == found.logit_transitive
    assert found.logit_share_1 == pytest.approx(1)
    if found.logit_transitive:
        # Any area-preserving map of a fitted disc gives the same row.
        u, v = 3 * u + v, (2 * u + v)
        part = payoff.select_pairs(np.arange(payoff.n_pairs) != 1)
        fitted = measure(part, disc=(u[:, None], v[:, None]))
        assert fitted.logit_component == "fit" and fitted.logit_transitive
        assert fitted.logit_margin_degrees == pytest.approx(found.logit_margin_degrees, abs=1e-5)


def test_equal_values_leave_the_first_component_open():
    # Two copies of rock-paper-scissors that tie with each other: any mixture of their two pairs is a first pair.
    P = np.full((6, 6), 0.5)
    P[:3, :3] = P[3:, 3:] = RPS
    found = measure(Payoff.from_dense(P))
    assert found.probability_gap == pytest.approx(0, abs=1e-12)
    assert found.probability_transitive is None and math.isnan(found.probability_margin_degrees)
    assert found.probability_share_1 == pytest.approx(1 / 2) and found.probability_share_3 == pytest.approx(0)
    assert measure(Payoff.from_dense(RPS)).probability_gap == 1


def test_where_the_logit_is_infinite():
    P = RPS.copy()
    P[0, 1], P[1, 0] = 0, 1
    payoff = Payoff.from_dense(P)
    found = measure(payoff)
    assert found.logit_component == "none" and found.logit_transitive is None
    assert math.isnan(found.logit_margin_degrees) and math.isnan(found.logit_share_1)
    assert math.isnan(found.logit_gradient_share)
    assert found.probability_transitive is False and found.n_nash_clusters == 1
    found = measure(payoff, disc=(np.array([0.0, 1.0, 2.0]), np.ones(3)))
    assert found.logit_component == "fit" and found.logit_transitive
    assert math.isnan(found.logit_share_1) and math.isnan(found.logit_gradient_share)


def test_an_exact_component_is_preferred_to_a_fit():
    found = measure(Payoff.from_dense(RPS), disc=(np.arange(3.0), np.ones(3)))
    assert found.logit_component == "exact" and found.logit_transitive is False


def test_missing_pairs():
    payoff = random_payoff(6, 8, 0.6)
    found = measure(payoff)
    assert found.density < 1 and found.n_pairs == payoff.n_pairs
    assert found.logit_transitive is None and found.probability_transitive is None
    assert math.isnan(found.probability_share_1) and found.n_nash_clusters is None
    assert 0 <= found.logit_gradient_share <= 1


def test_nash_can_be_left_out():
    found = measure(Payoff.from_dense(RPS), nash=False)
    assert found.n_nash_clusters is None and found.largest_nash_cluster is None


@pytest.mark.parametrize("n", [2, 5])
def test_all_ties(n):
    found = measure(Payoff.from_dense(np.full((n, n), 0.5)))
    assert found.tied_pairs == 1 and found.logit_transitive is False
    assert math.isnan(found.logit_share_1) and math.isnan(found.logit_gradient_share)
    assert (found.n_nash_clusters, found.largest_nash_cluster) == (1, n)


def test_two_players():
    found = measure(Payoff.from_dense(np.array([[0.5, 0.7], [0.3, 0.5]])))
    assert found.logit_transitive and found.logit_share_1 == pytest.approx(1) and found.logit_share_3 == 0
    assert found.n_triads == 0 and found.n_nash_clusters == 2 and found.logit_rank_agreement == 1


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(3, 10), st.sampled_from([0.5, 1.0]), st.sampled_from([0, 4]))
@example(seed=23748, n=3, observed=0.5, levels=4)  # players whose skills tie up to rounding
def test_the_order_of_players_does_not_matter(seed, n, observed, levels):
    payoff = random_payoff(seed, n, observed, levels)
    order = np.random.default_rng(seed).permutation(n)
    here, there = asdict(measure(payoff)), asdict(measure(payoff.select_players(order)))
    for name, value in here.items():
        space = name.split("_")[0]
        if name.endswith(("transitive", "degrees", "rank_agreement")) and here.get(f"{space}_gap", 1) < 1e-3:
            continue  # not defined, or too close to it to compare
        if "gradient_chance" in name:
            continue  # drawn
        if isinstance(value, float):
            assert there[name] == pytest.approx(value, abs=1e-6, nan_ok=True), name
        else:
            assert there[name] == value, name


def test_all_fields_are_scalars_and_explained():
    found = measure(random_payoff(7, 6))
    doc = type(found).__doc__
    for field in fields(found):
        assert isinstance(getattr(found, field.name), bool | int | float | str), field.name
        if "share_" not in field.name:
            assert field.name in doc, field.name


def test_a_disc_of_another_game():
    with pytest.raises(InputError, match="payoff has 8 players"):
        measure(random_payoff(6, 8, 0.6), disc=(np.ones(7), np.ones(7)))


# ------------------------------------------------------------------ the row of a dataset


def row_of(payoff: Payoff, folder: Path, monkeypatch: pytest.MonkeyPatch) -> pd.Series:
    """Run the script that decomposes and measures a payoff; return the row, every cell as text."""
    payoff.save(folder / "payoff.npz")
    outputs = ["--points", "points.csv", "--hull", "hull.json", "--clusters", "nash.csv", "--measures", "row.csv"]
    monkeypatch.chdir(folder)
    monkeypatch.setattr(
        sys, "argv", ["measure", "--dataset", "game", "--payoff", "payoff.npz", "--resamples", "19", *outputs]
    )
    runpy.run_path(str(SCRIPTS / "measure.py"))["main"]()
    return pd.read_csv(folder / "row.csv", dtype=str, keep_default_na=False).iloc[0]


def path_of(n: int) -> Payoff:
    i = np.arange(n - 1)
    return Payoff(np.arange(n).astype(str), i, i + 1, np.linspace(0.2, 0.9, n - 1), np.full(n - 1, 10.0))


@pytest.mark.parametrize(
    ("payoff", "word", "regularisation"),
    [
        (Payoff.from_dense(RPS), "cyclic", "0.0"),
        (Payoff.from_dense(expit(np.subtract.outer([1.0, 0.5, -1.5], [1.0, 0.5, -1.5]))), "transitive", "0.0"),
        (Payoff.from_dense(np.array([[0.5, 0.7], [0.3, 0.5]])), "transitive by the graph", "0.0"),
        (path_of(6), "transitive by the graph", "10.0"),
    ],
    ids=["cycle", "ratings", "two players", "path"],
)
def test_the_row_of_a_dataset_has_its_verdicts(payoff, word, regularisation, tmp_path, monkeypatch):
    row = row_of(payoff, tmp_path, monkeypatch)
    of_games = payoff.games is not None
    # The test on games is in logit space.
    for space, verdict in (("logit", word), ("probability", "" if of_games else word)):
        assert (row[f"verdict_{space}"], row[f"regularisation_{space}"]) == (verdict, regularisation)
    assert row["planted"] == ("0.5" if of_games else "")
    hull = json.loads((tmp_path / "hull.json").read_text())
    assert all(hull[space]["transitive"] is (word != "cyclic") for space in hull)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30))
def test_rank_agreement_is_kendalls_tau(pairs):
    x, y = np.array(pairs, dtype=float).T
    np.testing.assert_equal(_tau(x, y), float(kendalltau(x, y).statistic))
