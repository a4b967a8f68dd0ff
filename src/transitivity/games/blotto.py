"""The game of Colonel Blotto: soldiers are spread over fields."""

from __future__ import annotations

import itertools
import math

import numpy as np

from transitivity.errors import InputError, check_count
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "{n_soldiers},{n_fields}-Blotto"
REFERENCE = "Borel 1921; Czarnecki et al. 2020, 'N,K-Blotto'"

#: A payoff of more strategies than this needs tens of gigabytes as a matrix.
MAX_PLAYERS = 20_000


def strategies(n_soldiers: int, n_fields: int) -> np.ndarray:
    """Return all ways to spread the soldiers, in lexicographic order (the first field varies slowest).

    Parameters
    ----------
    n_soldiers, n_fields : int
        At least 1 soldier, at least 1 field.

    Returns
    -------
    (n, n_fields) int array
        n = binomial(n_soldiers + n_fields - 1, n_fields - 1) compositions, each of sum n_soldiers.
    """
    # A composition is where the n_fields - 1 bars stand in a row of soldiers and bars ("stars and bars");
    # combinations come in lexicographic order, and so do the compositions.
    length = n_soldiers + n_fields - 1
    count = math.comb(length, n_fields - 1)
    bars = np.fromiter(
        itertools.chain.from_iterable(itertools.combinations(range(length), n_fields - 1)),
        dtype=np.int64,
        count=count * (n_fields - 1),
    ).reshape(count, n_fields - 1)
    return np.diff(bars, axis=1, prepend=-1, append=length) - 1


def payoff(*, n_soldiers: int, n_fields: int) -> Payoff:
    """Return the payoff of Blotto: who holds more fields gains the difference.

    A strategy is a composition of `n_soldiers` into `n_fields` numbers of at least 0. A[a, b] is the mean
    over the fields of sign(a_f - b_f), divided by the largest entry; P = (1 + A) / 2.

    Parameters
    ----------
    n_soldiers : int
        Soldiers of each side, at least 1.
    n_fields : int
        Fields, at least 3 (with fewer, every pair is a draw).

    Returns
    -------
    Payoff
        Players are named by their soldiers, as "3-4-3", in lexicographic order, the first field slowest.

    Raises
    ------
    InputError
        If a number is out of range, the game is too large, or all its pairs are draws.
    """
    n_soldiers = check_count("n_soldiers", n_soldiers, at_least=1)
    n_fields = check_count("n_fields", n_fields, at_least=3)
    n = math.comb(n_soldiers + n_fields - 1, n_fields - 1)
    if n > MAX_PLAYERS:
        raise InputError(
            f"{n_soldiers},{n_fields}-Blotto has {n} strategies, more than {MAX_PLAYERS}; use fewer soldiers or fields."
        )
    plans = strategies(n_soldiers, n_fields).astype(np.int32)
    # Whole numbers of fields, one field at a time: no (n, n, fields) array, and no rounding before the
    # division.
    won = np.zeros((n, n), dtype=np.int32)
    for field in plans.T:
        won += field[:, None] > field
        won -= field[:, None] < field
    return normalised(won, ["-".join(map(str, plan)) for plan in plans.tolist()])
