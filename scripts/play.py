"""Play one part of the games of a population of agents, with a progress bar.

--output is what transitivity.games.agents.merge reads: chunk CHUNK of N_CHUNKS of the games of a dataset. The results
do not depend on the number of chunks.
"""

from __future__ import annotations

import inspect
import json
import logging
from pathlib import Path

from tqdm import tqdm

from reproduction import cli
from transitivity.games import agents
from transitivity.seeding import generator


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "seed")
    parser.add_argument(
        "--specification",
        required=True,
        type=json.loads,
        help='entry of the configuration, as JSON: {"game": "agents", "parameters": {"board_game": "tic_tac_toe"}}',
    )
    parser.add_argument("--chunk", type=int, default=0, help="which part to play, from 0")
    parser.add_argument("--n-chunks", type=int, default=1, help="number of parts")
    parser.add_argument("--output", required=True, type=Path, help="results (.npz)")
    arguments = parser.parse_args()
    parameters = arguments.specification["parameters"]
    sizes = {key: parameters[key] for key in inspect.signature(agents.policies).parameters if key in parameters}
    n = len(agents.policies(**sizes))
    n_games = len(range(arguments.chunk, n, arguments.n_chunks)) * n
    # A bar of one line every few seconds, since it is written to a log.
    with tqdm(total=n_games, unit="game", desc=arguments.dataset, mininterval=5) as bar:
        agents.play_chunk(
            arguments.output,
            arguments.chunk,
            arguments.n_chunks,
            rng=generator(arguments.seed, "payoff", arguments.dataset),
            report=bar.update,
            **parameters,
        )
    logging.info("%s: %d games of %d agents", arguments.dataset, n_games, n)


if __name__ == "__main__":
    cli.run(main)
