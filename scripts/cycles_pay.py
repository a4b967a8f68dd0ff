"""How well tuned models with and without a cyclic part predict one dataset from few pairs and few games.

Where the payoff is known exactly, results of a share of its pairs are drawn, and models are scored on the other pairs
against the true probabilities. Where it was counted from games, 20 % of the pairs are hidden, a share of the games of
the others is kept, and models are scored by the log-loss of a hidden game.

The output has one row a share, games a pair, repetition and family: dataset, kind (drawn or thinned), share, games,
repeat, family, n_players, opponents and games_a_player (means over players), n_scored (hidden pairs), score,
n_components (of the cyclic part; 0 where tuning left it out).
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from reproduction import cli
from transitivity.files import write_table
from transitivity.payoff.core import Payoff

COLUMNS = (
    *("dataset", "kind", "repeat", "share", "games", "family", "n_players", "opponents", "games_a_player"),
    *("n_scored", "score", "n_components"),
)


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "payoff", "seed")
    parser.add_argument("--plan", required=True, type=json.loads, help="shares, games, repeats and families (JSON)")
    parser.add_argument("--output", required=True, type=Path, help="output: the scores (.csv)")
    arguments = parser.parse_args()
    import pandas as pd

    from transitivity.evaluation.hold_outs import NothingToHide
    from transitivity.evaluation.thinning import scores_of_drawn, scores_of_thinned

    payoff, plan, seed = Payoff.load(arguments.payoff), arguments.plan, arguments.seed
    games = [float("inf") if one == "unlimited" else one for one in plan["games"]]
    drawn, families, rows = payoff.games is None, plan["families"], []
    # All games of a league are the end of the curve.
    for share in [*plan["shares"], *([] if drawn else [1.0])]:
        for repeat in range(plan["repeats"]):
            about = {"dataset": arguments.dataset, "kind": "drawn" if drawn else "thinned", "repeat": repeat}
            try:
                if drawn:
                    found = scores_of_drawn(payoff, [share], games, families, seed, arguments.dataset, repeat)
                else:
                    found = scores_of_thinned(payoff, [share], families, seed, arguments.dataset, repeat)
                rows += [about | row for row in found]
            except NothingToHide as error:
                logging.warning("%s is left out at this share: %s", arguments.dataset, error)
                break
    write_table(pd.DataFrame(rows, columns=None if rows else COLUMNS), arguments.output)


if __name__ == "__main__":
    cli.run(main)
