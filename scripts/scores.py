"""Put the tables of all fits under each other: protocol by protocol, dataset by dataset, model by model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from reproduction import cli
from transitivity.files import read_table, write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--fits", required=True, type=Path, help="folder of the tables")
    parser.add_argument("--suffix", required=True, help="DATASET/MODEL.SUFFIX is the table of a fit")
    parser.add_argument(
        "--protocols",
        required=True,
        type=json.loads,
        help='what to read, in order, as JSON: {"written": {"datasets": ["rps"], "models": ["elo"]}}',
    )
    parser.add_argument("--output", required=True, type=Path, help="all their rows (.csv)")
    arguments = parser.parse_args()
    import pandas as pd

    # Cells stay the text that they are, so that no number changes on its way.
    read, frames = cache(read_table), []
    for protocol, about in arguments.protocols.items():
        for dataset in about["datasets"]:
            for model in about["models"]:
                frame = read(arguments.fits / dataset / f"{model}.{arguments.suffix}")
                frames.append(frame[frame["protocol"] == protocol])
    write_table(pd.concat(frames), arguments.output)


if __name__ == "__main__":
    cli.run(main)
