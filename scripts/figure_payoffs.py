"""Figure 1: payoff matrices of an Elo game (left) and of a cyclic disc game (right).

The data have one row a cell above the diagonal: dataset, simulated, x (column), y (row), both from 0, and value,
the probability that the player of the row beats the player of the column. The mirror cell is 1 - value and the
diagonal 1/2. Players are in the order of the file. With more than `payoff_cells.MAX_CELLS` players, a cell is the mean
over a block of players.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.payoff_cells import cells_frame, payoff_cells
from reproduction.figures.payoffs import draw_matrices
from reproduction.figures.style import argument_parser, style, write
from transitivity.payoff.core import Payoff

TITLES = {"example_elo": "Elo game", "example_cyclic_disc": "Cyclic disc game"}


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__, "dataset-table")
    parser.add_argument("--elo", required=True, type=Path, help="payoff (.npz) of the Elo game, Example 1")
    parser.add_argument("--disc", required=True, type=Path, help="payoff (.npz) of the disc game, Example 2")
    arguments = parser.parse_args(argv)
    info = DatasetInfo.read(arguments.dataset_table)
    paths = [arguments.elo, arguments.disc]
    payoffs = [Payoff.from_file(path) for path in paths]
    parts = [
        cells_frame(payoff_cells(payoff, sort=False)).assign(dataset=path.stem, simulated=path.stem in info.simulated)
        for path, payoff in zip(paths, payoffs, strict=True)
    ]
    titles = [TITLES.get(path.stem) or info.label(path.stem) for path in paths]
    data = pd.concat(parts, ignore_index=True)[["dataset", "simulated", "x", "y", "value"]]
    with style():
        write(draw_matrices(parts, [payoff.n_players for payoff in payoffs], titles), data, arguments)


if __name__ == "__main__":
    cli.run(main)
