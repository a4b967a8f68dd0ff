"""Scores: how well a model predicts pairs."""

from __future__ import annotations

import numpy as np

from transitivity.errors import InputError
from transitivity.models._base import Model, is_bounded
from transitivity.payoff.core import Payoff

#: Predicted probabilities are kept this far from 0 and 1 in the log-loss, and there only.
LOG_LOSS_CLIP = 1e-9


def _predicted(model: Model, payoff: Payoff) -> np.ndarray:
    """Return p̂ of every pair, (m,)."""
    predicted = np.asarray(model.predict(payoff.i, payoff.j), dtype=np.float64)
    if predicted.shape != payoff.p.shape:
        raise InputError(
            f"The model {model!r} predicts an array of shape {predicted.shape} for {payoff.n_pairs} pairs; "
            "return one number a pair."
        )
    bad = ~((predicted >= 0) & (predicted <= 1)) if is_bounded(model) else ~np.isfinite(predicted)
    if bad.any():
        at = int(np.argmax(bad))
        a, b = (str(payoff.players[index[at]]) for index in (payoff.i, payoff.j))
        raise InputError(
            f"The model {model!r} predicts {predicted[at]:g} for {a!r} against {b!r}; "
            "return a probability (transitivity.testing.check_model tells what else a model keeps to)."
        )
    return predicted


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
        ``n_pairs``; ``mse``, the mean of (p - p̂)² over pairs (the paper prints half of it); ``log_loss``, the mean
        binary cross entropy in nats, p̂ kept 1e-9 from 0 and 1; ``accuracy``, the share of the pairs with p != 1/2
        whose winner is predicted, a prediction of exactly 1/2 counting half; NaN if there is no such pair.

    Raises
    ------
    InputError
        If the model does not predict a number for every pair; where it fits probabilities directly, as the paper's
        m-Elo, numbers outside [0, 1] are none the less taken.
    """
    p, predicted = payoff.p, _predicted(model, payoff)
    clipped = np.clip(predicted, LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP)
    decided = p != 0.5
    agreement = np.sign(p - 0.5)[decided] * np.sign(predicted - 0.5)[decided]
    return {
        "n_pairs": payoff.n_pairs,
        "mse": float(np.mean((p - predicted) ** 2)),
        "log_loss": float(-np.mean(p * np.log(clipped) + (1 - p) * np.log1p(-clipped))),
        "accuracy": float(np.mean((agreement + 1) / 2)) if decided.any() else float("nan"),
    }
