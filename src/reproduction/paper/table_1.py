"""Table 1 with the paper's numbers beside ours."""

from __future__ import annotations

import math

import pandas as pd

from reproduction.paper.numbers import TABLE_1_DATASETS, Paper, half_mse, model_label


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
    used = scores[(scores.protocol == "written") & scores.dataset.isin(TABLE_1_DATASETS)]
    ours = half_mse(used.groupby(["model", "dataset", "split"])["mse"].mean()).to_dict()
    theirs = paper.table_1.set_index(["model", "dataset", "split"]).half_mse.to_dict()
    listed = paper.table_1.drop_duplicates("model")
    counts = dict(zip(listed.model, listed.n_params, strict=True))
    per_player = used.groupby("model", sort=False)[["n_params", "n_players"]].first()
    present = set(per_player.index)
    order = [
        m
        for m, optional in zip(listed.model, listed.optional, strict=True)
        if optional == "no" or m in present
    ]
    others = [m for m in present if m not in counts]
    order += sorted(others, key=lambda m: (per_player.n_params[m] / per_player.n_players[m], m))
    # A baseline is called what its file says; the others have the paper's names.
    called = used.drop_duplicates("model").set_index("model").label.to_dict() if "label" in used else {}
    rows = []
    for model in order:
        label = model_label(model)
        label = called.get(model, model) if label == model else label
        row = {"model": model, "label": label, "n_params": counts.get(model)}
        if model in present and model not in counts:
            row["n_params"] = _parameters(per_player.n_params[model], per_player.n_players[model])
        for dataset in TABLE_1_DATASETS:
            for split in ("train", "test"):
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
