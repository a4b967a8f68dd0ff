"""Simulated leagues: what is written is what was planted, it is like a real league, and fits find the planted kind."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import chess.pgn
import numpy as np
import pandas as pd
import pytest
from aligulac_dump import write_aligulac
from hypothesis import given
from hypothesis import strategies as st

from transitivity import Payoff, read_matchups
from transitivity.disc.component import disc_component
from transitivity.errors import InputError
from transitivity.matchups.table import filter_matchups
from transitivity.matchups.tally import COUNTS
from transitivity.models import Disc
from transitivity.seeding import generator
from transitivity.sources import simulated
from transitivity.sources.simulated import PROFILES, draw_league, write_matchups, write_pgn

ROOT = Path(__file__).resolve().parents[1]
PROFILE_OF_KIND = {"transitive": "lichess", "cyclic": "starcraft"}


def rng(*names) -> np.random.Generator:
    return generator(1, "test_league", *names)


def small(kind: str = "transitive", **parameters) -> simulated.League:
    return draw_league(kind, rng(kind), **{"n_players": 40, "n_pairs": 200, **parameters})


@pytest.fixture(scope="module")
def default_frames() -> dict[str, pd.DataFrame]:
    """The games of the default leagues, by profile."""
    return {
        profile: draw_league(kind, rng(profile), profile=profile).matchups(rng(profile, "games"))
        for kind, profile in PROFILE_OF_KIND.items()
    }


# ------------------------------------------------------------------- files


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_pgn_holds_the_planted_games(tmp_path, suffix):
    planted = small()
    frame = planted.matchups(rng())
    path = tmp_path / f"simulated.pgn{suffix}"
    write_pgn(frame, path, rng(), planted.ratings)
    found = read_matchups(path)
    pd.testing.assert_frame_equal(found, frame)
    assert (found[list(COUNTS)].sum(axis=1) == planted.games).all()
    assert found.attrs["dropped"] == found.attrs["noted"] == {}
    assert frame["draws"].sum() > 0
    # Options that compare times and ratings find nothing to leave out.
    strict = read_matchups(path, repeats="drop", first="2019-08-01", last="2020-05-31", ratings=(1, 1))
    pd.testing.assert_frame_equal(strict, frame)


def test_pgn_as_python_chess_reads_it(tmp_path):
    planted = small(n_pairs=60)
    frame = planted.matchups(rng())
    write_pgn(frame, tmp_path / "simulated.pgn", rng(), planted.ratings)
    ratings = planted.ratings.to_dict()
    won_by_white = games = 0
    with open(tmp_path / "simulated.pgn", encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            headers = game.headers
            assert headers["Event"] == simulated.EVENT
            for colour in ("White", "Black"):
                assert headers[colour].startswith("simulated_")
                assert int(headers[f"{colour}Elo"]) == ratings[headers[colour]]
            games += 1
            won_by_white += headers["Result"] == "1-0"
    assert games == planted.games.sum()
    # Colours are random: white wins about as often as black.
    decided = frame["wins_a"].sum() + frame["wins_b"].sum()
    assert abs(won_by_white - decided / 2) < 4 * np.sqrt(decided / 4)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_dump_holds_the_planted_games(tmp_path, suffix):
    planted = small("cyclic", profile="starcraft")
    frame = planted.matchups(rng())
    path = tmp_path / f"simulated.sql{suffix}"
    write_aligulac(frame, path, rng())
    found = read_matchups(path)
    pd.testing.assert_frame_equal(found, frame)
    assert found.attrs["dropped"] == found.attrs["noted"] == {}
    pd.testing.assert_frame_equal(read_matchups(path, repeats="drop"), frame)


def test_rows_of_a_dump_are_series_to_two_wins(tmp_path):
    frame = small("cyclic", profile="starcraft").matchups(rng())
    write_aligulac(frame, tmp_path / "simulated.sql", rng())
    text = (tmp_path / "simulated.sql").read_text(encoding="utf-8")
    head, block = text[text.index("COPY public.match (") :].split("FROM stdin;\n", 1)
    columns = head[head.index("(") + 1 : head.index(")")].split(", ")
    rows = pd.DataFrame(csv.reader(block[: block.index("\n\\.\n")].split("\n"), delimiter="\t"), columns=columns)
    scores = rows[["sca", "scb"]].astype(int).to_numpy()
    best = scores.max(axis=1)
    assert set(best) == {1, 2}
    assert scores.min() == 0
    assert scores.sum(axis=1).max() == 3
    # Only the last series of a pair may end before.
    unfinished = rows[best == 1]
    pairs = unfinished[["pla_id", "plb_id"]].astype(int).to_numpy()
    assert len({tuple(sorted(pair)) for pair in pairs}) == len(unfinished)
    assert rows["id"].astype(int).tolist() == list(range(1, len(rows) + 1))
    assert rows["date"].is_monotonic_increasing
    assert set(rows["game"]) == {"WoL", "HotS", "LotV"}
    assert rows["event"].str.startswith(simulated.EVENT).all()


@pytest.mark.parametrize(("write", "name"), [(write_pgn, "simulated.pgn.gz"), (write_aligulac, "simulated.sql.gz")])
def test_the_same_bytes_each_time(tmp_path, write, name):
    content = []
    for folder in ("a", "b"):
        frame = small(draws=0).matchups(rng())
        write(frame, tmp_path / folder / name, rng())
        content.append((tmp_path / folder / name).read_bytes())
    assert content[0] == content[1]
    write(small(draws=0).matchups(rng()), tmp_path / name, rng("other"))
    assert (tmp_path / name).read_bytes() != content[0]


def test_counts_are_read_as_written(tmp_path):
    frame = small("cyclic", profile="starcraft").matchups(rng())
    write_matchups(frame, tmp_path / "simulated.csv.gz")
    found = read_matchups(tmp_path / "simulated.csv.gz")
    pd.testing.assert_frame_equal(found, frame)
    assert found.attrs["dropped"] == found.attrs["noted"] == {}


def test_small_chunks_write_the_same_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(simulated, "_CHUNK", 7)
    frame = small().matchups(rng())
    write_pgn(frame, tmp_path / "simulated.pgn", rng())
    pd.testing.assert_frame_equal(read_matchups(tmp_path / "simulated.pgn"), frame)


def test_truth_is_what_was_planted(tmp_path):
    planted = small()
    planted.write_truth(tmp_path / "truth.csv")
    truth = pd.read_csv(tmp_path / "truth.csv")
    assert truth["player"].tolist() == planted.players.tolist()
    assert (truth["u"] == planted.u).all()
    assert (truth["v"] == planted.v).all()


# ------------------------------------------------------------------- shapes


@given(
    kind=st.sampled_from(simulated.KINDS),
    profile=st.sampled_from(list(PROFILES)),
    n=st.integers(12, 60),
    density=st.floats(0, 1),
    games=st.none() | st.integers(1, 20),
    activity=st.floats(0, 3),
    concentration=st.floats(-1, 1),
    seed=st.integers(0, 99),
)
def test_a_league_has_the_shape_that_was_asked_for(kind, profile, n, density, games, activity, concentration, seed):
    m = n + round(density * (n * (n - 1) // 2 - n))
    planted = draw_league(
        kind,
        generator(seed),
        profile=profile,
        n_players=n,
        n_pairs=m,
        games=games,
        activity=activity,
        concentration=concentration,
    )
    payoff = planted.payoff()
    assert (payoff.n_players, payoff.n_pairs) == (n, m)
    assert (payoff.degrees >= 1).all()
    assert (planted.games >= 1).all()
    assert games is None or (planted.games == games).all()
    assert planted.component.transitive == (kind == "transitive")
    assert planted.component.fully_cyclic == (kind == "cyclic")
    frame = planted.matchups(generator(seed))
    assert (frame[list(COUNTS)].sum(axis=1) == planted.games).all()
    assert (frame["player_a"] < frame["player_b"]).all()


def test_pairs_drawn_and_pairs_ranked_are_alike(monkeypatch):
    parameters = {"n_players": 300, "n_pairs": 2000, "games": 1}
    ranked = draw_league("transitive", rng(), **parameters)
    monkeypatch.setattr(simulated, "_RANKED_PAIRS", 1)
    drawn = draw_league("transitive", rng(), **parameters)
    assert len(drawn.i) == len(ranked.i) == 2000
    # The same players are active, whichever way their opponents were drawn.
    degrees = [one.payoff().degrees for one in (ranked, drawn)]
    assert np.corrcoef(*degrees)[0, 1] > 0.9


def test_expected_score_is_p_with_and_without_draws():
    for draws in (0.0, 0.5):
        planted = small(n_pairs=780, games=2000, draws=draws)
        frame = planted.matchups(rng(draws))
        score = (frame["wins_a"] + frame["draws"] / 2) / 2000
        p = planted.payoff().p
        z = (score - p) / np.sqrt(p * (1 - p) / 2000)
        assert abs(z.mean()) < 4 / np.sqrt(len(z))
        # A draw lowers the variance of a score.
        assert (0.8 < z.std() < 1.2) if draws == 0 else (0.5 < z.std() < 0.9)
        share = (frame["draws"] / 2000 - draws * 4 * p * (1 - p)).abs().max()
        assert share < 0.06


# ------------------------------------------------------------------- like a real league


@pytest.mark.parametrize("profile", list(PROFILES))
def test_thresholds_leave_as_much_as_in_figure_7(default_frames, profile):
    frame = default_frames[profile]
    counts = pd.read_csv(ROOT / "workflow" / "paper" / "figure_7_counts.csv").query("dataset == @profile")
    assert len(counts) == 8
    for threshold, quantity, value in counts[["threshold", "quantity", "value"]].itertuples(index=False):
        kept, steps = filter_matchups(frame, int(threshold))
        players = steps["players"].iloc[1]
        # A pair is stored in both directions, but not a win rate of 0.
        entries = 2 * len(kept) - int(((kept["wins_a"] == 0) | (kept["wins_b"] == 0)).sum())
        ours = players if quantity == "players" else entries
        assert 0.7 < ours / value < 1.3, (threshold, quantity)
    assert frame[list(COUNTS)].sum().sum() < 260_000


def test_the_lichess_profile_is_that_of_the_real_months(default_frames, shared_data):
    real = read_matchups(shared_data / "lichess_elite" / "*.pgn")
    games = real[list(COUNTS)].sum(axis=1)
    profile = PROFILES["lichess"]
    assert [int((games >= least).sum()) for least, _ in profile.games_of_pairs] == [
        pairs for _, pairs in profile.games_of_pairs
    ]
    assert profile.draws == pytest.approx(real["draws"].sum() / games.sum(), abs=0.005)

    def log_degrees(frame: pd.DataFrame) -> np.ndarray:
        return np.log(pd.concat([frame["player_a"], frame["player_b"]]).value_counts().to_numpy())

    assert log_degrees(default_frames["lichess"]).std() == pytest.approx(log_degrees(real).std(), rel=0.2)


# ------------------------------------------------------------------- what is recovered


def fitted(frame: pd.DataFrame, **parameters) -> tuple[Payoff, Disc]:
    payoff = Payoff.from_counts(frame)
    return payoff, Disc(**parameters).fit(payoff)


@pytest.mark.parametrize("kind", simulated.KINDS)
@pytest.mark.parametrize("form", ["pgn", "sql"])
def test_a_fit_of_the_files_finds_the_planted_game(tmp_path, kind, form):
    planted = draw_league(kind, rng(kind), n_players=40, n_pairs=780, games=200, draws=0)
    path = tmp_path / f"simulated.{form}"
    write = {"pgn": write_pgn, "sql": write_aligulac}[form]
    write(planted.matchups(rng()), path, rng())
    payoff, model = fitted(read_matchups(path))
    component = disc_component(model.u_[:, 0], model.v_[:, 0])
    assert component.transitive == planted.component.transitive
    assert component.fully_cyclic == planted.component.fully_cyclic
    truth = planted.payoff()
    assert payoff.players.tolist() == truth.players.tolist()
    error = np.sqrt(np.mean((model.predict(truth.i, truth.j) - truth.p) ** 2))
    # 80 parameters for 780 pairs: the error is about a third of that of the frequencies, √(80 / 780).
    noise = np.sqrt(np.mean(truth.p * (1 - truth.p) / 200))
    assert error < 0.45 * noise


@pytest.mark.parametrize("kind", simulated.KINDS)
def test_the_regularised_fit_finds_the_planted_kind_in_a_real_graph(kind):
    frame = draw_league(kind, rng(), profile="starcraft").matchups(rng())
    _, model = fitted(filter_matchups(frame, 80)[0], regularisation=0.1)
    component = disc_component(model.u_[:, 0], model.v_[:, 0])
    assert component.transitive == (kind == "transitive")


# ------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "transitiv"}, "did you mean 'transitive'"),
        ({"profile": "liches"}, "did you mean 'lichess'"),
        ({"n_players": 2}, "at least 3"),
        ({"kind": "cyclic", "n_players": 11}, "at least 12"),
        ({"n_pairs": 39}, "at least 40"),
        ({"n_pairs": 781}, "40 players make 780 pairs"),
        ({"n_players": 5000, "n_pairs": 5_000_000}, "more than a tenth"),
        ({"games": 0}, "games is 0"),
        ({"spread": 0}, "spread is 0"),
        ({"draws": 0.6}, "draws is 0.6"),
        ({"concentration": "much"}, "concentration is 'much'"),
    ],
)
def test_mistakes_in_parameters(parameters, message):
    with pytest.raises(InputError, match=message):
        draw_league(**{"kind": "transitive", "rng": rng(), "n_players": 40, "n_pairs": 200, **parameters})


def test_files_must_say_that_they_are_simulated(tmp_path):
    with pytest.raises(InputError, match="put 'simulated' into it"):
        write_pgn(small().matchups(rng()), tmp_path / "lichess.pgn", rng())
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written(tmp_path):
    frame = small(draws=0.5).matchups(rng())
    with pytest.raises(InputError, match="set draws to 0"):
        write_aligulac(frame, tmp_path / "simulated.sql", rng())
    with pytest.raises(InputError, match="no game to write"):
        write_pgn(frame.iloc[:0], tmp_path / "simulated.pgn", rng())


# ------------------------------------------------------------------- the script


@pytest.mark.parametrize(("form", "suffix"), [("pgn", "pgn.gz"), ("results", "csv.gz"), ("results", "csv")])
def test_script(run_script, caplog, tmp_path, form, suffix):
    games, truth = tmp_path / f"simulated.{suffix}", tmp_path / "truth.csv"
    code = run_script(
        "simulate_league",
        *("--dataset", "d", "--output", games, "--truth", truth),
        *("--parameters", json.dumps({"kind": "cyclic", "format": form, "n_players": 20, "n_pairs": 50})),
    )
    assert code is None
    assert "20 players, 50 pairs" in caplog.text
    found = read_matchups(games)
    assert len(found) == 50 and found["player_a"].str.startswith("simulated_").all()
    points = pd.read_csv(truth)
    assert disc_component(points["u"].to_numpy(), points["v"].to_numpy()).fully_cyclic
