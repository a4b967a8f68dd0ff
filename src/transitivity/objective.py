"""The mean loss of a sum of disc games over the observed pairs, with its gradient (Equations 10 to 15)."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from transitivity.losses import Loss
from transitivity.payoff import Payoff

#: Above this share of observed pairs, and up to this many players, the objective uses matrix products.
DENSE_ABOVE = 0.2
DENSE_PLAYERS = 20_000
#: Rows of one block of the dense objective: its temporaries stay in the processor's cache.
BLOCK_ROWS = 64


class PairObjective:
    """f(U, V) = mean over the observed pairs of ℒ(pᵢⱼ, Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ).

    The paper sums over all ordered pairs; both directions of a pair have the same loss, so the mean over pairs
    differs from its sum by a factor only. With `payoff.diagonal` (published hold-out) the mean is, as in the
    published code, over ordered entries with the observed diagonal among them.

    Parameters
    ----------
    payoff : Payoff
        The observed pairs.
    loss : Loss
        The loss of one pair.
    target : (m,) array, optional
        What replaces payoff.p in the loss (m-Elo subtracts a transitive part first).
    weights : (m,) array, optional
        Non-negative weights of the pairs; the mean becomes a weighted mean.
    """

    def __init__(
        self,
        payoff: Payoff,
        loss: Loss,
        target: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        self.loss = loss
        self.payoff = payoff
        self.n = payoff.n_players
        self.p = payoff.p if target is None else np.asarray(target, dtype=np.float64)
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        total = float(payoff.n_pairs if weights is None else self.weights.sum())
        #: What a pair of weight 1 counts in the mean.
        self.scale, self._constant = 1 / total, 0.0
        if payoff.diagonal is not None:
            n_diagonal = int(payoff.diagonal.sum())
            entries = 2 * total + n_diagonal
            self.scale = 2 / entries
            value, _ = loss.value_and_slope(np.array([0.5]), np.zeros(1))
            self._constant = n_diagonal / entries * float(value[0])
        self.is_dense = payoff.density >= DENSE_ABOVE and self.n <= DENSE_PLAYERS
        self._indptr = np.searchsorted(payoff.i, np.arange(self.n + 1))
        if self.is_dense:
            self._make_blocks()

    def _make_blocks(self) -> None:
        """Cut the upper triangle into trapezoids of rows, zero weight where a pair is not observed."""
        i, j = self.payoff.i, self.payoff.j
        self._blocks = []
        for start in range(0, self.n, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.n)
            first, last = np.searchsorted(i, [start, stop])
            p = np.full((stop - start, self.n - start), 0.5)
            w = np.zeros_like(p)
            rows, columns = i[first:last] - start, j[first:last] - start
            p[rows, columns] = self.p[first:last]
            w[rows, columns] = 1.0 if self.weights is None else self.weights[first:last]
            self._blocks.append((start, stop, p, w))

    def scores(self, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return x of every observed pair, (m,)."""
        i, j = self.payoff.i, self.payoff.j
        x = np.zeros(len(i))
        for u, v in zip(U.T, V.T, strict=True):
            x += u[i] * v[j] - v[i] * u[j]
        return x

    def extreme_pairs(self) -> np.ndarray:
        """Return the indices of the pairs that pull their score to infinity: p is 0 or 1, in logit space."""
        if self.loss.space != "logit":
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero((self.p == 0) | (self.p == 1))

    def largest_score(self, U: np.ndarray, V: np.ndarray, pairs: np.ndarray) -> float:
        """Return the largest score, towards its p of 0 or 1, of some extreme pairs."""
        i, j = self.payoff.i[pairs], self.payoff.j[pairs]
        x = np.sum(U[i] * V[j] - V[i] * U[j], axis=1)
        return float(np.max(np.where(self.p[pairs] == 1, x, -x)))

    def value_and_gradient(self, U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return f and its gradients in U and in V (Equations 13 and 14, over the observed pairs).

        Parameters
        ----------
        U, V : (n, k) arrays
            The pairs of components, one pair a column.

        Returns
        -------
        f : float
        gradient_U, gradient_V : (n, k) arrays
        """
        U, V = np.ascontiguousarray(U), np.ascontiguousarray(V)
        if self.is_dense:
            return self._dense(U, V)
        value, slope = self.loss.value_and_slope(self.p, self.scores(U, V))
        if self.weights is not None:
            value, slope = value * self.weights, slope * self.weights
        # D holds the slopes above the diagonal only; the mirror entries are those of -Dᵀ.
        D = self._above_diagonal(slope)
        DT = D.T
        gradient_U = self.scale * (D @ V - DT @ V)
        gradient_V = self.scale * (DT @ U - D @ U)
        return self.scale * float(value.sum()) + self._constant, gradient_U, gradient_V

    def _dense(self, U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        total = 0.0
        gradient_U, gradient_V = np.zeros_like(U), np.zeros_like(V)
        left, right = np.hstack([U, -V]), np.hstack([V, U])
        for start, stop, p, w in self._blocks:
            value, slope = self.loss.value_and_slope(p, left[start:stop] @ right[start:].T)
            total += float(np.vdot(w, value))
            slope *= w
            gradient_U[start:stop] += slope @ V[start:]
            gradient_V[start:stop] -= slope @ U[start:]
            gradient_U[start:] -= slope.T @ V[start:stop]
            gradient_V[start:] += slope.T @ U[start:stop]
        return self.scale * total + self._constant, self.scale * gradient_U, self.scale * gradient_V

    def skew_product(self, S: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return A @ Z for the skew-symmetric A with entries S at the observed pairs and zero elsewhere.

        Parameters
        ----------
        S : (m,) array
            Entries above the diagonal, in the order of the pairs.
        Z : (n, c) array
        """
        A = self._above_diagonal(S)
        return A @ Z - A.T @ Z

    def _above_diagonal(self, entries: np.ndarray) -> scipy.sparse.csr_array:
        """Return the sparse (n, n) matrix with these entries, (m,), at the observed pairs i < j."""
        return scipy.sparse.csr_array((entries, self.payoff.j, self._indptr), shape=(self.n, self.n))
