"""The normal Bernoulli game: differences of normal skills plus uniform noise."""

from __future__ import annotations

import numpy as np

from transitivity.games._common import skill_plus_noise
from transitivity.payoff.core import Payoff

LABEL = "Normal Bernoulli game"
REFERENCE = "Czarnecki et al. 2020, 'Normal Bernoulli game'"


def payoff(*, n_players: int = 1000, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of a normal Bernoulli game: see `skill_plus_noise`; W is uniform on (-1, 1)."""
    return skill_plus_noise(n_players, lambda rng, n: rng.uniform(-1, 1, (n, n)), rng)
