"""Pairs dealt into folds such that players who are connected stay connected."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from transitivity.payoff.core import Payoff


def _by_name(payoff: Payoff) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the order of the pairs, and their players' ranks in it, when players are sorted by name, (m,) each."""
    rank = np.empty(payoff.n_players, dtype=np.int64)
    rank[np.argsort(payoff.players, kind="stable")] = np.arange(payoff.n_players)
    a, b = rank[payoff.i], rank[payoff.j]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return order, low[order], high[order]


def folds_by_pairs(payoff: Payoff, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the pairs into folds such that players who are connected stay connected in every train set.

    As in `evaluation.hold_out`, pairs are drawn at random and those that train cannot spare are returned to it. Here
    that is: of the pairs of a fold, the fewest without which the other folds would fall into more connected components
    (a random choice where there is one). What they say cannot be predicted from the rest.

    Folds do not depend on the order of the players: they are drawn over players sorted by name.

    Parameters
    ----------
    payoff : Payoff
    n_folds : int
    rng : numpy.random.Generator

    Returns
    -------
    (m,) int array
        The fold that holds a pair out; -1 for a pair that is always in train.
    """
    n, m = payoff.n_players, payoff.n_pairs
    order, low, high = _by_name(payoff)
    fold = rng.permutation(m) % n_folds
    # Distinct weights make the spanning forest unique: that of pairs in train first, drawn ones where they must be.
    chance = 1 + rng.permutation(m) / m
    kept = fold.copy()
    for number in range(n_folds):
        drawn = fold == number
        cost = scipy.sparse.csr_array((chance + drawn, (low, high)), shape=(n, n))
        forest = minimum_spanning_tree(cost).tocoo()
        code = forest.row[forest.data >= 2].astype(np.int64) * n + forest.col[forest.data >= 2]
        kept[np.isin(low * n + high, code)] = -1
    dealt = np.empty(m, dtype=np.int64)
    dealt[order] = kept
    return dealt


def folds_that_keep_a_game(payoff: Payoff, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the pairs into folds such that every player keeps a pair in every train set, as in a hold-out.

    Parameters
    ----------
    payoff : Payoff
    n_folds : int
    rng : numpy.random.Generator

    Returns
    -------
    (m,) int array
        The fold that hides a pair; -1 for a pair that is always in train.
    """
    n, i, j = payoff.n_players, payoff.i, payoff.j
    order = _by_name(payoff)[0][rng.permutation(payoff.n_pairs)]
    fold = np.empty(payoff.n_pairs, dtype=np.int64)
    fold[order] = np.arange(payoff.n_pairs) % n_folds
    # A player all of whose pairs are in one fold keeps the first of them in train.
    for number in range(n_folds):
        hidden = order[fold[order] == number]
        left = payoff.degrees - np.bincount(i[hidden], minlength=n) - np.bincount(j[hidden], minlength=n)
        for pair in hidden[(left[i[hidden]] == 0) | (left[j[hidden]] == 0)]:
            if left[i[pair]] == 0 or left[j[pair]] == 0:
                fold[pair] = -1
                left[i[pair]] += 1
                left[j[pair]] += 1
    return fold
