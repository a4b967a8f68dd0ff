"""Transitive, cyclic or undecided: what results of games say, with error rates (Section 3 on noisy data).

Luck alone makes the fitted disc of almost any league cyclic. So a league is called cyclic only when its results
contradict *transitivity*, which is more than contradicting Elo: the null hypothesis is a transitive disc game (v > 0,
Proposition 2; Elo is the case v = 1) of which a share of the games is decided by a coin. It is called transitive only
when a cycle of a stated size would have been seen. All else is undecided. Games of a pair are taken as independent,
with one probability.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit

from transitivity.disc.component import BY_GRAPH, CYCLIC, TRANSITIVE, UNDECIDED
from transitivity.errors import InputError, check_count
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability

#: A league is cyclic when p is at most this.
LEVEL = 0.05
#: The planted cycle: the root mean square of its logits over the pairs. A logit of 0.5 turns 50 % into 62 %.
PLANTED = 0.5
#: How often it must be seen for a league to be called transitive, and how many cycles are planted to know.
POWER, N_PLANTED = 0.95, 100
#: The standard deviation of the logarithms of consistencies: of 100 players, about 95 have one from 0.37 to 2.7.
CONSISTENCY = 0.5
#: The shares of games decided by a coin that are tried. With 0.45 and ratings far apart the better player of any pair
#: wins about 77 %.
#: Where that is 99 %, a share of 0.02 is needed: neither 0 nor 0.15 fits it.
LAPSES = (0.0, 0.02, 0.05, 0.15, 0.3, 0.45, 0.6)
#: A coin's share l stands for links of an unknown shape, which it does not fit exactly: T is divided by 1 + l / 10.
ALLOWANCE = 0.1
#: The powers of score differences that are tried as log-odds, with their sign: with 2, small differences decide little
#: and large ones nearly everything.
LINKS = (1.0, 1.5, 2.0)
#: By how much the log-likelihood must rise for the next of these.
CLEARLY = 5.0
#: The precisions of the prior on ratings: standard deviations of 4.5 to 0.25 logits.
WEAKEST, STRONGEST = 0.05, 16.0
#: A precision that stands for an infinite one.
FIXED = 1e9
#: A pair counts for the statistic by g / (1 + g / FEW): more than some games say little more about cycles of `PLANTED`.
FEW = 16.0
#: Up to this number of unknowns the normal equations are factorised.
MOST_DENSE = 3000
#: The multiples of the games that are tried for the number that would decide, with how many draws, and the most players
#: that a verdict may hang on.
MULTIPLES = (1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
N_TRIED = 39
MOST_HINGES = 3
#: The block power iteration behind the largest singular value.
BLOCK, POWERS = 8, 24
#: Fits end when a step raises the log-likelihood by less than this, or after so many steps.
LEAST_GAIN, MOST_STEPS = 0.01, 40
#: The numbers, draws times pairs, that are worked on at once.
AT_ONCE = 2_000_000


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
        T: the largest singular value of the weighted residuals of the transitive fit.
    power : float
        The share of planted cycles of size `PLANTED` that would have been called cyclic.
    games_needed : float
        About how many games of this league, in the same proportions among the same pairs, would see `POWER` of them,
        rounded up to one digit; NaN where its own games do, infinite where more than 128 times the games would not.
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

    The null hypothesis: P(i beats j) = l / 2 + (1 - l) σ(±|x|ᵍ), x = uᵢ vⱼ - vᵢ uⱼ, with ratings u, consistencies v > 0
    and l, the share of games that a coin decides. g and l stand for other links than the logistic: l > 0 for that of a
    game in which the better player wins 75 %, however much better, g > 1 for one in which small differences hardly
    count and large ones decide. The priors are Gaussian: that on u is as wide as makes the results of an Elo most
    likely, for each l of `LAPSES` and g of `LINKS`, and these are the likeliest (Laplace's approximation), g > 1 only
    where it is so clearly; log v has the standard deviation `CONSISTENCY`. T is the largest singular value of the
    skew-symmetric matrix of residuals p - p̂, weighted by games (`FEW`) and by how much is known of both players: a
    cyclic part has its energy in few directions, luck spreads it over all of them.

    u and v are drawn from their posterior, and results from them on the same pairs with the same numbers of games,
    `n_resamples` times. u and v are fitted anew to each draw. p = (1 + #{T* >= T}) / (n_resamples + 1). Cycles are
    planted in the same way, to know whether they would have been seen. A draw counts as half a win, and drawn results
    have wins and losses only, which spread more: a league with many draws is called cyclic less often than the level
    allows.

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
    fit_rng, draw_rng, plant_rng, more_rng = rng.spawn(4)
    test = _null(payoff, fit_rng)
    drawn = test.draw(n_resamples, draw_rng)
    statistic, nulls = float(test.observed(payoff.p[None])[0]), test.statistics(drawn)
    p_value = _p_value(statistic, nulls)
    power = test.power(nulls, N_PLANTED, plant_rng)
    hinges: tuple[str, ...] = ()
    if p_value <= LEVEL and _majorities_cycle(payoff, payoff.p):
        verdict, hinges = CYCLIC, _hinges(test, drawn)
    else:
        verdict = TRANSITIVE if power >= POWER and p_value > LEVEL else UNDECIDED
    needed = math.nan
    if power < POWER:
        # Power grows with the games: the first multiple that suffices is found by halving the list.
        at = bisect.bisect_left(MULTIPLES, POWER, key=lambda multiple: test.power_with(multiple, more_rng.spawn(1)[0]))
        needed = _rounded_up(MULTIPLES[at] * float(payoff.games.sum())) if at < len(MULTIPLES) else math.inf
    return Evidence(verdict, p_value, statistic, power, needed, hinges, n_resamples)


def _rounded_up(number: float) -> float:
    """Return a number rounded up to one digit."""
    unit = 10.0 ** math.floor(math.log10(number))
    return unit * math.ceil(number / unit)


def games_in_words(needed: float) -> str:
    """Return `Evidence.games_needed` as text; "" where no more are needed, or nothing was tested."""
    if math.isnan(needed):
        return ""
    return f"about {needed:,.0f}" if math.isfinite(needed) else f"more than {MULTIPLES[-1]} times as many"


def _p_value(statistic: float, nulls: np.ndarray) -> float:
    # What differs by rounding only is as large.
    return float(1 + (nulls >= statistic * (1 - 1e-9)).sum()) / (len(nulls) + 1)


def _null(payoff: Payoff, rng: np.random.Generator) -> _Test:
    """Return the test under the likeliest null hypothesis: g, l and the prior on the ratings are chosen with v = 1."""
    n = payoff.n_players
    # The same noise for every candidate, as much of it as a mean over all players needs.
    noise = [rng.standard_normal((-(-2000 // n), size)) for size in (payoff.n_pairs, 2 * n)]
    best, chosen = -math.inf, (0.0, 1.0, np.zeros(2 * n), 1.0)
    for link in LINKS:
        # A power has no slope at 0: it starts from the ratings of the best before.
        (_, ratings, theta, _), top, found = chosen, -math.inf, chosen
        for lapse in LAPSES:
            for _ in range(25):
                test = _Test(payoff, theta, lapse, ratings, FIXED, link).fitted()
                theta, last = test.theta, ratings
                # The prior is as wide as the ratings are expected to be (expectation and maximisation).
                size = (theta[:n] ** 2).mean() + (test.deviations(*noise)[:, :n] ** 2).mean()
                ratings = min(max(1 / float(size), WEAKEST), STRONGEST)
                if abs(math.log(ratings / last)) < 0.05:
                    break
            likelihood = test.log_likelihood()
            if likelihood > top:
                top, found = likelihood, (lapse, ratings, theta, link)
            elif likelihood < top - 10:
                break
        # Of even players Laplace's approximation says too much good of a power.
        if top < best + CLEARLY:
            break
        best, chosen = top, found
    lapse, ratings, theta, link = chosen
    return _Test(payoff, theta, lapse, ratings, CONSISTENCY**-2, link).fitted()


def _majorities_cycle(payoff: Payoff, p: np.ndarray) -> bool:
    """Whether some players each won most games against the next, around a circle; if not, an order fits all pairs."""
    winner, loser = np.where(p > 0.5, (payoff.i, payoff.j), (payoff.j, payoff.i))
    decided = p != 0.5
    wins = scipy.sparse.csr_array(
        (np.ones(decided.sum()), (winner[decided], loser[decided])), shape=(payoff.n_players,) * 2
    )
    parts, _ = connected_components(wins, connection="strong")
    return bool(parts < payoff.n_players)


class _Test:
    """The statistic of a league under a null hypothesis, for any results of the same games.

    Parameters
    ----------
    payoff : Payoff
    theta : (2 n,) array
        u and log v, at which the second derivatives are taken.
    lapse : float
        l, the share of games that a coin decides.
    of_ratings, of_consistencies : float
        The precisions of the priors on u and log v, around 0.
    link : float
        The power of the score that is the log-odds, one of `LINKS`.
    """

    def __init__(
        self,
        payoff: Payoff,
        theta: np.ndarray,
        lapse: float,
        of_ratings: float,
        of_consistencies: float,
        link: float = 1.0,
    ) -> None:
        self.payoff, self.theta, self.lapse, self.priors = payoff, theta, lapse, (of_ratings, of_consistencies)
        self.link = link
        self.games = np.asarray(payoff.games, dtype=np.float64)
        i, j, n, m = payoff.i, payoff.j, payoff.n_players, payoff.n_pairs
        self._precision = np.repeat(self.priors, n)
        self._first, self._second = (
            scipy.sparse.csr_array((np.ones(m), (np.arange(m), player)), shape=(m, n)) for player in (i, j)
        )
        chance, slope = self._chances(theta)
        u, v = theta[:n], np.exp(theta[n:])
        root = np.sqrt(self.games / (chance * (1 - chance))) * slope
        # Standardised residuals change with θ along the columns of this matrix.
        columns = (root * v[j], -root * v[i], root * u[i] * v[j], -root * v[i] * u[j])
        at = np.tile(np.arange(m), 4), np.concatenate([i, j, n + j, n + i])
        self._tangent = scipy.sparse.csr_array((np.concatenate(columns), at), shape=(m, 2 * n))
        self._factor = None
        if 2 * n <= MOST_DENSE:
            hessian = (self._tangent.T @ self._tangent).toarray() + np.diag(self._precision)
            self._factor = scipy.linalg.cho_factor(hessian)
        self._diagonal = np.asarray(self._tangent.multiply(self._tangent).sum(axis=0)).ravel() + self._precision
        counted = self.games / (1 + 4 * chance * (1 - chance) * self.games / FEW)
        known = counted * chance * (1 - chance)
        information = np.bincount(i, known, n) + np.bincount(j, known, n)
        # A player of whom little is known does not outweigh the others.
        scale = np.sqrt(information + information.mean())
        self._weight = counted / (scale[i] * scale[j])
        pair = np.arange(m)
        structure = scipy.sparse.csr_array(
            (np.concatenate([pair + 1, -(pair + 1)]), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n)
        )
        self._entry, self._sign, self._structure = np.abs(structure.data) - 1, np.sign(structure.data), structure

    # ---------------------------------------------------------------- the fit

    def _parts(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return u and v of the first and of the second player of each pair."""
        i, j, n = self.payoff.i, self.payoff.j, self.payoff.n_players
        u, v = theta[..., :n], np.exp(theta[..., n:])
        return u[..., i], v[..., i], u[..., j], v[..., j]

    def _chances(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return P̂ of every pair, and its slope in the score."""
        u, v, other_u, other_v = self._parts(theta)
        x, steep = u * other_v - v * other_u, 1.0
        if self.link != 1:
            size = np.abs(x)
            x, steep = np.sign(x) * size**self.link, self.link * size ** (self.link - 1)
        one = expit(x)
        chance = self.lapse / 2 + (1 - self.lapse) * one
        return np.clip(chance, 1e-12, 1 - 1e-12), (1 - self.lapse) * one * (1 - one) * steep

    def _value(self, theta: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of payoffs p with the log-density of the priors."""
        chance = self._chances(theta)[0]
        value = self.games * (p * np.log(chance) + (1 - p) * np.log1p(-chance))
        return value.sum(axis=-1) - (self._precision * theta**2).sum(axis=-1) / 2

    def _inverse(self, gradient: np.ndarray) -> np.ndarray:
        """Return gradients times the inverse of the second derivatives at `theta`, or of their diagonal."""
        if self._factor is None:
            return gradient / self._diagonal
        return scipy.linalg.cho_solve(self._factor, gradient.T).T

    def _climb(self, p: np.ndarray) -> np.ndarray:
        """Return u and log v, (B, 2n), fitted to payoffs p, (B, m), by preconditioned conjugate gradients."""
        theta = np.tile(self.theta, (len(p), 1))
        value, n = self._value(theta, p), self.payoff.n_players
        direction, before, inverse_before = np.zeros_like(theta), np.ones_like(theta), np.ones_like(theta)
        # Where a step led down, and at first, the next one follows the gradient.
        worse = np.ones(len(p), dtype=bool)
        for _ in range(MOST_STEPS):
            u, v, other_u, other_v = self._parts(theta)
            chance, slope = self._chances(theta)
            spread = chance * (1 - chance)
            pull = self.games * (p - chance) / spread * slope
            one, two = pull * u * other_v, pull * v * other_u
            gradient = -self._precision * theta
            gradient[:, :n] += (pull * other_v) @ self._first - (pull * v) @ self._second
            gradient[:, n:] += one @ self._second - two @ self._first
            inverse = self._inverse(gradient)
            ratio = (inverse * (gradient - before)).sum(axis=1)
            ratio /= np.maximum((inverse_before * before).sum(axis=1), 1e-300)
            direction = inverse + np.where(worse, 0, np.maximum(ratio, 0))[:, None] * direction
            before, inverse_before = gradient, inverse
            change_u, change_v = direction[:, :n], np.exp(theta[:, n:]) * direction[:, n:]
            i, j = self.payoff.i, self.payoff.j
            change = change_u[:, i] * other_v + u * change_v[:, j] - change_v[:, i] * other_u - v * change_u[:, j]
            curvature = self.games * (slope * change) ** 2 / spread
            bend = curvature.sum(axis=1) + (self._precision * direction**2).sum(axis=1)
            length = (gradient * direction).sum(axis=1) / np.maximum(bend, 1e-300)
            for _ in range(6):
                further = theta + length[:, None] * direction
                reached = self._value(further, p)
                worse = reached < value
                if not worse.any():
                    break
                length = np.where(worse, length / 4, length)
            gain = np.where(worse, 0, reached - value)
            theta, value = np.where(worse[:, None], theta, further), value + gain
            if gain.max() < LEAST_GAIN:
                break
        return theta

    def fitted(self) -> _Test:
        """Return the test with u and v fitted to the league, and the derivatives there."""
        test, value = self, -math.inf
        for _ in range(20):
            theta = test._climb(self.payoff.p[None])[0]
            test, last = _Test(self.payoff, theta, self.lapse, *self.priors, self.link), value
            value = float(self._value(theta, self.payoff.p))
            if value < last + LEAST_GAIN:
                break
        return test

    def log_likelihood(self) -> float:
        """Return Laplace's approximation of the log-likelihood of the league, u and v integrated out."""
        volume = np.log(self._diagonal) if self._factor is None else 2 * np.log(np.diag(self._factor[0]))
        value = self._value(self.theta, self.payoff.p)
        return float(value + (np.log(self._precision).sum() - volume.sum()) / 2)

    # ---------------------------------------------------------------- the statistic

    def _residuals(self, p: np.ndarray) -> np.ndarray:
        """Return the weighted residuals of payoffs p, (B, m), from u and v fitted to each."""
        return self._weight * (p - self._chances(self._climb(p))[0])

    def _leading(self, residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest singular value of B matrices, and the weight of each player in its vectors, (B, n)."""
        count, n = len(residuals), self.payoff.n_players
        # All matrices at once, as blocks along a diagonal.
        entries = (self._sign * residuals[:, self._entry]).ravel()
        columns = (self._structure.indices + n * np.arange(count)[:, None]).ravel()
        rows = np.append((self._structure.indptr[:-1] + len(self._sign) * np.arange(count)[:, None]), len(entries))
        matrix = scipy.sparse.csr_array((entries, columns, rows), shape=(count * n,) * 2)
        Z = np.tile(np.random.default_rng(0).standard_normal((n, min(n, BLOCK))), (count, 1))
        for _ in range(POWERS):
            Z = np.linalg.qr((matrix @ Z).reshape(count, n, -1))[0].reshape(count * n, -1)
        blocks = Z.reshape(count, n, -1)
        small = blocks.transpose(0, 2, 1) @ (matrix @ Z).reshape(blocks.shape)
        left, values, _ = np.linalg.svd((small - small.transpose(0, 2, 1)) / 2)
        return values[:, 0], ((blocks @ left[:, :, :2]) ** 2).sum(axis=2)

    def statistics(self, p: np.ndarray) -> np.ndarray:
        """Return T of payoffs p, (B, m)."""
        return np.concatenate([self._leading(self._residuals(p[part]))[0] for part in self._parts_of(len(p))])

    def observed(self, p: np.ndarray) -> np.ndarray:
        """Return T of leagues, (B, m), less what is granted to links that l does not fit exactly."""
        return self.statistics(p) / (1 + ALLOWANCE * self.lapse)

    def leading_player(self) -> int:
        """Return the player of the largest weight in the leading singular vectors of the league's residuals."""
        return int(np.argmax(self._leading(self._residuals(self.payoff.p[None]))[1]))

    def _parts_of(self, count: int) -> Iterator[slice]:
        size = max(1, AT_ONCE // (self.payoff.n_pairs + 2 * self.payoff.n_players))
        return (slice(start, start + size) for start in range(0, count, size))

    def without(self, keep: np.ndarray) -> _Test:
        """Return the test on some of the pairs, (m,) bool, under the same null hypothesis."""
        return _Test(self.payoff.select_pairs(keep), self.theta, self.lapse, *self.priors, self.link)

    # ---------------------------------------------------------------- draws

    def deviations(self, of_games: np.ndarray, of_priors: np.ndarray) -> np.ndarray:
        """Return draws from the posterior of θ less its mode, (B, 2n), made of standard normal noise."""
        if self._factor is None:
            # The least squares problem whose solution has the posterior's distribution.
            root = scipy.sparse.diags_array(np.sqrt(self._precision))
            stacked = scipy.sparse.csr_array(scipy.sparse.vstack([self._tangent, root]))
            noise = np.hstack([of_games, of_priors])
            return np.array([scipy.sparse.linalg.lsqr(stacked, one, atol=1e-3, btol=1e-3)[0] for one in noise])
        return self._inverse(of_games @ self._tangent + np.sqrt(self._precision) * of_priors)

    def draw(self, count: int, rng: np.random.Generator, planted: float = 0.0) -> np.ndarray:
        """Return payoffs of games drawn from the null hypothesis, (B, m), plus a cycle of a size in logits.

        u and v are drawn from their posterior.
        """
        i, j, n, m = self.payoff.i, self.payoff.j, self.payoff.n_players, self.payoff.n_pairs
        drawn = []
        for part in self._parts_of(count):
            size = len(range(count)[part])
            theta = self.theta + self.deviations(rng.standard_normal((size, m)), rng.standard_normal((size, 2 * n)))
            chance = self._chances(theta)[0]
            if planted:
                a, b = rng.standard_normal((2, size, n))
                cycle = a[:, i] * b[:, j] - b[:, i] * a[:, j]
                root = np.sqrt((cycle**2).mean(axis=1, keepdims=True))
                chance = expit(logit(chance) + planted * cycle / root)
            drawn.append(rng.binomial(self.games.astype(np.int64), chance) / self.games)
        return np.concatenate(drawn)

    def power(self, nulls: np.ndarray, count: int, rng: np.random.Generator) -> float:
        """Return the share of planted cycles that would be called cyclic, given statistics of the null hypothesis."""
        drawn = self.draw(count, rng, PLANTED)
        called = [
            _p_value(one, nulls) <= LEVEL and _majorities_cycle(self.payoff, p)
            for one, p in zip(self.observed(drawn), drawn, strict=True)
        ]
        return float(np.mean(called))

    def power_with(self, multiple: float, rng: np.random.Generator) -> float:
        """Return about what the power would be with so many times the games of every pair."""
        league = self.payoff
        games = np.ceil(multiple * self.games)
        more = _Test(
            Payoff(league.players, league.i, league.j, league.p, games), self.theta, self.lapse, *self.priors, self.link
        )
        return more.power(more.statistics(more.draw(N_TRIED, rng)), N_TRIED, rng)


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
        left_out.append(rest.leading_player())
        keep &= (payoff.i != left_out[-1]) & (payoff.j != left_out[-1])
        if not keep.any() or identifiability(payoff.select_pairs(keep)).cycles == 0:
            break
        rest = test.without(keep)
        if not _majorities_cycle(rest.payoff, rest.payoff.p):
            break
        nulls = rest.statistics(drawn[:, keep])
        if _p_value(float(rest.observed(payoff.p[None, keep])[0]), nulls) > LEVEL:
            break
    else:
        return ()
    return tuple(str(payoff.players[one]) for one in left_out)
