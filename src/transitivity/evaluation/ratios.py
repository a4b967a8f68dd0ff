"""Elo's error over a model's: the one definition of the ratio and of its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

#: A mean squared error below this is what a solver's tolerance leaves, and counts as this: two exact models are equal.
FLOOR = 1e-12
#: The confidence of every interval.
CONFIDENCE = 0.95
#: The model that all others are compared with.
REFERENCE = "elo"
#: An interval that ends above so many times its ratio is shown without an end.
WIDEST = 100.0
UNBOUNDED = "unbounded"
BETTER, WORSE, UNDECIDED, UNTESTED = "better", "worse", "undecided", "untested"


def split_model(model: str) -> tuple[str, int | None]:
    """Split a model's id into its family and its k: ``"disc_k2"`` gives ``("disc", 2)``, "elo" ``("elo", None)``."""
    match = re.fullmatch(r"(.+)_k(\d+)", model)
    return (match[1], int(match[2])) if match else (model, None)


def family_labels(scores: pd.DataFrame) -> dict[str, str]:
    """Return what the class of each family of models calls it, of a table with the columns model and label."""
    return {split_model(row.model)[0]: row.label for row in scores.drop_duplicates("model").itertuples()}


def corrected_interval(
    values: Sequence[float] | np.ndarray, test_over_train: float, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return the mean of a quantity over repeated hold-outs, with its corrected interval (Nadeau and Bengio 2003).

    The variance of the mean of r repetitions is taken as (1/r + n_test / n_train) s², s² the variance between them:
    the second term stands for what overlapping train sets have in common, and does not vanish with more repetitions.

    Parameters
    ----------
    values : (r,) array
        One value a repetition.
    test_over_train : float
        n_test / n_train, in pairs.
    confidence : float
        In (0, 1).

    Returns
    -------
    mean, low, high : float
        `low` and `high` are NaN with fewer than two repetitions.
    """
    values = np.asarray(values, dtype=float)
    mean, r = float(np.mean(values)), len(values)
    if r < 2:
        return mean, math.nan, math.nan
    error = math.sqrt((1 / r + test_over_train) * float(np.var(values, ddof=1)))
    half = float(stdtrit(r - 1, (1 + confidence) / 2)) * error
    return mean, mean - half, mean + half


def interval_in_words(ratio: float, low: float, high: float, n_repeats: int) -> str:
    """Return a ratio with its interval as a table shows it: "1.20 [1.10, 1.31]", "0.42 [0.00, unbounded]".

    Few hold-outs that differ much give limits of any size, which say no more than that there are too few.

    Parameters
    ----------
    ratio, low, high : float
        `low` and `high` are NaN where there is no interval.
    n_repeats : int
        Number of hold-outs.
    """
    if math.isnan(low) or math.isnan(high):
        return f"{_digits(ratio)} ({'one hold-out' if n_repeats == 1 else 'no interval'})"
    upper = UNBOUNDED if high > WIDEST * ratio else _digits(high)
    return f"{_digits(ratio)} [{_digits(low)}, {upper}]"


def _digits(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"


def hidden_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the test rows of scores.csv with `test_over_train`, the pairs of the test over those of the train split.

    Parameters
    ----------
    scores : DataFrame
        protocol, dataset, model, repeat, split, n_pairs, n_players, n_params, mse, log_loss, accuracy.
    """
    keys = ["protocol", "dataset", "model", "repeat"]
    train = scores.loc[scores.split == "train", [*keys, "n_pairs"]]
    test = scores[scores.split == "test"].merge(train, on=keys, suffixes=("", "_train"))
    test = test.assign(test_over_train=test.n_pairs / test.n_pairs_train)
    return test if "fitted" in test else test.assign(fitted=test.model)


def log_ratios(test: pd.DataFrame, model: str, baseline: str) -> pd.DataFrame:
    """Return the natural log of the baseline's error over the model's, a row a protocol, dataset and repetition.

    Parameters
    ----------
    test : DataFrame
        Of `hidden_scores`.
    model, baseline : str
        Ids. An error below `FLOOR` counts as `FLOOR`.

    Returns
    -------
    DataFrame
        The columns of `test` for the model, those of the baseline with the suffix ``_baseline``, and `log_ratio`:
        positive where the model is better.
    """
    keys = ["protocol", "dataset", "repeat"]
    both = test[test.model == model].merge(test[test.model == baseline], on=keys, suffixes=("", "_baseline"))
    return both.assign(
        log_ratio=np.log(both.mse_baseline.clip(lower=FLOOR)) - np.log(both.mse.clip(lower=FLOOR))
    )


def verdict_of(low: float, high: float) -> str:
    """Return the verdict of an interval of log ratios."""
    if math.isnan(low):
        return UNTESTED
    return BETTER if low > 0 else WORSE if high < 0 else UNDECIDED


def exp(log_ratio: float) -> float:
    """Return a ratio; infinite where no number is as large."""
    try:
        return math.exp(log_ratio)
    except OverflowError:
        return math.inf


def ratio_intervals(scores: pd.DataFrame, averaged: Collection[str]) -> pd.DataFrame:
    """Return the intervals of the bars of Figure 5: Elo's test error over a model's, game by game and on average.

    Parameters
    ----------
    scores : DataFrame
        protocol, dataset, model, repeat, split, n_pairs, mse.
    averaged : collection of str
        The games of the average. Its interval is that of the mean over these games in each repetition: it tells what
        the hold-outs leave open, not what other games would give.

    Returns
    -------
    DataFrame
        protocol, dataset (``"log_average"`` for the average), model, low, high: ratios, NaN with one repetition.
    """
    test = hidden_scores(scores)
    rows = []
    for protocol, part in test.groupby("protocol", sort=True):
        for model in sorted(set(part.model) - {REFERENCE}):
            both = log_ratios(part, model, REFERENCE)
            mean = (
                both[both.dataset.isin(averaged)].groupby("repeat")[["log_ratio", "test_over_train"]].mean()
            )
            groups = [("log_average", mean), *both.groupby("dataset", sort=False)]
            for dataset, group in groups:
                if len(group):
                    _, low, high = corrected_interval(group.log_ratio, group.test_over_train.mean())
                    rows.append((protocol, dataset, model, exp(low), exp(high)))
    return pd.DataFrame(rows, columns=["protocol", "dataset", "model", "low", "high"])
