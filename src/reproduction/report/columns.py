"""What columns mean: read from docs/results.md, so that the page and the documentation say the same."""

from __future__ import annotations

import re
from pathlib import Path


def meanings(path: Path) -> dict[str, dict[str, str]]:
    """Return {table: {column: meaning}} of the tables that a page of the documentation describes.

    Parameters
    ----------
    path : Path
        Markdown: a heading names the table ("### tables/scores.csv"), a row its columns in backticks and what they
        mean. The words before the rows are the meaning of "", the table as a whole.
    """
    found = {}
    for section in re.split(r"^### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, text = re.split(r"^## ", section, flags=re.MULTILINE)[0].partition("\n")
        words, *_ = text.split("\n|", 1)
        columns = {"": _plain(" ".join(words.split()))}
        for names, meaning in re.findall(r"^\| (`.+?) \| (.+) \|$", text, flags=re.MULTILINE):
            columns |= dict.fromkeys(re.findall(r"`([^`]+)`", names), _plain(meaning))
        found[Path(name.strip()).stem] = columns
    return found


def _plain(markdown: str) -> str:
    """Return text without links and marks of code."""
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", markdown).replace("`", "").replace("\\|", "|")
