"""Figure 6: the mean of log10(Elo's MSE / a model's MSE) over games, against the model's parameters per player.

A panel a protocol; with --intervals, which needs repeated hold-outs, each point has its 95 % interval. The mean is over
the paper's games (its Figure 5 and 5,3-Blotto) that have scores in this run; a model that lacks one of them is named
under the figure. Simulated games are counted on the panel and named. Open diamonds are the paper's means over its 20
games; crosses are the means of the paper's bars over the games drawn here: a cross lies on its point where
these games are the paper's own.

The data have one row a mark: protocol, series ("ours", "paper", "paper, same games"), model, params_per_player,
n_games, n_simulated (of them), log10_ratio (the height of the mark), and with --intervals log10_low, log10_high.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, read_paper_bars, read_scores
from reproduction.figures.looks import family_looks, models_of_figure, order_families
from reproduction.figures.marks import nothing_to_draw
from reproduction.figures.ratios import parser_of_ratios, ratio_bars
from reproduction.figures.ratios_by_size import draw_sizes, size_marks, small_print
from reproduction.figures.style import style, write
from reproduction.paper.numbers import averaged_games
from transitivity.evaluation.ratios import REFERENCE, family_labels
from transitivity.files import read_table


def main(argv: list[str] | None = None) -> None:
    parser = parser_of_ratios(__doc__)
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_6.csv")
    parser.add_argument("--paper-games", required=True, type=Path, help="workflow/paper/figure_5.csv: the games")
    parser.add_argument("--paper-datasets", type=Path, help="workflow/paper/datasets.csv: labels of absent games")
    parser.add_argument("--intervals", action="store_true", help="draw intervals over repeated hold-outs")
    arguments = parser.parse_args(argv)
    info = DatasetInfo.read(arguments.dataset_table, arguments.paper_datasets)
    scores = read_scores(arguments.scores, arguments.protocols)
    paper = read_paper_bars(arguments.paper_games)
    means = read_table(arguments.paper, text=("model",), numbers=("log10_average",))
    asked = averaged_games(paper, 6)
    models = [REFERENCE, *models_of_figure(scores["model"], arguments.without_models)]
    bars = ratio_bars(scores[scores["model"].isin(models)], paper, asked, asked)
    games = [dataset for dataset in asked if (bars["dataset"] == dataset).any()]
    data = size_marks(bars, means, arguments.intervals)
    simulated = [dataset for dataset in games if dataset in info.simulated]
    data.insert(5, "n_simulated", np.where(data["series"] == "ours", len(simulated), 0))
    looks = family_looks(order_families(data["model"].tolist()), family_labels(scores))
    drawn = [protocol for protocol in arguments.protocols if (data["protocol"] == protocol).any()]
    with style():
        # Without a single mark, the axes and what is written below them are left.
        figure = (
            draw_sizes(data, drawn or arguments.protocols, looks, small_print(data, games, asked, info))
            if games
            else nothing_to_draw(arguments.protocols)
        )
        write(figure, data, arguments)


if __name__ == "__main__":
    cli.run(main)
