"""Players and pairs of a league: ratings with intervals, results against the odds, and cycles of three.

All of it rests on a tuned Elo: games counted one by one, and a Gaussian prior on the ratings, whose precision τ
predicts hidden pairs best (`fitting.tuning`). Neighbours in that grid of precisions differ by √10, too much for
intervals of the right width. So τ then moves to the maximum of the marginal likelihood (MacKay 1992) times what is
assumed of all leagues, log τ ~ N(0, 1): the ratings have a standard deviation of about a logit, by a factor of 1.6.
From there it goes one standard error down: a prior that is too strong makes intervals too narrow, one that is too weak
hardly changes them.

The penalised log-likelihood has the observed information H = Σ m p̂ (1 - p̂) (eᵢ - eⱼ)(eᵢ - eⱼ)ᵀ + τ I, with m the games
of a pair, and N(ratings, H⁻¹) is taken for what is known of the ratings. A draw counts as half a win, so that the
score of a game with draws varies less than the model thinks: where draws are frequent, intervals are too wide and
p-values too large, not the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from scipy.special import bdtr, bdtrc, betainc, chdtrc, digamma, expit, ndtri

from transitivity.disc.component import disc_component, skill_and_consistency
from transitivity.errors import InputError, amount, check_number
from transitivity.models import Disc, Elo
from transitivity.models._base import default_rng
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import component_labels

#: Elo points in a natural logit.
POINTS = 400 / math.log(10)
#: The share of intervals that are to hold the truth, and the share of false discoveries among what is listed.
LEVEL, FALSE_DISCOVERIES = 0.9, 0.1
#: Draws from the approximation, and what they may have of numbers: of very many players there are fewer.
N_DRAWS, MOST_DRAWN = 4000, 10_000_000
#: Up to this number of players H is inverted; beyond, it is only solved for each draw.
INVERTED = 3000
#: Steps to the maximum of the marginal likelihood: the most, and the change of log τ that ends them.
MOST_STEPS, LAST_STEP = 20, 0.02
#: Ratings that differ by less than this, which the solver may leave, are equal.
EQUAL = 1e-6
#: The most cycles of three that a table lists.
MOST_TRIPLES = 500

RATINGS = (
    "player rating points low high points_low points_high prior_points p_equal apart p_others rank rank_low rank_high "
    "games opponents component p_best p_above_next skill consistency note"
).split()
SURPRISES = "player_a player_b games expected observed p_value q_value tested note".split()
TRIPLES = (
    "player_a player_b player_c score_ab score_bc score_ca games_ab games_bc games_ca support_ab support_bc support_ca "
    "p_value q_value tested note"
).split()
#: The weakest prior: a standard deviation of 4 logits. Without upsets the games alone would set no limit.
WEAKEST = 1 / 16
#: The test of players that are all equal: its level, and the leagues that are drawn.
EQUAL_LEVEL, N_EQUAL = 0.05, 999


@dataclass(eq=False)
class RatedLeague:
    """A tuned Elo of a league and what is known of its ratings.

    Players of different components of the graph of pairs cannot be compared: ratings have mean zero, and ranks start
    at 1, in each component.

    Parameters
    ----------
    payoff : Payoff
        Counted from games.
    rng : numpy.random.Generator, optional
        The only source of randomness; a fixed one by default.

    Attributes
    ----------
    model : Elo
        The tuned fit.
    precision : float
        τ of its prior, against the summed log-loss.
    p_equal : float
        How likely a spread of scores as wide as this is if all players are equal: `_p_equal`.
    apart : str
        The one player whose games show that players differ, where those of the others do not; empty otherwise.
    p_others : float
        p_equal of the others then, else NaN.
    component : (n,) int array
        1 for the players of the largest component, and so on.
    ratings : (n,) array
        In natural logits, mean zero in each component.
    deviation : (n,) array
        Their standard deviations.
    games : (m,) array
        Of each pair.
    draws : (n_draws, n) array
        Ratings drawn from the approximation.
    pair_variance : (m,) array
        The variance of the difference of the ratings of each pair.

    Raises
    ------
    InputError
        If the payoff does not know its games.
    """

    payoff: Payoff
    rng: np.random.Generator | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        payoff = self.payoff
        if payoff.games is None:
            raise InputError(
                "The payoff does not know how many games its pairs played, so ratings have no intervals; give counts "
                "by pair."
            )
        self.games = payoff.games
        n, m = payoff.n_players, payoff.n_pairs
        pair = np.tile(np.arange(m), 2)
        players = np.concatenate([payoff.i, payoff.j])
        self._signs = scipy.sparse.csr_array((np.repeat([1.0, -1.0], m), (pair, players)), shape=(m, n))
        label = component_labels(payoff)
        by_size = np.argsort(np.argsort(-np.bincount(label), kind="stable"))
        self.component = by_size[label] + 1
        self._size = np.bincount(self.component)
        fit_rng, draw_rng, equal_rng = default_rng(self.rng).spawn(3)
        self.p_equal = _p_equal(payoff, self._signs, equal_rng)
        self.apart, self.p_others = "", math.nan
        if self.p_equal <= EQUAL_LEVEL:
            self.apart, self.p_others = _apart(payoff, self._signs, equal_rng)
        self._fit("validated", fit_rng)
        for _ in range(MOST_STEPS):
            trace, mean = self._trace_and_mean(draw_rng)
            known = n - self.precision * trace
            # The slope of the logarithm of both in log τ, and its curvature (known / 2 of the likelihood).
            slope = (known - self.precision * float(mean @ mean)) / 2 - math.log(self.precision)
            curvature = known / 2 + 1
            better = self.precision * math.exp(float(np.clip(slope / curvature, -2, 2)))
            # Where luck hides the spread of the ratings, the prior counts as much as the games of a player, not more;
            # of a few games, as much as is assumed of all leagues.
            most = max(2 * float(self._information.sum()) / n, 1.0)
            better = float(np.clip(better, WEAKEST, most))
            last = abs(math.log(better / self.precision)) < LAST_STEP
            if last:
                better = max(better * math.exp(-1 / math.sqrt(curvature)), WEAKEST)
            self._fit(better, fit_rng)
            if last:
                break
        self.ratings = self._centred(self.model.ratings_)
        self._approximate(draw_rng)

    @property
    def prior_deviation(self) -> float:
        """The standard deviation of the prior on the ratings, in natural logits: what is known without games."""
        return 1 / math.sqrt(self.precision)

    def _fit(self, regularisation: float | str, rng: np.random.Generator) -> None:
        """Fit Elo with a precision, and take the observed information there."""
        payoff = self.payoff
        self.model = Elo(weights="games", regularisation=regularisation).fit(payoff, rng)
        self.precision = self.model.choice_.ratings
        self._expected = np.asarray(self.model.predict(payoff.i, payoff.j))
        self._information = payoff.games * self._expected * (1 - self._expected)
        self._H = (self._signs.T * self._information) @ self._signs
        self._H = (self._H + self.precision * scipy.sparse.eye_array(payoff.n_players)).tocsr()

    def _trace_and_mean(self, rng: np.random.Generator) -> tuple[float, np.ndarray]:
        """Return the trace of H⁻¹ and the mean of the ratings; of very many players, estimates.

        The mean is not at the optimum: to first order, the skewness of the likelihood shifts it by
        -H⁻¹ Σ m p̂ (1 - p̂) (1 - 2 p̂) s (eᵢ - eⱼ) / 2, with s the variance of the pair's difference.
        """
        i, j, H = self.payoff.i, self.payoff.j, self._H
        if self.payoff.n_players <= INVERTED:
            covariance = np.linalg.inv(H.toarray())
            trace, s = float(np.trace(covariance)), _of_pairs(covariance, i, j)
        else:
            noises = rng.standard_normal((10, self.payoff.n_players))
            trace = float(np.mean([self._solved(noise) @ noise for noise in noises]))
            s = 1 / H.diagonal()[i] + 1 / H.diagonal()[j]
        skewness = self._signs.T @ (self._information * (1 - 2 * self._expected) * s)
        return trace, self.model.ratings_ - self._solved(skewness) / 2

    def _solved(self, noise: np.ndarray) -> np.ndarray:
        """Return H⁻¹ times a vector."""
        jacobi = scipy.sparse.diags_array(1 / self._H.diagonal())
        return scipy.sparse.linalg.cg(self._H, noise, rtol=1e-5, M=jacobi)[0]

    def _centred(self, ratings: np.ndarray) -> np.ndarray:
        """Subtract the mean of each component, along the last axis."""
        members = scipy.sparse.csr_array(
            (np.ones(len(self.component)), (np.arange(len(self.component)), self.component))
        )
        means = (ratings @ members) / np.maximum(self._size, 1)
        # What differs from 0 by rounding only is 0.
        return np.round(ratings - means[..., self.component], 12)

    def _approximate(self, rng: np.random.Generator) -> None:
        payoff, n, m = self.payoff, self.payoff.n_players, self.payoff.n_pairs
        n_draws = max(200, min(N_DRAWS, MOST_DRAWN // n))
        if n <= INVERTED:
            covariance = np.linalg.inv(self._H.toarray())
            factor = scipy.linalg.cholesky((covariance + covariance.T) / 2, lower=True)
            self.draws = self.ratings + self._centred(rng.standard_normal((n_draws, n)) @ factor.T)
            self.deviation = np.linalg.norm(self._centred(factor.T), axis=0)
            self.pair_variance = _of_pairs(covariance, payoff.i, payoff.j)
            return
        # H⁻¹ times noise of covariance H has the covariance H⁻¹.
        self.draws = np.empty((n_draws, n))
        for draw in self.draws:
            noise = self._signs.T @ (np.sqrt(self._information) * rng.standard_normal(m))
            noise += math.sqrt(self.precision) * rng.standard_normal(n)
            draw[:] = self.ratings + self._centred(self._solved(noise))
        self.deviation = self.draws.std(axis=0)
        self.pair_variance = np.array(
            [np.var(self.draws[:, i] - self.draws[:, j]) for i, j in zip(payoff.i, payoff.j, strict=True)]
        )

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Return the difference of the ratings of two players and its standard deviation.

        How the components compare, the prior alone says.
        """
        draws = self.draws[:, a] - self.draws[:, b]
        deviation = float(draws.std())
        if self.component[a] != self.component[b]:
            sizes = self._size[self.component[[a, b]]]
            deviation = math.hypot(deviation, math.sqrt((1 / sizes).sum() / self.precision))
        return float(self.ratings[a] - self.ratings[b]), deviation


def _p_equal(payoff: Payoff, signs: scipy.sparse.csr_array, rng: np.random.Generator) -> float:
    """Return how likely a spread of scores as wide as this, or wider, is if a coin decides every game.

    The score test of Elo: U = Σ m (p - 1/2) (eᵢ - eⱼ) has the covariance Σ m (eᵢ - eⱼ)(eᵢ - eⱼ)ᵀ / 4 = V, and
    T = Uᵀ V⁺ U is compared with that of drawn results; of very many players, with its limit, chi-squared. Draws vary
    less than the wins and losses that are drawn, so that p is too large where they are frequent.
    """
    n, component, games = payoff.n_players, component_labels(payoff), np.asarray(payoff.games)
    V = (signs.T * (games / 4)) @ signs
    U = signs.T @ (games * (payoff.p - 0.5))
    if n > INVERTED:
        # A little more than V, so that it can be solved with.
        V = V + 1e-9 * scipy.sparse.eye_array(n)
        jacobi = scipy.sparse.diags_array(1 / V.diagonal())
        T = float(U @ scipy.sparse.linalg.cg(V, U, rtol=1e-6, M=jacobi)[0])
        return float(chdtrc(n - len(np.unique(component)), T))
    # U sums to zero in each component, where ones make V invertible and change no T.
    together = component[:, None] == component
    factor = scipy.linalg.cholesky(V.toarray() + together, lower=True, overwrite_a=True)

    def spread(of: np.ndarray) -> np.ndarray:
        return (scipy.linalg.solve_triangular(factor, of, lower=True) ** 2).sum(axis=0)

    m = np.round(games).astype(np.int64)
    least, as_wide = float(spread(U)) * (1 - 1e-9), 0
    at_once = max(1, MOST_DRAWN // (10 * max(payoff.n_pairs, 1)))
    for first in range(0, N_EQUAL, at_once):
        drawn = rng.binomial(m, 0.5, (min(at_once, N_EQUAL - first), len(m))) - m / 2
        as_wide += int((spread(signs.T @ drawn.T) >= least).sum())
    return (1 + as_wide) / (N_EQUAL + 1)


def _apart(payoff: Payoff, signs: scipy.sparse.csr_array, rng: np.random.Generator) -> tuple[str, float]:
    """Return the player without whose games the others do not show that they differ, and their p; "" and NaN else.

    Only the player whose own score is furthest from one half, in standard deviations, is tried.
    """
    games = np.asarray(payoff.games)
    U = signs.T @ (games * (payoff.p - 0.5))
    V = np.maximum(abs(signs).T @ games, 1) / 4
    player = int(np.argmax(U**2 / V))
    keep = (payoff.i != player) & (payoff.j != player)
    if not keep.any():
        return "", math.nan
    p = _p_equal(payoff.select_pairs(keep), signs[keep], rng)
    return (str(payoff.players[player]), p) if p > EQUAL_LEVEL else ("", math.nan)


def ratings_table(league: RatedLeague, level: float = LEVEL, with_disc: bool = True) -> pd.DataFrame:
    """Return the players of a league who have games, the best first, component after component.

    Parameters
    ----------
    league : RatedLeague
    level : float
        The share of intervals that are to hold the truth.
    with_disc : bool
        Whether to fit the disc, for skill and consistency; they are NaN otherwise.

    Returns
    -------
    pandas.DataFrame
        `RATINGS`: rating, low and high in natural logits, the same in points; rank, which equal ratings share, and its
        interval within the component; the probabilities of being its best and of being above the next in rank. skill
        and consistency of a tuned disc of one pair (`skill_and_consistency`) where it predicts hidden pairs better than
        Elo and is transitive, else NaN. prior_points: the standard deviation of the prior, in points. p_equal: how
        likely scores that differ this much are if all players are equal; apart, p_others: as of the league. note: who
        won or lost everything, whose rating the prior decides.

    Notes
    -----
    The intervals hold the truth of `level` of the players on average over players whose ratings spread as the prior
    says; that of a player far from the others less often, as the prior pulls it to them.
    """
    check_number("level", level, 0, 1)
    payoff, draws, component = league.payoff, league.draws, league.component
    n = payoff.n_players
    # Ranks within each component: sorted by component first. Equal ratings share the first of their ranks.
    order = np.lexsort((-league.ratings, component))
    new = (np.diff(component[order], prepend=0) > 0) | (np.diff(-league.ratings[order], prepend=0) > EQUAL)
    tied = np.empty(n, dtype=np.int64)
    tied[order] = np.maximum.accumulate(np.where(new, np.arange(n), 0))
    order = np.lexsort((payoff.players, tied))
    drawn_rank = np.empty(draws.shape, dtype=np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(component)[1:])])[component - 1]
    rank = tied + 1 - first
    for row, drawn in zip(drawn_rank, draws, strict=True):
        row[np.lexsort((-drawn, component))] = np.arange(n)
    drawn_rank += (1 - first).astype(np.int32)
    tails = [(1 - level) / 2, (1 + level) / 2]
    rank_low, rank_high = np.quantile(drawn_rank, tails, axis=0, method="inverted_cdf")
    half = ndtri(tails[1]) * league.deviation
    above = np.full(n, np.nan)
    upper, lower = order[:-1], order[1:]
    same = component[upper] == component[lower]
    above[upper[same]] = (draws[:, upper[same]] > draws[:, lower[same]]).mean(axis=0)
    skill, consistency = _disc(payoff) if with_disc else np.full((2, n), np.nan)
    wins = np.bincount(payoff.i, payoff.games * payoff.p, n) + np.bincount(payoff.j, payoff.games * (1 - payoff.p), n)
    games = np.bincount(payoff.i, payoff.games, n) + np.bincount(payoff.j, payoff.games, n)
    note = np.select([wins == games, wins == 0], ["won every game", "lost every game"], "")
    columns = {"player": payoff.players, "rating": league.ratings, "low": league.ratings - half}
    columns |= {"high": league.ratings + half, "rank": rank, "rank_low": rank_low, "rank_high": rank_high}
    columns |= {"games": _whole(games), "opponents": payoff.degrees, "component": component}
    columns |= {"p_best": (drawn_rank == 1).mean(axis=0), "p_above_next": above}
    columns |= {"skill": skill, "consistency": consistency, "note": note}
    columns |= {"points": POINTS * columns["rating"], "prior_points": POINTS * league.prior_deviation}
    columns |= {"p_equal": league.p_equal, "apart": league.apart, "p_others": league.p_others}
    columns |= {f"points_{end}": POINTS * columns[end] for end in ("low", "high")}
    # Without games there is nothing to say; each of these players is a component of its own, after the others.
    frame = pd.DataFrame(columns)[RATINGS].iloc[order[games[order] > 0]].reset_index(drop=True)
    return frame.astype({"rank_low": int, "rank_high": int})


def pair_scores(league: RatedLeague) -> pd.DataFrame:
    """Return what the ratings, fitted without a pair, expect of it, and what it scored.

    The fit without a pair is approximated by one Newton step from the fit with it: with r = m (p - p̂), s the variance
    of the difference x of the two ratings and h = m p̂ (1 - p̂) s, x without the pair is x - r s / (1 - h), of variance
    s / (1 - h). The score of the m games is then binomial given x; the two-sided p-value (twice the smaller tail)
    is the mean of its tails over what is known of x, so that a result against newcomers surprises little.

    Parameters
    ----------
    league : RatedLeague

    Returns
    -------
    pandas.DataFrame
        One row a pair: player_a, player_b, games, expected and observed scores of the games of player_a, who scored
        more than expected, p_value and q_value: the least share of false discoveries (Benjamini and Hochberg 1995) at
        which the pair would be listed as a surprise.
    """
    payoff, games = league.payoff, league.games
    x, variance = without_pair(league)
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    weights = weights / weights.sum()
    m = np.round(games).astype(np.int64)
    score = games * payoff.p
    least, most = np.minimum(np.floor(score + 1e-9), m), np.minimum(np.ceil(score - 1e-9), m)
    expected, lower, upper = np.zeros((3, payoff.n_pairs))
    for node, weight in zip(nodes, weights, strict=True):
        p = expit(x + node * np.sqrt(variance))
        expected += weight * p
        # A score with half a point lies in both tails of the whole scores beside it, which is conservative.
        lower += weight * bdtr(most, m, p)
        upper += weight * np.where(least > 0, bdtrc(least - 1, m, p), 1.0)
    p_value = np.minimum(1.0, 2 * np.minimum(lower, upper))
    more = payoff.p >= expected
    a, b = np.where(more, payoff.i, payoff.j), np.where(more, payoff.j, payoff.i)
    return pd.DataFrame(
        {
            "player_a": payoff.players[a],
            "player_b": payoff.players[b],
            "games": _whole(games),
            "expected": games * np.where(more, expected, 1 - expected),
            "observed": games * np.where(more, payoff.p, 1 - payoff.p),
            "p_value": p_value,
            "q_value": _adjusted(p_value, payoff.n_pairs),
        }
    )


def surprises(league: RatedLeague, share: float = FALSE_DISCOVERIES) -> pd.DataFrame:
    """Return the pairs whose results the ratings, fitted without that pair, find too unlikely.

    Parameters
    ----------
    league : RatedLeague
    share : float
        The false discoveries among the pairs that are listed, at most, on average (Benjamini and Hochberg 1995).

    Returns
    -------
    pandas.DataFrame
        `SURPRISES`, the least likely first: the rows of `pair_scores` whose q_value is at most `share`; tested counts
        pairs. One row without players, whose note says so, where nothing survives.
    """
    frame = pair_scores(league).assign(note="")
    listed = frame[frame.q_value <= share].sort_values("p_value", kind="stable")
    return _said(listed, SURPRISES, league.payoff.n_pairs, "pair")


def without_pair(league: RatedLeague) -> tuple[np.ndarray, np.ndarray]:
    """Return the difference of the ratings of each pair, fitted without it, and its variance; both (m,).

    See `pair_scores` for the Newton step.
    """
    payoff, s = league.payoff, league.pair_variance
    x = league.ratings[payoff.i] - league.ratings[payoff.j]
    # The prior keeps h below 1; draws of very many players know it less exactly.
    left = np.maximum(1 - league._information * s, league.precision * s / 2)
    return x - payoff.games * (payoff.p - league._expected) * s / left, s / left


def triples(payoff: Payoff, share: float = FALSE_DISCOVERIES) -> pd.DataFrame:
    """Return the most convincing cycles of three: a beats b, b beats c, and c beats a.

    The p-value of a cycle is that of its weakest side: the largest of three one-sided binomial p-values of the null
    hypothesis that the side's true score is at most 1/2 (an intersection-union test). Every three players who all met
    are tested in both directions.

    Parameters
    ----------
    payoff : Payoff
        Counted from games.
    share : float
        The false discoveries among the triangles that are listed, at most, on average, however their tests depend on
        each other (Benjamini and Yekutieli 2001).

    Returns
    -------
    pandas.DataFrame
        `TRIPLES`, the most convincing first, at most `MOST_TRIPLES`: scores a game, games, and the support of each
        side, the probability that its true score exceeds 1/2 given its games and Jeffreys' prior, Beta(1/2, 1/2);
        tested counts triangles, each in both directions. One row without players, whose note says so, where nothing
        survives.

    Raises
    ------
    InputError
        If the payoff does not know its games.
    """
    if payoff.games is None:
        raise InputError("The payoff does not know how many games its pairs played; give counts by pair.")
    n, ones = payoff.n_players, np.ones(payoff.n_pairs)
    # From the player of fewer opponents to the one of more: no row is long, and each triangle is met once.
    place = np.argsort(np.argsort(payoff.degrees, kind="stable"))
    ends = np.sort(place[np.stack([payoff.i, payoff.j])], axis=0)
    met = scipy.sparse.csr_array((ones, (ends[0], ends[1])), shape=(n, n))
    tested = 2 * round(float((met @ met).multiply(met).sum()))
    i_first = payoff.p > 0.5
    winner, loser = np.where(i_first, payoff.i, payoff.j), np.where(i_first, payoff.j, payoff.i)
    p = np.where(i_first, payoff.p, 1 - payoff.p)
    m = np.round(payoff.games).astype(np.int64)
    # Half a point is not counted for the winner, which is conservative.
    least = np.floor(payoff.games * p + 1e-9)
    side = np.where(least > 0, bdtrc(least - 1, m, 0.5), 1.0)
    keep = np.flatnonzero((side <= share) & (p > 0.5))
    edge = {(a, b): at for a, b, at in zip(winner[keep].tolist(), loser[keep].tolist(), keep.tolist(), strict=True)}
    beats: list[list[int]] = [[] for _ in range(n)]
    for a, b in edge:
        beats[a].append(b)
    cycles = [
        (edge[a, b], edge[b, c], edge[c, a])
        for a in range(n)
        for b in beats[a]
        if b > a
        for c in beats[b]
        if c > a and (c, a) in edge
    ]
    sides = np.array(cycles, dtype=np.int64).reshape(-1, 3)
    p_value = side[sides].max(axis=1, initial=0.0)
    # Triangles share pairs: the sum of 1 / k over all tests allows for any dependence (Benjamini and Yekutieli 2001).
    q_value = np.minimum(1.0, _adjusted(p_value, tested) * (np.euler_gamma + digamma(tested + 1)))
    score = payoff.games * p
    support = 1 - betainc(score + 0.5, payoff.games - score + 0.5, 0.5)
    columns = {f"player_{one}": payoff.players[winner[sides[:, at]]] for at, one in enumerate("abc")}
    for at, one in enumerate(("ab", "bc", "ca")):
        k = sides[:, at]
        columns |= {f"score_{one}": p[k], f"games_{one}": _whole(payoff.games)[k], f"support_{one}": support[k]}
    frame = pd.DataFrame(columns | {"p_value": p_value, "q_value": q_value, "note": ""})
    listed = frame[q_value <= share].sort_values(["p_value", "player_a", "player_b"], kind="stable")
    return _said(listed.head(MOST_TRIPLES), TRIPLES, tested, "directed triangle")


def _said(listed: pd.DataFrame, columns: list[str], tested: int, what: str) -> pd.DataFrame:
    """Return the columns of a table, or one row that says that nothing is in it."""
    if listed.empty:
        note = f"none of {amount(tested, what)} stands out from luck" if tested > 1 else f"there is no {what} to test"
        note = f"the only {what} does not stand out from luck" if tested == 1 else note
        listed = pd.DataFrame([dict.fromkeys(columns) | {"note": note}])
        listed = listed.fillna({name: "" for name in columns if name.startswith("player")})
    return listed.assign(tested=tested)[columns].reset_index(drop=True)


def _adjusted(p_value: np.ndarray, tested: int) -> np.ndarray:
    """Return the q-values of Benjamini and Hochberg of some p-values, those of the other tests being 1."""
    order = np.argsort(p_value, kind="stable")
    scaled = p_value[order] * tested / np.arange(1, len(order) + 1)
    q_value = np.empty(len(order))
    q_value[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return q_value


def _of_pairs(covariance: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return the variance of the difference of each pair, (m,)."""
    diagonal = np.diag(covariance)
    return diagonal[i] + diagonal[j] - 2 * covariance[i, j]


def _whole(games: np.ndarray) -> np.ndarray:
    """Return numbers of games as whole numbers where they all are."""
    whole = np.round(games)
    return whole.astype(np.int64) if np.allclose(whole, games) else games


def differ(p_equal: float, apart: str = "", p_others: float = math.nan) -> str:
    """Say whether the games show that players differ in strength at all, and whether only one of them does.

    Parameters
    ----------
    p_equal, apart, p_others : float, str, float
        As of `RatedLeague`.
    """
    spread = f"if a coin decided every game, scores would spread at least this much with {_p(p_equal)}"
    if p_equal > EQUAL_LEVEL:
        return (
            f"The games do not show that the players differ in strength: {spread}. Ratings, and predictions from them, "
            "may then be luck and the prior alone, and who comes first or last may be only lucky or unlucky."
        )
    said = f"The players differ by more than luck explains: {spread}."
    if apart:
        said += f" That rests on {apart}: the games of the others do not show that they differ ({_p(p_others)})."
    return said


def _p(p: float) -> str:
    """Return a p-value as text."""
    text = chance(p)
    return f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"


def chance(p: float) -> str:
    """Return a probability as text, in the two digits that games tell."""
    return "<0.01" if p < 0.01 else ">0.99" if p > 0.99 else f"{p:.2f}"


def _disc(payoff: Payoff) -> tuple[np.ndarray, np.ndarray]:
    """Return skill and consistency, NaN where a tuned disc is not transitive or predicts no better than Elo."""
    disc = Disc(n_components=1, weights="games", regularisation="validated").fit(payoff)
    u, v = disc.u_[:, 0], disc.v_[:, 0]
    if disc.n_pairs == 0 or not disc_component(u, v).transitive:
        nothing = np.full(payoff.n_players, np.nan)
        return nothing, nothing
    return skill_and_consistency(u, v)
