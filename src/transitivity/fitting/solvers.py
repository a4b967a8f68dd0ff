"""Solvers of Equation 3: the stationary Elo score, Algorithms 1 and 2 as printed, all pairs jointly, as published.

Every solver takes a `PairObjective` and returns a `Fit`. Two parametrisations of the same disc game are equal up to
a linear map of the plane that keeps areas, so fits are compared by their scores x, never by u and v.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg

from transitivity.disc.decomposition import normal_decomposition
from transitivity.fitting import lbfgs, newton
from transitivity.fitting.elo import stationary_elo
from transitivity.fitting.fit import MAX_NEWTON
from transitivity.fitting.fit import TOLERANCE as TOLERANCE
from transitivity.fitting.fit import Fit as Fit
from transitivity.fitting.free import FreeColumns, Penalty
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.graph import is_separated

#: The steps of L-BFGS after which Newton's method takes over. Newton's method is faster in the long curved valleys that
#: missing pairs and pairs with p = 0 or 1 make; without them more steps of L-BFGS are faster.
MAX_ITERATIONS, MAX_EASY_ITERATIONS = 30, 150
#: The least share of observed pairs, and the largest share of p = 0 or 1 among them, of a payoff without such valleys.
EASY_DENSITY, EASY_EXTREME = 0.5, 0.01
#: With a step size for each player L-BFGS goes on for longer, down to this tolerance.
MAX_OWN_ITERATIONS = 300
OWN_TOLERANCE = 1e-4
#: A score beyond this where p is 0 or 1 shows that the loss has no finite minimiser: σ(30) is 1 within 1e-13.
SATURATED = 30.0
#: A fit that stops beyond this score has its optimum at infinity: the slope that is left is below the tolerance.
VANISHED = 15.0
#: The ridge that then keeps the fit finite, added as RIDGE / (2 n) · (‖U‖² + ‖V‖²) over what is free.
RIDGE = 1e-4
#: How often a block of random vectors is multiplied for a spectral start: until the random draw no longer affects the
#: fit; fewer times where several starts are compared.
POWERS, ROUGH_POWERS = 8, 5
#: How many starts `joint` has, and until the best of several is known: the tolerance, and the most Newton steps.
STARTS = 5
SEARCH_TOLERANCE, SEARCH_NEWTON = 1e-4, 20
#: How often further pairs are halved until they lower the loss.
MAX_HALVINGS = 10


# ---------------------------------------------------------------------- building blocks


def spectral_starts(
    objective: PairObjective, U: np.ndarray, V: np.ndarray, count: int, rng: np.random.Generator, powers: int = POWERS
) -> tuple[np.ndarray, np.ndarray]:
    """Return a start for the next pairs: the leading pairs of the residual's normal decomposition.

    The residual is minus the slope of the loss at the pairs already fitted (zero where nothing was observed). A block
    of vectors is multiplied by it a few times, and Theorem 1 applied to the small matrix that is left.

    Parameters
    ----------
    objective : PairObjective
    U, V : (n, l) arrays
        The pairs already fitted; l may be 0.
    count : int
        The number of pairs.
    rng : numpy.random.Generator
        Draws the first block.
    powers : int
        How often it is multiplied.

    Returns
    -------
    U, V : (n, count) arrays
        The columns of a pair have equal norms.
    """
    slopes = objective.slopes(U, V)
    # A slope of the cross entropy is about a quarter of the missing logit.
    scale = (4.0 if objective.loss.space == "logit" else 1.0) * objective.scale * objective.payoff.n_pairs
    scale /= objective.payoff.density
    Z = rng.standard_normal((objective.n, min(objective.n, 2 * count + 6)))
    for power in range(1, powers + 1):
        Z = objective.matrix_product(slopes, Z)
        # Two products in a row leave the smaller directions enough digits.
        if power % 2 == 0 or power == powers:
            Z = np.linalg.qr(Z)[0]
    B = -scale * (Z.T @ objective.matrix_product(slopes, Z))
    small = normal_decomposition((B - B.T) / 2, count)
    return Z @ small.u, Z @ small.v


def spectral_start(
    objective: PairObjective, U: np.ndarray, V: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the `spectral_starts` of one pair, as vectors u and v, (n,)."""
    starts = spectral_starts(objective, U, V, 1, rng)
    return starts[0][:, 0], starts[1][:, 0]


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
    own_steps: bool = False,
    max_first: int | None = None,
    max_newton: int = MAX_NEWTON,
) -> Fit:
    """Minimise the objective over some columns of U and V at once.

    L-BFGS does most fits in some dozen iterations. Newton's method (`newton.minimise`), preconditioned by the second
    derivatives of each player, ends those in a long flat valley, and those that the rounding of the loss holds up.

    A payoff with p = 0 or 1 may let the loss decrease for ever as the scores grow. When a score passes `SATURATED`
    the descent goes on with `RIDGE`, and the fit says `separated`.

    Parameters
    ----------
    objective, U, V, free_U, free_V, orthogonal_to, penalty, ridge
        As for `free.FreeColumns`; `orthogonal_to` keeps the constraints of Equations 4 and 5.
    tolerance : float
        Stop when n · max |∇f| is below.
    own_steps : bool
        Whether L-BFGS is preconditioned so, too, with a step size for each player (see `lbfgs`), and goes on for
        longer: for a sparse payoff of many players, and a penalty that keeps each of them from flying off. Not
        together with `orthogonal_to`, which binds them to each other.
    max_first, max_newton : int
        The most steps of L-BFGS, `MAX_ITERATIONS` or `MAX_OWN_ITERATIONS` by default, and of Newton's method.

    Returns
    -------
    Fit
    """
    problem = FreeColumns(objective, U, V, free_U, free_V, orthogonal_to, penalty, ridge)
    n, extreme, stop = objective.n, objective.extreme_pairs, None
    if len(extreme) > 0 and ridge == 0 and penalty is None:

        def stop(theta: np.ndarray) -> bool:
            return objective.exceeds(SATURATED, *problem.columns(theta), extreme)

    first_tolerance, usual_first = tolerance, MAX_ITERATIONS
    if penalty is None and ridge == 0 and _is_easy(objective):
        usual_first = MAX_EASY_ITERATIONS
    if own_steps:
        first_tolerance, usual_first = max(tolerance, OWN_TOLERANCE), MAX_OWN_ITERATIONS
    last = lbfgs.minimise(
        problem.value_and_gradient,
        problem.start,
        tolerance=first_tolerance / n,
        max_iter=usual_first if max_first is None else max_first,
        stop=stop,
        preconditioner=problem.inverse if own_steps else None,
        n_blocks=n if own_steps else 1,
    )
    n_iter = last.n_iter
    if not last.stopped and np.abs(last.gradient).max() > tolerance / n:
        last = newton.minimise(problem.second_order, last.x, tolerance=tolerance / n, max_iter=max_newton, stop=stop)
        n_iter += last.n_iter
    U, V = problem.columns(last.x)
    if last.stopped:
        fit = descend(objective, U, V, free_U, free_V, orthogonal_to=orthogonal_to, ridge=RIDGE, tolerance=tolerance)
        return replace(fit, n_iter=fit.n_iter + n_iter, separated=True)
    norm = n * float(np.abs(last.gradient).max())
    plain = penalty is None and ridge == 0
    loss = last.value if plain else objective.value_and_gradient(U, V)[0]
    return Fit(U, V, loss, norm, n_iter, norm <= 10 * tolerance, has_vanished(objective, U, V))


def _is_easy(objective: PairObjective) -> bool:
    """Tell whether most pairs were observed, and few of them have p = 0 or 1."""
    payoff = objective.payoff
    return payoff.density >= EASY_DENSITY and len(objective.extreme_pairs) <= EASY_EXTREME * payoff.n_pairs


def has_vanished(objective: PairObjective, U: np.ndarray, V: np.ndarray) -> bool:
    """Tell whether the optimum of a fit is at infinity: a score is beyond `VANISHED` where p is 0 or 1."""
    extreme = objective.extreme_pairs
    return len(extreme) > 0 and objective.exceeds(VANISHED, U, V, extreme)


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
    objective: PairObjective,
    n_components: int,
    rng: np.random.Generator,
    tolerance: float = TOLERANCE,
    n_starts: int = STARTS,
) -> Fit:
    """Fit all pairs at once, from several starts: the best fit.

    The best fit of rank 2k can always be rewritten as k orthogonal pairs, so no constraint is needed. The loss is not
    convex. The first start is the fit of `pair_after_pair`, so that the loss is at most that of Algorithm 2; the second
    is spectral; in logit space the third is the Elo score, which is nested in the disc (`above_elo`); the others are
    random, of the size of the second.

    Parameters
    ----------
    objective, n_components, rng, tolerance
        As for `pair_after_pair`.
    n_starts : int
        How many starts. A single one is the spectral start.

    Returns
    -------
    Fit
        See `best_of`.
    """
    free = np.ones(n_components, dtype=bool)
    none = np.zeros((objective.n, 0))
    starts = []
    if n_starts > 1:
        before = pair_after_pair(objective, n_components, rng, tolerance)
        starts.append((before.U, before.V))
    U, V = spectral_starts(objective, none, none, n_components, rng, ROUGH_POWERS)
    starts.append((U, V))
    if n_starts == 1:
        fit = descend(objective, U, V, free, free, tolerance=tolerance)
        return replace(fit, optima=(fit.loss,))
    # Elo is a model of logits; from the probabilities of m-Elo the ratings have been subtracted already.
    if n_starts > 2 and objective.loss.space == "logit":
        elo = stationary_elo(objective, RIDGE if is_separated(objective.payoff) else 0.0, SEARCH_TOLERANCE)
        starts.append(above_elo(objective, elo, n_components - 1, rng))
    starts += [random_pairs(U, rng) for _ in range(n_starts - len(starts))]
    fit = best_of(objective, starts, free, free, tolerance)
    # With a ridge the two fits minimise different functions: `before` has one ridge a pair, `fit` one for all.
    if fit.separated and before.loss < fit.loss:
        fit = replace(before, n_iter=fit.n_iter, optima=(before.loss, *fit.optima[1:]))
    return replace(fit, n_iter=before.n_iter + fit.n_iter)


def above_elo(
    objective: PairObjective, elo: Fit, n_more: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return a start whose loss is at most that of an Elo score: its ratings, and further pairs that lower the loss.

    Parameters
    ----------
    objective : PairObjective
    elo : Fit
        U has the ratings, V is 1.
    n_more : int
        How many further pairs; their start is spectral.
    rng : numpy.random.Generator

    Returns
    -------
    U, V : (n, 1 + n_more) arrays
    """
    U, V = elo.U, elo.V
    if n_more == 0:
        return U, V
    limit = objective.value_and_gradient(U, V)[0]
    u, v = spectral_starts(objective, U, V, n_more, rng, ROUGH_POWERS)
    for _ in range(MAX_HALVINGS):
        if objective.value_and_gradient(np.hstack([U, u]), np.hstack([V, v]))[0] <= limit:
            break
        u, v = u / 2, v / 2
    return np.hstack([U, u]), np.hstack([V, v])


def random_pairs(U: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return random u and v, (n, k) arrays whose columns have the root mean squares of those of U, (n, k)."""
    return tuple(np.linalg.norm(U, axis=0) / np.sqrt(len(U)) * rng.standard_normal((2, *U.shape)))


def best_of(
    objective: PairObjective,
    starts: list[tuple[np.ndarray, np.ndarray]],
    free_U: np.ndarray,
    free_V: np.ndarray,
    tolerance: float = TOLERANCE,
    ridge: float = 0.0,
    max_first: int | None = None,
) -> Fit:
    """Descend from several starts; the best fit.

    Parameters
    ----------
    objective, free_U, free_V, tolerance, ridge, max_first
        As for `descend`.
    starts : list of pairs of (n, k) arrays
        U and V of each.

    Returns
    -------
    Fit
        `n_iter` counts all starts. `optima` has the loss that each reached, the best first; only that one goes on to
        the tolerance, the others end at `SEARCH_TOLERANCE` or after `SEARCH_NEWTON` steps of Newton's method.
    """
    fits: list[Fit] = []
    for U, V in starts:
        fit = descend(
            objective,
            U,
            V,
            free_U,
            free_V,
            ridge=ridge,
            tolerance=max(tolerance, SEARCH_TOLERANCE),
            max_first=max_first,
            max_newton=SEARCH_NEWTON,
        )
        fits.append(fit)
        # Once a score has passed `SATURATED` the others need not be driven there, too.
        ridge = RIDGE if fit.separated else ridge
    best = min(fits, key=lambda fit: fit.loss + ridge / (2 * objective.n) * (np.sum(fit.U**2) + np.sum(fit.V**2)))
    last = descend(objective, best.U, best.V, free_U, free_V, ridge=ridge, tolerance=tolerance, max_first=max_first)
    return replace(
        last,
        n_iter=sum(fit.n_iter for fit in fits) + last.n_iter,
        separated=last.separated or ridge > 0,
        optima=(last.loss, *(fit.loss for fit in fits if fit is not best)),
    )


def _together(fits: list[Fit]) -> Fit:
    """Return the last of successive fits, its diagnostics summed over all of them."""
    return Fit(
        fits[-1].U,
        fits[-1].V,
        fits[-1].loss,
        max(fit.gradient_norm for fit in fits),
        sum(fit.n_iter for fit in fits),
        all(fit.converged for fit in fits),
        any(fit.separated for fit in fits),
    )
