"""What the figures share: the style, files that are the same bytes each run, marks, and the drawings used twice.

Every drawing takes the table of the numbers that it draws, so that the CSV beside a figure is the figure.
Mathtext is off by default (`STYLE`): names of players, games and models are data and may hold a dollar sign;
the labels written here ask for it with ``parse_math=True``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import textwrap
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from transitivity.decomposition import BY_GRAPH, NO_CYCLE, convex_hull
from transitivity.errors import InputError, amount, did_you_mean
from transitivity.files import atomic_path, write_table
from transitivity.paired import ratio_intervals
from transitivity.payoff import Payoff

#: Widths of a column and of the text of AISTATS, in inches.
COLUMN_WIDTH, TEXT_WIDTH = 3.25, 6.75

#: Sizes of type in points, at the printed size. None is below 6.
SMALL, MEDIUM, LARGE = 6.5, 7.5, 8.5

#: The rc of every figure. Both families come with matplotlib, so that no figure depends on the machine's fonts.
STYLE = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],
    "font.size": MEDIUM,
    "mathtext.fontset": "stix",
    "text.parse_math": False,
    "text.usetex": False,
    "axes.titlesize": MEDIUM,
    "axes.labelsize": MEDIUM,
    "axes.linewidth": 0.6,
    "axes.titlepad": 3.0,
    "axes.labelpad": 2.0,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 2.0,
    "ytick.major.size": 2.0,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.pad": 1.5,
    "ytick.major.pad": 1.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.hashsalt": "transitivity",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}

#: Wong's colour-blind-safe palette (Okabe and Ito).
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)

#: Payoffs: diverging, white at 1/2; blue where the player of the row wins.
PAYOFF_CMAP, PAYOFF_NORM = "RdBu", Normalize(0, 1)
#: Players: their mean payoff.
PLAYER_CMAP = "cividis"
#: A payoff matrix is drawn with at most this many cells a side; more would be finer than the printed panel.
MAX_CELLS = 160

#: Rows of a grid of games, in the order they are drawn in.
PANELS = ("payoff", "probability", "logit", "nash")

_MODEL_ID = re.compile(r"^(?P<family>.+?)_k(?P<k>\d+)$")
#: Families of models: label, colour, marker. Families not listed take what follows, in turn.
_FAMILIES = {
    "elo": ("Elo", BLACK, "o"),
    "disc": ("disc (logit)", BLUE, "o"),
    "melo_published": ("m-Elo, as published", ORANGE, "s"),
    "melo": ("m-Elo, Eq. 20 as written", GREEN, "^"),
    "melo_logit": ("m-Elo, logit space", PURPLE, "v"),
    "disc_regularised": ("disc, regularised (Eq. 21)", "#004488", "*"),
    "balduzzi_2019": ("Balduzzi 2019", SKY, "D"),
    "elo_plus_plus": ("Elo++", "#7F7F7F", "P"),
}
_FURTHER_COLOURS = (VERMILION, "#882255", "#999933", "#332288", "#AA4499", "#44AA99", "#661100", "#888888")
_FURTHER_MARKERS = ("X", "<", ">", "p", "h", "*", "d", "8")
#: Models that the paper's Figures 5 and 6 leave out; a figure that follows the paper leaves them out too.
BEYOND_FIGURE_5 = ("elo_plus_plus", "balduzzi_2019", "melo_logit", "disc_joint", "disc_regularised")


# -------------------------------------------------------------------- style, files, command line


@contextmanager
def style() -> Iterator[None]:
    """Draw and save in the project's style, whatever the user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def save(figure: Figure, pdf: str | os.PathLike, png: str | os.PathLike) -> None:
    """Write a figure as a vector PDF and a 200-dpi PNG: atomically, and the same bytes for the same drawing.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The drawing; call this inside `style`.
    pdf, png : path-like
        The two files.
    """
    # Neither file says when or with what it was made.
    with atomic_path(pdf) as temporary:
        figure.savefig(
            temporary,
            format="pdf",
            dpi=400,
            metadata={"CreationDate": None, "Creator": None, "Producer": None},
        )
    with atomic_path(png) as temporary:
        figure.savefig(temporary, format="png", dpi=200, metadata={"Software": None})


def argument_parser(documentation: str) -> argparse.ArgumentParser:
    """Return a parser with the flags of the three outputs that every figure has.

    Parameters
    ----------
    documentation : str
        The script's docstring, shown by ``--help``.
    """
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pdf", required=True, type=Path, help="output: the figure, vector")
    parser.add_argument("--png", required=True, type=Path, help="output: the figure, 200 dpi")
    parser.add_argument("--data", required=True, type=Path, help="output: the numbers drawn, CSV")
    return parser


def write(figure: Figure, data: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Write the three outputs named by the flags of `argument_parser`; call this inside `style`."""
    save(figure, arguments.pdf, arguments.png)
    write_table(data, arguments.data)


# -------------------------------------------------------------------- reading


def read_columns(
    path: str | os.PathLike, text: Sequence[str] = (), numbers: Sequence[str] = (), flags: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a CSV whose names are names: a player called "NA", "1e3" or "True" stays that.

    Parameters
    ----------
    path : path-like
        The CSV file, UTF-8.
    text, numbers, flags : sequences of str
        The columns that must be there: strings, floats (empty is NaN), and booleans. Others are kept as strings.

    Raises
    ------
    InputError
        If the file or a column is missing, or a number or a flag is none.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise InputError(
            f"There is no file {path}; run the rule that makes it, or correct the path."
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a CSV table in UTF-8 ({error}); make it again.") from None
    for name in (*text, *numbers, *flags):
        if name not in frame:
            raise InputError(
                f"{path} has no column {name!r} but {list(frame)}; add it, or make the file again."
            )
    for name in numbers:
        try:
            frame[name] = frame[name].replace("", "nan").astype(float)
        except ValueError as error:
            raise InputError(f"Column {name!r} of {path} holds no number ({error}); correct it.") from None
    for name in flags:
        lowered = frame[name].str.lower()
        bad = ~lowered.isin(["true", "false", "1", "0", ""])
        if bad.any():
            value = frame[name][bad].iloc[0]
            raise InputError(f"Column {name!r} of {path} holds {value!r}; write true or false.")
        frame[name] = lowered.isin(["true", "1"])
    return frame


@dataclass(frozen=True)
class DatasetInfo:
    """What the figures say about the datasets: {id: label} and the ids that are simulated."""

    labels: Mapping[str, str] = field(default_factory=dict)
    simulated: frozenset[str] = frozenset()

    @classmethod
    def read(cls, path: str | os.PathLike | None, further: str | os.PathLike | None = None) -> DatasetInfo:
        """Read labels, and what is simulated.

        Parameters
        ----------
        path : path-like, optional
            results/datasets.csv: dataset, label, simulated.
        further : path-like, optional
            A table with labels of datasets that are not in this run: dataset, label.
        """
        labels, simulated = {}, frozenset()
        if further is not None:
            frame = read_columns(further, text=("dataset", "label"))
            labels.update(zip(frame["dataset"], frame["label"], strict=True))
        if path is not None:
            frame = read_columns(path, text=("dataset", "label"), flags=("simulated",))
            labels.update(zip(frame["dataset"], frame["label"], strict=True))
            simulated = frozenset(frame["dataset"][frame["simulated"]])
        return cls(labels, simulated)

    def label(self, dataset: str, width: int = 24) -> str:
        """Return the label of a dataset, its id where it has none, fit to be drawn."""
        return clean_label(self.labels.get(dataset) or dataset, width)


def clean_label(text: str, width: int = 24) -> str:
    """Return a name on one line, without control characters, at most `width` characters long."""
    text = "".join(c if c.isprintable() else " " for c in str(text))
    text = " ".join(text.split()) or "?"
    return text if len(text) <= width else text[: width - 1] + "…"


# -------------------------------------------------------------------- marks


#: Width and height of a badge, as shares of a panel of the grids of games.
BADGE = 0.46, 0.15


def badge(
    ax: Axes, x: float = 0.04, y: float = 0.04, text: str = "simulated", ha: str = "left", va: str = "bottom"
) -> None:
    """Mark a panel as drawn from simulated data; (x, y) are fractions of the panel, lower left by default."""
    ax.text(
        x,
        y,
        text,
        transform=ax.transAxes,
        fontsize=SMALL,
        ha=ha,
        va=va,
        bbox={
            "boxstyle": "round,pad=0.15",
            "facecolor": YELLOW,
            "edgecolor": BLACK,
            "linewidth": 0.5,
            "alpha": 0.9,
        },
        zorder=20,
    )


def badge_in_a_corner(ax: Axes, marks: np.ndarray, never: np.ndarray | None = None) -> None:
    """Mark a panel as simulated in the corner where the badge hides the fewest marks, lower left of equal ones.

    Parameters
    ----------
    ax : Axes
        With its limits set.
    marks : (m, 2) array
        What is drawn, in data coordinates.
    never : (l, 2) array, optional
        What matters more than all marks, such as the origin.
    """
    to_panel = ax.transData + ax.transAxes.inverted()

    def hidden(points: np.ndarray, right: bool, top: bool) -> int:
        x, y = to_panel.transform(points).T
        x, y = 1 - x if right else x, 1 - y if top else y
        return int(((x < BADGE[0]) & (y < BADGE[1])).sum())

    def cost(corner: tuple[bool, bool]) -> int:
        first = 0 if never is None else hidden(never, *corner)
        return first * (len(marks) + 1) + hidden(marks, *corner)

    right, top = min(((False, False), (False, True), (True, True), (True, False)), key=cost)
    ha, va = "right" if right else "left", "top" if top else "bottom"
    badge(ax, 0.96 if right else 0.04, 0.96 if top else 0.04, ha=ha, va=va)


def note(figure: Figure, lines: Sequence[str], characters: int = 150) -> None:
    """Write small print at the foot of a figure, on as many lines as it needs (see `note_height`)."""
    if lines:
        text = "\n".join(_wrap(lines, characters))
        figure.text(0.01, 0.03 / figure.get_figheight(), text, fontsize=SMALL, va="bottom", linespacing=1.15)


def text_width(text: str, size: float) -> float:
    """Return the width in inches of a line of a size in points."""
    return TextPath((0, 0), text, size=size).get_extents().width / 72


def note_height(lines: Sequence[str], characters: int = 150) -> float:
    """Return the height in inches that `note` takes up for these lines."""
    return len(_wrap(lines, characters)) * SMALL * 1.25 / 72 + (0.06 if lines else 0.0)


def _wrap(lines: Sequence[str], characters: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, characters)]


# -------------------------------------------------------------------- payoff matrices


def payoff_cells(payoff: Payoff, sort: bool = True) -> np.ndarray:
    """Return the cells of a payoff matrix as drawn, (m, m) with m = min(n, MAX_CELLS), rounded to 3 decimals.

    Parameters
    ----------
    payoff : Payoff
        The game.
    sort : bool
        Whether players are sorted by their mean payoff, the strongest first, ties in the order of the file.

    Returns
    -------
    array
        Cell (a, b) is the mean of P over a block of players against a block of players, over the observed pairs
        (and the diagonal, 1/2); NaN where none was observed. One cell a pair where n <= MAX_CELLS.
    """
    n = payoff.n_players
    m = min(n, MAX_CELLS)
    rank = np.arange(n)
    if sort:
        rank[np.argsort(-payoff.mean_payoffs, kind="stable")] = np.arange(n)
    # The edges of the blocks are at k n // m.
    block = ((rank + 1) * m - 1) // n
    i, j = block[payoff.i], block[payoff.j]
    cell = np.concatenate([i * m + j, j * m + i, block * (m + 1)])
    p = np.concatenate([payoff.p, 1 - payoff.p, np.full(n, 0.5)])
    total, count = np.bincount(cell, p, m * m), np.bincount(cell, minlength=m * m)
    P = np.divide(total, count, out=np.full(m * m, np.nan), where=count > 0).reshape(m, m)
    # Rounded above the diagonal and mirrored, so that the CSV, which holds the upper triangle, is what is drawn.
    upper = np.triu(np.round(P, 3), 1)
    lower = np.tril(np.round(1 - upper.T, 3), -1)
    return upper + lower + np.diag(np.full(len(P), 0.5))


def draw_payoff(ax: Axes, cells: np.ndarray) -> ScalarMappable:
    """Draw the cells of a payoff matrix, the first player on top; grey where nothing was observed."""
    cmap = matplotlib.colormaps[PAYOFF_CMAP].with_extremes(bad="#BBBBBB")
    image = ax.imshow(
        np.ma.masked_invalid(cells), cmap=cmap, norm=PAYOFF_NORM, interpolation="nearest", aspect="equal"
    )
    ax.set_xticks([])
    ax.set_yticks([])
    return image


def cells_frame(cells: np.ndarray) -> pd.DataFrame:
    """Return the cells above the diagonal as rows: x (column), y (row), value; the others are their mirror."""
    y, x = np.triu_indices(len(cells), 1)
    return pd.DataFrame({"x": x, "y": y, "value": cells[y, x]})


def frame_cells(frame: pd.DataFrame) -> np.ndarray:
    """Return the matrix of cells from what `cells_frame` made of it."""
    m = int(frame["x"].max()) + 1
    cells = np.full((m, m), 0.5)
    x, y = frame["x"].to_numpy(int), frame["y"].to_numpy(int)
    cells[y, x] = frame["value"]
    cells[x, y] = np.round(1 - frame["value"], 3)
    return cells


# -------------------------------------------------------------------- Figures 4, 8 and 9: a column a game


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
    cycles = _read_cycles(getattr(arguments, "identifiability", None))
    games = [
        Game(
            dataset=dataset,
            label=titles.get(dataset) or info.label(dataset),
            simulated=dataset in info.simulated,
            payoff=load_payoff(payoffs[dataset]),
            players=_read_players(tables.get(dataset)),
            verdicts=_read_verdicts(verdicts.get(dataset)),
            nash=_read_nash(nash.get(dataset)),
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


def load_payoff(path: Path) -> Payoff:
    """Read a payoff (.npz) of the pipeline.

    Raises
    ------
    InputError
        If there is no such file, or it holds something else.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; run the rule that makes it, or correct the path.")
    try:
        return Payoff.load(path)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} is no payoff of this pipeline ({error}); make it with Payoff.save."
        ) from None


def _read_players(path: Path | None) -> pd.DataFrame | None:
    return path and read_columns(path, text=("space", "player"), numbers=("u", "v", "mean_payoff"))


def _read_nash(path: Path | None) -> pd.DataFrame | None:
    return path and read_columns(path, text=("player",), numbers=("cluster", "beaten_share"))


def _read_cycles(path: Path | None) -> dict[str, int]:
    if path is None:
        return {}
    graphs = read_columns(path, text=("dataset",), numbers=("cycles",))
    return dict(zip(graphs["dataset"], graphs["cycles"].astype(int), strict=True))


def _read_verdicts(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {space: str(entry["verdict"]) for space, entry in content.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} holds no verdicts of a decomposition ({error!r}); make it again.") from None


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


# -------------------------------------------------------------------- Figures 2 and 3: the grid of Example 3

#: Largest and smallest dot, in square points; a dot smaller than the smallest would vanish.
LARGEST_DOT, SMALLEST_DOT = 130.0, 1.5


def signed_dots(gamma: np.ndarray, delta: np.ndarray, value: np.ndarray) -> pd.DataFrame:
    """Return the dots of Figure 2 or 3: gamma, delta, value, ranking, area.

    Parameters
    ----------
    gamma, delta : (m,) arrays
        The grid of Example 3.
    value : (m,) array
        Positive where the model ranks player 1 above player 2, as it should.

    Returns
    -------
    DataFrame
        `ranking` is ``right`` (value > 0), ``wrong`` (value < 0), ``tie`` or ``missing`` (NaN); `area` of the dot in
        square points is proportional to abs(value), the largest finite one LARGEST_DOT, none below SMALLEST_DOT. An
        infinite value has the largest dot.
    """
    value = np.asarray(value, dtype=float)
    size = np.abs(value)
    finite = size[np.isfinite(size)]
    largest = finite.max() if len(finite) and finite.max() > 0 else 1.0
    area = np.where(np.isfinite(size), size / largest, 1.0) * LARGEST_DOT
    ranking = np.select([np.isnan(value), value > 0, value < 0], ["missing", "right", "wrong"], "tie")
    return pd.DataFrame(
        {
            "gamma": gamma,
            "delta": delta,
            "value": value,
            "ranking": ranking,
            "area": np.where(np.isnan(value), SMALLEST_DOT, np.maximum(area, SMALLEST_DOT)),
        }
    )


def signed_dots_figure(
    argv: Sequence[str] | None,
    documentation: str,
    column: str,
    symbols: Mapping[str, str],
    quantity: str,
    boundary: bool,
) -> None:
    """Do all of a script that draws a quantity on the grid of Example 3: Figures 2 and 3.

    Parameters
    ----------
    argv : sequence of str, optional
        The command line; that of the process by default.
    documentation : str
        The script's docstring.
    column : str
        The column of the grid's table that is drawn.
    symbols, quantity, boundary
        As for `draw_signed_dots`.
    """
    parser = argument_parser(documentation)
    parser.add_argument("--grid", required=True, type=Path, help="results/examples/example_03.csv")
    arguments = parser.parse_args(argv)
    grid = read_columns(arguments.grid, numbers=("gamma", "delta", column))
    dots = signed_dots(grid["gamma"], grid["delta"], grid[column])
    with style():
        write(draw_signed_dots(dots, symbols, quantity, boundary), dots, arguments)


def draw_signed_dots(dots: pd.DataFrame, symbols: Mapping[str, str], quantity: str, boundary: bool) -> Figure:
    """Draw Figure 2 or 3 at column width.

    Parameters
    ----------
    dots : DataFrame
        Of `signed_dots`.
    symbols : mapping
        {"right", "wrong"}: legend entries, may hold mathtext.
    quantity : str
        What the size of a dot shows, may hold mathtext.
    boundary : bool
        Whether the line δ = 3γ − 1, on which Elo changes its mind, is drawn.
    """
    figure = Figure(figsize=(COLUMN_WIDTH, 2.75))
    ax = figure.add_axes((0.125, 0.135, 0.57, 0.845))
    looks = {
        "right": (BLUE, "o", symbols["right"]),
        "wrong": (VERMILION, "D", symbols["wrong"]),
        "tie": ("#777777", "s", "equal"),
        "missing": ("#777777", "x", "not computed"),
    }
    handles = []
    for ranking, (color, marker, label) in looks.items():
        part = dots[dots["ranking"] == ranking]
        if part.empty and ranking in ("tie", "missing"):
            continue
        infinite = np.isinf(part["value"])
        for rows, face in ((part[~infinite], color), (part[infinite], "none")):
            if len(rows) and marker == "x":
                ax.scatter(rows["gamma"], rows["delta"], s=14, marker=marker, color=color, linewidths=0.8)
            elif len(rows):
                ax.scatter(
                    rows["gamma"], rows["delta"], s=rows["area"], marker=marker, facecolor=face, edgecolor=color,
                    linewidths=0.4 if face != "none" else 1.2, zorder=3,
                )  # fmt: skip
        look = {"color": color, "marker": marker, "linestyle": "none", "markersize": 5}
        handles.append(Line2D([], [], label=label if len(part) else f"{label}: none", **look))
        if infinite.any():
            handles.append(Line2D([], [], label="infinite", markerfacecolor="none", **look))
    low, high = dots["gamma"].min(), dots["gamma"].max()
    pad_x, pad_y = 0.07 * max(high - low, 0.01), 0.07 * max(np.ptp(dots["delta"]), 0.01)
    ax.set_xlim(low - pad_x, high + pad_x)
    ax.set_ylim(dots["delta"].min() - pad_y, dots["delta"].max() + pad_y)
    if boundary:
        line = np.array(ax.get_xlim())
        ax.plot(line, 3 * line - 1, color=BLACK, linewidth=0.8, zorder=2)
        handles.append(Line2D([], [], color=BLACK, linewidth=0.8, label="$\\delta = 3\\gamma - 1$"))
    ax.set_xlabel("$\\gamma = P_{12} = P_{13}$", parse_math=True)
    ax.set_ylabel("$\\delta = P_{23}$", parse_math=True)

    finite = np.abs(dots["value"][np.isfinite(dots["value"])])
    largest = float(finite.max()) if len(finite) else 0.0
    if largest > 0:
        handles.append(Line2D([], [], linestyle="none", label=quantity))
        for share in (1.0, 0.5, 0.1):
            size = np.sqrt(max(LARGEST_DOT * share, SMALLEST_DOT))
            look = {"marker": "o", "linestyle": "none", "markersize": size, "markerfacecolor": "none"}
            handles.append(Line2D([], [], color="#777777", label=f"  {largest * share:.2g}", **look))
    legend = figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.7, 0.99), handlelength=1.2, borderaxespad=0,
        labelspacing=0.75, handletextpad=0.5,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(True)
    return figure


# -------------------------------------------------------------------- Figures 5 and 6: Elo's error over a model's


def split_model(model: str) -> tuple[str, int]:
    """Split a model's id into its family and number of pairs, 0 where it has none: "disc_k2" is ("disc", 2)."""
    match = _MODEL_ID.match(model)
    return (match["family"], int(match["k"])) if match else (model, 0)


@dataclass(frozen=True)
class Look:
    """How a family of models is drawn."""

    label: str
    colour: str
    marker: str
    hatch: str = ""

    def shade(self, k: int, largest: int) -> str:
        """Return the colour of the model with k pairs: the more pairs, the darker."""
        if largest <= 1 or k == 0:
            return self.colour
        lightness = 0.62 * (1 - (k - 1) / (largest - 1))
        return to_hex(np.asarray(to_rgb(self.colour)) * (1 - lightness) + lightness)


def family_looks(families: Sequence[str], labels: Mapping[str, str]) -> dict[str, Look]:
    """Return how each family is drawn: known ones as always, a user's own in further colours, then hatched.

    `labels` are those of `paired.family_labels`, for the user's own.
    """
    looks = {}
    further = 0
    for family in families:
        if family in _FAMILIES:
            looks[family] = Look(*_FAMILIES[family])
        else:
            turn, at = divmod(further, len(_FURTHER_COLOURS))
            hatch = ("", "////", "....", "xxxx")[turn % 4]
            label = clean_label(labels.get(family) or family)
            looks[family] = Look(label, _FURTHER_COLOURS[at], _FURTHER_MARKERS[at], hatch)
            further += 1
    return looks


def order_families(models: Sequence[str]) -> list[str]:
    """Return the families of some models: the known in the order of the legend, then others by name."""
    families = {split_model(model)[0] for model in models}
    return [f for f in _FAMILIES if f in families] + sorted(families - set(_FAMILIES))


def read_scores(path: str | os.PathLike, protocols: Sequence[str], required: bool = True) -> pd.DataFrame:
    """Read results/tables/scores.csv; return the test rows of some protocols.

    Raises
    ------
    InputError
        If no test score of these protocols is there, and some are required.
    """
    scores = read_columns(
        path,
        text=("protocol", "dataset", "model", "repeat", "split", "label"),
        numbers=("n_players", "n_params", "mse"),
    )
    scores = scores[(scores["split"] == "test") & scores["protocol"].isin(protocols)]
    if scores.empty and required:
        raise InputError(
            f"{path} has no test score of protocol {' or '.join(protocols)}; run a protocol first."
        )
    return scores


def error_ratios(scores: pd.DataFrame) -> pd.DataFrame:
    """Return log10(Elo's MSE / the model's MSE) on hidden pairs, averaged over the hold-outs of a game.

    Parameters
    ----------
    scores : DataFrame
        Of `read_scores`: protocol, dataset, model, repeat, n_players, n_params, mse.

    Returns
    -------
    DataFrame
        protocol, dataset, model, params_per_player, log10_ratio: one row a protocol, dataset and model. Both errors
        of a ratio come from the same hold-out. The ratio is NaN where an error is missing, zero or infinite.
    """
    keys = ["protocol", "dataset", "repeat"]
    elo = scores[scores["model"] == "elo"].set_index(keys)["mse"]
    joined = scores.join(elo.rename("elo_mse"), on=keys, how="inner")
    errors = joined[["mse", "elo_mse"]]
    usable = ((errors > 0) & np.isfinite(errors)).all(axis=1)
    joined["log10_ratio"] = np.log10(joined["elo_mse"].where(usable)) - np.log10(joined["mse"].where(usable))
    joined["params_per_player"] = joined["n_params"] / joined["n_players"]
    groups = joined.groupby(["protocol", "dataset", "model"], sort=True)
    return groups.agg(
        params_per_player=("params_per_player", "first"),
        log10_ratio=("log10_ratio", lambda values: values.mean(skipna=False)),
    ).reset_index()


def with_intervals(
    bars: pd.DataFrame, path: str | os.PathLike, protocols: Sequence[str], averaged: Sequence[str]
) -> pd.DataFrame:
    """Return bars of `ratio_bars` with `low` and `high`, the intervals of their ratios over repeated hold-outs.

    Parameters
    ----------
    bars : DataFrame
    path : path-like
        results/tables/scores.csv.
    protocols, averaged : sequences of str
        What is drawn, and the games of the mean.
    """
    scores = read_columns(
        path, text=("protocol", "dataset", "model", "repeat", "split"), numbers=("n_pairs", "mse")
    )
    intervals = ratio_intervals(scores[scores["protocol"].isin(protocols)], averaged)
    return bars.merge(intervals, on=["protocol", "dataset", "model"], how="left")


def read_paper_bars(path: str | os.PathLike) -> pd.DataFrame:
    """Read the bars of the paper's Figure 5: protocol, dataset, model, ratio, source ("printed" or "derived").

    Raises
    ------
    InputError
        If a ratio is not positive.
    """
    bars = read_columns(path, text=("protocol", "dataset", "model", "source"), numbers=("ratio",))
    if not (bars["ratio"] > 0).all():
        bad = bars[~(bars["ratio"] > 0)].iloc[0]
        raise InputError(
            f"{path} has ratio {bad['ratio']} of {bad['dataset']!r}; a ratio of errors is positive."
        )
    return bars


def ratio_bars(
    ratios: pd.DataFrame, paper: pd.DataFrame, games: Sequence[str], averaged: Sequence[str]
) -> pd.DataFrame:
    """Return the bars of Figure 5: those of each game, after those of their geometric mean.

    Parameters
    ----------
    ratios : DataFrame
        Of `error_ratios`.
    paper : DataFrame
        Of `read_paper_bars`.
    games : sequence of str
        The games, in the order of the figure.
    averaged : sequence of str
        Those of them that enter the mean ("log avg").

    Returns
    -------
    DataFrame
        protocol, dataset ("log_average" for the mean), model, params_per_player, log10_ratio, ratio, n_games,
        paper_ratio. `n_games` is the number of games in a mean, 1 for a game. The paper's value beside a mean is the
        mean of the paper's bars over the same games; NaN where the paper has no bar for one of them.
    """
    rows = ratios[ratios["dataset"].isin(games)].merge(
        paper[["protocol", "dataset", "model", "ratio"]].rename(columns={"ratio": "paper_ratio"}),
        on=["protocol", "dataset", "model"],
        how="left",
    )
    rows["paper_log10"] = np.log10(rows["paper_ratio"])
    finite = rows[rows["dataset"].isin(averaged) & rows["log10_ratio"].notna()]
    mean = finite.groupby(["protocol", "model"]).agg(
        params_per_player=("params_per_player", "median"),
        log10_ratio=("log10_ratio", "mean"),
        n_games=("log10_ratio", "size"),
        paper_log10=("paper_log10", lambda values: values.mean(skipna=False)),
    )
    mean = mean.reset_index().assign(dataset="log_average")
    mean["paper_ratio"] = 10 ** mean["paper_log10"]
    bars = pd.concat([mean, rows.assign(n_games=1)], ignore_index=True)
    bars["ratio"] = 10 ** bars["log10_ratio"]
    place = {dataset: at for at, dataset in enumerate(["log_average", *games])}
    bars = bars.assign(place=bars["dataset"].map(place)).sort_values(
        ["protocol", "place", "model"], kind="stable"
    )
    columns = [
        "protocol",
        "dataset",
        "model",
        "params_per_player",
        "log10_ratio",
        "ratio",
        "n_games",
        "paper_ratio",
    ]
    return bars[columns].reset_index(drop=True)


def models_of_figure(models: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """Return the models to draw: those wanted, or all but Elo (the unit) and those the paper's figure leaves out.

    Parameters
    ----------
    models : sequence of str
        Ids with scores.
    wanted : sequence of str, optional
        Ids to draw.

    Raises
    ------
    InputError
        If a wanted model has no scores, or none is left.
    """
    available = sorted(set(models) - {"elo"})
    for name in wanted or ():
        if name not in available:
            raise InputError(f"There are no scores of model {name!r}; {did_you_mean(name, available)}")
    drawn = list(wanted) if wanted else [m for m in available if split_model(m)[0] not in BEYOND_FIGURE_5]
    if not drawn:
        raise InputError("There are no scores of any model to compare with Elo; run at least one more model.")
    families = order_families(drawn)
    return sorted(drawn, key=lambda m: (split_model(m)[1] or np.inf, families.index(split_model(m)[0])))
