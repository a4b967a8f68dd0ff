"""The games on the spectrum from transitive to cyclic, by every measure, and how far the measures agree.

A row a game, the most transitive first (by its mean rank over the measures), a column a kind of measure; right is
more transitive by each measure. Below, Spearman's rank correlation of each two measures over the games. With few games
there are neither ranks nor correlations, and the games are in the order of the table.

--agreement has one row a pair of measures: measure, other, n_games, spearman. The data have one row a mark: panel,
place (row of the game, from 0), dataset, simulated, measure, value; no row where a measure is not defined.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.spectrum import draw_spectrum, spectrum_marks, unplaced
from reproduction.figures.style import argument_parser, style, write
from transitivity.errors import InputError
from transitivity.files import read_table, write_table
from transitivity.measures.spectrum import NUMBERS, agreement, measures


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__, "dataset-table")
    parser.add_argument("--transitivity", required=True, type=Path, help="results/tables/transitivity.csv")
    parser.add_argument("--agreement", required=True, type=Path, help="output: correlations (.csv)")
    arguments = parser.parse_args(argv)
    info = DatasetInfo.read(arguments.dataset_table)
    verdicts = ("dataset", "verdict_logit", "verdict_probability")
    table = read_table(arguments.transitivity, text=verdicts, numbers=NUMBERS)
    if table.empty:
        raise InputError(f"{arguments.transitivity} lists no game; run at least one.")
    values = measures(table)
    correlations = agreement(values)
    write_table(correlations, arguments.agreement)
    data = spectrum_marks(values, info)
    with style():
        write(draw_spectrum(data, correlations, info, unplaced(values, info)), data, arguments)


if __name__ == "__main__":
    cli.run(main)
