"""Checksums of files, published lists of them, and comparison of game files whose line ends may have changed."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from transitivity.errors import InputError
from transitivity.files import read_table
from transitivity.sources.streams import PACKED_SUFFIXES, Stream, find_files, open_streams

if TYPE_CHECKING:
    import pandas as pd

#: The statuses that `verify_lichess_files` gives.
PUBLISHED, PUBLISHED_LF, DIFFERS, UNKNOWN = "as published", "as published, LF", "differs", "not in the table"
#: Its columns.
COLUMNS = ["file", "status", "published_file", "bytes", "sha256"]
_SUM = re.compile(r"([0-9a-fA-F]{64})[ \t]+\*?(\S.*?)\s*")


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(name: str, value: str) -> str:
    """Return a sha256, an option called `name`, in lower case.

    Raises
    ------
    InputError
        If it is not a sha256.
    """
    if not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise InputError(f"{name} is {value!r}; give the 64 hexadecimal digits of a sha256.")
    return value.lower()


def read_sums(text: str) -> dict[str, str]:
    """Return the sums of a list as `sha256sum` writes it.

    Parameters
    ----------
    text : str
        One line a file: 64 hexadecimal digits, blanks, the name. Other lines are skipped.

    Returns
    -------
    dict
        From the name of a file, without folders, to its sha256.
    """
    matches = (_SUM.fullmatch(line) for line in text.splitlines())
    return {match[2].split("/")[-1]: match[1].lower() for match in matches if match}


def verify_lichess_files(
    path: str | os.PathLike[str], table: str | os.PathLike[str], members: str | list[str] | None = None
) -> pd.DataFrame:
    """Compare PGN files with the published sums of the Lichess Elite Database.

    The published files have lines that end in CRLF. A copy whose lines end in LF counts as published if it has the
    published sum once its lines end in CRLF again. A file is recognised by its content, whatever its name.

    Parameters
    ----------
    path : path-like
        A .pgn, an archive of them (.7z, .zip), a folder or a glob pattern.
    table : path-like
        CSV with the columns file, bytes and sha256: ``workflow/paper/lichess_elite_files.csv``.
    members : str or list of str, optional
        Patterns such as ``*_2019-*``; only the members of an archive that match one of them are read.

    Returns
    -------
    pandas.DataFrame
        One row a file: file; status ("as published", "as published, LF", "differs" or "not in the table");
        published_file, its name in the table; bytes and sha256 of the content that was compared, with CRLF.

    Raises
    ------
    InputError
        If a file cannot be read or is damaged, or the table lacks a column.
    """
    import pandas as pd

    published = read_table(table, text=("file", "bytes", "sha256"))
    by_sum = dict(zip(published["sha256"], published["file"], strict=True))
    names = set(published["file"])
    rows = []
    for file in find_files(path, (".pgn",)):
        for stream in open_streams(file, (".pgn",), members):
            name = _plain_name(stream.name)
            size, digest, was_lf = _with_crlf(stream)
            if digest in by_sum:
                status, known = PUBLISHED_LF if was_lf else PUBLISHED, by_sum[digest]
            elif name in names:
                status, known = DIFFERS, name
            else:
                status, known = UNKNOWN, ""
            rows.append((name, status, known, size, digest))
    return pd.DataFrame(rows, columns=COLUMNS)


def _plain_name(name: str) -> str:
    """Return the name of a stream without folders, archives and packing."""
    name = Path(name).name
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return name


def _with_crlf(stream: Stream) -> tuple[int, str, bool]:
    """Return the size and sha256 of a stream with CRLF line ends, and whether it had LF ones."""
    digest, size, was_lf = hashlib.sha256(), 0, None
    for block in stream:
        if was_lf is None and b"\n" in block:
            # The first line decides: a file of mixed line ends is not a copy of a published one.
            was_lf = not block[: block.index(b"\n")].endswith(b"\r")
        if was_lf:
            block = block.replace(b"\n", b"\r\n")
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest(), bool(was_lf)
