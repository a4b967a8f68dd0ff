"""Conformance tests of models: what the pipeline, and a user, may rely on whatever the model is.

from transitivity.testing import check_model

def test_my_model():
    check_model(MyModel)
"""

from __future__ import annotations

import inspect
import numbers
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from transitivity.errors import InputError
from transitivity.models import Model, TooManyComponents
from transitivity.models._base import is_bounded
from transitivity.payoff.core import Payoff

#: How far P̂ may miss an identity that holds exactly (antisymmetry, 1/2 on the diagonal, broadcasting).
EXACT = 1e-9


class BrokenRule(AssertionError):
    """A model breaks rules of `check_model`. `rules` names them."""

    def __init__(self, message: str, rules: list[str]) -> None:
        super().__init__(message)
        self.rules = rules


@dataclass(frozen=True)
class _Subject:
    """The model that is checked, and how."""

    make: Callable[[], Model]
    in_own_file: bool
    bounded: bool
    tolerance: float

    def fitted(self, payoff: Payoff, seed: int = 0) -> Model:
        model = self.make()
        model.fit(payoff, np.random.default_rng(seed))
        return model


#: Every rule, in the order of checking: its name and the check, which raises AssertionError where it is broken.
RULES: dict[str, Callable[[_Subject], None]] = {}


def check_model(
    model: type[Model] | Callable[[], Model],
    *,
    in_own_file: bool = True,
    bounded: bool | None = None,
    tolerance: float = 1e-3,
) -> None:
    """Check that a model keeps every rule that the pipeline relies on.

    ===================== ==================================================================================
    rule                  what it asks
    ===================== ==================================================================================
    identity              A subclass of `Model` with `name` (lower case, digits, underscores), `label` and
                          `reference`; `name` is the name of the model's file.
    parameters            The constructor stores each parameter under its own name, so that
                          `type(model)(**model.parameters())` is the same model; fitting changes none.
    unfitted              `predict` before `fit` raises InputError.
    returns_self          `fit` returns the model.
    leaves_payoff         `fit` and `predict` do not change the payoff.
    antisymmetry          P̂(i, j) + P̂(j, i) = 1.
    diagonal              P̂(i, i) = 1/2.
    broadcasting          `predict` takes ints and arrays of ints, and broadcasts them as NumPy does.
    probabilities         P̂ is in [0, 1] (if `bounded`).
    missing_entries       Pairs may be missing, with or without the diagonal of the published hold-out; P̂ of
                          every pair is finite.
    determinism           Two fits with the same rng, or both without, give the same P̂, bit for bit.
    permutation           To permute the players is to permute P̂, within `tolerance`.
    n_params              `n_params(n)` is an int of at least 0.
    refit                 A second `fit` forgets the first, bit for bit.
    two_players           One pair of players can be fitted.
    separable             Payoffs of nothing but 0 and 1 can be fitted, whether they are transitive or cyclic.
    disconnected          So can players who fall into groups that never met, or who met nobody.
    constant              So can a payoff that is 1/2 everywhere.
    ===================== ==================================================================================

    In the last four the model must not raise, except `TooManyComponents`, and every P̂ must be finite. The payoffs
    have 2 to 9 players.

    Parameters
    ----------
    model : class, or function without arguments that returns a model
        Such as ``Disc`` or ``functools.partial(Disc, n_components=2)``.
    in_own_file : bool
        Whether the model's name must be that of the file it is defined in, as the registry asks.
    bounded : bool, optional
        Whether P̂ must lie in [0, 1]. By default yes, unless the model has a `loss` in probability space: the paper
        does not clip those.
    tolerance : float
        Of rule ``permutation``: the largest difference of two P̂.

    Raises
    ------
    BrokenRule
        An AssertionError that names every broken rule, and by what it is broken.
    """
    if bounded is None:
        bounded = is_bounded(model if isinstance(model, type) else type(model()))
    subject = _Subject(model, in_own_file, bounded, tolerance)
    broken = {}
    for name, rule in RULES.items():
        try:
            rule(subject)
        except AssertionError as error:
            broken[name] = str(error)
        except Exception as error:
            # Any other exception comes out of the model, and is a finding like the others.
            broken[name] = f"raised {type(error).__name__}: {error}"
    if broken:
        lines = [f"- {name}: {what}" for name, what in broken.items()]
        what = getattr(model, "__name__", repr(model))
        raise BrokenRule(f"{what} breaks {len(broken)} of {len(RULES)} rules:\n" + "\n".join(lines), list(broken))


# ---------------------------------------------------------------------- payoffs


def _mixed(n: int = 9, seed: int = 0) -> Payoff:
    """A complete game: ratings, a cyclic part and a little of everything else; no certain result."""
    rng = np.random.default_rng(seed)
    u, angle = np.sort(rng.normal(size=n)), 2 * np.pi * np.arange(n) / n
    noise = 0.05 * rng.normal(size=(n, n))
    x = u[:, None] - u + 0.7 * np.sin(angle - angle[:, None]) + noise - noise.T
    return Payoff.from_dense(expit(x))


def _holey(n: int = 9, seed: int = 1) -> Payoff:
    """The mixed game without a quarter of its pairs; still connected."""
    payoff = _mixed(n, seed)
    chance = np.random.default_rng(seed).random(payoff.n_pairs)
    return payoff.select_pairs((chance > 0.25) | (payoff.j == payoff.i + 1))


def _results(n: int, winners: list[tuple[int, int]]) -> Payoff:
    """Certain results: each (winner, loser) once."""
    P = np.full((n, n), np.nan)
    for winner, loser in winners:
        P[winner, loser], P[loser, winner] = 1.0, 0.0
    return Payoff.from_dense(P)


def _table(model: Model, n: int) -> np.ndarray:
    return np.asarray(model.predict(np.arange(n)[:, None], np.arange(n)))


# ---------------------------------------------------------------------- rules


def _rule(check: Callable[[_Subject], None]) -> Callable[[_Subject], None]:
    RULES[check.__name__.removeprefix("_")] = check
    return check


def _require(condition: bool, message: str) -> None:
    # An explicit raise: `python -O` must not switch the rules off.
    if not condition:
        raise AssertionError(message)


@_rule
def _identity(subject: _Subject) -> None:
    model = subject.make()
    _require(isinstance(model, Model), f"{type(model).__name__} is not a subclass of transitivity.models.Model")
    for attribute in ("name", "label", "reference"):
        value = getattr(model, attribute, None)
        _require(
            isinstance(value, str) and bool(value.strip()),
            f"{attribute} is {value!r}, not a string that says something",
        )
    _require(
        re.fullmatch("[a-z][a-z0-9_]*", model.name) is not None,
        f"name is {model.name!r}; it becomes part of file names: use lower case, digits and underscores",
    )
    if subject.in_own_file:
        stem = Path(inspect.getfile(type(model))).stem
        _require(model.name == stem, f"name is {model.name!r} but the file is {stem}.py; give both one name")


@_rule
def _parameters(subject: _Subject) -> None:
    model = subject.make()
    names = [name for name in inspect.signature(type(model).__init__).parameters if name != "self"]
    for name in names:
        if name not in ("args", "kwargs"):
            _require(name in vars(model), f"the constructor does not store its parameter {name!r} as self.{name}")
    given = model.parameters()
    copy = type(model)(**given).parameters()
    _require(copy == given, f"a model made with {given} has the parameters {copy}")
    model.fit(_mixed(), np.random.default_rng(0))
    _require(model.parameters() == given, f"fit changed the parameters {given} to {model.parameters()}")


@_rule
def _unfitted(subject: _Subject) -> None:
    try:
        subject.make().predict(0, 1)
    except InputError:
        return
    except Exception as error:
        raise AssertionError(
            f"predict before fit raised {type(error).__name__}: {error}; keep fitted state in attributes that end in "
            "an underscore, or raise InputError"
        ) from error
    raise AssertionError("predict before fit returned something; raise InputError")


@_rule
def _returns_self(subject: _Subject) -> None:
    model = subject.make()
    returned = model.fit(_mixed(), np.random.default_rng(0))
    _require(returned is model, f"fit returned {type(returned).__name__}, not the model itself")


@_rule
def _leaves_payoff(subject: _Subject) -> None:
    payoff = _holey()
    # Its arrays are read-only: to change them raises an error.
    subject.fitted(payoff).predict(payoff.i, payoff.j)


@_rule
def _antisymmetry(subject: _Subject) -> None:
    for payoff in (_mixed(), _holey()):
        P = _table(subject.fitted(payoff), payoff.n_players)
        error = np.abs(P + P.T - 1)
        i, j = np.unravel_index(np.argmax(error), error.shape)
        _require(bool(error.max() <= EXACT), f"P̂({i}, {j}) + P̂({j}, {i}) = {P[i, j]} + {P[j, i]}, which is not 1")


@_rule
def _diagonal(subject: _Subject) -> None:
    payoff = _mixed()
    P = np.asarray(subject.fitted(payoff).predict(np.arange(9), np.arange(9)))
    at = int(np.argmax(np.abs(P - 0.5)))
    _require(bool(np.abs(P - 0.5).max() <= EXACT), f"P̂({at}, {at}) = {P[at]}, not 1/2")


@_rule
def _broadcasting(subject: _Subject) -> None:
    payoff = _mixed()
    n = payoff.n_players
    model = subject.fitted(payoff)
    everyone = np.arange(n)
    single = np.array([[float(model.predict(i, j)) for j in range(n)] for i in range(n)])
    _require(np.ndim(model.predict(0, 1)) == 0, "predict(0, 1) is not a scalar")
    for i, j, expected, what in (
        (everyone[:, None], everyone, single, "an (n, 1) and an (n,) array"),
        (payoff.i, payoff.j, single[payoff.i, payoff.j], "two (m,) arrays"),
        (3, everyone, single[3], "an int and an (n,) array"),
        (everyone, 3, single[:, 3], "an (n,) array and an int"),
        (everyone[:0], everyone[:0], single[0, :0], "two empty arrays"),
    ):
        got = np.asarray(model.predict(i, j))
        _require(got.shape == expected.shape, f"predict of {what} has shape {got.shape}, not {expected.shape}")
        _require(
            bool(np.all(np.abs(got - expected) <= EXACT)),
            f"predict of {what} differs from predict of one pair at a time",
        )


@_rule
def _probabilities(subject: _Subject) -> None:
    if not subject.bounded:
        return
    cycle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    for payoff in (_mixed(), _holey(), _results(5, cycle)):
        model = _fitted_if_possible(subject, payoff)
        if model is not None:
            P = _table(model, payoff.n_players)
            _require(bool(np.all((P >= 0) & (P <= 1))), f"P̂ goes from {P.min()} to {P.max()}, outside [0, 1]")


@_rule
def _missing_entries(subject: _Subject) -> None:
    payoff = _holey()
    diagonal = np.arange(payoff.n_players) % 4 > 0
    for game in (payoff, payoff.select_pairs(np.ones(payoff.n_pairs, dtype=bool), diagonal)):
        _require_finite(_table(subject.fitted(game), game.n_players), "a payoff with missing pairs")


@_rule
def _determinism(subject: _Subject) -> None:
    payoff = _holey()
    n = payoff.n_players
    first, second = (_table(subject.fitted(payoff), n) for _ in range(2))
    _require(first.tobytes() == second.tobytes(), "two fits with the same rng give different P̂")
    first, second = (_table(subject.make().fit(payoff), n) for _ in range(2))
    _require(first.tobytes() == second.tobytes(), "two fits without rng give different P̂")


@_rule
def _permutation(subject: _Subject) -> None:
    payoff = _mixed()
    n = payoff.n_players
    order = np.random.default_rng(5).permutation(n)
    direct = _table(subject.fitted(payoff), n)[np.ix_(order, order)]
    permuted = _table(subject.fitted(payoff.select_players(order)), n)
    error = float(np.abs(direct - permuted).max())
    _require(
        error <= subject.tolerance,
        f"with the players in another order P̂ differs by {error:.3g}, more than {subject.tolerance:.3g}",
    )


@_rule
def _n_params(subject: _Subject) -> None:
    for n in (2, 10, 1000):
        value = subject.make().n_params(n)
        _require(
            isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= 0,
            f"n_params({n}) is {value!r}, not an int of at least 0",
        )


@_rule
def _refit(subject: _Subject) -> None:
    first, second = _mixed(9, seed=2), _holey(8, seed=3)
    n = second.n_players
    model = subject.fitted(first)
    model.fit(second, np.random.default_rng(0))
    again, fresh = _table(model, n), _table(subject.fitted(second), n)
    _require(again.tobytes() == fresh.tobytes(), "a model fitted twice differs from one fitted to the last only")


@_rule
def _two_players(subject: _Subject) -> None:
    for p in (0.5, 0.7, 1.0):
        game = Payoff.from_dense(np.array([[0.5, p], [1 - p, 0.5]]))
        _require_usable(subject, game, f"two players with p = {p}")


@_rule
def _separable(subject: _Subject) -> None:
    order = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    cycle = [(i, (i + step) % 7) for i in range(7) for step in (1, 2, 3)]
    _require_usable(subject, _results(6, order), "an order of certain results")
    _require_usable(subject, _results(7, cycle), "a cycle of certain results")


@_rule
def _disconnected(subject: _Subject) -> None:
    payoff = _mixed(8)
    apart = payoff.select_pairs((payoff.i < 4) == (payoff.j < 4))
    _require_usable(subject, apart, "two groups that never met")
    _require_usable(subject, payoff.select_pairs(payoff.j < 6), "players who met nobody")


@_rule
def _constant(subject: _Subject) -> None:
    _require_usable(subject, Payoff.from_dense(np.full((6, 6), 0.5)), "a payoff that is 1/2 everywhere")


def _fitted_if_possible(subject: _Subject, payoff: Payoff) -> Model | None:
    """The fitted model, or None where it has more components than so few players allow."""
    try:
        return subject.fitted(payoff)
    except TooManyComponents:
        return None


def _require_usable(subject: _Subject, payoff: Payoff, what: str) -> None:
    try:
        model = _fitted_if_possible(subject, payoff)
        P = None if model is None else _table(model, payoff.n_players)
    except Exception as error:
        raise AssertionError(f"{what}: raised {type(error).__name__}: {error}") from error
    if P is not None:
        _require_finite(P, what)


def _require_finite(P: np.ndarray, what: str) -> None:
    bad = ~np.isfinite(P)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise AssertionError(f"{what}: P̂({i}, {j}) is {P[i, j]}")
