"""When modelling cycles predicts better: drawn and thinned results, what is scored, and how families are compared."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

from reproduction.config import settings
from reproduction.figures.cycles_pay import draw_cycles_pay
from reproduction.figures.inputs import DatasetInfo
from transitivity import InputError, Payoff
from transitivity.evaluation.cycles_pay import compare, rule_of_thumb
from transitivity.evaluation.thinning import (
    UNLIMITED,
    draw_results,
    excess_log_loss,
    scores_of_drawn,
    scores_of_thinned,
    thin,
)
from transitivity.fitting import tuning

N = 24


def configured(change: dict) -> settings.Settings:
    config = yaml.safe_load((Path(__file__).resolve().parents[1] / "config.yaml").read_text(encoding="utf-8"))
    update_config(config, {"cycles": change})
    return settings.read(config)


def test_of_a_league_the_payoff_with_most_pairs_is_thinned():
    found = configured({"datasets": ["hex_3", "alphastar", "starcraft"]})
    assert found.cycles["datasets"] == ["hex_3", "starcraft_simulated_60"]


def test_mistakes_of_the_configuration():
    with pytest.raises(InputError, match=r"cycles\.datasets: there is no dataset 'hex'"):
        configured({"datasets": ["hex"]})
    with pytest.raises(InputError, match=r"cycles\.games"):
        configured({"games": [0]})


def elo_game() -> Payoff:
    r = np.random.default_rng(3).normal(0, 1, N)
    return Payoff.from_dense(1 / (1 + np.exp(r[None, :] - r[:, None])))


def disc_game() -> Payoff:
    z = np.exp(2j * np.pi * np.arange(N) / N) * 2
    return Payoff.from_dense(1 / (1 + np.exp(-(z[:, None].imag * z.real - z[:, None].real * z.imag))))


def rows(payoff: Payoff, shares, games, repeats, families=("elo", "disc")) -> pd.DataFrame:
    found = [
        {"dataset": "game", "kind": "drawn", "repeat": repeat} | row
        for repeat in range(repeats)
        for row in scores_of_drawn(payoff, shares, games, families, 1, "game", repeat)
    ]
    return pd.DataFrame(found)


def test_unlimited_games_show_the_exact_payoff():
    payoff = elo_game()
    seen, hidden = draw_results(payoff, 0.3, UNLIMITED, np.random.default_rng(0))
    assert seen.games is None and seen.n_pairs == round(0.3 * payoff.n_pairs)
    P = payoff.to_dense()
    for part in (seen, hidden):
        assert (part.p == P[part.i, part.j]).all()
    # Each pair is seen or hidden, once.
    both = np.concatenate([part.i * N + part.j for part in (seen, hidden)])
    assert (np.sort(both) == payoff.i * N + payoff.j).all()


def test_a_larger_share_sees_the_pairs_of_a_smaller_one_and_games_are_binomial():
    payoff = elo_game()
    few, many = (draw_results(payoff, share, 1000, np.random.default_rng(0))[0] for share in (0.2, 0.6))
    assert set(zip(few.i, few.j, strict=True)) < set(zip(many.i, many.j, strict=True))
    truth = payoff.to_dense()[many.i, many.j]
    z = (many.p - truth) / np.sqrt(truth * (1 - truth) / 1000)
    assert (many.games == 1000).all() and abs(z.mean()) < 0.3 and 0.8 < z.std() < 1.2


def test_a_share_that_hides_nothing_is_refused():
    for share in (1.0, 0.0001):
        with pytest.raises(InputError, match="share"):
            draw_results(elo_game(), share, 4, np.random.default_rng(0))


def test_the_truth_has_no_excess():
    p = np.array([0.0, 0.2, 0.5, 1.0])
    assert excess_log_loss(p, p) == 0
    # By hand: log 2 for a certain game, p log(p / q) + (1 - p) log((1 - p) / (1 - q)) else.
    assert excess_log_loss(np.array([1.0]), np.array([0.5])) == pytest.approx(math.log(2))
    expected = 0.2 * math.log(0.2 / 0.6) + 0.8 * math.log(0.8 / 0.4)
    assert excess_log_loss(np.array([0.2]), np.array([0.6])) == pytest.approx(expected)
    assert excess_log_loss(np.array([0.5]), np.array([0.0])) == pytest.approx(
        math.log(0.5 / 1e-9) / 2 - math.log(2) / 2
    )


def test_thinned_games_are_a_part_of_all():
    frame = pd.DataFrame({"player_a": list("aab"), "player_b": list("bcc")})
    counted = Payoff.from_counts(frame.assign(wins_a=[30, 1, 8], draws=[1, 0, 2], wins_b=[9, 0, 0]))
    whole = thin(counted, 1.0, np.random.default_rng(0))
    assert (whole.p == counted.p).all() and (whole.games == counted.games).all()
    kept = [thin(counted, 0.5, np.random.default_rng(seed)) for seed in range(200)]
    for part in kept:
        assert set(zip(part.i, part.j, strict=True)) <= set(zip(counted.i, counted.j, strict=True))
        assert np.allclose(2 * part.p * part.games, np.rint(2 * part.p * part.games))
    first = [(part.p[0] * part.games[0], part.games[0]) for part in kept]
    assert np.mean(first, axis=0) == pytest.approx([30.5 / 2, 20], rel=0.05)
    # The pair of one game is gone about every second time.
    assert 60 < sum(part.n_pairs == 2 for part in kept) < 140


@pytest.fixture(scope="module")
def on_an_elo_game() -> pd.DataFrame:
    return compare(rows(elo_game(), [0.6], [2, 32, UNLIMITED], 3))


def test_more_games_help_on_an_elo_game(on_an_elo_game):
    elo = on_an_elo_game[on_an_elo_game.family == "elo"]
    assert elo.score.is_monotonic_decreasing
    assert elo.score.iloc[-1] < 1e-3


def test_no_family_beats_elo_on_an_elo_game(on_an_elo_game):
    assert not (on_an_elo_game.low > 0).any()
    assert set(on_an_elo_game.best) <= {"elo", "no difference"}


def test_a_cyclic_game_pays(monkeypatch):
    # Cycles this strong show when every pair is hidden once.
    monkeypatch.setattr(tuning, "SCORED", N * (N - 1) // 2)
    scores = rows(disc_game(), [0.8], [64], 3, ("elo", "melo_logit"))
    table = compare(scores).set_index("family")
    assert table.best.eq("melo_logit").all()
    assert table.ratio["melo_logit"] > 5 and table.n_components["melo_logit"] >= 1


def test_what_differs_by_luck_is_not_named():
    scores = pd.DataFrame(
        [("game", "drawn", 0.5, 4.0, 10, 5.0, 20.0, 9, repeat, family, 0.0) for repeat in range(3) for family in "ED"],
        columns=[
            *("dataset", "kind", "share", "games", "n_players", "opponents", "games_a_player"),
            *("n_scored", "repeat", "family", "n_components"),
        ],
    ).replace({"family": {"E": "elo", "D": "disc"}})
    elo, gain = scores.family == "elo", np.array([0.0, 0.05, 0.1])[scores.repeat]

    def best(of_disc: np.ndarray) -> set[str]:
        return set(compare(scores.assign(score=np.where(elo, 0.2, of_disc))).best)

    # Of three gains 0, .05 and .1 the mean is .05 and the 95 % interval [-.074, .174].
    assert best(np.full(6, 0.2)) == best(0.2 - gain) == {"no difference"}
    assert best(0.19 - gain / 100) == {"disc"} and best(0.21 + gain / 100) == {"elo"}
    table = compare(scores.assign(score=np.where(elo, 0.2, 0.2 - gain))).set_index("family")
    assert (table.low["disc"], table.high["disc"]) == pytest.approx((-0.0742, 0.1742), abs=1e-4)
    # The hold-outs of a league overlap: (1/3 + .2/.8) s² in place of s²/3.
    thinned = compare(scores.assign(kind="thinned", score=np.where(elo, 0.2, 0.2 - gain))).set_index("family")
    assert thinned.high["disc"] == pytest.approx(0.05 + 0.1242 * math.sqrt(1.75), abs=1e-4)


def grid(dataset: str, from_opponents: float, from_games: float, k: int) -> pd.DataFrame:
    """A table in which cycles pay exactly from two thresholds."""
    found = []
    for share in (0.1, 0.2, 0.4, 0.8):
        for games in (1, 4, 16, UNLIMITED):
            opponents = 100 * share
            pays = opponents >= from_opponents and opponents * games >= from_games
            about = {"dataset": dataset, "kind": "drawn", "share": share, "games": games, "opponents": opponents}
            about |= {
                "games_a_player": opponents * games,
                "n_components": k,
                "score": 0.1,
                "ratio": 2.0 if pays else 1.0,
            }
            best = "disc" if pays else "no difference"
            found.append(about | {"family": "disc", "low": 0.1 if pays else -0.1, "high": 0.2, "best": best})
    return pd.DataFrame(found)


def test_rule_of_thumb():
    # The second game needs twice as much, and has twice the number of pairs of components.
    table = pd.concat([grid("a", 20, 80, 1), grid("b", 40, 160, 2), grid("never", 1e9, 1e9, 1)])
    rule = rule_of_thumb(table).set_index("dataset")
    assert 10 < rule.opponents["a"] <= 20 and 20 < rule.opponents["b"] <= 40
    assert 40 < rule.games_a_player["a"] <= 80 and 80 < rule.games_a_player["b"] <= 160
    assert rule.wrong[["a", "b", "all"]].tolist() == [0, 0, 0]
    assert rule.wrong_elsewhere["a"] == 0
    # Where all cells pay, there is nothing to find; the other games' thresholds are tried on them.
    every = rule_of_thumb(pd.concat([table, grid("always", 1, 1, 4)])).set_index("dataset").loc["always"]
    assert math.isnan(every.opponents) and every.paying == 16 and every.wrong_elsewhere > 0
    assert math.isnan(rule.opponents["never"]) and rule.paying["never"] == 0 and rule.cells["all"] == 32


def test_rule_of_thumb_without_any_game_that_pays():
    rule = rule_of_thumb(grid("never", 1e9, 1e9, 1))
    assert rule.dataset.tolist() == ["never"] and rule.opponents.isna().all()


def test_a_thinned_league_and_the_figure():
    payoff = draw_results(elo_game(), 0.9, 20, np.random.default_rng(0))[0]
    found = [
        {"dataset": "league", "kind": "thinned", "repeat": repeat} | row
        for repeat in range(2)
        for row in scores_of_thinned(payoff, [0.1, 1.0], ["elo", "constant", "disc"], 1, "league", repeat)
    ]
    table = compare(pd.DataFrame(found))
    constant, elo = (table[table.family == one].set_index("share").score for one in ("constant", "elo"))
    assert constant.to_numpy() == pytest.approx(math.log(2))
    assert elo[1.0] < elo[0.1] < math.log(2)
    both = pd.concat([table, grid("a", 20, 80, 1)])
    figure = draw_cycles_pay(both, rule_of_thumb(both), DatasetInfo({"league": "A league"}, frozenset({"league"})))
    titles = {ax.get_title(): ax for ax in figure.axes}
    assert set(titles) == {"A league", "a"}
    cells = [text.get_text() for text in titles["a"].texts]
    assert cells.count("D 2.0") == int((both.best == "disc").sum()) and cells.count("1.00") == 16 - cells.count("D 2.0")
    assert "simulated" in [text.get_text() for text in titles["A league"].texts]


def test_games_of_a_few_players_are_skipped_by_name(tmp_path):
    plan = {"shares": [0.1, 0.8], "games": [4], "repeats": 2, "families": ["elo", "disc"]}
    scripts, said = Path(__file__).resolve().parents[1] / "scripts", {}
    for n in (2, 4):
        P = np.full((n, n), 0.5) + np.triu(np.full((n, n), 0.3), 1) - np.tril(np.full((n, n), 0.3), -1)
        Payoff.from_dense(P).save(tmp_path / f"n{n}.npz")
        arguments = ["--dataset", f"n{n}", "--payoff", tmp_path / f"n{n}.npz", "--plan", json.dumps(plan)]
        arguments += ["--output", tmp_path / f"n{n}.csv"]
        done = subprocess.run(
            [sys.executable, scripts / "cycles_pay.py", *arguments], capture_output=True, text=True, check=True
        )
        said[n] = [line for line in done.stderr.splitlines() if f"n{n} is left out" in line]
    assert (len(said[2]), len(said[4])) == (2, 0)
    nothing, some = (pd.read_csv(tmp_path / f"n{n}.csv") for n in (2, 4))
    assert len(nothing) == 0 and list(nothing) == list(some)
    # A run of such games only has empty tables, which the figure takes.
    compared = compare(nothing)
    rule = rule_of_thumb(compared)
    assert len(compared) == len(rule) == 0 and len(rule_of_thumb(compare(some))) == 1
    assert draw_cycles_pay(compared, rule, DatasetInfo(None))
