"""The tables of the leagues: what the filters left, what was left out in reading, what the graph can tell.

--steps has the columns dataset, league, step, players, pairs, games; --dropped league, kind (dropped or noted; or left
out, of a payoff that the filters leave empty, whose id stands under league), reason, times, first; --identifiability
dataset, league, min_games, players, pairs, entries (those of P that are not 0, both ways, as the paper counts them) and
what `transitivity.payoff.graph.identifiability` tells, lists of players as their numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction import cli
from transitivity.files import read_json, write_table


def main() -> None:
    parser = cli.parser(__doc__)
    files = {"nargs": "+", "type": Path, "required": True}
    parser.add_argument("--metadata", **files, help="metadata of the payoffs counted from leagues (.json)")
    parser.add_argument("--leagues", **files, help="what is known of each league's matchups (.json)")
    parser.add_argument("--steps", required=True, type=Path, help="what each filter left (.csv)")
    parser.add_argument("--dropped", required=True, type=Path, help="what was left out, by reason (.csv)")
    parser.add_argument("--identifiability", required=True, type=Path, help="what the graph can tell (.csv)")
    parser.add_argument("--left-out", type=json.loads, default={}, help="payoffs that the filters leave empty, as JSON")
    arguments = parser.parse_args()
    import pandas as pd

    payoffs = [read_json(path) for path in arguments.metadata]
    leagues = [read_json(path) for path in arguments.leagues]
    steps = [
        {"dataset": payoff["dataset"], "league": payoff["league"]} | step
        for payoff in payoffs
        for step in payoff["steps"]
    ]
    write_table(
        pd.DataFrame(steps, columns=["dataset", "league", "step", "players", "pairs", "games"]), arguments.steps
    )
    dropped = [
        (league["league"], kind, reason, times, league["located"].get(reason, ""))
        for league in leagues
        for kind in ("dropped", "noted")
        for reason, times in league[kind].items()
    ]
    dropped += [(dataset, "left out", why, 1, "") for dataset, why in arguments.left_out.items()]
    write_table(pd.DataFrame(dropped, columns=["league", "kind", "reason", "times", "first"]), arguments.dropped)
    graphs = [{key: payoff[key] for key in ("dataset", "league", "min_games")} | payoff["graph"] for payoff in payoffs]
    write_table(pd.DataFrame(graphs), arguments.identifiability)


if __name__ == "__main__":
    cli.run(main)
