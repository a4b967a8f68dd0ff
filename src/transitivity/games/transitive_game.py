"""The transitive game: differences of skill, without a sigmoid."""

from __future__ import annotations

import numpy as np

from transitivity.errors import check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "Transitive game"
REFERENCE = "Czarnecki et al. 2020, 'Transitive game'"


def payoff(*, n_players: int = 1000, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of a transitive game: A = (Sᵢ - Sⱼ) / max, S uniform.

    Parameters
    ----------
    n_players : int
        At least 2.
    rng : numpy.random.Generator, optional
        Draws the skills. None: a fresh one.

    Returns
    -------
    Payoff
        Players "0", "1", ...; additive in probability space, transitive but no Elo game.

    Raises
    ------
    InputError
        If n_players is not a whole number of at least 2.
    """
    n = check_count("n_players", n_players, at_least=2)
    skill = np.random.default_rng(rng).uniform(size=n)
    return normalised(np.subtract.outer(skill, skill))
