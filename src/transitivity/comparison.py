"""The paper's numbers and claims beside ours: pure functions from tables to the comparison.

What the paper says is data (`workflow/paper/`, read by `read_paper`); what a run gave is a `Results`.
`compare` puts them side by side, one row an item, and `table_1` lays out Table 1. Nothing here fits a model.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from transitivity.errors import InputError, amount, did_you_mean
from transitivity.paired import BETTER, REFERENCE, UNTESTED, compare_models
from transitivity.payoff import Payoff

REPRODUCED, DIFFERS, NOT_RUN = "reproduced", "differs", "not run"
COLUMNS = ["item", "quantity", "paper", "ours", "ratio", "tolerance", "verdict", "note", "expected"]
ORIGINS = ("exact", "fresh draw", "simulated", "file")
#: Relative slack of every limit, so that a number on the limit is inside whatever its rounding in binary.
SLACK = 1e-9
#: The games of Table 1, in the order of its columns.
TABLE_1_DATASETS = ("elo_game", "mixture_075", "mixture_050", "mixture_025", "disc_game")
#: The columns that each file of the paper's numbers must have.
PAPER_FILES = {
    "table_1": "model label n_params dataset split half_mse tolerance tolerance_fresh expected note optional",
    "figure_5": "protocol dataset model ratio source tolerance tolerance_fresh expected note",
    "figure_6": "model log10_average tolerance tolerance_fresh expected note",
    "figure_7_counts": "dataset threshold quantity value tolerance expected note",
    "figure_10": "threshold model ratio tolerance expected note",
    "claims": "id place claim statement decided_by arguments datasets expected note",
    "datasets": "dataset paper_name label n_players used_in available",
    "notes": "note text",
}
MODEL_LABELS = {
    "elo": "Elo",
    "elo_plus_plus": "Elo++",
    "balduzzi_2019": "Balduzzi et al. (2019)",
    "melo_published": "m-Elo, as published",
    "melo": "m-Elo, as written (Eq. 20)",
    "melo_logit": "m-Elo in logit space",
    "disc": "Disc decomposition",
    "disc_joint": "Disc decomposition, pairs fitted jointly",
    "disc_regularised": "Disc decomposition, regularised (Eq. 21)",
}


#: The months of Lichess games in Figure 7.
PAPER_MONTHS = [
    *(f"2019-{month:02}" for month in range(8, 13)),
    *(f"2020-{month:02}" for month in range(1, 6)),
]


def half_mse(mse: float | np.ndarray | pd.Series) -> float | np.ndarray | pd.Series:
    """Return the paper's score: half the mean squared error (its loss has a factor 1/2).

    The only place where the two conventions meet: tables of scores store the plain mean squared error.

    Parameters
    ----------
    mse : float or array
        Mean of (p - p̂)² over pairs.
    """
    return mse / 2


def model_label(model: str, labels: Mapping[str, str] = MODEL_LABELS) -> str:
    """Return the display name of a model id: ``"disc_k2"`` gives ``"Disc decomposition (k = 2)"``.

    Parameters
    ----------
    model : str
        The id; one that is not known is its own name.
    labels : mapping of str to str
        Families to what they are called; the paper's by default.
    """
    name, _, k = model.rpartition("_k")
    if name in labels and k.isdigit():
        return f"{labels[name]} (k = {k})"
    return labels.get(model, model)


# -------------------------------------------------------------------- tolerances


def within(tolerance: str, paper: float, ours: float) -> bool:
    """Whether `ours` agrees with the paper's number; limits count as inside.

    Parameters
    ----------
    tolerance : str
        ``"N %"``: relative; ``"N % beyond rounding to D digits"``: relative to the nearest number that prints
        as the paper's; ``"± x"``: absolute; ``"order of magnitude"``: a factor of at most 10; ``"sign"``: the
        same sign; ``"exact"``: equal.
    paper, ours : float
        The two numbers. A number that is not finite never agrees.

    Raises
    ------
    InputError
        If the tolerance is none of these.
    """
    match = re.fullmatch(r"([\d.]+) %(?: beyond rounding to (\d+) digits)?", tolerance)
    absolute = re.fullmatch(r"± ([\d.e-]+)", tolerance)
    if not (match or absolute or tolerance in ("order of magnitude", "sign", "exact")):
        raise InputError(
            f"Tolerance {tolerance!r} is not known; write 'N %', 'N % beyond rounding to D digits', '± x', "
            "'order of magnitude', 'sign' or 'exact'."
        )
    if not (math.isfinite(paper) and math.isfinite(ours)):
        return False
    if match:
        nearest = paper
        if match[2] and paper != 0:
            half_unit = 0.5 * 10.0 ** (math.floor(math.log10(abs(paper))) - int(match[2]) + 1)
            nearest = min(max(ours, paper - half_unit), paper + half_unit)
        return abs(ours - nearest) <= float(match[1]) / 100 * abs(nearest) + SLACK * abs(paper)
    if absolute:
        return abs(ours - paper) <= float(absolute[1]) * (1 + SLACK)
    if tolerance == "order of magnitude":
        return paper * ours > 0 and abs(math.log10(ours / paper)) <= 1 + SLACK
    if tolerance == "sign":
        return bool(np.sign(paper) == np.sign(ours))
    return math.isclose(paper, ours, rel_tol=SLACK, abs_tol=0)


# -------------------------------------------------------------------- inputs


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

    def __post_init__(self) -> None:
        rows = list(self.datasets.itertuples())
        object.__setattr__(self, "_labels", {row.dataset: row.label for row in rows})
        sizes = {row.dataset: float(row.n_players) for row in rows if row.n_players != ""}
        object.__setattr__(self, "_sizes", sizes)

    def label(self, dataset: str) -> str:
        """Return the display name of a dataset, its id where the paper does not have it."""
        return self._labels.get(dataset, dataset)

    def n_players(self, dataset: str) -> float:
        """Return the number of players of the paper's dataset, NaN where it does not state one."""
        return self._sizes.get(dataset, math.nan)

    def text(self, notes: str) -> str:
        """Return the sentences of a space-separated list of note ids.

        Raises
        ------
        InputError
            If a note is not in notes.csv.
        """
        for note in notes.split():
            if note not in self.notes:
                raise InputError(f"Note {note!r} is not in notes.csv; {did_you_mean(note, self.notes)}")
        return " ".join(self.notes[note] for note in notes.split())


def read_paper(folder: str | os.PathLike) -> Paper:
    """Read the paper's numbers and claims.

    Parameters
    ----------
    folder : path-like
        `workflow/paper`: one CSV a table or figure.

    Raises
    ------
    InputError
        If a file or one of its columns is missing.
    """
    frames = {}
    numbers = ("half_mse", "ratio", "log10_average", "value", "threshold")
    for name, columns in PAPER_FILES.items():
        path = Path(folder) / f"{name}.csv"
        if not path.is_file():
            raise InputError(
                f"{path} is missing; restore it, the comparison needs every file of workflow/paper."
            )
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        for column in columns.split():
            if column not in frame:
                raise InputError(
                    f"{path} has no column {column!r}; add it, workflow/paper/README.md tells what it is."
                )
        frames[name] = frame.assign(**{c: frame[c].astype(float) for c in numbers if c in frame})
    notes = frames.pop("notes")
    return Paper(**frames, notes=dict(zip(notes.note, notes.text, strict=True)))


def averaged_games(bars: pd.DataFrame, figure: int) -> list[str]:
    """Return the games that the average of the paper's Figure 5 or 6 is over.

    Parameters
    ----------
    bars : DataFrame
        figure_5.csv: dataset, source.
    figure : {5, 6}
        Figure 5 averages over the games that it shows, Figure 6 over one more, whose bar follows from both averages.
    """
    games = bars[bars.dataset != "log_average"]
    return list(dict.fromkeys(games.dataset[games.source == "printed"] if figure == 5 else games.dataset))


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


# -------------------------------------------------------------------- claims


@dataclass(frozen=True)
class Decision:
    """How far a claim holds: the share of its cases (1: it holds), and what was seen."""

    share: float
    seen: str


Claim = Callable[..., Decision]
#: The functions that decide claims, by the name that claims.csv uses.
CLAIMS: dict[str, Claim] = {}


def _claim(function: Claim) -> Claim:
    CLAIMS[function.__name__] = function
    return function


def _share(cases: Iterable[bool]) -> float:
    return float(np.mean(list(cases)))


def _of(results: Results, what: Mapping, dataset: str, name: str) -> object:
    """Return an entry of the run, or say whether it should have been there."""
    if dataset in what:
        return what[dataset]
    if not results.runs(dataset):
        raise Missing(f"dataset {dataset!r} is not part of this run", due=False)
    raise Missing(f"no {name} of {dataset!r} was given", due=len(what) > 0)


def _grid(results: Results) -> pd.DataFrame:
    if results.example_03 is None:
        raise Missing("the grid of Example 3 was not given", due=False)
    return results.example_03


def _wins(payoff: Payoff) -> np.ndarray:
    wins = np.zeros((payoff.n_players, payoff.n_players), dtype=bool)
    wins[payoff.i, payoff.j] = payoff.p > 0.5
    wins[payoff.j, payoff.i] = payoff.p < 0.5
    return wins


@_claim
def total_order(results: Results, paper: Paper, payoff: str) -> Decision:
    """Whether the numbers of wins are n - 1, ..., 1, 0: the tournament is then transitive, and conversely."""
    wins = _wins(_of(results, results.payoffs, payoff, "payoff")).sum(axis=1)
    holds = bool((np.sort(wins) == np.arange(len(wins))).all())
    return Decision(float(holds), f"{len(wins)} players, from {wins.max()} to {wins.min()} wins")


@_claim
def fully_cyclic(results: Results, paper: Paper, payoff: str) -> Decision:
    """Whether all players are one strongly connected set of wins (Camion: a cycle through all of them)."""
    wins = _wins(_of(results, results.payoffs, payoff, "payoff"))
    parts, _ = connected_components(csr_array(wins), connection="strong")
    return Decision(float(parts == 1), f"{len(wins)} players in {amount(parts, 'strongly connected set')}")


@_claim
def elo_fails_somewhere(results: Results, paper: Paper) -> Decision:
    """Whether Elo puts player 2 above player 1 at a point of Figure 2's grid."""
    wrong = int((_grid(results).elo_difference < 0).sum())
    return Decision(float(wrong > 0), f"wrong at {wrong} of {len(_grid(results))} points")


@_claim
def elo_fails_exactly_where(results: Results, paper: Paper) -> Decision:
    """Compare the sign of u₁ - u₂ with that of 3γ - 1 - δ (the row sums' difference), ties apart."""
    grid = _grid(results)
    margin = 3 * grid.gamma - 1 - grid.delta
    decided = margin.abs() > 1e-9
    right = np.sign(grid.elo_difference) == np.sign(margin)
    return Decision(
        _share(right[decided]),
        f"{int(right[decided].sum())} of {int(decided.sum())} points ({(~decided).sum()} ties)",
    )


@_claim
def disc_ranks_players(results: Results, paper: Paper) -> Decision:
    """The share of Figure 3's grid where the disc has player 1 beat player 2."""
    right = _grid(results).disc_logit > 0
    return Decision(_share(right), f"{int(right.sum())} of {len(right)} points")


@_claim
def disc_is_exact(results: Results, paper: Paper) -> Decision:
    """The share of the grid where u₁v₂ - v₁u₂ is logit γ within 1 %; δ = 1 is a limit and left out."""
    grid = _grid(results)
    grid = grid[grid.delta < 1 - 1e-12]
    exact = np.log(grid.gamma / (1 - grid.gamma))
    error = (grid.disc_logit / exact - 1).abs()
    return Decision(_share(error <= 0.01), f"largest relative error {error.max():.1e} at {len(grid)} points")


@_claim
def constant_consistency(results: Results, paper: Paper, dataset: str) -> Decision:
    """Whether the points (u, v) lie on a line off 0.

    The plane is known up to area-preserving linear maps; v = 1 in one of them exactly when some w has
    w·(uᵢ, vᵢ) = 1 for all players, which least squares decides.
    """
    plane = _of(results, results.planes, dataset, "decomposition")
    points = plane.loc[plane.space == "logit", ["u", "v"]].to_numpy(dtype=float)
    if len(points) == 0:
        raise Missing(f"the decomposition of {dataset!r} has no logit space", due=True)
    w, *_ = np.linalg.lstsq(points, np.ones(len(points)), rcond=None)
    error = float(np.sqrt(np.mean((points @ w - 1) ** 2)))
    return Decision(float(error <= 0.05), f"rms distance of v from 1 is {error:.2g}")


@_claim
def hull(results: Results, paper: Paper, dataset: str, transitive: str) -> Decision:
    """Whether 0 is outside ("yes") or inside ("no") the hull of the first component, in logit space."""
    test = _of(results, results.hulls, dataset, "hull test").get("logit")
    if test is None:
        raise Missing(f"the hull test of {dataset!r} has no logit space", due=True)
    found = {True: "transitive", False: "cyclic", None: "undecided"}[test["transitive"]]
    wanted = "transitive" if transitive == "yes" else "cyclic"
    margin = test.get("margin_degrees")
    seen = found if margin is None else f"{found}, margin {margin:.1f} degrees"
    return Decision(float(found == wanted), seen)


@_claim
def more_clusters(results: Results, paper: Paper, more: str, fewer: str) -> Decision:
    """Whether one game has more Nash clusters than another."""
    counts = [_of(results, results.clusters, d, "Nash clusters").cluster.nunique() for d in (more, fewer)]
    return Decision(float(counts[0] > counts[1]), f"{counts[0]} clusters against {counts[1]}")


@_claim
def error_below(results: Results, paper: Paper, **limits: str) -> Decision:
    """The share of dataset:model=limit where the test half-MSE (protocol written) is below the limit."""
    cases, seen = [], []
    for key, limit in limits.items():
        dataset, model = key.split(":")
        error = half_mse(results.mse("written", dataset, model))
        cases.append(error < float(limit))
        seen.append(f"{model} on {dataset} {error:.1e}")
    return Decision(_share(cases), "; ".join(seen))


@_claim
def elo_fails_elsewhere(results: Results, paper: Paper) -> Decision:
    """The share of the columns after the first where Elo's error is over 1e5 times that on the Elo game."""
    first, *others = (half_mse(results.mse("written", dataset, "elo")) for dataset in TABLE_1_DATASETS)
    return Decision(
        _share(error > 1e5 * first for error in others),
        f"{first:.1e}, then {', '.join(f'{error:.1e}' for error in others)}",
    )


@_claim
def lower_error(
    results: Results, paper: Paper, model: str, baseline: str, datasets: str, protocol: str = "written"
) -> Decision:
    """The share of datasets where a model's test error is below a baseline's."""
    cases, seen = [], []
    for dataset in datasets.split(","):
        pair = [half_mse(results.mse(protocol, dataset, name)) for name in (model, baseline)]
        cases.append(pair[0] < pair[1])
        seen.append(f"{paper.label(dataset)} {pair[0]:.1e} against {pair[1]:.1e}")
    return Decision(_share(cases), "; ".join(seen))


def _log_averages(
    results: Results, paper: Paper, protocol: str, models: list[str], games: Iterable[str] | None = None
) -> tuple[list[str], np.ndarray]:
    """Return the games where every model ran, and the geometric means over them of the bars of each model."""
    if games is None:
        games = averaged_games(paper.figure_5, 5)
    ran, logs, reasons = [], [], []
    for game in games:
        try:
            logs.append([math.log(results.bar(protocol, game, model)) for model in models])
            ran.append(game)
        except Missing as missing:
            reasons.append(missing)
    if not ran:
        raise Missing(str(reasons[0]), due=any(reason.due for reason in reasons))
    return ran, np.exp(np.mean(logs, axis=0))


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


@_claim
def better_than_elo(results: Results, paper: Paper, protocol: str) -> Decision:
    """The share of k = 1, 2, 3 where the disc's log average over the games that ran is above 1."""
    ran, means = _log_averages(results, paper, protocol, [f"disc_k{k}" for k in (1, 2, 3)])
    return Decision(_share(means > 1), f"log averages over {amount(len(ran), 'game')}: {_numbers(means)}")


def _disc_and(results: Results, paper: Paper, protocol: str, baseline: str) -> tuple[list[str], np.ndarray]:
    models = [f"disc_k{k}" for k in (1, 2, 3)] + [f"{baseline}_k{k}" for k in (1, 2, 3)]
    ran, means = _log_averages(results, paper, protocol, models)
    return ran, means.reshape(2, 3)


@_claim
def better_log_average(results: Results, paper: Paper, protocol: str, baseline: str) -> Decision:
    """The share of k = 1, 2, 3 where the disc's log average is above m-Elo's at equal k."""
    ran, (disc, melo) = _disc_and(results, paper, protocol, baseline)
    wins = [
        sum(
            results.bar(protocol, g, f"{baseline}_k{k}") > results.bar(protocol, g, f"disc_k{k}") for g in ran
        )
        for k in (1, 2, 3)
    ]
    return Decision(
        _share(disc > melo),
        f"over {amount(len(ran), 'game')}, k = 1, 2, 3: disc {_numbers(disc)}; m-Elo {_numbers(melo)}; "
        f"m-Elo is better on {', '.join(map(str, wins))} of them",
    )


@_claim
def better_on_ladder(results: Results, paper: Paper, protocol: str, baseline: str) -> Decision:
    """The share of 3n, 5n parameters where m-Elo lies below the disc's curve through 2n, 4n, 6n (in logs)."""
    ran, (disc, melo) = _disc_and(results, paper, protocol, baseline)
    curve = np.sqrt(disc[:-1] * disc[1:])
    return Decision(
        _share(melo[:2] < curve),
        f"over {amount(len(ran), 'game')}, at 3n and 5n parameters: disc {_numbers(curve)}; m-Elo {_numbers(melo[:2])}",
    )


@_claim
def better_by_game(results: Results, paper: Paper, protocol: str, baseline: str) -> Decision:
    """The share of games and k = 1, 2, 3 where the disc is better than a baseline beyond the interval over hold-outs.

    The baseline is Elo, or has the same k.
    """
    scores = results.scores
    if scores is None or protocol not in set(scores.protocol):
        raise Missing(f"protocol {protocol!r} is not part of this run", due=False)
    scores = scores[scores.protocol == protocol]
    # A claim about the paper's games is not decided by a user's own; some of them run at another size.
    papers = "|".join(map(re.escape, paper.datasets.dataset))
    scores = scores[scores.dataset.str.fullmatch(rf"({papers})(_\d+)?")]
    if scores.empty:
        raise Missing(f"none of the paper's games ran under protocol {protocol!r}", due=False)
    verdicts, seen = [], []
    for k in (1, 2, 3):
        disc = f"disc_k{k}"
        other = baseline if baseline == REFERENCE else f"{baseline}_k{k}"
        found = compare_models(scores[scores.model.isin([disc, other])])
        found = found[(found.baseline == other) & (found.verdict != UNTESTED)]
        verdicts += list(found.verdict)
        parts = [
            f"{verdict} on {'; '.join(results.label(game, paper) for game in games)}"
            for verdict, games in found.groupby("verdict", sort=True).dataset
        ]
        if parts:
            seen.append(f"k = {k}: {', '.join(parts)}")
    if not verdicts:
        raise Missing(
            f"models 'disc' and {baseline!r} have no repeated hold-outs under protocol {protocol!r}",
            due=False,
        )
    return Decision(_share(verdict == BETTER for verdict in verdicts), "; ".join(seen))


@_claim
def more_gain(results: Results, paper: Paper, protocol: str, more: str, fewer: str) -> Decision:
    """The share of k = 1, 2, 3 where the disc's log average over some games is above that over others."""
    models = [f"disc_k{k}" for k in (1, 2, 3)]
    ran, high = _log_averages(results, paper, protocol, models, more.split(","))
    others, low = _log_averages(results, paper, protocol, models, fewer.split(","))
    return Decision(
        _share(high > low),
        f"{_numbers(high)} ({', '.join(ran)}) against {_numbers(low)} ({', '.join(others)})",
    )


@_claim
def overfits(results: Results, paper: Paper, protocol: str, dataset: str) -> Decision:
    """The share of three cases: the bar falls from k = 1 to 2, from 2 to 3, and ends below Elo's 1."""
    bars = [results.bar(protocol, dataset, f"disc_k{k}") for k in (1, 2, 3)]
    return Decision(_share([bars[1] < bars[0], bars[2] < bars[1], bars[2] < 1]), f"bars {_numbers(bars)}")


def _human(results: Results, league: str, threshold: float) -> pd.Series:
    """Return a row of the human games; simulated leagues are never compared with the paper's players."""
    leagues = set() if results.human is None else set(results.human.league)
    if f"{league}_simulated" in leagues:
        raise Missing(f"{league!r} is simulated in this run; give the human games by `path:`", due=False)
    if league not in leagues:
        raise Missing(f"human games of {league!r} are not part of this run", due=False)
    if league == "lichess" and not _are_the_papers_months(results.lichess_files):
        raise Missing(
            "the files of 'lichess' are not the paper's ten months; give those by `path:`", due=False
        )
    rows = results.human[(results.human.league == league) & (results.human.min_games == threshold)]
    if len(rows) == 0:
        raise Missing(f"{league!r} was not run at {threshold:g} games a pair", due=False)
    return rows.iloc[0]


def _are_the_papers_months(files: pd.DataFrame | None) -> bool:
    """Whether the files of the league lichess are those of the paper, and no others, by their checksums."""
    if files is None or files.status.isin(["differs", "not in the table"]).any():
        return False
    return set(files.published_file) == {f"lichess_elite_{month}.pgn" for month in PAPER_MONTHS}


def _human_ratio(results: Results, threshold: float, model: str) -> float:
    """Return Elo's MSE over a model's on hidden pairs of StarCraft II, protocol "leagues" (Figure 10)."""
    dataset = _human(results, "starcraft", threshold).dataset
    return results.bar("leagues", dataset, model)


@_claim
def human_transitive(
    results: Results, paper: Paper, dataset: str, threshold: str, transitive: str
) -> Decision:
    """Whether the first component of a human game is transitive ("yes") or cyclic ("no") at a threshold."""
    hull = results.hulls.get(_human(results, dataset, float(threshold)).dataset)
    if hull is None:
        raise Missing(f"{dataset!r} was not decomposed at {threshold} games a pair")
    found = hull["logit"]["transitive"] is True
    # The verdict tells what a transitive one rests on: the fit, the graph alone, or the penalty.
    return Decision(float(found == (transitive == "yes")), hull["logit"]["verdict"])


@_claim
def human_beats_elo(results: Results, paper: Paper, model: str) -> Decision:
    """Whether a model predicts StarCraft better than Elo at some threshold."""
    thresholds = paper.figure_10.threshold.unique()
    ratios = [_human_ratio(results, threshold, model) for threshold in thresholds]
    return Decision(float(any(ratio > 1 for ratio in ratios)), f"ratios {_numbers(ratios)}")


# -------------------------------------------------------------------- the comparison


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _size_note(paper: Paper, results: Results, datasets: Iterable[str]) -> str:
    """Say that a dataset has not the paper's number of players: then nothing need agree."""
    for dataset in datasets:
        theirs, ours = paper.n_players(dataset), results.n_players(dataset)
        if math.isfinite(theirs) and math.isfinite(ours) and theirs != ours:
            return (
                f"Computed with {ours:.0f} players of {paper.label(dataset)}, the paper has {theirs:.0f}: "
                "not the same game, so agreement is not expected."
            )
    return ""


def _row(
    item: str,
    quantity: str,
    theirs: float,
    compute: Callable[[], float | Decision],
    tolerance: str,
    expected: str,
    note: str,
    size_note: str = "",
) -> dict:
    """Return one row of the comparison; `compute` raises Missing where there is nothing to compare."""
    row = {"item": item, "quantity": quantity, "paper": theirs, "ours": math.nan, "ratio": math.nan}
    row |= {"tolerance": tolerance, "expected": DIFFERS if size_note and expected == REPRODUCED else expected}
    try:
        result = compute()
    except Missing as missing:
        reason = str(missing)
        row |= {"verdict": NOT_RUN, "note": _sentence(reason[0].upper() + reason[1:] + ".", size_note, note)}
        if not missing.due:
            row["expected"] = NOT_RUN
        return row
    seen = ""
    if isinstance(result, Decision):
        seen = f"Seen: {result.seen}."
        result = result.share
    row["ours"] = float(result)
    row["ratio"] = row["ours"] / theirs if theirs != 0 else math.nan
    row["verdict"] = REPRODUCED if within(tolerance, theirs, row["ours"]) else DIFFERS
    row["note"] = _sentence(seen, size_note, note)
    return row


def _tolerance(row: tuple, fresh: bool) -> str:
    return row.tolerance_fresh if fresh and row.tolerance_fresh else row.tolerance


def compare_table_1(paper: Paper, results: Results) -> list[dict]:
    """Return the rows of Table 1 (half-MSE, protocol written); optional rows only where they ran."""
    rows = []
    for entry in paper.table_1.itertuples():
        if entry.optional == "yes" and ("written", entry.model) not in results._fitted:
            continue
        fresh = results.is_fresh(entry.dataset)
        rows.append(
            _row(
                f"table_1/{entry.dataset}/{entry.model}/{entry.split}",
                f"{entry.label}: half-MSE, {entry.split}, {paper.label(entry.dataset)}",
                entry.half_mse,
                lambda e=entry: half_mse(results.mse("written", e.dataset, e.model, e.split)),
                _tolerance(entry, fresh),
                entry.expected,
                paper.text(entry.note),
                _size_note(paper, results, [entry.dataset]),
            )
        )
    return rows


def _average_rows(
    paper: Paper,
    results: Results,
    entry: tuple,
    protocol: str,
    bars: pd.DataFrame,
    items: tuple[str, str],
    name: str,
    theirs: float,
    scale: Callable[[float], float],
) -> list[dict]:
    """Return two rows: the average over all the figure's games, and the paper's and ours over those that ran.

    `scale` takes the mean of natural logarithms to the quantity that the figure shows.
    """
    ours, ran, missing = {}, [], []
    for bar in bars.itertuples():
        try:
            ours[bar.dataset] = results.bar(protocol, bar.dataset, entry.model)
            ran.append(bar)
        except Missing as reason:
            missing.append((paper.label(bar.dataset), reason))
    fresh = any(results.is_fresh(bar.dataset) for bar in ran)
    size_note = _size_note(paper, results, ours)

    def average(values: Iterable[float]) -> float:
        return scale(float(np.mean([math.log(value) for value in values])))

    def over_all() -> float:
        if missing:
            names = ", ".join(label for label, _ in missing)
            raise Missing(f"needs all {len(bars)} games, missing: {names}", any(r.due for _, r in missing))
        return average(ours.values())

    def over_same() -> float:
        if not ran:
            raise Missing(f"none of the {len(bars)} games ran", any(r.due for _, r in missing))
        return average(ours.values())

    same = average(bar.ratio for bar in ran) if ran else math.nan
    tolerance, label = _tolerance(entry, fresh), model_label(entry.model)
    note = paper.text(entry.note)
    games = f"Games: {', '.join(paper.label(bar.dataset) for bar in ran)}."
    return [
        _row(
            items[0],
            f"{label}: {name}, all {len(bars)} games",
            theirs,
            over_all,
            tolerance,
            entry.expected,
            note,
            size_note,
        ),
        _row(
            items[1],
            f"{label}: {name}, paper's and ours over the same {amount(len(ran), 'game')} that ran",
            same,
            over_same,
            tolerance,
            entry.expected,
            _sentence(note, games if ran else ""),
            size_note,
        ),
    ]


def compare_figure_5(paper: Paper, results: Results) -> list[dict]:
    """Return the bars of Figure 5 and its log averages, under the protocols that figure_5.csv lists."""
    rows = []
    bars = paper.figure_5
    for entry in bars.itertuples():
        if entry.dataset == "log_average":
            shown = bars[(bars.protocol == entry.protocol) & (bars.model == entry.model)]
            shown = shown[shown.dataset.isin(averaged_games(bars, 5))]
            items = tuple(
                f"figure_5/{entry.protocol}/{n}/{entry.model}"
                for n in ("log_average", "log_average_same_games")
            )
            name = f"log average (protocol {entry.protocol})"
            rows += _average_rows(
                paper, results, entry, entry.protocol, shown, items, name, entry.ratio, math.exp
            )
            continue
        fresh = results.is_fresh(entry.dataset)
        figure = "figure_5" if entry.source == "printed" else "figure_6"
        rows.append(
            _row(
                f"{figure}/{entry.protocol}/{entry.dataset}/{entry.model}",
                f"{model_label(entry.model)}: Elo's test MSE over the model's, {paper.label(entry.dataset)} "
                f"(protocol {entry.protocol})",
                entry.ratio,
                lambda e=entry: results.bar(e.protocol, e.dataset, e.model),
                _tolerance(entry, fresh),
                entry.expected,
                paper.text(entry.note),
                _size_note(paper, results, [entry.dataset]),
            )
        )
    return rows


def compare_figure_6(paper: Paper, results: Results) -> list[dict]:
    """Return the averages of log10 over the 20 games of Figure 6, and over those that ran."""
    rows = []
    for entry in paper.figure_6.itertuples():
        shown = paper.figure_5[
            (paper.figure_5.protocol == "published")
            & (paper.figure_5.model == (entry.model if entry.model != "elo" else "disc_k1"))
            & paper.figure_5.dataset.isin(averaged_games(paper.figure_5, 6))
        ]
        if entry.model == "elo":
            shown = shown.assign(ratio=1.0)
        items = (f"figure_6/published/{entry.model}", f"figure_6/published/same_games/{entry.model}")
        rows += _average_rows(
            paper,
            results,
            entry,
            "published",
            shown,
            items,
            "average of log10",
            entry.log10_average,
            lambda mean: mean / math.log(10),
        )
    return rows


def compare_human(paper: Paper, results: Results) -> list[dict]:
    """Return the counts of Figure 7 and the ratios of Figure 10; 'not run' without human games."""
    rows = []
    for entry in paper.figure_7_counts.itertuples():
        rows.append(
            _row(
                f"figure_7/{entry.dataset}/{entry.threshold:g}/{entry.quantity}",
                f"{paper.label(entry.dataset)}: {entry.quantity} with pairs of {amount(int(entry.threshold), 'game')}",
                entry.value,
                lambda e=entry: float(_human(results, e.dataset, e.threshold)[e.quantity]),
                entry.tolerance,
                entry.expected,
                paper.text(entry.note),
            )
        )

    for entry in paper.figure_10.itertuples():
        rows.append(
            _row(
                f"figure_10/{entry.threshold:g}/{entry.model}",
                f"{model_label(entry.model)}: Elo's MSE over the model's, StarCraft II, "
                f"{entry.threshold:g} games a pair",
                entry.ratio,
                lambda e=entry: _human_ratio(results, e.threshold, e.model),
                entry.tolerance,
                entry.expected,
                paper.text(entry.note),
            )
        )
    return rows


def compare_claims(paper: Paper, results: Results) -> list[dict]:
    """Return the claims in words: paper = 1, ours = the share of a claim's cases that hold, reproduced at 1.

    Raises
    ------
    InputError
        If claims.csv names a function that is not in `CLAIMS`.
    """
    rows = []
    for claim in paper.claims.itertuples():
        if claim.decided_by not in CLAIMS:
            raise InputError(
                f"Claim {claim.id!r} is decided by {claim.decided_by!r}; "
                f"{did_you_mean(claim.decided_by, CLAIMS)}"
            )
        arguments = dict(argument.split("=", 1) for argument in claim.arguments.split())
        datasets = claim.datasets.split()
        few = ""
        if not datasets and "protocol" in arguments:
            # A claim about averages over whichever games ran.
            games = averaged_games(paper.figure_5, 5)
            datasets = [game for game in games if results.runs(game)]
            if len(datasets) < len(games) / 2:
                few = (
                    f"Only {len(datasets)} of {len(games)} games ran: an average over so few need not agree."
                )
        rows.append(
            _row(
                claim.id,
                f"Claim ({claim.place}): {claim.claim} Decided by: {claim.statement}.",
                1.0,
                lambda c=claim, a=arguments: CLAIMS[c.decided_by](results, paper, **a),
                "exact",
                claim.expected,
                paper.text(claim.note),
                few or _size_note(paper, results, datasets),
            )
        )
    return rows


def compare(paper: Paper, results: Results) -> pd.DataFrame:
    """Put everything that the paper says beside what a run gave.

    Parameters
    ----------
    paper : Paper
        The paper's numbers and claims.
    results : Results
        What the run gave.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, one row an item. `ratio` is ours over the paper's. `expected` is what should come out
        with this run's inputs: 'not run' where the run was not asked for an input, 'differs' where the note
        tells why.
    """
    rows = [
        *compare_claims(paper, results),
        *compare_table_1(paper, results),
        *compare_figure_5(paper, results),
        *compare_figure_6(paper, results),
        *compare_human(paper, results),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    # Stable, so that the claims of a table or figure come before its numbers.
    order = np.argsort(frame["item"].map(group_order).to_numpy(), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def group_of(item: str) -> str:
    """Return the table or figure of an item: ``"figure_5"`` of ``"figure_5/published/blotto/disc_k1"``."""
    return item.split("/", 1)[0]


def group_order(item: str) -> int:
    """Return the place of an item's table or figure: Table 1, then the figures by number."""
    kind, _, number = group_of(item).partition("_")
    return int(number) if kind == "figure" else 0


def unmet(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the items that were expected to reproduce and do not, those missing in the run among them.

    Parameters
    ----------
    comparison : DataFrame
        What `compare` gave.
    """
    return comparison[(comparison.expected == REPRODUCED) & (comparison.verdict != REPRODUCED)]


# -------------------------------------------------------------------- Table 1


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
