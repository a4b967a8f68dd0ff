"""Atomic outputs: a file either is not there or is whole."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transitivity.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; rename it to `path` when the block succeeds.

    Parameters
    ----------
    path : path-like
        Where the finished file is to be. Missing parent folders are made.

    Yields
    ------
    pathlib.Path
        A path with the suffix of `path`, to be written by the caller. It is removed when the block raises.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes private files; results are as readable as any other new file.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write `frame` as CSV, atomically, every float with the digits that read back to the same float.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; its index is not written.
    path : path-like
        The CSV file.
    """
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def write_rows(rows: Iterable[Mapping[str, object]], columns: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Write rows as the CSV that `write_table` makes of them, without pandas, which takes longer to load than a fit.

    Parameters
    ----------
    rows : iterable of mappings
        A value by column; None, NaN and what is absent become an empty cell.
    columns : sequence of str
        In their order.
    path : path-like
        The CSV file.
    """
    with atomic_path(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)


def read_table(
    path: str | os.PathLike[str], text: Sequence[str] = (), numbers: Sequence[str] = (), flags: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a CSV of this project; names stay names: a player called "NA", "1e3" or "True" is a string.

    Parameters
    ----------
    path : path-like
        The CSV file, UTF-8.
    text, numbers, flags : sequences of str
        The columns that must be there: strings, floats (empty is NaN), and booleans. Others are kept as strings.

    Raises
    ------
    InputError
        If the file or a column is missing, or a cell cannot be read as a number or a flag.
    """
    import pandas as pd

    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; run the rule that makes it, or correct the path.") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a CSV table in UTF-8 ({error}); make it again.") from None
    for name in (*text, *numbers, *flags):
        if name not in frame:
            raise InputError(f"{path} has no column {name!r}, only {list(frame)}; add it, or make the file again.")
    for name in numbers:
        try:
            frame[name] = frame[name].replace("", "nan").astype(float)
        except ValueError as error:
            raise InputError(f"Column {name!r} of {path} must hold numbers ({error}); correct it.") from None
    for name in flags:
        lowered = frame[name].str.lower()
        bad = ~lowered.isin(["true", "false", "1", "0", ""])
        if bad.any():
            value = frame[name][bad].iloc[0]
            raise InputError(f"Column {name!r} of {path} holds {value!r}; write true or false.")
        frame[name] = lowered.isin(["true", "1"])
    return frame


#: Columns of names in the tables of a run, which `read_any_table` keeps as they are.
NAMES = (
    "protocol dataset dataset_label league label origin model baseline family chosen best lowest why_not note reason "
    "first player player_a player_b player_c verdict split"
).split()


def read_any_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a CSV of this project: the columns of `NAMES` as strings, others as numbers where every cell is a number.

    Parameters
    ----------
    path : path-like
        As for `read_table`. An empty cell of a column of numbers is NaN, of any other column the empty string.
    """
    frame = read_table(path)
    for name in frame.columns.difference(NAMES):
        for kind, empty in ((int, ""), (float, "nan")):
            with suppress(ValueError):
                frame[name] = frame[name].replace("", empty).astype(kind)
                break
    return frame


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file of this project.

    Raises
    ------
    InputError
        If there is no such file, or it is not JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; run the rule that makes it, or correct the path.") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}); remove it and run its rule again.") from error


def write_json(value: object, path: str | os.PathLike[str]) -> None:
    """Write a value as JSON, atomically, readable as text whatever the script of its names.

    Parameters
    ----------
    value : object
        What `json.dumps` takes.
    path : path-like
        The JSON file.
    """
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
