"""The blade-chest model with distances."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError, check_count
from transitivity.fitting import elo, lbfgs, solvers
from transitivity.fitting.ladder import total
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import WEIGHTS, Model, Players, check_choice, check_components, default_rng, pair_weights
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import is_separated

#: The most steps of L-BFGS, and where it stops: n · max |∇f|.
MAX_ITERATIONS, TOLERANCE = 5000, 1e-4


class BladeChestDist(Model):
    """P̂ᵢⱼ = σ(‖bⱼ - cᵢ‖² - ‖bᵢ - cⱼ‖² + γᵢ - γⱼ): i wins if its blade b is nearer to j's chest c than j's to i's.

    Multiplied out, the score is rᵢ - rⱼ + 2 (bᵢ · cⱼ - bⱼ · cᵢ) with rᵢ = γᵢ + ‖cᵢ‖² - ‖bᵢ‖²: again m-Elo in logit
    space, under another prior.

    Parameters
    ----------
    n_components : int
        The dimension of blade and chest, d.
    regularisation : float
        The precision of a Gaussian prior around 0 on γ, b and c, against the summed log-loss; above 0.
    weights : {"equal", "games"}
        Whether every pair counts the same in the loss, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    gamma_ : (n,) array
    blades_, chests_ : (n, d) arrays
    ratings_ : (n,) array
        r, mean zero.
    """

    name = "blade_chest_dist"
    label = "Blade-chest, distance"
    reference = "Chen and Joachims, Modeling intransitivity in matchup and comparison data, WSDM 2016"
    loss = CrossEntropy()

    def __init__(self, n_components: int = 1, regularisation: float = 0.01, weights: str = "equal") -> None:
        if not 0 < regularisation < math.inf:
            raise InputError(f"regularisation={regularisation!r} is not a positive number; use one such as 0.01.")
        self.n_components = check_count("n_components", n_components)
        self.regularisation = regularisation
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit from the Elo score and the leading pairs of its residual, and from random pairs; keep the better fit.

        Raises
        ------
        TooManyComponents
            If n_components is larger than half the number of players.
        """
        check_components(self.n_components, payoff)
        rng, n = default_rng(rng), payoff.n_players
        objective = PairObjective(payoff, self.loss, weights=pair_weights(payoff, self.weights))

        def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
            return penalised(objective, self.regularisation, theta)

        score = elo.stationary_elo(objective, solvers.RIDGE if is_separated(payoff) else 0.0)
        U, V = solvers.above_elo(objective, score, self.n_components, rng)
        fits = []
        for u, v in ((U[:, 1:], V[:, 1:]), solvers.random_pairs(U[:, 1:], rng)):
            blades, chests = u / math.sqrt(2), v / math.sqrt(2)
            gamma = score.U[:, :1] - (chests**2 - blades**2).sum(axis=1, keepdims=True)
            start = np.hstack([gamma, blades, chests]).T.ravel()
            fits.append(lbfgs.minimise(value_and_gradient, start, tolerance=TOLERANCE / n, max_iter=MAX_ITERATIONS))
        best = min(fits, key=lambda fit: fit.value)
        self.gamma_, self.blades_, self.chests_ = unpacked(best.x, n)
        U, V = factors(self.gamma_, self.blades_, self.chests_)
        norm = n * float(np.abs(best.gradient).max())
        self._take(
            solvers.Fit(
                U,
                V,
                objective.value_and_gradient(U, V)[0],
                norm,
                sum(fit.n_iter for fit in fits),
                norm <= TOLERANCE,
                solvers.has_vanished(objective, U, V),
            )
        )
        self.ratings_ = U[:, 0] - U[:, 0].mean()
        return self

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂."""
        return expit((self.u_[i] * self.v_[j] - self.v_[i] * self.u_[j]).sum(axis=-1))

    def n_params(self, n: int) -> int:
        """Return (2 d + 1) n."""
        return (2 * self.n_components + 1) * n


def unpacked(theta: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return γ (n,), b and c (n, d) from one vector of n (2 d + 1) numbers."""
    rows = theta.reshape(-1, n)
    d = len(rows) // 2
    return rows[0], rows[1 : d + 1].T, rows[d + 1 :].T


def factors(gamma: np.ndarray, blades: np.ndarray, chests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return U and V, (n, 1 + d) arrays, whose score U Vᵀ - V Uᵀ is that of γ (n,), b and c (n, d)."""
    ratings = gamma + (chests**2).sum(axis=1) - (blades**2).sum(axis=1)
    root = math.sqrt(2)
    return np.column_stack([ratings, root * blades]), np.column_stack([np.ones(len(gamma)), root * chests])


def penalised(objective: PairObjective, precision: float, theta: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean loss plus minus the log-density of the prior on the same scale, and its gradient in θ."""
    gamma, blades, chests = unpacked(theta, objective.n)
    value, gradient_U, gradient_V = objective.value_and_gradient(*factors(gamma, blades, chests))
    of_ratings, root = gradient_U[:, :1], math.sqrt(2)
    gradient = np.hstack(
        [
            of_ratings,
            root * gradient_U[:, 1:] - 2 * of_ratings * blades,
            root * gradient_V[:, 1:] + 2 * of_ratings * chests,
        ]
    ).T.ravel()
    shrink = precision / total(objective)
    return value + shrink / 2 * float(theta @ theta), gradient + shrink * theta
