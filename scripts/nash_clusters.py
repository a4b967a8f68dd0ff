"""The Nash clusters of one dataset (Czarnecki et al. 2020).

--output has one row a player: dataset, player, cluster (1 is the strongest), beaten_share (of its cluster).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reproduction import cli
from transitivity.files import write_table
from transitivity.payoff.core import Payoff


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz), complete")
    parser.add_argument("--output", required=True, type=Path, help="cluster of every player (.csv)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    import pandas as pd

    from transitivity.measures.nash import beaten_share, nash_clusters

    payoff = Payoff.load(arguments.payoff)
    columns = {"dataset": arguments.dataset, "player": payoff.players}
    if payoff.is_complete:
        clusters = nash_clusters(payoff)
        columns |= {"cluster": clusters, "beaten_share": beaten_share(clusters)[clusters - 1]}
        frame = pd.DataFrame(columns)
    else:
        # An equilibrium needs every pair: no row says so to whoever reads the table.
        frame = pd.DataFrame(columns=["dataset", "player", "cluster", "beaten_share"])
    write_table(frame, arguments.output)


if __name__ == "__main__":
    cli.run(main)
