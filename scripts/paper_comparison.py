"""The comparison with the paper: results/tables/paper_comparison.csv, one row an item.

Columns: item, quantity, paper, ours, ratio (ours / paper), tolerance, verdict (reproduced, differs, not run),
note, expected. Every input but the paper's tables may be left out: what needs it is then 'not run'.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction import cli
from transitivity.errors import InputError
from transitivity.files import write_table
from transitivity.payoff.core import Payoff

if TYPE_CHECKING:
    import pandas as pd


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--paper", type=Path, default="workflow/paper", help="folder of the paper's numbers")
    parser.add_argument("--scores", type=Path, help="results/tables/scores.csv")
    parser.add_argument("--datasets", type=Path, help="results/datasets.csv: dataset, origin, n_players, ...")
    files = {"nargs": "*", "type": Path, "default": []}
    parser.add_argument(
        "--decompositions", **files, help="results/decompositions/*.csv: u and v of each player"
    )
    parser.add_argument("--hulls", **files, help="results/decompositions/*.json: transitive or not")
    parser.add_argument("--nash-clusters", **files, help="results/nash_clusters/*.csv")
    parser.add_argument("--payoffs", **files, help="results/payoffs/*.npz of the games of Figure 1")
    parser.add_argument("--example-03", type=Path, help="results/examples/example_03.csv")
    parser.add_argument("--identifiability", type=Path, help="results/tables/identifiability.csv")
    parser.add_argument("--lichess-files", type=Path, help="results/tables/lichess_files.csv")
    parser.add_argument("--output", type=Path, required=True, help="the comparison (CSV)")
    return parser.parse_args(argv)


def read(path: Path | None) -> pd.DataFrame | None:
    import pandas as pd

    if path is not None and not path.is_file():
        raise InputError(f"{path} is not there; make it, or leave its option out.")
    return None if path is None else pd.read_csv(path, dtype={"player": str})


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    from reproduction.paper.compare import compare
    from reproduction.paper.numbers import read_paper
    from reproduction.paper.results import Results, read_hulls

    for path in [*arguments.hulls, *arguments.payoffs]:
        if not path.is_file():
            raise InputError(f"{path} is not there; make it, or leave it out of the list.")
    results = Results(
        scores=read(arguments.scores),
        datasets=read(arguments.datasets),
        planes={path.stem: read(path) for path in arguments.decompositions},
        hulls=read_hulls(arguments.hulls),
        clusters={path.stem: read(path) for path in arguments.nash_clusters},
        payoffs={path.stem: Payoff.load(path) for path in arguments.payoffs},
        example_03=read(arguments.example_03),
        human=read(arguments.identifiability),
        lichess_files=read(arguments.lichess_files),
    )
    write_table(compare(read_paper(arguments.paper), results), arguments.output)


if __name__ == "__main__":
    cli.run(main)
