"""Figures 4, 7, 8 and 9: a column a game."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from reproduction.figures.inputs import (
    DatasetInfo,
    clean_label,
    load_payoff,
    read_cycles,
    read_nash,
    read_players,
    read_verdicts,
)
from reproduction.figures.marks import badge, badge_in_a_corner, note, note_height
from reproduction.figures.payoff_cells import (
    PAYOFF_CMAP,
    PAYOFF_NORM,
    cells_frame,
    draw_payoff,
    frame_cells,
    payoff_cells,
)
from reproduction.figures.style import (
    BLACK,
    BLUE,
    LARGE,
    MEDIUM,
    SMALL,
    TEXT_WIDTH,
    VERMILION,
    argument_parser,
    style,
    write,
)
from transitivity.disc.component import BY_GRAPH, NO_CYCLE, convex_hull
from transitivity.errors import InputError, amount
from transitivity.payoff.core import Payoff

#: Players: their mean payoff.
PLAYER_CMAP = "cividis"
#: Rows of a grid of games, in the order they are drawn in.
PANELS = ("payoff", "probability", "logit", "nash")


@dataclass(frozen=True)
class Game:
    """What one column of a grid of games shows; None where it was not computed.

    Parameters
    ----------
    dataset, label : str
        The id and the title of the column.
    simulated : bool
        Whether the data are simulated.
    payoff : Payoff
        The game.
    players : DataFrame, optional
        The disc decompositions: space, player, u, v, mean_payoff.
    verdicts : mapping
        {space: word}: what may be said of its first component (`decomposition.verdict`).
    nash : DataFrame, optional
        The Nash clusters: player, cluster, beaten_share.
    cycles : int, optional
        The independent cycles of the graph of its pairs, which the title of the payoff tells.
    """

    dataset: str
    label: str
    simulated: bool
    payoff: Payoff
    players: pd.DataFrame | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)
    nash: pd.DataFrame | None = None
    cycles: int | None = None


def game_parser(
    documentation: str, columns: Mapping[str, str], panels: Sequence[str]
) -> argparse.ArgumentParser:
    """Return a parser with the flags of every figure and those from which `read_games` reads.

    Parameters
    ----------
    documentation, columns, panels
        As for `game_figure`.
    """
    parser = argument_parser(documentation)
    files = {"nargs": "*", "type": Path, "default": [], "metavar": "FILE"}
    parser.add_argument(
        "--datasets", nargs="+", default=list(columns), metavar="ID", help="columns, from left to right"
    )
    parser.add_argument("--payoffs", help="results/payoffs/ID.npz, in any order", **files)
    parser.add_argument("--decompositions", help="results/decompositions/ID.csv", **files)
    parser.add_argument("--verdicts", help="results/decompositions/ID.json", **files)
    if "nash" in panels:
        parser.add_argument("--nash", help="results/nash_clusters/ID.csv", **files)
    parser.add_argument("--dataset-table", type=Path, help="results/datasets.csv: labels, simulated or not")
    return parser


def game_figure(
    argv: Sequence[str] | None, documentation: str, columns: Mapping[str, str], panels: Sequence[str]
) -> None:
    """Do all of a script that draws a column a game: Figures 4, 8 and 9.

    Parameters
    ----------
    argv : sequence of str, optional
        The command line; that of the process by default.
    documentation : str
        The script's docstring.
    columns : mapping
        {dataset: title}, the columns of the paper's figure from left to right.
    panels : sequence of str
        The rows, some of `PANELS`.
    """
    arguments = game_parser(documentation, columns, panels).parse_args(argv)
    games, missing = read_games(arguments, columns)
    with style():
        figure, data = draw_games({"": games}, panels, missing)
        write(figure, data, arguments)


def read_games(arguments: argparse.Namespace, titles: Mapping[str, str]) -> tuple[list[Game], list[str]]:
    """Read the columns named by ``--datasets``; return them, and the labels of those without a payoff.

    Parameters
    ----------
    arguments : Namespace
        Of the flags of `game_parser`. A file belongs to the dataset of its name.
    titles : mapping
        {dataset: title} of the paper's columns; other columns have the dataset's own label.

    Raises
    ------
    InputError
        If a file cannot be read, or no column is left.
    """
    info = DatasetInfo.read(arguments.dataset_table)
    payoffs, tables, verdicts, nash = (
        {path.stem: path for path in getattr(arguments, name, [])}
        for name in ("payoffs", "decompositions", "verdicts", "nash")
    )
    cycles = read_cycles(getattr(arguments, "identifiability", None))
    games = [
        Game(
            dataset=dataset,
            label=titles.get(dataset) or info.label(dataset),
            simulated=dataset in info.simulated,
            payoff=load_payoff(payoffs[dataset]),
            players=read_players(tables.get(dataset)),
            verdicts=read_verdicts(verdicts.get(dataset)),
            nash=read_nash(nash.get(dataset)),
            cycles=cycles.get(dataset),
        )
        for dataset in arguments.datasets
        if dataset in payoffs
    ]
    if not games:
        raise InputError(
            f"No payoff was given for any of {', '.join(arguments.datasets)}; give --payoffs ID.npz of at least one."
        )
    missing = [dataset for dataset in arguments.datasets if dataset not in payoffs]
    return games, [titles.get(dataset) or info.label(dataset) for dataset in missing]


def game_data(game: Game, panels: Sequence[str]) -> pd.DataFrame:
    """Return what one column of `draw_games` draws, one row a mark.

    Columns: dataset, simulated, panel, player, x, y, value, on_hull, verdict.
    ``payoff``: cell (row y, column x) above the diagonal, value its mean payoff; the mirror cell is 1 - value.
    ``probability``, ``logit``: a player at (x, y) = (v, u), value the mean payoff (the colour), whether the
    player is a corner of the hull, and the verdict on the panel. ``nash``: a cluster, x its size, y the
    share of the population that it beats, value its index (1 = strongest).
    """
    parts = []
    for panel in panels:
        if panel == "payoff":
            part = cells_frame(payoff_cells(game.payoff))
        elif panel == "nash":
            if game.nash is None:
                continue
            clusters = game.nash.groupby("cluster", sort=True)["beaten_share"]
            part = pd.DataFrame({"x": clusters.size(), "y": clusters.mean()}).reset_index(names="value")
        else:
            if game.players is None:
                continue
            rows = game.players[game.players["space"] == panel]
            # A rating at infinity (p = 0 or 1 throughout) has no place on the plane.
            rows = rows[np.isfinite(rows["u"]) & np.isfinite(rows["v"])]
            if rows.empty:
                continue
            part = pd.DataFrame(
                {"player": rows["player"], "x": rows["v"], "y": rows["u"], "value": rows["mean_payoff"]}
            ).reset_index(drop=True)
            part["on_hull"] = part.index.isin(convex_hull(part["x"], part["y"]))
            part["verdict"] = game.verdicts.get(panel, "undecided")
        parts.append(part.assign(panel=panel))
    data = pd.concat(parts, ignore_index=True).assign(dataset=game.dataset, simulated=game.simulated)
    columns = ["dataset", "simulated", "panel", "player", "x", "y", "value", "on_hull", "verdict"]
    return data.reindex(columns=columns)


_ROW_LABELS = {
    "payoff": "Payoff matrix",
    "probability": "Disc, probability space",
    "logit": "Disc, logit space",
    "nash": "Nash clusters",
}


def draw_games(
    blocks: Mapping[str, Sequence[Game]], panels: Sequence[str], missing: Sequence[str]
) -> tuple[Figure, pd.DataFrame]:
    """Draw Figure 4, 7, 8 or 9: a column a game; return the figure and the numbers drawn (see `game_data`).

    Parameters
    ----------
    blocks : mapping
        {title: columns}, grids under each other; a title may be empty.
    panels : sequence of str
        The rows of a grid, of `PANELS`.
    missing : sequence of str
        Labels of datasets that were asked for and do not exist: named in small print.
    """
    every = [game for games in blocks.values() for game in games]
    data = pd.concat([game_data(game, panels) for game in every], ignore_index=True)
    lines = _unfinished(every, panels, data)
    if missing:
        lines.append("Not drawn, no payoff in this run: " + ", ".join(missing) + ".")
    if BY_GRAPH in set(data["verdict"]):
        lines.append(
            "By the graph: the pairs that met form no cycle, so that ratings fit any results, and the game is "
            "transitive whatever they were."
        )
    if NO_CYCLE in set(data["verdict"]):
        lines.append(
            "No cycle found: on hidden pairs nothing predicted clearly better than the largest penalty of Equation "
            "21, with which every game is transitive; its cycles, if any, do not show."
        )

    # All lengths in inches. Fewer games than in the paper make a narrower figure, not larger panels.
    columns = max(2, *(len(games) for games in blocks.values()))
    left, right, gap_x, gap_y = 0.52, 0.08, 0.31, 0.45
    side = (TEXT_WIDTH - left - right - (max(columns, 5) - 1) * gap_x) / max(columns, 5)
    width = left + right + columns * side + (columns - 1) * gap_x
    characters = int(width * 23)
    # What the graph can say takes a second line.
    title, top, bars = 0.24, 0.32 if all(game.cycles is None for game in every) else 0.45, 0.45
    foot = bars + note_height(lines, characters)
    grid = top + len(panels) * side + (len(panels) - 1) * gap_y + 0.28
    height = sum(grid + (title if name else 0) for name in blocks) + foot
    figure = Figure(figsize=(width, height))

    players = data[data["panel"].isin(["probability", "logit"])]["value"]
    # Half a step around 1/2, so that a game where all players are equal has a scale as well.
    spread = max(float(np.nanmax(np.abs(players - 0.5))) if players.notna().any() else 0.0, 0.01)
    player_norm = Normalize(max(0.0, 0.5 - spread), min(1.0, 0.5 + spread))
    sizes = data[data["panel"] == "nash"]["x"]
    y = height
    for name, games in blocks.items():
        if name:
            figure.text(left / width, (y - 0.14) / height, name, fontsize=LARGE, weight="bold", va="center")
            y -= title
        for column, game in enumerate(games):
            x = left + column * (side + gap_x)
            label = clean_label(game.label, max(8, int(side * 17)))
            figure.text(
                (x + side / 2) / width, (y - 0.12) / height, label, fontsize=LARGE, ha="center", va="center"
            )
            for row, panel in enumerate(panels):
                bottom = y - top - (row + 1) * side - row * gap_y
                ax = figure.add_axes((x / width, bottom / height, side / width, side / height))
                if column == 0:
                    figure.text(
                        0.09 / width, (bottom + side / 2) / height, _ROW_LABELS[panel], fontsize=MEDIUM, rotation=90,
                        ha="center", va="center",
                    )  # fmt: skip
                part = data[(data["dataset"] == game.dataset) & (data["panel"] == panel)]
                _draw_panel(ax, panel, part, game, column == 0, player_norm, sizes)
        y -= grid

    y = (foot - 0.14) / height
    half = (width - left - right - 0.5) / 2
    wide = width > 4.5
    keys = [
        (PAYOFF_CMAP, PAYOFF_NORM, "payoff: probability that player i beats player j" if wide else "payoff")
    ]
    if len(players):
        text = "point: mean payoff of the player" if wide else "mean payoff of a player"
        keys.append((PLAYER_CMAP, player_norm, text))
    for at, (cmap, norm, label) in enumerate(keys):
        ax = figure.add_axes(((left + at * (half + 0.5)) / width, y, half / width, 0.07 / height))
        bar = figure.colorbar(ScalarMappable(norm, cmap), cax=ax, orientation="horizontal")
        bar.outline.set_linewidth(0.4)
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
        bar.set_label(label, fontsize=SMALL)
    note(figure, lines, characters)
    return figure, data


def _draw_panel(
    ax: Axes, panel: str, part: pd.DataFrame, game: Game, first: bool, norm: Normalize, sizes: pd.Series
) -> None:
    """Draw one panel of `draw_games`; the first of a row has the label of the y axis."""
    if part.empty:
        ax.text(0.5, 0.5, "not computed", ha="center", va="center", fontsize=SMALL, transform=ax.transAxes)
        ax.set_xticks([])
        ax.set_yticks([])
        return
    if panel == "payoff":
        draw_payoff(ax, frame_cells(part))
        graph = ""
        if game.cycles is not None:
            graph = f", {amount(game.payoff.n_pairs, 'pair')},\n{amount(game.cycles, 'graph cycle')}"
        ax.set_title(f"n = {game.payoff.n_players}{graph}", fontsize=SMALL, linespacing=0.95)
        ax.set_xlabel("player j", fontsize=SMALL, loc="right" if game.simulated else "center")
        if game.simulated:
            # Every cell is a mark.
            badge(ax, 0.02, -0.05, va="top")
        if first:
            ax.set_ylabel("player i", fontsize=SMALL)
    elif panel == "nash":
        _draw_clusters(ax, part, float(sizes.max()))
        ax.set_xlabel("cluster size", fontsize=SMALL)
        if first:
            ax.set_ylabel("share beaten", fontsize=SMALL)
        if game.simulated:
            badge_in_a_corner(ax, part[["x", "y"]].to_numpy(float))
    else:
        _draw_disc(ax, part, norm)
        ax.set_xlabel("$v_i$", parse_math=True)
        if first:
            ax.set_ylabel("$u_i$", parse_math=True)
        if game.simulated:
            points = part[["x", "y"]].to_numpy(float)
            badge_in_a_corner(ax, np.vstack([points, along_hull(points)]), np.zeros((1, 2)))


def along_hull(points: np.ndarray, steps: int = 20) -> np.ndarray:
    """Return points on the edges of the convex hull of (m, 2) points, `steps` an edge."""
    hull = points[convex_hull(points[:, 0], points[:, 1])]
    share = np.linspace(0, 1, steps)[:, np.newaxis, np.newaxis]
    return (hull + share * (np.roll(hull, -1, axis=0) - hull)).reshape(-1, 2)


def _draw_disc(ax: Axes, part: pd.DataFrame, norm: Normalize) -> None:
    x, y = part["x"].to_numpy(float), part["y"].to_numpy(float)
    hull = convex_hull(x, y)
    closed = np.append(hull, hull[0])
    ax.plot(x[closed], y[closed], color=BLACK, linewidth=0.7, zorder=2)
    ax.scatter(x, y, c=part["value"], cmap=PLAYER_CMAP, norm=norm, s=3.0, linewidths=0, zorder=3)
    ax.plot(0, 0, "+", color=VERMILION, markersize=6, markeredgewidth=1.1, zorder=4)
    # A square around the hull and the origin: both axes on one scale, as the area is what the game is made of.
    low = np.array([min(x.min(), 0.0), min(y.min(), 0.0)])
    high = np.array([max(x.max(), 0.0), max(y.max(), 0.0)])
    half = max(float((high - low).max()), 1e-9) * 0.56
    center = (low + high) / 2
    ax.set_xlim(center[0] - half, center[0] + half)
    ax.set_ylim(center[1] - half, center[1] + half)
    ax.set_aspect("equal", adjustable="box")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(3))
        axis.set_major_formatter(FuncFormatter(_plain))
    verdict = part["verdict"].iloc[0]
    ax.set_title(verdict, fontsize=MEDIUM if len(verdict) < 12 else SMALL)


def _draw_clusters(ax: Axes, part: pd.DataFrame, largest: float) -> None:
    ax.set_xscale("log")
    ax.scatter(part["x"], part["y"], s=7, color=BLUE, alpha=0.6, linewidths=0, clip_on=False, zorder=3)
    ax.set_xlim(0.7, max(largest, 10.0) * 1.5)
    ax.set_ylim(-0.05, 1.05)
    ax.set_xticks([10**e for e in range(5) if 10**e <= max(largest, 10.0) * 1.5])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(_plain))
    ax.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    ax.set_title(amount(len(part), "cluster"), fontsize=SMALL)


def _plain(value: float, _: int | None = None) -> str:
    """Format a tick without an offset or an exponent that would stand apart from its axis."""
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}").replace("-", "−")


def _unfinished(games: Sequence[Game], panels: Sequence[str], data: pd.DataFrame) -> list[str]:
    """Say what a column lacks: a row not computed, or players at infinity."""
    lines = []
    for game in games:
        for panel in panels:
            if panel in ("probability", "logit") and game.players is not None:
                expected = int((game.players["space"] == panel).sum())
                drawn = int(((data["dataset"] == game.dataset) & (data["panel"] == panel)).sum())
                if drawn < expected:
                    lines.append(
                        f"{game.label}, {panel} space: {expected - drawn} of {expected} players have no finite "
                        "coordinates and are not drawn."
                    )
    return lines
