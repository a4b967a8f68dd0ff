"""Figure 5: Elo's mean squared error on hidden pairs over each model's, game by game; above 1 the model is better.

A row of bars a protocol; with --intervals, which needs repeated hold-outs, each bar has its 95 % interval. First comes
the geometric mean ("log avg") over the paper's games in this run, then the games in the paper's order, then those of
--further-games, which do not enter the mean. Simulated games are marked. Black ticks are the paper's bars; beside a
mean, the mean of the paper's bars over the same games.
Games without scores are named under the figure.

The data have one row a bar: protocol, dataset ("log_average" for the mean), simulated, model, params_per_player,
log10_ratio, ratio (the bar; not drawn where it is empty, because an error is zero, infinite or missing), n_games,
paper_ratio (the tick), and with --intervals low, high.
"""

import argparse
import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, clean_label, read_paper_bars, read_scores
from reproduction.figures.looks import Look, family_looks, models_of_figure, order_families, split_model
from reproduction.figures.marks import badge, note, note_height, text_width
from reproduction.figures.ratios import error_ratios, ratio_bars, with_intervals
from reproduction.figures.style import BLACK, SMALL, TEXT_WIDTH, YELLOW, argument_parser, style, write
from reproduction.paper.numbers import averaged_games
from transitivity.errors import amount
from transitivity.evaluation.ratios import family_labels

#: A bar beyond these is cut, and its value written at its end.
LOWEST, HIGHEST = 0.25, 8.0
#: The most characters of a game's name.
LABEL = 36
#: Their slope, in degrees.
SLANT = 35
#: So many numbers fit into a panel, one above the other.
FEW = 4


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    info = DatasetInfo.read(arguments.dataset_table, arguments.paper_datasets)
    scores = read_scores(arguments.scores, arguments.protocols)
    paper = read_paper_bars(arguments.paper)
    printed = averaged_games(paper, 5)
    asked = list(dict.fromkeys([*printed, *arguments.further_games]))
    wanted = sorted(set(scores["model"]) - {"elo"}) if arguments.all_models else arguments.models
    models = models_of_figure(scores["model"].tolist(), wanted)
    ratios = error_ratios(scores)
    ratios = ratios[ratios["model"].isin(models)]
    games = [dataset for dataset in asked if (ratios["dataset"] == dataset).any()]
    averaged = [dataset for dataset in games if dataset in printed]
    bars = ratio_bars(ratios, paper, games, averaged)
    if arguments.intervals:
        bars = with_intervals(bars, arguments.scores, arguments.protocols, averaged)
    bars.insert(2, "simulated", bars["dataset"].isin(info.simulated))
    with style():
        looks = family_looks(order_families(models), family_labels(scores))
        figure = draw(bars, arguments.protocols, models, looks, games, averaged, asked, info)
        write(figure, bars, arguments)


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--scores", required=True, type=Path, help="results/tables/scores.csv")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_5.csv")
    parser.add_argument("--dataset-table", type=Path, help="results/datasets.csv: labels, simulated or not")
    parser.add_argument(
        "--paper-datasets", type=Path, help="workflow/paper/datasets.csv: labels of absent games"
    )
    parser.add_argument(
        "--protocols", nargs="+", default=["published", "written"], metavar="ID", help="rows of bars"
    )
    parser.add_argument("--models", nargs="+", metavar="ID", help="the paper's and a user's own by default")
    parser.add_argument(
        "--all-models", action="store_true", help="also models that the paper's figure leaves out"
    )
    parser.add_argument("--intervals", action="store_true", help="draw intervals over repeated hold-outs")
    parser.add_argument(
        "--further-games", nargs="*", default=[], metavar="ID", help="datasets the paper has not"
    )
    return parser.parse_args(argv)


def draw(
    bars: pd.DataFrame,
    protocols: list[str],
    models: list[str],
    looks: dict[str, Look],
    games: list[str],
    averaged: list[str],
    asked: list[str],
    info: DatasetInfo,
) -> Figure:
    protocols = [protocol for protocol in protocols if (bars["protocol"] == protocol).any()]
    places = ["log_average", *games] if averaged else games
    lines = small_print(bars, games, averaged, asked, info)
    labels = ["log avg" if place == "log_average" else info.label(place, LABEL) for place in places]
    columns = legend_columns(models, looks, bars)
    rows = max(len(column) for column in columns)
    longest = max(text_width(label, SMALL) for label in labels)
    # Inches, from the top: legend, the rows of bars, names of games, small print.
    legend, panel, gap = 0.18 + 0.14 * rows, 1.75, 0.2
    names = 0.14 + max(0.6, math.sin(math.radians(SLANT)) * longest)
    height = legend + len(protocols) * panel + (len(protocols) - 1) * gap + names + note_height(lines)
    figure = Figure(figsize=(TEXT_WIDTH, height))
    limits = y_limits(bars)
    for row, protocol in enumerate(protocols):
        bottom = height - legend - (row + 1) * panel - row * gap
        ax = figure.add_axes((0.06, bottom / height, 0.93, panel / height))
        draw_protocol(ax, bars[bars["protocol"] == protocol], places, models, looks, limits)
        ax.set_title(f"protocol: {protocol}", loc="left")
        mark_simulated(ax, places, info)
        last = row == len(protocols) - 1
        ax.set_xticks(range(len(places)))
        ax.set_xticklabels(
            labels if last else [""] * len(places), rotation=SLANT, ha="right", rotation_mode="anchor"
        )
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
    values = bars[["ratio", "paper_ratio"]].to_numpy(float)
    values = values[np.isfinite(values)]
    low = values.min(initial=0.9) / 1.06
    high = values.max(initial=1.1) * 1.1
    return max(low, LOWEST), min(high, HIGHEST)


def draw_protocol(
    ax: Axes,
    bars: pd.DataFrame,
    places: list[str],
    models: list[str],
    looks: dict[str, Look],
    limits: tuple[float, float],
) -> None:
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
    table = bars.set_index(["dataset", "model"])
    # The bars of a game that leave the figure, at the top or at the bottom: where they are, and how long.
    beyond: dict[tuple[int, float], list[tuple[float, float]]] = {}
    for index, model in enumerate(models):
        family, k = split_model(model)
        look = looks[family]
        colour = look.shade(k, max(n for f, n in map(split_model, models) if f == family))
        for place, dataset in enumerate(places):
            if (dataset, model) not in table.index:
                continue
            bar = table.loc[(dataset, model)]
            x = place + (offsets[index] - offsets[-1] / 2) * width
            if np.isfinite(bar["ratio"]):
                end = float(np.clip(bar["ratio"], low, high))
                ax.bar(
                    x,
                    end - 1,
                    width,
                    bottom=1,
                    color=colour,
                    hatch=look.hatch,
                    edgecolor="white",
                    linewidth=0.15,
                )
                if end != bar["ratio"]:
                    beyond.setdefault((place, end), []).append((x, bar["ratio"]))
            ends = np.clip([bar.get("low", np.nan), bar.get("high", np.nan)], low, high)
            if np.isfinite(ends).all() and ends[0] < ends[1]:
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
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.4)
    ax.set_axisbelow(True)
    for place in range(1, len(places)):
        after_mean = places[place - 1] == "log_average"
        ax.axvline(place - 0.5, color="#777777" if after_mean else "#DDDDDD", linewidth=0.4, zorder=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


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


def legend_columns(models: list[str], looks: dict[str, Look], bars: pd.DataFrame) -> list[list]:
    """Return the legend's handles by column: a column a family, families below each other where they would not fit."""
    families = order_families(models)
    blocks = []
    for family in families:
        members = [m for m in models if split_model(m)[0] == family]
        largest = max(split_model(m)[1] for m in members)
        block = []
        for model in members:
            k = split_model(model)[1]
            label = f"{looks[family].label}, k = {k}" if k else looks[family].label
            block.append(
                Patch(facecolor=looks[family].shade(k, largest), hatch=looks[family].hatch, label=label)
            )
        blocks.append(block)
    line = {"color": BLACK, "linestyle": "none", "markersize": 6}
    marks = []
    if bars["paper_ratio"].notna().any():
        marks.append(Line2D([], [], marker="_", markeredgewidth=0.8, label="the paper", **line))
    if "low" in bars:
        marks.append(Line2D([], [], marker="|", markeredgewidth=0.5, label="95 % interval", **line))
    if marks:
        blocks.append(marks)
    capacity = max(len(block) for block in blocks)
    while True:
        columns = [[]]
        for block in blocks:
            if len(columns[-1]) + len(block) > capacity:
                columns.append([])
            columns[-1] += block
        # About 0.05 in a letter, and 0.4 in for the patch and the space between columns.
        inches = sum(0.4 + 0.05 * max(len(handle.get_label()) for handle in column) for column in columns)
        if inches < TEXT_WIDTH or len(columns) == 1:
            return columns
        capacity += 1


def small_print(
    bars: pd.DataFrame, games: list[str], averaged: list[str], asked: list[str], info: DatasetInfo
) -> list[str]:
    lines = []
    if averaged:
        ticks = "; its ticks: the paper's bars over the same" if bars["paper_ratio"].notna().any() else ""
        lines.append(f"log avg: geometric mean over {amount(len(averaged), 'game')}{ticks}.")
    if "low" in bars:
        lines.append("Intervals: over repeated hold-outs, with the variance of Nadeau and Bengio (2003).")
    simulated = [dataset for dataset in games if dataset in info.simulated]
    if simulated:
        names = ", ".join(info.label(dataset) for dataset in simulated)
        lines.append(f"Simulated in this run: {names}.")
    missing = [dataset for dataset in asked if dataset not in games]
    if missing:
        names = ", ".join(info.label(dataset, 40) for dataset in missing)
        lines.append(f"Not drawn, no scores in this run: {names}.")
    means = bars[bars["dataset"] == "log_average"]
    for row in means[means["n_games"] < len(averaged)].itertuples():
        lines.append(
            f"{clean_label(row.model)} ({row.protocol}): mean over {row.n_games} of these games only."
        )
    lost = bars[~np.isfinite(bars["ratio"])]
    if len(lost):
        names = ", ".join(
            f"{clean_label(row.model)} on {info.label(row.dataset)} ({row.protocol})"
            for row in lost.itertuples()
        )
        lines.append(f"Not drawn, no finite error above zero: {names}.")
    return lines


if __name__ == "__main__":
    cli.run(main)
