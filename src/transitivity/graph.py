"""What the graph of observed pairs lets a model identify."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from transitivity.payoff import Payoff


def is_separated(payoff: Payoff) -> bool:
    """Tell whether the stationary Elo score (Equation 1) has no finite, unique solution.

    It has one exactly when every player has won something, through a chain of opponents, against every other
    player (Zermelo 1929, Ford 1957): when the graph with an edge i -> j wherever P[i, j] > 0 is strongly connected.

    Parameters
    ----------
    payoff : Payoff

    Returns
    -------
    bool
        True if some players only ever lost to the others, or were never compared with them.
    """
    won, lost = payoff.p > 0, payoff.p < 1
    rows = np.concatenate([payoff.i[won], payoff.j[lost]])
    columns = np.concatenate([payoff.j[won], payoff.i[lost]])
    n = payoff.n_players
    wins = scipy.sparse.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n, n))
    return connected_components(wins, directed=True, connection="strong", return_labels=False) > 1
