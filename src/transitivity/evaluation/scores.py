"""Scores: how well a model predicts pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import digamma

from transitivity.errors import InputError
from transitivity.models._base import Model, is_bounded
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import component_labels

#: Predicted probabilities are kept this far from 0 and 1 in the log-loss of pairs.
LOG_LOSS_CLIP = 1e-9
#: The same in the log-loss of games: a win that a model held impossible costs 6.9 nats, and no single one decides.
GAME_CLIP = 1e-3
#: A prediction this close to 1/2 names no winner: it is what rounding leaves of 1/2.
EVEN = 1e-9
#: How far the sum of the predictions for both sides of a pair may be from 1.
SUM_TOLERANCE = 1e-6
#: The rate of a pair with fewer games says too little of how uncertain its games are.
GAMES_OF_A_RATE = 10


def _predicted(model: Model, payoff: Payoff) -> np.ndarray:
    """Return p̂ of every pair, (m,)."""
    given = [np.asarray(model.predict(*pair)) for pair in ((payoff.i, payoff.j), (payoff.j, payoff.i))]
    if given[0].dtype.kind not in "biuf":
        raise InputError(f"The model {model!r} predicts values of type {given[0].dtype}; return real numbers.")
    predicted = given[0].astype(np.float64, copy=False)
    if not predicted.shape == given[1].shape == payoff.p.shape:
        raise InputError(
            f"The model {model!r} predicts an array of shape {predicted.shape} for {payoff.n_pairs} pairs; "
            "return one number a pair."
        )
    bad = ~((predicted >= 0) & (predicted <= 1)) if is_bounded(model) else ~np.isfinite(predicted)
    uneven = ~(np.abs(predicted + given[1] - 1) <= SUM_TOLERANCE)
    for fault, cure in ((bad, "a probability"), (uneven, "probabilities whose sum is 1")):
        if fault.any():
            at = int(np.argmax(fault))
            a, b = (str(payoff.players[index[at]]) for index in (payoff.i, payoff.j))
            raise InputError(
                f"The model {model!r} predicts {predicted[at]:g} for {a!r} against {b!r}, and {given[1][at]:g} for "
                f"{b!r} against {a!r}; return {cure} (transitivity.testing.check_model tells what a model keeps to)."
            )
    return predicted


def n_params(model: Model, n: int) -> int:
    """Return how many parameters a model has for n players; raise InputError if it says anything but a count."""
    found = model.n_params(n)
    if not isinstance(found, (int, np.integer)) or found < 0:
        raise InputError(f"The model {model!r} says that it has {found!r} parameters; return a whole number from 0.")
    return int(found)


def scores(model: Model, payoff: Payoff) -> dict[str, float]:
    """Score a fitted model on the observed pairs of a payoff.

    Parameters
    ----------
    model : Model
        Fitted to the same players.
    payoff : Payoff
        The pairs to predict.

    Returns
    -------
    dict
        ``n_pairs``; ``n_games``; ``mse``, the mean of (p - p̂)² over pairs (the paper prints half of it); ``log_loss``,
        the mean binary cross entropy in nats, p̂ kept 1e-9 from 0 and 1; ``game_log_loss``, the same over games, p̂ of
        every model kept 1e-3 from 0 and 1; ``accuracy``, the share of the pairs with p != 1/2 whose winner is
        predicted, a prediction of 1/2 (up to rounding) counting half; ``mse_clipped``, the MSE with p̂ clipped to
        [0, 1]; ``floor``, the entropy of the pairs with at least 10 games (`entropy_of_rates`), and ``above_floor``,
        the ``game_log_loss`` of these pairs less it. NaN where games are not known, or there is no such pair.

    Raises
    ------
    InputError
        If the model does not predict a number for every pair; where it fits probabilities directly, as the paper's
        m-Elo, numbers outside [0, 1] are none the less taken.
    """
    p, predicted, games = payoff.p, _predicted(model, payoff), payoff.games
    found = {
        "n_pairs": payoff.n_pairs,
        "n_games": np.nan,
        "mse": float(np.mean((p - predicted) ** 2)),
        "log_loss": float(np.mean(_cross_entropy(p, predicted, LOG_LOSS_CLIP))),
        "game_log_loss": np.nan,
        "accuracy": accuracy(p, predicted),
        "mse_clipped": float(np.mean((p - np.clip(predicted, 0, 1)) ** 2)),
        "floor": np.nan,
        "above_floor": np.nan,
    }
    if games is not None:
        losses = _cross_entropy(p, predicted, GAME_CLIP)
        found |= {"n_games": float(games.sum()), "game_log_loss": float(np.average(losses, weights=games))}
        known = games >= GAMES_OF_A_RATE
        if known.any():
            floor = entropy_of_rates(p[known], games[known])
            above = float(np.average(losses[known], weights=games[known])) - floor
            found |= {"floor": floor, "above_floor": above}
    return found


def accuracy(p: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of the results other than 1/2 whose winner is predicted, a prediction of 1/2 counting half.

    What is 1/2 up to rounding is 1/2. NaN where no result is left.
    """
    won, said = (np.where(np.abs(one - 0.5) <= EVEN, 0, np.sign(one - 0.5)) for one in (p, predicted))
    decided = won != 0
    return float((won * said + 1)[decided].mean() / 2) if decided.any() else np.nan


def _cross_entropy(p: np.ndarray, predicted: np.ndarray, clip: float) -> np.ndarray:
    clipped = np.clip(predicted, clip, 1 - clip)
    return -(p * np.log(clipped) + (1 - p) * np.log1p(-clipped))


def entropy_of_rates(p: np.ndarray, games: np.ndarray) -> float:
    """Estimate the log-loss a game of a model that knows the true probabilities: the floor of all models.

    The entropy of an observed rate is too low by about 1 / (2 games) in the mean. A pair with w wins and l losses in n
    games contributes (w / n) (ψ(n) - ψ(w)) + (l / n) (ψ(n) - ψ(l)) instead (Zhang 2012, in the form of Schürmann 2015),
    whose bias falls exponentially with n. By luck the results of few games can lie below the floor. Where a draw is
    counted as half a win, the rates vary less and the floor is too high, by at most 1 / (2 games).

    Parameters
    ----------
    p, games : (m,) arrays
        Of each pair.

    Returns
    -------
    float
        Nats a game, each pair weighted by its games.
    """
    entropy = np.zeros(len(p))
    for wins in (p * games, (1 - p) * games):
        wins = np.round(wins, 9)
        won = wins > 0
        entropy[won] += wins[won] / games[won] * (digamma(games[won]) - digamma(wins[won]))
    return float(np.average(entropy, weights=games))


def n_hideable(train: Payoff, pairs: Payoff) -> int:
    """Return how many pairs, of train and of the scored ones, leave both players another when they are hidden."""
    n = train.n_players
    ends = np.hstack([train.i, pairs.i]), np.hstack([train.j, pairs.j])
    i, j = csr_array((np.ones(len(ends[0])), ends), shape=(n, n)).nonzero()
    degrees = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    return int(((degrees[i] > 1) & (degrees[j] > 1)).sum())


def n_connected(train: Payoff, pairs: Payoff) -> int:
    """Return how many pairs have players whom a chain of train pairs connects; the others cannot be predicted."""
    group = component_labels(train)
    return int((group[pairs.i] == group[pairs.j]).sum())
