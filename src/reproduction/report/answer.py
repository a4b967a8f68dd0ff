"""The answer to the paper's question in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.paper.numbers import entries, model_label
from reproduction.report.cells import minus, truth
from transitivity.errors import amount
from transitivity.evaluation.compare import CHOSEN, COIN, COUNTED, EXACT, FEWEST_GAMES, LEADS, TUNED, signed_rank
from transitivity.evaluation.ratios import (
    BETTER,
    NO_INTERVAL,
    REFERENCE,
    UNDECIDED,
    UNTESTED,
    WORSE,
    interval_in_words,
    split_model,
)

#: The protocol whose comparison answers for exact payoffs, the group of all its games, and that of tuned models.
STRONG, GAMES, OF_TUNED = "strong", "all", "tuned"
NO_ANSWER = (
    f"This run has no repeated hold-outs of exact payoffs (protocol {STRONG}), and no league with enough hidden pairs."
)
#: What the disc is compared with over games: Elo, and m-Elo in either space.
AGAINST = {REFERENCE: "Elo", "melo": "m-Elo as Equation 20 writes it", "melo_logit": "m-Elo in logit space"}


def answer(
    comparison: pd.DataFrame,
    best: pd.DataFrame,
    datasets: pd.DataFrame,
    fits: pd.DataFrame,
    families: Mapping[str, str],
    labels: Mapping[str, str],
) -> str:
    """Say what predicts hidden pairs best: for exact payoffs, for simulated leagues, and for those of real people.

    Parameters
    ----------
    comparison, best : DataFrame
        Of `compare_models` and `best_models`.
    datasets : DataFrame
        datasets.csv: dataset, simulated.
    fits : DataFrame
        timings.csv: protocol, model, converged, separated.
    families : mapping of str to str
        Of `signed_rank`: which games count as one.
    labels : mapping of str to str
        Dataset to what it is called.

    Returns
    -------
    str
        Markdown, a paragraph a line.
    """
    tested = comparison[comparison.verdict != UNTESTED]
    exact = tested[tested.protocol.isin((STRONG, OF_TUNED)) & (tested.score == EXACT)]
    said = _exact(exact[exact.protocol == STRONG], families, labels)
    # A game that both protocols score counts where it was hidden more often.
    exact = exact.sort_values("n_repeats", kind="stable").groupby(["dataset", "model", "baseline"], sort=False).tail(1)
    said += _tuned(exact, families, labels)
    if said:
        said.append(_optima(fits))
    simulated = set(datasets.dataset[truth(datasets.simulated)])
    counted = best[(best.score == COUNTED) & (best.n_repeats > 1)]
    # A league under several protocols: the one with the most hold-outs.
    counted = counted.sort_values(["n_repeats", "n_test_pairs"], kind="stable").groupby("dataset").tail(1)
    for is_simulated, name in ((True, "simulated leagues"), (False, "leagues of real results")):
        part = counted[counted.dataset.isin(simulated) == is_simulated].sort_values("dataset")
        said += _leagues(part, tested, name, labels)
    return "\n".join(said or [NO_ANSWER]) + "\n"


# -------------------------------------------------------------------- exact payoffs


def _exact(comparison: pd.DataFrame, families: Mapping[str, str], labels: Mapping[str, str]) -> list[str]:
    if comparison.empty:
        return []
    n_games, repeats = comparison.dataset.nunique(), comparison.n_repeats.min()
    n_families = comparison.dataset.map(lambda dataset: families.get(dataset, dataset)).nunique()
    as_one = f", of which games of one family (the Blottos) count as one: {n_families} in all" * (n_families < n_games)
    several = n_families >= FEWEST_GAMES
    said = [
        f"Payoffs that are taken as exact, {amount(n_games, 'game')}{as_one}; {repeats} hold-outs a game."
        + " Each number is the median over games of one model's mean squared error on hidden pairs divided by "
        "another's, with a 95 % interval of that median; p is that of a signed-rank test, not corrected for the "
        "number of tests." * several
    ]
    tests = signed_rank(comparison, {GAMES: None}, families)
    disc = tests[tests.model.str.fullmatch(r"disc_k\d+")]
    if several and len(disc):
        family, k = zip(*map(split_model, disc.baseline), strict=True)
        more = [split_model(model)[1] for model in disc.model] - np.array(k)
        disc = disc.assign(family=family, more=np.where(np.array(family) == REFERENCE, 0, more))
        equal, richer = (
            [
                f"{name} {_times(rows)}"
                for family, name in AGAINST.items()
                if len(rows := disc[(disc.family == family) & at])
            ]
            for at in (disc.more == 0, disc.more == 1)
        )
        said += _over("At equal k, as in the paper, over the disc decomposition's error", equal)
        said += _over(
            "Per parameter: m-Elo with k components has n parameters more than the disc decomposition with k, and n "
            "fewer than with k + 1. Over the error of the latter",
            richer,
        )
    rows = comparison[(comparison.model == f"disc{CHOSEN}") & (comparison.baseline == REFERENCE)]
    if len(rows):
        said.append(
            f"With k chosen by validation and compared with Elo, the disc decomposition {_by_verdict(rows, labels)}."
        )
    return said


def _tuned(comparison: pd.DataFrame, families: Mapping[str, str], labels: Mapping[str, str]) -> list[str]:
    comparison = comparison[(comparison.model == f"disc{TUNED}") & comparison.baseline.str.endswith(TUNED)]
    tests = signed_rank(comparison.assign(protocol=STRONG), {GAMES: None}, families)
    said = []
    for test in entries(tests.sort_values("baseline")):
        rows = comparison[comparison.baseline == test.baseline].sort_values("dataset")
        median = f"; the latter's error is {_times(tests[tests.baseline == test.baseline])} times the former's"
        said.append(
            f'With priors and k chosen within train and compared with "{model_label(test.baseline)}" on exact payoffs, '
            f"the disc decomposition {_by_verdict(rows, labels)}, {rows.n_repeats.min()} hold-outs a game"
            + (median if test.n_families >= FEWEST_GAMES else "")
            + "."
        )
    return said


def _over(what: str, parts: list[str]) -> list[str]:
    return [f"{what}: {'; '.join(parts)}."] if parts else []


def _times(rows: pd.DataFrame) -> str:
    times = ", ".join(interval_in_words(r.median, r.low, r.high, 0) for r in entries(rows))
    ks = [split_model(model)[1] for model in rows.model]
    at = f" at k = {', '.join(map(str, ks))}" if all(ks) else ""
    return f"{times}{at} (p = {', '.join(f'{p:.2g}' for p in rows.p_value)})"


def _by_verdict(rows: pd.DataFrame, labels: Mapping[str, str], noun: str = "game") -> str:
    """Say on which games, or datasets of games, a model predicts better and worse."""
    named = {
        verdict: [labels.get(dataset, dataset) for dataset in rows.dataset[rows.verdict == verdict]]
        for verdict in (BETTER, WORSE, UNDECIDED)
    }
    counts = {verdict: f"{len(names)}" + f" ({'; '.join(names)})" * bool(names) for verdict, names in named.items()}
    return (
        f"predicts better on {counts[BETTER]}, worse on {counts[WORSE]} and neither beyond error on "
        f"{counts[UNDECIDED]} of {amount(len(rows), noun)} (by a 95 % interval for each)"
    )


def _optima(fits: pd.DataFrame) -> str:
    fits = fits[fits.protocol.isin((STRONG, OF_TUNED))]
    stopped, apart = (
        int((fits[name].astype(str) == value).sum()) for name, value in (("converged", "False"), ("separated", "True"))
    )
    return (
        f"Of the {len(fits)} fits behind these numbers, {stopped} did not converge and {apart} belong to losses "
        "without a finite optimum, where a small ridge or the prior decides."
    )


# -------------------------------------------------------------------- leagues


def _leagues(best: pd.DataFrame, tested: pd.DataFrame, name: str, labels: Mapping[str, str]) -> list[str]:
    decided = best[best.why_not == ""]
    if decided.empty:
        return []
    undecided = "; ".join(f"{labels.get(r.dataset, r.dataset)}: {r.why_not}" for r in entries(best[best.why_not != ""]))
    parts = []
    for model, rows in decided.groupby("best", sort=True):
        listed = "; ".join(
            labels.get(r.dataset, r.dataset)
            + ("" if math.isnan(r.lead) else f", ahead of every simpler model by {lead_in_words(r)}")
            + (f", lead of {_elo(r)} over a coin {lead_in_words(r, 'tuned_')}" if _by_coin(r) else "")
            + f", {r.n_repeats} hold-outs, {r.n_test_pairs} hidden pairs with {r.n_test_games:.0f} games"
            for r in entries(rows)
        )
        called = "no model is shown to beat a coin" if model == COIN else f'"{model_label(str(model))}"'
        parts.append(f"{called} on {len(rows)} ({listed})")
    said = [
        f"Sparse and noisy results, {amount(len(best), 'dataset')} of {name}, scored by log-loss a game. The model "
        "named is the richest that leads every simpler one by its interval, else the tuned Elo where it beats a coin: "
        f"{'; '.join(parts)}." + f" Not decided: {undecided}." * bool(undecided)
    ]
    rows = tested[(tested.model == f"disc{TUNED}") & (tested.baseline == REFERENCE + TUNED)]
    rows = rows.merge(decided[["protocol", "dataset"]])
    if len(rows):
        least, most = (_nats(gain) for gain in (rows[f"{COUNTED}_gain"].min(), rows[f"{COUNTED}_gain"].max()))
        said.append(
            "There, compared with the tuned Elo, the tuned disc decomposition "
            f"{_by_verdict(rows, labels, 'dataset')}; its gain in log-loss is "
            f"{least if least == most else f'from {least} to {most}'} nats a game."
        )
    return said


def _nats(value: float) -> str:
    """Return a number of nats in three digits, zero without a sign."""
    return minus(f"{round(value, 3) + 0.0:.3f}")


def _elo(row: Any) -> str:
    """Return which Elo `tuned_lead` of `best_models` is of."""
    return "Elo" if pd.isna(row.elo_tuned_error) else "the tuned Elo"


def _by_coin(row: Any) -> bool:
    """Whether no model leads every simpler one, so that what is known of Elo and the coin is all there is to say."""
    return math.isnan(row.lead) and not math.isnan(row.tuned_lead)


def lead_in_words(row: Any, kind: str = "") -> str:
    """Return a lead of a row of `best_models` with its interval: nats a game, or a ratio of errors."""
    lead, low, high = (getattr(row, f"{kind}{name}") for name in LEADS)
    if math.isnan(lead):
        return ""
    if row.score == EXACT:
        return interval_in_words(lead, low, high, row.n_repeats)
    return f"{_nats(lead)} " + (NO_INTERVAL if math.isnan(low) else f"[{_nats(low)}, {_nats(high)}]") + " nats a game"


def best_in_words(row: Any, models: Mapping[str, str]) -> str:
    """Say which model predicts best, as far as there is evidence for it: a row of `best_models`."""
    lowest = model_label(row.lowest, models)
    if row.why_not:
        seen = f"; lowest error: {lowest}" if row.why_not == "one hold-out" else ""
        return f"not decided: {row.why_not}{seen}"
    words = model_label(row.best, models)
    if row.best == COIN:
        words = "no model is shown to beat a coin"
        if row.lowest == COIN:
            return f"{words}, and none has a lower error"
        better = "; ".join(model_label(model, models) for model in row.beat_coin.split("; ") if model)
        words += f" in {amount(row.n_repeats, 'hold-out')}, which may be too few"
        # One of many models may beat the coin by luck.
        words += (
            f". Tested by itself, not allowing for how many were tried, each of these does: {better}" if better else ""
        )
    elif _by_coin(row):
        by = "a ratio of errors of " * (row.score == EXACT) + lead_in_words(row, "tuned_")
        words = f"{row.n_repeats} hold-outs do not suffice to rank the models; {_elo(row)} beats a coin by {by}"
    return words if row.lowest == row.best else f"{words} ({lowest} has the lowest error, by a lead that may be luck)"
