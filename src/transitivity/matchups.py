"""Matchups: how often the players of each pair won against each other, counted from game files.

A table of matchups has one row per unordered pair, with the columns `COLUMNS`; player_a comes before player_b in the
order of their keys (for Lichess, the lower-cased names). What was left out is in its `attrs`:

- ``games``: the number of games that are counted in the table;
- ``dropped``: {reason: number of games (or rows) that were left out for it};
- ``noted``: {what: how often}, for what is unusual but was kept, such as a file that is cut off;
- ``located``: {reason: where it was met first}, a file with a line or the number of a game.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from transitivity import native
from transitivity.errors import InputError, amount, check_count, did_you_mean
from transitivity.files import write_json, write_table

#: The columns of a table of matchups.
COLUMNS = ("player_a", "player_b", "wins_a", "draws", "wins_b")
COUNTS = ("wins_a", "draws", "wins_b")
FORMATS = ("pgn", "aligulac", "results")

#: Pending games that are counted at once; more where there are more pairs, so that the work stays linear.
_PENDING = 1 << 20


class Tally:
    """Counts games by pair, in memory that grows with players and pairs, not with games.

    Parameters
    ----------
    key : callable, optional
        The key of a name: names with the same key are one player, shown by the name that came first.
    order : callable, optional
        What sorts the keys; the keys themselves by default.

    Attributes
    ----------
    dropped, noted : collections.Counter
        How often each reason was met (see the module's docstring).
    located : dict
        Where each reason was met first.
    """

    def __init__(self, key: Callable[[str], str] = str, order: Callable[[str], Any] | None = None) -> None:
        self._key = key
        self._order = order
        self._players: dict[str, int] = {}
        self._names: list[str] = []
        self._codes = np.empty(0, dtype=np.int64)
        self._counts = np.empty((0, 3), dtype=np.int64)
        # Rows of counts, and single games as (low << 32 | high << 2 | outcome), not yet counted by pair.
        self._pending: list[tuple[np.ndarray, np.ndarray]] = []
        self._pending_games: list[np.ndarray] = []
        self._n_pending = 0
        self.dropped: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        self.located: dict[str, str] = {}

    def player(self, name: str) -> int:
        """Return the index of a player, a new one for a new key."""
        index = self._players.setdefault(self._key(name), len(self._names))
        if index == len(self._names):
            self._names.append(name)
        return index

    def rename(self, key: str, name: str) -> None:
        """Show the player of a key by another name."""
        self._names[self._players[key]] = name

    def keys(self) -> list[str]:
        """Return the keys of all players, in the order of their indices."""
        return list(self._players)

    def drop(self, reason: str, where: str, times: int = 1) -> None:
        """Count something that is left out."""
        self.dropped[reason] += times
        self.located.setdefault(reason, where)

    def note(self, what: str, where: str) -> None:
        """Count something unusual that is kept."""
        self.noted[what] += 1
        self.located.setdefault(what, where)

    def add(self, a: np.ndarray, b: np.ndarray, counts: np.ndarray) -> None:
        """Count rows of several games each.

        Parameters
        ----------
        a, b : (m,) int arrays
            Indices of the players, different in each row.
        counts : (m, 3) int array
            Wins of a, draws, wins of b.
        """
        swap = a > b
        codes = np.minimum(a, b) << 32 | np.maximum(a, b)
        self._pending.append((codes, np.where(swap[:, None], counts[:, ::-1], counts)))
        self._grow(len(a))

    def add_games(self, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> None:
        """Count single games.

        Parameters
        ----------
        a, b : (m,) int arrays
            Indices of the players, different in each row.
        outcome : (m,) int array
            0, 1, 2 for a win of a, a draw, a win of b.
        """
        outcome = np.where(a > b, 2 - outcome, outcome)
        self._pending_games.append(np.minimum(a, b) << 32 | np.maximum(a, b) << 2 | outcome)
        self._grow(len(a))

    def _grow(self, rows: int) -> None:
        """Settle when enough rows are pending that the work stays linear."""
        self._n_pending += rows
        if self._n_pending >= max(_PENDING, len(self._codes)):
            self._settle()

    def _settle(self) -> None:
        """Bring what is pending into the counts."""
        if sum(map(len, self._pending_games)):
            games = _sorted(np.concatenate(self._pending_games))
            self._codes, self._counts = _count_games(self._codes, self._counts, games)
        if self._pending:
            codes = np.concatenate([self._codes, *(codes for codes, _ in self._pending)])
            counts = np.concatenate([self._counts, *(counts for _, counts in self._pending)])
            self._codes, self._counts = _sum_by_code(codes, counts)
        self._pending, self._pending_games, self._n_pending = [], [], 0

    @property
    def games(self) -> int:
        """The number of games counted so far."""
        self._settle()
        return int(self._counts.sum())

    @property
    def seen(self) -> int:
        """The number of games counted or left out so far."""
        return self.games + self.dropped.total()

    def frame(self) -> pd.DataFrame:
        """Return the table of matchups (see the module's docstring)."""
        self._settle()
        keys = list(self._players)
        values = keys if self._order is None else [self._order(key) for key in keys]
        order = np.array(sorted(range(len(keys)), key=values.__getitem__), dtype=np.int64)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        names = np.array(self._names, dtype=object)
        frame = _frame(names[order], rank[self._codes >> 32], rank[self._codes & 0xFFFFFFFF], self._counts)
        frame.attrs = {
            "games": self.games,
            "dropped": dict(self.dropped),
            "noted": dict(self.noted),
            "located": dict(self.located),
        }
        return frame


def _sorted(numbers: np.ndarray) -> np.ndarray:
    """Return numbers of at least 0, in an array that is lost, in ascending order."""
    compiled = native.load()
    if compiled is None:
        return np.sort(numbers)
    # Digit by digit, by heads.c, takes a quarter of the time.
    room = np.empty_like(numbers)
    is_in_room = compiled.sort_numbers(len(numbers), *map(native.address, (numbers, room)))
    return room if is_in_room else numbers


def _count_games(codes: np.ndarray, counts: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs and counts, sorted by pair, with sorted games (`Tally._pending_games`) added to them."""
    compiled = native.load()
    if compiled is None:
        more = np.zeros((len(games), 3), dtype=np.int64)
        more[np.arange(len(games)), games & 3] = 1
        of_games = games >> 32 << 32 | (games & 0xFFFFFFFF) >> 2
        return _sum_by_code(np.concatenate([codes, of_games]), np.concatenate([counts, more]))
    all_codes = np.empty(len(codes) + len(games), dtype=np.int64)
    all_counts = np.empty((len(all_codes), 3), dtype=np.int64)
    total = compiled.count_games(
        len(codes),
        *map(native.address, (codes, counts)),
        len(games),
        *map(native.address, (games, all_codes, all_counts)),
    )
    # What was not needed is given back, in place.
    all_codes.resize(total, refcheck=False)
    all_counts.resize((total, 3), refcheck=False)
    return all_codes, all_counts


def _sum_by_code(codes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct codes, ascending, and the sums of their counts."""
    if len(codes) == 0:
        return codes, counts
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    first = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    return codes[first], np.add.reduceat(counts[order], first)


def _frame(names: np.ndarray, a: np.ndarray, b: np.ndarray, counts: np.ndarray) -> pd.DataFrame:
    """Return a table of distinct matchups from indices into `names`, which are in the order of the keys."""
    swap = a > b
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    codes, counts = (a << 32) | b, np.where(swap[:, None], counts[:, ::-1], counts)
    order = np.argsort(codes)
    codes, counts = codes[order], counts[order]
    # Python's texts are converted once a player, not once a pair.
    texts = pd.array(names, dtype="str")
    columns = (texts.take(codes >> 32), texts.take(codes & 0xFFFFFFFF), *counts.T)
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def read_matchups(
    path: str | os.PathLike | list[str], format: str | None = None, **options: object
) -> pd.DataFrame:
    """Read the games of a file, a folder or a glob pattern as counts by pair.

    Parameters
    ----------
    path : path-like or list of str
        Any supported file, packed (.gz, .bz2, .xz, .zst, .zip, .7z) or not; or a list of files.
    format : {"pgn", "aligulac", "results"}, optional
        What the file is; guessed by its suffix and its content by default.
    **options
        Those of the format: see `transitivity.sources.pgn.read_pgn`, `transitivity.sources.aligulac.read_aligulac`
        and `transitivity.sources.results.read_results`.

    Returns
    -------
    pandas.DataFrame
        One row per unordered pair: player_a, player_b, wins_a, draws, wins_b; its `attrs` say what was left out and
        why (see `transitivity.matchups`).

    Raises
    ------
    InputError
        If there is no such file, format or option, or if the file holds no game at all.
    """
    # Each reader imports what this module defines.
    from transitivity.sources import formats

    if format is None:
        format = formats.guess(path)
    elif format not in FORMATS:
        raise InputError(f"{path}: there is no format {format!r}; {did_you_mean(str(format), FORMATS)}")
    return formats.read(format, path, options)


def save_matchups(frame: pd.DataFrame, path: str | os.PathLike, **about: object) -> None:
    """Write a table of matchups as CSV, and what was left out of it beside it, with the suffix .json.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `read_matchups` returns it.
    path : path-like
        The .csv file.
    **about
        What else the .json is to tell, such as the files that were read.
    """
    write_table(frame, path)
    write_json({**frame.attrs, **about}, Path(path).with_suffix(".json"))


def load_matchups(path: str | os.PathLike) -> pd.DataFrame:
    """Read what `save_matchups` wrote; everything that its .json tells is in the `attrs`.

    Parameters
    ----------
    path : path-like
        The .csv file.
    """
    # A player may be called "NA".
    types = dict.fromkeys(("player_a", "player_b"), "str") | dict.fromkeys(COUNTS, "int64")
    frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_filter=False)
    frame.attrs = json.loads(Path(path).with_suffix(".json").read_text(encoding="utf-8"))
    return frame


def check_matchups(frame: pd.DataFrame) -> np.ndarray:
    """Return the counts of a table of matchups as an (m, 3) int array.

    Raises
    ------
    InputError
        If a column is missing, or a count is no whole number of at least 0.
    """
    for column in COLUMNS:
        if column not in frame.columns:
            listed = ", ".join(map(str, frame.columns))
            raise InputError(f"The matchups have no column {column!r}; rename one of: {listed}.")
    counts = np.column_stack([pd.to_numeric(frame[column], errors="coerce") for column in COUNTS])
    counts = counts.astype(np.float64)
    with np.errstate(invalid="ignore"):
        bad = ~((counts >= 0) & (counts == np.floor(counts)) & (counts < 2**53))
    if bad.any():
        row, k = (int(index) for index in np.argwhere(bad)[0])
        a, b = frame["player_a"].iloc[row], frame["player_b"].iloc[row]
        raise InputError(
            f"{COUNTS[k]} of {a!r} and {b!r} is {frame[COUNTS[k]].iloc[row]!r}; give a whole number of games."
        )
    return counts.astype(np.int64)


def indexed(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct names of a table of matchups, and the indices of its two columns of players.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the columns player_a and player_b.

    Returns
    -------
    names : (n,) object array
    a, b : (m,) int arrays

    Raises
    ------
    InputError
        If a name is missing.
    """
    players = pd.concat([frame["player_a"], frame["player_b"]], ignore_index=True)
    index, names = pd.factorize(players)
    if (index < 0).any():
        row = int(np.argmax(index < 0)) % len(frame)
        raise InputError(
            f"Row {row + 1} of the matchups lacks a player's name; fill it in, or remove the row."
        )
    return np.asarray(names, dtype=object), index[: len(frame)], index[len(frame) :]


def merge_matchups(frames: Sequence[pd.DataFrame], ignore_case: bool = False) -> pd.DataFrame:
    """Sum tables of matchups, such as those of the months of a database.

    Parameters
    ----------
    frames : sequence of pandas.DataFrame
        As `read_matchups` returns them.
    ignore_case : bool
        Whether names that differ by case only are one player, as on Lichess; the first spelling is kept.

    Returns
    -------
    pandas.DataFrame
        The sums; games, dropped and noted in its `attrs` are sums too.

    Raises
    ------
    InputError
        If a table lacks a column, holds something else than counts, or pairs a player with itself.
    """
    tally = Tally(str.lower if ignore_case else str)
    for frame in frames:
        counts = check_matchups(frame)
        names, a, b = indexed(frame)
        index = np.array([tally.player(str(name)) for name in names], dtype=np.int64)
        a, b = index[a], index[b]
        if (a == b).any():
            name = frame["player_a"].iloc[int(np.argmax(a == b))]
            raise InputError(f"The matchups pair {name!r} with itself; remove that row.")
        tally.add(a, b, counts)
        for reasons, summed in (("dropped", tally.dropped), ("noted", tally.noted)):
            summed.update(frame.attrs.get(reasons, {}))
        for reason, where in frame.attrs.get("located", {}).items():
            tally.located.setdefault(reason, where)
    return tally.frame()


def filter_matchups(
    frame: pd.DataFrame,
    min_games: int = 1,
    min_opponents: int = 1,
    component: Literal["largest", "all"] = "all",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Keep the pairs with enough games, then the players with enough opponents, then the largest component.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table of matchups.
    min_games : int
        Games that a pair needs.
    min_opponents : int
        Opponents that a player needs among the players that are kept: players with fewer are removed until none is
        left (the k-core of the graph of pairs).
    component : {"largest", "all"}
        Whether only the connected component with most players is kept (of equals, the one of the first row).

    Returns
    -------
    frame : pandas.DataFrame
        The pairs that are left, in the same order. It may be empty.
    steps : pandas.DataFrame
        What is left after each step that was asked for: step, players, pairs, games.

    Raises
    ------
    InputError
        If a threshold or `component` is not one, or the table lacks a column.
    """
    check_count("min_games", min_games)
    check_count("min_opponents", min_opponents)
    if component not in ("largest", "all"):
        raise InputError(f"component is {component!r}; {did_you_mean(str(component), ('largest', 'all'))}")
    games = check_matchups(frame).sum(axis=1)
    names, a, b = indexed(frame)
    keep = np.ones(len(frame), dtype=bool)
    steps = []

    def report(step: str) -> None:
        """Add a row to the table of steps."""
        players = np.zeros(len(names), dtype=bool)
        players[a[keep]] = players[b[keep]] = True
        steps.append((step, int(players.sum()), int(keep.sum()), int(games[keep].sum())))

    report("read")
    keep &= games >= min_games
    report(f"pairs with at least {amount(min_games, 'game')}")
    if min_opponents > 1:
        keep = _core(a, b, keep, len(names), min_opponents)
        report(f"players with at least {min_opponents} opponents")
    if component == "largest" and keep.any():
        graph = coo_array((np.ones(keep.sum(), dtype=np.int8), (a[keep], b[keep])), shape=(len(names),) * 2)
        _, label = connected_components(graph, directed=False)
        sizes = np.bincount(label)
        best = np.flatnonzero(sizes[label[a]] == sizes[label[a[keep]]].max())
        best = best[keep[best]][0]
        keep &= label[a] == label[a[best]]
    if component == "largest":
        report("largest connected component")
    kept = frame[keep].reset_index(drop=True)
    kept.attrs = {**frame.attrs, "games": int(games[keep].sum())}
    return kept, pd.DataFrame(steps, columns=["step", "players", "pairs", "games"])


def why_empty(frame: pd.DataFrame, min_games: int = 1, min_opponents: int = 1) -> str:
    """Return why `filter_matchups` leaves nothing of a table with these thresholds, and what to do.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table of matchups.
    min_games, min_opponents : int
        As for `filter_matchups`.
    """
    games = check_matchups(frame).sum(axis=1)
    most = int(games.max(initial=0))
    if most == 0:
        dropped = [f"{times} × {reason}" for reason, times in frame.attrs.get("dropped", {}).items()]
        return f"no game was counted (left out: {', '.join(dropped) or 'none'}); check what was read."
    if most < min_games:
        return (
            f"no pair has {amount(min_games, 'game')}, the most is {most}; lower min_games to that or less."
        )
    names, a, b = indexed(frame)
    keep, largest = games >= min_games, 1
    while _core(a, b, keep, len(names), largest + 1).any():
        largest += 1
    return (
        f"among pairs with at least {amount(min_games, 'game')} no players have {min_opponents} opponents each, "
        f"the most is {largest}; lower min_opponents to that or less{', or lower min_games' if min_games > 1 else ''}."
    )


def _core(a: np.ndarray, b: np.ndarray, keep: np.ndarray, n: int, k: int) -> np.ndarray:
    """Return which of the kept edges are in the k-core, in time linear in the edges."""
    keep = keep.copy()
    edges = np.flatnonzero(keep)
    ends = np.concatenate([a[edges], b[edges]])
    order = np.argsort(ends, kind="stable")
    # The edges of vertex v are at[start[v]:start[v + 1]].
    at = np.concatenate([edges, edges])[order]
    degree = np.bincount(ends, minlength=n)
    start = np.r_[0, np.cumsum(degree)]
    removed = np.zeros(n, dtype=bool)
    leaving = np.flatnonzero((degree > 0) & (degree < k))
    while len(leaving):
        removed[leaving] = True
        # Every edge of the leaving vertices, each once.
        lengths = start[leaving + 1] - start[leaving]
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        gone = at[np.repeat(start[leaving], lengths) + offsets]
        gone = np.unique(gone[keep[gone]])
        keep[gone] = False
        touched = np.concatenate([a[gone], b[gone]])
        np.subtract.at(degree, touched, 1)
        touched = np.unique(touched)
        leaving = touched[~removed[touched] & (degree[touched] > 0) & (degree[touched] < k)]
    return keep
