"""Check the comparison: exit with 1, naming each item, when one that is expected to reproduce does not.

An item that this run should have computed and did not counts too. On success the summary is also written to
--output.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction import cli
from transitivity.errors import amount
from transitivity.files import atomic_path, read_table

if TYPE_CHECKING:
    import pandas as pd


def summary(comparison: pd.DataFrame) -> str:
    """Return the counts by verdict and by what was expected, a line each."""
    from reproduction.paper.compare import DIFFERS, NOT_RUN, REPRODUCED

    counts = comparison.groupby(["expected", "verdict"]).size()
    lines = [f"{len(comparison)} items of the paper:"]
    for verdict in (REPRODUCED, DIFFERS, NOT_RUN):
        total = int((comparison.verdict == verdict).sum())
        parts = [
            f"{counts[(expected, verdict)]} expected to be '{expected}'"
            for expected in (REPRODUCED, DIFFERS, NOT_RUN)
            if (expected, verdict) in counts
        ]
        lines.append(f"  {verdict}: {total}" + (f" ({', '.join(parts)})" if parts else ""))
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = cli.parser(__doc__)
    parser.add_argument("--comparison", type=Path, required=True, help="results/tables/paper_comparison.csv")
    parser.add_argument("--output", type=Path, required=True, help="a text file, written when all is as expected")
    arguments = parser.parse_args(argv)
    from reproduction.paper.compare import COLUMNS, unmet

    numbers = ("paper", "ours", "ratio")
    comparison = read_table(arguments.comparison, [name for name in COLUMNS if name not in numbers], numbers)
    text = summary(comparison)
    print(text)
    failed = unmet(comparison)
    for row in failed.itertuples():
        print(
            f"FAILED {row.item}: {row.verdict}; paper {row.paper:.4g}, ours {row.ours:.4g}, "
            f"tolerance {row.tolerance}. {row.note}",
            file=sys.stderr,
        )
    if len(failed):
        print(f"{amount(len(failed), 'item')} expected to reproduce did not.", file=sys.stderr)
        return 1
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(text + "\nEvery item that is expected to reproduce does.\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    cli.run(main)
