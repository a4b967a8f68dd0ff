"""The answer to the paper's question in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from transitivity.errors import amount
from transitivity.evaluation.compare import CHOSEN, FEWEST_GAMES
from transitivity.evaluation.ratios import BETTER, REFERENCE, UNTESTED, WORSE, split_model

#: The protocol whose comparison is the answer, and the group of games that it is about.
STRONG, GAMES = "strong", "all"
NO_ANSWER = f"This run has no repeated hold-outs with a k chosen by validation (protocol {STRONG})."
#: The families of m-Elo as its authors write it, and what tells them apart.
MELO = {"melo": "as Equation 20 writes it", "melo_logit": "in logit space"}


def answer(comparison: pd.DataFrame, tests: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """Say in two sentences of Markdown what the protocol `strong` found: against Elo, and against m-Elo at equal k.

    Every game of the protocol counts, the paper's or not.

    Parameters
    ----------
    comparison : DataFrame
        Of `compare_models`.
    tests : DataFrame
        Of `signed_rank`.
    labels : mapping of str to str
        Dataset to what it is called.
    """
    comparison = comparison[(comparison.protocol == STRONG) & (comparison.verdict != UNTESTED)]
    tests = tests[(tests.protocol == STRONG) & (tests.games == GAMES)]
    disc = tests[tests.model.str.fullmatch(r"disc_k\d+")]
    elo = disc[disc.baseline == REFERENCE]
    against = _chosen(comparison, [REFERENCE], labels)
    if len(elo) == 0 or not against:
        return f"{NO_ANSWER}\n"
    repeats = comparison.n_repeats.min()
    # A median over few games, or a test, would say nothing of others.
    several = elo.n_games.max() >= FEWEST_GAMES
    ratios = f"; Elo's error is {_times(elo)}" if several else ""
    first = (
        f"With k chosen by validation, the disc decomposition predicts hidden pairs better than Elo {against} (95 % "
        f"intervals over {repeats} hold-outs a game){ratios}."
    )
    parts, families = [], []
    for family, space in MELO.items():
        equal = disc[disc.baseline.str.fullmatch(rf"{family}_k\d+") & (disc.relation == "fewer parameters")]
        if len(equal):
            parts.append(f"{_times(equal)} {space}")
            families.append(family + CHOSEN)
    against = _chosen(comparison, families, labels)
    if not against:
        return first + "\n"
    ratios = f"; m-Elo has n parameters more at equal k, and its error is {' and '.join(parts)}"
    return f"{first}\nIt predicts better than m-Elo, as its authors write it, {against}{ratios if several else ''}.\n"


def _times(rows: pd.DataFrame) -> str:
    times = ", ".join(f"{value:.2f}" for value in rows["median"])
    ks = ", ".join(str(split_model(model)[1]) for model in rows.model)
    p_values = ", ".join(f"{p:.2g}" for p in rows.p_value)
    return f"{times} times the disc's at k = {ks} (median game; signed-rank p = {p_values})"


def _chosen(comparison: pd.DataFrame, baselines: Sequence[str], labels: Mapping[str, str]) -> str:
    """Say on which games the disc is better than all baselines and worse than one, every k chosen by validation.

    A model without a k is itself. Empty where nothing was chosen.
    """
    rows = comparison[(comparison.model == "disc" + CHOSEN) & comparison.baseline.isin(baselines)]
    if len(rows) == 0:
        return ""
    verdicts = rows.groupby("dataset", sort=False).verdict
    better, worse = (verdicts.apply(lambda v: (v == BETTER).all()), verdicts.apply(lambda v: (v == WORSE).any()))

    def games(found: pd.Series, of: str = "") -> str:
        names = [labels.get(dataset, dataset) for dataset in found.index[found]]
        return f"{len(names) or 'none'}{of}" + (f" ({'; '.join(names)})" if names else "")

    several = " than one of its two forms" if len(baselines) > 1 else ""
    of_all = f" of {amount(len(better), 'game')}"
    return f"on {games(better, of_all)} and worse{several} on {games(worse)}"
