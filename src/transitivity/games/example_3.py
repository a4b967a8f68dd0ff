"""Example 3 of the paper: a transitive game of three players that Elo can rank wrongly."""

from __future__ import annotations

import numpy as np

from transitivity.errors import check_number
from transitivity.payoff.core import Payoff

LABEL = "Example 3 (γ = {gamma}, δ = {delta})"
REFERENCE = "Example 3"


def payoff(*, gamma: float, delta: float) -> Payoff:
    """Return the payoff of Example 3: 1 beats 2 and 3 with probability γ, 2 beats 3 with probability δ.

    The stationary Elo score (Equation 1) puts player 2 above player 1 exactly when δ > 3γ - 1.

    Parameters
    ----------
    gamma, delta : float
        In (0.5, 1].

    Returns
    -------
    Payoff
        Players "1", "2", "3".

    Raises
    ------
    InputError
        If γ or δ is out of range.
    """
    gamma = check_number("gamma", gamma, low=0.5, high=1, above_low=True)
    delta = check_number("delta", delta, low=0.5, high=1, above_low=True)
    return Payoff(np.array(["1", "2", "3"]), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([gamma, gamma, delta]))
