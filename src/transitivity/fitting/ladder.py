"""One ladder of models with Gaussian priors: Elo, the disc and m-Elo, each nested in the next.

All are xᵢⱼ = Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ, with P̂ = σ(x), or P̂ = 1/2 + x for m-Elo of Equation 20. The first column of (U, V)
is the ratings part: u are the ratings, and v is 1 (Elo, m-Elo) or free around 1 (disc). The further columns are cyclic
parts, free around 0.

The priors are given as precisions against the *summed* log-loss: of all games where the objective is weighted by games,
else of all pairs. With an infinite precision on the cyclic parts, and on v, a model is the Elo with the same prior on
the ratings; with an infinite precision on the ratings as well it predicts 1/2. On a cyclic part the prior
½τ(‖u‖² + ‖v‖²) is, at its least over the gauge, τ times the singular value of u vᵀ - v uᵀ. So the prior is a nuclear
norm, and a cyclic part differs from zero exactly when the residual has a singular value above τ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from transitivity.fitting import solvers
from transitivity.fitting.free import Penalty, pull
from transitivity.fitting.objective import PairObjective

#: A precision that stands for an infinite one.
FIXED = 1e12
#: The tolerance of fits that are only compared with each other.
PATH_TOLERANCE = 1e-4
#: A cyclic column counts as zero below this mean square, and is then free to take up a new direction.
EMPTY = 1e-6
#: From this number of players on, each player of a sparse payoff has a step size of its own.
OWN_STEPS = 1000


@dataclass(frozen=True)
class Shape:
    """Which model of the ladder.

    Attributes
    ----------
    n_cyclic : int
        The number of cyclic columns.
    consistency : bool
        Whether v of the first column is free around 1 (disc), or is 1 (Elo and m-Elo).
    """

    n_cyclic: int
    consistency: bool

    @property
    def width(self) -> int:
        """The number of columns of U and V."""
        return 1 + self.n_cyclic


def total(objective: PairObjective) -> float:
    """Return what the mean loss is multiplied by to become the summed log-loss, or what stands for it.

    A squared loss ½(p - p̂)² stands for a log-loss when it is multiplied by 4, the curvature of the log-loss at p̂ = 1/2.
    """
    payoff = objective.payoff
    size = payoff.n_pairs if objective.weights is None or payoff.games is None else payoff.games.sum()
    return float(size) * (1.0 if objective.loss.space == "logit" else 4.0)


def gaussian_prior(objective: PairObjective, ratings: float, cycles: float) -> Penalty:
    """Return minus the log-density of the priors, on the scale of the objective.

    Parameters
    ----------
    objective : PairObjective
    ratings, cycles : float
        The precisions of u of the first column around 0, and of everything else: v of the first column around 1, the
        further columns around 0.
    """
    # An infinite precision is one that no number of games moves.
    of_ratings, of_cycles = (min(one, FIXED) / total(objective) for one in (ratings, cycles))

    return pull(of_ratings, of_cycles)


class Path:
    """Fits of one model of the ladder as the precision on its cycles changes, each from where the last one ended.

    Parameters
    ----------
    objective : PairObjective
    shape : Shape
    ratings : float
        The precision on the ratings.
    rng : numpy.random.Generator
        Of the directions along which empty cyclic columns are left.
    tolerance : float
        Of each fit, as for `solvers.descend`.

    Attributes
    ----------
    last : Fit
        Where the path is: at first the Elo that is nested in the model.
    """

    def __init__(
        self,
        objective: PairObjective,
        shape: Shape,
        ratings: float,
        rng: np.random.Generator,
        tolerance: float = PATH_TOLERANCE,
        start: np.ndarray | None = None,
    ) -> None:
        self.objective, self.shape, self.ratings = objective, shape, ratings
        self.rng, self.tolerance = rng, tolerance
        U, V = np.zeros((2, objective.n, shape.width))
        V[:, 0] = 1.0
        if start is not None:
            U[:, 0] = start
        only_ratings = np.arange(shape.width) == 0
        self.last = self._descend(U, V, 0.0, only_ratings, ~np.ones_like(only_ratings))

    def to(self, cycles: float) -> solvers.Fit:
        """Go on to another precision on the cycles; return the fit, whose `loss` is the mean loss without the priors.

        Going down from an infinite precision, the penalised loss is never above that of a nested model: the fit starts
        there. Empty cyclic columns are a stationary point at every precision. They are left along the leading pairs of
        the residual where these exceed the precision.
        """
        if math.isinf(cycles):
            return self.last
        U, V = self._filled(cycles)
        free = np.ones(self.shape.width, dtype=bool)
        free_V = free.copy()
        free_V[0] = self.shape.consistency
        self.last = self._descend(U, V, cycles, free, free_V)
        return self.last

    def value(self, fit: solvers.Fit, cycles: float) -> float:
        """Return the penalised mean loss of a fit."""
        cycles = 0.0 if math.isinf(cycles) else cycles
        return fit.loss + gaussian_prior(self.objective, self.ratings, cycles)(fit.U, fit.V)[0]

    def largest_useful(self) -> float:
        """Return the precision above which cyclic columns are zero: the residual's largest singular value."""
        return float(self._leading(1)[2][0])

    def _descend(
        self, U: np.ndarray, V: np.ndarray, cycles: float, free_U: np.ndarray, free_V: np.ndarray
    ) -> solvers.Fit:
        sparse = not self.objective.is_dense and self.objective.n >= OWN_STEPS
        return solvers.descend(
            self.objective,
            U,
            V,
            free_U,
            free_V,
            penalty=gaussian_prior(self.objective, self.ratings, cycles),
            tolerance=self.tolerance,
            own_steps=sparse,
        )

    def _leading(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the leading pairs of the residual, unit columns, and their singular values on the summed scale."""
        objective = self.objective
        U, V = solvers.spectral_starts(objective, self.last.U, self.last.V, count, self.rng)
        squares = (U**2).sum(axis=0)
        # What `spectral_starts` multiplies the slopes by.
        scale = (4.0 if objective.loss.space == "logit" else 1.0) * objective.scale * objective.payoff.n_pairs
        scale /= objective.payoff.density
        values = squares / scale * objective.scale * total(objective)
        norms = np.sqrt(np.maximum(squares, 1e-300))
        return U / norms, V / norms, values

    def _filled(self, cycles: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the last factors, empty cyclic columns filled with what the precision allows of the residual."""
        U, V = self.last.U.copy(), self.last.V.copy()
        empty = [at for at in range(1, self.shape.width) if max((U[:, at] ** 2).mean(), (V[:, at] ** 2).mean()) < EMPTY]
        if not empty:
            return U, V
        u, v, values = self._leading(len(empty))
        for at, column in enumerate(empty):
            if at < len(values) and values[at] > cycles:
                # The quadratic model of the loss along the pair: slope σ - τ, curvature that of the scores it makes.
                x = self.objective.payoff
                pair = u[x.i, at] * v[x.j, at] - v[x.i, at] * u[x.j, at]
                weights = 1.0 if self.objective.weights is None else self.objective.weights
                bend = total(self.objective) * self.objective.scale * float((weights * pair**2).sum()) / 4
                length = np.sqrt((values[at] - cycles) / max(bend, 1e-300))
                U[:, column], V[:, column] = length * u[:, at], length * v[:, at]
        return U, V
