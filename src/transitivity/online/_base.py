"""What every sequential rating offers: games in, in their order; forecasts and ratings out."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from transitivity.errors import InputError
from transitivity.files import Saved
from transitivity.native import library
from transitivity.payoff.core import places_of

#: What is counted for each player; `score` and `expected_score` are sums over its games.
COUNTS = ("matches", "wins", "draws", "losses", "score", "expected_score")
#: Lengths of rating periods, with the units of numpy that they are made of.
PERIODS = {"day": "D", "week": "D", "month": "M", "year": "Y"}
#: Players that are numbers have numbers below this one.
MOST_PLAYERS = 10**8
Addresses = tuple[int | None, ...]


class Diverged(InputError):
    """Steps that are too large: a rating grew without bound."""


class Online(Saved, ABC):
    """Ratings that each rating period updates.

    All games of a period are rated by what was known before it, whatever their order in it. A game is a period of its
    own where no times are given; the games of one time form a period where they are.

    A subclass sets `name`, `label` and `reference`, and says how a player starts, what a game changes and how the
    changes of a period come into the state, in numpy (`_start`, `_changes`, `_apply`) and, where it has one, by its
    compiled loop (`_run_compiled`), which does the same.

    Parameters
    ----------
    period : {"day", "week", "month", "year"} or float, optional
        The length of a rating period: of the calendar, where times are dates, or in the unit of times that are numbers.
        Without it every distinct time is a period.

    Attributes
    ----------
    players : list of str
        Their names; a player's index is its place here.
    """

    label: ClassVar[str]
    #: The citation.
    reference: ClassVar[str]
    #: How `ratings` makes its intervals.
    interval: ClassVar[str]

    def __init__(self, period: str | float | None = None) -> None:
        if isinstance(period, str):
            known = period in PERIODS
        else:
            known = period is None or (not isinstance(period, bool) and 0 < period < np.inf)
        if not known:
            raise InputError(
                f"period is {period!r}; use one of {', '.join(PERIODS)}, or a positive number where times are numbers."
            )
        self.period = period
        self.players: list[str] = []
        self._index: dict[str, int] = {}
        # Whether players have names of their own, or are numbers; unknown before the first game.
        self._named: bool | None = None
        self._state = self._start([])
        self._counts = np.zeros((0, len(COUNTS)))
        # Where the last period ended.
        self._last: Any = None

    def _get_state(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in (*self.parameters(), "_index")}

    def _set_state(self, state: dict[str, Any]) -> None:
        super()._set_state(state)
        self._index = {name: at for at, name in enumerate(self.players)}

    # ---------------------------------------------------------------- for the subclass

    @abstractmethod
    def _start(self, names: Sequence[str]) -> np.ndarray:
        """Return the state of players before their first game, a row each."""

    @abstractmethod
    def _changes(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the forecasts of a period's games, and what each changes for a and for b, a row each."""

    def _apply(self, players: np.ndarray, changes: np.ndarray) -> None:
        """Add the changes of a period, one row for each who played, to the state."""
        self._state[players] += changes

    def _run_compiled(self, compiled: ctypes.CDLL, games: Addresses, state: Addresses) -> bool:
        """Update by the compiled loop; return False where there is none.

        `games` and `state` are what all loops of online.c take: the number of periods and the addresses of their
        starts, a, b and score; and the addresses of state, counts, changes and forecasts.
        """
        return False

    @abstractmethod
    def _columns(self, level: float) -> dict[str, np.ndarray]:
        """Return columns of `ratings`: rating, perhaps more and, where there is an interval, low and high."""

    @abstractmethod
    def _predict(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the expected scores of players by index."""

    # ---------------------------------------------------------------- for the user

    def update(self, a: Any, b: Any, score: Any, time: Any = None) -> np.ndarray:
        """Take games in their order.

        Parameters
        ----------
        a, b : array-like of str, or of int, (m,)
            The players of each game: by names, new ones included, or as numbers from 0; or one game, as scalars.
        score : array-like, (m,)
            What a scored: 1 for a win, 1/2 for a draw, 0, or anything between, such as a share of the points. b scored
            the rest.
        time : array-like, (m,), optional
            When each game was played, as numbers or dates, in ascending order. A period must not be spread over calls.

        Returns
        -------
        (m,) array
            The expected score of a in each game, as forecast before its period.

        Raises
        ------
        InputError
            If a player meets itself, a score is outside [0, 1], a time is missing or before the one that precedes it,
            the arrays do not fit together, or the steps diverge (then start again, from a new object).
        """
        score = np.atleast_1d(np.asarray(score, dtype=np.float64))
        if len(score) and not (score.min() >= 0 and score.max() <= 1):
            outside = np.flatnonzero(~((score >= 0) & (score <= 1)))[0]
            raise InputError(
                f"Game {outside + 1} has the score {score[outside]}; give scores in [0, 1]: 1 for a win, 0.5 for a "
                "draw, a share of the points."
            )
        a, b, named, new = self._find(a, b)
        if not len(a) == len(b) == len(score):
            raise InputError(
                f"There are {len(a)} players a, {len(b)} players b and {len(score)} scores; give one of each a game."
            )
        itself = np.flatnonzero(a == b)
        if len(itself):
            name = [*self.players, *new][a[itself[0]]]
            raise InputError(f"Game {itself[0] + 1} is of {name!r} against itself; leave it out.")
        if not len(score):
            return np.empty(0)
        starts, numbers = self._periods(time, len(score))
        self._named = named
        self._add_players(new)
        forecasts = self._run(a, b, score, starts, numbers)
        if numbers is not None:
            self._last = numbers[-1]
        changed = self._state if len(a) > len(self.players) else self._state[np.concatenate([a, b])]
        if not np.isfinite(changed).all():
            raise Diverged(
                f"{self!r}: the steps grew without bound; start again with smaller steps or more rating periods."
            )
        return forecasts

    def predict(self, a: Any, b: Any) -> np.ndarray:
        """Return the expected score of a against b, broadcast over arrays.

        Parameters
        ----------
        a, b : (array of) str or int
            Players by name or by index.

        Raises
        ------
        InputError
            If there is no such player.
        """
        return self._predict(self._indices(a), self._indices(b))

    def ratings(self, level: float = 0.95) -> pd.DataFrame:
        """Return all players, from best to worst; those rated the same by name.

        Where players are numbers, those who have not played are left out.

        Parameters
        ----------
        level : float
            The share of intervals that are to hold the player's strength.

        Returns
        -------
        pandas.DataFrame
            id, rating, what else the method knows of a player, low and high (NaN without an interval), the method of
            the interval, and `COUNTS`.
        """
        if not 0 < level < 1:
            raise InputError(f"level is {level!r}; use a number between 0 and 1, such as 0.95.")
        columns: dict[str, Any] = {"id": np.array(self.players, dtype=object)} | self._columns(level)
        columns = columns | {"low": columns.pop("low", np.nan), "high": columns.pop("high", np.nan)}
        frame = pd.DataFrame(columns | {"interval_method": self.interval})
        for name, counts in zip(COUNTS, self._counts.T, strict=True):
            frame[name] = counts if "score" in name else counts.astype(np.int64)
        if not self._named:
            frame = frame[frame["matches"] > 0]
        return frame.sort_values(["rating", "id"], ascending=[False, True], ignore_index=True)

    # ---------------------------------------------------------------- players

    def _find(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, bool, list[str]]:
        """Return the indices of players, whether they have names, and the names of those not met before."""
        a, b = (np.atleast_1d(np.asarray(side)) for side in (a, b))
        if a.ndim != 1 or b.ndim != 1:
            raise InputError("Give the players of games as flat arrays, one for a and one for b.")
        if len(a) == len(b) == 0:
            return np.empty(0, np.int64), np.empty(0, np.int64), bool(self._named), []
        kinds = {np.issubdtype(side.dtype, np.integer) for side in (a, b)}
        named = kinds != {True}
        n = len(self.players)
        if not named:
            a, b = (np.ascontiguousarray(side, dtype=np.int64) for side in (a, b))
            lowest, highest = min(a.min(), b.min()), max(a.max(), b.max())
            end = n if self._named else MOST_PLAYERS
            if lowest < 0 or highest >= end:
                wrong = lowest if lowest < 0 else highest
                raise InputError(f"There is no player {wrong}; players that are numbers go from 0 to {end - 1}.")
            return a, b, bool(self._named), [str(number) for number in range(n, highest + 1)]
        if self._named is False:
            raise InputError("The players of games before were numbers; go on with numbers.")
        codes, names = pd.factorize(np.concatenate([a.astype(object), b.astype(object)]))
        strange = [name for name in names if not isinstance(name, str)]
        if (codes < 0).any() or strange:
            wrong = strange[0] if strange else None
            raise InputError(f"A player is called {wrong!r}; name all players by texts, or all by numbers from 0.")
        new = [name for name in names if name not in self._index]
        known = self._index | {name: n + place for place, name in enumerate(new)} if new else self._index
        indices = np.array([known[name] for name in names], dtype=np.int64)[codes]
        return indices[: len(a)], indices[len(a) :], True, new

    def _add_players(self, new: list[str]) -> None:
        """Add players, who start as all do."""
        if new:
            self._index |= {name: len(self.players) + place for place, name in enumerate(new)}
            self.players += new
            self._state = np.vstack([self._state, self._start(new)])
            self._counts = np.vstack([self._counts, np.zeros((len(new), len(COUNTS)))])

    def _indices(self, players: Any) -> np.ndarray:
        """Return the indices of known players."""
        found, n = np.asarray(places_of(players, self._index)), len(self.players)
        wrong = found[(found < 0) | (found >= n)] if found.dtype.kind in "iu" else found
        if wrong.size:
            raise InputError(f"There is no player {wrong.flat[0]}; {n} players are rated, from 0.")
        return found

    # ---------------------------------------------------------------- time

    def _periods(self, time: Any, n_games: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return where the periods start, followed by the number of games, and their numbers; None for a game each."""
        if time is None:
            if self._last is not None:
                raise InputError("The games before had times; give the times of these, too.")
            if self.period is not None:
                raise InputError(f"period is {self.period!r}, which needs the times of the games; give them.")
            return None, None
        numbers = self._period_numbers(time)
        if len(numbers) != n_games:
            raise InputError(f"There are {len(numbers)} times and {n_games} games; give one time a game.")
        back = np.flatnonzero(numbers[1:] < numbers[:-1])
        if len(back):
            raise InputError(f"Game {back[0] + 2} is of an earlier time than the one before; sort games by time.")
        if self._last is not None and not numbers[0] > self._last:
            raise InputError(
                "The first of these games is not of a later period than the last one before; give games in order, and "
                "each period as a whole."
            )
        starts = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]])
        return np.append(starts, n_games).astype(np.int64), numbers[starts]

    def _period_numbers(self, time: Any) -> np.ndarray:
        """Return the period of each game, as numbers that ascend with time."""
        time = np.atleast_1d(np.asarray(time))
        if time.dtype.kind in "OUS":
            try:
                time = pd.to_datetime(pd.Series(time)).to_numpy("datetime64[us]")
            except (ValueError, TypeError) as error:
                raise InputError(f"A time is not a date ({error}); give ISO dates, or numbers.") from error
        dates = time.dtype.kind == "M"
        missing = np.isnat(time) if dates else ~np.isfinite(time.astype(np.float64))
        if missing.any():
            raise InputError(f"Game {np.flatnonzero(missing)[0] + 1} has no time; leave it out, or find its time.")
        if self.period is None:
            return time.astype("datetime64[us]").astype(np.int64) if dates else time
        if dates != isinstance(self.period, str):
            kind = "dates" if dates else "numbers"
            raise InputError(f"period is {self.period!r}, and times are {kind}; give a period that fits them.")
        if isinstance(self.period, str):
            numbers = time.astype(f"datetime64[{PERIODS[self.period]}]").astype(np.int64)
            # 1970 began on a Thursday, and weeks begin on Mondays.
            return (numbers + 3) // 7 if self.period == "week" else numbers
        return np.floor(time / self.period)

    # ---------------------------------------------------------------- running

    def _run(
        self, a: np.ndarray, b: np.ndarray, score: np.ndarray, starts: np.ndarray | None, numbers: np.ndarray | None
    ) -> np.ndarray:
        """Update the state by games, in periods as `_periods` returns them; return their forecasts."""
        forecasts, changes = np.empty(len(score)), np.zeros_like(self._state)
        a, b, score = map(np.ascontiguousarray, (a, b, score))
        n_periods = len(score) if starts is None else len(starts) - 1
        games = (n_periods, *map(library.address, (starts, a, b, score)))
        state = tuple(map(library.address, (self._state, self._counts, changes, forecasts)))
        if (compiled := library.load()) is not None and self._run_compiled(compiled, games, state):
            return forecasts
        bounds = range(len(score) + 1) if starts is None else starts.tolist()
        for first, last in pairwise(bounds):
            forecasts[first:last] = self._run_period(a[first:last], b[first:last], score[first:last])
        return forecasts

    def _run_period(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> np.ndarray:
        """Update the state by the games of one period; return their forecasts."""
        forecasts, of_a, of_b = self._changes(a, b, score)
        players, place = np.unique(np.concatenate([a, b]), return_inverse=True)
        changes = np.zeros((len(players), of_a.shape[1]))
        np.add.at(changes, place, np.concatenate([of_a, of_b]))
        self._apply(players, changes)
        for side, won, expected in ((a, score, forecasts), (b, 1 - score, 1 - forecasts)):
            counted = (np.ones_like(won), won > 0.5, won == 0.5, won < 0.5, won, expected)
            np.add.at(self._counts, side, np.column_stack(counted))
        return forecasts


def half_width(level: float) -> float:
    """Return how many standard deviations a normal interval of a level reaches to either side."""
    return NormalDist().inv_cdf((1 + level) / 2)
