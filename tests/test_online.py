"""Sequential ratings: worked examples, gradients, rating periods, and the compiled loops against numpy."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from transitivity.errors import InputError
from transitivity.native import library
from transitivity.online import FIDE, Glicko2, Online, OnlineDisc, OnlineElo, OnlineMElo
from transitivity.online.verify import _Numpy

SCHEDULE = [(5, None, 40.0), (None, 1520, 20.0), (None, None, 10.0)]
MODELS = {
    "elo": OnlineElo,
    "elo by schedule": lambda **given: OnlineElo(k=SCHEDULE, **given),
    "elo with a floor": lambda **given: OnlineElo(k=60, floor=1450, **given),
    "elo recentred": lambda **given: OnlineElo(k=SCHEDULE, floor=1450, recentre=True, **given),
    "disc": lambda **given: OnlineDisc(step=0.3, **given),
    "melo": lambda **given: OnlineMElo(step=0.2, cyclic_step=0.3, spread=0.5, **given),
    "melo, k = 3": lambda **given: OnlineMElo(3, step=0.2, cyclic_step=0.3, spread=0.5, **given),
    "glicko2": Glicko2,
}
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
compiled_models = pytest.mark.parametrize(
    "make", [make for name, make in MODELS.items() if name != "glicko2"], ids=[*MODELS][:-1]
)


def games(n_players: int = 12, n_games: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, n_players, n_games)
    b = (a + rng.integers(1, n_players, n_games)) % n_players
    strength = rng.normal(0, 1, n_players)
    score = (rng.random(n_games) < expit(strength[a] - strength[b])).astype(float)
    score[::5] = 0.5
    score[::7] = rng.random(len(score[::7]))
    return a, b, score


def named(numbers: np.ndarray) -> list[str]:
    return [f"player {number}" for number in numbers]


def started(ratings: dict[str, float], **given) -> OnlineElo:
    elo = OnlineElo(**given)
    elo.start(ratings)
    return elo


def rating(model: Online) -> dict[str, float]:
    frame = model.ratings()
    return dict(zip(frame["id"], frame["rating"], strict=True))


# -------------------------------------------------------------------- Elo by hand


@pytest.mark.parametrize(
    ("a", "b", "score", "after_a", "after_b"),
    [
        (1500, 1500, 1, 1516, 1484),
        (1500, 2000, 1, 1530.2963, 1969.7037),
        (2000, 1500, 1, 2001.7037, 1498.2963),
        (1500, 1500, 0.5, 1500, 1500),
        (2000, 1600, 1, 2002.9, 1597.1),
        (2000, 1600, 0.5, 1986.9, 1613.1),
        (2000, 1600, 0, 1970.9, 1629.1),
    ],
)
def test_elo_of_one_game(a, b, score, after_a, after_b):
    elo = started({"a": a, "b": b})
    elo.update("a", "b", score)
    digits = 4 if round(after_a, 1) != after_a else 1
    assert round(rating(elo)["a"], digits) == after_a
    assert round(rating(elo)["b"], digits) == after_b


def test_200_points_are_an_expected_score_of_76_per_cent():
    elo = started({"a": 1700, "b": 1500})
    assert elo.predict("a", "b") == pytest.approx(0.7597, abs=5e-5)
    assert elo.predict("b", "a") == pytest.approx(1 - elo.predict("a", "b"), abs=1e-15)


def test_a_share_of_the_points_is_a_score():
    elo = OnlineElo()
    elo.update("home", "guest", 51 / 82)
    assert rating(elo)["home"] == pytest.approx(1500 + 32 * (51 / 82 - 0.5))
    assert elo.ratings()[["wins", "draws", "losses"]].to_numpy().tolist() == [[1, 0, 0], [0, 0, 1]]


def test_the_k_of_a_schedule_depends_on_games_and_rating():
    elo = OnlineElo(k=FIDE)
    k = elo.factors(np.array([0, 29, 30, 30, 500]), np.array([2500, 1500, 2399, 2400, 1200]))
    assert k.tolist() == [40, 40, 20, 10, 20]
    elo.start({"a": 2450.0, "b": 2450.0})
    for played in range(32):
        before = rating(elo)["a"]
        forecast = elo.update("a", "b", 1)[0]
        expected = 40 if played < 30 else 10
        assert rating(elo)["a"] - before == pytest.approx(expected * (1 - forecast))


def test_no_rating_falls_below_the_floor():
    elo = OnlineElo(floor=1490)
    elo.update(["a"] * 5, ["b"] * 5, np.ones(5))
    assert rating(elo)["b"] == 1490 and rating(elo)["a"] > 1560


@pytest.mark.parametrize("time", [None, np.repeat(np.arange(60), 5)])
def test_one_k_conserves_the_sum_and_recentring_the_mean(time):
    elo = OnlineElo()
    elo.update(*games(), time)
    assert elo.zero_sum and sum(rating(elo).values()) == pytest.approx(1500 * 12, abs=1e-8)
    for recentre in (False, True):
        open_pool = OnlineElo(k=SCHEDULE, floor=1450, recentre=recentre)
        open_pool.update(*games(), time)
        mean = np.mean(list(rating(open_pool).values()))
        assert not open_pool.zero_sum and (abs(mean - 1500) < 1e-8) == recentre


def test_newcomers_of_a_recentred_pool_start_from_its_mean():
    elo = OnlineElo(k=[(1, None, 100), (None, None, 10)], recentre=True)
    elo.update(["a", "b", "c"], ["b", "c", "d"], [1, 1, 1])
    # By hand: the mean of those who have played is 1500 after each game, and who is new has 1500 then.
    a, b, rest = 1550.0, 1450.0, {}
    forecast = 1 / (1 + 10 ** ((1500 - b) / 400))
    b, c = b + 10 * (1 - forecast), 1500 - 100 * (1 - forecast)
    shift = (a + b + c) / 3 - 1500
    a, b, c = a - shift, b - shift, c - shift
    forecast = 1 / (1 + 10 ** ((1500 - c) / 400))
    rest = {"a": a, "b": b, "c": c + 10 * (1 - forecast), "d": 1500 - 100 * (1 - forecast)}
    shift = sum(rest.values()) / 4 - 1500
    assert rating(elo) == pytest.approx({name: value - shift for name, value in rest.items()}, abs=1e-9)


def test_a_sum_that_updates_change_is_told(monkeypatch):
    def broken(self, players, changes):
        self._state[players, 0] += 32 * np.abs(changes[:, 0])

    monkeypatch.setattr(library, "load", lambda: None)
    monkeypatch.setattr(OnlineElo, "_apply", broken)
    with pytest.raises(ArithmeticError, match="sum of the ratings"):
        OnlineElo().update("a", "b", 1)


def test_elo_is_that_of_evalica():
    evalica = pytest.importorskip("evalica", reason="needs the extra 'benchmarks'")
    a, b, score = games()
    score = np.round(2 * score) / 2
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    theirs = evalica.elo(named(a), named(b), [winner[one] for one in score], initial=1500, k=32).scores
    elo = OnlineElo()
    elo.update(named(a), named(b), score)
    assert rating(elo) == pytest.approx(theirs.to_dict(), abs=1e-8)


# -------------------------------------------------------------------- intervals of Elo


@pytest.mark.parametrize("k", [16.0, FIDE])
def test_intervals_hold_the_mean_over_replays(k):
    """Were the same games played again and again, 95 % of ratings would be within their interval of the mean."""
    rng = np.random.default_rng(1)
    n, replays = 50, 100
    a = rng.integers(0, n, 4000)
    b = (a + rng.integers(1, n, 4000)) % n
    strength = rng.normal(1500, 150, n)
    chances = 1 / (1 + 10 ** ((strength[b] - strength[a]) / 400))
    found = []
    for _ in range(replays):
        elo = OnlineElo(k=k)
        elo.update(a, b, (rng.random(len(a)) < chances).astype(float))
        frame = elo.ratings().assign(id=lambda frame: frame["id"].astype(int)).sort_values("id")
        found.append(frame[["low", "rating", "high"]].to_numpy())
    low, ratings, high = np.moveaxis(found, -1, 0)
    mean = ratings.mean(axis=0)
    assert 0.94 < ((low <= mean) & (mean <= high)).mean() < 0.98


def test_the_interval_widens_with_luck_and_the_start_is_forgotten():
    elo = OnlineElo()
    elo.start({"c": 1500.0})
    elo.update(["a"] * 40, ["b"] * 40, np.tile([1.0, 0.0], 20))
    frame = elo.ratings().set_index("id")
    assert frame.loc["c", "low"] == frame.loc["c", "high"] == 1500 and frame.loc["c", "start_weight"] == 1
    assert 80 < frame.loc["a", "high"] - frame.loc["a", "rating"] < 160
    assert frame.loc["a", "start_weight"] == pytest.approx((1 - 32 * math.log(10) / 1600) ** 40, rel=0.1)
    narrow = elo.ratings(level=0.5).set_index("id")
    assert narrow.loc["a", "high"] < frame.loc["a", "high"]


# -------------------------------------------------------------------- gradients


def log_loss(make, state: np.ndarray, score: float) -> float:
    model = make()
    model.update(0, 1, 0.5)
    model._state = state
    p = model.predict(0, 1)
    return -(score * np.log(p) + (1 - score) * np.log(1 - p))


@pytest.mark.parametrize("score", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: OnlineDisc(step=0.2), [0.2, 0.2]),
        (lambda: OnlineMElo(2, step=0.2, cyclic_step=0.05), [0.2, *[0.05] * 4]),
    ],
    ids=["disc", "melo"],
)
def test_a_game_is_a_gradient_step_on_its_log_loss(make, steps, score):
    """Equations 8 and 9 in all of (u, v) of both players; m-Elo likewise."""
    state = np.random.default_rng(3).normal(size=(2, len(steps)))
    gradient = np.empty_like(state)
    for place in np.ndindex(*state.shape):
        ends = []
        for sign in (1, -1):
            moved = state.copy()
            moved[place] += sign * 1e-6
            ends.append(log_loss(make, moved, score))
        gradient[place] = (ends[0] - ends[1]) / 2e-6
    model = make()
    model.update(0, 1, 0.5)
    model._state = state.copy()
    model.update(0, 1, score)
    np.testing.assert_allclose(model._state - state, -np.array(steps) * gradient, atol=1e-8)


def test_the_consistency_of_the_disc_moves():
    disc = OnlineDisc(step=0.3)
    disc.update(*games())
    assert disc.ratings()["consistency"].std() > 0.05


def test_disc_and_melo_learn_a_cycle_that_elo_cannot():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 60_000)
    b = (a + rng.integers(1, 3, len(a))) % 3
    # Rock, scissors, paper: each beats the next with probability 0.9.
    score = (rng.random(len(a)) < np.where((b - a) % 3 == 1, 0.9, 0.1)).astype(float)
    winner, loser = np.array([0, 1, 2]), np.array([1, 2, 0])
    melo = OnlineMElo(step=0.02, cyclic_step=0.02)
    melo.update(a, b, score)
    assert (melo.predict(winner, loser) > 0.8).all()
    elo = OnlineElo(k=2)
    elo.update(a, b, score)
    assert (np.abs(elo.predict(winner, loser) - 0.5) < 0.1).all()


# -------------------------------------------------------------------- Glicko-2


def test_the_worked_example_of_glicko_2():
    glicko = Glicko2(tau=0.5)
    glicko.start("player", 1500, 200, 0.06)
    opponents = {"first": (1400, 30), "second": (1550, 100), "third": (1700, 300)}
    for name, (points, deviation) in opponents.items():
        glicko.start(name, points, deviation)
    glicko.update(["player"] * 3, list(opponents), [1, 0, 0])
    player = glicko.ratings().set_index("id").loc["player"]
    # The note rounds on its way: without that, the rating is 1464.05.
    assert player["rating"] == pytest.approx(1464.06, abs=0.02)
    assert player["deviation"] == pytest.approx(151.52, abs=0.01)
    assert player["volatility"] == pytest.approx(0.05999, abs=1e-5)
    assert player["high"] - player["rating"] == pytest.approx(1.96 * player["deviation"], rel=1e-4)


@pytest.mark.parametrize(("period", "missed"), [(None, 1), (1.0, 8)])
def test_the_deviation_of_who_sits_out_grows(period, missed):
    glicko = Glicko2(period=period)
    glicko.update(["a"], ["b"], [1], [1.0])
    before = glicko.ratings().set_index("id").loc["a"]
    glicko.update(["c"], ["b"], [1], [9.0])
    after = glicko.ratings().set_index("id").loc["a"]
    grown = np.hypot(before["deviation"], np.sqrt(missed) * 173.7178 * before["volatility"])
    assert after["deviation"] == pytest.approx(grown) and after["rating"] == before["rating"]


def test_volatility_solves_its_equation():
    """Step 5 of the note, far from the worked example: upsets, and results more even than expected."""
    glicko, rng = Glicko2(), np.random.default_rng(0)
    phi, v = rng.uniform(0.2, 2, 200), rng.uniform(0.05, 5, 200)
    delta, sigma = rng.normal(0, 4, 200), rng.uniform(0.02, 0.2, 200)
    x = 2 * np.log(glicko._volatility(delta, phi, v, sigma))
    spread = phi**2 + v + np.exp(x)
    left = np.exp(x) * (delta**2 - spread) / (2 * spread**2)
    np.testing.assert_allclose(left, (x - np.log(sigma**2)) / 0.25, atol=1e-4)


# -------------------------------------------------------------------- periods and order


@each_model
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_the_order_within_a_period_does_not_matter(make, seed):
    a, b, score = games(n_games=60)
    time = np.sort(np.random.default_rng(seed).integers(0, 8, len(a)))
    shuffled = np.random.default_rng(seed).permutation(len(a))
    order = shuffled[np.argsort(time[shuffled], kind="stable")]
    one, other = make(), make()
    forecasts = one.update(named(a), named(b), score, time)
    np.testing.assert_allclose(
        other.update(named(a[order]), named(b[order]), score[order], time[order]), forecasts[order], atol=1e-12
    )
    assert rating(other) == pytest.approx(rating(one), abs=1e-8)


@each_model
def test_the_sides_of_a_game_can_be_exchanged(make):
    a, b, score = games(n_games=60)
    time = np.arange(60) // 4
    one, other = make(), make()
    one.update(named(a), named(b), score, time)
    other.update(named(b), named(a), 1 - score, time)
    assert rating(other) == pytest.approx(rating(one), abs=1e-9)
    names = one.players
    np.testing.assert_allclose(one.predict(names[:5], names[5:10]), 1 - one.predict(names[5:10], names[:5]), atol=1e-12)


@each_model
def test_games_can_come_in_parts(make):
    a, b, score = games()
    time = np.arange(300) // 3
    whole, parts = make(), make()
    forecasts = whole.update(a, b, score, time)
    found = [parts.update(a[k : k + 30], b[k : k + 30], score[k : k + 30], time[k : k + 30]) for k in range(0, 300, 30)]
    np.testing.assert_allclose(np.concatenate(found), forecasts, atol=1e-12)
    pd.testing.assert_frame_equal(parts.ratings(), whole.ratings())


@each_model
def test_a_period_of_the_calendar_joins_its_days(make):
    a, b, score = games(n_games=4)
    days = np.array(["2020-01-03", "2020-01-31", "2020-02-01", "2020-02-02"], dtype="datetime64[D]")
    by_month, by_number = make(period="month"), make(period=1.0)
    by_month.update(a, b, score, days)
    by_number.update(a, b, score, [0, 0, 1, 1])
    pd.testing.assert_frame_equal(by_month.ratings(), by_number.ratings())


def test_the_sum_of_the_changes_of_a_period_is_taken():
    elo = OnlineElo()
    forecasts = elo.update(["a", "a", "b"], ["b", "c", "c"], [1, 1, 0.5], ["2020-01-01"] * 3)
    assert forecasts.tolist() == [0.5] * 3
    assert rating(elo) == {"a": 1532, "b": 1484, "c": 1484}


# -------------------------------------------------------------------- compiled and not


@compiled_models
@pytest.mark.parametrize("time", [None, np.repeat(np.arange(100), 3), np.sort(np.arange(300) % 7)])
def test_the_compiled_loop_does_as_numpy_does(make, time, monkeypatch):
    assert library.load() is not None
    compiled, plain = make(), make()
    forecasts = compiled.update(*games(), time)
    monkeypatch.setattr(library, "load", lambda: None)
    np.testing.assert_allclose(plain.update(*games(), time), forecasts, atol=1e-12)
    np.testing.assert_allclose(plain._state, compiled._state, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(plain._counts, compiled._counts, atol=1e-10)


# -------------------------------------------------------------------- what users see


@each_model
def test_names_and_numbers_are_the_same_players(make):
    a, b, score = games()
    by_number, by_name = make(), make()
    by_number.update(a, b, score)
    by_name.update([str(number) for number in a], [str(number) for number in b], score)
    pd.testing.assert_frame_equal(by_name.ratings(), by_number.ratings())
    place = by_name.players.index("3")
    assert by_name.predict("3", "5") == by_name.predict(place, by_name.players.index("5"))


@each_model
def test_what_is_counted(make):
    a, b, score = games()
    model = make()
    forecasts = model.update(a, b, score)
    frame = model.ratings().set_index("id")
    assert frame["rating"].is_monotonic_decreasing
    for player in range(12):
        won = np.concatenate([score[a == player], 1 - score[b == player]])
        expected = np.concatenate([forecasts[a == player], 1 - forecasts[b == player]])
        row = frame.loc[str(player)]
        assert (row["matches"], row["wins"], row["draws"], row["losses"]) == (
            len(won),
            (won > 0.5).sum(),
            (won == 0.5).sum(),
            (won < 0.5).sum(),
        )
        assert row["score"] == pytest.approx(won.sum())
        assert row["expected_score"] == pytest.approx(expected.sum())
    assert isinstance(frame["interval_method"].iloc[0], str)


@each_model
def test_a_rated_pool_can_be_kept(make):
    model = make()
    model.update(*games())
    kept = pickle.loads(pickle.dumps(model))
    kept.update(0, 1, 1)
    model.update(0, 1, 1)
    pd.testing.assert_frame_equal(kept.ratings(), model.ratings())
    assert repr(kept) == repr(model)


@each_model
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((["a", "b"], ["b", "b"], [1, 1]), "Game 2 .*'b' against itself"),
        ((["a"], ["b"], [1.5]), r"Game 1 .*score 1\.5"),
        ((["a"], ["b"], [np.nan]), "Game 1 .*score nan"),
        ((["a"], ["b", "c"], [1]), "1 players a, 2 players b and 1 scores"),
        ((["a"], [None], [1]), "called None"),
        (([-1], [2], [1]), "no player -1"),
        ((["a", "a"], ["b", "b"], [1, 1], [2, 1]), "Game 2 .*earlier"),
        ((["a"], ["b"], [1], [np.nan]), "Game 1 has no time"),
        ((["a"], ["b"], [1], ["yesterday evening"]), "not a date"),
        ((["a"], ["b"], [1], [1, 2]), "2 times and 1 games"),
    ],
)
def test_bad_games_are_refused_and_change_nothing(make, given, says):
    model = make()
    with pytest.raises(InputError, match=says):
        model.update(*given)
    assert model.players == [] and len(model.ratings()) == 0


def test_a_period_cannot_be_split_or_come_late():
    elo = OnlineElo()
    elo.update("a", "b", 1, 5)
    for time in (5, 4):
        with pytest.raises(InputError, match="later period"):
            elo.update("a", "b", 1, time)
    with pytest.raises(InputError, match="had times"):
        elo.update("a", "b", 1)


def test_names_and_numbers_do_not_mix():
    by_number, by_name = OnlineElo(), OnlineElo()
    by_number.update(0, 1, 1)
    by_name.update("a", "b", 1)
    with pytest.raises(InputError, match="numbers"):
        by_number.update("a", "b", 1)
    with pytest.raises(InputError, match="no player 2"):
        by_name.update(0, 2, 1)
    with pytest.raises(InputError, match="did you mean 'Carlsen'"):
        started({"Carlsen": 2800.0, "Caruana": 2800.0}).predict("Carlson", "Caruana")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: OnlineElo(k=0), "k is 0"),
        (lambda: OnlineElo(k=[(30, None, 40)]), "None, None, K"),
        (lambda: OnlineElo(k=[(None, None, 40), (None, None, 20)]), "no row before"),
        (lambda: OnlineElo(k=[(30, None, 40), (20, None, 30), (None, None, 20)]), "never apply"),
        (lambda: OnlineElo(k="fide"), "k is 'fide'"),
        (lambda: OnlineElo(floor=1600), "floor"),
        (lambda: OnlineElo(initial=math.nan), "initial"),
        (lambda: OnlineElo(period="fortnight"), "fortnight"),
        (lambda: OnlineDisc(step=-1), "step"),
        (lambda: OnlineMElo(n_components=0), "n_components"),
        (lambda: Glicko2(tau=0), "tau"),
        (lambda: OnlineElo(period="day").update("a", "b", 1, 3), "times are numbers"),
        (lambda: OnlineElo(period=2.0).update("a", "b", 1, "2020-01-01"), "times are dates"),
        (lambda: OnlineElo(period="day").update("a", "b", 1), "needs the times"),
        (lambda: Glicko2(initial="high"), "initial"),
        (lambda: Glicko2().start("a", 1500, -1), "deviation"),
        (lambda: OnlineElo().ratings(level=95), "level"),
        (lambda: started({"a": 1.0}, floor=100), "below the floor"),
    ],
)
def test_bad_parameters_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_steps_that_diverge_are_told():
    disc = OnlineDisc(step=50.0)
    a, b, score = games()
    with pytest.raises(InputError, match="smaller steps"):
        for _ in range(50):
            disc.update(a, b, score)


def test_periods_too_long_for_k_are_told():
    elo = OnlineElo()
    with pytest.warns(UserWarning, match="2 players .* shorter periods or a smaller K"):
        elo.update(["a"] * 60, ["b"] * 60, np.tile([1.0, 0.0], 30), np.zeros(60))
    assert (elo.ratings()["start_weight"] > 1).all()


def test_weeks_begin_on_mondays():
    elo = OnlineElo(period="week")
    # A Sunday, the Monday after it and the next Sunday.
    forecasts = elo.update(["a"] * 3, ["b"] * 3, [1, 1, 1], ["2024-05-05", "2024-05-06", "2024-05-12"])
    assert forecasts[0] == 0.5 and forecasts[1] == forecasts[2] > 0.5


@each_model
def test_numbers_without_a_game_are_not_rated(make):
    model = make()
    model.update([7, 7], [3, 5], [1, 0])
    assert sorted(model.ratings()["id"]) == ["3", "5", "7"]
    with pytest.raises(InputError, match=r"no player 1000000000; .* 0 to 99999999"):
        model.update(1_000_000_000, 1, 1)


@pytest.mark.parametrize(
    "make", [lambda: OnlineElo(k=FIDE), OnlineDisc, lambda: OnlineMElo(2), lambda: Glicko2(period="month")]
)
def test_ratings_are_saved_loaded_and_updated(make, tmp_path):
    a, b, score = ["Ann", "Bob", "NA", "Ann"], ["Bob", "NA", "Ann", "Zoë"], [1, 0.5, 0, 1]
    time = ["2024-01-01", "2024-01-20", "2024-03-01", "2024-04-02"]
    whole, first = make(), make()
    whole.update(a, b, score, time)
    first.update(a[:2], b[:2], score[:2], time[:2])
    first.save(tmp_path / "ratings.npz")
    loaded = type(first).load(tmp_path / "ratings.npz")
    loaded.update(a[2:], b[2:], score[2:], time[2:])
    pd.testing.assert_frame_equal(loaded.ratings(), whole.ratings())
    assert loaded.predict("Ann", "NA") == whole.predict("Ann", "NA")
    with pytest.raises(InputError, match=r"earlier|later"):
        loaded.update("Ann", "Bob", 1, "2023-01-01")


def test_an_advantage_moves_the_expectation_of_who_is_first():
    # The compiled loop, and numpy.
    for make in (OnlineElo, _Numpy):
        elo = make(advantage=100)
        # As if rated 100 points higher.
        assert elo.update(["Ann"], ["Bob"], [1]) == pytest.approx([1 / (1 + 10 ** (-100 / 400))])
        rated = elo.ratings()["rating"].tolist()
        assert rated == pytest.approx([1500 + 32 * 0.35993500, 1500 - 32 * 0.35993500])
        assert elo.predict("Ann", "Bob") == pytest.approx(1 / (1 + 10 ** (-(100 + rated[0] - rated[1]) / 400)))
