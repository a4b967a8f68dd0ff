"""python -m transitivity, scripts/players.py and predict.py, and what figure and report make of the tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from loading import script
from scipy.special import expit

from reproduction.report.own import evidence_of
from reproduction.report.players import players_section
from transitivity import InputError, Payoff, __main__
from transitivity.files import read_any_table, read_table
from transitivity.matchups.table import save_matchups
from transitivity.measures import evidence
from transitivity.measures.players import chance

ROOT = Path(__file__).resolve().parents[1]
NAMES = ["NA", "<b>Ann</b>", "$x^2$", "Émile", "Zoë"]


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """Games of five players, the first the best, and one that stands apart."""
    rng, rows = np.random.default_rng(0), []
    for i in range(5):
        for j in range(i + 1, 5):
            for won in rng.random(8) < expit(0.6 * (j - i)):
                rows.append((NAMES[i], NAMES[j], NAMES[i] if won else NAMES[j]))
    rows.append(("Otto", "Pia", "Pia"))
    path = tmp_path_factory.mktemp("results") / "results.csv"
    pd.DataFrame(rows, columns=["player_a", "player_b", "winner"]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def tables(results, tmp_path_factory) -> dict[str, Path]:
    """What scripts/players.py writes."""
    from transitivity import read_matchups

    folder = tmp_path_factory.mktemp("players")
    matchups = read_matchups(results, winner="winner")
    Payoff.from_counts(matchups).save(folder / "payoff.npz")
    save_matchups(matchups, folder / "mine.csv")
    paths = {name: folder / f"{name}.csv" for name in ("ratings", "pairs", "surprises", "triples")}
    options = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["players.py", "--dataset", "mine", "--matchups", str(folder / "mine.csv"), *options])
        script("players").main()
    return paths | {"payoff": folder / "payoff.npz", "matchups": folder / "mine.csv"}


def test_the_command_prints_ratings_and_a_verdict(results, tables, tmp_path, monkeypatch, capsys):
    __main__.main(__main__.parse([str(results), "--winner", "winner", "--top", "3", "--seed", "42"]))
    printed = capsys.readouterr().out
    # What a run with this seed says, to the last digit.
    first = read_any_table(tables["ratings"]).iloc[0]
    drawn = (first["rank_low"], first["rank_high"], first["games"], first["opponents"], chance(first["p_best"]))
    assert " ".join(map(str, drawn)) in " ".join(printed.split())
    outputs = {name: tmp_path / name for name in ("points", "hull", "clusters", "measures")}
    given = [word for name, path in outputs.items() for word in (f"--{name}", str(path))]
    monkeypatch.setattr("sys.argv", ["measure.py", "--dataset", "mine", "--payoff", str(tables["payoff"]), *given])
    script("measure").main()
    row = next(read_any_table(outputs["measures"]).itertuples())
    assert __main__.verdict(evidence_of(row), 7) in printed
    assert "7 players, 11 pairs, 81 games." in printed
    assert "4 more players" in printed and "2 players never met" in printed
    assert [line.split()[1] for line in printed.splitlines() if line.strip()[:2] in ("1 ", "2 ", "3 ")].count("NA") == 1
    assert "Verdict: " in printed


@pytest.mark.parametrize(
    ("verdict", "power", "needed", "hinges", "says"),
    [
        (evidence.UNDECIDED, 0.3, 400.0, (), "about 400 games in all"),
        (evidence.UNDECIDED, 0.0, np.inf, (), "probability below 0.01"),
        (evidence.UNDECIDED, 0.0, np.inf, (), "Not even 128 times as many games"),
        (evidence.CYCLIC, 1.0, 100.0, ("Ann",), "Without the games of Ann"),
        (evidence.TRANSITIVE, 0.9, 100.0, (), "probability of 0.90"),
        (evidence.BY_GRAPH, 0.0, np.inf, (), "form no cycle"),
    ],
)
def test_the_verdict_in_words(verdict, power, needed, hinges, says):
    found = evidence.Evidence(verdict, 0.01 if hinges else 0.2, 1.0, power, needed, hinges, 99)
    assert says in __main__.verdict(found, 9)
    # No cycle is left without one of three players, whatever the results of the others.
    of_three = __main__.verdict(found, 3)
    assert "Without" not in of_three and ("any one of these players" in of_three) == (verdict == evidence.CYCLIC)


def test_a_small_p_without_a_cycle_of_majorities_is_said():
    found = evidence.Evidence(evidence.UNDECIDED, 0.0125, 1.0, 1.0, np.nan, (), 159)
    said = __main__.verdict(found, 9)
    assert "agree with an order" in said and "(p = 0.013, from 159 draws)" in said
    # Draws of which all lie further off are not a certainty.
    assert "(p > 0.99, " in __main__.verdict(evidence.Evidence(evidence.UNDECIDED, 1.0, 1.0, 0.3, 9.0, (), 199), 9)


def test_the_command_says_what_is_unusual_in_a_file(tmp_path, capsys):
    games = [f"p{i},p{j},p{i}" for i in range(7) for j in range(i)]
    (tmp_path / "twice.csv").write_text("\n".join(["player_a,player_b,winner", *games, *games]) + "\n")
    __main__.main(__main__.parse([str(tmp_path / "twice.csv"), "--winner", "winner"]))
    assert "Noted: all counts are multiples of 2: rows may stand in the files more than once" in capsys.readouterr().out


def test_names_stay_names(tables):
    ratings = read_table(tables["ratings"], text=("dataset", "player"))
    assert sorted(ratings["player"]) == sorted([*NAMES, "Otto", "Pia"])
    # What was not asked for stays away: it would be text.
    assert list(ratings) == ["dataset", "player"] and set(ratings["dataset"]) == {"mine"}


def test_a_prediction_with_an_interval(tables, capsys):
    predict = script("predict")
    given = ["--payoff", str(tables["payoff"])]
    predict.main(predict.parse([*given, "NA", "Zoë"]))
    printed = capsys.readouterr().out
    p, low, high = (float(word.strip(",;.")) for word in printed.split() if word[:2] == "0.")
    assert 0.5 < low < p < high < 1
    assert "They met in 8 games" in printed
    # Counts by pair say the same.
    predict.main(predict.parse(["--payoff", str(tables["matchups"]), "NA", "Zoë"]))
    assert capsys.readouterr().out == printed
    predict.main(predict.parse([*given, "NA", "Pia"]))
    assert "hardly more than a guess" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["NA", "Zoe"], "did you mean 'Zoë'"),
        (["NA", "PIA"], "did you mean 'Pia'"),
        (["NA", "NA"], "given twice"),
        (["mine", "NA", "Zoë"], "two players"),
    ],
)
def test_a_wrong_prediction_is_named(tables, words, says):
    predict = script("predict")
    with pytest.raises(InputError, match=says):
        predict.main(predict.parse(["--payoff", str(tables["payoff"]), *words]))


def test_a_prediction_needs_a_run(tmp_path, tables, capsys):
    predict = script("predict")
    config = tmp_path / "mine.yaml"
    config.write_text(f"results: {tmp_path}\n")
    with pytest.raises(InputError, match="run the pipeline"):
        predict.main(predict.parse(["--config", str(config), "mine", "NA", "Zoë"]))
    for suffix in (".csv", ".json"):
        copy = (tmp_path / "matchups" / "mine").with_suffix(suffix)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(tables["matchups"].with_suffix(suffix).read_bytes())
    with pytest.raises(InputError, match="did you mean 'mine'"):
        predict.main(predict.parse(["--config", str(config), "mines", "NA", "Zoë"]))
    predict.main(predict.parse(["--config", str(config), "mine", "NA", "Zoë"]))
    # A dataset with a threshold is predicted by all the games of its league.
    (tmp_path / "payoffs").mkdir()
    (tmp_path / "payoffs" / "mine_80.json").write_text('{"league": "mine"}')
    predict.main(predict.parse(["--config", str(config), "mine_80", "NA", "Zoë"]))
    # A payoff file has no league.
    (tmp_path / "payoffs" / "own.npz").write_bytes(tables["payoff"].read_bytes())
    predict.main(predict.parse(["--config", str(config), "own", "NA", "Zoë"]))
    first, second, third = capsys.readouterr().out.split("P(")[1:]
    assert first == second == third


def test_a_prediction_that_the_pair_contradicts_says_so(tmp_path, capsys):
    strong = {"player_a": "Ann", "wins_a": 18, "draws": 0, "wins_b": 2}
    rows = [strong | {"player_b": name} for name in ("Bob", "Eve", "Dan", "Fay")]
    rows.append({"player_a": "Zoë", "player_b": "Ann", "wins_a": 20, "draws": 0, "wins_b": 0})
    rows += [
        {"player_a": "Zoë", "player_b": n, "wins_a": 4, "draws": 0, "wins_b": 16} for n in ("Bob", "Eve", "Dan", "Fay")
    ]
    Payoff.from_counts(pd.DataFrame(rows)).save(tmp_path / "payoff.npz")
    predict = script("predict")
    predict.main(predict.parse(["--payoff", str(tmp_path / "payoff.npz"), "Ann", "Zoë"]))
    said = capsys.readouterr().out
    assert "fit the ratings badly" in said and "Zoë to score" in said and "not 20, of 20" in said


def test_a_prediction_in_a_cyclic_league_says_so(tmp_path, tables, capsys):
    predict = script("predict")
    (tmp_path / "mine.yaml").write_text(f"results: {tmp_path}\n")
    for folder in ("matchups", "payoffs", "tables"):
        (tmp_path / folder).mkdir()
    for suffix in (".csv", ".json"):
        copy = (tmp_path / "matchups" / "mine").with_suffix(suffix)
        copy.write_bytes(tables["matchups"].with_suffix(suffix).read_bytes())
    for name in ("mine_20", "mine_40"):
        (tmp_path / "payoffs" / f"{name}.json").write_text('{"league": "mine"}')
    verdicts = "dataset,verdict_logit\nmine_20,undecided\nmine_40,{}\nother,cyclic\n"
    for verdict in ("cyclic", "undecided"):
        (tmp_path / "tables" / "transitivity.csv").write_text(verdicts.format(verdict))
        for about in ("mine", "mine_20"):
            predict.main(predict.parse(["--config", str(tmp_path / "mine.yaml"), about, "NA", "Zoë"]))
            said = capsys.readouterr().out
            assert ("The verdict on mine_40 is cyclic" in said) == (verdict == "cyclic") and "other" not in said


def test_draws_are_predicted_where_there_are_any(tmp_path, capsys):
    rows = [("Ann", "Bob", 6, 8, 2), ("Bob", "Eve", 5, 9, 4), ("Ann", "Eve", 7, 5, 2)]
    frame = pd.DataFrame(rows, columns=["player_a", "player_b", "wins_a", "draws", "wins_b"])
    (tmp_path / "mine.yaml").write_text(f"results: {tmp_path}\n")
    save_matchups(frame, tmp_path / "matchups" / "mine.csv")
    predict = script("predict")
    predict.main(predict.parse(["--config", str(tmp_path / "mine.yaml"), "mine", "Ann", "Eve"]))
    printed = capsys.readouterr().out
    win, draw, loss, score = (float(line.split(",")[0].split()[-1]) for line in printed.splitlines()[1:5])
    assert win > loss and 0.3 < draw < 0.6
    assert win + draw + loss == pytest.approx(1, abs=0.02) and score == pytest.approx(win + draw / 2, abs=0.02)


def test_the_command_says_what_draws_and_the_first_move_are_worth(tmp_path, capsys, monkeypatch):
    rng, names = np.random.default_rng(1), ["Ann", "Bob", "Eve", "Dan"]
    rows = [
        (a, b, rng.choice([a, b, "draw"], p=[0.5, 0.2, 0.3])) for a in names for b in names if a != b for _ in range(20)
    ]
    path = tmp_path / "games.csv"
    pd.DataFrame(rows, columns=["player_a", "player_b", "winner"]).to_csv(path, index=False)
    given = [str(path), "--winner", "winner", "--draw", "draw"]
    __main__.main(__main__.parse(given))
    printed = capsys.readouterr().out
    assert "of the games are drawn" in printed and "who is first" not in printed
    __main__.main(__main__.parse([*given, "--advantage"]))
    printed = capsys.readouterr().out
    score = float(printed.split("who is first scores ")[1].split()[0])
    assert 55 <= score <= 75
    assert "Neither the ratings above nor the verdict below take into account who was first." in printed
    winner_first = tmp_path / "winners.csv"
    pd.DataFrame([("Ann", "Bob"), ("Bob", "Eve")], columns=["winner", "loser"]).to_csv(winner_first, index=False)
    # That is said before anything is rated.
    monkeypatch.setattr("transitivity.measures.players.RatedLeague", None)
    with pytest.raises(InputError, match="lists the winner first"):
        __main__.main(
            __main__.parse(
                [str(winner_first), "--player-a", "winner", "--player-b", "loser", "--winner", "winner", "--advantage"]
            )
        )
    assert capsys.readouterr().out == "", "half of the answer would look like all of it"


def test_the_report_says_that_nothing_stands_out(tables):
    given = {name: read_any_table(tables[name]) for name in ("ratings", "surprises", "triples")}
    (league,) = players_section(given)
    assert league["league"] == "mine"
    assert ["None of " in part["words"] and part["table"] is None for part in league["parts"]] == [True, True]
    given["surprises"]["simulated"] = "True"
    assert players_section(given) == []


def test_the_report_lists_a_surprise():
    about = {"dataset": "mine", "dataset_label": "Mine", "simulated": "False"}
    row = about | {"player_a": "NA", "player_b": "Bob", "games": 20, "expected": 5.0, "observed": 19.0}
    surprises = pd.DataFrame([row | {"p_value": 1e-6, "q_value": 1e-5, "tested": 10, "note": ""}])
    triples = pd.DataFrame([{"dataset": "mine", "player_a": "", "note": "there is no cycle to test"}])
    given = {"surprises": surprises, "triples": triples}
    (league,) = players_section(given)
    assert league["parts"][0]["table"]["rows"][0][:2] == ["NA", "Bob"]


def test_a_negative_seed_is_refused(results):
    with pytest.raises(InputError, match="--seed is -1"):
        __main__.main(__main__.parse([str(results), "--winner", "winner", "--seed", "-1"]))
