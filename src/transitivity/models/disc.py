"""The disc decomposition in logit space (Equations 3, 15, 18 and, regularised, 21)."""

from __future__ import annotations

import numpy as np

from transitivity import solvers
from transitivity.errors import InputError
from transitivity.graph import is_separated
from transitivity.losses import CrossEntropy
from transitivity.models._base import RIDGE_IF_SEPARATED, PairModel
from transitivity.objective import PairObjective


class Disc(PairModel):
    """P̂ᵢⱼ = σ(Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ), minimising the cross entropy over the observed pairs (Equations 15, 18).

    Parameters
    ----------
    n_components : int
        The number of pairs, k.
    solver : {"pair_after_pair", "joint", "alternating", "published"}
        See `PairModel`. With a regularisation all pairs are fitted at once, whatever the solver.
    regularisation : float
        λ of Equation 21, which pulls v of the first pair to 1. With k > 1 the same λ pulls every coordinate of the
        other pairs to 0. As in the paper λ weighs against the sum over all ordered pairs.
    """

    name = "disc"
    label = "Disc decomposition"
    reference = "Bertrand, Czarnecki and Gidel, On the Limitations of the Elo, AISTATS 2023"
    loss = CrossEntropy()

    def __init__(
        self, n_components: int = 1, solver: str = "pair_after_pair", regularisation: float = 0.0
    ) -> None:
        super().__init__(n_components, solver)
        if not regularisation >= 0:
            raise InputError(f"regularisation={regularisation!r} is negative; use 0 or a positive number.")
        self.regularisation = regularisation

    def _solve(self, objective: PairObjective, rng: np.random.Generator) -> solvers.Fit:
        if self.regularisation == 0:
            return super()._solve(objective, rng)
        strength = self.regularisation / (2 * objective.payoff.n_pairs)

        def penalty(U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            pull_U, pull_V = U.copy(), V.copy()
            pull_U[:, 0], pull_V[:, 0] = 0, V[:, 0] - 1
            value = strength / 2 * float(np.vdot(pull_U, pull_U) + np.vdot(pull_V, pull_V))
            return value, strength * pull_U, strength * pull_V

        # The penalty of Equation 21 is zero at the Elo score. That is a stationary point where every row sum is 1/2
        # (rock-paper-scissors), so the descent also starts from the leading disc game; the better one is the fit.
        elo = solvers.stationary_elo(objective, RIDGE_IF_SEPARATED if is_separated(objective.payoff) else 0.0)
        none = np.zeros((objective.n, 0))
        u, v = solvers.spectral_start(objective, none, none, rng)
        free = np.ones(self.n_components, dtype=bool)
        fits = []
        for U, V in ((elo.U, elo.V), (u[:, None], v[:, None])):
            for _ in range(self.n_components - 1):
                u, v = solvers.spectral_start(objective, U, V, rng)
                U, V = np.column_stack([U, u]), np.column_stack([V, v])
            fits.append(solvers.descend(objective, U, V, free, free, penalty=penalty))
        return min(fits, key=lambda fit: fit.loss + penalty(fit.U, fit.V)[0])
