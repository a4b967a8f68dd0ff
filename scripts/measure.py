"""How transitive one dataset is, by every measure: one row of results/tables/transitivity.csv."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

import numpy as np

from reproduction import cli
from transitivity.files import write_table
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz)")
    parser.add_argument("--components", required=True, type=Path, help="u and v of the logit fit (.npz)")
    parser.add_argument(
        "--clusters", nargs="*", type=Path, default=[], help="its Nash clusters (.csv); computed by default"
    )
    parser.add_argument("--hull", required=True, type=Path, help="its decomposition (.json): verdicts, λ")
    parser.add_argument("--resamples", type=int, default=0, help="of the games, where the payoff knows them")
    parser.add_argument("--seed", type=int, default=42, help="seed of the configuration")
    parser.add_argument("--output", required=True, type=Path, help="one row (.csv)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    import pandas as pd

    from transitivity import measure

    with np.load(arguments.components, allow_pickle=False) as components:
        disc = components["u"], components["v"]
    nash = True
    for path in arguments.clusters:
        clusters = pd.read_csv(path)["cluster"].to_numpy()
        nash = clusters if len(clusters) else False
    payoff = Payoff.load(arguments.payoff)
    hull = json.loads(arguments.hull.read_text(encoding="utf-8"))
    found = measure(
        payoff,
        nash=nash,
        disc=disc,
        n_resamples=arguments.resamples,
        regularisation=hull["logit"]["regularisation"] or None,
        rng=generator(arguments.seed, "bootstrap", arguments.dataset),
    )
    decomposition = {
        f"{field}_{space}": hull[space][field]
        for field in ("verdict", "regularisation")
        for space in ("logit", "probability")
    }
    row = {"dataset": arguments.dataset} | decomposition | dataclasses.asdict(found)
    write_table(pd.DataFrame([row]), arguments.output)


if __name__ == "__main__":
    cli.run(main)
