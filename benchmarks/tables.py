"""Measure how fast tables of results are counted, against pyarrow, which only reads the same columns of the file.

Both take the file on one core, one after the other; CPU time is counted. The reader in Python that takes what is
unusual counts the same file too, to the same counts.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
import pyarrow.parquet

from transitivity import read_matchups
from transitivity.sources import rows as readers

ROWS, REPEATS = 5_000_000, 3
PLAYERS = {"player_a": "home", "player_b": "away"}
#: What tells who won, and the columns that this needs.
WAYS: dict[str, dict[str, str]] = {"scores": {"score_a": "hs", "score_b": "as"}, "winner": {"winner": "winner"}}
FILES = (".csv", "quoted .csv", ".parquet")


def simulated(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return games of 5,000 players, with columns that are not needed."""
    players = np.array([f"player {k}" for k in range(5000)])
    a = rng.integers(5000, size=n_rows)
    b = (a + 1 + rng.integers(300, size=n_rows)) % 5000
    hs, score = rng.integers(8, size=(2, n_rows))
    frame = pd.DataFrame({"id": np.arange(n_rows), "home": players[a], "away": players[b], "hs": hs, "as": score})
    frame["winner"] = np.where(hs > score, frame.home, np.where(hs < score, frame.away, "draw"))
    return frame.assign(cup="World Cup", note="none")


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def rows(n_rows: int = ROWS, repeats: int = REPEATS) -> list[dict[str, str | float]]:
    """Measure each file and way; the shortest time counts.

    Returns
    -------
    list of dict
        ``file``, ``result``, ``rows``, ``microseconds`` a row; ``ratio``: our time over that of pyarrow alone;
        ``ratio_exact``: that of the reader in Python (NaN for Parquet, which it does not read).
    """
    frame, measured = simulated(n_rows, np.random.default_rng(0)), []
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            path = Path(folder) / f"games{name.split()[-1]}"
            if path.suffix == ".csv":
                frame.to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL if name == ".csv" else csv.QUOTE_ALL)
            else:
                frame.to_parquet(path, index=False)
            for result, way in WAYS.items():
                options = PLAYERS | way
                columns = list(options.values())
                best = {
                    one: min(_seconds(work) for _ in range(repeats))
                    for one, work in {
                        "ours": lambda path=path, options=options: read_matchups(path, **options),
                        "theirs": lambda path=path, columns=columns: _columns(path, columns),
                    }.items()
                }
                exact = float("nan")
                if path.suffix == ".csv":
                    counts, pyarrow_module = read_matchups(path, **options), readers.pyarrow
                    readers.pyarrow = None
                    try:
                        start = time.process_time()
                        if not read_matchups(path, **options).equals(counts):
                            raise AssertionError(f"{name}, {result}: other counts than those of the reader in Python")
                        exact = time.process_time() - start
                    finally:
                        readers.pyarrow = pyarrow_module
                about = {"file": name, "result": result, "rows": n_rows, "microseconds": 1e6 * best["ours"] / n_rows}
                measured.append(about | {"ratio": best["ours"] / best["theirs"], "ratio_exact": exact / best["theirs"]})
    return measured


def _columns(path: Path, columns: list[str]) -> pyarrow.Table:
    """Read some columns of a file by pyarrow alone."""
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path, columns=columns, use_threads=False)
    options = pyarrow.csv.ConvertOptions(include_columns=columns)
    return pyarrow.csv.read_csv(path, pyarrow.csv.ReadOptions(use_threads=False), convert_options=options)
