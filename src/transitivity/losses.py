"""The losses ℒ(p, x) of one pair, and their slopes in x (Equations 16 to 20).

x is the skew-symmetric score of the pair, p its payoff. Each loss satisfies ℒ(1 - p, -x) = ℒ(p, x), so that a
sum over i < j is half of the paper's sum over all (i, j).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import expit


class Loss(Protocol):
    """What a loss must offer to `objective.PairObjective`."""

    #: The name that a configuration and an error message use.
    name: str
    #: "logit": P̂ = σ(x); "probability": P̂ = 1/2 + x.
    space: str

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x, each of the shape of x."""
        ...


class CrossEntropy:
    """bce(p, σ(x)) = log(1 + exp(x)) - p x: the loss of Elo and of the disc decomposition (Equations 16, 18)."""

    name = "cross_entropy"
    space = "logit"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = σ(x) - p."""
        # exp(-|x|) never overflows, and gives both the logarithm and the sigmoid.
        small = np.exp(-np.abs(x))
        value = np.maximum(x, 0)
        value += np.log1p(small)
        value -= p * x
        slope = np.where(x >= 0, 1.0, small)
        slope /= 1 + small
        slope -= p
        return value, slope


class SquaredSigmoid:
    """(p - σ(x))² / 2: the loss of Elo++ (Equation 17)."""

    name = "squared_sigmoid"
    space = "logit"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = (σ(x) - p) σ(x) (1 - σ(x))."""
        s = expit(x)
        residual = s - p
        return residual**2 / 2, residual * s * (1 - s)


class SquaredLinear:
    """(p - 1/2 - x)² / 2: the loss of Balduzzi et al. 2019 and of m-Elo (Equations 19, 20)."""

    name = "squared_linear"
    space = "probability"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = x + 1/2 - p."""
        residual = x - (p - 0.5)
        return residual**2 / 2, residual
