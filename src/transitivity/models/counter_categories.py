"""A rating and a counter category for each player, and a table of who counters whom."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.special import expit

from transitivity.disc.decomposition import normal_decomposition, skew_matrix
from transitivity.errors import check_count
from transitivity.models._base import WEIGHTS, Model, Players, check_choice, pair_weights
from transitivity.models.elo import Elo
from transitivity.payoff.core import Payoff

#: How many divisions into sectors the search starts from, and the most steps from each.
STARTS, MAX_STEPS = 8, 200


class CounterCategories(Model):
    """P̂ᵢⱼ = σ(rᵢ - rⱼ) + C[cᵢ, cⱼ], clipped to [0, 1]: the tabular form of the neural counter table.

    r are the Elo ratings, fitted first. Each player has one of M categories c, and the table C is skew-symmetric; both
    minimise the squared error of what the ratings leave. Lin et al. compute rating and category from the features of a
    team by two networks, the second one quantised; a player without features has one of each. The best C of given
    categories is the mean residual of each two; categories change, many at once while that helps, else one by one,
    until no change of a single one lowers the error. That is a local minimum: the best of several starts, each the
    division of the plane of the residual's leading disc game into M equal sectors.

    Parameters
    ----------
    n_categories : int
        M.
    weights : {"equal", "games"}
        Whether every pair counts the same, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    ratings_ : (n,) array
        r in natural logits, mean zero.
    categories_ : (n,) int array
    table_ : (M, M) array
        C.
    """

    name = "counter_categories"
    label = "Counter categories"
    reference = (
        "Lin et al., Identifying and clustering counter relationships of team compositions in PvP games for efficient "
        "balance analysis, TMLR 2024"
    )

    def __init__(self, n_categories: int = 3, weights: str = "equal") -> None:
        self.n_categories = check_count("n_categories", n_categories)
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class."""
        self.ratings_ = Elo(weights=self.weights).fit(payoff).ratings_
        residual = payoff.p - expit(self.ratings_[payoff.i] - self.ratings_[payoff.j])
        weights = pair_weights(payoff, self.weights)
        weights = np.ones(payoff.n_pairs) if weights is None else weights
        leading = normal_decomposition(skew_matrix(payoff, residual), 1)
        turns = np.arctan2(leading.u[:, 0], leading.v[:, 0]) / (2 * np.pi)
        fits = []
        for start in range(STARTS):
            sectors = np.floor(self.n_categories * turns + start / STARTS).astype(int) % self.n_categories
            fits.append(_descend(payoff, residual, weights, sectors, self.n_categories))
        _, self.categories_, self.table_ = min(fits, key=lambda fit: fit[0])
        return self

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂."""
        counter = self.table_[self.categories_[i], self.categories_[j]]
        return np.clip(expit(self.ratings_[i] - self.ratings_[j]) + counter, 0.0, 1.0)

    def n_params(self, n: int) -> int:
        """Return n ratings, n categories, and the M (M - 1) / 2 free entries of the table."""
        return 2 * n + self.n_categories * (self.n_categories - 1) // 2


def _descend(
    payoff: Payoff, residual: np.ndarray, weights: np.ndarray, categories: np.ndarray, n_categories: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the squared error, the categories and the table where no change of one category lowers the error."""
    i, j = np.concatenate([payoff.i, payoff.j]), np.concatenate([payoff.j, payoff.i])
    values, weights = np.concatenate([residual, -residual]), np.concatenate([weights, weights])
    shape = (payoff.n_players, n_categories)

    def sums(categories: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return weighted residuals and weights by player and category of the opponent, the table, the error."""
        at = i * n_categories + categories[j]
        of_residuals, of_weights = (
            np.bincount(at, weights=entries, minlength=shape[0] * shape[1]).reshape(shape)
            for entries in (weights * values, weights)
        )
        members = np.eye(n_categories)[categories]
        totals, counts = members.T @ of_residuals, members.T @ of_weights
        table = np.divide(totals - totals.T, 2 * counts, out=np.zeros_like(totals), where=counts > 0)
        error = float(weights @ values**2 - (table**2 * counts).sum())
        return of_residuals, of_weights, table, error

    of_residuals, of_weights, table, error = sums(categories)
    for _ in range(MAX_STEPS):
        costs = of_weights @ (table**2).T - 2 * of_residuals @ table.T
        best = costs.argmin(axis=1)
        gains = costs[np.arange(shape[0]), categories] - costs[np.arange(shape[0]), best]
        movers = np.flatnonzero(gains > 1e-9 * max(error, 1e-9))
        movers = movers[np.argsort(-gains[movers], kind="stable")]
        while len(movers):
            moved = categories.copy()
            moved[movers] = best[movers]
            after = sums(moved)
            if after[-1] < error:
                categories, (of_residuals, of_weights, table, error) = moved, after
                break
            movers = movers[: len(movers) // 2]
        else:
            break
    return error, categories, table
