"""When modelling cycles predicts better: families compared with the tuned Elo over shares of pairs and games a pair."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from transitivity.evaluation.ratios import CONFIDENCE, corrected_interval
from transitivity.evaluation.thinning import CYCLIC, HIDDEN

if TYPE_CHECKING:
    import pandas as pd

NO_DIFFERENCE = "no difference"
#: The columns of scores whose means are compared.
_MEANS = ["games", "opponents", "games_a_player", "n_scored", "score", "n_components"]
#: The reference of every cell.
ELO = "elo"


def compare(scores: pd.DataFrame) -> pd.DataFrame:
    """Compare the families with Elo in every cell, over the repetitions.

    Parameters
    ----------
    scores : DataFrame
        Rows of `thinning.scores_of_drawn` and `scores_of_thinned` with `dataset`, `kind` and `repeat`, Elo among them.

    Returns
    -------
    DataFrame
        One row a cell and family: the means of `games`, `opponents`, `games_a_player`, `n_scored`, `score` and
        `n_components`; `repeats`; `gain`, Elo's score minus this one, with `low` and `high`, its 95 % interval over
        repetitions (Student's t, of thinned leagues `corrected_interval`, as their hold-outs overlap; for families with
        a cyclic part Bonferroni-corrected for their number, because the better one is picked; NaN with one repetition);
        `ratio`, Elo's mean score over this one; and `best`, the same for all rows of a cell: `ELO` where every other
        family is worse beyond that interval, the family that is better than Elo beyond it, "disc or melo_logit" where
        both are and do not differ, else `NO_DIFFERENCE`.
    """
    import pandas as pd

    # The games of thinned leagues vary from one repetition to the next.
    key = ["dataset", "kind", "share"]
    rows = []
    grouped = scores.assign(cell=scores.games.where(scores.kind == "drawn", math.nan))
    for (dataset, kind, share, _), cell in grouped.groupby([*key, "cell"], sort=False, dropna=False):
        table = cell.pivot(index="repeat", columns="family", values="score")
        others = [family for family in cell.family.unique() if family != ELO]
        n_cyclic = sum(family in CYCLIC for family in others)
        found = []
        intervals: dict[str, tuple[float, float]] = {}
        for family in cell.family.unique():
            part = cell[cell.family == family]
            gains = (table[ELO] - table[family]).to_numpy()
            low, high = _interval(gains, str(kind), n_cyclic if family in CYCLIC else 1)
            intervals[family] = low, high
            means = part[_MEANS].mean().to_dict()
            found.append(
                {"dataset": dataset, "kind": kind, "share": share, "family": family, "repeats": len(table)}
                | {"n_players": int(part.n_players.iloc[0])}
                | means
                | {"gain": gains.mean(), "low": low, "high": high}
                | {"ratio": table[ELO].mean() / table[family].mean()}
            )
        best = _best(table, str(kind), intervals, others)
        rows += [row | {"best": best} for row in found]
    return pd.DataFrame(
        rows, columns=None if rows else [*key, "family", *_MEANS, "gain", "low", "high", "ratio", "best"]
    )


def _interval(gains: np.ndarray, kind: str, n_compared: int) -> tuple[float, float]:
    """Return the 95 % interval of a mean over repetitions, corrected for the number of comparisons."""
    # Drawn results are new ones each time; those of a league are always the same, hidden in another way.
    share = 0.0 if kind == "drawn" else HIDDEN / (1 - HIDDEN)
    return corrected_interval(gains, share, 1 - (1 - CONFIDENCE) / max(n_compared, 1))[1:]


def _best(table: pd.DataFrame, kind: str, intervals: dict[str, tuple[float, float]], others: list[str]) -> str:
    """Return what predicts best in one cell, as far as the repetitions can tell."""
    better = sorted((family for family in others if intervals[family][0] > 0), key=lambda one: table[one].mean())
    if not better:
        return ELO if others and all(intervals[family][1] < 0 for family in others) else NO_DIFFERENCE
    if len(better) > 1:
        low, high = _interval((table[better[1]] - table[better[0]]).to_numpy(), kind, 1)
        if low <= 0 <= high:
            return " or ".join(sorted(better[:2]))
    return better[0]


def rule_of_thumb(compared: pd.DataFrame) -> pd.DataFrame:
    """Fit from how many opponents and games a player a cyclic part pays.

    A cell pays where a family with a cyclic part is better than Elo beyond error. The rule says that it does where both
    opponents a player and games a player reach a threshold; the two that are wrong in the fewest cells are taken (of
    equal ones the pair in the middle of their logarithms' range). Each threshold lies halfway, in logarithms, between
    two neighbouring values of the grid.

    Parameters
    ----------
    compared : DataFrame
        Of `compare`. Cells of thinned leagues are not used: their truth is not known.

    Returns
    -------
    DataFrame
        One row a game, and a last one, `dataset` "all": `n_components`, the mean k that tuning chose in the paying cell
        with the fewest games a player; `opponents` and `games_a_player`, the thresholds, of "all" per such pair of
        components; `cells` and `paying`; `wrong`, how many cells these thresholds get wrong; `wrong_elsewhere`, how
        many cells of this game the thresholds per pair of components get wrong that the other games give. A game in
        which every cell pays has no thresholds of its own; one in which none does has no k and no part in "all".
    """
    import pandas as pd

    cells = []
    drawn = compared[compared.kind == "drawn"]
    for (dataset, _, _), cell in drawn.groupby(["dataset", "share", "games"], sort=False):
        cyclic = cell[cell.family.isin(CYCLIC)]
        pays = bool((cyclic.low > 0).any())
        k = cyclic.sort_values("score", kind="stable").n_components.iloc[0]
        cells.append((dataset, cell.opponents.iloc[0], cell.games_a_player.iloc[0], pays, k))
    table = pd.DataFrame(cells, columns=["dataset", "opponents", "games_a_player", "pays", "k"])
    table = table.astype({"pays": bool})
    first = table[table.pays].sort_values(["games_a_player", "opponents"]).groupby("dataset").head(1)
    table["k"] = table.dataset.map(first.set_index("dataset").k)
    scaled = table.assign(opponents=table.opponents / table.k, games_a_player=table.games_a_player / table.k)
    scaled = scaled[scaled.k.notna()]
    rows = []
    for dataset, part in table.groupby("dataset", sort=False):
        about = {"dataset": dataset, "n_components": part.k.iloc[0], "cells": len(part), "paying": int(part.pays.sum())}
        if part.pays.any() and not part.pays.all():
            about |= _thresholds(part)
        here, others = scaled[scaled.dataset == dataset], scaled[scaled.dataset != dataset]
        if len(here) and not others.pays.all():
            about["wrong_elsewhere"] = int((_says(here, _thresholds(others)) != here.pays).sum())
        rows.append(about)
    if not scaled.pays.all():
        about = {"dataset": "all", "cells": len(scaled), "paying": int(scaled.pays.sum())}
        rows.append(about | _thresholds(scaled))
    columns = ["dataset", "n_components", "opponents", "games_a_player", "cells", "paying", "wrong", "wrong_elsewhere"]
    return pd.DataFrame(rows).reindex(columns=columns)


def _says(cells: pd.DataFrame, rule: dict[str, float]) -> pd.Series:
    return (cells.opponents >= rule["opponents"]) & (cells.games_a_player >= rule["games_a_player"])


def _thresholds(cells: pd.DataFrame) -> dict[str, float]:
    """Return the thresholds that are wrong in the fewest cells, and in how many."""
    rules = [
        {"opponents": a, "games_a_player": b} for a in _between(cells.opponents) for b in _between(cells.games_a_player)
    ]
    wrong = [int((_says(cells, rule) != cells.pays).sum()) for rule in rules]
    least = [rule for rule, count in zip(rules, wrong, strict=True) if count == min(wrong)]
    logs = np.log([[rule["opponents"], rule["games_a_player"]] for rule in least])
    middle = int(np.argmin(((logs - (logs.min(axis=0) + logs.max(axis=0)) / 2) ** 2).sum(axis=1)))
    return least[middle] | {"wrong": min(wrong)}


def _between(values: Iterable[float]) -> list[float]:
    """Return the least finite value, and the geometric means of neighbouring ones."""
    grid = np.unique([value for value in values if math.isfinite(value)])
    return [float(grid[0]), *np.sqrt(grid[1:] * grid[:-1]).tolist()]
