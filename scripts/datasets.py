"""List the datasets of a run, and where each comes from.

--table has the columns dataset, origin, label, n_players, n_pairs, simulated, source, league; --provenance is a JSON
list that has sha256, bytes, date and licence too.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from transitivity.files import read_json, write_json, write_table

COLUMNS = ["dataset", "origin", "label", "n_players", "n_pairs", "simulated", "source", "league"]


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--metadata", nargs="+", required=True, type=Path, help="metadata of every dataset (.json)")
    parser.add_argument("--table", required=True, type=Path, help="the datasets (.csv)")
    parser.add_argument("--provenance", required=True, type=Path, help="their provenance (.json)")
    arguments = parser.parse_args()
    import pandas as pd

    found = [read_json(path) for path in arguments.metadata]
    write_table(pd.DataFrame(found, columns=COLUMNS), arguments.table)
    write_json(found, arguments.provenance)


if __name__ == "__main__":
    cli.run(main)
