"""The disc decomposition in logit space (Equations 3, 15 and 18), and its tuned form with priors."""

from __future__ import annotations

from transitivity.fitting.ladder import Shape
from transitivity.fitting.losses import CrossEntropy
from transitivity.models._base import PairModel
from transitivity.models._tuned import Regularisation


class Disc(PairModel):
    """P̂ᵢⱼ = σ(Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ), minimising the cross entropy over the observed pairs (Equations 15, 18).

    With a regularisation, u of the first pair has a Gaussian prior around 0, and v of the first pair around 1 and the
    further pairs around 0 have another. An infinite precision of the second makes it the Elo with the first; an
    infinite precision of both makes it the constant 1/2.

    Parameters
    ----------
    n_components : int or "validated"
        The number of pairs, k; "validated" chooses it together with the precisions.
    solver : {"joint", "pair_after_pair", "alternating", "published"}
        See `PairModel`. With a regularisation all pairs are fitted at once, whatever the solver.
    regularisation : float, pair of floats, or "validated"
        The precisions of the priors on the ratings and on the cycles, against the summed log-loss (one number: both);
        "validated" chooses them on hidden pairs (`fitting.tuning`). 0, the default, is the paper's model.
    weights : {"equal", "games"}
        Whether every pair counts the same in the loss, as in the paper, or in proportion to its games, where the
        payoff knows them.
    """

    name = "disc"
    label = "Disc decomposition"
    reference = "Bertrand, Czarnecki and Gidel, On the Limitations of the Elo, AISTATS 2023"
    loss = CrossEntropy()

    def __init__(
        self,
        n_components: int | str = 1,
        solver: str = "joint",
        regularisation: Regularisation = 0.0,
        weights: str = "equal",
    ) -> None:
        self.set_priors(regularisation, weights)
        super().__init__(n_components, solver)

    def shape(self, n_components: int) -> Shape:
        """Return its place on the ladder of models with priors."""
        return Shape(n_components - 1, True)
