"""The three-move parity game, second variant."""

from __future__ import annotations

import itertools

import numpy as np

from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "3-move parity game"
REFERENCE = "Czarnecki et al. 2020, '3-move parity game 2'"

#: What a move can be, in the order in which strategies are enumerated.
GUESS_0, GUESS_1, KEEP, FLIP = range(4)
ACTIONS = ("0", "1", "keep", "flip")

#: A first-seat plan: the first move and, unless it ends the game, the guesses of the third for each bit.
FirstPlan = tuple[int, ...]
#: A second-seat plan: the move for each bit.
SecondPlan = tuple[int, int]


def first_plans() -> list[FirstPlan]:
    """Return the 10 plans of the first seat: 2 guesses, and 2 moves each with 4 pairs of guesses."""
    guesses = list(itertools.product((GUESS_0, GUESS_1), repeat=2))
    return [(GUESS_0,), (GUESS_1,)] + [(move, *guess) for move in (KEEP, FLIP) for guess in guesses]


def second_plans() -> list[SecondPlan]:
    """Return the 16 plans of the second seat: a move for bit 0 and a move for bit 1."""
    return list(itertools.product(range(4), range(4)))


def outcome(first: FirstPlan, second: SecondPlan) -> int:
    """Play one game and return the gain of the first seat, 1 or -1.

    A bit starts at 0. The seats move in the order first, second, first. A move guesses the bit, which ends
    the game (the guesser wins if and only if the guess is right), or keeps it, or flips it; the third move
    must be a guess.

    Parameters
    ----------
    first : tuple
        One of `first_plans`.
    second : tuple
        One of `second_plans`.
    """
    bit, move = 0, first[0]
    if move in (GUESS_0, GUESS_1):
        return 1 if move == bit else -1
    bit ^= move == FLIP
    move = second[bit]
    if move in (GUESS_0, GUESS_1):
        return -1 if move == bit else 1
    bit ^= move == FLIP
    return 1 if first[1 + bit] == bit else -1


def payoff() -> Payoff:
    """Return the payoff of the three-move parity game among its 160 deterministic strategies.

    A strategy is a plan for each seat, and A = (M - Mᵀ) / 2 with M[i, j] = `outcome` of the first seat's
    plan of i against the second seat's plan of j: the mean gain of two games with the seats swapped. The
    players are in the order of the published file: the product of the plans, first seat outer, then sorted
    by their mean payoff, strongest first, ties in the order of the product.

    Returns
    -------
    Payoff
        160 players, named by their plans, as "keep:01/flip,0": the first seat keeps, then guesses 0 when
        the bit is 0 and 1 when it is 1; the second seat flips a bit 0 and guesses 0 at a bit 1.
    """
    first, second = first_plans(), second_plans()
    table = np.array([[outcome(f, s) for s in second] for f in first])
    strategy = np.array(list(itertools.product(range(len(first)), range(len(second)))))
    M = table[np.ix_(strategy[:, 0], strategy[:, 1])]
    order = np.argsort(-(M - M.T).sum(axis=1), kind="stable")
    names = [
        f"{':'.join([ACTIONS[f[0]], ''.join(map(str, f[1:]))]).rstrip(':')}/{ACTIONS[s[0]]},{ACTIONS[s[1]]}"
        for f, s in itertools.product(first, second)
    ]
    return normalised(M[np.ix_(order, order)], [names[index] for index in order])
