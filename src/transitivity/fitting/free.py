"""The objective as a function of one vector, the free columns of U and V, for `lbfgs` and `newton`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from transitivity.fitting import newton
from transitivity.fitting.objective import Hessian, PairObjective

#: A penalty: (U, V) to its value and its gradients in U and V. It must be a sum of multiples of squares (x - c)² of
#: single entries x: its second derivatives are taken to be constant, and those in two different entries to be 0.
Penalty = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray, np.ndarray]]


def pull(ratings: float, others: float) -> Penalty:
    """Return the penalty that pulls u of the first column to 0, its v to 1, and all further columns to 0.

    It is ½ ratings ‖u₁‖² + ½ others (‖v₁ - 1‖² + Σ ‖uₗ‖² + ‖vₗ‖²).
    """

    def penalty(U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        gradient_U, from_target = others * U, V.copy()
        gradient_U[:, 0] = ratings * U[:, 0]
        from_target[:, 0] -= 1
        gradient_V = others * from_target
        value = (np.vdot(gradient_U, U) + np.vdot(gradient_V, from_target)) / 2
        return float(value), gradient_U, gradient_V

    return penalty


class FreeColumns:
    """f(θ) = the objective + penalty + ridge / (2 n) · ‖θ‖², where θ has the free columns of U, then those of V.

    Parameters
    ----------
    objective : PairObjective
    U, V : (n, k) arrays
        The start, and the values of the columns that stay fixed.
    free_U, free_V : (k,) bool arrays
        Which columns are free.
    orthogonal_to : (n, c) array, optional
        Orthonormal columns. θ is projected onto their orthogonal complement first, column by column.
    penalty : callable, optional
        See `Penalty`.
    ridge : float

    Attributes
    ----------
    start : (d,) array
        θ at (U, V).
    """

    def __init__(
        self,
        objective: PairObjective,
        U: np.ndarray,
        V: np.ndarray,
        free_U: np.ndarray,
        free_V: np.ndarray,
        orthogonal_to: np.ndarray | None = None,
        penalty: Penalty | None = None,
        ridge: float = 0.0,
    ) -> None:
        self._objective, self._basis, self._penalty, self._ridge = objective, orthogonal_to, penalty, ridge
        self._n, self._k = U.shape
        # Everything below is transposed: rows of [U, V]ᵀ are contiguous parts of θ.
        self._all = np.concatenate([U.T, V.T])
        self._free = np.flatnonzero(np.concatenate([free_U, free_V]))
        self.start = self._all[self._free].ravel()

    def _project(self, rows: np.ndarray) -> np.ndarray:
        if self._basis is None:
            return rows
        columns = rows.T
        return (columns - self._basis @ (self._basis.T @ columns)).T

    def columns(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return U and V, (n, k) arrays, at θ."""
        rows = self._all.copy()
        rows[self._free] = self._project(theta.reshape(-1, self._n))
        return rows[: self._k].T, rows[self._k :].T

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return f and its gradient at θ."""
        U, V = self.columns(theta)
        return self._complete(theta, U, V, *self._objective.value_and_gradient(U, V))

    def second_order(self, theta: np.ndarray) -> tuple[float, np.ndarray, newton.SecondOrder]:
        """Return f, its gradient and its second derivatives at θ; see `newton.minimise`."""
        U, V = self.columns(theta)
        value, gradient_U, gradient_V, hessian = self._objective.second_order(U, V)
        value, gradient = self._complete(theta, U, V, value, gradient_U, gradient_V)
        return value, gradient, lambda: self._linear(U, V, hessian)

    def inverse(self, theta: np.ndarray) -> newton.Linear:
        """Return the product with the inverse of the second derivatives of each player at θ, for `lbfgs.minimise`."""
        return self.second_order(theta)[2]()[1]

    def _complete(
        self,
        theta: np.ndarray,
        U: np.ndarray,
        V: np.ndarray,
        value: float,
        gradient_U: np.ndarray,
        gradient_V: np.ndarray,
    ) -> tuple[float, np.ndarray]:
        """Return the value and the gradient in θ from those of the objective: penalty and ridge are added."""
        if self._penalty is not None:
            extra, extra_U, extra_V = self._penalty(U, V)
            value, gradient_U, gradient_V = value + extra, gradient_U + extra_U, gradient_V + extra_V
        gradient = self._project(np.concatenate([gradient_U.T, gradient_V.T])[self._free]).ravel()
        if self._ridge == 0:
            return value, gradient
        shrink = self._ridge / self._n
        return value + shrink / 2 * float(theta @ theta), gradient + shrink * theta

    def _linear(self, U: np.ndarray, V: np.ndarray, hessian: Hessian) -> tuple[newton.Linear, newton.Linear]:
        """Return the products with the Hessian and with the inverse of its blocks, one block a player."""
        n, k, free = self._n, self._k, self._free
        stiffness = np.full((len(free), n), self._ridge / n)
        if self._penalty is not None:
            here, beyond = self._penalty(U, V), self._penalty(U + 1, V + 1)
            stiffness += np.hstack([beyond[1] - here[1], beyond[2] - here[2]]).T[free]
        blocks = hessian.blocks()[:, free[:, None], free]
        diagonal = np.einsum("iaa->ia", blocks)
        diagonal += stiffness.T
        # The block of a player with few opponents, or with opponents on one line, may be singular.
        diagonal += 1e-4 * diagonal.mean(axis=1, keepdims=True) + 1e-10 * diagonal.mean()
        inverses = np.ascontiguousarray(np.linalg.inv(blocks).T)
        change = np.zeros((2 * k, n))

        def product(theta: np.ndarray) -> np.ndarray:
            rows = self._project(theta.reshape(-1, n))
            change[free] = rows
            return self._project(hessian.product(change)[free] + stiffness * rows).ravel()

        def inverse(theta: np.ndarray) -> np.ndarray:
            rows = self._project(theta.reshape(-1, n))
            return self._project((inverses * rows).sum(axis=1)).ravel()

        return product, inverse
