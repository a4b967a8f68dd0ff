"""Figures 4, 7, 8 and 9 and that of the user's own games: grids with a column a game."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from reproduction.figures.games import Game, game_data
from reproduction.figures.inputs import clean_label
from reproduction.figures.marks import badge, badge_in_a_corner, note, note_height
from reproduction.figures.payoff_cells import PAYOFF_CMAP, PAYOFF_NORM, draw_payoff, frame_cells
from reproduction.figures.style import BLACK, BLUE, LARGE, MEDIUM, SMALL, TEXT_WIDTH, VERMILION
from transitivity.disc.component import BY_GRAPH, UNDECIDED, convex_hull
from transitivity.errors import amount

#: Players: their mean payoff.
PLAYER_CMAP = "cividis"
#: What the small print says of verdicts that a reader would not understand otherwise.
EXPLAINED = {
    BY_GRAPH: (
        "Transitive by the graph: the pairs that met form no cycle, so ratings can fit any results, and the game "
        "counts as transitive whatever they were."
    ),
    UNDECIDED: "Undecided: these results do not contradict a transitive game, and would not show every cycle either.",
}
_ROW_LABELS = {
    "payoff": "Payoff matrix",
    "probability": "Disc, probability space",
    "logit": "Disc, logit space",
    "nash": "Nash clusters",
}
#: Inches: left of the first column, right of the last, and between columns and rows.
LEFT, RIGHT, GAP_X, GAP_Y = 0.52, 0.08, 0.31, 0.45


@dataclass(frozen=True)
class _Scales:
    """What all panels of a figure share: the colours of players, and the largest size of a Nash cluster."""

    players: Normalize
    largest_cluster: float

    @classmethod
    def of(cls, data: pd.DataFrame) -> _Scales:
        players = data[data["panel"].isin(["probability", "logit"])]["value"]
        # Half a step around 1/2, so that a game where all players are equal has a scale as well.
        spread = max(float(np.abs(players - 0.5).max()), 0.01)
        norm = Normalize(max(0.0, 0.5 - spread), min(1.0, 0.5 + spread))
        return cls(norm, float(data[data["panel"] == "nash"]["x"].max()))


def draw_games(
    blocks: Mapping[str, Sequence[Game]], panels: Sequence[str], missing: Sequence[str]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column a game; return the figure and the numbers drawn (see `game_data`).

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
    lines = _small_print(every, data, missing)

    # All lengths in inches. Fewer games than in the paper make a narrower figure, not larger panels.
    columns = max(2, *(len(games) for games in blocks.values()))
    side = (TEXT_WIDTH - LEFT - RIGHT - (max(columns, 5) - 1) * GAP_X) / max(columns, 5)
    width = LEFT + RIGHT + columns * side + (columns - 1) * GAP_X
    characters = int(width * 23)
    # What the graph can say takes a second line.
    title, top, bars = 0.24, 0.32 if all(game.cycles is None for game in every) else 0.45, 0.45
    foot = bars + note_height(lines, characters)
    grid = top + len(panels) * side + (len(panels) - 1) * GAP_Y + 0.28
    height = sum(grid + (title if name else 0) for name in blocks) + foot
    figure = Figure(figsize=(width, height))

    scales = _Scales.of(data)
    y = height
    for name, games in blocks.items():
        if name:
            figure.text(LEFT / width, (y - 0.14) / height, name, fontsize=LARGE, weight="bold", va="center")
            y -= title
        for column, game in enumerate(games):
            x = LEFT + column * (side + GAP_X)
            label, size = clean_label(game.label, 200), LARGE
            if len(label) > side * 17:
                # Two smaller lines hold more than twice as much.
                lines = textwrap.wrap(label, max(8, int(side * 22)), max_lines=2, placeholder=" …")
                label, size = "\n".join(lines), SMALL
            figure.text((x + side / 2) / width, (y - 0.12) / height, label, fontsize=size, ha="center", va="center")
            for row, panel in enumerate(panels):
                bottom = y - top - (row + 1) * side - row * GAP_Y
                ax = figure.add_axes((x / width, bottom / height, side / width, side / height))
                if column == 0:
                    figure.text(
                        0.09 / width, (bottom + side / 2) / height, _ROW_LABELS[panel], fontsize=MEDIUM, rotation=90,
                        ha="center", va="center",
                    )  # fmt: skip
                part = data[(data["dataset"] == game.dataset) & (data["panel"] == panel)]
                _draw_panel(ax, panel, part, game, column == 0, scales)
        y -= grid
    _draw_colour_bars(figure, foot - 0.14, scales.players)
    note(figure, lines, characters)
    return figure, data


def _draw_colour_bars(figure: Figure, y: float, players: Normalize) -> None:
    """Draw the keys of the payoffs and of the players, y inches above the foot of the figure."""
    width, height = figure.get_size_inches()
    half = (width - LEFT - RIGHT - 0.5) / 2
    wide = width > 4.5
    keys = [
        (PAYOFF_CMAP, PAYOFF_NORM, "payoff: probability that player i beats player j" if wide else "payoff"),
        (PLAYER_CMAP, players, "point: mean payoff of the player" if wide else "mean payoff of a player"),
    ]
    for at, (cmap, norm, label) in enumerate(keys):
        ax = figure.add_axes(((LEFT + at * (half + 0.5)) / width, y / height, half / width, 0.07 / height))
        bar = figure.colorbar(ScalarMappable(norm, cmap), cax=ax, orientation="horizontal")
        bar.outline.set_linewidth(0.4)
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
        bar.set_label(label, fontsize=SMALL)


def _draw_panel(ax: Axes, panel: str, part: pd.DataFrame, game: Game, first: bool, scales: _Scales) -> None:
    """Draw one panel of `draw_games`; the first of a row has the label of the y axis."""
    if part.empty:
        # Nash clusters need all pairs.
        ax.text(0.5, 0.5, "not computed", ha="center", va="center", fontsize=SMALL, transform=ax.transAxes)
        ax.set_xticks([])
        ax.set_yticks([])
        return
    if panel == "payoff":
        draw_payoff(ax, frame_cells(part))
        graph = ""
        if game.cycles is not None:
            # How many pairs more than ratings can always fit.
            graph = f", {amount(game.payoff.n_pairs, 'pair')},\n{game.cycles} to test"
        ax.set_title(f"n = {game.payoff.n_players}{graph}", fontsize=SMALL, linespacing=0.95)
        ax.set_xlabel("player j", fontsize=SMALL, loc="right" if game.simulated else "center")
        if game.simulated:
            # Every cell is a mark.
            badge(ax, 0.02, -0.05, va="top")
        if first:
            ax.set_ylabel("player i", fontsize=SMALL)
    elif panel == "nash":
        _draw_clusters(ax, part, scales.largest_cluster)
        ax.set_xlabel("cluster size", fontsize=SMALL)
        if first:
            ax.set_ylabel("share beaten", fontsize=SMALL)
        if game.simulated:
            badge_in_a_corner(ax, part[["x", "y"]].to_numpy(float))
    else:
        _draw_disc(ax, part, scales.players)
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


def _small_print(games: Sequence[Game], data: pd.DataFrame, missing: Sequence[str]) -> list[str]:
    """Say what is not drawn, and what the less common verdicts mean."""
    lines = []
    if missing:
        lines.append(f"Left out, because this run does not have their payoffs: {', '.join(missing)}.")
    verdicts = set(data["verdict"])
    if any(game.payoff.games is not None for game in games):
        lines.append(
            "The pictures of leagues are fits; the word above logit space is the verdict of a test on the games."
        )
    return lines + [text for verdict, text in EXPLAINED.items() if verdict in verdicts]
