"""The report: one self-contained HTML page (no network, no script) of a run.

Short answers come first, or one's own data where no game of the run is the paper's.
Every input may be left out: its section then says that it was not given. Apart from run times, the same inputs give the
same bytes.
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
    files = {"nargs": "*", "type": Path, "default": []}
    for name, what in (TABLES | FURTHER_TABLES).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, metavar="CSV", help=what)
    parser.add_argument("--answer", type=Path, help="results/tables/answer.md: what the page says first")
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
    parser.add_argument("--benchmarks", type=Path, help="folder of the workflow's benchmark files")
    parser.add_argument("--provenance", type=Path, help="results/provenance.json")
    parser.add_argument("--config", type=Path, help="results/run_config.yaml, the merged configuration")
    parser.add_argument("--output", type=Path, required=True, help="results/report.html")
    arguments = parser.parse_args(argv)
    texts = {
        name: path.read_text(encoding="utf-8")
        for name in ("answer", "config")
        if (path := getattr(arguments, name)) and path.is_file()
    }
    provenance = arguments.provenance
    given = Given(
        paper=read_paper(arguments.paper),
        captions=arguments.captions,
        columns=arguments.columns,
        tables={
            name: read_any_table(path)
            for name in TABLES | FURTHER_TABLES
            if (path := getattr(arguments, name)) and path.is_file()
        },
        league_tables={path.stem: read_any_table(path) for path in arguments.league_tables},
        figures=[path for path in arguments.figures if path.is_file()],
        figure_data=arguments.figure_data,
        planes={path.stem: read_any_table(path) for path in arguments.decompositions},
        left_out=arguments.left_out,
        answer=texts["answer"].splitlines() if "answer" in texts else None,
        provenance=read_json(provenance) if provenance and provenance.is_file() else None,
        config=texts.get("config"),
        benchmarks=arguments.benchmarks,
    )
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(render(given), encoding="utf-8")


if __name__ == "__main__":
    cli.run(main)
