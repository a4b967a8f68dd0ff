"""Universal singular value thresholding of the win rates."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from transitivity.disc.decomposition import normal_decomposition, skew_matrix
from transitivity.errors import InputError
from transitivity.models._base import Model, Players
from transitivity.payoff.core import Payoff


class SingularValueThresholding(Model):
    """P̂ᵢⱼ = 1/2 + Mᵢⱼ / 2, M being 2 P - 1 without its small singular values (USVT).

    Y is 2 p - 1 where a pair was observed, and 0 elsewhere; q is the share of the pairs that was observed. M keeps the
    singular values of Y that are at least (2 + η) √(n q), is divided by q, and clipped to [-1, 1]. As Y is
    skew-symmetric, its singular values come in pairs, and each that is kept is one disc game. The threshold is meant
    for results of single games; it is the largest noise of that kind, so of fewer than about a dozen players it keeps
    nothing, and every P̂ is 1/2. The fit works on a dense n x n matrix.

    Parameters
    ----------
    eta : float
        η, a small positive number.

    Attributes
    ----------
    n_pairs_ : int
        How many pairs of singular values were kept.
    u_, v_ : (n, n_pairs_) arrays
    """

    name = "singular_value_thresholding"
    label = "USVT"
    reference = "Chatterjee, Matrix estimation by universal singular value thresholding, Annals of Statistics, 2015"

    def __init__(self, eta: float = 0.01) -> None:
        if not 0 < eta < 1:
            raise InputError(f"eta={eta!r} is not a small positive number; use one such as 0.01.")
        self.eta = eta

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class."""
        pairs = normal_decomposition(skew_matrix(payoff, 2 * payoff.p - 1))
        kept = pairs.values >= (2 + self.eta) * math.sqrt(payoff.n_players * payoff.density)
        self.n_pairs_ = int(kept.sum())
        self.u_, self.v_ = pairs.u[:, kept] / payoff.density, pairs.v[:, kept]
        return self

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂."""
        u, v = self.u_, self.v_
        return np.clip(0.5 + (u[i] * v[j] - v[i] * u[j]).sum(axis=-1) / 2, 0.0, 1.0)

    def n_params(self, n: int) -> int:
        """Return 2 n for each pair that was kept; before a fit, 0."""
        return 2 * n * vars(self).get("n_pairs_", 0)
