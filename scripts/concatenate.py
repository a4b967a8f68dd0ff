"""Put the tables of many jobs under each other."""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from transitivity.files import read_cells, write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--tables", nargs="+", required=True, type=Path, help="tables with equal columns (.csv)")
    parser.add_argument("--output", required=True, type=Path, help="all their rows, in the order given (.csv)")
    arguments = parser.parse_args()
    import pandas as pd

    # Cells stay the text that they are, so that no number changes on its way.
    write_table(pd.concat(map(read_cells, arguments.tables)), arguments.output)


if __name__ == "__main__":
    cli.run(main)
