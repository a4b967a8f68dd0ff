"""Simulate a league with planted skill and consistency, and write its games as PGN, or their counts by pair as CSV.

--parameters are those of transitivity.sources.simulated.draw_league, such as {"n_players": 500, "n_pairs": 9000};
the profile is that of the format unless given. --output needs "simulated" in its name; --truth is a CSV: player, u, v.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from reproduction import cli
from transitivity.errors import InputError, did_you_mean
from transitivity.seeding import generator
from transitivity.sources.simulated import KINDS, draw_league, write_matchups, write_pgn

PROFILE_OF_FORMAT = {"pgn": "lichess", "results": "starcraft"}
PARAMETERS = ("profile", "n_players", "n_pairs", "games", "spread", "activity", "concentration", "draws")


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "seed")
    parser.add_argument("--kind", required=True, choices=KINDS, help="what is planted")
    parser.add_argument("--format", required=True, choices=PROFILE_OF_FORMAT, help="form of the games")
    parser.add_argument("--parameters", type=json.loads, default={}, help="of the league, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="games (.pgn), or counts (.csv); gzipped with .gz")
    parser.add_argument("--truth", required=True, type=Path, help="what was planted (.csv)")
    arguments = parser.parse_args()
    parameters = {"profile": PROFILE_OF_FORMAT[arguments.format]} | arguments.parameters
    for name in parameters:
        if name not in PARAMETERS:
            raise InputError(f"A league has no parameter {name!r}; {did_you_mean(name, PARAMETERS)}")
    rng = generator(arguments.seed, "league", arguments.dataset)
    simulated = draw_league(arguments.kind, rng, **parameters)
    matchups = simulated.matchups(rng)
    if arguments.format == "pgn":
        write_pgn(matchups, arguments.output, rng, simulated.ratings, parameters["profile"])
    else:
        write_matchups(matchups, arguments.output)
    simulated.write_truth(arguments.truth)
    sizes = f"{len(simulated.players)} players, {len(matchups)} pairs, {simulated.games.sum()} games"
    logging.info("%s: %s, planted %s", arguments.dataset, sizes, arguments.kind)


if __name__ == "__main__":
    cli.run(main)
