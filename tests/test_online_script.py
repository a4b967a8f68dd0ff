"""scripts/elo.py: its document, its options, and that its checks can fail."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from loading import load

from transitivity.errors import InputError
from transitivity.native import library
from transitivity.online import OnlineElo, verify
from transitivity.sources import games, options, read

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "elo.py"
GAMES = """date,home,guest,goals_home,goals_guest,cup
2020-01-02,ann,bob,2,0,A
2020-01-01,bob,eve,1,1,A
2020-01-02,eve,ann,0,1,B
2020-01-03,ann,bob,,,A
"""
MAPPING = [*("--player-a", "home", "--player-b", "guest"), *("--score-a", "goals_home", "--score-b", "goals_guest")]


@pytest.fixture(scope="module")
def script():
    return load("scripts/elo.py")


@pytest.fixture
def run(script, capsys, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES)

    def call(*given: str, file: bool = True) -> dict:
        assert script.main(script.parse([str(path)] * file + list(given))) == 0
        return json.loads(capsys.readouterr().out)

    return call


def test_the_document_of_a_file(run):
    document = run(*MAPPING, "--date", "date")
    ann, bob, eve = (next(row for row in document["ratings"] if row["id"] == name) for name in ("ann", "bob", "eve"))
    assert document["ratings"][0]["id"] == "ann"
    assert [row["rating"] for row in document["ratings"]] == sorted(
        (row["rating"] for row in (ann, bob, eve)), reverse=True
    )
    # The draw comes first, and leaves all equal; then ann wins twice in one period.
    assert ann["rating"] == 1532 and bob["rating"] == eve["rating"] == 1484
    assert {key: ann[key] for key in ("matches", "wins", "losses", "draws", "score", "expected_score")} == {
        "matches": 2,
        "wins": 2,
        "losses": 0,
        "draws": 0,
        "score": 2.0,
        "expected_score": 1.0,
    }
    assert bob["interval"][0] < 1484 < bob["interval"][1]
    metadata = document["metadata"]
    assert metadata["k_factor"] == 32 and metadata["initial_rating"] == 1500 and metadata["total_matches"] == 3
    assert metadata["order"] == "time" and metadata["dropped"] == {"no result": 1} and metadata["zero_sum"]
    assert (metadata["first"], metadata["last"]) == ("2020-01-01 00:00:00", "2020-01-02 00:00:00")
    assert "not the distance from the true strength" in metadata["interval_method"]


def test_the_order_of_a_file_without_dates(run):
    metadata = run(*MAPPING)["metadata"]
    assert metadata["order"] == "file" and metadata["first"] is None


def test_one_game(run):
    document = run("--a", "1500", "--b", "2000", "--score", "1", file=False)
    assert [(row["id"], round(row["rating"], 4)) for row in document["ratings"]] == [("b", 1969.7037), ("a", 1530.2963)]


def test_options_of_the_ratings(run):
    given = ("--k", "1::40,:1510:20,::10", "--floor", "1490", "--recentre", "--initial", "1500", "--period", "year")
    metadata = run(*MAPPING, "--date", "date", *given)["metadata"]
    assert metadata["k_factor"] == [[1, None, 40], [None, 1510, 20], [None, None, 10]]
    assert metadata["rating_floor"] == 1490 and metadata["recentred"] and metadata["rating_period"] == "year"
    assert metadata["mean_rating"] == pytest.approx(1500) and not metadata["zero_sum"]
    assert run(*MAPPING, "--k", "fide")["metadata"]["k_factor"][0] == [30, None, 40]


def test_options_of_the_reader(run, script):
    assert run(*MAPPING, "--where", "cup=B")["metadata"]["total_matches"] == 1
    assert run(*MAPPING, "--where", "cup!=A", "cup~=?")["metadata"]["total_matches"] == 1
    assert run(*MAPPING, "--date", "date", "--last", "2020-01-01")["metadata"]["total_matches"] == 1
    shares = run(*MAPPING, "--row", "series", "--series", "share")["ratings"]
    assert {row["id"]: row["matches"] for row in shares} == {"ann": 2, "bob": 2, "eve": 2}
    labels = ("--outcome", "cup", "--outcomes", "A=1", "B=none", "--player-a", "home", "--player-b", "guest")
    assert run(*labels)["metadata"]["dropped"] == {"not a game": 1}
    parsed = script.parse(["x", "--ratings", "2400", "2200", "--no-case-sensitive"])
    assert options.given(parsed) == {"ratings": [2400, 2200], "case_sensitive": False}


def test_every_option_of_every_reader_has_a_flag(script):
    known = {name for format in read.FORMATS for name in read.options(format)}
    assert set(options.READER) == known | {"format", "series"}
    assert set(games.read_games.__kwdefaults__) <= set(options.READER)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "files of games, or one game"),
        (["--a", "1500", "--b", "1500"], "--score"),
        (["games.csv", "--verify"], "or --verify"),
        (["--a", "1", "--b", "2", "--score", "3"], "score 3"),
        (["--a", "1", "--b", "2", "--score", "1", "--k", "thirty"], "--k is 'thirty'"),
        (["--a", "1", "--b", "2", "--score", "1", "--k", "30:40"], "GAMES:RATING:K"),
        (["games.csv", "--where", "cup"], "--where has 'cup'"),
        (["no_such_file.csv"], "no_such_file.csv"),
    ],
)
def test_mistakes_are_named(script, given, says):
    with pytest.raises(InputError, match=re.escape(says)):
        script.main(script.parse(given))


def test_a_period_needs_dates(run):
    with pytest.raises(InputError, match="period is 'month'"):
        run(*MAPPING, "--period", "month")


# -------------------------------------------------------------------- as a command


def test_help_imports_nothing_that_takes_long():
    code = (
        "import runpy, sys; sys.argv = ['elo.py', '--help']\n"
        f"try: runpy.run_path({str(SCRIPT)!r}, run_name='__main__')\n"
        "except SystemExit: print(sorted({'numpy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert "--verify" in done.stdout


def test_the_command_verifies_itself_and_tells_mistakes(run_script, capsys):
    assert run_script("elo", "--verify") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["passed"] and len(document["checks"]) > 12
    assert run_script("elo", "--a", "1500", "--b", "1500", "--score", "2").startswith("error: ")
    assert not capsys.readouterr().out


# -------------------------------------------------------------------- checks that fail


def failed(script, capsys) -> set[str]:
    assert script.main(script.parse(["--verify"])) == 1
    document = json.loads(capsys.readouterr().out)
    assert not document["passed"]
    return {check["check"] for check in document["checks"] if not check["passed"]}


def test_an_update_by_the_wrong_k_fails(script, capsys, monkeypatch):
    start = OnlineElo.__init__

    def wrong(self, k=32.0, **given):
        start(self, k=31.0 if k == 32.0 else k, **given)

    monkeypatch.setattr(OnlineElo, "__init__", wrong)
    names = failed(script, capsys)
    assert "1500 beats 1500, K = 32" in names and "equals draw, K = 32" not in names
    assert any("plain loop" in name for name in names)


def test_an_update_of_one_side_fails(script, capsys, monkeypatch):
    changes = OnlineElo._changes

    def wrong(self, a, b, score):
        expected, of_a, of_b = changes(self, a, b, score)
        return expected, of_a, of_b * [0.9, 1, 1]

    monkeypatch.setattr(OnlineElo, "_changes", wrong)
    monkeypatch.setattr(library, "load", lambda: None)
    assert {"1500 beats 2000, K = 32", "the sum of the ratings is conserved", "sides can be exchanged"} <= failed(
        script, capsys
    )


def test_a_compiled_loop_that_differs_fails(script, capsys, monkeypatch):
    run_compiled = OnlineElo._run_compiled

    def wrong(self, *given):
        done = run_compiled(self, *given)
        self._state[0, 0] += 1e-3
        return done

    monkeypatch.setattr(OnlineElo, "_run_compiled", wrong)
    assert any("plain loop" in name for name in failed(script, capsys))


def test_ratings_from_within_a_period_fail(script, capsys, monkeypatch):
    def one_by_one(self, time, n_games):
        return None, None

    monkeypatch.setattr(OnlineElo, "_periods", one_by_one)
    assert failed(script, capsys) == {"the order within a period does not matter"}


def test_each_check_has_passed_and_tells_what_it_found():
    for check in verify.checks():
        assert check["passed"], check
        assert np.shape(check["found"]) == np.shape(check["expected"])
