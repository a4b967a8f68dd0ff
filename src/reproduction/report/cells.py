"""Values and tables as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import pandas as pd

from transitivity.measures.players import chance

#: A cell that stands to the right, as numbers do.
TO_THE_RIGHT = re.compile(r"[<>]?−?[\d.,]+|∞|")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: object) -> str:
    """Return a value as a table shows it: four digits, nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if 1e-3 <= abs(value) < 1e15 or value == 0:
        whole = float(value).is_integer() or abs(value) >= 1000
        return minus(f"{value:,.0f}" if whole else f"{value:.4g}")
    return powers(f"{value:.1e}")


def minus(numbers: str) -> str:
    """Return numbers as text with the sign that `number` writes."""
    return numbers.replace("-", "−")


def powers(text: str) -> str:
    """Return text with numbers such as 2.2e-10 written as 2.2 × 10⁻¹⁰."""
    return re.sub(
        r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]\d+)\b",
        lambda found: f"{found[1]} × 10{str(int(found[2])).translate(SUPERSCRIPTS)}".replace("-", "−"),
        text,
    )


def table(frame: pd.DataFrame, meanings: Mapping[str, str] | None = None) -> dict:
    """Return the header and the cells of a frame as text, and what its columns mean.

    Parameters
    ----------
    frame : DataFrame
        The cells.
    meanings : mapping, optional
        {column: what it means}; those of other columns are left out, "" is about the table as a whole.
    """
    cells = [[number(value) for value in row] for row in frame.astype(object).itertuples(index=False)]
    numeric = [
        bool(pd.api.types.is_numeric_dtype(frame.iloc[:, at]))
        or (any(row[at] for row in cells) and all(TO_THE_RIGHT.fullmatch(row[at]) for row in cells))
        for at in range(frame.shape[1])
    ]
    about: dict[str, list[str]] = {}
    for column, meaning in (meanings or {}).items():
        if column in frame or not column:
            about.setdefault(meaning, []).append(column)
    explained = [(", ".join(columns), meaning) for meaning, columns in about.items()]
    return {"header": [str(column) for column in frame], "rows": cells, "numeric": numeric, "explained": explained}


def chances(column: pd.Series) -> list[str]:
    """Return probabilities as text, neither 0 nor 1: "<0.01", "0.30"; nothing for what is missing."""
    return ["" if math.isnan(p) else chance(p) for p in pd.to_numeric(column).astype(float)]


def holds(share: float) -> str:
    """Say in how many cases a claim holds, given their share."""
    if math.isnan(share):
        return ""
    # Neither "0 %" nor "100 %" of what holds in some cases only.
    return {0.0: "holds in no case", 1.0: "holds in all cases"}.get(
        share, f"holds in {min(max(share, 0.01), 0.99):.0%} of the cases"
    )


def truth(column: pd.Series) -> pd.Series:
    """Return a column of booleans, whether they were read as such or as text."""
    return column.astype(str).str.lower().eq("true")
