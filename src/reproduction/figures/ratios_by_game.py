"""Figure 5: the ratio of errors, game by game."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator

from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.looks import Look, family_looks, order_families
from reproduction.figures.marks import (
    badge,
    fewer_games,
    named,
    note,
    note_height,
    nothing_to_draw,
    open_axes,
    text_width,
)
from reproduction.figures.ratios import ratio_bars, without_bar
from reproduction.figures.style import BLACK, SMALL, TEXT_WIDTH, YELLOW
from reproduction.paper.numbers import averaged_games
from transitivity.errors import amount
from transitivity.evaluation.ratios import AVERAGE, REFERENCE, family_labels, split_model

#: A bar beyond these is cut, and its value written at its end.
LOWEST, HIGHEST = 0.25, 8.0
#: The most characters of a game's name.
LABEL = 36
#: Their slope, in degrees.
SLANT = 35
#: More numbers than this do not fit into a panel, one above the other.
FEW = 4


@dataclass(frozen=True)
class GameBars:
    """The bars of Figure 5, and what they are of.

    Parameters
    ----------
    table : DataFrame
        Of `ratio_bars`, the models drawn.
    models : list of str
        In the order of the bars of a game.
    games, averaged, asked : lists of str
        The games drawn, those of them in the mean, and all that the figure would show if there were scores.
    labels : mapping
        Of `family_labels`.
    """

    table: pd.DataFrame
    models: list[str]
    games: list[str]
    averaged: list[str]
    asked: list[str]
    labels: Mapping[str, str]

    @classmethod
    def of(cls, scores: pd.DataFrame, paper: pd.DataFrame, models: list[str], further: Sequence[str] = ()) -> GameBars:
        """Return the bars of some models.

        Parameters
        ----------
        scores, paper : DataFrame
            Of `read_scores` and `read_paper_bars`.
        models : list of str
            Of `models_of_figure`.
        further : sequence of str
            Datasets that follow the paper's games and do not enter the mean.
        """
        printed = averaged_games(paper, 5)
        asked = list(dict.fromkeys([*printed, *further]))
        drawn = scores[scores["model"].isin([*models, REFERENCE])]
        table = ratio_bars(drawn, paper, asked, printed)
        table = table[table["model"] != REFERENCE].reset_index(drop=True)
        games = [dataset for dataset in asked if (table["dataset"] == dataset).any()]
        averaged = [dataset for dataset in games if dataset in printed]
        return cls(table, models, games, averaged, asked, family_labels(scores))

    @property
    def places(self) -> list[str]:
        """The groups of bars, from left to right."""
        return [AVERAGE, *self.games] if self.averaged else self.games

    @property
    def looks(self) -> dict[str, Look]:
        """How each family is drawn."""
        return family_looks(order_families(self.models), self.labels)

    def data(self, simulated: Collection[str], intervals: bool) -> pd.DataFrame:
        """Return the numbers drawn: the table, with whether each game is simulated, and its intervals if asked for."""
        data = self.table.drop(columns=["few"] if intervals else ["few", "low", "high"])
        data.insert(2, "simulated", data["dataset"].isin(simulated))
        return data


def draw_game_bars(bars: GameBars, protocols: Sequence[str], info: DatasetInfo, intervals: bool) -> Figure:
    """Draw Figure 5: a row of bars a protocol.

    Parameters
    ----------
    bars : GameBars
    protocols : sequence of str
        The rows, those without a bar left out.
    info : DatasetInfo
        Labels, and what is simulated.
    intervals : bool
        Whether the bars have their intervals.
    """
    if not bars.games:
        return nothing_to_draw(protocols)
    table, places = bars.table, bars.places
    protocols = [protocol for protocol in protocols if (table["protocol"] == protocol).any()]
    lines = small_print(bars, info, intervals)
    labels = ["log avg" if place == AVERAGE else info.label(place, LABEL) for place in places]
    columns = legend_columns(bars, intervals)
    rows = max(len(column) for column in columns)
    longest = max(text_width(label, SMALL) for label in labels)
    # Inches, from the top: legend, the rows of bars, names of games, small print.
    legend, panel, gap = 0.18 + 0.14 * rows, 1.75, 0.2
    names = 0.14 + max(0.6, math.sin(math.radians(SLANT)) * longest)
    height = legend + len(protocols) * panel + (len(protocols) - 1) * gap + names + note_height(lines)
    figure = Figure(figsize=(TEXT_WIDTH, height))
    limits = y_limits(table)
    for row, protocol in enumerate(protocols):
        bottom = height - legend - (row + 1) * panel - row * gap
        ax = figure.add_axes((0.06, bottom / height, 0.93, panel / height))
        draw_protocol(ax, bars, protocol, limits, intervals)
        ax.set_title(f"protocol: {protocol}", loc="left")
        mark_simulated(ax, places, info)
        last = row == len(protocols) - 1
        ax.set_xticks(range(len(places)))
        ax.set_xticklabels(labels if last else [""] * len(places), rotation=SLANT, ha="right", rotation_mode="anchor")
        ax.tick_params(axis="x", length=0)
    middle = (height - legend - (len(protocols) * (panel + gap) - gap) / 2) / height
    figure.text(0.012, middle, "MSE of Elo / MSE of the model", rotation=90, ha="center", va="center")
    blank = Patch(visible=False, label="")
    figure.legend(
        handles=[handle for column in columns for handle in column + [blank] * (rows - len(column))],
        ncols=len(columns), loc="upper right", bbox_to_anchor=(0.995, 1.0), handlelength=1.4, handleheight=0.8,
        labelspacing=0.25, columnspacing=1.2, borderaxespad=0.1,
    )  # fmt: skip
    note(figure, lines)
    return figure


def y_limits(bars: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of the axis: those of the bars and ticks, within `LOWEST` and `HIGHEST`."""
    values = bars[["ratio", "paper_ratio"]].to_numpy(float)
    values = values[np.isfinite(values)]
    low = values.min(initial=0.9) / 1.06
    high = values.max(initial=1.1) * 1.1
    return max(low, LOWEST), min(high, HIGHEST)


def draw_protocol(ax: Axes, bars: GameBars, protocol: str, limits: tuple[float, float], intervals: bool) -> None:
    """Draw the bars of one protocol."""
    places, models, looks = bars.places, bars.models, bars.looks
    low, high = limits
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    ax.set_xlim(-0.55, len(places) - 0.45)
    # Models with the same number of pairs stand together, with a gap before the next number.
    groups = [split_model(model)[1] for model in models]
    offsets, at = [], 0.0
    for index, group in enumerate(groups):
        at += 0.0 if index == 0 else (1.0 if group == groups[index - 1] else 1.5)
        offsets.append(at)
    width = 0.86 / (offsets[-1] + 1)
    rows = bars.table[bars.table["protocol"] == protocol].to_dict("records")
    bar_of = {(row["dataset"], row["model"]): row for row in rows}
    # The bars of a game that leave the figure, at the top or at the bottom: where they are, and how long.
    beyond: dict[tuple[int, float], list[tuple[float, float]]] = {}
    for index, model in enumerate(models):
        family, k = split_model(model)
        look = looks[family]
        colour = look.shade(k, max(n for f, n in map(split_model, models) if f == family))
        for place, dataset in enumerate(places):
            if (dataset, model) not in bar_of:
                continue
            bar = bar_of[dataset, model]
            x = place + (offsets[index] - offsets[-1] / 2) * width
            if np.isfinite(bar["ratio"]):
                end = float(np.clip(bar["ratio"], low, high))
                ax.bar(x, end - 1, width, bottom=1, color=colour, hatch=look.hatch, edgecolor="white", linewidth=0.15)
                if end != bar["ratio"]:
                    beyond.setdefault((place, end), []).append((x, bar["ratio"]))
            ends = np.clip([bar["low"], bar["high"]], low, high)
            if intervals and np.isfinite(ends).all() and ends[0] < ends[1]:
                ax.plot([x, x], ends, color=BLACK, linewidth=0.5, solid_capstyle="butt", zorder=5)
            if low <= bar["paper_ratio"] <= high:
                half = width * 0.5
                ax.plot(
                    [x - half, x + half], [bar["paper_ratio"]] * 2, color=BLACK, linewidth=0.8,
                    solid_capstyle="butt", zorder=5,
                )  # fmt: skip
    for (_, end), cut in beyond.items():
        # Side by side their numbers would overlap: one text from the first bar to the last, upwards.
        xs, ratios = zip(*cut, strict=True)
        at_top = end == high
        ax.annotate(
            numbers(ratios), (np.mean(xs), end), (0, -4 if at_top else 4), textcoords="offset points", rotation=90,
            ha="center", va="top" if at_top else "bottom", fontsize=SMALL, zorder=6,
            bbox={"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.4},
        )  # fmt: skip
    ax.axhline(1, color=BLACK, linewidth=0.5, zorder=4)
    ticks = [t for t in (0.25, 0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8) if low <= t <= high]
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    open_axes(ax)
    for place in range(1, len(places)):
        after_mean = places[place - 1] == AVERAGE
        ax.axvline(place - 0.5, color="#777777" if after_mean else "#DDDDDD", linewidth=0.4, zorder=0)


def numbers(ratios: Sequence[float]) -> str:
    """Return ratios as a text that fits into the panel: all of a few, the least and the largest of many."""
    if len(ratios) > FEW:
        return f"{numbers([min(ratios)])} to {numbers([max(ratios)])}"
    return ", ".join(f"{ratio:.0f}" if 10 <= ratio < 1e4 else f"{ratio:.2g}" for ratio in ratios)


def mark_simulated(ax: Axes, places: list[str], info: DatasetInfo) -> None:
    """Shade the simulated games; the badge stands above the panel, where no bar is, once for neighbours."""
    marked = [place for place, dataset in enumerate(places) if dataset in info.simulated]
    for place in marked:
        ax.axvspan(place - 0.5, place + 0.5, color=YELLOW, alpha=0.25, linewidth=0, zorder=0)
        if place - 1 not in marked:
            last = next(at for at in itertools.count(place) if at + 1 not in marked)
            low, high = ax.get_xlim()
            badge(ax, ((place + last) / 2 - low) / (high - low), 1.02, ha="center")


def legend_columns(bars: GameBars, intervals: bool) -> list[list[Artist]]:
    """Return the legend's handles by column: a column a family, families below each other where they would not fit."""
    models, looks = bars.models, bars.looks
    families = order_families(models)
    blocks: list[list[Artist]] = []
    for family in families:
        members = [m for m in models if split_model(m)[0] == family]
        largest = max(split_model(m)[1] for m in members)
        blocks.append([looks[family].patch(split_model(model)[1], largest) for model in members])
    line: dict[str, Any] = {"color": BLACK, "linestyle": "none", "markersize": 6}
    marks: list[Artist] = []
    if bars.table["paper_ratio"].notna().any():
        marks.append(Line2D([], [], marker="_", markeredgewidth=0.8, label="the paper", **line))
    if intervals:
        marks.append(Line2D([], [], marker="|", markeredgewidth=0.5, label="95 % interval", **line))
    if marks:
        blocks.append(marks)
    capacity = max(len(block) for block in blocks)
    while True:
        columns: list[list[Artist]] = [[]]
        for block in blocks:
            if len(columns[-1]) + len(block) > capacity:
                columns.append([])
            columns[-1] += block
        # About 0.05 in a letter, and 0.4 in for the patch and the space between columns.
        inches = sum(0.4 + 0.05 * max(len(str(handle.get_label())) for handle in column) for column in columns)
        if inches < TEXT_WIDTH or len(columns) == 1:
            return columns
        capacity += 1


def small_print(bars: GameBars, info: DatasetInfo, intervals: bool) -> list[str]:
    """Say what the mean is over, what is simulated, and what is missing."""
    table, lines = bars.table, []
    if bars.averaged:
        tick = "; its black tick is that of the paper's bars over the same games"
        tick = tick if table["paper_ratio"].notna().any() else ""
        lines.append(f"log avg: the geometric mean over {amount(len(bars.averaged), 'game')}{tick}.")
    if intervals:
        lines.append("Intervals are over repeated hold-outs, with the variance of Nadeau and Bengio (2003).")
    lines += named("Simulated in this run", info, [name for name in bars.games if name in info.simulated])
    missing = [name for name in bars.asked if name not in bars.games]
    lines += named("Left out, because this run has no scores of them", info, missing)
    lines += fewer_games("log avg", table[table["dataset"] == AVERAGE], len(bars.averaged))
    return lines + without_bar(table, info)
