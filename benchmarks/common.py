"""What the benchmarks share: simulated games, and how CPU time is measured."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import is_separated

#: Two losses are equal when they differ by less than this share. The default tolerance of the solvers is far tighter.
EQUAL = 1e-6
#: A sparse game, as (players, pairs), and parts of it that show how time grows.
SPARSE = ((5_000, 75_000), (20_000, 300_000))


def disc_game(n: int, rng: np.random.Generator) -> Payoff:
    """Return a complete game: ratings, two disc games and noise in logit space."""
    ratings, u1, v1, u2, v2 = rng.standard_normal((5, n))
    x = ratings[:, None] + np.outer(u1, v1) + 0.5 * np.outer(u2, v2) + 0.3 * rng.standard_normal((n, n))
    return Payoff.from_dense(expit((x - x.T) / 2))


def dense_elo_game(n: int, rng: np.random.Generator) -> Payoff:
    """Return a complete payoff of probabilities: ratings and noise in logit space."""
    ratings, noise = rng.standard_normal(n), 0.3 * rng.standard_normal((n, n))
    return Payoff.from_dense(expit(ratings[:, None] - ratings + noise - noise.T))


def random_pairs(n: int, n_pairs: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return some random pairs i < j of n players, in ascending order."""
    a, b = rng.integers(0, n, size=(2, 2 * n_pairs))
    code = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
    code = np.sort(rng.permutation(code)[:n_pairs])
    return code // n, code % n


def sparse_elo_game(n: int, n_pairs: int, rng: np.random.Generator) -> Payoff:
    """Return one game between each of some random pairs of players, drawn again until Elo has a finite solution."""
    for _ in range(20):
        ratings = 0.5 * rng.standard_normal(n)
        i, j = random_pairs(n, n_pairs, rng)
        won = rng.random(len(i)) < expit(ratings[i] - ratings[j])
        payoff = Payoff(np.arange(n).astype(str), i, j, won.astype(float))
        if not is_separated(payoff):
            return payoff
    raise InputError(f"{n_pairs} pairs of {n} players leave someone without a win; use more pairs.")


def sparse_disc_game(n: int, n_pairs: int, rng: np.random.Generator, n_games: int = 20) -> Payoff:
    """Return some random pairs of players, the results of `n_games` games each: ratings and a disc game."""
    ratings, u, v = rng.standard_normal((3, n))
    i, j = random_pairs(n, n_pairs, rng)
    x = 0.5 * (ratings[i] - ratings[j] + u[i] * v[j] - v[i] * u[j])
    return Payoff(np.arange(n).astype(str), i, j, rng.binomial(n_games, expit(x)) / n_games)


def of_size(payoff: Payoff) -> str:
    """Say how large a payoff is."""
    players = f"{payoff.n_players:,} players"
    return f"{players}, complete" if payoff.is_complete else f"{players}, {payoff.n_pairs:,} pairs"


def cpu_seconds(run: Callable[[], object], repeats: int = 1) -> float:
    """Return the CPU time of a call: the median over repetitions."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def ratio(theirs: Callable[[], object], ours: Callable[[], object], repeats: int) -> float:
    """Return the CPU time of one call over another's: the median over repetitions in turn."""
    return statistics.median(cpu_seconds(theirs) / max(cpu_seconds(ours), 1e-9) for _ in range(repeats))


def first_that_reaches(
    target: float, options: Iterable[float], run: Callable[[float], float]
) -> tuple[float | None, float]:
    """Return the first option whose loss is at most the target, None if there is none, and the last loss."""
    loss = np.inf
    for option in options:
        loss = run(option)
        if loss <= target:
            return option, loss
    return None, loss


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as a Markdown table: numbers with three digits, keys as headings."""
    keys = list(rows[0])
    numeric = [all(isinstance(row[key], int | float | np.generic | None) for row in rows) for key in keys]
    lines = [
        "| " + " | ".join(key.replace("_", " ") for key in keys) + " |",
        "|" + "|".join("---:" if right else "---" for right in numeric) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row[key]) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, float):
        # Three digits, without an exponent where a reader needs none.
        return f"{value:.2e}" if value and not 1e-4 <= abs(value) < 1e7 else f"{float(f'{value:.3g}'):,.6g}"
    return str(value)
