"""Matchups: how often the players of each pair won against each other, counted from game files.

A table of matchups has one row per unordered pair, with the columns `COLUMNS`; player_a comes before player_b in the
order of their keys (for Lichess, the lower-cased names). What was left out is in its `attrs`:

- ``games``: the number of games that are counted in the table;
- ``dropped``: {reason: number of games (or rows) that were left out for it};
- ``noted``: {what: how often}, for what is unusual but was kept, such as a file that is cut off;
- ``located``: {reason: where it was met first}, a file with a line or the number of a game.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from transitivity.errors import InputError, amount, check_count, did_you_mean
from transitivity.files import read_json, write_json, write_table
from transitivity.matchups.tally import COLUMNS, COUNTS, Tally

if TYPE_CHECKING:
    import pandas as pd


def save_matchups(frame: pd.DataFrame, path: str | os.PathLike[str], **about: object) -> None:
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
    write_json(dict(frame.attrs) | about, Path(path).with_suffix(".json"))


def load_matchups(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `save_matchups` wrote; everything that its .json tells is in the `attrs`.

    Parameters
    ----------
    path : path-like
        The .csv file.
    """
    import pandas as pd

    # A player may be called "NA".
    types = {column: "int64" if column in COUNTS else "str" for column in COLUMNS}
    frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_filter=False)
    frame.attrs = read_json(Path(path).with_suffix(".json"))
    return frame


def check_matchups(frame: pd.DataFrame) -> np.ndarray:
    """Return the counts of a table of matchups as an (m, 3) int array.

    Raises
    ------
    InputError
        If a column is missing, or a count is not a whole number of at least 0.
    """
    import pandas as pd

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
    import pandas as pd

    players = pd.concat([frame["player_a"], frame["player_b"]], ignore_index=True)
    index, names = pd.factorize(players)
    if (index < 0).any():
        row = int(np.argmax(index < 0)) % len(frame)
        raise InputError(f"Row {row + 1} of the matchups lacks a player's name; fill it in, or remove the row.")
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
    frame: pd.DataFrame, min_games: int = 1, min_opponents: int = 1, component: Literal["largest", "all"] = "all"
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
    import pandas as pd
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

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
        return f"no pair has {amount(min_games, 'game')}, the most is {most}; lower min_games to that or less."
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
