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

    def total_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return Σ ℒ(p, x) and ∂ℒ/∂x, in as few passes over the arrays as there can be."""
        ...

    def total_slope_and_curvature(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return what `total_and_slope` does, and ∂²ℒ/∂x²."""
        ...


#: Factors 1 + exp(x) whose product is taken before its logarithm: four do not overflow before x = 177.
FACTORS = 4


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

    def total_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return Σ log(1 + exp(x)) - p x and σ(x) - p."""
        with np.errstate(over="ignore"):
            slope = np.exp(x)
            one_more = slope + 1
            factors = one_more.reshape(-1)
            whole = factors.size - factors.size % FACTORS
            # A logarithm costs as much as all else: one of a product stands for those of its factors.
            products = np.multiply.reduce(factors[:whole].reshape(FACTORS, -1), axis=0)
            total = float(np.log(products).sum() + np.log(factors[whole:]).sum()) - float(np.vdot(p, x))
        if not np.isfinite(total):
            value, slope = self.value_and_slope(p, x)
            return float(value.sum()), slope
        np.divide(slope, one_more, out=slope)
        slope -= p
        return total, slope

    def total_slope_and_curvature(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return what `total_and_slope` does, and σ(x) (1 - σ(x))."""
        total, slope = self.total_and_slope(p, x)
        s = slope + p
        return total, slope, s * (1 - s)


class SquaredSigmoid:
    """(p - σ(x))² / 2: the loss of Elo++ (Equation 17)."""

    name = "squared_sigmoid"
    space = "logit"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = (σ(x) - p) σ(x) (1 - σ(x))."""
        s = expit(x)
        residual = s - p
        return residual**2 / 2, residual * s * (1 - s)

    def total_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return Σ ℒ(p, x) and ∂ℒ/∂x."""
        s = expit(x)
        slope = s - p
        total = float(np.vdot(slope, slope)) / 2
        slope *= s
        slope *= 1 - s
        return total, slope

    def total_slope_and_curvature(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return what `total_and_slope` does, and (1 - 2 σ) (σ - p) σ' + σ'², where σ' = σ (1 - σ)."""
        total, slope = self.total_and_slope(p, x)
        s = expit(x)
        return total, slope, (1 - 2 * s) * slope + (s * (1 - s)) ** 2


class SquaredLinear:
    """(p - 1/2 - x)² / 2: the loss of Balduzzi et al. 2019 and of m-Elo (Equations 19, 20)."""

    name = "squared_linear"
    space = "probability"

    def value_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ℒ(p, x) and ∂ℒ/∂x = x + 1/2 - p."""
        residual = x - (p - 0.5)
        return residual**2 / 2, residual

    def total_and_slope(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return Σ ℒ(p, x) and ∂ℒ/∂x."""
        residual = x - p
        residual += 0.5
        return float(np.vdot(residual, residual)) / 2, residual

    def total_slope_and_curvature(self, p: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return what `total_and_slope` does, and 1."""
        return *self.total_and_slope(p, x), np.ones_like(x)
