"""The future as the test: models forecast games from what was played before them.

A stream of games is cut in three along time. On the second part, the validation period, every model's parameters are
chosen; the third, the test period, is forecast once. Games of one period (`read_games`) are on the same side of every
cut. Sequential ratings forecast each period and then learn from it. Batch models are fitted again at stated moments to
all earlier games, which may count less the older they are, and forecast until the next moment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.evaluation.ratios import CONFIDENCE
from transitivity.evaluation.scores import LOG_LOSS_CLIP
from transitivity.models import Davidson, Disc, Elo, MEloLogit
from transitivity.models._base import Model
from transitivity.models._davidson import check_advantage, outcomes
from transitivity.online import Glicko2, OnlineDisc, OnlineElo, OnlineMElo
from transitivity.online._base import Diverged, Online
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

#: What every model is compared with: the simplest rating, with its K chosen like every other parameter.
REFERENCE, CONSTANT = "online_elo", "constant"
#: What the disc and m-Elo become without cycles.
BATCH = "elo"
#: Calendar moments at which batch models may be fitted again, in months.
CALENDAR = {"month": 1, "quarter": 3, "year": 12}
#: Blocks of time of the test period, each of at least this number of games; with fewer blocks there are no intervals.
MOST_BLOCKS, GAMES_PER_BLOCK, FEWEST_BLOCKS = 20, 10, 5
#: A forecast this close to 1/2 names no favourite.
EVEN = 1e-9
#: A search along a parameter ends after this number of values in a row that are worse, by more than a solver's error.
PATIENCE, TIE = 2, 1e-7
#: With fewer games than these to choose on, parameters stay where the search would start.
FEWEST_TO_CHOOSE = 100
#: Pairs whose games weigh less than this many games are not fitted.
LEAST_WEIGHT = 1e-6
#: Edges of the bins of a favourite's expected score.
BINS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)

#: What every model is compared with, by the names of the columns.
REFERENCES = {"elo": REFERENCE, "batch_elo": BATCH, "constant": CONSTANT}
#: What an interval says; without evidence against 1/2 no model is called better than another.
BETTER, WORSE, UNDECIDED, UNTESTED, USELESS = "better", "worse", "undecided", "untested", "no better than ½"
TABLE = [
    *"model label parameters block first last n_games n_new game_log_loss brier accuracy".split(),
    *("calibration_error", "calibration_luck"),
    *(f"{name}_{what}" for name in REFERENCES for what in ("difference", "low", "high", "verdict")),
    *("n_blocks", "n_validation", "order", "note"),
]
CALIBRATION = "model label bin_low bin_high n_games forecast observed low high".split()


# -------------------------------------------------------------------- games


@dataclass(frozen=True)
class Stream:
    """Games in their order.

    Attributes
    ----------
    a, b : (m,) int arrays
        The players, numbered in the order in which they appear.
    score : (m,) array
        Of a, in [0, 1].
    period : (m,) int array
        Ascending; games of one period are played at once.
    time : (m,) datetime64[s] array
        NaT where only the order is known.
    """

    a: np.ndarray
    b: np.ndarray
    score: np.ndarray
    period: np.ndarray
    time: np.ndarray

    @classmethod
    def of(cls, games: pd.DataFrame) -> Stream:
        """Return the games of a table of `read_games`."""
        both = np.stack([games["player_a"].to_numpy(object), games["player_b"].to_numpy(object)], axis=1)
        codes = pd.factorize(both.ravel())[0].reshape(-1, 2)
        score, period = games["score"].to_numpy(np.float64), games["period"].to_numpy(np.int64)
        if (np.diff(period) < 0).any():
            raise InputError("The games are not in order; sort them by period, as read_games does.")
        return cls(codes[:, 0].copy(), codes[:, 1].copy(), score, period, games["time"].to_numpy("datetime64[s]"))

    def __len__(self) -> int:
        return len(self.score)

    @property
    def dated(self) -> bool:
        """Whether it is known when games were played."""
        return not np.isnat(self.time).any()

    @cached_property
    def clock(self) -> np.ndarray:
        """When games were played: days since the first, or the number of the period where there are no dates, (m,)."""
        return (self.time - self.time[0]) / np.timedelta64(1, "D") if self.dated else self.period.astype(np.float64)

    @cached_property
    def starts(self) -> np.ndarray:
        """The first game of each game's period, (m,) ints."""
        return np.searchsorted(self.period, self.period)

    @cached_property
    def first(self) -> np.ndarray:
        """The first game of each player, (n,) ints."""
        players, games = np.concatenate([self.a, self.b]), np.tile(np.arange(len(self)), 2)
        first = np.full(players.max() + 1, len(self))
        np.minimum.at(first, players, games)
        return first

    @cached_property
    def new(self) -> np.ndarray:
        """Whether a player of the game had not played in an earlier period, (m,)."""
        return np.maximum(self.first[self.a], self.first[self.b]) >= self.starts

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The unordered pair of each game, numbered, and the score of the one of them who came first, (m,) each."""
        low, high = np.minimum(self.a, self.b), np.maximum(self.a, self.b)
        pair = np.unique(low * (high.max() + 1) + high, return_inverse=True)[1]
        return pair, np.where(self.a == low, self.score, 1 - self.score)

    def cut(self, at: float | str, after: int = 0) -> int:
        """Return the first game of the period that starts at a date, or holds a place.

        Parameters
        ----------
        at : float or str
            A date; or the share of all games that are to follow.
        after : int
            The share is of the games before this one, counted back from it, unless 0.
        """
        if isinstance(at, str):
            if not self.dated:
                raise InputError(f"{at!r} is a date, but the games have none; give shares of the games, such as 0.2.")
            try:
                return int(np.searchsorted(self.time, np.datetime64(at, "s")))
            except ValueError as error:
                raise InputError(f"{at!r} is not a date; write it as YYYY-MM-DD.") from error
        if not 0 < at < 1:
            raise InputError(f"The share {at!r} is not between 0 and 1; give a share such as 0.2, or a date.")
        place = max((after or len(self)) - math.ceil(at * len(self)), 0)
        return int(self.starts[place])

    def bounds(self, first: int, last: int, refits: int | str) -> np.ndarray:
        """Return where periods of the calendar, or a number of parts with as many games, start; and `last`."""
        if isinstance(refits, str):
            if refits not in CALENDAR:
                raise InputError(f"refits is {refits!r}; {did_you_mean(refits, CALENDAR)} Or give a number.")
            if not self.dated:
                raise InputError(f"refits is {refits!r}, but the games have no dates; give a number of refits.")
            months = self.time[first:last].astype("datetime64[M]").astype(np.int64) // CALENDAR[refits]
            return np.concatenate([[first], first + 1 + np.flatnonzero(np.diff(months)), [last]])
        even = np.linspace(first, last, refits + 1).astype(np.int64)[1:-1]
        return np.unique(np.concatenate([[first], np.maximum(self.starts[even], first), [last]]))

    def weight(self, end: int, half_life: float) -> np.ndarray:
        """Return how much each game before one counts at its time; see `before`."""
        return 0.5 ** ((self.clock[end] - self.clock[:end]) / half_life)

    def before(self, end: int, half_life: float) -> tuple[Payoff | None, np.ndarray]:
        """Return the payoff of all games before one, and each player's index in it.

        Parameters
        ----------
        end : int
            The first game that is not to be used; it tells the present time as well.
        half_life : float
            After which time, in the unit of `clock`, a game counts half; infinite where all count the same.

        Returns
        -------
        payoff : Payoff or None
            `games` are sums of weights. Its last player has no games and stands for every newcomer. None where there
            are no games.
        index : (n,) int array
        """
        weight = self.weight(end, half_life)
        pair, score = (column[:end] for column in self.pairs)
        games = np.bincount(pair, weight)
        kept = np.flatnonzero(games > LEAST_WEIGHT)
        if not len(kept):
            return None, np.zeros(max(self.a.max(), self.b.max()) + 1, dtype=np.int64)
        p = np.clip(np.bincount(pair, weight * score)[kept] / games[kept], 0, 1)
        first = np.zeros(len(games), dtype=np.int64)
        first[pair[::-1]] = np.arange(end)[::-1]
        i, j = (side[first[kept]] for side in (np.minimum(self.a, self.b), np.maximum(self.a, self.b)))
        known = np.unique(np.concatenate([i, j]))
        index = np.full(max(self.a.max(), self.b.max()) + 1, len(known))
        index[known] = np.arange(len(known))
        names = np.append(known.astype(str), "newcomer")
        return Payoff(names, index[i], index[j], p, games[kept]), index


# -------------------------------------------------------------------- methods

#: {parameter: (its values in order, the place where the search starts)}.
Grid = Mapping[str, tuple[Sequence[Any], int]]
#: Takes a stream, bounds and parameters; returns the expected scores of a from `bounds[0]` to `bounds[-1]`, and where a
#: player was not known.
Forecaster = Callable[[Stream, np.ndarray, Mapping[str, Any]], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Method:
    """What forecasts games, and the parameters of it that are chosen."""

    name: str
    label: str
    grid: Grid
    forecast: Forecaster


def constant(stream: Stream, bounds: np.ndarray, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Forecast 1/2."""
    return np.full(bounds[-1] - bounds[0], 0.5), stream.new[bounds[0] : bounds[-1]]


def pair_rate(stream: Stream, bounds: np.ndarray, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Forecast (w + a) / (m + 2a): w of the m earlier games of the pair were won, and 2a more are added, half won."""
    first, last = bounds[0], bounds[-1]
    pair, score = (column[:last] for column in stream.pairs)
    order = np.argsort(pair, kind="stable")
    starts = np.searchsorted(pair[order], pair)
    sums = np.concatenate([[0.0], np.cumsum(score[order])])
    # Where the games of the pair before the period of each game end, in the sorted order.
    key = pair[order] * (stream.period[last - 1] + 1) + stream.period[:last][order]
    ends = np.searchsorted(key, pair * (stream.period[last - 1] + 1) + stream.period[:last])
    rate = (sums[ends] - sums[starts] + parameters["a"]) / (ends - starts + 2 * parameters["a"])
    forecasts = np.where(stream.a[:last] < stream.b[:last], rate, 1 - rate)
    return forecasts[first:], stream.new[first:last]


def sequential(make: type[Online]) -> Forecaster:
    """Return what forecasts each period by a sequential rating, which then learns from it."""

    def forecast(stream: Stream, bounds: np.ndarray, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        first, last = bounds[0], bounds[-1]
        time = stream.time if isinstance(parameters.get("period"), str) else stream.period
        games = (column[:last] for column in (stream.a, stream.b, stream.score, time))
        return make(**parameters).update(*games)[first:], stream.new[first:last]

    return forecast


def batch(name: str, make: Callable[..., Model], seed: int = 0) -> Forecaster:
    """Return what forecasts by a model that is fitted again at each of the bounds.

    A newcomer is a player of the fit without games: where the model has priors it is rated at their mean, which is
    even with an average player. Two newcomers are even. `make` takes the parameters, except `half_life`.
    """

    def fitted(stream: Stream, start: int, end: int, half_life: float, **parameters: Any) -> np.ndarray:
        payoff, index = stream.before(start, half_life)
        a, b = index[stream.a[start:end]], index[stream.b[start:end]]
        if payoff is None:
            return np.full(end - start, 0.5)
        model = make(**parameters).fit(payoff, generator(seed, "forecast", name, start))
        # The published m-Elo of probabilities may leave [0, 1].
        return np.where(a == b, 0.5, np.clip(model.predict(a, b), 0, 1))

    return _refitted(fitted)


def davidson(advantage: bool) -> Forecaster:
    """Return what forecasts by draws and, perhaps, an advantage of a, fitted again at each of the bounds."""

    def fitted(stream: Stream, start: int, end: int, half_life: float, precision: float) -> np.ndarray:
        names = np.arange(max(stream.a.max(), stream.b.max()) + 1).astype(str)
        counts = outcomes(stream.score[:start]) * stream.weight(start, half_life)[:, None]
        model = Davidson(advantage=advantage)
        model.fit_counts(stream.a[:start], stream.b[:start], counts, names, precision)
        return model.predict(stream.a[start:end], stream.b[start:end]) @ [1, 0.5, 0]

    return _refitted(fitted)


def _refitted(fitted: Callable[..., np.ndarray]) -> Forecaster:
    """Return what joins the forecasts between bounds; unknown are players without earlier games."""

    def forecast(stream: Stream, bounds: np.ndarray, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        spans = list(pairwise(bounds.tolist()))
        starts = np.repeat(bounds[:-1], np.diff(bounds))
        first = stream.first[np.stack([stream.a, stream.b])[:, bounds[0] : bounds[-1]]].max(axis=0)
        return np.concatenate([fitted(stream, *span, **parameters) for span in spans]), first >= starts

    return forecast


def _geometric(first: float, ratio: float, n: int) -> list[float]:
    """Return n values, each `ratio` times the one before, in at most four digits."""
    return [float(f"{first * ratio**k:.4g}") for k in range(n)]


def sequential_methods(dated: bool, games_per_period: float, advantage: bool = False) -> list[Method]:
    """Return the sequential ratings with the values of their parameters that are tried.

    Parameters
    ----------
    dated : bool
        Whether the rating periods of Glicko-2 are those of the calendar.
    games_per_period : float
        How long they are otherwise.
    advantage : bool
        Whether Elo chooses what it is worth to be a.
    """
    points = {"advantage": ([10.0 * k for k in range(-4, 25)], 4)} if advantage else {}
    k, step = (_geometric(1, math.sqrt(2), 19), 10), (_geometric(0.0025, math.sqrt(2), 20), 12)
    cyclic = (_geometric(0.001, 2, 9), 4)
    periods = (
        ["day", "week", "month", "year"] if dated else [games_per_period / 4, games_per_period, games_per_period * 4]
    )
    glicko = {"period": (periods, len(periods) - 2), "deviation": ([60.0, 90.0, 130.0, 180.0, 250.0, 350.0], 4)}
    return [
        Method(make.name, make.label, grid, sequential(make))
        for make, grid in (
            (OnlineElo, {"k": k} | points),
            (OnlineDisc, {"step": step}),
            (OnlineMElo, {"step": step, "cyclic_step": cyclic}),
            (Glicko2, glicko),
        )
    ]


# -------------------------------------------------------------------- the choice of parameters


def log_losses(p: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return -s log p - (1 - s) log(1 - p) of each game, p kept 1e-9 from 0 and 1, (m,)."""
    p = np.clip(p, LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP)
    return -score * np.log(p) - (1 - score) * np.log1p(-p)


def choose(method: Method, stream: Stream, bounds: np.ndarray) -> dict[str, Any]:
    """Return the parameters of the least log-loss from `bounds[0]` to `bounds[-1]`, found one parameter at a time.

    With fewer games than `FEWEST_TO_CHOOSE` luck would choose; the usual values are returned.
    """
    score = stream.score[bounds[0] : bounds[-1]]
    known: dict[tuple[int, ...], float] = {}

    def parameters(at: Mapping[str, int]) -> dict[str, Any]:
        return {name: values[at[name]] for name, (values, _) in method.grid.items()}

    def loss(at: Mapping[str, int]) -> float:
        key = tuple(at.values())
        if key not in known:
            try:
                known[key] = float(log_losses(method.forecast(stream, bounds, parameters(at))[0], score).mean())
            except Diverged:
                known[key] = math.inf
        return known[key]

    best = {name: start for name, (_, start) in method.grid.items()}
    improved = bounds[-1] - bounds[0] >= FEWEST_TO_CHOOSE
    while improved:
        improved = False
        for name, (values, _) in method.grid.items():
            here = best
            for direction in (1, -1):
                place, worse = here[name] + direction, 0
                while 0 <= place < len(values) and worse < PATIENCE:
                    trial = here | {name: place}
                    worse += loss(trial) > loss(best) + TIE
                    if loss(trial) < loss(best) - TIE:
                        best, improved, worse = trial, True, 0
                    place += direction
    return parameters(best)


# -------------------------------------------------------------------- forecasts


@dataclass(frozen=True)
class Forecast:
    """The forecasts of one model.

    Attributes
    ----------
    model, label : str
    parameters : dict
        As chosen on the validation period.
    p : (m,) array
        The expected score of a in each game of the test period; empty where the model could not be fitted.
    new : (m,) bool array
        The games in which the model did not know a player.
    note : str
        Why the model could not be fitted.
    """

    model: str
    label: str
    parameters: dict[str, Any]
    p: np.ndarray
    new: np.ndarray
    note: str = ""


@dataclass(frozen=True)
class Forecasts:
    """What `forecast` returns.

    Attributes
    ----------
    stream : Stream
        All games.
    validation, test : int
        The first game of each of these periods.
    models : list of Forecast
    """

    stream: Stream
    validation: int
    test: int
    models: list[Forecast] = field(default_factory=list)

    def blocks(self) -> np.ndarray:
        """Return where the blocks of time of the test period start, counted from its first game, and its end."""
        n = len(self.stream) - self.test
        number = min(MOST_BLOCKS, max(1, n // GAMES_PER_BLOCK))
        return self.stream.bounds(self.test, len(self.stream), number) - self.test

    def table(self) -> pd.DataFrame:
        """Return the scores of every model over the test period (block "all") and in each block of it.

        `game_log_loss` (nats), `brier` and `accuracy` (of the games that were not drawn; without a favourite: half) are
        means over games. `n_new` counts the games in which the model did not know a player. `elo_difference` and
        so on are the model's log-loss less that of sequential Elo, of batch Elo and of the constant 1/2 (below 0 the
        model is better), with intervals by blocks of time that all hold together with 95 % (Bonferroni's correction),
        and the verdicts `elo_verdict` and so on. `calibration_error`: see `calibration`. `n_validation` is the number
        of games that parameters were chosen on. A model that could not be fitted has one row, whose `note` says why.
        """
        score, edges = self.stream.score[self.test :], self.blocks()
        losses = {one.model: log_losses(one.p, score) for one in self.models if not one.note}
        confidence = 1 - (1 - CONFIDENCE) / max(len(losses) - 1, 1)
        rows: list[dict[str, Any]] = []
        for one in self.models:
            about: dict[str, Any] = {"model": one.model, "label": one.label, "note": one.note}
            about |= {
                "parameters": described(one.parameters),
                "n_validation": self.test - self.validation,
                "order": "time" if self.stream.dated else "file",
            }
            if one.note:
                rows.append(about | {"block": "all", "n_games": len(score)})
                continue
            spans = {"all": (0, len(score))} | {str(k): span for k, span in enumerate(pairwise(edges.tolist()), 1)}
            for block, (first, last) in spans.items():
                part = slice(first, last)
                row = about | {"block": block, "first": self._moment(first), "last": self._moment(last - 1)}
                row |= {"n_games": last - first, "n_new": int(one.new[part].sum())} | _scores(one.p[part], score[part])
                for name, reference in REFERENCES.items():
                    # A model without cycles is Elo to the last digits.
                    difference = np.round(losses[one.model] - losses[reference], 12)
                    row[f"{name}_difference"] = float(difference[part].mean())
                    if block == "all" and one.model != reference:
                        row[f"{name}_low"], row[f"{name}_high"] = block_interval(difference, edges, confidence)
                if block == "all":
                    row |= _verdicts(row) | {"n_blocks": len(edges) - 1}
                rows.append(row)
        return pd.DataFrame(rows, columns=TABLE)

    def calibration(self) -> pd.DataFrame:
        """Return the reliability of every model: its favourites' expected and observed scores, a row a bin.

        Who is called a and who b changes nothing, as each game is seen from its favourite. `low` and `high` are
        Wilson's 95 % interval of the observed score for independent games; draws make it wider than it need be.
        """
        score, rows = self.stream.score[self.test :], []
        for one in (one for one in self.models if not one.note):
            p, s, bins = _favourites(one.p, score)
            for k in np.unique(bins).tolist():
                here = bins == k
                low, high = wilson(float(s[here].mean()), int(here.sum()))
                row = {"model": one.model, "label": one.label, "bin_low": BINS[k], "bin_high": BINS[k + 1]}
                row |= {"n_games": int(here.sum()), "forecast": p[here].mean(), "observed": s[here].mean()}
                rows.append(row | {"low": low, "high": high})
        return pd.DataFrame(rows, columns=CALIBRATION)

    def _moment(self, game: int) -> str:
        """Return the day of a game of the test period, or its number in the stream."""
        time = self.stream.time[self.test + game]
        return str(self.test + game + 1) if np.isnat(time) else str(time.astype("datetime64[D]"))


def forecast(
    games: pd.DataFrame,
    *,
    validation: float | str = 0.2,
    test: float | str = 0.5,
    refits: int | str = 20,
    half_lives: Sequence[float] | None = None,
    advantage: bool = False,
    models: Mapping[str, Callable[[], Model]] | None = None,
    seed: int = 0,
) -> Forecasts:
    """Forecast the last part of a stream of games, by every model.

    Parameters
    ----------
    games : DataFrame
        Of `read_games`.
    validation, test : float or str
        Where these periods start: dates; or the shares of the games that are in them.
    refits : int or {"month", "quarter", "year"}
        How often batch models are fitted in the test period, each time to all that came before; in the validation
        period as often for its size.
    half_lives : sequence of float, optional
        The half-lives of games that are tried for batch models, in days (in periods where there are no dates), besides
        an infinite one. By default the time before the test period over 2, 4, 8, 16 and 32.
    advantage : bool
        Whether the first player of a game had the first move or played at home, so that sequential Elo and Davidson's
        model are to find what that is worth. It tells the result where files list the winner first.
    models : mapping, optional
        Further batch models by name: functions that return one to be fitted. They use the half-life of Elo.
    seed : int

    Returns
    -------
    Forecasts
        Of the constant 1/2, the pair's own rate, sequential Elo, disc, m-Elo and Glicko-2, batch Elo, disc and m-Elo,
        Davidson's model where there are draws or an advantage, and `models`. Batch models share the half-life and the
        prior on ratings with Elo. Disc and m-Elo choose the prior on their cycles; where cycles do not help on the
        validation period they are that Elo.

    Raises
    ------
    InputError
        If one of the three parts has no games, an argument is wrong, or games tell no advantage (`check_advantage`).
    """
    if not len(games):
        raise InputError("There are no games; bring some to forecast.")
    if taken := {REFERENCE, CONSTANT, BATCH, Davidson.name}.intersection(models or {}):
        raise InputError(
            f"Every forecast has a model {min(taken)!r} of its own; leave it out of `models`, or rename yours."
        )
    stream = Stream.of(games)
    first_of_test = stream.cut(test)
    first = stream.cut(validation, first_of_test)
    if not 0 < first < first_of_test < len(stream):
        raise InputError(
            f"{len(stream)} games cannot be cut into a part to learn from, one to choose on and one to forecast "
            f"(validation={validation!r}, test={test!r}), as games of one time stay together; bring more games, or cut "
            "elsewhere."
        )
    if advantage:
        check_advantage(outcomes(stream.score))
    if not isinstance(refits, str) and (isinstance(refits, bool) or refits != int(refits) or refits < 1):
        raise InputError(f"refits is {refits!r}; give a whole number from 1, or one of {', '.join(CALENDAR)}.")
    fits = refits
    if not isinstance(refits, str):
        fits = max(1, round(refits * (first_of_test - first) / (len(stream) - first_of_test)))
    choosing = stream.bounds(first, first_of_test, fits)
    testing = stream.bounds(first_of_test, len(stream), refits)

    found: list[Forecast] = []

    def run(method: Method) -> dict[str, Any]:
        try:
            chosen = choose(method, stream, choosing)
            found.append(Forecast(method.name, method.label, chosen, *method.forecast(stream, testing, chosen)))
        except InputError as error:
            # Too few players or games for one model, or steps that diverge, must not leave out the others.
            nothing = np.empty(0)
            found.append(Forecast(method.name, method.label, {}, nothing, nothing, str(error)))
            return {}
        return chosen

    a = (_geometric(0.1, 2, 13), 3)
    # The future is not to tell how many players there are.
    n_players = max(stream.a[:first_of_test].max(), stream.b[:first_of_test].max()) + 1
    run(Method(CONSTANT, "Constant ½", {}, constant))
    run(Method("pair_rate", "The pair's own rate", {"a": a}, pair_rate))
    for method in sequential_methods(stream.dated, 6.0 * n_players, advantage):
        run(method)
    span = float(stream.clock[first_of_test])
    given = [span / 2**k for k in range(1, 6)] if half_lives is None else sorted(half_lives, reverse=True)
    lives = [math.inf, *(float(f"{life:.4g}") for life in given if life > 0)]

    def refitted(name: str, label: str, grid: Grid, make: Callable[..., Model]) -> dict[str, Any]:
        return run(Method(name, f"{label}, refitted", grid, batch(name, make, seed)))

    precisions = {"precision": (_geometric(0.03, math.sqrt(10), 11), 3), "half_life": (lives, 0)}
    chosen = refitted(BATCH, Elo.label, precisions, lambda precision: Elo(regularisation=precision, weights="games"))
    ratings, same = chosen["precision"], {"half_life": ([chosen["half_life"]], 0)}
    # At an infinite precision these are that Elo.
    cycles = {"cycles": ([math.inf, *(ratings * factor for factor in (30, 10, 3, 1, 0.3))], 0)} | same
    for kind in (Disc, MEloLogit):

        def cyclic(cycles: float, kind: type[Disc] | type[MEloLogit] = kind) -> Model:
            return kind(regularisation=(ratings, cycles), weights="games")

        refitted(kind.name, kind.label, cycles, cyclic)
    before = stream.score[:first_of_test]
    if advantage or ((before == 0.5).any() and np.isin(before, (0, 0.5, 1)).all()):
        label = f"{Davidson.label}{' with advantage' if advantage else ''}, refitted"
        grid = {name: ([value], 0) for name, value in chosen.items()}
        run(Method(Davidson.name, label, grid, davidson(advantage)))
    for name, make in (models or {}).items():
        refitted(name, f"{make().label} ({name})", same, make)
    return Forecasts(stream, first, first_of_test, found)


# -------------------------------------------------------------------- scores


def _scores(p: np.ndarray, score: np.ndarray) -> dict[str, float]:
    """Return the scores of forecasts."""
    decided = score != 0.5
    agreement = np.where(np.abs(p - 0.5) <= EVEN, 0, np.sign(p - 0.5)) * np.sign(score - 0.5)
    error, luck = calibration_error(p, score)
    return {
        "game_log_loss": float(log_losses(p, score).mean()),
        "brier": float(((score - p) ** 2).mean()),
        "accuracy": float((agreement[decided] + 1).mean() / 2) if decided.any() else math.nan,
        "calibration_error": error,
        "calibration_luck": luck,
    }


def _verdicts(row: Mapping[str, Any]) -> dict[str, str]:
    """Return what the intervals of a model say; a model that does not beat 1/2 is not called better than another."""
    verdicts = {}
    for name, reference in REFERENCES.items():
        low, high = row.get(f"{name}_low", math.nan), row.get(f"{name}_high", math.nan)
        said = BETTER if high < 0 else WORSE if low > 0 else UNTESTED if math.isnan(low) else UNDECIDED
        if said == BETTER and not row.get("constant_high", math.nan) < 0:
            said = USELESS
        verdicts[f"{name}_verdict"] = "" if row["model"] == reference else said
    return verdicts


def _favourites(p: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return expected and observed scores of favourites, and their bins; without a favourite both are 1/2."""
    even, turned = np.abs(p - 0.5) <= EVEN, p < 0.5
    expected = np.where(even, 0.5, np.where(turned, 1 - p, p))
    observed = np.where(even, 0.5, np.where(turned, 1 - score, score))
    return expected, observed, np.clip(np.searchsorted(BINS, expected, side="right") - 1, 0, len(BINS) - 2)


def calibration_error(p: np.ndarray, score: np.ndarray) -> tuple[float, float]:
    """Return the expected calibration error, and what right forecasts would have.

    Parameters
    ----------
    p, score : (m,) arrays

    Returns
    -------
    error : float
        Σ nₖ / n |mean forecast - mean score| over bins k of the favourites' expected scores.
    luck : float
        The mean of the same for independent games without draws that end as forecast: Σ nₖ / n √(2 mean p(1 - p) / π
        nₖ), for bins of many games. An error of this size does not show that a forecast is wrong.
    """
    expected, observed, bins = _favourites(p, score)
    n = np.bincount(bins, minlength=len(BINS) - 1)
    gap = np.abs(np.bincount(bins, expected - observed, len(n)))
    favoured = np.where(expected == 0.5, 0, expected * (1 - expected))
    spread = np.sqrt(2 / np.pi * np.bincount(bins, favoured, len(n)))
    return float(gap.sum() / len(p)), float(spread.sum() / len(p))


def wilson(rate: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's interval of a rate over n games."""
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return centre - reach, centre + reach


def block_interval(values: np.ndarray, edges: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return an interval of the mean of values that depend on each other within blocks.

    Student's t with one degree of freedom less than there are blocks; the variance is that of the ratio of the sums of
    blocks to their sizes. It stands for other seasons of the same kind only as far as blocks are alike and longer than
    what ties games together.

    Parameters
    ----------
    values : (m,) array
    edges : (k + 1,) int array
        Where the k blocks start, and m.

    Returns
    -------
    low, high : float
        NaN with fewer than `FEWEST_BLOCKS` blocks.
    """
    n_blocks = len(edges) - 1
    if n_blocks < FEWEST_BLOCKS:
        return math.nan, math.nan
    from scipy.stats import t

    mean = float(values.mean())
    off = np.add.reduceat(values - mean, edges[:-1])
    error = math.sqrt(n_blocks / (n_blocks - 1) * float((off**2).sum())) / len(values)
    reach = float(t.ppf((1 + confidence) / 2, n_blocks - 1)) * error
    return mean - reach, mean + reach


def described(parameters: Mapping[str, Any]) -> str:
    """Return parameters as a table shows them: "precision=1, half_life=inf"."""
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in parameters.items()
    )
