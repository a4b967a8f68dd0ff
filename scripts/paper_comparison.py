"""The comparison with the paper: results/tables/paper_comparison.csv, one row an item.

Columns: item, quantity, paper, ours, ratio (ours / paper), tolerance, verdict (reproduced, differs, not run),
note, expected. Every input but the paper's tables may be left out: what needs it is then 'not run'.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reproduction import cli
from transitivity.errors import InputError
from transitivity.files import read_json, write_table
from transitivity.payoff.core import Payoff

if TYPE_CHECKING:
    import pandas as pd


def existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"{path} does not exist; make it, or leave it out of the options.")
    return path


def read(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(existing(path), dtype={"player": str})


def read_optional(path: Path | None) -> pd.DataFrame | None:
    return None if path is None else read(path)


def main(argv: list[str] | None = None) -> None:
    parser = cli.parser(__doc__, "paper")
    parser.add_argument("--scores", type=Path, help="results/tables/scores.csv")
    parser.add_argument("--datasets", type=Path, help="results/datasets.csv: dataset, origin, n_players, ...")
    for option, what in (
        ("--decompositions", "results/decompositions/*.csv: u and v of each player"),
        ("--hulls", "results/decompositions/*.json: transitive or not"),
        ("--nash-clusters", "results/nash_clusters/*.csv"),
        ("--payoffs", "results/payoffs/*.npz of the games of Figure 1"),
    ):
        parser.add_argument(option, nargs="*", type=Path, default=[], help=what)
    parser.add_argument("--example-03", type=Path, help="results/examples/example_03.csv")
    parser.add_argument("--identifiability", type=Path, help="results/tables/identifiability.csv")
    parser.add_argument("--lichess-files", type=Path, help="results/tables/lichess_files.csv")
    parser.add_argument("--cycles-pay", type=Path, help="results/tables/cycles_pay.csv")
    parser.add_argument("--output", type=Path, required=True, help="the comparison (CSV)")
    arguments = parser.parse_args(argv)
    from reproduction.paper.compare import compare
    from reproduction.paper.numbers import read_paper
    from reproduction.paper.results import Results

    results = Results(
        scores=read_optional(arguments.scores),
        datasets=read_optional(arguments.datasets),
        planes={path.stem: read(path) for path in arguments.decompositions},
        hulls={path.stem: read_json(path) for path in arguments.hulls},
        clusters={path.stem: read(path) for path in arguments.nash_clusters},
        payoffs={path.stem: Payoff.load(existing(path)) for path in arguments.payoffs},
        example_03=read_optional(arguments.example_03),
        human=read_optional(arguments.identifiability),
        lichess_files=read_optional(arguments.lichess_files),
        cycles=read_optional(arguments.cycles_pay),
    )
    write_table(compare(read_paper(arguments.paper), results), arguments.output)


if __name__ == "__main__":
    cli.run(main)
