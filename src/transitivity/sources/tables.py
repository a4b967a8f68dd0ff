"""Results in tables: CSV, TSV, JSON lines, Parquet and SQLite, with one row a game, a series or a pair.

Values are compared as text: 3 and "3" are the same, and true is "True". What a row says is told by one of

- ``winner``: a column with the name of the winner, or a word for a draw;
- ``score_a`` and ``score_b``: the higher one wins (``row="game"``), or both are games won (``row="series"``);
- ``outcome``: a column of labels, which ``outcomes`` maps to 1 (player_a won), 1/2, 0, or None (not a game);
- ``wins_a``, ``wins_b`` and, optionally, ``draws``: counts, one row a pair.
"""

from __future__ import annotations

import csv
import difflib
import functools
import io
import itertools
import json
import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import COUNTS, Tally
from transitivity.sources.names import DRAWS, Spellings, clean, draw_word
from transitivity.sources.streams import (
    STARTS,
    Stream,
    check_days,
    find_files,
    open_streams,
    plain_suffix,
    shown,
    too_early,
)

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".sqlite", ".sqlite3", ".db")
_TEXT, _JSON = (".csv", ".tsv"), (".jsonl", ".ndjson")
ROWS = ("game", "series", "pair")
_EXAMPLES = {"where": '{"tournament": "World Cup"}', "outcomes": '{"H": 1, "D": 0.5, "A": 0}'}
WAYS = ("winner", "score_a and score_b", "outcome", "wins_a and wins_b")
#: Rows that are taken at once.
BATCH = 10_000
#: The first rows, of those that pass the filters, by which a mistake in the mapping is recognised.
CHECKED = 200
#: A cell longer than this is a quote that was never closed, not a value.
_CELL = 1 << 20
#: Stands for a line that is too long to be kept, and can be no row.
_TOO_LONG = "x" * (_CELL + 1)
#: What stands for an empty cell.
_NOTHING = frozenset({"", "\\N", "NA", "NaN", "nan", "null", "NULL"})
#: What stands for nobody where a name is expected; a player may be called NA.
_NOBODY = frozenset({"", "\\N"})
_NO_RESULT, _NEITHER, _NO_GAME = 3, 4, 5
#: Labels of winners that are kept, to report those that repeat.
_LABELS = 10_000
#: A line by which a text tells Excel what separates its cells.
_SEPARATOR = re.compile(r'sep=([^"\r\n])[\r\n]*')
_HALF = re.compile(r"(\d*)\s*(?:½|(?<!\d)1/2)")
_COMMA = re.compile(r"-?\d*,\d{1,2}")
_DAY = re.compile(r"(\d{4})[-./](\d\d)[-./](\d\d)")


@dataclass(frozen=True)
class Columns:
    """Which columns say what; see `read_results`."""

    player_a: str
    player_b: str
    winner: str | None
    draw: frozenset[str]
    score_a: str | None
    score_b: str | None
    outcome: str | None
    outcomes: dict[str, int]
    wins_a: str | None
    draws: str | None
    wins_b: str | None
    row: str
    where: dict[str, frozenset[str]]
    date: str | None
    first: str
    last: str
    game_id: str | None
    dummies: frozenset[str]
    case_sensitive: bool
    guessed: bool

    @property
    def names(self) -> list[str]:
        """The columns that are read, each once."""
        named = (
            *(self.player_a, self.player_b, self.winner, self.score_a, self.score_b, self.outcome),
            *(self.wins_a, self.draws, self.wins_b, *self.where, self.date, self.game_id),
        )
        return list(dict.fromkeys(column for column in named if column is not None))


def read_results(
    path: str | os.PathLike[str],
    *,
    player_a: str = "player_a",
    player_b: str = "player_b",
    winner: str | None = None,
    draw: str | Sequence[str] = DRAWS,
    score_a: str | None = None,
    score_b: str | None = None,
    outcome: str | None = None,
    outcomes: Mapping[object, float | None] | None = None,
    wins_a: str | None = None,
    draws: str | None = None,
    wins_b: str | None = None,
    row: str | None = None,
    where: Mapping[str, object] | None = None,
    date: str | None = None,
    first: str | None = None,
    last: str | None = None,
    game_id: str | None = None,
    dummies: Sequence[str] = ("bye",),
    case_sensitive: bool = True,
    table: str | None = None,
    delimiter: str | None = None,
    members: str | list[str] | None = None,
    tally: Callable[..., Tally] = Tally,
) -> pd.DataFrame:
    """Count results of a table by pair of players.

    Parameters
    ----------
    path : path-like
        A .csv, .tsv, .jsonl or .ndjson file, packed or not, a .parquet or a .sqlite, .sqlite3 or .db file, a folder of
        such files or a glob pattern.
    player_a, player_b : str
        The columns of the two players.
    winner : str, optional
        The column with the name of the winner. `draw` lists what it holds for a draw, `DRAWS` of
        `transitivity.sources.names` by default, in any case and with a remark in brackets behind it; `outcomes` says
        what other labels mean.
    score_a, score_b : str, optional
        The columns of scores. A score may be written ½, 1/2 or 0,5; a negative one is a walkover and left out.
    outcome : str, optional
        The column of labels; `outcomes` maps each label to 1 (player_a won), 0.5, 0, or None (not a game).
    wins_a, draws, wins_b : str, optional
        The columns of counts of a table with one row a pair. A table that `read_matchups` made needs no mapping.
    row : {"game", "series", "pair"}, optional
        What a row is. With scores: a game (the higher score wins; the default) or a series (each score is a number of
        games won).
    where : mapping, optional
        {column: value or list of values}: only rows with one of these values count.
    date : str, optional
        The column of dates, as ISO dates or times, for `first` and `last`.
    first, last : str, optional
        First and last day, ``YYYY-MM-DD``, of the rows to count.
    game_id : str, optional
        The column that identifies a game: a second row with the same value is left out.
    dummies : sequence of str
        Names, in any case, that stand for nobody, such as "bye".
    case_sensitive : bool
        Whether names that differ by case are different players.
    table : str, optional
        The table of a SQLite file; needed where it has several.
    delimiter : str, optional
        What separates the cells of a text; by default a tab in .tsv, else whichever of comma, semicolon and tab the
        header has most of.
    members : str or list of str, optional
        Patterns of the members of an archive to read.
    tally : callable
        Makes what takes the games: `Tally` counts them, `transitivity.sources.games.Games` keeps them one by one.

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
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"delimiter is {delimiter!r}; give the one character that separates cells.")
    mapping = _check_mapping(
        dict(player_a=player_a, player_b=player_b, winner=winner, score_a=score_a, score_b=score_b)
        | dict(outcome=outcome, wins_a=wins_a, draws=draws, wins_b=wins_b, date=date, game_id=game_id),
        draw=draw,
        outcomes=outcomes,
        row=row,
        where=where,
        days=check_days(first, last),
        dummies=dummies,
        case_sensitive=case_sensitive,
    )
    counter = _Counter(mapping, tally)
    for file in find_files(path, SUFFIXES):
        for name, source in _open(file, delimiter, table, members):
            if source is None:
                counter.tally.note("file cut off", f"{name}: line 1")
            else:
                counter.read(name, source)
    return counter.frame(shown(path))


# -------------------------------------------------------------------- the mapping


def _text(value: object) -> str:
    """Return a value as text; an empty string for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    text = str(value).strip()
    return text if text.isascii() else _encodable(text)


def _encodable(text: str) -> str:
    """Return a text that can be written: bytes that were not UTF-8 are Latin-1, lone surrogates question marks."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "strict")
    except UnicodeDecodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")


def _texts(value: object) -> frozenset[str]:
    """Return a value, or a list of them, as texts."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    return frozenset(map(_label, value))


def _label(value: object) -> str:
    """Return a label as text, in which true and false are spelled alike whatever the file is."""
    text = _text(value)
    return text.capitalize() if text.lower() in ("true", "false") else text


def _check_mapping(
    columns: dict[str, Any],
    *,
    draw: str | Sequence[str],
    outcomes: Mapping[object, float | None] | None,
    row: str | None,
    where: Mapping[str, object] | None,
    days: tuple[str, str],
    dummies: Sequence[str],
    case_sensitive: bool,
) -> Columns:
    """Return the mapping, or raise InputError if it says too little, too much or nonsense."""
    for name, column in columns.items():
        if column is not None and not isinstance(column, str):
            raise InputError(f"{name} is {column!r}; give the name of a column.")
    given = [way for way in WAYS if any(columns[name] for name in way.split(" and "))]
    guessed = not given and columns["draws"] is None and row in (None, "pair")
    if guessed:
        # The table that read_matchups makes.
        columns |= {"wins_a": "wins_a", "draws": "draws", "wins_b": "wins_b"}
        given = ["wins_a and wins_b"]
    if len(given) != 1:
        found = f"both {given[0]} and {given[1]} are" if given else "none is"
        raise InputError(f"A row's result is told by one of {', '.join(WAYS)}; {found} given.")
    for one, other in (("score_a", "score_b"), ("wins_a", "wins_b")):
        if bool(columns[one]) != bool(columns[other]):
            missing = other if columns[one] else one
            raise InputError(f"{one} and {other} go together; name the column of {missing}, too.")
    pair = given[0].startswith("wins_a")
    row = row or ("pair" if pair else "game")
    if row not in ROWS:
        raise InputError(f"row is {row!r}; {did_you_mean(str(row), ROWS)}")
    if pair != (row == "pair") or (row == "series" and not columns["score_a"]):
        needs = {"pair": "wins_a and wins_b", "series": "score_a and score_b"}.get(row, "another way to tell it")
        raise InputError(f"row is {row!r}, which needs {needs}, and {given[0]} is given.")
    labelled = bool(columns["outcome"] or columns["winner"])
    if (columns["outcome"] and outcomes is None) or (outcomes is not None and not labelled):
        raise InputError(
            "outcome and outcomes go together: a column of labels, and what each means (winner takes outcomes, too)."
        )
    for name, option in (("where", where), ("outcomes", outcomes)):
        if option is not None and not isinstance(option, Mapping):
            raise InputError(f"{name} is {option!r}; give a mapping, such as {_EXAMPLES[name]}.")
    meaning = {}
    for label, value in (outcomes or {}).items():
        if value not in (0, 0.5, 1, None) or isinstance(value, bool):
            raise InputError(f"outcomes maps {label!r} to {value!r}; map it to 1, 0.5, 0, or null for no game.")
        meaning[_label(label)] = _NO_GAME if value is None else int(2 - 2 * value)
    if any(days) and columns["date"] is None:
        raise InputError("first and last need the column of dates; name it by date.")
    return Columns(
        **columns,
        draw=frozenset(map(draw_word, _texts(draw))),
        outcomes=meaning,
        row=row,
        where={column: _texts(value) for column, value in (where or {}).items()},
        first=days[0],
        last=days[1],
        # Nothing in a table that read_matchups made stands for nobody.
        dummies=frozenset(clean(name).lower() for name in _texts(dummies) if not guessed),
        case_sensitive=case_sensitive,
        guessed=guessed,
    )


# -------------------------------------------------------------------- sources of rows


@dataclass
class _Batch:
    """Some rows: the values of each column, and where each row is."""

    columns: Mapping[str, Sequence[object]]
    where: Callable[[int], str]
    n: int


def _places(before: str, numbers: Sequence[int], after: str = "") -> Callable[[int], str]:
    """Return what says where each row of a batch is."""
    return lambda k: f"{before} {numbers[k]}{after}"


@dataclass
class _Source:
    """A table: its columns, its rows, and whether a column may be a path into nested objects."""

    columns: list[str]
    batches: Callable[[list[str], Tally], Iterator[_Batch]]
    nested: bool = False


def _open(
    file: Path, delimiter: str | None, table: str | None, members: str | list[str] | None
) -> Iterator[tuple[str, _Source | None]]:
    """Yield the tables of a file, with their names; None for one that was cut in its first line."""
    try:
        with open(file, "rb") as opened:
            start = opened.read(16)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror or error}); check the file.") from error
    if start.startswith(STARTS[".db"]):
        yield os.fspath(file), _sqlite(file, table)
    elif start.startswith(STARTS[".parquet"]):
        yield os.fspath(file), _parquet(file)
    elif plain_suffix(file.name) in (".sqlite", ".sqlite3", ".db", ".parquet"):
        raise InputError(
            f"{file} is not a {plain_suffix(file.name)} file; unpack it, get it again, or correct its suffix."
        )
    else:
        for stream in open_streams(file, (*_TEXT, *_JSON), members):
            suffix, lines = plain_suffix(stream.name), _Lines(stream)
            first = lines.first
            if stream.cut and not first.endswith(("\n", "\r")):
                yield stream.name, None
                continue
            if suffix in _JSON or (suffix not in _TEXT and first.lstrip().startswith(("{", "["))):
                yield stream.name, _json_lines(stream, lines)
            else:
                yield (stream.name, _delimited(stream, lines, delimiter or ("\t" if suffix == ".tsv" else None)))


class _Lines:
    """The lines of a text; bytes that are not UTF-8 become surrogates, and very long lines `_TOO_LONG`."""

    def __init__(self, stream: Stream) -> None:
        text = io.TextIOWrapper(stream.reader(), encoding="utf-8-sig", errors="surrogateescape", newline="")
        self._stream, self._read = stream, functools.partial(text.readline, _CELL)
        # The first line, or the start of a very long one.
        self.first = self._end = self._read()
        # The number of the line that was taken last, and how many quotes there were up to it.
        self.number = self.quotes = 0

    def __iter__(self) -> Iterator[str]:
        for line in itertools.chain([self.first], iter(self._read, "")):
            self.number += 1
            self._end = line
            self.quotes += line.count('"')
            if len(line) < _CELL or line.endswith(("\n", "\r")):
                yield line
                continue
            while self._end and not self._end.endswith(("\n", "\r")):
                self._end = self._read()
                self.quotes += self._end.count('"')
            yield _TOO_LONG

    @property
    def is_part(self) -> bool:
        """Whether a cut went through the line that was taken last."""
        return self._stream.cut and not self._end.endswith(("\n", "\r"))


class _Unread:
    """The rows of a text that cannot be read, among all."""

    def __init__(self, name: str, tally: Tally) -> None:
        self._name, self._tally = name, tally
        self._located, self._rows = "", 0
        self.total = 0

    def drop(self, reason: str, line: int, times: int, is_part: bool) -> None:
        """Leave out rows; what a cut left of a row says nothing about the others."""
        self._tally.drop(reason, f"{self._name}: line {line}", times)
        if not is_part:
            self._rows += times
            self._located = self._located or f"line {line}"

    def check(self) -> None:
        """Raise InputError if many rows could not be read; note it if some could not."""
        if self._rows > 0.2 * self.total:
            raise InputError(
                f"{self._name}: {self._rows} of {self.total} rows cannot be read, the first at {self._located}; look "
                "for a quote that is not closed, or for another delimiter."
            )
        if self._rows > 0.02 * self.total:
            where = f"{self._name}: {self._rows} of {self.total}, from {self._located} on"
            self._tally.note("more than 2 % of the rows cannot be read", where)


def _delimited(stream: Stream, lines: _Lines, delimiter: str | None) -> _Source:
    """Return a text of cells as a source."""
    first = lines.first
    if first.encode("utf-8", "surrogateescape").startswith((*STARTS[".db"], *STARTS[".parquet"])):
        raise InputError(f"{stream.name} is a binary table, which cannot be read from an archive; unpack it first.")
    if not first.strip():
        raise InputError(f"{stream.name} starts with an empty line; its first line must name the columns.")
    csv.field_size_limit(_CELL)
    every = iter(lines)
    if said := _SEPARATOR.fullmatch(first):
        delimiter = delimiter or said[1]
        next(every)
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
    reader = csv.reader(every, delimiter=delimiter)
    try:
        header = [_text(cell) for cell in next(reader)]
    except csv.Error as error:
        raise InputError(f"{stream.name}: line 1 cannot be read as a header ({error}); correct it.") from error

    def batches(columns: list[str], tally: Tally) -> Iterator[_Batch]:
        """Yield the rows."""
        at = [_only(header, column, stream.name) for column in columns]
        unread = _Unread(stream.name, tally)
        rows: list[list[str]] = []
        numbers: list[int] = []
        row: list[str] | None = []
        while row is not None:
            start, quotes, fault = lines.number, lines.quotes, None
            try:
                row = next(reader, None)
            except csv.Error:
                row, fault = [], "row over 1 MiB"
                # On to where the quote is closed that was open, if it ever is.
                while (lines.quotes - quotes) % 2 and next(every, None) is not None:
                    continue
            n_lines = lines.number - start
            # Spreadsheets write empty cells behind the last column.
            if row and len(row) > len(header) and not any(row[len(header) :]):
                del row[len(header) :]
            # A quote that is never closed ends at the next quote, or with the file.
            if row and len(row) != len(header):
                fault = "line break inside quotes" if n_lines > 1 else "broken row"
            elif row and n_lines > 1 and ((lines.quotes - quotes) % 2 or any(set("\r\n") & set(row[k]) for k in at)):
                fault = "line break inside quotes"
            if row is None and lines.is_part and numbers and numbers[-1] == lines.number:
                rows.pop()
                unread.drop("broken row", numbers.pop(), 1, True)
            if rows and (row is None or len(rows) >= BATCH):
                values = {column: [row[k] for row in rows] for column, k in zip(columns, at, strict=True)}
                yield _Batch(values, _places(f"{stream.name}: line", numbers), len(rows))
                rows, numbers = [], []
            if fault:
                unread.total += n_lines
                unread.drop(fault, start + 1, n_lines, lines.is_part)
            elif row:
                unread.total += 1
                rows.append(row)
                numbers.append(lines.number)
        if stream.cut:
            tally.note("file cut off", f"{stream.name}: line {lines.number}")
        unread.check()

    return _Source(header, batches)


def _only(header: Sequence[str], column: str, name: str) -> int:
    """Return where a column is, of which there must be one."""
    if header.count(column) > 1:
        raise InputError(f"{name} has the column {column!r} twice; rename one.")
    return header.index(column)


def _json_lines(stream: Stream, lines: _Lines) -> _Source:
    """Return a file of one JSON object a line, which may be the elements of an array, as a source."""

    def objects() -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yield the number of each line that is not empty, and its object, None where it has none."""
        for line in lines:
            if line.strip() not in ("", "[", "]", ","):
                yield lines.number, None if lines.is_part else _object(line)

    numbered = objects()
    first = list(itertools.islice(numbered, CHECKED))
    # A row need not have every column.
    columns = list(dict.fromkeys(itertools.chain.from_iterable(row for _, row in first if row)))
    if not columns:
        raise InputError(f"{stream.name} has no JSON object in its first lines; write one object a line.")

    def batches(columns: list[str], tally: Tally) -> Iterator[_Batch]:
        """Yield the rows."""
        every, unread = itertools.chain(first, numbered), _Unread(stream.name, tally)
        while chunk := list(itertools.islice(every, BATCH)):
            unread.total += len(chunk)
            rows, numbers = [], []
            for number, row in chunk:
                if row is None:
                    unread.drop("broken row", number, 1, lines.is_part and number == lines.number)
                else:
                    rows.append(row)
                    numbers.append(number)
            values = {column: [_follow(row, column) for row in rows] for column in columns}
            yield _Batch(values, _places(f"{stream.name}: line", numbers), len(rows))
        if stream.cut:
            tally.note("file cut off", f"{stream.name}: line {lines.number}")
        unread.check()

    return _Source(columns, batches, nested=True)


def _object(line: str) -> dict[str, Any] | None:
    """Return the object of a line, or None if it has none; it may be an element of an array."""
    try:
        value = json.loads(line.strip().removeprefix("[").removesuffix("]").strip(" \t\r\n,"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _follow(row: object, column: str) -> object:
    """Return a plain value of an object, or of objects inside it ("players.white.name"); None where there is none."""
    parts = [column] if isinstance(row, dict) and column in row else column.split(".")
    for part in parts:
        if not isinstance(row, dict):
            return None
        row = row.get(part)
    return None if isinstance(row, (dict, list)) else row


def _parquet(file: Path) -> _Source:
    """Return a Parquet file as a source."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(f"{file} needs the package pyarrow; pip install pyarrow.") from error
    try:
        opened = pyarrow.parquet.ParquetFile(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file} is not a complete Parquet file; get it again.") from error
    names = opened.schema_arrow.names

    def batches(columns: list[str], tally: Tally) -> Iterator[_Batch]:
        """Yield the rows."""
        for column in columns:
            kind = opened.schema_arrow.field(_only(names, column, os.fspath(file))).type
            if pyarrow.types.is_nested(kind):
                raise InputError(f"{file}: the column {column!r} holds {kind}; name one of plain values.")
        row = 0
        try:
            for batch in opened.iter_batches(BATCH, columns=columns):
                values = {column: batch.column(column).to_pylist() for column in columns}
                numbers = range(row + 1, row + batch.num_rows + 1)
                yield _Batch(values, _places(f"{file}: row", numbers), len(numbers))
                row += len(numbers)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is damaged after row {row}; get it again.") from error
        finally:
            opened.close()

    return _Source(names, batches)


def _sqlite(file: Path, table: str | None) -> _Source:
    """Return a table of a SQLite file as a source."""
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    # Text that is not UTF-8 is read all the same.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        known = [name for (name,) in connection.execute(listing)]
        if table is None:
            if len(known) != 1:
                listed = ", ".join(known) or "none"
                raise InputError(f"{file} has {len(known)} tables; pick one by table=: {listed}.")
            table = known[0]
        elif table not in known:
            raise InputError(f"{file} has no table {table!r}; {did_you_mean(str(table), known)}")
        header = [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")]
    except sqlite3.Error as error:
        connection.close()
        raise _unreadable(file, error) from error

    def batches(columns: list[str], tally: Tally) -> Iterator[_Batch]:
        """Yield the rows."""
        row = 0
        try:
            cursor = connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}")
            while rows := cursor.fetchmany(BATCH):
                values = dict(zip(columns, zip(*rows, strict=True), strict=True))
                numbers = range(row + 1, row + len(rows) + 1)
                yield _Batch(values, _places(f"{file}: row", numbers, f" of {table}"), len(rows))
                row += len(rows)
        except sqlite3.Error as error:
            raise _unreadable(file, error) from error
        finally:
            connection.close()

    return _Source(header, batches)


def _unreadable(file: Path, error: sqlite3.Error) -> InputError:
    """Return what tells the user about an error of SQLite."""
    if "locked" in str(error):
        return InputError(f"{file} is locked by another program; close that, and try again.")
    return InputError(f"{file} is not a complete SQLite file ({' '.join(str(error).split())}); get it again.")


def _quoted(name: str) -> str:
    """Return an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


# -------------------------------------------------------------------- counting


class _Counter:
    """Counts the rows of tables."""

    def __init__(self, mapping: Columns, tally: Callable[..., Tally] = Tally) -> None:
        self._mapping = mapping
        self.tally = tally(str if mapping.case_sensitive else str.lower)
        self._indices: dict[object, int] = {}
        self._texts: dict[object, str] = {}
        self._ids: set[str] = set()
        self._spellings = Spellings(self.tally)
        # Winners are compared in lower case where names are.
        lower = {_label(label.lower()): value for label, value in mapping.outcomes.items()}
        self._outcomes = mapping.outcomes | ({} if mapping.case_sensitive else lower)
        # Labels of winners that are neither player, and where the first is.
        self._labels: Counter[str] = Counter()
        self._first_label: dict[str, str] = {}
        self._unmet = {(column, value) for column, values in mapping.where.items() for value in values}
        self._met: dict[str, set[str]] = {column: set() for column in mapping.where}

    def read(self, name: str, source: _Source) -> None:
        """Count the rows of one table."""
        for column in self._mapping.names:
            if column not in source.columns and not (source.nested and column.split(".")[0] in source.columns):
                listed = _listed(source.columns)
                if self._mapping.guessed and column in COUNTS:
                    raise InputError(
                        f"{name} is not a table of matchups; say by {', '.join(WAYS)} which columns tell a row's "
                        f"result, of: {listed}."
                    )
                close = difflib.get_close_matches(column, source.columns, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                raise InputError(f"{name} has no column {column!r}{hint}; its columns are: {listed}.")
        if self.tally.dated and self._mapping.row == "pair" and self._mapping.date is None:
            raise InputError(
                f"{name} counts games by pair, so they have no order; give a table of single games, or name the "
                "column of dates by date."
            )
        check = _FirstRows(name, self._mapping, source.columns)
        for batch in source.batches(self._mapping.names, self.tally):
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
            for column, met in self._met.items():
                if met.isdisjoint(self._mapping.where[column]):
                    listed = ", ".join(map(repr, sorted(met)[:10])) + (", ..." if len(met) > 10 else "")
                    wanted = ", ".join(map(repr, sorted(self._mapping.where[column])))
                    raise InputError(f"{path} has no row whose {column} is {wanted}; it holds {listed or 'none'}.")
            reasons = ", ".join(
                f"{reason} ({times}, first in {self.tally.located[reason]})"
                for reason, times in self.tally.dropped.most_common()
            )
            raise InputError(f"{path} has no row that can be counted: {reasons or 'it has no rows'}.")
        for column, value in sorted(self._unmet):
            self.tally.note(f"no row whose {column} is {value!r}", path)
        return self.tally.frame()

    # ---------------------------------------------------------------- values

    def _texts_of(self, values: Sequence[object]) -> list[str]:
        """Return the values of a column with few distinct ones as text."""
        known = self._texts
        for value in set(values) - known.keys():
            text = clean(_text(value))
            known[value] = text if self._mapping.case_sensitive else text.lower()
        return [known[value] for value in values]

    def _players(self, values: Sequence[object], where: Callable[[int], str]) -> np.ndarray:
        """Return the indices of the players of a column: -1 for nobody, -2 for a dummy."""
        known = self._indices
        for k, value in enumerate(values):
            if value in known:
                continue
            name = self._spellings.clean(_text(value), where(k))
            if name in _NOBODY:
                known[value] = -1
            elif name.lower() in self._mapping.dummies:
                known[value] = -2
            else:
                known[value] = self.tally.player(name)
        return np.fromiter(map(known.__getitem__, values), np.int64, len(values))

    # ---------------------------------------------------------------- rows

    def _count(self, batch: _Batch, check: _FirstRows) -> None:
        """Count the rows of a batch."""
        mapping = self._mapping
        reasons = _Reasons(batch.n)
        self._filter(batch, reasons)
        passed = reasons.none() | reasons.are("no date")
        a, b = (self._players(batch.columns[column], batch.where) for column in (mapping.player_a, mapping.player_b))
        reasons.set((a == -1) | (b == -1), "no player name")
        reasons.set((a == -2) | (b == -2), "dummy player")
        reasons.set(a == b, "self-play")
        if mapping.winner is not None:
            counts = self._by_winner(batch, mapping.winner, reasons)
        elif mapping.outcome is not None:
            counts = self._by_outcome(batch, mapping.outcome, reasons)
        else:
            counts = self._by_numbers(batch, reasons)
        if mapping.game_id is not None:
            repeated = np.zeros(batch.n, dtype=bool)
            for k in np.flatnonzero(reasons.none()).tolist():
                identity = _text(batch.columns[mapping.game_id][k])
                repeated[k] = identity != "" and identity in self._ids
                self._ids.add(identity)
            reasons.set(repeated, "repeated game")
        kept = reasons.none()
        for k in np.flatnonzero(~kept).tolist():
            self.tally.drop(reasons[k], batch.where(k))
        check.add(batch, reasons, passed)
        when = None
        if self.tally.dated and mapping.date is not None:
            dates = batch.columns[mapping.date]
            when = [(_text(dates[k]), "") for k in np.flatnonzero(kept).tolist()]
        self.tally.add(a[kept], b[kept], counts[kept], when)

    def _filter(self, batch: _Batch, reasons: _Reasons) -> None:
        """Leave out rows that the filters exclude."""
        mapping = self._mapping
        for column, wanted in mapping.where.items():
            found = [_label(value) for value in batch.columns[column]]
            self._unmet.difference_update((column, value) for value in set(found))
            if len(self._met[column]) < CHECKED:
                self._met[column].update(found)
            reasons.set(np.array([value not in wanted for value in found], dtype=bool), f"other {column}")
        if mapping.date is not None and (mapping.first or mapping.last):
            days = [_DAY.match(_text(value)) for value in batch.columns[mapping.date]]
            last = mapping.last or "9999-99-99"
            reasons.set(np.array([day is None for day in days], dtype=bool), "no date")
            outside = [day is not None and not mapping.first <= "-".join(day.groups()) <= last for day in days]
            reasons.set(np.array(outside, dtype=bool), "other date")

    def _by_winner(self, batch: _Batch, winner_column: str, reasons: _Reasons) -> np.ndarray:
        """Return the counts of rows that name the winner."""
        mapping = self._mapping
        named = (winner_column, mapping.player_a, mapping.player_b)
        winners, of_a, of_b = (self._texts_of(batch.columns[column]) for column in named)
        meaning = {winner: self._meaning(winner) for winner in set(winners)}
        outcome = [
            0 if winner == a else 2 if winner == b else meaning[winner]
            for winner, a, b in zip(winners, of_a, of_b, strict=True)
        ]
        counts = _one_game(outcome, reasons)
        for k in np.flatnonzero(reasons.are("winner is neither player")).tolist():
            if len(self._labels) < _LABELS or winners[k] in self._labels:
                self._labels[winners[k]] += 1
                self._first_label.setdefault(winners[k], batch.where(k))
        return counts

    def _meaning(self, winner: str) -> int:
        """Return what a label that is neither player's name means."""
        if _label(winner) in self._outcomes:
            return self._outcomes[_label(winner)]
        if draw_word(winner) in self._mapping.draw:
            return 1
        return _NO_RESULT if winner in _NOTHING else _NEITHER

    def _refuse_labels(self) -> None:
        """Raise InputError if a label that is no player's name says more than once who won."""
        names = set(self.tally.keys())
        for label, times in self._labels.most_common():
            if times > 1 and label not in names:
                raise InputError(
                    f"{self._first_label[label]}: {self._mapping.winner} is {label!r}, in {times} rows, which is "
                    "neither a player nor a known word for a draw; say what it means by outcomes, such as "
                    f"{{{label!r}: 0.5}} for a draw, or None for no game."
                )

    def _by_outcome(self, batch: _Batch, column: str, reasons: _Reasons) -> np.ndarray:
        """Return the counts of rows with a label."""
        mapping = self._mapping
        meaning = dict.fromkeys(_NOTHING, _NO_RESULT) | mapping.outcomes
        values = batch.columns[column]
        labels = {value: _label(value) for value in set(values)}
        unknown = {value for value, label in labels.items() if label not in meaning}
        if unknown:
            for k in np.flatnonzero(reasons.none()).tolist():
                if values[k] in unknown:
                    known = ", ".join(map(repr, mapping.outcomes))
                    raise InputError(
                        f"{batch.where(k)}: {column} is {labels[values[k]]!r}, which outcomes does not have "
                        f"({known}); map it to 1, 0.5, 0, or null for no game."
                    )
        return _one_game([meaning.get(labels[value], _NO_RESULT) for value in values], reasons)

    def _by_numbers(self, batch: _Batch, reasons: _Reasons) -> np.ndarray:
        """Return the counts of rows with scores or counts."""
        mapping = self._mapping
        pair = mapping.row == "pair"
        named = (mapping.wins_a, mapping.draws, mapping.wins_b) if pair else (mapping.score_a, None, mapping.score_b)
        zeros = np.zeros(batch.n)
        columns = [zeros if column is None else _numbers(batch.columns[column]) for column in named]
        missing = np.zeros(batch.n, dtype=bool)
        for column, numbers in zip(named, columns, strict=True):
            if column is not None and np.isnan(numbers).any():
                values = batch.columns[column]
                missing |= np.array([_text(value) in _NOTHING for value in values], dtype=bool)
        reasons.set(missing, "no result")
        numbers = np.column_stack(columns)
        reasons.set(~np.all(np.isfinite(numbers), axis=1), "no score")
        reasons.set(np.any(numbers < 0, axis=1), "negative score")
        if mapping.row == "game":
            a, _, b = numbers.T
            return _one_game(np.where(a > b, 0, np.where(a < b, 2, 1)), reasons)
        with np.errstate(invalid="ignore"):
            whole = ((numbers == np.floor(numbers)) & (numbers < 2**53)).all(axis=1)
        reasons.set(~whole, "no score")
        reasons.set(numbers.sum(axis=1) == 0, "0-0")
        return np.where(reasons.none()[:, None], numbers, 0).astype(np.int64)


class _Reasons:
    """Why each row of a batch is left out; empty where it is not."""

    def __init__(self, n: int) -> None:
        self._names = [""]
        self._codes = np.zeros(n, dtype=np.int64)

    def set(self, which: np.ndarray, reason: str) -> None:
        """Leave out rows, those that no reason before leaves out."""
        which = which & (self._codes == 0)
        if which.any():
            self._names.append(reason)
            self._codes[which] = len(self._names) - 1

    def none(self) -> np.ndarray:
        """Return which rows are not left out."""
        return self._codes == 0

    def are(self, reason: str) -> np.ndarray:
        """Return which rows are left out for a reason."""
        codes = [code for code, name in enumerate(self._names) if name == reason]
        return np.isin(self._codes, codes)

    def __getitem__(self, k: int) -> str:
        return self._names[self._codes[k]]


class _FirstRows:
    """Tells from the first rows of a table that the mapping is a mistake."""

    def __init__(self, name: str, mapping: Columns, known: list[str]) -> None:
        self._name, self._mapping, self._known = name, mapping, known
        self._rows = 0
        self._faults: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._done = False

    def add(self, batch: _Batch, reasons: _Reasons, passed: np.ndarray) -> None:
        """Look at the rows of a batch that pass the filters."""
        if self._done:
            return
        mapping = self._mapping
        players = (mapping.player_a, mapping.player_b)
        numbers = (mapping.score_a, mapping.score_b, mapping.wins_a, mapping.draws, mapping.wins_b)
        blamed = {
            "no player name": players,
            "self-play": players,
            "winner is neither player": (*players, mapping.winner),
            "no score": numbers,
            "negative score": numbers,
            "no date": (mapping.date,),
        }
        for k in np.flatnonzero(passed)[: CHECKED - self._rows].tolist():
            self._rows += 1
            fault = reasons[k]
            if fault in blamed:
                self._faults[fault] += 1
                cells = [f"{column} = {batch.columns[column][k]!r}" for column in blamed[fault] if column]
                self._examples.setdefault(fault, f"{batch.where(k)} has {', '.join(cells)}")
        if self._rows >= CHECKED:
            self.decide()

    def decide(self) -> None:
        """Raise InputError if most of the rows have the same fault."""
        self._done = True
        for fault, times in self._faults.items():
            if times > self._rows / 2:
                cure = "write days as YYYY-MM-DD, or " if fault == "no date" else ""
                raise InputError(
                    f"{self._name}: {times} of the first {self._rows} rows have the fault {fault!r} "
                    f"({self._examples[fault]}); {cure}name other columns, of: {_listed(self._known)}."
                )


def _listed(columns: Sequence[str], most: int = 40) -> str:
    """Return what a message says of columns."""
    return ", ".join(column[:most] for column in columns[:most]) + (", ..." if len(columns) > most else "")


def _one_game(outcome: Sequence[int] | np.ndarray, reasons: _Reasons) -> np.ndarray:
    """Return the counts of rows of one game; those without an outcome are left out."""
    outcome = np.asarray(outcome, dtype=np.int64)
    for code, reason in ((_NO_RESULT, "no result"), (_NEITHER, "winner is neither player"), (_NO_GAME, "not a game")):
        reasons.set(outcome == code, reason)
    return np.eye(3, dtype=np.int64)[np.minimum(outcome, 2)]


def _numbers(values: Sequence[object]) -> np.ndarray:
    """Return a column as numbers; NaN where a value is none."""
    try:
        return np.array(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        return np.array([_number(value) for value in values])


def _number(value: object) -> float:
    """Return a value as a number; NaN where it is none."""
    text = _text(value)
    try:
        return float(text)
    except (ValueError, OverflowError):
        # As players write scores: 2½, 1/2, and 0,5.
        if half := _HALF.fullmatch(text):
            return float(half[1] or 0) + 0.5
        return float(text.replace(",", ".")) if _COMMA.fullmatch(text) else math.nan
