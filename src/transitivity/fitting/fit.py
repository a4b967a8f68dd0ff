"""The outcome of a solver, and when a solver stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: A fit has converged when n · max |∇f| is below this: the gradient of a player's own mean loss.
TOLERANCE = 1e-7
#: The most Newton steps; a dozen is usual.
MAX_NEWTON = 100


@dataclass(frozen=True)
class Fit:
    """The outcome of a solver.

    Attributes
    ----------
    U, V : (n, k) arrays
        One pair of components a column.
    loss : float
        The mean loss over the observed pairs, penalties left out.
    gradient_norm : float
        n · max |∇f| over what was free, at the end.
    n_iter : int
        Iterations of L-BFGS or Newton, over all sub-problems.
    converged : bool
        Whether `gradient_norm` is below the tolerance.
    separated : bool
        Whether the loss has no finite minimiser, as far as the scores tell: one passed `solvers.SATURATED`, and
        `solvers.RIDGE` keeps the fit finite, or the fit stopped with one beyond `solvers.VANISHED`.
    optima : tuple of float
        The losses reached from each start, where there were several.
    """

    U: np.ndarray
    V: np.ndarray
    loss: float
    gradient_norm: float
    n_iter: int
    converged: bool
    separated: bool = False
    optima: tuple[float, ...] = ()
