"""Results as people have them: filters, ids, renamed players, dates, encodings, and rows without their last cells."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitivity import read_matchups
from transitivity.errors import InputError
from transitivity.sources import rows, tables
from transitivity.sources.games import read_games

PLAYERS = {"player_a": "home", "player_b": "away", "winner": "winner"}
MATCHES = """date,id_a,home,id_b,away,winner,surface,level,minutes
03/01/2020,1,Ann,2,Bob,Ann,Clay,ATP 250,90
05/02/2020,2,Bob,3,Ann,Ann,Grass,ATP 500,61
07/03/2020,1,Ann,2,Bob,Bob,Hard,Challenger,
08/03/2020,1,Ann,3,Ann,Ann,Hard,ATP 1000,120
"""


def matches(tmp_path: Path, text: str = MATCHES) -> Path:
    path = tmp_path / "matches.csv"
    path.write_text(text, encoding="utf-8")
    return path


def games(frame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"surface": {"not": "Hard"}}, 2),
        ({"surface": {"not": ["Hard", "Clay"]}}, 1),
        ({"level": {"like": "ATP *"}}, 2),
        ({"level": {"like": ["ATP ?00", "Chall*"]}}, 2),
        ({"minutes": {"min": 61}}, 2),
        ({"minutes": {"min": 61.5, "max": 100}}, 1),
        ({"date": {"max": "05/02/2020"}}, 2),
        ({"surface": {"in": ["Hard", "Clay"], "not": "Clay"}, "level": "Challenger"}, 1),
    ],
)
def test_where_takes_exclusions_ranges_and_patterns(tmp_path, where, kept):
    frame = read_matchups(matches(tmp_path), **PLAYERS, where=where)
    # The row of Ann against Ann is self-play where players go by their names.
    assert frame.attrs["games"] + frame.attrs["dropped"].get("self-play", 0) >= kept
    assert frame.attrs["games"] == kept


def test_a_condition_that_no_row_meets_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no row whose minutes is at least '200'; it holds '', '120'"):
        read_matchups(matches(tmp_path), **PLAYERS, where={"minutes": {"min": 200}})
    with pytest.raises(InputError, match=r"where has 'max_' for 'minutes'; did you mean 'max'"):
        read_matchups(matches(tmp_path), **PLAYERS, where={"minutes": {"max_": 200}})


def test_players_by_id_are_shown_by_name(tmp_path):
    ids = {"player_a": "id_a", "player_b": "id_b", "outcome": "surface", "outcomes": {"Clay": 1, "Grass": 0, "Hard": 1}}
    frame = read_matchups(matches(tmp_path), **ids, name_a="home", name_b="away")
    assert games(frame) == [("Ann (1)", "Bob", 2, 0, 0), ("Ann (1)", "Ann (3)", 1, 0, 0), ("Bob", "Ann (3)", 0, 0, 1)]
    with pytest.raises(InputError, match="name_a and name_b go together"):
        read_matchups(matches(tmp_path), **ids, name_a="home")


@pytest.mark.parametrize("as_file", [True, False])
def test_renamed_players_are_one(tmp_path, as_file):
    path = matches(tmp_path, "home,away,winner\nAnn Lee,Bob,Ann Lee\nAnn  Kim,Bob,Ann Kim\nBob,Ann,ann\n")
    names = {"Ann Lee": "Ann Kim", "Ann Kim": "Ann"}
    if as_file:
        table = tmp_path / "names.csv"
        table.write_text("name,called\n" + "".join(f"{one},{to}\n" for one, to in names.items()))
        names = str(table)
    assert games(read_matchups(path, **PLAYERS, names=names, case_sensitive=False)) == [("Ann", "Bob", 3, 0, 0)]


def test_versions_of_an_engine_are_one_in_pgn(tmp_path):
    path = tmp_path / "x.pgn"
    game = '[Event "e"]\n[White "{}"]\n[Black "Other"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    path.write_text(game.format("Fish 15") + game.format("FISH 16"))
    frame = read_matchups(path, names={"Fish 15": "Fish", "Fish 16": "Fish"})
    assert games(frame) == [("Fish", "Other", 2, 0, 0)]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ({"A": "B", "B": "A"}, "'A'.*again"),
        ("nowhere.csv", "names is 'nowhere.csv', which cannot be read"),
        (7, "names is 7, which cannot be read"),
        ({"A": None}, "names gives 'A' an empty name"),
        ({"A": " "}, "names gives 'A' an empty name"),
    ],
)
def test_names_that_make_no_sense_are_refused(tmp_path, names, says):
    with pytest.raises(InputError, match=says):
        read_matchups(matches(tmp_path), **PLAYERS, names=names)


def test_what_names_calls_an_id_or_a_name_comes_before_the_names_of_the_file(tmp_path):
    path = matches(tmp_path, "home,away,ha,aa,winner\n7,1,Old,Ann,7\n1,2,Ann,Bob,1\n2,3,Bob,Eve,2\n1,3,Ann,Eve,3\n")
    options = PLAYERS | {"name_a": "ha", "name_b": "aa"}
    counted = [("Alice", "Bob", 1, 0, 0), ("Alice", "Eve", 0, 0, 1), ("Bob", "Eve", 1, 0, 0)]
    for names in ({"1": "Alice"}, {1.0: "Alice"}, {"Ann": "Alice"}):
        frame = read_matchups(path, **options, names=names, where={"ha": {"not": "Old"}})
        assert sorted(tuple(sorted(row[:2])) for row in games(frame)) == [row[:2] for row in counted]
    # An id that is called another one has the name of that one.
    joined = read_matchups(path, **options, names={7: 3})
    assert {name for row in games(joined) for name in row[:2]} == {"Ann", "Bob", "Eve"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"where": {"surface": []}}, "where has nothing under 'in' for 'surface'"),
        ({"where": {"surface": {"not": []}}}, "where has nothing under 'not' for 'surface'"),
        ({"date": "date", "date_format": "%d %d"}, "date_format is '%d %d'"),
        ({"date": "date", "date_format": 5}, "date_format is 5"),
        ({"date": "date", "date_format": "%"}, "date_format is '%'"),
        ({"encoding": "hex"}, "no encoding 'hex'"),
        ({"encoding": "rot13"}, "no encoding 'rot13'"),
        ({"encoding": 5}, "no encoding 5"),
        ({"delimiter": "\0"}, "give the one character"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path, given, says):
    with pytest.raises(InputError, match=says):
        read_matchups(matches(tmp_path), **PLAYERS | given)


def test_any_character_may_separate_cells(tmp_path):
    path = matches(tmp_path, MATCHES.replace(",", "§"))
    assert games(read_matchups(path, **PLAYERS, delimiter="§")) == [("Ann", "Bob", 2, 0, 1)]


def test_a_date_format_may_tell_the_zone(tmp_path):
    path = matches(tmp_path, "when,home,away,winner\n2020-03-07 10:00 +0200,Ann,Bob,Ann\n")
    frame = read_matchups(path, **PLAYERS, date="when", date_format="%Y-%m-%d %H:%M %z", first="2020-03-07")
    assert frame.attrs["games"] == 1


@pytest.mark.parametrize(
    ("first", "second", "date_format"),
    [
        ("20200103", "20200307", None),
        ("2020-01-03", "2020-03-07 10:00:00 UTC", None),
        ("03/01/2020", "07/03/2020", "%d/%m/%Y"),
        ("3. Jan 20", "7. Mar 20", "%d. %b %y"),
        ("1578009600", "1583539200.5", "unix"),
    ],
)
def test_dates_in_other_formats_filter_and_order(tmp_path, first, second, date_format):
    path = matches(tmp_path, f"when,home,away,winner\n{second},Ann,Bob,Ann\n{first},Ann,Bob,Bob\n")
    options = PLAYERS | {"date": "when", "date_format": date_format}
    assert read_games(path, **options)["score"].tolist() == [0, 1]
    assert games(read_matchups(path, **options, first="2020-02-01")) == [("Ann", "Bob", 1, 0, 0)]
    with pytest.raises(InputError, match=r"'no date'.*date_format"):
        read_matchups(path, **options | {"date_format": "%H:%M"}, first="2020-02-01")


def test_rows_may_leave_out_their_last_cells(tmp_path):
    path = matches(tmp_path, "home,away,winner,note,city\n" + "Ann,Bob,Ann\n" * 30 + "Ann,Bob\n")
    frame = read_matchups(path, **PLAYERS)
    assert games(frame) == [("Ann", "Bob", 30, 0, 0)]
    # A cell that is needed is not made up.
    assert (frame.attrs["noted"]["row without its last cells"], frame.attrs["dropped"]) == (30, {"broken row": 1})


@pytest.mark.parametrize("encoding", ["gb18030", "cp1251", "shift_jis"])
def test_other_encodings_are_refused_until_they_are_named(tmp_path, encoding):
    name = "Иванов" if encoding == "cp1251" else "中村修二"
    path = tmp_path / "x.csv"
    path.write_bytes(f"home,away,winner\n{name},Bob,Bob\n".encode(encoding))
    with pytest.raises(InputError, match=r"x\.csv: .*neither UTF-8 nor Latin-1; name the file's encoding"):
        read_matchups(path, **PLAYERS)
    assert name in games(read_matchups(path, **PLAYERS, encoding=encoding))[0]
    with pytest.raises(InputError, match="no encoding 'utf-88'"):
        read_matchups(path, **PLAYERS, encoding="utf-88")


def test_times_at_the_ends_of_the_calendar_are_in_order(tmp_path):
    ends = pyarrow.array([253402300799, 0, -62135596800], pyarrow.timestamp("s", "Asia/Tokyo"))
    table = pyarrow.table({"home": ["A", "B", "C"], "away": ["X"] * 3, "winner": ["X"] * 3, "when": ends})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert read_games(tmp_path / "x.parquet", **PLAYERS, date="when")["player_a"].tolist() == ["C", "B", "A"]


CELLS = ["A", "B", "C", "draw", "1", "", " ", '"A"', '"B, C"', '"x""y"', '5" pipe', '"a\nb"', '"', '"A"x', "é", "NA"]
LINES = st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=5).map(",".join), max_size=8)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.sampled_from(["utf-8", "latin-1"]))
def test_whole_blocks_and_single_rows_are_read_alike(tmp_path_factory, lines, end, ends, encoding):
    path = tmp_path_factory.mktemp("x") / "x.csv"
    text = end.join(["home,away,winner,note", *["A,B,A,n"] * 20, *lines, "B,A,C,n"]) + end * ends
    path.write_bytes(text.encode(encoding))

    def found() -> object:
        try:
            frame = tables.read_results(path, **PLAYERS)
        except InputError as error:
            return str(error)
        return games(frame), frame.attrs

    by_block = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "pyarrow", None)
        assert found() == by_block


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    for path in (tmp_path / "x.csv", "/dev/zero"):
        with pytest.raises(InputError, match="a pipe or a device"):
            read_matchups(path, "results")


COUNT = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "


@pytest.mark.parametrize(
    "rows_of",
    [
        "SELECT 'A' AS home, 'B' AS away, hex(zeroblob(1000000000)) AS winner",
        COUNT + "SELECT 'A' AS home, 'B' AS away, 'B' AS winner FROM r",
        COUNT + "SELECT 'A' AS home, n AS away, 'A' AS winner FROM r WHERE n < 0",
    ],
)
def test_views_without_end_end(tmp_path, monkeypatch, rows_of):
    monkeypatch.setattr(rows, "_ROWS", 1000)
    path = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE VIEW games AS {rows_of}")
        connection.commit()
    with pytest.raises(InputError, match=r"x\.db asks for far more work or memory than it has bytes"):
        read_matchups(path, **PLAYERS)


def test_a_sqlite_file_without_its_log_says_so(tmp_path):
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE games (home, away, winner)")
    connection.execute("INSERT INTO games VALUES ('A', 'B', 'A')")
    connection.commit()
    alone = tmp_path / "alone.db"
    alone.write_bytes(path.read_bytes())
    assert games(read_matchups(path, **PLAYERS)) == [("A", "B", 1, 0, 0)]
    # All that there is is in the log.
    with pytest.raises(InputError, match=r"has 0 tables; .*alone\.db-wal, copy that file"):
        read_matchups(alone, **PLAYERS)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    alone.write_bytes(path.read_bytes())
    frame = read_matchups(alone, **PLAYERS)
    assert list(frame.attrs["noted"]) == ["SQLite file without its -wal file, where the newest rows may be"]
    connection.close()


ONE_LINE = '[Event "e"] [White "Ann"] [Black "Bob"] [Result "1-0"] 1. e4 {a comment} (1. d4) 1-0 '


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("x.pgn", ONE_LINE),
        ("x.pgn", ONE_LINE + "\n"),
        ("x.pgn", ONE_LINE + '{ [Event "x" [ '),
        ("x.csv", "A,B,A\n"),
        ("x.csv", 'A,B,"A"\n\n'),
        ("x.csv", "A,B,A,x,y\nA,B,A\nA,B,A\nA,B,A\nA,B,A\nA,B,A\n"),
        ("x.csv", "A,B,A\n" * 12 + '"A,B,A\n"\n'),
        ("x.jsonl", '{"home": "A", "away": "B", "winner": "A"}\n'),
    ],
)
def test_reading_takes_steps_in_proportion_to_the_file(tmp_path, name, unit):
    """Steps are calls of functions, and the bytes and texts that they give back."""

    def steps(times: int) -> int:
        path = tmp_path / name
        path.write_text("home,away,winner\n" * (name == "x.csv") + unit * times)
        counted = 0

        def count(frame, event, argument):
            nonlocal counted
            counted += 1 + (len(argument) // 100 if event == "return" and isinstance(argument, bytes | str) else 0)

        sys.setprofile(count)
        try:
            read_matchups(path, **({} if name == "x.pgn" else PLAYERS))
        finally:
            sys.setprofile(None)
        return counted

    steps(10)
    base = steps(10)
    small, large = steps(2000) - base, steps(4000) - base
    assert large <= 2.2 * small + 500


@pytest.mark.parametrize(("broken", "noted"), [(1, 0), (4, 1), (30, None)])
def test_rows_of_a_dump_that_cannot_be_read_are_many_or_few(tmp_path, broken, noted):
    path = tmp_path / "x.sql"
    good = "".join(f"{k}\t2020-01-01\t1\t2\t2\t{k % 2}\n" for k in range(100))
    head = "COPY public.match (id, date, pla_id, plb_id, sca, scb) FROM stdin;\n"
    path.write_text(head + good + "1\t2\n" * broken + "\\.\n")
    if noted is None:
        with pytest.raises(InputError, match=r"x\.sql: 30 of 130 rows cannot be read, the first at line 102; get the"):
            read_matchups(path)
    else:
        assert read_matchups(path).attrs["noted"].get(rows.MUCH_UNREAD, 0) == noted
