"""Counting games by pair, in memory bounded by the number of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from transitivity.native import library

if TYPE_CHECKING:
    import pandas as pd

#: The columns of a table of matchups.
COLUMNS = ("player_a", "player_b", "wins_a", "draws", "wins_b")
COUNTS = ("wins_a", "draws", "wins_b")
#: Games are counted in batches of this many; larger ones where there are more pairs, so that the work stays linear.
_PENDING = 1 << 20
#: What is noted of at least so many pairs whose numbers of wins, draws and losses are all multiples of one number.
REPEATED, _FEWEST_PAIRS = "all counts are multiples of {}: rows may stand in the files more than once", 20


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
    dated : bool
        Whether readers are to tell when games were played: a date and, to order those of one date, a number, as texts
        that are empty where unknown. Counting does without.
    """

    dated: ClassVar[bool] = False

    def __init__(self, key: Callable[[str], str] = str, order: Callable[[str], Any] | None = None) -> None:
        self.key = key
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
        index = self._players.setdefault(self.key(name), len(self._names))
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

    def add(
        self, a: np.ndarray, b: np.ndarray, counts: np.ndarray, when: Sequence[tuple[str, str]] | None = None
    ) -> None:
        """Count rows of several games each.

        Parameters
        ----------
        a, b : (m,) int arrays
            Indices of the players, different in each row.
        counts : (m, 3) int array
            Wins of a, draws, wins of b.
        when : sequence of (date, number), optional
            See `dated`.
        """
        swap = a > b
        codes = np.minimum(a, b) << 32 | np.maximum(a, b)
        self._pending.append((codes, np.where(swap[:, None], counts[:, ::-1], counts)))
        self._grow(len(a))

    def add_games(
        self, a: np.ndarray, b: np.ndarray, outcome: np.ndarray, when: Sequence[tuple[str, str]] | None = None
    ) -> None:
        """Count single games.

        Parameters
        ----------
        a, b : (m,) int arrays
            Indices of the players, different in each row.
        outcome : (m,) int array
            0, 1, 2 for a win of a, a draw, a win of b.
        when : sequence of (date, number), optional
            See `dated`.
        """
        outcome = np.where(a > b, 2 - outcome, outcome)
        self._pending_games.append(np.minimum(a, b) << 32 | np.maximum(a, b) << 2 | outcome)
        self._grow(len(a))

    def _grow(self, rows: int) -> None:
        """Count what is pending once it is at least a batch."""
        self._n_pending += rows
        if self._n_pending >= max(_PENDING, len(self._codes)):
            self._settle()

    def _settle(self) -> None:
        """Add the pending games to the counts."""
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
        # What was noted of the tables that are summed here need not hold of the sum.
        for what in [one for one in self.noted if one.startswith(REPEATED.split("{")[0])]:
            del self.noted[what], self.located[what]
        if len(self._codes) >= _FEWEST_PAIRS and (common := int(np.gcd.reduce(self._counts, axis=None))) > 1:
            self.note(REPEATED.format(common), f"{len(self._codes)} pairs")
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
    compiled = library.load()
    if compiled is None:
        return np.sort(numbers)
    # Digit by digit, by counts.c, takes a quarter of the time.
    room = np.empty_like(numbers)
    is_in_room = compiled.sort_numbers(len(numbers), *map(library.address, (numbers, room)))
    return room if is_in_room else numbers


def _order(numbers: np.ndarray, limit: int) -> np.ndarray:
    """Return what sorts numbers from 0 to a limit."""
    bits = len(numbers).bit_length()
    if limit << bits >= 1 << 63:
        return np.argsort(numbers)
    return _sorted(numbers << bits | np.arange(len(numbers))) & (1 << bits) - 1


def _count_games(codes: np.ndarray, counts: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs and counts, sorted by pair, with sorted games (`Tally._pending_games`) added to them."""
    compiled = library.load()
    if compiled is None:
        more = np.zeros((len(games), 3), dtype=np.int64)
        more[np.arange(len(games)), games & 3] = 1
        of_games = games >> 32 << 32 | (games & 0xFFFFFFFF) >> 2
        return _sum_by_code(np.concatenate([codes, of_games]), np.concatenate([counts, more]))
    all_codes = np.empty(len(codes) + len(games), dtype=np.int64)
    all_counts = np.empty((len(all_codes), 3), dtype=np.int64)
    total = compiled.count_games(
        len(codes),
        *map(library.address, (codes, counts)),
        len(games),
        *map(library.address, (games, all_codes, all_counts)),
    )
    # Give back the memory that was not needed, in place.
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
    import pandas as pd

    swap, codes = a > b, np.minimum(a, b) * len(names) + np.maximum(a, b)
    order = _order(codes, len(names) ** 2)
    swap, codes = swap[order], codes[order]
    wins_a, draws, wins_b = counts.T[:, order]
    wins_a, wins_b = np.where(swap, wins_b, wins_a), np.where(swap, wins_a, wins_b)
    # Names are converted once a player, not once a pair.
    texts = pd.array(names, dtype="str")
    a = codes // len(names)
    columns = (texts.take(a), texts.take(codes - a * len(names)), wins_a, draws, wins_b)
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))
