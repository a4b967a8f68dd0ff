"""Figure 6: the mean ratio of errors over games, against the size of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.looks import Look
from reproduction.figures.marks import badge, fewer_games, named, note, note_height, open_axes
from reproduction.figures.style import BLACK, TEXT_WIDTH
from transitivity.evaluation.ratios import AVERAGE, split_model

PAPER, SAME = "paper", "paper, same games"
#: The number of games that the paper's Figure 6 averages over.
PAPER_GAMES = 20


def size_marks(bars: pd.DataFrame, means: pd.DataFrame, intervals: bool) -> pd.DataFrame:
    """Return one row a mark: ours, and the paper's where it has the model.

    Parameters
    ----------
    bars : DataFrame
        Of `ratio_bars`, with their mean.
    means : DataFrame
        The paper's Figure 6: model, log10_average.
    intervals : bool
        Whether our marks have the columns log10_low and log10_high.
    """
    ours = bars[bars["dataset"] == AVERAGE].drop(columns=["dataset", "ratio"])
    same = ours[ours["paper_ratio"].notna()].copy()
    same["log10_ratio"] = np.log10(same["paper_ratio"])
    paper = ours.merge(means[["model", "log10_average"]], on="model")
    paper = paper.assign(log10_ratio=paper["log10_average"], n_games=PAPER_GAMES)
    parts = [ours.assign(series="ours"), paper.assign(series=PAPER), same.assign(series=SAME)]
    columns = ["protocol", "series", "model", "params_per_player", "n_games", "log10_ratio"]
    if intervals:
        with np.errstate(divide="ignore"):
            parts[0] = parts[0].assign(log10_low=np.log10(ours["low"]), log10_high=np.log10(ours["high"]))
        columns += ["log10_low", "log10_high"]
    return pd.concat(parts, ignore_index=True)[columns]


def draw_sizes(data: pd.DataFrame, protocols: Sequence[str], looks: Mapping[str, Look], lines: Sequence[str]) -> Figure:
    """Draw Figure 6: a panel a protocol.

    Parameters
    ----------
    data : DataFrame
        Of `size_marks`, with `n_simulated`.
    protocols : sequence of str
        The panels.
    looks : mapping
        Of `family_looks`.
    lines : sequence of str
        The small print.
    """
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
    open_mark: dict[str, Any] = {"color": BLACK, "linestyle": "none", "markersize": 6, "markerfacecolor": "none"}
    handles.append(
        Line2D([], [], marker="D", markeredgewidth=0.7, label=f"the paper, its {PAPER_GAMES} games", **open_mark)
    )
    if (data["series"] == SAME).any():
        handles.append(Line2D([], [], marker="x", markeredgewidth=0.9, label="the paper, same games", **open_mark))
    figure.legend(
        handles=handles, ncols=4, loc="lower center", bbox_to_anchor=(0.5, (foot - label - legend) / height),
        handlelength=1.8, labelspacing=0.25, columnspacing=1.6, borderaxespad=0.1,
    )  # fmt: skip
    note(figure, lines)
    return figure


def draw_protocol(ax: Axes, data: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the panel of one protocol."""
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
        face: dict[str, Any] = {"facecolor": "none", "edgecolor": BLACK} if marker == "D" else {"color": BLACK}
        ax.scatter(
            part["params_per_player"], part["log10_ratio"], s=size, marker=marker, linewidths=edge, zorder=5, **face
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    open_axes(ax, "#E5E5E5", "both")


def small_print(data: pd.DataFrame, games: Sequence[str], asked: Sequence[str], info: DatasetInfo) -> list[str]:
    """Say which games the means are over, what is simulated, and what is missing."""
    lines = ["Intervals are over repeated hold-outs of these games."] if "log10_low" in data else []
    lines += named(f"Mean over {len(games)} of the paper's {len(asked)} games", info, games)
    lines += named("Simulated in this run", info, [name for name in games if name in info.simulated])
    missing = [name for name in asked if name not in games]
    lines += named("Left out, because this run has no scores of them", info, missing)
    ours = data[data["series"] == "ours"]
    if ours.empty:
        lines.append("There is no mean to draw: on every game an error is infinite or missing.")
    return lines + fewer_games("mean", ours, len(games))
