"""What every model offers, and the part that all models made of disc games share."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError, NotConvergedWarning, NotFittedError, check_count
from transitivity.files import Saved
from transitivity.fitting import as_published, solvers, tuning
from transitivity.fitting.ladder import Shape
from transitivity.fitting.losses import Loss
from transitivity.fitting.objective import PairObjective
from transitivity.models._tuned import VALIDATED, Regularisation, fit_with_priors, precisions
from transitivity.payoff.core import Payoff, places_of
from transitivity.payoff.graph import is_separated

#: An index of a player or its name, or an array of them.
Players = np.ndarray | int | str
#: How pairs may be weighted in a fit.
WEIGHTS = ("equal", "games")
#: The ridge that keeps Elo ratings finite when the data alone do not (`graph.is_separated`).
RIDGE_IF_SEPARATED = 1e-6
#: The arrays of a payoff.
PAYOFF = ("players", "i", "j", "p", "games", "diagonal")
#: Above this many players the factors exceed the CPU cache.
MANY_PLAYERS = 50_000


class Model(Saved, ABC):
    """A model of the outcome of a game between two players.

    A subclass sets `name`, `label` and `reference`, takes its parameters in the constructor (and stores each under
    its own name), and implements `fit`, `predict` and `n_params`. Fitted state ends in an underscore.

    Whatever the subclass, `fit` keeps the names of the players and warns where it did not converge (`converged_`), and
    `predict` takes players by name or by index: what the subclass writes is given indices only.

    Attributes
    ----------
    players_ : (n,) array of str
        The names of the players of the last fit.
    payoff_ : Payoff
        What it was a fit to.
    """

    #: `name` is the identifier in the configuration, in tables and in file names: the name of the model's file.
    #: What figures and tables show.
    label: ClassVar[str]
    #: The citation.
    reference: ClassVar[str]
    players_: np.ndarray
    payoff_: Payoff

    def __init_subclass__(cls, **about: Any) -> None:
        super().__init_subclass__(**about)
        for name, wrap in (("fit", _keeping_players), ("predict", _taking_names)):
            if name in vars(cls):
                setattr(cls, name, wrap(vars(cls)[name]))

    @abstractmethod
    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit to the observed pairs of a payoff and return the model itself.

        Parameters
        ----------
        payoff : Payoff
            What to learn from: only its observed pairs exist.
        rng : numpy.random.Generator, optional
            The only source of randomness; a fixed one by default.
        """

    @abstractmethod
    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return the predicted P(i beats j), where a draw is half a win, broadcast over arrays of players.

        Parameters
        ----------
        i, j : str, int or array of them
            Players by name or by index.

        Raises
        ------
        InputError
            If there is no player of that name.
        """

    @abstractmethod
    def n_params(self, n: int) -> int:
        """Return the number of parameters for n players."""

    def update(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit again, to the games of the last fit and to new ones together; also after `load`.

        Parameters
        ----------
        payoff : Payoff
            The new games, of known or new players. New players come last in `players_`.
        rng : numpy.random.Generator, optional
            As for `fit`.

        Raises
        ------
        InputError
            If one of the payoffs does not know its games.
        """
        return self.fit(_together(self.payoff_, payoff), rng)

    def _get_state(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name.endswith("_")}
        if not state:
            raise NotFittedError(f"{self!r} is not fitted; fit it before it is saved.")
        state |= {f"payoff_.{name}": value for name, value in vars(state.pop("payoff_")).items() if name in PAYOFF}
        if "choice_" in state:
            state["choice_"] = dataclasses.asdict(state["choice_"])
        return state

    def _set_state(self, state: dict[str, Any]) -> None:
        self.payoff_ = Payoff(**{name: state.pop(f"payoff_.{name}") for name in PAYOFF})
        if "choice_" in state:
            choice = state["choice_"]
            state["choice_"] = tuning.Choice(**choice | {"visited": tuple(choice["visited"])})
        super()._set_state(state)

    def __getattr__(self, name: str) -> Any:
        # Python calls this only for a missing attribute, usually fitted state of a model that is not fitted.
        is_state = name.endswith("_") and not name.startswith("_")
        if is_state and not any(key.endswith("_") for key in vars(self)):
            raise NotFittedError(f"{self!r} is not fitted, so it has no {name}; fit it first: model.fit(payoff).")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _take(self, fit: solvers.Fit) -> None:
        """Store what a solver returned as fitted state."""
        self.u_, self.v_ = fit.U, fit.V
        self.loss_, self.gradient_norm_ = fit.loss, fit.gradient_norm
        self.n_iter_, self.converged_, self.separated_ = fit.n_iter, fit.converged, fit.separated
        self.optima_ = np.array(fit.optima)
        self.spread_ = float(np.ptp(self.optima_)) if len(self.optima_) > 1 else None


def _keeping_players(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Make a `fit` keep the names of the players, and warn where it did not converge."""

    @functools.wraps(fit)
    def wrapped(self: Model, payoff: Payoff, *arguments: Any, **keywords: Any) -> Any:
        returned = fit(self, payoff, *arguments, **keywords)
        self.players_, self.payoff_ = payoff.players, payoff
        # A fit that calls the one of its parent class warns once.
        if type(self).fit is wrapped and vars(self).get("converged_") is False:
            warnings.warn(
                f"{self!r} did not converge: its predictions may change if it went on; see gradient_norm_.",
                NotConvergedWarning,
                stacklevel=2,
            )
        return returned

    return wrapped


def _taking_names(predict: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Make a `predict` take players by name."""

    @functools.wraps(predict)
    def wrapped(self: Model, i: Players, j: Players, *arguments: Any, **keywords: Any) -> np.ndarray:
        if _may_be_names(i) or _may_be_names(j):
            places = {name: at for at, name in enumerate(self.players_.tolist())}
            i, j = places_of(i, places), places_of(j, places)
        return predict(self, i, j, *arguments, **keywords)

    return wrapped


def _may_be_names(who: Any) -> bool:
    return isinstance(who, (str, list, tuple)) or getattr(getattr(who, "dtype", None), "kind", "i") not in "iub"


def _together(one: Payoff, other: Payoff) -> Payoff:
    """Return the payoff of the games of two."""
    if one.games is None or other.games is None:
        raise InputError("A payoff does not know how many games its pairs played, so none can be added; give counts.")
    players = list(dict.fromkeys([*one.players.tolist(), *other.players.tolist()]))
    places = {name: at for at, name in enumerate(players)}
    a, b = (
        np.array([places[name] for part in (one, other) for name in part.players[getattr(part, side)].tolist()])
        for side in "ij"
    )
    p, games = (np.concatenate([getattr(part, name) for part in (one, other)]) for name in ("p", "games"))
    won = games * np.where(a < b, p, 1 - p)
    pairs, pair = np.unique(np.minimum(a, b) * len(players) + np.maximum(a, b), return_inverse=True)
    games = np.bincount(pair, games)
    p = np.clip(np.bincount(pair, won) / games, 0, 1)
    return Payoff(np.array(players), pairs // len(players), pairs % len(players), p, games)


def default_rng(rng: np.random.Generator | None) -> np.random.Generator:
    """Return `rng`, or a generator with a fixed seed where none was given."""
    return np.random.default_rng(0) if rng is None else rng


def is_bounded(model: Model | type[Model]) -> bool:
    """Whether P̂ must lie in [0, 1]: unless the loss is in probability space, as the paper does not clip those."""
    return getattr(getattr(model, "loss", None), "space", None) != "probability"


def check_choice(parameter: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise InputError unless `value` is one of `choices`."""
    if value not in choices:
        raise InputError(f"{parameter}={value!r} is not known; use one of {', '.join(choices)}.")


def pair_weights(payoff: Payoff, weights: str) -> np.ndarray | None:
    """Return how much each pair counts, (m,) with mean 1; None where all count the same.

    Parameters
    ----------
    payoff : Payoff
    weights : {"equal", "games"}
        "games": a pair counts in proportion to its games, where their number is known.
    """
    return None if weights == "equal" else tuning.weights_by_games(payoff)


class EloModel(Model):
    """P̂ᵢⱼ = σ(uᵢ - uⱼ): one rating a player, v = 1."""

    #: The loss of the subclass.
    loss: ClassVar[Loss]
    SOLVERS: ClassVar[tuple[str, ...]] = ("newton", "published")
    #: How pairs are weighted (`pair_weights`); a parameter of the models that offer it.
    weights: str = "equal"

    def __init__(self, solver: str = "newton") -> None:
        check_choice("solver", solver, self.SOLVERS)
        self.solver = solver

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class."""
        objective = PairObjective(payoff, self.loss, weights=pair_weights(payoff, self.weights))
        separated = is_separated(payoff)
        if self.solver == "published":
            self._take(as_published.published(objective, 1, n_alternations=0))
        else:
            self._take(self._solve(objective, RIDGE_IF_SEPARATED if separated else 0.0))
        self.separated_ = separated
        ratings = self.u_[:, 0] * self.v_[:, 0]
        self.ratings_ = ratings - ratings.mean()
        return self

    @abstractmethod
    def _solve(self, objective: PairObjective, ridge: float) -> solvers.Fit:
        """Return the fit of v = 1."""

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return σ(uᵢ - uⱼ)."""
        return expit(self.ratings_[i] - self.ratings_[j])

    def n_params(self, n: int) -> int:
        """Return n."""
        return n


class PairModel(Model):
    """P̂ᵢⱼ = link(tᵢ - tⱼ + Σₗ uᵢₗ vⱼₗ - vᵢₗ uⱼₗ): k pairs, and perhaps a transitive part t taken out first.

    Parameters
    ----------
    n_components : int
        The number of pairs, k.
    solver : {"pair_after_pair", "joint", "alternating", "published"}
        Algorithm 2 with each pair converged; all pairs at once, the best of several starts; Algorithms 1 and 2 as
        printed; as published.

    Attributes
    ----------
    u_, v_ : (n, k) arrays
        One pair of components a column.
    loss_ : float
        The mean loss over the observed pairs.
    gradient_norm_, n_iter_, converged_, separated_ : float, int, bool, bool
        See `solvers.Fit`.
    optima_ : (s,) array
        The losses that `joint` reached from its starts; empty with the other solvers.
    spread_ : float or None
        The largest of them less the least.
    """

    #: The loss of the subclass, or of one instance.
    loss: Loss
    #: The transitive part of the last fit, (n,).
    t_: np.ndarray
    SOLVERS: ClassVar[tuple[str, ...]] = ("pair_after_pair", "joint", "alternating", "published")
    #: How pairs are weighted (`pair_weights`), and the priors (`_tuned`); parameters of the models that offer them.
    weights: str = "equal"
    regularisation: Regularisation = 0.0

    def __init__(self, n_components: int | str = 1, solver: str = "pair_after_pair") -> None:
        self.n_components = check_n_components(n_components, self.regularisation)
        check_choice("solver", solver, self.SOLVERS)
        self.solver = solver

    def set_priors(self, regularisation: Regularisation, weights: str) -> None:
        """Store the parameters of a model that has priors; call it before `PairModel.__init__`."""
        precisions(regularisation)
        self.regularisation = regularisation
        check_choice("weights", weights, WEIGHTS)
        self.weights = weights

    def shape(self, n_components: int) -> Shape:
        """Return the place of the model on the ladder of models with priors, for k pairs."""
        raise NotImplementedError(f"{type(self).__name__} has no priors.")

    def transitive_part(self, payoff: Payoff) -> np.ndarray | None:
        """Return t, (n,), which is subtracted from the payoff before the pairs are fitted; None for no such part."""
        return None

    def fit(self, payoff: Payoff, rng: np.random.Generator | None = None) -> Self:
        """Fit; see the class.

        Raises
        ------
        InputError
            If n_components is larger than half the number of players (Theorem 1 has no more pairs).
        """
        if self.regularisation != 0:
            return self._fit_with_priors(payoff, default_rng(rng))
        check_components(int(self.n_components), payoff)
        if payoff.n_players < MANY_PLAYERS or payoff.diagonal is not None:
            return self._fit(payoff, default_rng(rng))
        # Players with many opponents are read often: sorted by degree, they share cache lines.
        order = np.argsort(payoff.degrees, kind="stable")
        self._fit(payoff.select_players(order), default_rng(rng))
        place = np.argsort(order)
        self.u_, self.v_, self.t_ = self.u_[place], self.v_[place], self.t_[place]
        return self

    def _fit_with_priors(self, payoff: Payoff, rng: np.random.Generator) -> Self:
        if self.n_components != VALIDATED:
            check_components(int(self.n_components), payoff)
        fit, self.choice_ = fit_with_priors(
            payoff, self.loss, self.shape, self.n_components, self.regularisation, self.weights, rng
        )
        self.t_ = np.zeros(payoff.n_players)
        self._take(fit)
        return self

    def _fit(self, payoff: Payoff, rng: np.random.Generator) -> Self:
        t = self.transitive_part(payoff)
        self.t_ = np.zeros(payoff.n_players) if t is None else t
        target = None if t is None else payoff.p - (t[payoff.i] - t[payoff.j])
        objective = PairObjective(payoff, self.loss, target, pair_weights(payoff, self.weights))
        self._take(self._solve(objective, rng))
        return self

    def _solve(self, objective: PairObjective, rng: np.random.Generator) -> solvers.Fit:
        if self.solver == "published":
            return as_published.published(objective, int(self.n_components))
        solve = as_published.alternating if self.solver == "alternating" else getattr(solvers, self.solver)
        return solve(objective, int(self.n_components), rng)

    def predict(self, i: Players, j: Players) -> np.ndarray:
        """Return P̂. In probability space it is not clipped, as in the paper, and may leave [0, 1]."""
        # One pair at a time: several times as fast as all columns of millions of players' rows at once.
        x = sum(u[i] * v[j] - v[i] * u[j] for u, v in zip(self.u_.T, self.v_.T, strict=True))
        if self.loss.space == "logit":
            return expit(x)
        return 0.5 + self.t_[i] - self.t_[j] + x

    def n_params(self, n: int) -> int:
        """Return 2 k n; n where the choice on hidden pairs was Elo."""
        return n * (2 * self.n_pairs or 1)

    @property
    def n_pairs(self) -> int:
        """The number of pairs, k: the parameter, or what was chosen; 0 where Elo was, 1 before a choice."""
        choice = vars(self).get("choice_")
        if choice is not None:
            return 0 if np.isinf(choice.cycles) else choice.n_components
        return 1 if self.n_components == VALIDATED else int(self.n_components)


def check_n_components(n_components: int | str, regularisation: Regularisation) -> int | str:
    """Return k where it is a whole number, or "validated" together with such a regularisation.

    Raises
    ------
    InputError
        If it is neither.
    """
    if n_components == VALIDATED and regularisation == VALIDATED:
        return n_components
    return check_count("n_components", n_components)


class TooManyComponents(InputError):
    """More pairs of components than half the players: Theorem 1 has no more."""


def check_components(n_components: int, payoff: Payoff) -> None:
    """Raise TooManyComponents if there are more pairs of components than half the players."""
    if n_components > payoff.n_players // 2:
        raise TooManyComponents(
            f"n_components={n_components} is more than half of the {payoff.n_players} players; use at most "
            f"{payoff.n_players // 2}."
        )
