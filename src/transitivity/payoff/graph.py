"""What the graph of observed pairs lets a model identify."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transitivity.payoff.core import Payoff


@dataclass(frozen=True, eq=False)
class Identifiability:
    """What can be told from a graph of players and observed pairs, before any model is fitted.

    Attributes
    ----------
    n_players, n_pairs : int
        Its vertices and edges.
    components : int
        Connected components: ratings of players in different ones cannot be compared.
    largest_component : int
        How many players the largest one has.
    cycles : int
        Independent cycles, n_pairs - n_players + components. With none, ratings can fit any results exactly, so the
        results say nothing about transitivity.
    one_opponent : (a,) int array
        Players with a single opponent: their rating follows that opponent's.
    always_win, always_lose : (b,), (c,) int arrays
        Players who won, or lost, every game: their ratings have no finite optimum.
    separated : bool
        See `is_separated`.
    """

    n_players: int
    n_pairs: int
    components: int
    largest_component: int
    cycles: int
    one_opponent: np.ndarray
    always_win: np.ndarray
    always_lose: np.ndarray
    separated: bool

    @property
    def transitive_by_graph(self) -> bool:
        """Whether any results on this graph would be transitive."""
        return self.cycles == 0

    def to_row(self) -> dict[str, int | bool]:
        """Return one row of a table: the lists of players as their numbers."""
        return {name: len(value) if isinstance(value, np.ndarray) else value for name, value in vars(self).items()} | {
            "transitive_by_graph": self.transitive_by_graph
        }


def identifiability(payoff: Payoff) -> Identifiability:
    """Tell what the graph of observed pairs lets a model identify.

    Parameters
    ----------
    payoff : Payoff

    Returns
    -------
    Identifiability
        Players without any opponent are components of their own, and in none of its lists.
    """
    n, label = payoff.n_players, component_labels(payoff)
    components = int(label.max()) + 1
    beaten = np.bincount(payoff.i, payoff.p < 1, n) + np.bincount(payoff.j, payoff.p > 0, n)
    beat = np.bincount(payoff.i, payoff.p > 0, n) + np.bincount(payoff.j, payoff.p < 1, n)
    played = payoff.degrees > 0
    return Identifiability(
        n_players=n,
        n_pairs=payoff.n_pairs,
        components=components,
        largest_component=int(np.bincount(label).max()),
        cycles=payoff.n_pairs - n + components,
        one_opponent=np.flatnonzero(payoff.degrees == 1),
        always_win=np.flatnonzero(played & (beaten == 0)),
        always_lose=np.flatnonzero(played & (beat == 0)),
        separated=is_separated(payoff),
    )


def component_labels(payoff: Payoff) -> np.ndarray:
    """Return the connected component of each player in the graph of observed pairs, (n,) ints from 0."""
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    n = payoff.n_players
    pairs = scipy.sparse.csr_array((np.ones(payoff.n_pairs, dtype=np.int8), (payoff.i, payoff.j)), shape=(n, n))
    return connected_components(pairs, directed=False)[1]


def is_separated(payoff: Payoff) -> bool:
    """Tell whether the stationary Elo score (Equation 1) has no finite, unique solution.

    It has one exactly when every player has won something, through a chain of opponents, against every other
    player (Zermelo 1929, Ford 1957): when the graph with an edge i -> j wherever P[i, j] > 0 is strongly connected.

    Parameters
    ----------
    payoff : Payoff

    Returns
    -------
    bool
        True if some players only ever lost to the others, or were never compared with them.
    """
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    won, lost = payoff.p > 0, payoff.p < 1
    rows = np.concatenate([payoff.i[won], payoff.j[lost]])
    columns = np.concatenate([payoff.j[won], payoff.i[lost]])
    n = payoff.n_players
    wins = scipy.sparse.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n, n))
    return bool(connected_components(wins, directed=True, connection="strong")[0] > 1)
