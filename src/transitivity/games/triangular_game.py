"""The triangular game: whoever comes later wins."""

from __future__ import annotations

import numpy as np

from transitivity.errors import check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "Triangular game"
REFERENCE = "Czarnecki et al. 2020, 'Triangular game'"


def payoff(*, n_players: int = 1000) -> Payoff:
    """Return the payoff of the triangular game: A = sign(i - j).

    Parameters
    ----------
    n_players : int
        At least 2.

    Returns
    -------
    Payoff
        Players "0", "1", ..., each of whom surely beats all before: transitive, every logit infinite.

    Raises
    ------
    InputError
        If n_players is not a whole number of at least 2.
    """
    index = np.arange(check_count("n_players", n_players, at_least=2))
    return normalised(np.sign(np.subtract.outer(index, index)))
