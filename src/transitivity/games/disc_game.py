"""The disc game of Czarnecki et al. 2020: points in the unit disc, payoffs their cross products."""

from __future__ import annotations

import os

import numpy as np

from transitivity.games._common import given_or_drawn_size, normalised
from transitivity.payoff.core import Payoff

LABEL = "Disc game"
REFERENCE = "Balduzzi et al. 2019; Czarnecki et al. 2020, 'Disc game'"


def payoff(
    *,
    n_players: int | None = None,
    points: np.ndarray | str | os.PathLike[str] | None = None,
    rng: np.random.Generator | None = None,
) -> Payoff:
    """Return the payoff of a disc game whose points fill the unit disc.

    A[i, j] = uᵢ vⱼ - vᵢ uⱼ, divided by its maximum, and P = (1 + A) / 2: rank 2 in probability space, not
    in logit space. (Example 2 has the logit equal to the cross product: see `cyclic_disc`, and `mixture`
    for Table 1.)

    Parameters
    ----------
    n_players : int, optional
        The number of players; 1000, or the number of points, by default.
    points : (n, 2) array or path of an .npy file, optional
        (uᵢ, vᵢ). Drawn uniformly in the unit disc by default.
    rng : numpy.random.Generator, optional
        Draws the points. None: a fresh one.

    Returns
    -------
    Payoff
        Players "0", "1", ... in the order of the points.

    Raises
    ------
    InputError
        If a parameter is out of range or the points are not an (n, 2) array of finite numbers.
    """
    uv, n = given_or_drawn_size("points", points, 2, n_players)
    if uv is None:
        rng = np.random.default_rng(rng)
        # The square root makes the density uniform in area.
        radius, angle = np.sqrt(rng.uniform(size=n)), rng.uniform(0, 2 * np.pi, n)
        uv = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    # The normalisation takes half of M - Mᵀ: the cross products, up to a factor that the maximum removes.
    return normalised(np.outer(uv[:, 0], uv[:, 1]))
