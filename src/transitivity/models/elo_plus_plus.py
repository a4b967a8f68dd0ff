"""Elo++ without its sequential aspect (Equation 17)."""

from __future__ import annotations

import numpy as np

from transitivity.fitting import elo, solvers
from transitivity.fitting.losses import CrossEntropy, SquaredSigmoid
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import EloModel


class EloPlusPlus(EloModel):
    """P̂ᵢⱼ = σ(uᵢ - uⱼ), u minimising the squared error of the probability (Equation 17).

    The loss is not convex; the descent starts from the stationary Elo score.

    Parameters
    ----------
    solver : {"newton", "published"}
        The converged optimum, or the single u-step of the published code.

    Attributes
    ----------
    ratings_ : (n,) array
        u in natural logits, mean zero; times 400 / ln 10 for Elo points.
    """

    name = "elo_plus_plus"
    label = "Elo++"
    reference = "Sismanis, How I won the 'Chess Ratings: Elo vs the Rest of the World' Competition, 2010"
    loss = SquaredSigmoid()

    def _solve(self, objective: PairObjective, ridge: float) -> solvers.Fit:
        start = elo.stationary_elo(PairObjective(objective.payoff, CrossEntropy()), ridge)
        free, fixed = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
        n = objective.n

        def penalty(U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            return ridge / (2 * n) * float(np.vdot(U, U)), ridge / n * U, np.zeros_like(V)

        return solvers.descend(objective, start.U, start.V, free, fixed, penalty=penalty if ridge else None)
