"""The paper's numbers and claims beside ours: pure functions from tables to the comparison.

What the paper says is data (`workflow/paper/`, read by `read_paper`); what a run gave is a `Results`.
`compare` puts them side by side, one row an item, and `table_1` lays out Table 1. Nothing here fits a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from reproduction.paper.claims import CLAIMS, Decision, human, human_ratio
from reproduction.paper.numbers import Paper, averaged_games, half_mse, model_label
from reproduction.paper.results import Missing, Results
from reproduction.paper.tolerances import within
from transitivity.errors import InputError, amount, did_you_mean

REPRODUCED, DIFFERS, NOT_RUN = "reproduced", "differs", "not run"
COLUMNS = ["item", "quantity", "paper", "ours", "ratio", "tolerance", "verdict", "note", "expected"]


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _size_note(paper: Paper, results: Results, datasets: Iterable[str]) -> str:
    """Say that a dataset has not the paper's number of players: then nothing need agree."""
    for dataset in datasets:
        theirs, ours = paper.n_players(dataset), results.n_players(dataset)
        if math.isfinite(theirs) and math.isfinite(ours) and theirs != ours:
            return (
                f"Computed with {ours:.0f} players of {paper.label(dataset)}, the paper has {theirs:.0f}: "
                "not the same game, so agreement is not expected."
            )
    return ""


def _row(
    item: str,
    quantity: str,
    theirs: float,
    compute: Callable[[], float | Decision],
    tolerance: str,
    expected: str,
    note: str,
    size_note: str = "",
) -> dict:
    """Return one row of the comparison; `compute` raises Missing where there is nothing to compare."""
    row = {"item": item, "quantity": quantity, "paper": theirs, "ours": math.nan, "ratio": math.nan}
    row |= {"tolerance": tolerance, "expected": DIFFERS if size_note and expected == REPRODUCED else expected}
    try:
        result = compute()
    except Missing as missing:
        reason = str(missing)
        row |= {"verdict": NOT_RUN, "note": _sentence(reason[0].upper() + reason[1:] + ".", size_note, note)}
        if not missing.due:
            row["expected"] = NOT_RUN
        return row
    seen = ""
    if isinstance(result, Decision):
        seen = f"Seen: {result.seen}."
        result = result.share
    row["ours"] = float(result)
    row["ratio"] = row["ours"] / theirs if theirs != 0 else math.nan
    row["verdict"] = REPRODUCED if within(tolerance, theirs, row["ours"]) else DIFFERS
    row["note"] = _sentence(seen, size_note, note)
    return row


def _tolerance(row: tuple, fresh: bool) -> str:
    return row.tolerance_fresh if fresh and row.tolerance_fresh else row.tolerance


def compare_table_1(paper: Paper, results: Results) -> list[dict]:
    """Return the rows of Table 1 (half-MSE, protocol written); optional rows only where they ran."""
    rows = []
    for entry in paper.table_1.itertuples():
        if entry.optional == "yes" and ("written", entry.model) not in results._fitted:
            continue
        fresh = results.is_fresh(entry.dataset)
        rows.append(
            _row(
                f"table_1/{entry.dataset}/{entry.model}/{entry.split}",
                f"{entry.label}: half-MSE, {entry.split}, {paper.label(entry.dataset)}",
                entry.half_mse,
                lambda e=entry: half_mse(results.mse("written", e.dataset, e.model, e.split)),
                _tolerance(entry, fresh),
                entry.expected,
                paper.text(entry.note),
                _size_note(paper, results, [entry.dataset]),
            )
        )
    return rows


def _average_rows(
    paper: Paper,
    results: Results,
    entry: tuple,
    protocol: str,
    bars: pd.DataFrame,
    items: tuple[str, str],
    name: str,
    theirs: float,
    scale: Callable[[float], float],
) -> list[dict]:
    """Return two rows: the average over all the figure's games, and the paper's and ours over those that ran.

    `scale` takes the mean of natural logarithms to the quantity that the figure shows.
    """
    ours, ran, missing = {}, [], []
    for bar in bars.itertuples():
        try:
            ours[bar.dataset] = results.bar(protocol, bar.dataset, entry.model)
            ran.append(bar)
        except Missing as reason:
            missing.append((paper.label(bar.dataset), reason))
    fresh = any(results.is_fresh(bar.dataset) for bar in ran)
    size_note = _size_note(paper, results, ours)

    def average(values: Iterable[float]) -> float:
        return scale(float(np.mean([math.log(value) for value in values])))

    def over_all() -> float:
        if missing:
            names = ", ".join(label for label, _ in missing)
            raise Missing(f"needs all {len(bars)} games, missing: {names}", any(r.due for _, r in missing))
        return average(ours.values())

    def over_same() -> float:
        if not ran:
            raise Missing(f"none of the {len(bars)} games ran", any(r.due for _, r in missing))
        return average(ours.values())

    same = average(bar.ratio for bar in ran) if ran else math.nan
    tolerance, label = _tolerance(entry, fresh), model_label(entry.model)
    note = paper.text(entry.note)
    games = f"Games: {', '.join(paper.label(bar.dataset) for bar in ran)}."
    return [
        _row(
            items[0],
            f"{label}: {name}, all {len(bars)} games",
            theirs,
            over_all,
            tolerance,
            entry.expected,
            note,
            size_note,
        ),
        _row(
            items[1],
            f"{label}: {name}, paper's and ours over the same {amount(len(ran), 'game')} that ran",
            same,
            over_same,
            tolerance,
            entry.expected,
            _sentence(note, games if ran else ""),
            size_note,
        ),
    ]


def compare_figure_5(paper: Paper, results: Results) -> list[dict]:
    """Return the bars of Figure 5 and its log averages, under the protocols that figure_5.csv lists."""
    rows = []
    bars = paper.figure_5
    for entry in bars.itertuples():
        if entry.dataset == "log_average":
            shown = bars[(bars.protocol == entry.protocol) & (bars.model == entry.model)]
            shown = shown[shown.dataset.isin(averaged_games(bars, 5))]
            items = tuple(
                f"figure_5/{entry.protocol}/{n}/{entry.model}"
                for n in ("log_average", "log_average_same_games")
            )
            name = f"log average (protocol {entry.protocol})"
            rows += _average_rows(
                paper, results, entry, entry.protocol, shown, items, name, entry.ratio, math.exp
            )
            continue
        fresh = results.is_fresh(entry.dataset)
        figure = "figure_5" if entry.source == "printed" else "figure_6"
        rows.append(
            _row(
                f"{figure}/{entry.protocol}/{entry.dataset}/{entry.model}",
                f"{model_label(entry.model)}: Elo's test MSE over the model's, {paper.label(entry.dataset)} "
                f"(protocol {entry.protocol})",
                entry.ratio,
                lambda e=entry: results.bar(e.protocol, e.dataset, e.model),
                _tolerance(entry, fresh),
                entry.expected,
                paper.text(entry.note),
                _size_note(paper, results, [entry.dataset]),
            )
        )
    return rows


def compare_figure_6(paper: Paper, results: Results) -> list[dict]:
    """Return the averages of log10 over the 20 games of Figure 6, and over those that ran."""
    rows = []
    for entry in paper.figure_6.itertuples():
        shown = paper.figure_5[
            (paper.figure_5.protocol == "published")
            & (paper.figure_5.model == (entry.model if entry.model != "elo" else "disc_k1"))
            & paper.figure_5.dataset.isin(averaged_games(paper.figure_5, 6))
        ]
        if entry.model == "elo":
            shown = shown.assign(ratio=1.0)
        items = (f"figure_6/published/{entry.model}", f"figure_6/published/same_games/{entry.model}")
        rows += _average_rows(
            paper,
            results,
            entry,
            "published",
            shown,
            items,
            "average of log10",
            entry.log10_average,
            lambda mean: mean / math.log(10),
        )
    return rows


def compare_human(paper: Paper, results: Results) -> list[dict]:
    """Return the counts of Figure 7 and the ratios of Figure 10; 'not run' without human games."""
    rows = []
    for entry in paper.figure_7_counts.itertuples():
        rows.append(
            _row(
                f"figure_7/{entry.dataset}/{entry.threshold:g}/{entry.quantity}",
                f"{paper.label(entry.dataset)}: {entry.quantity} with pairs of {amount(int(entry.threshold), 'game')}",
                entry.value,
                lambda e=entry: float(human(results, e.dataset, e.threshold)[e.quantity]),
                entry.tolerance,
                entry.expected,
                paper.text(entry.note),
            )
        )

    for entry in paper.figure_10.itertuples():
        rows.append(
            _row(
                f"figure_10/{entry.threshold:g}/{entry.model}",
                f"{model_label(entry.model)}: Elo's MSE over the model's, StarCraft II, "
                f"{entry.threshold:g} games a pair",
                entry.ratio,
                lambda e=entry: human_ratio(results, e.threshold, e.model),
                entry.tolerance,
                entry.expected,
                paper.text(entry.note),
            )
        )
    return rows


def compare_claims(paper: Paper, results: Results) -> list[dict]:
    """Return the claims in words: paper = 1, ours = the share of a claim's cases that hold, reproduced at 1.

    Raises
    ------
    InputError
        If claims.csv names a function that is not in `CLAIMS`.
    """
    rows = []
    for claim in paper.claims.itertuples():
        if claim.decided_by not in CLAIMS:
            raise InputError(
                f"Claim {claim.id!r} is decided by {claim.decided_by!r}; "
                f"{did_you_mean(claim.decided_by, CLAIMS)}"
            )
        arguments = dict(argument.split("=", 1) for argument in claim.arguments.split())
        datasets = claim.datasets.split()
        few = ""
        if not datasets and "protocol" in arguments:
            # A claim about averages over whichever games ran.
            games = averaged_games(paper.figure_5, 5)
            datasets = [game for game in games if results.runs(game)]
            if len(datasets) < len(games) / 2:
                few = (
                    f"Only {len(datasets)} of {len(games)} games ran: an average over so few need not agree."
                )
        rows.append(
            _row(
                claim.id,
                f"Claim ({claim.place}): {claim.claim} Decided by: {claim.statement}.",
                1.0,
                lambda c=claim, a=arguments: CLAIMS[c.decided_by](results, paper, **a),
                "exact",
                claim.expected,
                paper.text(claim.note),
                few or _size_note(paper, results, datasets),
            )
        )
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
    """Return the place of an item's table or figure: Table 1, then the figures by number."""
    kind, _, number = group_of(item).partition("_")
    return int(number) if kind == "figure" else 0


def unmet(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the items that were expected to reproduce and do not, those missing in the run among them.

    Parameters
    ----------
    comparison : DataFrame
        What `compare` gave.
    """
    return comparison[(comparison.expected == REPRODUCED) & (comparison.verdict != REPRODUCED)]
