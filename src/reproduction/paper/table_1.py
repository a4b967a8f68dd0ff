"""Table 1 with the paper's numbers beside ours."""

from __future__ import annotations

import itertools
import math

import pandas as pd

from reproduction.paper.numbers import Paper, entries, half_mse, model_label, model_labels
from transitivity.evaluation.ratios import family_labels


def table_1(paper: Paper, scores: pd.DataFrame) -> pd.DataFrame:
    """Lay out Table 1: models down, games across, half-MSE on train and test, the paper's value beside ours.

    Parameters
    ----------
    paper : Paper
        The paper's numbers.
    scores : DataFrame
        scores.csv; only the protocol 'written' and the five games of the table are used.

    Returns
    -------
    pandas.DataFrame
        Columns model (id), label, n_params ("2n"), and for each game and split `{dataset}_{split}` and
        `{dataset}_{split}_paper`, NaN where there is none. The paper's models come first, in its order; then
        every other model of the scores (the user's too), by its number of parameters and name.
    """
    games = paper.table_1_games
    used = scores[(scores.protocol == "written") & scores.dataset.isin(games)]
    ours = half_mse(used.groupby(["model", "dataset", "split"])["mse"].mean()).to_dict()
    theirs = paper.table_1.set_index(["model", "dataset", "split"]).half_mse.to_dict()
    sizes = used.groupby("model")[["n_params", "n_players"]].first()
    counts = {row.Index: _parameters(row.n_params, row.n_players) for row in entries(sizes)}
    listed = paper.table_1.drop_duplicates("model").set_index("model")
    order = list(listed.index[(listed.optional == "no") | listed.index.isin(sizes.index)])
    others = sizes.drop(listed.index, errors="ignore")
    order += sorted(others.index, key=lambda m: (others.n_params[m] / others.n_players[m], m))
    counts |= dict(listed.n_params.items())
    labels = (family_labels(used) if "label" in used else {}) | model_labels()
    rows = []
    for model in order:
        row = {"model": model, "label": model_label(model, labels), "n_params": counts[model]}
        for dataset, split in itertools.product(games, ("train", "test")):
            row[f"{dataset}_{split}"] = ours.get((model, dataset, split), math.nan)
            row[f"{dataset}_{split}_paper"] = theirs.get((model, dataset, split), math.nan)
        rows.append(row)
    return pd.DataFrame(rows)


def _parameters(n_params: float, n_players: float) -> str:
    """Return "n", "2n", ... where the count is a multiple of n, the count itself otherwise."""
    times, rest = divmod(int(n_params), int(n_players))
    if rest or times == 0:
        return str(int(n_params))
    return "n" if times == 1 else f"{times}n"
