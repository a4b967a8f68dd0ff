"""Figure 3: the disc decomposition ranks the players of every transitive game of Example 3.

The data have one row a dot: gamma, delta, value (u1 v2 - v1 u2, the logit of the first disc component;
positive where player 1, who beats player 2, is ranked above), ranking (right, wrong, tie or missing), and area, that of
the dot in square points: proportional to abs(value), but see `plotting.signed_dots`.
"""

from reproduction import cli
from reproduction.figures.example_3 import signed_dots_figure


def main(argv: list[str] | None = None) -> None:
    symbols = {"right": "$u_1 v_2 > v_1 u_2$", "wrong": "$u_1 v_2 < v_1 u_2$"}
    signed_dots_figure(argv, __doc__, "disc_logit", symbols, "$|u_1 v_2 - v_1 u_2|$", boundary=False)


if __name__ == "__main__":
    cli.run(main)
