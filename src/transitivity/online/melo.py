"""Sequential m-Elo, in logit space."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from transitivity.errors import check_count, check_positive
from transitivity.online._base import Addresses, Online


class OnlineMElo(Online):
    """P̂ᵢⱼ = σ(rᵢ - rⱼ + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ): ratings and k cyclic pairs, which each game moves.

    A game is a gradient step on its own log-loss, with a step size for the ratings and one for the pairs:
    r_i ← r_i + η (S - P̂), u_i ← u_i + ζ (S - P̂) v_j, v_i ← v_i - ζ (S - P̂) u_j, and the opposite signs for j.
    All pairs at zero would stay there. So each player starts on a circle, at an angle that its name alone decides.

    Parameters
    ----------
    n_components : int
        k.
    step, cyclic_step : float
        η and ζ.
    spread : float
        The radius of the circle. It biases forecasts of newcomers by spread² at most, in logits, for each pair.
    period : {"day", "week", "month", "year"} or float, optional
        See `Online`.
    """

    name = "online_melo"
    label = "Sequential m-Elo"
    reference = "Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018"
    interval = "none"

    def __init__(
        self,
        n_components: int = 1,
        step: float = 0.1,
        cyclic_step: float = 0.1,
        spread: float = 0.1,
        period: str | float | None = None,
    ) -> None:
        self.n_components = check_count("n_components", n_components)
        self.step, self.cyclic_step = check_positive("step", step), check_positive("cyclic_step", cyclic_step)
        self.spread = check_positive("spread", spread)
        super().__init__(period)

    def _start(self, names: Sequence[str]) -> np.ndarray:
        state = np.zeros((len(names), 1 + 2 * self.n_components))
        for component in range(self.n_components):
            numbers = [zlib.crc32(f"{component} {name}".encode()) for name in names]
            angles = 2 * np.pi * np.array(numbers, dtype=np.float64) / 2**32
            state[:, 1 + 2 * component] = self.spread * np.sin(angles)
            state[:, 2 + 2 * component] = self.spread * np.cos(angles)
        return state

    def _expected(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return P̂ of rows of the state, which are in the last dimension."""
        cyclic = a[..., 1::2] * b[..., 2::2] - a[..., 2::2] * b[..., 1::2]
        return expit(a[..., 0] - b[..., 0] + cyclic.sum(axis=-1))

    def _changes(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state_a, state_b = self._state[a], self._state[b]
        expected = self._expected(state_a, state_b)
        surprise = (score - expected)[:, None]
        of_a, of_b = np.empty_like(state_a), np.empty_like(state_b)
        for of, other, sign in ((of_a, state_b, 1), (of_b, state_a, -1)):
            of[:, :1] = sign * self.step * surprise
            of[:, 1::2] = sign * self.cyclic_step * surprise * other[:, 2::2]
            of[:, 2::2] = -sign * self.cyclic_step * surprise * other[:, 1::2]
        return expected, of_a, of_b

    def _run_compiled(self, compiled: ctypes.CDLL, games: Addresses, state: Addresses) -> bool:
        compiled.online_melo(self.n_components, *games, self.step, self.cyclic_step, *state)
        return True

    def _columns(self, level: float) -> dict[str, np.ndarray]:
        columns = {"rating": self._state[:, 0].copy()}
        for component in range(self.n_components):
            columns[f"u_{component + 1}"] = self._state[:, 1 + 2 * component].copy()
            columns[f"v_{component + 1}"] = self._state[:, 2 + 2 * component].copy()
        return columns

    def _predict(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self._expected(self._state[a], self._state[b])
