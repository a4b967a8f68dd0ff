"""Figure 3: the disc decomposition ranks the players of every transitive game of Example 3.

The data have one row a dot: gamma, delta, value (u1 v2 - v1 u2, the logit of the first disc component;
positive where player 1, who beats player 2, is ranked above), ranking (right, wrong, tie or missing), and area, that of
the dot in square points: proportional to abs(value), but see `plotting.signed_dots`.
"""

import argparse
from pathlib import Path

from transitivity import plotting


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    grid = plotting.read_columns(arguments.grid, numbers=("gamma", "delta", "disc_logit"))
    dots = plotting.signed_dots(grid["gamma"], grid["delta"], grid["disc_logit"])
    with plotting.style():
        symbols = {"right": "$u_1 v_2 > v_1 u_2$", "wrong": "$u_1 v_2 < v_1 u_2$"}
        figure = plotting.draw_signed_dots(dots, symbols, "$|u_1 v_2 - v_1 u_2|$", boundary=False)
        plotting.write(figure, dots, arguments)


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = plotting.argument_parser(__doc__)
    parser.add_argument("--grid", required=True, type=Path, help="results/examples/example_03.csv")
    return parser.parse_args(argv)


if __name__ == "__main__":
    plotting.run(main)
