"""Simulated leagues: games between players whose skill and consistency are planted, in the files of real leagues.

A league has planted points (uᵢ, vᵢ), with P[i, j] = σ(uᵢ vⱼ - vᵢ uⱼ) (Example 2), and pairs that meet as unevenly as
in a real league: some players meet many opponents, most pairs meet once or twice, a few a hundred times. Its games are
written as PGN, game by game, or as counts by pair, so that the readers of real files read them, and what is recovered
can be compared with what was planted. Every player, event and file name says "simulated".
"""

from __future__ import annotations

import gzip
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
from scipy.special import expit

from transitivity.disc.component import DiscComponent, disc_component
from transitivity.errors import InputError, check_count, check_number, check_positive, did_you_mean
from transitivity.files import atomic_path, write_table
from transitivity.matchups.table import check_matchups, indexed
from transitivity.payoff.core import Payoff

#: The kinds of leagues, and the spread of their players, in natural logits, unless another is asked for.
_SPREAD = {"transitive": 0.6, "cyclic": 1.2}
KINDS = tuple(_SPREAD)
EVENT = "simulated league"
#: Natural logits to Elo points, and the rating of a player of mean strength.
_ELO, _MEAN_RATING = 400 / math.log(10), 2500
#: Standard deviation of the logarithm of consistency in a transitive league.
_CONSISTENCY = 0.25
#: Players of a cyclic league lie around a centre on the v axis, no closer to it than half the radius; the centre is
#: nearer to the origin than that, so that 0 is inside the hull from `_CYCLIC_PLAYERS` players on.
_CENTRE, _CYCLIC_PLAYERS = 0.3, 12
#: Up to this many possible pairs, all are ranked; above it, pairs are drawn until enough of them differ.
_RANKED_PAIRS = 1 << 22
#: Games that are written at once.
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Profile:
    """Who meets whom how often in a real league, as far as a simulation needs it.

    Parameters
    ----------
    n_players, n_pairs : int
        The size of a simulated league, unless another is asked for.
    games_of_pairs : tuple of (int, float)
        Number of games, and how many pairs of the real league have at least that number; log-log linear in between.
    activity : float
        Standard deviation of the logarithm of how often players are drawn as opponents.
    concentration : float
        Correlation, in [-1, 1], between the rank of a pair's games and that of the activity of its two players.
    draws : float
        Share of draws in an even game.
    first, last : str
        First and last day.
    source : str
        Where the numbers are from.
    """

    n_players: int
    n_pairs: int
    games_of_pairs: tuple[tuple[int, float], ...]
    activity: float
    concentration: float
    draws: float
    first: str
    last: str
    source: str


PROFILES = {
    # Eighteen times the pairs of the real months have Figure 7's numbers of pairs with at least 50 to 80 games.
    "lichess": Profile(
        n_players=9000,
        n_pairs=18 * 3865,
        games_of_pairs=(
            *((1, 3865), (2, 2342), (3, 1462), (5, 743), (8, 357), (10, 248), (15, 114), (20, 64), (30, 29)),
            *((40, 17), (50, 13), (60, 10), (70, 6), (80, 4), (100, 2), (200, 1)),
        ),
        activity=1.2,
        concentration=0.0,
        draws=0.08,
        first="2019-08-01",
        last="2020-05-31",
        source="games per pair and draws: Lichess Elite Database, 2013-09 to 2015-11 (CC0)",
    ),
    # The paper stores a pair in both directions. Its figure does not tell of pairs that met less often.
    "starcraft": Profile(
        n_players=500,
        n_pairs=9000,
        games_of_pairs=(
            *((1, 9000), (10, 4000), (30, 2000), (60, 900)),
            *((100, 301), (150, 105), (175, 64), (200, 43), (400, 1)),
        ),
        activity=1.5,
        concentration=0.8,
        draws=0.0,
        first="2010-08-01",
        last="2020-12-31",
        source="maps per pair: half the entries of Figure 7 from 100 maps on, assumed below",
    ),
}


@dataclass(frozen=True, eq=False)
class League:
    """Players with planted points, and the pairs that meet.

    Parameters
    ----------
    players : (n,) array of str
        Names, in alphabetical order.
    u, v : (n,) arrays
        The planted points, in natural logits.
    i, j : (m,) int arrays
        The pairs, i < j, in ascending order.
    games : (m,) int array
        How many games each pair plays.
    draws : float
        The share of draws in an even game; it falls as 4 p (1 - p), and the expected score remains p.
    """

    players: np.ndarray
    u: np.ndarray
    v: np.ndarray
    i: np.ndarray
    j: np.ndarray
    games: np.ndarray
    draws: float = 0.0

    @property
    def component(self) -> DiscComponent:
        """Whether the planted game is transitive (Proposition 1)."""
        return disc_component(self.u, self.v)

    @property
    def ratings(self) -> pd.Series:
        """The planted strength against a player at the mean of all points, by name, in Elo points (whole numbers)."""
        strength = self.u * self.v.mean() - self.v * self.u.mean()
        rating = np.maximum(np.rint(_MEAN_RATING + _ELO * strength), 0)
        return pd.Series(rating.astype(np.int64), index=self.players)

    def payoff(self) -> Payoff:
        """Return the planted payoff of the pairs that meet, with their numbers of games."""
        return Payoff(self.players, self.i, self.j, self._p(), self.games)

    def matchups(self, rng: np.random.Generator) -> pd.DataFrame:
        """Play all games.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        pandas.DataFrame
            Counts by pair, as `transitivity.read_matchups` returns them: player_a, player_b, wins_a, draws, wins_b.
        """
        p = self._p()
        drawn = self.draws * 4 * p * (1 - p)
        draws = rng.binomial(self.games, drawn)
        wins = rng.binomial(self.games - draws, (p - drawn / 2) / (1 - drawn))
        names = self.players.astype(object)
        frame = pd.DataFrame({"player_a": names[self.i], "player_b": names[self.j]}, dtype="str")
        return frame.assign(wins_a=wins, draws=draws, wins_b=self.games - draws - wins)

    def write_truth(self, path: str | os.PathLike[str]) -> None:
        """Write what was planted as CSV: player, u, v."""
        write_table(pd.DataFrame({"player": self.players, "u": self.u, "v": self.v}), path)

    def _p(self) -> np.ndarray:
        """Return P[i, j] of the pairs that meet, (m,)."""
        return expit(self.u[self.i] * self.v[self.j] - self.v[self.i] * self.u[self.j])


def draw_league(
    kind: str,
    rng: np.random.Generator,
    *,
    profile: str = "lichess",
    n_players: int | None = None,
    n_pairs: int | None = None,
    games: int | None = None,
    spread: float | None = None,
    activity: float | None = None,
    concentration: float | None = None,
    draws: float | None = None,
) -> League:
    """Draw the players of a league, and who meets whom how often.

    Every player meets someone; further opponents are drawn in proportion to an activity that is log-normal over
    players. The numbers of games are the quantiles of the profile, dealt to the pairs.

    Parameters
    ----------
    kind : {"transitive", "cyclic"}
        transitive: v > 0 is the consistency and u / v the skill of a player (Proposition 2), normal over players.
        cyclic: players all around the origin, strong ones more often than weak ones.
    rng : numpy.random.Generator
    profile : {"lichess", "starcraft"}
        The real league that it is like; it also decides what is not given below.
    n_players, n_pairs : int, optional
        The size: at least as many pairs as players. All pairs make it complete. 5 million pairs of 200,000 players
        take a few seconds and less than 1 GiB.
    games : int, optional
        Games of every pair, instead of the profile's uneven numbers.
    spread : float, optional
        Natural logits: the standard deviation of skill in a transitive league (0.6 by default, 104 Elo points), the
        radius of a cyclic one (1.2).
    activity, concentration, draws : float, optional
        See `Profile`.

    Returns
    -------
    League

    Raises
    ------
    InputError
        If a parameter is unknown or out of its range.
    """
    for name, value, known in (("kind", kind, KINDS), ("profile", profile, PROFILES)):
        if value not in known:
            raise InputError(f"{name} is {value!r}; {did_you_mean(str(value), known)}")
    like = PROFILES[profile]
    least = _CYCLIC_PLAYERS if kind == "cyclic" else 3
    n = check_count("n_players", like.n_players if n_players is None else n_players, at_least=least)
    m = check_count("n_pairs", like.n_pairs if n_pairs is None else n_pairs, at_least=n)
    spread = check_positive("spread", _SPREAD[kind] if spread is None else spread)
    activity = check_number("activity", like.activity if activity is None else activity, 0)
    concentration = check_number("concentration", like.concentration if concentration is None else concentration, -1, 1)
    draws = check_number("draws", like.draws if draws is None else draws, 0, 0.5)
    u, v = _points(kind, n, spread, rng)
    weight = np.exp(activity * rng.standard_normal(n))
    i, j = _pairs(weight, m, rng)
    if games is None:
        counts = _dealt(_games(like, m), weight[i] * weight[j], concentration, rng)
    else:
        counts = np.full(m, check_count("games", games))
    width = max(4, len(str(n)))
    players = np.array([f"simulated_{k:0{width}d}" for k in range(1, n + 1)])
    return League(players, u, v, i, j, counts, draws)


def _points(kind: str, n: int, spread: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return planted u and v, (n,) each; see `draw_league`."""
    if kind == "transitive":
        v = np.exp(_CONSISTENCY * rng.standard_normal(n))
        return spread * rng.standard_normal(n) * v, v
    # One player in each of n equal sectors: no gap is left by chance.
    angle = 2 * np.pi / n * (rng.permutation(n) + rng.random(n))
    radius = spread * np.sqrt(rng.uniform(0.25, 1, n))
    return radius * np.sin(angle), _CENTRE * spread + radius * np.cos(angle)


def _pairs(weight: np.ndarray, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw m different pairs i < j with probability proportional to the product of weights; every player has one."""
    n = len(weight)
    possible = n * (n - 1) // 2
    if m > possible:
        raise InputError(f"n_pairs is {m}, but {n} players make {possible} pairs; give fewer pairs.")
    if possible > _RANKED_PAIRS and m > possible // 10:
        raise InputError(
            f"n_pairs is {m}, more than a tenth of what {n} players make, which takes too long; give fewer pairs."
        )
    share = np.cumsum(weight)

    def opponents(size: int) -> np.ndarray:
        return np.minimum(np.searchsorted(share, rng.random(size) * share[-1], side="right"), n - 1)

    first = np.arange(n)
    partner = opponents(n)
    partner = np.where(partner == first, (first + 1) % n, partner)
    codes = np.unique(np.minimum(first, partner) * n + np.maximum(first, partner))
    if possible <= _RANKED_PAIRS:
        i, j = np.triu_indices(n, 1)
        # The largest of log-weights with Gumbel noise are a weighted sample without replacement.
        score = np.log(weight[i]) + np.log(weight[j]) + rng.gumbel(size=possible)
        score[np.isin(i * n + j, codes, assume_unique=True)] = np.inf
        chosen = np.sort(np.argpartition(-score, m - 1)[:m])
        return i[chosen], j[chosen]
    while len(codes) < m:
        missing = m - len(codes)
        a, b = opponents(missing), opponents(missing)
        drawn = (np.minimum(a, b) * n + np.maximum(a, b))[a != b]
        # np.unique hashes, which takes many times longer than sorting here.
        codes = np.sort(np.concatenate([codes, drawn]))
        codes = codes[np.append(True, codes[1:] != codes[:-1])]
    return codes // n, codes % n


def _games(profile: Profile, m: int) -> np.ndarray:
    """Return the numbers of games of m pairs, largest first: even quantiles of the profile's distribution."""
    games, pairs = np.log(np.array(profile.games_of_pairs, dtype=np.float64)).T
    rank = np.log((np.arange(m) + 0.5) / m) + pairs[0]
    # The tolerance keeps a number of games that is exact before rounding.
    return np.floor(np.exp(np.interp(rank, pairs[::-1], games[::-1])) + 1e-9).astype(np.int64)


def _dealt(games: np.ndarray, activity: np.ndarray, concentration: float, rng: np.random.Generator) -> np.ndarray:
    """Deal numbers of games, largest first, to pairs whose rank is correlated with their activity."""
    score = np.log(activity)
    deviation = score.std()
    score = (score - score.mean()) / deviation if deviation > 0 else score * 0
    score = concentration * score + math.sqrt(1 - concentration**2) * rng.standard_normal(len(score))
    dealt = np.empty_like(games)
    dealt[np.argsort(-score, kind="stable")] = games
    return dealt


# ---------------------------------------------------------------- files


@contextmanager
def _simulated_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO | gzip.GzipFile]:
    """Open a file that is whole or not there, gzipped if its name ends so."""
    path = Path(path)
    if "simulated" not in path.name:
        raise InputError(f"{path}: its name does not tell that its games are simulated; put 'simulated' into it.")
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        if path.suffix != ".gz":
            yield file
            return
        # Without a name and a time the same games are the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            yield packed


def _counted(frame: pd.DataFrame) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Return the counts of a table of matchups, its players in alphabetical order, and the indices of its pairs."""
    counts = check_matchups(frame)
    if not counts.any():
        raise InputError("The matchups have no game to write; simulate a league first.")
    names, a, b = indexed(frame)
    names, rank = np.unique(names, return_inverse=True)
    return counts, names.tolist(), rank[a], rank[b]


def _times(profile: Profile, n: int) -> np.ndarray:
    """Return n times in ascending order, evenly spread over the days of the profile; (n,) datetime64[s]."""
    start, end = (np.datetime64(day, "s") for day in (profile.first, profile.last))
    seconds = int((end - start).astype(np.int64)) + 86400
    return start + np.arange(n) * seconds // n


def write_pgn(
    frame: pd.DataFrame,
    path: str | os.PathLike[str],
    rng: np.random.Generator,
    ratings: pd.Series | None = None,
    profile: str = "lichess",
) -> None:
    """Write games as PGN with the tags of Lichess and no moves, in random order and with random colours.

    Parameters
    ----------
    frame : pandas.DataFrame
        Counts by pair, such as those of `League.matchups`.
    path : path-like
        A file with "simulated" in its name, gzipped if it ends in .gz. Games are written in chunks: memory is about 30
        bytes a game.
    rng : numpy.random.Generator
    ratings : pandas.Series, optional
        Elo points by name, such as `League.ratings`.
    profile : str
        Whose days the games are spread over.
    """
    counts, names, a, b = _counted(frame)
    # One number a game: its row and its outcome.
    order = np.repeat(np.arange(counts.size), counts.ravel())
    rng.shuffle(order)
    shown = ["?"] * len(names) if ratings is None else ratings.loc[names].tolist()
    times = _times(PROFILES[profile], len(order))
    with _simulated_file(path) as file:
        for start in range(0, len(order), _CHUNK):
            part = order[start : start + _CHUNK]
            row, outcome = np.divmod(part, 3)
            swapped = rng.random(len(part)) < 0.5
            white, black = np.where(swapped, b[row], a[row]), np.where(swapped, a[row], b[row])
            result = np.where(swapped, 2 - outcome, outcome)
            when = np.datetime_as_string(times[start : start + _CHUNK]).tolist()
            games = zip(white.tolist(), black.tolist(), result.tolist(), when, strict=True)
            file.write("".join(_pgn_games(games, names, shown)).encode())


def _pgn_games(games: Iterable[tuple[int, int, int, str]], names: list[str], ratings: list[int | str]) -> Iterator[str]:
    """Yield the text of games: white, black, 0, 1 or 2 for a win of white, a draw, a win of black, and the time."""
    results = ("1-0", "1/2-1/2", "0-1")
    for white, black, result, when in games:
        yield (
            f'[Event "{EVENT}"]\n[White "{names[white]}"]\n[Black "{names[black]}"]\n[Result "{results[result]}"]\n'
            f'[UTCDate "{when[:10].replace("-", ".")}"]\n[UTCTime "{when[11:]}"]\n'
            f'[WhiteElo "{ratings[white]}"]\n[BlackElo "{ratings[black]}"]\n[Termination "Normal"]\n\n'
            f"{results[result]}\n\n"
        )


def write_matchups(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write counts by pair as CSV, which `transitivity.read_matchups` reads without options; see `write_pgn`."""
    _counted(frame)
    with _simulated_file(path) as file:
        frame.to_csv(file, index=False, lineterminator="\n")
