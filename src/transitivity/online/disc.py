"""The online disc decomposition: Equations 8 and 9 of the paper."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from transitivity.errors import check_positive
from transitivity.online._base import Addresses, Online


class OnlineDisc(Online):
    """P̂ᵢⱼ = σ(vᵢ vⱼ (uᵢ - uⱼ)): a skill u and a consistency v for each player, which each game moves (Equations 8, 9).

    A game is a gradient step of size η on its own log-loss, in u and v of both players at once:
    u_i ← u_i + η (S - P̂) v_i v_j and v_i ← v_i + η (S - P̂) v_j (u_i - u_j), and the same with i and j exchanged for j.
    Players start from u = 0 and v = 1, where the first step is that of Elo.

    Parameters
    ----------
    step : float
        η. With v = 1 it acts as K = 400 η / ln 10 does: η = 0.1842 as K = 32.
    period : {"day", "week", "month", "year"} or float, optional
        See `Online`.
    """

    name = "online_disc"
    label = "Online disc decomposition"
    reference = "Bertrand, Czarnecki and Gidel, On the Limitations of the Elo, AISTATS 2023, Equations 8 and 9"
    interval = "none"

    def __init__(self, step: float = 0.1, period: str | float | None = None) -> None:
        self.step = check_positive("step", step)
        super().__init__(period)

    def _start(self, names: Sequence[str]) -> np.ndarray:
        return np.tile([0.0, 1.0], (len(names), 1))

    def _changes(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (u_a, v_a), (u_b, v_b) = self._state[a].T, self._state[b].T
        expected = expit(v_a * v_b * (u_a - u_b))
        surprise = self.step * (score - expected)
        of_a = np.column_stack([surprise * v_a * v_b, surprise * v_b * (u_a - u_b)])
        of_b = np.column_stack([-surprise * v_a * v_b, surprise * v_a * (u_a - u_b)])
        return expected, of_a, of_b

    def _run_compiled(self, compiled: ctypes.CDLL, games: Addresses, state: Addresses) -> bool:
        compiled.online_disc(*games, self.step, *state)
        return True

    def _columns(self, level: float) -> dict[str, np.ndarray]:
        u, v = self._state.T.copy()
        return {"rating": u, "consistency": v}

    def _predict(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        (u_a, v_a), (u_b, v_b) = self._of(a), self._of(b)
        return expit(v_a * v_b * (u_a - u_b))

    def _of(self, players: np.ndarray) -> np.ndarray:
        """Return u and v of players."""
        return np.moveaxis(self._state[players], -1, 0)
