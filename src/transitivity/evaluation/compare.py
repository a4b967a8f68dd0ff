"""Models compared on the same hold-outs: ratios of errors with intervals, tests over games, the choice of k.

Every comparison is paired: both errors of a ratio come from the same repetition of the same hold-out. A game's interval
is that of Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003: repeated hold-outs
overlap, and the usual t interval, which takes them as independent, would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from transitivity.evaluation.ratios import (
    BETTER,
    CONFIDENCE,
    FLOOR,
    REFERENCE,
    UNDECIDED,
    WORSE,
    corrected_interval,
    exp,
    hidden_scores,
    is_counted,
    log_ratios,
    mean_log_ratio,
    not_enough,
    split_model,
    verdict_of,
)

#: Families of the disc decomposition, which are compared with every other family of models that have a k.
DISC = ("disc", "disc_joint")
#: The coin, and what ends the id of a model whose priors, and k, were chosen within train.
COIN, TUNED = "constant", "_tuned"
#: The score of payoffs that were counted from games, and that of all others.
COUNTED, EXACT = "game_log_loss", "mse"
#: What ends the id of a family whose k was chosen by validation.
CHOSEN = "_chosen"
#: The family that holds every model, k or not: which model a validation would choose.
ANY_MODEL = "any_model"
#: Medians and tests over fewer games say nothing.
FEWEST_GAMES = 5
#: The signed-rank test is exact up to this number of games.
EXACT_UP_TO = 50
COMPARISON = (
    "protocol dataset model baseline relation params_per_player baseline_params_per_player n_repeats n_test_pairs "
    "n_test_games score ratio low high verdict repeats_won game_log_loss_gain game_log_loss_gain_low "
    "game_log_loss_gain_high log_loss_gain log_loss_gain_low log_loss_gain_high accuracy_gain accuracy_gain_low "
    "accuracy_gain_high not_converged separated"
).split()
SIGNED_RANK = (
    "protocol games model baseline relation n_games n_families ratio median low high better worse undecided statistic "
    "p_value"
).split()
CHOICE = ["protocol", "dataset", "family", "repeat", "chosen", "validation_mse", "test_mse", "best", "best_test_mse"]
BEST = (
    "protocol dataset score n_repeats n_test_pairs n_test_games why_not best best_error lead lead_low lead_high lowest "
    "lowest_error beat_coin coin_error elo_error elo_tuned_error tuned_lead tuned_lead_low tuned_lead_high"
).split()
LEADS = ("lead", "lead_low", "lead_high")
NOTHING = (math.nan, math.nan, math.nan)
#: Why no model is named where each lacks a hold-out.
INCOMPLETE = "no model was scored in every hold-out"
OPTIMA = (
    "protocol dataset k repeat train_log_loss joint_train_log_loss train_gain test_mse joint_test_mse test_ratio "
    "spread separated"
).split()

# -------------------------------------------------------------------- the choice of k


def choose_k(scores: pd.DataFrame) -> pd.DataFrame:
    """Choose k by the validation error, once a repetition, and say what that gives on the test pairs.

    Parameters
    ----------
    scores : DataFrame
        scores.csv; the rows with the split ``validation`` are errors on pairs hidden from train, of models fitted to
        the rest of train.

    Returns
    -------
    DataFrame
        `CHOICE`: one row a protocol, dataset, family and repetition. `family` is that of models with two values of k
        or more, or `ANY_MODEL`, where every model of the protocol may be chosen. `chosen` is the model with the lowest
        validation error (`game_log_loss` where the payoff was counted from games, else `mse`), the smallest of equal
        ones; `best` the one with the lowest test error, which nobody could have chosen.
    """
    keys = ["protocol", "dataset", "repeat"]
    wide = scores[scores.split == "validation"].merge(
        scores[scores.split == "test"], on=[*keys, "model"], suffixes=("_validation", "")
    )
    wide = wide.sort_values(["n_params", "model"], kind="stable")
    wide["family"] = [split_model(model)[0] for model in wide.model]
    rows = []
    for groups, any_model in ((wide.groupby([*keys, "family"]), False), (wide.groupby(keys), True)):
        for key, group in groups:
            if len(group) < 2:
                continue
            score = COUNTED if COUNTED in group and is_counted(group) else EXACT
            chosen, best = (group.iloc[int(group[c].to_numpy().argmin())] for c in (f"{score}_validation", score))
            about = dict(zip(keys, key, strict=False)) | {"family": ANY_MODEL if any_model else key[-1]}
            about |= {"chosen": chosen.model, "validation_mse": chosen.mse_validation, "test_mse": chosen.mse}
            rows.append(about | {"best": best.model, "best_test_mse": best.mse})
    order = ["protocol", "dataset", "family", "repeat"]
    return pd.DataFrame(rows, columns=CHOICE).sort_values(order, kind="stable").reset_index(drop=True)


def with_chosen(scores: pd.DataFrame, choice: pd.DataFrame) -> pd.DataFrame:
    """Return scores with further models: each family with its chosen k, as ``"disc_chosen"``; `fitted` says which."""
    keys = ["protocol", "dataset", "repeat"]
    rows = choice[[*keys, "family", "chosen"]].rename(columns={"chosen": "model"})
    found = rows.merge(scores[scores.split != "validation"], on=[*keys, "model"])
    found = found.assign(fitted=found.model, model=found.family + CHOSEN).drop(columns="family")
    return pd.concat([scores.assign(fitted=scores.model), found], ignore_index=True)


# -------------------------------------------------------------------- game by game


def comparisons(models: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs (model, baseline) that are compared.

    Every model is compared with Elo, a tuned model with a tuned Elo, too, the tuned disc with each tuned m-Elo, and Elo
    with a coin. The disc decomposition with k pairs is compared with every other family at the
    same k, and with k + 1 pairs too, which is more parameters than m-Elo has; with a chosen k where both have one.
    """
    families: dict[str, dict[int, str]] = {}
    for model in sorted(models):
        family, k = split_model(model)
        if model != REFERENCE and REFERENCE in models:
            yield model, REFERENCE
        if k:
            families.setdefault(family, {})[k] = model
        for baseline in _baselines(model):
            if baseline in models:
                yield model, baseline
    for disc in DISC:
        for family, baselines in families.items():
            if family == disc or (disc, family) == DISC:
                continue
            for k, baseline in sorted(baselines.items()):
                for pairs in (k, k + 1):
                    if pairs in families.get(disc, {}):
                        yield families[disc][pairs], baseline
            if disc + CHOSEN in models and family + CHOSEN in models:
                yield disc + CHOSEN, family + CHOSEN


def _baselines(model: str) -> list[str]:
    """Return what a model without a k is compared with, besides Elo."""
    elo, disc = REFERENCE + TUNED, DISC[0] + TUNED
    if model in (REFERENCE, elo):
        return [COIN]
    if not model.endswith(TUNED):
        return []
    return [elo, *([f"melo{TUNED}", f"melo_logit{TUNED}"] if model == disc else [])]


def relation(model: str, baseline: str, params: float, baseline_params: float) -> str:
    """Return how the sizes of two models compare: "fewer", "equal", "more parameters"; or what the baseline is."""
    if baseline in (REFERENCE, COIN):
        return baseline
    if baseline.endswith(TUNED):
        return "tuned"
    if model.endswith(CHOSEN):
        return "chosen k"
    size = "equal" if params == baseline_params else "fewer" if params < baseline_params else "more"
    return f"{size} parameters"


def compare_models(scores: pd.DataFrame, fits: pd.DataFrame | None = None) -> pd.DataFrame:
    """Compare models game by game over the repetitions of each hold-out.

    Parameters
    ----------
    scores : DataFrame
        scores.csv, perhaps `with_chosen`.
    fits : DataFrame, optional
        timings.csv: protocol, dataset, model, repeat, converged, separated.

    Returns
    -------
    DataFrame
        `COMPARISON`. `ratio` is the geometric mean over repetitions of the baseline's test error over the model's
        (above 1 the model is better), `low` and `high` its interval (`corrected_interval` of the logs). The gains of
        log-loss (nats a game, nats a pair) and accuracy are means of differences, positive where the model is better.
        `score` is `game_log_loss` where the payoff was counted from games, else `mse`; `verdict` says whether the
        interval of its gain or ratio lies on one side (better, worse) or not (undecided), untested with a single
        repetition or where the hidden pairs are `not_enough`: ratios and gains are then NaN.
        `not_converged` and `separated` count the repetitions in which either fit was so.
    """
    test = hidden_scores(scores)
    bad = _bad_fits(fits)
    rows = []
    # A protocol has its own models: what another one lacks is not compared there.
    for protocol, part in test.groupby("protocol", sort=True):
        for model, baseline in comparisons(set(part.model)):
            for dataset, both in log_ratios(part, model, baseline).groupby("dataset", sort=False):
                rows.append(
                    {"protocol": protocol, "dataset": dataset, "model": model, "baseline": baseline} | _row(both, bad)
                )
    return pd.DataFrame(rows, columns=COMPARISON)


def _bad_fits(fits: pd.DataFrame | None) -> dict[str, set[tuple[object, ...]]]:
    """Return the (protocol, dataset, model, repeat) of the fits that did not converge, and of the separated ones."""
    if fits is None:
        return {"not_converged": set(), "separated": set()}
    keys = fits[["protocol", "dataset", "model", "repeat"]].itertuples(index=False, name=None)
    # Empty where a model does not tell.
    flags = list(zip(keys, fits.converged.astype(str), fits.separated.astype(str), strict=True))
    return {
        "not_converged": {key for key, converged, _ in flags if converged == "False"},
        "separated": {key for key, _, separated in flags if separated == "True"},
    }


def _row(both: pd.DataFrame, bad: Mapping[str, set[tuple[object, ...]]]) -> dict[str, Any]:
    """Return what `compare_models` says of one model and baseline on one game."""
    first = both.iloc[0]
    share = float(both.test_over_train.mean())
    params = float(first.n_params) / float(first.n_players)
    baseline_params = float(first.n_params_baseline) / float(first.n_players)
    enough, counted = not not_enough(both), is_counted(both)
    mean, low, high = mean_log_ratio(both) if enough else NOTHING
    by_game = both.game_log_loss_baseline - both.game_log_loss
    gains = {
        "game_log_loss": by_game,
        "log_loss": both.log_loss_baseline - both.log_loss,
        "accuracy": both.accuracy - both.accuracy_baseline,
    }
    intervals = {name: corrected_interval(gain, share) if enough else NOTHING for name, gain in gains.items()}
    row = {
        "relation": relation(first.model, first.model_baseline, params, baseline_params),
        # The mean where k was chosen anew each time.
        "params_per_player": float((both.n_params / both.n_players).mean()),
        "baseline_params_per_player": float((both.n_params_baseline / both.n_players).mean()),
        "n_repeats": len(both),
        "n_test_pairs": int(both.n_pairs.sum()),
        "n_test_games": both.n_games.sum(min_count=1),
        "score": COUNTED if counted else EXACT,
        "ratio": exp(mean),
        "low": exp(low),
        "high": exp(high),
        "verdict": verdict_of(*(intervals[COUNTED] if counted else (mean, low, high))[1:]),
        "repeats_won": int(((by_game if counted else both.log_ratio) > 0).sum()),
    }
    for name, interval in intervals.items():
        row |= dict(zip((f"{name}_gain", f"{name}_gain_low", f"{name}_gain_high"), interval, strict=True))
    columns = (both[name] for name in ("protocol", "dataset", "repeat", "fitted", "fitted_baseline"))
    fits = [((p, d, one, r), (p, d, other, r)) for p, d, r, one, other in zip(*columns, strict=True)]
    row |= {name: sum(not keys.isdisjoint(pair) for pair in fits) for name, keys in bad.items()}
    return row


def best_models(scores: pd.DataFrame) -> pd.DataFrame:
    """Name the model that predicts best, where there is evidence for it, else the simplest one.

    Models are ordered by their number of parameters; of equal ones Elo comes first, which a tuned model is that kept no
    cycles. A model is named only if its lead over every simpler one is
    positive by a corrected interval (`corrected_interval`) whose confidence is raised to 1 - 0.05 / (M - 1) for the
    M - 1 models that could be named instead of the simplest (Bonferroni); that it must beat all simpler ones needs no
    further correction (it is an intersection of hypotheses). Of several such models the richest is named. Where none
    is, the tuned Elo (Elo, where no tuned one was scored) is named instead of the coin if it beats the coin by a 95 %
    interval: a question fixed beforehand, which the number of models does not concern. So where models do not differ,
    another than the simplest is named in at most 5 % of datasets, 2.5 % for each of the two ways, as far as the
    corrected interval holds.

    Parameters
    ----------
    scores : DataFrame
        scores.csv.

    Returns
    -------
    DataFrame
        `BEST`: one row a protocol and dataset. `score` is `game_log_loss` where the payoff was counted from games, else
        `mse`. `best` is the model that is named, empty where `why_not` says why none is. `lead` is the least one over
        a simpler model, with its interval: a difference of log-losses in nats a game, or a ratio of MSE; NaN where
        no model leads every simpler one. `lowest` has the lowest error, whatever that is worth. Errors are means over
        hold-outs.
        `beat_coin` lists the models that predict better than a coin, each tested for itself at the usual confidence;
        `tuned_lead` is that of the tuned Elo, else of Elo, over the coin.
    """
    rows = []
    test = hidden_scores(scores)
    for (protocol, dataset), part in test.groupby(["protocol", "dataset"], sort=True):
        counted = is_counted(part)
        score = COUNTED if counted else EXACT
        errors = part.pivot(index="repeat", columns="model", values=score).dropna(axis="columns")
        sizes = dict(part.groupby("model").n_params.mean())
        ordered = sorted(map(str, errors), key=lambda model: (sizes[model], not model.startswith(REFERENCE), model))
        means = {model: float(errors[model].mean()) for model in ordered}
        first = part[part.model == (ordered or [part.model.iloc[0]])[0]]
        why = not_enough(first) or ("one hold-out" if len(errors) < 2 else "" if ordered else INCOMPLETE)
        row = {"protocol": protocol, "dataset": dataset, "score": score, "n_repeats": len(errors), "why_not": why}
        row |= {"n_test_pairs": int(first.n_pairs.sum()), "n_test_games": first.n_games.sum(min_count=1)}
        best, leads, tuned = "", NOTHING, NOTHING
        if not why:
            values = {model: errors[model].to_numpy() for model in ordered}
            if not counted:
                values = {model: np.log(np.maximum(error, FLOOR)) for model, error in values.items()}
            share = float(first.test_over_train.mean())
            best, leads = _named(values, share)
            if COIN in values:
                over = {model: corrected_interval(values[COIN] - values[model], share) for model in ordered}
                row["beat_coin"] = "; ".join(model for model in ordered if over[model][1] > 0)
                elo = REFERENCE + TUNED if REFERENCE + TUNED in over else REFERENCE
                tuned = over.get(elo, NOTHING)
                if best == COIN and tuned[1] > 0:
                    best = elo
        row |= {"best": best, "best_error": means.get(best)}
        for names, interval in ((LEADS, leads), ([f"tuned_{name}" for name in LEADS], tuned)):
            row |= {name: lead if counted else exp(lead) for name, lead in zip(names, interval, strict=True)}
        lowest = min(ordered, key=means.__getitem__, default="")
        row |= {"lowest": lowest, "lowest_error": means.get(lowest), "coin_error": means.get(COIN)}
        rows.append(row | {f"{elo}_error": means.get(elo) for elo in (REFERENCE, REFERENCE + TUNED)})
    return pd.DataFrame(rows, columns=BEST)


def _named(errors: Mapping[str, np.ndarray], share: float) -> tuple[str, tuple[float, float, float]]:
    """Return the model that `best_models` names, and its least lead, given errors of models from simple to rich."""
    models = list(errors)
    confidence = 1 - (1 - CONFIDENCE) / max(len(models) - 1, 1)
    named, lead = models[0], NOTHING
    for at, model in enumerate(models[1:], 1):
        leads = [corrected_interval(errors[simpler] - errors[model], share, confidence) for simpler in models[:at]]
        # An interval that cannot be estimated decides nothing.
        least = min(leads, key=lambda interval: -math.inf if math.isnan(interval[1]) else interval[1])
        if least[1] > 0:
            named, lead = model, least
    return named, lead


def compare_optima(scores: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """Compare the optima of the disc decomposition fitted pair after pair with those of all pairs at once.

    Parameters
    ----------
    scores : DataFrame
        scores.csv. Models of the families `DISC` with the same k are compared, where a protocol has both.
    fits : DataFrame
        timings.csv: protocol, dataset, model, repeat, spread, separated.

    Returns
    -------
    DataFrame
        `OPTIMA`: one row a protocol, dataset, k and repetition. `train_log_loss` and `test_mse` are those of pair
        after pair (Algorithm 2), with ``joint_`` those of all pairs at once. `train_gain` is the difference of the
        train losses in nats a pair, at least 0 up to rounding where both minimise the same loss; `test_ratio` the
        first test MSE over the second, above 1 where the joint fit predicts better (both at least `FLOOR`). `spread`
        is the largest loss less the least that the starts of the joint fit ended at; `separated` whether either loss
        has no finite optimum, so that a ridge decides where the fit ends.
    """
    keys = ["protocol", "dataset", "k", "repeat"]
    families = scores.model.map(split_model)
    scores = scores.assign(family=families.str[0], k=families.str[1])
    scores = scores[scores.family.isin(DISC) & (scores.k > 0)]
    fit_keys = ["protocol", "dataset", "model", "repeat"]
    scores = scores.merge(fits[[*fit_keys, "spread", "separated"]], on=fit_keys)
    wide = {}
    for family in DISC:
        part = scores[scores.family == family]
        train, test = (part[part.split == split] for split in ("train", "test"))
        wide[family] = train.merge(test[[*keys, "mse"]], on=keys, suffixes=("_train", ""))
    both = wide[DISC[0]].merge(wide[DISC[1]], on=keys, suffixes=("", "_joint"))
    return pd.DataFrame(
        {
            **both[keys],
            "train_log_loss": both.log_loss,
            "joint_train_log_loss": both.log_loss_joint,
            "train_gain": both.log_loss - both.log_loss_joint,
            "test_mse": both.mse,
            "joint_test_mse": both.mse_joint,
            "test_ratio": both.mse.clip(lower=FLOOR) / both.mse_joint.clip(lower=FLOOR),
            "spread": both.spread_joint,
            "separated": (both.separated.astype(str) == "True") | (both.separated_joint.astype(str) == "True"),
        },
        columns=OPTIMA,
    )


# -------------------------------------------------------------------- over games


def signed_rank(
    comparison: pd.DataFrame, groups: Mapping[str, Collection[str] | None], families: Mapping[str, str] = {}
) -> pd.DataFrame:
    """Test over games whether one model predicts better than another: Wilcoxon's signed-rank test, two-sided.

    Parameters
    ----------
    comparison : DataFrame
        Of `compare_models`; one value a game, the mean log ratio.
    groups : mapping of str to collection of str, or None
        The games of each group of games, None for all.
    families : mapping of str to str
        Dataset to the family of games that counts as one, by the mean of its log ratios; a game that has none is one.

    Returns
    -------
    DataFrame
        `SIGNED_RANK`. `n_families` counts what is independent. `ratio` is the geometric mean over families, `median`
        the median, `low` and `high` its interval (`median_interval`). `better`, `worse` and `undecided` count the games
        by verdict. Families with equal errors (a ratio of 1) leave the test, as in Wilcoxon's; exact up to 50.
    """
    rows = []
    by = ["protocol", "model", "baseline", "relation"]
    comparison = comparison.dropna(subset="ratio")
    for name, games in groups.items():
        part = comparison if games is None else comparison[comparison.dataset.isin(games)]
        for key, group in part.groupby(by, sort=False):
            counts = group.verdict.value_counts()
            family = group.dataset.map(lambda dataset: families.get(dataset, dataset))
            logs = np.log(group.ratio).groupby(family, sort=False).mean().to_numpy()
            low, high = median_interval(logs)
            statistic, p_value = _wilcoxon(logs)
            rows.append(
                dict(zip(by, key, strict=True))
                | {"games": name, "n_games": len(group), "n_families": len(logs)}
                | {"ratio": math.exp(logs.mean()), "median": float(np.median(np.exp(logs)))}
                | {"low": math.exp(low), "high": math.exp(high)}
                | {verdict: int(counts.get(verdict, 0)) for verdict in (BETTER, WORSE, UNDECIDED)}
                | {"statistic": statistic, "p_value": p_value}
            )
    return pd.DataFrame(rows, columns=SIGNED_RANK)


def median_interval(values: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return an interval of a median that holds for any distribution: two order statistics, NaN for too few values."""
    values, n = np.sort(values), len(values)
    # The k-th value from either end: fewer than k of n coins show heads at most this often.
    tails = np.cumsum([math.comb(n, k) for k in range(n // 2 + 1)]) / 2.0**n
    k = int(np.searchsorted(tails, (1 - confidence) / 2, side="right"))
    return (float(values[k - 1]), float(values[n - k])) if k else (math.nan, math.nan)


def _wilcoxon(logs: np.ndarray) -> tuple[float, float]:
    """Return the statistic and the two-sided p-value of the signed-rank test; (0, 1) where all are zero."""
    # Half a second to import, which the figures that share this module need not spend.
    from scipy.stats import wilcoxon

    logs = logs[logs != 0]
    if len(logs) == 0:
        return 0.0, 1.0
    method = "exact" if len(logs) <= EXACT_UP_TO else "asymptotic"
    # The stubs know the name that scipy gave up, "approx".
    result = wilcoxon(logs, method=method)  # type: ignore[call-overload]
    return float(result.statistic), float(result.pvalue)
