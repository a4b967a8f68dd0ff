"""m-Elo as the published numbers were computed."""

from __future__ import annotations

import numpy as np

from transitivity.models.melo import MElo, row_counts, row_sums
from transitivity.payoff.core import Payoff


class MEloPublished(MElo):
    """m-Elo whose transitive part is divided by the number of all observed entries instead of the row's.

    That makes the part practically zero, and m-Elo practically `Balduzzi2019`: which is why the two have the same
    rows in the paper's Table 1. It is here to confirm the published numbers; compare with `MElo`.
    """

    name = "melo_published"
    label = "m-Elo, as published"
    reference = "The m-Elo baseline behind Figures 5, 6 and Table 1 of Bertrand et al. 2023"

    def transitive_part(self, payoff: Payoff) -> np.ndarray:
        """Return the row sums over the number of all observed entries, (n,)."""
        return row_sums(payoff) / row_counts(payoff).sum()
