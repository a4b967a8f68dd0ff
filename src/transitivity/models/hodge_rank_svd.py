"""HodgeRank, and the leading disc games of what it leaves."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.special import expit, logit

from transitivity.disc.decomposition import normal_decomposition, skew_matrix
from transitivity.errors import check_count
from transitivity.fitting.elo import stationary_elo
from transitivity.fitting.losses import SquaredLinear
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import WEIGHTS, Model, Players, check_choice, check_components, pair_weights
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import component_labels

SPACES = ("probability", "logit")
#: Logits are taken of p between this and one minus this.
CLIPPED = 0.01


class HodgeRankSVD(Model):
    """P̂ᵢⱼ = 1/2 + rᵢ - rⱼ + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ, clipped to [0, 1]; or σ of the same without the 1/2.

    r minimises Σ (rᵢ - rⱼ - fᵢⱼ)² over the observed pairs, where f is p - 1/2, or the logit of p (HodgeRank). The pairs
    are the leading ones of the normal decomposition of the residual f - (rᵢ - rⱼ), which is its truncated singular
    value decomposition. Entries of the residual that were not observed are 0, so on sparse payoffs the pairs are small.
    The fit works on a dense n x n matrix.

    Parameters
    ----------
    n_components : int
        The number of pairs, k.
    space : {"probability", "logit"}
        What f is. Logits are those of p clipped to [0.01, 0.99].
    weights : {"equal", "games"}
        Whether every pair counts the same for r, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    ratings_ : (n,) array
        r, with mean 0 in each connected component of the graph of observed pairs.
    u_, v_ : (n, k) arrays
    """

    name = "hodge_rank_svd"
    label = "HodgeRank + SVD"
    reference = "Jiang, Lim, Yao and Ye, Statistical ranking and combinatorial Hodge theory, Math. Programming, 2011"

    def __init__(self, n_components: int = 1, space: str = "probability", weights: str = "equal") -> None:
        self.n_components = check_count("n_components", n_components)
        check_choice("space", space, SPACES)
        self.space = space
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class.

        Raises
        ------
        TooManyComponents
            If n_components is larger than half the number of players.
        """
        check_components(self.n_components, payoff)
        flow = payoff.p - 0.5 if self.space == "probability" else logit(payoff.p.clip(CLIPPED, 1 - CLIPPED))
        objective = PairObjective(payoff, SquaredLinear(), flow + 0.5, pair_weights(payoff, self.weights))
        ratings = stationary_elo(objective).U[:, 0]
        label = component_labels(payoff)
        ratings = ratings - (np.bincount(label, ratings) / np.bincount(label))[label]
        residual = flow - (ratings[payoff.i] - ratings[payoff.j])
        pairs = normal_decomposition(skew_matrix(payoff, residual), self.n_components)
        self.ratings_, self.u_, self.v_ = ratings, pairs.u, pairs.v
        return self

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂."""
        u, v = self.u_, self.v_
        x = self.ratings_[i] - self.ratings_[j] + (u[i] * v[j] - v[i] * u[j]).sum(axis=-1)
        return expit(x) if self.space == "logit" else np.clip(0.5 + x, 0.0, 1.0)

    def n_params(self, n: int) -> int:
        """Return (2 k + 1) n."""
        return (2 * self.n_components + 1) * n
