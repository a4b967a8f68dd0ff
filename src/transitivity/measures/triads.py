"""Cyclic and intransitive triads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from transitivity.payoff.core import Payoff

#: A pair whose p is closer to 1/2 is a tie: payoffs that are fractions carry rounding errors.
TIE_TOLERANCE = 1e-9
#: Graphs with more players, or with fewer of their pairs observed, use sparse products.
DENSE_PLAYERS, DENSE_DENSITY = 3000, 0.05


@dataclass(frozen=True)
class Triads:
    """Counts of sets of three players with all three pairs observed.

    Parameters
    ----------
    total : int
        All of them.
    cyclic : int
        i beats j, j beats k, k beats i.
    intransitive : int
        The cyclic ones, and those where i beats j, j beats k, and i ties with k (Definition 2.2 is violated).
    untied, one_tie : int
        Those without a tie, and with one.
    """

    total: int
    cyclic: int
    intransitive: int
    untied: int
    one_tie: int

    def chance(self, with_ties: bool) -> tuple[float, float]:
        """Return the mean and the standard deviation of a share of the triads if a coin decided each pair, ties apart.

        A triad without ties is then cyclic with probability 1/4, and one with one tie intransitive with 1/2. Any two
        triads are uncorrelated, even if they share a pair: both directions of that pair leave the probabilities of the
        rest as they are.

        Parameters
        ----------
        with_ties : bool
            Whether intransitive triads are counted, or cyclic ones.
        """
        if not self.total:
            return math.nan, math.nan
        one_tie = self.one_tie if with_ties else 0
        variance = self.untied * 3 / 16 + one_tie / 4
        return (self.untied / 4 + one_tie / 2) / self.total, math.sqrt(variance) / self.total


def count_triads(payoff: Payoff) -> Triads:
    """Count the triads of a payoff, exactly.

    A complete payoff without ties is a tournament: n choose 3 triads, of which Σᵢ (wᵢ choose 2) are
    transitive, one for each pair that some player beats (Kendall and Babington Smith 1940; the score sequence
    of Landau 1953). Else with W the 0/1 matrix of wins, T of ties and O of observed pairs: tr(W³) / 3 cyclic
    triads, Σ (W²) ∘ T with a tie, and tr(O³) / 6 in all.

    Parameters
    ----------
    payoff : Payoff
        Complete or not.

    Returns
    -------
    Triads
        Exact counts.
    """
    n = payoff.n_players
    i_wins, j_wins = payoff.p > 0.5 + TIE_TOLERANCE, payoff.p < 0.5 - TIE_TOLERANCE
    winner = np.concatenate([payoff.i[i_wins], payoff.j[j_wins]])
    loser = np.concatenate([payoff.j[i_wins], payoff.i[j_wins]])
    if payoff.is_complete and len(winner) == payoff.n_pairs:
        wins = np.bincount(winner, minlength=n)
        total = math.comb(n, 3)
        cyclic = total - int((wins * (wins - 1) // 2).sum())
        return Triads(total, cyclic, cyclic, total, 0)
    tied = ~(i_wins | j_wins)
    ties = sparse.csr_array((np.ones(tied.sum()), (payoff.i[tied], payoff.j[tied])), shape=(n, n))
    matrices: list[Any] = [
        sparse.csr_array((np.ones(len(winner)), (winner, loser)), shape=(n, n)),
        sparse.csr_array((np.ones(payoff.n_pairs), (payoff.i, payoff.j)), shape=(n, n)),
        ties + ties.T,
    ]
    if n <= DENSE_PLAYERS and payoff.density >= DENSE_DENSITY:
        matrices = [matrix.toarray() for matrix in matrices]
    W, once, T = matrices
    # W[i, j] W[j, k] W[k, i] meets each cycle three times; i < j < k meets each triad once.
    paths = W @ W
    cyclic = _overlap(paths, W.T) // 3
    with_tie = _overlap(paths, T)
    total = math.comb(n, 3) if payoff.is_complete else _overlap(once @ once, once)
    decided = W + W.T
    wedges = decided @ decided
    return Triads(total, cyclic, cyclic + with_tie, _overlap(wedges, decided) // 6, _overlap(wedges, T) // 2)


def _overlap(counts: Any, mask: Any) -> int:
    """Sum the counts where the mask is 1, both sparse or both dense. Whole numbers below 2⁵³ are exact as floats."""
    if isinstance(counts, np.ndarray):
        return round(float(np.vdot(counts, mask)))
    return round(float((counts * mask).sum()))
