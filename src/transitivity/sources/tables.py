"""Results in tables: CSV, TSV, JSON lines, Parquet and SQLite, with one row a game, a series or a pair.

Values are compared as text: 3 and "3" are the same, and true is "True". What a row says is told by one of

- ``winner``: a column with the name of the winner, or a word for a draw;
- ``score_a`` and ``score_b``: the higher one wins (``row="game"``), or both are games won (``row="series"``);
- ``outcome``: a column of labels, which ``outcomes`` maps to 1 (player_a won), 1/2, 0, or None (not a game);
- ``wins_a``, ``wins_b`` and, optionally, ``draws``: counts, one row a pair.
"""

from __future__ import annotations

import difflib
import fnmatch
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import COUNTS, Tally
from transitivity.sources import rows
from transitivity.sources.days import check_days, check_format, moment
from transitivity.sources.names import DRAWS, Spellings, clean, distinct, draw_word
from transitivity.sources.rows import Batch, Table, text
from transitivity.sources.streams import find_files, shown, too_early

SUFFIXES = (*rows.TEXT, *rows.JSON, *rows.BINARY)
ROWS = ("game", "series", "pair")
_EXAMPLES = {"where": '{"tournament": "World Cup"}', "outcomes": '{"H": 1, "D": 0.5, "A": 0}'}
WAYS = ("winner", "score_a and score_b", "outcome", "wins_a and wins_b")
#: What a condition of `where` may say, in place of values.
CONDITIONS = ("in", "not", "min", "max", "like")
#: The first rows, of those that pass the filters, by which a mistake in the mapping is recognised.
CHECKED = 200
#: What stands for an empty cell.
_NOTHING = frozenset({"", "\\N", "NA", "NaN", "nan", "null", "NULL"})
#: What stands for nobody where a name is expected; a player may be called NA.
_NOBODY = frozenset({"", "\\N"})
_NO_RESULT, _NEITHER, _NO_GAME = 3, 4, 5
#: Labels of winners that are kept, to report those that repeat.
_LABELS = 10_000
_HALF = re.compile(r"(\d*)\s*(?:½|(?<!\d)1/2)")
_COMMA = re.compile(r"-?\d*,\d{1,2}")


def read_results(
    path: str | os.PathLike[str],
    *,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    members: str | list[str] | None = None,
    tally: Callable[..., Tally] = Tally,
    **columns: Any,
) -> pd.DataFrame:
    """Count results of a table by pair of players.

    Parameters
    ----------
    path : path-like
        A .csv, .tsv, .jsonl or .ndjson file, packed or not, a .parquet or a .sqlite, .sqlite3 or .db file, a folder of
        such files or a glob pattern.
    table, delimiter, encoding, members
        See `transitivity.read_matchups`.
    tally : callable
        Makes what takes the games: `Tally` counts them, `transitivity.sources.games.Games` keeps them one by one.
    **columns
        Those of `Columns`.

    Returns
    -------
    pandas.DataFrame
        See `transitivity.read_matchups`. Reasons in `attrs["dropped"]` count rows: no player name, self-play, dummy
        player, no result, no score, negative score, winner is neither player, not a game, 0-0, no date,
        other date, repeated game, other <column>; and rows that cannot be read: broken row, row over 1 MiB, line break
        inside quotes. More than 2 % of these in a file are noted, more than 20 % refused.

    Raises
    ------
    InputError
        If there is no such file, table or column, if the mapping does not fit the rows, or if no row counts.
    """
    counter = _Counter(Columns(**columns), tally)
    for file in find_files(path, SUFFIXES):
        for found in rows.open_tables(file, delimiter, encoding, table, members):
            if isinstance(found, str):
                counter.tally.note("file cut off", f"{found}: line 1")
            else:
                counter.read(found)
    return counter.frame(shown(path))


def values_of(path: str | os.PathLike[str] | list[str], column: str, how: dict[str, Any], most: int = 50) -> list[str]:
    """Return the values of a column, none of which is empty, in order; raise InputError if there are more than `most`.

    Parameters
    ----------
    path, column
        See `read_results`.
    how : dict
        Its options delimiter, encoding, table and members.
    most : int
        How many values there may be.
    """
    found: set[str] = set()
    for file in find_files(path, SUFFIXES):
        for table in rows.open_tables(file, **how):
            if isinstance(table, str):
                continue
            if column not in table.columns:
                raise InputError(f"{table.name} has no column {column!r}; {did_you_mean(column, table.columns)}")
            for batch in table.batches([column], Tally(), ()):
                found.update(map(_label, batch.columns[column].texts))
                if len(found) > most:
                    raise InputError(f"{table.name} has more than {most} values of {column}; list those you mean.")
    return sorted(found - _NOTHING)


# -------------------------------------------------------------------- the mapping


@dataclass
class Columns:
    """Which columns say what, as options of `transitivity.read_matchups`; checked when it is made."""

    player_a: Any = "player_a"
    player_b: Any = "player_b"
    name_a: Any = None
    name_b: Any = None
    names: Any = None
    winner: Any = None
    draw: Any = DRAWS
    score_a: Any = None
    score_b: Any = None
    outcome: Any = None
    outcomes: Any = None
    wins_a: Any = None
    draws: Any = None
    wins_b: Any = None
    row: Any = None
    where: Any = None
    date: Any = None
    date_format: Any = None
    first: Any = None
    last: Any = None
    game_id: Any = None
    dummies: Any = ("bye",)
    case_sensitive: bool = True

    def __post_init__(self) -> None:
        """Raise InputError if the options say too little, too much or nonsense."""
        for option in _NAMES:
            column = getattr(self, option)
            if column is not None and not isinstance(column, str):
                raise InputError(f"{option} is {column!r}; give the name of a column.")
        given = [way for way in WAYS if any(getattr(self, name) for name in way.split(" and "))]
        self.guessed = not given and self.draws is None and self.row in (None, "pair")
        if self.guessed:
            # The table that read_matchups makes.
            self.wins_a, self.draws, self.wins_b = COUNTS
            given = ["wins_a and wins_b"]
        if len(given) != 1:
            found = f"both {given[0]} and {given[1]} are" if given else "none is"
            raise InputError(f"A row's result is told by one of {', '.join(WAYS)}; {found} given.")
        for one, other in (("score_a", "score_b"), ("wins_a", "wins_b"), ("name_a", "name_b")):
            if bool(getattr(self, one)) != bool(getattr(self, other)):
                missing = other if getattr(self, one) else one
                raise InputError(f"{one} and {other} go together; name the column of {missing}, too.")
        self.row = self.row or ("pair" if self.wins_a else "game")
        if self.row not in ROWS:
            raise InputError(f"row is {self.row!r}; {did_you_mean(str(self.row), ROWS)}")
        if bool(self.wins_a) != (self.row == "pair") or (self.row == "series" and not self.score_a):
            needs = {"pair": "wins_a and wins_b", "series": "score_a and score_b"}.get(self.row, "another way to tell")
            raise InputError(f"row is {self.row!r}, which needs {needs}, and {given[0]} is given.")
        labelled = bool(self.outcome or self.winner)
        if (self.outcome and self.outcomes is None) or (self.outcomes is not None and not labelled):
            raise InputError(
                "outcome and outcomes go together: a column of labels, and what each of them means (winner takes "
                "outcomes, too)."
            )
        for name, example in _EXAMPLES.items():
            if not isinstance(getattr(self, name) or {}, Mapping):
                raise InputError(f"{name} is {getattr(self, name)!r}; give a mapping, such as {example}.")
        self.meaning: dict[str, int] = {}
        for label, value in (self.outcomes or {}).items():
            if value not in (0, 0.5, 1, None) or isinstance(value, bool):
                raise InputError(f"outcomes maps {label!r} to {value!r}; map it to 1, 0.5, 0, or null for no game.")
            self.meaning[_label(label)] = _NO_GAME if value is None else int(2 - 2 * value)
        self.days = check_days(self.first, self.last)
        if self.date is None and (any(self.days) or self.date_format is not None):
            raise InputError("first, last and date_format need the column of dates; name it by date.")
        check_format(self.date_format)
        self.draw = frozenset(map(draw_word, _texts(self.draw)))
        self.conditions = {column: Condition.of(column, given) for column, given in (self.where or {}).items()}
        # Nothing in a table that read_matchups made stands for nobody.
        self.nobody = frozenset(clean(name).lower() for name in _texts(self.dummies) if not self.guessed)

        named = [*(getattr(self, option) for option in _NAMES), *self.conditions]
        #: The columns that are read, each once, and those of them that hold numbers only.
        self.read = list(dict.fromkeys(column for column in named if column is not None))
        self.numbers = {getattr(self, option) for option in _NUMBERS} - {
            *(getattr(self, option) for option in _NAMES if option not in _NUMBERS),
            *self.conditions,
        }


#: The options that name a column, and those of them whose column holds numbers.
_NUMBERS = ("score_a", "score_b", "wins_a", "draws", "wins_b")
_NAMES = ("player_a", "player_b", "name_a", "name_b", "winner", *_NUMBERS, "outcome", "date", "game_id")


@dataclass(frozen=True)
class Condition:
    """What `where` asks of a column: one of `values`, if there are any, and none of `without`; a range; a pattern."""

    values: frozenset[str]
    without: frozenset[str]
    low: str
    high: str
    like: frozenset[str]

    @classmethod
    def of(cls, column: str, given: Any) -> Condition:
        """Return the condition that a value, a list of values or a mapping of `CONDITIONS` states."""
        given = given if isinstance(given, Mapping) else {"in": given}
        for key in given:
            if key not in CONDITIONS:
                raise InputError(f"where has {key!r} for {column!r}; {did_you_mean(str(key), CONDITIONS)}")
        # An empty list would keep all rows, or none.
        for key, value in given.items():
            if not isinstance(value, str) and isinstance(value, Iterable) and not list(value):
                raise InputError(f"where has nothing under {key!r} for {column!r}; give a value, or leave it out.")
        values, without, like = (_texts(given.get(key, [])) for key in ("in", "not", "like"))
        return cls(values, without, text(given.get("min")), text(given.get("max")), like)

    @property
    def named(self) -> frozenset[str]:
        """The values that rows are expected to have."""
        return self.values | self.without

    def holds(self, value: str) -> bool:
        """Return whether a row with a value counts."""
        value = _label(value)
        return (
            (not self.values or value in self.values)
            and value not in self.without
            and (not self.low or _compare(value, self.low) >= 0)
            and (not self.high or _compare(value, self.high) <= 0)
            and (not self.like or any(fnmatch.fnmatchcase(value, pattern) for pattern in self.like))
        )

    def __str__(self) -> str:
        said = [("", self.values), ("not ", self.without), ("like ", self.like)]
        parts = [start + ", ".join(map(repr, sorted(values))) for start, values in said if values]
        parts += [f"{word} {limit!r}" for word, limit in (("at least", self.low), ("at most", self.high)) if limit]
        return " and ".join(parts)


def _compare(value: str, limit: str) -> float:
    """Return a number below, at or above 0 as a value is to a limit: as numbers, or as texts, such as ISO dates."""
    of_limit = _number(limit)
    if not math.isnan(of_limit):
        return _number(value) - of_limit
    # A time of the last day is in the range; no value is not.
    start = value[: len(limit)]
    return math.nan if not value else (start > limit) - (start < limit)


def _texts(value: object) -> frozenset[str]:
    """Return a value, or a list of them, as texts."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    return frozenset(map(_label, value))


def _label(value: object) -> str:
    """Return a label as text, in which true and false are spelled alike whatever the file is."""
    found = text(value)
    return found.capitalize() if found.lower() in ("true", "false") else found


# -------------------------------------------------------------------- counting


class _Counter:
    """Counts the rows of tables."""

    def __init__(self, columns: Columns, tally: Callable[..., Tally] = Tally) -> None:
        self._asked = columns
        self.tally = tally(str if columns.case_sensitive else str.lower)
        self._indices: dict[str, int] = {}
        self._numbers = _Numbers(lambda value: self.tally.key(self._spellings.same(value)))
        # What ids are called: by the names beside them, and by the option names.
        self._shown: tuple[dict[str, str], dict[str, str]] = {}, {}
        self._ids: set[str] = set()
        self._spellings = Spellings(self.tally, columns.names)
        # Winners are compared in lower case where names are.
        lower = {_label(label.lower()): value for label, value in columns.meaning.items()}
        self._meanings = columns.meaning | ({} if columns.case_sensitive else lower)
        # Labels of winners that are neither player, and where the first is.
        self._labels: Counter[str] = Counter()
        self._first_label: dict[str, str] = {}
        self._unmet = {(column, value) for column, asked in columns.conditions.items() for value in asked.named}
        # Values that the columns of `where` have, and the columns in which none is wanted.
        self._met: dict[str, set[str]] = {column: set() for column in columns.conditions}
        self._unwanted = set(self._met)

    def read(self, table: Table) -> None:
        """Count the rows of one table."""
        name, asked = table.name, self._asked
        for column in asked.read:
            if column not in table.columns and not (table.nested and column.split(".")[0] in table.columns):
                listed = _listed(table.columns)
                if asked.guessed and column in COUNTS:
                    raise InputError(
                        f"{name} is not a table of matchups; say by {', '.join(WAYS)} which columns tell a row's "
                        f"result, of: {listed}."
                    )
                close = difflib.get_close_matches(column, table.columns, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                raise InputError(f"{name} has no column {column!r}{hint}; its columns are: {listed}.")
        if self.tally.dated and asked.row == "pair" and asked.date is None:
            raise InputError(
                f"{name} counts games by pair, so they have no order; give a table of single games, or name the "
                "column of dates by date."
            )
        check = _FirstRows(table, asked)
        for batch in table.batches(asked.read, self.tally, asked.numbers):
            if batch.n:
                self._count(batch, check)
        check.decide()

    def frame(self, path: str) -> pd.DataFrame:
        """Return the table of matchups."""
        self._refuse_labels()
        if self.tally.games == 0:
            # A row that the cut left half is all that there may be.
            nothing_else = set(self.tally.dropped) <= {"broken row"} and not any(self._met.values())
            if self.tally.noted["file cut off"] and nothing_else:
                raise too_early(path)
            for column in self._unwanted:
                met = sorted(self._met[column])
                listed = ", ".join(map(repr, met[:10])) + (", ..." if len(met) > 10 else "")
                wanted = self._asked.conditions[column]
                raise InputError(f"{path} has no row whose {column} is {wanted}; it holds {listed or 'none'}.")
            reasons = ", ".join(
                f"{reason} ({times}, first in {self.tally.located[reason]})"
                for reason, times in self.tally.dropped.most_common()
            )
            raise InputError(f"{path} has no row that can be counted: {reasons or 'it has no rows'}.")
        for column, value in sorted(self._unmet):
            self.tally.note(f"no row whose {column} is {value!r}", path)
        for key, name in distinct(self._shown[1] | self._shown[0]).items():
            self.tally.rename(key, name)
        return self.tally.frame()

    def _players(self, batch: Batch, column: str, name: str | None) -> np.ndarray:
        """Return the indices of the players of a column: -1 for nobody, -2 for a dummy."""
        players = batch.columns[column]
        for code, value in enumerate(players.texts):
            if value not in self._indices:
                where = partial(batch.place_of, players, code)
                player = self._spellings.clean(value, where)
                dummy = player.lower() in self._asked.nobody
                self._indices[value] = -1 if player in _NOBODY else -2 if dummy else self.tally.player(player)
        indices = players.each(self._indices.__getitem__)
        if name is not None:
            keys = self.tally.keys()
            # What the options call an id comes before the name that stands beside it.
            renamed = players.each(self._spellings.renames)
            for at, shown_by in ((~renamed, batch.columns[name]), (renamed, players)):
                where_at = np.flatnonzero(at)
                for index, k in zip(*np.unique(indices[at], return_index=True), strict=True):
                    if index >= 0 and (shown := self._spellings.same(shown_by[where_at[k]])):
                        self._shown[shown_by is players].setdefault(keys[index], shown)
        return indices

    def _count(self, batch: Batch, check: _FirstRows) -> None:
        """Count the rows of a batch."""
        asked, columns = self._asked, batch.columns
        reasons = _Reasons(batch.n)
        dates = self._filter(batch, reasons)
        passed = reasons.none() | reasons.are("no date")
        a = self._players(batch, asked.player_a, asked.name_a)
        b = self._players(batch, asked.player_b, asked.name_b)
        reasons.set((a == -1) | (b == -1), "no player name")
        reasons.set((a == -2) | (b == -2), "dummy player")
        reasons.set(a == b, "self-play")
        if asked.winner is not None:
            results = self._by_winner(batch, reasons)
        elif asked.outcome is not None:
            results = self._by_outcome(batch, reasons)
        else:
            results = self._by_numbers(batch, reasons)
        if asked.game_id is not None:
            repeated = np.zeros(batch.n, dtype=bool)
            for k in np.flatnonzero(reasons.none()).tolist():
                identity = columns[asked.game_id][k]
                repeated[k] = identity != "" and identity in self._ids
                self._ids.add(identity)
            reasons.set(repeated, "repeated game")
        kept = reasons.none()
        for reason, where in reasons.found():
            self.tally.drop(reason, batch.where(int(where[0])), len(where))
        check.add(batch, reasons, passed)
        add = self.tally.add_games if asked.row == "game" else self.tally.add
        when = None if dates is None else [(one, "") for one in dates[kept]]
        of_games: Any = slice(None) if kept.all() else kept
        add(a[of_games], b[of_games], results[of_games], when)

    def _filter(self, batch: Batch, reasons: _Reasons) -> np.ndarray | None:
        """Leave out rows that the filters exclude; return the dates, where they are needed."""
        asked = self._asked
        for column, condition in asked.conditions.items():
            found = set(map(_label, batch.columns[column].texts))
            self._unmet.difference_update((column, value) for value in found)
            if len(self._met[column]) < CHECKED:
                self._met[column].update(found)
            wanted = batch.columns[column].each(condition.holds)
            if wanted.any():
                self._unwanted.discard(column)
            reasons.set(~wanted, f"other {column}")
        if asked.date is None or not (any(asked.days) or self.tally.dated):
            return None
        moments = {value: moment(value, asked.date_format) for value in batch.columns[asked.date].texts}
        days = batch.columns[asked.date].each(lambda value: moments[value][:10])
        if any(asked.days):
            first, last = asked.days
            reasons.set(days == "", "no date")
            reasons.set((days < first) | (days > (last or "9999-99-99")), "other date")
        return batch.columns[asked.date].each(moments.__getitem__) if self.tally.dated else None

    def _by_winner(self, batch: Batch, reasons: _Reasons) -> np.ndarray:
        """Return the outcomes of rows that name the winner."""
        asked, columns = self._asked, batch.columns
        winners = columns[asked.winner]
        named = (columns[column] for column in (asked.winner, asked.player_a, asked.player_b))
        winner, of_a, of_b = (column.each(self._numbers.__getitem__) for column in named)
        meaning = np.zeros(len(winners.texts), np.int64)
        for code in np.unique(winners.codes[(winner != of_a) & (winner != of_b)]).tolist():
            meaning[code] = self._meaning(winners.texts[code])
        outcome = np.where(winner == of_a, 0, np.where(winner == of_b, 2, meaning[winners.codes]))
        counts = _one_game(outcome, reasons)
        neither = winners.codes[reasons.are("winner is neither player")]
        for code, times in zip(*np.unique(neither, return_counts=True), strict=True):
            label = self.tally.key(clean(winners.texts[code]))
            if len(self._labels) < _LABELS or label in self._labels:
                self._labels[label] += int(times)
                self._first_label.setdefault(label, batch.place_of(winners, int(code)))
        return counts

    def _meaning(self, winner: str) -> int:
        """Return what a label that is neither player's name means."""
        winner = self.tally.key(clean(winner))
        if _label(winner) in self._meanings:
            return self._meanings[_label(winner)]
        if draw_word(winner) in self._asked.draw:
            return 1
        return _NO_RESULT if winner in _NOTHING else _NEITHER

    def _refuse_labels(self) -> None:
        """Raise InputError if a label that is no player's name says more than once who won."""
        names = set(self.tally.keys())
        for label, times in self._labels.most_common():
            if times > 1 and label not in names:
                raise InputError(
                    f"{self._first_label[label]}: {self._asked.winner} is {label!r}, in {times} rows, which is "
                    "neither a player nor a known word for a draw; say what it means by outcomes, such as "
                    f"{{{label!r}: 0.5}} for a draw, or None for no game."
                )

    def _by_outcome(self, batch: Batch, reasons: _Reasons) -> np.ndarray:
        """Return the outcomes of rows with a label."""
        meaning = dict.fromkeys(_NOTHING, _NO_RESULT) | self._asked.meaning
        labels = batch.columns[self._asked.outcome]
        unknown = labels.each(lambda value: _label(value) not in meaning) & reasons.none()
        if unknown.any():
            k = int(np.argmax(unknown))
            known = ", ".join(map(repr, self._asked.meaning))
            raise InputError(
                f"{batch.where(k)}: {self._asked.outcome} is {labels[k]!r}, which outcomes does not have "
                f"({known}); map it to 1, 0.5, 0, or null for no game."
            )
        return _one_game(labels.each(lambda value: meaning.get(_label(value), _NO_RESULT)), reasons)

    def _by_numbers(self, batch: Batch, reasons: _Reasons) -> np.ndarray:
        """Return the outcomes of rows with scores of a game, or the counts of others."""
        asked = self._asked
        pair = asked.row == "pair"
        numbers: list[np.ndarray] = []
        for name in (asked.wins_a, asked.draws, asked.wins_b) if pair else (asked.score_a, None, asked.score_b):
            if name is None:
                numbers.append(np.zeros(batch.n))
            elif (found := batch.columns[name].numbers) is not None:
                numbers.append(found)
            else:
                reasons.set(batch.columns[name].each(_NOTHING.__contains__), "no result")
                numbers.append(batch.columns[name].each(_number))
        reasons.set(~np.isfinite(np.sum(numbers, axis=0)), "no score")
        reasons.set(np.minimum.reduce(numbers) < 0, "negative score")
        if asked.row == "game":
            a, _, b = numbers
            return _one_game((a < b) * 2 + (a == b), reasons)
        whole = [(one == np.floor(one)) & (one < 2**53) for one in numbers]
        reasons.set(~np.logical_and.reduce(whole), "no score")
        reasons.set(np.sum(numbers, axis=0) == 0, "0-0")
        return np.where(reasons.none()[:, None], np.stack(numbers, axis=1), 0).astype(np.int64)


class _Numbers(dict[str, int]):
    """Numbers of names: the same for those with the same key."""

    def __init__(self, key: Callable[[str], str]) -> None:
        super().__init__()
        self._key, self._of_keys = key, dict[str, int]()

    def __missing__(self, name: str) -> int:
        self[name] = number = self._of_keys.setdefault(self._key(name), len(self._of_keys))
        return number


class _Reasons:
    """Why each row of a batch is left out; empty where it is not."""

    def __init__(self, n: int) -> None:
        self._names = [""]
        self._codes = np.zeros(n, dtype=np.int16)
        self._none = np.ones(n, dtype=bool)

    def set(self, which: np.ndarray, reason: str) -> None:
        """Leave out rows, those that no reason before leaves out."""
        which = which & self._none
        if which.any():
            # Once each: the first row with a reason is told.
            if reason not in self._names:
                self._names.append(reason)
            self._codes[which] = self._names.index(reason)
            self._none = self._none & ~which

    def none(self) -> np.ndarray:
        """Return which rows are not left out."""
        return self._none

    def are(self, reason: str) -> np.ndarray:
        """Return which rows are left out for a reason."""
        return np.isin(self._codes, [code for code, name in enumerate(self._names) if name == reason])

    def found(self) -> Iterable[tuple[str, np.ndarray]]:
        """Yield each reason with the rows that are left out for it."""
        for code, name in enumerate(self._names[1:], 1):
            yield name, np.flatnonzero(self._codes == code)

    def __getitem__(self, k: int) -> str:
        return self._names[self._codes[k]]


class _FirstRows:
    """Tells from the first rows of a table that the mapping is a mistake."""

    def __init__(self, table: Table, asked: Columns) -> None:
        self._table = table
        players = (asked.player_a, asked.player_b)
        numbers = (asked.score_a, asked.score_b, asked.wins_a, asked.draws, asked.wins_b)
        self._blamed = {
            "no player name": players,
            "self-play": players,
            "winner is neither player": (*players, asked.winner),
            "no score": numbers,
            "negative score": numbers,
            "no date": (asked.date,),
        }
        self._rows = 0
        self._faults: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def add(self, batch: Batch, reasons: _Reasons, passed: np.ndarray) -> None:
        """Look at the rows of a batch that pass the filters."""
        if self._rows >= CHECKED:
            return
        for k in np.flatnonzero(passed)[: CHECKED - self._rows].tolist():
            self._rows += 1
            fault = reasons[k]
            if fault in self._blamed:
                self._faults[fault] += 1
                cells = [f"{column} = {batch.columns[column][k]!r}" for column in self._blamed[fault] if column]
                self._examples.setdefault(fault, f"{batch.where(k)} has {', '.join(cells)}")
        if self._rows >= CHECKED:
            self.decide()

    def decide(self) -> None:
        """Raise InputError if most of the rows have the same fault."""
        for fault, times in self._faults.items():
            if times > self._rows / 2:
                cure = {
                    "no date": "write days as YYYY-MM-DD, say date_format, or ",
                    "winner is neither player": "say by outcomes what labels mean, or ",
                }.get(fault, "")
                raise InputError(
                    f"{self._table.name}: {times} of the first {self._rows} rows have the fault {fault!r} "
                    f"({self._examples[fault]}); {cure}name other columns, of: {_listed(self._table.columns)}."
                )


def _listed(columns: Sequence[str], most: int = 40) -> str:
    """Return what a message says of columns."""
    return ", ".join(column[:most] for column in columns[:most]) + (", ..." if len(columns) > most else "")


def _one_game(outcome: np.ndarray, reasons: _Reasons) -> np.ndarray:
    """Return the outcomes of rows of one game, as `Tally.add_games` takes them; rows without one are left out."""
    for code, reason in ((_NO_RESULT, "no result"), (_NEITHER, "winner is neither player"), (_NO_GAME, "not a game")):
        reasons.set(outcome == code, reason)
    return outcome


def _number(value: str) -> float:
    """Return a value as a number; NaN where it is none."""
    try:
        return float(value)
    except ValueError:
        # As players write scores: 2½, 1/2, and 0,5.
        if half := _HALF.fullmatch(value):
            return float(half[1] or 0) + 0.5
        return float(value.replace(",", ".")) if _COMMA.fullmatch(value) else math.nan
