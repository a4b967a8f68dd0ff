"""L-BFGS (Liu and Nocedal 1989): descent in the metric that the last steps have shown, one gradient a step.

Algorithm 7.4 (the two-loop recursion) of Nocedal and Wright, Numerical optimization, 2006, with a line search for the
two conditions of Wolfe. It is meant to come near a minimum fast, and leaves what is difficult to `newton`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import daxpy

from transitivity.newton import ROUNDING, Minimum

#: Corrections kept: steps, and what they changed in the gradient.
CORRECTIONS = 10
#: The conditions of Wolfe: the loss falls by this share of what its slope promises, the slope to this share.
DECREASE, FLATTENING = 1e-4, 0.9
#: Evaluations of a line search.
MAX_EVALUATIONS = 20
#: Steps between two questions whether to stop.
STOP_EVERY = 10

ValueAndGradient = Callable[[np.ndarray], tuple[float, np.ndarray]]


def minimise(
    value_and_gradient: ValueAndGradient,
    x: np.ndarray,
    *,
    tolerance: float,
    max_iter: int,
    stop: Callable[[np.ndarray], bool] | None = None,
) -> Minimum:
    """Go down until the largest entry of the gradient is below the tolerance, or a line search fails.

    Parameters
    ----------
    value_and_gradient : callable
        x to the loss and its gradient.
    x : (d,) array
        The start.
    tolerance : float
    max_iter : int
        The most steps.
    stop : callable, optional
        Asked at the start and now and then; True ends the minimisation.

    Returns
    -------
    Minimum
    """
    value, gradient = value_and_gradient(x)
    memory: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=CORRECTIONS)
    n_iter = 0
    while np.abs(gradient).max() > tolerance and n_iter < max_iter:
        if n_iter % STOP_EVERY == 0 and stop is not None and stop(x):
            return Minimum(x, value, gradient, n_iter, True)
        direction = -_product(memory, gradient)
        # Nothing is known of the scale before the first step: it has length 1.
        length = 1.0 if memory else 1 / float(np.sqrt(gradient @ gradient))
        found = _search(value_and_gradient, x, value, gradient, direction, length)
        if found is None:
            break
        n_iter += 1
        step, new_value, new_gradient = found
        change = new_gradient - gradient
        bend = float(step @ change)
        if bend > 0:
            memory.append((step, change, 1 / bend))
        x, value, gradient = x + step, new_value, new_gradient
    return Minimum(x, value, gradient, n_iter, False)


def _product(memory: deque[tuple[np.ndarray, np.ndarray, float]], gradient: np.ndarray) -> np.ndarray:
    """Return the approximate inverse Hessian times the gradient."""
    if not memory:
        return gradient
    q, shares = gradient.copy(), []
    for step, change, inverse in reversed(memory):
        share = inverse * (step @ q)
        q = daxpy(change, q, a=-share)
        shares.append(share)
    _, change, inverse = memory[-1]
    q /= inverse * (change @ change)
    for (step, change, inverse), share in zip(memory, reversed(shares), strict=True):
        q = daxpy(step, q, a=share - inverse * (change @ q))
    return q


def _search(
    value_and_gradient: ValueAndGradient,
    x: np.ndarray,
    value: float,
    gradient: np.ndarray,
    direction: np.ndarray,
    length: float,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """Return a step along the direction that meets the conditions of Wolfe, and the loss and gradient behind it.

    None if none is found. A change of the loss by less than its rounding counts as none.
    """
    first_slope = float(gradient @ direction)
    if not first_slope < 0:
        return None
    # Between the two lengths is a step that will do; at the lower one the loss has fallen, and falls.
    low, low_value, low_slope, high = 0.0, value, first_slope, np.inf
    for _ in range(MAX_EVALUATIONS):
        step = length * direction
        new_value, new_gradient = value_and_gradient(x + step)
        if not new_value <= value + DECREASE * length * first_slope + ROUNDING * abs(value):
            high = length
            # The lowest point of the parabola through what is known.
            excess = new_value - low_value - low_slope * (high - low)
            at = -low_slope * (high - low) / (2 * excess) if np.isfinite(excess) and excess > 0 else 0.5
            length = low + (high - low) * min(max(at, 0.1), 0.9)
            continue
        slope = float(new_gradient @ direction)
        if slope >= FLATTENING * first_slope:
            return step, new_value, new_gradient
        # Where the slope would vanish if it went on changing as it does.
        at = slope / (low_slope - slope) if slope > low_slope else np.inf
        further = length + (length - low) * min(max(at, 1.0), 10.0)
        low, low_value, low_slope = length, new_value, slope
        length = further if further < high else (low + high) / 2
    return None
