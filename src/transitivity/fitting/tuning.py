"""The precisions of the priors, and the number of pairs, chosen on hidden pairs (nested validation)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from transitivity.fitting.ladder import Path, Shape
from transitivity.fitting.losses import Loss
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff
from transitivity.payoff.folds import folds_that_keep_a_game

#: Hidden pairs are dealt into folds; as many folds, and deals, are used as it takes to score this number of pairs.
FOLDS, SCORED, MOST_DEALS = 5, 2000, 4
#: Neighbours in the grids of precisions.
RATIO_OF_RATINGS, RATIO_OF_CYCLES = math.sqrt(10), 2.0
#: No precision is tried beyond these: a prior that is nothing, or everything, to any payoff.
LEAST, MOST = 1e-6, 1e6
#: By how many standard errors a richer model must predict better.
ERRORS = 2.0
#: A path ends after this number of steps in a row that predict worse than the best one.
PATIENCE = 3
#: Numbers of pairs that are tried, until more no longer predict better.
COMPONENTS = (1, 2, 4, 8, 16)

#: What a model is tried with: k, and its precisions on the ratings and on the cycles.
Key = tuple[int, float, float]


@dataclass(frozen=True)
class Choice:
    """What was chosen, and what it was chosen from.

    Attributes
    ----------
    ratings, cycles : float
        The precisions (`ladder.gaussian_prior`); infinite on the cycles where these did not predict better.
    n_components : int
        k.
    scores : list of (int, float, float, float)
        k, ratings, cycles and the mean loss on hidden pairs of everything that was tried.
    n_scored : int
        How many predictions of hidden pairs each mean is over; 0 where no pair can be hidden.
    visited : tuple of float
        The precisions on the cycles from which the path came to the one chosen.
    """

    ratings: float
    cycles: float
    n_components: int
    scores: list[tuple[int, float, float, float]] = field(default_factory=list)
    n_scored: int = 0
    visited: tuple[float, ...] = ()


class _Split:
    """One way to hide pairs: an objective of the others, and what is known of the hidden ones."""

    def __init__(self, payoff: Payoff, hidden: np.ndarray, loss: Loss, by_games: bool) -> None:
        train = payoff.select_pairs(~hidden)
        self.objective = PairObjective(train, loss, weights=weights_by_games(train) if by_games else None)
        self.pairs = np.flatnonzero(hidden)
        self.i, self.j, self.p = payoff.i[hidden], payoff.j[hidden], payoff.p[hidden]
        self.weights = payoff.games[hidden] if by_games and payoff.games is not None else np.ones(len(self.p))
        self.loss = loss

    def losses(self, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return the weighted loss of each hidden pair."""
        x = np.zeros(len(self.p))
        for u, v in zip(U.T, V.T, strict=True):
            x += u[self.i] * v[self.j] - v[self.i] * u[self.j]
        return self.weights * self.loss.value_and_slope(self.p, x)[0]


def weights_by_games(payoff: Payoff) -> np.ndarray | None:
    """Return the games of each pair over their mean, (m,); None where they are not known."""
    return None if payoff.games is None else payoff.games / payoff.games.mean()


def splits(payoff: Payoff, loss: Loss, by_games: bool, rng: np.random.Generator) -> list[_Split]:
    """Hide pairs, fold by fold, until `SCORED` of them have been hidden or every pair has, `MOST_DEALS` times."""
    found: list[_Split] = []
    scored = 0
    for _ in range(MOST_DEALS):
        fold = folds_that_keep_a_game(payoff, FOLDS, rng)
        for number in range(FOLDS):
            hidden = fold == number
            if hidden.any() and scored < SCORED:
                found.append(_Split(payoff, hidden, loss, by_games))
                scored += int(hidden.sum())
    return found


class _Scores:
    """Losses on hidden pairs of everything that was tried, by a key; each is an array over all splits.

    `pairs` says which pair each of them is of; a pair that is hidden in several deals is one observation.
    """

    def __init__(self, pairs: np.ndarray) -> None:
        self._pairs = np.unique(pairs, return_inverse=True)[1]
        self.losses: dict[Key, np.ndarray] = {}

    def mean(self, key: Key) -> float:
        return float(self.losses[key].mean())

    def best(self, keys: Sequence[Key]) -> Key:
        """Return the key of the least mean loss, the first of equal ones."""
        return min(keys, key=self.mean)

    def is_better(self, key: Key, simpler: Key) -> bool:
        """Whether a model predicts better than a simpler one by more than `ERRORS` standard errors of the gain."""
        gain = np.bincount(self._pairs, self.losses[simpler] - self.losses[key]) / np.bincount(self._pairs)
        if len(gain) < 2:
            return False
        return float(gain.mean()) > ERRORS * float(gain.std(ddof=1)) / math.sqrt(len(gain))


def tune(
    payoff: Payoff,
    loss: Loss,
    shape: Callable[[int], Shape] | None,
    *,
    components: Sequence[int] = COMPONENTS,
    by_games: bool = True,
    ratings: float | None = None,
    rng: np.random.Generator,
) -> Choice:
    """Choose the precisions and the number of pairs of one family of models by their loss on hidden pairs.

    The precision on the ratings is that of the best Elo, from a grid that is extended until the best lies inside. For
    each number of pairs the precision on the cycles falls from infinity (that Elo) along a path, each fit starting from
    the last, until predictions get worse. Cycles are kept only where they predict better than Elo by more than two
    standard errors of the difference over pairs, and more pairs only where they do so against fewer: where there is
    only luck, the choice is nearly always Elo. Last, the precision on the ratings is lowered as long as that helps
    beside the cycles.

    Parameters
    ----------
    payoff : Payoff
    loss : Loss
        `CrossEntropy`, or `SquaredLinear` for m-Elo of Equation 20.
    shape : callable or None
        k to the `Shape`; None for Elo.
    components : sequence of int
        The k that are tried, ascending, no larger than half the number of players.
    by_games : bool
        Whether pairs count by their games, in the fits and in the scores.
    ratings : float, optional
        The precision on the ratings, where it is given.
    rng : numpy.random.Generator

    Returns
    -------
    Choice
    """
    hidden = splits(payoff, loss, by_games, rng)
    if not hidden:
        return Choice(1.0 if ratings is None else ratings, math.inf, components[0] if shape else 0)
    n_scored = sum(len(split.p) for split in hidden)
    scores = _Scores(np.concatenate([split.pairs for split in hidden]))
    rngs = rng.spawn(len(hidden))
    # The loss of a constant 1/2 is the end of the grid: an infinite precision on the ratings.
    if ratings is None:
        ratings, starts = _tune_ratings(hidden, scores, rngs)
    else:
        starts = _elo(hidden, scores, rngs, ratings, None)
    elo = (0, ratings, math.inf)
    chosen: Key = elo
    visited: tuple[float, ...] = ()
    if shape is not None:
        for k in components:
            found, way = _tune_cycles(hidden, scores, rngs, shape(k), k, ratings, starts)
            if not scores.is_better(found, chosen):
                if k > components[0]:
                    break
                continue
            chosen, visited = found, way
        if chosen != elo:
            chosen = _lower_ratings(hidden, scores, rngs, shape(chosen[0]), chosen, visited)
    tried = [(*key, scores.mean(key)) for key in scores.losses]
    k = chosen[0] if chosen != elo or shape is None else components[0]
    return Choice(chosen[1], chosen[2], k, tried, n_scored, visited)


def _elo(
    hidden: list[_Split],
    scores: _Scores,
    rngs: list[np.random.Generator],
    ratings: float,
    starts: list[np.ndarray] | None,
) -> list[np.ndarray]:
    """Score Elo with one precision on the ratings; return its ratings in every split."""
    found, losses = [], []
    for at, split in enumerate(hidden):
        start = None if starts is None else starts[at]
        fit = Path(split.objective, Shape(0, False), ratings, rngs[at], start=start).last
        found.append(fit.U[:, 0])
        losses.append(split.losses(fit.U, fit.V))
    scores.losses[(0, ratings, math.inf)] = np.concatenate(losses)
    return found


def _tune_ratings(
    hidden: list[_Split], scores: _Scores, rngs: list[np.random.Generator]
) -> tuple[float, list[np.ndarray]]:
    """Climb from the precision 1 to the best of a grid without ends; return it and the ratings of every split."""
    fits = {1.0: _elo(hidden, scores, rngs, 1.0, None)}
    for ratio in (RATIO_OF_RATINGS, 1 / RATIO_OF_RATINGS):
        last, worse = 1.0, 0
        while worse < 2 and LEAST < last * ratio < MOST:
            here = last * ratio
            fits[here] = _elo(hidden, scores, rngs, here, fits[last])
            best = min(fits, key=lambda one: scores.mean((0, one, math.inf)))
            worse = worse + 1 if best != here else 0
            last = here
    best = min(fits, key=lambda one: scores.mean((0, one, math.inf)))
    return best, fits[best]


def _tune_cycles(
    hidden: list[_Split],
    scores: _Scores,
    rngs: list[np.random.Generator],
    shape: Shape,
    k: int,
    ratings: float,
    starts: list[np.ndarray],
) -> tuple[Key, tuple[float, ...]]:
    """Go down the precisions on the cycles for one k; return the key of the best, and the way to it."""
    paths = [
        Path(split.objective, shape, ratings, rng, start=start)
        for split, rng, start in zip(hidden, rngs, starts, strict=True)
    ]
    first = max(path.largest_useful() for path in paths)
    # A consistency v has no threshold below which it is 1 exactly.
    cycles = first * (RATIO_OF_CYCLES**4 if shape.consistency else 1.0)
    keys, worse = [], 0
    while worse < PATIENCE and cycles > LEAST:
        cycles /= RATIO_OF_CYCLES
        key = (k, ratings, cycles)
        losses = []
        for path, split in zip(paths, hidden, strict=True):
            fit = path.to(cycles)
            losses.append(split.losses(fit.U, fit.V))
        scores.losses[key] = np.concatenate(losses)
        keys.append(key)
        # Above the first precision cyclic parts are zero: what is tried there says nothing of them.
        worse = 0 if cycles >= first or scores.best(keys) == key else worse + 1
    if not keys:
        # Nothing is left that a cycle could explain.
        return (0, ratings, math.inf), ()
    best = scores.best(keys)
    return best, tuple(key[2] for key in keys[: keys.index(best) + 1])


def _lower_ratings(
    hidden: list[_Split],
    scores: _Scores,
    rngs: list[np.random.Generator],
    shape: Shape,
    chosen: Key,
    visited: tuple[float, ...],
) -> Key:
    """Lower the precision on the ratings as long as that predicts better, the others staying as they were chosen."""
    k, ratings, cycles = chosen
    while ratings / 10 > LEAST:
        ratings /= 10
        key, losses = (k, ratings, cycles), []
        for split, rng in zip(hidden, rngs, strict=True):
            path = Path(split.objective, shape, ratings, rng)
            for step in visited:
                fit = path.to(step)
            losses.append(split.losses(fit.U, fit.V))
        scores.losses[key] = np.concatenate(losses)
        if scores.mean(key) >= scores.mean(chosen):
            break
        chosen = key
    return chosen
