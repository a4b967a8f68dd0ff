"""When modelling cycles predicts better: a map of pairs and games for each game, a curve for each league."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.marks import badge, note, note_height
from reproduction.figures.style import BLACK, BLUE, GREEN, ORANGE, SMALL, TEXT_WIDTH
from transitivity.evaluation.cycles_pay import ELO, NO_DIFFERENCE
from transitivity.evaluation.thinning import CYCLIC

#: Family: letter in a cell, name, colour, marker.
LOOKS = {
    "constant": ("½", "constant ½", "#777777", "^"),
    "elo": ("E", "Elo", BLACK, "o"),
    "disc": ("D", "disc", BLUE, "s"),
    "melo_logit": ("M", "m-Elo in logit space", GREEN, "D"),
}
#: Elo's error over that of the best family with cycles: the ends of the colours.
CMAP = LinearSegmentedColormap.from_list("pays", [ORANGE, "white", BLUE])
NORM = Normalize(-2, 2)
EQUAL = "#D9D9D9"
#: Panels in a row, and the height in inches of a row of cells, of a curve, and of the words around a panel.
ACROSS, CELL, CURVE, AROUND = 3, 0.27, 1.3, 0.62


def letters(best: str) -> str:
    """Return the letters of the families that predict a cell best."""
    return "/".join(LOOKS[family][0] for family in best.split(" or "))


def draw_cycles_pay(table: pd.DataFrame, rule: pd.DataFrame, info: DatasetInfo) -> Figure:
    """Draw every dataset of the table.

    Parameters
    ----------
    table : DataFrame
        Of `evaluation.cycles_pay.compare`.
    rule : DataFrame
        Of `evaluation.cycles_pay.rule_of_thumb`.
    info : DatasetInfo
        Labels, and what is simulated.
    """
    drawn, thinned = (
        [part for _, part in table[table.kind == kind].groupby("dataset", sort=False)] for kind in ("drawn", "thinned")
    )
    lines = small_print(table, rule)
    grid = [drawn[at : at + ACROSS] for at in range(0, len(drawn), ACROSS)]
    heights = [AROUND + CELL * max(part.games.nunique() for part in row) for row in grid]
    grid += [thinned[at : at + ACROSS] for at in range(0, len(thinned), ACROSS)]
    heights += [AROUND + CURVE] * (len(grid) - len(heights))
    height = sum(heights) + note_height(lines) + 0.05
    figure = Figure(figsize=(TEXT_WIDTH, height))
    left, gap = 0.5, 0.45
    width = (TEXT_WIDTH - left - gap * (ACROSS - 1) - 0.08) / ACROSS
    top = height
    for row, tall in zip(grid, heights, strict=True):
        for column, part in enumerate(row):
            x, y = left + column * (width + gap), top - tall + 0.4
            ax = figure.add_axes((x / TEXT_WIDTH, y / height, width / TEXT_WIDTH, (tall - AROUND) / height))
            draw = _draw_map if part.kind.iloc[0] == "drawn" else _draw_curve
            draw(ax, part)
            dataset = part.dataset.iloc[0]
            ax.set_title(info.label(dataset, 44))
            if dataset in info.simulated:
                badge(ax, 0.04, 0.94, va="top")
        top -= tall
    note(figure, lines)
    return figure


def small_print(table: pd.DataFrame, rule: pd.DataFrame) -> list[str]:
    """Return how to read the figure, and the rule of thumb."""
    families = [family for family in LOOKS if family in set(table.family)]
    letters_of = ", ".join(f"{LOOKS[one][0]} {LOOKS[one][1]}" for one in families)
    lines = [
        "Numbers: Elo's excess log-loss over that of the better family with cycles. Letters: what predicts best, "
        f"beyond the 95 % interval over repetitions: {letters_of}. Grey: no difference."
    ]
    return lines + rule_in_words(rule)


def rule_in_words(rule: pd.DataFrame) -> list[str]:
    """Return the rule of thumb over all games, none where there is none."""
    elsewhere = rule.wrong_elsewhere.sum()
    return [
        f"Rule of thumb from these games: cycles pay from {row.opponents:.2g} opponents and "
        f"{row.games_a_player:.2g} games a player for each pair of components that pays first; wrong in "
        f"{row.wrong:.0f} of the {row.cells:.0f} cells from which it was fitted, and in {elsewhere:.0f} of them when "
        "the game itself does not help to fit it."
        for row in rule[rule.dataset == "all"].itertuples()
    ]


def _draw_map(ax: Axes, part: pd.DataFrame) -> None:
    """Draw one game over the plane of pairs and games."""
    shares, games = np.sort(part.share.unique()), np.sort(part.games.unique())
    gap = "\n" if len(shares) > 4 else " "
    for x, y in np.ndindex(len(shares), len(games)):
        cell = part[(part.share == shares[x]) & (part.games == games[y])]
        best, ratio = cell.best.iloc[0], cell[cell.family.isin(CYCLIC)].ratio.max()
        equal = best == NO_DIFFERENCE
        colour = EQUAL if equal else CMAP(NORM(math.log2(ratio)))
        ax.fill([x - 0.5, x + 0.5, x + 0.5, x - 0.5], [y - 0.5, y - 0.5, y + 0.5, y + 0.5], color=colour, linewidth=0)
        text = f"{ratio:.{2 if ratio < 1.995 else 1 if ratio < 9.95 else 0}f}"
        dark = not equal and abs(NORM(math.log2(ratio)) - 0.5) > 0.35
        ax.text(
            x, y, text if equal else f"{letters(best)}{gap}{text}", ha="center", va="center", fontsize=SMALL,
            color="white" if dark else BLACK,
        )  # fmt: skip
    ax.set_xlim(-0.5, len(shares) - 0.5)
    ax.set_ylim(-0.5, len(games) - 0.5)
    opponents = part.groupby("share").opponents.first()
    ax.set_xticks(range(len(shares)), [f"{100 * one:g} %\n{opponents[one]:.0f}" for one in shares])
    ax.set_yticks(range(len(games)), ["∞" if math.isinf(one) else f"{one:g}" for one in games])
    ax.tick_params(length=0)
    ax.set_xlabel("pairs seen; opponents a player")
    ax.set_ylabel("games a pair")


def _draw_curve(ax: Axes, part: pd.DataFrame) -> None:
    """Draw the log-loss of hidden games of one league, by the games of a player that are kept."""
    shares, games = np.unique(part.share, return_index=True)
    games = part.games_a_player.to_numpy()[games]
    for family in part.family.unique():
        curve = part[part.family == family]
        _, _, colour, marker = LOOKS[family]
        x = curve.share.map({share: at for at, share in enumerate(shares)})
        ax.plot(x, curve.score, color=colour, linewidth=0.8, zorder=2)
        differs = (curve.low > 0) | (curve.high < 0) | (family == ELO)
        for fill, some in ((colour, differs), ("white", ~differs)):
            ax.plot(
                x[some], curve.score[some], linestyle="none", marker=marker, markersize=3.5, color=colour,
                markerfacecolor=fill, markeredgewidth=0.7, zorder=3,
            )  # fmt: skip
    ax.set_xticks(range(len(shares)), [f"{a:.0f}\n{100 * b:g} %" for a, b in zip(games, shares, strict=True)])
    ax.set_xlabel("games a player; of all")
    ax.set_ylabel("log-loss of a game")
    handles = [
        Line2D([], [], color=LOOKS[one][2], marker=LOOKS[one][3], markersize=3.5, linewidth=0.8, label=LOOKS[one][1])
        for one in part.family.unique()
    ]
    # The upper half is kept free for the legend and the badge.
    low, high = ax.get_ylim()
    ax.set_ylim(low, 2 * high - low)
    ax.legend(handles=handles, loc="upper right", borderaxespad=0.1)
