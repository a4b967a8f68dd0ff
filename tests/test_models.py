"""Models: the conformance tests, the exact results of each, and what a user sees of a mistake."""

from __future__ import annotations

import inspect
import itertools
from functools import partial

import numpy as np
import pytest
from scipy.special import expit, logit

from reproduction.figures.catalogue import RIVALS
from transitivity import games, models
from transitivity.disc.decomposition import normal_decomposition
from transitivity.errors import InputError, NotFittedError
from transitivity.fitting import tuning
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.models import (
    Balduzzi2019,
    Constant,
    Disc,
    DiscRegularised,
    Elo,
    EloPlusPlus,
    MElo,
    MEloLogit,
    MEloPublished,
    Model,
    TooManyComponents,
)
from transitivity.payoff.core import Payoff
from transitivity.testing import RULES, BrokenRule, check_model

PAIR_MODELS = (Balduzzi2019, Disc, MElo, MEloPublished)


def random_game(n: int, seed: int, missing: float = 0.0) -> Payoff:
    """A game of three orthogonal disc games and noise, without certain results."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, 6)))[0]
    x = sum(s * n / 4 * np.outer(Q[:, 2 * a], Q[:, 2 * a + 1]) for a, s in enumerate((3, 1.5, 0.7)))
    x = x + 0.05 * rng.standard_normal((n, n))
    payoff = Payoff.from_dense(expit(x - x.T))
    return payoff.select_pairs(rng.random(payoff.n_pairs) >= missing)


def table(model: Model, n: int) -> np.ndarray:
    return model.predict(np.arange(n)[:, None], np.arange(n))


# ---------------------------------------------------------------------- conformance


@pytest.mark.parametrize(
    "factory",
    [
        Elo,
        EloPlusPlus,
        partial(Elo, solver="published"),
        partial(EloPlusPlus, solver="published"),
        *(partial(MEloLogit, n_components=k) for k in (1, 2)),
        *(partial(cls, n_components=k) for cls in PAIR_MODELS for k in (1, 2, 3)),
        partial(Disc, solver="published"),
        partial(MEloPublished, solver="alternating"),
        *(partial(Disc, n_components=k, regularisation=0.5) for k in (1, 2)),
        *(partial(cls, regularisation=(0.2, 1.0), weights="games") for cls in (MElo, MEloLogit)),
        partial(Elo, regularisation=0.5),
        *(partial(cls, n_components="validated", regularisation="validated", weights="games") for cls in (Disc, MElo)),
        partial(Elo, regularisation="validated", weights="games"),
        Constant,
    ],
    ids=lambda factory: repr(factory()),
)
def test_built_in_models_keep_every_rule(factory, monkeypatch):
    # Tuned models: the rules ask nothing of how good the choice is, so that few hidden pairs and tries will do.
    for name, few in {"SCORED": 6, "PATIENCE": 1, "COMPONENTS": (1, 2)}.items():
        monkeypatch.setattr(tuning, name, few)
    check_model(factory)


def test_every_file_of_the_registry_is_a_model_that_is_tested_here():
    # The regularised disc and the rivals have files of tests of their own.
    tested = {cls.name for cls in (Constant, Elo, EloPlusPlus, MEloLogit, DiscRegularised, *PAIR_MODELS)}
    tested |= {*RIVALS}
    assert set(models.find()) == tested
    assert {models.load(file).name for file in models.find().values()} == tested


class MeanDifference(Model):
    """A baseline as a user would write it, which keeps every rule; each class below breaks one of them."""

    name = "mean_difference"
    label = "Difference of means"
    reference = "This file"

    def __init__(self, slope: float = 1.0) -> None:
        self.slope = slope

    def fit(self, payoff, rng=None):
        self.means_ = payoff.mean_payoffs
        return self

    def predict(self, i, j):
        return expit(self.slope * (self.means_[i] - self.means_[j]))

    def n_params(self, n):
        return n


class NoLabel(MeanDifference):
    label = " "


class BadName(MeanDifference):
    name = "Mean difference"


class NotAModel:
    name, label, reference = "not_a_model", "x", "x"
    __init__ = MeanDifference.__init__
    fit = MeanDifference.fit
    predict = MeanDifference.predict
    n_params = MeanDifference.n_params
    parameters = Model.parameters


class ForgetsParameter(MeanDifference):
    def __init__(self, slope: float = 1.0, other: int = 2) -> None:
        super().__init__(slope)


class ChangesParameter(MeanDifference):
    def fit(self, payoff, rng=None):
        self.slope += 1
        return super().fit(payoff, rng)


class DoublesParameter(MeanDifference):
    def __init__(self, slope: float = 1.0) -> None:
        self.slope = 2 * slope


class PredictsUnfitted(MeanDifference):
    def predict(self, i, j):
        return super().predict(i, j) if hasattr(self, "means_") else 0.5 + 0.0 * (np.asarray(i) - j)


class UnclearUnfitted(MeanDifference):
    def fit(self, payoff, rng=None):
        self.means = payoff.mean_payoffs
        return self

    def predict(self, i, j):
        return expit(self.means[i] - self.means[j])


class ReturnsNothing(MeanDifference):
    def fit(self, payoff, rng=None):
        self.means_ = payoff.mean_payoffs


class ChangesPayoff(MeanDifference):
    def fit(self, payoff, rng=None):
        super().fit(payoff, rng)
        payoff.p[0] = 0.5
        return self


class NotAntisymmetric(MeanDifference):
    def predict(self, i, j):
        return np.where(np.equal(i, j), 0.5, 0.9 * super().predict(i, j))[()]


class WrongDiagonal(MeanDifference):
    def predict(self, i, j):
        # Antisymmetric off the diagonal only; the rule of antisymmetry sees the diagonal as well.
        return np.where(np.equal(i, j), 0.75, super().predict(i, j))[()]


class NoBroadcasting(MeanDifference):
    def predict(self, i, j):
        if np.ndim(i) == 1 and np.ndim(j) == 0:
            return super().predict(i, j)[:1]
        return super().predict(i, j)


class VectorForScalar(MeanDifference):
    def predict(self, i, j):
        return np.atleast_1d(super().predict(i, j))


class NotClipped(MeanDifference):
    def predict(self, i, j):
        return 0.5 + 3 * (self.means_[i] - self.means_[j])


class NeedsEveryPair(MeanDifference):
    def fit(self, payoff, rng=None):
        self.means_ = payoff.to_dense().mean(axis=1)
        return self


class IgnoresRng(MeanDifference):
    draws = itertools.count()

    def fit(self, payoff, rng=None):
        super().fit(payoff)
        self.means_ = self.means_ + 1e-9 * next(self.draws) * np.arange(payoff.n_players)
        return self


class DependsOnOrder(MeanDifference):
    def fit(self, payoff, rng=None):
        self.means_ = payoff.mean_payoffs + 0.1 * np.arange(payoff.n_players)
        return self


class HalfParameters(MeanDifference):
    def n_params(self, n):
        return n / 2


class Remembers(MeanDifference):
    def fit(self, payoff, rng=None):
        before = vars(self).get("means_", np.zeros(9))[: payoff.n_players]
        self.means_ = payoff.mean_payoffs + np.resize(before, payoff.n_players)
        return self


class NeedsThree(MeanDifference):
    def fit(self, payoff, rng=None):
        if payoff.n_players < 3:
            raise ZeroDivisionError("two are too few")
        return super().fit(payoff, rng)


class InfiniteLogits(MeanDifference):
    def fit(self, payoff, rng=None):
        with np.errstate(divide="ignore", invalid="ignore"):
            x = logit(payoff.p)
            n = payoff.n_players
            self.means_ = np.bincount(payoff.i, x, n) - np.bincount(payoff.j, x, n)
        return self

    def predict(self, i, j):
        with np.errstate(invalid="ignore"):
            return super().predict(i, j)


class NeedsOpponents(MeanDifference):
    def fit(self, payoff, rng=None):
        with np.errstate(invalid="ignore"):
            self.means_ = payoff.mean_payoffs * payoff.degrees / payoff.degrees
        return self


class DividesBySpread(MeanDifference):
    def fit(self, payoff, rng=None):
        super().fit(payoff)
        with np.errstate(invalid="ignore"):
            self.means_ = (self.means_ - self.means_.mean()) / self.means_.std()
        return self


def test_a_model_of_a_user_keeps_every_rule():
    check_model(MeanDifference, in_own_file=False)
    check_model(lambda: MeanDifference(slope=3.0), in_own_file=False)


@pytest.mark.parametrize(
    ("broken", "rule", "says"),
    [
        (NoLabel, "identity", "label"),
        (BadName, "identity", "Mean difference"),
        (NotAModel, "identity", "not a subclass"),
        (ForgetsParameter, "parameters", "'other'"),
        (ChangesParameter, "parameters", "fit changed"),
        (DoublesParameter, "parameters", "has the parameters"),
        (PredictsUnfitted, "unfitted", "returned something"),
        (UnclearUnfitted, "unfitted", "AttributeError"),
        (ReturnsNothing, "returns_self", "NoneType"),
        (ChangesPayoff, "leaves_payoff", "read-only"),
        (NotAntisymmetric, "antisymmetry", "which is not 1"),
        (WrongDiagonal, "diagonal", "0.75"),
        (NoBroadcasting, "broadcasting", "shape (1,)"),
        (VectorForScalar, "broadcasting", "scalar"),
        (NotClipped, "probabilities", "outside [0, 1]"),
        (NeedsEveryPair, "missing_entries", "nan"),
        (IgnoresRng, "determinism", "same rng"),
        (DependsOnOrder, "permutation", "another order"),
        (HalfParameters, "n_params", "1.0"),
        (Remembers, "refit", "fitted twice"),
        (NeedsThree, "two_players", "two are too few"),
        (InfiniteLogits, "separable", "nan"),
        (NeedsOpponents, "disconnected", "nan"),
        (DividesBySpread, "constant", "nan"),
    ],
)
def test_each_rule_can_be_broken(broken, rule, says):
    with pytest.raises(BrokenRule) as raised:
        check_model(broken, in_own_file=False)
    assert rule in raised.value.rules
    (line,) = [line for line in str(raised.value).splitlines() if line.startswith(f"- {rule}: ")]
    assert says in line


def test_every_rule_is_documented_and_tested_on_a_broken_model():
    (parametrised,) = [mark for mark in test_each_rule_can_be_broken.pytestmark if mark.name == "parametrize"]
    assert {case[1] for case in parametrised.args[1]} == set(RULES)
    for name in RULES:
        assert f"\n{name} " in inspect.getdoc(check_model)


def test_a_model_in_its_own_file(tmp_path):
    source = (
        "from transitivity.models import Elo\n"
        "class Mine(Elo):\n    name = 'mine'\n    label = 'Mine'\n    reference = 'here'\n"
    )
    (tmp_path / "mine.py").write_text(source)
    mine = models.load(tmp_path / "mine.py")
    check_model(mine)
    assert models.make("mine", {"solver": "newton"}, [tmp_path]).label == "Mine"
    with pytest.raises(BrokenRule, match=r"identity: name is 'mean_difference' but the file is test_models\.py"):
        check_model(MeanDifference)


# ---------------------------------------------------------------------- an unfitted model, wrong parameters


def test_fitted_state_is_asked_for_too_early():
    model = Disc()
    with pytest.raises(NotFittedError, match="fit it first"):
        model.predict(0, 1)
    assert getattr(model, "converged_", None) is None
    assert not hasattr(model, "u_")
    model.fit(games.compute("rps"))
    with pytest.raises(AttributeError, match="no attribute 'no_such_thing_'"):
        _ = model.no_such_thing_
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = Elo().nothing


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Disc(n_components=0), "n_components"),
        (lambda: Disc(n_components=1.5), "n_components"),
        (lambda: Disc(solver="jiont"), "jiont"),
        (lambda: Elo(solver="joint"), "newton"),
        (lambda: Disc(regularisation=-1), "regularisation=-1"),
        (lambda: Disc(regularisation=float("nan")), "regularisation=nan"),
        (lambda: models.make("dics", {}), "did you mean 'disc'"),
        (lambda: models.make("disc", {"n_component": 1}), "did you mean 'n_components'"),
        (lambda: models.find(["no/such/folder"]), "no/such/folder"),
    ],
)
def test_bad_parameters(make, says):
    with pytest.raises(InputError) as raised:
        make()
    assert says in str(raised.value)


@pytest.mark.parametrize("cls", [MEloLogit, *PAIR_MODELS])
def test_no_more_pairs_than_half_the_players(cls):
    payoff = random_game(7, 0)
    cls(n_components=3).fit(payoff)
    with pytest.raises(TooManyComponents, match="at most 3"):
        cls(n_components=4).fit(payoff)


@pytest.mark.parametrize(
    "model",
    [MElo(), Disc(n_components=2, solver="pair_after_pair"), DiscRegularised(grid=(1.0,), weights="games")],
    ids=repr,
)
def test_many_players_are_fitted_in_another_order_and_come_back_in_theirs(model, monkeypatch):
    rng = np.random.default_rng(0)
    n = 30
    i, j = np.triu_indices(n, 1)
    # Player k meets about k others.
    kept = rng.random(len(i)) < (i + j) / (2 * n)
    i, j = i[kept], j[kept]
    skill = rng.standard_normal(n)
    p = np.clip(expit(skill[i] - skill[j]) + 0.1 * rng.standard_normal(len(i)), 0.05, 0.95)
    payoff = Payoff(np.arange(n).astype(str), i, j, p, rng.integers(1, 9, len(i)))
    assert (np.diff(payoff.degrees) < 0).any()
    few = model.fit(payoff)
    expected, t = few.predict(i, j), few.t_
    monkeypatch.setattr(models._base, "MANY_PLAYERS", 2)
    many = model.fit(payoff)
    np.testing.assert_allclose(many.predict(i, j), expected, atol=1e-5)
    np.testing.assert_allclose(many.t_, t, atol=1e-12)


@pytest.mark.parametrize(("source", "says"), [("x = 1", "0 model classes"), ("", "0 model classes")])
def test_a_file_without_a_model(tmp_path, source, says):
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(InputError, match=says):
        models.load(tmp_path / "mine.py")


def test_files_and_names_must_agree(tmp_path):
    (tmp_path / "mine.py").write_text("class A:\n    name = 'other'\n")
    with pytest.raises(InputError, match="'other'"):
        models.load(tmp_path / "mine.py")
    (tmp_path / "disc.py").write_text("")
    with pytest.raises(InputError, match="same name"):
        models.find([tmp_path])


# ---------------------------------------------------------------------- Elo


@pytest.mark.parametrize("gamma", np.linspace(0.51, 0.75, 10))
@pytest.mark.parametrize("delta", np.linspace(0.51, 1, 10))
def test_elo_of_example_3(gamma, delta):
    """Elo puts player 2 above player 1 exactly when δ > 3γ - 1."""
    payoff = games.compute("example_3", gamma=gamma, delta=delta)
    ratings = Elo().fit(payoff).ratings_
    if abs(delta - (3 * gamma - 1)) > 1e-9:
        assert np.sign(ratings[1] - ratings[0]) == np.sign(delta - (3 * gamma - 1))


@pytest.mark.parametrize("seed", range(6))
def test_stationary_elo_ranks_a_complete_game_as_its_row_sums(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(15, 15)) * 2
    payoff = Payoff.from_dense(expit(x - x.T))
    model = Elo().fit(payoff)
    assert model.converged_ and not model.separated_
    np.testing.assert_array_equal(np.argsort(model.ratings_), np.argsort(payoff.to_dense().sum(axis=1)))
    # The stationary point itself: expected and actual row sums agree.
    np.testing.assert_allclose(table(model, 15).sum(axis=1), payoff.to_dense().sum(axis=1), atol=1e-6)


@pytest.mark.parametrize("cls", [Elo, EloPlusPlus])
@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_elo_recovers_an_elo_game(cls, missing):
    payoff = games.compute("elo_example", n_players=20)
    keep = (np.random.default_rng(0).random(payoff.n_pairs) > missing) | (payoff.j == payoff.i + 1)
    model = cls().fit(payoff.select_pairs(keep))
    np.testing.assert_allclose(table(model, 20), payoff.to_dense(), atol=1e-6)
    assert abs(model.ratings_.mean()) < 1e-12


def test_sparse_elo_equals_dense_elo(monkeypatch):
    payoff = random_game(40, 3, missing=0.5)
    dense = Elo().fit(payoff)
    monkeypatch.setattr("transitivity.fitting.objective.DENSE_ABOVE", 2.0)
    monkeypatch.setattr("transitivity.fitting.objective.SMALL", 0)
    sparse = Elo().fit(payoff)
    assert dense.converged_ and sparse.converged_
    np.testing.assert_allclose(dense.ratings_, sparse.ratings_, atol=1e-6)


def test_elo_plus_plus_is_no_worse_than_elo_in_squared_error():
    payoff = random_game(12, 8)

    def error(model: Model) -> float:
        return float(np.mean((model.fit(payoff).predict(payoff.i, payoff.j) - payoff.p) ** 2))

    assert error(EloPlusPlus()) <= error(Elo())


# ---------------------------------------------------------------------- disc


@pytest.mark.parametrize("gamma", [0.51, 0.6, 0.75])
@pytest.mark.parametrize("delta", [0.51, 0.7, 0.95])
@pytest.mark.parametrize("solver", ["pair_after_pair", "alternating"])
def test_disc_of_three_players_is_exact(gamma, delta, solver):
    """u₁v₂ - v₁u₂ = logit γ > 0 for every (γ, δ) of Figure 3; δ = 1 is a limit."""
    model = Disc(solver=solver).fit(games.compute("example_3", gamma=gamma, delta=delta))
    u, v = model.u_[:, 0], model.v_[:, 0]
    assert u[0] * v[1] - v[0] * u[1] == pytest.approx(logit(gamma), abs=1e-5)
    assert u[1] * v[2] - v[1] * u[2] == pytest.approx(logit(delta), abs=1e-5)


def test_disc_of_three_players_at_the_limit():
    model = Disc().fit(games.compute("example_3", gamma=0.6, delta=1.0))
    assert model.predict(0, 1) == pytest.approx(0.6, abs=2e-3)
    assert model.predict(1, 2) > 0.99


@pytest.mark.parametrize("game", ["elo_example", "cyclic_disc"])
@pytest.mark.parametrize("solver", ["pair_after_pair", "joint", "alternating"])
def test_disc_recovers_the_games_of_examples_1_and_2(game, solver):
    payoff = games.compute(game, n_players=12)
    model = Disc(solver=solver).fit(payoff)
    assert model.converged_
    np.testing.assert_allclose(table(model, 12), payoff.to_dense(), atol=1e-5)


@pytest.mark.parametrize("solver", ["pair_after_pair", "joint", "alternating"])
@pytest.mark.parametrize("regularisation", [0.0, 0.01])
def test_rock_paper_scissors_is_not_stuck(solver, regularisation):
    """u = 0 is a stationary point there; so is the Elo score, where a regularised fit might start."""
    payoff = games.compute("rps")
    model = (DiscRegularised(grid=(regularisation,)) if regularisation else Disc(solver=solver)).fit(payoff)
    np.testing.assert_allclose(model.predict(payoff.i, payoff.j), payoff.p, atol=0.01)
    assert model.separated_ and model.converged_


def test_the_published_solver_is_stuck_at_rock_paper_scissors():
    """As the published code must be, which starts at u = 0."""
    payoff = games.compute("rps")
    np.testing.assert_allclose(Disc(solver="published").fit(payoff).predict(payoff.i, payoff.j), 0.5)


@pytest.mark.parametrize("cls", [Elo, EloPlusPlus, Disc, MEloLogit, partial(Disc, n_components=2)])
def test_separated_data(cls):
    """Certain results have no finite best ratings: the model says so, and stays finite and right."""
    payoff = games.compute("triangular_game", n_players=20)
    model = cls().fit(payoff)
    P = table(model, 20)
    assert model.separated_ and model.converged_ and np.isfinite(model.u_).all()
    np.testing.assert_array_equal(np.sign(P[payoff.i, payoff.j] - 0.5), np.sign(payoff.p - 0.5))
    assert ((P >= 0) & (P <= 1)).all()


def test_a_game_of_finite_logits_is_not_separated():
    payoff = random_game(15, 0)
    for cls in (Elo, EloPlusPlus, Disc, MEloLogit):
        assert not cls().fit(payoff).separated_
    # One certain result among many does not separate a game of two-sided chances.
    p = payoff.p.copy()
    p[0] = 1.0
    assert not Elo().fit(Payoff(payoff.players, payoff.i, payoff.j, p)).separated_


# ---------------------------------------------------------------------- Equation 21


def test_regularisation_leads_to_elo():
    payoff = random_game(12, 4, missing=0.2)
    elo = Elo().fit(payoff)
    previous = np.inf
    for strength in (1.0, 1e2, 1e4, 1e6):
        model = DiscRegularised(grid=(strength,)).fit(payoff)
        distance = float(np.abs(model.v_ - 1).max())
        assert model.converged_ and distance < previous
        previous = distance
    assert distance < 1e-4
    np.testing.assert_allclose(table(model, 12), table(elo, 12), atol=1e-4)


@pytest.mark.parametrize("k", [1, 2])
def test_regularised_optimum(k):
    """The gradient of Equation 21 itself, with its sums over ordered pairs, vanishes."""
    payoff, strength = random_game(10, 4), 0.3
    model = DiscRegularised(n_components=k, grid=(strength,)).fit(payoff)
    objective = PairObjective(payoff, CrossEntropy())
    _, gradient_U, gradient_V = objective.value_and_gradient(model.u_, model.v_)
    pull_U, pull_V = model.u_.copy(), model.v_.copy()
    pull_U[:, 0], pull_V[:, 0] = 0, pull_V[:, 0] - 1
    np.testing.assert_allclose(2 * payoff.n_pairs * gradient_U + strength * pull_U, 0, atol=1e-5)
    np.testing.assert_allclose(2 * payoff.n_pairs * gradient_V + strength * pull_V, 0, atol=1e-5)


def test_a_small_regularisation_costs_little_loss():
    payoff = random_game(12, 4)
    assert DiscRegularised(grid=(1e-8,)).fit(payoff).loss_ == pytest.approx(Disc().fit(payoff).loss_, abs=1e-6)


# ---------------------------------------------------------------------- probability space


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("solver", ["pair_after_pair", "joint"])
def test_balduzzi_2019_is_the_truncated_normal_decomposition(k, solver):
    payoff = random_game(13, 6)
    expected = 0.5 + normal_decomposition(payoff.to_dense() - 0.5, k).matrix()
    model = Balduzzi2019(n_components=k, solver=solver).fit(payoff)
    np.testing.assert_allclose(table(model, 13), expected, atol=1e-6)


@pytest.mark.parametrize("k", [1, 2])
def test_melo_decomposes_what_the_row_means_leave(k):
    payoff = random_game(13, 6)
    P = payoff.to_dense()
    transitive = P.mean(axis=1)[:, None] - P.mean(axis=1)
    expected = 0.5 + transitive + normal_decomposition(P - 0.5 - transitive, k).matrix()
    np.testing.assert_allclose(table(MElo(n_components=k).fit(payoff), 13), expected, atol=1e-6)


def test_melo_published_is_nearly_balduzzi_2019():
    elo, disc = (games.compute(name, n_players=60) for name in ("elo_example", "cyclic_disc"))
    payoff = games.compute("mixture", first=elo, second=disc, ratio=0.5)
    published = table(MEloPublished().fit(payoff), 60)
    np.testing.assert_allclose(published, table(Balduzzi2019().fit(payoff), 60), atol=0.02)
    assert np.abs(published - table(MElo().fit(payoff), 60)).max() > 0.1


def test_means_of_melo_with_missing_entries():
    P = np.array([[0.5, 0.9, np.nan, np.nan], [0.1, 0.5, 0.3, np.nan], [np.nan, 0.7, 0.5, np.nan]])
    P = np.vstack([P, [np.nan, np.nan, np.nan, 0.5]])
    payoff = Payoff.from_dense(P)
    # The diagonal's 1/2 belongs to each row: (0.5 + 0.9) / 2, and so on.
    np.testing.assert_allclose(MElo().transitive_part(payoff), [0.7, 0.3, 0.6, 0.5])
    np.testing.assert_allclose(MEloPublished().transitive_part(payoff), np.array([1.4, 0.9, 1.2, 0.5]) / 8)
    # A published hold-out hides diagonal entries; a row of which nothing is left has the mean 1/2.
    every = np.ones(payoff.n_pairs, dtype=bool)
    hidden = payoff.select_pairs(every, np.array([False, True, False, False]))
    np.testing.assert_allclose(MElo().transitive_part(hidden), [0.9, 0.3, 0.7, 0.5])
    np.testing.assert_allclose(MEloPublished().transitive_part(hidden), np.array([0.9, 0.9, 0.7, 0]) / 5)


# ---------------------------------------------------------------------- mixtures


@pytest.mark.parametrize("model", [Disc(n_components=2, solver="joint"), MEloLogit()], ids=repr)
@pytest.mark.parametrize("ratio", [0.75, 0.25])
def test_a_mixture_of_elo_and_disc_is_learnt_exactly(model, ratio):
    """In logit space it has rank 4 at most: the hidden pairs are predicted too."""
    rng = np.random.default_rng(1)
    n = 40
    ratings, angles, radii = rng.normal(size=n), rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(size=n))
    u, v = 2 * radii * np.cos(angles), radii * np.sin(angles)
    disc = np.outer(u, v) - np.outer(v, u)
    payoff = Payoff.from_dense(expit(ratio * (ratings[:, None] - ratings) + (1 - ratio) * disc))
    hidden = rng.random(payoff.n_pairs) < 0.2
    model.fit(payoff.select_pairs(~hidden))
    test = payoff.select_pairs(hidden)
    assert np.mean((model.predict(test.i, test.j) - test.p) ** 2) < 1e-10


def test_numbers_of_parameters():
    assert Elo().n_params(10) == EloPlusPlus().n_params(10) == 10
    assert Disc(n_components=3).n_params(10) == Balduzzi2019(n_components=3).n_params(10) == 60
    assert {cls(n_components=3).n_params(10) for cls in (MElo, MEloPublished, MEloLogit)} == {70}
