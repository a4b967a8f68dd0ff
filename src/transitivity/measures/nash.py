"""Nash clusters: layers of relative strength, by successive equilibria (Czarnecki et al. 2020).

The players that some Nash equilibrium of the game uses form the first cluster; they are taken out, and the
next cluster is that of the game among the rest. A game can have many equilibria, and a solver returns any one
of them. The union of the supports of all of them does not depend on the solver nor on the order of the
players: the *essential* strategies. In a symmetric zero-sum game with payoffs A = -Aᵀ, x is an equilibrium
iff x >= 0, Σ x = 1 and the gains s = Aᵀx (of x against each player) are >= 0. By Tucker's lemma (1956;
Goldman and Tucker 1956) some equilibrium has xᵢ + sᵢ > 0 for all i. It shows the essential strategies: those
with xᵢ > 0, all others lose to it. (The equilibrium of maximum entropy, which Czarnecki et al. use, has the
same support: entropy only grows when one more strategy of an equilibrium is mixed in.)

Where many strategies are nearly equal, as in a smooth disc game, rounding hides which ones an exact
equilibrium uses. What stays well defined is the *central path*: for each μ > 0 there is exactly one x > 0 with
Σ x = 1 and xᵢ (Aᵀx + n μ)ᵢ = μ for all i, in which no one wins more than n μ against x. As μ falls to 0 it leads
to an equilibrium as in Tucker's lemma. We stop at μ = `PRODUCT`: a strategy is essential iff its probability is the
larger one of the two factors, that is, above √μ. Where the probabilities and gains of an equilibrium as in
Tucker's lemma stay above √μ, these are the essential strategies; where they do not, it decides by whichever of
the two is larger. Neither depends on the solver nor on the order of the players.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

#: Payoffs (relative to the largest) that are smaller count as ties, up to the rounding of the data.
TIE_TOLERANCE = 1e-9
#: The μ at which a game counts as solved, its largest payoff being 1; √μ = 3e-8 is what separates strategies.
PRODUCT = 1e-15
#: Bound on Newton steps: 10 to 30 are usual, 80 where the path has many bends.
MOST_STEPS = 300
#: Strategies that lose this much to the equilibrium of the others would get a probability of at most 1e-12.
CLEAR_LOSS = 1e-3
#: How many strategies a restricted game starts with.
START_SIZE = 16


def nash_equilibrium(game: Payoff | np.ndarray) -> np.ndarray:
    """Return an equilibrium that uses every essential strategy.

    Parameters
    ----------
    game : Payoff or (n, n) array
        A complete payoff, or a skew-symmetric matrix (P - 1/2, or any multiple).

    Returns
    -------
    (n,) array
        Probabilities x with xᵀA >= 0, to about 1e-6 of the largest payoff where many strategies are nearly
        equal, and far closer elsewhere. Its support are the essential strategies. Where the equilibrium is
        not unique, the probabilities themselves are one choice of many.

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
    cluster (rock-paper-scissors) has no layers. Payoffs up to `TIE_TOLERANCE` are ties; a saturated
    disc game, where rounding hides who is essential, is decided at the precision that the module describes.

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
    """Return an equilibrium that uses all essential strategies, and which ones these are, (n,) bools.

    A double oracle: the game among a few strategies is solved, and those that do not clearly lose to its
    equilibrium enter, until none is left.
    """
    n = len(A)
    if not A.any():
        return np.full(n, 1 / n), np.ones(n, dtype=bool)
    A = A / np.abs(A).max()
    active = np.argsort(-A.sum(1), kind="stable")[:START_SIZE]
    while True:
        x, gain = np.zeros(n), np.full(n, np.inf)
        x[active], gain[active] = _central_path(A[np.ix_(active, active)])
        against = x @ A
        against[active] = np.inf
        enter = np.flatnonzero(against < CLEAR_LOSS)
        if not len(enter):
            break
        # The strongest first, and at most twice the size: the cost grows with its cube.
        active = np.append(active, enter[np.argsort(against[enter], kind="stable")[: len(active)]])
    used = x > gain
    x = np.where(used, x, 0)
    return x / x.sum(), used


def _central_path(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the x > 0 with Σ x = 1 and s = Aᵀx + t > 0 whose products xᵢ sᵢ all are `PRODUCT`.

    By Newton's method with Mehrotra's correction (1992). As A is skew-symmetric, t = Σ xᵢ sᵢ follows.
    """
    n = len(A)
    x, t = np.full(n, 1 / n), 2.0
    s = A.T @ x + t
    for _ in range(MOST_STEPS):
        products, residual = x * s, A.T @ x + t - s
        # Far closer than what could turn xᵢ > sᵢ into xᵢ < sᵢ, except where the two are equal.
        if max(np.abs(products / PRODUCT - 1).max(), np.abs(residual).max() / PRODUCT**0.5) < 1e-3:
            break
        # In terms of w = dx / d the matrix is the identity plus a skew-symmetric one, which is never singular.
        d = np.sqrt(x / s)
        # Called directly: around it, lu_factor and lu_solve of scipy take as long for a small matrix.
        factors = dgetrf(np.eye(n) + d[:, None] * A.T * d, overwrite_a=True)[:2]
        # The further a step straight to products of 0 gets, the further it pays to aim.
        dx, ds, dt, length = _newton_step(A, x, s, residual, factors, -products)
        aim = max((1 - length) ** 2 * products.mean(), PRODUCT)
        change = aim - products - (dx * ds if aim > PRODUCT else 0)
        dx, ds, dt, length = _newton_step(A, x, s, residual, factors, change)
        # No product may fall far behind the others: the steps after it would be short.
        while length > 1e-3 and _uneven((x + length * dx) * (s + length * ds)):
            length *= 0.8
        x, s, t = x + length * dx, s + length * ds, t + length * dt
    return x, s


def _newton_step(
    A: np.ndarray,
    x: np.ndarray,
    s: np.ndarray,
    residual: np.ndarray,
    factors: tuple[np.ndarray, np.ndarray],
    change: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return dx, ds, dt that change the products by `change`, to first order, and how much of them to go."""
    d = np.sqrt(x / s)
    sides = np.column_stack([change / np.sqrt(x * s) - d * residual, d])
    w, unit = dgetrs(*factors, sides, overwrite_b=True)[0].T
    dt = (d @ w + x.sum() - 1) / (d @ unit)
    dx = d * (w - dt * unit)
    # Two equations give ds; each is the precise one where the other divides by little or cancels.
    ds = np.where(x < s, A.T @ dx + dt + residual, (change - s * dx) / x)
    # At most 95% of the way to where an x or s gets 0, and not beyond the whole step.
    return dx, ds, dt, 0.95 / max((-dx / x).max(), (-ds / s).max(), 0.95)


def _uneven(products: np.ndarray) -> bool:
    """Tell whether some product is far below the mean, and so the central path far away."""
    return bool(products.min() < 0.1 * products.mean())
