"""The blade-chest model with inner products."""

from __future__ import annotations

from transitivity.models._tuned import Regularisation
from transitivity.models.melo_logit import MEloLogit


class BladeChestInner(MEloLogit):
    """P̂ᵢⱼ = σ(bᵢ · cⱼ - bⱼ · cᵢ + γᵢ - γⱼ): a player's blade b against the other's chest c, and ratings γ.

    The score is skew-symmetric, of rank 2 d without the ratings: with b = u and c = v it is m-Elo in logit space. What
    differs is the prior, which m-Elo has not by default.

    Parameters
    ----------
    n_components : int or "validated"
        The dimension of blade and chest, d.
    regularisation : float, pair of floats, or "validated"
        The precision of Gaussian priors around 0 on γ, and on b and c, against the summed log-loss.
    weights : {"equal", "games"}
        Whether every pair counts the same in the loss, or in proportion to its games, where the payoff knows them.

    Attributes
    ----------
    ratings_ : (n,) array
        γ.
    u_, v_ : (n, 1 + d) arrays
        γ and 1; then b and c.
    """

    name = "blade_chest_inner"
    label = "Blade-chest, inner"
    reference = "Chen and Joachims, Modeling intransitivity in matchup and comparison data, WSDM 2016"

    def __init__(
        self, n_components: int | str = 1, regularisation: Regularisation = 0.01, weights: str = "equal"
    ) -> None:
        super().__init__(n_components, regularisation, weights)
