"""Figures 4, 7, 8 and 9, and that of your own games: grids with a column a game.

The rows are the payoff matrix, the disc decomposition in probability and in logit space and, with --nash, the Nash
clusters of Czarnecki et al. 2020. --columns is a JSON object: {title of a grid: {dataset: title of its column}}; a
dataset without a payoff is named under the figure. With --identifiability, each payoff says how many cycles the graph
of its pairs has.

The data have one row a mark: dataset, simulated, panel, player, x, y, value, on_hull, verdict;
`reproduction.figures.games.game_data` tells what x, y and value are in each panel.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction import cli
from reproduction.figures.game_grids import draw_games
from reproduction.figures.games import PANELS, read_games
from reproduction.figures.inputs import DatasetInfo, read_cycles
from reproduction.figures.style import argument_parser, style, write


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__, "dataset-table")
    files = {"nargs": "*", "type": Path, "metavar": "FILE", "default": []}
    parser.add_argument("--columns", required=True, type=json.loads, help="JSON: {grid: {dataset: title}}")
    parser.add_argument("--payoffs", help="results/payoffs/ID.npz, in any order", **files)
    parser.add_argument("--decompositions", help="results/decompositions/ID.csv", **files)
    parser.add_argument("--verdicts", help="results/decompositions/ID.json", **files)
    parser.add_argument("--nash", help="results/nash_clusters/ID.csv", **files | {"default": None})
    parser.add_argument("--identifiability", type=Path, help="results/tables/identifiability.csv")
    arguments = parser.parse_args(argv)
    files = {
        name: {path.stem: path for path in getattr(arguments, name) or []}
        for name in ("payoffs", "decompositions", "verdicts", "nash")
    }
    info, cycles = DatasetInfo.read(arguments.dataset_table), read_cycles(arguments.identifiability)
    blocks, missing = read_games(arguments.columns, files, info, cycles)
    panels = [panel for panel in PANELS if panel != "nash" or arguments.nash is not None]
    with style():
        write(*draw_games(blocks, panels, missing), arguments)


if __name__ == "__main__":
    cli.run(main)
