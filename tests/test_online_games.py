"""Games one by one, in their order, from every format; counting them gives what `read_matchups` counts."""

from __future__ import annotations

import json
import random

import pandas as pd
import pytest

from transitivity import InputError, read_matchups
from transitivity.sources.games import read_games
from transitivity.sources.pgn import PgnScanner

DATED = """date,a,b,result
2020-02-03,ann,bob,1
2020-01-05,bob,eve,0.5
2020-01-05,ann,eve,0
2020-02-03,eve,bob,1
"""
MAPPING = {"player_a": "a", "player_b": "b", "outcome": "result", "outcomes": {"1": 1, "0.5": 0.5, "0": 0}}


def write(folder, text: str, name: str = "games.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(frame: pd.DataFrame) -> list[tuple]:
    return list(frame[["period", "player_a", "player_b", "score"]].itertuples(index=False, name=None))


def days(frame: pd.DataFrame) -> list[str]:
    return frame["time"].astype(str).tolist()


# -------------------------------------------------------------------- tables


def test_a_table_with_dates(tmp_path):
    frame = read_games(write(tmp_path, DATED), **MAPPING, date="date")
    assert rows(frame) == [
        (0, "ann", "eve", 0.0),
        (0, "bob", "eve", 0.5),
        (1, "ann", "bob", 1.0),
        (1, "eve", "bob", 1.0),
    ]
    assert days(frame) == ["2020-01-05"] * 2 + ["2020-02-03"] * 2
    assert frame.attrs["order"] == "time" and frame.attrs["games"] == 4


def test_the_order_of_lines_does_not_matter(tmp_path):
    header, *lines = DATED.splitlines()
    frame = read_games(write(tmp_path, DATED), **MAPPING, date="date")
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        path = write(tmp_path, "\n".join([header, *lines]) + "\n", f"{seed}.csv")
        pd.testing.assert_frame_equal(read_games(path, **MAPPING, date="date"), frame)


def test_without_dates_the_order_is_that_of_the_file(tmp_path):
    frame = read_games(write(tmp_path, DATED), **MAPPING)
    assert [row[:3] for row in rows(frame)] == [
        (0, "ann", "bob"),
        (1, "bob", "eve"),
        (2, "ann", "eve"),
        (3, "eve", "bob"),
    ]
    assert frame["time"].isna().all() and frame.attrs["order"] == "file"


@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        ("20200131", "20200201", {}),
        ("2020.01.31", "2020.02.01", {}),
        ("2020/01/31", "2020/02/01", {}),
        ("2020-01-31T23:30:00+00:00", "2020-02-01T02:00:00+02:00", {}),
        ("2020-01-31 10:00", "2020-01-31 10:01", {}),
        ("31/01/2020", "01/02/2020", {"date_format": "%d/%m/%Y"}),
    ],
)
def test_dates_in_many_forms(tmp_path, first, second, options):
    text = f"date,a,b,result\n{second},x,y,1\n{first},y,x,1\n"
    frame = read_games(write(tmp_path, text), **MAPPING, date="date", **options)
    assert rows(frame) == [(0, "y", "x", 1.0), (1, "x", "y", 1.0)]


def test_games_without_a_date_are_counted_and_left_out(tmp_path):
    frame = read_games(write(tmp_path, DATED + "sometime,ann,bob,1\n,ann,bob,1\n"), **MAPPING, date="date")
    assert len(frame) == 4 and frame.attrs["dropped"] == {"no date": 2}
    assert frame.attrs["located"]["no date"] == "row 5 of those with a result"


def test_dates_none_of_which_can_be_read_are_refused(tmp_path):
    path = write(tmp_path, "date,a,b,result\n31/01/2020,x,y,1\n")
    with pytest.raises(InputError, match=r"games\.csv: no game has a date .* date_format"):
        read_games(path, **MAPPING, date="date")


def test_a_series_is_its_games_or_a_share(tmp_path):
    path = write(tmp_path, "a,b,won,lost\nhome,guest,51,31\nguest,home,1,1\n")
    given = {"player_a": "a", "player_b": "b", "score_a": "won", "score_b": "lost", "row": "series"}
    games, shares = read_games(path, **given), read_games(path, **given, series="share")
    assert games.groupby("period")["score"].agg(["sum", "size"]).to_numpy().tolist() == [[51, 82], [1, 2]]
    assert rows(shares) == [(0, "home", "guest", 51 / 82), (1, "guest", "home", 0.5)]
    assert shares.attrs["games"] == 2


def test_counts_by_pair_have_no_order(tmp_path):
    path = write(tmp_path, "player_a,player_b,wins_a,draws,wins_b\nann,bob,3,1,0\n")
    with pytest.raises(InputError, match=r"games\.csv counts games by pair.* by date"):
        read_games(path)


def test_json_lines_and_what_is_left_out(tmp_path):
    lines = [
        {"a": "x", "b": "y", "result": 1, "on": {"day": "2020-01-02"}},
        {"a": "x", "b": "x", "result": 1, "on": {"day": "2020-01-01"}},
        {"a": "y", "b": "z", "result": 0, "on": {"day": "2020-01-01"}},
    ]
    path = write(tmp_path, "\n".join(map(json.dumps, lines)), "games.jsonl")
    frame = read_games(path, **MAPPING, date="on.day")
    assert rows(frame) == [(0, "y", "z", 0.0), (1, "x", "y", 1.0)]
    assert frame.attrs["dropped"] == {"self-play": 1}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"series": "sets"}, "series is 'sets'"),
        ({"format": "chess"}, "no format 'chess'"),
        ({"tally": None}, "no option 'tally'"),
        ({"bots": "drop"}, "no option 'bots'"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, says):
    with pytest.raises(InputError, match=says):
        read_games(write(tmp_path, DATED), **options)


# -------------------------------------------------------------------- PGN


def game(white: str, black: str, result: str, **tags: str) -> str:
    tags = {"Event": "e", "White": white, "Black": black, "Result": result} | tags
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n1. e4 {result}\n\n"


PGN = (
    game("Ann", "Bob", "1-0", UTCDate="2014.05.02", UTCTime="10:00:01")
    + game("Bob", "ann", "1/2-1/2", UTCDate="2014.05.02", UTCTime="10:00:00")
    + game("Eve", "Bob", "0-1", Date="2014.05.01", Round="2.10")
    + game("Ann", "Eve", "1-0", Date="2014.05.01", Round="10")
    + game("Bob", "Ann", "0-1", Date="2014.05.01", Round="2.9")
    + game("Bob", "Ann", "0-1", Date="2014.??.??", Round="1")
    + game("Bob", "Ann", "*", Date="2014.05.01", Round="1")
)


@pytest.mark.parametrize("unusual", ["", "% a line for programs\n"])
def test_pgn_by_time_or_else_by_day_and_round(tmp_path, unusual):
    frame = read_games(write(tmp_path, unusual + PGN, "games.pgn"))
    assert rows(frame) == [
        (0, "Bob", "Ann", 0.0),
        (0, "Eve", "Bob", 0.0),
        (1, "Ann", "Eve", 1.0),
        (2, "Bob", "Ann", 0.5),
        (3, "Ann", "Bob", 1.0),
    ]
    assert frame["time"].iloc[3] == pd.Timestamp("2014-05-02 10:00:00")
    assert frame.attrs["dropped"] == {"unfinished": 1, "no date": 1}


def test_pgn_without_any_date_is_in_the_order_of_the_file(tmp_path):
    text = game("Ann", "Bob", "1-0") + game("Ann", "Bob", "0-1", Date="????.??.??")
    frame = read_games(write(tmp_path, text, "games.pgn"))
    assert rows(frame) == [(0, "Ann", "Bob", 1.0), (1, "Ann", "Bob", 0.0)]


def test_the_plain_reader_of_pgn_keeps_the_same_games(tmp_path, monkeypatch):
    path = write(tmp_path, PGN, "games.pgn")
    frame = read_games(path)
    monkeypatch.setitem(PgnScanner.__init__.__kwdefaults__, "fast", False)
    pd.testing.assert_frame_equal(read_games(path), frame)


# -------------------------------------------------------------------- Aligulac

DUMP = """COPY public.player (id, tag) FROM stdin;
1\tMVP
2\tLeenock
\\.
COPY public.match (id, date, pla_id, plb_id, sca, scb) FROM stdin;
12\t2012-04-19\t1\t2\t2\t1
11\t2012-04-19\t2\t1\t1\t0
13\t2012-04-18\t1\t2\t0\t1
14\t\\N\t1\t2\t1\t0
\\.
"""


def test_a_dump_by_date_and_id(tmp_path):
    path = write(tmp_path, DUMP, "aligulac.sql")
    assert rows(read_games(path)) == [
        (0, "MVP", "Leenock", 0.0),
        (1, "Leenock", "MVP", 1.0),
        (2, "MVP", "Leenock", 0.0),
        (2, "MVP", "Leenock", 1.0),
        (2, "MVP", "Leenock", 1.0),
    ]
    shares = read_games(path, series="share")
    assert shares["score"].tolist() == [0, 1, 2 / 3] and shares.attrs["dropped"] == {"no date": 1}


# -------------------------------------------------------------------- the same games as counted


def counts(games: pd.DataFrame) -> dict[tuple[str, str], list[int]]:
    """Wins of the first, draws and wins of the second of each pair, in the order of their names."""
    found: dict[tuple[str, str], list[int]] = {}
    for a, b, score in games[["player_a", "player_b", "score"]].itertuples(index=False, name=None):
        (a, b), score = ((a, b), score) if a < b else ((b, a), 1 - score)
        found.setdefault((a, b), [0, 0, 0])[[1, 0.5, 0].index(score)] += 1
    return found


def counted(matchups: pd.DataFrame) -> dict[tuple[str, str], list[int]]:
    """The same of a table of matchups."""
    rows = matchups.itertuples(index=False, name=None)
    return {(a, b) if a < b else (b, a): n if a < b else n[::-1] for a, b, *n in rows}


def test_counting_games_gives_matchups(tmp_path):
    for path, options in (
        (write(tmp_path, DATED), MAPPING),
        (write(tmp_path, DUMP.replace("14\t\\N", "14\t2013-01-01"), "aligulac.sql"), {}),
        (write(tmp_path, PGN.replace("??.??", "01.01"), "games.pgn"), {}),
    ):
        assert counts(read_games(path, **options)) == counted(read_matchups(path, **options))


def test_real_games(shared_data):
    frame = read_games(shared_data / "lichess_elite", format="pgn")
    assert frame.attrs["dropped"] == {} and frame["time"].is_monotonic_increasing
    assert counts(frame) == counted(read_matchups(shared_data / "lichess_elite", format="pgn"))


def test_games_are_kept_as_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra 'formats'")
    frame = read_games(write(tmp_path, PGN, "games.pgn"))
    frame.to_parquet(tmp_path / "games.parquet")
    kept = pd.read_parquet(tmp_path / "games.parquet")
    pd.testing.assert_frame_equal(kept, frame, check_dtype=False)
    assert kept.attrs == frame.attrs
