"""Figure 2: the Elo score fails to rank the players of some transitive games (Example 3).

The data have one row a dot: gamma, delta, value (u1 - u2, Elo ratings in natural logits;
positive where player 1, who beats player 2, is ranked above), ranking (right, wrong, tie or missing), and area, that of
the dot in square points: proportional to abs(value), but see `plotting.signed_dots`.
"""

from reproduction import cli
from reproduction.figures.example_3 import signed_dots_figure


def main(argv: list[str] | None = None) -> None:
    symbols = {"right": "$u_1 > u_2$", "wrong": "$u_1 < u_2$"}
    signed_dots_figure(argv, __doc__, "elo_difference", symbols, "$|u_1 - u_2|$", boundary=True)


if __name__ == "__main__":
    cli.run(main)
