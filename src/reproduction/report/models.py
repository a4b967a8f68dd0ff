"""The section that compares the models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.paper.numbers import entries, model_label
from reproduction.report.answer import GAMES, STRONG
from reproduction.report.cells import minus, table
from transitivity.evaluation.compare import CHOSEN, COUNTED, FEWEST_GAMES, TUNED
from transitivity.evaluation.ratios import NO_INTERVAL, REFERENCE, UNBOUNDED, WIDEST, interval_in_words

#: Differences of losses below this are what a solver's tolerance leaves.
ROUNDING = 1e-12
#: How the ids of the models start that are compared game by game.
DISC = ("disc_k", "disc_regularised_k", f"disc{CHOSEN}", f"disc{TUNED}")
#: How the sizes of the disc and of what it is compared with are called in titles.
RELATIONS = {
    "elo": "the disc against Elo",
    "tuned": "the disc against others, priors and k chosen within train",
    "chosen k": "the disc against others, k chosen by validation",
    "fewer parameters": "the disc against others, with fewer parameters",
    "equal parameters": "the disc against others, with as many parameters",
    "more parameters": "the disc against others, with more parameters",
}
OTHERS = "other models against Elo"
#: Instead of an interval, where the hidden pairs say nothing.
TOO_FEW = "too few hidden pairs"
WIDE = (
    f"“{UNBOUNDED.capitalize()}” stands for a limit above {WIDEST:g} times the ratio: the hold-outs are too few, or "
    "differ too much, to bound it. More `repeats` in the configuration give narrower intervals."
)


def models_section(
    comparison: pd.DataFrame,
    ranks: pd.DataFrame,
    choice: pd.DataFrame,
    optima: pd.DataFrame,
    labels: Mapping[str, str],
    models: Mapping[str, str],
) -> list[dict]:
    """Return the tables of one protocol, and how fits of all pairs at once compare with Algorithm 2.

    The protocol is strong or, where it scored nothing, the one with the most hold-outs, of two at least.
    """
    tables = []
    protocol = compared_protocol(comparison)
    shown = ranks[(ranks.protocol == protocol) & (ranks.games == GAMES) & (ranks.n_games >= FEWEST_GAMES)]
    shown = shown.drop(columns=["protocol", "games"])
    for name in ("model", "baseline"):
        shown[name] = [model_label(model, models) for model in shown[name]]
    if len(shown):
        tables.append({"title": "Over games: the baseline's error over the model's", "table": table(shown)})
    shown = comparison[comparison.protocol == protocol]
    disc = shown.model.astype(str).str.startswith(DISC)
    shown = shown.assign(
        cell=[comparison_in_words(row) for row in entries(shown)],
        title=np.where(disc, shown.relation.map(lambda relation: RELATIONS.get(relation, relation)), OTHERS),
    )
    # Of the other models, what Elo's error is over theirs; the disc comes first.
    shown = shown[disc | (shown.baseline == REFERENCE)].sort_values(
        "title", key=lambda title: title == OTHERS, kind="stable"
    )
    for title, rows in shown.groupby("title", sort=False):
        rows = rows.assign(pair=rows.model + " / " + rows.baseline)
        pivot = rows.pivot(index="dataset", columns="pair", values="cell").fillna("")
        pivot = pivot.rename(columns=lambda pair: " / ".join(model_label(one, models) for one in pair.split(" / ")))
        hidden = rows.groupby("dataset")[["n_test_pairs", "n_test_games"]].max().reindex(pivot.index)
        pivot.insert(0, "dataset", [labels.get(name, name) for name in pivot.index])
        pivot["hidden pairs"], pivot["their games"] = hidden.n_test_pairs, hidden.n_test_games
        about = "" if protocol == STRONG else f", protocol {protocol}"
        wide = rows.cell.str.contains(UNBOUNDED).any()
        tables.append({"title": f"Game by game, {title}{about}", "words": WIDE if wide else "", "table": table(pivot)})
    shown = choice[choice.protocol == protocol]
    counts = shown.groupby(["dataset", "family", "chosen"], sort=False).size().rename("hold-outs").reset_index()
    counts["dataset"] = [labels.get(name, name) for name in counts.dataset]
    counts["family"] = [models.get(name, name) for name in counts.family]
    if len(counts):
        tables.append({"title": "What the validation chose", "table": table(counts)})
    if len(optima):
        tables.append(
            {
                "title": "Better optima: the disc fitted pair after pair (Algorithm 2), and all pairs at once",
                "words": optima_in_words(optima),
                "table": table(optima.assign(dataset=[labels.get(name, name) for name in optima.dataset])),
            }
        )
    return [{"words": ""} | part for part in tables]


def comparison_in_words(row: Any) -> str:
    """Return a cell of a comparison: a ratio of errors or, for results counted from games, a gain in nats a game."""
    if row.score == COUNTED:
        gain = [getattr(row, f"{COUNTED}_gain{end}") for end in ("", "_low", "_high")]
        if math.isnan(gain[1]) and not math.isnan(gain[0]):
            return f"{minus(f'{gain[0]:.3f}')} nats {NO_INTERVAL}"
        return TOO_FEW if math.isnan(gain[0]) else minus("{:.3f} [{:.3f}, {:.3f}] nats".format(*gain))
    return TOO_FEW if math.isnan(row.ratio) else interval_in_words(row.ratio, row.low, row.high, row.n_repeats)


def compared_protocol(comparison: pd.DataFrame) -> str:
    """Return the protocol whose models are compared."""
    if (comparison.protocol == STRONG).any():
        return STRONG
    repeated = comparison[comparison.n_repeats > 1].sort_values("n_repeats", kind="stable")
    return repeated.protocol.iloc[-1] if len(repeated) else STRONG


def optima_in_words(optima: pd.DataFrame) -> str:
    """Say what fitting all pairs at once does to the train loss and to the test error."""
    n, gain, ratios = len(optima), optima.train_gain, optima.test_ratio
    return (
        f"Fitting all pairs at once reaches the train loss of Algorithm 2 or a lower one in "
        f"{int((gain >= -ROUNDING).sum())} of {n} fits; the gain is {gain.median():.2g} nats a pair in the median and "
        f"{gain.max():.2g} at most. On hidden pairs it predicts better in {int((ratios > 1).sum())} of {n} fits: the "
        f"error of Algorithm 2 over its error is {ratios.median():.3g} in the median, from {ratios.min():.3g} to "
        f"{ratios.max():.3g}."
    )
