"""The regularised disc decomposition, its λ chosen by cross-validation (Equation 21, Figure 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError, check_count
from transitivity.fitting import solvers
from transitivity.fitting.equation_21 import descend_roughly, equation_21, regularised, starts
from transitivity.fitting.losses import CrossEntropy, Loss, SquaredLinear
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import WEIGHTS, PairModel, check_choice, pair_weights
from transitivity.payoff.core import Payoff
from transitivity.payoff.folds import folds_by_pairs

#: The λ that are tried where the caller names none: from nearly free to nearly Elo.
GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


_NOTHING = (np.empty((0, 0)), np.empty((0, 0)))
LOSSES: dict[str, Loss] = {"logit": CrossEntropy(), "probability": SquaredLinear()}


class DiscRegularised(PairModel):
    """The disc decomposition with the penalty of Equation 21, λ chosen by cross-validation over pairs.

    It minimises Σ ℒ(Pᵢⱼ, xᵢⱼ) + λ/2 Σᵢ (vᵢ - 1)² over the ordered observed entries (i, j); with k > 1, plus
    λ/2 Σ (uᵢₗ² + vᵢₗ²) over the further pairs (`fitting.equation_21`). So λ → ∞ is Elo and λ = 0 the plain disc. The λ
    that is kept has the least mean squared error on held-out pairs, the score of Figure 10; unlike the log-loss it is
    bounded, so that no single certain result of a sparse payoff decides alone.

    Folds are made of whole pairs. A pair without which players would be cut off from each other in train is never
    held out (`folds_by_pairs`). Where few pairs can be held out, the λ hangs on how they were dealt into folds; deal
    them several times then.

    Parameters
    ----------
    n_components : int
        The number of pairs, k.
    grid : sequence of float
        The λ that are tried; a single one is taken as it is.
    folds : int
        Of the cross-validation.
    weights : {"equal", "games"}
        Whether every pair counts the same, in the loss and in the cross-validation, or in proportion to its games,
        where the payoff knows them. The mean weight is 1, so that one grid suits both.
    space : {"logit", "probability"}
        Whether P̂ = σ(x), with the cross entropy, or P̂ = 1/2 + x, with the squared error.
    repeats : int
        How often the pairs are dealt into folds anew. Its time grows in proportion.
    slack : float
        Scores that exceed the least by at most this share of it count as equal to it. 0 is for prediction; a small
        share where a λ below the largest is to be evidence against ratings.

    Attributes
    ----------
    regularisation_ : float
        The λ that was chosen: of equal scores the largest, also where no pair can be held out.
    cv_scores_ : (len(grid),) array
        The mean squared error of each λ on held-out pairs, over all repeats; NaN where none can be held out.
    n_scored_ : int
        How many predictions of held-out pairs that is the mean of: a pair counts in each repeat that holds it out.
    """

    name = "disc_regularised"
    label = "Regularised disc"
    reference = "Bertrand, Czarnecki and Gidel, On the Limitations of the Elo, AISTATS 2023 (Equation 21)"
    #: Equation 21 is fitted over all pairs at once; there is nothing to choose.
    SOLVERS: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        n_components: int = 1,
        grid: Sequence[float] = GRID,
        folds: int = 5,
        weights: str = "equal",
        space: str = "logit",
        repeats: int = 1,
        slack: float = 0.0,
    ) -> None:
        self.n_components = check_count("n_components", n_components)
        self.grid = grid
        try:
            values = [float(value) for value in grid]
        except (TypeError, ValueError):
            values = []
        if not values or not all(math.isfinite(value) and value > 0 for value in values):
            raise InputError(f"grid={grid!r} is not a list of positive numbers; use one such as [0.1, 1, 10].")
        self.folds = check_count("folds", folds)
        if folds < 2:
            raise InputError(f"folds={folds!r} leaves nothing to train on; use at least 2.")
        self.repeats = check_count("repeats", repeats)
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights
        check_choice("space", space, tuple(LOSSES))
        self.space = space
        self.loss = LOSSES[space]
        if not 0 <= slack < math.inf:
            raise InputError(f"slack={slack!r} is negative or infinite; use 0 or a small number such as 0.01.")
        self.slack = slack

    def _solve(self, objective: PairObjective, rng: np.random.Generator) -> solvers.Fit:
        grid = np.array(self.grid, dtype=np.float64)
        self.cv_scores_, self.n_scored_ = np.full(len(grid), np.nan), 0
        if len(grid) > 1:
            self.cv_scores_, self.n_scored_ = self._cross_validate(objective.payoff, grid, rng)
        largest_score = (1 + self.slack) * np.min(self.cv_scores_)
        best = self.cv_scores_ <= largest_score if self.n_scored_ else np.ones(len(grid), dtype=bool)
        self.regularisation_ = float(grid[best].max())
        return regularised(objective, int(self.n_components), self.regularisation_, rng)

    def _cross_validate(self, payoff: Payoff, grid: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """Return the mean squared error of each λ over the held-out pairs, and the number of predictions."""
        weights = pair_weights(payoff, self.weights)
        weights = np.ones(payoff.n_pairs) if weights is None else weights
        errors, total, n_scored = np.zeros(len(grid)), 0.0, 0
        for _ in range(self.repeats):
            fold = folds_by_pairs(payoff, self.folds, rng)
            for held_out in (fold == number for number in range(self.folds)):
                if held_out.any():
                    errors += self._errors(payoff, weights, held_out, grid, rng)
            total += float(weights[fold >= 0].sum())
            n_scored += int((fold >= 0).sum())
        return errors / total if total else np.full(len(grid), np.nan), n_scored

    def _errors(
        self, payoff: Payoff, weights: np.ndarray, held_out: np.ndarray, grid: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the weighted sum of the squared errors of each λ on pairs, (m,) bool, of a fit to the others."""
        train = payoff.select_pairs(~held_out, payoff.diagonal)
        objective = PairObjective(train, self.loss, weights=pair_weights(train, self.weights))
        i, j, p = payoff.i[held_out], payoff.j[held_out], payoff.p[held_out]
        errors = np.empty(len(grid))
        for at, (U, V) in enumerate(self._fits(objective, grid, rng)):
            x = np.sum(U[i] * V[j] - V[i] * U[j], axis=1)
            predicted = expit(x) if self.space == "logit" else x + 0.5
            errors[at] = weights[held_out] @ (p - predicted) ** 2
        return errors

    def _fits(
        self, objective: PairObjective, grid: np.ndarray, rng: np.random.Generator
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return rough fits for each λ of the grid: of those from either end of it, the better one.

        From nearly Elo to nearly free, and back from the leading disc game (`fitting.equation_21.starts`); each λ
        starts from the optimum of the one before.
        """
        best: list[tuple[float, np.ndarray, np.ndarray]] = [(math.inf, *_NOTHING)] * len(grid)
        ascending = np.argsort(grid, kind="stable")
        both = starts(objective, int(self.n_components), rng)
        for (U, V), order in zip(both, (ascending[::-1], ascending), strict=True):
            for at in order:
                fit = descend_roughly(objective, U, V, float(grid[at]))
                U, V = fit.U, fit.V
                value = fit.loss + equation_21(objective, float(grid[at]))(U, V)[0]
                best[at] = min(best[at], (value, U, V), key=lambda one: one[0])
        return [(U, V) for _, U, V in best]
