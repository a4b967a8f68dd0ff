"""The report: one self-contained HTML page (no network, no script) of a run.

Short answers come first, or one's own data where no game of the run is the paper's. Apart from run times, the same
inputs give the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction import cli
from reproduction.paper.numbers import read_paper
from reproduction.report.page import FURTHER_TABLES, TABLES, Given, render
from transitivity.files import atomic_path, read_any_table, read_json


def main(argv: list[str] | None = None) -> None:
    parser = cli.parser(__doc__, "paper")
    needed, files = {"type": Path, "required": True}, {"nargs": "*", "type": Path, "default": []}
    for name, what in TABLES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="CSV", help=what, **needed)
    for name, what in FURTHER_TABLES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, metavar="CSV", help=f"{what}, if there are any")
    parser.add_argument("--answer", **needed, help="results/tables/answer.md: what the page says first")
    parser.add_argument("--figures", **files, help="results/figures/figure_XX.png")
    parser.add_argument("--figure-data", **files, help="results/figures/data/figure_XX.csv (marks what is simulated)")
    parser.add_argument("--left-out", type=json.loads, default={}, help="JSON: {figure: why the run does not have it}")
    parser.add_argument(
        "--captions", type=Path, default="workflow/report", help="folder of the captions of tables (.rst)"
    )
    parser.add_argument(
        "--columns", type=Path, default="docs/results.md", help="page that says what columns mean (.md)"
    )
    parser.add_argument("--decompositions", **files, help="results/decompositions/ID.csv of one's own data")
    parser.add_argument(
        "--league-tables", **files, help="results/tables/matchups.csv, dropped.csv, identifiability.csv"
    )
    parser.add_argument("--benchmarks", **needed, help="folder of the workflow's benchmark files")
    parser.add_argument("--provenance", **needed, help="results/provenance.json")
    parser.add_argument("--config", **needed, help="results/run_config.yaml, the merged configuration")
    parser.add_argument("--output", **needed, help="results/report.html")
    arguments = vars(parser.parse_args(argv))
    tables = {name: arguments.pop(name) for name in TABLES | FURTHER_TABLES}
    output, decompositions = arguments.pop("output"), arguments.pop("decompositions")
    given = Given(
        **arguments
        | {
            "paper": read_paper(arguments["paper"]),
            "tables": {name: read_any_table(path) for name, path in tables.items() if path},
            "league_tables": {path.stem: read_any_table(path) for path in arguments["league_tables"]},
            "planes": {path.stem: read_any_table(path) for path in decompositions},
            "answer": arguments["answer"].read_text(encoding="utf-8").splitlines(),
            "provenance": read_json(arguments["provenance"]),
            "config": arguments["config"].read_text(encoding="utf-8"),
        }
    )
    with atomic_path(output) as temporary:
        temporary.write_text(render(given), encoding="utf-8")


if __name__ == "__main__":
    cli.run(main)
