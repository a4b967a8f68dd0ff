"""What the paper says, as data: the tables of `workflow/paper/`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from transitivity import models
from transitivity.evaluation.ratios import split_model
from transitivity.files import read_cells

Scores = TypeVar("Scores", float, np.ndarray, pd.Series)
#: The files of the paper's numbers.
PAPER_FILES = ("table_1", "figure_5", "figure_6", "figure_7_counts", "figure_10", "claims", "datasets", "notes")
#: The months of Lichess games in Figure 7.
PAPER_MONTHS = [*(f"2019-{month:02}" for month in range(8, 13)), *(f"2020-{month:02}" for month in range(1, 6))]


def half_mse(mse: Scores) -> Scores:
    """Return the paper's score: half the mean squared error (its loss has a factor 1/2).

    The only place where the two conventions meet: tables of scores store the plain mean squared error.

    Parameters
    ----------
    mse : float or array
        Mean of (p - p̂)² over pairs.
    """
    return mse / 2


@cache
def model_labels() -> dict[str, str]:
    """Return what each family of models is called: the `label` of its class."""
    labels = {name: models.load(file).label for name, file in models.find().items()}
    # The families of `config.yaml` that have no class of their own.
    tuned = {f"{name}_tuned": f"{labels[name]}, tuned" for name in ("elo", "disc", "melo", "melo_logit")}
    chosen = {f"{name}_chosen": f"{label}, k chosen" for name, label in labels.items()}
    return labels | chosen | {"disc_joint": f"{labels['disc']}, pairs fitted jointly"} | tuned


def model_label(model: str, labels: Mapping[str, str] | None = None) -> str:
    """Return the display name of a model id: ``"disc_k2"`` gives ``"Disc decomposition (k = 2)"``.

    Parameters
    ----------
    model : str
        The id. An unknown one is returned as it is.
    labels : mapping of str to str, optional
        The name of each family of models; `model_labels` by default.
    """
    labels = model_labels() if labels is None else labels
    family, k = split_model(model)
    return labels.get(model) or (f"{labels[family]} (k = {k})" if family in labels else model)


@dataclass(frozen=True)
class Paper:
    """What the paper says, as the tables of `workflow/paper/`; see its README for the columns."""

    table_1: pd.DataFrame
    figure_5: pd.DataFrame
    figure_6: pd.DataFrame
    figure_7_counts: pd.DataFrame
    figure_10: pd.DataFrame
    claims: pd.DataFrame
    datasets: pd.DataFrame
    notes: dict[str, str]

    @property
    def table_1_games(self) -> list[str]:
        """The games of Table 1, in the order of its columns."""
        return list(dict.fromkeys(self.table_1.dataset))

    def label(self, dataset: str) -> str:
        """Return the display name of a dataset, its id where the paper does not have it."""
        return self._labels.get(dataset, dataset)

    def n_players(self, dataset: str) -> float:
        """Return the number of players of the paper's dataset, NaN where it does not state one."""
        return self._sizes.get(dataset, math.nan)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return dict(zip(self.datasets.dataset, self.datasets.label, strict=True))

    @cached_property
    def _sizes(self) -> dict[str, float]:
        stated = self.datasets[self.datasets.n_players != ""]
        return dict(zip(stated.dataset, stated.n_players.astype(float), strict=True))

    def text(self, notes: str) -> str:
        """Return the sentences of a space-separated list of note ids."""
        return " ".join(self.notes[note] for note in notes.split())


def read_paper(folder: str | os.PathLike) -> Paper:
    """Read the paper's numbers and claims.

    Parameters
    ----------
    folder : path-like
        `workflow/paper`: one CSV a table or figure.
    """
    frames = {}
    numbers = ("half_mse", "ratio", "log10_average", "value", "threshold")
    for name in PAPER_FILES:
        frame = read_cells(Path(folder) / f"{name}.csv")
        frames[name] = frame.assign(**{c: frame[c].astype(float) for c in numbers if c in frame})
    notes = frames.pop("notes")
    return Paper(**frames, notes=dict(zip(notes.note, notes.text, strict=True)))


def entries(frame: pd.DataFrame) -> Iterator[Any]:
    """Return the rows of a table, its columns as attributes."""
    return iter(frame.itertuples())


def averaged_games(bars: pd.DataFrame, figure: int) -> list[str]:
    """Return the games that the paper's Figure 5 or 6 averages over.

    Parameters
    ----------
    bars : DataFrame
        figure_5.csv: dataset, source.
    figure : {5, 6}
        Figure 5 averages over the games that it shows. Figure 6 adds one game, whose bar follows from both averages.
    """
    games = bars[bars.dataset != "log_average"]
    return list(dict.fromkeys(games.dataset[games.source == "printed"] if figure == 5 else games.dataset))
