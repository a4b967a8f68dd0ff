"""Payoff files: .npy, .npz, .csv, .tsv and the pickles of Czarnecki et al. 2020, read without running code.

The formats, for a square matrix in either scale (probabilities, or antisymmetric in [-1, 1]):

- ``.npy``: one array; ``.npz``: one array, or several of which ``key`` picks one, or what `Payoff.save` writes;
- ``.csv``, ``.tsv``: numbers, with or without a header of player names and a first column of player names; an empty
  cell, or NaN, where a pair was not observed;
- ``.pkl``, ``.pickle``: one array, or a dict of arrays of which ``key`` picks one;
- ``.zip``: an archive with one of these files.

A ``.csv`` or ``.tsv`` may instead be a list of pairs: a header with player_a, player_b, p (the probability
that player_a beats player_b) and, optionally, games; other columns are not read, and players are in the
order of their first appearance.
"""

from __future__ import annotations

import csv
import lzma
import math
import os
import pickle
import pickletools
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

import numpy as np

from transitivity.errors import InputError, amount, did_you_mean
from transitivity.payoff.core import Payoff

#: How far a matrix may be from its scale (A + Aᵀ = 0 or P + Pᵀ = 1, and the interval of its entries):
#: rounding of single-precision files, not mistakes. What is within it is symmetrised and clipped exactly.
FILE_TOLERANCE = 1e-6
#: What a member of an archive may unpack to, and how many times its packed size a larger one may be.
MAX_MEMBER, MAX_RATIO = 1 << 28, 100
#: What reading a damaged archive may raise; a name in it that is not UTF-8 is damage, too.
ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, struct.error),
    *(NotImplementedError, RuntimeError, UnicodeDecodeError),
)
SCALES = ("auto", "antisymmetric", "probability")
#: A number with a decimal comma, as in files whose cells are separated by semicolons.
_COMMA = re.compile(r"^([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)$")
PAIR_COLUMNS = ("player_a", "player_b", "p")
#: What a table with a header may be instead.
RESULTS = ", or, for a file of results, add `matchups:` with its columns"
Result = TypeVar("Result")


def read_payoff(path: str | os.PathLike[str], key: str | None = None, scale: str = "auto") -> Payoff:
    """Read a payoff of a file; the suffix tells the format (see the module's docstring).

    Parameters
    ----------
    path : path-like
        A .npy, .npz, .csv, .tsv, .pkl, .pickle or .zip file.
    key : str, optional
        Which array of an .npz or of a pickled dict; needed where there are several.
    scale : {"auto", "antisymmetric", "probability"}
        "antisymmetric": A + Aᵀ = 0, in [-1, 1], P = (1 + A) / 2; "probability": P + Pᵀ = 1; "auto":
        whichever holds.

    Returns
    -------
    Payoff
        Players are named as in the file, "0", "1", ... where it has no names. The diagonal is not read. A
        matrix that misses its scale by at most 1e-6 is symmetrised and clipped exactly.

    Raises
    ------
    InputError
        If the file is missing, cut off, of another format or hostile, or if it is not a payoff. The message
        starts with the path.
    """
    path = Path(path)
    if scale not in SCALES:
        raise InputError(f"{path}: there is no scale {scale!r}; {did_you_mean(str(scale), SCALES)}")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: the suffix {path.suffix!r} is not one of a payoff file; use one of {', '.join(_READERS)}."
        )
    return _naming_the_file(path, lambda: _whole_games(reader(path, key, scale)))


def _whole_games(payoff: Payoff) -> Payoff:
    """Return a payoff, or raise InputError if a pair has a number of games that is not whole."""
    if payoff.games is not None and (odd := payoff.games % 1 != 0).any():
        k = int(np.argmax(odd))
        a, b = payoff.players[payoff.i[k]], payoff.players[payoff.j[k]]
        raise InputError(f"{str(a)!r} and {str(b)!r} have {payoff.games[k]:g} games; give a whole number.")
    return payoff


def read_array(path: str | os.PathLike[str]) -> np.ndarray:
    """Read one array of numbers of an .npy file, such as ratings or points.

    Parameters
    ----------
    path : path-like
        The .npy file.

    Returns
    -------
    array
        Of any shape, of booleans, whole or real numbers.

    Raises
    ------
    InputError
        If the file is missing, cut off, no .npy file, or holds anything but numbers.
    """
    path = Path(path)
    if path.suffix.lower() != ".npy":
        raise InputError(f"{path}: an array is read of an .npy file; save it with numpy.save.")
    return _naming_the_file(path, lambda: _numpy_array(path))


def _naming_the_file(path: Path, read: Callable[[], Result]) -> Result:
    """Call `read`; whatever is wrong becomes an InputError whose message starts with the path."""
    try:
        if path.exists() and not path.is_file():
            raise InputError("cannot be read; give a file, not a folder, a pipe or a device.")
        if path.stat().st_size == 0:
            raise InputError("the file is empty; write the payoff again.")
        return read()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file; check the path.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the file.") from error
    except MemoryError as error:
        raise InputError(f"{path}: asks for more memory than there is; check that it is whole.") from error


# -------------------------------------------------------------------- matrices


def _matrix_payoff(M: np.ndarray, players: list[str] | None, scale: str) -> Payoff:
    """Make a payoff of a matrix of any shape, type and scale; `players` are the names that the file has."""
    if M.dtype.kind not in "biuf":
        raise InputError(f"the entries have type {M.dtype}; give real numbers.")
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise InputError(f"the array has shape {M.shape}; a payoff matrix is square (n, n).")
    M = M.astype(np.float64)
    n = len(M)
    names = np.arange(n).astype(str) if players is None else np.asarray(players, dtype=str)
    i, j = np.triu_indices(n, 1)
    upper, lower = M[i, j], M[j, i]

    def refuse(wrong: np.ndarray, why: str) -> None:
        """Raise InputError with the first pair of entries that is wrong."""
        if wrong.any():
            at = int(np.argmax(wrong))
            a, b = str(names[i[at]]), str(names[j[at]])
            entries = f"the entry ({a!r}, {b!r}) is {upper[at]:.10g}, its mirror {lower[at]:.10g}"
            raise InputError(f"{entries}; {why}.")

    refuse(np.isinf(upper) | np.isinf(lower), "give finite numbers, and leave out what was not observed")
    refuse(np.isnan(upper) != np.isnan(lower), "observed in one direction only: fill in or leave out both")
    seen = ~np.isnan(upper)
    i, j, upper, lower = i[seen], j[seen], upper[seen], lower[seen]
    # How far each pair is from each scale.
    miss = {"antisymmetric": np.abs(upper + lower), "probability": np.abs(upper + lower - 1)}
    if scale == "auto":
        # What most pairs are; the others are then named as mistakes.
        share = {name: np.mean(error <= FILE_TOLERANCE) if len(i) else 1.0 for name, error in miss.items()}
        scale = max(share, key=share.__getitem__)
        if share[scale] <= 0.5:
            refuse(
                np.minimum(*miss.values()) > FILE_TOLERANCE,
                "a payoff is antisymmetric (they sum to 0) or holds probabilities (they sum to 1)",
            )
            raise InputError("half of the pairs sum to 0, half to 1; use one scale, or say which by scale=.")
    low, total = (-1, 0) if scale == "antisymmetric" else (0, 1)
    refuse(miss[scale] > FILE_TOLERANCE, f"make them sum to {total} (the scale is {scale!r})")
    smallest, largest = np.minimum(upper, lower), np.maximum(upper, lower)
    outside = (smallest < low - FILE_TOLERANCE) | (largest > 1 + FILE_TOLERANCE)
    refuse(outside, f"give numbers in [{low}, 1] (the scale is {scale!r})")
    if scale == "antisymmetric":
        p = (1 + (upper - lower) / 2) / 2
    else:
        # 1 - lower is rounded: an entry that fits its mirror already is kept to the last bit.
        p = np.where(upper + lower == 1, upper, (upper + (1 - lower)) / 2)
    return Payoff(names, i, j, np.clip(p, 0, 1))


# -------------------------------------------------------------------- .npy and .npz


def _numpy_array(path: Path) -> np.ndarray:
    """Read the array of an .npy file."""
    with open(path, "rb") as file:
        return _numpy_stream(file, "the file")


def _numpy_stream(file: IO[bytes], what: str) -> np.ndarray:
    """Read one array in the .npy format; `what` names it in messages."""
    try:
        array = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        # A broken header is parsed as Python, which can raise nearly anything.
        if "Object arrays" in str(error):
            raise InputError(f"{what} holds Python objects, which are not read; save numbers.") from error
        raise InputError(f"{what} is not a complete .npy array; write it again with numpy.save.") from error
    if array.dtype.kind not in "biuf":
        raise InputError(f"the entries of {what} have type {array.dtype}; give real numbers.")
    return array


def _read_npy(path: Path, key: str | None, scale: str) -> Payoff:
    """Read an .npy file."""
    _refuse_key(key, "an .npy file")
    return _matrix_payoff(_numpy_array(path), None, scale)


def _read_npz(path: Path, key: str | None, scale: str) -> Payoff:
    """Read an .npz file, of `Payoff.save` or of plain arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name.removesuffix(".npy"): name for name in archive.namelist()}
            _refuse_bombs(archive)
            if key is None and {"players", "i", "j", "p"} <= members.keys():
                return _read_saved(path)
            name = _pick(key, list(members))
            with archive.open(members[name]) as file:
                array = _numpy_stream(file, f"the array {name!r}")
    except ZIP_ERRORS as error:
        raise InputError("it is not a complete .npz archive; write it again.") from error
    return _matrix_payoff(array, None, scale)


def _refuse_bombs(archive: zipfile.ZipFile) -> None:
    """Raise InputError if a member unpacks to far more than it holds."""
    for member in archive.infolist():
        if member.file_size > max(MAX_MEMBER, MAX_RATIO * member.compress_size):
            raise InputError(
                f"{member.filename} takes {member.compress_size} bytes and would unpack to {member.file_size}; if that "
                "is right, give it unpacked."
            )


def _read_saved(path: Path) -> Payoff:
    """Read what `Payoff.save` wrote."""
    try:
        return Payoff.load(path)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, TypeError, IndexError) as error:
        raise InputError("its arrays are not those of Payoff.save; write it again.") from error


def _refuse_key(key: str | None, what: str) -> None:
    """Raise InputError if the user gave a key to a format that has none."""
    if key is not None:
        raise InputError(f"{what} has no keys, and key is {key!r}; leave out key.")


def _pick(key: str | None, known: list[str]) -> str:
    """Return the key of the array to read."""
    if not known:
        raise InputError("it holds no array; write the payoff again.")
    if key is None:
        if len(known) > 1:
            listed = ", ".join(map(repr, sorted(known)))
            raise InputError(f"it holds {len(known)} arrays; pick one by key=: {listed}.")
        return known[0]
    if key not in known:
        raise InputError(f"it has no array {key!r}; {did_you_mean(str(key), known)}")
    return key


# -------------------------------------------------------------------- .csv and .tsv


def _read_text(path: Path, key: str | None, scale: str) -> Payoff:
    """Read a .csv or .tsv file: a square matrix or a list of pairs."""
    _refuse_key(key, "a text file")
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            first = file.readline()
            # A first line that tells Excel what separates cells.
            skipped = first.startswith("sep=")
            if not skipped:
                file.seek(0)
            delimiter = (
                first[4:5] if skipped else max("\t,;" if path.suffix.lower() == ".tsv" else ",;\t", key=first.count)
            )
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for row in reader:
                if row:
                    rows.append([cell.strip() for cell in row])
                    lines.append(reader.line_num + skipped)
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} cannot be read as a row of a table ({error}); correct it.") from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8 text; save the file as UTF-8.") from error
    # Spreadsheets write empty cells behind the last column, and below the last row.
    if rows and not all(map(_is_number, rows[0])):
        width = 1 + max(k for row in rows for k, cell in enumerate(row) if cell)
        rows = [row[:width] for row in rows]
        while not any(rows[-1]):
            rows.pop()
            lines.pop()
    if not rows:
        raise InputError("the file is empty; write the payoff again.")
    if delimiter == ";":
        rows = [[_COMMA.sub(r"\1.\2", cell) for cell in row] for row in rows]
    # Two of the three names: one may have a typo, and a player of a matrix may be called "p".
    if len(set(PAIR_COLUMNS) & set(rows[0])) >= 2:
        return _pair_list(rows, lines, scale)
    return _text_matrix(rows, lines, scale)


def _pair_list(rows: list[list[str]], lines: list[int], scale: str) -> Payoff:
    """Make a payoff of a list of pairs; `lines` are the line numbers of the rows."""
    header = rows[0]
    for column in PAIR_COLUMNS:
        if column not in header:
            raise InputError(
                f"line {lines[0]} has no column {column!r}; a list of pairs needs player_a, player_b, p{RESULTS}."
            )
    if len(set(header)) < len(header):
        repeated = next(name for name in header if header.count(name) > 1)
        raise InputError(f"line {lines[0]} has the column {repeated!r} twice; keep one.")
    if scale == "antisymmetric":
        raise InputError("the column p of a list of pairs is a probability; leave out scale='antisymmetric'.")
    at_a, at_b, at_p = (header.index(column) for column in PAIR_COLUMNS)
    at_games = header.index("games") if "games" in header else None
    index: dict[str, int] = {}
    first_line: dict[tuple[int, int], int] = {}
    i, j, p, games = [], [], [], []
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) != len(header):
            raise InputError(f"line {line} has {len(row)} cells, the header {len(header)}; correct the line.")
        if not row[at_a] or not row[at_b]:
            raise InputError(f"line {line} has no name of a player; fill it in.")
        a, b = (index.setdefault(row[at], len(index)) for at in (at_a, at_b))
        if a == b:
            raise InputError(f"line {line} pairs {row[at_a]!r} with itself; remove the line.")
        value = _number(row[at_p], line, at_p)
        if not 0 <= value <= 1:
            raise InputError(
                f"line {line} has p = {row[at_p] or 'nothing'}; give a number in [0, 1], or remove the line "
                "if the pair was not observed."
            )
        if at_games is not None:
            games.append(_number(row[at_games], line, at_games))
            if not (0 < games[-1] < math.inf and games[-1].is_integer()):
                raise InputError(
                    f"line {line} has games = {row[at_games] or 'nothing'}; give a whole number above 0, or remove the "
                    "line."
                )
        pair = (min(a, b), max(a, b))
        if pair in first_line:
            raise InputError(
                f"line {line} repeats the pair of line {first_line[pair]}, {row[at_a]!r} and {row[at_b]!r}; keep one."
            )
        first_line[pair] = line
        i.append(pair[0])
        j.append(pair[1])
        p.append(value if a < b else 1 - value)
    if not p:
        raise InputError("it has a header but no pair; add results.")
    return Payoff(
        np.array(list(index)), np.array(i), np.array(j), np.array(p), None if at_games is None else np.array(games)
    )


def _text_matrix(rows: list[list[str]], lines: list[int], scale: str) -> Payoff:
    """Make a payoff of the cells of a matrix; `lines` are the line numbers of the rows."""
    width = len(rows[-1])
    # R writes no cell above the column of names.
    if len(rows) > 1 and len(rows[0]) == width - 1 == len(rows) - 1:
        rows = [["", *rows[0]], *rows[1:]]
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(f"line {line} has {len(row)} cells, the last line {width}; correct the line.")
    column = [row[0] for row in rows]
    in_row, in_column, excess = rows[0][1:], column[1:], len(rows) - width
    has_header = excess == 1 or not any(map(_is_number, in_row or column))
    has_names = excess == -1 or not any(map(_is_number, in_column or rows[0]))
    if abs(excess) > 1 or (excess and has_header and has_names):
        raise InputError(_no_square(len(rows) - has_header, width - has_names, has_header, has_names))
    # Numbers may be names, or the entries of a table that is not square.
    numbers = excess in (1, -1) and all(map(_is_number, rows[0] if excess == 1 else column))
    if len(rows) == width:
        # With both names or without any. An empty corner alone does not tell: it may be an empty diagonal.
        has_header = has_names = (column[0] == "" or not _is_number(column[0])) and (
            (in_row == in_column and len({*in_row, ""}) == width) or has_header or has_names
        )
    names = rows[0][has_names:] if has_header else None
    if has_names:
        in_column = column[has_header:]
        if names is not None and names != in_column:
            at = next(k for k, name in enumerate(names) if name != in_column[k])
            raise InputError(
                f"line {lines[1 + at]} is named {in_column[at]!r} but its column {names[at]!r}; "
                f"give rows and columns the same names in the same order{RESULTS}."
            )
        names = in_column
    M = np.empty((len(rows) - has_header, width - has_names))
    for k, (row, line) in enumerate(zip(rows[has_header:], lines[has_header:], strict=True)):
        cells = row[has_names:]
        try:
            M[k] = cells
        except ValueError:
            # An empty cell, or a wrong one: read cell by cell, to name it.
            M[k] = [_number(cell, line, at + has_names) for at, cell in enumerate(cells)]
    try:
        if names is not None and "" in names:
            raise InputError(f"player {names.index('') + 1} has an empty name; name every player.")
        return _matrix_payoff(M, names, scale)
    except InputError as error:
        if not numbers:
            raise
        what = "row" if excess == 1 else "column"
        raise InputError(f"{_no_square(len(rows), width)} If its first {what} is names, {error}") from error


def _no_square(n_rows: int, n_columns: int, has_header: bool = False, has_names: bool = False) -> str:
    """Return the sentence about a table that is not a square matrix."""
    return (
        f"it has {amount(n_rows, 'row')} and {amount(n_columns, 'column')}"
        f"{' beside names' if has_header or has_names else ''}; a payoff matrix is square, with or "
        "without a row and a column of names (a list of pairs needs a header with player_a, player_b, p)"
        f"{RESULTS if has_header else ''}."
    )


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, or empty."""
    try:
        _number(cell, 0, 0)
    except InputError:
        return False
    return True


def _number(cell: str, line: int, column: int) -> float:
    """Return the number in a cell, NaN if it is empty or NA; `column` counts from 0."""
    if cell in ("", "NA"):
        return math.nan
    try:
        return float(cell)
    except ValueError as error:
        raise InputError(f"line {line}, column {column + 1} is {cell[:40]!r}; give a number.") from error


# -------------------------------------------------------------------- pickles


#: What a pickled array of numbers calls; numpy 2 says numpy._core for numpy.core.
_CALLABLE = frozenset(
    {
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.numeric", "_frombuffer"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("_codecs", "encode"),
    }
)


class _Call:
    """A call that a pickle asks for, which is written down instead: the function, its arguments, the state it sets.

    numpy's own functions are never called. A state that a file makes up can turn the byte order of all floats of the
    process around, or make numpy follow the bytes of the file as pointers.
    """

    __slots__ = ("arguments", "name", "state")

    def __init__(self, name: str, arguments: tuple[Any, ...] = ()) -> None:
        self.name, self.arguments = name, arguments
        self.state: Any = None

    def __call__(self, *arguments: object) -> _Call:
        return _Call(self.name, arguments)

    def __setstate__(self, state: object) -> None:
        self.state = state


class _ArrayUnpickler(pickle.Unpickler):
    """An unpickler that knows arrays of numbers and nothing else, and calls nothing."""

    def find_class(self, module: str, name: str) -> _Call:
        """Return what writes down the calls of a name that arrays need; refuse all others."""
        if (re.sub(r"^numpy\._core\.", "numpy.core.", module), name) not in _CALLABLE:
            raise InputError(
                f"the pickle asks for {module}.{name}, which no array of numbers needs, and none of it was run; "
                "save the payoff as .npy or .csv."
            )
        return _Call(name)

    def persistent_load(self, pid: object) -> object:
        """Refuse references to objects outside the file."""
        raise InputError("the pickle refers to objects outside the file; save the payoff as .npy or .csv.")


def _pickled_array(call: object) -> np.ndarray:
    """Return the array that a pickle describes, whose bytes are all in the file."""
    if isinstance(call, _Call) and call.name == "_frombuffer" and len(call.arguments) == 4:
        data, of_type, shape, order = call.arguments
    elif isinstance(call, _Call) and isinstance(call.state, tuple) and len(call.state) == 5:
        _, shape, of_type, fortran, data = call.state
        order = "F" if fortran else "C"
    else:
        raise InputError("an array in the pickle has no data, or an unknown form; write it again.")
    if isinstance(data, _Call) and data.name == "encode" and data.arguments[1:] == ("latin1",):
        # How old protocols write bytes.
        data = data.arguments[0]
    if isinstance(data, str):
        # Or a string of Python 2, read as Latin-1.
        data = data.encode("latin1")
    if not isinstance(data, bytes | bytearray):
        raise InputError("an array in the pickle holds Python objects, which are not read; save numbers.")
    if not isinstance(shape, tuple) or not all(isinstance(size, int) and size >= 0 for size in shape):
        raise InputError("an array in the pickle has no valid shape; write it again.")
    dtype = _pickled_type(of_type)
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise InputError(
            f"an array in the pickle has {len(data)} bytes, which do not fit the shape {shape}; write it again."
        )
    return np.ndarray(shape, dtype, data, order="F" if order == "F" else "C")


def _pickled_type(call: Any) -> np.dtype:
    """Return the type that a pickle describes: a code such as f8, and the byte order of its state."""
    code = call.arguments[0] if isinstance(call, _Call) and call.name == "dtype" and call.arguments else None
    code = code.decode("latin1") if isinstance(code, bytes) else code
    match = re.fullmatch(r"([<>|=]?)(b1|[iu][1248]|f[248])", code) if isinstance(code, str) else None
    if match is None:
        raise InputError(f"the entries have type {code!r}; give real numbers.")
    order, code = match.groups()
    if call.state is not None:
        _, order, *rest = call.state if isinstance(call.state, tuple) and len(call.state) > 3 else (None, None)
        order = order.decode("latin1") if isinstance(order, bytes) else order
        if order not in ("<", ">", "|", "=") or rest[:2] != [None, None]:
            raise InputError("the entries have no known byte order, or are records; give real numbers.")
    return np.dtype(order + code)


def _refuse_amplified(file: BinaryIO, size: int) -> None:
    """Raise InputError where a pickle of a few bytes asks for a large memory."""
    for count, (opcode, argument, _) in enumerate(pickletools.genops(file)):
        # The unpickler makes room for all slots up to the one that is named; pickle numbers them from 0.
        limit = {"PUT": count, "BINPUT": 255, "LONG_BINPUT": count, "FRAME": size}.get(opcode.name)
        if limit is not None and int(argument or 0) > limit:
            raise InputError("the pickle is cut off, or asks for more memory than its arrays need; write it again.")


def _read_pickle(path: Path, key: str | None, scale: str) -> Payoff:
    """Read a pickle of one array or of a dict of arrays."""
    with open(path, "rb") as file:
        try:
            _refuse_amplified(file, path.stat().st_size)
            file.seek(0)
            # Latin-1 makes the strings of Python 2, in which its arrays keep their data, readable.
            content = _ArrayUnpickler(file, encoding="latin1").load()
        except (InputError, MemoryError):
            raise
        except Exception as error:
            # Broken pickles raise nearly anything, as the documentation of pickle warns.
            raise InputError(f"it is not a complete pickle of arrays ({error}); write it again.") from error

    def is_array(value: object) -> bool:
        return isinstance(value, _Call) and value.name in ("_reconstruct", "_frombuffer")

    if isinstance(content, dict):
        arrays = {str(name): _pickled_array(value) for name, value in content.items() if is_array(value)}
        return _matrix_payoff(arrays[_pick(key, list(arrays))], None, scale)
    _refuse_key(key, "a pickle of one array")
    if not is_array(content):
        raise InputError("the pickle holds no array; pickle one array, or a dict of arrays.")
    return _matrix_payoff(_pickled_array(content), None, scale)


def _read_zip(path: Path, key: str | None, scale: str) -> Payoff:
    """Read the one payoff file among the members of an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                member
                for member in archive.infolist()
                if Path(member.filename).suffix.lower() in _READERS.keys() - {".zip"}
                # What macOS puts beside each file.
                and not member.filename.startswith("__MACOSX/")
            ]
            if len(members) != 1:
                listed = ", ".join(repr(member.filename) for member in members) or "none"
                raise InputError(
                    f"an archive with one payoff file is read, this one has: {listed}; unpack the one you mean."
                )
            name = members[0].filename
            _refuse_bombs(archive)
            # Only its suffix is of the archive's choosing, not where it is unpacked to.
            with tempfile.NamedTemporaryFile(suffix=Path(name).suffix.lower()) as file:
                with archive.open(members[0]) as packed:
                    shutil.copyfileobj(packed, file)
                file.flush()
                try:
                    return _READERS[Path(name).suffix.lower()](Path(file.name), key, scale)
                except InputError as error:
                    raise InputError(f"{name}: {error}") from error
    except ZIP_ERRORS as error:
        raise InputError("it is not a complete .zip archive; get it again.") from error


_READERS: dict[str, Callable[[Path, str | None, str], Payoff]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": _read_text,
    ".tsv": _read_text,
    ".pkl": _read_pickle,
    ".pickle": _read_pickle,
    ".zip": _read_zip,
}
