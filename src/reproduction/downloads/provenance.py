"""Where a file of data comes from."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path

from reproduction.downloads.checksums import sha256_of
from transitivity.files import write_json


@dataclass(frozen=True)
class Record:
    """Where a file came from, as `reproduction.downloads.retrieve` writes it beside the file.

    Attributes
    ----------
    url : str
        The url that was asked for; empty for a file that somebody put there by hand.
    final_url : str
        The url that answered, after redirects.
    sha256 : str
        Of the file; empty while it is being received.
    bytes : int
        Its size; 0 while it is being received and the server has not said it.
    date : str
        When it was retrieved (or found), in UTC: 2026-01-31T12:00:00Z.
    last_modified, etag : str
        What the server said of its version; empty where it said nothing.
    checked : str
        What the sha256 was compared with: "given", the url of a list, or empty where none was known.
    licence, credit : str
        As given.
    """

    url: str
    final_url: str = ""
    sha256: str = ""
    bytes: int = 0
    date: str = ""
    last_modified: str = ""
    etag: str = ""
    checked: str = ""
    licence: str = ""
    credit: str = ""

    @property
    def validator(self) -> str:
        """What a request for the rest may name in If-Range: a strong ETag, or a date."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record as JSON, atomically."""
        write_json(dataclasses.asdict(self), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Record | None:
        """Return the record in a file; None if there is none that can be read."""
        try:
            return cls(**json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            # Missing, or edited by hand: the file is then treated as unrecorded.
            return None


def record_of(path: str | os.PathLike[str]) -> Path:
    """Return where the record of a file is: beside it, with the suffix .json added."""
    path = Path(path)
    return path.with_name(f"{path.name}.json")


def describe(path: str | os.PathLike[str]) -> dict[str, object]:
    """Return what identifies a file: its path, sha256 and bytes; for a download url, date, licence and credit too.

    Parameters
    ----------
    path : path-like
        A file, whose `Record` is beside it where it was downloaded.
    """
    about = {"path": str(path), "sha256": sha256_of(path), "bytes": os.path.getsize(path)}
    record = Record.load(record_of(path))
    known = {key: getattr(record, key, "") for key in ("url", "date", "licence", "credit")}
    return about | {key: value for key, value in known.items() if value}
