"""The bars of Figures 5, 6 and 10."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduction.figures.inputs import read_columns
from transitivity.evaluation.ratios import ratio_intervals


def error_ratios(scores: pd.DataFrame) -> pd.DataFrame:
    """Return log10(Elo's MSE / the model's MSE) on hidden pairs, averaged over the hold-outs of a game.

    Parameters
    ----------
    scores : DataFrame
        Of `read_scores`: protocol, dataset, model, repeat, n_players, n_params, mse.

    Returns
    -------
    DataFrame
        protocol, dataset, model, params_per_player, log10_ratio: one row a protocol, dataset and model. Both errors
        of a ratio come from the same hold-out. The ratio is NaN where an error is missing, zero or infinite.
    """
    keys = ["protocol", "dataset", "repeat"]
    elo = scores[scores["model"] == "elo"].set_index(keys)["mse"]
    joined = scores.join(elo.rename("elo_mse"), on=keys, how="inner")
    errors = joined[["mse", "elo_mse"]]
    usable = ((errors > 0) & np.isfinite(errors)).all(axis=1)
    joined["log10_ratio"] = np.log10(joined["elo_mse"].where(usable)) - np.log10(joined["mse"].where(usable))
    joined["params_per_player"] = joined["n_params"] / joined["n_players"]
    groups = joined.groupby(["protocol", "dataset", "model"], sort=True)
    return groups.agg(
        params_per_player=("params_per_player", "first"),
        log10_ratio=("log10_ratio", lambda values: values.mean(skipna=False)),
    ).reset_index()


def with_intervals(
    bars: pd.DataFrame, path: str | os.PathLike, protocols: Sequence[str], averaged: Sequence[str]
) -> pd.DataFrame:
    """Return bars of `ratio_bars` with `low` and `high`, the intervals of their ratios over repeated hold-outs.

    Parameters
    ----------
    bars : DataFrame
    path : path-like
        results/tables/scores.csv.
    protocols, averaged : sequences of str
        What is drawn, and the games of the mean.
    """
    scores = read_columns(
        path, text=("protocol", "dataset", "model", "repeat", "split"), numbers=("n_pairs", "mse")
    )
    intervals = ratio_intervals(scores[scores["protocol"].isin(protocols)], averaged)
    return bars.merge(intervals, on=["protocol", "dataset", "model"], how="left")


def ratio_bars(
    ratios: pd.DataFrame, paper: pd.DataFrame, games: Sequence[str], averaged: Sequence[str]
) -> pd.DataFrame:
    """Return the bars of Figure 5: those of each game, after those of their geometric mean.

    Parameters
    ----------
    ratios : DataFrame
        Of `error_ratios`.
    paper : DataFrame
        Of `read_paper_bars`.
    games : sequence of str
        The games, in the order of the figure.
    averaged : sequence of str
        Those of them that enter the mean ("log avg").

    Returns
    -------
    DataFrame
        protocol, dataset ("log_average" for the mean), model, params_per_player, log10_ratio, ratio, n_games,
        paper_ratio. `n_games` is the number of games in a mean, 1 for a game. The paper's value beside a mean is the
        mean of the paper's bars over the same games; NaN where the paper has no bar for one of them.
    """
    rows = ratios[ratios["dataset"].isin(games)].merge(
        paper[["protocol", "dataset", "model", "ratio"]].rename(columns={"ratio": "paper_ratio"}),
        on=["protocol", "dataset", "model"],
        how="left",
    )
    rows["paper_log10"] = np.log10(rows["paper_ratio"])
    finite = rows[rows["dataset"].isin(averaged) & rows["log10_ratio"].notna()]
    mean = finite.groupby(["protocol", "model"]).agg(
        params_per_player=("params_per_player", "median"),
        log10_ratio=("log10_ratio", "mean"),
        n_games=("log10_ratio", "size"),
        paper_log10=("paper_log10", lambda values: values.mean(skipna=False)),
    )
    mean = mean.reset_index().assign(dataset="log_average")
    mean["paper_ratio"] = 10 ** mean["paper_log10"]
    bars = pd.concat([mean, rows.assign(n_games=1)], ignore_index=True)
    bars["ratio"] = 10 ** bars["log10_ratio"]
    place = {dataset: at for at, dataset in enumerate(["log_average", *games])}
    bars = bars.assign(place=bars["dataset"].map(place)).sort_values(
        ["protocol", "place", "model"], kind="stable"
    )
    columns = [
        "protocol",
        "dataset",
        "model",
        "params_per_player",
        "log10_ratio",
        "ratio",
        "n_games",
        "paper_ratio",
    ]
    return bars[columns].reset_index(drop=True)
