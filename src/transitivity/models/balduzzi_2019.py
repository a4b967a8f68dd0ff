"""The normal decomposition in probability space (Equation 19)."""

from __future__ import annotations

from transitivity.fitting.losses import SquaredLinear
from transitivity.models._base import PairModel


class Balduzzi2019(PairModel):
    """P̂ᵢⱼ = 1/2 + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ, minimising the squared error (Equation 19).

    With every pair observed this is the truncated normal decomposition of P - 1/2 (Theorem 1).
    """

    name = "balduzzi_2019"
    label = "Balduzzi et al. 2019"
    reference = "Balduzzi et al., Open-ended learning in symmetric zero-sum games, ICML 2019"
    loss = SquaredLinear()
