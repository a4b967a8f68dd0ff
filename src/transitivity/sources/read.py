"""Which reader reads which file, and `read_matchups`, which reads any of them."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable

import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.sources import aligulac, pgn, streams, tables

FORMATS = ("pgn", "aligulac", "results")
READERS: dict[str, Callable[..., pd.DataFrame]] = {
    "pgn": pgn.read_pgn,
    "aligulac": aligulac.read_aligulac,
    "results": tables.read_results,
}
SUFFIXES = {"pgn": pgn.SUFFIXES, "aligulac": aligulac.SUFFIXES, "results": tables.SUFFIXES}
_TAG = re.compile(rb'\[\w+[ \t]+"')
_DUMP = re.compile(rb"PGDMP|--\s+-- PostgreSQL")
#: The first line of a text of cells, or of JSON.
_CELLS = re.compile(rb"[{\[]|[^\n]*[,;\t]")


def guess(path: str | os.PathLike) -> str:
    """Return the format of a file, or of the first file of a folder or a pattern.

    Raises
    ------
    InputError
        If neither the suffix nor the content tells it.
    """
    every = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
    file = streams.find_files(path, every)[0]
    for format, suffixes in SUFFIXES.items():
        if streams.plain_suffix(file.name) in suffixes:
            return format
    starts = []
    for name, start in streams.peek(file):
        for format, suffixes in SUFFIXES.items():
            if streams.plain_suffix(name) in suffixes:
                return format
        starts.append(start)
    start = next(filter(None, starts), b"")
    if not start:
        raise streams.too_early(os.fspath(file))
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if _TAG.match(text):
        return "pgn"
    if _DUMP.match(text) or b"\nCOPY " in start:
        return "aligulac"
    if start.startswith((*streams.STARTS[".db"], *streams.STARTS[".parquet"])) or (
        _CELLS.match(text) and b"\0" not in start
    ):
        return "results"
    raise InputError(f"{file} has no suffix that tells its format; say format= {', '.join(READERS)}.")


def options(format: str) -> list[str]:
    """Return the names of a reader's options."""
    return [name for name in inspect.signature(READERS[format]).parameters if name != "path"]


def read(format: str, path: str | os.PathLike, chosen: dict[str, object]) -> pd.DataFrame:
    """Call the reader of a format.

    Raises
    ------
    InputError
        If it has no such option.
    """
    known = options(format)
    for name in chosen:
        if name not in known:
            raise InputError(f"The format {format} has no option {name!r}; {did_you_mean(name, known)}")
    return READERS[format](path, **chosen)


def read_matchups(
    path: str | os.PathLike | list[str], format: str | None = None, **options: object
) -> pd.DataFrame:
    """Read the games of a file, a folder or a glob pattern as counts by pair.

    Parameters
    ----------
    path : path-like or list of str
        Any supported file, packed (.gz, .bz2, .xz, .zst, .zip, .7z) or not; or a list of files.
    format : {"pgn", "aligulac", "results"}, optional
        What the file is; guessed by its suffix and its content by default.
    **options
        Those of the format: see `transitivity.sources.pgn.read_pgn`, `transitivity.sources.aligulac.read_aligulac`
        and `transitivity.sources.tables.read_results`.

    Returns
    -------
    pandas.DataFrame
        One row per unordered pair: player_a, player_b, wins_a, draws, wins_b; its `attrs` say what was left out and
        why (see `transitivity.matchups.tally`).

    Raises
    ------
    InputError
        If there is no such file, format or option, or if the file holds no game at all.
    """
    if format is None:
        format = guess(path)
    elif format not in FORMATS:
        raise InputError(f"{path}: there is no format {format!r}; {did_you_mean(str(format), FORMATS)}")
    return read(format, path, options)
