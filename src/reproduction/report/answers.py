"""The three answers that the report of a reproduction starts with: a sentence or two and a picture each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.figures.cycles_pay import rule_in_words
from reproduction.paper.compare import DIFFERS, REPRODUCED, group_of, unmet
from reproduction.paper.numbers import entries
from reproduction.report import drawing
from reproduction.report.answer import AGAINST, GAMES, STRONG
from reproduction.report.cells import number
from transitivity.errors import amount
from transitivity.evaluation.compare import FEWEST_GAMES
from transitivity.evaluation.ratios import interval_in_words, split_model

#: The end of the axis of numbers over the paper's, in either direction.
LIMIT = 30.0
#: What the picture calls the models that the disc is compared with.
SHORT = {"elo": "Elo", "melo": "m-Elo, Eq. 20", "melo_logit": "m-Elo, logit"}


def group_title(group: str) -> str:
    """Return the title of a group of items: "figure_5" is "Figure 5"."""
    kind, _, index = group.partition("_")
    return f"{kind.capitalize()} {index}"


def reproduces(comparison: pd.DataFrame) -> drawing.Block:
    """Return the answer to: does the paper reproduce?

    Parameters
    ----------
    comparison : DataFrame
        paper_comparison.csv.
    """
    failed = set(unmet(comparison)["item"])
    is_claim = comparison["item"].str.contains("/claim/")
    words = []
    for of, name, good, bad in (
        (~is_claim, "number", "reproduce", "differ"),
        (is_claim, "claim", "hold", "do not, or not in all cases"),
    ):
        compared = comparison[of & comparison.verdict.isin((REPRODUCED, DIFFERS))]
        differ = compared[compared.verdict == DIFFERS]
        surprising = int(differ["item"].isin(failed).sum())
        words.append(
            f"Of {amount(len(compared), name)} of the paper that could be compared, {len(compared) - len(differ)} "
            f"{good}, and {len(differ)} {bad}: {len(differ) - surprising} for a reason that the notes state, "
            f"{surprising} unexpectedly."
        )
    lines = []
    numbers = comparison[~is_claim & (comparison.ratio > 0)]
    for group, rows in numbers.groupby(numbers["item"].map(group_of), sort=False):
        dots = [
            (
                row.ratio,
                "failed" if row.item in failed else row.verdict,
                f"{row.quantity}: paper {number(row.paper)}, ours {number(row.ours)}, {row.verdict}",
            )
            for row in entries(rows)
        ]
        lines.append(drawing.Row(f"{group_title(str(group))} ({len(dots)})", dots))
    if lines:
        words.append(
            "Each dot is a number, ours over the paper's: on the line both are equal. Green dots reproduce, orange "
            "ones differ for a stated reason, red ones unexpectedly. Ratios beyond "
            f"{LIMIT:g}, in either direction, lie at the ends; numbers that are 0 or of opposite signs have no dot."
        )
    picture = (
        drawing.rows("Ours over the paper's", lines, "ours / paper", 1.0, log=True, limit=LIMIT) if lines else None
    )
    return drawing.Block("Does the paper reproduce?", words, picture, id="reproduces")


def _at_equal_k(ranks: pd.DataFrame, family: str) -> list[tuple[int, Any]]:
    """Return the tests of the disc against a family of models with the same k, or without any: k and the row."""
    shown = ranks[(ranks.protocol == STRONG) & (ranks.games == GAMES) & (ranks.n_families >= FEWEST_GAMES)]
    shown = shown[shown.model.str.fullmatch(r"disc_k\d+") & shown.low.notna()]
    rows = []
    for row in entries(shown):
        (name, k), own = split_model(row.baseline), split_model(row.model)[1]
        if name == family and k in (0, own):
            rows.append((own, row))
    return sorted(rows, key=lambda row: row[0])


def predicts(ranks: pd.DataFrame, answer: list[str]) -> drawing.Block:
    """Return the answer to: what predicts best?

    Parameters
    ----------
    ranks : DataFrame
        signed_rank.csv.
    answer : list of str
        The paragraphs of answer.md, which say it at length.
    """
    lines, words = [], []
    for family, name in AGAINST.items():
        rows = _at_equal_k(ranks, family)
        for k, row in rows:
            label = f"{SHORT[family]}, k = {k}"
            title = (
                f"{name}, k = {k}: {interval_in_words(row.median, row.low, row.high, 0)}, {amount(row.n_games, 'game')}"
            )
            lines.append(drawing.Row(label, [(row.median, "one", title)], row.low, row.high))
        if rows:
            medians, ks = ", ".join(f"{row.median:.2f}" for _, row in rows), ", ".join(str(k) for k, _ in rows)
            better = [
                f"{what} at k = {', '.join(side)}"
                for what, side in (
                    ("the disc decomposition is better", [str(k) for k, row in rows if row.low > 1]),
                    (f"{name} is better", [str(k) for k, row in rows if row.high < 1]),
                )
                if side
            ]
            words.append(
                f"{name}: its error is {medians} times that of the disc decomposition at k = {ks}. By 95 % intervals, "
                f"each for itself, {', '.join(better) or 'neither is shown to be better'}."
            )
            n_games = int(rows[0][1].n_games)
    if lines:
        words = [
            f"On hidden pairs of {amount(n_games, 'exactly known game')}, in the median over games:",
            *words,
            "In the picture, the disc decomposition predicts better to the right of 1. Games of one family count as "
            "one. At equal k, m-Elo has more parameters. All this is about exact payoffs, not about the few and noisy "
            "results of people.",
        ]
    picture = (
        drawing.rows("Errors over the disc's", lines, "error over that of the disc decomposition", 1.0, log=True)
        if lines
        else None
    )
    more = answer if words else answer[1:]
    return drawing.Block("What predicts best?", words or answer[:1], picture, more=more, id="answer")


def pays(rule: pd.DataFrame | None, figure: Mapping | None) -> drawing.Block | None:
    """Return the answer to: when do cycles pay? None where the run did not ask.

    Parameters
    ----------
    rule : DataFrame, optional
        cycles_rule.csv.
    figure : mapping, optional
        The figure of that name, as the page shows it.
    """
    if rule is None and figure is None:
        return None
    words = [] if rule is None else rule_in_words(rule)
    return drawing.Block("When do cycles pay?", words, figure=figure, id="pays")
