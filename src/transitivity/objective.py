"""The mean loss of a sum of disc games over the observed pairs, with its derivatives (Equations 10 to 15)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import scipy.sparse

from transitivity.losses import Loss
from transitivity.payoff import Payoff

#: Above this share of observed pairs, and up to this many players, the objective uses matrix products; with up to
#: SMALL players always, as the few pairs that there are take less time than the calls of sparse products.
DENSE_ABOVE = 0.3
DENSE_PLAYERS = 20_000
SMALL = 100
#: Rows of one block of the dense objective: its temporaries stay in the processor's cache.
BLOCK_ROWS = 96

#: The most pairs of one tile of the sparse objective, whose temporaries stay in the cache, and its columns, whose
#: players do.
TILE_PAIRS, TILE_COLUMNS = 1 << 17, 1 << 16

#: One array for each part of the observed pairs: the upper half of a skew-symmetric or symmetric matrix.
Parts = Sequence[np.ndarray]


class _Part(Protocol):
    """Some of the observed pairs: their payoffs p and weights, and the products with what belongs to them."""

    p: np.ndarray

    def scores(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return Σₗ leftᵢₗ rightₗⱼ at these pairs, 0 where a block has no pair; see `_factors`."""
        ...

    def differences(self, u: np.ndarray) -> np.ndarray:
        """Return uᵢ - uⱼ at these pairs, the scores of (u, 1)."""
        ...

    def weigh(self, entries: np.ndarray) -> np.ndarray:
        """Multiply entries at these pairs by their weights, in place."""
        ...

    def add_products(self, entries: np.ndarray, X: np.ndarray, out: np.ndarray, sign: float) -> None:
        """Add (S + sign Sᵀ) X to `out`, S being zero but for the entries at these pairs."""
        ...


class _Block:
    """The pairs of some consecutive rows, as the part of the upper triangle from their first column on."""

    def __init__(self, rows: slice, p: np.ndarray, weights: np.ndarray) -> None:
        self.rows, self.columns = rows, slice(rows.start, None)
        self.p = p
        # Weights are not looked at where all are 1: to the right of the last column with another one.
        last = np.flatnonzero((weights != 1).any(axis=0))[-1] + 1
        self.weights = np.ascontiguousarray(weights[:, :last])
        self.observed = np.sign(self.weights)

    def scores(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._at_pairs(left[self.rows] @ right[:, self.columns])

    def differences(self, u: np.ndarray) -> np.ndarray:
        return self._at_pairs(u[self.rows, None] - u[self.columns])

    def _at_pairs(self, x: np.ndarray) -> np.ndarray:
        x[:, : self.observed.shape[1]] *= self.observed
        return x

    def weigh(self, entries: np.ndarray) -> np.ndarray:
        entries[:, : self.weights.shape[1]] *= self.weights
        return entries

    def add_products(self, entries: np.ndarray, X: np.ndarray, out: np.ndarray, sign: float) -> None:
        out[self.rows] += entries @ X[self.columns]
        out[self.columns] += sign * (X[self.rows].T @ entries).T


class _Tile:
    """Some pairs of a sparse payoff, of consecutive rows and of consecutive columns.

    i and j count from the first of these rows and columns.
    """

    def __init__(
        self,
        rows: slice,
        columns: slice,
        i: np.ndarray,
        j: np.ndarray,
        p: np.ndarray,
        weights: np.ndarray | None,
    ) -> None:
        self.rows, self.columns = rows, columns
        self.i, self.j, self.p, self.weights = i, j, p, weights
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        # The narrow indices of scipy, once and for all.
        row_ends = np.searchsorted(i, np.arange(shape[0] + 1)).astype(np.int32)
        self._pattern = scipy.sparse.csr_array((np.ones(len(i)), j.astype(np.int32), row_ends), shape=shape)
        self._mirror = self._pattern.T

    def scores(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        x = np.zeros(len(self.i))
        for a, b in zip(left.T, right, strict=True):
            x += a[self.rows].take(self.i) * b[self.columns].take(self.j)
        return x

    def differences(self, u: np.ndarray) -> np.ndarray:
        return u[self.rows].take(self.i) - u[self.columns].take(self.j)

    def weigh(self, entries: np.ndarray) -> np.ndarray:
        if self.weights is not None:
            entries *= self.weights
        return entries

    def add_products(self, entries: np.ndarray, X: np.ndarray, out: np.ndarray, sign: float) -> None:
        self._pattern.data = self._mirror.data = entries
        for x, to in zip(X.T, out.T, strict=True):
            to[self.rows] += self._pattern @ x[self.columns]
            to[self.columns] += sign * (self._mirror @ x[self.rows])


def _factors(U: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return [U, -V] and [V, U]ᵀ, whose product is the matrix of scores U Vᵀ - V Uᵀ."""
    return np.vstack([U.T, -V.T]).T, np.vstack([V.T, U.T])


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
        self.scale, n_constant = 1 / total, 0
        if payoff.diagonal is not None:
            n_constant = int(payoff.diagonal.sum())
            self.scale = 2 / (2 * total + n_constant)
        self.is_dense = self.n <= SMALL or (payoff.density >= DENSE_ABOVE and self.n <= DENSE_PLAYERS)
        self._parts = self._blocks() if self.is_dense else self._tiles()
        # The diagonal counts half as much as a pair. What a block has besides its pairs has p = 1/2 and x = 0 too;
        # the total of a block contains it unless there are weights.
        n_constant = n_constant / 2
        if self.weights is None:
            n_constant -= sum(part.p.size for part in self._parts) - payoff.n_pairs
        at_zero, _ = loss.value_and_slope(np.array([0.5]), np.zeros(1))
        self._constant = n_constant * float(at_zero[0])

    def _blocks(self) -> list[_Block]:
        """Cut the upper triangle into blocks of rows, with weight 0 where there is no pair."""
        i, j = self.payoff.i, self.payoff.j
        blocks = []
        for start in range(0, self.n, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.n)
            first, last = np.searchsorted(i, [start, stop])
            p = np.full((stop - start, self.n - start), 0.5)
            weights = np.zeros_like(p)
            rows, columns = i[first:last] - start, j[first:last] - start
            p[rows, columns] = self.p[first:last]
            weights[rows, columns] = 1.0 if self.weights is None else self.weights[first:last]
            blocks.append(_Block(slice(start, stop), p, weights))
        return blocks

    def _tiles(self) -> list[_Tile]:
        """Cut the observed pairs into tiles: by columns, then by rows."""
        i, j, p, weights = self.payoff.i, self.payoff.j, self.p, self.weights
        column_block = j // TILE_COLUMNS
        # Pairs are sorted by row, and stay so within each block of columns.
        order = np.argsort(column_block, kind="stable")
        first_of_block = np.searchsorted(column_block[order], np.arange(-(-self.n // TILE_COLUMNS) + 1))
        tiles = []
        for block, (start, stop) in enumerate(itertools.pairwise(first_of_block)):
            columns = slice(block * TILE_COLUMNS, min((block + 1) * TILE_COLUMNS, self.n))
            for first in range(start, stop, TILE_PAIRS):
                pairs = order[first : min(first + TILE_PAIRS, stop)]
                rows = slice(i[pairs[0]], i[pairs[-1]] + 1)
                tiles.append(
                    _Tile(
                        rows,
                        columns,
                        i[pairs] - rows.start,
                        j[pairs] - columns.start,
                        p[pairs],
                        None if weights is None else weights[pairs],
                    )
                )
        return tiles

    # ---------------------------------------------------------------- scores

    def scores(self, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return x of every observed pair, (m,)."""
        return self._scores_of(slice(None), U, V)

    def _scores_of(self, pairs: np.ndarray | slice, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        i, j = self.payoff.i[pairs], self.payoff.j[pairs]
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
        x = self._scores_of(pairs, U, V)
        return float(np.max(np.where(self.p[pairs] == 1, x, -x)))

    # ---------------------------------------------------------------- value and derivatives

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
        total, both, products = self._constant, np.hstack([V, U]), np.zeros((self.n, 2 * U.shape[1]))
        left, right = _factors(U, V)
        for part in self._parts:
            value, slope = self._total_and_slope(part, part.scores(left, right))
            total += value
            part.add_products(slope, both, products, -1.0)
        return self.scale * total, *self._gradient(products)

    def hessian(self, U: np.ndarray, V: np.ndarray) -> Hessian:
        """Return the second derivatives of f at (U, V)."""
        return Hessian(self, U, V)

    def elo(self, u: np.ndarray) -> tuple[float, np.ndarray, Parts]:
        """Return f(u, 1), its gradient in u, and the weighted curvatures of the losses, for `matrix_product`.

        Parameters
        ----------
        u : (n,) array
        """
        total, curvatures, gradient = self._constant, [], np.zeros((self.n, 1))
        ones = np.ones((self.n, 1))
        for part in self._parts:
            value, slope, curvature = self._second_order(part, part.differences(u))
            total += value
            part.add_products(slope, ones, gradient, -1.0)
            curvatures.append(curvature)
        return self.scale * total, self.scale * gradient[:, 0], curvatures

    def _second_order(self, part: _Part, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the sum of the weighted losses of a part, their slopes and their curvatures."""
        value, slope, curvature = self.loss.total_slope_and_curvature(part.p, x)
        if self.weights is not None:
            value, slope = self._total_and_slope(part, x)
        return value, slope, part.weigh(curvature)

    def _total_and_slope(self, part: _Part, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the sum of the weighted losses of a part, and their slopes."""
        if self.weights is None:
            return self.loss.total_and_slope(part.p, x)
        value, slope = self.loss.value_and_slope(part.p, x)
        return float(part.weigh(value).sum()), part.weigh(slope)

    def _gradient(self, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients in U and in V from the products (S - Sᵀ) [V, U]."""
        k = products.shape[1] // 2
        return self.scale * products[:, :k], -self.scale * products[:, k:]

    def slopes(self, U: np.ndarray, V: np.ndarray) -> Parts:
        """Return the weighted slopes of the losses, for `matrix_product`."""
        left, right = _factors(U, V)
        return [self._total_and_slope(part, part.scores(left, right))[1] for part in self._parts]

    def slopes_and_curvatures(self, U: np.ndarray, V: np.ndarray) -> tuple[Parts, Parts]:
        """Return the weighted slopes and curvatures of the losses, for `matrix_product`."""
        left, right = _factors(U, V)
        both = [self._second_order(part, part.scores(left, right)) for part in self._parts]
        return [slope for _, slope, _ in both], [curvature for _, _, curvature in both]

    def matrix_product(self, entries: Parts, X: np.ndarray, sign: float = -1.0) -> np.ndarray:
        """Return A @ X for the matrix A with these entries above the diagonal and, below, `sign` times their mirror.

        Parameters
        ----------
        entries : sequence of arrays
            As `slopes` or `slopes_and_curvatures` return them.
        X : (n, c) array
        sign : {-1, 1}
            A is skew-symmetric or symmetric.
        """
        out = np.zeros_like(X)
        for part, S in zip(self._parts, entries, strict=True):
            part.add_products(S, X, out, sign)
        return out


class Hessian:
    """The second derivatives of a `PairObjective` at one point (U, V), never written down as a matrix.

    With S the slopes and C the curvatures of the pairs, S skew-symmetric and C symmetric, the gradient in U is S V. So
    a change (dU, dV) of the point changes it by (C ∘ dX) V + S dV, where dX is the change of the scores.
    """

    def __init__(self, objective: PairObjective, U: np.ndarray, V: np.ndarray) -> None:
        self._objective, self._U, self._V = objective, U, V
        self._slopes, self._curvatures = objective.slopes_and_curvatures(U, V)

    def product(self, dU: np.ndarray, dV: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how the gradients in U and in V change with (dU, dV), all (n, k) arrays."""
        U, V = self._U, self._V
        left, right = _factors(np.hstack([dU, U]), np.hstack([V, dV]))
        both, change = np.hstack([V, U]), np.hstack([dV, dU])
        out = np.zeros_like(both)
        for part, S, C in zip(self._objective._parts, self._slopes, self._curvatures, strict=True):
            part.add_products(C * part.scores(left, right), both, out, -1.0)
            part.add_products(S, change, out, -1.0)
        return self._objective._gradient(out)

    def blocks(self) -> np.ndarray:
        """Return the second derivatives in (uᵢ, vᵢ) of each player, Σⱼ cᵢⱼ wⱼ wⱼᵀ with wⱼ = (vⱼ, -uⱼ), (n, 2k, 2k)."""
        W = np.hstack([self._V, -self._U])
        n, width = W.shape
        squares = (W[:, :, None] * W[:, None, :]).reshape(n, width**2)
        sums = self._objective.matrix_product(self._curvatures, squares, 1.0)
        return self._objective.scale * sums.reshape(n, width, width)
