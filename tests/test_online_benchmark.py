"""The benchmark of sequential ratings at tiny size: every method of Elo finds the same ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_every_method_is_measured_and_elo_agrees(monkeypatch):
    pytest.importorskip("evalica", reason="needs the extra 'benchmarks'")
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import online

    rows = online.rows(((20, 500),), repeats=1)
    assert {row["method"].split(",")[0] for row in rows} == {
        "OnlineElo",
        "OnlineDisc",
        "OnlineMElo",
        "evalica",
        "plain Python loop",
    }
    assert [row["same"] for row in rows if row["method"] in online.ELO] == [True, True]
    assert all(row["ns_per_game"] > 0 and row["ratio"] > 0 for row in rows)
