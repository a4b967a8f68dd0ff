"""Example 1 of the paper: an exact Elo game (Figure 1, left)."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from transitivity.errors import check_count, check_positive
from transitivity.payoff.core import Payoff

LABEL = "Elo game (Example 1)"
REFERENCE = "Example 1; Balduzzi et al. 2019"


def payoff(*, n_players: int = 10, spread: float = 4.0) -> Payoff:
    """Return the payoff P = σ(uᵢ - uⱼ) of evenly spaced ratings, strongest player first.

    Parameters
    ----------
    n_players : int
        At least 2.
    spread : float
        The rating of the first player minus the rating of the last, in natural logits; above 0.

    Returns
    -------
    Payoff
        Players "1", ..., "n"; player i beats every j > i. Fully transitive (Definition 2.2).

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    n = check_count("n_players", n_players, at_least=2)
    spread = check_positive("spread", spread)
    u = np.linspace(spread / 2, -spread / 2, n)
    return Payoff.from_dense(expit(np.subtract.outer(u, u)), [str(player) for player in range(1, n + 1)])
