"""The pairs that an objective sums over, in the layout of pairs.c; numpy does the same where it is not compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal

import numpy as np

from transitivity.errors import InputError
from transitivity.fitting.losses import Loss
from transitivity.native import library
from transitivity.payoff.core import Payoff

#: The losses of pairs.c, by their numbers there.
COMPILED = ("cross_entropy", "squared_sigmoid", "squared_linear")
#: Padding after the last pair; pairs.c prefetches this far.
AHEAD = 32


class Pairs:
    """Pairs i < j with their payoffs p and weights, and matrices that are zero but for entries at these pairs.

    Parameters
    ----------
    payoff : Payoff
        The observed pairs.
    p : (m,) array
        Of each of them.
    weights : (m,) array, optional
        Of each of them.
    complete : bool
        Whether to lay out all n (n - 1) / 2 pairs, so that opponents need no index. A pair that was not observed then
        has p = 1/2 and the weight 0; without weights its score is set to 0.

    Attributes
    ----------
    n_pairs : int
        The pairs that are laid out. Arrays of `entries` have one number for each.
    """

    def __init__(self, payoff: Payoff, p: np.ndarray, weights: np.ndarray | None, complete: bool) -> None:
        self.n, self.n_pairs = payoff.n_players, payoff.n_pairs
        p, weights = self._entries(p), None if weights is None else self._entries(weights)
        rows = np.arange(self.n + 1, dtype=np.int64)
        self._observed = self._columns = None
        # A matrix of n rows lies column by column, or row by row: see pairs.c.
        self.order: Literal["C", "F"] = "F" if complete else "C"
        if complete:
            self._starts = rows * self.n - rows * (rows + 1) // 2
            self.n_pairs = int(self._starts[-1])
            if self.n_pairs > payoff.n_pairs:
                at = self._starts[payoff.i] + payoff.j - payoff.i - 1
                if weights is None:
                    self._observed = self._spread(at, np.uint8(1), np.uint8(0))
                else:
                    weights = self._spread(at, weights, 0.0)
                p = self._spread(at, p, 0.5)
        else:
            self._starts = np.searchsorted(payoff.i, rows).astype(np.int64)
            self._columns = np.zeros(self.n_pairs + AHEAD, dtype=np.int32)
            self._columns[: self.n_pairs] = payoff.j
        self._p, self._weights = p, weights
        self._locate()

    def _locate(self) -> None:
        # The first arguments of every function of pairs.c, and the data of the pairs.
        self._layout = (self.n, *map(library.address, (self._starts, self._columns)))
        self._data = tuple(map(library.address, (self._p, self._weights, self._observed)))

    def __getstate__(self) -> dict[str, object]:
        # The addresses are those of this process and this object.
        return {name: value for name, value in self.__dict__.items() if name not in ("_layout", "_data")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._locate()

    def _spread(self, at: np.ndarray, values: np.ndarray | np.generic, elsewhere: float | np.generic) -> np.ndarray:
        """Return an array of all pairs with values at some of them."""
        array = np.full(self.n_pairs, elsewhere)
        array[at] = values
        return array

    def _arranged(self, X: np.ndarray) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64, order=self.order)
        # C would read, and write, beyond the end.
        if X.ndim != 2 or len(X) != self.n:
            raise InputError(f"An array has the shape {X.shape}; give {self.n} rows, one a player.")
        return X

    def _entries(self, entries: np.ndarray) -> np.ndarray:
        entries = np.ascontiguousarray(entries, dtype=np.float64)
        if entries.shape != (self.n_pairs,):
            raise InputError(f"An array has the shape {entries.shape}; give {self.n_pairs} numbers, one a pair.")
        return entries

    def evaluate(
        self,
        loss: Loss,
        left: np.ndarray,
        right: np.ndarray,
        X: np.ndarray,
        slopes: np.ndarray | None = None,
        curvatures: np.ndarray | None = None,
    ) -> tuple[float, np.ndarray]:
        """Return the sum of the losses at the scores Σₗ leftᵢₗ rightⱼₗ, and (S - Sᵀ) X, S having the slopes.

        Parameters
        ----------
        loss : Loss
        left, right : (n, 2 l) arrays
        X : (n, c) array
        slopes, curvatures : (n_pairs,) arrays, optional
            Become the weighted slopes and curvatures of the losses.

        Returns
        -------
        total : float
        product : (n, c) array
        """
        compiled = library.load()
        left, right, X = self._arranged(left), self._arranged(right), self._arranged(X)
        if compiled is None or loss.name not in COMPILED:
            return self._evaluate(loss, left, right, X, slopes, curvatures)
        out = np.zeros(X.shape, order=self.order)
        total = compiled.evaluate(
            *self._layout,
            left.shape[1],
            *map(library.address, (left, right)),
            COMPILED.index(loss.name),
            *self._data,
            X.shape[1],
            *map(library.address, (X, out, slopes, curvatures)),
        )
        return total, out

    def matrix_product(self, entries: np.ndarray, X: np.ndarray, sign: float) -> np.ndarray:
        """Return (S + sign Sᵀ) X, S being zero but for `entries`.

        Parameters
        ----------
        entries : (n_pairs,) array
        X : (n, c) array
        sign : {-1, 1}
        """
        compiled = library.load()
        entries, X = self._entries(entries), self._arranged(X)
        if compiled is None:
            return self._matrix_product(entries, X, sign)
        out = np.zeros(X.shape, order=self.order)
        compiled.matrix_product(
            *self._layout, library.address(entries), X.shape[1], *map(library.address, (X, out)), sign
        )
        return out

    def hessian_product(
        self, slopes: np.ndarray, curvatures: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> Callable[[], np.ndarray]:
        """Return a function that returns (D - Dᵀ) X + (S - Sᵀ) dX for what `left` and `right` hold when it is called.

        S has the slopes, D the curvatures times the scores Σₗ leftᵢₗ rightⱼₗ.

        Parameters
        ----------
        slopes, curvatures : (n_pairs,) arrays
            From `evaluate`.
        left, right : (n, 2 c) arrays
            In the order `order`. X and dX are the two halves of the columns of `right`.

        Returns
        -------
        callable
            It returns an (n, c) array, the same one each time.
        """
        compiled, width = library.load(), right.shape[1] // 2
        slopes, curvatures = self._entries(slopes), self._entries(curvatures)
        out = np.zeros((self.n, width), order=self.order)
        arrays = (slopes, curvatures, self._arranged(left), self._arranged(right), out)
        addresses = [*map(library.address, arrays)]

        def product() -> np.ndarray:
            if compiled is None:
                entries = curvatures * self._scores(left, right)
                out[:] = self._matrix_product(entries, right[:, :width], -1.0)
                out[:] += self._matrix_product(slopes, right[:, width:], -1.0)
            else:
                out.fill(0)
                compiled.hessian_product(*self._layout, *addresses[:2], width, *addresses[2:])
            return out

        return product

    # ---------------------------------------------------------------- the same in numpy

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """i and j of every pair that is laid out."""
        i = np.repeat(np.arange(self.n), np.diff(self._starts))
        j = (
            np.arange(self.n_pairs) - self._starts[i] + i + 1
            if self._columns is None
            else self._columns[: self.n_pairs]
        )
        return i, j

    def _scores(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        i, j = self._ends
        return sum((a[i] * b[j] for a, b in zip(left.T, right.T, strict=True)), np.zeros(self.n_pairs))

    def _evaluate(
        self,
        loss: Loss,
        left: np.ndarray,
        right: np.ndarray,
        X: np.ndarray,
        slopes: np.ndarray | None,
        curvatures: np.ndarray | None,
    ) -> tuple[float, np.ndarray]:
        x = self._scores(left, right)
        if self._observed is not None:
            x *= self._observed
        weights = 1.0 if self._weights is None else self._weights
        value, slope = loss.value_and_slope(self._p, x)
        slope = weights * slope
        if slopes is not None:
            slopes[:] = slope
        if curvatures is not None:
            curvatures[:] = weights * loss.curvature(self._p, x)
            if self._observed is not None:
                curvatures *= self._observed
        return float((weights * value).sum()), self._matrix_product(slope, X, -1.0)

    def _matrix_product(self, entries: np.ndarray, X: np.ndarray, sign: float) -> np.ndarray:
        i, j = self._ends
        out = np.empty(X.shape)
        for x, to in zip(X.T, out.T, strict=True):
            to[:] = np.bincount(i, entries * x[j], self.n)
            to += sign * np.bincount(j, entries * x[i], self.n)
        return out
