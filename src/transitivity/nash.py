"""Nash clusters: layers of relative strength, by successive equilibria (Czarnecki et al. 2020).

The players that some Nash equilibrium of the game uses form the first cluster; they are taken out, and the
next cluster is that of the game among the rest. A game can have many equilibria, and a solver returns any one
of them. The union of the supports of all of them does not depend on the solver nor on the order of the
players: the *essential* strategies. In a symmetric zero-sum game with payoffs A = -Aᵀ, x is an equilibrium
iff x >= 0, Σ x = 1 and the gains s = Aᵀx (of x against each player) are >= 0. By Tucker's lemma (1956;
Goldman and Tucker 1956) some equilibrium has xᵢ + sᵢ > 0 for all i. It shows the essential strategies: those
with xᵢ > 0, all others lose to it. (The equilibrium of maximum entropy, which Czarnecki et al. use, has the
same support: entropy only grows when one more strategy of an equilibrium is mixed in.)
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from transitivity.errors import InputError
from transitivity.payoff import Payoff

#: Payoffs (relative to the largest) and probabilities that are smaller count as 0: ties of the data up to
#: rounding, and the precision to which equilibria are computed.
TIE_TOLERANCE = 1e-9
#: Feasibility that is asked of HiGHS; its finest.
SOLVER_TOLERANCE = 1e-10
#: How many strategies a restricted game starts with, and how many enter it at least.
START_SIZE = 8
#: Restricted games beyond these many strategies or simplex steps are ill-conditioned: smooth games, in which many
#: strategies are nearly equal. They are left to `_central_path`, which stops when the equilibrium's players can gain
#: at most PATH_END.
LARGEST_SIZE, MOST_STEPS = 200, 5_000
PATH_END = 1e-10


def nash_equilibrium(game: Payoff | np.ndarray) -> np.ndarray:
    """Return an equilibrium that uses every essential strategy.

    Parameters
    ----------
    game : Payoff or (n, n) array
        A complete payoff, or a skew-symmetric matrix (P - 1/2, or any multiple).

    Returns
    -------
    (n,) array
        Probabilities x with xᵀA >= 0. Its support does not depend on the order of the players: every player
        outside of it loses to x. Where the equilibrium is not unique, the probabilities themselves are one
        choice of many.

    Raises
    ------
    InputError
        If a pair is missing or the matrix is not skew-symmetric.
    """
    A = _skew_matrix(game)
    everyone = np.arange(len(A))
    top = _strong_components(A, everyone)[0]
    x = np.zeros(len(A))
    x[top] = _equilibrium(A[np.ix_(top, top)])[0]
    return x


def nash_clusters(game: Payoff | np.ndarray) -> np.ndarray:
    """Put players into layers of strength: the essential strategies, then those of the rest, and so on.

    A game of n clusters is one where, in each layer, one player beats all others that are left; a game of one
    cluster (rock-paper-scissors) has no layers. Ties are what `TIE_TOLERANCE` says.

    Parameters
    ----------
    game : Payoff or (n, n) array
        A complete payoff, or a skew-symmetric matrix (P - 1/2, or any multiple).

    Returns
    -------
    (n,) int array
        The cluster of each player, 1 for the strongest.

    Raises
    ------
    InputError
        If a pair is missing or the matrix is not skew-symmetric.
    """
    A = _skew_matrix(game)
    clusters = np.zeros(len(A), dtype=np.int64)
    cluster = 0
    # What remains, the strongest last, and whether it is known to be one strong component. Each member of a
    # part beats each member of the parts below it.
    parts = [(np.arange(len(A)), False)]
    while parts:
        part, connected = parts.pop()
        if not connected:
            parts.extend((component, True) for component in reversed(_strong_components(A, part)))
            continue
        essential = _equilibrium(A[np.ix_(part, part)])[1]
        cluster += 1
        clusters[part[essential]] = cluster
        if not essential.all():
            parts.append((part[~essential], False))
    return clusters


def beaten_share(clusters: np.ndarray) -> np.ndarray:
    """Return the share of the population that each cluster beats, the heights of the spinning top.

    It is the share of the other clusters' players who are in weaker clusters: the equilibrium of a cluster
    wins against each of them (Tucker's lemma, whichever equilibrium of full support it is), and the
    equilibrium of a stronger cluster wins against each of its own players. So it is the sign of the relative
    population performance of Czarnecki et al. 2020 between clusters, counted over players.

    Parameters
    ----------
    clusters : (n,) int array
        What `nash_clusters` returns.

    Returns
    -------
    (k,) array
        One share a cluster, 1 for the strongest and 0 for the weakest; 0 where there is only one.
    """
    sizes = np.bincount(clusters)[1:]
    weaker = len(clusters) - np.cumsum(sizes)
    return weaker / np.maximum(len(clusters) - sizes, 1)


def _skew_matrix(game: Payoff | np.ndarray) -> np.ndarray:
    """Return the game as a skew-symmetric matrix whose largest entry is 1, with exact zeros for ties."""
    if isinstance(game, Payoff):
        if not game.is_complete:
            raise InputError(
                f"Nash clusters need every pair, {game.density:.1%} of them are observed; "
                "predict the others with a model first."
            )
        A = game.to_dense() - 0.5
    else:
        A = np.asarray(game, dtype=np.float64)
        if A.ndim != 2 or A.shape[0] != A.shape[1] or len(A) == 0:
            raise InputError(f"A game must be square, this one has shape {A.shape}; give an n x n matrix.")
        if not np.isfinite(A).all():
            raise InputError("The game has entries that are not finite; predict them with a model first.")
    scale = np.abs(A).max()
    if scale > 0:
        A = A / scale
    if np.abs(A + A.T).max() > TIE_TOLERANCE:
        raise InputError("The matrix of the game is not skew-symmetric; give P - 1/2, or a Payoff.")
    A = (A - A.T) / 2
    return np.where(np.abs(A) > TIE_TOLERANCE, A, 0.0)


def _strong_components(A: np.ndarray, part: np.ndarray) -> list[np.ndarray]:
    """Split some players into the strong components of "beats or ties", the strongest first.

    Each member of one beats each member of the next, so that equilibria only use the first. With 1 for a win
    and 1/2 for a tie, k players have together at most as many points as if they beat all others, and exactly
    as many iff they do: the prefixes of the ranking by points that reach it are where to cut (Landau 1953;
    Moon 1968).
    """
    # Twice the points, to stay in whole numbers.
    points = np.sign(A[np.ix_(part, part)]).sum(1).astype(np.int64) + len(part) - 1
    order = np.argsort(-points, kind="stable")
    k = np.arange(1, len(part) + 1)
    cuts = np.flatnonzero(np.cumsum(points[order]) == k * (k - 1) + 2 * k * (len(part) - k))
    return np.split(part[order], cuts[:-1] + 1)


def _equilibrium(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an equilibrium that uses all essential strategies, and which ones these are, (n,) bools."""
    n = len(A)
    if not A.any():
        return np.full(n, 1 / n), np.ones(n, dtype=bool)
    try:
        return _by_programs(A)
    except _IllConditioned:
        x, gain = _central_path(A)
        used = x > gain
        x = np.where(used, x, 0)
        return x / x.sum(), used


class _IllConditioned(Exception):
    """A linear program that the simplex method does not solve in a reasonable number of steps."""


def _central_path(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the end of the central path: x > 0 and gains s = Aᵀx + ν > 0 with equal products xᵢ sᵢ = ν / n.

    As ν falls to 0 it leads to the analytic centre of the equilibria, in which xᵢ + sᵢ > 0 for all i: a strategy is
    essential iff xᵢ is the larger one. Each step is Newton's; as A is skew-symmetric, xᵀs = ν all along and the
    matrix (a positive diagonal plus a skew-symmetric one) is never singular.
    """
    n = len(A)
    x, nu = np.full(n, 1 / n), 1.0
    nu += np.abs(A).max()
    s = A.T @ x + nu
    system = np.ones((n + 1, n + 1))
    system[n, n] = 0
    while nu > PATH_END:
        # A fifth of the way each time keeps the products near each other, and the steps long.
        aim = 0.2 * nu / n
        system[:n, :n] = A.T
        system[np.arange(n), np.arange(n)] += s / x
        step = np.linalg.solve(system, np.append(aim / x - s, 0))
        dx, dnu = step[:n], step[n]
        ds = A.T @ dx + dnu
        falls = np.concatenate([dx / x, ds / s, [dnu / nu]])
        length = min(1.0, 0.9 / max(-falls.min(), 1e-16))
        x, nu = x + length * dx, nu + length * dnu
        x /= x.sum()
        s = np.maximum(A.T @ x + nu, aim / 10)
    return x, s


def _by_programs(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As `_equilibrium`, by linear programs: exact, and fast where supports are small."""
    x = _any_equilibrium(A)
    found = [x]
    gain = x @ A
    used, beaten = x > TIE_TOLERANCE, gain > TIE_TOLERANCE
    # A strategy that loses to one equilibrium is in none; one that an equilibrium uses is essential. Look for
    # other equilibria until each strategy is known to be one or the other. By Tucker's lemma each round
    # settles one or more.
    while not (used | beaten).all():
        x = _settle(A, ~beaten, ~used & ~beaten)
        gain = x @ A
        before = (used | beaten).sum()
        used |= x > TIE_TOLERANCE
        beaten |= (gain > TIE_TOLERANCE) & ~used
        found.append(x)
        if (used | beaten).sum() == before:
            # To the tolerance, these neither lose nor are needed: they tie with the equilibrium, and belong
            # to it.
            used |= ~beaten
    x = np.where(used, np.mean(found, axis=0), 0)
    return x / x.sum(), used


def _any_equilibrium(A: np.ndarray) -> np.ndarray:
    """Return one equilibrium, by a double oracle: strategies that beat the equilibrium so far enter."""
    n = len(A)
    active = np.argsort(-A.sum(1), kind="stable")[:START_SIZE]
    while True:
        if len(active) > LARGEST_SIZE:
            raise _IllConditioned
        B = A[np.ix_(active, active)]
        x = np.zeros(n)
        one = np.ones(len(active))
        x[active] = _solve(0 * one, -B.T, one, one)
        loss = -(x[active] @ A[active])
        # Those that are in already are solved for: what is left of their loss is rounding.
        loss[active] = 0
        better = np.flatnonzero(loss > TIE_TOLERANCE)
        if not len(better):
            return x
        # Many at a time where the game is far from solved: each round is a linear program.
        worst = better[np.argsort(-loss[better], kind="stable")][: max(START_SIZE, len(active) // 3)]
        active = np.concatenate([active, worst])


def _settle(A: np.ndarray, candidates: np.ndarray, doubt: np.ndarray) -> np.ndarray:
    """Return an equilibrium for which as many as possible of the strategies in doubt have xᵢ > 0 or sᵢ > 0.

    It maximises Σ tᵢ over strategies in doubt, tᵢ <= xᵢ + sᵢ, with a low cap on tᵢ so that it pays to settle
    many of them a little rather than a few of them well. `candidates` are the strategies that an equilibrium
    may use.
    """
    n = len(A)
    columns, open_ = np.flatnonzero(candidates), np.flatnonzero(doubt)
    m, d = len(columns), len(open_)
    unit = (columns[None, :] == open_[:, None]).astype(float)
    settled = np.hstack([-unit - A[np.ix_(columns, open_)].T, np.eye(d)])
    cost = np.concatenate([np.zeros(m), -np.ones(d)])
    total = np.concatenate([np.ones(m), np.zeros(d)])
    upper = np.concatenate([np.ones(m), np.full(d, 0.01 / m)])
    rows = columns
    while True:
        no_loss = np.hstack([-A[np.ix_(columns, rows)].T, np.zeros((len(rows), d))])
        x = np.zeros(n)
        x[columns] = _solve(cost, np.vstack([no_loss, settled]), total, upper)[:m]
        loss = -(x[columns] @ A[columns])
        loss[rows] = 0
        better = np.flatnonzero(loss > TIE_TOLERANCE)
        if not len(better):
            return x
        worst = better[np.argsort(-loss[better], kind="stable")][: max(START_SIZE, m)]
        rows = np.concatenate([rows, worst])


def _solve(cost: np.ndarray, matrix: np.ndarray, total: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Minimise cost · x subject to matrix x <= 0, total · x = 1, 0 <= x <= upper."""
    result = linprog(
        cost,
        A_ub=matrix,
        b_ub=np.zeros(len(matrix)),
        A_eq=total[None, :],
        b_eq=[1.0],
        bounds=np.column_stack([np.zeros(len(upper)), upper]),
        method="highs-ds",
        options={
            "maxiter": MOST_STEPS,
            "primal_feasibility_tolerance": SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": SOLVER_TOLERANCE,
        },
    )
    if result.status != 0:
        raise _IllConditioned
    return np.maximum(result.x, 0)
