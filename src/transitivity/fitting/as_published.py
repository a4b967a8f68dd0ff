"""Algorithms 1 and 2 as printed, and as the published code runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from transitivity.fitting.objective import PairObjective
from transitivity.fitting.solvers import TOLERANCE, Fit, has_vanished, spectral_start

#: Where the published code starts every v: the factor between Elo points and natural logits.
PUBLISHED_V = np.log(10) / 400


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
    separated = has_vanished(objective, U, V)
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
            u, steps = _half_step(objective, U, V, u, v, "u", published_penalty, np.column_stack([V, v]), U, tight=True)
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
    return Fit(U, V, value, norm, n_iter, norm <= 10 * TOLERANCE, has_vanished(objective, U, V))


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

    from scipy.optimize import minimize

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

    options: Any = {"maxcor": 10, "maxiter": 1000, "maxls": 1000 if tight else 20}
    options |= (
        {"maxfun": 1000, "ftol": 1e-42, "gtol": 1e-42}
        if tight
        else {"maxfun": 15_000, "ftol": 0.0, "gtol": 1e-2 * TOLERANCE / objective.n}
    )
    result = minimize(value_and_gradient, u if side == "u" else v, jac=True, method="L-BFGS-B", options=options)
    return result.x, int(result.nit)
