"""Models with Gaussian priors: what the parameters `weights` and `regularisation` mean, and the fit on the ladder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from transitivity.errors import InputError
from transitivity.fitting import solvers, tuning
from transitivity.fitting.ladder import Path, Shape
from transitivity.fitting.losses import Loss
from transitivity.fitting.objective import PairObjective
from transitivity.fitting.tuning import Choice
from transitivity.payoff.core import Payoff

#: What `regularisation` and `n_components` are where they are to be chosen on hidden pairs.
VALIDATED = "validated"
#: No prior, one precision for all, one for the ratings and one for the cycles, or `VALIDATED`.
Regularisation = float | str | Sequence[float]


def precisions(regularisation: Regularisation) -> tuple[float, float] | None:
    """Return the precisions on the ratings and on the cycles; None where they are to be chosen.

    Parameters
    ----------
    regularisation : float, pair of floats, or "validated"
        One number is the precision on both.

    Raises
    ------
    InputError
        If it is something else, or a precision is negative.
    """
    if regularisation == VALIDATED:
        return None
    try:
        values = [float(one) for one in np.atleast_1d(np.asarray(regularisation, dtype=np.float64))]
    except (TypeError, ValueError):
        values = []
    if len(values) == 1:
        values *= 2
    if len(values) != 2 or not all(value >= 0 for value in values):
        raise InputError(
            f"regularisation={regularisation!r} is not known; give {VALIDATED!r}, 0, a positive number, or two: the "
            "precisions of the priors on the ratings and on the cycles."
        )
    return values[0], values[1]


def fit_with_priors(
    payoff: Payoff,
    loss: Loss,
    shape: Callable[[int], Shape] | None,
    n_components: int | str,
    regularisation: Regularisation,
    weights: str,
    rng: np.random.Generator,
) -> tuple[solvers.Fit, Choice]:
    """Fit a model of the ladder, its precisions and number of pairs chosen on hidden pairs where these are not given.

    Parameters
    ----------
    payoff : Payoff
    loss : Loss
    shape : callable or None
        k to the `ladder.Shape`; None for Elo.
    n_components : int or "validated"
    regularisation : float, pair of floats, or "validated"
    weights : {"equal", "games"}
    rng : numpy.random.Generator

    Returns
    -------
    Fit, Choice
    """
    given, by_games = precisions(regularisation), weights == "games"
    most = payoff.n_players // 2
    if shape is None:
        components: Sequence[int] = (0,)
    elif n_components == VALIDATED:
        components = [k for k in tuning.COMPONENTS if k <= most] or [1]
    else:
        components = (int(n_components),)
    tune_rng, path_rng = rng.spawn(2)
    if given is not None and len(components) == 1:
        choice = Choice(*given, components[0], visited=_way_to(given[1]))
    elif given is not None:
        raise InputError(f"n_components={VALIDATED!r} needs regularisation={VALIDATED!r}; give both, or numbers.")
    else:
        choice = tuning.tune(payoff, loss, shape, components=components, by_games=by_games, rng=tune_rng)
    chosen = Shape(0, False) if shape is None or math.isinf(choice.cycles) else shape(choice.n_components)
    objective = PairObjective(payoff, loss, weights=tuning.weights_by_games(payoff) if by_games else None)
    path = Path(objective, chosen, choice.ratings, path_rng)
    if chosen != Shape(0, False):
        for precision in choice.visited[:-1]:
            path.to(precision)
        path.tolerance = solvers.TOLERANCE
        path.to(choice.cycles)
    else:
        path = Path(objective, chosen, choice.ratings, path_rng, tolerance=solvers.TOLERANCE, start=path.last.U[:, 0])
    return path.last, choice


def _way_to(cycles: float) -> tuple[float, ...]:
    """Return descending precisions that end at the one given: a path towards it from a strong prior."""
    if math.isinf(cycles):
        return ()
    least = max(cycles, tuning.LEAST)
    return (*(least * 4.0**step for step in range(5, 0, -1)), cycles)
