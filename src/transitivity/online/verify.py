"""Sequential Elo checks itself: against numbers known by hand, a plain loop, and what must hold for any games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from transitivity.online.elo import OnlineElo

#: Ratings before a game of a against b with K = 32, the score of a, and the ratings after, to so many digits.
KNOWN = (
    ("1500 beats 1500", 1500, 1500, 1.0, 1516.0, 1484.0, 4),
    ("1500 beats 2000", 1500, 2000, 1.0, 1530.2963, 1969.7037, 4),
    ("2000 beats 1500", 2000, 1500, 1.0, 2001.7037, 1498.2963, 4),
    ("equals draw", 1500, 1500, 0.5, 1500.0, 1500.0, 4),
    ("2000 beats 1600", 2000, 1600, 1.0, 2002.9, 1597.1, 1),
    ("2000 draws with 1600", 2000, 1600, 0.5, 1986.9, 1613.1, 1),
    ("2000 loses to 1600", 2000, 1600, 0.0, 1970.9, 1629.1, 1),
)
#: Two computations agree to this many points.
EQUAL = 1e-8


def one_game(a: float, b: float, score: float, **parameters: Any) -> OnlineElo:
    """Return the ratings of players called a and b after one game, from the ratings given."""
    elo = OnlineElo(**parameters)
    elo.start({"a": a, "b": b})
    elo.update("a", "b", score)
    return elo


def ratings(elo: OnlineElo) -> dict[str, float]:
    """Return the rating of each player."""
    frame = elo.ratings()
    return dict(zip(frame["id"], frame["rating"].tolist(), strict=True))


def checks() -> list[dict[str, Any]]:
    """Run all checks.

    Returns
    -------
    list of dict
        ``check``, what is checked; ``passed``; ``found`` and ``expected``. A check that raises an error has not passed.
    """
    results = []
    for name, check in _all().items():
        try:
            found, expected, tolerance = check()
            passed = bool(np.abs(np.subtract(found, expected)).max() <= tolerance)
            shown = [np.asarray(value).tolist() for value in (found, expected)]
        # Whatever goes wrong is a check that failed, and the others run all the same.
        except Exception as error:
            passed, shown = False, [f"{type(error).__name__}: {error}", None]
        results.append({"check": name, "passed": passed, "found": shown[0], "expected": shown[1]})
    return results


def _all() -> dict[str, Callable[[], tuple[Any, Any, float]]]:
    """Return the checks: each returns what was found, what was expected, and how far they may be apart."""

    def known(a: float, b: float, score: float, *after: float, digits: int) -> tuple[Any, Any, float]:
        found = ratings(one_game(a, b, score))
        return [found["a"], found["b"]], after, 0.5 * 10.0**-digits

    by_hand = {f"{name}, K = 32": lambda row=row: known(*row[:-1], digits=row[-1]) for name, *row in KNOWN}
    return by_hand | {
        "200 points are an expected score of 0.7597": _expected_score,
        "a share of 51 of 82 points": _share,
        "the sum of the ratings is conserved": _zero_sum,
        "sides can be exchanged": _sides,
        "the order within a period does not matter": _order,
        "the compiled loop, numpy and the formula in a plain loop agree": _plain_loop,
        "no rating falls below a floor": _floor,
        "recentring keeps the mean": _recentring,
    }


def _games() -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Return players, scores and times of some games."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 20, 2000)
    b = (a + rng.integers(1, 20, len(a))) % 20
    score = rng.choice([0.0, 0.25, 0.5, 1.0], len(a))
    return [f"p{k}" for k in a], [f"p{k}" for k in b], score, np.sort(rng.integers(0, 300, len(a)))


def _expected_score() -> tuple[Any, Any, float]:
    elo = OnlineElo()
    elo.start({"a": 1700.0, "b": 1500.0})
    return [elo.predict("a", "b"), elo.predict("b", "a")], [0.7597, 0.2403], 5e-5


def _share() -> tuple[Any, Any, float]:
    return ratings(one_game(1500, 1500, 51 / 82))["a"], 1500 + 32 * (51 / 82 - 0.5), EQUAL


def _zero_sum() -> tuple[Any, Any, float]:
    elo = OnlineElo()
    elo.update(*_games()[:3])
    return sum(ratings(elo).values()), 1500 * 20, EQUAL * 20


def _sides() -> tuple[Any, Any, float]:
    a, b, score, time = _games()
    one, other = OnlineElo(), OnlineElo()
    one.update(a, b, score, time)
    other.update(b, a, 1 - score, time)
    return _compare(one, other)


def _order() -> tuple[Any, Any, float]:
    a, b, score, time = _games()
    order = np.lexsort((np.random.default_rng(1).random(len(time)), time))
    one, other = OnlineElo(), OnlineElo()
    one.update(a, b, score, time)
    other.update([a[k] for k in order], [b[k] for k in order], score[order], time[order])
    return _compare(one, other)


class _Numpy(OnlineElo):
    """Elo without the compiled loop."""

    def _run_compiled(self, *arguments: Any) -> bool:
        return False


def _plain_loop() -> tuple[Any, Any, float]:
    a, b, score, _ = _games()
    plain = dict.fromkeys(a + b, 1500.0)
    for one, other, won in zip(a, b, score.tolist(), strict=True):
        change = 32 * (won - 1 / (1 + 10 ** ((plain[other] - plain[one]) / 400)))
        plain[one] += change
        plain[other] -= change
    found = []
    for method in (OnlineElo(), _Numpy()):
        method.update(a, b, score)
        rated = ratings(method)
        found.append([rated[name] for name in plain])
    return found, [list(plain.values())] * 2, EQUAL


def _floor() -> tuple[Any, Any, float]:
    elo = OnlineElo(floor=1450)
    elo.update(["a"] * 20, ["b"] * 20, np.ones(20))
    return ratings(elo)["b"], 1450, EQUAL


def _recentring() -> tuple[Any, Any, float]:
    elo = OnlineElo(k=[(10, None, 40), (None, None, 10)], recentre=True)
    elo.update(*_games())
    return np.mean(list(ratings(elo).values())), 1500, EQUAL


def _compare(one: OnlineElo, other: OnlineElo) -> tuple[Any, Any, float]:
    """Return the ratings of two pools, by name."""
    first, second = ratings(one), ratings(other)
    return [first[name] for name in sorted(first)], [second[name] for name in sorted(second)], EQUAL
