"""The disc decomposition, the Nash clusters and the measures of transitivity of one dataset.

--points has one row a space and player: dataset, space (probability or logit), player, u, v (of the first disc
component, in the reporting gauge), mean_payoff, angle (degrees, from the +v axis). --hull is a JSON object: for each
space the verdict, transitive (null where 0 lies on the border of the hull), margin_degrees and reparametrised (whether
v > 0 as in Proposition 2). The verdict on an exact payoff is that of the hull (`transitivity.disc.component.verdict`).
Payoffs counted from games are tested (`transitivity.measures.evidence`): in logit space, so that the verdict in
probability space is empty.
--clusters has one row a player: dataset, player, cluster (1 is the strongest), beaten_share (of its cluster);
it has no rows where pairs are missing: the clusters of Czarnecki et al. (2020) need them all. --measures is one row of
results/tables/transitivity.csv.

Where pairs are missing, they leave some players almost anywhere in the plane, and where payoffs are counted from games,
luck moves them: the penalty of Equation 21 then pulls v to 1, with λ (regularisation in --hull) by cross-validation.
The fewer cycles the graph of pairs has, the fewer pairs a fold can spare; they are then dealt into folds more often, so
that λ does not hang on how.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np

from reproduction import cli
from transitivity.files import write_json, write_rows
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability
from transitivity.seeding import generator

#: The λ that are tried on payoffs with missing pairs, or counted from games.
GRID = (0.01, 0.1, 1.0, 10.0)
#: How many predictions of hidden pairs choose λ, and the most cross-validations to come by them.
PREDICTIONS, MOST_REPEATS = 300, 12
#: The columns of --points and of --clusters.
POINTS = ("dataset", "space", "player", "u", "v", "mean_payoff", "angle")
CLUSTERS = ("dataset", "player", "cluster", "beaten_share")
#: A smaller λ has to predict hidden pairs better by this share: by less, chance decides between neighbours in the grid.
SLACK = 0.01


def models(payoff: Payoff, cycles: int) -> dict[str, Any]:
    """Return the model of the first disc component in each space."""
    from transitivity.models import Balduzzi2019, Disc, DiscRegularised

    # Results of games differ from the chances by luck, which alone makes a game cyclic; other payoffs are exact.
    if payoff.is_complete and payoff.games is None:
        return {"probability": Balduzzi2019(), "logit": Disc(solver="pair_after_pair")}
    # A cross-validation hides about two pairs a cycle, and none twice.
    repeats = min(MOST_REPEATS, math.ceil(PREDICTIONS / max(1, min(2 * cycles, payoff.n_pairs))))
    return {
        space: DiscRegularised(space=space, grid=GRID, repeats=repeats, slack=SLACK)
        for space in ("probability", "logit")
    }


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "payoff", "seed")
    parser.add_argument("--resamples", type=int, default=199, help="of the games, where the payoff knows them")
    parser.add_argument("--points", required=True, type=Path, help="output: u and v of every player (.csv)")
    parser.add_argument("--hull", required=True, type=Path, help="output: transitive or cyclic (.json)")
    parser.add_argument("--clusters", required=True, type=Path, help="output: clusters of players (.csv)")
    parser.add_argument("--measures", required=True, type=Path, help="output: every measure (.csv)")
    arguments = parser.parse_args()
    from transitivity.disc.component import disc_component, reparametrise, verdict
    from transitivity.measures.evidence import PLANTED, Evidence, transitivity_evidence
    from transitivity.measures.measure import measure
    from transitivity.measures.nash import beaten_share, nash_clusters

    dataset, seed = arguments.dataset, arguments.seed
    payoff = Payoff.load(arguments.payoff)
    cycles = identifiability(payoff).cycles
    fitted = models(payoff, cycles)
    evidence = None
    if payoff.games is not None:
        # Of the seed only, so that `python -m transitivity` draws the same.
        evidence = transitivity_evidence(payoff, arguments.resamples, generator(seed, "evidence"))
    of_games = {"logit": evidence.verdict, "probability": ""} if evidence else {}
    points, hulls = [], {}
    for space, model in fitted.items():
        model.fit(payoff, generator(seed, "decomposition", dataset, space))
        component = disc_component(model.u_[:, 0], model.v_[:, 0])
        u, v = reparametrise(model.u_[:, 0], model.v_[:, 0])
        regularisation = getattr(model, "regularisation_", 0.0)
        penalty_decides = regularisation == max(GRID)
        hulls[space] = {
            "verdict": of_games.get(space, verdict(component, cycles=cycles, penalty_decides=penalty_decides)),
            "transitive": component.transitive if component.transitive or component.fully_cyclic else None,
            "margin_degrees": component.margin_degrees,
            "reparametrised": component.transitive,
            "converged": model.converged_,
            "separated": model.separated_,
            "regularisation": regularisation,
            "penalty_decides": penalty_decides,
        }
        columns = payoff.players, u, v, payoff.mean_payoffs, np.degrees(np.arctan2(u, v))
        points += [dict(zip(POINTS, (dataset, space, *row), strict=True)) for row in zip(*columns, strict=True)]
    # An equilibrium needs every pair.
    clusters = nash_clusters(payoff) if payoff.is_complete else np.zeros(0, dtype=np.int64)
    shares = beaten_share(clusters)[clusters - 1] if len(clusters) else clusters
    players = zip(payoff.players, clusters, shares, strict=False)
    found = measure(
        payoff,
        nash=clusters if len(clusters) else False,
        disc=(fitted["logit"].u_, fitted["logit"].v_),
        rng=generator(seed, "chance", dataset),
    )
    chosen = {
        f"{field}_{space}": hulls[space][field]
        for field in ("verdict", "regularisation")
        for space in ("logit", "probability")
    }
    # Not the verdict, which stands first; empty for an exact payoff.
    tested = {field.name: getattr(evidence, field.name, None) for field in dataclasses.fields(Evidence)[1:]}
    tested |= {"hinges": "; ".join(evidence.hinges) if evidence else "", "planted": PLANTED if evidence else None}
    row = {"dataset": dataset} | chosen | dataclasses.asdict(found) | tested
    if evidence:
        # Luck decides it; the verdict is the word.
        row |= dict.fromkeys(("logit_transitive", "probability_transitive"))
    write_rows(points, POINTS, arguments.points)
    write_json(hulls, arguments.hull)
    write_rows([dict(zip(CLUSTERS, (dataset, *one), strict=True)) for one in players], CLUSTERS, arguments.clusters)
    write_rows([row], list(row), arguments.measures)


if __name__ == "__main__":
    cli.run(main)
