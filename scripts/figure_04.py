"""Figure 4: from Elo to disc game: payoff matrices and disc decompositions in probability and logit space.

A column a dataset: those of --datasets for which a payoff is given; the others are named under the figure. The data
have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict; `plotting.game_data` tells what
x, y and value are in each panel.
"""

import argparse

from transitivity import plotting

COLUMNS = {
    "elo_game": "Elo game",
    "mixture_075": "ratio = 0.75",
    "mixture_050": "ratio = 0.5",
    "mixture_025": "ratio = 0.25",
    "disc_game": "Disc game",
}
PANELS = ("payoff", "probability", "logit")


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    games, missing = plotting.read_games(arguments, COLUMNS)
    with plotting.style():
        figure, data = plotting.draw_games(games, PANELS, missing)
        plotting.write(figure, data, arguments)


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = plotting.argument_parser(__doc__)
    plotting.game_arguments(parser, list(COLUMNS), nash=False)
    return parser.parse_args(argv)


if __name__ == "__main__":
    plotting.run(main)
