"""Models compared over repeated hold-outs: intervals, verdicts, signed ranks, the choice of k, planted answers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from loading import script

from reproduction.report import answer
from transitivity import games
from transitivity.evaluation import compare, ratios
from transitivity.evaluation.hold_outs import hold_out, validation_split
from transitivity.evaluation.scores import n_connected, n_hideable, scores
from transitivity.models.constant import Constant
from transitivity.models.disc import Disc
from transitivity.models.elo import Elo
from transitivity.models.melo_logit import MEloLogit
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

ROOT = Path(__file__).resolve().parents[1]
PARAMS = {"elo": 1, "disc_k1": 2, "disc_k2": 4, "disc_k3": 6, "melo_k1": 3, "melo_k2": 5, "balduzzi_2019_k1": 2}


def table(errors: dict[str, dict[str, list[float]]], validation: dict | None = None, protocol="strong") -> pd.DataFrame:
    """Scores with these test errors: dataset to model to one error a repetition; 80 train and 20 test pairs."""
    rows = []
    for split, found in (("test", errors), ("validation", validation or {})):
        for dataset, models in found.items():
            for model, values in models.items():
                for repeat, mse in enumerate(values):
                    about = {"protocol": protocol, "dataset": dataset, "model": model, "repeat": repeat}
                    about |= {"n_players": 10, "n_params": 10 * PARAMS[model], "log_loss": mse, "accuracy": 1 - mse}
                    rows.append(about | {"split": split, "n_pairs": 20, "mse": mse})
                    if split == "test":
                        rows.append(about | {"split": "train", "n_pairs": 80, "mse": mse / 2})
    return pd.DataFrame(rows)


def one(frame: pd.DataFrame, **where: str) -> pd.Series:
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


# -------------------------------------------------------------------- intervals


def test_the_interval_is_that_of_nadeau_and_bengio():
    mean, low, high = ratios.corrected_interval([1.0, 2.0, 3.0, 4.0], test_over_train=0.25)
    # t(0.975, 3) = 3.182446, s² = 5/3.
    half = 3.182446305284263 * math.sqrt((1 / 4 + 0.25) * 5 / 3)
    assert (mean, low, high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


def test_one_repetition_has_no_interval():
    mean, low, high = ratios.corrected_interval([0.3], 0.25)
    assert mean == 0.3 and math.isnan(low) and math.isnan(high)
    found = compare.compare_models(table({"rps": {"elo": [0.2], "disc_k1": [0.1]}}))
    assert one(found, model="disc_k1").verdict == ratios.UNTESTED


@given(values=st.lists(st.floats(-5, 5), min_size=2, max_size=20), share=st.floats(0.01, 1), shift=st.floats(-3, 3))
def test_what_holds_for_every_interval(values, share, shift):
    # One value in all says nothing of their spread.
    assume(np.ptp(values) > 1e-6)
    mean, low, high = ratios.corrected_interval(values, share)
    assert low <= mean <= high
    # Wider than the interval that takes the hold-outs as independent.
    independent = ratios.corrected_interval(values, 0.0)
    assert high - low >= independent[2] - independent[1]
    moved = ratios.corrected_interval(np.asarray(values) + shift, share)
    assert moved == pytest.approx((mean + shift, low + shift, high + shift), abs=1e-9)


# -------------------------------------------------------------------- game by game


def test_a_bound_above_all_numbers_is_infinite():
    scores = table({"rps": {"elo": [1.0, 1e-12], "disc_k1": [1e-12, 1.0]}})
    # Nine in ten pairs are hidden.
    scores["n_pairs"] = np.where(scores.split == "test", 90, 10)
    found = one(compare.compare_models(scores), model="disc_k1")
    assert (found.low, found.high, found.verdict) == (0.0, math.inf, ratios.UNDECIDED)
    bars = one(ratios.elo_ratios(scores), dataset="rps", model="disc_k1")
    assert (bars.low, bars.high) == (0.0, math.inf)


def test_ratios_are_paired_and_geometric():
    errors = {"rps": {"elo": [0.4, 0.8], "disc_k1": [0.1, 0.1]}}
    row = one(compare.compare_models(table(errors)), model="disc_k1", baseline="elo")
    assert row.ratio == pytest.approx(math.sqrt(4 * 8))
    _, low, high = ratios.corrected_interval(np.log([4, 8]), 20 / 80)
    assert (row.low, row.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert (row.n_repeats, row.repeats_won, row.params_per_player) == (2, 2, 2)
    # Both gains are positive where the model is better.
    assert row.log_loss_gain == pytest.approx(0.5) and row.accuracy_gain == pytest.approx(0.5)


def test_verdicts_and_relations():
    errors = {
        "clear": {"elo": [4, 4.1, 3.9], "disc_k1": [2, 2.1, 1.9], "melo_k1": [1, 1.01, 0.99], "disc_k2": [2, 2, 1.9]},
        "noisy": {"elo": [1, 2, 1], "disc_k1": [2, 1, 1], "melo_k1": [1, 1, 1], "disc_k2": [0.1, 0.1, 0.2]},
    }
    found = compare.compare_models(table(errors))
    assert one(found, dataset="clear", model="disc_k1", baseline="elo").verdict == ratios.BETTER
    row = one(found, dataset="clear", model="disc_k1", baseline="melo_k1")
    assert (row.verdict, row.relation) == (ratios.WORSE, "fewer parameters")
    assert one(found, dataset="noisy", model="disc_k1", baseline="elo").verdict == ratios.UNDECIDED
    assert one(found, dataset="noisy", model="disc_k2", baseline="melo_k1").relation == "more parameters"
    equal = table({"rps": {"disc_k1": [1, 1], "balduzzi_2019_k1": [2, 2]}})
    assert one(compare.compare_models(equal), baseline="balduzzi_2019_k1").relation == "equal parameters"


def test_two_exact_models_are_equal():
    errors = {"rps": {"elo": [1e-20, 1e-25, 0.0], "disc_k1": [1e-13, 0.0, 1e-30]}}
    row = one(compare.compare_models(table(errors)), model="disc_k1")
    assert (row.ratio, row.verdict) == (1.0, ratios.UNDECIDED)


def test_fits_that_did_not_converge_are_counted():
    scored = table({"rps": {"elo": [1, 1, 1], "disc_k1": [1, 1, 1], "disc_k2": [2, 2, 2]}})
    flags = [("elo", 0, True, False), ("elo", 1, False, False), ("disc_k1", 1, False, True), ("disc_k1", 2, True, True)]
    fits = pd.DataFrame(flags, columns=["model", "repeat", "converged", "separated"])
    fits = fits.assign(protocol="strong", dataset="rps")
    row = one(compare.compare_models(scored, fits), model="disc_k1", baseline="elo")
    assert (row.not_converged, row.separated) == (1, 2)
    # A family with a chosen k is as its chosen fit was.
    chosen = compare.with_chosen(
        scored, pd.DataFrame([("strong", "rps", "disc", r, "disc_k1") for r in range(3)], columns=compare.CHOICE[:5])
    )
    row = one(compare.compare_models(chosen, fits), model="disc_chosen", baseline="elo")
    assert (row.not_converged, row.separated) == (1, 2)


def test_one_ratio_serves_bars_averages_and_tables():
    """Geometric and paired: neither a ratio of mean errors, nor a mean over games with other hold-outs."""
    errors = {
        "a": {"elo": [0.4, 0.8], "disc_k1": [0.1, 0.1]},
        "b": {"elo": [0.2, 0.2], "disc_k1": [0.1, 0.4]},
        "c": {"elo": [0.2, 0.2], "disc_k1": [0.1, math.inf]},
        "d": {"elo": [0.2, 0.2], "disc_k1": [0.1, 0.12]},
    }
    found = ratios.elo_ratios(table(errors), averaged=["a", "b", "c"])
    compared = compare.compare_models(table(errors))
    for dataset in ("a", "b", "d"):
        bar, row = (one(frame, dataset=dataset, model="disc_k1") for frame in (found, compared))
        assert (bar.ratio, bar.low, bar.high) == pytest.approx((row.ratio, row.low, row.high), rel=1e-12)
    # An infinite error leaves its game without a ratio, and the average without its game.
    assert math.isnan(one(found, dataset="c", model="disc_k1").ratio)
    mean = one(found, dataset=ratios.AVERAGE, model="disc_k1")
    assert (mean.n_games, mean.params_per_player) == (2, 2)
    assert mean.ratio == pytest.approx((4 * 8 * 2 * 0.5) ** (1 / 4))
    expected = ratios.corrected_interval([np.log(4 * 2) / 2, np.log(8 * 0.5) / 2], 20 / 80)
    assert (mean.low, mean.high) == pytest.approx((math.exp(expected[1]), math.exp(expected[2])))
    assert (found[found.model == "elo"].ratio == 1).all()


def test_families_of_one_class_are_told_apart():
    rows = [("disc_k1", "Disc"), ("disc_joint_k2", "Disc"), ("elo", "Elo"), ("a_k1", "Own"), ("b_k1", "Own")]
    assert ratios.family_labels(pd.DataFrame(rows, columns=["model", "label"])) == {
        "disc": "Disc",
        "disc_joint": "Disc (disc_joint)",
        "elo": "Elo",
        "a": "Own (a)",
        "b": "Own (b)",
    }


# -------------------------------------------------------------------- over games


def test_signed_rank_is_exact():
    errors = {f"game_{k}": {"elo": [1.0 + k, 1.0 + k], "disc_k1": [1.0, 1.0]} for k in range(1, 7)}
    comparison = compare.compare_models(table(errors))
    row = one(compare.signed_rank(comparison, {"all": None}), model="disc_k1")
    # Six games, all in one direction: 2 of the 2⁶ signs are as extreme.
    assert row.p_value == pytest.approx(2 / 2**6)
    assert row.n_games == 6 and row.ratio == pytest.approx(np.prod(range(2, 8)) ** (1 / 6))
    some = one(compare.signed_rank(comparison, {"some": {"game_1", "game_2"}}), model="disc_k1")
    assert (some.n_games, some.games) == (2, "some") and some["median"] == pytest.approx(2.5)
    # Games of one family are one: the mean of their logs.
    family = dict.fromkeys(("game_2", "game_3", "game_4"), "family")
    row = one(compare.signed_rank(comparison, {"all": None}, family), model="disc_k1")
    assert (row.n_games, row.n_families) == (6, 4) and row.p_value == pytest.approx(2 / 2**4)
    assert row.ratio == pytest.approx((2 * 6 * 7 * (3 * 4 * 5) ** (1 / 3)) ** (1 / 4)) and math.isnan(row.low)


def test_equal_models_give_no_evidence():
    errors = {f"game_{k}": {"elo": [1.0, 1.0], "disc_k1": [1.0, 1.0]} for k in range(8)}
    row = one(compare.signed_rank(compare.compare_models(table(errors)), {"all": None}), model="disc_k1")
    assert (row.p_value, row.undecided) == (1.0, 8)


@pytest.mark.parametrize("n", [6, 9, 16, 40])
def test_the_interval_of_a_median_covers_it(n):
    values = np.random.default_rng(n).exponential(size=(4000, n))
    intervals = [compare.median_interval(row) for row in values]
    covered = np.mean([low <= math.log(2) <= high for low, high in intervals])
    # At least 95 %, and no more than discrete limits make it.
    assert 0.94 < covered < 0.99
    assert math.isnan(compare.median_interval(values[0, :5])[0])


# -------------------------------------------------------------------- the choice of k


def test_k_is_chosen_by_validation_alone():
    test = {"rps": {"elo": [9, 9], "disc_k1": [3, 3], "disc_k2": [1, 5], "disc_k3": [7, 4]}}
    validation = {"rps": {"elo": [5, 1], "disc_k1": [2, 2], "disc_k2": [1, 2], "disc_k3": [1, 3]}}
    scored = table(test, validation)
    choice = compare.choose_k(scored)
    disc = choice[choice.family == "disc"]
    # Of equal errors the model with fewer parameters.
    assert list(disc.chosen) == ["disc_k2", "disc_k1"]
    assert list(disc.test_mse) == [1, 3] and list(disc.best) == ["disc_k2", "disc_k1"]
    assert list(choice[choice.family == compare.ANY_MODEL].chosen) == ["disc_k2", "elo"]
    row = one(compare.compare_models(compare.with_chosen(scored, choice)), model="disc_chosen", baseline="elo")
    assert row.ratio == pytest.approx(math.sqrt(9 / 1 * 9 / 3)) and row.params_per_player == 3


def test_nothing_is_chosen_without_validation():
    assert compare.choose_k(table({"rps": {"elo": [1, 1], "disc_k1": [1, 1], "disc_k2": [1, 1]}})).empty


# -------------------------------------------------------------------- planted answers


def fitted(payoff: Payoff, models: dict, repeats: int = 4) -> pd.DataFrame:
    """Scores of models under repeated hold-outs with a validation, as scripts/fit.py makes them."""
    splits = hold_out(payoff, 0.2, [generator(0, "hold_out", repeat) for repeat in range(repeats)])
    rows = []
    for name, make in models.items():
        for repeat in range(repeats):
            train, test = splits.split(repeat)
            inner, validation = validation_split(train, 0.2, generator(0, "validation", repeat))
            for split, seen, hidden in (
                ("train", train, train),
                ("test", train, test),
                ("validation", inner, validation),
            ):
                model = make().fit(seen)
                about = {"protocol": "strong", "dataset": "planted", "model": name, "repeat": repeat, "split": split}
                about |= {"n_players": payoff.n_players, "n_params": model.n_params(payoff.n_players)}
                rows.append(about | scores(model, hidden))
    return pd.DataFrame(rows)


MODELS = {
    "elo": Elo,
    "disc_k1": lambda: Disc(1, "joint"),
    "disc_k2": lambda: Disc(2, "joint"),
    "melo_logit_k1": lambda: MEloLogit(1),
    "melo_logit_k2": lambda: MEloLogit(2),
}


def noisy(logits: np.ndarray, rng: np.random.Generator) -> Payoff:
    """A game with these logits, every pair seen in 30 games."""
    i, j = np.triu_indices(len(logits), 1)
    wins = rng.binomial(30, 1 / (1 + np.exp(-logits[i, j])))
    return Payoff(np.arange(len(logits)).astype(str), i, j, wins / 30)


def test_a_planted_disc_game_is_won_by_the_disc():
    rng = np.random.default_rng(3)
    u, v = rng.standard_normal((2, 40))
    scored = fitted(noisy(np.outer(u, v) - np.outer(v, u), rng), MODELS, repeats=3)
    comparison = compare.compare_models(compare.with_chosen(scored, compare.choose_k(scored)))
    for model in ("disc_k1", "disc_chosen"):
        assert one(comparison, model=model, baseline="elo").verdict == ratios.BETTER
    # The game has one pair: m-Elo's ratings only fit noise, and its chosen k is the right one.
    row = one(comparison, model="disc_chosen", baseline="melo_logit_chosen")
    assert row.ratio > 1 and row.baseline_params_per_player == 3
    row = one(comparison, model="disc_k1", baseline="melo_logit_k1")
    assert row.ratio > 1 and row.relation == "fewer parameters"


def test_a_planted_m_elo_game_is_won_by_m_elo():
    rng = np.random.default_rng(5)
    ratings, u, v = rng.standard_normal((3, 40))
    logits = ratings[:, None] - ratings + np.outer(u, v) - np.outer(v, u)
    models = {name: MODELS[name] for name in ("elo", "disc_k1", "melo_logit_k1")}
    comparison = compare.compare_models(fitted(noisy(logits, rng), models))
    assert one(comparison, model="disc_k1", baseline="melo_logit_k1").verdict == ratios.WORSE


@pytest.mark.slow
def test_nothing_beats_elo_on_a_planted_elo_game():
    rng = np.random.default_rng(4)
    ratings = rng.standard_normal(40)
    scored = fitted(noisy(ratings[:, None] - ratings, rng), MODELS)
    choice = compare.choose_k(scored)
    comparison = compare.compare_models(compare.with_chosen(scored, choice))
    against_elo = comparison[comparison.baseline == "elo"]
    assert len(against_elo) == 7 and not (against_elo.verdict == ratios.BETTER).any()
    assert set(choice.chosen[choice.family == compare.ANY_MODEL]) == {"elo"}


def test_a_planted_noise_free_transitive_game_is_a_tie():
    payoff = games.compute("elo_example")
    scored = fitted(payoff, {"elo": Elo, "disc_k1": MODELS["disc_k1"]})
    row = one(compare.compare_models(scored), model="disc_k1", baseline="elo")
    assert row.ratio == pytest.approx(1.0) and row.verdict == ratios.UNDECIDED


# -------------------------------------------------------------------- the best model, where there is evidence for one


def league(p: np.ndarray, i: np.ndarray, j: np.ndarray, games: int, rng: np.random.Generator) -> Payoff:
    """Results of a number of games a pair, drawn from the probabilities."""
    return Payoff(np.arange(1 + j.max()).astype(str), i, j, rng.binomial(games, p) / games, np.full(len(p), games))


def league_scores(payoff: Payoff, models: dict, repeats: int = 5) -> pd.DataFrame:
    """The scores of models on a league, as scripts/fit.py makes them."""
    splits = hold_out(payoff, 0.2, [generator(0, "hold_out", repeat) for repeat in range(repeats)])
    rows = []
    for repeat in range(len(splits.train)):
        train, test = splits.split(repeat)
        for name, make in models.items():
            model = make().fit(train)
            for split, pairs in (("train", train), ("test", test)):
                about = {"protocol": "leagues", "dataset": "mine", "model": name, "repeat": repeat, "split": split}
                about |= {"n_players": train.n_players, "n_params": model.n_params(train.n_players)}
                rows.append(about | scores(model, pairs) | {"n_connected": n_connected(train, pairs)})
    return pd.DataFrame(rows)


LADDER = {
    "constant": Constant,
    "elo": Elo,
    "elo_tuned": lambda: Elo(regularisation="validated", weights="games"),
    "disc_k1": MODELS["disc_k1"],
}
PAIRS = np.triu_indices(16, 1)


def test_where_there_is_only_luck_no_model_is_better_than_a_coin():
    payoff = league(np.full(120, 0.5), *PAIRS, 10, np.random.default_rng(1))
    best = one(compare.best_models(league_scores(payoff, LADDER)))
    assert (best.best, best.score, best.why_not) == ("constant", "game_log_loss", "") and math.isnan(best.lead)
    assert best.best_error == best.coin_error == pytest.approx(math.log(2)) and best.n_test_games == 1200
    assert answer.best_in_words(best, {}).startswith("no model is shown to beat a coin")


def test_skill_is_seen_and_a_richer_model_needs_evidence():
    skill = np.linspace(-2, 2, 16)
    p = 1 / (1 + np.exp(skill[PAIRS[1]] - skill[PAIRS[0]]))
    scored = league_scores(league(p, *PAIRS, 10, np.random.default_rng(2)), LADDER)
    best = one(compare.best_models(scored))
    # The disc has the same Elo in it, and nothing to add.
    assert best.best in ("elo", "elo_tuned") and 0 < best.lead_low < best.lead < best.lead_high
    # With ten games in all there is no ratio, and no best model.
    few = league(np.full(10, 0.5), np.arange(10), np.arange(10) + 1, 1, np.random.default_rng(3))
    few = Payoff(few.players, np.append(few.i, 0), np.append(few.j, 10), np.append(few.p, 1.0), np.ones(11))
    assert "fewer than 20" in one(compare.best_models(league_scores(few, LADDER))).why_not


def test_seven_pairs_in_a_chain_have_no_ratio():
    payoff = league(np.full(7, 0.6), np.arange(7), np.arange(7) + 1, 12, np.random.default_rng(4))
    scored = league_scores(payoff, {"constant": Constant, "elo": Elo, "disc_k1": MODELS["disc_k1"]}, repeats=10)
    best = one(compare.best_models(scored))
    assert best.best == "" and best.why_not == "7 hidden pairs, fewer than 20"
    compared = compare.compare_models(scored)
    assert set(compared.verdict) == {ratios.UNTESTED} and compared.ratio.isna().all() and compared.low.isna().all()
    assert compare.signed_rank(compared, {"all": None}).empty
    assert ratios.elo_ratios(scored).ratio.isna().all()
    assert answer.best_in_words(best, {}) == "not decided: 7 hidden pairs, fewer than 20"


def test_hidden_pairs_that_nothing_connects_say_nothing():
    # Thirty chains of four players: hiding the middle pair cuts one in two.
    starts = np.repeat(4 * np.arange(30), 3) + np.tile(np.arange(3), 30)
    payoff = league(np.full(90, 0.7), starts, starts + 1, 10, np.random.default_rng(5))
    scored = league_scores(payoff, {"constant": Constant, "elo": Elo}, repeats=8)
    assert scored[scored.split == "test"].n_connected.eq(0).all()
    best = one(compare.best_models(scored))
    assert best.best == "" and "connect the players of only 0 of" in best.why_not


def test_one_game_and_one_hold_out_decide_nothing():
    row = {"protocol": "leagues", "dataset": "mine", "model": "elo", "repeat": 0, "n_players": 2, "n_params": 2}
    row |= {"mse": 0.2, "log_loss": 0.6, "game_log_loss": 0.6, "accuracy": 1.0, "n_games": 1.0, "n_connected": 1}
    rows = [row | {"split": split, "n_pairs": 1} for split in ("train", "test")]
    assert one(compare.best_models(pd.DataFrame(rows))).why_not == "1 hidden pair, fewer than 20"
    many = pd.DataFrame([one_row | {"n_pairs": 50, "n_connected": 50} for one_row in rows])
    best = one(compare.best_models(many))
    assert (best.why_not, best.lowest) == ("one hold-out", "elo")
    assert answer.best_in_words(best, {"elo": "Elo"}) == "not decided: one hold-out; lowest error: Elo"


def test_a_tuned_disc_that_kept_no_cycles_is_not_named_before_elo():
    about = {"protocol": "leagues", "dataset": "mine", "n_players": 10, "mse": 0.2, "log_loss": 0.6, "accuracy": 0.5}
    rows = [
        about
        | {"model": model, "n_params": size, "repeat": repeat, "split": split, "n_games": 300.0}
        | {"n_pairs": n, "n_connected": n, "game_log_loss": error + repeat / 1e4 * (size > 0)}
        for model, size, error in (("constant", 0, 0.69), ("disc_tuned", 10, 0.6), ("elo_tuned", 10, 0.6))
        for repeat in range(5)
        for split, n in (("train", 80), ("test", 20))
    ]
    assert one(compare.best_models(pd.DataFrame(rows))).best == "elo_tuned"


@pytest.mark.parametrize(("elo", "called"), [("elo_tuned", "the tuned Elo"), ("elo", "Elo")])
def test_each_model_is_tested_against_the_coin_by_itself(elo, called):
    """Five hold-outs are too few for Bonferroni over the models; Elo's lead over the coin names it all the same."""
    rng = np.random.default_rng(8)
    rows = []
    for model, params, error in (("constant", 0, 0.69), (elo, 10, 0.68), *((f"m{k}", 11, 0.7) for k in range(9))):
        for repeat in range(5):
            about = {"protocol": "leagues", "dataset": "mine", "model": model, "repeat": repeat, "n_players": 10}
            about |= {"n_params": params, "mse": 0.2, "log_loss": 0.6, "accuracy": 0.5, "n_games": 300.0}
            about |= {"game_log_loss": error + 0.004 * rng.normal() * (params > 0)}
            rows += [
                about | {"split": split, "n_pairs": n, "n_connected": n} for split, n in (("train", 80), ("test", 20))
            ]
    best = one(compare.best_models(pd.DataFrame(rows)))
    assert (best.best, best.beat_coin) == (elo, elo) and math.isnan(best.lead)
    assert 0 < best.tuned_lead_low < best.tuned_lead < best.tuned_lead_high
    assert answer.best_in_words(best, {}).startswith(
        f"5 hold-outs do not suffice to rank the models; {called} beats a coin by {best.tuned_lead:.3f} ["
    )
    # A model that was not asked about beforehand needs the lead that allows for all of them.
    other = one(compare.best_models(pd.DataFrame(rows).replace({elo: "mine"})))
    assert (other.best, other.beat_coin) == ("constant", "mine")
    assert "each of these does: mine" in answer.best_in_words(other, {})
    # Each model lacks a hold-out: nothing is named, and nothing breaks.
    scored = pd.DataFrame(rows)
    lacking = scored[scored.repeat != scored.n_params % 2]
    lacking = pd.concat([lacking, lacking.assign(model=lacking.model + "_b", repeat=lacking.repeat + 7)])
    best = one(compare.best_models(lacking))
    assert (best.best, best.why_not) == ("", compare.INCOMPLETE)
    assert answer.best_in_words(best, {}) == f"not decided: {compare.INCOMPLETE}"


def test_one_difference_in_all_hold_outs_gives_no_interval():
    assert np.isnan(ratios.corrected_interval([0.1] * 5, 0.25)[1:]).all()
    assert ratios.corrected_interval([0.0] * 5, 0.25) == (0, 0, 0)
    assert compare._named({"a": np.full(5, 0.7), "b": np.full(5, 0.6)}, 0.25)[0] == "a"
    assert "no interval can be estimated" in ratios.interval_in_words(1.1, math.nan, math.nan, 5)


def test_pairs_around_a_hub_are_not_counted_again():
    """A star and one more pair: only three pairs can be hidden, however often they are."""
    i, j = np.append(np.zeros(29, dtype=int), 1), np.append(np.arange(1, 30), 2)
    payoff = league(np.full(30, 0.5), i, j, 8, np.random.default_rng(9))
    rows = []
    for repeat in range(30):
        hidden = np.arange(30) == (0, 1, 29)[repeat % 3]
        train, test = payoff.select_pairs(~hidden), payoff.select_pairs(hidden)
        for split, pairs in (("train", train), ("test", test)):
            about = {"protocol": "leagues", "dataset": "mine", "model": "elo", "repeat": repeat, "split": split}
            about |= {"n_players": 30, "n_params": 30} | scores(Elo().fit(train), pairs)
            rows.append(about | {"n_connected": n_connected(train, pairs), "n_hideable": n_hideable(train, pairs)})
    assert one(compare.best_models(pd.DataFrame(rows))).why_not == "3 hidden pairs, fewer than 20"


def test_a_richer_model_is_seldom_named_by_luck():
    rng = np.random.default_rng(6)
    names = list("abcdef")
    named = [compare._named(dict(zip(names, rng.normal(size=(6, 5)), strict=True)), 0.25)[0] for _ in range(400)]
    assert np.mean(np.array(named) != "a") <= 0.05
    # A lead over some simpler models is not enough, one over all is.
    base = rng.normal(size=5) * 0.01
    means = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 1.0}
    errors = {name: mean + base + rng.normal(size=5) * 1e-3 for name, mean in means.items()}
    assert compare._named(errors, 0.25)[0] == "b"
    assert compare._named(errors | {"e": 0.5 + base + rng.normal(size=5) * 1e-3}, 0.25)[0] == "e"


# -------------------------------------------------------------------- the answer and the script


def test_leagues_have_their_part_of_the_answer(tmp_path):
    rng = np.random.default_rng(7)
    rows = []
    for dataset, gains in (("league_1", 0.1), ("league_2", 0.0), ("not_the_papers", 0.2)):
        for model, params, error in (("constant", 0, 0.69), ("elo", 10, 0.69 - gains), ("elo_tuned", 10, 0.7 - gains)):
            for repeat in range(5):
                about = {"protocol": "leagues", "dataset": dataset, "model": model, "repeat": repeat}
                about |= {"n_players": 10, "n_params": params, "accuracy": 0.5, "mse": 0.2, "log_loss": 0.6}
                about |= {"game_log_loss": error + 1e-3 * rng.normal() * (params > 0)}
                for split, n in (("train", 80), ("test", 20)):
                    rows.append(about | {"split": split, "n_pairs": n, "n_games": 3.0 * n, "n_connected": n})
    found = run(tmp_path / "out", pd.DataFrame(rows))["answer"].decode()
    simulated, real = found.splitlines()
    assert "2 datasets of simulated leagues" in simulated
    assert '"Elo" on 1 (League, 1 game, ahead of every simpler model by 0.1' in simulated
    assert "no model is shown to beat a coin on 1 (League, 2 games, lead of the tuned Elo over a coin −0.0" in simulated
    assert "5 hold-outs, 100 hidden pairs" in simulated
    assert "1 dataset of leagues of real results" in real and '"Elo" on 1 (not_the_papers' in real


@pytest.fixture
def strong() -> pd.DataFrame:
    rng = np.random.default_rng(0)

    def near(value: float) -> list[float]:
        return list(value * np.exp(0.01 * rng.standard_normal(4)))

    better = {"elo": near(4), "disc_k1": near(2), "disc_k2": near(1), "melo_k1": near(3), "melo_k2": near(2)}
    worse = {"elo": near(4), "disc_k1": near(3), "disc_k2": near(2), "melo_k1": near(2), "melo_k2": near(1)}
    games = {"kuhn_poker": better, "blotto_5_4": worse, "blotto_5_5": worse, "not_the_papers": better}
    return table(games, games)


def run(folder: Path, scored: pd.DataFrame) -> dict[str, bytes]:
    folder.mkdir()
    scored.to_csv(folder / "scores.csv", index=False)
    fits = scored[scored.split == "test"].assign(converged=True, separated=False, spread=None)
    fits.to_csv(folder / "timings.csv", index=False)
    labels = {"kuhn_poker": "Kuhn $\\poker", "blotto_5_4": "5,4-Blotto", "blotto_5_5": "5,5-Blotto"}
    labels |= {"league_1": "League, 1 game", "league_2": "League, 2 games", "not_the_papers": None}
    datasets = pd.DataFrame(labels.items(), columns=["dataset", "label"])
    datasets["league"] = ["league" if name.startswith("league") else None for name in datasets.dataset]
    datasets.assign(simulated=datasets.league.notna()).to_csv(folder / "datasets.csv", index=False)
    flags = ["--scores", "scores.csv", "--timings", "timings.csv", "--datasets", "datasets.csv"]
    outputs = {
        "--comparison": "comparison",
        "--signed-rank": "ranks",
        "--best": "best",
        "--choice-of-k": "choice",
        "--optima": "optima",
        "--answer": "answer",
    }
    flags += [part for flag, name in outputs.items() for part in (flag, f"{name}.out")]
    arguments = [flag if flag.startswith("--") else str(folder / flag) for flag in flags]
    script("model_comparison").main([*arguments, "--paper", str(ROOT / "workflow" / "paper" / "figure_5.csv")])
    return {name: (folder / f"{name}.out").read_bytes() for name in outputs.values()}


def test_the_script_writes_its_tables_and_the_answer(tmp_path, strong, monkeypatch):
    few = run(tmp_path / "few", strong)["answer"].decode().splitlines()
    monkeypatch.setattr(answer, "FEWEST_GAMES", 3)
    first = run(tmp_path / "first", strong)
    # Medians and tests over fewer games are left out, and nothing else.
    full = first["answer"].decode().splitlines()
    short = full[0].split(" Each number")[0]
    assert [short, *(line for line in full[1:] if "k = 1, 2" not in line and "fewer than with" not in line)] == few
    ranks = pd.read_csv(tmp_path / "first" / "ranks.out")
    assert list(ranks.columns) == compare.SIGNED_RANK and set(ranks.games) == {"paper", "all"}
    comparison = pd.read_csv(tmp_path / "first" / "comparison.out")
    assert list(comparison.columns) == compare.COMPARISON and (comparison.not_converged == 0).all()
    said = dict(zip(("what", "equal", "richer", "chosen", "optima"), full, strict=True))
    # Two Blottos are one game: three families in all.
    assert "4 games" in said["what"] and "as one: 3 in all; 4 hold-outs a game" in said["what"]
    none = ratios.NO_INTERVAL
    assert f"Elo 1.99 {none}, 4.03 {none} at k = 1, 2 (p = 0.25, 0.25)" in said["equal"]
    # At equal k m-Elo's error is 1.5 and 2 times the disc's in two of three families; the disc with k + 1: 3 times.
    assert f"m-Elo as Equation 20 writes it 1.48 {none}, 2.02 {none} at" in said["equal"]
    assert "n fewer than with k + 1" in said["richer"] and "writes it 2.9" in said["richer"]
    assert "better on 4 (" in said["chosen"] and "worse on 0 and neither beyond error on 0 of 4 games" in said["chosen"]
    assert "Of the 80 fits behind these numbers, 0 did not converge and 0 belong" in said["optima"]


def test_a_game_may_be_called_null(tmp_path, strong):
    found = run(tmp_path / "found", strong.replace({"dataset": {"kuhn_poker": "null"}}))
    for name in ("comparison", "choice"):
        frame = pd.read_csv(tmp_path / "found" / f"{name}.out", keep_default_na=False)
        assert set(frame.dataset) == {"null", "blotto_5_4", "blotto_5_5", "not_the_papers"}
    assert "better on 4 (" in found["answer"].decode() and "null" in found["answer"].decode()


def test_a_run_without_repeated_hold_outs_says_so(tmp_path, strong):
    found = run(tmp_path / "out", strong.assign(protocol="written"))
    assert found["answer"].decode().startswith("This run has no repeated hold-outs")
    single = strong[(strong.repeat == 0) & (strong.split != "validation")]
    found = run(tmp_path / "single", single)
    assert found["answer"].decode().startswith("This run has no repeated hold-outs")


# -------------------------------------------------------------------- better optima


def test_optima_are_those_of_the_same_pairs_and_hold_out():
    rows = [
        ("written", "rps", "disc_k2", 0, "train", 10, 0.5, 0.1),
        ("written", "rps", "disc_k2", 0, "test", 4, 0.9, 0.2),
        ("written", "rps", "disc_joint_k2", 0, "train", 10, 0.25, 0.05),
        ("written", "rps", "disc_joint_k2", 0, "test", 4, 0.8, 0.4),
        # Without its counterpart: another k, another hold-out, another protocol, another family.
        ("written", "rps", "disc_k3", 0, "train", 10, 0.1, 0.1),
        ("written", "rps", "disc_joint_k2", 1, "train", 10, 0.1, 0.1),
        ("strong", "rps", "disc_k2", 0, "train", 10, 0.1, 0.1),
        ("written", "rps", "disc_chosen", 0, "train", 10, 0.1, 0.1),
        ("written", "rps", "melo_k2", 0, "train", 10, 0.1, 0.1),
        ("written", "rps", "elo", 0, "train", 10, 0.1, 0.1),
    ]
    columns = "protocol dataset model repeat split n_pairs log_loss mse".split()
    scores = pd.DataFrame(rows, columns=columns)
    fits = scores[["protocol", "dataset", "model", "repeat"]].drop_duplicates()
    joint = fits.model == "disc_joint_k2"
    fits = fits.assign(spread=np.where(joint, 0.125, np.nan), separated=joint)
    found = compare.compare_optima(scores, fits)
    assert list(found.columns) == compare.OPTIMA and len(found) == 1
    row = found.iloc[0]
    assert tuple(row[["protocol", "dataset", "k", "repeat"]]) == ("written", "rps", 2, 0)
    assert (row.train_log_loss, row.joint_train_log_loss, row.train_gain) == (0.5, 0.25, 0.25)
    assert (row.test_mse, row.joint_test_mse, row.test_ratio) == (0.2, 0.4, 0.5)
    assert row.spread == 0.125 and row.separated
    assert len(compare.compare_optima(scores[scores.model == "elo"], fits)) == 0


# -------------------------------------------------------------------- the script that fits


def test_fits_are_scored_on_a_validation_that_all_models_share(run_script, tmp_path):
    payoff = noisy(np.subtract.outer(np.arange(8.0), np.arange(8.0)), np.random.default_rng(0))
    payoff.save(tmp_path / "payoff.npz")
    protocol = {"hold_out": "random", "share": 0.2, "repeats": 2, "validation": 0.2, "solver": "joint"}
    flags = ["--dataset", "mine", "--payoff", tmp_path / "payoff.npz", "--protocols", json.dumps({"strong": protocol})]
    found = {}
    for model, instances in (("elo", '{"elo": {}}'), ("disc", '{"disc_k1": {"n_components": 1}}')):
        file = ROOT / "src" / "transitivity" / "models" / f"{model}.py"
        outputs = ["--scores", tmp_path / f"{model}.csv", "--fits", tmp_path / f"{model}.fits.csv"]
        assert run_script("fit", *flags, "--model", file, "--instances", instances, *outputs) is None
        found[model] = pd.read_csv(tmp_path / f"{model}.csv")
        fits = pd.read_csv(tmp_path / f"{model}.fits.csv")
        # One row a fit to train, none for the fits that the validation needs.
        assert len(fits) == 2 and fits.converged.all()
    pairs = found["elo"].set_index(["repeat", "split"]).n_pairs
    assert set(found["elo"].split) == {"train", "test", "validation"}
    assert (pairs == found["disc"].set_index(["repeat", "split"]).n_pairs).all()
    # 28 pairs: 6 are hidden, and 4 of the other 22 once more.
    assert pairs[0, "validation"] == 4 and pairs[0, "test"] == 6
    # A validation error is not a training error.
    assert found["disc"].pivot(index="repeat", columns="split", values="mse").nunique(axis=1).eq(3).all()


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((1.2, 1.1, 1.31, 5), "1.20 [1.10, 1.31]"),
        ((0.42, 1e-12, 6e14, 2), "0.42 [0.00, unbounded]"),
        ((0.42, 0.001, 42.5, 2), "0.42 [0.00, unbounded]"),
        ((11.36, 0.45, 288.0, 5), "11 [0.45, unbounded]"),
        # Large, but bounded.
        ((90.36, 16.17, 504.9, 5), "90 [16, 505]"),
        ((1601.2, 1350.0, 1900.0, 5), "1,601 [1,350, 1,900]"),
        ((1.5, math.nan, math.nan, 1), "1.50 (one hold-out)"),
        ((math.nan, math.nan, math.nan, 3), "nan (no interval can be estimated)"),
        ((1.5, 0.0, math.inf, 2), "1.50 [0.00, unbounded]"),
    ],
)
def test_intervals_are_read_at_once(interval, words):
    assert ratios.interval_in_words(*interval) == words
