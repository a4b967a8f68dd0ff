"""Forecasts: each model against sequential Elo, and whether favourites win as often as forecast."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.figures.inputs import clean_label
from reproduction.figures.marks import badge, note, note_height
from reproduction.figures.style import BLACK, BLUE, GREEN, SMALL, TEXT_WIDTH, VERMILION
from transitivity.evaluation.forecasts import CONSTANT, REFERENCE

#: The models of the reliability diagram.
COLOURS = {REFERENCE: BLACK, "elo": BLUE, "disc": VERMILION, "glicko2": GREEN}
#: Bins of fewer games than these are not drawn.
FEWEST_IN_BIN = 30
#: Models that may lie far from the others: they do not set the axis, and beyond it an arrow stands for their mark.
APART = (CONSTANT, "pair_rate")
DIFFERENCE, RELIABILITY = "difference", "reliability"


def forecast_marks(forecasts: pd.DataFrame, calibration: pd.DataFrame) -> pd.DataFrame:
    """Return one row a mark: the difference of every model, and the bins of the reliability diagram.

    Parameters
    ----------
    forecasts, calibration : DataFrame
        forecasts.csv and calibration.csv.
    """
    whole = forecasts[(forecasts["block"] == "all") & (forecasts["model"] != REFERENCE) & (forecasts["note"] == "")]
    first = whole.rename(columns={"elo_difference": "y", "elo_low": "low", "elo_high": "high"})
    drawn = calibration["model"].isin(COLOURS) & (calibration["n_games"] >= FEWEST_IN_BIN)
    second = calibration[drawn].rename(columns={"forecast": "x", "observed": "y"})
    columns = ["panel", "dataset", "dataset_label", "simulated", "model", "label", "n_games", "x", "y", "low", "high"]
    parts = [first.assign(panel=DIFFERENCE, x=float("nan")), second.assign(panel=RELIABILITY)]
    return pd.concat([part[columns] for part in parts], ignore_index=True)


def draw_forecasts(data: pd.DataFrame) -> Figure:
    """Draw a row a league.

    Parameters
    ----------
    data : DataFrame
        Of `forecast_marks`.
    """
    leagues = list(dict.fromkeys(data["dataset"]))
    lines = [
        "Left: log-loss a game less that of sequential Elo, left of 0 the model loses less; where there are enough "
        "games, with intervals by blocks of time that hold together with 95 %. An arrow: beyond the axis, by the number"
        " beside it. Right: what favourites scored against what was forecast, with Wilson's 95 % intervals; right "
        f"forecasts are on the line. Bins of fewer than {FEWEST_IN_BIN} games are not drawn."
    ]
    foot = note_height(lines) + 0.1
    height = 2.6 * len(leagues) + foot
    figure = Figure(figsize=(TEXT_WIDTH, height))
    grid = figure.add_gridspec(
        len(leagues), 2, left=0.2, right=0.98, bottom=(foot + 0.35) / height, top=1 - 0.22 / height, wspace=0.2,
        hspace=0.35,
    )  # fmt: skip
    for row, league in enumerate(leagues):
        part = data[data["dataset"] == league]
        left, right = (figure.add_subplot(grid[row, column]) for column in (0, 1))
        _differences(left, part[part["panel"] == DIFFERENCE])
        _reliability(right, part[part["panel"] == RELIABILITY])
        left.set_title(clean_label(part["dataset_label"].iloc[0], 40), loc="left")
        if part["simulated"].any():
            badge(left, 1.0, 1.02, ha="right")
    note(figure, lines)
    return figure


def _differences(ax: Axes, part: pd.DataFrame) -> None:
    """Draw the differences of one league."""
    ends = part[["y", "low", "high"]]
    near = ends[~part["model"].isin(APART)]
    # Twice as wide would be too wide to tell the others apart.
    low, high = np.nanmin([near.min().min(), 0.0]), np.nanmax([near.max().max(), 0.0])
    near = ends[ends["y"].between(2 * low - high, 2 * high - low)]
    low, high = np.nanmin([near.min().min(), 0.0]), np.nanmax([near.max().max(), 0.0])
    pad = 0.05 * max(high - low, 1e-3)
    low, high = low - pad, high + pad
    ax.set_xlim(low, high)
    ax.axvline(0, color="#999999", linewidth=0.5)
    for at, (y, *interval) in enumerate(part[["y", "low", "high"]].to_numpy()):
        ax.hlines(at, *interval, color=BLUE, linewidth=1.0)
        if low <= y <= high:
            ax.plot([y], [at], "o", color=BLUE, markersize=3.5)
            continue
        right = y > high
        ax.plot(
            [high if right else low], [at], ">" if right else "<", color=BLUE, markersize=4, clip_on=False, zorder=3
        )
        box = {"facecolor": "white", "pad": 0.5, "linewidth": 0}
        side = "right" if right else "left"
        edge, offset = (high if right else low, at), (-5 if right else 5, 0)
        said, unit = f"{y:+.3f}".replace("-", "−"), "offset points"
        ax.annotate(said, edge, offset, textcoords=unit, bbox=box, fontsize=SMALL, va="center", ha=side)
    ax.set_yticks(range(len(part)), list(part["label"]))
    ax.set_ylim(len(part) - 0.5, -0.5)
    ax.set_xlabel("log-loss less that of sequential Elo (nats a game)")
    ax.grid(axis="x", color="#E5E5E5", linewidth=0.4)
    ax.set_axisbelow(True)


def _reliability(ax: Axes, part: pd.DataFrame) -> None:
    """Draw the reliability diagram of one league."""
    ax.plot([0.5, 1], [0.5, 1], color="#999999", linewidth=0.5)
    for place, (model, colour) in enumerate(COLOURS.items()):
        bins = part[part["model"] == model]
        if bins.empty:
            continue
        # A little apart, so that intervals do not hide each other.
        x = bins["x"] + 0.004 * (place - (len(COLOURS) - 1) / 2)
        ax.vlines(x, bins["low"], bins["high"], color=colour, linewidth=0.7)
        ax.plot(x, bins["y"], "o-", color=colour, markersize=2.5, linewidth=0.7, label=bins["label"].iloc[0])
    ax.set_xlim(0.49, 1.01)
    # Room for the legend.
    ax.set_ylim(min(0.25, part["low"].min() - 0.02) if len(part) else 0.25, 1.01)
    ax.set_xlabel("the favourite's forecast score")
    ax.set_ylabel("its observed score")
    if len(part):
        ax.legend(loc="lower right", labelspacing=0.25)
