"""How sure it is that a game is transitive, given the games that its payoff counts: a bootstrap over games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from transitivity.disc.component import disc_component
from transitivity.errors import InputError, check_count, check_positive
from transitivity.fitting.equation_21 import better_rough_fit, descend_roughly
from transitivity.fitting.objective import PairObjective
from transitivity.models import DiscRegularised
from transitivity.models._base import default_rng, pair_weights
from transitivity.payoff.core import Payoff

if TYPE_CHECKING:
    import pandas as pd

#: Tolerance of a refit: its verdict needs angles, not the last digits of the loss.
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What the resamples of a payoff say about its first disc component.

    Attributes
    ----------
    probability : float
        The share of the resamples whose first component is transitive: 0 lies outside the hull of the players
        (Proposition 1).
    null_probability : float
        The same share if every game were a coin flip, with as many draws. Where it is near 1 too, a `probability` near
        1 is not evidence: the graph of pairs or the penalty makes noise transitive. A cycle that is stronger than noise
        shows all the same, as a `probability` below it.
    low, high : float
        Wilson's interval of that share at the confidence asked for: the error of drawing `n_resamples` and no more.
    n_resamples : int
        How many were drawn; of coin flips half as many, rounded up.
    n_converged : int
        How many of their refits converged.
    regularisation : float
        λ of Equation 21 in the refits.
    transitive : bool
        Whether the first component of the payoff itself is transitive.
    margin_degrees : float
        The largest angle between neighbouring players of the payoff itself, minus 180: positive iff transitive.
    margins_degrees : (n_resamples,) array
        The same of each resample.
    """

    probability: float
    null_probability: float
    low: float
    high: float
    n_resamples: int
    n_converged: int
    regularisation: float
    transitive: bool
    margin_degrees: float
    margins_degrees: np.ndarray


def bootstrap_transitivity(
    games: Payoff | pd.DataFrame,
    n_resamples: int = 200,
    rng: np.random.Generator | None = None,
    *,
    regularisation: float | None = None,
    weights: str = "games",
    confidence: float = 0.95,
) -> Bootstrap:
    """Resample the games of each pair, refit the disc of one pair each time, and count how often it is transitive.

    Each pair keeps its number of games; their outcomes are drawn anew from its frequencies of wins, draws and losses.
    Every refit starts from the fit of the payoff itself, so that it ends in the optimum nearest to it. Coin flips are
    drawn on the same graph, with the same numbers of games and shares of draws, and refitted with the same λ; they know
    nothing of the payoff, so that their refits start as any fit does (`fitting.equation_21.better_rough_fit`). As these
    take several times as long, they are half as many.

    Refits minimise Equation 21. Without its pull to v = 1 the games leave a player with one or two opponents almost
    anywhere in the plane, and the noise of all players makes any sparse league look cyclic; with too much of it every
    league is transitive. So by default λ is the one that predicts held-out pairs of the payoff best
    (`models.DiscRegularised`), and what the games do not say counts as transitive: a cycle has to show in predictions.
    A small ridge (`solvers.RIDGE`) keeps certain results finite.

    A resample is noisier than the payoff, as that is noisier than the truth: with few games the probability errs on
    the cyclic side. It is about chance on the graph of the pairs that met, not about that graph
    (`graph.identifiability`).

    Parameters
    ----------
    games : Payoff or pandas.DataFrame
        Counts by pair, as `transitivity.read_matchups` returns them; or a payoff that knows its numbers of games. A
        payoff does not tell draws from wins: its games are resampled as if there were none, which is at least as
        noisy, so prefer the counts where there are draws.
    n_resamples : int
    rng : numpy.random.Generator, optional
        The only source of randomness; a fixed one by default.
    regularisation : float, optional
        λ of Equation 21 (`models.Disc`); chosen by cross-validation by default, once, on the payoff itself.
    weights : {"games", "equal"}
        Whether pairs count in proportion to their games, as in the likelihood of all games, or all the same.
    confidence : float
        Of the interval, in (0, 1).

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        If the payoff does not know its games, a number of games is not whole, or a parameter is out of range.
    """
    # scipy.stats takes as long to import as the rest of this package.
    from scipy.stats import binomtest

    check_count("n_resamples", n_resamples)
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence!r} is out of range; use a number between 0 and 1, such as 0.95.")
    rng = default_rng(rng)
    payoff, drawn = _outcomes(games)
    counts = _whole(payoff)
    chances = np.column_stack([payoff.p - drawn / 2, drawn, 1 - payoff.p - drawn / 2]).clip(0, 1)
    model: DiscRegularised
    if regularisation is None:
        chosen = DiscRegularised(weights=weights).fit(payoff, rng)
        model, regularisation = chosen, chosen.regularisation_
    else:
        regularisation = check_positive("regularisation", regularisation)
        model = DiscRegularised(grid=(regularisation,), weights=weights).fit(payoff, rng)
    component = disc_component(model.u_[:, 0], model.v_[:, 0])

    pair_weight = pair_weights(payoff, weights)
    # A generator of its own: the resamples do not depend on the coin flips.
    (null_rng,) = rng.spawn(1)
    resampled, n_converged = [], 0
    for _ in range(n_resamples):
        objective = PairObjective(_resample(payoff, counts, chances, rng), model.loss, weights=pair_weight)
        fit = descend_roughly(objective, model.u_, model.v_, regularisation, TOLERANCE)
        resampled.append(disc_component(fit.U[:, 0], fit.V[:, 0]))
        n_converged += fit.converged
    n_transitive = sum(one.transitive for one in resampled)

    decided = (1 - drawn).clip(0, 1) / 2
    coin = np.column_stack([decided, 1 - 2 * decided, decided])
    n_null, n_null_transitive = math.ceil(n_resamples / 2), 0
    for _ in range(n_null):
        objective = PairObjective(_resample(payoff, counts, coin, null_rng), model.loss, weights=pair_weight)
        start = better_rough_fit(objective, 1, regularisation, null_rng)
        fit = descend_roughly(objective, start.U, start.V, regularisation, TOLERANCE)
        n_null_transitive += disc_component(fit.U[:, 0], fit.V[:, 0]).transitive
    interval = binomtest(n_transitive, n_resamples).proportion_ci(confidence, method="wilson")
    return Bootstrap(
        probability=n_transitive / n_resamples,
        null_probability=n_null_transitive / n_null,
        low=float(interval.low),
        high=float(interval.high),
        n_resamples=n_resamples,
        n_converged=n_converged,
        regularisation=regularisation,
        transitive=component.transitive,
        margin_degrees=component.margin_degrees,
        margins_degrees=np.array([one.margin_degrees for one in resampled]),
    )


def _resample(payoff: Payoff, counts: np.ndarray, chances: np.ndarray, rng: np.random.Generator) -> Payoff:
    """Return the payoff with games, (m,) ints, drawn anew from the chances, (m, 3), of wins, draws and losses."""
    wins, draws, _ = rng.multinomial(counts, chances).T
    return Payoff(payoff.players, payoff.i, payoff.j, (wins + draws / 2) / counts, payoff.games)


def _outcomes(games: Payoff | pd.DataFrame) -> tuple[Payoff, np.ndarray]:
    """Return the payoff, and the share of draws of each of its pairs, (m,); zeros where it is not known."""
    if isinstance(games, Payoff):
        return games, np.zeros(games.n_pairs)
    payoff = Payoff.from_counts(games)
    # Had one side won the draws, p would differ by half their share, whichever way round the pair is stored.
    won = Payoff.from_counts(games.assign(wins_a=games["wins_a"] + games["draws"], draws=0))
    return payoff, 2 * np.abs(won.p - payoff.p)


def _whole(payoff: Payoff) -> np.ndarray:
    """Return the numbers of games as ints, (m,)."""
    if payoff.games is None:
        raise InputError(
            "The payoff does not know how many games its pairs played; give counts by pair, or a payoff with games."
        )
    counts = payoff.games.astype(np.int64)
    if (counts != payoff.games).any():
        at = int(np.argmax(counts != payoff.games))
        pair = (str(payoff.players[payoff.i[at]]), str(payoff.players[payoff.j[at]]))
        raise InputError(f"The pair {pair!r} has {payoff.games[at]} games; give whole numbers to resample games.")
    return counts
