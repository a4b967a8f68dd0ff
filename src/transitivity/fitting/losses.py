"""The losses ℒ(p, x) of one pair, and their slopes in x (Equations 16 to 20).

x is the skew-symmetric score of the pair, p its payoff. Each loss satisfies ℒ(1 - p, -x) = ℒ(p, x), so that a
sum over i < j is half of the paper's sum over all (i, j). `pairs.c` has the same three losses for whole payoffs.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import expit, log_ndtr


class Loss(Protocol):
    """What a loss must offer to `objective.PairObjective`; one that `pairs.c` does not have is computed here."""

    #: The name that a configuration and an error message use.
    name: str
    #: "logit": P̂ = σ(x); "probability": P̂ = 1/2 + x; "probit": P̂ = Φ(x).
    space: str

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x, each of the shape of x."""
        ...

    def curvature(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return ∂²ℒ/∂x²."""
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

    def curvature(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return ∂²ℒ/∂x² = σ(x) (1 - σ(x))."""
        return expit(x) * expit(-x)


class ProbitCrossEntropy:
    """bce(p, Φ(x)) = -p log Φ(x) - (1 - p) log Φ(-x): the loss of Thurstone's model."""

    name = "probit_cross_entropy"
    space = "probit"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = (1 - p) h(-x) - p h(x), where h = φ / Φ."""
        return -p * log_ndtr(x) - (1 - p) * log_ndtr(-x), (1 - p) * _inverse_mills(-x) - p * _inverse_mills(x)

    def curvature(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return ∂²ℒ/∂x² = p h(x) (h(x) + x) + (1 - p) h(-x) (h(-x) - x)."""
        up, down = _inverse_mills(x), _inverse_mills(-x)
        return p * up * (up + x) + (1 - p) * down * (down - x)


def _inverse_mills(x: np.ndarray) -> np.ndarray:
    """Return φ(x) / Φ(x)."""
    return np.exp(-(x**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(x))


class SquaredSigmoid:
    """(p - σ(x))² / 2: the loss of Elo++ (Equation 17)."""

    name = "squared_sigmoid"
    space = "logit"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = (σ(x) - p) σ(x) (1 - σ(x))."""
        residual = expit(x) - p
        return residual**2 / 2, residual * expit(x) * expit(-x)

    def curvature(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return ∂²ℒ/∂x² = σ' ((1 - 2 σ(x)) (σ(x) - p) + σ'), where σ' = σ(x) (1 - σ(x))."""
        s, spread = expit(x), expit(x) * expit(-x)
        return spread * ((1 - 2 * s) * (s - p) + spread)


class SquaredLinear:
    """(p - 1/2 - x)² / 2: the loss of Balduzzi et al. 2019 and of m-Elo (Equations 19, 20)."""

    name = "squared_linear"
    space = "probability"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = x + 1/2 - p."""
        residual = x - (p - 0.5)
        return residual**2 / 2, residual

    def curvature(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return ∂²ℒ/∂x² = 1."""
        return np.ones_like(x)
