"""A dataset split by a column, and paths beside the configuration."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from reproduction.config import settings
from transitivity.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
TENNIS = """player_a,player_b,winner,surface
Ann,Bob,Ann,Clay
Ann,Bob,Bob,Hard
Ann,Bob,Bob,Indoor hard
Ann,Bob,Bob,
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Return the settings of a configuration in a folder of its own, beside its files."""
    monkeypatch.chdir(ROOT)
    (tmp_path / "tennis.csv").write_text(TENNIS)

    def of(tennis: str, more: str = "") -> settings.Settings:
        path = tmp_path / "mine.yaml"
        path.write_text(f"only_datasets: [tennis]\ndatasets:\n  tennis: {tennis}\n{more}")
        config = copy.deepcopy(CONFIG)
        update_config(config, yaml.safe_load(path.read_text()))
        return settings.read(config, [Path("config.yaml"), path])

    return of


@pytest.mark.parametrize(
    ("by", "surfaces"),
    [("surface", ["Clay", "Hard", "Indoor hard"]), ("{surface: [Clay, Indoor hard]}", ["Clay", "Indoor hard"])],
)
def test_one_file_is_split_by_a_column(read, by, surfaces):
    found = read(f"{{path: tennis.csv, label: Tennis, matchups: {{winner: winner, min_games: [1], by: {by}}}}}")
    ids = [f"tennis_{surface.lower().replace(' ', '_')}" for surface in surfaces]
    assert list(found.leagues) == ids
    assert [league["options"] for league in found.leagues.values()] == [
        {"winner": "winner", "where": {"surface": surface}} for surface in surfaces
    ]
    assert [league["label"] for league in found.leagues.values()] == [f"Tennis ({surface})" for surface in surfaces]
    assert found.ids["tennis"] == [f"{id}_1" for id in ids]


def test_what_the_filters_leave_empty_of_a_split_file_is_left_out_by_name(read, tmp_path):
    tennis = "{path: tennis.csv, matchups: {winner: winner, min_games: [1, 2], by: surface}}"
    with open(tmp_path / "tennis.csv", "a") as file:
        file.write("Ann,Eve,Eve,Clay\nEve,Ann,Ann,Clay\n")
    found = read(tennis)
    assert found.ids["tennis"] == ["tennis_clay_1", "tennis_clay_2", "tennis_hard_1", "tennis_indoor_hard_1"]
    assert list(found.left_out) == ["tennis_hard_2", "tennis_indoor_hard_2"]
    assert all("no pair has 2 games, the most is 1" in why for why in found.left_out.values())
    with pytest.raises(InputError, match=r"datasets\.tennis\.matchups: no value of `by` is left; no pair has 9 games"):
        read(tennis.replace("[1, 2]", "9"))


@pytest.mark.parametrize(
    ("by", "says"),
    [
        ("surfaces", "has no column 'surfaces'; did you mean 'surface'"),
        ("{surface: [Clay, CLAY]}", "'Clay', 'CLAY' make the same id, 'clay'"),
        ("{surface: [Clay, '–']}", "'–' has neither a letter from a to z nor a digit"),
        ("{surface: [], level: [A]}", "give a text, or a column with the list of its values"),
        ("[surface]", "give a text, or a column with the list of its values"),
        (f"{{surface: [{'x' * 200}]}}", "a value makes an id of over 200 characters"),
    ],
)
def test_mistakes_of_by_are_named(read, by, says):
    with pytest.raises(InputError, match=rf"mine\.yaml, line 3, datasets\.tennis\.matchups\.by: .*{says}"):
        read(f"{{path: tennis.csv, matchups: {{winner: winner, by: {by}}}}}")


def test_where_chooses_among_the_values_of_by(read):
    found = read("{path: tennis.csv, matchups: {winner: winner, where: {surface: {like: '*ard'}}, by: surface}}")
    assert list(found.leagues) == ["tennis_hard", "tennis_indoor_hard"]
    assert "tennis_clay" in read("{path: tennis.csv, matchups: {winner: winner, where: , by: surface}}").leagues


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (
            "where: {surface: Hard}, by: {surface: [Clay, Hard]}",
            r"by: `where` leaves out 'Clay' of the column 'surface'",
        ),
        ("where: {surface: {min: Z}}, by: surface", r"by: `where` leaves out 'Clay', 'Hard', 'Indoor hard' of"),
        ("where: {surface: []}, by: surface", r"by: where has nothing under 'in' for 'surface'"),
        ("where: Clay, by: surface", r"where: it is 'Clay'; give a column with its values"),
        ("delimiter: ab, by: surface", r"by: delimiter is 'ab'; give the one character"),
    ],
)
def test_keys_that_contradict_by_are_named(read, keys, says):
    with pytest.raises(InputError, match=rf"datasets\.tennis\.matchups\.{says}"):
        read(f"{{path: tennis.csv, matchups: {{winner: winner, {keys}}}}}")


def test_two_datasets_do_not_make_one_league(read):
    split = "{path: tennis.csv, matchups: {winner: winner, by: surface, min_games: [1]}}"
    other = "  tennis_clay: {path: tennis.csv, matchups: {winner: winner, min_games: [2]}}\n"
    with pytest.raises(InputError, match=r"datasets\.tennis_clay: another dataset makes the league 'tennis_clay', too"):
        read(split, other)


def test_paths_may_be_relative_to_the_configuration(read, tmp_path):
    (tmp_path / "names.csv").write_text("name,called\nAnn,Anne\n")
    shutil.copytree(ROOT / "docs" / "examples" / "models", tmp_path / "models")
    found = read("{path: 'tenn*.csv', matchups: {winner: winner, names: names.csv}}", "model_folders: [models]\n")
    league = found.leagues["tennis"]
    assert [Path(file).resolve() for file in league["files"][0]] == [tmp_path / "tennis.csv"]
    assert Path(league["options"]["names"]).resolve() == tmp_path / "names.csv"
    assert (ROOT / league["options"]["names"]).is_file()
    # What is not there is looked for in the project's folder, and named as it was given.
    with pytest.raises(InputError, match=r"there is no file other\.csv"):
        read("{path: other.csv, matchups: {winner: winner}}")
