"""Atomic outputs: a file either is not there or is whole; and what is saved and loaded."""

from __future__ import annotations

import csv
import inspect
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

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


def read_cells(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read all columns of a CSV of this project as the strings that they are.

    Raises
    ------
    InputError
        If the file is missing or is not a CSV table.
    """
    import pandas as pd

    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; run the rule that makes it, or correct the path.") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a CSV table in UTF-8 ({error}); make it again.") from None


def read_table(
    path: str | os.PathLike[str], text: Sequence[str] = (), numbers: Sequence[str] = (), flags: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a CSV of this project; names stay names: a player called "NA", "1e3" or "True" is a string.

    Parameters
    ----------
    path : path-like
        The CSV file, UTF-8.
    text, numbers, flags : sequences of str
        The columns to read, which must be there: strings, floats (empty is NaN), and booleans.

    Returns
    -------
    pandas.DataFrame
        These columns and no others, in the order of the file.

    Raises
    ------
    InputError
        If the file or a column is missing, or a cell cannot be read as a number or a flag.
    """
    frame, asked = read_cells(path), (*text, *numbers, *flags)
    for name in asked:
        if name not in frame:
            raise InputError(f"{path} has no column {name!r}, only {list(frame)}; add it, or make the file again.")
    frame = frame[[name for name in frame if name in asked]].copy()
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
    "protocol dataset dataset_label league label origin model baseline family chosen best lowest beat_coin why_not "
    "note reason first player player_a player_b player_c apart verdict split"
).split()


def read_any_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a CSV of this project: the columns of `NAMES` as strings, others as numbers where every cell is a number.

    Parameters
    ----------
    path : path-like
        As for `read_table`. An empty cell of a column of numbers is NaN, of any other column the empty string.
    """
    frame = read_cells(path)
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


class Saved:
    """What is saved to a file and loaded: the constructor's parameters, and a state of arrays and plain values."""

    name: ClassVar[str]

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's parameters with their values."""
        names = inspect.signature(type(self).__init__).parameters
        return {name: getattr(self, name) for name in names if name not in ("self", "args", "kwargs")}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({given})"

    def _get_state(self) -> dict[str, Any]:
        """Return the state by name: arrays, and values that JSON knows."""
        raise NotImplementedError

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take what `_get_state` returned; tuples have become lists."""
        vars(self).update(state)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write parameters and state as an .npz: arrays, and JSON for the rest; nothing is pickled.

        Raises
        ------
        InputError
            If there is no state yet, or it holds something that is neither a number, a text nor an array.
        """
        state = self._get_state()
        arrays: dict[str, Any] = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
        plain = {name: value for name, value in state.items() if name not in arrays}
        about = {"model": self.name, "parameters": self.parameters(), "state": plain}
        try:
            text = json.dumps(about, default=_plain)
            for name, array in arrays.items():
                if array.dtype.hasobject:
                    raise TypeError(f"{name} is an array of objects")
        except TypeError as error:
            raise InputError(f"{self!r} cannot be saved: {error}; keep its state in arrays and numbers.") from error
        with atomic_path(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, about_the_model=np.array(text), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote of an object of this class.

        Raises
        ------
        InputError
            If the file was not written by `save`, or holds another class.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
                state = {name: arrays[name] for name in arrays.files}
            about = json.loads(str(state.pop("about_the_model")))
            name = about["model"]
            loaded = cls(**about["parameters"]) if name == cls.name else None
            if loaded is not None:
                loaded._set_state(state | about["state"])
        # Nobody knows what a file that is none of ours makes of these steps.
        except Exception as error:
            what = f"{type(error).__name__}: {error}".strip(": ")
            raise InputError(f"{path} does not hold a fitted model ({what}); write it with save.") from error
        if loaded is None:
            raise InputError(f"{path} holds the model {name!r}, not {cls.name!r}; load it with its class.")
        return loaded


def _plain(value: Any) -> Any:
    """Return a number of numpy as one that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"it keeps a {type(value).__name__}")
