"""The bars of Figures 5, 6 and 10."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.figures.inputs import DatasetInfo, clean_label
from reproduction.figures.marks import named
from reproduction.figures.style import argument_parser
from reproduction.paper.numbers import entries
from transitivity.evaluation.ratios import AVERAGE, REFERENCE, elo_ratios


def parser_of_ratios(documentation: str) -> argparse.ArgumentParser:
    """Return a parser with the flags that the figures of ratios of errors share.

    Parameters
    ----------
    documentation : str
        The script's docstring.
    """
    parser = argument_parser(documentation, "dataset-table")
    parser.add_argument("--scores", required=True, type=Path, help="results/tables/scores.csv")
    parser.add_argument("--protocols", nargs="+", required=True, metavar="ID", help="panels, or rows of bars")
    parser.add_argument("--without-models", nargs="+", default=[], metavar="FAMILY", help="not drawn")
    return parser


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
        low, high, few; as `elo_ratios`. The paper's value beside a mean is the mean of the paper's bars over the same
        games; NaN where the paper has no bar for one of them.
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
    columns = ("protocol dataset model params_per_player log10_ratio ratio n_games paper_ratio low high few").split()
    return bars[columns].reset_index(drop=True)


def without_bar(bars: pd.DataFrame, info: DatasetInfo) -> list[str]:
    """Return lines of small print that name what has no bar, each with its reason.

    Parameters
    ----------
    bars : DataFrame
        Of `ratio_bars`.
    info : DatasetInfo
        Labels of the datasets.
    """
    lost = bars[~np.isfinite(bars["ratio"])]
    few = list(lost[lost["few"]].dataset.unique())
    infinite = [
        f"{clean_label(row.model)} on {info.label(row.dataset, 60)} ({row.protocol})"
        for row in entries(lost[~lost["few"]])
    ]
    lines = named("Without bars, because too few pairs can be hidden to compare models", info, few)
    return lines + (
        [f"Without a bar, because an error is infinite or missing: {', '.join(infinite)}."] * bool(infinite)
    )
