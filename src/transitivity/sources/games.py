"""Games one by one, in the order in which they were played."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import Tally
from transitivity.sources.days import moment
from transitivity.sources.read import check_format, read

#: The columns of a table of games.
COLUMNS = ("time", "period", "player_a", "player_b", "score")
SERIES = ("games", "share")
_UNKNOWN = np.iinfo(np.int64).min
_EPOCH = datetime(1970, 1, 1)
_DIGITS = re.compile(r"\s*(\d{1,18})")


class Games(Tally):
    """Keeps games in place of counting them by pair: its `frame` is that of `read_games`.

    Parameters
    ----------
    key, order
        As for `Tally`.
    series : {"games", "share"}
        See `read_games`.
    """

    dated: ClassVar[bool] = True

    def __init__(
        self, key: Callable[[str], str] = str, order: Callable[[str], Any] | None = None, *, series: str = "games"
    ) -> None:
        super().__init__(key, order)
        self._share = series == "share"
        self._n_games = self._n_rows = 0
        # Of each batch: a, b, score, seconds since 1970, number within the second, row.
        self._batches: list[tuple[np.ndarray, ...]] = []

    def add(
        self, a: np.ndarray, b: np.ndarray, counts: np.ndarray, when: Sequence[tuple[str, str]] | None = None
    ) -> None:
        """Keep rows of several games each; see `Tally.add`."""
        rows, seconds, numbers = self._moments(len(a), when)
        totals = counts.sum(axis=1)
        if self._share:
            score = (counts[:, 0] + counts[:, 1] / 2) / np.maximum(totals, 1)
            kept = totals > 0
            self._keep(*(column[kept] for column in (a, b, score, seconds, numbers, rows)))
            return
        score = np.repeat(np.tile([1.0, 0.5, 0.0], len(a)), counts.ravel())
        self._keep(
            *(np.repeat(column, totals) for column in (a, b)),
            score,
            *(np.repeat(column, totals) for column in (seconds, numbers, rows)),
        )

    def add_games(
        self, a: np.ndarray, b: np.ndarray, outcome: np.ndarray, when: Sequence[tuple[str, str]] | None = None
    ) -> None:
        """Keep single games; see `Tally.add_games`."""
        rows, seconds, numbers = self._moments(len(a), when)
        self._keep(a, b, 1 - outcome / 2, seconds, numbers, rows)

    def _keep(self, a: np.ndarray, b: np.ndarray, score: np.ndarray, *rest: np.ndarray) -> None:
        """Keep a batch of games."""
        self._batches.append((a.astype(np.int32), b.astype(np.int32), score, *rest))
        self._n_games += len(a)

    def _moments(self, n: int, when: Sequence[tuple[str, str]] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the places of the next n rows in the files, their seconds since 1970, and the numbers beside these."""
        rows = np.arange(self._n_rows, self._n_rows + n)
        self._n_rows += n
        if not when:
            return rows, np.full(n, _UNKNOWN), np.zeros(n, dtype=np.int64)
        numbers = [int(found[1]) if (found := _DIGITS.match(number)) else 0 for _, number in when]
        return rows, np.array([_second(date) for date, _ in when]), np.array(numbers, dtype=np.int64)

    @property
    def games(self) -> int:
        """The number of games kept so far."""
        return self._n_games

    def frame(self) -> pd.DataFrame:
        """Return the games; see `read_games`."""
        types = (np.int32, np.int32, np.float64, np.int64, np.int64, np.int64)
        columns = [
            np.concatenate([batch[k] for batch in self._batches] or [np.empty(0)]).astype(kind, copy=False)
            for k, kind in enumerate(types)
        ]
        self._batches = []
        known = columns[3] != _UNKNOWN
        if known.any():
            undated = int((~known).sum())
            if undated:
                where = f"row {int(columns[5][~known][0]) + 1} of those with a result"
                self.drop("no date", where, undated)
                columns = [column[known] for column in columns]
        a, b, score, seconds, numbers, rows = columns
        names = np.array(self._names, dtype=object)
        if known.any():
            rank = np.argsort(np.argsort(names.astype(str), kind="stable"))
            # The order of lines does not matter, not even to the last digit of a sum.
            order = np.lexsort((score, rank[b], rank[a], numbers, seconds))
            a, b, score, seconds, numbers = (column[order] for column in (a, b, score, seconds, numbers))
            time = seconds.astype("datetime64[s]")
            changes = (np.diff(seconds) != 0) | (np.diff(numbers) != 0)
        else:
            time = np.full(len(a), np.datetime64("NaT", "s"))
            changes = np.diff(rows) != 0
        period = np.concatenate([[0], np.cumsum(changes)])[: len(a)].astype(np.int64)
        texts = pd.array(names, dtype="str")
        values = (time, period, texts.take(a), texts.take(b), score)
        frame = pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))
        frame.attrs = {
            "games": len(frame),
            "order": "time" if known.any() else "file",
            "dropped": dict(self.dropped),
            "noted": dict(self.noted),
            "located": dict(self.located),
        }
        return frame


@lru_cache(100_000)
def _second(date: str) -> int:
    """Return a date as seconds since 1970, to UTC where it tells its zone."""
    if not (iso := moment(date)):
        return _UNKNOWN
    found = datetime.fromisoformat(iso)
    if found.tzinfo is not None:
        found = found.astimezone(UTC).replace(tzinfo=None)
    return (found - _EPOCH).days * 86_400 + (found - _EPOCH).seconds


def read_games(
    path: str | os.PathLike[str] | list[str], format: str | None = None, *, series: str = "games", **options: object
) -> pd.DataFrame:
    """Read the games of a file, a folder or a glob pattern in the order in which they were played.

    When a game was played is told, in PGN, by UTCDate and UTCTime, or else by the day and the Round; in a dump of
    Aligulac by the date and the id; in a table by the column that `date` names. Where no game tells it, the order is
    that of the file. Where only some tell it, the others are left out and counted.

    Parameters
    ----------
    path, format, **options
        As for `transitivity.read_matchups`.
    series : {"games", "share"}
        What becomes of rows of several games (``row="series"``, Aligulac): that many games of one period, or one game
        with the share that a won of them, or of the points, as its score.

    Returns
    -------
    pandas.DataFrame
        One row a game, in order: time (UTC where it is told; NaT in the order of the file), period (games that nothing
        puts in order share one; it counts from 0), player_a (White; the first column), player_b, score (of player_a: 1,
        1/2, 0, or a share). `attrs` has ``order``, "time" or "file", and what `read_matchups` tells.

    Raises
    ------
    InputError
        As `read_matchups`; if rows are counts by pair without a date; or if no date can be read though `date` is given.
    """
    if series not in SERIES:
        raise InputError(f"series is {series!r}; {did_you_mean(str(series), SERIES)}")
    frame = read(check_format(path, format), path, options, partial(Games, series=series))
    if frame.attrs["order"] == "file" and options.get("date") and len(frame):
        raise InputError(
            f"{path}: no game has a date that can be read; write dates as YYYY-MM-DD, or say date_format, such as "
            "'%d/%m/%Y'."
        )
    return frame
