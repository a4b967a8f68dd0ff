"""What the columns of Figures 4, 7, 8 and 9 show: games, read and as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reproduction.figures.inputs import DatasetInfo, clean_label, read_nash, read_players, read_verdicts
from reproduction.figures.payoff_cells import cells_frame, payoff_cells
from transitivity.disc.component import convex_hull
from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

#: Rows of a grid of games, in the order they are drawn in.
PANELS = ("payoff", "probability", "logit", "nash")


@dataclass(frozen=True)
class Game:
    """What one column of a grid of games shows.

    Parameters
    ----------
    dataset, label : str
        The id and the title of the column.
    simulated : bool
        Whether the data are simulated.
    payoff : Payoff
        The game.
    players : DataFrame
        The disc decompositions: space, player, u, v, mean_payoff.
    verdicts : mapping
        {space: word}: what may be said of its first component (docs/verdicts.md).
    nash : DataFrame, optional
        The Nash clusters: player, cluster, beaten_share; without rows where pairs are missing.
    cycles : int, optional
        The independent cycles of the graph of its pairs, which the title of the payoff tells.
    """

    dataset: str
    label: str
    simulated: bool
    payoff: Payoff
    players: pd.DataFrame
    verdicts: Mapping[str, str]
    nash: pd.DataFrame | None = None
    cycles: int | None = None


def read_games(
    blocks: Mapping[str, Mapping[str, str]],
    files: Mapping[str, Mapping[str, Path]],
    info: DatasetInfo,
    cycles: Mapping[str, int],
) -> tuple[dict[str, list[Game]], list[str]]:
    """Return the games of each block that have a payoff, and the labels of those without one.

    Parameters
    ----------
    blocks : mapping
        {title of a grid: {dataset: title of its column}}; a column without a title has the dataset's own label.
    files : mapping
        {"payoffs", "decompositions", "verdicts", "nash"}, each {dataset: file}.
    info : DatasetInfo
        Labels, and what is simulated.
    cycles : mapping
        {dataset: independent cycles of its graph}, for the games whose panels are to say so.

    Raises
    ------
    InputError
        If a file cannot be read, or there is no payoff at all.
    """
    found, missing = {}, []
    for block, columns in blocks.items():
        games = []
        for dataset, title in columns.items():
            label = title or info.label(dataset, 60)
            if dataset not in files["payoffs"]:
                missing.append(label)
                continue
            games.append(
                Game(
                    dataset=dataset,
                    label=label,
                    simulated=dataset in info.simulated,
                    payoff=Payoff.from_file(files["payoffs"][dataset]),
                    players=read_players(files["decompositions"][dataset]),
                    verdicts=read_verdicts(files["verdicts"][dataset]),
                    nash=read_nash(files["nash"].get(dataset)),
                    cycles=cycles.get(dataset),
                )
            )
        if games:
            found[block and clean_label(block, 60)] = games
    if not found:
        names = ", ".join(dataset for columns in blocks.values() for dataset in columns)
        raise InputError(f"No payoff was given for any of {names}; give --payoffs ID.npz of at least one.")
    return found, missing


def game_data(game: Game, panels: Sequence[str]) -> pd.DataFrame:
    """Return what one column of `draw_games` draws, one row a mark.

    Columns: dataset, simulated, panel, player, x, y, value, on_hull, verdict.
    ``payoff``: cell (row y, column x) above the diagonal, value its mean payoff; the mirror cell is 1 - value.
    ``probability``, ``logit``: a player at (x, y) = (v, u), value the mean payoff (the colour), whether the
    player is a corner of the hull, and the verdict on the panel. ``nash``: a cluster, x its size, y the
    share of the population that it beats, value its index (1 = strongest).
    """
    parts = []
    for panel in panels:
        if panel == "payoff":
            part = cells_frame(payoff_cells(game.payoff))
        elif panel == "nash":
            if game.nash is None:
                continue
            clusters = game.nash.groupby("cluster", sort=True)["beaten_share"]
            part = pd.DataFrame({"x": clusters.size(), "y": clusters.mean()}).reset_index(names="value")
        else:
            rows = game.players[game.players["space"] == panel]
            part = pd.DataFrame(
                {"player": rows["player"], "x": rows["v"], "y": rows["u"], "value": rows["mean_payoff"]}
            ).reset_index(drop=True)
            part["on_hull"] = part.index.isin(convex_hull(part["x"].to_numpy(), part["y"].to_numpy()))
            part["verdict"] = game.verdicts[panel]
        parts.append(part.assign(panel=panel))
    data = pd.concat(parts, ignore_index=True).assign(dataset=game.dataset, simulated=game.simulated)
    columns = ["dataset", "simulated", "panel", "player", "x", "y", "value", "on_hull", "verdict"]
    return data.reindex(columns=columns)
