"""The random game of skill: differences of skill plus normal noise."""

from __future__ import annotations

import numpy as np

from transitivity.errors import check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "Random game of skill"
REFERENCE = "Czarnecki et al. 2020, 'Random game of skill'"


def payoff(*, n_players: int = 1000, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of a random game of skill.

    A = (W - Wᵀ) / 2 + Sᵢ - Sⱼ, divided by its maximum; W and S are standard normal.

    Parameters
    ----------
    n_players : int
        At least 2.
    rng : numpy.random.Generator, optional
        Draws S, then W. None: a fresh one.

    Returns
    -------
    Payoff
        Players "0", "1", ...

    Raises
    ------
    InputError
        If n_players is not a whole number of at least 2.
    """
    n = check_count("n_players", n_players, at_least=2)
    rng = np.random.default_rng(rng)
    skill = rng.standard_normal(n)
    M = rng.standard_normal((n, n))
    # The normalisation antisymmetrises: Sᵢ - Sⱼ is its own antisymmetric part.
    M += np.subtract.outer(skill, skill)
    return normalised(M)
