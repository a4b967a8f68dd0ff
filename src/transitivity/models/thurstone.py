"""Thurstone's law of comparative judgement: Elo with the normal distribution in place of the logistic one."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from transitivity.fitting import elo, solvers
from transitivity.fitting.losses import ProbitCrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import WEIGHTS, EloModel, Players, check_choice


class Thurstone(EloModel):
    """P̂ᵢⱼ = Φ(uᵢ - uⱼ), u minimising the cross entropy; Φ is the standard normal distribution function.

    This is Thurstone's Case V with the standard deviation of a difference as the unit. Where no finite optimum exists,
    a small ridge (`RIDGE_IF_SEPARATED`) keeps it finite.

    Parameters
    ----------
    weights : {"equal", "games"}
        Whether every pair counts the same, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    ratings_ : (n,) array
        u, mean zero.
    """

    name = "thurstone"
    label = "Thurstone"
    reference = "Thurstone, A law of comparative judgment, Psychological Review, 1927"
    loss = ProbitCrossEntropy()
    SOLVERS = ("newton",)

    def __init__(self, weights: str = "equal") -> None:
        super().__init__()
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def _solve(self, objective: PairObjective, ridge: float) -> solvers.Fit:
        return elo.stationary_elo(objective, ridge)

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂."""
        return ndtr(self.ratings_[i] - self.ratings_[j])
