"""How well tuned models with and without a cyclic part predict one dataset from few pairs and few games.

Where the payoff is known exactly, results of a share of its pairs are drawn, and models are scored on the other pairs
against the true probabilities. Where it was counted from games, 20 % of the pairs are hidden, a share of the games of
the others is kept, and models are scored by the log-loss of a hidden game.

The output has one row a share, games a pair, repetition and family: dataset, kind (drawn or thinned), share, games,
repeat, family, n_players, opponents and games_a_player (means over players), n_scored (hidden pairs), score,
n_components (of the cyclic part; 0 where tuning left it out).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from reproduction import cli
from transitivity.files import write_table
from transitivity.payoff.core import Payoff


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz)")
    parser.add_argument("--plan", required=True, type=json.loads, help="shares, games, repeats and families (JSON)")
    parser.add_argument("--seed", type=int, default=42, help="seed of the configuration")
    parser.add_argument("--output", required=True, type=Path, help="output: the scores (.csv)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    import pandas as pd

    from transitivity.evaluation.thinning import scores_of_drawn, scores_of_thinned

    payoff, plan, seed = Payoff.load(arguments.payoff), arguments.plan, arguments.seed
    shares, families = plan["shares"], plan["families"]
    rows = []
    for repeat in range(plan["repeats"]):
        about = {"dataset": arguments.dataset, "kind": "drawn" if payoff.games is None else "thinned", "repeat": repeat}
        if payoff.games is None:
            games = [float("inf") if one == "unlimited" else one for one in plan["games"]]
            found = scores_of_drawn(payoff, shares, games, families, seed, arguments.dataset, repeat)
        else:
            # All of its games are the end of the curve.
            found = scores_of_thinned(payoff, [*shares, 1.0], families, seed, arguments.dataset, repeat)
        rows += [about | row for row in found]
    write_table(pd.DataFrame(rows), arguments.output)


if __name__ == "__main__":
    cli.run(main)
