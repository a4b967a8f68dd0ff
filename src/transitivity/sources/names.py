"""Spellings: names that look alike are one player, and the words for a draw."""

from __future__ import annotations

import re
import unicodedata

from transitivity.matchups.tally import Tally

#: What a draw is called, in any case and with a remark in brackets behind it: "tie (both bad)".
DRAWS = (
    *("draw", "drawn", "tie", "tied", "remis", "1/2", "1/2-1/2", "½", "½-½"),
    *("0.5", "0,5", "0.5-0.5", "0,5-0,5"),
)
#: Characters without width, but for the joiners, which some scripts need.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_SPACE = re.compile(r"[^\S\r\n]")
_REMARK = re.compile(r"\s*\([^()]*\)$")
#: Names that a program may have written for a missing value.
_DOUBTFUL = frozenset({"NA", "N/A", "NaN", "nan", "null", "NULL", "None"})


def clean(name: str) -> str:
    """Return a name in the one spelling of those that look alike: NFC, single spaces, no invisible characters."""
    if not name.isascii():
        name = unicodedata.normalize("NFC", _INVISIBLE.sub("", name))
        # The spaces of Unicode, no-break ones among them; a line break is not a matter of spelling.
        name = _SPACE.sub(" ", name)
    return re.sub("  +", " ", name).strip() if "  " in name else name.strip()


def draw_word(label: str) -> str:
    """Return a label as words for a draw are compared: without case, spaces around a dash, and a remark."""
    return re.sub(r"\s*[-–:]\s*", "-", _REMARK.sub("", label.strip().lower()))


class Spellings:
    """Cleans names, and notes each that changes, which may join it to another, or that may stand for nobody.

    Parameters
    ----------
    tally : Tally
        Which takes the notes.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._noted: set[str] = set()

    def clean(self, name: str, where: str) -> str:
        """Return the clean spelling of a name, and note what is unusual about it once."""
        cleaned = clean(name)
        what = (
            "name respelled"
            if cleaned != name.strip()
            else "name that may stand for nobody"
            if cleaned in _DOUBTFUL
            else None
        )
        if what and name not in self._noted:
            self._noted.add(name)
            self._tally.note(what, where)
        return cleaned
