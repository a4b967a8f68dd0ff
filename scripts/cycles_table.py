"""When modelling cycles predicts better: every dataset's families compared with Elo, and the rule of thumb.

--table has one row a cell of the grid (dataset, share and games) and family, --rule one row a game and one for all of
them; docs/results.md describes their columns.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from transitivity.files import read_table, write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--scores", nargs="+", required=True, type=Path, help="what cycles_pay.py wrote (.csv)")
    parser.add_argument("--table", required=True, type=Path, help="output: the comparison (.csv)")
    parser.add_argument("--rule", required=True, type=Path, help="output: the rule of thumb (.csv)")
    arguments = parser.parse_args()
    import pandas as pd

    from transitivity.evaluation.cycles_pay import compare, rule_of_thumb

    numbers = "share games repeat n_players opponents games_a_player n_scored score n_components".split()
    scores = pd.concat(read_table(path, ("dataset", "kind", "family"), numbers) for path in arguments.scores)
    compared = compare(scores)
    write_table(compared, arguments.table)
    write_table(rule_of_thumb(compared), arguments.rule)


if __name__ == "__main__":
    cli.run(main)
