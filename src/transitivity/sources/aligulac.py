"""StarCraft series in a dump of the Aligulac database: the COPY blocks of a plain PostgreSQL dump, in a stream.

A row of the table `match` is a series; sca and scb are the maps that each player won, and the maps are the games.
Players are told apart by their ids, because tags are not unique; the tag is what is shown.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import Tally
from transitivity.sources.days import check_days
from transitivity.sources.names import clean, distinct
from transitivity.sources.rows import Unread
from transitivity.sources.streams import Stream, find_files, open_streams, shown, too_early

SUFFIXES = (".sql",)

MATCH_COLUMNS = ("pla_id", "plb_id", "sca", "scb")

_NAME = rb'(?:"(?:[^"]|"")+"|[^\s".(,]+)'
_COPY = re.compile(
    rb"COPY\s+(?:(" + _NAME + rb")\.)?(" + _NAME + rb")\s*\((.*)\)\s+FROM\s+stdin\b.*;\s*$", re.IGNORECASE
)
_COLUMN = re.compile(_NAME)
_ENCODING = re.compile(rb"SET\s+client_encoding\s*=\s*'([\w-]+)'", re.IGNORECASE)
#: How dumps before PostgreSQL 10.3 tell the schema of the tables that follow.
_SEARCH_PATH = re.compile(rb"SET\s+search_path\s*=\s*(" + _NAME + rb")", re.IGNORECASE)
#: The line behind the rows of a COPY block.
_END = b"\\."
#: The encodings of PostgreSQL whose name Python does not know.
_ENCODINGS = {"sql_ascii": "utf-8", "unicode": "utf-8", "win1252": "cp1252", "win1251": "cp1251"}
_ESCAPES = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
#: Lines that are taken at once.
_LINES = 10_000


def read_aligulac(
    path: str | os.PathLike[str],
    *,
    races: str = "ignore",
    games: Sequence[str] | None = None,
    first: str | None = None,
    last: str | None = None,
    repeats: str = "keep",
    schema: str | None = None,
    match_table: str = "match",
    player_table: str = "player",
    tally: Callable[..., Tally] = Tally,
) -> pd.DataFrame:
    """Count the maps of a dump of the Aligulac database by pair of players.

    Parameters
    ----------
    path : path-like
        A plain dump (.sql, packed or not) as ``pg_dump`` writes it by default.
    races : {"ignore", "split"}
        Whether a player is one player whatever the race, or one for each race played, shown as "tag (race)".
    games : sequence of str, optional
        Which versions to count, of WoL, HotS, LotV; all by default.
    first, last : str, optional
        First and last day, ``YYYY-MM-DD``, of the series to count.
    repeats : {"keep", "drop"}
        What to do with a series that is in the dump twice under two ids (same day, players, score, event and version):
        keep and note it, because two equal series on a day do happen, or drop it. The same id twice is always dropped.
    schema : str, optional
        The schema of the tables, where a dump has tables of that name in several.
    match_table, player_table : str
        Names of the tables.
    tally : callable
        Makes what takes the games: `Tally` counts them, `transitivity.sources.games.Games` keeps them one by one.

    Returns
    -------
    pandas.DataFrame
        See `transitivity.read_matchups`. Players are in the order of their ids; tags that several players share have
        the id behind them. Reasons in `attrs["dropped"]` count series: no player, self-match, no score, negative score,
        0-0, broken row, repeated id and, where asked for, other version, other date, no date, repeated series.

    Raises
    ------
    InputError
        If there is no such file or option, it is not a plain dump, or has no table of matches with the columns needed.
    """
    for name, value, known in (("races", races, ("ignore", "split")), ("repeats", repeats, ("keep", "drop"))):
        if value not in known:
            raise InputError(f"{name} is {value!r}; {did_you_mean(str(value), known)}")
    if isinstance(games, str):
        games = [games]
    reader = _Reader(
        split=races == "split",
        games=None if games is None else {str(game) for game in games},
        days=check_days(first, last),
        drop_repeats=repeats == "drop",
        schema=schema,
        match_table=match_table,
        player_table=player_table,
        tally=tally(order=_by_id),
    )
    for file in find_files(path, SUFFIXES):
        for stream in open_streams(file, SUFFIXES):
            reader.read(stream)
    return reader.frame(shown(path))


def _by_id(key: str) -> tuple[int, int, str]:
    """Return what sorts keys, ids with an optional race, by the id as a number."""
    number, _, race = key.partition(" ")
    return (0, int(number), race) if number.lstrip("-").isdigit() else (1, 0, key)


@dataclass
class _Reader:
    """Reads the two tables of a dump."""

    split: bool
    games: set[str] | None
    days: tuple[str, str]
    drop_repeats: bool
    schema: str | None
    match_table: str
    player_table: str
    tally: Tally

    def __post_init__(self) -> None:
        self._tags: dict[str, str] = {}
        self._ids: set[bytes] = set()
        self._series: set[tuple[bytes, ...]] = set()
        self._schemas: dict[str, str] = {}
        self._has_matches = self._has_inserts = False
        self._found: list[str] = []

    # ---------------------------------------------------------------- blocks

    def read(self, stream: Stream) -> None:
        """Read one dump."""
        lines = _Lines(stream)
        encoding, default = "utf-8", b""
        self._schemas = {}
        for line in lines:
            if line.startswith(b"PGDMP"):
                raise InputError(
                    f"{stream.name} is a dump in PostgreSQL's own format; write a plain one with pg_dump -F plain."
                )
            if found := _ENCODING.match(line):
                encoding = _python_encoding(found[1].decode("ascii"), stream.name)
            if found := _SEARCH_PATH.match(line):
                default = found[1]
            self._has_inserts |= line.startswith(b"INSERT INTO ")
            copy = _COPY.match(line)
            if copy is None:
                continue
            schema, table = (_unquote(part, encoding) for part in (copy[1] or default, copy[2]))
            self._found.append(table)
            if table not in (self.match_table, self.player_table) or self.schema not in (None, schema):
                lines.skip_block()
                continue
            if self._schemas.setdefault(table, schema) != schema:
                raise InputError(
                    f"{stream.name} has a table {table!r} in the schemas {self._schemas[table]!r} and {schema!r}; "
                    "pick one by schema=."
                )
            columns = [_unquote(part, encoding) for part in _COLUMN.findall(copy[3])]
            if table == self.match_table:
                self._has_matches = True
                self._read_matches(lines, columns, stream.name, encoding)
            else:
                self._read_players(lines, columns, stream.name, encoding)
        if stream.cut or lines.cut:
            self.tally.note("file cut off", f"{stream.name}: line {lines.number}")

    def _read_players(self, lines: _Lines, columns: list[str], name: str, encoding: str) -> None:
        """Read the names of the players."""
        at_id, at_tag = (_column(columns, one, self.player_table, name) for one in ("id", "tag"))
        for number, row in lines.block():
            cells = row.split(b"\t")
            if len(cells) != len(columns):
                self.tally.note("broken row of players", f"{name}: line {number}")
            elif cells[at_tag] != b"\\N":
                self._tags[cells[at_id].decode("ascii", "replace")] = clean(_text(cells[at_tag], encoding))

    def _read_matches(self, lines: _Lines, columns: list[str], name: str, encoding: str) -> None:
        """Read and count the series."""
        needed = [*MATCH_COLUMNS]
        if self.split:
            needed += ["rca", "rcb"]
        if self.games is not None:
            needed.append("game")
        if any(self.days) or self.tally.dated:
            needed.append("date")
        at = {column: _column(columns, column, self.match_table, name) for column in needed}
        # What tells two entries of one series from two series, as far as the dump has it.
        for column in ("id", "date", "game", "event", "eventobj_id", "offline"):
            if column in columns:
                at.setdefault(column, columns.index(column))
        unread = Unread(name, self.tally)
        batch: list[tuple[int, int, int, int]] = []
        when: list[tuple[str, str]] = []
        for number, row in lines.block():
            cells = row.split(b"\t")
            if len(cells) != len(columns):
                unread.drop("broken row", number)
                continue
            unread.total += 1
            cell = {column: cells[k] for column, k in at.items()}
            reason = self._take(cell, batch, f"{name}: line {number}")
            if reason:
                self.tally.drop(reason, f"{name}: line {number}")
            elif self.tally.dated:
                date, identity = (cell.get(column, b"").decode("ascii", "replace") for column in ("date", "id"))
                when.append((date, identity))
            if len(batch) >= _LINES:
                self._count(batch, when)
                batch, when = [], []
        self._count(batch, when)
        unread.check("get the dump again")

    def _take(self, cell: dict[str, bytes], batch: list[tuple[int, int, int, int]], where: str) -> str | None:
        """Add a series to the batch; return why it is left out, or None."""
        if "id" in cell:
            if cell["id"] in self._ids:
                return "repeated id"
            self._ids.add(cell["id"])
        a, b = cell["pla_id"], cell["plb_id"]
        if b"\\N" in (a, b):
            return "no player"
        if a == b:
            return "self-match"
        try:
            sca, scb = int(cell["sca"]), int(cell["scb"])
        except ValueError:
            return "no score"
        if sca < 0 or scb < 0:
            return "negative score"
        if sca == scb == 0:
            return "0-0"
        if self.games is not None and cell["game"].decode("ascii", "replace") not in self.games:
            return "other version"
        first, last = self.days
        if first or last:
            day = cell["date"].decode("ascii", "replace")[:10]
            if day == "\\N":
                return "no date"
            if day < first or (last and day > last):
                return "other date"
        series = (a, b, cell["sca"], cell["scb"]) if a < b else (b, a, cell["scb"], cell["sca"])
        rest = ("date", "game", "event", "eventobj_id", "offline")
        if "date" in cell:
            identity = (*series, *(cell.get(column, b"") for column in rest))
            if identity in self._series:
                if self.drop_repeats:
                    return "repeated series"
                self.tally.note("series that may be repeated", where)
            self._series.add(identity)
        keys = [one.decode("ascii", "replace") for one in (a, b)]
        if self.split:
            races = (cell["rca"], cell["rcb"])
            keys = [f"{key} {_text(race, 'latin-1')}" for key, race in zip(keys, races, strict=True)]
        batch.append((self.tally.player(keys[0]), self.tally.player(keys[1]), sca, scb))
        return None

    def _count(self, batch: list[tuple[int, int, int, int]], when: list[tuple[str, str]]) -> None:
        """Count a batch of series."""
        if batch:
            a, b, sca, scb = np.array(batch, dtype=np.int64).T
            self.tally.add(a, b, np.column_stack([sca, np.zeros_like(sca), scb]), when)

    # ---------------------------------------------------------------- the table

    def frame(self, path: str) -> pd.DataFrame:
        """Return the table of matchups."""
        if self.tally.seen == 0 and self.tally.noted["file cut off"]:
            raise too_early(path)
        if not self._has_matches:
            listed = ", ".join(sorted(set(self._found))[:20])
            where = "" if self.schema is None else f" in the schema {self.schema!r}"
            cure = f"it has those of: {listed or 'none'}"
            if self._has_inserts and not listed:
                cure = "it has INSERT commands, so write it again by pg_dump without --inserts"
            raise InputError(f"{path} has no COPY block of a table {self.match_table!r}{where}; {cure}.")
        if self.tally.seen == 0:
            raise InputError(f"{path} has no row in the table {self.match_table!r}; get the dump again.")
        keys = self.tally.keys()
        names = distinct(self._tags)
        for key in keys:
            number, _, race = key.partition(" ")
            name = names[number] if self._tags.get(number) else f"player ({number})"
            self.tally.rename(key, f"{name} ({race})" if race else name)
        return self.tally.frame()


class _Lines:
    """The lines of a stream without their ends, and the blocks of COPY among them.

    A last line that has no end is half a line, and left out, unless it is all that there is.
    """

    def __init__(self, stream: Stream) -> None:
        self._file = stream.reader()
        self.number = 0
        #: Whether a block had no end.
        self.cut = False

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            self.number += 1
            if line.endswith(b"\n") or self.number == 1:
                yield line.rstrip(b"\r\n")

    def block(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the content of each row of the present COPY block."""
        for line in self:
            if line == _END:
                return
            yield self.number, line
        self.cut = True

    def skip_block(self) -> None:
        """Go behind the end of the present COPY block."""
        for line in self._file:
            self.number += 1
            # A row that begins with a backslash begins with two.
            if line.startswith(_END):
                return
        self.cut = True


def _python_encoding(name: str, where: str) -> str:
    """Return Python's name of an encoding of PostgreSQL."""
    name = _ENCODINGS.get(name.lower(), name)
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise InputError(f"{where} is encoded in {name!r}; write it with pg_dump -E UTF8.") from error
    return name


def _unquote(part: bytes, encoding: str) -> str:
    """Return an identifier without its quotes."""
    if part.startswith(b'"'):
        part = part[1:-1].replace(b'""', b'"')
    return part.decode(encoding, "replace")


def _text(cell: bytes, encoding: str) -> str:
    """Return the text of a cell of a COPY block."""

    def character(escape: re.Match[bytes]) -> bytes:
        code = escape[1]
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        if code.isdigit() and code[:1] < b"8":
            return bytes([int(code, 8) & 255])
        return _ESCAPES.get(code, code)

    if b"\\" in cell:
        cell = _ESCAPE.sub(character, cell)
    return cell.decode(encoding, "replace").strip()


def _column(columns: list[str], wanted: str, table: str, name: str) -> int:
    """Return where a column is."""
    if wanted not in columns:
        raise InputError(
            f"{name}: the table {table!r} has no column {wanted!r}; its columns are: {', '.join(columns)}."
        )
    return columns.index(wanted)
