"""Elo and disc on the three-player games of Example 3, on the grid of Figures 2 and 3.

--output has one row a game: gamma, delta, elo_difference (u1 - u2 in natural logits), disc_logit (u1 v2 - v1 u2),
exact_elo_sign (of 3 gamma - 1 - delta), exact_disc_logit (logit gamma).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reproduction import cli
from transitivity import games
from transitivity.files import write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--output", required=True, type=Path, help="the grid (.csv)")
    arguments = parser.parse_args()
    import pandas as pd
    from scipy.special import logit

    from transitivity.models import Disc, Elo

    rows = []
    for gamma in np.linspace(0.51, 0.75, 10):
        for delta in np.linspace(0.51, 1, 10):
            payoff = games.compute("example_3", gamma=float(gamma), delta=float(delta))
            ratings = Elo().fit(payoff).ratings_
            disc = Disc(n_components=1, solver="pair_after_pair").fit(payoff)
            # δ = 3γ - 1 is a tie; the grid is decimal, so that it would show as a rounding error otherwise.
            margin = round(3 * gamma - 1 - delta, 12)
            rows.append(
                {
                    "gamma": gamma,
                    "delta": delta,
                    "elo_difference": ratings[0] - ratings[1],
                    "disc_logit": float(disc.u_[0, 0] * disc.v_[1, 0] - disc.v_[0, 0] * disc.u_[1, 0]),
                    "exact_elo_sign": int(np.sign(margin)),
                    "exact_disc_logit": logit(gamma),
                }
            )
    write_table(pd.DataFrame(rows), arguments.output)


if __name__ == "__main__":
    cli.run(main)
