"""The games from transitive to cyclic, by every measure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.marks import note, note_height, open_axes
from reproduction.figures.payoff_cells import PAYOFF_CMAP
from reproduction.figures.style import BLACK, BLUE, GREEN, ORANGE, SMALL, TEXT_WIDTH, YELLOW
from transitivity.measures.spectrum import FEWEST_GAMES, MEASURES, positions

#: The columns: title, and what it shows.
PANELS = {
    "position": ("mean rank", ["position"]),
    "margin": ("hull margin (°)", ["logit_margin_degrees", "probability_margin_degrees"]),
    "gradient": ("gradient share*", ["logit_gradient_excess", "probability_gradient_excess"]),
    "triads": ("triads*", ["cyclic_excess", "intransitive_excess"]),
    "clusters": ("clusters / n", ["clusters_per_player"]),
    "ranks": ("rank agreement", ["logit_rank_agreement", "probability_rank_agreement", "nash_rank_agreement"]),
}
LOOKS = {
    "logit": (BLUE, "o", "logit space; cyclic triads"),
    "probability": (ORANGE, "s", "probability space; intransitive triads"),
    "nash": (GREEN, "^", "Nash clusters"),
    "position": (BLACK, "D", "all measures"),
}
#: The most characters of a game's name.
LABEL = 40
#: Inches of a row of the games, and of a cell of the correlations.
ROW, CELL = 0.13, 0.27
#: Share of a column that is kept free at either end of its axis.
MARGIN = 0.05


def unplaced(values: pd.DataFrame, info: DatasetInfo) -> list[str]:
    """Return the labels of the games without any measure."""
    return [info.label(name, LABEL) for name in values.index[values.isna().all(axis=1)]]


def spectrum_marks(values: pd.DataFrame, info: DatasetInfo) -> pd.DataFrame:
    """Return one row a mark, in the order of the rows of the figure."""
    values = values.dropna(how="all")
    values = values.assign(position=positions(values))
    values = values.sort_values("position", ascending=False, kind="stable")
    rows = []
    for panel, (_, columns) in PANELS.items():
        for column in columns:
            for at, (dataset, value) in enumerate(values[column].items()):
                rows.append((panel, at, dataset, dataset in info.simulated, column, value))
    data = pd.DataFrame(rows, columns=["panel", "place", "dataset", "simulated", "measure", "value"])
    return data[data["value"].notna()].reset_index(drop=True)


def draw_spectrum(data: pd.DataFrame, correlations: pd.DataFrame, info: DatasetInfo, missing: Sequence[str]) -> Figure:
    """Draw the games from transitive to cyclic, and how far the measures agree.

    Parameters
    ----------
    data : DataFrame
        Of `spectrum_marks`.
    correlations : DataFrame
        Of `agreement`.
    info : DatasetInfo
        Labels, and what is simulated.
    missing : sequence of str
        Of `unplaced`.
    """
    games = data.drop_duplicates("place").sort_values("place")
    ranked = (data["panel"] == "position").any()
    correlated = correlations["spearman"].notna().any()
    panels, looks = PANELS, LOOKS
    lines = [
        "The further right, the more transitive by that measure. There is no mark where a measure is not defined, or "
        "where any results would have given the same value.",
        "* Above chance: 0 is what a share reaches on average if a coin decides each pair, 1 the most that it can be, "
        "−1 the least; cyclic triads count from the other side. Results of games within the limits of chance have no "
        "mark.",
    ]
    if ranked:
        lines.append("Mean rank: the rank of a game among all, averaged over the measures; 0 is cyclic, 1 transitive.")
    else:
        panels = {column: panel for column, panel in PANELS.items() if column != "position"}
        looks = {column: look for column, look in LOOKS.items() if column != "position"}
        lines.append(f"With fewer than {FEWEST_GAMES} games there is no mean rank, and measures are not compared.")
    if correlated:
        lines.append(
            "Below: Spearman's rank correlation of each two measures over the games, positive where they agree."
        )
    if missing:
        lines.append(f"Left out, because no measure tells anything of them: {'; '.join(missing)}.")
    # Inches, from the top: titles, games, ticks and legend, correlations with their names, small print.
    title, rows, foot = 0.2, ROW * max(len(games), 1), 0.4
    square, names = (CELL * (len(MEASURES) - 1), 0.15) if correlated else (0.0, 0.0)
    height = title + rows + foot + square + names + note_height(lines) + 0.1
    figure = Figure(figsize=(TEXT_WIDTH, height))
    left, gap = 2.15, 0.12
    width = (TEXT_WIDTH - left - 0.08 - gap * (len(panels) - 1)) / len(panels)
    for column, (panel, (heading, shown)) in enumerate(panels.items()):
        x = (left + column * (width + gap)) / TEXT_WIDTH
        bottom = (height - title - rows) / height
        ax = figure.add_axes((x, bottom, width / TEXT_WIDTH, rows / height))
        draw_panel(ax, data[data["panel"] == panel], panel, shown, games)
        ax.set_title(heading)
        ax.set_yticks(games["place"])
        ax.set_yticklabels([info.label(name, LABEL) for name in games["dataset"]] if column == 0 else [])
    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", markersize=3.5, label=label)
        for colour, marker, label in looks.values()
    ]
    if games["simulated"].any():
        handles.append(Line2D([], [], color=YELLOW, marker="s", linestyle="none", markersize=6, label="simulated"))
    figure.legend(
        handles=handles, ncols=len(handles), loc="lower center", columnspacing=1.2, handletextpad=0.2,
        bbox_to_anchor=(0.5, (height - title - rows - foot) / height), borderaxespad=0.1,
    )  # fmt: skip
    if correlated:
        bottom = (height - title - rows - foot - names - square) / height
        ax = figure.add_axes((0.32, bottom, square / TEXT_WIDTH, square / height))
        draw_correlations(ax, correlations)
    note(figure, lines)
    return figure


def draw_panel(ax: Axes, data: pd.DataFrame, panel: str, shown: list[str], games: pd.DataFrame) -> None:
    """Draw one kind of measure, a row a game."""
    for column in shown:
        part = data[data["measure"] == column]
        kind = {"cyclic_excess": "logit", "intransitive_excess": "probability", "clusters_per_player": "nash"}
        colour, marker, _ = LOOKS[kind.get(column, column.split("_")[0])]
        ax.scatter(
            part["value"], part["place"], s=9, marker=marker, color=colour, linewidths=0, alpha=0.85, zorder=3,
            clip_on=False,
        )  # fmt: skip
    for place in games.loc[games["simulated"], "place"]:
        ax.axhspan(place - 0.5, place + 0.5, color=YELLOW, alpha=0.3, linewidth=0, zorder=0)
    ax.set_ylim(max(len(games), 1) - 0.5, -0.5)
    if panel in ("gradient", "triads"):
        first, last = -1.0, 1.0
        ax.set_xticks([-1, 0, 1], ["−1", "0", "1"])
        ax.axvline(0, color=BLACK, linewidth=0.5, zorder=1)
    elif panel == "margin":
        first, last = -180.0, 180.0
        ax.set_xticks([-90, 0, 90], ["−90", "0", "90"])
        ax.axvline(0, color=BLACK, linewidth=0.5, zorder=1)
    else:
        first, last = min(0.0, data["value"].min()) if len(data) else 0.0, 1.0
        ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
    # Marks at the ends keep off the names of the games and off the next column.
    ax.set_xlim(first - MARGIN * (last - first), last + MARGIN * (last - first))
    # Numbers at the ends keep within their column.
    for at, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True):
        if at in (first, last):
            label.set_horizontalalignment("left" if at == first else "right")
    open_axes(ax, "#E5E5E5")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def draw_correlations(ax: Axes, correlations: pd.DataFrame) -> None:
    """Draw the lower triangle of the correlations of the measures."""
    columns = [measure.column for measure in MEASURES]
    labels = [measure.label for measure in MEASURES]
    cells = np.full((len(columns) - 1, len(columns) - 1), np.nan)
    for one, other, value in correlations[["measure", "other", "spearman"]].to_numpy():
        cells[columns.index(other) - 1, columns.index(one)] = value
    ax.imshow(cells, cmap=PAYOFF_CMAP, norm=Normalize(-1, 1), aspect="auto")
    for row, column in zip(*(part.tolist() for part in np.tril_indices(len(cells))), strict=True):
        value = cells[row, column]
        text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
        dark = not np.isnan(value) and abs(value) > 0.65
        ax.text(
            column, row, text, ha="center", va="center", fontsize=SMALL,
            color="white" if dark else BLACK,
        )  # fmt: skip
    ax.set_yticks(range(len(cells)), labels[1:])
    # Names stand on the staircase, where the upper triangle is empty.
    ax.set_xticks([])
    for column, label in enumerate(labels[:-1]):
        ax.text(column - 0.1, column - 0.62, label, ha="left", va="bottom", fontsize=SMALL)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
