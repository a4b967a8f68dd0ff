"""Measure a large sparse league from its game file to a fitted disc: how time and memory grow with its size.

A league of 200,000 players and 5 million pairs, with as uneven numbers of opponents and games as on Lichess, is
simulated and written as PGN (3.5 GB, in the folder for temporary files), and so are leagues of 1/2, 1/4 and 1/8 of
that, and of 1/2 and 1/4 of its pairs alone. Each is read, counted, and fitted by a disc of one pair in a process of its
own, whose CPU time and largest memory are told. `benchmarks/run.py` puts the rows into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from transitivity import read_matchups
from transitivity.models import Disc
from transitivity.payoff.core import Payoff
from transitivity.sources.simulated import draw_league, write_pgn

ROOT = Path(__file__).resolve().parents[1]
PLAYERS, PAIRS = 200_000, 5_000_000
#: The sizes: one over each of these.
PARTS = (8, 4, 2, 1)
#: And of the pairs alone, among all players.
PARTS_OF_PAIRS = (4, 2)
#: λ of Equation 21. Without it players with one or two games have no finite best rating, nor have their rivals.
REGULARISATION = 1.0


def write(n_players: int, n_pairs: int, path: Path) -> None:
    """Simulate a transitive league and write its games."""
    rng = np.random.default_rng([n_players, n_pairs])
    league = draw_league("transitive", rng, n_players=n_players, n_pairs=n_pairs)
    write_pgn(league.matchups(rng), path, rng)


def fit(path: Path) -> dict[str, float | bool]:
    """Read a file of games and fit its disc; return one row, CPU times in seconds.

    Returns
    -------
    dict
        ``games``, ``players``, ``pairs``, ``megabytes`` (of the file), ``read``, ``payoff``, ``fit``, ``total``
        (seconds), ``iterations``, ``converged`` (of the fit), ``us_per_game`` (of reading), ``ns_per_pair`` (of the
        fit, an iteration), ``peak_gib`` (the largest memory of this process).
    """
    clock = [time.process_time()]
    frame = read_matchups(path)
    clock.append(time.process_time())
    games = frame.attrs["games"]
    payoff = Payoff.from_counts(frame)
    del frame
    clock.append(time.process_time())
    model = Disc(regularisation=REGULARISATION, weights="games").fit(payoff)
    clock.append(time.process_time())
    read, made, fitted = np.diff(clock).tolist()
    return {
        "games": games,
        "players": payoff.n_players,
        "pairs": payoff.n_pairs,
        "megabytes": path.stat().st_size / 1e6,
        "read": read,
        "payoff": made,
        "fit": fitted,
        "total": clock[-1] - clock[0],
        "iterations": model.n_iter_,
        "converged": model.converged_,
        "us_per_game": 1e6 * read / games,
        "ns_per_pair": 1e9 * fitted / payoff.n_pairs / model.n_iter_,
        "peak_gib": _peak_gib(),
    }


def _peak_gib() -> float:
    """Return the most memory that this process has held, in GiB."""
    status = Path("/proc/self/status")
    if status.is_file():
        # In Linux, getrusage counts the memory of the process that started this one as well.
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)[1]) / 2**20
    # macOS counts in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30


def rows(
    n_players: int = PLAYERS,
    n_pairs: int = PAIRS,
    parts: Sequence[int] = PARTS,
    parts_of_pairs: Sequence[int] = PARTS_OF_PAIRS,
) -> list[dict]:
    """Measure the league and its parts, each stage in a process of its own.

    Parameters
    ----------
    n_players, n_pairs : int
        The size of the whole league.
    parts : sequence of int
        Divisors of the number of players and of pairs: one league for each.
    parts_of_pairs : sequence of int
        Divisors of the number of pairs alone: leagues with all players of the last part, measured before it.

    Returns
    -------
    list of dict
        What `fit` returns; ``growth``, the total time over that of the first row, divided by the same ratio of the
        numbers of pairs; and ``growth_of_pairs``, the same with the first row of as many players. Linear time is 1.
    """
    sizes = [(n_players // part, n_pairs // part) for part in parts[:-1]]
    sizes += [(n_players // parts[-1], n_pairs // part) for part in (*parts_of_pairs, parts[-1])]
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "simulated.pgn"
            _in_a_process("write", path, *size)
            # The system may still be writing the file, which would slow down its reader.
            os.sync()
            measured.append(json.loads(_in_a_process("fit", path)))
    for row in measured:
        alike = next(other for other in measured if other["players"] == row["players"])
        row["growth"] = _growth(row, measured[0])
        row["growth_of_pairs"] = _growth(row, alike)
    return measured


def _growth(row: dict, first: dict) -> float:
    return row["total"] / first["total"] / (row["pairs"] / first["pairs"])


def _in_a_process(stage: str, path: Path, *sizes: int) -> str:
    command = [sys.executable, "-m", "benchmarks.sparse", "--stage", stage, "--path", path, "--sizes", *map(str, sizes)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def main() -> None:
    """Print the rows as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=PLAYERS, help="players of the whole league")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="its pairs")
    parser.add_argument("--parts", type=int, nargs="+", default=PARTS, help="a row each: the league divided by this")
    parser.add_argument(
        "--parts-of-pairs", type=int, nargs="*", default=PARTS_OF_PAIRS, help="a row each: the pairs divided by this"
    )
    parser.add_argument("--stage", choices=("write", "fit"), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=int, nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with threadpool_limits(limits=1):
        if options.stage == "write":
            write(*options.sizes, options.path)
        elif options.stage == "fit":
            print(json.dumps(fit(options.path)))
        else:
            sizes = options.players, options.pairs, options.parts, options.parts_of_pairs
            print(pd.DataFrame(rows(*sizes)).to_string(index=False))


if __name__ == "__main__":
    main()
