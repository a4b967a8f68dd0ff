"""Example 2 of the paper: the cyclic disc game (Figure 1, right)."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from transitivity.errors import check_count
from transitivity.payoff.core import Payoff

LABEL = "Cyclic disc game (Example 2)"
REFERENCE = "Example 2; Balduzzi et al. 2019"


def payoff(*, n_players: int = 10) -> Payoff:
    """Return the payoff P = σ(uᵢ vⱼ - vᵢ uⱼ) of evenly spaced points of the unit circle.

    u = cos(2πi / n) and v = sin(2πi / n), i = 1, ..., n, so that logit P[i, j] = sin(2π (j - i) / n): each
    player beats the next half of the circle and loses to the other half.

    Parameters
    ----------
    n_players : int
        At least 3 (two points of a circle are opposite, a draw).

    Returns
    -------
    Payoff
        Players "1", ..., "n". Fully cyclic (Definition 2.2, Proposition 1).

    Raises
    ------
    InputError
        If n_players is not a whole number of at least 3.
    """
    n = check_count("n_players", n_players, at_least=3)
    step = np.subtract.outer(-np.arange(n), -np.arange(n)) % n
    # The sine of a multiple of π is not exactly 0 in floating point; opposite players draw exactly.
    logit = np.where(2 * step % n == 0, 0.0, np.sin(2 * np.pi * step / n))
    logit = (logit - logit.T) / 2
    return Payoff.from_dense(expit(logit), [str(player) for player in range(1, n + 1)])
