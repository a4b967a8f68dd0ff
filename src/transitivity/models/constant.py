"""The coin: every game is even."""

from __future__ import annotations

from typing import Self

import numpy as np

from transitivity.models._base import Model, Players
from transitivity.payoff.core import Payoff


class Constant(Model):
    """P̂ᵢⱼ = 1/2: what any model must beat; nested in all others, at an infinite precision of their priors."""

    name = "constant"
    label = "Constant ½"
    reference = "A fair coin"

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Remember the number of players, which is all there is."""
        self.n_players_ = payoff.n_players
        return self

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return 1/2, broadcast."""
        # Reading the state makes a model that is not fitted say so.
        everyone = np.full(self.n_players_, 0.5)
        return everyone[i] + 0 * everyone[j]

    def n_params(self, n: int) -> int:
        """Return 0."""
        return 0
