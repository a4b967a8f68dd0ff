"""Figure 6: the mean of log10(Elo's MSE / a model's MSE) over games, against the model's parameters per player.

A panel a protocol; with --intervals, which needs repeated hold-outs, each point has its 95 % interval. The mean is over
the paper's games (its Figure 5 and 5,3-Blotto) that have scores in this run; a model that lacks one of them is named
under the figure. Simulated games are counted on the panel and named. Open diamonds are the paper's means over its 20
games; crosses are the means of the paper's bars over the games drawn here: a cross should lie on its point.

The data have one row a mark: protocol, series ("ours", "paper", "paper, same games"), model, params_per_player,
n_games, n_simulated (of them), log10_ratio (the height of the mark), and with --intervals log10_low, log10_high.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, clean_label, read_columns, read_paper_bars, read_scores
from reproduction.figures.looks import Look, family_looks, models_of_figure, order_families, split_model
from reproduction.figures.marks import badge, note, note_height
from reproduction.figures.ratios import error_ratios, ratio_bars, with_intervals
from reproduction.figures.style import BLACK, TEXT_WIDTH, argument_parser, style, write
from reproduction.paper.numbers import averaged_games
from transitivity.errors import InputError
from transitivity.evaluation.ratios import family_labels

PAPER, SAME = "paper", "paper, same games"
#: The paper's Figure 6 averages over so many games.
PAPER_GAMES = 20


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    info = DatasetInfo.read(arguments.dataset_table, arguments.paper_datasets)
    scores = read_scores(arguments.scores, arguments.protocols)
    bars = read_paper_bars(arguments.paper_games)
    means = read_columns(arguments.paper, text=("model",), numbers=("log10_average",))
    asked = averaged_games(bars, 6)
    wanted = arguments.models or sorted(set(scores["model"]) - {"elo"})
    models = ["elo", *models_of_figure(scores["model"].tolist(), wanted)]
    ratios = error_ratios(scores)
    ratios = ratios[ratios["model"].isin(models)]
    games = [dataset for dataset in asked if (ratios["dataset"] == dataset).any()]
    if not games:
        raise InputError(
            f"{arguments.scores} has scores of none of the paper's games; run at least one game of its Figure 5."
        )
    averages = ratio_bars(ratios, bars, games, games)
    if arguments.intervals:
        averages = with_intervals(averages, arguments.scores, arguments.protocols, games)
    data = marks(averages, means)
    simulated = [dataset for dataset in games if dataset in info.simulated]
    data.insert(5, "n_simulated", np.where(data["series"] == "ours", len(simulated), 0))
    with style():
        lines = small_print(data, games, asked, info)
        families = order_families(data["model"].tolist())
        looks = family_looks(families, family_labels(scores))
        drawn = [p for p in arguments.protocols if (data["protocol"] == p).any()]
        # Without a single mark, the axes and what is written below them are left.
        figure = draw(data, drawn or arguments.protocols, looks, lines)
        write(figure, data, arguments)


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--scores", required=True, type=Path, help="results/tables/scores.csv")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_6.csv")
    parser.add_argument(
        "--paper-games", required=True, type=Path, help="workflow/paper/figure_5.csv: the games"
    )
    parser.add_argument("--dataset-table", type=Path, help="results/datasets.csv: labels, simulated or not")
    parser.add_argument(
        "--paper-datasets", type=Path, help="workflow/paper/datasets.csv: labels of absent games"
    )
    parser.add_argument(
        "--protocols", nargs="+", default=["published", "written"], metavar="ID", help="panels"
    )
    parser.add_argument("--models", nargs="+", metavar="ID", help="all models with scores by default")
    parser.add_argument("--intervals", action="store_true", help="draw intervals over repeated hold-outs")
    return parser.parse_args(argv)


def marks(bars: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Return one row a mark: ours, and the paper's where it has the model."""
    ours = bars[bars["dataset"] == "log_average"].drop(columns=["dataset", "ratio"])
    same = ours[ours["paper_ratio"].notna()].copy()
    same["log10_ratio"] = np.log10(same["paper_ratio"])
    paper = ours.merge(means[["model", "log10_average"]], on="model")
    paper = paper.assign(log10_ratio=paper["log10_average"], n_games=PAPER_GAMES)
    parts = [ours.assign(series="ours"), paper.assign(series=PAPER), same.assign(series=SAME)]
    columns = ["protocol", "series", "model", "params_per_player", "n_games", "log10_ratio"]
    if "low" in ours:
        with np.errstate(divide="ignore"):
            parts[0] = parts[0].assign(log10_low=np.log10(ours["low"]), log10_high=np.log10(ours["high"]))
        columns += ["log10_low", "log10_high"]
    return pd.concat(parts, ignore_index=True)[columns]


def draw(data: pd.DataFrame, protocols: list[str], looks: dict[str, Look], lines: list[str]) -> Figure:
    legend_rows = -(-(len(looks) + 2) // 4)
    # Inches, from the top: title, panels, axis labels, legend, small print.
    title, panel, label, legend = 0.22, 2.2, 0.34, 0.16 * legend_rows + 0.06
    foot = label + legend + note_height(lines)
    height = title + panel + foot
    figure = Figure(figsize=(TEXT_WIDTH, height))
    width = 0.925 / len(protocols) - 0.02
    heights = data.filter(regex="^log10_").to_numpy(float)
    heights = heights[np.isfinite(heights)]
    low, high = heights.min(initial=0), heights.max(initial=0)
    pad = 0.07 * max(high - low, 0.01)
    for column, protocol in enumerate(protocols):
        left = 0.07 + column * (width + 0.03)
        ax = figure.add_axes((left, foot / height, width, panel / height))
        ax.set_ylim(low - pad, high + pad)
        draw_protocol(ax, data[data["protocol"] == protocol], looks)
        if (simulated := data["n_simulated"].max()) > 0:
            of = data["n_games"][data["series"] == "ours"].max()
            badge(ax, 0.03, 0.97, f"{simulated} of {of} simulated", va="top")
        ax.set_title(f"protocol: {protocol}", loc="left")
        ax.set_xlabel("parameters per player")
        if column == 0:
            ax.set_ylabel("mean of $\\log_{10}$ (MSE of Elo / MSE of the model)", parse_math=True)
        else:
            ax.tick_params(labelleft=False)
    handles = [
        Line2D([], [], color=look.colour, marker=look.marker, markersize=4, linewidth=1.0, label=look.label)
        for look in looks.values()
    ]
    open_mark = {"color": BLACK, "linestyle": "none", "markersize": 6, "markerfacecolor": "none"}
    handles.append(
        Line2D(
            [], [], marker="D", markeredgewidth=0.7, label=f"the paper, its {PAPER_GAMES} games", **open_mark
        )
    )
    if (data["series"] == SAME).any():
        handles.append(
            Line2D([], [], marker="x", markeredgewidth=0.9, label="the paper, same games", **open_mark)
        )
    figure.legend(
        handles=handles, ncols=4, loc="lower center", bbox_to_anchor=(0.5, (foot - label - legend) / height),
        handlelength=1.8, labelspacing=0.25, columnspacing=1.6, borderaxespad=0.1,
    )  # fmt: skip
    note(figure, lines)
    return figure


def draw_protocol(ax: Axes, data: pd.DataFrame, looks: dict[str, Look]) -> None:
    ours = data[data["series"] == "ours"].copy()
    ours["family"] = [split_model(model)[0] for model in ours["model"]]
    ax.axhline(0, color="#999999", linewidth=0.5, zorder=1)
    for family, look in looks.items():
        part = ours[ours["family"] == family].sort_values("params_per_player")
        # Models that the paper's figure does not have step back.
        lead = family in ("elo", "disc", "melo", "melo_published") or "log10_low" in part
        ax.plot(
            part["params_per_player"], part["log10_ratio"], color=look.colour, marker=look.marker, markersize=4,
            linewidth=1.1 if lead else 0.8, linestyle="-" if lead else (0, (3, 1.5)), zorder=3 if lead else 2,
        )  # fmt: skip
        if "log10_low" in part:
            # An interval without an end leaves the panel.
            ends = part[["log10_low", "log10_high"]].clip(*ax.get_ylim())
            ax.vlines(
                part["params_per_player"], ends["log10_low"], ends["log10_high"], color=look.colour, linewidth=0.9,
                zorder=3,
            )  # fmt: skip
    for series, marker, size, edge in ((PAPER, "D", 40, 0.7), (SAME, "x", 32, 0.9)):
        part = data[data["series"] == series]
        face = {"facecolor": "none", "edgecolor": BLACK} if marker == "D" else {"color": BLACK}
        ax.scatter(
            part["params_per_player"],
            part["log10_ratio"],
            s=size,
            marker=marker,
            linewidths=edge,
            zorder=5,
            **face,
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(color="#E5E5E5", linewidth=0.4)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def small_print(data: pd.DataFrame, games: list[str], asked: list[str], info: DatasetInfo) -> list[str]:
    lines = ["Intervals: over repeated hold-outs of these games."] if "log10_low" in data else []
    lines += [
        f"Mean over {len(games)} of the paper's {len(asked)} games: {', '.join(map(info.label, games))}."
    ]
    for text, some in (
        ("Simulated in this run", [dataset for dataset in games if dataset in info.simulated]),
        ("No scores in this run", [dataset for dataset in asked if dataset not in games]),
    ):
        if some:
            lines.append(f"{text}: {', '.join(map(info.label, some))}.")
    ours = data[data["series"] == "ours"]
    if ours.empty:
        lines.append("No mean: no game has finite errors above zero.")
    for row in ours[ours["n_games"] < len(games)].itertuples():
        lines.append(f"{clean_label(row.model)} ({row.protocol}) has {row.n_games} of these games only.")
    return lines


if __name__ == "__main__":
    cli.run(main)
