"""The payoffs that came as files of the user's own, as Figure 8: a column a game, a grid for every six of them.

The data have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict;
`reproduction.figures.games.game_data` tells what x, y and value are in each panel.
"""

from reproduction import cli
from reproduction.figures.games import PANELS, draw_games, game_parser, read_games
from reproduction.figures.style import style, write

PANELS = PANELS
#: Columns of a grid.
ACROSS = 6


def main(argv: list[str] | None = None) -> None:
    arguments = game_parser(__doc__, {}, PANELS).parse_args(argv)
    games, missing = read_games(arguments, {})
    grids = [games[at : at + ACROSS] for at in range(0, len(games), ACROSS)]
    blocks = {
        f"Grid {number} of {len(grids)}" if len(grids) > 1 else "": grid
        for number, grid in enumerate(grids, 1)
    }
    with style():
        figure, data = draw_games(blocks, PANELS, missing)
        write(figure, data, arguments)


if __name__ == "__main__":
    cli.run(main)
