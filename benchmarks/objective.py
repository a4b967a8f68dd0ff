"""One evaluation of the disc objective with its gradient: the time of a pair, and against one pass of exp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.common import SPARSE, cpu_seconds, disc_game, of_size, sparse_disc_game
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective


def rows(
    dense: Sequence[int] = (286, 1000),
    sparse: Sequence[tuple[int, int]] = SPARSE,
    components: Sequence[int] = (1, 2, 3),
    repeats: int = 20,
) -> list[dict]:
    """Measure complete and sparse payoffs.

    Returns
    -------
    list of dict
        ``payoff``, ``k``, ``ns_per_pair`` (i < j), ``over_exp``: the time of an evaluation over that of `numpy.exp` on
        the payoff: the n × n matrix where complete, the observed pairs where sparse.
    """
    measured = []
    games = [disc_game(n, np.random.default_rng([0, n])) for n in dense]
    games += [sparse_disc_game(n, m, np.random.default_rng([0, n])) for n, m in sparse]
    for payoff in games:
        objective = PairObjective(payoff, CrossEntropy())
        array = payoff.to_dense() if payoff.is_complete else payoff.p
        for k in components:
            U, V = np.random.default_rng(k).standard_normal((2, payoff.n_players, k))
            seconds = cpu_seconds(lambda objective=objective, U=U, V=V: objective.value_and_gradient(U, V), repeats)
            measured.append(
                {
                    "payoff": of_size(payoff),
                    "k": k,
                    "ns_per_pair": 1e9 * seconds / payoff.n_pairs,
                    "over_exp": seconds / max(cpu_seconds(lambda array=array: np.exp(array), repeats), 1e-9),
                }
            )
    return measured
