"""The configuration: its mistakes, all at once, and what it means."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from snakemake.utils import update_config

from reproduction import alone
from reproduction.config import check_yaml, origins, settings
from transitivity.errors import InputError
from transitivity.payoff.core import Payoff
from transitivity.sources import read as formats

ROOT = Path(__file__).resolve().parents[1]

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))

MODEL = """
from transitivity.models import Model


class Mine(Model):
    name = "mine"
    label = "Mine"
    reference = "none"

    def __init__(self, weight=1.0, mode="a"):
        self.weight = weight + 0
        self.mode = mode

    def fit(self, payoff, rng=None):
        return self

    def predict(self, i, j):
        return 0.5

    def n_params(self, n):
        return 1
"""


@pytest.fixture(autouse=True)
def in_project(monkeypatch):
    """Paths of a configuration are relative to the project's folder."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def folder(tmp_path):
    """A folder with one model of a user's own."""
    (tmp_path / "mine.py").write_text(MODEL)
    return tmp_path


def merged(*overlays: str | dict) -> dict:
    """The configuration with overlays, given as YAML, laid over it as the workflow does."""
    config = copy.deepcopy(CONFIG)
    for overlay in overlays:
        update_config(config, yaml.safe_load(overlay) if isinstance(overlay, str) else overlay)
    return config


def read(*overlays: str | dict) -> settings.Settings:
    return settings.read(merged(*overlays))


def mistakes_of(*overlays: str | dict) -> list[str]:
    """The lines of the message, without its first."""
    with pytest.raises(InputError) as caught:
        read(*overlays)
    first, *lines = str(caught.value).splitlines()
    assert first == f"The configuration has {len(lines)} mistake{'s' if len(lines) > 1 else ''}:"
    return [line.strip() for line in lines]


# -------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    "overlay, expected",
    [
        # Unknown keys, at each level.
        ("{sed: 2}", "sed: unknown key; did you mean 'seed'?"),
        ("{protocols: {written: {shre: 0.1}}}", "protocols.written.shre: unknown key; did you mean 'share'?"),
        ("{datasets: {rps: {labl: R}}}", "datasets.rps.labl: unknown key; did you mean 'label'?"),
        # Names.
        ("{models: {dics: {}}}", "models.dics: there is no model 'dics'; did you mean 'disc'?"),
        ("{models: {d: {model: dics}}}", "models.d: there is no model 'dics'; did you mean 'disc'?"),
        (
            "{models: {disc: {n_component: 1}}}",
            "models.disc: the model 'disc' has no parameter 'n_component'; did you mean 'n_components'?",
        ),
        ("{datasets: {x: {game: blotta}}}", "datasets.x.game: there is no game 'blotta'; did you mean 'blotto'?"),
        (
            "{datasets: {elo_game: {parameters: {nois: 1}}}}",
            "datasets.elo_game.parameters.nois: the game 'elo_game' has no parameter 'nois'; did you mean 'noise'?",
        ),
        (
            "{datasets: {rps: {parameters: {n: 3}}}}",
            "datasets.rps.parameters.n: the game 'rps' has no parameter 'n'; it has none.",
        ),
        (
            "{datasets: {x: {game: blotto, parameters: {n_fields: 3}}}}",
            "datasets.x.parameters: the game 'blotto' needs the parameter 'n_soldiers'; give it a value.",
        ),
        (
            "{datasets: {mixture_050: {parameters: {first: rps}}}}",
            "datasets.mixture_050.parameters.first: the game 'mixture' has no parameter 'first'; "
            "known names: kappa, ratio.",
        ),
        (
            "{datasets: {mixture_050: {of: [elo_game, disc_gam]}}}",
            "datasets.mixture_050.of: there is no dataset 'disc_gam'; did you mean 'disc_game'?",
        ),
        (
            "{datasets: {mixture_050: {of: [elo_game, mixture_025]}}}",
            "datasets.mixture_050.of: the dataset 'mixture_025' is a mixture itself; name one that is not.",
        ),
        (
            "{datasets: {x: {game: mixture, parameters: {ratio: 0.1}}}}",
            "datasets.x.of: the game mixture, and no other, takes the two datasets that it is made of.",
        ),
        (
            "{datasets: {rps: {of: [elo_game, disc_game]}}}",
            "datasets.rps.of: the game mixture, and no other, takes the two datasets that it is made of.",
        ),
        ("{only_datasets: [rsp]}", "only_datasets: there is no dataset 'rsp'; did you mean 'rps'?"),
        (
            "{protocols: {written: {datasets: [rps, blotto_53]}}}",
            "protocols.written.datasets: there is no dataset 'blotto_53'; did you mean 'blotto_5_3'?",
        ),
        (
            "{protocols: {written: {models: [elo, dics]}}}",
            "protocols.written.models: there is no model 'dics'; did you mean 'disc'?",
        ),
        (
            "{protocols: {written: {solver: jont}}}",
            "protocols.written.solver: no model offers the solver 'jont'; did you mean 'joint'?",
        ),
        # Values.
        ("{models: {disc: {n_components: [0]}}}", "models.disc: n_components is 0; give a whole number of at least 1."),
        (
            "{models: {disc: {n_components: two}}}",
            "models.disc: n_components is 'two'; give a whole number of at least 1.",
        ),
        (
            "{models: {disc: {n_components: []}}}",
            "models.disc: n_components is an empty list; give a value, or leave the parameter out.",
        ),
        (
            "{models: {disc: {n_components: [1, 1]}}}",
            "models.disc: two instances are called 'disc_k1'; remove the repeated value.",
        ),
        ("{models: {disc_k1: {model: disc}}}", "models: two instances are called 'disc_k1'; rename an entry."),
        (
            "{datasets: {rps: {key: a}}}",
            "datasets.rps.key: only a payoff file has it; give its `path` or leave key out.",
        ),
        # Files.
        (
            "{datasets: {x: {path: nowhere.npy}}}",
            "datasets.x.path: there is no file 'nowhere.npy'; correct the path or leave it out.",
        ),
        (
            "{datasets: {elo_game: {parameters: {ratings: nowhere.npy}}}}",
            "datasets.elo_game.parameters.ratings: there is no file 'nowhere.npy'; correct the path.",
        ),
        (
            "{datasets: {elo_game: {parameters: {ratings: [1, 2]}}}}",
            "datasets.elo_game.parameters.ratings: there is no file [1, 2]; correct the path.",
        ),
        (
            "{model_folders: [nowhere]}",
            "model_folders: The folder of models nowhere does not exist; make it, or drop it from model_folders.",
        ),
        # Neither, or nothing.
        (
            "{datasets: {x: {label: X}}}",
            "datasets.x: none of `game`, `path`, `public` and `simulated` is given; name a computed game or a file.",
        ),
        (
            "{protocols: {mine: {share: 0.1}}}",
            "protocols.mine.hold_out: it is missing; give `random` or `published`.",
        ),
        (
            "{datasets: {My-Game: {game: rps}}}",
            "datasets: the name 'My-Game' is not allowed; use small letters, digits and underscores, a letter first.",
        ),
        (
            "{datasets: {3: {game: rps}}}",
            "datasets: the name 3 is not allowed; use small letters, digits and underscores, a letter first.",
        ),
        *(
            (
                f"{{{section}: {{1: a}}}}{'}' * section.count('{')}",
                f"{path}: the name 1 is not allowed; use small letters, digits and underscores, a letter first.",
            )
            for section, path in (
                ("models: {elo", "models.elo"),
                ("datasets: {rps: {parameters", "datasets.rps.parameters"),
                ("datasets: {lichess: {matchups", "datasets.lichess.matchups"),
                ("datasets: {lichess: {simulated", "datasets.lichess.simulated"),
            )
        ),
        (
            f"{{datasets: {{x: {{path: {'x' * 300}}}}}}}",
            f"datasets.x.path: there is no file '{'x' * 300}'; correct the path or leave it out.",
        ),
        (
            f"{{datasets: {{x: {{path: {'x' * 300}, matchups: {{}}}}}}}}",
            f"datasets.x.path: there is no file {'x' * 300}; check the path.",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_its_path(overlay, expected):
    assert mistakes_of(overlay) == [expected]


@pytest.mark.parametrize(
    "overlay, expected",
    [
        ("{seed: one}", "seed: it is 'one'; give a whole number of at least 0."),
        ('{seed: "1"}', "seed: it is '1'; leave out its quotes, to give a whole number of at least 0."),
        ("{seed: -1}", "seed: it is -1; give a whole number of at least 0."),
        ("{seed: true}", "seed: it is true; give a whole number of at least 0."),
        ("{seed: null}", "seed: nothing is given; give a whole number of at least 0."),
        (
            "{seed: 1e3}",
            "seed: it is '1e3'; write 1000, without quotes or an exponent, to give a whole number of at least 0.",
        ),
        ("{seed: 1e-3}", "seed: it is '1e-3'; give a whole number of at least 0."),
        ("{seed: nan}", "seed: it is 'nan'; give a whole number of at least 0."),
        ("{seed: -1.5}", "seed: it is -1.5; give a whole number of at least 0."),
        ("{seed: 1.0}", "seed: it is 1.0; give a whole number of at least 0."),
        ("{results: ''}", "results: it is ''; give a non-empty text without braces."),
        ("{results: 'r{x}'}", "results: it is 'r{x}'; give a non-empty text without braces."),
        ("{downloads: 'd{x}'}", "downloads: it is 'd{x}'; give a non-empty text without braces."),
        (
            "{protocols: {written: {share: 2e-1}}}",
            "protocols.written.share: it is '2e-1'; write 0.2, without quotes or an exponent, "
            "to give a number above 0 and below 1.",
        ),
        (
            "{protocols: {written: {share: .nan}}}",
            "protocols.written.share: it is nan; give a number above 0 and below 1.",
        ),
        (
            "{protocols: {written: {validation: .inf}}}",
            "protocols.written.validation: it is inf; give a number of at least 0 and below 1.",
        ),
        (
            "{protocols: {written: {repeats: 2.0}}}",
            "protocols.written.repeats: it is 2.0; give a whole number of at least 1.",
        ),
        ("{data: publc}", "data: it is 'publc'; give `embedded` or `public`."),
        ("{only_datasets: rps}", "only_datasets: it is 'rps'; give a list of texts, each once."),
        ("{only_datasets: [rps, rps]}", "only_datasets: 'rps' is in it twice; give each item once."),
        ("{only_datasets: [rps, 3]}", "only_datasets: item 2 is 3; give a text, in quotes."),
        ("{only_datasets: [rps, null]}", "only_datasets: item 2 is empty; give a text."),
        ("{model_folders: mine}", "model_folders: it is 'mine'; give a list of texts."),
        (
            "{datasets: {x: null}}",
            "datasets.x: nothing is given; give a mapping of keys such as game, parameters, chunks.",
        ),
        (
            "{datasets: {x: rps}}",
            "datasets.x: it is 'rps'; give a mapping of keys such as game, parameters, chunks.",
        ),
        ("{datasets: {rps: {label: 2024}}}", "datasets.rps.label: it is 2024; give a text, in quotes."),
        (
            "{datasets: {rps: {parameters: 3}}}",
            "datasets.rps.parameters: it is 3; give a mapping of names and what they stand for.",
        ),
        (
            "{datasets: {rps: {scale: log}}}",
            "datasets.rps.scale: it is 'log'; give `auto`, `probability` or `antisymmetric`.",
        ),
        (
            "{datasets: {mixture_050: {of: [rps]}}}",
            "datasets.mixture_050.of: it is ['rps']; give a list of 2 texts.",
        ),
        (
            '{datasets: {lichess: {matchups: {min_games: "20"}}}}',
            "datasets.lichess.matchups.min_games: it is '20'; leave out its quotes, to give "
            "a whole number of at least 1, or a non-empty list of whole numbers of at least 1, each once.",
        ),
        (
            '{datasets: {lichess: {matchups: {min_games: [20, "30"]}}}}',
            "datasets.lichess.matchups.min_games: item 2 is '30'; leave out its quotes, "
            "to give a whole number of at least 1.",
        ),
        (
            "{datasets: {lichess: {public: {source: lichess_elite, ky: a}}}}",
            "datasets.lichess.public.ky: unknown key; did you mean 'key'?",
        ),
        (
            "{datasets: {lichess: {simulated: {kind: odd}}}}",
            "datasets.lichess.simulated.kind: it is 'odd'; give `transitive` or `cyclic`.",
        ),
        ("{sources: {x: {}}}", "sources.x.urls: it is missing; give a non-empty list of texts."),
        (
            '{sources: {aligulac: {urls: ["ftp://a"]}}}',
            "sources.aligulac.urls: item 1 is 'ftp://a'; give an address that starts with https://, http:// or file://.",
        ),
        (
            "{sources: {lichess_elite: {months: [2020]}}}",
            "sources.lichess_elite.months: item 1 is 2020; give a month as YYYY-MM, in quotes.",
        ),
        (
            "{figures: {figure_07: {lichess: [0]}}}",
            "figures.figure_07.lichess: item 1 is 0; give a whole number of at least 1.",
        ),
        (
            "{models: {disc: null}}",
            "models.disc: nothing is given; give a mapping of keys such as model, {} for none.",
        ),
        (
            "{protocols: {written: {hold_out: randm}}}",
            "protocols.written.hold_out: it is 'randm'; give `random` or `published`.",
        ),
        (
            "{protocols: {written: {share: 1}}}",
            "protocols.written.share: it is 1; give a number above 0 and below 1.",
        ),
        (
            "{protocols: {written: {repeats: 1.5}}}",
            "protocols.written.repeats: it is 1.5; give a whole number of at least 1.",
        ),
        (
            "{protocols: {written: {models: al}}}",
            "protocols.written.models: it is 'al'; give `all`, or a list of texts, each once.",
        ),
        (
            "{protocols: {written: {models: [elo, 3]}}}",
            "protocols.written.models: item 2 is 3; give a text, in quotes.",
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_shown_with_what_to_give(overlay, expected):
    assert mistakes_of(overlay) == [expected]


def test_each_mistake_has_the_file_and_line_that_it_was_written_in(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("seed: one\nmodels:\n  disc:\n    n_components: [1]\n  dics: {}\n")
    second.write_text("# mine\n\nmodels: {disc: {n_components: [0]}}\nprotocols:\n  own: {}\ndata: private\n")
    config = merged(first.read_text(), second.read_text(), {"data": "secret"})
    with pytest.raises(InputError) as caught:
        settings.read(config, [ROOT / "config.yaml", first, second], {"data": "secret"})
    assert [line.strip() for line in str(caught.value).splitlines()[1:]] == [
        "command line, data: it is 'secret'; give `embedded` or `public`.",
        f"{second}, line 5, protocols.own.hold_out: it is missing; give `random` or `published`.",
        f"{first}, line 1, seed: it is 'one'; give a whole number of at least 0.",
        # Both files have it; the last one counts.
        f"{second}, line 3, models.disc: n_components is 0; give a whole number of at least 1.",
        f"{first}, line 5, models.dics: there is no model 'dics'; did you mean 'disc'?",
    ]


def test_a_mistake_of_a_file_in_the_folder_has_its_short_name():
    with pytest.raises(InputError, match=r"  config\.yaml, line \d+, seed: it is 'one'"):
        settings.read(merged("seed: one"), [Path("config.yaml"), ROOT / "config.yaml"])


@pytest.mark.parametrize("section", ["protocols", "models", "datasets"])
@pytest.mark.parametrize("value", [{}, None, ["elo"], "elo"])
def test_a_section_that_cannot_be_read_is_one_mistake(section, value):
    config = merged() | {section: value}
    with pytest.raises(InputError) as caught:
        settings.read(config)
    lines = str(caught.value).splitlines()[1:]
    assert len(lines) == 1 and lines[0].strip().startswith(f"{section}: "), lines


@pytest.mark.parametrize("section", ["seed", "results", "protocols", "models", "datasets"])
def test_a_missing_section_is_named(section):
    config = merged()
    del config[section]
    with pytest.raises(InputError, match=f" {section}: it is missing; give a "):
        settings.read(config)


def test_all_mistakes_are_reported_at_once():
    found = mistakes_of(
        """
        sed: 2
        seed: one
        only_datasets: [rsp]
        protocols: {written: {shre: 1, models: [dics], solver: jont}, published: {hold_out: randm}}
        models: {dics: {}, disc: {n_components: [0]}, elo: null}
        datasets: {x: null, y: {label: Y}, z: {game: rsp}, w: {path: nowhere.npy}}
        """
    )
    paths = [line.split(": ")[0] for line in found]
    assert sorted(paths) == sorted(
        [
            "sed",
            "seed",
            "only_datasets",
            "protocols.written.shre",
            "protocols.published.hold_out",
            "models.dics",
            "models.disc",
            "models.elo",
            "datasets.x",
            "datasets.y",
            "datasets.z.game",
            "datasets.w.path",
        ]
    )


def test_a_game_of_the_paper_that_the_run_does_not_have_is_left_out():
    assert "alphastar" in CONFIG["protocols"]["published"]["datasets"]
    assert "alphastar" not in read().protocols["published"]["datasets"]


# -------------------------------------------------------------------- models


def test_instances_are_called_after_their_parameters(folder):
    entries = read(
        {
            "model_folders": [str(folder)],
            "models": {
                "disc": {"n_components": [1, 3]},
                "joint": {"model": "disc", "n_components": 2, "solver": ["joint", "alternating"]},
                "mine": {"weight": [1, 2.5], "mode": "b"},
            },
        }
    ).models
    assert entries["disc"].instances == {"disc_k1": {"n_components": 1}, "disc_k3": {"n_components": 3}}
    assert entries["joint"].instances == {
        "joint_solver_joint": {"n_components": 2, "solver": "joint"},
        "joint_solver_alternating": {"n_components": 2, "solver": "alternating"},
    }
    assert entries["mine"].instances == {
        "mine_weight_1": {"weight": 1, "mode": "b"},
        "mine_weight_2.5": {"weight": 2.5, "mode": "b"},
    }
    assert entries["mine"].file == folder / "mine.py"
    assert list(entries["elo"].instances) == ["elo"]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("class Mine(:", "cannot be read (SyntaxError"),
        ("import no_such_module", "cannot be read (ModuleNotFoundError"),
        ("x = 1", "defines 0 model classes"),
        (MODEL.replace('"mine"', '"yours"'), "give the file and the model's `name` the same name"),
    ],
)
def test_a_broken_model_file_is_named(folder, source, expected):
    (folder / "mine.py").write_text(source)
    (line,) = mistakes_of({"model_folders": [str(folder)], "models": {"mine": {}}})
    assert line.startswith("models.mine: ") and "mine.py" in line and expected in line


def test_whatever_a_constructor_raises_is_a_mistake_of_the_entry(folder):
    (line,) = mistakes_of({"model_folders": [str(folder)], "models": {"mine": {"weight": "heavy"}}})
    assert line.startswith("models.mine: the model 'mine' does not take {'weight': 'heavy'} (TypeError")


def test_two_models_of_one_name_are_a_mistake(tmp_path):
    (tmp_path / "elo.py").write_text("")
    (line,) = mistakes_of({"model_folders": [str(tmp_path)]})
    assert line.startswith("model_folders: ") and "have the same name" in line


# -------------------------------------------------------------------- datasets and protocols


def test_the_defaults_of_a_protocol():
    protocol = read("{protocols: {mine: {hold_out: random}}}").protocols["mine"]
    assert (protocol["share"], protocol["repeats"], protocol["solver"]) == (0.2, 1, None)
    ids = read().ids
    assert protocol["datasets"] == [id for name in CONFIG["datasets"] for id in ids[name]]
    assert protocol["models"] == list(CONFIG["models"])


def test_models_are_all_but_some_or_those_listed():
    protocols = read(
        """
        protocols:
          some: {hold_out: random, without_models: [elo, disc]}
          # A list says it all, whatever is laid over.
          listed: {hold_out: random, models: [elo, melo], without_models: [elo]}
        """
    ).protocols
    assert protocols["some"]["models"] == [name for name in CONFIG["models"] if name not in ("elo", "disc")]
    assert protocols["listed"]["models"] == ["elo", "melo"]
    assert mistakes_of("{protocols: {written: {without_models: [dics]}}}") == [
        "protocols.written.without_models: there is no model 'dics'; did you mean 'disc'?"
    ]


def test_a_parameter_that_is_a_sequence_takes_a_list():
    found = read("{models: {disc_regularised: {n_components: [1, 2], grid: [0.1, 1], folds: 3}}}")
    assert found.models["disc_regularised"].instances == {
        f"disc_regularised_k{k}": {"n_components": k, "grid": [0.1, 1], "folds": 3} for k in (1, 2)
    }


# -------------------------------------------------------------------- leagues, downloads


PGN = '[Event "x"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n'


def test_each_threshold_of_a_league_is_a_payoff(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    found = read(
        {
            "only_datasets": ["mine"],
            "datasets": {
                "mine": {
                    "path": str(tmp_path / "games.pgn"),
                    "matchups": {"min_games": [5, 10], "bots": "drop", "component": "largest"},
                }
            },
        }
    )
    assert list(found.datasets) == ["mine_5", "mine_10"]
    assert found.datasets["mine_5"] == {
        "league": "mine",
        "min_games": 5,
        "min_opponents": 1,
        "component": "largest",
    }
    league = found.leagues["mine"]
    assert league["files"] == [[str(tmp_path / "games.pgn")]]
    assert league["options"] == {"bots": "drop"} and league["simulated"] is None
    assert found.protocols["leagues"]["datasets"] == ["mine_5", "mine_10"]
    assert found.protocols["written"]["datasets"] == []


def test_a_league_with_one_threshold_keeps_its_name(tmp_path):
    (tmp_path / "a.pgn").write_text(PGN)
    (tmp_path / "b.pgn").write_text(PGN)
    (tmp_path / "read.me").write_text("no game")
    config = {"only_datasets": ["mine"], "datasets": {"mine": {"path": str(tmp_path), "matchups": {}}}}
    found = read(config)
    assert list(found.datasets) == ["mine"]
    files = [str(tmp_path / name) for name in ("a.pgn", "b.pgn")]
    assert found.leagues["mine"]["files"] == [files]


def test_large_files_are_counted_by_several_jobs_where_each_can_be_counted_alone(tmp_path, monkeypatch):
    for name, size in (("a", 3), ("b", 0), ("c", 1), ("d", 2), ("e", 0)):
        (tmp_path / f"{name}.pgn").write_text(PGN * size)
    a, b, c, d, e = (str(tmp_path / f"{name}.pgn") for name in "abcde")
    monkeypatch.setattr(origins, "JOB_BYTES", 3 * len(PGN))
    config = {"only_datasets": ["mine"], "datasets": {"mine": {"path": str(tmp_path), "matchups": {}}}}
    # A file that may have no games is never alone.
    assert read(config).leagues["mine"]["files"] == [[a], [b, c, d, e]]
    # Only one job can know that a game of one file was met in another.
    config["datasets"]["mine"]["matchups"] = {"repeats": "drop"}
    assert read(config).leagues["mine"]["files"] == [[a, b, c, d, e]]
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("player_a,player_b,winner,id\n" * 1000)
    config["datasets"]["mine"] |= {
        "path": str(tmp_path / "*.csv"),
        "matchups": {"winner": "winner", "game_id": "id"},
    }
    assert len(read(config).leagues["mine"]["files"]) == 1


def test_what_is_simulated_says_so_in_its_name():
    found = read("{only_datasets: [lichess]}")
    assert all(name.startswith("lichess_simulated_") for name in found.datasets)
    (files,) = found.leagues["lichess_simulated"]["files"]
    assert files == ["results/simulated/lichess_simulated.pgn.gz"]
    assert found.protocols["leagues"]["datasets"] == list(found.datasets)


def test_public_mode_downloads_and_simulates_nothing():
    found = read("{data: public}")
    assert not any(league["simulated"] for league in found.leagues.values())
    assert {"lichess_50", "starcraft_200", "alphastar"} <= set(found.datasets)
    assert found.datasets["alphastar"]["path"] in found.downloads
    assert found.datasets["kuhn_poker"]["key"] == "Kuhn-poker" and "game" not in found.datasets["kuhn_poker"]
    months = [file for (file,) in found.leagues["lichess"]["files"]]
    assert len(months) == 10 and all(found.downloads[file]["licence"] == "CC0" for file in months)
    assert found.downloads[months[0]]["urls"] == ["https://database.nikonoel.fr/lichess_elite_2020-06.zip"]
    assert months[0] == "downloads/lichess_elite/lichess_elite_2020-06.zip"


def test_a_path_comes_before_a_download_and_a_simulation(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    overlay = {"datasets": {"lichess": {"path": str(tmp_path / "games.pgn")}}}
    for data in ("embedded", "public"):
        found = read({"data": data} | overlay)
        assert found.leagues["lichess"]["files"] == [[str(tmp_path / "games.pgn")]]
        assert "lichess_50" in found.datasets and "lichess_simulated_50" not in found.datasets


def test_what_a_mode_has_no_data_for_is_absent():
    assert read().ids["alphastar"] == [] and "alphastar" not in read().datasets
    assert mistakes_of("{only_datasets: [alphastar]}") == [
        "only_datasets: 'alphastar' has no data with `data: embedded`; give its `path`, or use the other mode."
    ]
    assert mistakes_of(
        "{datasets: {x: {game: mixture, of: [elo_game, alphastar], parameters: {ratio: 0.1}}}}"
    ) == ["datasets.x.of: the dataset 'alphastar' has no data with `data: embedded`; give its `path`."]


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (
            {"path": "{pgn}"},
            ".path: '{pgn}' lists games and is no payoff; add `matchups: {{}}` to count them.",
        ),
        ({"path": "nowhere/*.pgn", "matchups": {}}, ".path: nowhere/*.pgn matches no file; check the path."),
        (
            {"path": "{pgn}", "matchups": {"min_game": 3}},
            ".matchups.min_game: the format pgn has no option 'min_game'; did you mean 'min_games'?",
        ),
        (
            {"path": "{pgn}", "matchups": {"min_games": 0}},
            ".matchups.min_games: it is 0; give a whole number of at least 1, or a non-empty list of whole numbers",
        ),
        (
            {"game": "rps", "matchups": {}},
            ".matchups: there are no games to count; give the `path` of a file",
        ),
        (
            {"public": {"source": "aligulc"}, "matchups": {}},
            ".public.source: there is no source 'aligulc'; did you mean 'aligulac'?",
        ),
        (
            {"public": {"source": "lichess_elite"}},
            ".public.source: 'lichess_elite' has 10 files, a payoff is one;",
        ),
        ({"simulated": {"kind": "cyclic", "format": "pgn"}}, ".simulated: a league is counted by pair; add"),
        (
            {"simulated": {"kind": "cyclic", "format": "pgn", "n_player": 3}, "matchups": {}},
            ".simulated.n_player: a league has no parameter 'n_player'; did you mean 'n_players'?",
        ),
        (
            {"simulated": {"kind": "odd", "format": "pgn"}, "matchups": {}},
            ".simulated.kind: it is 'odd'; give `transitive` or `cyclic`.",
        ),
    ],
)
def test_mistakes_of_leagues(tmp_path, dataset, expected):
    pgn = tmp_path / "games.pgn"
    pgn.write_text(PGN)
    if "path" in dataset:
        dataset = dataset | {"path": dataset["path"].format(pgn=pgn)}
    (line,) = mistakes_of({"datasets": {"mine": dataset}})
    assert line.startswith("datasets.mine" + expected.format(pgn=pgn))


def test_a_folder_without_games_names_the_suffixes_of_all_formats_or_of_the_one_configured(tmp_path):
    league = {"path": str(tmp_path), "matchups": {}}
    (line,) = mistakes_of({"datasets": {"mine": league}})
    every = [suffix for suffixes in formats.SUFFIXES.values() for suffix in suffixes]
    assert line == (
        f"datasets.mine.path: {tmp_path} has no file that ends in {', '.join(every)}, packed or not; check the path."
    )
    league["matchups"]["format"] = "pgn"
    (line,) = mistakes_of({"datasets": {"mine": league}})
    assert "ends in .pgn, packed" in line


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            b"a:\n\tb: 1\n",
            ", line 2, column 1: found character '\\t' that cannot start any token; indent with spaces,",
        ),
        (b"a: 1\n b: 2\n", ", line 2, column 3: mapping values are not allowed here; correct it."),
        (
            b"a: [1,\n b\nc: 3\n",
            ", line 3, column 2: expected ',' or ']', but got ':' (while parsing a flow sequence ",
        ),
        (
            b'a: 1\nb: "x\n',
            ", line 3, column 1: found unexpected end of stream (while scanning a quoted scalar from ",
        ),
        (b"a: *b\n", ", line 1, column 4: found undefined alias 'b'; correct it."),
        (b"a: 1\nb: \x01\n", ", line 2: the character '\\x01' is not allowed; remove it."),
        (b"a: \xff\n", " is no UTF-8 text; save it as UTF-8."),
        (
            b"a: 2020-13-45\n",
            ", line 1, column 4: '2020-13-45' is no timestamp (in quotes it would be a text); correct it.",
        ),
        (b"a: !!bool foo\n", ", line 1, column 4: 'foo' is no bool (in quotes"),
        (b"a: !!timestamp foo\n", ", line 1, column 4: 'foo' is no timestamp (in quotes"),
        (b'a:\n- !!int ""\n', ", line 2, column 3: '' is no int (in quotes"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, " has too many brackets in each other"),
        (b'{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", " has too many brackets in each other"),
        (b"a:\n  x: &a\n    k: *a\n", ", line 2: what begins here holds itself"),
        (b"a: &a [1, *a]\n", ", line 1: what begins here holds itself"),
        (b'{"seed": 1, "seed": 2}', ": the key 'seed' is given twice; leave one."),
        (b'{"a":\n\t{"k": 1, "k": 2}}', ": the key 'k' is given twice; leave one."),
        (b"a: &a {k: 1}\nb: &b {l: 1}\nc:\n  <<: *a\n  <<: *b\n", None),
        (b'a: {1: a, "1": b}\n', None),
        (b"# nothing\n", " has no keys at its top level"),
        (b"- a\n", " has no keys at its top level"),
        (
            b"data: embedded\nmodels: {}\ndata: public\n",
            ", line 3: the key 'data' is given twice, first in line 1",
        ),
        (
            b"models:\n  elo:\n    k: 1\n  elo: {}\n",
            ", line 4: the key 'elo' is given twice, first in line 2",
        ),
        (b"models: [{elo: 1, elo: 2}]\n", ", line 1: the key 'elo' is given twice, first in line 1"),
        (b"a: &it {k: 1}\nb: *it\nc: {<<: *it, k: 2}\n", None),
        (None, " (No such file or directory); correct CONFIG=."),
        (b"a:\n  b: 1\n", None),
        (b'{"a":\n\t1}', None),
    ],
)
def test_a_configuration_that_is_no_yaml_is_named_with_its_line(tmp_path, content, expected):
    path = tmp_path / "mine.yaml"
    if content is not None:
        path.write_bytes(content)
    found = check_yaml.mistake(str(path))
    assert (found is None) == (expected is None)
    assert found is None or str(path) + expected in found


def test_a_mistake_in_a_very_deep_configuration_is_said(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"seed": ' + "[" * 900 + "]" * 900 + "}")
    with pytest.raises(InputError, match=r"seed: it is \[\["):
        settings.read(merged() | json.loads(path.read_text()), [path])


def test_make_checks_the_configurations_before_snakemake_reads_them():
    command = ["make", "--dry-run", "reproduce", "CONFIG=my own.yaml"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert 0 < lines.index('check_yaml.py config.yaml "my own.yaml"') < lines.index("/snakemake --profile")


def test_locks_of_a_killed_run_are_removed_and_those_of_a_live_one_are_kept(tmp_path):
    lock = tmp_path / "locks" / "0.output.lock"
    lock.parent.mkdir()
    lock.write_text("results/x")
    alive = alone.remove_stale_locks(tmp_path)
    assert not lock.exists()
    lock.write_text("results/x")
    second = alone.remove_stale_locks(tmp_path)
    assert lock.exists()
    os.close(alive)
    os.close(second)
    os.close(alone.remove_stale_locks(tmp_path))
    assert not lock.exists()


@pytest.mark.parametrize("path", [ROOT / "config.yaml", *sorted((ROOT / "docs" / "examples").glob("*.yaml"))])
def test_configurations_of_the_repository_are_yaml(path):
    assert check_yaml.mistake(str(path)) is None


@pytest.mark.parametrize(("text", "code"), [("data: embedded\n", 0), ("data: [\n", 1)])
def test_only_a_mistake_stops_make(tmp_path, text, code):
    (tmp_path / "mine.yaml").write_text(text)
    script = [
        sys.executable,
        ROOT / "workflow" / "check_yaml.py",
        ROOT / "config.yaml",
        tmp_path / "mine.yaml",
    ]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode == code and ("mine.yaml, line" in done.stderr) == bool(code)


def test_members_pick_files_of_a_folder_and_what_is_no_game_is_left(tmp_path):
    for name in ("a_2019-08.pgn", "a_2019-09.pgn", "a_2020-01.pgn", "all.zip"):
        (tmp_path / name).write_text(PGN)
    (tmp_path / "sums.csv").write_text("file,sha256\n")
    league = {"path": str(tmp_path), "matchups": {"members": ["*_2019-*", "*_2020-0[2-5]*"]}}
    overlay = {"only_datasets": ["mine"], "datasets": {"mine": league}}
    files = [str(tmp_path / name) for name in ("a_2019-08.pgn", "a_2019-09.pgn", "all.zip")]
    assert read(overlay).leagues["mine"]["files"] == [files]
    league["path"] = str(tmp_path / "*.pgn")
    assert read(overlay).leagues["mine"]["files"] == [files[:2]]
    league["matchups"]["members"] = "*_2021-*"
    (line,) = mistakes_of(overlay)
    assert line == f"datasets.mine.path: {tmp_path}/*.pgn has no file that fits members; correct them."


def test_a_run_in_which_nothing_is_scored_is_a_mistake():
    (line,) = mistakes_of("{only_datasets: [kuhn_poker_exact]}")
    assert line.startswith("protocols: none scores kuhn_poker_exact with any model;")


def test_two_payoffs_cannot_have_one_name(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    league = {"path": str(tmp_path / "games.pgn"), "matchups": {"min_games": [5]}}
    (line,) = mistakes_of({"datasets": {"mine": league, "mine_5": {"game": "rps"}}})
    assert line == "datasets: two datasets are called 'mine_5'; rename one of them."


def test_only_datasets_leaves_the_others_out():
    found = read("{only_datasets: [rps, elo_game]}")
    assert list(found.datasets) == ["rps", "elo_game"]
    assert found.protocols["written"]["datasets"] == ["rps", "elo_game"]
    assert found.protocols["published"]["datasets"] == ["rps"]


def test_the_games_of_a_mixture_are_computed_but_not_scored():
    found = read("{only_datasets: [mixture_050]}")
    assert list(found.datasets) == ["elo_game", "mixture_050", "disc_game_unscaled"]
    assert found.protocols["written"]["datasets"] == ["mixture_050"]


def test_a_path_takes_the_place_of_the_game(tmp_path):
    file = tmp_path / "game.npy"
    np.save(file, np.full((3, 3), 0.5))
    overlay = {
        "only_datasets": ["mixture_050", "kuhn_poker"],
        "datasets": {
            "mixture_050": {"path": str(file), "scale": "probability"},
            "kuhn_poker": {"path": str(file)},
        },
    }
    found = read(overlay)
    # No game is computed, so that those of the mixture are not needed.
    assert list(found.datasets) == ["kuhn_poker", "mixture_050"]
    assert found.datasets["kuhn_poker"]["path"] == str(file)
    # What the game had stays.
    assert found.datasets["kuhn_poker"]["label"] == CONFIG["datasets"]["kuhn_poker"]["label"]


def test_a_mixture_may_be_made_of_a_file_that_replaces_a_mixture(tmp_path):
    file = tmp_path / "game.npy"
    np.save(file, np.full((3, 3), 0.5))
    found = read(
        {
            "only_datasets": ["mixture_050"],
            "datasets": {"mixture_050": {"of": ["elo_game", "disc_game"]}, "disc_game": {"path": str(file)}},
        }
    )
    assert list(found.datasets) == ["elo_game", "mixture_050", "disc_game"]


def test_overlays_are_laid_over_each_other_in_order():
    found = read(
        "{only_datasets: [rps], models: {disc: {n_components: [1]}}}",
        "{only_datasets: [blotto_5_3], models: {disc: {solver: joint}}}",
    )
    assert list(found.datasets) == ["blotto_5_3"]
    assert found.models["disc"].instances == {"disc_k1": {"n_components": 1, "solver": "joint"}}


def test_reading_leaves_the_configuration_as_it_was():
    config = merged()
    before = copy.deepcopy(config)
    settings.read(config)
    assert config == before


# -------------------------------------------------------------------- the configurations of the project


def test_the_configuration_of_the_paper():
    found = read()
    ids = [name for entry in found.models.values() for name in entry.instances]
    for name in ("elo", "elo_plus_plus", "balduzzi_2019_k3", "melo_k1", "melo_published_k2", "disc_k3"):
        assert name in ids
    assert set(found.protocols) == {"published", "written", "strong", "leagues"}


def test_the_small_configuration_has_something_for_every_figure():
    found = read((ROOT / "tests" / "config.yaml").read_text())
    assert {"example_elo", "example_cyclic_disc", "elo_game", "disc_game", "kuhn_poker"} <= set(
        found.datasets
    )


def test_the_example_of_a_baseline():
    found = read((ROOT / "docs" / "examples" / "baseline.yaml").read_text())
    assert found.models["mean_payoff"].instances == {"mean_payoff": {"draws": 1.0}}
    assert all("mean_payoff" in protocol["models"] for protocol in found.protocols.values())
    # Nothing else changes.
    for name, protocol in read().protocols.items():
        assert found.protocols[name]["models"] == [*protocol["models"], "mean_payoff"]


def test_the_example_of_full_size():
    found = read((ROOT / "docs" / "examples" / "full_size.yaml").read_text())
    strong = found.protocols["strong"]
    assert strong["repeats"] == 20 and "blotto_10_5" in strong["datasets"]
    # All else is that of config.yaml.
    assert (strong["solver"], strong["validation"]) == ("joint", 0.2)


def test_the_example_of_payoff_files(shared_data, tmp_path, monkeypatch):
    (tmp_path / "payoffs").symlink_to(shared_data / "payoffs")
    monkeypatch.chdir(tmp_path)
    overlay = yaml.safe_load((ROOT / "docs" / "examples" / "payoffs.yaml").read_text(encoding="utf-8"))
    found = read(overlay)
    assert set(found.datasets) == set(overlay["only_datasets"]) == set(overlay["datasets"])
    subsets = [name for name in found.datasets if name.endswith("_subset")]
    assert (len(found.datasets), len(subsets)) == (16, 10)
    for name, dataset in found.datasets.items():
        payoff = Payoff.from_file(dataset["path"])
        assert payoff.is_complete
        assert (payoff.n_players == 100) == (name in subsets), name
    # The subsets are not compared to the paper's games.
    assert not set(subsets) & settings.paper_datasets()
    assert set(found.protocols["published"]["datasets"]) == set(found.datasets) - set(subsets)
