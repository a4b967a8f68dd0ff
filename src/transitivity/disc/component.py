"""The normal decomposition of a skew-symmetric matrix, and what one of its disc games says (Section 3).

A disc game gives player i the point (uᵢ, vᵢ) of a plane, and A[i, j] = uᵢ vⱼ - vᵢ uⱼ: the area that the two
points span. It therefore only knows the points up to area-preserving linear maps. Whatever depends on the
choice (angles, margins, ratings) is reported here in a gauge that does not depend on the one of the input:

- *balanced*: u ⟂ v and ‖u‖ = ‖v‖, as in Theorem 1. That fixes the points up to a rotation, hence every angle.
- *reporting* (`reparametrise`): u ⟂ v and, where the game is transitive, v > 0, near 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from transitivity.disc.decomposition import ANGLE_TOLERANCE, fix_phase
from transitivity.errors import InputError

#: Lengths below this share of the largest count as zero: players at the origin, flat sets of points.
LENGTH_TOLERANCE = 1e-12
#: The words of verdicts, of `verdict` and of `measures.evidence`.
CYCLIC, TRANSITIVE, UNDECIDED, BY_GRAPH = "cyclic", "transitive", "undecided", "transitive by the graph"


@dataclass(frozen=True)
class DiscComponent:
    """Whether a disc game is transitive or cyclic (Proposition 1).

    Parameters
    ----------
    transitive : bool
        0 lies outside the convex hull of the players: the largest gap exceeds π.
    fully_cyclic : bool
        0 lies inside of it: the largest gap is less than π.
    on_border : bool
        0 lies on its border: the largest gap is π. Then the game is neither: the two players beside the gap
        tie, with a player between them in the order if there is one.
    largest_gap : float
        The largest angle between neighbouring directions of players, in radians, in the balanced gauge; 2π
        when all directions coincide, NaN when all players are at the origin.
    margin : float
        largest_gap - π, in radians.
    middle : float
        The angle of the middle of the occupied arc, opposite to the middle of the gap (balanced gauge whose
        rotation is that of `balance`).
    n_at_origin : int
        Players at the origin. They tie with everyone and are ignored; a game of nothing else is neither
        transitive nor cyclic.
    """

    transitive: bool
    fully_cyclic: bool
    on_border: bool
    largest_gap: float
    margin: float
    middle: float
    n_at_origin: int

    @property
    def margin_degrees(self) -> float:
        """The margin in degrees, from -180 (a cycle of very many players) to 180 (all in one direction)."""
        return math.degrees(self.margin)


def _check_points(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates as two finite (n,) float arrays."""
    u, v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    if u.ndim != 1 or u.shape != v.shape or len(u) == 0:
        raise InputError(f"A disc game is two vectors of n numbers, not shapes {u.shape} and {v.shape}; give one pair.")
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        raise InputError("A coordinate of the disc game is not finite; use a fit that converged.")
    return u, v


def balance(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same disc game with u ⟂ v and ‖u‖ = ‖v‖, as in Theorem 1.

    Its rotation is that of `normal_decomposition`: Σᵢ uᵢ = 0 and Σᵢ vᵢ > 0, else the largest point on the
    positive v axis. So the result is the same whatever area-preserving linear map the input went through.

    Parameters
    ----------
    u, v : (n,) arrays
        The points of the players.

    Returns
    -------
    u, v : (n,) arrays
        With the same uᵢ vⱼ - vᵢ uⱼ. Points on a line through 0, whose players all tie, cannot be balanced;
        they are scaled to unit size and only turned.

    Raises
    ------
    InputError
        If the vectors are not finite or differ in length.
    """
    u, v = _check_points(u, v)
    q, sizes, axes = np.linalg.svd(np.column_stack([u, v]), full_matrices=False)
    if len(sizes) < 2 or sizes[1] <= LENGTH_TOLERANCE * sizes[0]:
        points = v + 1j * u
        largest = np.abs(points).max()
        return _parts(fix_phase(points / largest if largest > 0 else points))
    # The points are q · sizes · axes: dropping the rotation and evening out the sizes keeps the area. Where
    # axes is a reflection, its sign has to stay.
    first, second = (q * math.sqrt(sizes[0] * sizes[1])).T
    return _parts(fix_phase(np.sign(np.linalg.det(axes)) * second + 1j * first))


def _parts(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split points v + iu of the complex plane into (u, v)."""
    return points.imag.copy(), points.real.copy()


def disc_component(u: np.ndarray, v: np.ndarray) -> DiscComponent:
    """Tell whether a disc game is transitive or cyclic, exactly, in O(n log n) (Proposition 1).

    With (u, v) = r (cos θ, sin θ), i beats j exactly when sin(θⱼ - θᵢ) > 0: sizes do not matter, and 0 lies
    outside the convex hull exactly when some open half-plane holds all players, that is when the largest
    angle between neighbouring directions exceeds π. Directions are taken in the balanced gauge, so that the
    margin is a property of the game and not of the coordinates. Angles within `ANGLE_TOLERANCE` of π count as
    π.

    Cyclic means 0 inside the hull. That is the same as a cycle through all players (Definition 2.2) when no
    two players tie; players in the same direction tie, and may then be left out of the cycle.

    Parameters
    ----------
    u, v : (n,) arrays
        The points of the players.

    Returns
    -------
    DiscComponent
        The verdict, with its margin.

    Raises
    ------
    InputError
        If the vectors are not finite or differ in length.
    """
    u, v = balance(u, v)
    sizes = np.hypot(u, v)
    present = sizes > LENGTH_TOLERANCE * sizes.max()
    n_at_origin = int(len(u) - present.sum())
    if not present.any():
        return DiscComponent(False, False, False, math.nan, math.nan, math.nan, n_at_origin)
    angles = np.sort(np.arctan2(v[present], u[present]))
    gaps = np.diff(angles, append=angles[0] + 2 * math.pi)
    at = int(gaps.argmax())
    gap = float(gaps[at])
    margin = gap - math.pi
    middle = math.remainder(angles[at] + gap / 2 + math.pi, 2 * math.pi)
    return DiscComponent(
        transitive=margin > ANGLE_TOLERANCE,
        fully_cyclic=margin < -ANGLE_TOLERANCE,
        on_border=abs(margin) <= ANGLE_TOLERANCE,
        largest_gap=gap,
        margin=margin,
        middle=middle,
        n_at_origin=n_at_origin,
    )


def verdict(component: DiscComponent, *, cycles: int | None = None, penalty_decides: bool = False) -> str:
    """Say in a word what may be said of the first disc component of an exact payoff.

    Payoffs counted from games are tested instead (`measures.evidence`): luck alone makes most fitted discs cyclic.

    transitive
        0 lies outside the hull of the players (Proposition 1).
    cyclic
        0 lies inside of it.
    undecided
        0 lies on its border, or all players are at the origin; or it lies outside, but nothing predicted hidden pairs
        clearly better than the largest penalty of Equation 21, with which every game is transitive: a cycle, if there
        is one, does not show.
    transitive by the graph
        Transitive, but the pairs that met form no cycle: ratings fit any results, so that the game would be
        transitive whatever they had been.

    Parameters
    ----------
    component : DiscComponent
        Of `disc_component`.
    cycles : int, optional
        The independent cycles of the graph of observed pairs (`graph.identifiability`); not looked at by default. A
        complete payoff has some, unless it is of two players.
    penalty_decides : bool
        Whether the largest penalty that was tried predicted held-out pairs as well as any.

    Returns
    -------
    str
    """
    if component.fully_cyclic:
        return CYCLIC
    if not component.transitive:
        return UNDECIDED
    if cycles == 0:
        return BY_GRAPH
    return UNDECIDED if penalty_decides else TRANSITIVE


def reparametrise(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Report a disc game in a fixed gauge, with v > 0 where it is transitive (Proposition 2).

    A transitive game: v is the linear function of the points that comes closest to 1 in least squares (the
    projection of the vector of ones on span{u, v}), if that is positive for every player; for an Elo game it
    is 1, and u are the centred ratings. Otherwise v is the coordinate along the middle of the occupied arc in
    the balanced gauge, positive for every player, scaled to come closest to 1. Given v, u is the vector of
    the span with u ⟂ v and the same uᵢ vⱼ - vᵢ uⱼ. (With the projection, Σᵢ uᵢ = 0.)

    Any other game: the balanced gauge, u ⟂ v, ‖u‖ = ‖v‖, Σᵢ uᵢ = 0, Σᵢ vᵢ > 0; see `balance`.

    Parameters
    ----------
    u, v : (n,) arrays
        The points of the players.

    Returns
    -------
    u, v : (n,) arrays
        The same disc game; the same result for every area-preserving linear map of the input. v > 0 where
        `disc_component` says transitive, except for players at the origin, who stay there.

    Raises
    ------
    InputError
        If the vectors are not finite or differ in length.
    """
    component = disc_component(u, v)
    u, v = balance(u, v)
    sizes = np.hypot(u, v)
    present = sizes > LENGTH_TOLERANCE * sizes.max()
    if not component.transitive:
        return u, v
    # In the balanced gauge (Σu = 0) the projection of the ones on the span is a multiple of v.
    if not (v[present] > 0).all():
        turned = (v + 1j * u) * np.exp(1j * (component.middle - math.pi / 2))
        u, v = _parts(turned)
    scale = v.sum() / (v @ v)
    u, v = u / scale, v * scale
    # A shear along u keeps both v and the area.
    return u - v * (u @ v) / (v @ v), v


def skill_and_consistency(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the skill u / v and the consistency v of the players of a transitive disc game (Eq. 7).

    P(i beats j) = σ(vᵢ vⱼ (skillᵢ - skillⱼ)): the players are ordered by skill. The order does not depend on
    the gauge, the values do: they are those of `reparametrise`.

    Parameters
    ----------
    u, v : (n,) arrays
        The points of the players, in any gauge.

    Returns
    -------
    skill, consistency : (n,) arrays
        The skill is NaN for a player at the origin, who ties with everyone.

    Raises
    ------
    InputError
        If the disc game is not transitive.
    """
    if not disc_component(u, v).transitive:
        raise InputError("The disc game is not transitive, so its players have no skill; check disc_component first.")
    u, v = reparametrise(u, v)
    present = v > LENGTH_TOLERANCE * v.max()
    return np.divide(u, v, out=np.full(len(u), np.nan), where=present), np.where(present, v, 0.0)


def convex_hull(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the corners of the convex hull of the points (uᵢ, vᵢ).

    Parameters
    ----------
    u, v : (n,) arrays
        The points of the players.

    Returns
    -------
    (h,) int array
        Indices of players, anticlockwise in the plane (u, v); the two ends where all points lie on a line,
        one index where they coincide.

    Raises
    ------
    InputError
        If the vectors are not finite or differ in length.
    """
    u, v = _check_points(u, v)
    from scipy.spatial import ConvexHull

    points = np.column_stack([u - u.mean(), v - v.mean()])
    q, sizes, axes = np.linalg.svd(points, full_matrices=False)
    if len(sizes) < 2 or sizes[1] <= LENGTH_TOLERANCE * sizes[0]:
        if sizes[0] <= LENGTH_TOLERANCE * np.hypot(u, v).max():
            return np.array([0])
        return np.array([q[:, 0].argmin(), q[:, 0].argmax()])
    # Rounding in q would make corners of both of two equal points.
    _, first = np.unique(np.column_stack([u, v]), axis=0, return_index=True)
    # A linear map has the same corners, and with even axes Qhull meets no nearly flat set.
    corners = first[ConvexHull(q[first]).vertices]
    return corners if np.linalg.det(axes) > 0 else corners[::-1]
