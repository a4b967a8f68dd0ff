"""L-BFGS (Liu and Nocedal 1989): descent in the metric that the last steps have shown, one gradient a step.

Algorithm 7.4 (the two-loop recursion) of Nocedal and Wright, Numerical optimization, 2006, with a line search for the
two conditions of Wolfe. It is meant to come near a minimum fast, and leaves what is difficult to `newton`.

With a preconditioner every block of variables (a player's) has a step size of its own, learnt from its own last
changes. Among very many players there are always some for whom the quadratic model is poor: with one step size, or one
trust region, for all, they would slow down everybody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import daxpy

from transitivity.fitting.newton import ROUNDING, Linear, Minimum

#: Corrections kept: steps, and what they changed in the gradient; fewer do with a preconditioner.
CORRECTIONS, PRECONDITIONED_CORRECTIONS = 10, 5
#: The conditions of Wolfe: the loss falls by this share of what its slope promises, the slope to this share.
DECREASE, FLATTENING = 1e-4, 0.9
#: Evaluations of a line search.
MAX_EVALUATIONS = 20
#: `stop` is called once in this many steps.
STOP_EVERY = 10
#: The preconditioner is computed again before these steps.
REFRESH_AT = (0, 10, 20, 40)
#: The step size of a block at first, and the least one: shares of what its preconditioner asks for.
FIRST_SHARE, LEAST_SHARE = 0.5, 0.02
ValueAndGradient = Callable[[np.ndarray], tuple[float, np.ndarray]]
#: A step, the change of the gradient, and one over their scalar product.
Correction = tuple[np.ndarray, np.ndarray, float]


def minimise(
    value_and_gradient: ValueAndGradient,
    x: np.ndarray,
    *,
    tolerance: float,
    max_iter: int,
    stop: Callable[[np.ndarray], bool] | None = None,
    preconditioner: Callable[[np.ndarray], Linear] | None = None,
    n_blocks: int = 1,
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
        Called at the start and every few steps; True ends the minimisation.
    preconditioner : callable, optional
        x to the product with the inverse of the second derivatives there, within each block alone.
    n_blocks : int
        Of its blocks: b, b + n_blocks, b + 2 n_blocks, ... are the entries of block b.

    Returns
    -------
    Minimum
    """
    value, gradient = value_and_gradient(x)
    memory: deque[Correction] = deque(maxlen=CORRECTIONS if preconditioner is None else PRECONDITIONED_CORRECTIONS)
    shares, inverse = np.full(n_blocks, FIRST_SHARE), None
    n_iter = 0
    while np.abs(gradient).max() > tolerance and n_iter < max_iter:
        if n_iter % STOP_EVERY == 0 and stop is not None and stop(x):
            return Minimum(x, value, gradient, n_iter, True)
        if n_iter in REFRESH_AT and preconditioner is not None:
            inverse = preconditioner(x)
        first_inverse = _scalar(memory) if inverse is None else _by_block(inverse, shares)
        direction = -_product(memory, first_inverse, gradient)
        # Nothing is known of the scale before the first step: it has length 1.
        length = 1.0 if memory or inverse is not None else 1 / float(np.sqrt(gradient @ gradient))
        found = _search(value_and_gradient, x, value, gradient, direction, length)
        if found is None:
            break
        n_iter += 1
        step, new_value, new_gradient = found
        change = new_gradient - gradient
        bend = float(step @ change)
        if bend > 0:
            memory.append((step, change, 1 / bend))
            if inverse is not None:
                # A step size falls at once where it was too long, and grows step by step.
                last = _shares_of_last_step(step, change, inverse(change), n_blocks)
                shares = np.minimum(2 * shares, last)
        x, value, gradient = x + step, new_value, new_gradient
    return Minimum(x, value, gradient, n_iter, False)


def _scalar(memory: deque[Correction]) -> Linear:
    """Return the product with the multiple of the identity that the last correction suggests."""
    if not memory:
        return lambda vector: vector
    _, change, inverse_bend = memory[-1]
    divisor = inverse_bend * (change @ change)
    return lambda vector: vector / divisor


def _by_block(inverse: Linear, shares: np.ndarray) -> Linear:
    """Return the product with the preconditioner, each block times its share."""
    return lambda vector: (inverse(vector).reshape(-1, len(shares)) * shares).ravel()


def _shares_of_last_step(step: np.ndarray, change: np.ndarray, asked: np.ndarray, n_blocks: int) -> np.ndarray:
    """Return the ratio of a step to the one that the preconditioner asks for with its change of gradient, by block."""
    step, change, asked = (vector.reshape(-1, n_blocks) for vector in (step, change, asked))
    bends, asked_bends = (np.einsum("ab,ab->b", vector, change) for vector in (step, asked))
    shares = np.divide(np.abs(bends), asked_bends, out=np.ones(n_blocks), where=asked_bends > 0)
    return np.clip(shares, LEAST_SHARE, 1.0)


def _product(memory: deque[Correction], first_inverse: Linear, gradient: np.ndarray) -> np.ndarray:
    """Return the approximate inverse Hessian times the gradient, from the one that the corrections are added to."""
    q, shares = gradient.copy(), []
    for step, change, inverse_bend in reversed(memory):
        share = inverse_bend * (step @ q)
        q = daxpy(change, q, a=-share)
        shares.append(share)
    q = first_inverse(q)
    for (step, change, inverse_bend), share in zip(memory, reversed(shares), strict=True):
        q = daxpy(step, q, a=share - inverse_bend * (change @ q))
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
