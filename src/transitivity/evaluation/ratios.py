"""Elo's error over a model's: the one definition of the ratio and of its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from transitivity.errors import amount

#: A mean squared error below this is what a solver's tolerance leaves, and counts as this: two exact models are equal.
FLOOR = 1e-12
#: Values that differ by a smaller share of their mean differ by rounding only.
ROUNDING = 1e-9
#: The confidence of every interval.
CONFIDENCE = 0.95
#: The model that all others are compared with.
REFERENCE = "elo"
#: An interval that ends above so many times its ratio is shown without an end.
WIDEST = 10.0
#: Fewer hidden pairs, over all hold-outs, say nothing: there is no ratio and no best model.
FEWEST_PAIRS = 20
UNBOUNDED, NO_INTERVAL = "unbounded", "(no interval can be estimated)"
#: The dataset of a mean over games.
AVERAGE = "log_average"
BETTER, WORSE, UNDECIDED, UNTESTED = "better", "worse", "undecided", "untested"


def split_model(model: str) -> tuple[str, int]:
    """Split a model's id into its family and its k, 0 where it has none: "disc_k2" is ("disc", 2), "elo" ("elo", 0)."""
    match = re.fullmatch(r"(.+)_k(\d+)", model)
    return (match[1], int(match[2])) if match else (model, 0)


def family_labels(scores: pd.DataFrame) -> dict[str, str]:
    """Return what each family of models is called: the label of its class.

    Instances of one class with different parameters share its label; each is then told apart by its id, except for
    the one whose id the others extend: "disc" stays "Disc decomposition", "disc_joint" is "Disc decomposition
    (disc_joint)".

    Parameters
    ----------
    scores : DataFrame
        model, label; rows of scores.csv.
    """
    first = scores.drop_duplicates("model")
    labels = {split_model(model)[0]: label for model, label in zip(first.model, first.label, strict=True)}
    families: dict[str, list[str]] = {}
    for family, label in labels.items():
        families.setdefault(label, []).append(family)
    return {
        family: label
        if all(other == family or other.startswith(f"{family}_") for other in families[label])
        else f"{label} ({family})"
        for family, label in labels.items()
    }


def corrected_interval(
    values: Sequence[float] | np.ndarray | pd.Series[float], test_over_train: float, confidence: float = CONFIDENCE
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
        `low` and `high` are NaN where they cannot be estimated: with fewer than two repetitions, or where all have the
        same value other than 0 (with 0 the two models are the same).
    """
    values = np.asarray(values, dtype=float)
    mean, r = float(np.mean(values)), len(values)
    if r < 2 or (mean != 0 and np.ptp(values) <= ROUNDING * abs(mean)):
        return mean, math.nan, math.nan
    half = float(_half_width(float(np.var(values, ddof=1)), r, test_over_train, confidence))
    return mean, mean - half, mean + half


def _half_width(variance: Any, r: Any, test_over_train: Any, confidence: float = CONFIDENCE) -> Any:
    return np.sqrt((1 / r + test_over_train) * variance) * stdtrit(r - 1, (1 + confidence) / 2)


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
        return f"{_digits(ratio)} {'(one hold-out)' if n_repeats == 1 else NO_INTERVAL}"
    upper = UNBOUNDED if high > WIDEST * ratio else _digits(high)
    return f"{_digits(ratio)} [{_digits(low)}, {upper}]"


def _digits(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def hidden_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the test rows of scores.csv with `test_over_train`, the pairs of the test over those of the train split.

    Parameters
    ----------
    scores : DataFrame
        protocol, dataset, model, repeat, split, n_pairs, n_players, n_params, mse, log_loss, accuracy.
    """
    keys = ["protocol", "dataset", "model", "repeat"]
    train = scores.loc[scores.split == "train", [*keys, "n_pairs"]]
    test = scores[scores.split == "test"].merge(train, on=keys, how="left", suffixes=("", "_train"))
    test = test.assign(test_over_train=test.n_pairs / test.n_pairs_train)
    # What a table made by hand need not have.
    fallback: dict[str, Any] = {
        "n_games": math.nan,
        "game_log_loss": math.nan,
        "n_connected": test.n_pairs,
        "n_hideable": test.n_pairs + test.n_pairs_train,
        "fitted": test.model,
    }
    return test.assign(**{name: value for name, value in fallback.items() if name not in test})


def is_counted(test: pd.DataFrame) -> bool:
    """Whether the payoff was counted from games, so that `game_log_loss` is the score that decides, else `mse`."""
    return bool(test.game_log_loss.notna().all())


def not_enough(test: pd.DataFrame) -> str:
    """Say why the hidden pairs are not enough to compare models; empty where they are.

    Parameters
    ----------
    test : DataFrame
        Of `hidden_scores`: one row a hold-out of one dataset.
    """
    # Hold-outs hide the same pairs again: no more are hidden than can be.
    hidden = int(min(test.n_pairs.sum(), test.n_hideable.fillna(np.inf).max()))
    connected = int(test.n_connected.sum())
    if hidden < FEWEST_PAIRS:
        return f"{amount(hidden, 'hidden pair')}, fewer than {FEWEST_PAIRS}"
    if connected < max(FEWEST_PAIRS, test.n_pairs.sum() / 2):
        return f"the other games connect the players of only {connected} of {int(test.n_pairs.sum())} hidden pairs"
    return ""


def log_ratios(test: pd.DataFrame, model: str | None, baseline: str) -> pd.DataFrame:
    """Return the natural log of the baseline's error over the model's, one row a hold-out and model.

    Parameters
    ----------
    test : DataFrame
        Of `hidden_scores`.
    model, baseline : str
        Ids; all models where `model` is None. An error below `FLOOR` counts as `FLOOR`.

    Returns
    -------
    DataFrame
        The columns of `test` for the model, those of the baseline on the same hold-out with the suffix ``_baseline``,
        and `log_ratio`: positive where the model is better, NaN where an error is missing or infinite.
    """
    keys = ["protocol", "dataset", "repeat"]
    models = test if model is None else test[test.model == model]
    both = models.merge(test[test.model == baseline], on=keys, suffixes=("", "_baseline"))
    # A table without rows has no numbers.
    errors = (both[name].astype(float) for name in ("mse_baseline", "mse"))
    logs = [np.log(error.where(np.isfinite(error)).clip(lower=FLOOR)) for error in errors]
    return both.assign(log_ratio=logs[0] - logs[1])


def mean_log_ratio(ratios: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean over hold-outs of `log_ratios`, with its interval; its exponential is the ratio of errors.

    Parameters
    ----------
    ratios : DataFrame
        log_ratio, test_over_train: one row a hold-out.
    """
    return corrected_interval(ratios.log_ratio, float(ratios.test_over_train.mean()))


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


def elo_ratios(scores: pd.DataFrame, averaged: Collection[str] = ()) -> pd.DataFrame:
    """Return Elo's error on hidden pairs over each model's: the geometric mean over hold-outs of the paired ratio.

    Parameters
    ----------
    scores : DataFrame
        scores.csv: protocol, dataset, model, repeat, split, n_players, n_params, n_pairs, mse.
    averaged : collection of str
        Games to average over; none for no average.

    Returns
    -------
    DataFrame
        protocol, dataset, model, params_per_player, n_games, few, log_ratio, ratio, low, high: above 1 the model is
        better.
        One row a protocol, dataset and model (Elo itself has ratio 1), and for each protocol and model a row whose
        dataset is `AVERAGE`, the geometric mean over those of the games `averaged` that have a ratio: `n_games` says
        how many. `low` and `high` are NaN with one hold-out; the average's tell what the hold-outs leave open, not what
        other games would give. A ratio is NaN where an error is missing or infinite, or the hidden pairs of a league
        are `not_enough`, as `few` tells.
    """
    both = log_ratios(hidden_scores(scores), None, REFERENCE)
    both = both.assign(params_per_player=both.n_params / both.n_players, known=both.game_log_loss.notna())
    by_game = both.groupby(["protocol", "model", "dataset"])
    games = _over_hold_outs(by_game).assign(params_per_player=by_game.params_per_player.first(), n_games=1, few=False)
    by_counts = by_game.known.all()
    few = [key for key in by_counts.index[by_counts] if not_enough(by_game.get_group(key))]
    games.loc[few, ["log_ratio", "low", "high"]] = math.nan
    games.loc[few, "few"] = True
    games = games.reset_index()
    kept = games[games.dataset.isin(averaged) & games.log_ratio.notna()]
    keys = ["protocol", "model"]
    rows = both.merge(kept[[*keys, "dataset"]], on=[*keys, "dataset"])
    repeats = rows.groupby([*keys, "repeat"])[["log_ratio", "test_over_train"]].mean()
    means = _over_hold_outs(repeats.groupby(keys)).assign(
        params_per_player=kept.groupby(keys).params_per_player.median(),
        n_games=kept.groupby(keys).size(),
        log_ratio=kept.groupby(keys).log_ratio.mean(),
        dataset=AVERAGE,
        few=False,
    )
    table = pd.concat([games, means.reset_index()]).sort_values(keys, kind="stable", ignore_index=True)
    table = table["protocol dataset model params_per_player n_games few log_ratio low high".split()]
    for name, column in (("ratio", "log_ratio"), ("low", "low"), ("high", "high")):
        table[name] = table[column].astype(float).map(exp)
    return table


def _over_hold_outs(groups: Any) -> pd.DataFrame:
    """Return the mean log ratio of each group with its limits, as `mean_log_ratio` does for one."""
    ratios = groups.log_ratio
    mean = ratios.mean(skipna=False)
    half = _half_width(ratios.var(skipna=False), ratios.size(), groups.test_over_train.mean())
    half = half.mask((ratios.max() - ratios.min() <= ROUNDING * mean.abs()) & (mean != 0))
    return pd.DataFrame({"log_ratio": mean, "low": mean - half, "high": mean + half})
