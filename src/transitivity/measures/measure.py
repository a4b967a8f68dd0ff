"""How transitive is a game: the measures, each with its definition, on complete and on incomplete payoffs."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logit

from transitivity.disc.component import disc_component, skill_and_consistency
from transitivity.disc.decomposition import normal_decomposition
from transitivity.errors import InputError
from transitivity.measures.hodge import Chance, chance_of_gradient, gradient_share, share
from transitivity.measures.nash import nash_clusters
from transitivity.measures.triads import TIE_TOLERANCE, Triads, count_triads
from transitivity.payoff.core import Payoff

#: 90 % of a normal distribution lie within so many standard deviations.
NORMAL = 1.6449
#: A first value λ₁ that exceeds λ₂ by a smaller share is the same value twice.
GAP_TOLERANCE = 1e-9
#: Values that differ by a smaller share of the largest one tie: by rounding, and in a fit, which ends at a tolerance.
ROUNDING_TIE, FIT_TIE = 1e-9, 1e-6


@dataclass(frozen=True)
class Transitivity:
    """How transitive a game is, by every measure; one row of a table by `dataclasses.asdict`.

    What is not defined for a payoff is None (flags, counts) or NaN (numbers). In what follows A is either
    logit P (fields `logit_...`) or P - 1/2 (`probability_...`), and i beats j where P[i, j] > 1/2 +
    `TIE_TOLERANCE`.

    Parameters
    ----------
    n_players, n_pairs, density
        The size of the payoff: players, observed pairs, and their share of all pairs.
    logit_component
        Where the first disc component of logit P comes from: "exact", the normal decomposition (complete
        payoff, no p = 0 or 1); "fit", the disc that the caller gave; "none".
    logit_transitive, probability_transitive
        Whether the first component, the pair of the largest λ in the normal decomposition of A, is a
        transitive disc game: 0 lies outside the convex hull of its players (Proposition 1, Theorem 2). In
        probability space for complete payoffs.
    logit_margin_degrees, probability_margin_degrees
        The largest angle between neighbouring players of that component, minus 180: positive iff transitive,
        from -180 to 180. Angles in the gauge u ⟂ v, ‖u‖ = ‖v‖ of Theorem 1.
    logit_gap, probability_gap
        1 - λ₂ / λ₁. Near 0 the first component hangs on details of A; at 0 (within `GAP_TOLERANCE`) it is not
        defined, because pairs of equal λ may be mixed by any rotation, and neither are its flag, margin and
        ranking. Symmetric games do that: the three fields of 10,3-Blotto give λ₁ = λ₂ = λ₃.
    logit_share_1 .. logit_share_3, probability_share_1 .. probability_share_3
        λₗ² / Σ λ², the share of ‖A‖² in the l-th pair of the normal decomposition; 0 beyond n // 2 pairs.
        Complete payoffs, in logit space without p = 0 or 1.
    logit_gradient_share, probability_gradient_share
        The share of the squared flow, Σ A[i, j]² over observed pairs, in its gradient part r_i - r_j with r
        the least squares potential, every pair with weight 1: the orthogonal Hodge decomposition of HodgeRank
        (Jiang, Lim, Yao and Ye 2011). 1 iff A is additive along the graph, as logit P is for an Elo game; 0
        iff r is constant, as for rock-paper-scissors. A graph without cycles gives 1 whatever the results. In
        logit space where no observed p is 0 or 1.
    logit_gradient_chance, logit_gradient_chance_low, logit_gradient_chance_high
        The gradient share that chance alone reaches: the mean, and the limits of 90 % of the draws in which a coin
        decides who is better in each pair (`hodge.chance_of_gradient`).
    probability_gradient_chance, probability_gradient_chance_low, probability_gradient_chance_high
        The same in probability space.
    n_triads
        Sets of three players with all three pairs observed.
    cyclic_triads
        The share of those in which i beats j, j beats k and k beats i (Kendall and Babington Smith 1940): 0
        in a transitive game, 1/4 on average if results are coin flips, never more than
        (n + 1) / (4 (n - 2)) in a complete game.
    intransitive_triads
        The share of those that contradict Definition 2.2: i beats j, j beats k, but i does not beat k. These
        are the cyclic ones and those where i and k tie; without ties it equals `cyclic_triads`.
    cyclic_chance, cyclic_chance_low, cyclic_chance_high
        The share of cyclic triads if a coin decided each pair that is not a tie: the mean, and the limits of 90 %
        around it by its exact standard deviation and the normal distribution (`Triads.chance`).
    intransitive_chance, intransitive_chance_low, intransitive_chance_high
        The same of the intransitive triads.
    tied_pairs
        The share of the observed pairs that are ties.
    n_nash_clusters, largest_nash_cluster
        The number of clusters, and the most players in one, by successive equilibria (Czarnecki et al. 2020;
        see `transitivity.nash`). Complete payoffs.
    logit_rank_agreement, probability_rank_agreement
        Kendall's τ-b between the skill u / v (Eq. 7) of the first component, if it is transitive, and the row
        means.
    nash_rank_agreement
        Kendall's τ-b between the Nash clusters, strongest first, and the row means; NaN with a single
        cluster.
    """

    n_players: int
    n_pairs: int
    density: float
    logit_component: str
    logit_transitive: bool | None
    logit_margin_degrees: float
    logit_gap: float
    logit_share_1: float
    logit_share_2: float
    logit_share_3: float
    logit_gradient_share: float
    logit_gradient_chance: float
    logit_gradient_chance_low: float
    logit_gradient_chance_high: float
    logit_rank_agreement: float
    probability_transitive: bool | None
    probability_margin_degrees: float
    probability_gap: float
    probability_share_1: float
    probability_share_2: float
    probability_share_3: float
    probability_gradient_share: float
    probability_gradient_chance: float
    probability_gradient_chance_low: float
    probability_gradient_chance_high: float
    probability_rank_agreement: float
    n_triads: int
    cyclic_triads: float
    cyclic_chance: float
    cyclic_chance_low: float
    cyclic_chance_high: float
    intransitive_triads: float
    intransitive_chance: float
    intransitive_chance_low: float
    intransitive_chance_high: float
    tied_pairs: float
    n_nash_clusters: int | None
    largest_nash_cluster: int | None
    nash_rank_agreement: float


def measure(
    payoff: Payoff,
    *,
    nash: bool | np.ndarray = True,
    disc: tuple[np.ndarray, np.ndarray] | None = None,
    rng: np.random.Generator | None = None,
) -> Transitivity:
    """Measure how transitive a game is.

    Parameters
    ----------
    payoff : Payoff
        Complete or not.
    nash : bool or (n,) int array
        Whether to compute the Nash clusters, the only measure whose time is not bounded by that of a few
        products of n x n matrices; or the clusters, where `nash_clusters` has computed them already.
    disc : pair of (n,) or (n, k) arrays, optional
        u and v of a disc model that was fitted to the payoff (`models.Disc`: u_, v_); its first pair stands
        for the first component in logit space where that has no exact value: pairs that are missing, or p = 0
        or 1.
    rng : numpy.random.Generator, optional
        The only source of randomness, for the chance levels of gradient shares; a fixed one by default.

    Returns
    -------
    Transitivity
        Its docstring defines every number.

    Raises
    ------
    InputError
        If `disc` does not have one row a player, or is not finite.
    """
    finite = bool(((payoff.p > 0) & (payoff.p < 1)).all())
    # A tie that rounding moved off 1/2 is a tie in every measure.
    p = np.where(np.abs(payoff.p - 0.5) <= TIE_TOLERANCE, 0.5, payoff.p)
    probability, logits = _Space(), _Space()
    if payoff.is_complete:
        probability = _Space.exact(payoff, p - 0.5)
        if finite:
            logits = _Space.exact(payoff, logit(p))
    source = "exact" if payoff.is_complete and finite else "none"
    if source == "none" and disc is not None:
        u, v = (_first_pair(x, payoff.n_players) for x in disc)
        logits, source = _Space.of_pair(payoff, u, v, FIT_TIE), "fit"

    rng = np.random.default_rng(0) if rng is None else rng
    triads = count_triads(payoff)
    clusters = nash if isinstance(nash, np.ndarray) else None
    if nash is True and payoff.is_complete:
        clusters = nash_clusters(payoff)
    sizes = None if clusters is None else np.bincount(clusters)[1:]
    return Transitivity(
        n_players=payoff.n_players,
        n_pairs=payoff.n_pairs,
        density=payoff.density,
        logit_component=source,
        logit_transitive=logits.transitive,
        logit_margin_degrees=logits.margin_degrees,
        logit_gap=logits.gap,
        logit_share_1=logits.shares[0],
        logit_share_2=logits.shares[1],
        logit_share_3=logits.shares[2],
        **_gradient("logit", payoff, logit(p) if finite else None, rng),
        logit_rank_agreement=logits.rank_agreement,
        probability_transitive=probability.transitive,
        probability_margin_degrees=probability.margin_degrees,
        probability_gap=probability.gap,
        probability_share_1=probability.shares[0],
        probability_share_2=probability.shares[1],
        probability_share_3=probability.shares[2],
        **_gradient("probability", payoff, p - 0.5, rng),
        probability_rank_agreement=probability.rank_agreement,
        n_triads=triads.total,
        **_triads("cyclic", triads),
        **_triads("intransitive", triads),
        tied_pairs=float((p == 0.5).mean()),
        n_nash_clusters=None if sizes is None else len(sizes),
        largest_nash_cluster=None if sizes is None else int(sizes.max()),
        nash_rank_agreement=math.nan if clusters is None else _tau(-clusters, payoff.mean_payoffs),
    )


def _gradient(space: str, payoff: Payoff, flow: np.ndarray | None, rng: np.random.Generator) -> dict[str, float]:
    """Return the gradient share of a flow with its chance level, by the names of the fields."""
    found = math.nan if flow is None else gradient_share(payoff, flow)
    chance = Chance() if flow is None else chance_of_gradient(payoff, flow, rng)
    return {f"{space}_gradient_share": found} | _chance(f"{space}_gradient", chance)


def _triads(kind: str, triads: Triads) -> dict[str, float]:
    """Return a share of the triads with its chance level, by the names of the fields."""
    mean, deviation = triads.chance(with_ties=kind == "intransitive")
    half = NORMAL * deviation
    chance = Chance(mean, max(mean - half, 0.0), min(mean + half, 1.0)) if triads.total else Chance()
    return {f"{kind}_triads": share(getattr(triads, kind), triads.total)} | _chance(kind, chance)


def _chance(name: str, chance: Chance) -> dict[str, float]:
    return {f"{name}_chance": chance.mean, f"{name}_chance_low": chance.low, f"{name}_chance_high": chance.high}


# -------------------------------------------------------------------- the first component


@dataclass(frozen=True)
class _Space:
    """The measures of the first disc component in one space; without arguments, those of none."""

    transitive: bool | None = None
    margin_degrees: float = math.nan
    rank_agreement: float = math.nan
    gap: float = math.nan
    shares: tuple[float, ...] = (math.nan,) * 3

    @classmethod
    def of_pair(cls, payoff: Payoff, u: np.ndarray, v: np.ndarray, tie: float = ROUNDING_TIE) -> _Space:
        component = disc_component(u, v)
        agreement = math.nan
        if component.transitive:
            skill, _ = skill_and_consistency(u, v)
            placed = ~np.isnan(skill)
            agreement = _tau(skill[placed], payoff.mean_payoffs[placed], tie)
        return cls(component.transitive, component.margin_degrees, agreement)

    @classmethod
    def exact(cls, payoff: Payoff, flow: np.ndarray) -> _Space:
        A = np.zeros((payoff.n_players, payoff.n_players))
        A[payoff.i, payoff.j], A[payoff.j, payoff.i] = flow, -flow
        pairs = normal_decomposition(A, min(3, payoff.n_players // 2))
        # Σ λ² = ‖A‖² / 2 is the sum over pairs i < j: no need for the other values.
        energy = float(flow @ flow)
        values = [*map(float, pairs.values), 0.0, 0.0][:3]
        gap = 1 - share(values[1], values[0])
        # Nothing but ties (a NaN) has a component, of players at the origin.
        found = cls() if gap <= GAP_TOLERANCE else cls.of_pair(payoff, pairs.u[:, 0], pairs.v[:, 0])
        return replace(found, gap=gap, shares=tuple(share(value**2, energy) for value in values))


def _first_pair(x: np.ndarray, n: int) -> np.ndarray:
    x = np.asarray(x, dtype=np.float64)
    if x.ndim not in (1, 2) or len(x) != n:
        raise InputError(f"The disc has shape {x.shape} but the payoff has {n} players; give one row a player.")
    return x if x.ndim == 1 else x[:, 0]


def _tau(x: np.ndarray, y: np.ndarray, tie: float = ROUNDING_TIE) -> float:
    """Kendall's τ-b; NaN for a constant. Neighbours of x closer than `tie` times its largest value are ties."""
    x, y = _levels(x, tie), _levels(y, ROUNDING_TIE)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    # Pairs of players by x, ties by y; those in the wrong order by y are discordant.
    seen: list[int] = []
    discordant = 0
    for value in y[np.lexsort((y, x))].tolist():
        place = bisect_right(seen, value)
        discordant += len(seen) - place
        seen.insert(place, value)
    pairs = math.comb(len(x), 2)
    tied_x, tied_y, tied_both = (_tied(levels) for levels in (x, y, x * len(y) + y))
    tau = (pairs - tied_x - tied_y + tied_both - 2 * discordant) / np.sqrt(pairs - tied_x) / np.sqrt(pairs - tied_y)
    return float(np.clip(tau, -1, 1))


def _tied(levels: np.ndarray) -> int:
    """Return the number of pairs of equal numbers."""
    counts = np.unique(levels, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _levels(x: np.ndarray, tie: float) -> np.ndarray:
    """Return the number of values below each that are further apart than ties, ties counted once."""
    order, levels = np.argsort(x), np.zeros(len(x), dtype=int)
    levels[order[1:]] = np.cumsum(np.diff(x[order]) > tie * np.abs(x).max(initial=0))
    return levels
