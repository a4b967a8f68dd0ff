"""The Elo game: the outcome depends on the difference of two ratings."""

from __future__ import annotations

import os

import numpy as np

from transitivity.errors import check_number
from transitivity.games._common import given_or_drawn_size, normalised
from transitivity.payoff.core import Payoff

LABEL = "Elo game"
LABEL_SUFFIXES = {"noise": " + noise={noise}"}
REFERENCE = "Balduzzi et al. 2019; Czarnecki et al. 2020, 'Elo game' and 'Elo game + noise'"

#: Elo points are natural logits times 400 / ln 10; ratings are drawn uniformly between 0 and this many
#: points.
MAX_POINTS = 2000


def payoff(
    *,
    n_players: int | None = None,
    noise: float = 0.0,
    ratings: np.ndarray | str | os.PathLike[str] | None = None,
    rng: np.random.Generator | None = None,
) -> Payoff:
    """Return the payoff of an Elo game of n players, with or without noise, as Czarnecki et al. 2020 make it.

    A = 2 σ(uᵢ - uⱼ) - 1 + (W - Wᵀ) / 2, divided by its maximum; W is normal with standard deviation
    `noise`. The division makes one pair certain (p = 0 or 1), so that logits are *nearly*, not exactly,
    additive; for the exact Example 1 see `elo_example`.

    Parameters
    ----------
    n_players : int, optional
        The number of players; 1000, or the number of ratings, by default.
    noise : float
        At least 0.
    ratings : (n,) array or path of an .npy file, optional
        u in natural logits. Drawn uniformly between 0 and 2000 Elo points by default.
    rng : numpy.random.Generator, optional
        Draws the ratings and the noise. None: a fresh one.

    Returns
    -------
    Payoff
        Players "0", "1", ... in the order of the ratings' array (not sorted).

    Raises
    ------
    InputError
        If a parameter is out of range or the ratings are not a vector of finite numbers.
    """
    noise = check_number("noise", noise, low=0)
    u, n = given_or_drawn_size("ratings", ratings, None, n_players)
    rng = np.random.default_rng(rng)
    if u is None:
        u = rng.uniform(0, MAX_POINTS * np.log(10) / 400, n)
    # 2 σ(x) - 1 = tanh(x / 2), which is exactly odd.
    M = np.subtract.outer(u / 2, u / 2)
    np.tanh(M, out=M)
    if noise > 0:
        M += rng.normal(0, noise, (n, n))
    return normalised(M)
