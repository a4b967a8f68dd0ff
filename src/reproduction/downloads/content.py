"""Whether a file is what its name says: its size and checksum, its kind, and whether it is whole."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

from transitivity.payoff.files import ZIP_ERRORS
from transitivity.sources.streams import STARTS, open_streams

#: Last bytes, by suffix.
_ENDS = {".pkl": b".", ".parquet": b"PAR1"}


def problem(
    file: Path, name: Path, found: str, sha256: str | None = None, n_bytes: int | None = None, look_inside: bool = True
) -> str | None:
    """Return what is wrong with a file, as part of a sentence; None if nothing is.

    Parameters
    ----------
    file, name : pathlib.Path
        The file, and the name that it will have.
    found, sha256 : str
        Its sha256, and the one that it must have.
    n_bytes : int, optional
        The size that it must have.
    look_inside : bool
        Whether to unpack a compressed file of unknown sha256, the only way to see that it is whole.
    """
    size = file.stat().st_size
    with open(file, "rb") as opened:
        start = opened.read(1024)
        opened.seek(max(0, size - 8))
        end = opened.read()
    suffix = name.suffix.lower()
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n\f").lower()
    if sha256 is not None and found == sha256 and n_bytes in (None, size):
        # A file with the right checksum is the right one, whatever it looks like.
        return None
    if not size:
        return "it is empty"
    if text.startswith((b"<!doctype html", b"<html")) and not is_page(name):
        return "a web page came instead of the file"
    if n_bytes is not None and size != n_bytes:
        return f"it has {size} bytes, not {n_bytes}"
    if sha256 is not None:
        return f"its sha256 is {found}, not {sha256}"
    if not start.startswith(STARTS.get(suffix, b"")):
        return f"it starts with {start[:8]!r}, which a {suffix} file never does"
    if not end.endswith(_ENDS.get(suffix, b"")) or not _is_whole(file, suffix, start, size, look_inside):
        return f"its {size} bytes are not a whole {suffix} file: it is cut short or damaged"
    return None


def is_page(path: Path) -> bool:
    """Return whether a web page is wanted."""
    return path.suffix.lower() in (".html", ".htm")


def _is_whole(file: Path, suffix: str, start: bytes, size: int, look_inside: bool) -> bool:
    """Return whether a file that starts right ends right."""
    try:
        if suffix in (".zip", ".npz"):
            # The list of members is at the end.
            zipfile.ZipFile(file).close()
        elif suffix == ".7z":
            # Likewise, and the first 32 bytes say where.
            offset, length = struct.unpack("<QQ", start[12:28])
            return 32 + offset + length <= size
        elif suffix in (".gz", ".bz2", ".xz", ".zst") and look_inside:
            for stream in open_streams(file, ("",)):
                for _ in stream:
                    continue
                return not stream.cut
    except (*ZIP_ERRORS, ValueError):
        return False
    return True
