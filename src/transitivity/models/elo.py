"""The stationary Elo score (Equations 1 and 16)."""

from __future__ import annotations

from typing import Self

import numpy as np

from transitivity.fitting import elo, solvers
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import WEIGHTS, EloModel, check_choice, default_rng
from transitivity.models._tuned import Regularisation, fit_with_priors, precisions
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import is_separated


class Elo(EloModel):
    """P̂ᵢⱼ = σ(uᵢ - uⱼ), u minimising the cross entropy (Equations 1 and 16).

    On a complete, equally weighted game it ranks the players as their row sums do.

    Parameters
    ----------
    solver : {"newton", "published"}
        The converged optimum, or the single u-step of the published code.
    regularisation : float or "validated"
        The precision of a Gaussian prior on the ratings, against the summed log-loss; an infinite one makes the model
        the constant 1/2. "validated" chooses it on hidden pairs (`fitting.tuning`). 0, the default, is the
        paper's model.
    weights : {"equal", "games"}
        Whether every pair counts the same, as in the paper, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    ratings_ : (n,) array
        u in natural logits, mean zero; times 400 / ln 10 for Elo points.
    separated_ : bool
        Whether no finite optimum exists, so that a small ridge (`RIDGE_IF_SEPARATED`) made it finite.
    """

    name = "elo"
    label = "Elo"
    reference = "Elo, The Rating of Chessplayers, Past and Present, 1978"
    loss = CrossEntropy()

    def __init__(self, solver: str = "newton", regularisation: Regularisation = 0.0, weights: str = "equal") -> None:
        super().__init__(solver)
        precisions(regularisation)
        self.regularisation = regularisation
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class."""
        if self.regularisation != 0:
            fit, self.choice_ = fit_with_priors(
                payoff, self.loss, None, 0, self.regularisation, self.weights, default_rng(rng)
            )
            self._take(fit)
            self.separated_ = is_separated(payoff)
            self.ratings_ = self.u_[:, 0] - self.u_[:, 0].mean()
            return self
        return super().fit(payoff, rng)

    def _solve(self, objective: PairObjective, ridge: float) -> solvers.Fit:
        return elo.stationary_elo(objective, ridge)
