"""m-Elo in logit space, the space in which Balduzzi et al. 2018 define it."""

from __future__ import annotations

from typing import Self

import numpy as np

from transitivity.fitting import elo, solvers
from transitivity.fitting.ladder import Shape
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import PairModel, check_components, check_n_components, default_rng, pair_weights
from transitivity.models._tuned import Regularisation
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import is_separated

#: Ratings and pairs can stand in for each other: a long valley, where Newton's method is faster after a few steps.
LONG_VALLEY = solvers.MAX_ITERATIONS


class MEloLogit(PairModel):
    """P̂ᵢⱼ = σ(rᵢ - rⱼ + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ), ratings and pairs minimising the cross entropy together.

    Ratings and pairs are fitted at once, so that missing and infinite logits need no imputation: an Elo game plus k
    cyclic disc games in logit space is fitted exactly.

    Parameters
    ----------
    n_components : int or "validated"
        The number of pairs besides the ratings, k; or "validated", with such a regularisation.
    regularisation, weights
        As for `Disc`: priors on the ratings and on the cycles, and what a pair counts.

    Attributes
    ----------
    ratings_ : (n,) array
        r in natural logits, mean zero.
    """

    name = "melo_logit"
    label = "m-Elo, logit space"
    reference = "Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018"
    loss = CrossEntropy()
    SOLVERS = ()

    def __init__(
        self, n_components: int | str = 1, regularisation: Regularisation = 0.0, weights: str = "equal"
    ) -> None:
        self.set_priors(regularisation, weights)
        self.n_components = check_n_components(n_components, regularisation)

    def shape(self, n_components: int) -> Shape:
        """Return its place on the ladder of models with priors."""
        return Shape(n_components, False)

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class.

        Raises
        ------
        InputError
            If n_components is larger than half the number of players.
        """
        rng = default_rng(rng)
        if self.regularisation != 0:
            self._fit_with_priors(payoff, rng)
            self.ratings_ = self.u_[:, 0] - self.u_[:, 0].mean()
            return self
        k = int(self.n_components)
        check_components(k, payoff)
        objective = PairObjective(payoff, self.loss, weights=pair_weights(payoff, self.weights))
        # Where the pairs will need a ridge so do the ratings: far larger ones would take long to come back.
        elo_score = before = elo.stationary_elo(objective, solvers.RIDGE if is_separated(payoff) else 0.0)
        # The first column is the ratings, whose v is fixed at 1.
        free_U, free_V = np.ones(k + 1, dtype=bool), np.arange(k + 1) > 0
        n_iter, ridge = before.n_iter, 0.0
        for number in range(2, k + 2):
            u, v = solvers.spectral_start(objective, before.U, before.V, rng)
            U, V = np.column_stack([before.U, u]), np.column_stack([before.V, v])
            before = solvers.descend(
                objective,
                U,
                V,
                free_U[:number],
                free_V[:number],
                ridge=ridge,
                tolerance=solvers.SEARCH_TOLERANCE,
                max_first=LONG_VALLEY,
            )
            n_iter += before.n_iter
            ridge = solvers.RIDGE if before.separated else ridge
        starts = [(before.U, before.V)]
        if k > 1:
            U, V = solvers.above_elo(objective, elo_score, k, rng)
            starts.append((U, V))
        u, v = solvers.random_pairs(U[:, 1:], rng)
        starts.append((np.hstack([elo_score.U, u]), np.hstack([elo_score.V, v])))
        fit = solvers.best_of(objective, starts, free_U, free_V, ridge=ridge, max_first=LONG_VALLEY)
        self._take(fit)
        self.n_iter_ = n_iter + fit.n_iter
        self.ratings_ = self.u_[:, 0] - self.u_[:, 0].mean()
        return self

    def n_params(self, n: int) -> int:
        """Return (2 k + 1) n."""
        return (2 * self.n_pairs + 1) * n
