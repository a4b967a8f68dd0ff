"""Figure 5: Elo's mean squared error on hidden pairs over each model's, game by game; above 1 the model is better.

A row of bars a protocol; with --intervals, which needs repeated hold-outs, each bar has its 95 % interval. First comes
the geometric mean ("log avg") over the paper's games in this run, then the games in the paper's order, then those of
--further-games, which do not enter the mean. Simulated games are marked. Black ticks are the paper's bars; beside a
mean, the mean of the paper's bars over the same games. Games without scores are named under the figure.

The data have one row a bar: protocol, dataset ("log_average" for the mean), simulated, model, params_per_player,
log10_ratio, ratio (empty where there is no bar: an error is infinite or missing, or too few pairs can be hidden),
n_games, paper_ratio (the tick), and with --intervals low, high.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, read_paper_bars, read_scores
from reproduction.figures.looks import models_of_figure
from reproduction.figures.ratios import parser_of_ratios
from reproduction.figures.ratios_by_game import GameBars, draw_game_bars
from reproduction.figures.style import style, write


def main(argv: list[str] | None = None) -> None:
    parser = parser_of_ratios(__doc__)
    parser.add_argument("--paper-games", required=True, type=Path, help="workflow/paper/figure_5.csv")
    parser.add_argument("--paper-datasets", type=Path, help="workflow/paper/datasets.csv: labels of absent games")
    parser.add_argument("--intervals", action="store_true", help="draw intervals over repeated hold-outs")
    parser.add_argument("--further-games", nargs="+", default=[], metavar="ID", help="datasets the paper does not have")
    arguments = parser.parse_args(argv)
    info = DatasetInfo.read(arguments.dataset_table, arguments.paper_datasets)
    scores = read_scores(arguments.scores, arguments.protocols)
    models = models_of_figure(scores["model"], arguments.without_models)
    bars = GameBars.of(scores, read_paper_bars(arguments.paper_games), models, arguments.further_games)
    with style():
        figure = draw_game_bars(bars, arguments.protocols, info, arguments.intervals)
        write(figure, bars.data(info.simulated, arguments.intervals), arguments)


if __name__ == "__main__":
    cli.run(main)
