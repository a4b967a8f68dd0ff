"""The paper's numbers and claims beside ours: `compare` puts a `Paper` and the `Results` of a run side by side.

The comparison has one row an item. Nothing here fits a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from reproduction.paper.claims import CLAIMS, Decision
from reproduction.paper.numbers import Paper, averaged_games, entries, model_label
from reproduction.paper.results import Missing, Results
from reproduction.paper.tolerances import within
from transitivity.errors import amount
from transitivity.evaluation.ratios import REFERENCE

REPRODUCED, DIFFERS, NOT_RUN = "reproduced", "differs", "not run"
COLUMNS = ["item", "quantity", "paper", "ours", "ratio", "tolerance", "verdict", "note", "expected"]


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _size_note(paper: Paper, results: Results, datasets: Iterable[str]) -> str:
    """Return a sentence about the first dataset whose number of players differs from the paper's, or ""."""
    for dataset in datasets:
        theirs, ours = paper.n_players(dataset), results.n_players(dataset)
        if math.isfinite(theirs) and math.isfinite(ours) and theirs != ours:
            return (
                f"Computed with {ours:.0f} players of {paper.label(dataset)}; the paper has {theirs:.0f}, so the "
                "games differ and the numbers are not expected to agree."
            )
    return ""


def _row(
    paper: Paper,
    results: Results,
    entry: Any,
    item: str,
    quantity: str,
    theirs: float,
    compute: Callable[[], float | Decision],
    datasets: Collection[str] = (),
    remark: str = "",
) -> dict:
    """Return one row of the comparison.

    `entry` is a row of the paper's tables and gives tolerance, expectation and note. `compute` raises Missing where
    there is nothing to compare. `datasets` are those that our number rests on; `remark` says why it need not agree,
    besides their size.
    """
    fresh = getattr(entry, "tolerance_fresh", "") if any(map(results.is_fresh, datasets)) else ""
    tolerance = fresh or entry.tolerance
    remark = remark or _size_note(paper, results, datasets)
    row: dict[str, Any] = {"item": item, "quantity": quantity, "paper": theirs, "ours": math.nan, "ratio": math.nan}
    row |= {"tolerance": tolerance, "expected": DIFFERS if remark and entry.expected == REPRODUCED else entry.expected}
    try:
        result = compute()
    except Missing as missing:
        reason = str(missing)
        reason = reason[0].upper() + reason[1:] + "."
        row |= {"verdict": NOT_RUN, "note": _sentences(reason, remark, paper.text(entry.note))}
        return row if missing.due else row | {"expected": NOT_RUN}
    seen = ""
    if isinstance(result, Decision):
        seen, result = f"Seen: {result.seen}.", result.share
    return row | {
        "ours": float(result),
        "ratio": result / theirs if theirs != 0 else math.nan,
        "verdict": REPRODUCED if within(tolerance, theirs, result) else DIFFERS,
        "note": _sentences(seen, remark, paper.text(entry.note)),
    }


def compare_table_1(paper: Paper, results: Results) -> list[dict]:
    """Return the rows of Table 1 (half-MSE, protocol written); optional rows only where they ran."""
    return [
        _row(
            *(paper, results, entry),
            f"table_1/{entry.dataset}/{entry.model}/{entry.split}",
            f"{model_label(entry.model)}: half-MSE, {entry.split}, {paper.label(entry.dataset)}",
            entry.half_mse,
            partial(results.half_mse, "written", entry.dataset, entry.model, entry.split),
            [entry.dataset],
        )
        for entry in entries(paper.table_1)
        if entry.optional == "no" or results.fits("written", entry.model)
    ]


def _average_rows(
    paper: Paper,
    results: Results,
    entry: Any,
    bars: pd.DataFrame,
    items: tuple[str, str],
    name: str,
    theirs: float,
    scale: Callable[[float], float],
) -> list[dict]:
    """Return two rows: the average over all the figure's games, and the paper's and ours over those that ran.

    `bars` are the paper's, of one protocol. `scale` takes the mean of natural logarithms to the quantity that the
    figure shows.
    """
    ours: dict[str, float] = {}
    missing: dict[str, Missing] = {}
    for bar in entries(bars):
        try:
            ours[bar.dataset] = results.bar(bar.protocol, bar.dataset, entry.model)
        except Missing as reason:
            missing[paper.label(bar.dataset)] = reason
    due = any(reason.due for reason in missing.values())

    def average(values: Iterable[float]) -> float:
        return scale(float(np.mean(np.log(list(values)))))

    def over_all() -> float:
        if missing:
            raise Missing(f"needs all {len(bars)} games; missing: {', '.join(missing)}", due)
        return average(ours.values())

    def over_same() -> float:
        if not ours:
            raise Missing(f"none of the {len(bars)} games ran", due)
        return average(ours.values())

    name = f"{model_label(entry.model)}: {name}"
    same = average(bars.ratio[bars.dataset.isin(ours)]) if ours else math.nan
    ran = f"paper's and ours over the same {amount(len(ours), 'game')} that ran"
    rows = [
        _row(paper, results, entry, items[0], f"{name}, all {len(bars)} games", theirs, over_all, ours),
        _row(paper, results, entry, items[1], f"{name}, {ran}", same, over_same, ours),
    ]
    if ours:
        rows[1]["note"] = _sentences(rows[1]["note"], f"Games: {', '.join(map(paper.label, ours))}.")
    return rows


def compare_figure_5(paper: Paper, results: Results) -> list[dict]:
    """Return the bars of Figure 5 and its log averages, under the protocols that figure_5.csv lists."""
    rows = []
    bars = paper.figure_5
    shown = bars[bars.dataset.isin(averaged_games(bars, 5))]
    for entry in entries(bars):
        figure = 5 if entry.source == "printed" else 6
        item = f"figure_{figure}/{entry.protocol}/{entry.dataset}{{}}/{entry.model}"
        if entry.dataset == "log_average":
            games = shown[(shown.protocol == entry.protocol) & (shown.model == entry.model)]
            items = (item.format(""), item.format("_same_games"))
            name = f"log average (protocol {entry.protocol})"
            rows += _average_rows(paper, results, entry, games, items, name, entry.ratio, math.exp)
            continue
        quantity = (
            f"{model_label(entry.model)}: Elo's test MSE over the model's, {paper.label(entry.dataset)} "
            f"(protocol {entry.protocol})"
        )
        compute = partial(results.bar, entry.protocol, entry.dataset, entry.model)
        rows.append(_row(paper, results, entry, item.format(""), quantity, entry.ratio, compute, [entry.dataset]))
    return rows


def compare_figure_6(paper: Paper, results: Results) -> list[dict]:
    """Return the averages of log10 over the 20 games of Figure 6, and over those that ran."""
    rows = []
    bars = paper.figure_5[paper.figure_5.protocol == "published"]
    bars = bars[bars.dataset.isin(averaged_games(paper.figure_5, 6))]
    for entry in entries(paper.figure_6):
        if entry.model == REFERENCE:
            shown = bars.drop_duplicates("dataset").assign(ratio=1.0)
        else:
            shown = bars[bars.model == entry.model]
        items = (f"figure_6/published/{entry.model}", f"figure_6/published/same_games/{entry.model}")
        name, theirs = "average of log10", entry.log10_average
        rows += _average_rows(paper, results, entry, shown, items, name, theirs, lambda mean: mean / math.log(10))
    return rows


def compare_human(paper: Paper, results: Results) -> list[dict]:
    """Return the counts of Figure 7 and the ratios of Figure 10; 'not run' without human games."""
    counts = [
        _row(
            *(paper, results, entry),
            f"figure_7/{entry.dataset}/{entry.threshold:g}/{entry.quantity}",
            f"{paper.label(entry.dataset)}: {entry.quantity} with pairs of {amount(int(entry.threshold), 'game')}",
            entry.value,
            partial(results.league_count, entry.dataset, entry.threshold, entry.quantity),
        )
        for entry in entries(paper.figure_7_counts)
    ]
    bars = [
        _row(
            *(paper, results, entry),
            f"figure_10/{entry.threshold:g}/{entry.model}",
            f"{model_label(entry.model)}: Elo's MSE over the model's, StarCraft II, {entry.threshold:g} games a pair",
            entry.ratio,
            partial(results.league_bar, "starcraft", entry.threshold, entry.model),
        )
        for entry in entries(paper.figure_10)
    ]
    return counts + bars


def compare_claims(paper: Paper, results: Results) -> list[dict]:
    """Return the claims in words: paper = 1, ours = the share of a claim's cases that hold, reproduced at 1."""
    rows = []
    for claim in entries(paper.claims.assign(tolerance="exact")):
        arguments = dict(argument.split("=", 1) for argument in claim.arguments.split())
        datasets = claim.datasets.split()
        few = ""
        if not datasets and "protocol" in arguments:
            # A claim about averages over whichever games ran.
            games = averaged_games(paper.figure_5, 5)
            datasets = [game for game in games if results.runs(game)]
            if len(datasets) < len(games) / 2:
                few = f"Only {len(datasets)} of {len(games)} games ran, so this average need not agree."
        quantity = f"Claim ({claim.place}): {claim.claim} Decided by: {claim.statement}."
        compute = partial(CLAIMS[claim.decided_by], results, paper, **arguments)
        rows.append(_row(paper, results, claim, claim.id, quantity, 1.0, compute, datasets, few))
    return rows


def compare(paper: Paper, results: Results) -> pd.DataFrame:
    """Put everything that the paper says beside what a run gave.

    Parameters
    ----------
    paper : Paper
        The paper's numbers and claims.
    results : Results
        What the run gave.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, one row an item. `ratio` is ours over the paper's. `expected` is what should come out
        with this run's inputs: 'not run' where the run was not asked for an input, 'differs' where the note
        tells why.
    """
    rows = [
        *compare_claims(paper, results),
        *compare_table_1(paper, results),
        *compare_figure_5(paper, results),
        *compare_figure_6(paper, results),
        *compare_human(paper, results),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    # Stable, so that the claims of a table or figure come before its numbers.
    order = np.argsort(frame["item"].map(group_order).to_numpy(), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def group_of(item: str) -> str:
    """Return the table or figure of an item: ``"figure_5"`` of ``"figure_5/published/blotto/disc_k1"``."""
    return item.split("/", 1)[0]


def group_order(item: str) -> int:
    """Return the place of an item's table or figure: Table 1, then the figures by number, then another paper."""
    kind, _, number = group_of(item).partition("_")
    return 0 if kind == "table" else int(number)


def unmet(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the items that were expected to reproduce and do not, those missing in the run among them.

    Parameters
    ----------
    comparison : DataFrame
        What `compare` gave.
    """
    return comparison[(comparison.expected == REPRODUCED) & (comparison.verdict != REPRODUCED)]
