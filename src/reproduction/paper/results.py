"""What a run gave, as the comparison with the paper reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from reproduction.paper.numbers import PAPER_MONTHS, Paper, entries, half_mse
from transitivity.evaluation.ratios import REFERENCE, exp, log_ratios
from transitivity.payoff.core import Payoff


@dataclass(frozen=True)
class Results:
    """What a run gave. Everything is optional: items that need what is missing are 'not run'.

    Parameters
    ----------
    scores : DataFrame, optional
        scores.csv: protocol, dataset, model, n_players, n_params, repeat, split, mse, ...
    datasets : DataFrame, optional
        datasets.csv, every dataset of the run: dataset, origin, n_players, ...
    planes : dict of str to DataFrame
        decompositions/{dataset}.csv: space, player, u, v, ...
    hulls : dict of str to dict
        decompositions/{dataset}.json: space to {transitive, margin_degrees, ...}.
    clusters : dict of str to DataFrame
        nash_clusters/{dataset}.csv: player, cluster.
    payoffs : dict of str to Payoff
        The games of Figure 1.
    example_03 : DataFrame, optional
        examples/example_03.csv: gamma, delta, elo_difference, disc_logit.
    human : DataFrame, optional
        tables/identifiability.csv, the leagues by threshold: dataset, league, min_games,
        players, entries.
    lichess_files : DataFrame, optional
        tables/lichess_files.csv, the files of the league lichess against the published checksums: file, status,
        published_file.
    cycles : DataFrame, optional
        tables/cycles_pay.csv: dataset, kind, share, games, family, low, ratio, ...
    """

    scores: pd.DataFrame | None = None
    datasets: pd.DataFrame | None = None
    planes: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    hulls: Mapping[str, dict] = field(default_factory=dict)
    clusters: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    payoffs: Mapping[str, Payoff] = field(default_factory=dict)
    example_03: pd.DataFrame | None = None
    human: pd.DataFrame | None = None
    lichess_files: pd.DataFrame | None = None
    cycles: pd.DataFrame | None = None

    def _column(self, name: str) -> dict[str, Any]:
        """Return a column of datasets.csv by dataset; empty where there is none."""
        if self.datasets is None or name not in self.datasets:
            return {}
        return dict(zip(self.datasets.dataset, self.datasets[name], strict=True))

    @cached_property
    def _origins(self) -> dict[str, str]:
        return self._column("origin")

    @cached_property
    def _sizes(self) -> dict[str, float]:
        return self._column("n_players")

    @cached_property
    def _mse(self) -> dict[tuple[str, str, str, str], float]:
        """The mean squared error by protocol, dataset, model and split, averaged over the hold-outs."""
        if self.scores is None:
            return {}
        mean = self.scores.groupby(["protocol", "dataset", "model", "split"], sort=False)["mse"].mean()
        return {(row.protocol, row.dataset, row.model, row.split): row.mse for row in entries(mean.reset_index())}

    @cached_property
    def _bars(self) -> dict[tuple[str, str, str], float]:
        """The bars of Figure 5 by protocol, dataset and model."""
        if self.scores is None:
            return {}
        ratios = log_ratios(self.scores[self.scores.split == "test"], None, REFERENCE)
        bars = ratios.groupby(["protocol", "dataset", "model"])["log_ratio"].mean(skipna=False).reset_index()
        return {(row.protocol, row.dataset, row.model): exp(row.log_ratio) for row in entries(bars)}

    def runs(self, dataset: str) -> bool:
        """Whether the dataset is part of the run."""
        if self.datasets is not None:
            return dataset in self._origins
        return any(dataset == key[1] for key in self._mse)

    def fits(self, protocol: str, model: str) -> bool:
        """Whether a model is fitted under a protocol."""
        return any((protocol, model) == (key[0], key[2]) for key in self._mse)

    def label(self, dataset: str, paper: Paper) -> str:
        """Return the display name of a dataset: the paper's, the run's own, or its id."""
        label = paper.label(dataset)
        return self._column("label").get(dataset, dataset) if label == dataset else label

    def is_fresh(self, dataset: str) -> bool:
        """Whether the dataset was drawn or simulated here, so that only its distribution is the paper's."""
        return self._origins.get(dataset) in ("fresh draw", "simulated")

    def n_players(self, dataset: str) -> float:
        """Return the number of players of a dataset of the run, NaN where it is not known."""
        return float(self._sizes.get(dataset, math.nan))

    def mse(self, protocol: str, dataset: str, model: str, split: str = "test") -> float:
        """Return the mean squared error of a fit, averaged over the hold-outs.

        Raises
        ------
        Missing
            If it was not computed.
        """
        key = (protocol, dataset, model, split)
        if key in self._mse:
            return float(self._mse[key])
        if not self.runs(dataset):
            raise Missing(f"dataset {dataset!r} is not part of this run", due=False)
        if not self.fits(protocol, model):
            raise Missing(f"model {model!r} is not part of this run under protocol {protocol!r}", due=False)
        if not any((protocol, dataset) == key[:2] for key in self._mse):
            raise Missing(f"protocol {protocol!r} does not score dataset {dataset!r}", due=False)
        raise Missing(f"no {split} score of {model!r} on {dataset!r} under protocol {protocol!r}", due=True)

    def half_mse(self, protocol: str, dataset: str, model: str, split: str = "test") -> float:
        """Return `mse` in the paper's convention, half of it."""
        return half_mse(self.mse(protocol, dataset, model, split))

    def bar(self, protocol: str, dataset: str, model: str) -> float:
        """Return the height of a bar of Figure 5: the geometric mean over hold-outs of Elo's error over the model's.

        Both errors of a ratio come from the same hold-out. The higher the bar, the better the model.

        Raises
        ------
        Missing
            If one of the two was not computed.
        """
        if (protocol, dataset, model) not in self._bars:
            self.mse(protocol, dataset, model)
            self.mse(protocol, dataset, REFERENCE)
            raise Missing(f"{model!r} and Elo share no hold-out of {dataset!r} under {protocol!r}", due=True)
        return self._bars[protocol, dataset, model]

    def league(self, league: str, threshold: float) -> pd.Series:
        """Return the row of a league of human games at a number of games a pair.

        Raises
        ------
        Missing
            If it was not computed, or its games are not the paper's, as those of simulated leagues.
        """
        leagues = set() if self.human is None else set(self.human.league)
        if f"{league}_simulated" in leagues:
            raise Missing(f"{league!r} is simulated in this run; give the human games by `path:`", due=False)
        if self.human is None or league not in leagues:
            raise Missing(f"human games of {league!r} are not part of this run", due=False)
        if league == "lichess" and not self._has_the_papers_months():
            raise Missing("the files of 'lichess' are not the paper's ten months; give those by `path:`", due=False)
        rows = self.human[(self.human.league == league) & (self.human.min_games == threshold)]
        if len(rows) == 0:
            raise Missing(f"{league!r} was not run at {threshold:g} games a pair", due=False)
        return rows.iloc[0]

    def league_count(self, league: str, threshold: float, quantity: str) -> float:
        """Return the number of players or of entries of a league at a number of games a pair (Figure 7)."""
        return float(self.league(league, threshold)[quantity])

    def league_bar(self, league: str, threshold: float, model: str) -> float:
        """Return a bar of Figure 10: `bar` of a league at a number of games a pair, protocol "leagues"."""
        return self.bar("leagues", self.league(league, threshold).dataset, model)

    def _has_the_papers_months(self) -> bool:
        """Whether the files of the league lichess are those of the paper, and no others, by their checksums."""
        files = self.lichess_files
        if files is None or files.status.isin(["differs", "not in the table"]).any():
            return False
        return set(files.published_file) == {f"lichess_elite_{month}.pgn" for month in PAPER_MONTHS}


class Missing(Exception):
    """An input of an item is not there.

    Parameters
    ----------
    reason : str
        What is missing.
    due : bool
        Whether this run should have computed it; False when the run was not asked for it.
    """

    def __init__(self, reason: str, due: bool) -> None:
        super().__init__(reason)
        self.due = due
