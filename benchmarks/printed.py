"""Algorithms 1 and 2 as the paper prints them, in plain numpy, against `joint` from its spectral start.

The algorithms are transcribed: n × n matrices, the loss of all ordered entries, u by L-BFGS with at most 1000
iterations and v fixed, then v with u fixed, 100 times for each pair; start and options of L-BFGS are those of the
published code, which stops when the loss stalls.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import scipy.optimize
from scipy.special import expit

from benchmarks.common import cpu_seconds, disc_game, of_size
from transitivity import games
from transitivity.fitting import solvers
from transitivity.fitting.as_published import PUBLISHED_V, printed_penalty
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff

ALTERNATIONS, ITERATIONS = 100, 1000
#: Ours stops at the loosest of these that reaches the printed loss within `SAME_LOSS`.
TOLERANCES, SAME_LOSS = (1e-4, 5e-5, 3e-5, 2e-5, 1.5e-5, 1e-5, 1e-6, 1e-7), 1e-10


def _mean_loss(P: np.ndarray, U: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean binary cross entropy of P and σ(U Vᵀ - V Uᵀ) off the diagonal, and its slopes (Equation 18)."""
    X = U @ V.T - V @ U.T
    off_diagonal = P.size - len(P)
    losses = np.logaddexp(0, X) - P * X
    np.fill_diagonal(losses, 0)
    return losses.sum() / off_diagonal, (expit(X) - P) / off_diagonal


def _minimise(
    P: np.ndarray,
    earlier: tuple[np.ndarray, np.ndarray],
    pair: tuple[np.ndarray, np.ndarray],
    side: int,
    penalised: np.ndarray,
) -> np.ndarray:
    """Return the best u (side 0) or v (side 1) of the newest pair."""

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        u, v = (x, pair[1]) if side == 0 else (pair[0], x)
        value, slopes = _mean_loss(P, np.column_stack([earlier[0], u]), np.column_stack([earlier[1], v]))
        gradient = 2 * slopes @ v if side == 0 else -2 * slopes @ u
        extra, extra_gradient = printed_penalty(x, penalised)
        return value + extra, gradient + extra_gradient

    options = {"maxiter": ITERATIONS, "maxfun": ITERATIONS, "maxls": ITERATIONS, "ftol": 1e-42, "gtol": 1e-42}
    return scipy.optimize.minimize(value_and_gradient, pair[side], jac=True, method="L-BFGS-B", options=options).x


def algorithm_2(P: np.ndarray, k: int, alternations: int = ALTERNATIONS) -> list[tuple[float, float]]:
    """Run Algorithm 2 as printed on a complete payoff matrix.

    Parameters
    ----------
    P : (n, n) array
    k : int
        The number of pairs.
    alternations : int
        Of each pair.

    Returns
    -------
    list of k (seconds, loss)
        The CPU time until each pair was done, and the mean loss then.
    """
    n = len(P)
    U, V = np.zeros((n, 0)), np.zeros((n, 0))
    done, start = [], time.process_time()
    for _ in range(k):
        u, v = np.zeros(n), np.full(n, PUBLISHED_V)
        for _ in range(alternations):
            u = _minimise(P, (U, V), (u, v), 0, np.hstack([V, U]))
            v = _minimise(P, (U, V), (u, v), 1, np.column_stack([u, V, U]))
        U, V = np.column_stack([U, u]), np.column_stack([V, v])
        done.append((time.process_time() - start, float(_mean_loss(P, U, V)[0])))
    return done


def rows(
    blotto: tuple[int, int] = (10, 4),
    simulated: tuple[int, ...] = (286, 888),
    k: int = 3,
    alternations: int = ALTERNATIONS,
    repeats: int = 21,
) -> list[dict]:
    """Run the algorithms as printed on Blotto (soldiers, fields) and on simulated games, and ours beside them.

    Returns
    -------
    list of dict
        ``game``, ``payoff``, ``k``, ``printed_seconds``, ``our_seconds``, ``ratio``, ``printed_loss_minus_ours``.
    """
    complete = [("Blotto", games.compute("blotto", n_soldiers=blotto[0], n_fields=blotto[1]))]
    complete += [("simulated", disc_game(n, np.random.default_rng([0, n]))) for n in simulated]
    return [
        {"game": name, "payoff": of_size(payoff)} | row
        for name, payoff in complete
        for row in _compare(payoff, k, alternations, repeats)
    ]


def _compare(payoff: Payoff, k: int, alternations: int, repeats: int) -> list[dict]:
    def ours(number: int, tolerance: float) -> solvers.Fit:
        objective = PairObjective(payoff, CrossEntropy())
        return solvers.joint(objective, number, np.random.default_rng(0), tolerance, n_starts=1)

    measured = []
    for number, (seconds, loss) in enumerate(algorithm_2(payoff.to_dense(), k, alternations), start=1):
        fits = {tolerance: ours(number, tolerance) for tolerance in TOLERANCES}
        reached = [tolerance for tolerance, fit in fits.items() if fit.loss <= loss + SAME_LOSS]
        tolerance = max(reached, default=min(TOLERANCES))
        our_seconds = cpu_seconds(partial(ours, number, tolerance), repeats)
        measured.append(
            {
                "k": number,
                "printed_seconds": seconds,
                "our_seconds": our_seconds,
                "ratio": seconds / our_seconds,
                "printed_loss_minus_ours": loss - fits[tolerance].loss,
            }
        )
    return measured
