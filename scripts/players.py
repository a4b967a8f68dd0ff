"""The players of a league, by all its games: ratings with intervals, results against the odds, cycles of three.

docs/results.md explains the columns. Names are data: they are written as they are.
"""

from __future__ import annotations

import logging
from pathlib import Path

from reproduction import cli
from transitivity.matchups.table import load_matchups
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "about", "seed")
    parser.add_argument("--matchups", required=True, type=Path, help="its matchups (.csv)")
    parser.add_argument("--ratings", required=True, type=Path, help="output: one row a player (.csv)")
    parser.add_argument("--pairs", required=True, type=Path, help="output: one row a pair (.csv)")
    parser.add_argument("--surprises", required=True, type=Path, help="output: one row a pair against the odds (.csv)")
    parser.add_argument("--triples", required=True, type=Path, help="output: one row a cycle of three (.csv)")
    arguments = parser.parse_args()

    from transitivity.measures import players

    payoff = Payoff.from_counts(load_matchups(arguments.matchups))
    # Of the seed only, so that `python -m transitivity` draws the same.
    league = players.RatedLeague(payoff, generator(arguments.seed, "players"))
    logging.info("precision of the prior: %.3g", league.precision)
    tables = {
        arguments.ratings: players.ratings_table(league),
        arguments.pairs: players.pair_scores(league),
        arguments.surprises: players.surprises(league),
        arguments.triples: players.triples(payoff),
    }
    for path, table in tables.items():
        cli.write_of_league(table, path, arguments)


if __name__ == "__main__":
    cli.run(main)
