"""Sequential ratings, game by game: CPU time a game, beside a plain Python loop and the sequential Elo of evalica.

Every method takes the same games in the form it likes best, made beforehand, and all Elo ratings must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import evalica
import numpy as np
import pandas as pd

from benchmarks.common import cpu_seconds, ratio
from transitivity.online import Online, OnlineDisc, OnlineElo, OnlineMElo

#: Ratings that differ by less than this, in points, are the same.
SAME = 1e-6
#: The methods of others that must agree with ours.
ELO = ("evalica, elo", "plain Python loop")


def random_games(n_players: int, n_games: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return players a, players b and the scores of a: 0, 1/2 or 1."""
    a = rng.integers(0, n_players, n_games)
    b = (a + rng.integers(1, n_players, n_games)) % n_players
    return a, b, rng.integers(0, 3, n_games) / 2


def plain_loop(a: list[int], b: list[int], score: list[float], n_players: int) -> np.ndarray:
    """Return the ratings by the formula and nothing else."""
    ratings = [1500.0] * n_players
    for i, j, won in zip(a, b, score, strict=True):
        change = 32 * (won - 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400)))
        ratings[i] += change
        ratings[j] -= change
    return np.array(ratings)


def by_number(online: Online, n_players: int) -> np.ndarray:
    """Return the ratings of players that are numbers, in their order; newcomers' where one has no game."""
    frame = online.ratings()
    ratings = np.full(n_players, 1500.0)
    ratings[frame["id"].astype(int)] = frame["rating"]
    return ratings


def rows(sizes: Sequence[tuple[int, int]] = ((1_000, 1_000_000), (50_000, 1_000_000)), repeats: int = 3) -> list[dict]:
    """Measure games of some numbers of (players, games).

    Returns
    -------
    list of dict
        ``ns_per_game``; ``ratio``: CPU time over that of our Elo, game by game, in turn; ``same``: whether the ratings
        are those of our Elo, where the method is Elo.
    """
    return [row for n, m in sizes for row in compare(n, m, repeats)]


def compare(n_players: int, n_games: int, repeats: int) -> list[dict]:
    """Return the rows of one size."""
    a, b, score = random_games(n_players, n_games, np.random.default_rng([4, n_players]))
    lists = a.tolist(), b.tolist(), score.tolist()
    winners = [(evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X)[int(2 * won)] for won in lists[2]]
    index = pd.RangeIndex(n_players)
    periods = np.arange(n_games) // 50

    def ours(make: Callable[[], Online], time: np.ndarray | None = None) -> Online:
        online = make()
        online.update(a, b, score, time)
        return online

    def by_evalica() -> np.ndarray:
        result = evalica.elo(lists[0], lists[1], winners, index=index, initial=1500, k=32)
        return result.scores.loc[index].to_numpy()

    methods: dict[str, Callable[[], Online | np.ndarray]] = {
        "OnlineElo": lambda: ours(OnlineElo),
        "OnlineElo, periods of 50 games": lambda: ours(OnlineElo, periods),
        "OnlineDisc": lambda: ours(OnlineDisc),
        "OnlineMElo, k = 1": lambda: ours(OnlineMElo),
        "evalica, elo": by_evalica,
        "plain Python loop": lambda: plain_loop(*lists, n_players),
    }
    elo = methods["OnlineElo"]
    expected = by_number(elo(), n_players)

    def is_same(method: str) -> bool | None:
        found = methods[method]() if method in ELO else None
        return None if found is None else bool(np.abs(found - expected).max() < SAME)

    return [
        {
            "players": n_players,
            "method": method,
            "ns_per_game": cpu_seconds(run, repeats) / n_games * 1e9,
            "ratio": ratio(run, elo, repeats),
            "same": is_same(method),
        }
        for method, run in methods.items()
    ]
