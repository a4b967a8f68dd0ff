"""Tables of results: every way to tell a result, every file, and mistakes in the mapping."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sqlite3
import tracemalloc
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest

from transitivity import Payoff, read_matchups
from transitivity.errors import InputError

HEADER = ["date", "home", "away", "hs", "as", "winner", "label", "cup", "n"]
ROWS = [
    ["2019-05-01", "Ann", "Bob", 3, 1, "Ann", "H", "final", 1],
    ["2020-05-01T10:00:00", "Bob", "Ann", 2, 2, "draw", "D", "group", 2],
    ["2021.05.01", "Bob", "Ann", 1, 0, "Bob", "H", "group", 3],
    ["2022/05/01", "Ann", "Cy", 0, 4, "Cy", "A", "group", 4],
]
PLAYERS = {"player_a": "home", "player_b": "away"}
SCORES = PLAYERS | {"score_a": "hs", "score_b": "as"}
WAYS = {
    "scores": SCORES,
    "winner": PLAYERS | {"winner": "winner"},
    "outcome": PLAYERS | {"outcome": "label", "outcomes": {"H": 1, "D": 0.5, "A": 0}},
}
EXPECTED = [("Ann", "Bob", 1, 1, 1), ("Ann", "Cy", 0, 0, 1)]


def rows(frame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def write(path: Path, table=ROWS, header=HEADER) -> Path:
    """Write rows in the format of a suffix."""
    suffix = path.suffix
    if suffix in (".csv", ".tsv"):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter="\t" if suffix == ".tsv" else ",").writerows([header, *table])
    elif suffix in (".jsonl", ".ndjson"):
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in table))
    elif suffix == ".parquet":
        pd.DataFrame(table, columns=header).to_parquet(path)
    else:
        connection = sqlite3.connect(path)
        pd.DataFrame(table, columns=header).to_sql("games", connection, index=False)
        connection.close()
    return path


def text(tmp_path: Path, content: str | bytes, name: str = "x.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "ndjson", "parquet", "sqlite", "db"])
def test_every_way_in_every_file(tmp_path, suffix, way):
    frame = read_matchups(write(tmp_path / f"x.{suffix}"), **WAYS[way])
    assert rows(frame) == EXPECTED
    assert frame.attrs["dropped"] == {}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "sqlite"])
def test_the_content_tells_what_a_file_is(tmp_path, suffix):
    path = write(tmp_path / f"x.{suffix}").rename(tmp_path / "results.txt")
    assert Payoff.from_counts(read_matchups(path, **SCORES)).players.tolist() == ["Ann", "Bob", "Cy"]
    if suffix not in ("parquet", "sqlite"):
        packed = text(tmp_path, gzip.compress(path.read_bytes()), "packed")
        assert rows(read_matchups(packed, **SCORES)) == EXPECTED


def test_an_array_of_json_is_read_with_one_object_a_line(tmp_path):
    objects = [json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS]
    for start, between, end in (
        ("[", ",\n", "]"),
        ("[\n  ", ",\n  ", "\n]\n"),
        ("[", "\n,", "]"),
        ("[", " ,\r\n", " ]"),
    ):
        path = text(tmp_path, start + between.join(objects) + end, "x.json")
        frame = read_matchups(path, **SCORES)
        assert (rows(frame), frame.attrs["dropped"]) == (EXPECTED, {}), (start, between, end)
    with pytest.raises(InputError, match=r"no JSON object.*write one object a line"):
        read_matchups(text(tmp_path, f"[{','.join(objects)}]", "x.json"), **SCORES)


def test_series_and_pairs(tmp_path):
    path = write(tmp_path / "x.csv")
    assert rows(read_matchups(path, **SCORES, row="series")) == [("Ann", "Bob", 5, 0, 4), ("Ann", "Cy", 0, 0, 4)]
    pairs = {"wins_a": "hs", "draws": "n", "wins_b": "as"}
    assert rows(read_matchups(path, **PLAYERS, **pairs)) == [("Ann", "Bob", 5, 6, 4), ("Ann", "Cy", 0, 4, 4)]
    del pairs["draws"]
    assert rows(read_matchups(path, **PLAYERS, **pairs)) == [("Ann", "Bob", 5, 0, 4), ("Ann", "Cy", 0, 0, 4)]


def test_a_table_of_matchups_needs_no_mapping(tmp_path):
    frame = read_matchups(write(tmp_path / "x.csv"), **SCORES)
    frame.to_csv(tmp_path / "counts.csv", index=False)
    assert rows(read_matchups(tmp_path / "counts.csv")) == EXPECTED


def test_filters(tmp_path):
    path = write(tmp_path / "x.csv")
    assert rows(read_matchups(path, **SCORES, where={"cup": "final"})) == [("Ann", "Bob", 1, 0, 0)]
    frame = read_matchups(path, **SCORES, where={"cup": ["final", "group"], "n": [1, 4]})
    assert rows(frame) == [("Ann", "Bob", 1, 0, 0), ("Ann", "Cy", 0, 0, 1)]
    assert frame.attrs["dropped"] == {"other n": 2}
    assert frame.attrs["located"] == {"other n": f"{path}: line 3"}
    frame = read_matchups(path, **SCORES, date="date", first="2020-05-01", last="2021-05-01")
    assert rows(frame) == [("Ann", "Bob", 0, 1, 1)]
    assert frame.attrs["dropped"] == {"other date": 2}


AWKWARD = (
    """home,away,hs,as,winner
Ann,Bob,1,0,Ann
Ann,Ann,1,0,Ann
,Bob,1,0,Bob
\\N,Bob,1,0,Bob
Bye,Bob,0,1,Bob
Ann,Bob,W/O,0,Eve
Ann,Bob,,,
Ann,Bob,inf,0,Ann
Ann,Bob,1

"Ann","Bob","2","0","Ann"
"Two
lines",Bob,1,0,Bob
Ann,Bob,NA,NA,\\N
"""
    + "Ann,Bob,,,\n" * 5
)


def test_what_does_not_count_is_counted_and_located(tmp_path):
    path = text(tmp_path, AWKWARD)
    frame = read_matchups(path, **SCORES)
    assert rows(frame) == [("Ann", "Bob", 2, 0, 0)]
    assert frame.attrs["dropped"] == {
        "self-play": 1,
        "no player name": 2,
        "dummy player": 1,
        "no score": 2,
        "no result": 7,
        "broken row": 1,
        "line break inside quotes": 2,
    }
    located = {reason: where.removeprefix(f"{path}: line ") for reason, where in frame.attrs["located"].items()}
    assert located == {
        "broken row": "10",
        "line break inside quotes": "13",
        "more than 2 % of the rows cannot be read": f"{path}: 3 of 18, from line 10 on",
        "self-play": "3",
        "no player name": "4",
        "dummy player": "6",
        "no score": "7",
        "no result": "8",
    }
    named = read_matchups(path, **PLAYERS, winner="winner", dummies=[]).attrs["dropped"]
    assert (named["winner is neither player"], named["no result"]) == (1, 7)
    assert "dummy player" not in named


def test_series_without_whole_scores(tmp_path):
    path = text(tmp_path, "home,away,hs,as\nA,B,2,1\nA,B,2,1\nA,B,2,1\nA,B,1.5,1\nA,B,-1,0\nA,B,0,0\n")
    frame = read_matchups(path, **SCORES, row="series")
    assert rows(frame) == [("A", "B", 6, 0, 3)]
    assert frame.attrs["dropped"] == {"no score": 1, "negative score": 1, "0-0": 1}
    # As games, these are results like others, but for the walkover.
    assert read_matchups(path, **SCORES).attrs["games"] == 5


def test_labels_that_are_no_game_and_ids_met_twice(tmp_path):
    path = text(tmp_path, "id,home,away,label\n1,A,B,w\n1,A,B,w\n2,A,B,void\n3,A,B,\n,A,B,w\n,A,B,w\n")
    options = PLAYERS | {"outcome": "label", "outcomes": {"w": 1, "void": None}, "game_id": "id"}
    frame = read_matchups(path, **options)
    assert rows(frame) == [("A", "B", 3, 0, 0)]
    assert frame.attrs["dropped"] == {"repeated game": 1, "not a game": 1, "no result": 1}


def test_values_are_compared_as_text(tmp_path):
    path = write(tmp_path / "x.parquet", [[1, 2, True], [2.0, 1, False]], ["a", "b", "won"])
    options = {"player_a": "a", "player_b": "b", "outcome": "won", "outcomes": {True: 1, False: 0}}
    assert rows(read_matchups(path, **options)) == [("1", "2", 2, 0, 0)]


def test_names_that_differ_by_case(tmp_path):
    path = text(tmp_path, "home,away,winner\nAnn,Bob,ann\nANN,bob,Ann\n")
    frame = read_matchups(path, **PLAYERS, winner="winner", case_sensitive=False)
    assert rows(frame) == [("Ann", "Bob", 2, 0, 0)]


def test_texts_of_other_programs(tmp_path):
    body = "home{0}away{0}winner\nJosé{0}Bob{0}José\n"
    for name, content in {
        "latin.csv": body.format(",").encode("latin-1"),
        "mark.csv": body.format(",").encode("utf-8-sig"),
        "semicolon.csv": body.format(";"),
        "tab.csv": body.format("\t"),
        "lines.csv": body.format(",").replace("\n", "\r\n"),
        "packed.csv.gz": gzip.compress(body.format(",").encode()),
    }.items():
        assert rows(read_matchups(text(tmp_path, content, name), **PLAYERS, winner="winner")) == [
            ("Bob", "José", 0, 0, 1)
        ]
    path = text(tmp_path, body.format("|"), "bar.csv")
    assert len(read_matchups(path, **PLAYERS, winner="winner", delimiter="|")) == 1


def test_the_delimiter_is_what_the_header_has_most_of(tmp_path):
    for header in ("home;away;winner;who, when", '"home, too";away;winner'):
        path = text(tmp_path, f"{header}\nA;B;A{';x' * (header.count(';') - 2)}\n")
        home = "home, too" if "too" in header else "home"
        assert len(read_matchups(path, player_a=home, player_b="away", winner="winner")) == 1


def test_what_spreadsheets_write(tmp_path):
    """A first line with the separator, and empty cells behind the last column."""
    path = text(
        tmp_path,
        "sep=;\r\nhome;away;winner\r\nAnn;Bob;Ann;;\r\nAnn;Bob;Bob\r\nAnn;Bob;Bob;x\r\n" + "Ann;Bob;Ann\r\n" * 4,
    )
    frame = read_matchups(path, **PLAYERS, winner="winner")
    assert rows(frame) == [("Ann", "Bob", 5, 0, 1)]
    assert (frame.attrs["dropped"], frame.attrs["located"]["broken row"]) == ({"broken row": 1}, f"{path}: line 5")


def test_columns_and_values_that_are_latin_1(tmp_path):
    path = text(tmp_path, "Équipe,away,winner,où\nJosé,Bob,José,Köln\nJosé,Bob,Bob,Bonn\n".encode("latin-1"))
    frame = read_matchups(path, player_a="Équipe", player_b="away", winner="winner", where={"où": "Köln"})
    assert rows(frame) == [("Bob", "José", 0, 0, 1)]
    with pytest.raises(InputError, match="its columns are: Équipe, away, winner, où"):
        read_matchups(path, player_a="x", player_b="away", winner="winner")


def test_names_of_all_kinds_are_kept(tmp_path):
    names = ["하늘", "<b>bold</b>", "N" * 200, "ann", "Ann", "None", 'a "b"', "$\\alpha_1$", "A\0", "B\x1b[31m"]
    path = write(tmp_path / "x.csv", [["2020-01-01", name, "Bob", 1, 0, name, "H", "", 1] for name in names])
    frame = read_matchups(path, **SCORES)
    # What a terminal would obey is shown.
    assert set(frame["player_a"]) | set(frame["player_b"]) == {*names[:-2], "A\\x00", "B\\x1b[31m", "Bob"}
    assert frame.attrs["games"] == len(names)


def test_numbers_that_are_none(tmp_path):
    scores = ["-3,-2", "1e400,0", "nan,1", "NaN,1", '"1,5",2', "W,L", ",1", "0x10,2", "+3,2", " 3 ,2"]
    path = text(tmp_path, "home,away,hs,as\n" + "".join(f"A,B,{one}\n" for one in scores))
    frame = read_matchups(path, **SCORES)
    assert rows(frame) == [("A", "B", 2, 0, 1)]
    assert frame.attrs["dropped"] == {"no score": 3, "negative score": 1, "no result": 3}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_text_without_lines_takes_no_memory(tmp_path, suffix):
    path = text(tmp_path, gzip.compress(b"x" * 50_000_000), f"x.{suffix}.gz")
    tracemalloc.start()
    with pytest.raises(InputError, match=r"line 1 cannot be read as a header|one object a line") as refused:
        read_matchups(path, **PLAYERS, winner="winner")
    assert len(str(refused.value)) < 1000
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_rows_of_json_need_not_have_every_column(tmp_path):
    path = text(tmp_path, '{"home": "A", "away": "B"}\n{"home": "A", "away": "B", "winner": "A"}\n', "x.jsonl")
    frame = read_matchups(path, **PLAYERS, winner="winner")
    assert (rows(frame), frame.attrs["dropped"]) == ([("A", "B", 1, 0, 0)], {"no result": 1})


def test_values_that_are_no_plain_values(tmp_path):
    good = '{"home": "A", "away": "B", "winner": "A"}\n'
    odd = [
        {"home": {"x": 1}, "away": "B", "winner": "B"},
        {"home": "A", "away": "B", "winner": ["A"]},
        {"home": float("nan"), "away": "B", "winner": "B"},
        {"home": "\ud800", "away": "B", "winner": "B"},
    ]
    path = text(tmp_path, good * 9 + "".join(json.dumps(row) + "\n" for row in odd), "x.jsonl")
    frame = read_matchups(path, **PLAYERS, winner="winner")
    assert rows(frame) == [("?", "B", 0, 0, 1), ("A", "B", 9, 0, 0)]
    assert frame.attrs["dropped"] == {"no player name": 2, "no result": 1}
    nested = pd.DataFrame({"home": [["A"]], "away": ["B"], "winner": ["A"]})
    nested.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"the column 'home' holds list<.*name one of plain values"):
        read_matchups(tmp_path / "x.parquet", **PLAYERS, winner="winner")


def test_parquet_with_nulls_and_times(tmp_path):
    times = pd.to_datetime(["2019-05-01", "2020-05-01", "2021-05-01", None])
    table = {"home": ["A", "A", "A", "A"], "away": ["B", None, "B", "B"], "hs": [1, 2, None, 4], "as": [0.0, 1, 1, 2]}
    pd.DataFrame(table | {"date": times}).to_parquet(tmp_path / "x.parquet")
    frame = read_matchups(tmp_path / "x.parquet", **SCORES)
    assert (rows(frame), frame.attrs["dropped"]) == ([("A", "B", 2, 0, 0)], {"no player name": 1, "no result": 1})
    assert frame.attrs["located"]["no player name"] == f"{tmp_path / 'x.parquet'}: row 2"
    frame = read_matchups(tmp_path / "x.parquet", **SCORES, date="date", last="2020-12-31")
    assert frame.attrs["dropped"] == {"no player name": 1, "other date": 1, "no date": 1}


def test_parquet_with_texts_that_are_no_utf_8(tmp_path):
    names = pyarrow.array([b"A", b"\xff\xfe"]).view(pyarrow.string())
    table = pyarrow.table({"home": names, "away": ["B", "B"], "winner": ["B", "B"]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(InputError, match="damaged after row 0; get it again"):
        read_matchups(tmp_path / "x.parquet", **PLAYERS, winner="winner")


def test_a_locked_sqlite_file_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "x.sqlite")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, timeout=0, **options))
    holder = connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InputError, match="locked by another program; close that"):
        read_matchups(path, **SCORES)
    holder.close()


def test_binary_tables_in_archives_are_refused(tmp_path):
    for suffix in ("parquet", "sqlite"):
        path = write(tmp_path / f"x.{suffix}")
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
            archive.write(path, path.name)
        with pytest.raises(InputError, match=r"cannot be read from an archive; unpack it first"):
            read_matchups(tmp_path / "x.zip", format="results", **SCORES)
        packed = text(tmp_path, gzip.compress(path.read_bytes()), f"y.{suffix}.gz")
        with pytest.raises(InputError, match=r"unpack it"):
            read_matchups(packed, format="results", **SCORES)


def test_json_lines(tmp_path):
    good = '{"players": {"white": {"name": "Ann"}, "black": {"name": "Bob"}}, "won": "white"}\n'
    bad = ['{"players": 3, "won": "white"}\n', "[1]\n", "{broken\n", "\n", '{"won": null}\n', "[" * 100_000 + "\n"]
    path = text(tmp_path, good * 14 + "".join(bad), "x.jsonl")
    options = {"player_a": "players.white.name", "player_b": "players.black.name", "outcome": "won"}
    frame = read_matchups(path, **options, outcomes={"white": 1, "black": 0})
    assert rows(frame) == [("Ann", "Bob", 14, 0, 0)]
    assert frame.attrs["dropped"] == {"broken row": 3, "no player name": 2}
    assert frame.attrs["located"]["broken row"] == f"{path}: line 16"
    with pytest.raises(InputError, match="one object a line"):
        read_matchups(text(tmp_path, "[\n[1]\n]", "y.jsonl"))


def test_sqlite_tables_are_picked_and_quoted(tmp_path):
    path = tmp_path / "x.sqlite"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "odd ""table" ("a ""b" TEXT, b TEXT, w INTEGER, l INTEGER)')
    connection.execute('INSERT INTO "odd ""table" VALUES ("Ann", "Bob", 1, 0)')
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    options = {"player_a": 'a "b', "player_b": "b", "wins_a": "w", "wins_b": "l"}
    assert rows(read_matchups(path, **options, table='odd "table')) == [("Ann", "Bob", 1, 0, 0)]
    with pytest.raises(InputError, match='2 tables; pick one by table=: odd "table, other'):
        read_matchups(path, **options)
    with pytest.raises(InputError, match="did you mean 'other'"):
        read_matchups(path, **options, table="othr")


def test_a_cut_text_loses_its_last_row(tmp_path):
    body = "home,away,winner\n" + "".join(f"Ann,Bob{k * 7919 % 9973},Ann\n" for k in range(9000))
    data = gzip.compress(body.encode())
    path = text(tmp_path, data[: len(data) // 2], "x.csv.gz")
    frame = read_matchups(path, **PLAYERS, winner="winner")
    assert 0 < frame.attrs["games"] < 9000
    assert frame.attrs["noted"] == {"file cut off": 1}
    assert frame.attrs["dropped"] == {"broken row": 1}
    assert all(re.fullmatch(r"Bob\d+", name) for name in frame["player_b"])


HEAD = "home,away,winner\n"
GOOD = "Ann,Bob,Ann\n"
WINNER = PLAYERS | {"winner": "winner"}


@pytest.mark.parametrize(
    ("swallowed", "lines", "at"),
    [
        ('Ann,"Bob,Ann\n' + GOOD * 3 + 'Ann,Bob",Ann\n', 5, 502),
        ('Ann,"Bob,Ann\n' + GOOD * 3 + '"Ann,Bob,Ann\n', 5, 502),
        ('Ann,Bob,"Ann\n' + GOOD * 3, 4, 502),
        ('Ann,"Bob\nBob",Ann\n', 2, 502),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_inside_an_open_quote_are_counted_and_located(tmp_path, swallowed, lines, at, end):
    behind = "" if swallowed.count('"') % 2 else GOOD
    path = text(tmp_path, (HEAD + GOOD * 500 + swallowed + behind).replace("\n", end))
    frame = read_matchups(path, **WINNER)
    assert rows(frame) == [("Ann", "Bob", 500 + bool(behind), 0, 0)]
    assert frame.attrs["dropped"] == {"line break inside quotes": lines}
    assert frame.attrs["located"]["line break inside quotes"] == f"{path}: line {at}"


def test_a_comment_of_several_lines_is_no_fault_but_an_open_quote_is(tmp_path):
    good = 'Ann,Bob,Ann,"said\n""well"" done"\n'
    frame = read_matchups(text(tmp_path, "home,away,winner,note\n" + good * 50), **WINNER)
    assert (rows(frame), frame.attrs["dropped"]) == ([("Ann", "Bob", 50, 0, 0)], {})
    # The next quote closes it, and the number of cells is right.
    open_quote = 'Ann,Bob,Ann,"said\nAnn,Bob,Ann,x\nAnn,Bob,Ann,"well"\n'
    frame = read_matchups(text(tmp_path, "home,away,winner,note\n" + good * 50 + open_quote), **WINNER)
    assert (rows(frame), frame.attrs["dropped"]) == ([("Ann", "Bob", 50, 0, 0)], {"line break inside quotes": 3})


def test_a_text_of_which_much_cannot_be_read_is_refused(tmp_path):
    path = text(tmp_path, HEAD + GOOD * 79 + "Ann,Bob\n" * 20 + GOOD)
    frame = read_matchups(path, **WINNER)
    assert frame.attrs["games"] == 80
    (note,) = frame.attrs["noted"]
    assert note == "more than 2 % of the rows cannot be read"
    assert frame.attrs["located"][note] == f"{path}: 20 of 100, from line 81 on"
    assert read_matchups(text(tmp_path, HEAD + GOOD * 98 + "Ann\n" * 2), **WINNER).attrs["noted"] == {}
    for content in (HEAD + GOOD * 79 + "Ann,Bob\n" * 21, HEAD + GOOD * 79 + 'Ann,"Bob,Ann\n' + GOOD * 20):
        with pytest.raises(InputError, match=r"x.csv: 21 of 100 rows cannot be read, the first at line 81"):
            read_matchups(text(tmp_path, content), **WINNER)
    broken = '{"home": "Ann", "away": "Bob", "winner": "Ann"}\n' * 79 + "{\n" * 21
    with pytest.raises(InputError, match=r"x.jsonl: 21 of 100 rows cannot be read, the first at line 80"):
        read_matchups(text(tmp_path, broken, "x.jsonl"), **WINNER)


def test_huge_cells_and_lines_invent_no_game(tmp_path):
    log = "X,Y,X,ok\n" * 120_000
    head = "home,away,winner,log\n"
    good = "Ann,Bob,Ann,ok\n" * 600_000
    path = text(tmp_path, head + good + f'Ann,Bob,Ann,"log:\n{log}"\n' + "Ann,Bob,Ann,ok\n" * 2)
    frame = read_matchups(path, **WINNER)
    assert rows(frame) == [("Ann", "Bob", 600_002, 0, 0)]
    assert frame.attrs["dropped"] == {"row over 1 MiB": 120_002}
    assert frame.attrs["located"]["row over 1 MiB"] == f"{path}: line 600002"
    for wide in ("x" * (1 << 20) + ",Eve,Ann,Eve", '"' + "y" * (1 << 21) + '",Eve,Ann,Eve'):
        path = text(tmp_path, head + "Ann,Bob,Ann,ok\n" * 9 + f"{wide}\nAnn,Bob,Ann,ok\n")
        frame = read_matchups(path, **WINNER)
        assert rows(frame) == [("Ann", "Bob", 10, 0, 0)]
        assert frame.attrs["dropped"] == {"row over 1 MiB": 1}
    inside = '{"home": "Eve", "away": "Ann", "winner": "Eve"}'
    line = json.dumps({"log": "x" * ((1 << 20) - 9)}) + inside
    path = text(tmp_path, '{"home": "Ann", "away": "Bob", "winner": "Ann"}\n' * 9 + line + "\n", "x.jsonl")
    frame = read_matchups(path, **WINNER)
    assert (rows(frame), frame.attrs["dropped"]) == ([("Ann", "Bob", 9, 0, 0)], {"broken row": 1})


DRAWN = [
    "draw",
    "Draw",
    "drawn",
    "tie",
    "TIED",
    "remis",
    "1/2",
    "½",
    "1/2-1/2",
    "½ - ½",
    "0.5-0.5",
    "0,5",
    "tie (bothbad)",
]


@pytest.mark.parametrize("label", DRAWN)
def test_a_draw_has_many_spellings(tmp_path, label):
    frame = read_matchups(text(tmp_path, HEAD + GOOD + f'Ann,Bob,"{label}"\n'), **WINNER)
    assert (rows(frame), frame.attrs["dropped"]) == ([("Ann", "Bob", 1, 1, 0)], {})


def test_other_labels_are_reported_before_anything_is_counted(tmp_path):
    path = text(tmp_path, HEAD + GOOD * 9 + "Ann,Bob,nobody\n" * 2 + "Ann,Bob,Zoe\n")
    with pytest.raises(InputError, match=r"x.csv: line 11: winner is 'nobody', in 2 rows.*outcomes"):
        read_matchups(path, **WINNER)
    for meaning, expected in ((0.5, (9, 2, 0)), (None, (9, 0, 0)), (0, (9, 0, 2))):
        frame = read_matchups(path, **WINNER, outcomes={"nobody": meaning})
        assert rows(frame) == [("Ann", "Bob", *expected)]
        assert frame.attrs["dropped"]["winner is neither player"] == 1
    # Another player of the file is a mistake of the row, not a label.
    path = text(tmp_path, HEAD + GOOD * 9 + "Ann,Bob,Cy\n" * 2 + "Cy,Bob,Cy\n")
    assert read_matchups(path, **WINNER).attrs["dropped"] == {"winner is neither player": 2}


def test_scores_of_halves(tmp_path):
    scores = ["½,½", "1/2,1/2", '"0,5","0,5"', "2½,1 1/2", "1½,2½", "-1,0", "0,-1", "-1,-1", "11/2,1"]
    frame = read_matchups(text(tmp_path, "home,away,hs,as\n" + "".join(f"A,B,{one}\n" for one in scores)), **SCORES)
    assert rows(frame) == [("A", "B", 1, 3, 1)]
    assert frame.attrs["dropped"] == {"negative score": 3, "no score": 1}


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_true_and_false_are_labels_in_every_file(tmp_path, suffix):
    path = write(tmp_path / f"x.{suffix}", [["A", "B", True], ["A", "B", False]], ["home", "away", "won"])
    for outcomes in ({True: 1, False: 0}, {"true": 1, "false": 0}):
        frame = read_matchups(path, **PLAYERS, outcome="won", outcomes=outcomes)
        assert rows(frame) == [("A", "B", 1, 0, 1)]
        assert len(read_matchups(path, **PLAYERS, outcome="won", outcomes=outcomes, where={"won": True})) == 1


def test_names_that_look_alike_are_one_player(tmp_path):
    odd = ["Jose\u0301 Pe\u0301rez", "José\u00a0Pérez", "José  Pérez", "\ufeffJosé Pérez", "Jo\u200bsé Pérez\u200e"]
    table = [["José Pérez", "Bob", "José Pérez"], *([name, "Bob", name] for name in odd), ["José Pérez", "Bob", odd[0]]]
    path = write(tmp_path / "x.csv", table, ["home", "away", "winner"])
    frame = read_matchups(path, **WINNER)
    assert rows(frame) == [("Bob", "José Pérez", 0, 0, 7)]
    assert frame.attrs["noted"] == {"name respelled": 5}
    assert frame.attrs["located"] == {"name respelled": f"{path}: line 3"}


def test_a_player_may_be_called_na(tmp_path):
    path = text(tmp_path, HEAD + "NA,null,NA\nBye,Ann,Ann\n,Ann,Ann\nAnn,NA,Ann\nAnn,Bob,Ann\n")
    frame = read_matchups(path, **WINNER)
    assert rows(frame) == [("Ann", "Bob", 1, 0, 0), ("Ann", "NA", 1, 0, 0), ("NA", "null", 1, 0, 0)]
    assert frame.attrs["dropped"] == {"dummy player": 1, "no player name": 1}
    assert frame.attrs["noted"] == {"name that may stand for nobody": 2}
    assert read_matchups(path, **WINNER, dummies=["na", "null", "bye"]).attrs["games"] == 1
    # Whoever is in a table that read_matchups made was counted as a player.
    own = "player_a,player_b,wins_a,draws,wins_b\nAnn,bye,1,0,0\nNA,null,0,1,0\n"
    assert len(read_matchups(text(tmp_path, own))) == 2


def test_a_value_of_where_that_no_row_has_is_noted(tmp_path):
    frame = read_matchups(write(tmp_path / "x.csv"), **SCORES, where={"cup": ["final", "fnal"]})
    assert frame.attrs["noted"] == {"no row whose cup is 'fnal'": 1}


@pytest.mark.parametrize("suffix", ["parquet", "sqlite"])
def test_damaged_files_are_refused(tmp_path, suffix):
    path = write(tmp_path / f"x.{suffix}", ROWS * 2000)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="get it again"):
        read_matchups(path, **SCORES)
    path.write_bytes(b"hello")
    with pytest.raises(InputError, match=f"is not a .{suffix} file"):
        read_matchups(path, **SCORES)


# -------------------------------------------------------------------- mistakes


MISTAKES = [
    (PLAYERS, "not a table of matchups; say by winner, score_a and score_b, .* of: date, home"),
    (SCORES | {"winner": "winner"}, "both winner and score_a and score_b are given"),
    (PLAYERS | {"score_a": "hs"}, "score_b, too"),
    (PLAYERS | {"outcome": "label"}, "outcome and outcomes go together"),
    (PLAYERS | {"outcome": "label", "outcomes": {"H": 2}}, "maps 'H' to 2; map it to 1, 0.5, 0"),
    (SCORES | {"row": "serie"}, "did you mean 'series'"),
    (WAYS["winner"] | {"row": "series"}, "which needs score_a and score_b"),
    (SCORES | {"row": "pair"}, "which needs wins_a and wins_b"),
    (SCORES | {"first": "2020-01-01"}, "name it by date"),
    (SCORES | {"date": "date", "first": "yesterday"}, "YYYY-MM-DD"),
    (SCORES | {"score_a": 3}, "score_a is 3; give the name of a column"),
    (SCORES | {"score_a": "hoem"}, r"no column 'hoem' \(did you mean 'home'\?\); its columns are: date, home, away"),
    (SCORES | {"score_a": "xyz"}, "no column 'xyz'; its columns are: date, home, away, hs, as, winner"),
    (SCORES | {"where": "cup"}, r"where is 'cup'; give a mapping, such as \{"),
    (PLAYERS | {"outcome": "label", "outcomes": ["H"]}, r"outcomes is \['H'\]; give a mapping, such as \{"),
    (SCORES | {"delimiter": ";;"}, "delimiter is ';;'; give the one character"),
    (SCORES | {"delimiter": "\n"}, "give the one character"),
    (SCORES | {"where": {"cups": "final"}}, "no column 'cups'"),
    (SCORES | {"where": {"cup": "fnal"}}, "no row whose cup is 'fnal'; it holds 'final', 'group'"),
    (SCORES | {"score_a": "cup"}, "4 of the first 4 rows have the fault 'no score' .*line 2 has cup = 'final'"),
    (SCORES | {"player_b": "home"}, "fault 'self-play'"),
    (PLAYERS | {"winner": "label"}, "'winner is neither player'.*label = 'H'"),
    (SCORES | {"date": "cup", "first": "2020-01-01"}, "'no date'.*write days as YYYY-MM-DD"),
    (PLAYERS | {"outcome": "label", "outcomes": {"H": 1, "A": 0}}, r"line 3: label is 'D', which outcomes does not"),
    (
        SCORES | {"date": "date", "first": "2030-01-01"},
        r"no row that can be counted: other date \(4, first in .*: line 2\)",
    ),
]


@pytest.mark.parametrize(("options", "reason"), MISTAKES)
def test_mistakes_in_the_mapping_are_named(tmp_path, options, reason):
    with pytest.raises(InputError, match=reason):
        read_matchups(write(tmp_path / "x.csv"), **options)


def test_a_mistake_is_found_on_the_first_rows(tmp_path):
    path = write(tmp_path / "x.csv", ROWS * 25_000)
    with pytest.raises(InputError, match="200 of the first 200 rows"):
        read_matchups(path, **PLAYERS, winner="cup")


def test_columns_and_headers_that_are_none(tmp_path):
    with pytest.raises(InputError, match="'home' twice"):
        read_matchups(text(tmp_path, "home,home,away,winner\nA,A,B,A\n"), **PLAYERS, winner="winner")
    with pytest.raises(InputError, match="first line must name the columns"):
        read_matchups(text(tmp_path, "\nhome,away,winner\n"), **PLAYERS, winner="winner")
    with pytest.raises(InputError, match="it has no rows"):
        read_matchups(text(tmp_path, "home,away,winner\n"), **PLAYERS, winner="winner")


# -------------------------------------------------------------------- real files


def test_football(shared_data):
    options = {"player_a": "home_team", "player_b": "away_team", "score_a": "home_score", "score_b": "away_score"}
    frame = read_matchups(shared_data / "football" / "results.csv", **options)
    assert (frame.attrs["games"], int(frame["draws"].sum())) == (49_520, 11_258)
    cup = read_matchups(
        shared_data / "football" / "results.csv",
        **options,
        where={"tournament": "FIFA World Cup"},
        date="date",
        last="1930-12-31",
    )
    assert cup.attrs["games"] == 18


def test_language_models(shared_data):
    outcomes = {"left": 1, "tie": 0.5, "right": 0}
    frame = read_matchups(
        shared_data / "llm_arena" / "llmfao.csv", player_a="left", player_b="right", outcome="winner", outcomes=outcomes
    )
    payoff = Payoff.from_counts(frame)
    assert (frame.attrs["games"], int(frame["draws"].sum()), payoff.n_players) == (8_931, 3_471, 59)


def test_starcraft_games(shared_data):
    frame = read_matchups(
        shared_data / "starcraft" / "sc2-korean.csv",
        player_a="winner_name",
        player_b="loser_name",
        winner="winner_name",
    )
    assert (frame.attrs["games"], int(frame["draws"].sum())) == (7_968, 0)


def test_empty_lines_are_no_rows(tmp_path):
    path = text(tmp_path, "\r\n".join(["home,away,winner", "Ann,Bob,Ann", *[""] * 5, "Bob,Cy,Cy", *[""] * 5]))
    frame = read_matchups(path, **WAYS["winner"])
    assert len(frame) == 2 and not frame.attrs["dropped"]


def test_the_first_row_without_a_result_is_told(tmp_path):
    path = text(tmp_path, "home,away,hs,as\nAnn,Bob,3,1\nAnn,Bob,1,\nAnn,Bob,,1\n")
    assert read_matchups(path, **SCORES).attrs["located"] == {"no result": f"{path}: line 3"}
