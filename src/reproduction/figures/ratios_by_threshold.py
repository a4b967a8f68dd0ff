"""Figure 10: the ratio of errors on leagues, by the least number of games a pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from reproduction.figures.inputs import DatasetInfo, clean_label
from reproduction.figures.looks import Look
from reproduction.figures.marks import badge, note, note_height, nothing_to_draw, open_axes
from reproduction.figures.ratios import ratio_bars, without_bar
from reproduction.figures.style import BLACK, TEXT_WIDTH
from reproduction.paper.numbers import entries
from transitivity.evaluation.ratios import REFERENCE, split_model

#: Bars and whiskers are cut at these; the data have their values.
LOWEST, HIGHEST = 0.1, 10.0
COLUMNS = (
    "protocol league dataset simulated threshold model params_per_player log10_ratio ratio low high paper_ratio"
).split()

#: What a reader must know before a model is blamed.
UNTUNED = (
    "The models have no priors and are not tuned (the regularised disc alone has a penalty by cross-validation). On "
    "few games such models, Elo among them, follow luck; the report also compares tuned ones."
)


def threshold_bars(
    scores: pd.DataFrame,
    leagues: Mapping[str, Mapping[str, str]],
    paper: pd.DataFrame,
    models: Sequence[str],
    simulated: Collection[str],
) -> pd.DataFrame:
    """Return the bars of Figure 10: `COLUMNS`, and the place of the group and the order of the bar in it.

    Parameters
    ----------
    scores : DataFrame
        Of `read_scores`.
    leagues : mapping
        {title: {dataset: title of its group}}.
    paper : DataFrame
        The paper's bars: threshold, model, ratio.
    models : sequence of str
        Of `models_of_figure`.
    simulated : collection of str
        The datasets that are simulated.
    """
    rows = [
        (league, at, dataset, threshold, place)
        for at, (league, columns) in enumerate(leagues.items())
        for place, (dataset, threshold) in enumerate(columns.items())
    ]
    groups = pd.DataFrame(rows, columns=["league", "league_at", "dataset", "threshold", "place"])
    drawn = scores[scores["dataset"].isin(groups["dataset"]) & scores["model"].isin([*models, REFERENCE])]
    # The paper has this figure of StarCraft alone.
    paper = paper.assign(dataset="starcraft_" + paper["threshold"])
    bars = ratio_bars(drawn, paper, list(groups["dataset"]), [])
    bars = bars[bars["model"] != REFERENCE].merge(groups, on="dataset")
    bars["simulated"] = bars["dataset"].isin(simulated)
    bars["order"] = bars["model"].map({model: at for at, model in enumerate(models)})
    bars = bars.sort_values(["protocol", "league_at", "place", "order"], kind="stable")
    return bars[[*COLUMNS, "few", "place", "order"]].reset_index(drop=True)


def draw_thresholds(
    bars: pd.DataFrame, protocols: Sequence[str], models: Sequence[str], looks: Mapping[str, Look], info: DatasetInfo
) -> Figure:
    """Draw Figure 10: a panel a protocol and league.

    Parameters
    ----------
    bars : DataFrame
        Of `threshold_bars`.
    protocols, models : sequences of str
        In the order of the panels, and of the bars of a group.
    looks : mapping
        Of `family_looks`.
    info : DatasetInfo
        Labels of the datasets.
    """
    if bars.empty:
        return nothing_to_draw(protocols)
    panels = [
        (protocol, league, part)
        for protocol in protocols
        for league in bars["league"].unique()
        if len(part := bars[(bars["protocol"] == protocol) & (bars["league"] == league)])
    ]
    lines = [UNTUNED, *without_bar(bars, info)]
    if ((bars["ratio"] < LOWEST) | (bars["ratio"] > HIGHEST)).any():
        lines.append(f"Bars are cut at {LOWEST:g} and {HIGHEST:g}; the figure's CSV file has their whole length.")
    if bars["low"].notna().any():
        lines.append(
            "Lines are 95 % intervals over repeated hold-outs. Where one leaves its panel, there are too few hold-outs."
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
    handles: list[Artist] = [looks[family].patch(k) for family, k in map(split_model, models)]
    if bars.loc[~bars["simulated"], "paper_ratio"].notna().any():
        handles.append(Line2D([], [], color=BLACK, linewidth=0.8, label="the paper"))
    figure.legend(handles=handles, ncols=3, loc="upper center", bbox_to_anchor=(0.53, 1.0))
    note(figure, lines)
    return figure


def draw_panel(ax: Axes, part: pd.DataFrame, models: Sequence[str], looks: Mapping[str, Look]) -> None:
    """Draw the bars of one league under one protocol, a group a threshold."""
    places = part.drop_duplicates("dataset").sort_values("place")
    width = 0.86 / len(models)
    x = part["dataset"].map({dataset: at for at, dataset in enumerate(places["dataset"])}).to_numpy(float)
    x += (part["order"].to_numpy() - (len(models) - 1) / 2) * width
    for at, bar in zip(x, entries(part), strict=True):
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
    open_axes(ax)
    if part["simulated"].any():
        badge(ax, 1.0, 1.03, ha="right")
