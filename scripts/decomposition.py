"""The first disc component of one dataset, in probability and in logit space, in the reporting gauge.

--output has one row a space and player: dataset, space (probability or logit), player, u, v, mean_payoff, angle
(degrees, from the +v axis). --hull is a JSON object: for each space the verdict (`decomposition.verdict`), transitive
(null where 0 lies on the border of the hull), margin_degrees and reparametrised (whether v > 0 as in Proposition 2).
--components keeps u and v of the logit fit as fitted (.npz).

Where pairs are missing, they leave some players almost anywhere in the plane, and where payoffs are counted from games,
luck moves them: the penalty of Equation 21 then pulls v to 1, with λ (regularisation in --hull) by cross-validation.
The fewer cycles the graph of pairs has, the fewer pairs a fold can spare; they are then dealt into folds more often, so
that λ does not hang on how.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from reproduction import cli
from transitivity.files import atomic_path, write_json, write_table
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability
from transitivity.seeding import generator

#: The λ that are tried on payoffs with missing pairs, or counted from games.
GRID = (0.01, 0.1, 1.0, 10.0)
#: How many predictions of hidden pairs choose λ, and the most cross-validations to come by them.
PREDICTIONS, MOST_REPEATS = 300, 12
#: A smaller λ has to predict hidden pairs better by this share: by less, chance decides between neighbours in the grid.
SLACK = 0.01


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz)")
    parser.add_argument("--seed", type=int, default=42, help="seed of the configuration")
    parser.add_argument("--output", required=True, type=Path, help="u and v of every player (.csv)")
    parser.add_argument("--hull", required=True, type=Path, help="transitive or cyclic (.json)")
    parser.add_argument("--components", required=True, type=Path, help="u and v of the logit fit (.npz)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    import pandas as pd

    from transitivity.disc.component import disc_component, reparametrise, verdict
    from transitivity.models import Balduzzi2019, Disc, DiscRegularised

    payoff = Payoff.load(arguments.payoff)
    cycles = identifiability(payoff).cycles
    frames, hulls = [], {}
    # Results of games differ from the chances by luck, which alone makes a game cyclic; other payoffs are exact.
    if payoff.is_complete and payoff.games is None:
        fitted = {"probability": Balduzzi2019(), "logit": Disc()}
    else:
        # A cross-validation hides about two pairs a cycle, and none twice.
        repeats = min(MOST_REPEATS, math.ceil(PREDICTIONS / max(1, min(2 * cycles, payoff.n_pairs))))
        fitted = {
            space: DiscRegularised(space=space, grid=GRID, repeats=repeats, slack=SLACK)
            for space in ("probability", "logit")
        }
    for space, model in fitted.items():
        model.fit(payoff, generator(arguments.seed, "decomposition", arguments.dataset, space))
        component = disc_component(model.u_[:, 0], model.v_[:, 0])
        u, v = reparametrise(model.u_[:, 0], model.v_[:, 0])
        regularisation = getattr(model, "regularisation_", 0.0)
        penalty_decides = regularisation == max(GRID)
        hulls[space] = {
            "verdict": verdict(component, cycles=cycles, penalty_decides=penalty_decides),
            "transitive": component.transitive if component.transitive or component.fully_cyclic else None,
            "margin_degrees": component.margin_degrees,
            "reparametrised": component.transitive,
            "converged": model.converged_,
            "separated": model.separated_,
            "regularisation": regularisation,
            "penalty_decides": penalty_decides,
        }
        frames.append(
            pd.DataFrame(
                {
                    "dataset": arguments.dataset,
                    "space": space,
                    "player": payoff.players,
                    "u": u,
                    "v": v,
                    "mean_payoff": payoff.mean_payoffs,
                    "angle": np.degrees(np.arctan2(u, v)),
                }
            )
        )
    write_table(pd.concat(frames), arguments.output)
    write_json(hulls, arguments.hull)
    with atomic_path(arguments.components) as temporary, open(temporary, "wb") as file:
        np.savez(file, u=model.u_, v=model.v_)


if __name__ == "__main__":
    cli.run(main)
