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
import scipy.sparse
import scipy.sparse.linalg
from scipy.special import expit

from transitivity.disc.component import disc_component
from transitivity.errors import InputError, check_count
from transitivity.fitting import tuning
from transitivity.fitting.ladder import Path, Shape
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff

CYCLIC, TRANSITIVE, UNDECIDED, BY_GRAPH = "cyclic", "transitive", "undecided", "transitive by the graph"
#: A league is cyclic when p is at most this.
LEVEL = 0.05
#: The planted cycle: the root mean square of its logits over the pairs. A logit of 0.5 turns 50 % into 62 %.
PLANTED = 0.5
#: How often it must be seen for a league to be called transitive, and how many cycles are planted to know.
POWER, N_PLANTED = 0.8, 50
#: The multiples of the games that are tried for the number that would decide, and the most players it may hang on.
MULTIPLES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
MOST_HINGES = 3
#: The block power iteration behind the largest singular value.
BLOCK, POWERS = 4, 15


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
    null : str
        "Elo" or "transitive disc": the null hypothesis that predicts hidden pairs better.
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
    null: str
    power: float
    games_needed: float
    hinges: tuple[str, ...]
    n_resamples: int


def transitivity_evidence(payoff: Payoff, n_resamples: int = 199, rng: np.random.Generator | None = None) -> Evidence:
    """Test whether a league counted from games is transitive.

    The null hypothesis is a transitive disc game: ratings u and consistencies v > 0, or v = 1 (Elo), fitted to the
    games with priors chosen on hidden pairs (`fitting.tuning`). The residual of a pair is games · (p - p̂) over its
    standard deviation √(games · p̂ (1 - p̂)). What a change of the ratings and consistencies would explain is removed, to
    first order: the residuals are projected on the complement of the tangent space of u and v. The rest is weighted by
    how much is known of both players, and T is the largest singular value of the skew-symmetric matrix that it makes. A
    cyclic part has its energy in few directions; luck spreads it over all of them.

    Results are drawn from the null hypothesis on the same pairs with the same numbers of games, `n_resamples` times,
    and p = (1 + #{T* >= T}) / (n_resamples + 1). Cycles are planted on top of it in the same way, to know whether they
    would have been seen.

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
        If the games are not known, or n_resamples is too small for the level of 0.05.
    """
    check_count("n_resamples", n_resamples, 19)
    if payoff.games is None:
        raise InputError(
            "The payoff does not know how many games its pairs played; give counts by pair, or judge an exact payoff "
            "by disc_component."
        )
    rng = np.random.default_rng(0) if rng is None else rng
    fit_rng, draw_rng, plant_rng = rng.spawn(3)
    u, v, null = _null(payoff, fit_rng)
    test = _Test(payoff, u, v)
    if test.rank_left == 0:
        return Evidence(BY_GRAPH, math.nan, 0.0, null, 0.0, math.inf, (), 0)
    residual = test.residual(payoff.p)
    drawn = np.array([test.residual(test.draw(draw_rng)) for _ in range(n_resamples)])
    statistic = test.statistic(residual)
    nulls = np.array([test.statistic(one) for one in drawn])
    p_value = _p_value(statistic, nulls)
    critical = float(np.quantile(nulls, 1 - LEVEL, method="higher"))
    signals = [test.planted(plant_rng) for _ in range(N_PLANTED)]
    noises = drawn[np.arange(N_PLANTED) % n_resamples]
    power = test.power(signals, noises, critical, 1.0)
    hinges: tuple[str, ...] = ()
    if p_value <= LEVEL:
        verdict, hinges = CYCLIC, _hinges(test, residual, drawn)
    else:
        verdict = TRANSITIVE if power >= POWER else UNDECIDED
    needed = 1.0
    if power < POWER:
        # Power grows with the games: the first multiple that suffices is found by halving the list.
        at = bisect.bisect_left(MULTIPLES, POWER, key=lambda multiple: test.power(signals, noises, critical, multiple))
        needed = float(MULTIPLES[at]) if at < len(MULTIPLES) else math.inf
    games = needed * float(payoff.games.sum())
    return Evidence(verdict, p_value, statistic, null, power, games, hinges, n_resamples)


def _p_value(statistic: float, nulls: np.ndarray) -> float:
    # What differs by rounding only is as large.
    return float(1 + (nulls >= statistic * (1 - 1e-9)).sum()) / (len(nulls) + 1)


def _null(payoff: Payoff, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, str]:
    """Return u and v of the best transitive fit, (n,), and what it is called."""
    loss = CrossEntropy()
    tune_rng, path_rng = rng.spawn(2)
    choice = tuning.tune(payoff, loss, lambda k: Shape(0, True), components=(1,), rng=tune_rng)
    objective = PairObjective(payoff, loss, weights=tuning.weights_by_games(payoff))
    path = Path(objective, Shape(0, True), choice.ratings, path_rng)
    best, null = path.last, "Elo"
    for precision in choice.visited if math.isfinite(choice.cycles) else ():
        fit = path.to(precision)
        # The disc may become cyclic on the way: the last transitive one is the null hypothesis.
        if not disc_component(fit.U[:, 0], fit.V[:, 0]).transitive:
            break
        best, null = fit, "transitive disc"
    return best.U[:, 0], best.V[:, 0], null


class _Test:
    """The statistic of a league under a null hypothesis u, v, for any results of the same games."""

    def __init__(self, payoff: Payoff, u: np.ndarray, v: np.ndarray) -> None:
        self.payoff, n, m = payoff, payoff.n_players, payoff.n_pairs
        i, j, games = payoff.i, payoff.j, payoff.games
        self.games = np.asarray(games, dtype=np.float64)
        self.expected = expit(u[i] * v[j] - v[i] * u[j])
        self.spread = np.sqrt(np.maximum(games * self.expected * (1 - self.expected), 1e-12))
        # Standardised residuals change with (u, v) along the columns of this matrix.
        pair = np.arange(m)
        rows = np.tile(pair, 4)
        columns = np.concatenate([i, j, n + j, n + i])
        entries = np.concatenate([v[j], -v[i], u[i], -u[j]]) * np.tile(self.spread, 4)
        tangent = scipy.sparse.csr_array((entries, (rows, columns)), shape=(m, 2 * n))
        self._projector(tangent)
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

    def _projector(self, tangent: scipy.sparse.csr_array) -> None:
        gram = (tangent.T @ tangent).toarray() if tangent.shape[1] <= 2000 else None
        self._tangent = tangent
        self.rank_left = tangent.shape[0] - _rank(tangent, gram)
        if gram is not None:
            values, vectors = np.linalg.eigh(gram)
            keep = values > 1e-9 * values[-1]
            self._half = vectors[:, keep] / np.sqrt(values[keep])
        else:
            self._half = None

    def residual(self, p: np.ndarray) -> np.ndarray:
        """Return the standardised residuals of payoffs p, (m,), without what u and v explain."""
        r = self.games * (p - self.expected) / self.spread
        return self.project(r)

    def project(self, r: np.ndarray) -> np.ndarray:
        """Remove what a change of u and v explains of standardised residuals, (m,)."""
        if self._half is not None:
            return r - self._tangent @ (self._half @ (self._half.T @ (self._tangent.T @ r)))
        return r - self._tangent @ scipy.sparse.linalg.lsqr(self._tangent, r, atol=1e-6, btol=1e-6)[0]

    def statistic(self, residual: np.ndarray, keep: np.ndarray | None = None) -> float:
        """Return the largest singular value, of some pairs only where `keep`, (m,) bool, is given."""
        return self._leading(residual, keep)[0]

    def leading_players(self, residual: np.ndarray, keep: np.ndarray) -> np.ndarray:
        """Return the weight of each player in the leading pair of singular vectors, (n,)."""
        return self._leading(residual, keep)[1]

    def _leading(self, residual: np.ndarray, keep: np.ndarray | None) -> tuple[float, np.ndarray]:
        entries = residual * self._weight
        if keep is not None:
            entries = np.where(keep, entries, 0.0)
        self._matrix.data = self._sign * entries[self._entry]
        Z = self._start
        for _ in range(POWERS):
            Z = np.linalg.qr(self._matrix @ Z)[0]
        B = Z.T @ (self._matrix @ Z)
        left, values, _ = np.linalg.svd((B - B.T) / 2)
        return float(values[0]), ((Z @ left[:, :2]) ** 2).sum(axis=1)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return payoffs of games drawn from the null hypothesis, (m,)."""
        return rng.binomial(self.games.astype(np.int64), self.expected) / self.games

    def planted(self, rng: np.random.Generator) -> np.ndarray:
        """Return the expected standardised residuals of a cycle of size `PLANTED`, (m,)."""
        i, j = self.payoff.i, self.payoff.j
        a, b = rng.standard_normal((2, self.payoff.n_players))
        x = a[i] * b[j] - b[i] * a[j]
        x *= PLANTED / math.sqrt(float(np.mean(x**2)))
        p = self.expected
        shifted = expit(np.log(p / (1 - p)) + x)
        return self.project(self.games * (shifted - p) / self.spread)

    def power(self, signals: list[np.ndarray], noises: np.ndarray, critical: float, multiple: float) -> float:
        """Return the share of planted cycles that are seen with so many times the games."""
        root = math.sqrt(multiple)
        seen = [self.statistic(root * signal + noise) > critical for signal, noise in zip(signals, noises, strict=True)]
        return float(np.mean(seen))


def _rank(tangent: scipy.sparse.csr_array, gram: np.ndarray | None) -> int:
    """Return the rank of the tangent space; of very many players the number of its columns less the gauge's."""
    if gram is None:
        return min(tangent.shape[0], tangent.shape[1] - 3)
    return int(np.linalg.matrix_rank(gram, tol=1e-9 * float(np.abs(gram).max()), hermitian=True))


def _hinges(test: _Test, residual: np.ndarray, drawn: np.ndarray) -> tuple[str, ...]:
    """Return the fewest players, at most `MOST_HINGES`, without whose games the league is not called cyclic."""
    payoff = test.payoff
    left_out: list[int] = []
    keep = np.ones(payoff.n_pairs, dtype=bool)
    for _ in range(MOST_HINGES):
        weight = test.leading_players(residual, keep)
        left_out.append(int(np.argmax(weight)))
        keep &= (payoff.i != left_out[-1]) & (payoff.j != left_out[-1])
        nulls = np.array([test.statistic(one, keep) for one in drawn])
        if _p_value(test.statistic(residual, keep), nulls) > LEVEL:
            return tuple(str(payoff.players[one]) for one in left_out)
    return ()
