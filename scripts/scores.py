"""Put the tables of all fits under each other: protocol by protocol, dataset by dataset, model by model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from reproduction import cli
from transitivity.files import read_cells, write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--fits", required=True, type=Path, help="folder of DATASET/MODEL.scores.csv and .fits.csv")
    parser.add_argument(
        "--protocols",
        required=True,
        type=json.loads,
        help='what to read, in order, as JSON: {"written": {"datasets": ["rps"], "models": ["elo"]}}',
    )
    parser.add_argument("--scores", required=True, type=Path, help="output: all scores (.csv)")
    parser.add_argument("--timings", required=True, type=Path, help="output: how all fits went (.csv)")
    arguments = parser.parse_args()
    import pandas as pd

    for suffix, output in (("scores.csv", arguments.scores), ("fits.csv", arguments.timings)):
        # Cells stay the text that they are, so that no number changes on its way.
        read, frames = cache(read_cells), []
        for protocol, about in arguments.protocols.items():
            for dataset in about["datasets"]:
                for model in about["models"]:
                    frame = read(arguments.fits / dataset / f"{model}.{suffix}")
                    frames.append(frame[frame["protocol"] == protocol])
        write_table(pd.concat(frames), output)


if __name__ == "__main__":
    cli.run(main)
