"""Figure 1: payoff matrices side by side."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from reproduction.figures.marks import badge
from reproduction.figures.payoff_cells import MAX_CELLS, draw_payoff, frame_cells
from reproduction.figures.style import COLUMN_WIDTH, LARGE


def draw_matrices(parts: Sequence[pd.DataFrame], sizes: Sequence[int], titles: Sequence[str]) -> Figure:
    """Draw two payoff matrices side by side at column width.

    Parameters
    ----------
    parts : sequence of DataFrame
        Of `cells_frame`, with a column `simulated`.
    sizes, titles : sequences
        The number of players and the title of each.
    """
    figure = Figure(figsize=(COLUMN_WIDTH, 1.79))
    width, height = figure.get_size_inches()
    side = 1.22
    for column, (cells, n, title) in enumerate(zip(parts, sizes, titles, strict=True)):
        left = 0.28 + column * (side + 0.14)
        ax = figure.add_axes((left / width, 0.33 / height, side / width, side / height))
        image = draw_payoff(ax, frame_cells(cells))
        ax.set_title(title, fontsize=LARGE)
        ax.set_xlabel("player j")
        label_players(ax.xaxis, n)
        if column == 0:
            ax.set_ylabel("player i", labelpad=1)
            label_players(ax.yaxis, n)
        if cells["simulated"].iloc[0]:
            badge(ax)
    bar = figure.colorbar(image, cax=figure.add_axes((2.92 / width, 0.33 / height, 0.07 / width, side / height)))
    bar.outline.set_linewidth(0.4)
    bar.set_ticks([0, 0.5, 1], labels=["0", "½", "1"])
    bar.ax.set_title("$P_{ij}$", parse_math=True)
    return figure


def label_players(axis: Axis, n: int) -> None:
    """Number players from 1 on an axis of a matrix; only the first and the last where it is drawn in blocks."""
    cells = min(n, MAX_CELLS)
    if cells == n:
        step = max(1, round(n / 20) * 5)
        players = sorted({1, *range(step, n + 1, step)})
        at = [player - 1 for player in players]
    else:
        players, at = [1, n], [0, cells - 1]
    axis.set_major_locator(FixedLocator(at))
    axis.set_ticklabels([str(player) for player in players])
