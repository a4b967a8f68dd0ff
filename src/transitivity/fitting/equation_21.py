"""The disc with the penalty of Equation 21, fitted over all pairs at once from two starts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from transitivity.fitting import elo, solvers
from transitivity.fitting.free import Penalty, pull
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.graph import is_separated

#: A score beyond this where p is 0 or 1 is finite only because of the ridge: σ(7) is 1 within 0.001.
CERTAIN = 7.0
#: The tolerance of fits that are only compared with each other: on leagues it leaves the choice of λ as it is.
ROUGH_TOLERANCE = 1e-3
#: The most Newton steps of such fits; a start that needs more is far from any good optimum.
ROUGH_NEWTON = 30
#: From this many players on, each player of a sparse payoff has a step size of its own. Rough fits to such a payoff
#: take at most this many steps of L-BFGS and none of Newton's method, from an Elo score of this tolerance.
OWN_STEPS, ROUGH_STEPS, ELO_TOLERANCE = 1000, 60, 1e-2
#: The ridge of the Elo score that fits start from, where some results are certain.
RIDGE_IF_SEPARATED = 1e-6
#: The largest √(u² + v²) of a disc game to start from: two such players are as far apart as σ(2.25) = 0.9.
LARGEST_RADIUS = 1.5


def equation_21(objective: PairObjective, regularisation: float) -> Penalty:
    """Return the penalty of Equation 21 on the scale of the objective.

    Equation 21 adds λ/2 Σᵢ (vᵢ - 1)² to the sum over all ordered entries (i, j), where every pair counts twice. The
    objective is that sum times scale / 2 (the mean over m pairs: 1 / (2 m)), and so is the penalty: λ keeps the meaning
    that it has in the paper, whatever m is. Pairs after the first, which model cycles, are pulled to 0 by
    λ/2 Σ (uᵢₗ² + vᵢₗ²): Equation 21 alone leaves them free, and on sparse data they would fit the noise. u of the first
    pair, the ratings, is free as in the paper; only where some p is 0 or 1, and the optimum may be at infinity, the
    ridge of the other solvers, `solvers.RIDGE` / (2 n) · ‖u‖², keeps it finite.

    Parameters
    ----------
    objective : PairObjective
    regularisation : float
        λ.
    """
    strength = regularisation * objective.scale / 2
    ridge = solvers.RIDGE / objective.n if len(objective.extreme_pairs) else 0.0

    return pull(ridge, strength)


def starts(
    objective: PairObjective, n_components: int, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return where fits of Equation 21 start: from its two extremes, the Elo score and the leading disc game.

    At the Elo score the penalty is zero, and a descent from there alone stays transitive where a cyclic optimum is far
    better: where every row sum is 1/2 (rock-paper-scissors) it is even a stationary point.

    Parameters
    ----------
    objective : PairObjective
    n_components : int
        k. Pairs after the first have spectral starts, as the leading disc game has.
    rng : numpy.random.Generator
        Of the spectral starts.

    Returns
    -------
    two pairs of U, V : (n, k) arrays
        The Elo score first. The disc game is turned to Σ u = 0 and Σ v > 0.
    """
    none = np.zeros((objective.n, 0))
    from_elo = _with_more_pairs(objective, *_elo(objective), n_components, rng)
    U, V = _with_more_pairs(objective, none, none, n_components, rng)
    # The penalty depends on the gauge, which chance gave: the disc game is turned as near to v = 1 as it comes.
    points = V[:, 0] + 1j * U[:, 0]
    points *= np.exp(-1j * np.angle(points.sum()))
    U[:, 0], V[:, 0] = points.imag, points.real
    return from_elo, (U, V)


def _elo(objective: PairObjective) -> tuple[np.ndarray, np.ndarray]:
    """Return u and v = 1, (n, 1) arrays, of the stationary Elo score; roughly, where players are many."""
    if _is_sparse(objective):
        # A Newton step has one length for all players; those who always won or lost would make it tiny.
        zeros, yes = np.zeros((objective.n, 1)), np.ones(1, dtype=bool)
        fit = solvers.descend(
            objective,
            zeros,
            zeros + 1,
            yes,
            ~yes,
            ridge=solvers.RIDGE,
            tolerance=ELO_TOLERANCE,
            own_steps=True,
            max_newton=0,
        )
    else:
        ridge = RIDGE_IF_SEPARATED if is_separated(objective.payoff) else 0.0
        fit = elo.stationary_elo(objective, ridge, solvers.SEARCH_TOLERANCE)
    return fit.U, fit.V


def _is_sparse(objective: PairObjective) -> bool:
    """Whether each player needs a step size of its own: there are many, and most pairs were not observed."""
    return not objective.is_dense and objective.n >= OWN_STEPS


def _with_more_pairs(
    objective: PairObjective, U: np.ndarray, V: np.ndarray, n_components: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return U and V with spectral starts of further pairs, n_components in all.

    Players who stand out by more than `LARGEST_RADIUS` are drawn back: on sparse data the luck of a few leads a start.
    """
    while U.shape[1] < n_components:
        u, v = solvers.spectral_start(objective, U, V, rng)
        share = LARGEST_RADIUS / np.maximum(np.hypot(u, v), LARGEST_RADIUS)
        U, V = np.column_stack([U, share * u]), np.column_stack([V, share * v])
    return U, V


def regularised(
    objective: PairObjective, n_components: int, regularisation: float, rng: np.random.Generator
) -> solvers.Fit:
    """Minimise the objective with the penalty of Equation 21, over all pairs at once.

    Parameters
    ----------
    objective : PairObjective
    n_components : int
        k.
    regularisation : float
        λ of `equation_21`.
    rng : numpy.random.Generator
        Of the spectral starts.

    Returns
    -------
    Fit
    """
    free = np.ones(n_components, dtype=bool)
    rough = better_rough_fit(objective, n_components, regularisation, rng)
    penalty = equation_21(objective, regularisation)
    best = solvers.descend(objective, rough.U, rough.V, free, free, penalty=penalty, own_steps=_is_sparse(objective))
    extreme = objective.extreme_pairs
    separated = len(extreme) > 0 and objective.exceeds(CERTAIN, best.U, best.V, extreme)
    return replace(best, n_iter=rough.n_iter + best.n_iter, separated=separated)


def better_rough_fit(
    objective: PairObjective, n_components: int, regularisation: float, rng: np.random.Generator
) -> solvers.Fit:
    """Descend roughly from both `starts`, and return the better fit; its n_iter counts the steps of both.

    Parameters
    ----------
    objective, n_components, regularisation, rng
        As for `regularised`.

    Returns
    -------
    Fit
    """
    penalty = equation_21(objective, regularisation)
    fits = [descend_roughly(objective, U, V, regularisation) for U, V in starts(objective, n_components, rng)]
    better = min(fits, key=lambda fit: fit.loss + penalty(fit.U, fit.V)[0])
    return replace(better, n_iter=sum(fit.n_iter for fit in fits))


def descend_roughly(
    objective: PairObjective, U: np.ndarray, V: np.ndarray, regularisation: float, tolerance: float = ROUGH_TOLERANCE
) -> solvers.Fit:
    """Minimise the objective with the penalty of Equation 21 well enough to compare fits.

    `solvers.RIDGE` holds the scale of u against that of v, which a cyclic game leaves nearly open.

    Parameters
    ----------
    objective : PairObjective
    U, V : (n, k) arrays
        The start.
    regularisation : float
        λ of `equation_21`.
    tolerance : float
        As for `solvers.descend`.

    Returns
    -------
    Fit
    """
    free = np.ones(U.shape[1], dtype=bool)
    own_steps = _is_sparse(objective)
    return solvers.descend(
        objective,
        U,
        V,
        free,
        free,
        penalty=equation_21(objective, regularisation),
        ridge=solvers.RIDGE,
        tolerance=tolerance,
        own_steps=own_steps,
        max_first=ROUGH_STEPS if own_steps else None,
        max_newton=0 if own_steps else ROUGH_NEWTON,
    )
