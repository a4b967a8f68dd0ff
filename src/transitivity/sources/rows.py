"""Tables as batches of rows: texts of cells, JSON lines, Parquet and SQLite.

A column of a batch holds each distinct value once, as text, and a number a row. pyarrow, where it is installed, takes
whole blocks of a text of cells; a block with anything unusual (a row of another length, a quote inside a cell, a line
break inside quotes) is read row by row, to the same result.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import json
import math
import os
import re
import sqlite3
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import Tally
from transitivity.sources.streams import STARTS, Stream, open_streams, plain_suffix

try:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet
except ImportError:  # pragma: no cover - which one is there depends on the installation
    pyarrow = None

TEXT, JSON, BINARY = (".csv", ".tsv"), (".jsonl", ".ndjson"), (".parquet", ".sqlite", ".sqlite3", ".db")
#: Rows that are taken at once, and bytes of a text.
BATCH, _BLOCK = 100_000, 1 << 23
#: Rows of JSON by which its columns are told.
_FIRST = 200
#: What is noted of a text of which some rows, but not many, cannot be read.
MUCH_UNREAD = "more than 2 % of the rows cannot be read"
#: A cell or line longer than this is a quote that was never closed, not a value.
_CELL = 1 << 20
#: Stands for a line that is too long to be kept, and can be no row.
_TOO_LONG = "x" * (_CELL + 1)
_LINE_END = re.compile(rb"\n|\r(?=[^\n])")
#: A line by which a text tells Excel what separates its cells.
_SEPARATOR = re.compile(r'sep=([^"\r\n])[\r\n]*')
#: What no word of Latin-1 has, but those of other encodings have.
_NOT_LATIN = re.compile(r"[\x80-\xff]{4}")
#: Rows that a SQLite file may have besides one for each of its bytes, and steps of SQLite for each of these.
_ROWS, _STEPS = 10**6, 100


class Column:
    """A column of a batch: the distinct values as texts, and which of them each row has; or finite numbers."""

    def __init__(self, codes: np.ndarray, texts: list[str], numbers: np.ndarray | None = None) -> None:
        self.codes, self.texts, self.numbers = codes, texts, numbers

    def each(self, value: Callable[[str], Any]) -> np.ndarray:
        """Return a function of each row's text, called once a distinct text."""
        return np.array(list(map(value, self.texts)))[self.codes] if self.texts else np.empty(0)

    def __getitem__(self, k: int) -> str:
        return self.texts[self.codes[k]] if self.numbers is None else text(float(self.numbers[k]))


@dataclass(frozen=True)
class Batch:
    """Some rows, and what says where each is."""

    columns: dict[str, Column]
    where: Callable[[int], str]
    n: int

    def place_of(self, column: Column, code: int) -> str:
        """Return where the first row is that has a value of a column."""
        return self.where(int(np.argmax(column.codes == code)))


@dataclass
class Table:
    """A table: its name, its columns, its rows, and whether a column may be a path into nested objects.

    `batches` yields the rows with some columns, of which those named last may come as numbers.
    """

    name: str
    columns: list[str]
    batches: Callable[[list[str], Tally, Collection[str]], Iterator[Batch]]
    nested: bool = False


def open_tables(
    file: Path, delimiter: str | None, encoding: str | None, table: str | None, members: str | list[str] | None
) -> Iterator[Table | str]:
    """Yield the tables of a file; the name of one that was cut in its first line."""
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise InputError(f"delimiter is {delimiter!r}; give the one character that separates cells.")
    try:
        with open(file, "rb") as opened:
            start = opened.read(20)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror or error}); check the file.") from error
    if start.startswith(STARTS[".db"]):
        yield _sqlite(file, table, start[18:] == b"\2\2")
    elif start.startswith(STARTS[".parquet"]):
        yield _parquet(file)
    elif plain_suffix(file.name) in BINARY:
        raise InputError(
            f"{file} is not a {plain_suffix(file.name)} file; unpack it, get it again, or correct its suffix."
        )
    else:
        for stream in open_streams(file, (*TEXT, *JSON), members):
            suffix, lines = plain_suffix(stream.name), _Lines(stream, encoding)
            if stream.cut and not lines.first.endswith(("\n", "\r")):
                yield stream.name
            elif suffix in JSON or (suffix not in TEXT and lines.first.lstrip().startswith(("{", "["))):
                yield _json_lines(lines)
            else:
                yield _delimited(lines, delimiter or ("\t" if suffix == ".tsv" else None))


# -------------------------------------------------------------------- values


def text(value: object, file: str = "") -> str:
    """Return a value as text, an empty string for none; `file` is what messages call its file."""
    if not isinstance(value, str):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        value = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    found = value.strip()
    return found if found.isascii() else _encodable(found, file)


def _encodable(found: str, file: str) -> str:
    """Return a text that can be written: bytes that were not UTF-8 are Latin-1, lone surrogates question marks."""
    try:
        return found.encode("utf-8", "surrogateescape").decode("utf-8", "strict")
    except UnicodeDecodeError:
        latin = found.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return found.encode("utf-8", "replace").decode("utf-8")
    if _NOT_LATIN.search(latin):
        raise InputError(
            f"{file}: {latin[:40]!r} is neither UTF-8 nor Latin-1; name the file's encoding by encoding, such as "
            "gb18030 or cp1251, or save it as UTF-8."
        )
    return latin


def _coded(values: Iterable[object], file: str) -> Column:
    """Return values as a column; 1 and True are two values."""
    known: dict[Any, int] = {}
    keys = (value if value.__class__ is str else (value.__class__, value) for value in values)
    codes = np.fromiter((known.setdefault(key, len(known)) for key in keys), np.intp)
    return Column(codes, [text(key if isinstance(key, str) else key[1], file) for key in known])


def _of_arrow(array: Any, as_numbers: bool = False) -> Column:
    """Return an array of pyarrow as a column."""
    kind = array.type
    if as_numbers and not array.null_count and (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)):
        numbers = array.to_numpy().astype(np.float64, copy=False)
        if np.isfinite(numbers).all():
            return Column(np.empty(0, np.intp), [], numbers)
    coded = array if pyarrow.types.is_dictionary(kind) else array.dictionary_encode()
    try:
        values = coded.dictionary.to_pylist()
    except (ValueError, OverflowError):
        # Times that Python cannot show in their zone.
        values = coded.dictionary.cast(pyarrow.timestamp("us", "UTC"), safe=False).cast(pyarrow.string()).to_pylist()
    codes = coded.indices.fill_null(len(values)).to_numpy()
    # The dictionary may be that of many batches.
    used = np.bincount(codes, minlength=len(values) + 1) > 0
    values = list(itertools.compress([*values, ""], used.tolist()))
    plain = all(value.__class__ is str for value in values) and "".join(values).isascii()
    texts = list(map(str.strip if plain else text, values))
    return Column(codes if used[:-1].all() else (np.cumsum(used) - 1)[codes], texts)


# -------------------------------------------------------------------- texts


class _Lines:
    """The lines of a text, one by one or in blocks; bytes that are not UTF-8 become surrogates."""

    def __init__(self, stream: Stream, encoding: str | None) -> None:
        self.stream = stream
        self._blocks = _blocks(stream.reader(), encoding)
        self._waiting = deque(next(self._blocks, b"").removeprefix(codecs.BOM_UTF8).splitlines(True))
        self._last = self._waiting[0] if self._waiting else b""
        self.first = self._text(self._last)
        # The number of the line that was taken last, and how many quotes there were up to it.
        self.number = self.quotes = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self._waiting:
            self._waiting.extend(next(self._blocks).splitlines(True))
        self._last = line = self._waiting.popleft()
        self.number += 1
        self.quotes += line.count(b'"')
        return self._text(line)

    def _text(self, line: bytes) -> str:
        return line.decode("utf-8", "surrogateescape") if len(line) < _CELL else _TOO_LONG

    def block(self) -> bytes:
        """Return the lines that follow, as far as they were read together; none at the end."""
        block = b"".join(self._waiting) or next(self._blocks, b"")
        self._waiting.clear()
        return block

    def put_back(self, block: bytes) -> None:
        """Give the lines of a block one by one, before those that follow."""
        self._waiting.extend(block.splitlines(True))

    def note_cut(self, tally: Tally) -> None:
        """Note where the file ends too early, if it does."""
        if self.stream.cut:
            tally.note("file cut off", f"{self.stream.name}: line {self.number}")

    @property
    def are_waiting(self) -> bool:
        """Whether some lines of a block are left."""
        return bool(self._waiting)

    @property
    def are_cut(self) -> bool:
        """Whether a cut went through the line that was taken last."""
        return self.stream.cut and not self._last.endswith((b"\n", b"\r"))


def _blocks(file: io.BufferedReader, encoding: str | None) -> Iterator[bytes]:
    """Yield a text in blocks of whole lines; of a very long line, one that is as long as no row may be."""
    decoder = None
    if encoding is not None:
        try:
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            # Some codecs, such as hex, do not make text of bytes.
            decoder.decode(b"", True).encode()
            decoder.reset()
        except (LookupError, TypeError, AssertionError, AttributeError, UnicodeError) as error:
            raise InputError(f"There is no encoding {encoding!r}; name one such as gb18030 or cp1251.") from error

    def read(size: int = _BLOCK) -> bytes:
        data = file.read(size)
        return data if decoder is None else decoder.decode(data, not data).encode()

    # The first lines are taken one by one.
    rest, data = b"", read(_BLOCK >> 8)
    while data:
        data = rest + data
        # A carriage return at the end may be half of what ends the line.
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        if end:
            yield data[:end]
        rest = data[end:]
        if len(rest) > _CELL:
            quotes = 0
            while rest and not (found := _LINE_END.search(rest)):
                quotes += rest.count(b'"')
                rest = read()
            end = found.end() if rest and found else 0
            quotes += rest.count(b'"', 0, end)
            yield _TOO_LONG.encode() + b'"' * (quotes % 2) + (b"\n" if rest else b"")
            rest = rest[end:]
        data = read()
    if rest:
        yield rest


class Unread:
    """The rows of a file that cannot be read, among all."""

    def __init__(self, name: str, tally: Tally) -> None:
        self._name, self._tally = name, tally
        self._located, self._rows = "", 0
        self.total = 0

    def drop(self, reason: str, line: int, times: int = 1, is_part: bool = False) -> None:
        """Leave out rows; what a cut left of a row says nothing about the others."""
        self.total += times
        self._tally.drop(reason, f"{self._name}: line {line}", times)
        if not is_part:
            self._rows += times
            self._located = self._located or f"line {line}"

    def check(self, cure: str = "look for a quote that is not closed, or for another delimiter") -> None:
        """Raise InputError, with what to do, if many rows could not be read; note it if some could not."""
        if self._rows > 0.2 * self.total:
            raise InputError(
                f"{self._name}: {self._rows} of {self.total} rows cannot be read, the first at {self._located}; {cure}."
            )
        if self._rows > 0.02 * self.total:
            where = f"{self._name}: {self._rows} of {self.total}, from {self._located} on"
            self._tally.note(MUCH_UNREAD, where)


def _delimited(lines: _Lines, delimiter: str | None) -> Table:
    """Return a text of cells."""
    name, first = lines.stream.name, lines.first
    if first.encode("utf-8", "surrogateescape").startswith((*STARTS[".db"], *STARTS[".parquet"])):
        raise InputError(f"{name} is a binary table, which cannot be read from an archive; unpack it first.")
    if not first.strip():
        raise InputError(f"{name} starts with an empty line; its first line must name the columns.")
    csv.field_size_limit(_CELL)
    if said := _SEPARATOR.fullmatch(first):
        delimiter = delimiter or said[1]
        next(lines)
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        header = [text(cell, name) for cell in next(reader)]
    except csv.Error as error:
        raise InputError(f"{name}: line 1 cannot be read as a header ({error}); correct it.") from error

    def batches(columns: list[str], tally: Tally, numbers: Collection[str] = ()) -> Iterator[Batch]:
        """Yield the rows of a block after the other."""
        at = [_only(header, column, name) for column in columns]
        unread = Unread(name, tally)
        while block := lines.block():
            found = _whole(block, delimiter, len(header), {at[k]: one in numbers for k, one in enumerate(columns)})
            if found is None and numbers:
                # One cell that is not a number, and all may be such.
                numbers = ()
                found = _whole(block, delimiter, len(header), dict.fromkeys(at, False))
            if found is not None:
                at_lines: Sequence[int] = range(lines.number + 1, lines.number + len(found) + 1)
                lines.number += len(found)
                values = [_of_arrow(column.combine_chunks(), True) for column in found.columns]
            else:
                lines.put_back(block)
                rows: list[list[str]] = []
                at_lines = []
                while lines.are_waiting:
                    if row := _row(reader, lines, len(header), at, unread, tally):
                        rows.append(row)
                        at_lines.append(lines.number)
                values = [_coded((row[k] for row in rows), name) for k in range(len(at))]
            unread.total += len(at_lines)
            yield Batch(dict(zip(columns, values, strict=True)), _places(f"{name}: line", at_lines), len(at_lines))
        lines.note_cut(tally)
        unread.check()

    return Table(name, header, batches)


def _row(reader: Any, lines: _Lines, width: int, at: list[int], unread: Unread, tally: Tally) -> list[str] | None:
    """Return the cells of the next row that are needed; None for an empty line, and for a row that cannot be read."""
    start, quotes, fault = lines.number, lines.quotes, None
    try:
        row = next(reader)
    except csv.Error:
        row, fault = [], "row over 1 MiB"
        # On to where the quote is closed that was open, if it ever is.
        while (lines.quotes - quotes) % 2 and next(lines, None) is not None:
            continue
    n_lines = lines.number - start
    if row:
        # Spreadsheets write empty cells behind the last column; other programs leave out the last ones.
        wrong = any(row[width:]) if len(row) >= width else n_lines > 1 or max(at) >= len(row)
        # A quote that is never closed ends at the next quote, or with the file.
        if n_lines > 1 and (wrong or (lines.quotes - quotes) % 2 or any(set("\r\n") & set(row[k]) for k in at)):
            fault = "line break inside quotes"
        elif wrong or lines.are_cut:
            fault = "broken row"
        elif len(row) < width:
            tally.note("row without its last cells", f"{lines.stream.name}: line {lines.number}")
    if fault:
        unread.drop(fault, start + 1, n_lines, lines.are_cut)
    return [row[k] for k in at] if row and not fault else None


def _whole(block: bytes, delimiter: str, width: int, at: dict[int, bool]) -> Any:
    """Return columns of a block by pyarrow, as numbers or as texts; None where it might not read what `_row` reads."""
    if (
        pyarrow is None
        or not delimiter.isascii()
        or not block.endswith(b"\n")
        or (b"\r" in block and re.search(rb"\r[^\n]", block))
        # An empty line is no row; pyarrow makes one of empty cells.
        or block.startswith((b"\n", b"\r\n"))
        or b"\n\n" in block
        or b"\n\r\n" in block
        # A line that is too long covers one of these.
        or any(block.find(b"\n", k, k + _CELL // 2) < 0 for k in range(0, len(block) - _CELL // 2, _CELL // 2))
    ):
        return None
    # A quote that the last line leaves open goes on in the next block.
    last = block[block.rfind(b"\n", 0, -1) + 1 :].rstrip().split(delimiter.encode())
    if any(cell.count(b'"') % 2 or (cell[:1] != b'"' and b'"' in cell) for cell in last):
        return None
    texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {str(k): pyarrow.float64() if as_number else texts for k, as_number in at.items()}
    try:
        table = pyarrow.csv.read_csv(
            pyarrow.BufferReader(block),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=len(block), column_names=[*map(str, range(width))]),
            pyarrow.csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(include_columns=list(types), column_types=types, null_values=[]),
        )
    except pyarrow.ArrowInvalid:
        return None
    # A line break inside quotes does not end a row.
    is_split = b'"' in block and len(table) != np.count_nonzero(np.frombuffer(block, np.uint8) == 10)
    # What is not a finite number, such as nan, is told by its text.
    is_odd = any(as_number and not np.isfinite(table[str(k)].to_numpy()).all() for k, as_number in at.items())
    return None if is_split or is_odd else table


def _only(header: Sequence[str], column: str, name: str) -> int:
    """Return where a column is, of which there must be one."""
    if header.count(column) > 1:
        raise InputError(f"{name} has the column {column!r} twice; rename one.")
    return header.index(column)


def _places(before: str, numbers: Sequence[int], after: str = "") -> Callable[[int], str]:
    """Return what says where each row of a batch is."""
    return lambda k: f"{before} {numbers[k]}{after}"


def _json_lines(lines: _Lines) -> Table:
    """Return a text of one JSON object a line, which may be the elements of an array."""
    name = lines.stream.name

    def objects() -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yield the number of each line that is not empty, and its object, None where it has none."""
        for line in lines:
            if line.strip() not in ("", "[", "]", ","):
                yield lines.number, None if lines.are_cut else _object(line)

    numbered = objects()
    first = list(itertools.islice(numbered, _FIRST))
    # A row need not have every column.
    columns = list(dict.fromkeys(itertools.chain.from_iterable(row for _, row in first if row)))
    if not columns:
        raise InputError(f"{name} has no JSON object in its first lines; write one object a line.")

    def batches(columns: list[str], tally: Tally, numbers: Collection[str] = ()) -> Iterator[Batch]:
        """Yield the rows."""
        every, unread = itertools.chain(first, numbered), Unread(name, tally)
        while chunk := list(itertools.islice(every, BATCH)):
            for number, row in chunk:
                if row is None:
                    unread.drop("broken row", number, 1, lines.are_cut and number == lines.number)
            rows = [(number, row) for number, row in chunk if row is not None]
            values = {column: _coded((_follow(row, column) for _, row in rows), name) for column in columns}
            unread.total += len(rows)
            yield Batch(values, _places(f"{name}: line", [number for number, _ in rows]), len(rows))
        lines.note_cut(tally)
        unread.check()

    return Table(name, columns, batches, nested=True)


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


# -------------------------------------------------------------------- binary tables


def _parquet(file: Path) -> Table:
    """Return a Parquet file."""
    if pyarrow is None:
        raise InputError(f"{file} needs the package pyarrow; pip install pyarrow.")
    try:
        schema = pyarrow.parquet.read_schema(file)
        names = schema.names
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not a complete Parquet file; get it again.") from error

    def batches(columns: list[str], tally: Tally, numbers: Collection[str] = ()) -> Iterator[Batch]:
        """Yield the rows."""
        for column in columns:
            kind = schema.field(_only(names, column, os.fspath(file))).type
            if pyarrow.types.is_nested(kind):
                raise InputError(f"{file}: the column {column!r} holds {kind}; name one of plain values.")
        row = 0
        try:
            # Texts come as the file has them: each once, and numbers for the rows.
            opened = pyarrow.parquet.ParquetFile(file, read_dictionary=columns)
            for batch in opened.iter_batches(10 * BATCH, columns=columns):
                values = {column: _of_arrow(batch.column(column), column in numbers) for column in columns}
                yield Batch(values, _places(f"{file}: row", range(row + 1, row + len(batch) + 1)), len(batch))
                row += len(batch)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is damaged after row {row}; get it again.") from error

    return Table(os.fspath(file), names, batches)


def _sqlite(file: Path, table: str | None, has_log: bool) -> Table:
    """Return a table of a SQLite file; `has_log` says whether its newest rows were written to a second file first."""
    log_is_missing = has_log and not os.path.exists(f"{file}-wal")
    # SQLite would make the second file.
    mode = "mode=ro&immutable=1" if log_is_missing else "mode=ro"
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True)
    # Text that is not UTF-8 is read all the same.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    # A view of a few bytes can make texts, or rows, without end.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _CELL)
    steps, most = itertools.count(), _ROWS + file.stat().st_size
    connection.set_progress_handler(lambda: next(steps) > most * _STEPS // 10**5, 10**5)
    try:
        listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        known = [name for (name,) in connection.execute(listing)]
        if table is None and len(known) == 1:
            table = known[0]
        if table is None or table not in known:
            what = f"no table {table!r}" if table is not None else f"{len(known)} tables"
            cure = did_you_mean(str(table), known) if table is not None else f"pick one by table=: {', '.join(known)}."
            if log_is_missing:
                cure += f" If its newest rows are in {file.name}-wal, copy that file, too."
            raise InputError(f"{file} has {what}; {cure}")
        header = [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # What SQLite says of a damaged file may quote its bytes.
        connection.close()
        raise _unreadable(file, error) from error

    def batches(columns: list[str], tally: Tally, numbers: Collection[str] = ()) -> Iterator[Batch]:
        """Yield the rows."""
        row = 0
        if log_is_missing:
            tally.note("SQLite file without its -wal file, where the newest rows may be", os.fspath(file))
        try:
            cursor = connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}")
            while rows := cursor.fetchmany(BATCH):
                cells = zip(*rows, strict=True)
                values = {column: _coded(one, os.fspath(file)) for column, one in zip(columns, cells, strict=True)}
                at = range(row + 1, row + len(rows) + 1)
                yield Batch(values, _places(f"{file}: row", at, f" of {table}"), len(rows))
                row += len(rows)
                if row > most:
                    raise sqlite3.Error("interrupted: too many rows")
        except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
            raise _unreadable(file, error) from error
        finally:
            connection.close()

    return Table(os.fspath(file), header, batches)


def _unreadable(file: Path, error: Exception) -> InputError:
    """Return what tells the user about an error of SQLite."""
    why = " ".join(str(error).split())
    if "locked" in why:
        return InputError(f"{file} is locked by another program; close that, and try again.")
    if "interrupted" in why or "too big" in why:
        return InputError(
            f"{file} asks for far more work or memory than it has bytes ({why}); write it out as a table."
        )
    return InputError(f"{file} is not a complete SQLite file ({why}); get it again.")


def _quoted(name: str) -> str:
    """Return an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
