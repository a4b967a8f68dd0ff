"""Newton's method without matrices, on functions whose minima are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der, rosen_hess_prod

from transitivity.fitting.newton import minimise, model_step


def identity(x):
    return x


def test_a_quadratic_function_takes_one_exact_model():
    rng = np.random.default_rng(0)
    Q = rng.standard_normal((6, 6))
    H, b = Q @ Q.T + np.eye(6), rng.standard_normal(6)
    end = minimise(
        lambda x: (x @ H @ x / 2 - b @ x, H @ x - b, lambda: (lambda d: H @ d, lambda d: d / np.diag(H))),
        np.zeros(6),
        tolerance=1e-10,
        max_iter=20,
    )
    np.testing.assert_allclose(end.x, np.linalg.solve(H, b), atol=1e-9)
    assert not end.stopped and np.abs(end.gradient).max() <= 1e-10


@pytest.mark.parametrize("d", [2, 10])
def test_rosenbrock(d):
    """A curved valley, with directions that bend downwards on the way."""
    start = np.where(np.arange(d) % 2, 1.0, -1.2)
    end = minimise(
        lambda x: (float(rosen(x)), rosen_der(x), lambda: (lambda p: rosen_hess_prod(x, p), identity)),
        start,
        tolerance=1e-8,
        max_iter=200,
    )
    assert np.abs(end.gradient).max() <= 1e-8 and end.n_iter < 200


def test_a_saddle_is_left():
    """x⁴/4 - x²/2 bends downwards at 0; the minima are at 1 and -1."""
    end = minimise(
        lambda x: (float(np.sum(x**4 / 4 - x**2 / 2)), x**3 - x, lambda: (lambda d: (3 * x**2 - 1) * d, identity)),
        np.array([1e-3, -1e-3]),
        tolerance=1e-9,
        max_iter=100,
    )
    np.testing.assert_allclose(end.x, [1, -1], atol=1e-8)


def test_the_steps_and_the_caller_can_end_it():
    def quartic(x):
        return float(np.sum(x**4)), 4 * x**3, lambda: (lambda d: 12 * x**2 * d, identity)

    few = minimise(quartic, np.ones(3), tolerance=1e-12, max_iter=2)
    assert few.n_iter == 2 and not few.stopped
    asked = minimise(quartic, np.ones(3), tolerance=1e-12, max_iter=50, stop=lambda x: x.max() < 0.5)
    assert asked.stopped and asked.x.max() < 0.5


@pytest.mark.parametrize("radius", [0.01, 1.0, 100.0, np.inf])
@pytest.mark.parametrize("definite", [True, False])
def test_a_step_keeps_within_the_radius_and_keeps_its_promise(radius, definite):
    rng = np.random.default_rng(1)
    Q = rng.standard_normal((8, 8))
    H = Q @ Q.T + np.eye(8) if definite else Q + Q.T
    scale, g = rng.uniform(0.5, 2, 8), rng.standard_normal(8)
    step, length, promise = model_step(lambda d: H @ d, lambda d: d / scale, g, radius)
    assert length == pytest.approx(np.sqrt(step @ (scale * step))) and length <= radius * (1 + 1e-12)
    assert promise == pytest.approx(-(g @ step + step @ H @ step / 2)) and promise > 0
