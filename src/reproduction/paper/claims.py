"""The paper's claims, and one of a later paper, one function each that decides how far the run bears them out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from reproduction.paper.numbers import Paper, averaged_games
from reproduction.paper.results import Missing, Results
from transitivity.errors import amount
from transitivity.evaluation.compare import compare_models
from transitivity.evaluation.ratios import BETTER, REFERENCE, UNTESTED
from transitivity.evaluation.thinning import CYCLIC
from transitivity.payoff.core import Payoff


@dataclass(frozen=True)
class Decision:
    """How far a claim holds: the share of its cases (1: it holds), and what was seen."""

    share: float
    seen: str


Entry = TypeVar("Entry")
Claim = Callable[..., Decision]
#: The functions that decide claims, by the name that claims.csv uses.
CLAIMS: dict[str, Claim] = {}


def _claim(function: Claim) -> Claim:
    CLAIMS[function.__name__] = function
    return function


def _share(cases: Iterable[bool]) -> float:
    return float(np.mean(list(cases)))


def _of(results: Results, what: Mapping[str, Entry], dataset: str, name: str) -> Entry:
    """Return an entry of the run, or say whether the run should have made it."""
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
        _share(right[decided]), f"{int(right[decided].sum())} of {int(decided.sum())} points ({(~decided).sum()} ties)"
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
    error = np.abs(grid.disc_logit / exact - 1)
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
        error = results.half_mse("written", dataset, model)
        cases.append(error < float(limit))
        seen.append(f"{model} on {dataset} {error:.1e}")
    return Decision(_share(cases), "; ".join(seen))


@_claim
def elo_fails_elsewhere(results: Results, paper: Paper) -> Decision:
    """The share of the columns after the first where Elo's error is over 1e5 times that on the Elo game."""
    first, *others = (results.half_mse("written", dataset, REFERENCE) for dataset in paper.table_1_games)
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
        pair = [results.half_mse(protocol, dataset, name) for name in (model, baseline)]
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
        sum(results.bar(protocol, g, f"{baseline}_k{k}") > results.bar(protocol, g, f"disc_k{k}") for g in ran)
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
            f"models 'disc' and {baseline!r} have no repeated hold-outs under protocol {protocol!r}", due=False
        )
    return Decision(_share(verdict == BETTER for verdict in verdicts), "; ".join(seen))


@_claim
def more_gain(results: Results, paper: Paper, protocol: str, more: str, fewer: str) -> Decision:
    """The share of k = 1, 2, 3 where the disc's log average over some games is above that over others."""
    models = [f"disc_k{k}" for k in (1, 2, 3)]
    ran, high = _log_averages(results, paper, protocol, models, more.split(","))
    others, low = _log_averages(results, paper, protocol, models, fewer.split(","))
    return Decision(
        _share(high > low), f"{_numbers(high)} ({', '.join(ran)}) against {_numbers(low)} ({', '.join(others)})"
    )


@_claim
def overfits(results: Results, paper: Paper, protocol: str, dataset: str) -> Decision:
    """The share of three cases: the bar falls from k = 1 to 2, from 2 to 3, and ends below Elo's 1."""
    bars = [results.bar(protocol, dataset, f"disc_k{k}") for k in (1, 2, 3)]
    return Decision(_share([bars[1] < bars[0], bars[2] < bars[1], bars[2] < 1]), f"bars {_numbers(bars)}")


@_claim
def human_transitive(results: Results, paper: Paper, dataset: str, threshold: str, transitive: str) -> Decision:
    """Whether the first component of a human game is transitive ("yes") or cyclic ("no") at a threshold."""
    league = results.league(dataset, float(threshold)).dataset
    test = _of(results, results.hulls, league, "hull test")["logit"]
    # The paper looks at the picture of the fit; what the games say is the verdict.
    place = "outside" if test["transitive"] else "not outside"
    note = f"0 lies {place} the hull of the fit; a test on the games says: {test['verdict']}"
    return Decision(float((test["transitive"] is True) == (transitive == "yes")), note)


@_claim
def human_beats_elo(results: Results, paper: Paper, model: str) -> Decision:
    """Whether a model predicts StarCraft better than Elo at some threshold."""
    bars = [results.league_bar("starcraft", threshold, model) for threshold in paper.figure_10.threshold.unique()]
    return Decision(float(max(bars) > 1), f"ratios {_numbers(bars)}")


@_claim
def sparse_data(results: Results, paper: Paper, datasets: str, few: str, many: str) -> Decision:
    """The share of two cases a game: cycles do not pay where least is seen, and do where most is.

    Both are cells of cycles_pay.csv: of the smallest share of pairs the fewest games, of the largest share the most;
    `few` and `many` say how small and large these must be, as share:games. Cycles pay where a family with a cyclic part
    is better than the tuned Elo beyond the interval over repetitions.
    """
    if results.cycles is None:
        raise Missing("when cycles pay was not asked for", due=False)
    table = results.cycles[results.cycles.dataset.isin(datasets.split(",")) & results.cycles.family.isin(CYCLIC)]
    # Fewer show no difference of any size.
    table = table[table.repeats >= 3]
    (least, fewest), (most, largest) = (map(float, limit.split(":")) for limit in (few, many))
    cases, seen = [], []
    for dataset, part in table.groupby("dataset", sort=False):
        sparse = part[(part.share == part.share.min()) & (part.games == part.games.min())]
        dense = part[(part.share == part.share.max()) & (part.games == part.games.max())]
        is_sparse = (sparse.share <= least) & (sparse.games <= fewest)
        if is_sparse.all() and ((dense.share >= most) & (dense.games >= largest)).all():
            cases += [not (sparse.low > 0).any(), bool((dense.low > 0).any())]
            seen.append(f"{results.label(str(dataset), paper)} {sparse.ratio.max():.2f} and {dense.ratio.max():.2f}")
    if not cases:
        raise Missing(
            f"none of {datasets} was thinned out three times to {few} and {many} (share of pairs:games)", due=False
        )
    what = "Elo's excess log-loss over the better family's with cycles, where least and most is seen"
    return Decision(_share(cases), f"{what}: {'; '.join(seen)}")
