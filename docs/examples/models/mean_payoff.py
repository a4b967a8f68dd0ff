"""An example of a baseline: ratings from mean payoffs, pulled towards 1/2."""

from typing import Self

import numpy as np
from scipy.special import expit, logit

from transitivity import InputError, Payoff
from transitivity.models import Model


class MeanPayoff(Model):
    """P̂ᵢⱼ = σ(rᵢ - rⱼ), where rᵢ is the logit of player i's mean payoff with `draws` draws added.

    Parameters
    ----------
    draws : float
        The number of draws added to each player's results; above 0, so that ratings are finite.
    """

    name = "mean_payoff"
    label = "Mean payoff"
    reference = "This file"

    def __init__(self, draws: float = 1.0) -> None:
        if not draws > 0:
            raise InputError(f"draws is {draws!r}; give a number above 0.")
        self.draws = draws

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit to the observed pairs; a player without any has the added draws only."""
        n = payoff.n_players
        wins = np.bincount(payoff.i, payoff.p, n) + np.bincount(payoff.j, 1 - payoff.p, n)
        met = np.bincount(payoff.i, minlength=n) + np.bincount(payoff.j, minlength=n)
        self.ratings_ = logit((wins + self.draws / 2) / (met + self.draws))
        return self

    def predict(self, i: np.ndarray | int, j: np.ndarray | int) -> np.ndarray:
        """Return P(i beats j), broadcast over arrays of indices."""
        return expit(self.ratings_[i] - self.ratings_[j])

    def n_params(self, n: int) -> int:
        """Return n."""
        return n
