"""What several games share: the normalisation, and positions that are given or drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from transitivity.errors import InputError, check_count
from transitivity.payoff.core import Payoff


def normalised(M: np.ndarray, players: Sequence[str] | None = None) -> Payoff:
    """Return the payoff of A = (M - Mᵀ) / 2 / max, the normalisation of Czarnecki et al. 2020.

    A is antisymmetric to the last bit *before* it is divided, so that its extreme entries are exactly -1
    and 1 and P = (1 + A) / 2 is never a slightly negative number, whose logit would not exist.

    Parameters
    ----------
    M : (n, n) array
        Expected gains of the row against the column, on any scale.
    players : sequence of str, optional
        Names; "0", "1", ... by default.

    Raises
    ------
    InputError
        If M is symmetric: then nobody ever gains and there is no maximum to divide by.
    """
    A = np.subtract(M, M.T, dtype=np.float64)
    A /= 2
    largest = A.max()
    if not largest > 0:
        raise InputError("All players of this game are equal, so that it has no scale; change its parameters.")
    A /= largest
    return Payoff.from_antisymmetric(A, players)


def skill_plus_noise(
    n_players: int, noise: Callable[[np.random.Generator, int], np.ndarray], rng: np.random.Generator | None
) -> Payoff:
    """Return the payoff of A = Sᵢ - Sⱼ + (W - Wᵀ) / 2 divided by its maximum, with standard normal skills S.

    Parameters
    ----------
    n_players : int
        At least 2.
    noise : callable
        Draws W, (n, n), from a generator and n.
    rng : numpy.random.Generator, optional
        Draws S, then W. None: a fresh one.

    Raises
    ------
    InputError
        If n_players is not a whole number of at least 2.
    """
    n = check_count("n_players", n_players, at_least=2)
    rng = np.random.default_rng(rng)
    skill = rng.standard_normal(n)
    # The normalisation antisymmetrises: Sᵢ - Sⱼ is its own antisymmetric part.
    return normalised(noise(rng, n) + np.subtract.outer(skill, skill))


def given_or_drawn_size(
    name: str, given: np.ndarray | str | os.PathLike[str] | None, columns: int | None, n_players: int | None
) -> tuple[np.ndarray | None, int]:
    """Return the positions of the players, where the user gave them, and the number of players.

    Parameters
    ----------
    name : str
        The parameter that gives the positions, for messages.
    given : array, path of an .npy file, or None
        The positions; None where they are to be drawn.
    columns : int or None
        The number of columns the array must have; None: it must be a vector.
    n_players : int or None
        The number of players the user asked for. None: one for each position, or 1000, the size of the paper.

    Raises
    ------
    InputError
        If the array has the wrong shape or values that are not finite, or n_players contradicts it.
    """
    if n_players is not None:
        n_players = check_count("n_players", n_players, at_least=2)
    if given is None:
        return None, 1000 if n_players is None else n_players
    source = name
    if isinstance(given, str | os.PathLike):
        # Only here, because payoff files know about games' payoffs but most games need no file.
        from transitivity.payoff.files import read_array

        source, given = os.fspath(given), read_array(given)
    array = np.asarray(given)
    if array.dtype.kind not in "iuf":
        raise InputError(f"{source} has entries of type {array.dtype}; give real numbers.")
    shape = "(n,)" if columns is None else f"(n, {columns})"
    if array.ndim != (1 if columns is None else 2) or (columns is not None and array.shape[1] != columns):
        raise InputError(f"{source} has shape {array.shape}; {name} must have shape {shape}.")
    if not np.isfinite(array).all():
        raise InputError(f"{source} has an entry that is not finite; give a finite number for each player.")
    n = check_count(f"the number of players in {source}", len(array), at_least=2)
    if n_players not in (None, n):
        raise InputError(f"{source} holds {n} players but n_players is {n_players}; leave out n_players.")
    return array.astype(np.float64), n
