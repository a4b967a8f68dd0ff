"""The section of forecasts."""

from __future__ import annotations

import math

import pandas as pd

from reproduction.report.cells import table, truth
from transitivity.errors import amount

#: Columns that are shown, and what they are called.
SHOWN = {
    "label": "model",
    "game_log_loss": "log-loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "calibration_error": "calibration error",
    "calibration_luck": "of right forecasts",
    "n_new": "games of unknown players",
    "elo": "log-loss less sequential Elo's, 95 %",
    "elo_verdict": "than sequential Elo",
    "batch_elo": "less batch Elo's, 95 %",
    "constant": "less the constant's, 95 %",
    "parameters": "chosen parameters",
}


def forecast_section(frame: pd.DataFrame) -> list[dict]:
    """Return a table a league: the scores of every model, and intervals of its differences.

    Parameters
    ----------
    frame : DataFrame
        forecasts.csv.
    """
    parts = []
    for _, rows in frame[frame.block == "all"].groupby("dataset", sort=False):
        first = rows.iloc[0]
        for name in ("elo", "batch_elo", "constant"):
            columns = (rows[f"{name}_{end}"] for end in ("difference", "low", "high"))
            rows = rows.assign(**{name: list(map(_difference, *columns))})
        rows = rows.assign(elo_verdict=list(map(_verdict, rows.elo_low, rows.elo_high)))
        simulated = ", simulated" if truth(rows.simulated).any() else ""
        words = f"{amount(int(first.n_games), 'game')}, from {first['first']} to {first['last']}"
        if first.order == "file":
            words = f"{amount(int(first.n_games), 'game')} in the order of the file, which has no dates"
        blocks = rows.n_blocks.max()
        words += f"; intervals are over {int(blocks)} blocks of time." if blocks >= 2 else "; too few for intervals."
        shown = rows[list(SHOWN)].rename(columns=SHOWN)
        parts.append({"title": f"{first.dataset_label}{simulated}", "words": words, "table": table(shown)})
    return parts


def _difference(value: float, low: float, high: float) -> str:
    """Return a difference with its interval: "-0.0063 [-0.0092, -0.0034]"."""
    if math.isnan(low):
        return "" if value == 0 else f"{value:+.4f} (no interval)"
    if low == high == 0:
        return "the same"
    return f"{value:+.4f} [{low:+.4f}, {high:+.4f}]"


def _verdict(low: float, high: float) -> str:
    """Return what the interval of a difference of losses says."""
    if math.isnan(low):
        return ""
    return "better" if high < 0 else "worse" if low > 0 else "undecided"
