"""Measure how fast headers of chess games are read, against python-chess, on one core and in one run.

A file like those of the Lichess Elite Database is simulated (or one of your own is taken), and read plain and
packed: by `transitivity.read_matchups`, by `chess.pgn.read_headers`, and only unpacked, which bounds what any reader
of headers can reach. CPU time is counted. `benchmarks/run.py` may put the rows into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import gzip
import io
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import chess.pgn
import numpy as np
import pandas as pd
from backports import zstd

from transitivity import read_matchups
from transitivity.sources.streams import open_streams

GAMES, REPEATS = 100_000, 3
#: Packings, and what opens them for python-chess as its users would.
PACKINGS: dict[str, Callable[[Path], io.BufferedIOBase]] = {
    ".pgn": lambda path: path.open("rb"),
    ".zip": lambda path: zipfile.ZipFile(path).open("games.pgn"),
    ".pgn.gz": gzip.open,
    ".pgn.zst": zstd.open,
}
TAGS = """[Event "Rated Blitz game"]
[Site "https://lichess.org/{site}"]
[Date "2019.08.{day:02}"]
[Round "-"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[UTCDate "2019.08.{day:02}"]
[UTCTime "{hour:02}:{minute:02}:{second:02}"]
[WhiteElo "{white_elo}"]
[BlackElo "{black_elo}"]
[ECO "{eco}"]
[Opening "Sicilian Defense: Najdorf Variation"]
[TimeControl "180+0"]
[Termination "Normal"]
"""


def simulated(n_games: int, rng: np.random.Generator) -> bytes:
    """Return a file with tags, lines and lengths as Lichess Elite has, and as few games a pair; moves are random."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"))
    players = ["".join(rng.choice(letters, rng.integers(4, 18))) for _ in range(max(n_games // 13, 2))]
    # Some players have far more games than others.
    pairs = (len(players) * rng.random((max(n_games // 4, 1), 2)) ** 2).astype(int)
    moves = [
        f"{piece}{x}{file}{rank}"
        for piece in ("", *"NBRQK")
        for x in ("", "x")
        for file in "abcdefgh"
        for rank in range(1, 9)
    ]
    games = []
    for _ in range(n_games):
        white, black = pairs[rng.integers(len(pairs))]
        result = rng.choice(["1-0", "0-1", "1/2-1/2"])
        # Some moves are far more frequent than others, so that files pack as well as real ones.
        played = [moves[int(x)] for x in len(moves) * rng.random(2 * int(rng.integers(15, 70))) ** 2]
        numbered = " ".join(f"{k // 2 + 1}. {move}" if k % 2 == 0 else move for k, move in enumerate(played))
        tags = TAGS.format(
            site="".join(rng.choice(letters[:62], 8)),
            white=players[white],
            black=players[black],
            result=result,
            day=rng.integers(1, 32),
            hour=rng.integers(24),
            minute=rng.integers(60),
            second=rng.integers(60),
            white_elo=rng.integers(2200, 2900),
            black_elo=rng.integers(2200, 2900),
            eco=f"{rng.choice(list('ABCDE'))}{rng.integers(100):02}",
        )
        games.append(f"{tags}\n{textwrap.fill(f'{numbered} {result}', 79)}\n\n")
    return "".join(games).encode()


def pack(data: bytes, path: Path) -> None:
    """Write data as the suffix of a path says."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("games.pgn", data)
    else:
        path.write_bytes({".gz": gzip.compress, ".zst": zstd.compress}.get(path.suffix, bytes)(data))


def python_chess(path: Path, opened: Callable[[Path], io.BufferedIOBase]) -> int:
    """Read the headers of a file by python-chess; return the number of games."""
    games = 0
    with io.TextIOWrapper(opened(path), encoding="utf-8") as text:
        while chess.pgn.read_headers(text) is not None:
            games += 1
    return games


def unpack(path: Path) -> int:
    """Only unpack a file; return its length."""
    return sum(len(block) for stream in open_streams(path, (".pgn",)) for block in stream)


def rows(n_games: int = GAMES, repeats: int = REPEATS, path: Path | None = None) -> list[dict[str, str | float]]:
    """Measure each packing.

    Parameters
    ----------
    n_games : int
        How many games are simulated.
    repeats : int
        How often everything is measured, in turn; the shortest time of each counts.
    path : Path, optional
        A .pgn file to measure instead.

    Returns
    -------
    list of dict
        ``packing``, ``games``, ``megabytes`` (of the packed file), ``ratio``: the time of python-chess over ours;
        ``bound``: its time over that of unpacking alone; ``unpacking``: the share of our time that is unpacking.
    """
    data = simulated(n_games, np.random.default_rng(0)) if path is None else path.read_bytes()
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix, opened in PACKINGS.items():
            packed = Path(folder) / f"games{suffix}"
            pack(data, packed)
            seconds: dict[str, list[float]] = {"theirs": [], "ours": [], "unpack": []}
            for _ in range(repeats):
                clock = [time.process_time()]
                games = python_chess(packed, opened)
                clock.append(time.process_time())
                frame = read_matchups(packed)
                clock.append(time.process_time())
                unpack(packed)
                clock.append(time.process_time())
                for name, one in zip(seconds, np.diff(clock).tolist(), strict=True):
                    seconds[name].append(one)
            counted = frame.attrs["games"] + sum(frame.attrs["dropped"].values())
            if counted != games:
                raise AssertionError(f"{suffix}: {counted} games, but {games} by python-chess")
            theirs, ours, alone = (min(values) for values in seconds.values())
            measured.append(
                {
                    "packing": suffix,
                    "games": games,
                    "megabytes": packed.stat().st_size / 1e6,
                    "ratio": theirs / ours,
                    "bound": theirs / alone,
                    "unpacking": alone / ours,
                }
            )
    return measured


def main() -> None:
    """Print the rows as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES, help="games of the simulated file")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="measurements of each time")
    parser.add_argument("--path", type=Path, help="a .pgn file to measure instead")
    options = parser.parse_args()
    print(pd.DataFrame(rows(options.games, options.repeats, options.path)).to_string(index=False, float_format="%.3g"))


if __name__ == "__main__":
    main()
