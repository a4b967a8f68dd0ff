"""The benchmark of readers of game files at tiny size: that it compares the same games; never how long it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading import load

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def files():
    return load("benchmarks/files.py")


def test_every_packing_is_measured(files):
    rows = files.rows(n_games=40, repeats=1)
    assert [row["packing"] for row in rows] == list(files.PACKINGS)
    assert {row["games"] for row in rows} == {40}
    assert all(row[name] > 0 for row in rows for name in ("megabytes", "ratio", "bound", "unpacking"))


def test_other_games_than_python_chess_counts_are_an_error(files, monkeypatch):
    monkeypatch.setattr(files, "python_chess", lambda path, opened: 41)
    with pytest.raises(AssertionError, match="40 games, but 41 by python-chess"):
        files.rows(n_games=40, repeats=1)


def test_a_file_of_ones_own(files, tmp_path):
    path = tmp_path / "x.pgn"
    path.write_text('[Event "e"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n\n')
    assert files.rows(repeats=1, path=path)[0]["games"] == 1


def test_tables_are_counted_alike_by_both_readers():
    module = load("benchmarks/tables.py")
    rows = module.rows(n_rows=2000, repeats=1)
    assert {(row["file"], row["result"]) for row in rows} == {(f, way) for f in module.FILES for way in module.WAYS}
    assert all(row["ratio"] > 0 for row in rows)
