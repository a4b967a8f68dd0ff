"""The benchmark of a large sparse league at tiny size: what it counts; never how long anything takes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def sparse():
    spec = importlib.util.spec_from_file_location("benchmarks_sparse", ROOT / "benchmarks" / "sparse.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_league_goes_from_its_file_to_a_fit(sparse, tmp_path):
    path = tmp_path / "simulated.pgn"
    sparse.write(40, 150, path)
    # This process may have held more memory before.
    row = json.loads(sparse._in_a_process("fit", path))
    assert (row["players"], row["pairs"]) == (40, 150) and row["converged"] and row["iterations"] > 0
    assert row["games"] == path.read_text().count("[Result ")
    assert row["total"] == pytest.approx(row["read"] + row["payoff"] + row["fit"])
    assert 0 < row["peak_gib"] < 4


def test_rows_grow_from_part_to_whole(sparse):
    """Each stage is a process of its own; the first row is what the others are compared with."""
    first, fewer, last = measured = sparse.rows(60, 300, parts=(2, 1), parts_of_pairs=(2,))
    assert [(row["players"], row["pairs"]) for row in measured] == [(30, 150), (60, 150), (60, 300)]
    assert first["growth"] == first["growth_of_pairs"] == fewer["growth_of_pairs"] == pytest.approx(1)
    assert last["growth"] == pytest.approx(last["total"] / first["total"] / 2)
    assert last["growth_of_pairs"] == pytest.approx(last["total"] / fewer["total"] / 2)
