"""The bars of Figures 5, 6 and 10."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from transitivity.evaluation.ratios import AVERAGE, REFERENCE, elo_ratios


def ratio_bars(
    scores: pd.DataFrame, paper: pd.DataFrame, games: Sequence[str], averaged: Sequence[str]
) -> pd.DataFrame:
    """Return the bars of Figure 5: for each model those of the games, after their geometric mean.

    Parameters
    ----------
    scores : DataFrame
        Of `read_scores`.
    paper : DataFrame
        Of `read_paper_bars`: dataset, model, ratio and, where its bars differ by protocol, protocol.
    games : sequence of str
        The games, in the order of the figure.
    averaged : sequence of str
        Those of them that enter the mean ("log avg").

    Returns
    -------
    DataFrame
        protocol, dataset (`AVERAGE` for the mean), model, params_per_player, log10_ratio, ratio, n_games, paper_ratio,
        low, high; as `elo_ratios`. The paper's value beside a mean is the mean of the paper's bars over the same games;
        NaN where the paper has no bar for one of them.
    """
    bars = elo_ratios(scores, averaged)
    keys = [name for name in ("protocol", "dataset", "model") if name in paper]
    bars = bars.merge(paper[[*keys, "ratio"]].rename(columns={"ratio": "paper_ratio"}), on=keys, how="left")
    in_mean = bars[bars["dataset"].isin(averaged) & bars["ratio"].notna()]
    means = np.log10(in_mean["paper_ratio"]).groupby([in_mean["protocol"], in_mean["model"]])
    means = 10 ** means.agg(lambda values: values.mean(skipna=False))
    mean = bars["dataset"] == AVERAGE
    of_mean = pd.MultiIndex.from_frame(bars.loc[mean, ["protocol", "model"]])
    bars.loc[mean, "paper_ratio"] = means.reindex(of_mean).to_numpy()
    # The unit has no interval.
    bars.loc[bars["model"] == REFERENCE, ["low", "high"]] = math.nan
    bars["log10_ratio"] = bars["log_ratio"] / math.log(10)
    places = {dataset: at for at, dataset in enumerate([AVERAGE, *games])}
    bars = bars[bars["dataset"].isin(places)]
    bars = bars.assign(place=bars["dataset"].map(places))
    bars = bars.sort_values(["protocol", "place", "model"], kind="stable")
    columns = ("protocol dataset model params_per_player log10_ratio ratio n_games paper_ratio low high").split()
    return bars[columns].reset_index(drop=True)
