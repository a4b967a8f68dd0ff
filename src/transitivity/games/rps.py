"""Rock-paper-scissors."""

from __future__ import annotations

import numpy as np

from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "RPS"
REFERENCE = "Czarnecki et al. 2020, 'RPS'"


def payoff() -> Payoff:
    """Return the payoff of rock-paper-scissors: paper beats rock, scissors beat paper, rock beats scissors.

    Returns
    -------
    Payoff
        Three players, every pair with p = 0 or 1: the smallest fully cyclic game (Definition 2.2).
    """
    return normalised(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), ["rock", "paper", "scissors"])
