"""Transitive, cyclic or undecided: what results of games say, with error rates (Section 3 on noisy data).

Luck alone makes the fitted disc of almost any league cyclic. So a league is called cyclic only when its results
contradict *transitivity*, which is more than contradicting Elo: the null hypothesis is the best transitive disc game
(v > 0, Proposition 2; Elo is the case v = 1). It is called transitive only when a cycle of a stated size would have
been seen. All else is undecided.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from transitivity.disc.component import BY_GRAPH, CYCLIC, TRANSITIVE, UNDECIDED
from transitivity.errors import InputError, check_count
from transitivity.fitting import tuning
from transitivity.fitting.ladder import Path, Shape
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability

#: A league is cyclic when p is at most this.
LEVEL = 0.05
#: The planted cycle: the root mean square of its logits over the pairs. A logit of 0.5 turns 50 % into 62 %.
PLANTED = 0.5
#: How often it must be seen for a league to be called transitive, and how many cycles are planted to know.
POWER, N_PLANTED = 0.95, 100
#: The standard deviation of consistencies around 1: of 100 players, about 95 have one from 0 to 2.
CONSISTENCY = 0.5
#: The strongest prior on the ratings of the null hypothesis: a standard deviation of 0.25 logits. A single pair of many
#: games that the others cannot predict would choose any.
STRONGEST = 16.0
#: Up to this number of unknowns the normal equations are factorised.
MOST_DENSE = 3000
#: The multiples of the games that are tried for the number that would decide, and the most players it may hang on.
MULTIPLES = (1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
MOST_HINGES = 3
#: The block power iteration behind the largest singular value.
BLOCK, POWERS = 4, 8


@dataclass(frozen=True)
class Evidence:
    """What the games of a league say about transitivity.

    Attributes
    ----------
    verdict : str
        `CYCLIC`, `TRANSITIVE`, `UNDECIDED`, or `BY_GRAPH` where the pairs that met form no cycle, so that ratings fit
        any results.
    p_value : float
        (1 + #{T* >= T}) / (B + 1) for the statistic T of the league and T* of leagues drawn from the null hypothesis.
    statistic : float
        T: the largest singular value of the standardised residuals of the transitive fit.
    power : float
        The share of planted cycles of size `PLANTED` that would have been called cyclic.
    games_needed : float
        The number of games of this league, in the same proportions among the same pairs, that would see `POWER` of
        them; infinite where more than 128 times the games would not.
    hinges : tuple of str
        The players without whom a cyclic league would not be called so, the fewest, at most three; empty otherwise.
    n_resamples : int
        B.
    """

    verdict: str
    p_value: float
    statistic: float
    power: float
    games_needed: float
    hinges: tuple[str, ...]
    n_resamples: int


def transitivity_evidence(payoff: Payoff, n_resamples: int = 199, rng: np.random.Generator | None = None) -> Evidence:
    """Test whether a league counted from games is transitive.

    The null hypothesis is a transitive disc game: ratings u and consistencies v >= 0, fitted to the games. Elo is the
    case v = 1. The priors are Gaussian: that on u is as wide as predicts hidden pairs best (`fitting.tuning`); v has
    the standard deviation `CONSISTENCY` around 1, or more where that predicts hidden pairs better. The residual of a
    pair is games · (p - p̂) over its standard deviation √(games · p̂ (1 - p̂)), weighted by how much is known of both
    players. T is the largest singular value of the skew-symmetric matrix of these residuals: a cyclic part has its
    energy in few directions, luck spreads it over all of them.

    u and v are drawn from their posterior, and results from them on the same pairs with the same numbers of games,
    `n_resamples` times. The null hypothesis is fitted anew to each draw, by one step of Newton's method with v kept at
    0 or above. p = (1 + #{T* >= T}) / (n_resamples + 1). Cycles are planted in the same way, to know whether they
    would have been seen. A draw counts as half a win, and drawn results have wins and losses only, which spread more: a
    league with many draws is called cyclic less often than the level allows.

    Parameters
    ----------
    payoff : Payoff
        Counted from games: `payoff.games` must be known, and whole.
    n_resamples : int
        B, at least 19; p cannot be below 1 / (B + 1).
    rng : numpy.random.Generator, optional
        The only source of randomness; a fixed one by default.

    Returns
    -------
    Evidence

    Raises
    ------
    InputError
        If the games are not known or not whole, or n_resamples is too small for the level of 0.05.
    """
    check_count("n_resamples", n_resamples, 19)
    if payoff.games is None or (payoff.games % 1 != 0).any():
        raise InputError(
            "The payoff does not know how many games its pairs played, as whole numbers; give counts by pair, or judge "
            "an exact payoff by disc_component."
        )
    if identifiability(payoff).cycles == 0:
        return Evidence(BY_GRAPH, math.nan, math.nan, 0.0, math.inf, (), 0)
    rng = np.random.default_rng(0) if rng is None else rng
    fit_rng, draw_rng, plant_rng = rng.spawn(3)
    test = _Test(payoff, *_null(payoff, fit_rng))
    drawn = np.array([test.draw(draw_rng) for _ in range(n_resamples)])
    residuals = [test.residual(p) for p in drawn]
    statistic = test.statistic(test.residual(payoff.p))
    nulls = np.array([test.statistic(one) for one in residuals])
    p_value = _p_value(statistic, nulls)
    # What a statistic must exceed for p <= LEVEL.
    critical = float(np.sort(nulls)[-math.floor(LEVEL * (n_resamples + 1))])
    signals = [test.planted(plant_rng) for _ in range(N_PLANTED)]
    noises = [residuals[at % n_resamples] for at in range(N_PLANTED)]
    power = test.power(signals, noises, critical, 1.0)
    hinges: tuple[str, ...] = ()
    if p_value <= LEVEL and _majorities_cycle(payoff):
        verdict, hinges = CYCLIC, _hinges(test, drawn)
    else:
        verdict = TRANSITIVE if power >= POWER and p_value > LEVEL else UNDECIDED
    needed = 1.0
    if power < POWER:
        # Power grows with the games: the first multiple that suffices is found by halving the list.
        at = bisect.bisect_left(MULTIPLES, POWER, key=lambda multiple: test.power(signals, noises, critical, multiple))
        needed = float(MULTIPLES[at]) if at < len(MULTIPLES) else math.inf
    games = needed * float(payoff.games.sum())
    return Evidence(verdict, p_value, statistic, power, games, hinges, n_resamples)


def _p_value(statistic: float, nulls: np.ndarray) -> float:
    # What differs by rounding only is as large.
    return float(1 + (nulls >= statistic * (1 - 1e-9)).sum()) / (len(nulls) + 1)


def _null(payoff: Payoff, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return u and v of the best transitive fit, (n,), and the precisions of the priors on u and v."""
    loss = CrossEntropy()
    tune_rng, path_rng = rng.spawn(2)
    choice = tuning.tune(payoff, loss, lambda k: Shape(0, True), components=(1,), rng=tune_rng)
    objective = PairObjective(payoff, loss, weights=tuning.weights_by_games(payoff))
    ratings = min(choice.ratings, STRONGEST)
    path = Path(objective, Shape(0, True), ratings, path_rng)
    last = min(choice.cycles, 1 / CONSISTENCY**2)
    fit = path.last
    for precision in last * 2.0 ** np.arange(12, -1, -1):
        found = path.to(precision)
        # The last one before a v becomes negative is the null hypothesis.
        if found.V[:, 0].min() < 0:
            break
        fit = found
    return fit.U[:, 0], fit.V[:, 0], ratings, last


def _majorities_cycle(payoff: Payoff) -> bool:
    """Whether some players each won most games against the next, around a circle; if not, an order fits all pairs."""
    winner = np.where(payoff.p > 0.5, payoff.i, payoff.j)
    loser = np.where(payoff.p > 0.5, payoff.j, payoff.i)
    decided = payoff.p != 0.5
    wins = scipy.sparse.csr_array(
        (np.ones(decided.sum()), (winner[decided], loser[decided])), shape=(payoff.n_players,) * 2
    )
    parts, _ = connected_components(wins, connection="strong")
    return bool(parts < payoff.n_players)


class _Refit:
    """Least squares with priors: θ that minimises ‖z - Gθ‖² + ‖√precision · θ - e‖²."""

    def __init__(self, tangent: scipy.sparse.csr_array, precision: np.ndarray) -> None:
        self.tangent, self.root = tangent, np.sqrt(precision)
        self._factor = None
        if len(precision) <= MOST_DENSE:
            self._factor = scipy.linalg.cho_factor((tangent.T @ tangent).toarray() + np.diag(precision))
        else:
            self._stacked = scipy.sparse.csr_array(scipy.sparse.vstack([tangent, scipy.sparse.diags_array(self.root)]))

    def solve(self, z: np.ndarray, e: np.ndarray | None = None) -> np.ndarray:
        e = np.zeros(len(self.root)) if e is None else e
        if self._factor is not None:
            return scipy.linalg.cho_solve(self._factor, self.tangent.T @ z + self.root * e)
        return scipy.sparse.linalg.lsqr(self._stacked, np.concatenate([z, e]), atol=1e-6, btol=1e-6)[0]


class _Test:
    """The statistic of a league under a null hypothesis u, v, for any results of the same games."""

    def __init__(self, payoff: Payoff, u: np.ndarray, v: np.ndarray, of_u: float, of_v: float) -> None:
        self.payoff, n, m = payoff, payoff.n_players, payoff.n_pairs
        i, j, games = payoff.i, payoff.j, payoff.games
        self.games = np.asarray(games, dtype=np.float64)
        self.u, self.v, self._precisions = u, v, (of_u, of_v)
        self.expected = self._chances(u, v)
        self.spread = np.sqrt(np.maximum(games * self.expected * (1 - self.expected), 1e-12))
        # Standardised residuals change with (u, v) along the columns of these matrices.
        pair = np.arange(m)
        rows, first, second = np.tile(pair, 2), np.concatenate([i, j]), np.concatenate([j, i])
        spread = np.tile(self.spread, 2)
        of_ratings = scipy.sparse.csr_array((np.concatenate([v[j], -v[i]]) * spread, (rows, first)), shape=(m, n))
        self._of_v = scipy.sparse.csr_array((np.concatenate([u[i], -u[j]]) * spread, (rows, second)), shape=(m, n))
        tangent = scipy.sparse.hstack([of_ratings, self._of_v]).tocsr()
        self._both = _Refit(tangent, np.repeat([of_u, of_v], n))
        self._ratings = _Refit(of_ratings, np.full(n, of_u))
        # The priors are around u = 0 and v = 1, the residuals around the fit.
        self._offset = tangent @ np.concatenate([u, v - 1])
        information = np.bincount(i, self.spread**2, n) + np.bincount(j, self.spread**2, n)
        # A player of whom little is known does not outweigh the others.
        scale = np.sqrt(information + information.mean())
        self._weight = 1 / (scale[i] * scale[j]) * self.spread
        structure = scipy.sparse.csr_array(
            (np.concatenate([pair + 1, -(pair + 1)]), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n)
        )
        self._entry, self._sign = np.abs(structure.data) - 1, np.sign(structure.data)
        self._matrix = structure.astype(float)
        self._start = np.random.default_rng(0).standard_normal((n, BLOCK))

    def _chances(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        i, j = self.payoff.i, self.payoff.j
        return expit(u[i] * v[j] - v[i] * u[j])

    def residual(self, p: np.ndarray) -> np.ndarray:
        """Return the standardised residuals of payoffs p, (m,), from u and v refitted to them by one step."""
        z = self.games * (p - self.expected) / self.spread + self._offset
        theta = self._both.solve(z)
        v = theta[len(self.v) :] + 1
        if (v >= 0).all():
            return z - self._both.tangent @ theta
        z = z - self._of_v @ (np.maximum(v, 0.0) - 1)
        return z - self._ratings.tangent @ self._ratings.solve(z)

    def statistic(self, residual: np.ndarray) -> float:
        """Return the largest singular value of the weighted residuals."""
        return self._leading(residual)[0]

    def leading_players(self, residual: np.ndarray) -> np.ndarray:
        """Return the weight of each player in the leading pair of singular vectors, (n,)."""
        return self._leading(residual)[1]

    def without(self, keep: np.ndarray) -> _Test:
        """Return the test on some of the pairs, (m,) bool, under the same null hypothesis."""
        return _Test(self.payoff.select_pairs(keep), self.u, self.v, *self._precisions)

    def _leading(self, residual: np.ndarray) -> tuple[float, np.ndarray]:
        entries = residual * self._weight
        self._matrix.data = self._sign * entries[self._entry]
        Z = self._start
        for _ in range(POWERS):
            Z = np.linalg.qr(self._matrix @ Z)[0]
        B = Z.T @ (self._matrix @ Z)
        left, values, _ = np.linalg.svd((B - B.T) / 2)
        return float(values[0]), ((Z @ left[:, :2]) ** 2).sum(axis=1)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return payoffs of games drawn from the null hypothesis, (m,), u and v being drawn from their posterior."""
        games, n = self.games, len(self.u)
        change = self._both.solve(rng.standard_normal(len(games)), rng.standard_normal(2 * n))
        p = self._chances(self.u + change[:n], np.maximum(self.v + change[n:], 0.0))
        return rng.binomial(games.astype(np.int64), p) / games

    def planted(self, rng: np.random.Generator) -> np.ndarray:
        """Return the expected standardised residuals of a cycle of size `PLANTED`, (m,)."""
        i, j = self.payoff.i, self.payoff.j
        a, b = rng.standard_normal((2, self.payoff.n_players))
        x = a[i] * b[j] - b[i] * a[j]
        x *= PLANTED / math.sqrt(float(np.mean(x**2)))
        p = self.expected
        shifted = expit(np.log(p / (1 - p)) + x)
        z = self.games * (shifted - p) / self.spread
        return z - self._both.tangent @ self._both.solve(z)

    def power(self, signals: list[np.ndarray], noises: list[np.ndarray], critical: float, multiple: float) -> float:
        """Return the share of planted cycles that are seen with so many times the games."""
        root = math.sqrt(multiple)
        seen = [self.statistic(root * signal + noise) > critical for signal, noise in zip(signals, noises, strict=True)]
        return float(np.mean(seen))


def _hinges(test: _Test, drawn: np.ndarray) -> tuple[str, ...]:
    """Return the fewest players, at most `MOST_HINGES`, without whose games the league is not called cyclic.

    The players are left out in the order of their weight in the leading pair of singular vectors. `drawn` are the
    payoffs of the draws, (B, m).
    """
    payoff = test.payoff
    left_out: list[int] = []
    keep = np.ones(payoff.n_pairs, dtype=bool)
    rest = test
    for _ in range(MOST_HINGES):
        weight = rest.leading_players(rest.residual(payoff.p[keep]))
        left_out.append(int(np.argmax(weight)))
        keep &= (payoff.i != left_out[-1]) & (payoff.j != left_out[-1])
        if not keep.any() or identifiability(payoff.select_pairs(keep)).cycles == 0:
            break
        rest = test.without(keep)
        nulls = np.array([rest.statistic(rest.residual(p)) for p in drawn[:, keep]])
        if _p_value(rest.statistic(rest.residual(payoff.p[keep])), nulls) > LEVEL:
            break
    else:
        return ()
    return tuple(str(payoff.players[one]) for one in left_out)
