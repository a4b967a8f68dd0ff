"""The gradient part of a flow on the graph of pairs (Hodge decomposition)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import connected_components

from transitivity.measures.triads import DENSE_PLAYERS
from transitivity.payoff.core import Payoff

#: Draws of results without an order, and how many numbers of them are held at once.
N_CHANCE, MOST_HELD = 199, 4_000_000
#: The share of these draws between the ends of a chance level.
CHANCE = 0.9


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
    return _solver(payoff)(_divergence(payoff) @ flow)


def _divergence(payoff: Payoff) -> sparse.csr_array:
    """Return the (n, m) matrix that sums what flows to a player."""
    m = payoff.n_pairs
    entries = (np.repeat([1.0, -1.0], m), (np.concatenate([payoff.i, payoff.j]), np.tile(np.arange(m), 2)))
    return sparse.csr_array(entries, shape=(payoff.n_players, m))


def _solver(payoff: Payoff) -> Callable[[np.ndarray], np.ndarray]:
    """Return what takes the divergence of flows, (n,) or (n, B), to their potentials."""
    n, i, j = payoff.n_players, payoff.i, payoff.j
    if payoff.is_complete:
        return lambda divergence: divergence / n
    pairs = sparse.coo_array((np.ones(payoff.n_pairs), (i, j)), shape=(n, n)).tocsr()
    _, component = connected_components(pairs, directed=False)
    sizes = np.bincount(component)
    laplacian = sparse.diags_array(payoff.degrees.astype(float)) - pairs - pairs.T
    if n <= DENSE_PLAYERS:
        # The ones of each component fill the null space: the matrix is positive definite, the solution has
        # mean 0.
        filled = laplacian.toarray() + (component[:, None] == component) / sizes[component][:, None]
        factor = cho_factor(filled, overwrite_a=True, check_finite=False)
        return lambda divergence: cho_solve(factor, divergence)
    inverse_degrees = sparse.diags_array(1 / np.maximum(payoff.degrees, 1.0))
    laplacian = laplacian.tocsr()

    def solve(divergence: np.ndarray) -> np.ndarray:
        if divergence.ndim == 2:
            return np.stack([solve(column) for column in divergence.T], axis=1)
        potential, status = sparse.linalg.cg(
            laplacian, divergence, rtol=1e-12, atol=0.0, maxiter=20 * n, M=inverse_degrees
        )
        if status:
            raise RuntimeError(f"The potential did not converge in {status} steps of conjugate gradients.")
        return potential - (np.bincount(component, potential) / sizes)[component]

    return solve


@dataclass(frozen=True)
class Chance:
    """The level that a measure reaches by chance alone: its mean, and the limits of `CHANCE` of its values."""

    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan


def chance_of_gradient(payoff: Payoff, flow: np.ndarray, rng: np.random.Generator) -> Chance:
    """Return the gradient share that a flow would have if a coin decided its direction on each pair.

    The size of the flow of each pair stays. If all players were equally strong, every direction would be as likely as
    the other, whatever the sizes, so that these are draws from the exact conditional distribution. Where all sizes are
    equal, the mean is (players - components) / pairs, which is large where few pairs are observed.

    Parameters
    ----------
    payoff : Payoff
        The observed pairs (i < j).
    flow : (m,) array
        As for `gradient_share`.
    rng : numpy.random.Generator
        The only source of randomness.

    Returns
    -------
    Chance
        Of `N_CHANCE` draws; NaN for a flow of zeros.
    """
    energy = float(flow @ flow)
    if not energy:
        return Chance()
    solve, divergence_of = _solver(payoff), _divergence(payoff)
    shares: list[float] = []
    while len(shares) < N_CHANCE:
        held = min(N_CHANCE - len(shares), max(1, MOST_HELD // len(flow)))
        flows = np.where(rng.integers(0, 2, (len(flow), held)), flow[:, None], -flow[:, None])
        divergence = divergence_of @ flows
        # The gradient part of a flow f has the square r·div f.
        shares += np.minimum((solve(divergence) * divergence).sum(axis=0) / energy, 1.0).tolist()
    low, high = np.quantile(shares, [(1 - CHANCE) / 2, (1 + CHANCE) / 2])
    return Chance(float(np.mean(shares)), float(low), float(high))


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
