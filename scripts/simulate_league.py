"""Simulate a league with planted skill and consistency, and write its games as PGN, or their counts by pair as CSV.

--parameters are the format, pgn or results, and those of transitivity.sources.simulated.draw_league: {"format": "pgn",
"kind": "transitive", "n_players": 500, "n_pairs": 9000}; the profile is that of the format unless given. --output needs
"simulated" in its name; --truth is a CSV: player, u, v.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from reproduction import cli
from transitivity.seeding import generator
from transitivity.sources.simulated import draw_league, write_matchups, write_pgn

PROFILE_OF_FORMAT = {"pgn": "lichess", "results": "starcraft"}


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "seed")
    parser.add_argument("--parameters", type=json.loads, required=True, help="format, kind and more, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="games (.pgn), or counts (.csv); gzipped with .gz")
    parser.add_argument("--truth", required=True, type=Path, help="what was planted (.csv)")
    arguments = parser.parse_args()
    form = arguments.parameters.pop("format")
    parameters = {"profile": PROFILE_OF_FORMAT[form]} | arguments.parameters
    rng = generator(arguments.seed, "league", arguments.dataset)
    simulated = draw_league(rng=rng, **parameters)
    matchups = simulated.matchups(rng)
    if form == "pgn":
        write_pgn(matchups, arguments.output, rng, simulated.ratings, parameters["profile"])
    else:
        write_matchups(matchups, arguments.output)
    simulated.write_truth(arguments.truth)
    sizes = f"{len(simulated.players)} players, {len(matchups)} pairs, {simulated.games.sum()} games"
    logging.info("%s: %s, planted %s", arguments.dataset, sizes, parameters["kind"])


if __name__ == "__main__":
    cli.run(main)
