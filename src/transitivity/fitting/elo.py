"""The stationary Elo of Equation 1: Newton's method on the ratings."""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from transitivity.fitting.fit import MAX_NEWTON, TOLERANCE, Fit
from transitivity.fitting.objective import PairObjective


def stationary_elo(objective: PairObjective, ridge: float = 0.0, tolerance: float = TOLERANCE) -> Fit:
    """Minimise the cross entropy over u with v = 1, by Newton's method (Equations 1 and 16).

    The Hessian is the Laplacian of the graph of pairs weighted by σ'(x). Its null space, the constant vector, is the
    gauge of Elo; u is returned with mean zero.

    Parameters
    ----------
    objective : PairObjective
        Of the `CrossEntropy` loss.
    ridge : float
        Adds ridge / (2 n) · ‖u‖², for payoffs without a finite solution (`graph.is_separated`).
    tolerance : float
        Stop when n · max |∇f| is below.

    Returns
    -------
    Fit
        With k = 1 and V = 1.
    """
    n = objective.n

    def evaluate(u: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        value, gradient, curvatures = objective.elo(u)
        return value + ridge / (2 * n) * float(u @ u), gradient + ridge / n * u, curvatures

    degrees = objective.payoff.degrees
    # A start from which Newton's steps do not overshoot: the ratings if all opponents were average.
    u = logit((objective.payoff.mean_payoffs * degrees + 0.5) / (degrees + 1))
    u -= u.mean()
    value, gradient, curvatures = evaluate(u)
    n_iter = 0
    while n * np.abs(gradient).max() > tolerance and n_iter < MAX_NEWTON:
        n_iter += 1
        step = _solve_laplacian(objective, curvatures, ridge / n, -gradient, tolerance / (2 * n))
        step -= step.mean()
        slope, length = float(gradient @ step), 1.0
        while length > 1e-8:
            new_value, new_gradient, new_curvatures = evaluate(u + length * step)
            if new_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            # No decrease is left in floating point: u is the minimiser to the last digits.
            break
        u, value, gradient, curvatures = u + length * step, new_value, new_gradient, new_curvatures
    norm = n * float(np.abs(gradient).max())
    loss = value - ridge / (2 * n) * float(u @ u)
    return Fit((u - u.mean())[:, None], np.ones((n, 1)), loss, norm, n_iter, norm <= 10 * tolerance)


def _solve_laplacian(
    objective: PairObjective, curvatures: np.ndarray, shift: float, right: np.ndarray, enough: float
) -> np.ndarray:
    """Solve (L + shift I) x = right on the vectors of mean zero, L the Laplacian with these curvatures of pairs.

    A residual of length `enough` is as good as none.
    """
    from scipy.sparse.linalg import LinearOperator, cg

    n = objective.n

    def adjacency(x: np.ndarray) -> np.ndarray:
        return objective.scale * objective.matrix_product(curvatures, x.reshape(-1, 1), 1.0)[:, 0]

    diagonal = adjacency(np.ones(n))
    # Pairs whose curvature has underflowed must not make the system singular.
    diagonal += max(shift, 1e-13 * float(diagonal.max()))
    operator = LinearOperator((n, n), matvec=lambda x: diagonal * x - adjacency(x), dtype=np.float64)
    inverse = LinearOperator((n, n), matvec=lambda x: x / diagonal, dtype=np.float64)
    # An inexact step suffices: the relative tolerance is that of Newton-CG far from, and near, the solution.
    relative = min(0.1, np.sqrt(np.linalg.norm(right) * n))
    return cg(operator, right, rtol=relative, atol=enough, M=inverse, maxiter=1000)[0]
