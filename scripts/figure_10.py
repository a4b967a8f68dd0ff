"""Figure 10: Elo's error on hidden pairs over that of each model, by the least number of games a pair.

A panel a league and protocol, a group of bars a threshold; above 1 the model is better than Elo. --leagues is a JSON
object: {title: {dataset: title of its group}}. Whiskers are 95 % intervals over the repeated hold-outs, where there are
several; black ticks the paper's bars, beside real games only.

The data have one row a bar: protocol, league, dataset, simulated, threshold (the group's title), model,
params_per_player, log10_ratio, ratio (empty where an error is zero or missing), low and high (the whiskers),
paper_ratio (the tick).
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, clean_label, read_columns, read_scores
from reproduction.figures.looks import Look, family_looks, models_of_figure, order_families, split_model
from reproduction.figures.marks import badge, note, note_height
from reproduction.figures.ratios import error_ratios, with_intervals
from reproduction.figures.style import BLACK, TEXT_WIDTH, argument_parser, style, write
from transitivity.evaluation.ratios import family_labels

#: Bars and whiskers are cut at these; the data have their values.
LOWEST, HIGHEST = 0.1, 10.0
COLUMNS = [
    "protocol",
    "league",
    "dataset",
    "simulated",
    "threshold",
    "model",
    "params_per_player",
    "log10_ratio",
    "ratio",
    "low",
    "high",
    "paper_ratio",
]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--scores", required=True, type=Path, help="results/tables/scores.csv")
    parser.add_argument("--leagues", required=True, type=json.loads, help="JSON: {title: {dataset: title}}")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_10.csv")
    parser.add_argument("--dataset-table", type=Path, help="results/datasets.csv: simulated or not")
    parser.add_argument("--protocols", nargs="+", default=["leagues"], metavar="ID", help="panels")
    parser.add_argument("--models", nargs="+", metavar="ID", help="all with at most one pair by default")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    info = DatasetInfo.read(arguments.dataset_table)
    scores = read_scores(arguments.scores, arguments.protocols, required=False)
    groups = pd.DataFrame(
        [
            {"league": league, "dataset": dataset, "threshold": threshold, "place": place}
            for league, columns in arguments.leagues.items()
            for place, (dataset, threshold) in enumerate(columns.items())
        ]
    )
    scores = scores[scores["dataset"].isin(groups["dataset"])]
    if scores.empty:
        with style():
            write(nothing(arguments.protocols), pd.DataFrame(columns=COLUMNS), arguments)
        return
    small = [model for model in scores["model"].unique() if split_model(model)[1] <= 1]
    # What Figures 5 and 6 leave out is shown here: the regularised disc is what the figure is about.
    models = models_of_figure(small, arguments.models or sorted({*small} - {"elo"}))
    bars = error_ratios(scores[scores["model"].isin([*models, "elo"])]).merge(groups, on="dataset")
    bars = bars[bars["model"].isin(models)]
    bars["simulated"] = bars["dataset"].isin(info.simulated)
    bars["ratio"] = 10 ** bars["log10_ratio"]
    bars = with_intervals(bars, arguments.scores, arguments.protocols, [])
    paper = read_columns(arguments.paper, text=("threshold", "model"), numbers=("ratio",))
    paper["dataset"] = "starcraft_" + paper["threshold"]
    paper = paper.rename(columns={"ratio": "paper_ratio"})
    bars = bars.merge(paper[["dataset", "model", "paper_ratio"]], on=["dataset", "model"], how="left")
    bars["order"] = bars["model"].map(models.index)
    leagues = list(arguments.leagues)
    bars = bars.sort_values(
        ["protocol", "league", "place", "order"],
        key=lambda column: column.map(leagues.index) if column.name == "league" else column,
        kind="stable",
    )
    with style():
        looks = family_looks(order_families(models), family_labels(scores))
        write(draw(bars, arguments.protocols, leagues, models, looks), bars[COLUMNS], arguments)


def nothing(protocols: list[str]) -> Figure:
    """Return a figure that says why there is none: leagues so sparse are no mistake of the run."""
    lines = [
        f"Nothing to draw: protocol {' and '.join(protocols)} could hide no pair of these leagues without leaving a "
        "player without a game. Lower thresholds leave more pairs."
    ]
    figure = Figure(figsize=(TEXT_WIDTH, note_height(lines) + 0.1))
    note(figure, lines)
    return figure


def draw(
    bars: pd.DataFrame,
    protocols: list[str],
    leagues: list[str],
    models: list[str],
    looks: dict[str, Look],
) -> Figure:
    panels = [
        (protocol, league, part)
        for protocol in protocols
        for league in leagues
        if len(part := bars[(bars["protocol"] == protocol) & (bars["league"] == league)])
    ]
    lost = bars[~np.isfinite(bars["ratio"])]
    names = [f"{clean_label(row.model)} on {clean_label(row.dataset)}" for row in lost.itertuples()]
    lines = [f"Not drawn, no finite error above zero: {', '.join(names)}."] if names else []
    if ((bars["ratio"] < LOWEST) | (bars["ratio"] > HIGHEST)).any():
        lines.append(f"Bars are cut at {LOWEST:g} and {HIGHEST:g}; the data of the figure have their values.")
    if bars["low"].notna().any():
        lines.append(
            "Lines: 95 % intervals over repeated hold-outs; one that leaves its panel says that there are too few."
        )
    # Inches: legend, then the panels, each with its title and labels below.
    legend, panel, gap, foot = 0.2 + 0.16 * ((len(models) + 3) // 3), 1.5, 0.62, note_height(lines)
    height = legend + len(panels) * (panel + gap) + foot
    figure = Figure(figsize=(TEXT_WIDTH, height))
    for at, (protocol, league, part) in enumerate(panels):
        bottom = height - legend - (at + 1) * (panel + gap) + gap - 0.12
        ax = figure.add_axes((0.085, bottom / height, 0.9, panel / height))
        draw_panel(ax, part, models, looks)
        ax.set_title(f"{clean_label(league, 60)}, protocol {protocol}", loc="left")
    handles = [
        Patch(
            facecolor=looks[family].colour,
            hatch=looks[family].hatch,
            label=f"{looks[family].label}, k = {k}" if k else looks[family].label,
        )
        for family, k in map(split_model, models)
    ]
    if bars.loc[~bars["simulated"], "paper_ratio"].notna().any():
        handles.append(Line2D([], [], color=BLACK, linewidth=0.8, label="the paper"))
    figure.legend(handles=handles, ncols=3, loc="upper center", bbox_to_anchor=(0.53, 1.0))
    note(figure, lines)
    return figure


def draw_panel(ax: Axes, part: pd.DataFrame, models: list[str], looks: dict[str, Look]) -> None:
    places = part.drop_duplicates("dataset").sort_values("place")
    width = 0.86 / len(models)
    x = part["dataset"].map({dataset: at for at, dataset in enumerate(places["dataset"])}).to_numpy(float)
    x += (part["order"].to_numpy() - (len(models) - 1) / 2) * width
    for at, bar in zip(x, part.itertuples(), strict=True):
        look = looks[split_model(bar.model)[0]]
        if np.isfinite(bar.ratio):
            ax.bar(
                at, bar.ratio - 1, width, bottom=1, color=look.colour, hatch=look.hatch, edgecolor="white",
                linewidth=0.2,
            )  # fmt: skip
            if np.isfinite([bar.low, bar.high]).all():
                ax.plot([at, at], [bar.low, bar.high], color=BLACK, linewidth=0.6)
        if np.isfinite(bar.paper_ratio):
            ax.plot([at - width / 2, at + width / 2], [bar.paper_ratio] * 2, color=BLACK, linewidth=0.8)
    ax.set_yscale("log")
    # A model whose error is not bounded would leave the others no room.
    drawn = part[["ratio", "low", "high", "paper_ratio"]].to_numpy(float)
    drawn = drawn[np.isfinite(drawn)]
    ax.set_ylim(max(drawn.min(initial=0.9) / 1.1, LOWEST), min(drawn.max(initial=1.1) * 1.1, HIGHEST))
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.axhline(1, color=BLACK, linewidth=0.5)
    ax.set_xticks(range(len(places)), [clean_label(text) for text in places["threshold"]])
    ax.set_ylabel("MSE of Elo / MSE of the model")
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.4)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if part["simulated"].any():
        badge(ax, 1.0, 1.03, ha="right")


if __name__ == "__main__":
    cli.run(main)
