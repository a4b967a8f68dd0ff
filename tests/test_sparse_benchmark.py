"""The benchmark of a large sparse league at tiny size: what it counts; never how long anything takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loading import load

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def sparse():
    return load("benchmarks/sparse.py")


def test_a_league_goes_from_its_file_to_a_fit(sparse, tmp_path):
    path = tmp_path / "simulated.pgn"
    sparse.write(40, 150, path)
    # This process may have held more memory before.
    row = json.loads(sparse._in_a_process("fit", path))
    assert (row["players"], row["pairs"]) == (40, 150) and row["converged"] and row["iterations"] > 0
    assert row["games"] == path.read_text().count("[Result ")
    assert min(row["read"], row["payoff"], row["fit"]) > 0 and 0 < row["peak_gib"] < 4


@pytest.mark.parametrize(("power", "growth"), [(1, [1, 1, 1]), (2, [1, 1, 2])])
def test_growth_compares_with_time_linear_in_the_pairs(sparse, monkeypatch, power, growth):
    """Stages that take the number of pairs to a power: twice the pairs in four times the time grow by 2."""
    sizes = []

    def stage(name, path, *size):
        sizes.extend([size] if name == "write" else [])
        players, pairs = sizes[-1]
        return json.dumps({"players": players, "pairs": pairs, "total": float(pairs) ** power})

    monkeypatch.setattr(sparse, "_in_a_process", stage)
    rows = sparse.rows(60, 300, parts=(2, 1), parts_of_pairs=(2,))
    assert sizes == [(30, 150), (60, 150), (60, 300)]
    assert [row["growth"] for row in rows] == [row["growth_of_pairs"] for row in rows] == growth
