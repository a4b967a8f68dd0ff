"""Figures 2 and 3: whether Elo, and whether the disc decomposition, ranks the players of the games of Example 3.

The data have one row a dot: gamma, delta, value, ranking (right, wrong or tie), and area, that of the dot in
square points (see `reproduction.figures.example_3.signed_dots`). The value is positive where player 1, who beats player
2, is ranked above: u1 - u2, Elo ratings in natural logits, for --quantity elo_difference; u1 v2 - v1 u2, the logit of
the first disc component, for disc_logit.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.figures.example_3 import QUANTITIES, draw_signed_dots, signed_dots
from reproduction.figures.style import argument_parser, style, write
from transitivity.files import read_table


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--grid", required=True, type=Path, help="results/examples/example_03.csv")
    parser.add_argument("--quantity", required=True, choices=QUANTITIES, help="the column to draw")
    arguments = parser.parse_args(argv)
    grid = read_table(arguments.grid, numbers=("gamma", "delta", arguments.quantity))
    dots = signed_dots(grid["gamma"], grid["delta"], grid[arguments.quantity])
    with style():
        write(draw_signed_dots(dots, QUANTITIES[arguments.quantity]), dots, arguments)


if __name__ == "__main__":
    cli.run(main)
