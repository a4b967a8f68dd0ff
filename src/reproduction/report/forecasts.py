"""The section of forecasts."""

from __future__ import annotations

import math

import pandas as pd

from reproduction.report.cells import minus, table, truth
from transitivity.errors import amount
from transitivity.evaluation.forecasts import BETTER, FEWEST_BLOCKS, FEWEST_TO_CHOOSE, GAMES_PER_BLOCK, REFERENCES

#: Columns that are shown, and what they are called.
SHOWN = {
    "label": "model",
    "game_log_loss": "log-loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "calibration_error": "calibration error",
    "calibration_luck": "of right forecasts",
    "n_new": "games of unknown players",
    "constant": "against ½",
    "elo": "against sequential Elo",
    "batch_elo": "against batch Elo",
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
        failed, rows = rows[rows.note != ""], rows[rows.note == ""]
        for name in REFERENCES:
            columns = (rows[f"{name}_{end}"] for end in ("verdict", "difference", "low", "high"))
            rows = rows.assign(**{name: list(map(_difference, *columns))})
        simulated = ", simulated" if truth(rows.simulated).any() else ""
        words = [*_words(rows), *(f"{label}: {note}" for label, note in zip(failed.label, failed.note, strict=True))]
        chosen = [f" ({text})" if text else "" for text in rows.parameters.fillna("").astype(str)]
        shown = rows.assign(label=rows.label + chosen)[list(SHOWN)].rename(columns=SHOWN)
        # More digits would promise more than so few games tell.
        shown = shown.round(4 if rows.n_blocks.iloc[0] >= FEWEST_BLOCKS else 2)
        title = f"{rows.dataset_label.iloc[0]}{simulated}"
        parts.append({"title": title, "words": " ".join(words), "table": table(shown)})
    return parts


def _words(rows: pd.DataFrame) -> list[str]:
    """Return what is to be known before the table of a league is read."""
    first = rows.iloc[0]
    when = (
        "in the order of the file, which has no dates"
        if first.order == "file"
        else f"from {first['first']} to {first['last']}"
    )
    words = [f"{amount(int(first.n_games), 'game')} are forecast, {when}."]
    if first.n_blocks < FEWEST_BLOCKS:
        words.append(
            f"They do not make {FEWEST_BLOCKS} blocks of time of {GAMES_PER_BLOCK} games each, so there are no "
            "intervals, and the differences do not tell which model is better."
        )
    else:
        words.append(
            f"Intervals are over {int(first.n_blocks)} blocks of time; all of one column hold together with 95 %."
        )
        if not (rows.constant_verdict == BETTER).any():
            words.append("No model is shown to be better than a constant ½.")
    if first.n_validation < FEWEST_TO_CHOOSE:
        words.append(
            f"Parameters have their usual values: {amount(int(first.n_validation), 'game')} to choose them on "
            f"would let luck choose (at least {FEWEST_TO_CHOOSE} are needed)."
        )
    return words


def _difference(verdict: str, value: float, low: float, high: float) -> str:
    """Return a verdict and the difference with its interval: "better: −0.0063 [−0.0092, −0.0034]"."""
    if math.isnan(low):
        # Fewer digits without an interval.
        said = "" if value == 0 else f"{value:+.2f}"
    else:
        said = "the same" if low == high == 0 else f"{value:+.4f} [{low:+.4f},\N{NO-BREAK SPACE}{high:+.4f}]"
    return ": ".join(filter(None, (verdict, minus(said))))
