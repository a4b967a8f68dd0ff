"""What a run gave, as the comparison with the paper reads it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.paper.numbers import Paper
from transitivity.errors import InputError, did_you_mean
from transitivity.payoff.core import Payoff

ORIGINS = ("exact", "fresh draw", "simulated", "file")


@dataclass(frozen=True)
class Results:
    """What a run gave; everything is optional, and what is missing makes its items 'not run'.

    Parameters
    ----------
    scores : DataFrame, optional
        scores.csv: protocol, dataset, model, n_players, n_params, repeat, split, mse, ...
    datasets : DataFrame, optional
        datasets.csv, every dataset of the run: dataset, origin (one of `ORIGINS`), n_players, ...
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

    def __post_init__(self) -> None:
        means: dict = {}
        if self.scores is not None:
            keys = ["protocol", "dataset", "model", "split"]
            means = self.scores.groupby(keys, sort=False)["mse"].mean().to_dict()
        origins: dict = {}
        sizes: dict = {}
        if self.datasets is not None:
            origins = dict(zip(self.datasets.dataset, self.datasets.origin, strict=True))
            for dataset, origin in origins.items():
                if origin not in ORIGINS:
                    raise InputError(
                        f"Dataset {dataset!r} has the origin {origin!r}; {did_you_mean(origin, ORIGINS)}"
                    )
            if "n_players" in self.datasets:
                sizes = dict(zip(self.datasets.dataset, self.datasets.n_players.astype(float), strict=True))
        labels = {}
        if self.datasets is not None and "label" in self.datasets:
            labels = dict(zip(self.datasets.dataset, self.datasets.label, strict=True))
        object.__setattr__(self, "_labels", labels)
        object.__setattr__(self, "_mse", means)
        object.__setattr__(self, "_sizes", sizes)
        object.__setattr__(self, "_origins", origins)
        object.__setattr__(self, "_scored", {(protocol, dataset) for protocol, dataset, _, _ in means})
        object.__setattr__(self, "_fitted", {(protocol, model) for protocol, _, model, _ in means})

    def runs(self, dataset: str) -> bool:
        """Whether the dataset is part of the run."""
        if self.datasets is not None:
            return dataset in self._origins
        return any(dataset == key[1] for key in self._mse)

    def origin(self, dataset: str) -> str:
        """Return where a dataset of the run is from; 'exact' where nothing says otherwise."""
        return self._origins.get(dataset, "exact")

    def label(self, dataset: str, paper: Paper) -> str:
        """Return the display name of a dataset: the paper's, the run's own, or its id."""
        return self._labels.get(dataset, dataset) if paper.label(dataset) == dataset else paper.label(dataset)

    def is_fresh(self, dataset: str) -> bool:
        """Whether the dataset was drawn or simulated here, so that only its distribution is the paper's."""
        return self.origin(dataset) in ("fresh draw", "simulated")

    def n_players(self, dataset: str) -> float:
        """Return the number of players of a dataset of the run, NaN where it is not known."""
        return self._sizes.get(dataset, math.nan)

    def mse(self, protocol: str, dataset: str, model: str, split: str = "test") -> float:
        """Return the mean squared error of a fit, averaged over the repeats.

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
        if (protocol, model) not in self._fitted:
            raise Missing(f"model {model!r} is not part of this run under protocol {protocol!r}", due=False)
        if (protocol, dataset) not in self._scored:
            raise Missing(f"protocol {protocol!r} does not score dataset {dataset!r}", due=False)
        raise Missing(f"no {split} score of {model!r} on {dataset!r} under protocol {protocol!r}", due=True)

    def bar(self, protocol: str, dataset: str, model: str) -> float:
        """Return Elo's test error over the model's, the height of a bar of Figure 5 (the higher, the better).

        Raises
        ------
        Missing
            If one of the two was not computed.
        """
        ours = self.mse(protocol, dataset, model)
        elo = self.mse(protocol, dataset, "elo")
        return elo / ours if ours > 0 else math.inf


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


def read_hulls(paths: Iterable[str | os.PathLike]) -> dict[str, dict]:
    """Read decompositions/{dataset}.json files into a dict by dataset.

    Raises
    ------
    InputError
        If a file is no JSON.
    """
    hulls = {}
    for path in map(Path, paths):
        try:
            hulls[path.stem] = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise InputError(f"{path} is not JSON ({error}); remove it and run its rule again.") from error
    return hulls
