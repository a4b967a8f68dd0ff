"""Payoff files: every format, every way in which they are wrong, and pickles that mean harm."""

from __future__ import annotations

import builtins
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transitivity.errors import InputError
from transitivity.payoff import files
from transitivity.payoff.core import Payoff
from transitivity.payoff.files import read_array, read_payoff

#: A game in both scales: three players, one pair certain.
A = np.array([[0.0, 0.5, -1.0], [-0.5, 0.0, 0.25], [1.0, -0.25, 0.0]])
P = (1 + A) / 2

#: The tests write single files over and over: the folder need not be fresh for each example.
FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def text(folder: Path, content: str, name: str = "payoff.csv") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def array(folder: Path, M: object, name: str = "payoff.npy") -> Path:
    np.save(folder / name, M)
    return folder / name


def pickled(folder: Path, value: object, protocol: int = 3) -> Path:
    (folder / "payoff.pkl").write_bytes(pickle.dumps(value, protocol=protocol))
    return folder / "payoff.pkl"


# ---------------------------------------------------------------- the real files


def test_every_real_payoff_is_read(shared_data):
    folder = shared_data / "payoffs"
    sizes = {"10,3-Blotto": 66, "5,3-Blotto": 21, "5,4-Blotto": 56, "5,5-Blotto": 126, "Kuhn-poker": 64, "RPS": 3}
    assert {path.stem for path in folder.glob("*.pkl")} == set(sizes)
    for name, n in sizes.items():
        payoff = read_payoff(folder / f"{name}.pkl")
        with open(folder / f"{name}.pkl", "rb") as file:
            expected = pickle.load(file)
        assert payoff.n_players == n and payoff.is_complete
        np.testing.assert_allclose(2 * payoff.to_dense() - 1, expected, rtol=0, atol=2e-16)
    subsets = sorted((folder / "subsets_100").glob("*.npy"))
    assert len(subsets) == 10
    for path in subsets:
        payoff = read_payoff(path)
        assert payoff.n_players == 100 and payoff.is_complete
        np.testing.assert_allclose(2 * payoff.to_dense() - 1, np.load(path), rtol=0, atol=2e-16)


def test_arrays_that_are_no_payoff_are_read_as_arrays(shared_data):
    folder = shared_data / "payoffs"
    assert read_array(folder / "disc_game_points.npy").shape == (1000, 2)
    with pytest.raises(InputError, match=r"disc_game_points.npy: the array has shape \(1000, 2\)"):
        read_payoff(folder / "disc_game_points.npy")


# ---------------------------------------------------------------- scales


@pytest.mark.parametrize("scale", ["auto", "antisymmetric"])
def test_antisymmetric(tmp_path, scale):
    assert np.array_equal(read_payoff(array(tmp_path, A), scale=scale).to_dense(), P)


@pytest.mark.parametrize("scale", ["auto", "probability"])
def test_probability(tmp_path, scale):
    assert np.array_equal(read_payoff(array(tmp_path, P), scale=scale).to_dense(), P)


@pytest.mark.parametrize("diagonal", [7.0, np.nan, np.inf])
def test_the_diagonal_is_not_read(tmp_path, diagonal):
    for M in (A.copy(), P.copy()):
        np.fill_diagonal(M, diagonal)
        assert np.array_equal(read_payoff(array(tmp_path, M)).to_dense(), P)


def test_whole_numbers_and_truth_values(tmp_path):
    wins = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    for M in (wins, wins.astype(bool), wins.astype(np.uint8), (wins - wins.T).astype(np.int8)):
        assert read_payoff(array(tmp_path, M)).p.tolist() == [1, 0, 1]


@given(st.integers(0, 2**32 - 1))
@FOLDER
def test_single_precision_is_symmetrised_exactly(tmp_path, seed):
    rng = np.random.default_rng(seed)
    A = rng.uniform(-1, 1, (5, 5))
    A = (A - A.T) / 2
    A /= A.max()
    noise = rng.uniform(-4e-7, 4e-7, (5, 5))
    for M in (A.astype(np.float32), (1 + A.astype(np.float32)) / 2, A + noise, (1 + A) / 2 + noise):
        payoff = read_payoff(array(tmp_path, M))
        assert ((payoff.p >= 0) & (payoff.p <= 1)).all()
        np.testing.assert_allclose(payoff.to_dense(), (1 + A) / 2, rtol=0, atol=1e-6)


def test_missing_pairs(tmp_path):
    for M in (A.copy(), P.copy()):
        M[0, 1] = M[1, 0] = np.nan
        payoff = read_payoff(array(tmp_path, M))
        assert payoff.n_pairs == 2 and np.isnan(payoff.to_dense()[0, 1])


# ---------------------------------------------------------------- .npz


def test_npz_of_one_array_of_any_name(tmp_path):
    np.savez(tmp_path / "payoff.npz", whatever=A)
    assert np.array_equal(read_payoff(tmp_path / "payoff.npz").to_dense(), P)
    assert np.array_equal(Payoff.from_file(tmp_path / "payoff.npz", key="whatever").to_dense(), P)


def test_npz_of_several_arrays_needs_a_key(tmp_path):
    np.savez_compressed(tmp_path / "payoff.npz", one=A, two=-A)
    assert np.array_equal(read_payoff(tmp_path / "payoff.npz", key="two").to_dense(), P.T)
    with pytest.raises(InputError, match=r"holds 2 arrays; pick one by key=: 'one', 'two'"):
        read_payoff(tmp_path / "payoff.npz")
    with pytest.raises(InputError, match=r"no array 'too'; did you mean 'two'"):
        read_payoff(tmp_path / "payoff.npz", key="too")


def test_a_saved_payoff_keeps_everything(tmp_path):
    saved = Payoff(["b", "a", "c"], [0, 1], [2, 2], [0.25, 1.0], [3, 4], np.array([True, False, True]))
    saved.save(tmp_path / "payoff.npz")
    payoff = read_payoff(tmp_path / "payoff.npz")
    for name in ("players", "i", "j", "p", "games", "diagonal"):
        assert np.array_equal(getattr(payoff, name), getattr(saved, name))


# ---------------------------------------------------------------- .csv and .tsv


@pytest.mark.parametrize(
    ("content", "players"),
    [
        ("0,1\n-1,0\n", "01"),
        ("a,b\n0,1\n-1,0\n", "ab"),
        ("7,8\n0,1\n-1,0\n", "78"),
        ("a,0,1\nb,-1,0\n", "ab"),
        (",a,b\na,0,1\nb,-1,0\n", "ab"),
        ("player,a,b\na,0,1\nb,-1,0\n", "ab"),
        (",7,8\n7,0,1\n8,-1,0\n", "78"),
        ("a,b\na,0,1\nb,-1,0\n", "ab"),
        ('"a", b\n 0 , 1\n-1,0', "ab"),
        ("\ufeffa,b\r\n0,1\r\n\r\n-1,0\r\n", "ab"),
        (",1\n-1,\n", "01"),
        ("NA,1e0\n-1.0,nan\n", "01"),
        ("p,b\n0,1\n-1,0\n", "pb"),
    ],
)
def test_text_matrices(tmp_path, content, players):
    payoff = read_payoff(text(tmp_path, content))
    assert payoff.players.tolist() == list(players)
    assert payoff.p.tolist() == [1]
    tabs = read_payoff(text(tmp_path, content.replace(",", "\t"), "payoff.TSV"))
    assert tabs.players.tolist() == list(players) and tabs.p.tolist() == [1]


def test_text_matrix_with_empty_cells(tmp_path):
    payoff = read_payoff(text(tmp_path, ",0.25,\n0.75,,1\n,0,\n"))
    assert payoff.players.tolist() == ["0", "1", "2"]
    assert payoff.to_frame().to_numpy().tolist() == [["0", "1", 0.25], ["1", "2", 1.0]]


def test_list_of_pairs(tmp_path):
    content = "games,player_b,note,p,player_a\n4,Ann,x,0.25,Bob\n2,Cy,,1,Ann\n"
    payoff = read_payoff(text(tmp_path, content))
    assert payoff.players.tolist() == ["Bob", "Ann", "Cy"]
    assert (payoff.i.tolist(), payoff.j.tolist()) == ([0, 1], [1, 2])
    assert payoff.p.tolist() == [0.25, 1] and payoff.games.tolist() == [4, 2]
    swapped = read_payoff(text(tmp_path, "player_a,player_b,p\na,b,0.5\nc,b,1\nc,a,0.25\n"), scale="probability")
    assert swapped.players.tolist() == ["a", "b", "c"] and swapped.games is None
    assert swapped.to_frame().to_numpy().tolist() == [["a", "b", 0.5], ["a", "c", 0.75], ["b", "c", 0.0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("\ufeff", "the file is empty"),
        ("0,1\n-1,x\n", "line 2, column 2 is 'x'; give a number"),
        ("a,b\n0,1\n-1,1.O\n", "line 3, column 2 is '1.O'"),
        (",a,b\na,0,1\nb,?,0\n", r"line 3, column 2 is '\?'"),
        (",0.3,x\n0.7,,0.5\n0.2,0.5,\n", "line 1, column 3 is 'x'"),
        ("0,1,1\n-1,0\n-1,-1,0\n", "line 2 has 2 cells, the last line 3"),
        ("0,1,1,0\n-1,0,1,0\n", "2 rows and 4 columns; a payoff matrix is square"),
        ("0\n1\n0\n", "3 rows and 1 column; a payoff matrix is square"),
        (",x,y,z\na,0,1,1\nb,-1,0,1\n", "2 rows and 3 columns beside names; a payoff matrix is square"),
        (",x,y,z\n7,0,1,1\n8,-1,0,1\n", "2 rows and 3 columns beside names"),
        ("name,x,y,z\na,0,1,1\nb,-1,0,1\n", "2 rows and 3 columns beside names"),
        (",x,y\na,0,1\nb,-1,0\nc,1,1\n", "3 rows and 2 columns beside names"),
        (",7,8\na,0,1\nb,-1,0\nc,1,1\n", "3 rows and 2 columns beside names"),
        ("x,y,z\n0,1,1\n", "1 row and 2 columns beside names"),
        ("0.5,0.2,0.3\n0.8,0.5,0.1\n", "2 rows and 3 columns; a payoff matrix is square.*column is names, the entry"),
        ("0.5,0.2\n0.8,0.5\n0.7,0.9\n", "3 rows and 2 columns; a payoff matrix is square.*row is names, the entry"),
        (",0.2,0.3\n0.8,,0.1\n", "2 rows and 3 columns; a payoff matrix is square.*column is names, player 1"),
        ("0,1,1\n0,-1,0\n", "2 rows and 3 columns; a payoff matrix is square.*column is names, .*twice"),
        ("0\n", "at least two players"),
        ("a,a\n0,1\n-1,0\n", "Player 'a' appears twice"),
        (",a\n0,1\n-1,0\n", "player 1 has an empty name"),
        ("x,a,b\na,0,1\nc,-1,0\n", "line 3 is named 'c' but its column 'b'"),
        ("0,0.5\n0.7,0\n", r"the entry \('0', '1'\) is 0.5, its mirror 0.7; a payoff is antisymmetric"),
        ("0,inf\n-inf,0\n", r"\('0', '1'\) is inf"),
        ("0,1\n,0\n", "observed in one direction only"),
        (",\n,\n", "no observed pair"),
        ('0,"1\n-1,0\n', "cannot be read as a row of a table"),
        ("player_a,player_b,win\na,b,1\n", "line 1 has no column 'p'; a list of pairs needs"),
        ("player_a,player_b,p,p\na,b,1,1\n", "line 1 has the column 'p' twice"),
        ("player_a,player_b,p\n", "a header but no pair"),
        ("player_a,player_b,p\na,b\n", "line 2 has 2 cells, the header 3"),
        ("player_a,player_b,p\na,b,1\n\na,c,1.5\n", r"line 4 has p = 1.5; give a number in \[0, 1\]"),
        ("player_a,player_b,p\na,b,-0.5\n", "line 2 has p = -0.5"),
        ("player_a,player_b,p\na,b,\n", "line 2 has p = nothing"),
        ("player_a,player_b,p\na,b,nan\n", "line 2 has p = nan"),
        ("player_a,player_b,p\na,b,half\n", "line 2, column 3 is 'half'"),
        ("player_a,player_b,p\na,a,1\n", "line 2 pairs 'a' with itself"),
        ("player_a,player_b,p\na,,1\n", "line 2 has no name of a player"),
        ("player_a,player_b,p\na,b,1\nb,a,0\n", "line 3 repeats the pair of line 2, 'b' and 'a'"),
        ("player_a,player_b,p,games\na,b,1,0\n", "line 2 has games = 0"),
        ("player_a,player_b,p,games\na,b,1,\n", "line 2 has games = nothing"),
        ("player_a,player_b,p,games\na,b,1,inf\n", "line 2 has games = inf"),
    ],
)
def test_bad_text_is_named(tmp_path, content, message):
    path = text(tmp_path, content)
    with pytest.raises(InputError, match=message) as caught:
        read_payoff(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "np.str_" not in str(caught.value)


@pytest.mark.parametrize("games", range(1, 8))
@pytest.mark.parametrize(
    ("header", "row"),
    [("home,away,result", "P{0},P{1},1-0"), ("player_a,player_b,wins_a,wins_b", "P{0},P{1},3,1"), ("a;b;c", "P;Q;1")],
)
def test_a_header_over_what_is_no_square_asks_for_matchups(tmp_path, games, header, row):
    """However many games: a file of results may have as many rows as columns."""
    lines = [header, *(row.format(2 * k, 2 * k + 1) for k in range(games))]
    with pytest.raises(InputError, match="or, for a file of results, add `matchups:` with its columns"):
        read_payoff(text(tmp_path, "\n".join(lines)))
    with pytest.raises(InputError, match="square") as caught:
        read_payoff(text(tmp_path, "0,1,2\n" * (7 + games)))
    assert "matchups" not in str(caught.value)


def test_text_of_another_encoding(tmp_path):
    (tmp_path / "payoff.csv").write_bytes("Müller,b\n0,1\n-1,0\n".encode("latin1"))
    with pytest.raises(InputError, match=r"payoff.csv: it is not UTF-8 text"):
        read_payoff(tmp_path / "payoff.csv")


# ---------------------------------------------------------------- what is wrong in any format


@pytest.mark.parametrize(
    ("M", "scale", "message"),
    [
        (P, "antisymmetric", r"the entry \('0', '1'\) is 0.75, its mirror 0.25; make them sum to 0"),
        (A, "probability", r"is 0.5, its mirror -0.5; make them sum to 1"),
        (3 * A, "auto", r"\('0', '1'\) is 1.5, its mirror -1.5; give numbers in \[-1, 1\]"),
        (100 * P, "auto", r"is 75, its mirror 25; a payoff is antisymmetric .* or holds probabilities"),
        (2 * P - 0.5, "auto", r"\('0', '2'\) is -0.5, its mirror 1.5; give numbers in \[0, 1\]"),
        (P + np.triu(np.full((3, 3), 1e-5)), "auto", "its mirror 0.25"),
        (np.where(np.arange(9).reshape(3, 3) == 5, 0.9, P), "auto", r"\('1', '2'\) is 0.9, its mirror 0.375"),
        (np.where(np.arange(9).reshape(3, 3) == 5, np.nan, P), "auto", "observed in one direction only"),
        (np.where(np.arange(9).reshape(3, 3) == 5, np.inf, P), "auto", r"\('1', '2'\) is inf"),
        (np.full((3, 3), np.nan), "auto", "no observed pair"),
        (A[:1, :1], "auto", "at least two players, this one has 1"),
        (A[:0, :0], "auto", "at least two players, this one has 0"),
        (A[:2], "auto", r"the array has shape \(2, 3\); a payoff matrix is square"),
        (A[0], "auto", r"the array has shape \(3,\)"),
        (np.float64(1), "auto", r"the array has shape \(\)"),
        (A[None], "auto", r"the array has shape \(1, 3, 3\)"),
        (A * 1j, "auto", "type complex128; give real numbers"),
        (A.astype(str), "auto", "type <U32; give real numbers"),
        (A.astype("datetime64[s]"), "auto", r"type datetime64\[s\]; give real numbers"),
    ],
)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_bad_arrays_are_named(tmp_path, suffix, M, scale, message):
    path = tmp_path / f"payoff{suffix}"
    (np.save if suffix == ".npy" else np.savez)(path, M)
    with pytest.raises(InputError, match=message) as caught:
        read_payoff(path, scale=scale)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".tsv", ".pkl", ".pickle"])
def test_missing_empty_and_unreadable_files(tmp_path, suffix):
    path = tmp_path / f"payoff{suffix}"
    with pytest.raises(InputError, match=f"payoff{suffix}: there is no such file"):
        read_payoff(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=f"payoff{suffix}: the file is empty"):
        read_payoff(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=f"payoff{suffix}: cannot be read"):
        read_payoff(path)


@pytest.mark.parametrize("name", ["payoff.xlsx", "payoff", "payoff.npy.gz"])
def test_unknown_suffixes(tmp_path, name):
    with pytest.raises(InputError, match=r"is not one of a payoff file; use one of .npy, .npz, .csv"):
        read_payoff(tmp_path / name)


def test_unknown_scale(tmp_path):
    with pytest.raises(InputError, match=r"no scale 'probabilty'; did you mean 'probability'"):
        read_payoff(array(tmp_path, P), scale="probabilty")
    with pytest.raises(InputError, match="leave out scale"):
        read_payoff(text(tmp_path, "player_a,player_b,p\na,b,1\n"), scale="antisymmetric")


def test_keys_where_there_are_none(tmp_path):
    paths = [array(tmp_path, A), text(tmp_path, "0,1\n-1,0\n"), pickled(tmp_path, A)]
    for path in paths:
        with pytest.raises(InputError, match=r"has no keys, and key is 'one'"):
            read_payoff(path, key="one")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".pkl"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_files_that_were_cut_off(tmp_path, suffix, share):
    M = np.random.default_rng(0).uniform(-1, 1, (20, 20))
    M = M - M.T
    path = tmp_path / f"payoff{suffix}"
    if suffix == ".pkl":
        path.write_bytes(pickle.dumps(M))
    else:
        (np.save if suffix == ".npy" else np.savez)(path, M)
    content = path.read_bytes()
    path.write_bytes(content[: max(1, int(len(content) * share))])
    with pytest.raises(InputError, match=f"payoff{suffix}: .*(complete|cut off)"):
        read_payoff(path)


def test_a_web_page_instead_of_data(tmp_path):
    for suffix in (".npy", ".npz", ".pkl", ".csv"):
        with pytest.raises(InputError, match=f"payoff{suffix}: "):
            read_payoff(text(tmp_path, "<!DOCTYPE html>\n<html><body>Not, found</body></html>\n", f"payoff{suffix}"))


def test_an_array_that_claims_to_be_larger_than_memory(tmp_path):
    path = tmp_path / "payoff.npy"
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**8, 10**8)}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(A.tobytes())
    with pytest.raises(InputError, match=r"payoff.npy: asks for more memory than there is"):
        read_payoff(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": np.array(["a", "b"])}, "array 'p' has type <U1"),
        ({"p": np.array([0.5, 0.5j])}, "array 'p' has type complex128"),
        ({"i": np.array([0.0, 0.5])}, "array 'i' has type float64"),
        ({"p": np.array([[0.5, 0.5]])}, r"array 'p' has type float64 and shape \(1, 2\)"),
        ({"p": np.array([0.5, 1.5])}, r"P\['a', 'c'\] is 1.5"),
        ({"p": np.array([0.5])}, "differ in length"),
        ({"p": np.array([0.5, None])}, "not those of Payoff.save"),
        ({"j": np.array([1, 7])}, "0 <= i < j < 3"),
        ({"players": np.array(["a", "a", "c"])}, "Player 'a' appears twice"),
    ],
)
def test_saved_payoffs_that_are_wrong(tmp_path, change, message):
    arrays = {"players": np.array(["a", "b", "c"]), "i": np.array([0, 0]), "j": np.array([1, 2]), "p": np.ones(2)}
    np.savez(tmp_path / "payoff.npz", **(arrays | change))
    with pytest.raises(InputError, match=message) as caught:
        read_payoff(tmp_path / "payoff.npz")
    assert str(caught.value).startswith(f"{tmp_path / 'payoff.npz'}: ")


def test_archives_without_arrays(tmp_path):
    with zipfile.ZipFile(tmp_path / "empty.npz", "w"):
        pass
    with pytest.raises(InputError, match=r"empty.npz: it holds no array"):
        read_payoff(tmp_path / "empty.npz")
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("readme.txt", "no array")
    with pytest.raises(InputError, match=r"other.npz: the array 'readme.txt' is not a complete .npy array"):
        read_payoff(tmp_path / "other.npz")


# ---------------------------------------------------------------- pickles of arrays


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "<i8", ">i2", "|i1"])
def test_pickles_of_every_protocol_and_type(tmp_path, protocol, dtype):
    M = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).astype(dtype)
    for value in (M, np.asfortranarray(M), M[::-1, ::-1]):
        payoff = read_payoff(pickled(tmp_path, value, protocol))
        assert np.array_equal(2 * payoff.to_dense() - 1, value)


def test_dict_of_arrays(tmp_path):
    path = pickled(tmp_path, {"Disc game": A, "RPS": -A, "note": "not an array"})
    assert np.array_equal(read_payoff(path, key="RPS").to_dense(), P.T)
    with pytest.raises(InputError, match=r"payoff.pkl: it holds 2 arrays; pick one by key=: 'Disc game', 'RPS'"):
        read_payoff(path)
    with pytest.raises(InputError, match=r"payoff.pkl: it has no array 'disc game'; did you mean 'Disc game'"):
        read_payoff(path, key="disc game")
    assert np.array_equal(read_payoff(pickled(tmp_path, {"only": A})).to_dense(), P)


def test_pickles_of_python_2(tmp_path):
    # What numpy 1.x under Python 2 writes: data as a byte string, global names of numpy.core.
    data = A.astype("<f8").tobytes()
    content = (
        b"\x80\x02}U\x04gamecnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x03K\x03\x86cnumpy\ndtype\nU\x02f8K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff"
        b"K\x00tb\x89U" + bytes([len(data)]) + data + b"tbs."
    )
    (tmp_path / "old.pkl").write_bytes(content)
    assert np.array_equal(read_payoff(tmp_path / "old.pkl").to_dense(), P)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([[0, None], [None, 0]]), "holds Python objects"),
        (A * 1j, "type 'c16'; give real numbers"),
        (A.astype(str), "type 'U32'; give real numbers"),
        (np.zeros((2, 2), dtype=[("a", float), ("b", float)]), "type 'V16'; give real numbers"),
        ([A, A], "holds no array"),
        ("A", "holds no array"),
        ({}, "holds no array"),
        ({"a": 1.0}, "holds no array"),
        (A[:2], r"shape \(2, 3\)"),
        (2 * A, r"give numbers in \[-1, 1\]"),
    ],
)
def test_pickles_of_something_else(tmp_path, value, message):
    with pytest.raises(InputError, match=message) as caught:
        read_payoff(pickled(tmp_path, value))
    assert str(caught.value).startswith(f"{tmp_path / 'payoff.pkl'}: ")


# ---------------------------------------------------------------- pickles that mean harm


class Call:
    """Pickles as a call of `function`."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple:
        return self.call


def named(module: str, name: str, argument: str = "", protocol: int = 4) -> bytes:
    """A pickle that calls `module.name(argument)`; protocol 4 can name attributes, as in "a.b"."""

    def string(value: str) -> bytes:
        return b"\x8c" + bytes([len(value.encode())]) + value.encode()

    name_it = string(module) + string(name) + b"\x93" if protocol == 4 else f"c{module}\n{name}\n".encode()
    return b"\x80" + bytes([protocol]) + name_it + string(argument) + b"\x85R."


@pytest.fixture
def trap(monkeypatch, tmp_path):
    """A file that is written by whatever harmful call succeeds, and calls that are counted."""
    called: list[str] = []
    for module, name in ((os, "system"), (builtins, "eval"), (builtins, "exec"), (np, "load")):
        monkeypatch.setattr(module, name, lambda *_, name=name: called.append(name))
    yield tmp_path / "harm"
    assert not (tmp_path / "harm").exists()
    assert called == []


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("posix", "system"),
        ("nt", "system"),
        ("subprocess", "Popen"),
        ("builtins", "eval"),
        ("builtins", "exec"),
        ("builtins", "getattr"),
        ("builtins", "__import__"),
        ("__builtin__", "eval"),
        ("builtins", "open"),
        ("importlib", "import_module"),
        ("pickle", "loads"),
        ("copyreg", "_reconstructor"),
        ("functools", "partial"),
        ("numpy", "load"),
        ("numpy", "fromfile"),
        ("numpy", "memmap"),
        ("numpy", "ufunc"),
        ("numpy", "f2py"),
        ("numpy.testing._private.utils", "runstring"),
        ("numpy.testing", "rundocs"),
        ("numpy.core.multiarray", "fromfile"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.multiarray", "os.system"),
        ("numpy.core.multiarray", "_reconstruct.__globals__"),
        ("numpy.core.multiarray", "_reconstruct.__class__"),
        ("numpy", "ndarray.tofile"),
        ("numpy", "ndarray.__reduce__"),
        ("numpy", "dtype.__new__"),
        ("numpy", "core.multiarray._reconstruct"),
        ("_codecs", "decode"),
        ("_codecs", "lookup"),
        ("_codecs", "encode.__self__"),
        ("codecs", "encode"),
        ("transitivity.payoff.files", "_Call"),
        ("pandas.core.frame", "DataFrame"),
    ],
)
def test_names_that_are_no_array_are_refused(tmp_path, trap, module, name, protocol):
    path = tmp_path / "hostile.pkl"
    path.write_bytes(named(module, name, f"touch {trap}", protocol))
    with pytest.raises(InputError) as caught:
        read_payoff(path)
    assert str(caught.value).startswith(f"{path}: the pickle asks for {module}.{name}, which no array")


def test_harm_inside_an_otherwise_good_file(tmp_path):
    trap = tmp_path / "harm"
    bad = Call(Path.touch, trap)
    values = [
        {"game": A, "other": bad},
        [A, [bad]],
        np.array([bad, bad], dtype=object),
        {"game": np.array([[bad]], dtype=object)},
        (A, Call(os.system, f"touch {trap}")),
        {"game": A, "other": Call(eval, f"open({str(trap)!r}, 'w')")},
    ]
    for value in values:
        with pytest.raises(InputError, match=r"payoff.pkl: "):
            read_payoff(pickled(tmp_path, value), key="game" if isinstance(value, dict) else None)
        assert not trap.exists()
    # The trap works: an ordinary unpickler falls into it.
    pickle.loads(pickle.dumps(bad))
    assert trap.exists()


RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\n"
ARRAY = RECONSTRUCT + b"cnumpy\nndarray\nK\x00\x85C\x01b\x87R"
FLOAT = b"cnumpy\ndtype\n\x8c\x02f8\x89\x88\x87R"


def typed(call: bytes) -> bytes:
    """A pickle of an array whose type is what `call` makes of numpy.dtype."""
    return ARRAY + b"(K\x01K\x01\x85cnumpy\ndtype\n" + call + b"\x89C\x08xxxxxxxxtb."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"\x8c\x01xQ.", "refers to objects outside"),  # BINPERSID
        (b"Px\n.", "refers to objects outside"),  # PERSID
        (b"\x82\x01.", "not a complete pickle"),  # EXT1: the registry of extensions
        (b"cnumpy\nndarray\n.", "holds no array"),  # a class itself
        (b"cnumpy\nndarray\n)R.", "holds no array"),  # a call of it
        (b"cnumpy\nndarray\n)\x81.", "not a complete pickle"),  # NEWOBJ of it
        (b"(K\x01inumpy\nndarray\n.", "holds no array"),  # INST of it
        (b"cnumpy\nndarray\n}\x8c\x01xK\x01sb.", "holds no array"),  # a state for it
        (RECONSTRUCT + b"}\x8c\x01xK\x01sb.", "no data, or an unknown form"),
        (b"cnumpy\ndtype\nN}\x8c\x0c__defaults__)s\x86b.", "holds no array"),
        (typed(b"\x8c\x01O\x85R"), "type 'O'"),
        (typed(b"K\x01\x85R"), "type 1; give real numbers"),
        (typed(b"\x8c\x02f3\x85R"), "type 'f3'"),
        (FLOAT + b".", "holds no array"),
        (
            typed(b"\x8c\x02f8\x89\x88\x87R(K\x03\x8c\x01<N\x8c\x01aNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"),
            "records",
        ),
        (typed(b"\x8c\x02f8\x89\x88\x87R(K\x03\x8c\x01xNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"), "byte order"),
        (typed(b"\x8c\x02f8\x89\x88\x87R(K\x03K\x07NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"), "byte order"),
        (ARRAY + b".", "an array in the pickle has no data"),
        (ARRAY + b"K\x01b.", "unknown form"),
        (
            ARRAY + b"(K\x01K\x03K\x03\x86" + FLOAT + b"\x89C\x01xtb.",
            r"has 1 bytes, which do not fit the shape \(3, 3\)",
        ),
        (ARRAY + b"(K\x01J\xff\xff\xff\xff\x85" + FLOAT + b"\x89C\x01xtb.", "has no valid shape"),
        (ARRAY + b"(K\x01K\x03" + FLOAT + b"\x89C\x01xtb.", "has no valid shape"),
        (ARRAY + b"(K\x01K\x01\x85" + FLOAT + b"\x89]tb.", "holds Python objects"),
        (ARRAY + b"(K\x01K\x01\x85K\x08\x89C\x08xxxxxxxxtb.", "type None; give real"),
        (b"c_codecs\nencode\n\x8c\x01x\x8c\x03rot\x86R.", "holds no array"),
        *(
            (ARRAY + b"(K\x01K\x01\x85" + FLOAT + b"\x89c_codecs\nencode\n" + call + b"tb.", "holds Python objects")
            for call in (b"\x8c\x01x\x8c\x03rot\x86R", b"\x8c\x01x\x85R", b")R", b"K\x01\x8c\x06latin1\x86R")
        ),
        (b"Nr\xff\xff\xff\x7f.", "more memory than"),  # LONG_BINPUT: room for 2 billion objects
        (b"Np2000000000\n.", "more memory than"),
        (b"\x95\x00\x00\x00\x00\x00\x01\x00\x00N.", "more memory than"),  # FRAME
        (b"\x8e\x00\x00\x00\x00\x00\x01\x00\x00x.", "more memory than"),  # BINBYTES8
        (b"]]s.", "not a complete pickle"),
        (b"0.", "not a complete pickle"),
        (b"h\x07.", "not a complete pickle"),
    ],
)
def test_crooked_pickles_are_refused(tmp_path, trap, body, message):
    (tmp_path / "hostile.pkl").write_bytes(b"\x80\x04" + body)
    with pytest.raises(InputError, match=message):
        read_payoff(tmp_path / "hostile.pkl")


def test_an_array_larger_than_memory_takes_none(tmp_path):
    size = b"\x8a\x06\x00\x00\x00\x00\x00\x01"
    body = ARRAY + b"(K\x01" + size + size + b"\x86" + FLOAT + b"\x89C\x01xtb."
    (tmp_path / "large.pkl").write_bytes(b"\x80\x04" + body)
    with pytest.raises(InputError, match="has 1 bytes, which do not fit the shape"):
        read_payoff(tmp_path / "large.pkl")


def test_a_hostile_pickle_changes_neither_numpy_nor_the_reader(tmp_path):
    # Would turn the type of all floats of the process around, were the state given to numpy's own dtype.
    body = b"cnumpy\ndtype\n\x8c\x02f8\x85R(K\x03\x8c\x01>NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb."
    (tmp_path / "hostile.pkl").write_bytes(b"\x80\x04" + body)
    with pytest.raises(InputError):
        read_payoff(tmp_path / "hostile.pkl")
    assert np.dtype("f8").isnative
    assert np.array_equal(read_payoff(pickled(tmp_path, A)).to_dense(), P)


@FOLDER
@given(st.binary(max_size=60), st.booleans())
def test_noise_gives_an_input_error(tmp_path, noise, header):
    for suffix, start in (
        (".pkl", b"\x80\x04"),
        (".npy", b"\x93NUMPY\x01\x00"),
        (".npz", b"PK\x03\x04"),
        (".csv", b""),
    ):
        path = tmp_path / f"noise{suffix}"
        path.write_bytes((start if header else b"") + noise)
        with pytest.raises(InputError, match=f"noise{suffix}: "):
            read_payoff(path)


@FOLDER
@given(st.integers(0, 10**6), st.integers(0, 255))
def test_one_wrong_byte_gives_a_payoff_or_an_input_error(tmp_path, at, value):
    np.savez(tmp_path / "whole.npz", A=A)
    np.save(tmp_path / "whole.npy", A)
    (tmp_path / "whole.pkl").write_bytes(pickle.dumps(A))
    for suffix in (".npz", ".npy", ".pkl"):
        content = bytearray((tmp_path / f"whole{suffix}").read_bytes())
        content[at % len(content)] = value
        path = tmp_path / f"broken{suffix}"
        path.write_bytes(content)
        try:
            payoff = read_payoff(path)
        except InputError as error:
            assert str(error).startswith(f"{path}: ")
        else:
            assert ((payoff.p >= 0) & (payoff.p <= 1)).all()


# -------------------------------------------------------------------- .zip


def zipped(folder, *members: tuple[str, bytes]):
    with zipfile.ZipFile(folder / "payoffs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return folder / "payoffs.zip"


@pytest.mark.parametrize("name", ["games.pkl", "supplement/code/games.PKL", "../../../games.pkl", "/games.pkl"])
def test_the_payoff_of_an_archive(tmp_path, name):
    inside = tmp_path / "a" / "b" / "c"
    inside.mkdir(parents=True)
    content = pickle.dumps({"first": A, "second": -A})
    path = zipped(inside, ("paper.pdf", b"%PDF"), (name, content), ("__MACOSX/._games.pkl", b"\0"))
    before = sorted(tmp_path.rglob("*"))
    assert np.array_equal(read_payoff(path, key="first").to_dense(), P)
    assert sorted(tmp_path.rglob("*")) == before, "a member was unpacked beside the archive"
    with pytest.raises(InputError, match=r"payoffs\.zip: .*'first'"):
        read_payoff(path, key="frist")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([("paper.pdf", b"%PDF")], "this one has: none"),
        ([("a.csv", b"0.5"), ("b.npy", b"")], "this one has: 'a.csv', 'b.npy'"),
        ([("a.pkl", b"no pickle")], "a.pkl: it is not a complete pickle"),
        ([("a.zip", b"PK")], "this one has: none"),
    ],
)
def test_archives_that_are_refused(tmp_path, members, message):
    path = zipped(tmp_path, *members)
    with pytest.raises(InputError, match=message):
        read_payoff(path)


def test_an_archive_cannot_fill_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_MEMBER", 10_000)
    with pytest.raises(InputError, match=r"a\.csv takes \d+ bytes and would unpack to 80000"):
        read_payoff(zipped(tmp_path, ("a.csv", b"0.5,0.5\n" * 10_000)))
    np.savez_compressed(tmp_path / "x.npz", np.full((100, 100), 0.5))
    with pytest.raises(InputError, match=r"x\.npz: arr_0\.npy takes \d+ bytes and would unpack to 80128"):
        read_payoff(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", np.full((100, 100), 0.5))
    assert read_payoff(tmp_path / "x.npz").n_players == 100


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_file_is_refused(tmp_path, make):
    make(tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"x\.csv: cannot be read; give a file"):
        read_payoff(tmp_path / "x.csv")


def test_a_broken_archive(tmp_path):
    content = zipped(tmp_path, ("a.pkl", pickle.dumps(A))).read_bytes()
    for broken in (content[: len(content) // 2], content[:40] + b"\xff" * 30 + content[70:], b"<html>"):
        (tmp_path / "broken.zip").write_bytes(broken)
        with pytest.raises(InputError, match=r"broken\.zip: "):
            read_payoff(tmp_path / "broken.zip")


@pytest.mark.parametrize(
    "text",
    [
        ";a;b;c\na;0,5;0,7;\nb;0,3;0,5;1\nc;;0;0,5\n",
        "sep=;\r\n;a;b;c\r\na;0,5;0,7;\r\nb;0,3;0,5;1\r\nc;;0;0,5\r\n",
        ";a;b;c;;\na;0,5;0,7;;;\nb;0,3;0,5;1;;\nc;;0;0,5;;\n;;;;;\n",
        "\ta\tb\tc\na\t0.5\t0.7\t\nb\t0.3\t0.5\t1\nc\t\t0\t0.5\n",
        "player_a;player_b;p\na;b;0,7\nb;c;1\n",
    ],
)
def test_what_spreadsheets_of_other_countries_write(tmp_path, text):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    payoff = read_payoff(path)
    assert payoff.players.tolist() == ["a", "b", "c"]
    assert (payoff.i.tolist(), payoff.j.tolist(), payoff.p.tolist()) == ([0, 1], [1, 2], [0.7, 1])


def test_numbers_of_games_that_are_not_whole_are_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("player_a,player_b,p,games\na,b,0.7,10\nb,c,0.7,2.5\n")
    with pytest.raises(InputError, match=r"x\.csv: line 3 has games = 2\.5; give a whole number"):
        read_payoff(path)
    saved = Payoff(np.array(["a", "b"]), np.array([0]), np.array([1]), np.array([0.7]), np.array([2.5]))
    saved.save(tmp_path / "x.npz")
    with pytest.raises(InputError, match=r"x\.npz: 'a' and 'b' have 2\.5 games; give a whole number"):
        read_payoff(tmp_path / "x.npz")
