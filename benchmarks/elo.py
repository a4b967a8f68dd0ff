"""The stationary Elo score by Newton's method against choix, evalica, scikit-learn and arena-rank, at equal log-loss.

Each package gets its data in the form it likes best, made beforehand, and the loosest of its tolerances that reaches
the log-loss. arena-rank runs where `make benchmarks` has installed it, beside our packages: it pins other versions.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import choix
import evalica
import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks.common import EQUAL, cpu_seconds, dense_elo_game, first_that_reaches, of_size, ratio, sparse_elo_game
from transitivity.fitting import elo, solvers
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff

#: Tolerances that are tried, loosest first, until the loss is reached.
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
#: The Python that has arena-rank.
ARENA_RANK = Path(__file__).resolve().parents[1] / ".venv" / "arena-rank" / "bin" / "python"


def log_loss(payoff: Payoff, u: np.ndarray) -> float:
    """Return the mean cross entropy of ratings u."""
    value, _ = CrossEntropy().value_and_slope(payoff.p, u[payoff.i] - u[payoff.j])
    return float(value.mean())


def other_packages(payoff: Payoff, max_dense: int = 3000) -> dict[str, Callable[[float], np.ndarray]]:
    """Return what fits the same ratings, each as a function of its tolerance, its data made ready beforehand.

    A method of choix that needs an (n, n) array is left out above `max_dense` players, one that needs a list of
    games where p is not 0 or 1.
    """
    n, m = payoff.n_players, payoff.n_pairs
    rows = np.arange(m)
    signs = scipy.sparse.csr_array(
        (np.tile([1.0, -1.0], m), (np.repeat(rows, 2), np.column_stack([payoff.i, payoff.j]).ravel())), shape=(m, n)
    )
    certain = bool(np.isin(payoff.p, (0, 1)).all())
    if certain:
        X, y, weights = signs, payoff.p.astype(int), np.ones(m)
    else:
        X = scipy.sparse.vstack([signs, signs]).tocsr()
        y, weights = np.repeat([1, 0], m), np.concatenate([payoff.p, 1 - payoff.p])

    def scikit_learn(solver: str) -> Callable[[float], np.ndarray]:
        def run(tolerance: float) -> np.ndarray:
            # C = 1e12: no penalty. The loss decides whether it has converged, not the warning.
            model = LogisticRegression(C=1e12, fit_intercept=False, solver=solver, tol=tolerance, max_iter=1000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                return model.fit(X, y, sample_weight=weights).coef_[0]

        return run

    def by_evalica(fit: Callable) -> Callable[[float], np.ndarray]:
        players = pd.RangeIndex(n)
        xs, ys = np.concatenate([payoff.i, payoff.j]).tolist(), np.concatenate([payoff.j, payoff.i]).tolist()
        shares, won = np.concatenate([payoff.p, 1 - payoff.p]).tolist(), [evalica.Winner.X] * (2 * m)

        def run(tolerance: float) -> np.ndarray:
            result = fit(xs, ys, won, index=players, weights=shares, tolerance=tolerance, limit=100_000)
            return np.log(result.scores.loc[players].to_numpy())

        return run

    methods = {f"scikit-learn, {solver}": scikit_learn(solver) for solver in ("lbfgs", "newton-cg")}
    if n <= max_dense:
        methods["evalica, bradley_terry"] = by_evalica(evalica.bradley_terry)
        methods["evalica, newman"] = by_evalica(evalica.newman)
    if not certain and n <= max_dense:
        P = payoff.to_dense()
        wins = np.where(np.isnan(P), 0, P)
        np.fill_diagonal(wins, 0)
        methods["choix, ilsr_pairwise_dense"] = lambda tolerance: choix.ilsr_pairwise_dense(wins, tol=n * tolerance)
    if certain:
        winners, losers = np.where(payoff.p == 1, (payoff.i, payoff.j), (payoff.j, payoff.i))
        games = list(zip(winners.tolist(), losers.tolist(), strict=True))
        methods["choix, mm_pairwise"] = lambda tolerance: choix.mm_pairwise(n, games, tol=n * tolerance)
        if n <= max_dense:
            methods["choix, ilsr_pairwise"] = lambda tolerance: choix.ilsr_pairwise(n, games, tol=n * tolerance)
            methods["choix, opt_pairwise"] = lambda tolerance: choix.opt_pairwise(n, games, alpha=0, tol=tolerance)
    return methods


def rows(
    dense: Sequence[int] = (1000,),
    sparse: Sequence[tuple[int, int]] = ((2_000, 30_000), (20_000, 300_000)),
    repeats: int = 3,
) -> list[dict]:
    """Measure complete payoffs of some numbers of players, and sparse ones of some (players, pairs).

    Returns
    -------
    list of dict
        ``payoff``, ``method``, ``ratio``: its CPU time over ours; ``reached``: whether it reached our log-loss.
    """
    payoffs = [dense_elo_game(n, np.random.default_rng([1, n])) for n in dense]
    payoffs += [sparse_elo_game(n, m, np.random.default_rng([2, n])) for n, m in sparse]
    return [row for payoff in payoffs for row in compare(payoff, repeats)]


def compare(payoff: Payoff, repeats: int) -> list[dict]:
    """Return the rows of one payoff."""

    def ours(tolerance: float) -> solvers.Fit:
        return elo.stationary_elo(PairObjective(payoff, CrossEntropy()), tolerance=tolerance)

    target = ours(solvers.TOLERANCE).loss * (1 + EQUAL)
    own, _ = first_that_reaches(target, (*TOLERANCES, 0.0), lambda tolerance: ours(tolerance).loss)

    def row(method: str, run: Callable[[float], np.ndarray], against: Callable[[float], float]) -> dict:
        tolerance, _ = first_that_reaches(target, TOLERANCES, lambda tolerance: log_loss(payoff, run(tolerance)))
        used = TOLERANCES[-1] if tolerance is None else tolerance
        return {"payoff": of_size(payoff), "method": method, "ratio": against(used), "reached": tolerance is not None}

    measured = [
        row(method, run, lambda used, run=run: ratio(lambda: run(used), lambda: ours(own), repeats))
        for method, run in other_packages(payoff).items()
    ]
    if ARENA_RANK.is_file():
        with arena_rank(payoff) as ask:

            def against(used: float) -> float:
                times = [ask(used)[0] / cpu_seconds(lambda: ours(own)) for _ in range(repeats)]
                return statistics.median(times)

            measured.append(row("arena-rank", lambda tolerance: ask(tolerance)[1], against))
    return measured


@contextlib.contextmanager
def arena_rank(payoff: Payoff) -> Iterator[Callable[[float], tuple[float, np.ndarray]]]:
    """Start `fit_arena_rank.py`; yield what asks it for the CPU seconds and the ratings of a tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "payoff.npz"
        np.savez(path, i=payoff.i, j=payoff.j, p=payoff.p, n=payoff.n_players)
        with subprocess.Popen(
            [ARENA_RANK, Path(__file__).with_name("fit_arena_rank.py"), path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:

            def ask(tolerance: float) -> tuple[float, np.ndarray]:
                print(tolerance, file=process.stdin, flush=True)
                answer = json.loads(process.stdout.readline())
                return answer["seconds"], np.array(answer["ratings"])

            yield ask
            process.stdin.close()
