"""Values and tables as text."""

from __future__ import annotations

import math

import pandas as pd


def number(value: object) -> str:
    """Return a value as a table shows it: four digits, nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e6 else f"{value:.4g}"


def table(frame: pd.DataFrame) -> dict:
    """Return the header and the cells of a frame as text."""
    cells = [[number(value) for value in row] for row in frame.astype(object).itertuples(index=False)]
    numeric = [bool(pd.api.types.is_numeric_dtype(frame[column])) for column in frame]
    return {"header": [str(column) for column in frame], "rows": cells, "numeric": numeric}


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
