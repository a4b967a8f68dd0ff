"""The stationary Elo score (Equations 1 and 16)."""

from __future__ import annotations

from transitivity.fitting import elo, solvers
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models._base import EloModel


class Elo(EloModel):
    """P̂ᵢⱼ = σ(uᵢ - uⱼ), u minimising the cross entropy (Equations 1 and 16).

    On a complete, equally weighted game it ranks the players as their row sums do.

    Parameters
    ----------
    solver : {"newton", "published"}
        The converged optimum, or the single u-step of the published code.

    Attributes
    ----------
    ratings_ : (n,) array
        u in natural logits, mean zero; times 400 / ln 10 for Elo points.
    separated_ : bool
        Whether no finite optimum exists, so that a small ridge (`RIDGE_IF_SEPARATED`) made it finite.
    """

    name = "elo"
    label = "Elo"
    reference = "Elo, The Rating of Chessplayers, Past and Present, 1978"
    loss = CrossEntropy()

    def _solve(self, objective: PairObjective, ridge: float) -> solvers.Fit:
        return elo.stationary_elo(objective, ridge)
