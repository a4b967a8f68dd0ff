"""Figure 8: from Elo to disc game, as Figure 4, with the Nash clusters of Czarnecki et al. 2020.

A column a dataset: those of --datasets for which a payoff is given; the others are named under the figure. The data
have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict;
`reproduction.figures.games.game_data` tells what x, y and value are in each panel.
"""

from reproduction import cli
from reproduction.figures.games import PANELS, game_figure

COLUMNS = {
    "elo_game": "Elo game",
    "mixture_075": "ratio = 0.75",
    "mixture_050": "ratio = 0.5",
    "mixture_025": "ratio = 0.25",
    "disc_game": "Disc game",
}
PANELS = PANELS


def main(argv: list[str] | None = None) -> None:
    game_figure(argv, __doc__, COLUMNS, PANELS)


if __name__ == "__main__":
    cli.run(main)
