"""Reading what figures draw."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from transitivity.files import read_json, read_table


@dataclass(frozen=True)
class DatasetInfo:
    """What the figures say about the datasets: {id: label} and the ids that are simulated."""

    labels: Mapping[str, str] = field(default_factory=dict)
    simulated: frozenset[str] = frozenset()

    @classmethod
    def read(cls, path: str | os.PathLike | None, further: str | os.PathLike | None = None) -> DatasetInfo:
        """Read labels, and what is simulated.

        Parameters
        ----------
        path : path-like, optional
            results/datasets.csv: dataset, label, simulated.
        further : path-like, optional
            A table with labels of datasets that are not in this run: dataset, label.
        """
        labels: dict[str, str] = {}
        simulated: frozenset[str] = frozenset()
        if further is not None:
            frame = read_table(further, text=("dataset", "label"))
            labels.update(zip(frame["dataset"], frame["label"], strict=True))
        if path is not None:
            frame = read_table(path, text=("dataset", "label"), flags=("simulated",))
            labels.update(zip(frame["dataset"], frame["label"], strict=True))
            simulated = frozenset(frame["dataset"][frame["simulated"]])
        return cls(labels, simulated)

    def label(self, dataset: str, width: int = 24) -> str:
        """Return the label of a dataset, its id where it has none, fit to be drawn."""
        return clean_label(self.labels.get(dataset) or dataset, width)


def clean_label(text: str, width: int = 24) -> str:
    """Return a name on one line, without control characters, at most `width` characters long."""
    text = "".join(c if c.isprintable() else " " for c in str(text))
    text = " ".join(text.split()) or "?"
    return text if len(text) <= width else text[: width - 1] + "…"


def read_players(path: Path) -> pd.DataFrame:
    """Read the disc decompositions of a game (decompositions/ID.csv)."""
    return read_table(path, text=("space", "player"), numbers=("u", "v", "mean_payoff"))


def read_nash(path: Path | None) -> pd.DataFrame | None:
    """Read the Nash clusters of a game (nash_clusters/ID.csv); None where no file is given."""
    return None if path is None else read_table(path, text=("player",), numbers=("cluster", "beaten_share"))


def read_cycles(path: Path | None) -> dict[str, int]:
    """Read the number of independent cycles of each graph (identifiability.csv); empty where no file is given."""
    if path is None:
        return {}
    graphs = read_table(path, text=("dataset",), numbers=("cycles",))
    return dict(zip(graphs["dataset"], graphs["cycles"].astype(int), strict=True))


def read_verdicts(path: Path) -> dict[str, str]:
    """Read {space: verdict} of a game (decompositions/ID.json)."""
    return {space: entry["verdict"] for space, entry in read_json(path).items()}


def read_scores(path: str | os.PathLike, protocols: Sequence[str]) -> pd.DataFrame:
    """Read the rows of some protocols from results/tables/scores.csv."""
    scores = read_table(
        path,
        text=("protocol", "dataset", "model", "repeat", "split", "label"),
        numbers=("n_players", "n_params", "n_pairs", "mse", "n_games", "game_log_loss", "n_connected", "n_hideable"),
    )
    return scores[scores["protocol"].isin(protocols)]


def read_paper_bars(path: str | os.PathLike) -> pd.DataFrame:
    """Read the bars of the paper's Figure 5: protocol, dataset, model, ratio, source ("printed" or "derived")."""
    return read_table(path, text=("protocol", "dataset", "model", "source"), numbers=("ratio",))
