"""Figure 9: transitive and cyclic games of Czarnecki et al. 2020, as Figure 8.

A column a dataset: those of --datasets for which a payoff is given; the others are named under the figure. The data
have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict;
`reproduction.figures.games.game_data` tells what x, y and value are in each panel.
"""

from reproduction import cli
from reproduction.figures.games import PANELS, game_figure

COLUMNS = {
    "go_3": "Go 3×3",
    "go_4": "Go 4×4",
    "alphastar": "AlphaStar",
    "kuhn_poker": "Kuhn poker",
    "blotto_10_3": "10,3-Blotto",
    "blotto_10_5": "10,5-Blotto",
}
PANELS = PANELS


def main(argv: list[str] | None = None) -> None:
    game_figure(argv, __doc__, COLUMNS, PANELS)


if __name__ == "__main__":
    cli.run(main)
