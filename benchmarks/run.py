"""Measure what the solvers gain, side by side in one run, and write the ratios into docs/benchmarks.md.

Disc decomposition: all of a pair at once (`pair_after_pair`) and all pairs at once (`joint`) against Algorithms 1
and 2 as printed (`alternating`), at equal loss. Stationary Elo: Newton's method against choix and scikit-learn, at
equal log-loss, each with the loosest tolerance that reaches it. Everything runs in this process on one thread, in
turn, and CPU time is counted: what is written are ratios, since times belong to a machine. Needs the extra
"benchmarks" (choix, scikit-learn).
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

import choix
import numpy as np
import pandas as pd
import scipy.sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from transitivity import solvers
from transitivity.errors import InputError
from transitivity.files import atomic_path
from transitivity.graph import is_separated
from transitivity.losses import CrossEntropy
from transitivity.objective import PairObjective
from transitivity.payoff import Payoff

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- begin benchmarks -->", "<!-- end benchmarks -->"
#: Two losses are equal when they differ by less than this share. The default tolerance of the solvers is far tighter.
EQUAL = 1e-6
#: Alternations that are tried, fewest first, until the loss is reached.
ALTERNATIONS = (1, 2, 4, 8, 16, 32, 64, 128)
#: Tolerances that are tried, loosest first, until the loss is reached.
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)


# ---------------------------------------------------------------------- games


def disc_game(n: int, rng: np.random.Generator) -> Payoff:
    """Return a complete game: ratings, two disc games and noise in logit space."""
    ratings, u1, v1, u2, v2 = rng.standard_normal((5, n))
    x = ratings[:, None] + np.outer(u1, v1) + 0.5 * np.outer(u2, v2) + 0.3 * rng.standard_normal((n, n))
    return Payoff.from_dense(expit((x - x.T) / 2))


def dense_elo_game(n: int, rng: np.random.Generator) -> Payoff:
    """Return a complete payoff of probabilities: ratings and noise in logit space."""
    ratings, noise = rng.standard_normal(n), 0.3 * rng.standard_normal((n, n))
    return Payoff.from_dense(expit(ratings[:, None] - ratings + noise - noise.T))


def sparse_elo_game(n: int, n_pairs: int, rng: np.random.Generator) -> Payoff:
    """Return one game between each of some random pairs of players, drawn again until Elo has a finite solution."""
    for _ in range(20):
        ratings = 0.5 * rng.standard_normal(n)
        a, b = rng.integers(0, n, size=(2, 2 * n_pairs))
        code = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
        code = np.sort(rng.permutation(code)[:n_pairs])
        i, j = code // n, code % n
        won = rng.random(len(i)) < expit(ratings[i] - ratings[j])
        payoff = Payoff(np.arange(n).astype(str), i, j, won.astype(float))
        if not is_separated(payoff):
            return payoff
    raise InputError(f"{n_pairs} pairs of {n} players leave someone without a win; use more pairs.")


# ---------------------------------------------------------------------- timing


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    run()
    return time.process_time() - start


def ratios(
    reference: Callable[[], object], others: dict[str, Callable[[], object]], repeats: int
) -> dict[str, float]:
    """Return the CPU time of each of `others` over that of the reference: the median over repetitions in turn."""
    measured: dict[str, list[float]] = {name: [] for name in others}
    for _ in range(repeats):
        seconds = cpu_seconds(reference)
        for name, run in others.items():
            measured[name].append(cpu_seconds(run) / max(seconds, 1e-9))
    return {name: statistics.median(values) for name, values in measured.items()}


def first_that_reaches(
    target: float, options: Iterable[float], run: Callable[[float], float]
) -> tuple[float | None, float]:
    """Return the first option whose loss is at most the target, None if there is none, and the last loss."""
    loss = np.inf
    for option in options:
        loss = run(option)
        if loss <= target:
            return option, loss
    return None, loss


# ---------------------------------------------------------------------- disc decomposition


def compare_disc(
    sizes: Iterable[int], components: Iterable[int], repeats: int, seed: int = 0
) -> pd.DataFrame:
    """Time Algorithms 1 and 2 as printed against both other solvers.

    Returns
    -------
    pandas.DataFrame
        One row per number of players and of pairs: ``players``, ``k``, ``alternations`` that reach the loss of
        `pair_after_pair` (empty if none does), ``reached``: their loss over that loss, minus 1; ``joint_gain``: how
        much lower the loss of `joint` is; ``over_pair_after_pair`` and ``over_joint``: CPU time of the alternation
        over theirs.
    """
    rows = []
    for n in sizes:
        objective = PairObjective(disc_game(n, np.random.default_rng([seed, n])), CrossEntropy())
        for k in components:

            def fit(
                solver: Callable, objective: PairObjective = objective, k: int = k, **options: int
            ) -> solvers.Fit:
                return solver(objective, k, np.random.default_rng(seed), **options)

            target, joint = fit(solvers.pair_after_pair).loss, fit(solvers.joint).loss
            alternations, loss = first_that_reaches(
                target * (1 + EQUAL),
                ALTERNATIONS,
                lambda count, fit=fit: fit(solvers.alternating, n_alternations=count).loss,
            )
            count = alternations or ALTERNATIONS[-1]

            def alternate(fit: Callable = fit, count: int = count) -> solvers.Fit:
                return fit(solvers.alternating, n_alternations=count)

            over = {
                name: ratios(
                    lambda fit=fit, name=name: fit(getattr(solvers, name)),
                    {"alternating": alternate},
                    repeats,
                )["alternating"]
                for name in ("pair_after_pair", "joint")
            }
            rows.append(
                {
                    "players": n,
                    "k": k,
                    "alternations": alternations,
                    "reached": loss / target - 1,
                    "joint_gain": 1 - joint / target,
                    "over_pair_after_pair": over["pair_after_pair"],
                    "over_joint": over["joint"],
                }
            )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- stationary Elo


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
        (np.tile([1.0, -1.0], m), (np.repeat(rows, 2), np.column_stack([payoff.i, payoff.j]).ravel())),
        shape=(m, n),
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
            model = LogisticRegression(
                C=1e12, fit_intercept=False, solver=solver, tol=tolerance, max_iter=1000
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                return model.fit(X, y, sample_weight=weights).coef_[0]

        return run

    methods = {f"scikit-learn, {solver}": scikit_learn(solver) for solver in ("lbfgs", "newton-cg")}
    if not certain and n <= max_dense:
        P = payoff.to_dense()
        wins = np.where(np.isnan(P), 0, P)
        np.fill_diagonal(wins, 0)
        methods["choix, ilsr_pairwise_dense"] = lambda tolerance: choix.ilsr_pairwise_dense(
            wins, tol=n * tolerance
        )
    if certain:
        winners, losers = np.where(payoff.p == 1, (payoff.i, payoff.j), (payoff.j, payoff.i))
        games = list(zip(winners.tolist(), losers.tolist(), strict=True))
        methods["choix, mm_pairwise"] = lambda tolerance: choix.mm_pairwise(n, games, tol=n * tolerance)
        if n <= max_dense:
            methods["choix, ilsr_pairwise"] = lambda tolerance: choix.ilsr_pairwise(
                n, games, tol=n * tolerance
            )
            methods["choix, opt_pairwise"] = lambda tolerance: choix.opt_pairwise(
                n, games, alpha=0, tol=tolerance
            )
    return methods


def compare_elo(payoffs: dict[str, Payoff], repeats: int) -> pd.DataFrame:
    """Time other packages against the stationary Elo score, at equal log-loss.

    Returns
    -------
    pandas.DataFrame
        One row per payoff and method: ``payoff``, ``method``, ``tolerance``: the loosest that reaches the loss
        (empty if none does), ``reached``: its loss over ours, minus 1; ``ratio``: its CPU time over ours.
    """
    rows = []
    for what, payoff in payoffs.items():

        def ours(tolerance: float, payoff: Payoff = payoff) -> solvers.Fit:
            return solvers.stationary_elo(PairObjective(payoff, CrossEntropy()), tolerance=tolerance)

        target = ours(solvers.TOLERANCE).loss
        own_tolerance, _ = first_that_reaches(
            target * (1 + EQUAL), (*TOLERANCES, 0.0), lambda tolerance, ours=ours: ours(tolerance).loss
        )
        for method, run in other_packages(payoff).items():
            tolerance, loss = first_that_reaches(
                target * (1 + EQUAL),
                TOLERANCES,
                lambda tolerance, run=run, payoff=payoff: log_loss(payoff, run(tolerance)),
            )
            used = TOLERANCES[-1] if tolerance is None else tolerance
            ratio = ratios(
                lambda ours=ours, used=own_tolerance: ours(used),
                {method: lambda run=run, used=used: run(used)},
                repeats,
            )[method]
            rows.append(
                {
                    "payoff": what,
                    "method": method,
                    "tolerance": tolerance,
                    "reached": loss / target - 1,
                    "ratio": ratio,
                }
            )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- the table


def _times(ratio: float, reached: bool) -> str:
    """Write a ratio with two digits; ">" where even that time did not reach the loss."""
    text = f"{ratio:.2g}" if ratio < 10 else f"{float(f'{ratio:.2g}'):.0f}"
    return ("" if reached else "> ") + text + " ×"


def render(disc: pd.DataFrame, elo: pd.DataFrame, repeats: int) -> str:
    """Return both tables and the versions as Markdown."""
    packages = ("transitivity", "numpy", "scipy", "scikit-learn", "choix")
    lines = [
        "### Disc decomposition: Algorithms 1 and 2 as printed against the others",
        "",
        "| players | k | alternations | time over `pair_after_pair` | time over `joint` | loss of `joint` lower by |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for row in disc.itertuples():
        reached = not pd.isna(row.alternations)
        count = f"{row.alternations:.0f}" if reached else f"> {ALTERNATIONS[-1]}"
        lines.append(
            f"| {row.players} | {row.k} | {count} | {_times(row.over_pair_after_pair, reached)} | "
            f"{_times(row.over_joint, reached)} | {100 * max(row.joint_gain, 0):.2g} % |"
        )
    lines += [
        "",
        "### Stationary Elo: other packages against Newton's method",
        "",
        "| payoff | method | time over ours |",
        "|---|---|---:|",
    ]
    lines += [
        f"| {row.payoff} | {row.method} | {_times(row.ratio, not pd.isna(row.tolerance))} |"
        for row in elo.itertuples()
    ]
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return "\n".join(
        [
            *lines,
            "",
            f"CPU time, one thread, median of {repeats}, each beside its reference. {versions}, Python "
            f"{platform.python_version()}, {platform.system()} {platform.machine()}.",
        ]
    )


def write_between_markers(text: str, path: Path) -> None:
    """Put `text` between the markers of a Markdown file.

    Raises
    ------
    InputError
        If the file does not have the two markers, in order.
    """
    page = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(f"{path} lacks the lines {BEGIN} and {END}; add them where the tables are to go.")
    with atomic_path(path) as temporary:
        temporary.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--players", type=int, nargs="+", default=[60, 150, 300], help="sizes of the disc's games"
    )
    parser.add_argument("--components", type=int, nargs="+", default=[1, 2, 3], help="numbers of pairs, k")
    parser.add_argument(
        "--dense", type=int, nargs="*", default=[1000], help="players of the complete Elo games"
    )
    parser.add_argument(
        "--sparse",
        nargs="*",
        default=["2000:30000", "20000:300000"],
        help="PLAYERS:PAIRS of the sparse Elo games",
    )
    parser.add_argument("--repeats", type=int, default=3, help="measurements of each ratio")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks.md",
        help="page with the markers that the tables go between",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Run everything, print the tables and write them."""
    options = parse(arguments)
    payoffs = {
        f"complete, {n:,} players": dense_elo_game(n, np.random.default_rng([1, n])) for n in options.dense
    }
    for item in options.sparse:
        n, m = map(int, item.split(":"))
        payoffs[f"{n:,} players, {m:,} pairs"] = sparse_elo_game(n, m, np.random.default_rng([2, n]))
    with threadpool_limits(limits=1):
        disc = compare_disc(options.players, options.components, options.repeats)
        elo = compare_elo(payoffs, options.repeats)
    text = render(disc, elo, options.repeats)
    print(text)
    write_between_markers(text, options.output)


if __name__ == "__main__":
    main()
