"""Where a file of data comes from."""

from __future__ import annotations

import json
import os
from pathlib import Path

from reproduction.downloads.checksums import sha256_of


def describe(path: str | os.PathLike) -> dict[str, object]:
    """Return what identifies a file: its path, sha256 and bytes.

    Parameters
    ----------
    path : path-like
        A file. Where it was downloaded, `reproduction.downloads.retrieve` left a record beside it, with the suffix
        .json, whose url, date, licence and credit are returned too.
    """
    path = Path(path)
    about = {"path": str(path), "sha256": sha256_of(path), "bytes": path.stat().st_size}
    record = path.with_name(f"{path.name}.json")
    if record.is_file():
        known = json.loads(record.read_text(encoding="utf-8"))
        about |= {key: known[key] for key in ("url", "date", "licence", "credit") if known.get(key)}
    return about
