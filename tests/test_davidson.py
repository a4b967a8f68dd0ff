"""Davidson's model: against closed forms, planted values, and Elo where there are no draws."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from transitivity import InputError, Payoff
from transitivity.models import Davidson, Elo
from transitivity.models._davidson import by_pair

COUNTS = ["player_a", "player_b", "wins_a", "draws", "wins_b"]


def counted(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COUNTS)


def schedule(rng: np.random.Generator, rounds: int, h: float, nu: float, n: int = 8) -> tuple[pd.DataFrame, np.ndarray]:
    """Games in which everybody is first against everybody `rounds` times, and the ratings behind them."""
    r = rng.normal(size=n)
    i, j = np.tile(np.nonzero(~np.eye(n, dtype=bool)), rounds)
    x = r[i] - r[j] + h
    weights = np.stack([np.exp(x / 2), np.full(len(x), nu), np.exp(-x / 2)], axis=1)
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random(len(x))[:, None] > chances).sum(axis=1)
    names = np.array([f"p{k}" for k in range(n)])
    return pd.DataFrame({"player_a": names[i], "player_b": names[j], "score": 1 - outcome / 2}), r


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_equals_give_the_share_of_their_draws(share):
    games = 20_000
    decided = round(games * (1 - share) / 2)
    model = Davidson(1.0).fit(counted(("Ann", "Bob", decided, games - 2 * decided, decided)))
    assert model.draw_ == pytest.approx(2 * share / (1 - share), rel=1e-3)
    assert model.predict("Ann", "Bob") == pytest.approx([(1 - share) / 2, share, (1 - share) / 2], abs=1e-3)


def test_one_pair_is_fitted_exactly_where_the_prior_is_weak():
    model = Davidson(1e-9).fit(counted(("Ann", "Bob", 5000, 3000, 2000)))
    assert model.predict("Ann", "Bob") == pytest.approx([0.5, 0.3, 0.2], abs=1e-3)
    assert model.ratings_[0] - model.ratings_[1] == pytest.approx(np.log(50 / 20), abs=1e-2)


def test_a_game_or_two_decide_little():
    assert 0.3 < Davidson(1.0).fit(counted(("Ann", "Bob", 0, 1, 0))).predict("Ann", "Bob")[1] < 0.5
    games = pd.DataFrame({"player_a": ["a", "b", "c"], "player_b": ["b", "c", "a"], "score": [1.0, 1.0, 0.0]})
    model = Davidson(1.0, advantage=True).fit(games)
    low, high = model.interval(None, None)[3]
    assert low < 0.4 and high > 0.7 and model.predict(0, 0)[0] < 0.6


def test_without_draws_it_is_elo():
    frame = counted(("a", "b", 5, 0, 2), ("b", "c", 4, 0, 3), ("a", "c", 3, 0, 3), ("c", "d", 6, 0, 1))
    elo = Elo(regularisation=0.5, weights="games").fit(Payoff.from_counts(frame))
    model = Davidson(0.5).fit(frame)
    assert model.ratings_ == pytest.approx(elo.ratings_, abs=1e-4)
    assert model.predict("a", "d")[[0, 2]] == pytest.approx([elo.predict("a", "d"), elo.predict("d", "a")], abs=1e-4)
    assert model.draw_ == 0 and model.predict("a", "d")[1] == 0 and np.isfinite(model.interval("a", "d")).all()


def test_a_symmetric_schedule_recovers_the_planted_advantage_and_draws():
    games, r = schedule(np.random.default_rng(0), 120, h=0.5, nu=0.8)
    model = Davidson(advantage=True).fit(games)
    assert model.advantage_ == pytest.approx(0.5, abs=0.08) and model.draw_ == pytest.approx(0.8, abs=0.06)
    assert model.ratings_ == pytest.approx(r - r.mean(), abs=0.15)
    low, high = model.interval(None, None)[3]
    assert low < model.predict(0, 0) @ [1, 0.5, 0] < high and high - low < 0.03
    # Nobody is first.
    assert model.predict(0, 0, order=False) @ [1, 0.5, 0] == pytest.approx(0.5)


def test_an_advantage_of_equals_is_a_closed_form():
    games = pd.DataFrame(
        {"player_a": ["a", "b"] * 500, "player_b": ["b", "a"] * 500, "score": [1.0] * 700 + [0.0] * 300}
    )
    model = Davidson(1.0, advantage=True).fit(games)
    assert model.advantage_ == pytest.approx(logit(0.7), rel=0.01)
    # The standard deviation of a logit of 1000 games.
    reach = 1.645 / np.sqrt(1000 * 0.7 * 0.3)
    assert model.interval(None, None)[0] == pytest.approx(expit(logit(0.7) + np.array([-reach, reach])), abs=3e-3)


def test_intervals_hold_the_truth_as_often_as_they_say():
    held = []
    for seed in range(40):
        games, r = schedule(np.random.default_rng([1, seed]), 3, h=0.4, nu=1.0)
        model = Davidson(1.0, advantage=True).fit(games)
        x = r[0] - r[1] + 0.4
        weights = np.array([np.exp(x / 2), 1.0, np.exp(-x / 2)])
        win, draw, loss = weights / weights.sum()
        low, high = model.interval(0, 1).T
        truth = np.array([win, draw, loss, win + draw / 2])
        held.append((low <= truth) & (truth <= high))
    assert 0.82 <= np.mean(held) <= 0.97


def test_games_and_counts_by_pair_are_the_same_fit():
    games, _ = schedule(np.random.default_rng(2), 4, h=0.0, nu=1.0)
    pairs = by_pair(games)
    assert pairs[COUNTS[2:]].to_numpy().sum() == len(games) and not pairs.duplicated(COUNTS[:2]).any()
    one, other = (Davidson(1.0).fit(frame) for frame in (games, pairs))
    assert one.ratings_ == pytest.approx(other.ratings_, abs=1e-4) and one.draw_ == pytest.approx(other.draw_, abs=1e-4)


def test_what_cannot_be_told_is_refused():
    games = pd.DataFrame({"player_a": ["a", "b"], "player_b": ["b", "c"], "score": [1.0, 1.0]})
    with pytest.raises(InputError, match="lists the winner first"):
        Davidson(1.0, advantage=True).fit(games)
    with pytest.raises(InputError, match="do not tell who was first"):
        Davidson(1.0, advantage=True).fit(counted(("a", "b", 1, 0, 1)))
    with pytest.raises(InputError, match=r"score 0\.7"):
        Davidson(1.0).fit(games.assign(score=0.7))


def test_the_python_on_the_page_runs(capsys):
    page = (Path(__file__).resolve().parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(block, {})
    assert len(capsys.readouterr().out.splitlines()) == 6
