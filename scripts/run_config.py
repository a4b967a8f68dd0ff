"""Write the configuration of a run, all files and options merged, and beside it the page about what a run writes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import yaml

from reproduction import cli
from transitivity.files import atomic_path

PROJECT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the configuration, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="the configuration (.yaml)")
    arguments = parser.parse_args()
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(yaml.safe_dump(arguments.config, sort_keys=False, allow_unicode=True), "utf-8")
    page, copy = PROJECT / "results" / "README.md", arguments.output.parent / "README.md"
    if copy.resolve() != page:
        docs = os.path.relpath(PROJECT / "docs", copy.parent)
        with atomic_path(copy) as temporary:
            temporary.write_text(page.read_text("utf-8").replace("(../docs", f"({docs}"), "utf-8")


if __name__ == "__main__":
    cli.run(main)
