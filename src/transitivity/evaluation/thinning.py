"""Results thinned out: how well tuned models predict from few pairs and few games, with and without a cyclic part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import rel_entr

from transitivity.evaluation.hold_outs import NothingToHide, hold_out
from transitivity.evaluation.scores import LOG_LOSS_CLIP, scores
from transitivity.models import Constant, Disc, Elo, MEloLogit
from transitivity.models._base import Model
from transitivity.models._tuned import VALIDATED
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

#: The number of games a pair of a payoff that is seen exactly.
UNLIMITED = math.inf
#: The tuned families: priors and k chosen on hidden pairs, pairs weighted by their games.
FAMILIES: Mapping[str, Callable[[], Model]] = {
    "constant": Constant,
    "elo": lambda: Elo(regularisation=VALIDATED, weights="games"),
    "disc": lambda: Disc(VALIDATED, regularisation=VALIDATED, weights="games"),
    "melo_logit": lambda: MEloLogit(VALIDATED, regularisation=VALIDATED, weights="games"),
}
#: Those with a cyclic part.
CYCLIC = ("disc", "melo_logit")
#: The share of a league's pairs that is hidden.
HIDDEN = 0.2


def draw_results(payoff: Payoff, share: float, games: float, rng: np.random.Generator) -> tuple[Payoff, Payoff]:
    """Draw results of some pairs of a payoff that is known exactly.

    Of equal generators, a larger share sees every pair that a smaller one sees.

    Parameters
    ----------
    payoff : Payoff
    share : float
        The share of the pairs that are seen, in (0, 1].
    games : float
        Games of each pair that is seen, won or lost with the payoff's probability; `UNLIMITED` shows it exactly.
    rng : numpy.random.Generator

    Returns
    -------
    seen, hidden : Payoff
        What a model may be fitted to, and the other pairs with their exact probabilities; of all players.

    Raises
    ------
    NothingToHide
        If the share sees no pair, or hides none.
    """
    m = payoff.n_pairs
    n_seen = round(share * m)
    if not 0 < n_seen < m:
        raise NothingToHide(f"A share of {share:g} of {m} pairs leaves none to see, or none to predict; change it.")
    pairs_rng, games_rng = rng.spawn(2)
    keep = np.zeros(m, dtype=bool)
    keep[pairs_rng.permutation(m)[:n_seen]] = True
    seen = payoff.select_pairs(keep)
    if games != UNLIMITED:
        won = games_rng.binomial(int(games), seen.p)
        seen = replace(seen, p=won / games, games=np.full(n_seen, games))
    return seen, payoff.select_pairs(~keep)


def thin(payoff: Payoff, share: float, rng: np.random.Generator) -> Payoff:
    """Keep each game of a counted payoff with the same chance; pairs left without games are no longer observed.

    A payoff does not say which games were draws: points are taken for wins, half a point that is left for a draw.

    Parameters
    ----------
    payoff : Payoff
        With the games of each pair.
    share : float
        The chance of a game to be kept.
    rng : numpy.random.Generator
    """
    points = payoff.p * payoff.games
    won = np.floor(points + 1e-9)
    drawn = np.rint(2 * (points - won)).astype(int) % 2
    counts = np.column_stack([won, drawn, payoff.games - won - drawn]).astype(np.int64)
    kept = rng.binomial(counts, share)
    games = kept.sum(axis=1)
    met = games > 0
    part = payoff.select_pairs(met)
    return replace(part, p=((kept[:, 0] + kept[:, 1] / 2)[met]) / games[met], games=games[met])


def excess_log_loss(p: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean over pairs of the Kullback-Leibler divergence of p̂ from p, in nats a game.

    This is by how much the expected log-loss of a game exceeds that of the true probabilities. p̂ is kept 1e-9 from 0
    and 1, except where p is 0 or 1 as well.

    Parameters
    ----------
    p, predicted : (m,) arrays
        The true and the predicted probabilities.
    """
    q = np.clip(predicted, np.where(p == 0, 0, LOG_LOSS_CLIP), np.where(p == 1, 1, 1 - LOG_LOSS_CLIP))
    return float(np.mean(rel_entr(p, q) + rel_entr(1 - p, 1 - q)))


def scores_of_drawn(
    payoff: Payoff,
    shares: Sequence[float],
    games: Sequence[float],
    families: Sequence[str],
    seed: int,
    *names: str | int,
) -> Iterator[dict[str, Any]]:
    """Yield the scores of the families on the hidden pairs of an exact payoff, by share and games.

    Parameters
    ----------
    payoff : Payoff
    shares, games : sequences of float
        As for `draw_results`; every combination is drawn, each share seeing the pairs of the smaller ones.
    families : sequence of str
        Of `FAMILIES`.
    seed : int
    *names : str or int
        What tells this repetition from others (`seeding.generator`).

    Yields
    ------
    dict
        share, games, family; n_players; opponents and games_a_player, means over players; n_scored, hidden pairs;
        score, `excess_log_loss`; n_components of the cyclic part, 0 where tuning left it out.
    """
    for share in shares:
        for number in games:
            seen, hidden = draw_results(payoff, share, number, generator(seed, "draw", *names))
            # Equal folds for all: a family that keeps no cycles is the tuned Elo exactly.
            for family, model in _fitted(seen, families, seed, *names, share, number):
                score = excess_log_loss(hidden.p, model.predict(hidden.i, hidden.j))
                yield {"share": share, "games": number} | _row(family, model, seen, number, hidden, score)


def scores_of_thinned(
    payoff: Payoff, shares: Sequence[float], families: Sequence[str], seed: int, *names: str | int
) -> Iterator[dict[str, Any]]:
    """Yield the scores of the families on 20 % of the pairs of a counted payoff, from some games of the others.

    Parameters
    ----------
    payoff : Payoff
        With the games of each pair.
    shares : sequence of float
        Shares of games that are kept, as for `thin`.
    families, seed, *names
        As for `scores_of_drawn`.

    Yields
    ------
    dict
        As `scores_of_drawn`; games is the mean over pairs that have any, score the mean log-loss of a hidden game.
    """
    train, hidden = hold_out(payoff, HIDDEN, [generator(seed, "hold_out", *names)]).split(0)
    for share in shares:
        seen = thin(train, share, generator(seed, "thin", *names))
        for family, model in _fitted(seen, families, seed, *names, share):
            loss = scores(model, hidden)["game_log_loss"]
            mean = float(np.mean(seen.games))  # type: ignore[arg-type]
            yield {"share": share, "games": mean} | _row(family, model, seen, mean, hidden, loss)


def _fitted(seen: Payoff, families: Sequence[str], seed: int, *names: str | int | float) -> Iterator[tuple[str, Model]]:
    for family in families:
        yield family, FAMILIES[family]().fit(seen, generator(seed, "fit", *map(str, names)))


def _row(family: str, model: Model, seen: Payoff, games: float, hidden: Payoff, score: float) -> dict[str, Any]:
    opponents = 2 * seen.n_pairs / seen.n_players
    cyclic = family in CYCLIC and not math.isinf(model.choice_.cycles)
    return {
        "family": family,
        "n_players": seen.n_players,
        "opponents": opponents,
        "games_a_player": opponents * games,
        "n_scored": hidden.n_pairs,
        "score": score,
        "n_components": model.choice_.n_components if cyclic else 0,
    }
