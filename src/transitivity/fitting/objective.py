"""The mean loss of a sum of disc games over the observed pairs, with its derivatives (Equations 10 to 15)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from transitivity.errors import InputError
from transitivity.fitting.losses import Loss
from transitivity.fitting.pairs import Pairs
from transitivity.payoff.core import Payoff

#: Above this share of observed pairs, and up to this many players, all pairs are laid out; with up to SMALL players
#: always, as the few pairs that there are take no time.
DENSE_ABOVE = 0.3
DENSE_PLAYERS = 20_000
SMALL = 100


def _factors(U: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return [U, -V] and [V, U]; the scores U Vᵀ - V Uᵀ are the first times the second transposed."""
    if U.shape != V.shape:
        raise InputError(f"U has the shape {U.shape} and V {V.shape}; give as many columns of each.")
    return np.concatenate([U.T, -V.T]).T, np.concatenate([V.T, U.T]).T


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
        self, payoff: Payoff, loss: Loss, target: np.ndarray | None = None, weights: np.ndarray | None = None
    ) -> None:
        self.loss = loss
        self.payoff = payoff
        self.n = payoff.n_players
        self.p = payoff.p if target is None else np.asarray(target, dtype=np.float64)
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        total = float(payoff.n_pairs if self.weights is None else self.weights.sum())
        #: What a pair of weight 1 counts in the mean.
        self.scale, n_constant = 1 / total, 0.0
        if payoff.diagonal is not None:
            n_constant = float(payoff.diagonal.sum())
            self.scale = 2 / (2 * total + n_constant)
        self.is_dense = self.n <= SMALL or (payoff.density >= DENSE_ABOVE and self.n <= DENSE_PLAYERS)
        self._pairs = Pairs(payoff, self.p, self.weights, self.is_dense)
        # The diagonal counts half as much as a pair. A pair that is laid out without having been observed has p = 1/2
        # and x = 0, too; the total contains it unless there are weights.
        n_constant = n_constant / 2
        if self.weights is None:
            n_constant -= self._pairs.n_pairs - payoff.n_pairs
        at_zero, _ = loss.value_and_slope(np.array([0.5]), np.zeros(1))
        self._constant = n_constant * float(at_zero[0])

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

    @cached_property
    def extreme_pairs(self) -> np.ndarray:
        """The indices of the pairs that pull their score to infinity: p is 0 or 1, in logit space."""
        if self.loss.space != "logit":
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero((self.p == 0) | (self.p == 1))

    def exceeds(self, limit: float, U: np.ndarray, V: np.ndarray, pairs: np.ndarray) -> bool:
        """Tell whether the score of one of some extreme pairs is beyond a limit, towards its p of 0 or 1."""
        # |xᵢⱼ| ≤ ‖zᵢ‖ ‖zⱼ‖, zᵢ being all of player i's components, tells without looking at the pairs.
        if ((U**2).sum(axis=1) + (V**2).sum(axis=1)).max() <= limit:
            return False
        x = self._scores_of(pairs, U, V)
        return bool(np.where(self.p[pairs] == 1, x, -x).max() > limit)

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
        left, right = _factors(U, V)
        total, product = self._pairs.evaluate(self.loss, left, right, right)
        return self.scale * (total + self._constant), *self._gradient(product)

    def second_order(self, U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, Hessian]:
        """Return what `value_and_gradient` does, and the second derivatives of f at (U, V)."""
        left, right = _factors(U, V)
        slopes, curvatures = np.empty((2, self._pairs.n_pairs))
        total, product = self._pairs.evaluate(self.loss, left, right, right, slopes, curvatures)
        value = self.scale * (total + self._constant)
        return value, *self._gradient(product), Hessian(self, U, V, slopes, curvatures)

    def elo(self, u: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return f(u, 1), its gradient in u, and the weighted curvatures of the losses, for `matrix_product`.

        Parameters
        ----------
        u : (n,) array
        """
        curvatures = np.empty(self._pairs.n_pairs)
        ones = np.ones((self.n, 1))
        left, right = _factors(u[:, None], ones)
        total, product = self._pairs.evaluate(self.loss, left, right, ones, curvatures=curvatures)
        return self.scale * (total + self._constant), self.scale * product[:, 0], curvatures

    def _gradient(self, product: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients in U and in V from the product (S - Sᵀ) [V, U]."""
        k = product.shape[1] // 2
        return self.scale * product[:, :k], -self.scale * product[:, k:]

    def slopes(self, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return the weighted slopes of the losses, for `matrix_product`."""
        slopes = np.empty(self._pairs.n_pairs)
        self._pairs.evaluate(self.loss, *_factors(U, V), np.zeros((self.n, 0)), slopes)
        return slopes

    def matrix_product(self, entries: np.ndarray, X: np.ndarray, sign: float = -1.0) -> np.ndarray:
        """Return A @ X for the matrix A with these entries above the diagonal and, below, `sign` times their mirror.

        Parameters
        ----------
        entries : array
            As `slopes`, `elo` or a `Hessian` have them.
        X : (n, c) array
        sign : {-1, 1}
            A is skew-symmetric or symmetric.
        """
        return self._pairs.matrix_product(entries, X, sign)


class Hessian:
    """The second derivatives of a `PairObjective` at one point (U, V), never written down as a matrix.

    With S the slopes and C the curvatures of the pairs, S skew-symmetric and C symmetric, the gradient in U is S V. So
    a change (dU, dV) of the point changes it by (C ∘ dX) V + S dV, where dX is the change of the scores.

    Attributes
    ----------
    slopes, curvatures : arrays
        Of the weighted losses, for `PairObjective.matrix_product`.
    """

    def __init__(
        self, objective: PairObjective, U: np.ndarray, V: np.ndarray, slopes: np.ndarray, curvatures: np.ndarray
    ) -> None:
        self._objective, self._U, self._V = objective, U, V
        self.slopes, self.curvatures = slopes, curvatures

    @cached_property
    def _factors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[], np.ndarray]]:
        """[dU, -dV, U, -V]ᵀ and [V, U, dV, dU]ᵀ, (4k, n), of which dX is the product, and what else `product` needs.

        That is the factor of each row of the gradients, and the function to call when dU and dV are filled in.
        """
        (n, k), pairs, scale = self._U.shape, self._objective._pairs, self._objective.scale
        left, right = (np.empty((n, 4 * k), order=pairs.order) for _ in range(2))
        left[:, 2 * k : 3 * k], left[:, 3 * k :] = self._U, -self._V
        right[:, :k], right[:, k : 2 * k] = self._V, self._U
        multiply = pairs.hessian_product(self.slopes, self.curvatures, left, right)
        return left.T, right.T, np.repeat([scale, -scale], k)[:, None], multiply

    def product(self, rows: np.ndarray) -> np.ndarray:
        """Return how the gradients in U and in V change with dU and dV: [dU, dV]ᵀ to rows alike, (2k, n) arrays."""
        k, (left, right, factors, multiply) = len(rows) // 2, self._factors
        left[:k], right[3 * k :], right[2 * k : 3 * k] = rows[:k], rows[:k], rows[k:]
        np.negative(rows[k:], out=left[k : 2 * k])
        return factors * multiply().T

    def blocks(self) -> np.ndarray:
        """Return the second derivatives in (uᵢ, vᵢ) of each player, Σⱼ cᵢⱼ wⱼ wⱼᵀ with wⱼ = (vⱼ, -uⱼ), (n, 2k, 2k)."""
        W = np.hstack([self._V, -self._U])
        n, width = W.shape
        squares = (W[:, :, None] * W[:, None, :]).reshape(n, width**2)
        sums = self._objective.matrix_product(self.curvatures, squares, 1.0)
        return self._objective.scale * sums.reshape(n, width, width)
