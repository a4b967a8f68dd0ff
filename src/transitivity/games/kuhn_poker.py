"""Kuhn poker: three cards, one chip to enter, one chip to bet."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from transitivity.errors import check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "Kuhn-poker"
LABEL_SUFFIXES = {"n_games": " ({n_games} simulated games)"}
REFERENCE = "Kuhn 1950; Czarnecki et al. 2020, 'Kuhn-poker'"

J, Q, K = range(3)
#: The cards of (first seat, second seat): all equally likely.
DEALS = tuple(itertools.permutations((J, Q, K), 2))
#: Which bit of a policy decides for a card when the opponent has not bet (0) or has bet (1): information
#: states in the order of the game tree. The first seat meets J, Q, K; the second, whose opponent has J
#: first, meets Q, K, J.
FIRST_STATE = {J: (0, 1), Q: (2, 3), K: (4, 5)}
SECOND_STATE = {Q: (0, 1), K: (2, 3), J: (4, 5)}


def policies() -> np.ndarray:
    """Return the 64 pure policies: 6 bits, one for each information state, 0 to pass and 1 to bet (or call).

    Returns
    -------
    (64, 6) int array
        In lexicographic order. The same bits serve both seats: in the first, the states are J, J after pass
        and bet, Q, Q after pass and bet, K, K after pass and bet; in the second Q after a pass, Q after a
        bet, K, K, J, J.
    """
    return np.array(list(itertools.product((0, 1), repeat=6)))


def gains(deal: tuple[int, int]) -> np.ndarray:
    """Return what the first seat gains, for one deal and all pairs of policies.

    Parameters
    ----------
    deal : (int, int)
        The cards of the first and of the second seat.

    Returns
    -------
    (64, 64) int array
        Chips won by the row's policy in the first seat from the column's policy in the second.
    """
    bits = policies()
    opens, calls = (bits[:, state, None] for state in FIRST_STATE[deal[0]])
    bets, follows = (bits[:, state] for state in SECOND_STATE[deal[1]])
    showdown = 1 if deal[0] > deal[1] else -1
    after_open = np.where(follows, 2 * showdown, 1)
    after_pass = np.where(bets, np.where(calls, 2 * showdown, -1), showdown)
    return np.where(opens, after_open, after_pass)


def simulates(parameters: Mapping[str, object]) -> bool:
    """Tell whether entries are means of simulated games: where `n_games` is given."""
    return parameters.get("n_games") is not None


def payoff(*, n_games: int | None = None, rng: np.random.Generator | None = None) -> Payoff:
    """Return the payoff of Kuhn poker among its 64 pure policies.

    M[i, j] is the mean gain of policy i in the first seat against policy j in the second, and A = (M - Mᵀ)
    / 2 divided by its maximum.

    Parameters
    ----------
    n_games : int, optional
        None: the exact mean over the six deals. Otherwise the mean of this many simulated games for each
        ordered pair of policies, as in the published file, which has 100.
    rng : numpy.random.Generator, optional
        Draws the deals of the simulated games. None: a fresh one.

    Returns
    -------
    Payoff
        64 players named by their decisions, "p" to pass and "b" to bet, in the order of `policies`.

    Raises
    ------
    InputError
        If n_games is not a positive whole number.
    """
    by_deal = np.stack([gains(deal) for deal in DEALS], axis=-1)
    if n_games is None:
        # Sums instead of means: whole numbers, and the normalisation removes the factor.
        M = by_deal.sum(axis=-1)
    else:
        n_games = check_count("n_games", n_games, at_least=1)
        share = np.full(len(DEALS), 1 / len(DEALS))
        dealt = np.random.default_rng(rng).multinomial(n_games, share, size=by_deal.shape[:2])
        M = (dealt * by_deal).sum(axis=-1)
    return normalised(M, ["".join("pb"[bit] for bit in policy) for policy in policies()])
