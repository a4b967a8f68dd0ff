"""Sequential Elo, game by game or by rating periods."""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError, amount, check_number, check_positive
from transitivity.native.library import address
from transitivity.online._base import Addresses, Online, half_width

#: Points of Elo to natural logits: 400 points are odds of 10 to 1.
LOGITS = math.log(10) / 400
#: Rows of (games, rating, K): K holds for who has played fewer games and is rated lower than these, if not None.
Schedule = Sequence[tuple[float | None, float | None, float]]
#: By the rating regulations of the chess federation FIDE, but for their rule for juniors. There, who reached 2400 once
#: keeps K = 10; here the present rating decides.
FIDE: Schedule = ((30, None, 40.0), (None, 2400, 20.0), (None, None, 10.0))


class OnlineElo(Online):
    """Elo's ratings: E = 1 / (1 + 10^((r_b - r_a - H) / 400)), r_a ← r_a + K (S - E), and the opposite for b.

    In a period of several games a player's changes are summed, all from the ratings before the period.

    The interval tells how much of a rating is the luck of results: were the same games played again and again, a rating
    would fall that far to either side of its mean. Luck is followed from game to game. To first order, with
    w = E (1 - E) and s = ln 10 / 400, an update keeps the share 1 - K s w of what luck did to the player before, takes
    over the share K s w of what it did to the opponent, and adds luck of variance K² w. It never vanishes: with a
    constant K ratings do not settle. The interval is not one for the player's strength: it knows nothing of how far a
    rating still has to go from `initial`, of which `start_weight` tells, or of opponents who are rated wrongly. It is
    right where strengths stay, results are independent, and no floor stops a rating. A draw holds less luck than the
    formula gives it, so intervals are too wide rather than too narrow where many games are drawn.

    Parameters
    ----------
    k : float or sequence of (games, rating, K)
        One factor for all, or a schedule: the first row applies whose number of games the player has not reached, and
        whose rating it is below; None stands for no limit, and the last row must have none. `FIDE` is one.
    initial : float
        What players start from.
    floor : float, optional
        No rating falls below it.
    recentre : bool
        Whether, after each period, the ratings of all who have played are shifted so that their mean is `initial`.
    advantage : float
        H, what the first move or playing at home is worth to a, in points. `transitivity.models.Davidson` estimates it.
    period : {"day", "week", "month", "year"} or float, optional
        See `Online`.
    """

    name = "online_elo"
    label = "Sequential Elo"
    reference = "Elo, The Rating of Chessplayers, Past and Present, 1978"
    interval = "luck of the results, propagated from game to game; not the distance from the true strength"

    def __init__(
        self,
        k: float | Schedule = 32.0,
        initial: float = 1500.0,
        floor: float | None = None,
        recentre: bool = False,
        advantage: float = 0.0,
        period: str | float | None = None,
    ) -> None:
        self._rules = _rules(k)
        self.k = k if isinstance(k, Sequence) else float(k)
        self.initial, self.floor, self.recentre = check_number("initial", initial), floor, bool(recentre)
        if floor is not None and check_number("floor", floor) > self.initial:
            raise InputError(f"floor={floor!r} is above initial={initial!r}; use a lower floor.")
        self.advantage = check_number("advantage", advantage)
        self._lowest = -math.inf if floor is None else float(floor)
        super().__init__(period)

    @property
    def zero_sum(self) -> bool:
        """Whether no update changes the sum of the ratings: one K for all, and no floor."""
        return len(self._rules) == 1 and self.floor is None

    def start(self, ratings: Mapping[str, float]) -> None:
        """Give players, who are not known yet, ratings of their own to start from.

        Raises
        ------
        InputError
            If a player is known already, or a rating is not a number or is below the floor.
        """
        if self._named is False:
            raise InputError("Players are numbers here; only those with names can start from their own ratings.")
        for name, rating in ratings.items():
            if not isinstance(name, str):
                raise InputError(f"A player is called {name!r}; name players by texts.")
            if name in self._index:
                raise InputError(f"{name!r} is rated already; start players before their first game.")
            if check_number(f"The rating of {name!r}", rating) < self._lowest:
                raise InputError(f"The rating of {name!r}, {rating}, is below the floor of {self.floor}.")
        if ratings:
            self._named = True
            first = len(self.players)
            self._add_players(list(ratings))
            self._state[first:, 0] = list(ratings.values())

    def update(self, a: Any, b: Any, score: Any, time: Any = None) -> np.ndarray:
        """Take games; see `Online.update`. That updates leave the sum as it was is checked, where they must.

        Warns where periods are too long for K: then a player's error grows, as the sum of its changes overshoots.
        """
        before, known = self._state[:, 0].sum(), len(self.players)
        forecasts = super().update(a, b, score, time)
        if self.zero_sum and not self.recentre:
            after = self._state[:, 0].sum()
            expected = before + self.initial * (len(self.players) - known)
            # Rounding alone: far less than a point a player.
            if abs(after - expected) > 1e-6 * max(1, len(self.players)):
                raise ArithmeticError(f"The sum of the ratings is {after}, and must be {expected}.")
        overshot = int((self._state[:, 2] > 1).sum())
        if overshot:
            warnings.warn(
                f"{amount(overshot, 'player')} played so many games in a period that the sum of their changes "
                "overshoots; use shorter periods or a smaller K.",
                stacklevel=2,
            )
        return forecasts

    def _start(self, names: Sequence[str]) -> np.ndarray:
        return np.tile([self.initial, 0.0, 1.0], (len(names), 1))

    def _changes(self, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (rating_a, variance_a, _), (rating_b, variance_b, _) = self._state[a].T, self._state[b].T
        expected = expit(LOGITS * (rating_a - rating_b + self.advantage))
        weight = expected * (1 - expected)
        of_a = np.column_stack([score - expected, weight, weight**2 * variance_b])
        of_b = np.column_stack([expected - score, weight, weight**2 * variance_a])
        return expected, of_a, of_b

    def _apply(self, players: np.ndarray, changes: np.ndarray) -> None:
        rating, variance, _ = self._state[players].T
        surprise, information, opponents = changes.T
        k = self.factors(self._counts[players, 0], rating)
        kept = 1 - k * LOGITS * information
        self._state[players, 0] = np.maximum(rating + k * surprise, self._lowest)
        self._state[players, 1] = kept**2 * variance + k**2 * (LOGITS**2 * opponents + information)
        self._state[players, 2] *= np.abs(kept)
        if self.recentre:
            active = self._counts[:, 0] > 0
            active[players] = True
            self._state[active, 0] -= self._state[active, 0].mean() - self.initial

    def factors(self, games: np.ndarray, rating: np.ndarray) -> np.ndarray:
        """Return K of players by how many games they have played before, and by their ratings."""
        applies = (np.asarray(games)[..., None] < self._rules[:, 0]) & (
            np.asarray(rating)[..., None] < self._rules[:, 1]
        )
        return self._rules[applies.argmax(axis=-1), 2]

    def _run_compiled(self, compiled: ctypes.CDLL, games: Addresses, state: Addresses) -> bool:
        options = np.array([LOGITS, self._lowest, self.initial, self.advantage, self.recentre])
        rules = (len(self._rules), address(self._rules))
        compiled.online_elo(*games, *rules, address(options), len(self.players), *state)
        return True

    def _columns(self, level: float) -> dict[str, np.ndarray]:
        rating, variance, weight = self._state.T.copy()
        reach = half_width(level) * np.sqrt(variance)
        return {"rating": rating, "start_weight": weight, "low": rating - reach, "high": rating + reach}

    def _predict(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return expit(LOGITS * (self._state[a, 0] - self._state[b, 0] + self.advantage))


def _rules(k: float | Schedule) -> np.ndarray:
    """Return a schedule as an array: rows of games, rating and K, infinite where there is no limit."""
    if isinstance(k, str) or not isinstance(k, Sequence):
        return np.array([[math.inf, math.inf, check_positive("k", k)]])
    shape = "give rows of (games, rating, K), the last one as (None, None, K)"
    if not k or any(isinstance(row, str) or not isinstance(row, Sequence) or len(row) != 3 for row in k):
        raise InputError(f"k is {k!r}; {shape}.")
    rules = np.array(
        [
            [math.inf if limit is None else check_number("A limit of k", limit) for limit in row[:2]]
            + [check_positive("K", row[2])]
            for row in k
        ]
    )
    unlimited = np.isinf(rules[:, :2]).all(axis=1)
    if not unlimited[-1] or unlimited[:-1].any():
        raise InputError(f"k is {k!r}; {shape}, and no row before it without limits.")
    if any((later[:2] <= earlier[:2]).all() for earlier, later in pairwise(rules)):
        raise InputError(f"k is {k!r}; a row can never apply, as the one before it covers it.")
    return rules
