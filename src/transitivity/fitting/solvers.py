"""Solvers of Equation 3: the stationary Elo score, Algorithms 1 and 2 as printed, all pairs jointly, as published.

Every solver takes a `PairObjective` and returns a `Fit`. Two parametrisations of the same disc game are equal up to
a linear map of the plane that keeps areas, so fits are compared by their scores x, never by u and v.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from transitivity.disc.decomposition import normal_decomposition
from transitivity.fitting import lbfgs, newton
from transitivity.fitting.free import FreeColumns, Penalty
from transitivity.fitting.objective import PairObjective

#: A fit has converged when n · max |∇f| is below this: the gradient of a player's own mean loss.
TOLERANCE = 1e-7
#: The steps of L-BFGS after which Newton's method takes over. Newton's method is faster in the long curved valleys that
#: missing pairs and pairs with p = 0 or 1 make; without them more steps of L-BFGS are faster.
MAX_ITERATIONS, MAX_EASY_ITERATIONS = 30, 150
#: The least share of observed pairs, and the largest share of p = 0 or 1 among them, of a payoff without such valleys.
EASY_DENSITY, EASY_EXTREME = 0.5, 0.01
#: With a step size for each player L-BFGS goes on for longer, down to this tolerance.
MAX_OWN_ITERATIONS = 300
OWN_TOLERANCE = 1e-4
#: The most Newton steps; a dozen is usual.
MAX_NEWTON = 100
#: A score beyond this where p is 0 or 1 shows that the loss has no finite minimiser: σ(30) is 1 within 1e-13.
SATURATED = 30.0
#: A fit that stops beyond this score has its optimum at infinity: the slope that is left is below the tolerance.
VANISHED = 15.0
#: The ridge that then keeps the fit finite, added as RIDGE / (2 n) · (‖U‖² + ‖V‖²) over what is free.
RIDGE = 1e-4
#: How often a block of random vectors is multiplied for a spectral start: until the random draw no longer affects the
#: fit; fewer times where several starts are compared.
POWERS, ROUGH_POWERS = 8, 5
#: How many starts `joint` has (Algorithm 2, a spectral one, random ones), and its tolerance until the best is known.
STARTS = 4
SEARCH_TOLERANCE = 1e-5


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
    optima : tuple of float
        The losses reached from each start, where there were several.
    """

    U: np.ndarray
    V: np.ndarray
    loss: float
    gradient_norm: float
    n_iter: int
    converged: bool
    separated: bool = False
    optima: tuple[float, ...] = ()


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
    is spectral; the others are random, of the size of the second.

    Parameters
    ----------
    objective, n_components, rng, tolerance
        As for `pair_after_pair`.
    n_starts : int
        How many starts. A single one is the spectral start.

    Returns
    -------
    Fit
        `n_iter` counts all starts. `optima` has the loss that each reached, the best first; only that one goes on to
        the tolerance, the others end at `SEARCH_TOLERANCE`.
    """
    free = np.ones(n_components, dtype=bool)
    none = np.zeros((objective.n, 0))
    starts = []
    if n_starts > 1:
        before = pair_after_pair(objective, n_components, rng, tolerance)
        starts.append((before.U, before.V))
    U, V = spectral_starts(objective, none, none, n_components, rng, ROUGH_POWERS)
    starts.append((U, V))
    norms = np.linalg.norm(U, axis=0) / np.sqrt(objective.n)
    starts += [norms * rng.standard_normal((2, objective.n, n_components)) for _ in range(n_starts - 2)]
    if n_starts == 1:
        fit = descend(objective, U, V, free, free, tolerance=tolerance)
        return replace(fit, optima=(fit.loss,))

    search = max(tolerance, SEARCH_TOLERANCE)
    fits = [descend(objective, U, V, free, free, tolerance=search) for U, V in starts]
    best = min(fits, key=lambda fit: fit.loss)
    last = descend(objective, best.U, best.V, free, free, tolerance=tolerance)
    n_iter = before.n_iter + sum(fit.n_iter for fit in fits) + last.n_iter
    # With a ridge the two fits minimise different functions: `before` has one ridge a pair, `last` one for all.
    if last.separated and before.loss < last.loss:
        last = before
    optima = (last.loss, *(fit.loss for fit in fits if fit is not best))
    return replace(last, n_iter=n_iter, optima=optima)


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
