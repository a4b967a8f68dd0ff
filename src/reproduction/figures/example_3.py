"""Figures 2 and 3: a dot for each game of Example 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.figures.style import BLACK, BLUE, COLUMN_WIDTH, VERMILION

#: Largest and smallest dot, in square points; a dot smaller than the smallest would vanish.
LARGEST_DOT, SMALLEST_DOT = 130.0, 1.5


@dataclass(frozen=True)
class Quantity:
    """What the dots of a figure show; every text may hold mathtext.

    Parameters
    ----------
    right, wrong : str
        What the model says where it ranks player 1 above player 2, and where it does not.
    size : str
        What the size of a dot is proportional to.
    boundary : bool
        Whether the line δ = 3γ − 1, on which Elo's ranking changes, is drawn.
    """

    right: str
    wrong: str
    size: str
    boundary: bool


#: By column of results/examples/example_03.csv.
QUANTITIES = {
    "elo_difference": Quantity("$u_1 > u_2$", "$u_1 < u_2$", "$|u_1 - u_2|$", boundary=True),
    "disc_logit": Quantity("$u_1 v_2 > v_1 u_2$", "$u_1 v_2 < v_1 u_2$", "$|u_1 v_2 - v_1 u_2|$", boundary=False),
}


def signed_dots(gamma: np.ndarray, delta: np.ndarray, value: np.ndarray) -> pd.DataFrame:
    """Return the dots of Figure 2 or 3: gamma, delta, value, ranking, area.

    Parameters
    ----------
    gamma, delta : (m,) arrays
        The grid of Example 3.
    value : (m,) array
        Positive where the model ranks player 1 above player 2, as it should.

    Returns
    -------
    DataFrame
        `ranking` is ``right`` (value > 0), ``wrong`` (value < 0) or ``tie``; `area` of the dot in square points is
        proportional to abs(value), the largest LARGEST_DOT, none below SMALLEST_DOT.
    """
    size = np.abs(np.asarray(value, dtype=float))
    ranking = np.select([value > 0, value < 0], ["right", "wrong"], "tie")
    area = np.maximum(size / (size.max() or 1.0) * LARGEST_DOT, SMALLEST_DOT)
    return pd.DataFrame({"gamma": gamma, "delta": delta, "value": value, "ranking": ranking, "area": area})


def draw_signed_dots(dots: pd.DataFrame, quantity: Quantity) -> Figure:
    """Draw Figure 2 or 3 at column width.

    Parameters
    ----------
    dots : DataFrame
        Of `signed_dots`.
    quantity : Quantity
        What the dots show.
    """
    figure = Figure(figsize=(COLUMN_WIDTH, 2.75))
    ax = figure.add_axes((0.125, 0.135, 0.57, 0.845))
    looks = {
        "right": (BLUE, "o", quantity.right),
        "wrong": (VERMILION, "D", quantity.wrong),
        "tie": ("#777777", "s", "equal"),
    }
    handles = []
    for ranking, (color, marker, label) in looks.items():
        part = dots[dots["ranking"] == ranking]
        if part.empty and ranking == "tie":
            continue
        if len(part):
            ax.scatter(
                part["gamma"], part["delta"], s=part["area"], marker=marker, color=color, linewidths=0.4, zorder=3
            )
        look: dict[str, Any] = {"color": color, "marker": marker, "linestyle": "none", "markersize": 5}
        handles.append(Line2D([], [], label=label if len(part) else f"{label}: none", **look))
    low, high = dots["gamma"].min(), dots["gamma"].max()
    pad_x, pad_y = 0.07 * max(high - low, 0.01), 0.07 * max(np.ptp(dots["delta"]), 0.01)
    ax.set_xlim(low - pad_x, high + pad_x)
    ax.set_ylim(dots["delta"].min() - pad_y, dots["delta"].max() + pad_y)
    if quantity.boundary:
        line = np.array(ax.get_xlim())
        ax.plot(line, 3 * line - 1, color=BLACK, linewidth=0.8, zorder=2)
        handles.append(Line2D([], [], color=BLACK, linewidth=0.8, label="$\\delta = 3\\gamma - 1$"))
    ax.set_xlabel("$\\gamma = P_{12} = P_{13}$", parse_math=True)
    ax.set_ylabel("$\\delta = P_{23}$", parse_math=True)

    largest = dots["value"].abs().max()
    handles.append(Line2D([], [], linestyle="none", label=quantity.size))
    for share in (1.0, 0.5, 0.1):
        size = np.sqrt(max(LARGEST_DOT * share, SMALLEST_DOT))
        look = {"marker": "o", "linestyle": "none", "markersize": size, "markerfacecolor": "none"}
        handles.append(Line2D([], [], color="#777777", label=f"  {largest * share:.2g}", **look))
    legend = figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.7, 0.99), handlelength=1.2, borderaxespad=0,
        labelspacing=0.75, handletextpad=0.5,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(True)
    return figure
