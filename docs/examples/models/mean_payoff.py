"""A baseline of one's own: the difference of two players' mean payoffs, pulled towards a coin."""

from typing import Self

import numpy as np
from scipy.special import expit, logit

from transitivity import InputError, Payoff
from transitivity.models import Model


class MeanPayoff(Model):
    """P̂ᵢⱼ = σ(rᵢ - rⱼ), rᵢ the logit of player i's mean payoff after `draws` further draws.

    Parameters
    ----------
    draws : float
        The number of draws that every player is given; above 0, so that no rating is infinite.
    """

    name = "mean_payoff"
    label = "Mean payoff"
    reference = "This file"

    def __init__(self, draws: float = 1.0) -> None:
        if not draws > 0:
            raise InputError(f"draws is {draws!r}; give a number above 0.")
        self.draws = draws

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit to the observed pairs; a player without any keeps the draws alone."""
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
