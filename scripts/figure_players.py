"""The best players of each league, with 90 % intervals of their ratings.

The data have one row a player: dataset, dataset_label, rank, player, points, points_low, points_high, prior_points,
games, note.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reproduction import cli
from reproduction.figures.players import draw_players, shown_players
from reproduction.figures.style import argument_parser, style, write
from transitivity.files import read_table

NUMBERS = ("points", "points_low", "points_high", "prior_points", "rank", "games", "component")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--ratings", required=True, type=Path, help="results/tables/ratings.csv")
    parser.add_argument("--datasets", required=True, nargs="+", help="ids of the leagues, a panel each")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    ratings = read_table(arguments.ratings, text=("dataset", "dataset_label", "player", "note"), numbers=NUMBERS)
    data = shown_players(ratings, arguments.datasets)
    with style():
        write(draw_players(data), data, arguments)


if __name__ == "__main__":
    cli.run(main)
