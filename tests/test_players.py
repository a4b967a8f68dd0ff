"""Ratings with intervals, results against the odds, cycles of three."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from loading import load
from scipy.special import expit

from transitivity import InputError, Payoff
from transitivity.measures import players
from transitivity.models import Elo

intervals = load("benchmarks/intervals.py")
league = intervals.league


@pytest.fixture(scope="module")
def rated() -> players.RatedLeague:
    _, payoff = league(20, 10, 6, 1.0, np.random.default_rng(3))
    return players.RatedLeague(payoff)


def test_ratings_are_the_penalised_optimum(rated):
    payoff, u = rated.payoff, rated.ratings
    residual = payoff.games * (payoff.p - expit(u[payoff.i] - u[payoff.j]))
    slope = np.bincount(payoff.i, residual, 20) - np.bincount(payoff.j, residual, 20)
    assert slope == pytest.approx(rated.precision * u, abs=1e-4)


def test_deviations_are_those_of_the_inverse_information(rated):
    payoff, u = rated.payoff, rated.ratings
    H = rated.precision * np.eye(20)
    for i, j, m in zip(payoff.i, payoff.j, payoff.games, strict=True):
        d = np.zeros(20)
        d[i], d[j] = 1, -1
        p = expit(u[i] - u[j])
        H += m * p * (1 - p) * np.outer(d, d)
    centre = np.eye(20) - 1 / 20
    covariance = centre @ np.linalg.inv(H) @ centre
    assert rated.deviation == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-6)
    assert rated.draws.std(axis=0) == pytest.approx(rated.deviation, rel=0.05)


@pytest.fixture
def few_draws(monkeypatch) -> None:
    """Fewer draws, where what they are for is not what is tested, or tested with a margin."""
    monkeypatch.setattr(players, "N_DRAWS", 1000)
    monkeypatch.setattr(players, "N_EQUAL", 99)


@pytest.mark.usefixtures("few_draws")
def test_many_players_are_solved_for_not_inverted(rated, monkeypatch):
    monkeypatch.setattr(players, "INVERTED", 5)
    solved = players.RatedLeague(rated.payoff)
    # The trace and the mean are estimates here, so τ differs a little, and everything with it.
    assert solved.precision == pytest.approx(rated.precision, rel=0.4)
    assert solved.deviation == pytest.approx(rated.deviation, rel=0.2)
    assert solved.pair_variance == pytest.approx(rated.pair_variance, rel=0.35)


@pytest.mark.usefixtures("few_draws")
def test_intervals_hold_the_truth_of_nine_players_in_ten():
    rng = np.random.default_rng(0)
    held = [intervals.held(*league(40, 12, 8, 0.8, rng), rng) for _ in range(12)]
    assert 0.87 <= np.concatenate(held).mean() <= 0.93


def test_the_table(rated):
    table = players.ratings_table(rated)
    assert list(table) == players.RATINGS
    assert table["rank"].tolist() == list(range(1, 21))
    assert table["rating"].is_monotonic_decreasing
    assert table["points"].to_numpy() == pytest.approx(table["rating"].to_numpy() * 400 / np.log(10))
    assert (table["rank_low"] <= table["rank"]).all() and (table["rank"] <= table["rank_high"]).all()
    assert table["p_best"].sum() == pytest.approx(1)
    assert table["games"].sum() == 2 * rated.payoff.games.sum()
    assert np.isnan(table["p_above_next"].iloc[-1]) and (table["p_above_next"][:-1] > 0.3).all()
    again = players.ratings_table(players.RatedLeague(rated.payoff))
    pd.testing.assert_frame_equal(table, again)


def test_nothing_is_said_of_players_without_games(rated):
    payoff = rated.payoff
    more = Payoff(np.append(payoff.players, "Zed"), payoff.i, payoff.j, payoff.p, payoff.games)
    table = players.ratings_table(players.RatedLeague(more))
    assert "Zed" not in set(table["player"]) and len(table) == payoff.n_players
    assert table["p_best"].sum() == pytest.approx(1)


def test_the_prior_stands_beside_the_intervals(rated):
    table = players.ratings_table(rated)
    assert table["prior_points"].to_numpy() == pytest.approx(players.POINTS / np.sqrt(rated.precision))


def of_games(rows: list[tuple]) -> Payoff:
    return Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))


def test_equal_players_are_told_from_others(monkeypatch):
    """Of two players the test is the binomial one, two-sided; luck alone is rarely taken for skill."""
    eight = players.RatedLeague(of_games([("a", "b", 8, 0, 0)]))
    # 2 / 2**8, from 999 drawn leagues.
    assert 0.003 < eight.p_equal < 0.016 and players.differ(eight.p_equal).startswith("The players differ")
    even = players.RatedLeague(of_games([("a", "b", 2, 0, 2)]))
    assert even.p_equal == 1 and "do not show" in players.differ(even.p_equal)
    pairs = list(itertools.combinations("abcdefghij", 2))
    monkeypatch.setattr(players, "N_EQUAL", 99)
    luck = []
    for seed in range(12):
        wins = np.random.default_rng(seed).binomial(6, 0.5, len(pairs))
        rows = [(*pair, won, 0, 6 - won) for pair, won in zip(pairs, wins, strict=True)]
        luck.append(players.RatedLeague(of_games(rows)).p_equal)
    assert sum(p <= 0.05 for p in luck) <= 3 and np.mean(luck) > 0.25


def test_a_spread_that_rests_on_one_player_is_said():
    """One wins everything, the others are even: it is the one who differs."""
    even = [(*pair, 5, 0, 5) for pair in itertools.combinations("bcdef", 2)]
    one = [("a", name, 10, 0, 0) for name in "bcdef"]
    league = players.RatedLeague(of_games(even + one))
    assert (league.apart, league.p_others) == ("a", 1.0) and league.p_equal < 0.01
    assert "rests on a:" in players.differ(league.p_equal, league.apart, league.p_others)
    table = players.ratings_table(league, with_disc=False)
    assert set(table["apart"]) == {"a"} and set(table["p_others"]) == {1.0}
    two = [("b", name, 10, 0, 0) for name in "cdef"] + [(*pair, 5, 0, 5) for pair in itertools.combinations("cdef", 2)]
    league = players.RatedLeague(of_games(two + one))
    assert league.apart == "" and np.isnan(league.p_others)
    assert "rests" not in players.differ(league.p_equal, league.apart, league.p_others)
    # Of two players nobody is left.
    assert players.RatedLeague(of_games([("a", "b", 8, 0, 0)])).apart == ""


@pytest.mark.parametrize("skew", [0.5, 0.7])
def test_the_spread_of_scores_is_compared_with_that_of_a_coin(skew):
    rng = np.random.default_rng(4)
    # Groups that no game connects, and a player who met one opponent once.
    pairs = [(f"{group}{a}", f"{group}{b}") for group in "ab" for a, b in itertools.combinations(range(5), 2)]
    wins = rng.binomial(3, skew, len(pairs))
    payoff = of_games(
        [("a0", "z", 0, 0, 1)] + [(*pair, won, 0, 3 - won) for pair, won in zip(pairs, wins, strict=True)]
    )
    league = players.RatedLeague(payoff, np.random.default_rng(1))
    signs = np.eye(payoff.n_players)[payoff.i] - np.eye(payoff.n_players)[payoff.j]
    inverse = np.linalg.pinv(signs.T * payoff.games / 4 @ signs)

    def spread(points: np.ndarray) -> np.ndarray:
        U = (points - payoff.games / 2) @ signs
        return np.einsum("ri,ij,rj->r", U, inverse, U)

    drawn = spread(rng.binomial(payoff.games.astype(int), 0.5, (20_000, payoff.n_pairs)))
    exact = (drawn >= spread((payoff.games * payoff.p)[None]) - 1e-9).mean()
    assert league.p_equal == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / players.N_EQUAL) + 0.002)


def test_equal_players_share_a_rank():
    below = of_games([("a", "d", 3, 0, 0), ("b", "d", 3, 0, 0), ("c", "d", 0, 0, 3), ("a", "b", 1, 1, 1)])
    table = players.ratings_table(players.RatedLeague(below), with_disc=False).set_index("player")
    assert table["rank"].to_dict() == {"a": 1, "b": 1, "d": 3, "c": 4}


def test_a_game_says_little_of_strength():
    one = players.RatedLeague(of_games([("a", "b", 1, 0, 0)]))
    assert 0.6 < one.model.predict("a", "b") < 0.8


def test_groups_that_never_met_have_their_own_ranks():
    rows = [("Ann", "Bob", 3, 0, 1), ("Bob", "Cyd", 2, 1, 1), ("Ann", "Cyd", 2, 0, 0), ("NA", "Eve", 2, 0, 0)]
    payoff = Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))
    rated = players.RatedLeague(payoff)
    table = players.ratings_table(rated).set_index("player")
    assert table["component"].to_dict() == {"Ann": 1, "Bob": 1, "Cyd": 1, "NA": 2, "Eve": 2}
    assert table.loc["NA", "rank"] == 1 and table.loc["NA", "note"] == "won every game"
    assert table.loc["Eve", "note"] == "lost every game" and table.loc["Bob", "note"] == ""
    assert table.groupby("component")["rating"].sum().to_numpy() == pytest.approx([0, 0], abs=1e-6)
    apart = rated.difference(payoff.index("Ann"), payoff.index("NA"))[1]
    assert apart > rated.difference(payoff.index("Ann"), payoff.index("Bob"))[1]


def test_without_a_pair_is_close_to_a_refit(rated):
    payoff = rated.payoff
    x, _ = players.without_pair(rated)
    refitted = []
    for at in range(payoff.n_pairs):
        keep = np.arange(payoff.n_pairs) != at
        ratings = Elo(weights="games", regularisation=rated.precision).fit(payoff.select_pairs(keep)).ratings_
        refitted.append(ratings[payoff.i[at]] - ratings[payoff.j[at]])
    whole = rated.ratings[payoff.i] - rated.ratings[payoff.j]
    error, moved = np.abs(x - refitted), np.abs(whole - refitted)
    assert moved.mean() > 0.1
    assert error.mean() < 0.1 * moved.mean()
    assert error.max() < 0.25 * moved.max()


@pytest.mark.usefixtures("few_draws")
def test_luck_alone_surprises_rarely_and_a_planted_pair_does():
    rng = np.random.default_rng(1)
    listed = []
    for _ in range(10):
        _, payoff = league(25, 12, 10, 0.8, rng)
        listed.append((players.surprises(players.RatedLeague(payoff, rng))["player_a"] != "").sum())
    assert np.mean(np.array(listed) > 0) <= 0.3
    games, p = payoff.games.copy(), payoff.p.copy()
    order = np.argsort(payoff.mean_payoffs)
    i, j = sorted((order[2], order[-2]))
    at = np.flatnonzero((payoff.i == i) & (payoff.j == j))
    weakest_first = i == order[2]
    i_all, j_all = (payoff.i, payoff.j) if len(at) else (np.append(payoff.i, i), np.append(payoff.j, j))
    if not len(at):
        games, p, at = np.append(games, 1.0), np.append(p, 0.5), np.array([len(p)])
    games[at], p[at] = 20.0, float(weakest_first)
    found = players.surprises(players.RatedLeague(Payoff(payoff.players, i_all, j_all, p, games), rng))
    first = found.iloc[0]
    assert (first["player_a"], first["player_b"]) == (payoff.players[order[2]], payoff.players[order[-2]])
    assert first["observed"] == 20 and first["expected"] < 12 and first["q_value"] <= 0.1


def cycle(wins: int, losses: int) -> Payoff:
    rows = [("a", "b", wins, 0, losses), ("b", "c", wins, 0, losses), ("a", "c", losses, 0, wins), ("a", "d", 9, 1, 0)]
    return Payoff.from_counts(pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]))


def test_a_convincing_cycle_is_listed_once():
    (row,) = players.triples(cycle(18, 2)).to_dict("records")
    assert [row[f"player_{one}"] for one in "abc"] == ["a", "b", "c"]
    assert row["score_ab"] == row["score_ca"] == 0.9 and row["games_bc"] == 20 and row["tested"] == 2
    assert row["support_ab"] > 0.999
    # The tail of 20 coin flips; two directions, 1 + 1/2 for the dependence of their tests.
    assert row["p_value"] == pytest.approx(211 / 2**20) and row["q_value"] == pytest.approx(1.5 * 2 * 211 / 2**20)


def test_a_cycle_of_a_few_games_is_not():
    (row,) = players.triples(cycle(2, 1)).to_dict("records")
    assert row["player_a"] == "" and row["note"] == "none of 2 directed triangles stands out from luck"
    (row,) = players.surprises(players.RatedLeague(of_games([("a", "b", 3, 0, 2)]))).to_dict("records")
    assert row["note"] == "the only pair does not stand out from luck"
    frame = pd.DataFrame([("a", "b", 5, 0, 4)], columns=["player_a", "player_b", "wins_a", "draws", "wins_b"])
    assert players.triples(Payoff.from_counts(frame))["note"].tolist() == ["there is no directed triangle to test"]


def test_exact_payoffs_have_no_games():
    payoff = Payoff.from_dense(np.array([[0.5, 0.7], [0.3, 0.5]]))
    for call in (players.RatedLeague, players.triples):
        with pytest.raises(InputError, match="does not know how many games"):
            call(payoff)
