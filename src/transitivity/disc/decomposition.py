"""The normal decomposition of a skew-symmetric matrix (Theorems 1 and 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

#: How far A + Aᵀ may be from 0, relative to the largest entry, before a matrix is refused.
SKEW_TOLERANCE = 1e-8
#: Angles (radians) that differ by less count as equal: is the largest gap exactly π?
ANGLE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class NormalDecomposition:
    """A = Σₗ uₗ vₗᵀ - vₗ uₗᵀ (Theorem 1).

    Parameters
    ----------
    values : (k,) array
        λ₁ >= λ₂ >= ... >= 0: the singular values of A, which come in equal pairs.
    u, v : (n, k) arrays
        The columns of both together are an orthogonal family, with ‖uₗ‖² = ‖vₗ‖² = λₗ.
    """

    values: np.ndarray
    u: np.ndarray
    v: np.ndarray

    def matrix(self) -> np.ndarray:
        """Return the sum of the pairs as an (n, n) array; A itself when no pair was left out."""
        product = self.u @ self.v.T
        return product - product.T


def skew_matrix(payoff: Payoff, flow: np.ndarray) -> np.ndarray:
    """Return A, (n, n), with A[i, j] = -A[j, i] = flow on the observed pairs of a payoff, (m,), and 0 elsewhere."""
    A = np.zeros((payoff.n_players, payoff.n_players))
    A[payoff.i, payoff.j], A[payoff.j, payoff.i] = flow, -flow
    return A


def normal_decomposition(A: np.ndarray, n_components: int | None = None) -> NormalDecomposition:
    """Decompose a skew-symmetric matrix into disc games (Theorem 1; Greub 1975).

    iA is Hermitian: an eigenvector a + ib of length 1 for the value λ > 0 gives A a = λ b and A b = -λ a, so
    that u = √(2λ) b and v = √(2λ) a are a pair. Its phase, free in theory, is chosen such that Σᵢ uᵢ = 0 and
    Σᵢ vᵢ > 0 (where the sums vanish: such that the largest point lies on the positive v axis). Pairs of equal
    λ may be mixed by any rotation of their joint space; of those, the result is one.

    Parameters
    ----------
    A : (n, n) array
        Skew-symmetric, without missing entries.
    n_components : int, optional
        The number of pairs, the largest first; all n // 2 by default.

    Returns
    -------
    NormalDecomposition
        values (k,), u (n, k), v (n, k).

    Raises
    ------
    InputError
        If A is not square, not finite or not skew-symmetric, or if n_components is not in 1..n // 2.
    """
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise InputError(f"A skew-symmetric matrix is square, this one has shape {A.shape}; give an n x n matrix.")
    n = len(A)
    k = n // 2 if n_components is None else n_components
    if not 1 <= k <= n // 2:
        raise InputError(f"n_components is {k}, but {n} players have 1 to {n // 2} pairs; choose one of those.")
    bad = np.argwhere(~np.isfinite(A))
    if len(bad):
        a, b = bad[0]
        raise InputError(
            f"A[{a}, {b}] is {A[a, b]}: the normal decomposition needs every entry; fit a Disc model instead."
        )
    scale = np.abs(A).max()
    asymmetry = np.abs(A + A.T)
    if asymmetry.max() > SKEW_TOLERANCE * scale:
        a, b = np.unravel_index(asymmetry.argmax(), A.shape)
        raise InputError(
            f"A[{a}, {b}] = {A[a, b]} and A[{b}, {a}] = {A[b, a]} do not cancel; give a skew-symmetric matrix."
        )
    if scale == 0:
        return NormalDecomposition(np.zeros(k), np.zeros((n, k)), np.zeros((n, k)))
    hermitian = 1j * ((A - A.T) / (2 * scale))
    # The few largest pairs cost a fraction of all of them.
    subset = [n - k, n - 1] if k < n // 4 else None
    values, vectors = eigh(hermitian, subset_by_index=subset, overwrite_a=True, check_finite=False)
    values, vectors = values[::-1][:k].copy(), vectors[:, ::-1][:, :k]
    # Rounding: a value this small is 0, and its eigenvector does not give a pair.
    values[values < n * np.finfo(float).eps * values[0]] = 0
    u, v = np.empty((n, k)), np.empty((n, k))
    for c, value in enumerate(values * scale):
        turned = fix_phase(vectors[:, c]) * math.sqrt(2 * value)
        u[:, c], v[:, c] = turned.imag, turned.real
    return NormalDecomposition(values * scale, u, v)


def fix_phase(points: np.ndarray) -> np.ndarray:
    """Turn points v + iu, (n,) complex, so that their mean (else the largest) lies on the v axis."""
    direction = points.sum()
    if abs(direction) < ANGLE_TOLERANCE * np.abs(points).sum():
        sizes = np.abs(points)
        # The first of the largest: rounding must not decide between players of equal size.
        direction = points[np.flatnonzero(sizes >= sizes.max() * (1 - ANGLE_TOLERANCE))[0]]
    return points if direction == 0 else points * (direction.conjugate() / abs(direction))
