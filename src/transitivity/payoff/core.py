"""The payoff of a symmetric zero-sum two-player game (Definition 2.1), complete or with missing entries."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from transitivity.errors import InputError, amount, did_you_mean
from transitivity.files import atomic_path
from transitivity.matchups.table import check_matchups, indexed

if TYPE_CHECKING:
    import pandas as pd

#: How far P + Pᵀ may be from 1 before a matrix is refused as not being a payoff.
SKEW_TOLERANCE = 1e-8
#: The arrays of `Payoff.save`, the first four in every file, and the kinds of their types.
SAVED = {"players": "U", "i": "iu", "j": "iu", "p": "f", "games": "fiu", "diagonal": "b"}


def place(name: str, places: Mapping[str, int]) -> int:
    """Return the index of a player, given those of all; raise InputError where there is no such name."""
    if name not in places:
        same = [known for known in places if name.lower() in known.lower()]
        # Among very many names a close one is found slowly.
        raise InputError(f"There is no player {name!r}; {did_you_mean(name, same or list(places)[:20_000])}")
    return places[name]


def places_of(who: Any, places: Mapping[str, int]) -> Any:
    """Return the indices of players who are given by name, by index, or some by one and some by the other.

    Parameters
    ----------
    who : str, int or array-like of them
    places : mapping
        The index of every name.

    Returns
    -------
    int or int array
        What was given, where it held no name.
    """
    if isinstance(who, str):
        return place(who, places)
    if isinstance(who, (list, tuple)):
        # A plain array would make names of the indices that stand beside names.
        who = np.array(who, dtype=object)
    if not hasattr(who, "__len__") or (array := np.asarray(who)).dtype.kind not in "UO":
        return who
    found = [place(one, places) if isinstance(one, str) else one for one in array.ravel().tolist()]
    return np.array(found).reshape(array.shape)


@dataclass(frozen=True, eq=False, repr=False)
class Payoff:
    """Players and observed pairs: P[i, j] is the probability that player i beats player j.

    A pair is stored once, with i < j; P[j, i] = 1 - P[i, j] is implied and the diagonal is 1/2 by definition, so
    that neither is data. A pair that is not stored was not observed: p = 0 and p = 1 are observations.

    Parameters
    ----------
    players : (n,) array of str
        Names, unique, in the order of the indices.
    i, j : (m,) int arrays
        The observed pairs, i < j, in ascending order of (i, j).
    p : (m,) float array
        The probability (or the frequency) with which player i beats player j, in [0, 1].
    games : (m,) float array, optional
        How many games each p was estimated from; None where p is not an estimate.
    diagonal : (n,) bool array, optional
        Which diagonal entries the published hold-out counts as observed (`evaluation.published_hold_out`). None,
        the default everywhere else: the diagonal is not data.

    Raises
    ------
    InputError
        If a value is missing, out of range or repeated, or if there are fewer than two players or no pairs.
    """

    players: np.ndarray
    i: np.ndarray
    j: np.ndarray
    p: np.ndarray
    games: np.ndarray | None = None
    diagonal: np.ndarray | None = None

    def __post_init__(self) -> None:
        players = np.asarray(self.players, dtype=str)
        i, j = np.asarray(self.i, dtype=np.int64), np.asarray(self.j, dtype=np.int64)
        p = np.asarray(self.p, dtype=np.float64)
        games = None if self.games is None else np.asarray(self.games, dtype=np.float64)
        n = len(players)
        if n < 2:
            raise InputError(f"A payoff needs at least two players, this one has {n}; add players.")
        if len(np.unique(players)) < n:
            names, counts = np.unique(players, return_counts=True)
            twice = str(names[counts > 1][0])
            raise InputError(f"Player {twice!r} appears twice; give every player a unique name.")
        if len(p) == 0:
            raise InputError("The payoff has no observed pair; add results, or lower the thresholds.")
        if not len(i) == len(j) == len(p) or (games is not None and len(games) != len(p)):
            raise InputError("i, j, p and games differ in length; give one entry per pair.")
        if i.min() < 0 or j.max() >= n or not (i < j).all():
            raise InputError(f"A pair must be (i, j) with 0 <= i < j < {n}; order and index the pairs so.")
        bad = ~((p >= 0) & (p <= 1))
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"P[{str(players[i[at]])!r}, {str(players[j[at]])!r}] is {p[at]}, which is not a probability; "
                "give a number in [0, 1], and leave out a pair that was not observed."
            )
        if games is not None and not (np.isfinite(games) & (games > 0)).all():
            raise InputError("A number of games is not positive; leave out pairs without games.")
        code = i * n + j
        if (np.diff(code) <= 0).any():
            order = np.argsort(code, kind="stable")
            i, j, p = i[order], j[order], p[order]
            games = None if games is None else games[order]
            repeated = np.flatnonzero(np.diff(code[order]) == 0)
            if len(repeated):
                at = repeated[0]
                raise InputError(
                    f"The pair ({str(players[i[at]])!r}, {str(players[j[at]])!r}) appears twice; give one row per pair."
                )
        diagonal = None if self.diagonal is None else np.asarray(self.diagonal)
        for name, value in zip(
            ("players", "i", "j", "p", "games", "diagonal"), (players, i, j, p, games, diagonal), strict=True
        ):
            # Models get these arrays, and must not change what they are scored on.
            seen = None if value is None else value.view()
            if seen is not None:
                seen.flags.writeable = False
            object.__setattr__(self, name, seen)

    def __repr__(self) -> str:
        every = self.n_players * (self.n_players - 1) // 2
        games = "" if self.games is None else f", {amount(round(self.games.sum()), 'game')}"
        return f"Payoff({self.n_players} players, {self.n_pairs} of {every} pairs{games})"

    # ---------------------------------------------------------------- players by name

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.players.tolist())}

    def index(self, name: str) -> int:
        """Return the index of a player.

        Parameters
        ----------
        name : str
            As in `players`, with the same capitals.

        Raises
        ------
        InputError
            If there is no such player; the message names the one with the closest name.
        """
        return place(name, self._places)

    # ---------------------------------------------------------------- sizes

    @property
    def n_players(self) -> int:
        """The number of players, n."""
        return len(self.players)

    @property
    def n_pairs(self) -> int:
        """The number of observed pairs (each counted once)."""
        return len(self.p)

    @property
    def density(self) -> float:
        """The share of the n (n - 1) / 2 pairs that is observed."""
        return self.n_pairs / (self.n_players * (self.n_players - 1) / 2)

    @property
    def is_complete(self) -> bool:
        """Whether every pair is observed."""
        return self.n_pairs == self.n_players * (self.n_players - 1) // 2

    @cached_property
    def degrees(self) -> np.ndarray:
        """The number of observed opponents of each player, (n,) ints."""
        return np.bincount(self.i, minlength=self.n_players) + np.bincount(self.j, minlength=self.n_players)

    @cached_property
    def mean_payoffs(self) -> np.ndarray:
        """The mean of P[i, :] over the observed opponents of each player, (n,); 1/2 for a player without any."""
        n = self.n_players
        total = np.bincount(self.i, self.p, n) + np.bincount(self.j, 1 - self.p, n)
        return np.divide(total, self.degrees, out=np.full(n, 0.5), where=self.degrees > 0)

    # ---------------------------------------------------------------- from and to matrices and files

    @classmethod
    def from_dense(
        cls, P: np.ndarray, players: Sequence[str] | np.ndarray | None = None, games: np.ndarray | None = None
    ) -> Payoff:
        """Make a payoff of a matrix of probabilities.

        Parameters
        ----------
        P : (n, n) array
            P[i, j] + P[j, i] = 1; NaN (in both) where a pair was not observed. The diagonal is not read.
        players : sequence of str, optional
            Names; "0", "1", ... by default.
        games : (n, n) array, optional
            The number of games of each pair.

        Raises
        ------
        InputError
            If P is not square, or an observed pair is out of [0, 1] or does not sum to 1.
        """
        P = np.asarray(P, dtype=np.float64)
        if P.ndim != 2 or P.shape[0] != P.shape[1]:
            raise InputError(f"A payoff matrix must be square, this one has shape {P.shape}; give an n x n matrix.")
        n = len(P)
        names = np.asarray(players, dtype=str) if players is not None else np.arange(n).astype(str)
        if len(names) != n:
            raise InputError(f"{len(names)} names were given for {n} players; give one name a player.")
        i, j = np.triu_indices(n, 1)
        upper, lower = P[i, j], P[j, i]
        one_sided = np.isnan(upper) != np.isnan(lower)
        skew = np.abs(upper + lower - 1) > SKEW_TOLERANCE
        for wrong, what in (
            (one_sided, "is observed in one direction only; fill in, or empty, both"),
            (skew, "does not sum to 1 with its mirror; make P + Pᵀ = 1 (a draw is half a win)"),
        ):
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                a, b = i[at], j[at]
                entry = f"P[{str(names[a])!r}, {str(names[b])!r}]"
                raise InputError(f"{entry} = {P[a, b]}, mirror {P[b, a]}, {what}.")
        seen = ~np.isnan(upper)
        i, j = i[seen], j[seen]
        return cls(names, i, j, upper[seen], None if games is None else np.asarray(games)[i, j])

    @classmethod
    def from_antisymmetric(cls, A: np.ndarray, players: Sequence[str] | None = None) -> Payoff:
        """Make a payoff of a game in [-1, 1]: P = (1 + A) / 2 with A = -Aᵀ, the scale of Czarnecki et al. 2020.

        Parameters
        ----------
        A : (n, n) array
            Expected payoffs; NaN where not observed.
        players : sequence of str, optional
            Names; "0", "1", ... by default.
        """
        return cls.from_dense((1 + np.asarray(A, dtype=np.float64)) / 2, players)

    @classmethod
    def from_counts(cls, frame: pd.DataFrame) -> Payoff:
        """Make a payoff of counted games: p = (wins + draws / 2) / games.

        Parameters
        ----------
        frame : pandas.DataFrame
            One row per pair: player_a, player_b, wins_a, draws, wins_b, as `transitivity.read_matchups` returns it.

        Returns
        -------
        Payoff
            Players in alphabetical order, whatever the case; `games` are the numbers of games.

        Raises
        ------
        InputError
            If the table is empty, lacks a column, holds something else than counts, or a pair twice.
        """
        counts = check_matchups(frame)
        if len(frame) == 0:
            raise InputError("The matchups have no pair; add results, or lower the thresholds.")
        names, a, b = indexed(frame)
        texts = [str(name) for name in names]
        order = np.array(sorted(range(len(texts)), key=lambda k: (texts[k].lower(), texts[k])))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        players, a, b = np.array(texts)[order], rank[a], rank[b]
        if (a == b).any():
            raise InputError(f"The matchups pair {str(players[a[np.argmax(a == b)]])!r} with itself; remove that row.")
        games = counts.sum(axis=1)
        if (games == 0).any():
            at = int(np.argmin(games))
            pair = (str(players[a[at]]), str(players[b[at]]))
            raise InputError(f"The pair {pair!r} has no games; leave out pairs without games.")
        wins = np.where(a < b, counts[:, 0], counts[:, 2])
        p = (wins + counts[:, 1] / 2) / games
        return cls(players, np.minimum(a, b), np.maximum(a, b), p, games)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **options: str) -> Payoff:
        """Read a payoff file; see `transitivity.payoff.files.read_payoff` for the formats and options."""
        from transitivity.payoff.files import read_payoff

        return read_payoff(path, **options)

    def to_dense(self) -> np.ndarray:
        """Return P as an (n, n) array, 1/2 on the diagonal and NaN where a pair was not observed."""
        P = np.full((self.n_players, self.n_players), np.nan)
        P[self.i, self.j] = self.p
        P[self.j, self.i] = 1 - self.p
        np.fill_diagonal(P, 0.5)
        return P

    def to_frame(self) -> pd.DataFrame:
        """Return one row per observed pair: player_a, player_b, p and, where known, games."""
        import pandas as pd

        frame = pd.DataFrame({"player_a": self.players[self.i], "player_b": self.players[self.j], "p": self.p})
        return frame if self.games is None else frame.assign(games=self.games)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the payoff as an .npz that `Payoff.load` and `Payoff.from_file` read."""
        arrays: dict[str, Any] = {name: array for name in SAVED if (array := getattr(self, name)) is not None}
        with atomic_path(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Payoff:
        """Read what `save` wrote.

        Raises
        ------
        InputError
            If the file is not such a file.
        """
        with np.load(Path(path), allow_pickle=False) as file:
            arrays = {name: file[name] for name in SAVED if name in file.files}
        for name in [*SAVED][:4]:
            if name not in arrays:
                raise InputError(f"{path} has no array {name!r}; write it with Payoff.save.")
        for name, array in arrays.items():
            if array.dtype.kind not in SAVED[name] or array.ndim != 1:
                raise InputError(
                    f"its array {name!r} has type {array.dtype} and shape {array.shape}, not those that Payoff.save "
                    "gives it; write it again."
                )
        return cls(**arrays)

    # ---------------------------------------------------------------- parts

    def select_pairs(self, keep: np.ndarray, diagonal: np.ndarray | None = None) -> Payoff:
        """Return the payoff of the same players in which only some pairs are observed.

        Parameters
        ----------
        keep : (m,) bool array
            The pairs to keep.
        diagonal : (n,) bool array, optional
            The diagonal entries of the published hold-out.
        """
        games = None if self.games is None else self.games[keep]
        return replace(self, i=self.i[keep], j=self.j[keep], p=self.p[keep], games=games, diagonal=diagonal)

    def select_players(self, index: np.ndarray) -> Payoff:
        """Return the game among some of the players (a principal submatrix), in the order of `index`.

        Parameters
        ----------
        index : (k,) int array
            Distinct indices of players.
        """
        index = np.asarray(index, dtype=np.int64)
        position = np.full(self.n_players, -1)
        position[index] = np.arange(len(index))
        a, b = position[self.i], position[self.j]
        keep = (a >= 0) & (b >= 0)
        a, b, p = a[keep], b[keep], self.p[keep]
        swap = a > b
        return Payoff(
            self.players[index],
            np.where(swap, b, a),
            np.where(swap, a, b),
            np.where(swap, 1 - p, p),
            None if self.games is None else self.games[keep],
        )
