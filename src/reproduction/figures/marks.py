"""Badges and small print."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

from reproduction.figures.inputs import DatasetInfo, clean_label
from reproduction.figures.style import BLACK, SMALL, TEXT_WIDTH, YELLOW

#: Width and height of a badge, as shares of a panel of the grids of games.
BADGE = 0.46, 0.15


def badge(
    ax: Axes, x: float = 0.04, y: float = 0.04, text: str = "simulated", ha: str = "left", va: str = "bottom"
) -> None:
    """Mark a panel as drawn from simulated data; (x, y) are fractions of the panel, lower left by default."""
    ax.text(
        x,
        y,
        text,
        transform=ax.transAxes,
        fontsize=SMALL,
        ha=ha,
        va=va,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": YELLOW, "edgecolor": BLACK, "linewidth": 0.5, "alpha": 0.9},
        zorder=20,
    )


def badge_in_a_corner(ax: Axes, marks: np.ndarray, never: np.ndarray | None = None) -> None:
    """Mark a panel as simulated in the corner where the badge hides the fewest marks, lower left of equal ones.

    Parameters
    ----------
    ax : Axes
        With its limits set.
    marks : (m, 2) array
        What is drawn, in data coordinates.
    never : (l, 2) array, optional
        What matters more than all marks, such as the origin.
    """
    to_panel = ax.transData + ax.transAxes.inverted()

    def hidden(points: np.ndarray, right: bool, top: bool) -> int:
        x, y = to_panel.transform(points).T
        x, y = 1 - x if right else x, 1 - y if top else y
        return int(((x < BADGE[0]) & (y < BADGE[1])).sum())

    def cost(corner: tuple[bool, bool]) -> int:
        first = 0 if never is None else hidden(never, *corner)
        return first * (len(marks) + 1) + hidden(marks, *corner)

    right, top = min(((False, False), (False, True), (True, True), (True, False)), key=cost)
    ha, va = "right" if right else "left", "top" if top else "bottom"
    badge(ax, 0.96 if right else 0.04, 0.96 if top else 0.04, ha=ha, va=va)


def open_axes(ax: Axes, colour: str = "#DDDDDD", axis: Literal["both", "x", "y"] = "y") -> None:
    """Draw a light grid below the marks, and no frame at the top and on the right."""
    ax.grid(axis=axis, color=colour, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def note(figure: Figure, lines: Sequence[str], characters: int = 150) -> None:
    """Write small print at the foot of a figure, on as many lines as it needs (see `note_height`)."""
    if lines:
        text = "\n".join(_wrap(lines, characters))
        figure.text(0.01, 0.03 / figure.get_figheight(), text, fontsize=SMALL, va="bottom", linespacing=1.15)


def named(what: str, info: DatasetInfo, datasets: Sequence[str]) -> list[str]:
    """Return a line of small print that names datasets, none where there are none."""
    return [f"{what}: {', '.join(info.label(name, 60) for name in datasets)}."] if datasets else []


def fewer_games(mean: str, means: pd.DataFrame, n_games: int) -> list[str]:
    """Return lines of small print that name the models whose mean is over fewer than n_games games.

    Parameters
    ----------
    mean : str
        What the mean is called.
    means : DataFrame
        protocol, model, n_games: one row a mean.
    n_games : int
        The number of games of the others.
    """
    fewer = means[means["n_games"] < n_games].groupby(["protocol", "n_games"], sort=False)["model"]
    return [
        f"The {mean} is over {some} of these games only for {', '.join(map(clean_label, models))} ({protocol})."
        for (protocol, some), models in fewer
    ]


def nothing_to_draw(protocols: Sequence[str]) -> Figure:
    """Return a figure that says why it has no bars: games too sparse to be scored are not a mistake of the run."""
    text = (
        f"Nothing to draw: the protocol {' and '.join(protocols)} has no scores of these games. The report lists what "
        "could not be fitted, and why."
    )
    figure = Figure(figsize=(TEXT_WIDTH, note_height([text]) + 0.1))
    note(figure, [text])
    return figure


def text_width(text: str, size: float) -> float:
    """Return the width in inches of a line of a size in points."""
    return TextPath((0, 0), text, size=size).get_extents().width / 72


def note_height(lines: Sequence[str], characters: int = 150) -> float:
    """Return the height in inches that `note` takes up for these lines."""
    return len(_wrap(lines, characters)) * SMALL * 1.25 / 72 + (0.06 if lines else 0.0)


def _wrap(lines: Sequence[str], characters: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, characters)]
