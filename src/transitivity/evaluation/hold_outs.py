"""Hold-outs and scores: how well a model predicts the pairs it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

#: The published hold-outs: players kept, probability that an entry is kept, seed of the legacy generator.
PUBLISHED_PLAYERS = 100
PUBLISHED_KEEP = 0.9
PUBLISHED_SEED = 42


class NothingToHide(InputError):
    """Every observed pair is needed for each player to keep a game."""


@dataclass(frozen=True)
class HoldOuts:
    """The repeated splits of one payoff into train and test pairs.

    Attributes
    ----------
    payoff : Payoff
        What is split.
    train : (r, m) bool array
        Row r tells which pairs repetition r trains on; the others are its test pairs.
    n_returned : (r,) int array
        How many pairs were drawn as hidden and returned to train, for a player who would have had no game left.
    diagonal : (n,) bool array, optional
        The observed diagonal of the published hold-out.
    """

    payoff: Payoff
    train: np.ndarray
    n_returned: np.ndarray
    diagonal: np.ndarray | None = None

    def split(self, repeat: int) -> tuple[Payoff, Payoff]:
        """Return the train and the test payoff of one repetition."""
        keep = self.train[repeat]
        return self.payoff.select_pairs(keep, self.diagonal), self.payoff.select_pairs(~keep)


def hold_out(payoff: Payoff, share: float, rngs: Sequence[np.random.Generator]) -> HoldOuts:
    """Hide a share of the observed pairs, once per generator.

    A pair is drawn as hidden with its mirror. Where that leaves a player without any train pair, the first of his
    hidden pairs (in the order drawn) is returned to train, so that every player keeps a game.

    Parameters
    ----------
    payoff : Payoff
    share : float
        In (0, 1); round(share · m) pairs are drawn.
    rngs : sequence of numpy.random.Generator
        One per repetition.

    Returns
    -------
    HoldOuts

    Raises
    ------
    InputError
        If the share is not in (0, 1) or no pair can be hidden.
    """
    if not 0 < share < 1:
        raise InputError(f"The share of a hold-out is {share}; use a number between 0 and 1, such as 0.2.")
    m, degrees = payoff.n_pairs, payoff.degrees
    if not ((degrees[payoff.i] > 1) & (degrees[payoff.j] > 1)).any():
        raise NothingToHide(
            f"No pair of the {m} observed ones can be hidden without leaving a player without a game; "
            "add results, or leave this dataset out of the protocol."
        )
    n_hidden = max(1, round(share * m))
    train = np.ones((len(rngs), m), dtype=bool)
    n_returned = np.zeros(len(rngs), dtype=np.int64)
    for repeat, rng in enumerate(rngs):
        # Where few pairs can be hidden, all that are drawn may have to return: draw again.
        while train[repeat].all():
            train[repeat], n_returned[repeat] = _draw(payoff, n_hidden, rng)
    return HoldOuts(payoff, train, n_returned)


def _draw(payoff: Payoff, n_hidden: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Draw pairs to hide, and return those to train that leave a player without a pair there.

    Returns
    -------
    keep : (m,) bool array
        The train pairs.
    n_returned : int
    """
    n = payoff.n_players
    hidden = rng.permutation(payoff.n_pairs)[:n_hidden]
    keep, n_returned = np.ones(payoff.n_pairs, dtype=bool), 0
    keep[hidden] = False
    degrees = np.bincount(payoff.i[keep], minlength=n) + np.bincount(payoff.j[keep], minlength=n)
    a, b = payoff.i[hidden], payoff.j[hidden]
    for pair in hidden[(degrees[a] == 0) | (degrees[b] == 0)]:
        i, j = payoff.i[pair], payoff.j[pair]
        if degrees[i] == 0 or degrees[j] == 0:
            keep[pair] = True
            degrees[i] += 1
            degrees[j] += 1
            n_returned += 1
    return keep, n_returned


def validation_split(train: Payoff, share: float, rng: np.random.Generator) -> tuple[Payoff, Payoff] | None:
    """Hide a share of the train pairs once more, to choose between models without the test pairs.

    Parameters
    ----------
    train : Payoff
        The train pairs of a random hold-out.
    share : float
        In (0, 1); as in `hold_out`.
    rng : numpy.random.Generator

    Returns
    -------
    inner, validation : Payoff
        What to fit and what to predict; None where no pair can be hidden (three players, say).
    """
    try:
        return hold_out(train, share, [rng]).split(0)
    except NothingToHide:
        return None


def published_masks(sizes: Sequence[int], seed: int = PUBLISHED_SEED) -> list[np.ndarray]:
    """Draw the observed entries of the published hold-outs: one legacy generator for all games, in order.

    Each entry is kept with probability 0.9, and observed if its mirror is kept too: 81 % off, 90 % on the diagonal.

    Parameters
    ----------
    sizes : sequence of int
        The numbers of players of the games, in the order of the published code.
    seed : int
        Of `numpy.random.RandomState`.

    Returns
    -------
    list of (m, m) bool arrays, m = min(100, size)
    """
    # The published code drew from the legacy generator, whose stream is frozen.
    legacy = np.random.RandomState(seed)
    masks = []
    for size in sizes:
        m = min(PUBLISHED_PLAYERS, size)
        kept = legacy.choice([False, True], size=(m, m), p=[1 - PUBLISHED_KEEP, PUBLISHED_KEEP])
        masks.append(kept & kept.T)
    return masks


def published_hold_out(payoff: Payoff, mask: np.ndarray) -> HoldOuts:
    """Return the published hold-out: the first 100 players, split by a mask of `published_masks`.

    Parameters
    ----------
    payoff : Payoff
    mask : (m, m) bool array
        Symmetric; the observed entries among the first m players, diagonal included.

    Raises
    ------
    InputError
        If the payoff has fewer players than the mask.
    """
    if payoff.n_players < len(mask):
        raise InputError(
            f"The published hold-out of this game needs {len(mask)} players and the payoff has "
            f"{payoff.n_players}; give the original payoff, or leave it out of the protocol."
        )
    first = payoff.select_players(np.arange(len(mask)))
    train = mask[first.i, first.j][None]
    if train.all():
        raise InputError("The published hold-out hides no pair of this game; leave it out of the protocol.")
    if not train.any():
        raise InputError("The published hold-out keeps no pair of this game; leave it out of the protocol.")
    return HoldOuts(first, train, np.zeros(1, dtype=np.int64), np.diagonal(mask).copy())
