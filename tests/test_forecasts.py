"""Forecasts: what is known when, the scores, and what they say of streams whose truth is known."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.config import settings as configuration
from reproduction.figures.forecasts import draw_forecasts, forecast_marks
from reproduction.report.forecasts import forecast_section
from transitivity import InputError
from transitivity.evaluation import forecasts
from transitivity.evaluation.forecasts import Stream, forecast
from transitivity.files import read_any_table
from transitivity.models import Disc, Elo, MElo
from transitivity.online import OnlineDisc, OnlineElo

ROOT = Path(__file__).resolve().parents[1]


def stream_of(
    rng: np.random.Generator, n_games: int, n_players: int = 12, spread: float = 1.0, per_day: int = 3
) -> tuple[pd.DataFrame, np.ndarray]:
    """Games of players with constant strengths, `per_day` of them a day; and the true expected scores."""
    strength = spread * rng.normal(size=n_players)
    a = rng.integers(0, n_players, n_games)
    b = (a + rng.integers(1, n_players, n_games)) % n_players
    p = 1 / (1 + np.exp(strength[b] - strength[a]))
    period = np.arange(n_games) // per_day
    names = np.array([f"player {k}" for k in range(n_players)])
    frame = pd.DataFrame(
        {
            "time": np.datetime64("2020-01-01", "s") + period * np.timedelta64(1, "D"),
            "period": period,
            "player_a": names[a],
            "player_b": names[b],
            "score": (rng.random(n_games) < p).astype(float),
        }
    )
    return frame, p


@pytest.fixture(scope="module")
def league() -> tuple[pd.DataFrame, np.ndarray]:
    return stream_of(np.random.default_rng(0), 1500)


@pytest.fixture(scope="module")
def found(league) -> forecasts.Forecasts:
    return forecast(league[0], refits=4, models={"plain_elo": Elo, "melo": MElo})


# -------------------------------------------------------------------- what is known when


PARAMETERS = {"precision": 1.0, "half_life": 100.0}
GRID = {name: ([value], 0) for name, value in PARAMETERS.items()}
ELO = forecasts.batch("elo", lambda precision: Elo(regularisation=precision, weights="games"))
METHODS = (
    forecasts.Method("pair_rate", "", {"a": ([0.8], 0)}, forecasts.pair_rate),
    *forecasts.sequential_methods(True, 20),
    forecasts.Method("elo", "", GRID, ELO),
    forecasts.Method("davidson", "", GRID, forecasts.davidson(advantage=True)),
)


def of(method: forecasts.Method) -> dict:
    return {name: values[start] for name, (values, start) in method.grid.items()}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), day=st.integers(30, 60))
def test_another_future_changes_no_forecast_until_it_comes(method, seed, day):
    games, _ = stream_of(np.random.default_rng(seed), 200)
    now, later = (int(np.searchsorted(games["period"], one)) for one in (day, day + 1))
    # From this day on all scores are others, and from the next on the players: the games of the day are still asked
    # for, but their scores must not be known.
    other = games.copy()
    other.loc[now:, "score"] = 1 - games["score"].iloc[now:].sample(frac=1, random_state=seed).to_numpy()
    for column in ("player_a", "player_b"):
        other.loc[later:, column] = games[column].to_numpy()[later:][::-1]
    streams = [Stream.of(frame) for frame in (games, other)]
    p, changed = (method.forecast(stream, stream.bounds(30, 200, 9), of(method))[0] for stream in streams)
    assert np.array_equal(p[: later - 30], changed[: later - 30])
    assert not np.array_equal(p, changed)


def test_the_choice_does_not_know_the_test_period(league):
    games = league[0]
    stream = Stream.of(games)
    test = stream.cut(0.5)
    other = games.copy()
    other.loc[test:, "score"] = 1 - other.loc[test:, "score"]
    chosen = [[one.parameters for one in forecast(frame, refits=2).models] for frame in (games, other)]
    assert chosen[0] == chosen[1]


def test_games_of_a_period_are_on_one_side_of_every_cut(league):
    games = league[0]
    stream = Stream.of(games)
    for share in (0.1, 0.2345, 0.5, 0.777):
        at = stream.cut(share)
        assert stream.period[at] > stream.period[at - 1]
        assert (stream.period[stream.bounds(at, len(stream), 7)[1:-1]] > stream.period[at]).all()
        assert len(stream) - at >= share * len(stream)
    day = stream.cut("2020-06-01")
    assert games["time"][day] == pd.Timestamp("2020-06-01") and games["time"][day - 1] < pd.Timestamp("2020-06-01")


def test_refits_by_the_calendar_start_with_its_months(league):
    stream = Stream.of(league[0])
    bounds = stream.bounds(0, len(stream), "quarter")
    assert [str(day)[5:10] for day in stream.time[bounds[1:-1]][:4]] == ["04-01", "07-01", "10-01", "01-01"]


# -------------------------------------------------------------------- methods


def test_sequential_forecasts_are_those_of_update(league, found):
    games = league[0]
    chosen = {one.model: one for one in found.models}
    for name, make in (("online_elo", OnlineElo), ("online_disc", OnlineDisc)):
        rating = make(**chosen[name].parameters)
        p = rating.update(games["player_a"], games["player_b"], games["score"], games["time"])
        assert np.array_equal(p[found.test :], chosen[name].p)


def test_the_rate_of_a_pair_is_its_closed_form(league):
    games = league[0]
    stream = Stream.of(games)
    p, _ = forecasts.pair_rate(stream, np.array([700, len(stream)]), {"a": 1.5})
    for game in (700, 701, 1000, 1499):
        a, b, now = games.loc[game, ["player_a", "player_b", "period"]]
        before = games[games["period"] < now]
        won = before[(before.player_a == a) & (before.player_b == b)]["score"].sum()
        won += (1 - before[(before.player_a == b) & (before.player_b == a)]["score"]).sum()
        m = (before[["player_a", "player_b"]].isin([a, b]).all(axis=1)).sum()
        assert p[game - 700] == pytest.approx((won + 1.5) / (m + 3), abs=1e-12)


def test_an_infinite_half_life_is_none(league):
    stream = Stream.of(league[0])
    payoff, _ = stream.before(900, math.inf)
    assert payoff.games.sum() == 900 and (payoff.games % 1 == 0).all()
    old, _ = stream.before(900, 1e12)
    assert np.allclose(old.games, payoff.games) and np.allclose(old.p, payoff.p)


def test_a_game_counts_half_after_the_half_life():
    games, _ = stream_of(np.random.default_rng(1), 4, n_players=2, per_day=1)
    games["player_a"], games["player_b"], games["score"] = "Ann", "Bob", [1, 0, 0, 0]
    payoff, _ = Stream.of(games).before(2, 1.0)
    # Two days and one day before the third game.
    assert payoff.games.tolist() == [0.25 + 0.5]
    assert payoff.p[0] == pytest.approx(0.25 / 0.75)


def test_a_newcomer_is_rated_at_the_mean_of_the_prior():
    games, _ = stream_of(np.random.default_rng(2), 300, n_players=6)
    games.loc[297, ["player_a", "player_b"]] = ["new", "player 1"]
    games.loc[298, ["player_a", "player_b"]] = ["new", "newer"]
    stream = Stream.of(games)
    p, new = ELO(stream, np.array([297, 300]), PARAMETERS)
    payoff, index = stream.before(297, 100.0)
    rating = Elo(regularisation=1.0, weights="games").fit(payoff).ratings_
    one = rating[index[stream.b[297]]] - rating[-1]
    assert p[0] == pytest.approx(1 / (1 + np.exp(one)))
    assert rating[:-1].mean() == pytest.approx(rating[-1], abs=1e-6)
    assert p[1] == 0.5
    assert new.tolist() == [True, True, False] == stream.new[297:].tolist()


def test_models_without_cycles_are_elo(found):
    chosen = {one.model: one for one in found.models}
    for name in ("disc", "melo_logit"):
        if chosen[name].parameters["cycles"] == math.inf:
            assert np.allclose(chosen[name].p, chosen["elo"].p, atol=1e-6)


# -------------------------------------------------------------------- scores


def test_scores_by_hand():
    p, score = np.array([0.8, 0.5 + 1e-12, 0.3, 0.9]), np.array([1, 1, 0.5, 0])
    found = forecasts._scores(p, score)
    losses = [-math.log(0.8), -math.log(0.5), -(math.log(0.3) + math.log(0.7)) / 2, -math.log(0.1)]
    assert found["game_log_loss"] == pytest.approx(np.mean(losses))
    assert found["brier"] == pytest.approx(np.mean([0.04, 0.25, 0.04, 0.81]))
    # A hit, a half without a favourite, a miss; the draw does not count.
    assert found["accuracy"] == pytest.approx((1 + 0.5 + 0) / 3)


def test_the_table_has_every_model_in_every_block(league, found):
    table = found.table()
    whole = table[table["block"] == "all"].set_index("model")
    blocks = table[table["block"] != "all"]
    assert whole["n_games"].tolist() == [len(league[0]) - found.test] * 11
    for model, part in blocks.groupby("model"):
        assert part["n_games"].sum() == whole.loc[model, "n_games"]
        assert part["n_new"].sum() == whole.loc[model, "n_new"]
        mean = np.average(part["game_log_loss"], weights=part["n_games"])
        assert mean == pytest.approx(whole.loc[model, "game_log_loss"])
    assert (whole["n_blocks"].drop("online_elo") == forecasts.MOST_BLOCKS).all()
    assert whole.loc["constant", "game_log_loss"] == pytest.approx(math.log(2))
    # 12 players of very different strength: every rating is better than a coin, but m-Elo without a prior, which is
    # certain of what then does not happen.
    assert (whole["constant_high"].drop(["constant", "melo"]) < 0).all()


def test_who_is_called_a_changes_no_score(league):
    games = league[0]
    turned = games.rename(columns={"player_a": "player_b", "player_b": "player_a"}).assign(score=1 - games["score"])
    one, other = (forecast(frame, refits=2) for frame in (games, turned))
    columns = ["game_log_loss", "brier", "accuracy", "calibration_error", "elo_difference", "elo_low"]
    # The angle from which m-Elo starts is that of the player's number.
    kept = one.table()["model"] != "online_melo"
    assert np.allclose(one.table()[columns][kept], other.table()[columns][kept], equal_nan=True, atol=1e-5)


def test_true_probabilities_are_calibrated():
    games, p = stream_of(np.random.default_rng(3), 20_000)
    score = games["score"].to_numpy()
    truth = forecasts.Forecast("truth", "Truth", {}, p, np.zeros(len(p), bool))
    table = forecasts.Forecasts(Stream.of(games), 0, 0, [truth]).calibration()
    assert table["n_games"].sum() == len(p)
    inside = (table["low"] <= table["forecast"]) & (table["forecast"] <= table["high"])
    assert inside.sum() >= len(table) - 1
    error, luck = forecasts.calibration_error(p, score)
    assert error < 2 * luck
    wrong, _ = forecasts.calibration_error(p**3 / (p**3 + (1 - p) ** 3), score)
    assert wrong > 5 * luck


def test_the_luck_of_calibration_is_what_right_forecasts_have():
    rng = np.random.default_rng(4)
    p = rng.uniform(size=3000)
    errors = [forecasts.calibration_error(p, (rng.random(len(p)) < p).astype(float))[0] for _ in range(300)]
    assert np.mean(errors) == pytest.approx(forecasts.calibration_error(p, p)[1], rel=0.06)


def test_wilson_by_hand():
    low, high = forecasts.wilson(0.9, 10)
    # R: prop.test(9, 10, correct = FALSE).
    assert (low, high) == pytest.approx((0.5958500, 0.9821238), abs=1e-6)


def test_the_interval_by_blocks_covers_where_games_of_a_block_are_alike():
    rng = np.random.default_rng(5)
    edges = np.arange(0, 401, 20)
    hits = 0
    for _ in range(1000):
        values = np.repeat(rng.normal(size=20), 20) + rng.normal(size=400)
        low, high = forecasts.block_interval(values, edges)
        hits += low <= 0 <= high
    assert 930 <= hits <= 970
    assert np.isnan(forecasts.block_interval(values, edges[[0, 5, 10, 15, 20]])).all()


def test_with_luck_only_no_rating_is_better_than_a_coin():
    for seed in range(4):
        games, _ = stream_of(np.random.default_rng([6, seed]), 800, spread=0.0)
        table = forecast(games, refits=2).table()
        whole = table[table["block"] == "all"].set_index("model")
        # Against sequential Elo, too, and although half of the models lose less than it does.
        assert not whole.filter(like="verdict").isin([forecasts.BETTER]).any(axis=None)
        assert whole["constant_difference"].abs().max() < 0.02


@pytest.mark.parametrize(
    ("elo", "constant", "words"),
    [
        ((-0.2, -0.1), (-0.2, -0.1), ("better", "better")),
        ((-0.2, -0.1), (-0.1, 0.1), ("no better than ½", "undecided")),
        ((-0.2, -0.1), (math.nan, math.nan), ("no better than ½", "untested")),
        ((0.1, 0.2), (-0.2, -0.1), ("worse", "better")),
        ((-0.1, 0.1), (0.1, 0.2), ("undecided", "worse")),
        ((0, 0), (-0.2, -0.1), ("undecided", "better")),
    ],
)
def test_a_model_is_better_only_where_it_beats_a_coin(elo, constant, words):
    row = {
        "model": "x",
        "elo_low": elo[0],
        "elo_high": elo[1],
        "constant_low": constant[0],
        "constant_high": constant[1],
    }
    found = forecasts._verdicts(row)
    assert (found["elo_verdict"], found["constant_verdict"]) == words


def test_a_model_that_fails_is_named_and_the_others_go_on(league):
    games = league[0].iloc[:300]
    table = forecast(games, refits=2, models={"many": lambda: Disc(n_components=9), "plain": Elo}).table()
    whole = table[table["block"] == "all"].set_index("model")
    assert "n_components=9" in whole.loc["many", "note"] and (whole["note"] != "").sum() == 1
    assert np.isfinite(whole["game_log_loss"].drop("many")).all()
    (part,) = forecast_section(table.assign(dataset="x", dataset_label="X", simulated="False"))
    assert "n_components=9" in part["words"] and len(part["table"]["rows"]) == len(whole) - 1
    about = {"dataset": "x", "dataset_label": "X", "simulated": False}
    empty = pd.DataFrame(columns=[*about, *forecasts.CALIBRATION])
    assert "many" not in set(forecast_marks(table.assign(**about), empty)["model"])


def test_davidson_knows_who_plays_at_home_if_it_is_told(league):
    games, _ = stream_of(np.random.default_rng(12), 800, spread=0.3)
    rng = np.random.default_rng(13)
    games["score"] = rng.choice([1.0, 0.5, 0.0], len(games), p=[0.5, 0.3, 0.2])
    found = {}
    for advantage in (False, True):
        table = forecast(games, refits=2, advantage=advantage).table()
        found[advantage] = table[table["block"] == "all"].set_index("model").loc["davidson", "game_log_loss"]
    # What a constant of 0.65 gains on 1/2 is 0.046 nats.
    assert found[True] < found[False] - 0.02


# -------------------------------------------------------------------- small and strange streams


def test_ten_games_are_forecast():
    games, _ = stream_of(np.random.default_rng(7), 10, n_players=4, per_day=1)
    table = forecast(games).table()
    whole = table[table["block"] == "all"].reset_index(drop=True)
    assert (whole["n_games"] == 5).all() and (whole["n_validation"] == 2).all()
    # Two games to choose on choose nothing, and five games in one block tell nothing.
    assert whole["parameters"][2] == "k=32"
    assert whole[["constant_low", "elo_high"]].isna().all(axis=None)
    assert set(whole["elo_verdict"]) == {"", "untested"}
    (part,) = forecast_section(whole.assign(dataset="x", dataset_label="X", simulated="False"))
    assert "no intervals" in part["words"] and "2 games to choose" in part["words"]
    assert not re.search(r"\.\d{3}", str([row[1:] for row in part["table"]["rows"]]))


def test_games_without_dates_are_taken_in_their_order():
    games, _ = stream_of(np.random.default_rng(8), 120)
    games["time"] = np.datetime64("NaT", "s")
    found = forecast(games, refits=2)
    table = found.table()
    assert table["order"][0] == "file" and table["first"][0] == "61"
    for arguments in ({"test": "2020-02-01"}, {"refits": "month"}):
        with pytest.raises(InputError, match=r"no dates|have none"):
            forecast(games, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"test": 1.5}, "1.5 is not between 0 and 1"),
        ({"test": "soon"}, "'soon' is not a date"),
        ({"refits": "fortnight"}, "refits is 'fortnight'"),
        ({"refits": 0}, "refits is 0"),
        ({"advantage": True, "games": "winner first"}, "lists the winner first"),
        ({"validation": 0.5, "test": 0.5}, "cannot be cut"),
        ({"validation": "2020-03-01", "test": "2020-02-01"}, "cannot be cut"),
    ],
)
def test_wrong_arguments_are_named(league, arguments, words):
    games = league[0].assign(score=1.0) if arguments.pop("games", None) else league[0]
    with pytest.raises(InputError, match=words):
        forecast(games, **arguments)


def test_all_games_at_once_cannot_be_forecast():
    games, _ = stream_of(np.random.default_rng(9), 30, per_day=30)
    with pytest.raises(InputError, match="games of one time stay together"):
        forecast(games)


def test_the_search_finds_the_best_value_behind_a_worse_one():
    class Peaks:
        def __init__(self):
            self.name = self.label = "peaks"
            self.grid = {"x": (range(7), 1)}

        def forecast(self, stream, bounds, parameters):
            loss = [0.3, 0.5, 0.6, 0.2, 0.9, 0.9, 0.1]
            return np.full(bounds[-1] - bounds[0], 1 - loss[parameters["x"]]), None

    games, _ = stream_of(np.random.default_rng(10), 120)
    stream = Stream.of(games.assign(score=1.0))
    # The search ends after two values in a row that are not better.
    assert forecasts.choose(Peaks(), stream, np.array([0, 120])) == {"x": 3}
    # So few games leave it to luck.
    assert forecasts.choose(Peaks(), stream, np.array([0, 20])) == {"x": 1}


def test_steps_that_diverge_are_not_chosen():
    games, _ = stream_of(np.random.default_rng(11), 200)
    stream = Stream.of(games)
    wild = forecasts.Method("online_disc", "", {"step": ([0.05, 1e30], 1)}, forecasts.sequential(OnlineDisc))
    with np.errstate(all="ignore"):
        assert forecasts.choose(wild, stream, np.array([50, 200])) == {"step": 0.05}


def test_every_combination_is_one_text():
    assert forecasts.described({"k": 32.0, "period": "week"}) == "k=32, period=week"
    assert len({forecasts.described({"a": x, "b": y}) for x, y in itertools.product([1.0, math.inf], [2, 3])}) == 4


# -------------------------------------------------------------------- the page


def test_the_python_on_the_page_runs(league, tmp_path, monkeypatch, capsys):
    games = league[0].iloc[:600]
    table = {"date": games["time"], "home": games["player_a"], "away": games["player_b"]}
    pd.DataFrame(table | {"goals": games["score"], "goals_away": 1 - games["score"]}).to_csv(
        tmp_path / "results.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "forecasts.md").read_text(encoding="utf-8")
    namespace: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(block, namespace)
    assert "online_elo" in capsys.readouterr().out
    models = {one.model for one in namespace["found"].models}
    assert models | {"model"} == set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))))


# -------------------------------------------------------------------- in the pipeline


def script(name: str):
    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_from_files_of_games_to_the_figure_and_the_report(league, tmp_path, monkeypatch):
    games = league[0].iloc[:600]
    for part, name in ((games.iloc[300:], "late"), (games.iloc[:300], "early")):
        table = {"date": part["time"], "one": part["player_a"], "two": part["player_b"], "won": part["score"]}
        pd.DataFrame(table | {"lost": 1 - part["score"]}).to_csv(tmp_path / f"{name}.csv", index=False)
    scores, calibration = tmp_path / "forecasts.csv", tmp_path / "calibration.csv"
    options = {"format": "results", "player_a": "one", "player_b": "two", "date": "date"}
    arguments = {
        "dataset": "mine",
        "files": [str(tmp_path / "late.csv"), str(tmp_path / "early.csv")],
        "about": json.dumps({"label": "Mine & <co>", "simulated": True}),
        "options": json.dumps(options | {"score_a": "won", "score_b": "lost"}),
        "forecast": json.dumps({"test": 0.4, "refits": 3}),
        "models": json.dumps({"plain": ["src/transitivity/models/elo.py", {"weights": "games"}]}),
        "scores": str(scores),
        "calibration": str(calibration),
    }
    words = [word for key, value in arguments.items() for word in (f"--{key}", *np.atleast_1d(value))]
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["forecasts.py", *words])
    script("forecasts").main()

    table = read_any_table(scores)
    whole = table[table["block"] == "all"]
    direct = forecast(games, test=0.4, refits=3, models={"plain": lambda: Elo(weights="games")}).table()
    direct = direct[direct["block"] == "all"]
    assert whole["model"].tolist() == direct["model"].tolist()
    # Players are numbered as they appear; the order of games of a day is that of the names.
    kept = (direct["model"] != "online_melo").to_numpy()
    assert np.allclose(whole["game_log_loss"][kept], direct["game_log_loss"][kept], atol=1e-6)

    files = [word for key in ("pdf", "png", "data") for word in (f"--{key}", str(tmp_path / f"figure.{key}"))]
    script("figure_forecasts").main(["--forecasts", str(scores), "--calibration", str(calibration), *files])
    drawn = pd.read_csv(tmp_path / "figure.data")
    assert set(drawn["panel"]) == {"difference", "reliability"} and drawn["simulated"].all()
    assert (tmp_path / "figure.png").stat().st_size > 1000

    (part,) = forecast_section(table)
    assert part["title"] == "Mine & <co>, simulated" and "240 games are forecast, from" in part["words"]
    column = part["table"]["header"].index("against sequential Elo")
    verdicts = {row[0].split(" (")[0]: row[column] for row in part["table"]["rows"]}
    assert verdicts["Constant ½"].startswith("worse: +") and verdicts["Sequential Elo"] == ""


@pytest.mark.parametrize("constant", [-0.2, 0.001, 0.2])
def test_every_mark_is_on_the_axis_or_an_arrow_with_its_number(constant):
    row = {"dataset": "x", "dataset_label": "X", "simulated": False, "block": "all", "note": "", "n_games": 100}
    rows = [row | {"model": "glicko2", "label": "G", "elo_difference": 0.01, "elo_low": 0.0, "elo_high": 0.02}]
    rows.append(row | {"model": "constant", "label": "C", "elo_difference": constant})
    empty = pd.DataFrame(columns=["dataset", "dataset_label", "simulated", *forecasts.CALIBRATION])
    ax = draw_forecasts(forecast_marks(pd.DataFrame(rows), empty)).axes[0]
    marks = [float(np.atleast_1d(line.get_xdata())[0]) for line in ax.lines if line.get_marker() in ("o", "<", ">")]
    assert len(marks) == 2 and all(ax.get_xlim()[0] <= x <= ax.get_xlim()[1] for x in marks)
    said = {-0.2: ["−0.200"], 0.2: ["+0.200"]}.get(constant, [])
    assert [text.get_text() for text in ax.texts] == said


@pytest.mark.parametrize(
    ("dataset", "words"),
    [
        ({"game": "rps", "forecast": {}}, ["datasets.mine.forecast", "matchups"]),
        (
            {"matchups": {}, "forecast": {"models": ["ello"]}},
            ["datasets.mine.forecast.models", "'ello'", "did you mean"],
        ),
        ({"matchups": {}, "forecast": {"refits": "never"}}, ["datasets.mine.forecast.refits", "never"]),
        ({"matchups": {}, "forecast": {"tests": 0.1}}, ["datasets.mine.forecast", "tests"]),
    ],
)
def test_mistakes_in_the_configuration_are_named(tmp_path, monkeypatch, dataset, words):
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    if "matchups" in dataset:
        (tmp_path / "games.csv").write_text("winner,loser\nAnn,Bob\n")
        dataset = dataset | {"path": str(tmp_path / "games.csv")}
    config["datasets"]["mine"] = dataset
    with pytest.raises(InputError) as error:
        configuration.read(config)
    assert all(word in str(error.value) for word in words)
