"""Glicko-2: ratings with deviations and volatilities, by rating periods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError, check_number, check_positive
from transitivity.online._base import Online, half_width

#: Points to the scale on which the method computes.
SCALE = 173.7178
#: How exact the volatility is.
TOLERANCE = 1e-6


class Glicko2(Online):
    """Glickman's system, as his note "Example of the Glicko-2 system" has it.

    Without times all games of a call of `update` form one rating period; the note advises 10 to 15 games a player in
    each. The deviation of a player who sits out a period grows. Periods in which nobody played count where `period`
    says how long one is.

    Parameters
    ----------
    tau : float
        How much volatilities change: 0.3 to 1.2.
    initial, deviation, volatility : float
        What players start from.
    period : {"day", "week", "month", "year"} or float, optional
        See `Online`.
    """

    name = "glicko2"
    label = "Glicko-2"
    reference = "Glickman, Dynamic paired comparison models with stochastic variances, J. Applied Statistics 2001"
    interval = "normal, with the rating deviation"

    def __init__(
        self,
        tau: float = 0.5,
        initial: float = 1500.0,
        deviation: float = 350.0,
        volatility: float = 0.06,
        period: str | float | None = None,
    ) -> None:
        self.tau, self.deviation = check_positive("tau", tau), check_positive("deviation", deviation)
        self.initial, self.volatility = (check_number("initial", initial), check_positive("volatility", volatility))
        super().__init__(period)
        # The number of the present period, and of the one until which each player's deviation is told.
        self._now = 0
        self._until = np.zeros(0, dtype=np.int64)

    def start(self, name: str, rating: float, deviation: float, volatility: float | None = None) -> None:
        """Give a player, who is not known yet, a rating, deviation and volatility of its own to start from.

        Raises
        ------
        InputError
            If the player is known.
        """
        if name in self._index:
            raise InputError(f"{name!r} is rated already; start players before their first game.")
        check_number("rating", rating)
        check_positive("deviation", deviation)
        _, _, self._named, new = self._find([name], [name])
        self._add_players(new)
        chosen = self.volatility if volatility is None else check_positive("volatility", volatility)
        self._state[-1] = (rating - self.initial) / SCALE, deviation / SCALE, chosen

    def _start(self, names: Sequence[str]) -> np.ndarray:
        return np.tile([0.0, self.deviation / SCALE, self.volatility], (len(names), 1))

    def _add_players(self, new: list[str]) -> None:
        super()._add_players(new)
        self._until = np.append(self._until, np.full(len(new), self._now))

    # ---------------------------------------------------------------- periods

    def _run(
        self, a: np.ndarray, b: np.ndarray, score: np.ndarray, starts: np.ndarray | None, numbers: np.ndarray | None
    ) -> np.ndarray:
        forecasts, last = np.empty(len(score)), self._last
        # Without times, all games of an update are one period.
        bounds = [0, len(score)] if starts is None else starts.tolist()
        for place, (first, end) in enumerate(pairwise(bounds)):
            number = None if numbers is None else numbers[place]
            skips = self.period is not None and number is not None and last is not None
            self._now += int(number - last) if skips else 1
            last = number
            players = np.unique(np.concatenate([a[first:end], b[first:end]]))
            self._state[players, 1] = self._deviations(self._now - 1)[players]
            self._until[players] = self._now
            forecasts[first:end] = self._run_period(a[first:end], b[first:end], score[first:end])
        return forecasts

    def _deviations(self, now: int) -> np.ndarray:
        """Return φ at the end of a period of players who sat out all since their last one."""
        _, phi, sigma = self._state.T
        # A newcomer's is what it starts from, whenever it starts.
        missed = np.where(self._counts[:, 0] > 0, np.maximum(now - self._until, 0), 0)
        return np.sqrt(phi**2 + missed * sigma**2)

    def _changes(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (mu_a, phi_a, _), (mu_b, phi_b, _) = self._state[a].T, self._state[b].T
        sides = []
        for phi, difference, won in ((phi_b, mu_a - mu_b, score), (phi_a, mu_b - mu_a, 1 - score)):
            expected = expit(_g(phi) * difference)
            sides.append(np.column_stack([_g(phi) ** 2 * expected * (1 - expected), _g(phi) * (won - expected)]))
        return expit(_g(np.hypot(phi_a, phi_b)) * (mu_a - mu_b)), *sides

    def _apply(self, players: np.ndarray, changes: np.ndarray) -> None:
        mu, phi, sigma = self._state[players].T
        # An expected score of 1 to the last digit tells nothing.
        information, surprise = np.maximum(changes[:, 0], 1e-12), changes[:, 1]
        sigma = self._volatility(surprise / information, phi, 1 / information, sigma)
        phi = 1 / np.sqrt(1 / (phi**2 + sigma**2) + information)
        self._state[players] = np.column_stack([mu + phi**2 * surprise, phi, sigma])

    def _volatility(self, delta: np.ndarray, phi: np.ndarray, v: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        """Return σ′ of players: step 5 of the note, by the Illinois algorithm, for all at once."""
        a = np.log(sigma**2)

        def f(x: np.ndarray) -> np.ndarray:
            spread = phi**2 + v + np.exp(x)
            return np.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / self.tau**2

        excess = delta**2 - phi**2 - v
        low, high = a.copy(), np.where(excess > 0, np.log(np.where(excess > 0, excess, 1.0)), a - self.tau)
        while (outside := (excess <= 0) & (f(high) < 0)).any():
            high = np.where(outside, high - self.tau, high)
        f_low, f_high = f(low), f(high)
        while (open_ := np.abs(high - low) > TOLERANCE).any():
            step = np.divide((low - high) * f_low, f_high - f_low, where=open_, out=np.zeros_like(low))
            middle = np.where(open_, low + step, high)
            f_middle = f(middle)
            crossed = f_middle * f_high <= 0
            low = np.where(open_ & crossed, high, low)
            f_low = np.where(open_, np.where(crossed, f_high, f_low / 2), f_low)
            high, f_high = np.where(open_, middle, high), np.where(open_, f_middle, f_high)
        return np.exp(low / 2)

    # ---------------------------------------------------------------- results

    def _columns(self, level: float) -> dict[str, np.ndarray]:
        rating = self.initial + SCALE * self._state[:, 0]
        deviation = SCALE * self._deviations(self._now)
        reach = half_width(level) * deviation
        return {
            "rating": rating,
            "deviation": deviation,
            "volatility": self._state[:, 2].copy(),
            "low": rating - reach,
            "high": rating + reach,
        }

    def _predict(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        mu, phi = self._state[:, 0], self._deviations(self._now)
        return expit(_g(np.hypot(phi[a], phi[b])) * (mu[a] - mu[b]))


def _g(phi: np.ndarray) -> np.ndarray:
    """Return by how much an uncertain opponent counts less."""
    return 1 / np.sqrt(1 + 3 * phi**2 / np.pi**2)
