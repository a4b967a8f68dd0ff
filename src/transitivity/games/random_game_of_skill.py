"""The random game of skill: differences of skill plus normal noise."""

from __future__ import annotations

import numpy as np

from transitivity.games._common import skill_plus_noise
from transitivity.payoff.core import Payoff

LABEL = "Random game of skill"
REFERENCE = "Czarnecki et al. 2020, 'Random game of skill'"


def payoff(*, n_players: int = 1000, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of a random game of skill: see `skill_plus_noise`; W is standard normal."""
    return skill_plus_noise(n_players, lambda rng, n: rng.standard_normal((n, n)), rng)
