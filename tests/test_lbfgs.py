"""L-BFGS on functions whose minima are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der

from transitivity.fitting import lbfgs
from transitivity.fitting.lbfgs import DECREASE, FLATTENING, minimise


def quadratic(H, b):
    return lambda x: (float(x @ H @ x / 2 - b @ x), H @ x - b)


@given(seed=st.integers(0, 1000), d=st.integers(1, 12), spread=st.floats(0, 4), scale=st.floats(-6, 6))
def test_quadratic_functions_of_every_scale(seed, d, spread, scale):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    H = 10**scale * (Q * np.logspace(0, spread, d)) @ Q.T
    solution = rng.standard_normal(d)
    end = minimise(quadratic(H, H @ solution), np.zeros(d), tolerance=1e-7 * 10**scale, max_iter=1000)
    assert np.abs(end.gradient).max() <= 1e-7 * 10**scale and not end.stopped
    np.testing.assert_allclose(end.x, solution, atol=1e-6)


@pytest.mark.parametrize("d", [2, 10])
def test_rosenbrock(d):
    start = np.where(np.arange(d) % 2, 1.0, -1.2)
    end = minimise(lambda x: (float(rosen(x)), rosen_der(x)), start, tolerance=1e-8, max_iter=500)
    assert np.abs(end.gradient).max() <= 1e-8 and end.n_iter < 150
    assert end.value == pytest.approx(rosen(end.x))


def test_it_starts_at_the_minimum():
    end = minimise(quadratic(np.eye(2), np.ones(2)), np.ones(2), tolerance=1e-9, max_iter=9)
    assert end.n_iter == 0
    np.testing.assert_array_equal(end.x, np.ones(2))


def test_the_steps_and_the_caller_can_end_it():
    def quartic(x):
        return float(np.sum(x**4)), 4 * x**3

    few = minimise(quartic, np.ones(3), tolerance=1e-12, max_iter=2)
    assert few.n_iter == 2 and not few.stopped
    asked = minimise(quartic, np.ones(3), tolerance=1e-12, max_iter=500, stop=lambda x: x.max() < 0.5)
    assert asked.stopped and asked.x.max() < 0.5
    at_once = minimise(quartic, np.ones(3), tolerance=1e-12, max_iter=500, stop=lambda x: True)
    assert at_once.stopped and at_once.n_iter == 0


def test_a_loss_without_a_minimum_ends_after_its_steps():
    end = minimise(lambda x: (float(np.exp(-x).sum()), -np.exp(-x)), np.zeros(2), tolerance=0.0, max_iter=7)
    assert end.n_iter == 7 and (end.x > 1).all()


def test_a_gradient_that_does_not_belong_to_the_loss_ends_it():
    end = minimise(lambda x: (float(x @ x), -2 * x), np.ones(2), tolerance=1e-9, max_iter=50)
    assert end.n_iter == 0 and not end.stopped
    np.testing.assert_array_equal(end.x, np.ones(2))


def test_a_loss_that_is_infinite_beyond_some_place():
    """-log of the distance to a wall: the first step would go through it."""

    def barrier(x):
        if (x >= 1).any():
            return np.inf, np.full_like(x, np.nan)
        return float(np.sum(-np.log(1 - x) + 50 * (x - 0.9) ** 2)), 1 / (1 - x) + 100 * (x - 0.9)

    end = minimise(barrier, np.zeros(3), tolerance=1e-8, max_iter=100)
    assert np.abs(end.gradient).max() <= 1e-8 and (end.x < 1).all()


def test_rounding_of_the_loss_does_not_stop_it():
    """A constant that is large against what is left to gain."""
    H = np.diag([1.0, 30.0])
    loss = quadratic(H, H @ np.ones(2))
    end = minimise(lambda x: (1e6 + loss(x)[0], loss(x)[1]), np.zeros(2), tolerance=1e-7, max_iter=100)
    np.testing.assert_allclose(end.x, 1, atol=1e-6)


def inverse_blocks(blocks):
    """The preconditioner of blocks, (n, w, w), that are the same everywhere."""
    inverses = np.linalg.inv(blocks)
    n = len(blocks)
    return lambda x: lambda vector: np.einsum("bij,jb->ib", inverses, vector.reshape(-1, n)).ravel()


@given(seed=st.integers(0, 1000), n=st.integers(1, 30), width=st.integers(1, 3), spread=st.floats(0, 5))
def test_blocks_of_every_scale_take_no_longer_than_one(seed, n, width, spread):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, width, width + 3))
    blocks = 10.0 ** rng.uniform(-spread, spread, n)[:, None, None] * (A @ A.transpose(0, 2, 1))
    solution = rng.standard_normal((width, n))

    def loss(x):
        gradient = np.einsum("bij,jb->ib", blocks, x.reshape(-1, n) - solution)
        return float(np.sum(gradient * (x.reshape(-1, n) - solution)) / 2), gradient.ravel()

    tolerance = 1e-9 * float(np.abs(blocks).max())
    end = minimise(
        loss, np.zeros(width * n), tolerance=tolerance, max_iter=100,
        preconditioner=inverse_blocks(blocks), n_blocks=n,
    )  # fmt: skip
    assert np.abs(end.gradient).max() <= tolerance and end.n_iter <= 6


def difficult_blocks(n, n_difficult, **learning):
    """Return the steps and evaluations of n blocks; some have walls, which their preconditioner knows nothing of."""
    rng = np.random.default_rng(0)
    factors, solution = rng.uniform(0.3, 1.7, n), rng.standard_normal(n)
    walls = rng.uniform(0.2, 0.9, n_difficult) * solution[:n_difficult]
    steepness = 10 * np.sign(walls)
    n_evaluations = 0

    def loss(x):
        nonlocal n_evaluations
        n_evaluations += 1
        gradient = factors * (x - solution)
        value = float(gradient @ (x - solution) / 2)
        beyond = np.exp(np.minimum(steepness * (x[:n_difficult] - walls), 50))
        gradient[:n_difficult] += steepness * beyond
        return value + float(beyond.sum()), gradient

    end = minimise(loss, np.zeros(n), tolerance=1e-8, max_iter=1000, **learning)
    assert np.abs(end.gradient).max() <= 1e-8
    return end.n_iter, n_evaluations


@pytest.mark.parametrize("n_difficult", [10, 100])
def test_difficult_blocks_do_not_hold_up_the_others(n_difficult):
    """With one step size for all, which is what the second call has, they do."""
    n = 500
    own = {"preconditioner": inverse_blocks(np.ones((n, 1, 1))), "n_blocks": n}
    common = {"preconditioner": lambda x: lambda vector: vector, "n_blocks": 1}
    easy, difficult = difficult_blocks(n, 0, **own), difficult_blocks(n, n_difficult, **own)
    assert max(difficult) <= 1.5 * max(easy)
    assert min(difficult_blocks(n, n_difficult, **common)) > 2 * max(difficult)


@given(seed=st.integers(0, 300), length=st.floats(-4, 4))
def test_a_step_meets_the_conditions_of_wolfe(seed, length):
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.1, 3, 3)

    def wavy(x):
        return float(a * x[0] ** 2 + b * np.cos(c * x[0])), np.array([2 * a * x[0] - b * c * np.sin(c * x[0])])

    x = rng.standard_normal(1) * 5
    value, gradient = wavy(x)
    found = lbfgs._search(wavy, x, value, gradient, -gradient, 10**length)
    if found is not None:
        step, new_value, new_gradient = found
        share = step[0] / -gradient[0]
        assert new_value <= value - DECREASE * share * gradient[0] ** 2 + 1e-12
        assert new_gradient @ -gradient >= FLATTENING * (gradient @ -gradient)
    assert found is not None or abs(gradient[0]) < 1e-6 or 10**length > 1e3 or 10**length < 1e-3
