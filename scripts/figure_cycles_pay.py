"""When modelling cycles predicts better: a map of pairs and games for each game, a curve for each league.

The data are those columns of results/tables/cycles_pay.csv that are drawn, a row a cell and family (docs/results.md).
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.figures.cycles_pay import draw_cycles_pay
from reproduction.figures.inputs import DatasetInfo
from reproduction.figures.style import argument_parser, style, write
from transitivity.files import read_table


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__, "dataset-table")
    parser.add_argument("--table", required=True, type=Path, help="results/tables/cycles_pay.csv")
    parser.add_argument("--rule", required=True, type=Path, help="results/tables/cycles_rule.csv")
    arguments = parser.parse_args(argv)
    numbers = "share games opponents games_a_player score low high ratio".split()
    table = read_table(arguments.table, ("dataset", "kind", "family", "best"), numbers)
    numbers = "opponents games_a_player cells wrong wrong_elsewhere".split()
    rule = read_table(arguments.rule, ("dataset",), numbers)
    with style():
        write(draw_cycles_pay(table, rule, DatasetInfo.read(arguments.dataset_table)), table, arguments)


if __name__ == "__main__":
    cli.run(main)
