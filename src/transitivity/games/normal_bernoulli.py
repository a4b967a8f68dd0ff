"""The normal Bernoulli game: differences of normal skills plus uniform noise."""

from __future__ import annotations

import numpy as np

from transitivity.errors import check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "Normal Bernoulli game"
REFERENCE = "Czarnecki et al. 2020, 'Normal Bernoulli game'"


def payoff(*, n_players: int = 1000, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of a normal Bernoulli game.

    A = Sᵢ - Sⱼ + (W - Wᵀ) / 2, divided by its maximum; S is standard normal and W uniform on (-1, 1).

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
    M = rng.uniform(-1, 1, (n, n))
    # The normalisation antisymmetrises: Sᵢ - Sⱼ is its own antisymmetric part.
    M += np.subtract.outer(skill, skill)
    return normalised(M)
