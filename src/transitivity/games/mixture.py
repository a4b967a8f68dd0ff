"""A mixture of two games in logit space, as in Table 1 and Figure 4."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from transitivity.errors import InputError, check_number, check_positive, did_you_mean
from transitivity.payoff.core import Payoff

LABEL = "Mixture, ratio = {ratio}"
REFERENCE = "Section 4 (Table 1, Figure 4)"

EQUAL_FROBENIUS = "equal_frobenius"


def equal_frobenius(first: Payoff, second: Payoff) -> float:
    """Return κ such that logit P_first and κ logit P_second have the same Frobenius norm.

    Parameters
    ----------
    first, second : Payoff
        Infinite logits (p = 0 or 1) are left out of both norms.

    Returns
    -------
    float
        5.613 for the games of Table 1. The rule was inferred from the table's numbers, it is not in the
        paper.

    Raises
    ------
    InputError
        If a game has no pair with a finite logit other than 0.
    """
    norms = []
    for game, which in ((first, "first"), (second, "second")):
        x = logit(game.p)
        norms.append(np.linalg.norm(x[np.isfinite(x)]))
        if norms[-1] == 0:
            raise InputError(f"The {which} game has no finite logit other than 0; give kappa as a number.")
    return float(norms[0] / norms[1])


def payoff(*, first: Payoff, second: Payoff, ratio: float, kappa: float | str = EQUAL_FROBENIUS) -> Payoff:
    """Return the payoff with logit P = ratio · logit P_first + (1 - ratio) · κ · logit P_second.

    A game of weight 0 is left out, its infinite logits too. Where one logit is infinite, so is the sum (p =
    0 or 1). Where both are infinite and of opposite sign, one game says "always" and the other "never":
    neither wins, p = 1/2, the only answer that does not depend on which of the two players is called i.

    Parameters
    ----------
    first, second : Payoff
        Games of the same players with the same observed pairs.
    ratio : float
        The weight of the first game, in [0, 1].
    kappa : float or "equal_frobenius"
        The scale of the second game's logits: a number above 0, or the one of `equal_frobenius`.

    Returns
    -------
    Payoff
        The players and pairs of both games.

    Raises
    ------
    InputError
        If the players or pairs differ, or a parameter is out of range.
    """
    ratio = check_number("ratio", ratio, low=0, high=1)
    for game, which in ((first, "first"), (second, "second")):
        if not isinstance(game, Payoff):
            raise InputError(f"{which} is a {type(game).__name__}; give a Payoff.")
    if not np.array_equal(first.players, second.players):
        raise InputError("The two games of a mixture have different players; give games of the same players.")
    if not (np.array_equal(first.i, second.i) and np.array_equal(first.j, second.j)):
        raise InputError("The two games of a mixture have different observed pairs; select the same pairs.")
    if isinstance(kappa, str):
        if kappa != EQUAL_FROBENIUS:
            raise InputError(f"kappa is {kappa!r}; give a number, or {did_you_mean(kappa, [EQUAL_FROBENIUS])}")
        kappa = equal_frobenius(first, second)
    kappa = check_positive("kappa", kappa)
    total = np.zeros(first.n_pairs)
    for game, weight in ((first, ratio), (second, (1 - ratio) * kappa)):
        if weight > 0:
            # Infinities of opposite sign make NaN, which is dealt with below.
            with np.errstate(invalid="ignore"):
                total += weight * logit(game.p)
    total[np.isnan(total)] = 0
    return Payoff(first.players, first.i, first.j, expit(total))
