"""Atomic outputs: a file either is not there or is whole."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
