"""Solvers of Equation 3: the stationary Elo score, Algorithms 1 and 2 as printed, all pairs jointly, as published.

Every solver takes a `PairObjective` and returns a `Fit`. Two parametrisations of the same disc game are equal up to
a linear map of the plane that keeps areas, so fits are compared by their scores x, never by u and v.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.sparse.linalg

from transitivity.decomposition import normal_decomposition
from transitivity.objective import PairObjective, Parts

#: A fit has converged when n · max |∇f| is below this: the gradient of a player's own mean loss.
TOLERANCE = 1e-7
#: L-BFGS: the corrections kept, and the most iterations of one minimisation.
CORRECTIONS = 20
MAX_ITERATIONS = 3_000
#: The most Newton steps; a dozen is usual.
MAX_NEWTON = 200
#: A score beyond this where p is 0 or 1 shows that the loss has no finite minimiser: σ(30) is 1 within 1e-13.
SATURATED = 30.0
#: A fit that has stopped beyond this was on its way there: what is left of the slope is below the tolerance.
VANISHED = 15.0
#: The ridge that then keeps the fit finite, added as RIDGE / (2 n) · (‖U‖² + ‖V‖²) over what is free.
RIDGE = 1e-4
#: Where the published code starts every v: the factor between Elo points and natural logits.
PUBLISHED_V = np.log(10) / 400

#: A penalty: (U, V) to its value and its gradients in U and V.
Penalty = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Fit:
    """The outcome of a solver.

    Attributes
    ----------
    U, V : (n, k) arrays
        One pair of components a column.
    loss : float
        The mean loss over the observed pairs, penalties left out.
    gradient_norm : float
        n · max |∇f| over what was free, at the end.
    n_iter : int
        Iterations of L-BFGS or Newton, over all sub-problems.
    converged : bool
        Whether `gradient_norm` is below the tolerance.
    separated : bool
        Whether the loss has no finite minimiser, as far as the scores tell: one passed `SATURATED`, and `RIDGE`
        keeps the fit finite, or the fit stopped with one beyond `VANISHED`.
    """

    U: np.ndarray
    V: np.ndarray
    loss: float
    gradient_norm: float
    n_iter: int
    converged: bool
    separated: bool = False


# ---------------------------------------------------------------------- building blocks


def spectral_start(
    objective: PairObjective, U: np.ndarray, V: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return a start (u, v) for the next pair: the leading pair of the residual's normal decomposition.

    The residual is minus the slope of the loss at the pairs already fitted (zero where nothing was observed). A block
    of vectors is multiplied by it a few times, and Theorem 1 applied to the small matrix that is left.

    Parameters
    ----------
    objective : PairObjective
    U, V : (n, l) arrays
        The pairs already fitted; l may be 0.
    rng : numpy.random.Generator
        Draws the first block.

    Returns
    -------
    u, v : (n,) arrays of equal norm
    """
    slopes = objective.slopes(U, V)
    # A slope of the cross entropy is about a quarter of the missing logit.
    scale = (4.0 if objective.loss.space == "logit" else 1.0) * objective.scale * objective.payoff.n_pairs
    scale /= objective.payoff.density
    size = min(objective.n, 8)
    Z = rng.standard_normal((objective.n, size))
    for _ in range(8):
        Z = np.linalg.qr(objective.matrix_product(slopes, Z))[0]
    B = -scale * (Z.T @ objective.matrix_product(slopes, Z))
    small = normal_decomposition((B - B.T) / 2)
    return Z @ small.u[:, 0], Z @ small.v[:, 0]


def descend(
    objective: PairObjective,
    U: np.ndarray,
    V: np.ndarray,
    free_U: np.ndarray,
    free_V: np.ndarray,
    *,
    orthogonal_to: np.ndarray | None = None,
    penalty: Penalty | None = None,
    ridge: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Minimise the objective over some columns of U and V at once, by L-BFGS with analytic gradients.

    A payoff with p = 0 or 1 may let the loss decrease for ever as the scores grow. When a score passes `SATURATED`
    the descent goes on with `RIDGE`, and the fit says `separated`.

    Parameters
    ----------
    objective : PairObjective
    U, V : (n, k) arrays
        The start, and the values of the columns that stay fixed.
    free_U, free_V : (k,) bool arrays
        Which columns are free.
    orthogonal_to : (n, c) array, optional
        Orthonormal columns that every free column is kept orthogonal to (the constraints of Equations 4 and 5).
    penalty : callable, optional
        What is added to the objective.
    ridge : float
        Adds ridge / (2 n) · ‖·‖² over the free columns.
    tolerance : float
        Stop when n · max |∇f| is below, or after `MAX_ITERATIONS`.

    Returns
    -------
    Fit
    """
    n, n_u = objective.n, int(np.sum(free_U))
    watched = objective.extreme_pairs() if ridge == 0 and penalty is None else None

    def project(X: np.ndarray) -> np.ndarray:
        return X if orthogonal_to is None else X - orthogonal_to @ (orthogonal_to.T @ X)

    def unpack(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = project(theta.reshape(-1, n).T)
        full_U, full_V = U.copy(), V.copy()
        full_U[:, free_U], full_V[:, free_V] = columns[:, :n_u], columns[:, n_u:]
        return full_U, full_V

    def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
        full_U, full_V = unpack(theta)
        value, gradient_U, gradient_V = objective.value_and_gradient(full_U, full_V)
        if penalty is not None:
            extra, extra_U, extra_V = penalty(full_U, full_V)
            value, gradient_U, gradient_V = value + extra, gradient_U + extra_U, gradient_V + extra_V
        gradient = project(np.hstack([gradient_U[:, free_U], gradient_V[:, free_V]])).T.ravel()
        return value + ridge / (2 * n) * float(theta @ theta), gradient + ridge / n * theta

    state = {"n_iter": 0, "saturated": False}

    def watch(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        state["n_iter"] += 1
        # The scores grow slowly: looking now and then costs nothing and misses nothing.
        if (
            state["n_iter"] % 10 == 0
            and objective.largest_score(*unpack(intermediate_result.x), watched) > SATURATED
        ):
            state["saturated"] = True
            raise StopIteration

    start = np.hstack([U[:, free_U], V[:, free_V]]).T.ravel()
    result = scipy.optimize.minimize(
        value_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=watch if watched is not None and len(watched) else None,
        options={
            "maxcor": CORRECTIONS,
            "maxiter": MAX_ITERATIONS,
            "maxfun": 2 * MAX_ITERATIONS,
            "ftol": 0.0,
            "gtol": tolerance / n,
        },
    )
    full_U, full_V = unpack(result.x)
    if state["saturated"]:
        fit = descend(
            objective,
            full_U,
            full_V,
            free_U,
            free_V,
            orthogonal_to=orthogonal_to,
            ridge=RIDGE,
            tolerance=tolerance,
        )
        return replace(fit, n_iter=fit.n_iter + int(result.nit), separated=True)
    norm = n * float(np.abs(result.jac).max())
    loss, _, _ = objective.value_and_gradient(full_U, full_V)
    separated = _has_vanished(objective, full_U, full_V)
    return Fit(full_U, full_V, loss, norm, int(result.nit), norm <= 10 * tolerance, separated)


def _has_vanished(objective: PairObjective, U: np.ndarray, V: np.ndarray) -> bool:
    """Tell whether a fit stopped on the way to infinity: a score is beyond `VANISHED` where p is 0 or 1."""
    extreme = objective.extreme_pairs()
    return len(extreme) > 0 and objective.largest_score(U, V, extreme) > VANISHED


# ---------------------------------------------------------------------- stationary Elo


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
    ones = np.ones((n, 1))

    def evaluate(u: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient, _ = objective.value_and_gradient(u[:, None], ones)
        return value + ridge / (2 * n) * float(u @ u), gradient[:, 0] + ridge / n * u

    u = np.zeros(n)
    value, gradient = evaluate(u)
    n_iter = 0
    while n * np.abs(gradient).max() > tolerance and n_iter < MAX_NEWTON:
        n_iter += 1
        step = _solve_laplacian(
            objective, objective.slopes_and_curvatures(u[:, None], ones)[1], ridge / n, -gradient
        )
        step -= step.mean()
        slope, length = float(gradient @ step), 1.0
        while length > 1e-8:
            new_value, new_gradient = evaluate(u + length * step)
            if new_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            # No decrease is left in floating point: u is the minimiser to the last digits.
            break
        u, value, gradient = u + length * step, new_value, new_gradient
    norm = n * float(np.abs(gradient).max())
    loss, _, _ = objective.value_and_gradient(u[:, None], ones)
    return Fit((u - u.mean())[:, None], ones, loss, norm, n_iter, norm <= 10 * tolerance)


def _solve_laplacian(
    objective: PairObjective, curvatures: Parts, shift: float, right: np.ndarray
) -> np.ndarray:
    """Solve (L + shift I) x = right on the vectors of mean zero, L the Laplacian with these curvatures of pairs."""
    n = objective.n

    def adjacency(x: np.ndarray) -> np.ndarray:
        return objective.scale * objective.matrix_product(curvatures, x.reshape(-1, 1), 1.0)[:, 0]

    diagonal = adjacency(np.ones(n))
    # Pairs whose curvature has underflowed must not make the system singular.
    diagonal += max(shift, 1e-13 * float(diagonal.max()))
    operator = scipy.sparse.linalg.LinearOperator(
        (n, n), matvec=lambda x: diagonal * x - adjacency(x), dtype=np.float64
    )
    inverse = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda x: x / diagonal, dtype=np.float64)
    # An inexact step suffices: the relative tolerance is that of Newton-CG far from, and near, the solution.
    relative = min(0.1, np.sqrt(np.linalg.norm(right) * n))
    return scipy.sparse.linalg.cg(operator, right, rtol=relative, atol=0, M=inverse, maxiter=1000)[0]


# ---------------------------------------------------------------------- disc decomposition


def pair_after_pair(
    objective: PairObjective, n_components: int, rng: np.random.Generator, tolerance: float = TOLERANCE
) -> Fit:
    """Fit one pair after the other, each converged, orthogonal to the earlier ones (Algorithm 2, Equations 3 to 5).

    u and v of a pair are free at once, and the constraints of Equations 4 and 5 are kept exactly. That u and v of one
    pair be orthogonal costs nothing (it is a choice of basis of their plane), so it is left to the reporting gauge.

    Parameters
    ----------
    objective : PairObjective
    n_components : int
        How many pairs, k.
    rng : numpy.random.Generator
        Of the spectral starts.
    tolerance : float
        Of each pair.

    Returns
    -------
    Fit
        `converged` only if every pair was; `gradient_norm` is the largest.
    """
    U, V = np.zeros((objective.n, 0)), np.zeros((objective.n, 0))
    fits = []
    for number in range(1, n_components + 1):
        basis = scipy.linalg.orth(np.hstack([U, V])) if number > 1 else None
        u, v = spectral_start(objective, U, V, rng)
        free = np.arange(number) == number - 1
        U, V = np.column_stack([U, u]), np.column_stack([V, v])
        fits.append(descend(objective, U, V, free, free, orthogonal_to=basis, tolerance=tolerance))
        U, V = fits[-1].U, fits[-1].V
    return _together(fits)


def joint(
    objective: PairObjective, n_components: int, rng: np.random.Generator, tolerance: float = TOLERANCE
) -> Fit:
    """Fit all pairs at once, started from `pair_after_pair`, so that the loss is at most that of Algorithm 2.

    The best fit of rank 2k can always be rewritten as k orthogonal pairs, so no constraint is needed.

    Parameters
    ----------
    objective, n_components, rng, tolerance
        As for `pair_after_pair`.

    Returns
    -------
    Fit
    """
    first = pair_after_pair(objective, n_components, rng, tolerance)
    if n_components == 1:
        return first
    free = np.ones(n_components, dtype=bool)
    last = descend(objective, first.U, first.V, free, free, tolerance=tolerance)
    return replace(last, n_iter=first.n_iter + last.n_iter)


def _together(fits: list[Fit]) -> Fit:
    """Return the last of successive fits, with what is to be told of all of them."""
    return Fit(
        fits[-1].U,
        fits[-1].V,
        fits[-1].loss,
        max(fit.gradient_norm for fit in fits),
        sum(fit.n_iter for fit in fits),
        all(fit.converged for fit in fits),
        any(fit.separated for fit in fits),
    )


# ---------------------------------------------------------------------- Algorithms 1 and 2


def printed_penalty(x: np.ndarray, M: np.ndarray) -> tuple[float, np.ndarray]:
    """Return Σ_c <x, M_c>² / ‖M_c‖² and its gradient in x: the penalty of Algorithm 1 as printed."""
    if M.shape[1] == 0:
        return 0.0, np.zeros_like(x)
    products, norms = M.T @ x, (M**2).sum(axis=0)
    ratios = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    return float(products @ ratios), 2 * (M @ ratios)


def published_penalty(x: np.ndarray, M: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the penalty of the published code: its value and its gradient do not belong together.

    The value is Σ_c <x, M_c>² / (2 Σ_c ‖M_c‖²), the gradient Σ_c <x, M_c> M_c / ‖M_c‖². With more than one column
    the line search therefore stops early, which is part of how the published numbers came about.
    """
    if M.shape[1] == 0:
        return 0.0, np.zeros_like(x)
    products, norms = M.T @ x, (M**2).sum(axis=0)
    ratios = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    value = float(products @ products / (2 * norms.sum())) if norms.any() else 0.0
    return value, M @ ratios


def alternating(
    objective: PairObjective,
    n_components: int,
    rng: np.random.Generator,
    n_alternations: int = 1000,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Algorithms 1 and 2 as printed: minimise over u, then over v, until the loss no longer decreases.

    Parameters
    ----------
    objective, n_components, rng, tolerance
        As for `pair_after_pair`.
    n_alternations : int
        The most alternations of a pair.

    Returns
    -------
    Fit
    """
    U, V = np.zeros((objective.n, 0)), np.zeros((objective.n, 0))
    n_iter, norms = 0, []
    for _ in range(n_components):
        u, v = spectral_start(objective, U, V, rng)
        previous = np.inf
        for _ in range(n_alternations):
            u, steps_u = _half_step(objective, U, V, u, v, "u", printed_penalty, np.hstack([V, U]))
            v, steps_v = _half_step(objective, U, V, u, v, "v", printed_penalty, np.column_stack([u, V, U]))
            n_iter += steps_u + steps_v
            value, gradient_U, gradient_V = objective.value_and_gradient(
                np.column_stack([U, u]), np.column_stack([V, v])
            )
            # Which plane the pair spans is settled by the loss; only what lies outside the earlier pairs counts.
            basis = scipy.linalg.orth(np.hstack([U, V])) if U.shape[1] else np.zeros((objective.n, 0))
            ends = np.column_stack([gradient_U[:, -1], gradient_V[:, -1]])
            norm = objective.n * float(np.abs(ends - basis @ (basis.T @ ends)).max())
            if norm <= tolerance or previous - value <= 1e-15 * abs(value):
                break
            previous = value
        U, V = np.column_stack([U, u]), np.column_stack([V, v])
        norms.append(norm)
    separated = _has_vanished(objective, U, V)
    return Fit(U, V, value, max(norms), n_iter, max(norms) <= 10 * tolerance, separated)


def published(objective: PairObjective, n_components: int, n_alternations: int = 20) -> Fit:
    """Fit as the code behind the published numbers did: a fixed number of alternations from a fixed start.

    Every u starts at 0 and every v at ln(10)/400; the u-step penalises <u, v> too, and the penalties are those of
    `published_penalty`. Not a good solver: it is here to confirm the published numbers.

    Parameters
    ----------
    objective : PairObjective
    n_components : int
    n_alternations : int
        Of each pair; 0 stands for a single u-step with v at its start, the published Elo.

    Returns
    -------
    Fit
        `converged` is judged as for the other solvers.
    """
    n = objective.n
    U, V = np.zeros((n, 0)), np.zeros((n, 0))
    n_iter = 0
    for _ in range(n_components):
        u, v = np.zeros(n), np.full(n, PUBLISHED_V)
        for _ in range(max(n_alternations, 1)):
            u, steps = _half_step(
                objective, U, V, u, v, "u", published_penalty, np.column_stack([V, v]), U, tight=True
            )
            n_iter += steps
            if n_alternations:
                v, steps = _half_step(
                    objective, U, V, u, v, "v", published_penalty, np.column_stack([U, u]), V, tight=True
                )
                n_iter += steps
        U, V = np.column_stack([U, u]), np.column_stack([V, v])
    value, gradient_U, gradient_V = objective.value_and_gradient(U, V)
    ends = gradient_U if n_alternations == 0 else np.hstack([gradient_U, gradient_V])
    norm = n * float(np.abs(ends).max())
    return Fit(U, V, value, norm, n_iter, norm <= 10 * TOLERANCE, _has_vanished(objective, U, V))


def _half_step(
    objective: PairObjective,
    U: np.ndarray,
    V: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    side: str,
    penalty: Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]],
    *penalised: np.ndarray,
    tight: bool = False,
) -> tuple[np.ndarray, int]:
    """Minimise over u (or v) of the newest pair: one line of Algorithm 1. Return it and the iterations.

    Each array of `penalised` is one sum of squared scalar products. `tight`: the options of the published code, which
    stops when the loss stalls.
    """

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        new_u, new_v = (x, v) if side == "u" else (u, x)
        value, gradient_U, gradient_V = objective.value_and_gradient(
            np.column_stack([U, new_u]), np.column_stack([V, new_v])
        )
        gradient = (gradient_U if side == "u" else gradient_V)[:, -1]
        for M in penalised:
            extra, extra_gradient = penalty(x, M)
            value, gradient = value + extra, gradient + extra_gradient
        return value, gradient

    options = {"maxcor": 10, "maxiter": 1000, "maxls": 1000 if tight else 20}
    options |= (
        {"maxfun": 1000, "ftol": 1e-42, "gtol": 1e-42}
        if tight
        else {"maxfun": 15_000, "ftol": 0.0, "gtol": 1e-2 * TOLERANCE / objective.n}
    )
    result = scipy.optimize.minimize(
        value_and_gradient, u if side == "u" else v, jac=True, method="L-BFGS-B", options=options
    )
    return result.x, int(result.nit)
