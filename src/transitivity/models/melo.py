"""m-Elo as the paper writes it (Equation 20)."""

from __future__ import annotations

import numpy as np

from transitivity.fitting.ladder import Shape
from transitivity.fitting.losses import SquaredLinear
from transitivity.models._base import PairModel
from transitivity.models._tuned import Regularisation
from transitivity.payoff.core import Payoff


class MElo(PairModel):
    """P̂ᵢⱼ = 1/2 + P̄ᵢ - P̄ⱼ + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ, in probability space (Equation 20).

    With a regularisation, ratings aᵢ take the place of P̄ᵢ, and all are fitted at once with Gaussian priors (see
    `Disc`). P̄ᵢ is the mean of row i over its observed entries and the diagonal's 1/2, which is Equation 20's
    (1/n) Σⱼ Pᵢⱼ when every pair is observed.
    """

    name = "melo"
    label = "m-Elo, as written"
    reference = "Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018; Equation 20 of Bertrand et al. 2023"
    loss = SquaredLinear()

    def __init__(
        self,
        n_components: int | str = 1,
        solver: str = "pair_after_pair",
        regularisation: Regularisation = 0.0,
        weights: str = "equal",
    ) -> None:
        self.set_priors(regularisation, weights)
        super().__init__(n_components, solver)

    def shape(self, n_components: int) -> Shape:
        """Return its place on the ladder of models with priors."""
        return Shape(n_components, False)

    def transitive_part(self, payoff: Payoff) -> np.ndarray:
        """Return P̄, (n,); 1/2 where a row has no observed entry."""
        sums, counts = row_sums(payoff), row_counts(payoff)
        return np.divide(sums, counts, out=np.full(len(sums), 0.5), where=counts > 0)

    def n_params(self, n: int) -> int:
        """Return (2 k + 1) n."""
        return (2 * self.n_pairs + 1) * n


def _diagonal(payoff: Payoff) -> np.ndarray:
    """Return 1 where the diagonal entry counts, (n,): everywhere, unless a published hold-out hides some."""
    return np.ones(payoff.n_players) if payoff.diagonal is None else payoff.diagonal.astype(float)


def row_sums(payoff: Payoff) -> np.ndarray:
    """Return the sum of the observed entries of each row of P, the diagonal's 1/2 included, (n,)."""
    return payoff.mean_payoffs * payoff.degrees + _diagonal(payoff) / 2


def row_counts(payoff: Payoff) -> np.ndarray:
    """Return the number of observed entries of each row of P, the diagonal included, (n,)."""
    return payoff.degrees + _diagonal(payoff)
