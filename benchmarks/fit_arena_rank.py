"""Fit the ratings of arena-rank, by a Python of its own: it pins other versions of numpy than ours.

Its argument is an .npz file with i, j, p and n. It reads tolerances, a line each, and answers each with a line of JSON:
the CPU seconds, and the ratings. What arena-rank compiles in every fit is compiled beforehand.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.math_utils import lbfgs_minimize


def main() -> None:
    """Answer the tolerances of standard input."""
    with np.load(sys.argv[1]) as file:
        pairs, p, n = np.column_stack([file["i"], file["j"]]), jnp.asarray(file["p"]), int(file["n"])
    games = {"pairs": jnp.asarray(pairs, dtype=jnp.int32), "outcomes": p, "opt_weights": jnp.ones(len(p))}
    start = BradleyTerry(n).params
    loss = partial(BradleyTerry.loss_function, data=games)

    @cache
    def compiled(tolerance: float) -> Callable[[dict], dict]:
        options = {"max_iter": 100_000, "gtol": tolerance, "ftol": tolerance}
        return jax.jit(lambda params: lbfgs_minimize(loss, params, **options)[0]).lower(start).compile()

    for line in sys.stdin:
        fit = compiled(float(line))
        begin = time.process_time()
        ratings = np.asarray(fit(start)["ratings"])
        seconds = time.process_time() - begin
        print(json.dumps({"seconds": seconds, "ratings": ratings.tolist()}), flush=True)


if __name__ == "__main__":
    main()
