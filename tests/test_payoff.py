"""`Payoff`: what holds for every payoff, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transitivity import files
from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

#: The folder of a test is the same for all examples of a property; every example writes its own file over.
FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=6)


@st.composite
def payoffs(draw: st.DrawFn, complete: bool = False) -> Payoff:
    """Payoffs of 2 to 7 players, with missing pairs, certain results and numbers of games."""
    # Names that do not look like numbers, because a file could not tell the two apart.
    players = draw(st.lists(NAME.map("n".__add__), min_size=2, max_size=7, unique=True))
    pairs = [(i, j) for i in range(len(players)) for j in range(i + 1, len(players))]
    if not complete:
        pairs = sorted(draw(st.sets(st.sampled_from(pairs), min_size=1)))
    p = draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    games = draw(st.none() | st.lists(st.integers(1, 9), min_size=len(pairs), max_size=len(pairs)))
    i, j = np.array(pairs).T
    return Payoff(np.array(players), i, j, np.array(p), None if games is None else np.array(games))


def assert_same(a: Payoff, b: Payoff, tolerance: float = 0.0) -> None:
    assert a.players.tolist() == b.players.tolist()
    assert np.array_equal(a.i, b.i) and np.array_equal(a.j, b.j)
    np.testing.assert_allclose(a.p, b.p, rtol=0, atol=tolerance)
    assert (a.games is None) == (b.games is None)
    assert a.games is None or np.array_equal(a.games, b.games)


# ---------------------------------------------------------------- properties


@given(payoffs())
def test_dense_and_back(payoff):
    P = payoff.to_dense()
    seen = ~np.isnan(P)
    assert np.array_equal(seen, seen.T)
    np.testing.assert_allclose((P + P.T)[seen], 1, rtol=0, atol=1e-15)
    assert (np.diag(P) == 0.5).all()
    assert (seen.sum() - payoff.n_players) / 2 == payoff.n_pairs
    games = None
    if payoff.games is not None:
        games = np.zeros(P.shape)
        games[payoff.i, payoff.j] = payoff.games
    assert_same(Payoff.from_dense(P, payoff.players, games), payoff)


@given(payoffs())
def test_antisymmetric_and_back(payoff):
    A = 2 * payoff.to_dense() - 1
    again = Payoff.from_antisymmetric(A, payoff.players)
    np.testing.assert_allclose(again.p, payoff.p, rtol=0, atol=1e-15)


@FOLDER
@given(payoff=payoffs(), diagonal=st.booleans())
def test_npz_and_back(tmp_path, payoff, diagonal):
    if diagonal:
        observed = np.arange(payoff.n_players) % 2 == 0
        payoff = payoff.select_pairs(np.ones(payoff.n_pairs, bool), observed)
    payoff.save(tmp_path / "payoff.npz")
    for again in (Payoff.load(tmp_path / "payoff.npz"), Payoff.from_file(tmp_path / "payoff.npz")):
        assert_same(again, payoff)
        assert np.array_equal(again.diagonal, payoff.diagonal) if diagonal else again.diagonal is None
    assert [path.name for path in tmp_path.iterdir()] == ["payoff.npz"]


@FOLDER
@given(payoff=payoffs())
def test_list_of_pairs_and_back(tmp_path, payoff):
    files.write_table(payoff.to_frame(), tmp_path / "pairs.csv")
    again = Payoff.from_file(tmp_path / "pairs.csv")
    # A list of pairs knows neither players without any, nor their order.
    position = {name: k for k, name in enumerate(again.players)}
    known = [k for k in range(payoff.n_players) if payoff.degrees[k] > 0]
    assert sorted(position) == sorted(payoff.players[known])
    order = np.array([position[payoff.players[k]] for k in known])
    assert_same(again.select_players(order), payoff.select_players(np.array(known)), 1e-15)


@FOLDER
@given(payoff=payoffs(), names=st.sampled_from(["both", "header", "none"]), tab=st.booleans())
def test_text_matrix_and_back(tmp_path, payoff, names, tab):
    path = tmp_path / ("matrix.tsv" if tab else "matrix.csv")
    frame = pd.DataFrame(payoff.to_dense(), payoff.players, payoff.players)
    frame.to_csv(path, sep="\t" if tab else ",", index=names == "both", header=names != "none")
    again = Payoff.from_file(path, scale="probability")
    assert again.players.tolist() == (frame.columns.tolist() if names != "none" else list(map(str, range(len(frame)))))
    assert np.array_equal(again.i, payoff.i) and np.array_equal(again.j, payoff.j)
    np.testing.assert_allclose(again.p, payoff.p, rtol=0, atol=1e-15)


@given(payoffs(), st.data())
def test_selected_players_are_a_submatrix(payoff, data):
    n = payoff.n_players
    index = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=2, unique=True)))
    P = payoff.to_dense()[np.ix_(index, index)]
    if np.isnan(P[~np.eye(len(index), dtype=bool)]).all():
        with pytest.raises(InputError, match="no observed pair"):
            payoff.select_players(index)
        return
    part = payoff.select_players(index)
    assert part.players.tolist() == payoff.players[index].tolist()
    np.testing.assert_allclose(part.to_dense(), P, rtol=0, atol=1e-15)


@given(payoffs())
def test_reversing_the_players_mirrors_the_payoff(payoff):
    reverse = np.arange(payoff.n_players)[::-1]
    mirrored = payoff.select_players(reverse)
    np.testing.assert_allclose(mirrored.to_dense(), payoff.to_dense()[::-1, ::-1], rtol=0, atol=1e-15)
    assert_same(mirrored.select_players(reverse), payoff, 1e-15)


@given(payoffs())
def test_mean_payoffs_are_the_means_of_the_observed_rows(payoff):
    P = payoff.to_dense()
    np.fill_diagonal(P, np.nan)
    expected = [np.nanmean(row) if not np.isnan(row).all() else 0.5 for row in P]
    np.testing.assert_allclose(payoff.mean_payoffs, expected, rtol=0, atol=1e-14)
    assert np.array_equal(payoff.degrees, (~np.isnan(P)).sum(axis=1))


@given(payoffs(complete=True))
def test_mean_payoffs_of_a_complete_game_average_to_a_half(payoff):
    assert payoff.is_complete and payoff.density == 1
    assert payoff.mean_payoffs.mean() == pytest.approx(0.5)


@given(payoffs(), st.data())
def test_order_of_the_rows_does_not_matter(payoff, data):
    order = np.array(data.draw(st.permutations(range(payoff.n_pairs))))
    games = None if payoff.games is None else payoff.games[order]
    assert_same(Payoff(payoff.players, payoff.i[order], payoff.j[order], payoff.p[order], games), payoff)


@given(payoffs(), st.data())
def test_selected_pairs(payoff, data):
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=payoff.n_pairs, max_size=payoff.n_pairs)))
    if not keep.any():
        with pytest.raises(InputError, match="no observed pair"):
            payoff.select_pairs(keep)
        return
    part = payoff.select_pairs(keep)
    assert part.n_players == payoff.n_players and part.n_pairs == keep.sum()
    assert part.to_frame().equals(payoff.to_frame()[keep].reset_index(drop=True))


# ---------------------------------------------------------------- what is refused


def make(**change: object) -> Payoff:
    """A payoff of three players with something changed."""
    return Payoff(**({"players": ["a", "b", "c"], "i": [0, 0], "j": [1, 2], "p": [0.3, 1.0]} | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ["a"]}, "at least two players, this one has 1"),
        ({"players": ["a", "b", "a"]}, "Player 'a' appears twice"),
        ({"i": [], "j": [], "p": []}, "no observed pair"),
        ({"i": [0]}, "differ in length"),
        ({"games": [1]}, "differ in length"),
        ({"i": [1, 0], "j": [1, 2]}, "0 <= i < j < 3"),
        ({"i": [-1, 0]}, "0 <= i < j < 3"),
        ({"j": [1, 3]}, "0 <= i < j < 3"),
        ({"j": [2, 2]}, r"The pair \('a', 'c'\) appears twice"),
        ({"p": [0.3, 1.1]}, r"P\['a', 'c'\] is 1.1, which is not a probability"),
        ({"p": [-0.1, 1]}, r"P\['a', 'b'\] is -0.1"),
        ({"p": [np.nan, 1]}, r"P\['a', 'b'\] is nan"),
        ({"games": [1, 0]}, "number of games is not positive"),
        ({"games": [1, np.inf]}, "number of games is not positive"),
    ],
)
def test_bad_pairs_are_named(change, message):
    with pytest.raises(InputError, match=message):
        make(**change)


@pytest.mark.parametrize(
    ("P", "message"),
    [
        (np.full((2, 3), 0.5), r"square, this one has shape \(2, 3\)"),
        (np.full(4, 0.5), "square"),
        ([[0.5, 0.7], [0.4, 0.5]], r"P\['0', '1'\] = 0.7, mirror 0.4, does not sum to 1"),
        ([[0.5, np.nan], [0.4, 0.5]], "observed in one direction only"),
        ([[0.5, 1.2], [-0.2, 0.5]], "is 1.2, which is not a probability"),
        ([[0.5]], "at least two players"),
        ([[0.5, np.nan], [np.nan, 0.5]], "no observed pair"),
    ],
)
def test_bad_matrices_are_named(P, message):
    with pytest.raises(InputError, match=message):
        Payoff.from_dense(P)


def test_names_must_be_as_many_as_players():
    with pytest.raises(InputError, match="3 names were given for 2 players"):
        Payoff.from_dense([[0.5, 0.5], [0.5, 0.5]], ["a", "b", "c"])


def test_load_names_the_missing_array(tmp_path):
    np.savez(tmp_path / "other.npz", players=["a", "b"], i=[0], j=[1])
    with pytest.raises(InputError, match=r"other.npz has no array 'p'"):
        Payoff.load(tmp_path / "other.npz")


def test_a_player_without_pairs_has_mean_one_half():
    payoff = make(i=[0], j=[1], p=[0.9])
    np.testing.assert_allclose(payoff.mean_payoffs, [0.9, 0.1, 0.5])
    assert payoff.density == pytest.approx(1 / 3) and not payoff.is_complete


def test_rows_are_written_as_a_data_frame_of_them_would_be(tmp_path):
    rows = [
        {"name": 'a, "b"', "count": 3, "value": np.float64(0.1) + 0.2, "flag": True, "empty": None},
        {"name": "NA", "count": np.int64(-1), "value": 1e-300, "flag": False, "empty": float("nan")},
        {"name": "é", "count": 0, "value": np.inf, "flag": True, "empty": None},
    ]
    columns = ["name", "count", "value", "flag", "empty"]
    files.write_rows(rows, columns, tmp_path / "rows.csv")
    files.write_table(pd.DataFrame(rows, columns=columns), tmp_path / "table.csv")
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "table.csv").read_bytes()
