"""Compare models over repeated hold-outs: game by game, over games, and with k chosen by validation.

--comparison: one row a protocol, game, model and baseline. --signed-rank: one row a protocol, group of games (`paper`:
those of the paper's Figures 5 and 6; `all`), model and baseline. --choice-of-k: one row a protocol, game, family of
models and repetition. --optima: the disc fitted pair after pair and all pairs at once, where a protocol has both.
--answer: what the protocol `strong` says of the paper's question, in sentences (Markdown).
docs/results.md has the columns.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from transitivity.files import atomic_path, read_any_table, write_table


def main(argv: list[str] | None = None) -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--scores", required=True, type=Path, help="results/tables/scores.csv")
    parser.add_argument("--timings", required=True, type=Path, help="results/timings.csv: convergence")
    parser.add_argument("--datasets", required=True, type=Path, help="results/datasets.csv: labels")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_5.csv: the games")
    parser.add_argument("--comparison", required=True, type=Path, help="output: game by game (.csv)")
    parser.add_argument("--signed-rank", required=True, type=Path, help="output: over games (.csv)")
    parser.add_argument("--choice-of-k", required=True, type=Path, help="output: the chosen k (.csv)")
    parser.add_argument("--optima", required=True, type=Path, help="output: two ways to fit the disc (.csv)")
    parser.add_argument("--answer", required=True, type=Path, help="output: sentences (.md)")
    arguments = parser.parse_args(argv)
    from reproduction.report.answer import GAMES, answer
    from transitivity.evaluation.compare import choose_k, compare_models, compare_optima, signed_rank, with_chosen

    scores = read_any_table(arguments.scores)
    datasets = read_any_table(arguments.datasets)
    choice = choose_k(scores)
    timings = read_any_table(arguments.timings)
    comparison = compare_models(with_chosen(scores, choice), timings)
    tests = signed_rank(comparison, {"paper": set(read_any_table(arguments.paper).dataset), GAMES: None})
    write_table(comparison, arguments.comparison)
    write_table(tests, arguments.signed_rank)
    write_table(choice, arguments.choice_of_k)
    write_table(compare_optima(scores, timings), arguments.optima)
    labels = {row.dataset: row.label or row.dataset for row in datasets.itertuples()}
    with atomic_path(arguments.answer) as temporary:
        temporary.write_text(answer(comparison, tests, labels), encoding="utf-8")


if __name__ == "__main__":
    cli.run(main)
