"""The best players of each league, with intervals."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.figures.inputs import clean_label
from reproduction.figures.style import BLACK, BLUE, TEXT_WIDTH
from reproduction.paper.numbers import entries

#: The most players of a panel, panels in a row, inches of a player, and characters of a name.
MOST, ACROSS, ROW, NAME = 25, 2, 0.155, 26


def shown_players(ratings: pd.DataFrame, datasets: list[str]) -> pd.DataFrame:
    """Return the players that are drawn: the first of the largest component of each dataset.

    Parameters
    ----------
    ratings : DataFrame
        results/tables/ratings.csv.
    datasets : list of str
        In the order of the panels.
    """
    largest = ratings[(ratings["component"] == 1) & (ratings["games"] > 0)]
    parts = [largest[largest["dataset"] == name].nsmallest(MOST, "rank") for name in datasets]
    points = ["points", "points_low", "points_high", "prior_points"]
    columns = ["dataset", "dataset_label", "rank", "player", *points, "games", "note"]
    return pd.concat(parts)[columns].reset_index(drop=True)


def draw_players(data: pd.DataFrame) -> Figure:
    """Draw a panel a league.

    Parameters
    ----------
    data : DataFrame
        Of `shown_players`.
    """
    leagues = list(dict.fromkeys(data["dataset"]))
    across = min(ACROSS, len(leagues))
    rows = [leagues[at : at + across] for at in range(0, len(leagues), across)]
    heights = [max(int((data["dataset"] == name).sum()) for name in row) * ROW + 0.55 for row in rows]
    figure = Figure(figsize=(TEXT_WIDTH * (0.6 if across == 1 else 1), math.fsum(heights)), layout="constrained")
    axes = figure.subplots(len(rows), across, squeeze=False, height_ratios=heights)
    for at, ax in enumerate(axes.ravel()):
        if at < len(leagues):
            _draw(ax, data[data["dataset"] == leagues[at]])
        else:
            ax.set_axis_off()
    return figure


def _draw(ax: Axes, league: pd.DataFrame) -> None:
    places = range(len(league))
    ax.hlines(places, league["points_low"], league["points_high"], color=BLUE, linewidth=1.2)
    certain = league["note"].str.endswith("every game")
    faces = ["white" if one else BLUE for one in certain]
    ax.scatter(league["points"], places, s=14, c=faces, edgecolors=BLUE, linewidths=0.8, zorder=3)
    names = [f"{clean_label(row.player, NAME)}  {row.games:g}" for row in entries(league)]
    ax.set_yticks(places, names)
    ax.set_ylim(len(league) - 0.5, -0.5)
    ax.set_title(clean_label(league["dataset_label"].iloc[0], 40))
    ax.set_xlabel(f"Elo points (prior: standard deviation {league['prior_points'].iloc[0]:.0f})")
    ax.grid(axis="y", color="#E5E5E5", linewidth=0.4)
    ax.axvline(0, color=BLACK, linewidth=0.4, zorder=0) if league["points_low"].min() <= 0 else None
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
