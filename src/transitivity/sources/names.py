"""Spellings: names that look alike are one player, and the words for a draw."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transitivity.errors import InputError
from transitivity.matchups.tally import Tally

#: What a draw is called, in any case and with a remark in brackets behind it: "tie (both bad)".
DRAWS = (
    *("draw", "drawn", "tie", "tied", "remis", "1/2", "1/2-1/2", "½", "½-½"),
    *("0.5", "0,5", "0.5-0.5", "0,5-0,5"),
)
#: Characters without width, but for the joiners, which some scripts need.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_SPACE = re.compile(r"[^\S\r\n]")
#: Control characters, which a terminal would obey.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_REMARK = re.compile(r"\s*\([^()]*\)$")
#: Names that a program may have written for a missing value.
_DOUBTFUL = frozenset({"NA", "N/A", "NaN", "nan", "null", "NULL", "None"})


def clean(name: str) -> str:
    """Return a name in the one spelling of those that look alike: NFC, single spaces, no invisible characters.

    Control characters become visible, such as ``\\x1b``.
    """
    if not name.isprintable():
        name = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", name)
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
        Which takes the notes, and knows which names are the same.
    names : mapping or path-like, optional
        What players are to be called, by the names in the file, or a table (.csv) of the two.
    """

    def __init__(self, tally: Tally, names: Any = None) -> None:
        self._tally = tally
        self._noted: set[str] = set()
        self._names = {} if names is None else _renamed(names, tally.key)

    def same(self, name: str) -> str:
        """Return the spelling of all names of a player."""
        cleaned = clean(name)
        return self._names.get(self._tally.key(cleaned), cleaned) if self._names else cleaned

    def renames(self, name: str) -> bool:
        """Return whether `names` says what a player is to be called."""
        return self._tally.key(clean(name)) in self._names

    def clean(self, name: str, where: Callable[[], str]) -> str:
        """Return the clean spelling of a name, and note what is unusual about it once."""
        cleaned = clean(name)
        respelled = cleaned != name.strip()
        if (respelled or cleaned in _DOUBTFUL) and name not in self._noted:
            self._noted.add(name)
            self._tally.note("name respelled" if respelled else "name that may stand for nobody", where())
        return self.same(cleaned)


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of ids, with the id behind those that several share, and behind what may look like one."""
    times = Counter(names.values())
    return {
        one: name if times[name] == 1 and not name.endswith(")") else f"{name} ({one})" for one, name in names.items()
    }


def _renamed(names: Any, key: Callable[[str], str]) -> dict[str, str]:
    """Return what players are called in the end, by the keys of their names; raise InputError if that has no end."""
    if not isinstance(names, Mapping):
        import pandas as pd

        try:
            frame = pd.read_csv(Path(names), dtype="str", keep_default_na=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"names is {names!r}, which cannot be read as a table ({error}).") from error
        if frame.shape[1] != 2:
            raise InputError(f"{names} has {frame.shape[1]} columns; give two: a name, and what to call its player.")
        names = dict(zip(frame.iloc[:, 0], frame.iloc[:, 1], strict=True))
    called = {}
    for name, to in names.items():
        if to is None or not clean(str(to)):
            raise InputError(
                f"names gives {name!r} an empty name; write a name, or list it in dummies if it is not a player."
            )
        # Values are compared as text, in which 3.0 is 3.
        whole = int(name) if isinstance(name, float) and name.is_integer() else name
        called[key(clean(str(whole)))] = clean(str(to))
    for name, to in called.items():
        met = {name}
        while (at := key(to)) in called and called[at] != to:
            if at in met:
                raise InputError(f"names calls {name!r} in the end by that name again; remove one of the lines.")
            met.add(at)
            to = called[at]
        called[name] = to
    return called
