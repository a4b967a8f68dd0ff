"""How often `transitivity_evidence` is right on simulated leagues of six shapes: the table of docs/verdicts.md.

The truths are transitive, which must rarely be called cyclic, or have a cyclic part whose logits have the root mean
square of the margin (over the pairs that met). What was simulated before stays in docs/verdicts.csv: a row a shape and
truth, so that some of them can be run alone.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.common import table  # noqa: E402 (the line above makes it importable)
from reproduction.markers import write_between_markers  # noqa: E402
from transitivity.files import write_table  # noqa: E402
from transitivity.measures import evidence  # noqa: E402
from transitivity.measures.evidence import CYCLIC, TRANSITIVE, UNDECIDED, transitivity_evidence  # noqa: E402
from transitivity.payoff.core import Payoff  # noqa: E402
from transitivity.seeding import generator  # noqa: E402

SHAPES = ("round robin", "uneven games", "Pareto activity", "two groups", "two groups, 6 x games", "near-matching")
#: What there is beside a cyclic part, and the margin of that in logits.
TRUTHS = {
    "Elo": ("Elo", 0.0),
    "disc, v > 0": ("disc", 0.0),
    "better wins 75 %": ("constant", 0.0),
    "bounded": ("bounded", 0.0),
    "steep top": ("steep", 0.0),
    "convex": ("convex", 0.0),
    "Elo + cycles of 0.5": ("Elo", 0.5),
    "Elo + cycles of 1": ("Elo", 1.0),
    "cyclic disc of 1": ("none", 1.0),
}


def pairs_of(shape: str, rng: np.random.Generator) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of players, the pairs that met, (m,) and (m,), and their games, (m,)."""
    if shape == "round robin":
        n = 30
        i, j = np.triu_indices(n, 1)
        return n, i, j, np.full(len(i), 4)
    if shape == "uneven games":
        n = 40
        i, j = np.triu_indices(n, 1)
        met = rng.random(len(i)) < 0.4
        return n, i[met], j[met], np.maximum(1, rng.lognormal(1, 1.3, met.sum()).round()).astype(np.int64)
    if shape == "Pareto activity":
        n, m = 200, 1200
        activity = rng.pareto(1.2, n) + 0.3
        activity /= activity.sum()
        pairs: set[tuple[int, int]] = set()
        while len(pairs) < m:
            a, b = rng.choice(n, 2, replace=False, p=activity)
            pairs.add((min(a, b), max(a, b)))
        i, j = np.array(sorted(pairs)).T
        return n, i, j, np.ones(m, dtype=np.int64)
    if shape.startswith("two groups"):
        n = 60
        i, j = np.triu_indices(n, 1)
        within = (i < n // 2) == (j < n // 2)
        met = within & (rng.random(len(i)) < 0.3)
        met[rng.choice(np.flatnonzero(~within), 4, replace=False)] = True
        return n, i[met], j[met], rng.integers(1, 8, met.sum()) * (6 if shape.endswith("6 x games") else 1)
    n = 124
    pairs = {(2 * a, 2 * a + 1) for a in range(n // 2)}
    while len(pairs) < n // 2 + 80:
        a, b = rng.choice(n, 2, replace=False)
        pairs.add((min(a, b), max(a, b)))
    i, j = np.array(sorted(pairs)).T
    return n, i, j, np.full(len(i), 80)


def league(shape: str, truth: str, rng: np.random.Generator) -> Payoff:
    """Draw a league of a shape in `SHAPES` whose chances are those of a truth in `TRUTHS`."""
    n, i, j, games = pairs_of(shape, rng)
    kind, margin = TRUTHS[truth]
    ratings, a, b = rng.standard_normal((3, n))
    x = ratings[i] - ratings[j]
    if kind == "none":
        x *= 0
    elif kind == "disc":
        v = np.exp(rng.normal(0, 0.4, n))
        x *= v[i] * v[j]
    elif kind == "constant":
        x = logit(0.5 + 0.25 * np.sign(x))
    elif kind == "bounded":
        x = logit(0.5 + 0.35 * np.tanh(x))
    elif kind == "steep":
        x *= np.exp(0.7 * np.maximum(ratings[i], ratings[j]))
    elif kind == "convex":
        x *= np.abs(x)
    cycle = a[i] * b[j] - b[i] * a[j]
    x = x + margin * cycle / np.sqrt(np.mean(cycle**2))
    return Payoff(np.arange(n).astype(str), i, j, rng.binomial(games, expit(x)) / games, games)


def cell(shape: str, truth: str, leagues: int, resamples: int, seed: int = 0) -> dict[str, object]:
    """Return one row of the table: the verdicts of simulated leagues of one shape and truth."""
    found, games = [], []
    for number in range(leagues):
        payoff = league(shape, truth, generator(seed, "verdicts", shape, truth, str(number)))
        games.append(payoff.games.sum())
        rng = generator(seed, "evidence", shape, truth, str(number))
        found.append(transitivity_evidence(payoff, resamples, rng))
    words = [one.verdict for one in found]
    counts = {word: words.count(word) for word in (CYCLIC, TRANSITIVE, UNDECIDED)}
    power = f"{np.mean([one.power for one in found]):.2f}"
    row = {"shape": shape, "games": int(np.mean(games)), "truth": truth, "leagues": leagues, "resamples": resamples}
    return row | counts | {"power": power}


def main(arguments: list[str] | None = None) -> None:
    """Simulate the leagues that are asked for, and write their rows of the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leagues", type=int, default=200, help="leagues a shape and truth")
    parser.add_argument("--resamples", type=int, default=199, help="resamples of each league")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES)
    parser.add_argument("--truths", nargs="+", choices=TRUTHS, default=list(TRUTHS))
    parser.add_argument(
        "--page", type=Path, default=ROOT / "docs" / "verdicts.md", help="its table is a .csv beside it"
    )
    options = parser.parse_args(arguments)
    # The table does not show the games needed, which take most of the time.
    evidence.MULTIPLES = ()
    path = options.page.with_suffix(".csv")
    for truth in options.truths:
        for shape in options.shapes:
            row = cell(shape, truth, options.leagues, options.resamples)
            print(row, flush=True)
            rows = pd.read_csv(path, dtype=str).to_dict("records") if path.is_file() else []
            known = {(one["truth"], one["shape"]): one for one in rows} | {(truth, shape): row}
            ordered = [known[key] for key in itertools.product(TRUTHS, SHAPES) if key in known]
            write_table(pd.DataFrame(ordered), path)
            write_between_markers(table(ordered), "verdicts", options.page)


if __name__ == "__main__":
    main()
