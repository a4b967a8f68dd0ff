"""Players by name: payoffs, predictions, and models that are saved and loaded."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from transitivity import InputError, Payoff, models
from transitivity.errors import NotConvergedWarning, NotFittedError


@pytest.fixture(scope="module")
def payoff() -> Payoff:
    rows = [("Ann", "Bob", 3, 0, 2), ("Ann", "Cyd", 4, 1, 1), ("Bob", "Cyd", 5, 0, 2), ("Cyd", "NA", 2, 0, 2)]
    rows.append(("Ann", "NA", 3, 0, 1))
    return Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))


def test_a_payoff_prints_its_size(payoff):
    assert str(payoff) == "Payoff(4 players, 5 of 6 pairs, 26 games)"


@pytest.mark.parametrize(("name", "says"), [("ann", "did you mean 'Ann'"), ("Bobb", "did you mean 'Bob'"), ("x", "NA")])
def test_an_unknown_name_says_which_are_known(payoff, name, says):
    with pytest.raises(InputError, match=f"no player {name!r}.*{says}"):
        payoff.index(name)


def test_index(payoff):
    assert [payoff.index(name) for name in payoff.players] == [0, 1, 2, 3]


@pytest.fixture(params=sorted(models.find()))
def model(request, payoff) -> models.Model:
    with warnings.catch_warnings():
        # The published code stops after a few steps.
        warnings.simplefilter("ignore", NotConvergedWarning)
        return models.make(request.param, {}).fit(payoff)


def test_every_model_predicts_by_name_and_by_index(model):
    expected = model.predict(0, 1)
    assert model.predict("Ann", "Bob") == model.predict("Ann", 1) == model.predict(0, "Bob") == expected
    table = model.predict(np.arange(4)[:, None], np.arange(4))
    names = model.players_
    assert np.array_equal(model.predict(names[:, None], names), table)
    assert np.array_equal(model.predict(["Ann", 1], [2, "NA"]), table[[0, 1], [2, 3]])
    assert np.array_equal(model.predict(pd.Series(["Ann", "Cyd"]), "NA"), table[[0, 2], 3])
    with pytest.raises(InputError, match="did you mean 'Ann'"):
        model.predict("Anne", 1)


def test_every_model_is_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "model.npz")
    loaded = type(model).load(tmp_path / "model.npz")
    assert repr(loaded).replace("[", "(").replace("]", ")") == repr(model)
    assert loaded.predict("Ann", "NA") == model.predict("Ann", "NA")
    assert loaded.n_params(4) == model.n_params(4)


def test_a_tuned_model_keeps_its_choice(payoff, tmp_path):
    model = models.Elo(regularisation="validated", weights="games").fit(payoff)
    model.save(tmp_path / "model.npz")
    assert models.Elo.load(tmp_path / "model.npz").choice_.ratings == model.choice_.ratings
    with pytest.raises(InputError, match="model 'elo', not 'disc'"):
        models.Disc.load(tmp_path / "model.npz")


def test_what_is_no_model_is_not_loaded(payoff, tmp_path):
    payoff.save(tmp_path / "payoff.npz")
    with pytest.raises(InputError, match=r"payoff\.npz does not hold a fitted model"):
        models.Elo.load(tmp_path / "payoff.npz")
    strange = {"empty": b"", "text": b"Ann,Bob,3", "zip": b"PK\x03\x04 cut off"}
    np.savez(tmp_path / "list.npz", about_the_model=np.array("[1]"))
    np.savez(tmp_path / "other.npz", about_the_model=np.array('{"model": "elo", "parameters": {"x": 1}, "state": {}}'))
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name, content in strange.items():
        (tmp_path / name).write_bytes(content)
    for name in (*strange, "list.npz", "other.npz", "array.npy", "missing"):
        with pytest.raises(InputError, match=f"{name} does not hold a fitted model"):
            models.Elo.load(tmp_path / name)
    with pytest.raises(NotFittedError, match="not fitted"):
        models.Elo().save(tmp_path / "model.npz")
    with pytest.raises(NotFittedError):
        models.Elo().predict("Ann", "Bob")


def test_update_is_a_fit_to_all_games(payoff, tmp_path):
    model = models.Elo(weights="games", regularisation=0.5).fit(payoff)
    model.save(tmp_path / "model.npz")
    rows = [("Bob", "Ann", 2, 1, 0), ("Zoë", "Ann", 1, 0, 1)]
    new = Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))
    updated = models.Elo.load(tmp_path / "model.npz").update(new)
    rows = [("Ann", "Bob", 3, 1, 4), ("Ann", "Cyd", 4, 1, 1), ("Bob", "Cyd", 5, 0, 2), ("Cyd", "NA", 2, 0, 2)]
    rows += [("Ann", "NA", 3, 0, 1), ("Ann", "Zoë", 1, 0, 1)]
    every = Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))
    whole = models.Elo(weights="games", regularisation=0.5).fit(every)
    for one in ("Bob", "Cyd", "NA", "Zoë"):
        assert updated.predict("Ann", one) == pytest.approx(whole.predict("Ann", one), abs=1e-9)
    with pytest.raises(InputError, match="how many games"):
        model.update(Payoff.from_dense(np.array([[0.5, 0.7], [0.3, 0.5]])))


class Wide(models.Elo):
    def predict(self, i, j, factor=1.0):
        return factor * super().predict(i, j)


def test_predict_passes_on_what_else_it_is_given(payoff):
    model = Wide().fit(payoff)
    assert model.predict("Ann", "Bob", factor=2.0) == model.predict(0, 1, 2.0) == 2 * model.predict("Ann", "Bob")


def test_state_that_is_no_number_is_not_saved(payoff, tmp_path):
    model = models.Elo().fit(payoff)
    for odd in ({1, 2}, np.array([None, "a"])):
        model.odd_ = odd
        with pytest.raises(InputError, match="cannot be saved"):
            model.save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


class Stopped(models.Elo):
    """An Elo that gives up."""

    def fit(self, payoff, rng=None):
        super().fit(payoff, rng)
        self.converged_ = False
        return self


class StoppedToo(Stopped):
    def fit(self, payoff, rng=None):
        return super().fit(payoff, rng)


def test_a_fit_that_did_not_converge_warns_once(payoff):
    with pytest.warns(NotConvergedWarning, match="did not converge") as caught:
        StoppedToo().fit(payoff)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models.Elo().fit(payoff)
