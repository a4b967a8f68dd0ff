"""Converged fits of the disc decomposition: their time, and the optima reached from several starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.common import SPARSE, cpu_seconds, disc_game, of_size, sparse_disc_game
from transitivity import games
from transitivity.fitting import solvers
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.payoff.core import Payoff

#: Optima whose losses differ by less than this share are the same.
SAME = 1e-7


def rows(
    dense: int = 1000,
    blotto: tuple[int, int] = (10, 5),
    sparse: Sequence[tuple[int, int]] = SPARSE,
    components: Sequence[int] = (1, 2, 3),
    repeats: int = 3,
) -> list[dict]:
    """Fit a simulated complete game, Blotto (soldiers, fields) and, with k = 1, sparse games.

    Returns
    -------
    list of dict
        ``game``, ``payoff``, ``k``, ``seconds`` and ``iterations`` of `joint` from the spectral start,
        ``gradient_norm``, ``converged``; where the payoff is complete ``algorithm_2_above``: the loss of
        `pair_after_pair` over that of `joint` from all its starts, minus 1, and ``spread``: the largest loss over the
        least of these starts, minus 1.
    """
    complete: dict[str, Payoff] = {
        "simulated": disc_game(dense, np.random.default_rng([0, dense])),
        "Blotto": games.compute("blotto", n_soldiers=blotto[0], n_fields=blotto[1]),
    }
    measured = []
    for name, payoff in complete.items():
        measured += [_fit(name, payoff, k, repeats, several=True) for k in components]
    for n, m in sparse:
        payoff = sparse_disc_game(n, m, np.random.default_rng([0, n]))
        measured.append(_fit("simulated", payoff, 1, repeats, several=False))
    return measured


def _fit(name: str, payoff: Payoff, k: int, repeats: int, several: bool) -> dict:
    def run(n_starts: int) -> solvers.Fit:
        objective = PairObjective(payoff, CrossEntropy())
        return solvers.joint(objective, k, np.random.default_rng(0), n_starts=n_starts)

    fit = run(1)
    row = {
        "game": name,
        "payoff": of_size(payoff),
        "k": k,
        "seconds": cpu_seconds(lambda: run(1), repeats),
        "iterations": fit.n_iter,
        "gradient_norm": fit.gradient_norm,
        "converged": fit.converged,
        "algorithm_2_above": None,
        "spread": None,
    }
    if several:
        best = run(solvers.STARTS)
        objective = PairObjective(payoff, CrossEntropy())
        printed = solvers.pair_after_pair(objective, k, np.random.default_rng(0))
        row["algorithm_2_above"] = _above(printed.loss, best.loss)
        row["spread"] = _above(max(best.optima), best.loss)
    return row


def _above(loss: float, least: float) -> float:
    """Return how far a loss is above another, as a share of it; 0 below what the tolerance of a search leaves open."""
    share = loss / least - 1
    return share if share > SAME else 0.0
