"""Figure 7: human games as a function of the least number of games a pair, league by league.

A grid a league, a column a threshold: which pairs are observed, and the disc decompositions in probability and logit
space. --leagues is a JSON object: {title: {dataset: title of its column}}. Where the pairs that met form no cycle, the
panel says that the game is transitive by the graph alone.

The data have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict;
`reproduction.figures.games.game_data` tells what x, y and value are in each panel.
"""

import json
from pathlib import Path

from reproduction import cli
from reproduction.figures.games import draw_games, game_parser, read_games
from reproduction.figures.inputs import clean_label
from reproduction.figures.style import style, write

PANELS = ("payoff", "probability", "logit")


def main(argv: list[str] | None = None) -> None:
    parser = game_parser(__doc__, {}, PANELS)
    parser.add_argument("--leagues", required=True, type=json.loads, help="JSON: {title: {dataset: title}}")
    parser.add_argument("--identifiability", type=Path, help="results/tables/identifiability.csv")
    arguments = parser.parse_args(argv)
    titles = {dataset: title for columns in arguments.leagues.values() for dataset, title in columns.items()}
    arguments.datasets = list(titles)
    games, missing = read_games(arguments, titles)
    drawn = {game.dataset: game for game in games}
    blocks = {
        clean_label(league, 60): [drawn[dataset] for dataset in columns if dataset in drawn]
        for league, columns in arguments.leagues.items()
    }
    with style():
        figure, data = draw_games({name: some for name, some in blocks.items() if some}, PANELS, missing)
        write(figure, data, arguments)


if __name__ == "__main__":
    cli.run(main)
