"""Errors that a user can act on: one sentence that names the culprit and the cure."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable
from typing import Any

#: The most names that a message lists.
MOST_NAMES = 50


class InputError(ValueError):
    """Bad input. The message is one sentence that names the file, the line or the key, and what to do."""


class NotFittedError(InputError, AttributeError):
    """A model was asked for what only a fit can tell. It is an AttributeError too, for `getattr` and `hasattr`."""


class NotConvergedWarning(UserWarning):
    """A fit stopped before it reached an optimum: its predictions may change if it went on."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint that ends an error message about an unknown name.

    Parameters
    ----------
    name : str
        The name that is not known.
    known : iterable of str
        The names that are.

    Returns
    -------
    str
        ``"did you mean 'x'?"`` when a known name is close (one that differs by case only comes first), the list of
        known names otherwise.
    """
    known = sorted(known)
    close = [one for one in known if one.casefold() == name.casefold()]
    close = close or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = known if len(known) <= MOST_NAMES else [*known[:MOST_NAMES], f"and {len(known) - MOST_NAMES} more"]
    return f"known names: {', '.join(shown)}."


def amount(number: int, what: str) -> str:
    """Return a number of things, the thing in the singular where it is one: "1 game", "3 games"."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def check_count(name: str, value: object, at_least: int = 1) -> int:
    """Return `value` as an int.

    Raises
    ------
    InputError
        If it is not a whole number of at least `at_least`.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < at_least:
        raise InputError(f"{name} is {value!r}; give a whole number of at least {at_least}.")
    return int(value)


def check_number(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, above_low: bool = False
) -> float:
    """Return `value` as a float, or raise InputError if it is not a finite number in [low, high].

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        What the user gave.
    low, high : float
        The interval.
    above_low : bool
        Whether `low` itself is not allowed.
    """
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    number = float(value) if real else math.nan
    if not math.isfinite(number) or not low <= number <= high or (above_low and number == low):
        allowed = "a finite number"
        if (low, high, above_low) == (0, math.inf, True):
            allowed = "a positive number"
        elif low > -math.inf:
            allowed += f" in {'(' if above_low else '['}{low:g}, {high:g}{')' if high == math.inf else ']'}"
        raise InputError(f"{name} is {value!r}; give {allowed}.")
    return number


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a float, or raise InputError if it is not a positive number."""
    return check_number(name, value, 0, above_low=True)
