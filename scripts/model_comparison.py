"""Compare models over repeated hold-outs: game by game, over games, and with k chosen by validation.

--comparison: one row a protocol, game, model and baseline. --signed-rank: one row a protocol, group of games (`paper`:
those of the paper's Figures 5 and 6; `all`), model and baseline; the Blottos count as one game, and so do the datasets
of one league. --best: one row a protocol and game: the model that is named as the best, or why none is. --choice-of-k:
one row a protocol, game, family of models and repetition. --optima: the disc fitted pair after pair and all pairs at
once, where a protocol has both. --answer: what the run says of the paper's question, in sentences (Markdown).
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
    parser.add_argument("--datasets", required=True, type=Path, help="results/datasets.csv: labels, leagues")
    parser.add_argument("--paper", required=True, type=Path, help="workflow/paper/figure_5.csv: the games")
    parser.add_argument("--comparison", required=True, type=Path, help="output: game by game (.csv)")
    parser.add_argument("--signed-rank", required=True, type=Path, help="output: over games (.csv)")
    parser.add_argument("--best", required=True, type=Path, help="output: the best models (.csv)")
    parser.add_argument("--choice-of-k", required=True, type=Path, help="output: the chosen k (.csv)")
    parser.add_argument("--optima", required=True, type=Path, help="output: two ways to fit the disc (.csv)")
    parser.add_argument("--answer", required=True, type=Path, help="output: sentences (.md)")
    arguments = parser.parse_args(argv)
    from reproduction.report.answer import GAMES, answer
    from transitivity.evaluation import compare

    scores, timings, datasets = map(read_any_table, (arguments.scores, arguments.timings, arguments.datasets))
    families = dict(zip(datasets.dataset, datasets.league, strict=True)) | {
        dataset: "blotto" for dataset in datasets.dataset if dataset.startswith("blotto")
    }
    families = {dataset: family for dataset, family in families.items() if family}
    choice = compare.choose_k(scores)
    comparison = compare.compare_models(compare.with_chosen(scores, choice), timings)
    best = compare.best_models(scores)
    groups = {"paper": set(read_any_table(arguments.paper).dataset), GAMES: None}
    tests = compare.signed_rank(comparison, groups, families)
    write_table(comparison, arguments.comparison)
    write_table(tests, arguments.signed_rank)
    write_table(best, arguments.best)
    write_table(choice, arguments.choice_of_k)
    write_table(compare.compare_optima(scores, timings), arguments.optima)
    labels = {row.dataset: row.label or row.dataset for row in datasets.itertuples()}
    with atomic_path(arguments.answer) as temporary:
        temporary.write_text(answer(comparison, best, datasets, timings, families, labels), encoding="utf-8")


if __name__ == "__main__":
    cli.run(main)
