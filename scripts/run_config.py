"""Write the configuration of a run, all files and options merged."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from reproduction import cli
from transitivity.files import atomic_path


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the configuration, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="the configuration (.yaml)")
    arguments = parser.parse_args()
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(yaml.safe_dump(arguments.config, sort_keys=False, allow_unicode=True), "utf-8")


if __name__ == "__main__":
    cli.run(main)
