"""Figure 10: Elo's error on hidden pairs over that of each model, by the least number of games a pair.

A panel a league and protocol, a group of bars a threshold; above 1 the model is better than Elo. --leagues is a JSON
object: {title: {dataset: title of its group}}. Whiskers are 95 % intervals over the repeated hold-outs, where there are
several; black ticks the paper's bars, beside real games only.

The data have one row a bar: protocol, league, dataset, simulated, threshold (the group's title), model,
params_per_player, log10_ratio, ratio (empty where an error is infinite or missing, or too few pairs can be hidden),
low and high (the whiskers), paper_ratio (the tick).
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction import cli
from reproduction.figures.inputs import DatasetInfo, read_scores
from reproduction.figures.looks import family_looks, models_of_figure, order_families
from reproduction.figures.ratios import parser_of_ratios
from reproduction.figures.ratios_by_threshold import COLUMNS, draw_thresholds, threshold_bars
from reproduction.figures.style import style, write
from transitivity.evaluation.ratios import family_labels, split_model
from transitivity.files import read_table


def main(argv: list[str] | None = None) -> None:
    parser = parser_of_ratios(__doc__)
    parser.add_argument("--leagues", required=True, type=json.loads, help="JSON: {title: {dataset: title}}")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_10.csv")
    arguments = parser.parse_args(argv)
    info = DatasetInfo.read(arguments.dataset_table)
    scores = read_scores(arguments.scores, arguments.protocols)
    datasets = [dataset for columns in arguments.leagues.values() for dataset in columns]
    scores = scores[scores["dataset"].isin(datasets)]
    small = [model for model in scores["model"].unique() if split_model(model)[1] <= 1]
    models = models_of_figure(small, arguments.without_models)
    paper = read_table(arguments.paper, text=("threshold", "model"), numbers=("ratio",))
    bars = threshold_bars(scores, arguments.leagues, paper, models, info.simulated)
    looks = family_looks(order_families(models), family_labels(scores))
    with style():
        write(draw_thresholds(bars, arguments.protocols, models, looks, info), bars[COLUMNS], arguments)


if __name__ == "__main__":
    cli.run(main)
