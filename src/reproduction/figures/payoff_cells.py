"""Payoff matrices as cells of a picture."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from transitivity.payoff.core import Payoff

#: Payoffs: diverging, white at 1/2; blue where the player of the row wins.
PAYOFF_CMAP, PAYOFF_NORM = "RdBu", Normalize(0, 1)
#: A payoff matrix is drawn with at most this many cells a side; more would be finer than the printed panel.
MAX_CELLS = 160


def payoff_cells(payoff: Payoff, sort: bool = True) -> np.ndarray:
    """Return the cells of a payoff matrix as drawn, (m, m) with m = min(n, MAX_CELLS), rounded to 3 decimals.

    Parameters
    ----------
    payoff : Payoff
        The game.
    sort : bool
        Whether players are sorted by their mean payoff, the strongest first, ties in the order of the file.

    Returns
    -------
    array
        Cell (a, b) is the mean of P over a block of players against a block of players, over the observed pairs
        (and the diagonal, 1/2); NaN where none was observed. One cell a pair where n <= MAX_CELLS.
    """
    n = payoff.n_players
    m = min(n, MAX_CELLS)
    rank = np.arange(n)
    if sort:
        rank[np.argsort(-payoff.mean_payoffs, kind="stable")] = np.arange(n)
    # The edges of the blocks are at k n // m.
    block = ((rank + 1) * m - 1) // n
    i, j = block[payoff.i], block[payoff.j]
    cell = np.concatenate([i * m + j, j * m + i, block * (m + 1)])
    p = np.concatenate([payoff.p, 1 - payoff.p, np.full(n, 0.5)])
    total, count = np.bincount(cell, p, m * m), np.bincount(cell, minlength=m * m)
    P = np.divide(total, count, out=np.full(m * m, np.nan), where=count > 0).reshape(m, m)
    # Rounded above the diagonal and mirrored, so that the CSV, which holds the upper triangle, is what is drawn.
    upper = np.triu(np.round(P, 3), 1)
    lower = np.tril(np.round(1 - upper.T, 3), -1)
    return upper + lower + np.diag(np.full(len(P), 0.5))


def draw_payoff(ax: Axes, cells: np.ndarray) -> ScalarMappable:
    """Draw the cells of a payoff matrix, the first player on top; grey where nothing was observed."""
    cmap = matplotlib.colormaps[PAYOFF_CMAP].with_extremes(bad="#BBBBBB")
    image = ax.imshow(np.ma.masked_invalid(cells), cmap=cmap, norm=PAYOFF_NORM, interpolation="nearest", aspect="equal")
    ax.set_xticks([])
    ax.set_yticks([])
    return image


def cells_frame(cells: np.ndarray) -> pd.DataFrame:
    """Return the cells above the diagonal as rows: x (column), y (row), value; the others are their mirror."""
    y, x = np.triu_indices(len(cells), 1)
    return pd.DataFrame({"x": x, "y": y, "value": cells[y, x]})


def frame_cells(frame: pd.DataFrame) -> np.ndarray:
    """Return the matrix of cells from what `cells_frame` made of it."""
    m = int(frame["x"].max()) + 1
    cells = np.full((m, m), 0.5)
    x, y = frame["x"].to_numpy(int), frame["y"].to_numpy(int)
    cells[y, x] = frame["value"]
    cells[x, y] = np.round(1 - frame["value"], 3)
    return cells
