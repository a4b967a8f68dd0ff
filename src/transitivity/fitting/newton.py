"""Newton's method without matrices: conjugate gradients within a trust region (Steihaug 1983).

Algorithms 6.1.1 and 7.5.1 of Conn, Gould and Toint, Trust-region methods, 2000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: Far from the minimum conjugate gradients stop at this share of the gradient, and always after this many products.
FORCING = 0.1
MAX_PRODUCTS = 100
#: A step is taken when the loss falls by this share of what the quadratic model promises.
ACCEPT = 1e-4
#: The region shrinks below the first share, and grows above the second.
POOR, GOOD = 0.25, 0.75
#: Changes of the loss below this share of it are rounding.
ROUNDING = 30 * np.finfo(float).eps
Linear = Callable[[np.ndarray], np.ndarray]
#: Called where a step is to be taken: two linear functions of a vector, the product with the Hessian there, and with an
#: approximate inverse of it, symmetric and positive definite, which also gives the trust region its shape.
SecondOrder = Callable[[], tuple[Linear, Linear]]


@dataclass(frozen=True)
class Minimum:
    """Where a minimisation ended.

    Attributes
    ----------
    x, gradient : (d,) arrays
    value : float
        The loss there.
    n_iter : int
        Steps that were tried.
    stopped : bool
        Whether `stop` ended it.
    """

    x: np.ndarray
    value: float
    gradient: np.ndarray
    n_iter: int
    stopped: bool


def minimise(
    evaluate: Callable[[np.ndarray], tuple[float, np.ndarray, SecondOrder]],
    x: np.ndarray,
    *,
    tolerance: float,
    max_iter: int,
    stop: Callable[[np.ndarray], bool] | None = None,
) -> Minimum:
    """Go down until the largest entry of the gradient is below the tolerance, or the loss no longer falls.

    Near the minimum, where the changes of the loss drown in its rounding, the gradient decides whether a step is good.

    Parameters
    ----------
    evaluate : callable
        x to the loss, its gradient, and a `SecondOrder`.
    x : (d,) array
        The start.
    tolerance : float
    max_iter : int
        The most steps that are tried.
    stop : callable, optional
        Asked at each new point; True ends the minimisation.

    Returns
    -------
    Minimum
    """
    value, gradient, second_order = evaluate(x)
    radius, n_iter, moved = np.inf, 0, True
    while np.abs(gradient).max() > tolerance and n_iter < max_iter:
        n_iter += 1
        if moved:
            product, inverse = second_order()
        step, length, promise = model_step(product, inverse, gradient, radius)
        new_value, new_gradient, new_second_order = evaluate(x + step)
        if promise <= ROUNDING * abs(value):
            if not np.abs(new_gradient).max() < np.abs(gradient).max():
                break
            ratio = 1.0
        else:
            ratio = (value - new_value) / promise
        if not ratio >= POOR:
            radius = length / 4
        elif ratio > GOOD:
            radius = max(radius, 2 * length)
        moved = bool(ratio >= ACCEPT)
        if moved:
            x, value, gradient, second_order = x + step, new_value, new_gradient, new_second_order
            if stop is not None and stop(x):
                return Minimum(x, value, gradient, n_iter, True)
    return Minimum(x, value, gradient, n_iter, False)


def model_step(
    product: Linear, inverse: Linear, gradient: np.ndarray, radius: float
) -> tuple[np.ndarray, float, float]:
    """Return a step that lowers the quadratic model of the loss, its length, at most the radius, and by how much.

    Parameters
    ----------
    product, inverse : callable
        See `minimise`. The length of a step is that of the quadratic form whose inverse is given.
    gradient : (d,) array
    radius : float
        May be infinite; then a direction that bends downwards is followed for its own length.
    """
    step, residual = np.zeros_like(gradient), gradient
    direction = -inverse(residual)
    left = -float(residual @ direction)
    goal = left * min(FORCING, np.sqrt(np.abs(gradient).max() * len(gradient))) ** 2
    # Squared lengths of the step and of the direction, and their scalar product.
    of_step, of_both, of_direction = 0.0, 0.0, left
    promise = 0.0
    for _ in range(MAX_PRODUCTS):
        image = product(direction)
        bend = float(direction @ image)
        share = left / bend if bend > 0 else np.inf
        outside = bend <= 0 or of_step + share * (2 * of_both + share * of_direction) >= radius**2
        if outside:
            if np.isinf(radius) and of_step > 0:
                break
            limit = radius if np.isfinite(radius) else np.sqrt(of_direction)
            room = limit**2 - of_step
            share = room / (of_both + np.sqrt(of_both**2 + of_direction * room))
        step = step + share * direction
        promise += share * (left - share * bend / 2)
        of_step += share * (2 * of_both + share * of_direction)
        if outside:
            break
        residual = residual + share * image
        towards = -inverse(residual)
        new_left = -float(residual @ towards)
        if new_left <= goal:
            break
        ratio, left = new_left / left, new_left
        of_both = ratio * (of_both + share * of_direction)
        of_direction = left + ratio**2 * of_direction
        direction = towards + ratio * direction
    return step, float(np.sqrt(of_step)), promise
