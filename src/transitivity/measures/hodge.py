"""The gradient part of a flow on the graph of pairs (Hodge decomposition)."""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import connected_components

from transitivity.measures.triads import DENSE_PLAYERS
from transitivity.payoff.core import Payoff


def hodge_potential(payoff: Payoff, flow: np.ndarray) -> np.ndarray:
    """Return the potential whose differences come closest to a flow on the observed pairs (HodgeRank).

    It minimises Σ (r_i - r_j - flow)² over observed pairs (Jiang, Lim, Yao and Ye 2011), each with weight 1.
    For a complete payoff that is the row mean of the flow.

    Parameters
    ----------
    payoff : Payoff
        The observed pairs (i < j).
    flow : (m,) array
        What flows from j to i, e.g. logit(p) or p - 1/2.

    Returns
    -------
    (n,) array
        The potential, with mean 0 in each connected component of the graph of observed pairs.
    """
    n, i, j = payoff.n_players, payoff.i, payoff.j
    divergence = np.bincount(i, flow, n) - np.bincount(j, flow, n)
    if payoff.is_complete:
        return divergence / n
    pairs = sparse.coo_array((np.ones(payoff.n_pairs), (i, j)), shape=(n, n)).tocsr()
    _, component = connected_components(pairs, directed=False)
    sizes = np.bincount(component)
    laplacian = sparse.diags_array(payoff.degrees.astype(float)) - pairs - pairs.T
    if n <= DENSE_PLAYERS:
        # The ones of each component fill the null space: the matrix is positive definite, the solution has
        # mean 0.
        filled = laplacian.toarray() + (component[:, None] == component) / sizes[component][:, None]
        return cho_solve(cho_factor(filled, overwrite_a=True, check_finite=False), divergence)
    inverse_degrees = sparse.diags_array(1 / np.maximum(payoff.degrees, 1.0))
    potential, status = sparse.linalg.cg(
        laplacian.tocsr(), divergence, rtol=1e-12, atol=0.0, maxiter=20 * n, M=inverse_degrees
    )
    if status:
        raise RuntimeError(f"The potential did not converge in {status} steps of conjugate gradients.")
    return potential - (np.bincount(component, potential) / sizes)[component]


def gradient_share(payoff: Payoff, flow: np.ndarray) -> float:
    """Return the share of Σ flow² in the gradient part of its Hodge decomposition; NaN for a flow of zeros.

    The gradient part and the rest, cyclic on each triangle or along longer cycles, are orthogonal: the shares
    sum to 1.

    Parameters
    ----------
    payoff : Payoff
        The observed pairs (i < j).
    flow : (m,) array
        What flows from j to i, e.g. logit(p) or p - 1/2.

    Returns
    -------
    float
        In [0, 1].
    """
    potential = hodge_potential(payoff, flow)
    gradient = potential[payoff.i] - potential[payoff.j]
    # Rounding can make a projection longer than the flow.
    return float(np.minimum(share(float(gradient @ gradient), float(flow @ flow)), 1.0))


def share(part: float, whole: float) -> float:
    """Return part / whole, NaN where the whole is 0."""
    return part / whole if whole else math.nan
