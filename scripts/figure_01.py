"""Figure 1: payoff matrices of an Elo game (left) and of a cyclic disc game (right).

The data have one row a cell above the diagonal: dataset, simulated, x (column), y (row), both from 0, and value,
the probability that the player of the row beats the player of the column. The mirror cell is 1 - value and the
diagonal 1/2. Players are in the order of the file; beyond `plotting.MAX_CELLS` players a cell is a mean over a block.
"""

import argparse
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, load_payoff
from reproduction.figures.marks import badge
from reproduction.figures.payoff_cells import MAX_CELLS, cells_frame, draw_payoff, frame_cells, payoff_cells
from reproduction.figures.style import COLUMN_WIDTH, LARGE, argument_parser, style, write

TITLES = {"example_elo": "Elo game", "example_cyclic_disc": "Cyclic disc game"}


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    info = DatasetInfo.read(arguments.dataset_table)
    paths = [arguments.elo, arguments.disc]
    parts, sizes = [], []
    for path in paths:
        payoff = load_payoff(path)
        cells = cells_frame(payoff_cells(payoff, sort=False))
        parts.append(cells.assign(dataset=path.stem, simulated=path.stem in info.simulated))
        sizes.append(payoff.n_players)
    with style():
        figure = draw(parts, sizes, [TITLES.get(path.stem) or info.label(path.stem) for path in paths])
        data = pd.concat(parts, ignore_index=True)[["dataset", "simulated", "x", "y", "value"]]
        write(figure, data, arguments)


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--elo", required=True, type=Path, help="payoff (.npz) of the Elo game, Example 1")
    parser.add_argument("--disc", required=True, type=Path, help="payoff (.npz) of the disc game, Example 2")
    parser.add_argument("--dataset-table", type=Path, help="results/datasets.csv: labels, simulated or not")
    return parser.parse_args(argv)


def draw(parts: list[pd.DataFrame], sizes: list[int], titles: list[str]) -> Figure:
    figure = Figure(figsize=(COLUMN_WIDTH, 1.79))
    width, height = figure.get_size_inches()
    side = 1.22
    for column, (cells, n, title) in enumerate(zip(parts, sizes, titles, strict=True)):
        left = 0.28 + column * (side + 0.14)
        ax = figure.add_axes((left / width, 0.33 / height, side / width, side / height))
        image = draw_payoff(ax, frame_cells(cells))
        ax.set_title(title, fontsize=LARGE)
        ax.set_xlabel("player j")
        label_players(ax.xaxis, n)
        if column == 0:
            ax.set_ylabel("player i", labelpad=1)
            label_players(ax.yaxis, n)
        if cells["simulated"].iloc[0]:
            badge(ax)
    bar = figure.colorbar(
        image, cax=figure.add_axes((2.92 / width, 0.33 / height, 0.07 / width, side / height))
    )
    bar.outline.set_linewidth(0.4)
    bar.set_ticks([0, 0.5, 1], labels=["0", "½", "1"])
    bar.ax.set_title("$P_{ij}$", parse_math=True)
    return figure


def label_players(axis, n: int) -> None:
    """Number players from 1 on an axis of a matrix; only the first and the last where it is drawn in blocks."""
    cells = min(n, MAX_CELLS)
    if cells == n:
        step = max(1, round(n / 20) * 5)
        players = sorted({1, *range(step, n + 1, step)})
        at = [player - 1 for player in players]
    else:
        players, at = [1, n], [0, cells - 1]
    axis.set_major_locator(FixedLocator(at))
    axis.set_ticklabels([str(player) for player in players])


if __name__ == "__main__":
    cli.run(main)
