"""Generated parts of a Markdown page, between two comments: ``<!-- begin name -->`` and ``<!-- end name -->``."""

from __future__ import annotations

from pathlib import Path

from transitivity.errors import InputError
from transitivity.files import atomic_path


def write_between_markers(text: str, name: str, path: Path) -> None:
    """Replace what stands between the two markers of a part.

    Parameters
    ----------
    text : str
        The new part, Markdown.
    name : str
        The name in its markers.
    path : Path
        The page.

    Raises
    ------
    InputError
        If the page does not have the two markers, in order.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    page = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise InputError(f"{path} lacks the lines {begin} and {end}; add them where the text is to go.")
    with atomic_path(path) as temporary:
        temporary.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
