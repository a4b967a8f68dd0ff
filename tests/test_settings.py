"""The configuration: its mistakes, all at once, and what it means."""

from __future__ import annotations

import copy
import datetime
import functools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

from reproduction import alone
from reproduction.config import check_yaml, origins, settings
from reproduction.figures.catalogue import RIVALS
from transitivity import read_matchups
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


def check_mistake(overlay: str | dict, path: str, words: list[str]) -> None:
    """Check that there is one mistake, which names the key and contains the words: what was given, what to give."""
    (line,) = mistakes_of(overlay)
    assert line.startswith(f"{path}: ") and line[-1] in ".?"
    assert [word for word in words if word not in line] == [], line


@pytest.mark.parametrize(
    ("overlay", "path", "words"),
    [
        ("{sed: 2}", "sed", ["'seed'", "unknown key"]),
        ("{protocols: {written: {shre: 0.1}}}", "protocols.written.shre", ["'share'", "unknown key"]),
        ("{datasets: {rps: {labl: R}}}", "datasets.rps.labl", ["'label'", "unknown key"]),
        ("{models: {dics: {}}}", "models.dics", ["'dics'", "'disc'"]),
        ("{models: {d: {model: dics}}}", "models.d", ["'dics'", "'disc'"]),
        ("{models: {disc: {n_component: 1}}}", "models.disc", ["'disc'", "'n_component'", "'n_components'"]),
        ("{datasets: {x: {game: blotta}}}", "datasets.x.game", ["'blotta'", "'blotto'"]),
        (
            "{datasets: {elo_game: {parameters: {nois: 1}}}}",
            "datasets.elo_game.parameters.nois",
            ["'elo_game'", "'nois'", "'noise'"],
        ),
        ("{datasets: {rps: {parameters: {n: 3}}}}", "datasets.rps.parameters.n", ["'rps'", "'n'"]),
        (
            "{datasets: {x: {game: blotto, parameters: {n_fields: 3}}}}",
            "datasets.x.parameters",
            ["'blotto'", "'n_soldiers'", "needs the parameter"],
        ),
        (
            "{datasets: {mixture_050: {parameters: {first: rps}}}}",
            "datasets.mixture_050.parameters.first",
            ["'mixture'", "'first'", "known names"],
        ),
        (
            "{datasets: {mixture_050: {of: [elo_game, disc_gam]}}}",
            "datasets.mixture_050.of",
            ["'disc_gam'", "'disc_game'"],
        ),
        ("{datasets: {mixture_050: {of: [elo_game, mixture_025]}}}", "datasets.mixture_050.of", ["'mixture_025'"]),
        ("{datasets: {x: {game: mixture, parameters: {ratio: 0.1}}}}", "datasets.x.of", ["`of`", "mixture"]),
        ("{datasets: {rps: {of: [elo_game, disc_game]}}}", "datasets.rps.of", ["`of`", "mixture"]),
        ("{only_datasets: [rsp]}", "only_datasets", ["'rsp'", "'rps'"]),
        (
            "{protocols: {written: {datasets: [rps, blotto_53]}}}",
            "protocols.written.datasets",
            ["'blotto_53'", "'blotto_5_3'"],
        ),
        ("{protocols: {written: {models: [elo, dics]}}}", "protocols.written.models", ["'dics'", "'disc'"]),
        ("{protocols: {written: {solver: jont}}}", "protocols.written.solver", ["'jont'", "'joint'"]),
        ("{models: {disc: {n_components: [0]}}}", "models.disc", ["is 0", "at least 1"]),
        ("{models: {disc: {n_components: two}}}", "models.disc", ["'two'", "whole number of at least"]),
        ("{models: {disc: {n_components: []}}}", "models.disc", []),
        ("{models: {disc: {n_components: [1, 1]}}}", "models.disc", ["'disc_k1'"]),
        ("{models: {disc_k1: {model: disc}}}", "models", ["'disc_k1'", "rename"]),
        ("{datasets: {rps: {key: a}}}", "datasets.rps.key", ["`path`"]),
        ("{datasets: {x: {path: nowhere.npy}}}", "datasets.x.path", ["'nowhere.npy'"]),
        (
            "{datasets: {elo_game: {parameters: {ratings: nowhere.npy}}}}",
            "datasets.elo_game.parameters.ratings",
            ["'nowhere.npy'"],
        ),
        ("{datasets: {elo_game: {parameters: {ratings: [1, 2]}}}}", "datasets.elo_game.parameters.ratings", ["[1, 2]"]),
        ("{model_folders: [nowhere]}", "model_folders", ["nowhere", "does not exist"]),
        ("{datasets: {x: {label: X}}}", "datasets.x", ["`game`", "`path`", "`public`", "`simulated`"]),
        ("{protocols: {mine: {share: 0.1}}}", "protocols.mine.hold_out", ["`random`", "`published`", "missing"]),
        ("{datasets: {My-Game: {game: rps}}}", "datasets", ["'My-Game'"]),
        ("{datasets: {3: {game: rps}}}", "datasets", ["'3'", "letter first"]),
        ("{models: {elo: {1: a}}}", "models.elo", ["'1'", "no parameter"]),
        ("{datasets: {rps: {parameters: {1: a}}}}", "datasets.rps.parameters.1", ["no parameter"]),
        ("{datasets: {lichess: {simulated: {1: a}}}}", "datasets.lichess.simulated.1", ["no parameter"]),
        (f"{{datasets: {{x: {{path: {'x' * 300}}}}}}}", "datasets.x.path", ["no file", "x" * 300]),
        (f"{{datasets: {{x: {{path: {'x' * 300}, matchups: {{}}}}}}}}", "datasets.x.path", ["no file", "x" * 300]),
    ],
)
def test_a_mistake_is_one_sentence_with_its_path(overlay, path, words):
    check_mistake(overlay, path, words)


@pytest.mark.parametrize(
    ("overlay", "path", "words"),
    [
        ("{seed: one}", "seed", ["'one'", "whole number of at least"]),
        ('{seed: "1"}', "seed", ["'1'", "leave out its quotes", "whole number of at least"]),
        ("{seed: -1}", "seed", ["whole number of at least"]),
        ("{seed: true}", "seed", ["whole number of at least"]),
        ("{seed: null}", "seed", ["whole number of at least"]),
        ("{seed: 1e3}", "seed", ["'1e3'", "1000", "whole number of at least"]),
        ("{seed: 1e-3}", "seed", ["'1e-3'", "whole number of at least"]),
        ("{seed: nan}", "seed", ["'nan'", "whole number of at least"]),
        ("{seed: -1.5}", "seed", ["-1.5", "whole number of at least"]),
        ("{seed: 1.0}", "seed", ["1.0", "whole number of at least"]),
        ("{results: ''}", "results", ["''", "text"]),
        ("{results: 'r{x}'}", "results", ["'r{x}'", "text"]),
        ("{downloads: 'd{x}'}", "downloads", ["'d{x}'", "text"]),
        ("{protocols: {written: {share: 2e-1}}}", "protocols.written.share", ["'2e-1'", "0.2", "above 0", "below 1"]),
        ("{protocols: {written: {share: .nan}}}", "protocols.written.share", ["above 0", "below 1", "nan"]),
        ("{protocols: {written: {validation: .inf}}}", "protocols.written.validation", ["below 1", "inf"]),
        ("{protocols: {written: {repeats: 2.0}}}", "protocols.written.repeats", ["2.0", "whole number of at least"]),
        ("{data: publc}", "data", ["'publc'", "`embedded`", "`public`"]),
        ("{only_datasets: rps}", "only_datasets", ["'rps'", "a list", "text"]),
        ("{only_datasets: [rps, rps]}", "only_datasets", ["'rps'"]),
        ("{only_datasets: [rps, 3]}", "only_datasets", ["in quotes", "text"]),
        ("{only_datasets: [rps, null]}", "only_datasets", ["text"]),
        ("{model_folders: mine}", "model_folders", ["'mine'", "a list", "text"]),
        ("{datasets: {x: null}}", "datasets.x", ["mapping"]),
        ("{datasets: {x: rps}}", "datasets.x", ["'rps'", "mapping"]),
        ("{datasets: {rps: {label: 2024}}}", "datasets.rps.label", ["2024", "in quotes", "text"]),
        ("{datasets: {rps: {parameters: 3}}}", "datasets.rps.parameters", ["mapping"]),
        (
            "{datasets: {rps: {scale: log}}}",
            "datasets.rps.scale",
            ["'log'", "`auto`", "`probability`", "`antisymmetric`"],
        ),
        ("{datasets: {mixture_050: {of: [rps]}}}", "datasets.mixture_050.of", ["'rps'", "a list", "text"]),
        (
            '{datasets: {lichess: {matchups: {min_games: "20"}}}}',
            "datasets.lichess.matchups.min_games",
            ["'20'", "leave out its quotes", "whole number of at least"],
        ),
        (
            '{datasets: {lichess: {matchups: {min_games: [20, "30"]}}}}',
            "datasets.lichess.matchups.min_games",
            ["'30'", "leave out its quotes", "whole number of at least"],
        ),
        (
            "{datasets: {lichess: {public: {source: lichess_elite, ky: a}}}}",
            "datasets.lichess.public.ky",
            ["'key'", "unknown key"],
        ),
        (
            "{datasets: {lichess: {simulated: {kind: odd}}}}",
            "datasets.lichess.simulated.kind",
            ["'odd'", "`transitive`", "`cyclic`"],
        ),
        ("{sources: {x: {}}}", "sources.x.urls", ["missing", "text"]),
        ('{sources: {aligulac: {urls: ["ftp://a"]}}}', "sources.aligulac.urls", ["'ftp://a'", "https://"]),
        (
            "{sources: {lichess_elite: {months: [2020]}}}",
            "sources.lichess_elite.months",
            ["2020", "in quotes", "month as YYYY-MM"],
        ),
        ("{figures: {figure_07: {lichess: [0]}}}", "figures.figure_07.lichess", ["whole number of at least"]),
        ("{models: {disc: null}}", "models.disc", ["mapping"]),
        (
            "{protocols: {written: {hold_out: randm}}}",
            "protocols.written.hold_out",
            ["'randm'", "`random`", "`published`"],
        ),
        ("{protocols: {written: {share: 1}}}", "protocols.written.share", ["above 0", "below 1"]),
        ("{protocols: {written: {repeats: 1.5}}}", "protocols.written.repeats", ["1.5", "whole number of at least"]),
        ("{protocols: {written: {models: al}}}", "protocols.written.models", ["'al'", "`all`", "a list", "text"]),
        ("{protocols: {written: {models: [elo, 3]}}}", "protocols.written.models", ["in quotes", "text"]),
    ],
)
def test_a_value_of_the_wrong_kind_is_shown_with_what_to_give(overlay, path, words):
    check_mistake(overlay, path, words)


def test_each_mistake_has_the_file_and_line_that_it_was_written_in(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("seed: one\nmodels:\n  disc:\n    n_components: [1]\n  dics: {}\n")
    second.write_text("# mine\n\nmodels: {disc: {n_components: [0]}}\nprotocols:\n  own: {}\ndata: private\n")
    config = merged(first.read_text(), second.read_text(), {"data": "secret"})
    with pytest.raises(InputError) as caught:
        settings.read(config, [ROOT / "config.yaml", first, second], {"data": "secret"})
    assert [line.strip().split(": ")[0] for line in str(caught.value).splitlines()[1:]] == [
        "command line, data",
        f"{second}, line 5, protocols.own.hold_out",
        f"{first}, line 1, seed",
        # Both files have it; the last one counts.
        f"{second}, line 3, models.disc",
        f"{first}, line 5, models.dics",
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


# -------------------------------------------------------------------- secrets


@pytest.mark.parametrize("user", ["zoe:secret", "zoe:se@cret", "zoe:se/cret", "zoe:se?cret", "secret"])
@pytest.mark.parametrize(
    "source",
    [
        {"urls": ["http://USER@host.example/a.zip"]},
        {"urls": "http://USER@host.example/a.zip"},
        {"urls": {"http://USER@host.example/a.zip": 1}},
        {"urls": ["ftp://USER@host.example/a.zip"]},
        {"urls": ["USER@host.example/a.zip"]},
        {"urls": ["file:///a.zip"], "sha256_list": "https://USER@host.example/sums.txt"},
        {"urls": ["file:///a.zip"], "http://USER@host.example/a.zip": 1},
        {"urls": ["file:///a.zip"], "bytes": "http://USER@host.example/a.zip"},
    ],
)
def test_a_password_in_a_source_is_refused_and_not_shown(source, user):
    source = yaml.safe_load(json.dumps(source).replace("USER", user))
    message = "\n".join(mistakes_of({"sources": {"mine": source}}))
    assert message.startswith("sources.mine") and "***" in message
    assert not re.search(r"secret|se@|se/|se\?|@cret|/cret|\?cret|zoe", message), message


@pytest.mark.parametrize("text", ["a: !!int http://zoe:secret@h\n", "http://zoe:secret@h: 1\nhttp://zoe:secret@h: 2\n"])
def test_a_password_in_a_configuration_that_is_not_yaml_is_not_shown(tmp_path, text):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        check_yaml.parse(tmp_path / "mine.yaml")
    assert "secret" not in str(caught.value) and "zoe" not in str(caught.value) and "line " in str(caught.value)


def test_a_url_without_a_user_is_no_secret():
    urls = ["https://cdn.example/npm/x@1.2/a.zip", "http://host:8080/a.zip?part=1#top"]
    found = read({"data": "public", "sources": {"aligulac": {"urls": urls}}})
    assert found.downloads["downloads/aligulac/a.zip"]["urls"] == urls


@pytest.mark.parametrize("end", ["", "a.json", "a{b}.zip", "<b>.zip", ".."])
def test_a_url_that_ends_in_no_name_is_refused(end):
    check_mistake({"sources": {"aligulac": {"urls": [f"https://a.example/{end}"]}}}, "sources.aligulac.urls", [end])


# -------------------------------------------------------------------- folders and paths


@pytest.mark.parametrize(
    ("key", "folder", "word"),
    [
        ("results", "src", "files of the project"),
        ("results", "/", "files of the project"),
        ("results", ".", "files of the project"),
        ("results", "..", "files of the project"),
        ("results", "workflow/mine", "files of the project"),
        ("results", "README.md", "files of the project"),
        ("results", "/etc/hostname", "is a file"),
        ("results", "downloads", "folder of downloads"),
        ("results", "downloads/mine", "folder of downloads"),
        ("results", "<b>", "'<b>'"),
        ("results", "a\0b", r"'\x00'"),
        ("results", "a\nb", r"'\n'"),
        ("results", "x" * 300, "too long"),
        ("results", "/".join(["x" * 200] * 30), "too long"),
        ("downloads", "src", "files of the project"),
        ("downloads", "a\0b", r"'\x00'"),
        ("downloads", "<b>", "'<b>'"),
    ],
)
def test_a_folder_that_cannot_hold_results_is_refused(key, folder, word):
    check_mistake({key: folder}, key, [word])


@pytest.mark.parametrize("folder", ["results", "out/mine", "/tmp/a folder/ä ö €", "results<1"])
def test_other_folders_hold_results(folder):
    assert read({"results": folder}).datasets


@pytest.mark.parametrize("name", ["x{1}.csv", "{league}.csv", "<b>.csv"])
@pytest.mark.parametrize("matchups", [False, True])
def test_a_file_whose_name_snakemake_would_interpret_is_refused(tmp_path, name, matchups):
    file = tmp_path / name
    file.write_text("player_a,player_b,winner\na,b,a\n" if matchups else ",a,b\na,.5,.5\nb,.5,.5\n")
    dataset = {"path": str(file)} | ({"matchups": {"winner": "winner"}} if matchups else {})
    check_mistake({"datasets": {"mine": dataset}}, "datasets.mine", [name, "rename"])
    check_mistake(
        {"datasets": {"mine": {"game": "elo_game", "parameters": {"ratings": str(file)}}}}, "datasets.mine", [name]
    )


@pytest.mark.parametrize("matchups", [False, True])
def test_a_file_of_the_future_is_refused_with_the_cure(tmp_path, matchups):
    file = tmp_path / "my results.csv"
    file.write_text("player_a,player_b,winner\na,b,a\n" if matchups else ",a,b\na,.5,.5\nb,.5,.5\n")
    dataset = {"path": str(file)} | ({"matchups": {"winner": "winner"}} if matchups else {})
    os.utime(file, (time.time() + 1800,) * 2)
    check_mistake({"datasets": {"mine": dataset}}, "datasets.mine", ["future", f"touch '{file}'"])
    os.utime(file)
    assert read({"datasets": {"mine": dataset}}).datasets


def test_results_need_an_id_that_no_computed_game_has(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("player_a,player_b,winner\na,b,a\n")
    dataset = {"path": str(file), "matchups": {"winner": "winner"}}
    check_mistake({"datasets": {"rps": dataset}}, "datasets.rps.matchups", ["computed game", "another id"])


@pytest.mark.parametrize("matchups", [{}, {"matchups": {}}])
def test_a_path_with_a_nul_is_no_file(matchups):
    check_mistake({"datasets": {"mine": {"path": "a\0b.csv"} | matchups}}, "datasets.mine.path", [r"a\x00b"])


@pytest.mark.parametrize("section", ["datasets", "models", "protocols", "sources"])
def test_a_name_of_any_length_ends_in_a_sentence(section):
    entry = {
        "datasets": {"game": "rps"},
        "models": {"model": "elo"},
        "protocols": {"hold_out": "random"},
        "sources": {"urls": ["file:///a"]},
    }[section]
    assert read({section: {"x" * 100: entry}})
    check_mistake({section: {"x" * 101: entry}}, section, ["100"])


def test_a_threshold_of_any_length_ends_in_a_sentence():
    config = {"datasets": {"lichess": {"matchups": {"min_games": [10**300]}}}}
    check_mistake(config, "datasets.lichess.matchups.min_games", ["200 characters"])


# -------------------------------------------------------------------- what YAML makes of a value


def league(tmp_path, matchups: str) -> list[Path]:
    """A configuration file with a league of a user's own."""
    (tmp_path / "games.csv").write_text("player_a,player_b,winner,country,date\na,b,a,NO,2020-01-06\n")
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"datasets:\n  mine:\n    path: {tmp_path / 'games.csv'}\n    matchups:\n      winner: winner\n{matchups}"
    )
    return [path]


def test_a_date_is_read_as_a_text(tmp_path):
    files = league(tmp_path, "      date: date\n      first: 2020-01-06\n      where: {date: [2020-01-06]}\n")
    options = settings.read(merged(files[0].read_text()), files).leagues["mine"]["options"]
    assert options["first"] == "2020-01-06" and options["where"] == {"date": ["2020-01-06"]}
    assert json.loads(json.dumps(options)) == options


def test_labels_mean_the_same_as_in_json(tmp_path):
    files = league(tmp_path, "      outcomes: {true: 1, false: 0, 2: 0.5, 2020-01-06: null}\n")
    options = settings.read(merged(files[0].read_text()), files).leagues["mine"]["options"]
    assert options["outcomes"] == {"true": 1, "false": 0, "2": 0.5, "2020-01-06": None}


@pytest.mark.parametrize("suffix", ["csv", "title.csv", "jsonl", "parquet"])
def test_true_and_false_are_labels_in_the_library_and_in_the_pipeline(tmp_path, suffix):
    frame = pd.DataFrame({"player_a": list("abc"), "player_b": list("bca"), "won": [True, False, True]})
    path = tmp_path / f"games.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame["won"] = frame["won"].map(str if suffix == "title.csv" else {True: "true", False: "false"})
        frame.to_csv(path, index=False)
    options = {"outcome": "won", "outcomes": {True: 1, False: 0}, "where": {"won": True}}
    counts = read_matchups(path, **options)
    assert counts["wins_a"].sum() + counts["wins_b"].sum() == 2
    assert counts.equals(read_matchups(path, **settings.plain(options)))


@pytest.mark.parametrize(
    ("where", "written", "read_as"),
    [
        ("{country: [NO, SE]}", "NO", "false"),
        ("{country: on}", "on", "true"),
        ("{time: 12:30}", "12:30", "750"),
        ("{code: [7, 010]}", "010", "8"),
        ("{number: 1_000}", "1_000", "1000"),
        ("{on: x}", "on", "true"),
    ],
)
def test_what_yaml_reads_otherwise_than_written_is_said(tmp_path, where, written, read_as):
    files = league(tmp_path, f"      where: {where}\n")
    with pytest.raises(InputError) as caught:
        settings.read(merged(files[0].read_text()), files)
    (line,) = str(caught.value).splitlines()[1:]
    assert f"mine.yaml, line 6, datasets.mine.matchups.where: YAML reads {written} as {read_as};" in line


@pytest.mark.parametrize("where", ["{country: ['NO', SE]}", "{ok: [true, False], n: 12, m: -3, x: 0.50}"])
def test_what_yaml_reads_as_written_is_kept(tmp_path, where):
    files = league(tmp_path, f"      where: {where}\n")
    found = settings.read(merged(files[0].read_text()), files)
    assert found.leagues["mine"]["options"]["where"] == yaml.safe_load(where)


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(InputError, match="a set; give a text"):
        read("{datasets: {rps: {label: !!set {a, b}}}}")


# -------------------------------------------------------------------- anything at all


#: Values that somebody or something may write where they do not belong.
ODD = [
    *(None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**400, "", "x", "x" * 5000, "rps", "all", "leagues"),
    *("a\0b", "a\nb", "<b>", "{x}", "/", "..", "src", "1e3", "\ud800", "*", "[", "/dev/zero", "http://a:b@c/d"),
    *([], [[]], [None], [1, "a"], {}, {"a": 1}, {1: 2}, {None: 1}, [{}], ["rps", "rps"], b"x", {1, 2}, (1, 2)),
    datetime.datetime(2020, 1, 1, 12),
]


def places(value: object, at: tuple = ()) -> Iterator[tuple]:
    """The paths of all values in a configuration."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*at, key)
        yield from places(one, (*at, key))


@pytest.mark.parametrize("seed", range(2))
def test_a_configuration_with_anything_in_it_is_read_or_ends_in_sentences(seed):
    rng = np.random.default_rng(seed)
    paths = list(places(CONFIG))
    refused = 0
    for _ in range(25):
        config = merged("{only_datasets: [rps]}")
        path = paths[rng.integers(len(paths))]
        inner = functools.reduce(lambda value, key: value[key], path[:-1], config)
        inner[path[-1]] = copy.deepcopy(ODD[rng.integers(len(ODD))])
        try:
            settings.read(config)
        except InputError as error:
            refused += 1
            assert all(line.isprintable() for line in str(error).splitlines()), (path, inner[path[-1]])
    assert 5 <= refused


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
        ("import sys\nsys.exit(0)", "ended by SystemExit: 0"),
    ],
)
def test_a_broken_model_file_is_named(folder, source, expected):
    (folder / "mine.py").write_text(source)
    (line,) = mistakes_of({"model_folders": [str(folder)], "models": {"mine": {}}})
    assert line.startswith("models.mine: ") and "mine.py" in line and expected in line


def test_whatever_a_constructor_raises_is_a_mistake_of_the_entry(folder):
    (line,) = mistakes_of({"model_folders": [str(folder)], "models": {"mine": {"weight": "heavy"}}})
    assert line.startswith("models.mine: the model 'mine' does not take {'weight': 'heavy'} (TypeError")


def test_a_constructor_that_exits_is_a_mistake_of_the_entry(folder):
    (folder / "mine.py").write_text(MODEL.replace("self.mode = mode", "raise SystemExit(0)"))
    (line,) = mistakes_of({"model_folders": [str(folder)], "models": {"mine": {}}})
    assert line.startswith("models.mine: ") and "SystemExit" in line


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
    check_mistake("{protocols: {written: {without_models: [dics]}}}", "protocols.written.without_models", ["'disc'"])


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
    assert found.datasets["mine_5"] == {"league": "mine", "min_games": 5, "min_opponents": 1, "component": "largest"}
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
    config["datasets"]["mine"] |= {"path": str(tmp_path / "*.csv"), "matchups": {"winner": "winner", "game_id": "id"}}
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
    words = ["'alphastar'", "`data: embedded`", "`path`"]
    check_mistake("{only_datasets: [alphastar]}", "only_datasets", words)
    mixture = "{datasets: {x: {game: mixture, of: [elo_game, alphastar], parameters: {ratio: 0.1}}}}"
    check_mistake(mixture, "datasets.x.of", words)


@pytest.mark.parametrize(
    ("dataset", "path", "words"),
    [
        ({"path": "PGN"}, ".path", ["games.pgn", "`matchups: {}`"]),
        ({"path": "nowhere/*.pgn", "matchups": {}}, ".path", ["nowhere/*.pgn"]),
        ({"path": "PGN", "matchups": {"min_game": 3}}, ".matchups.min_game", ["pgn", "'min_game'", "'min_games'"]),
        ({"path": "PGN", "matchups": {"min_games": 0}}, ".matchups.min_games", ["is 0", "at least 1", "list"]),
        ({"game": "rps", "matchups": {}}, ".matchups", ["`path`"]),
        ({"public": {"source": "aligulc"}, "matchups": {}}, ".public.source", ["'aligulc'", "'aligulac'"]),
        ({"public": {"source": "lichess_elite"}}, ".public.source", ["'lichess_elite'", "10 files", "`matchups`"]),
        ({"simulated": {"kind": "cyclic", "format": "pgn"}}, ".simulated", ["`matchups: {}`"]),
        (
            {"simulated": {"kind": "cyclic", "format": "pgn", "n_player": 3}, "matchups": {}},
            ".simulated.n_player",
            ["'n_player'", "'n_players'"],
        ),
        (
            {"simulated": {"kind": "odd", "format": "pgn"}, "matchups": {}},
            ".simulated.kind",
            ["'odd'", "`transitive`", "`cyclic`"],
        ),
    ],
)
def test_mistakes_of_leagues(tmp_path, dataset, path, words):
    pgn = tmp_path / "games.pgn"
    pgn.write_text(PGN)
    if dataset.get("path") == "PGN":
        dataset = dataset | {"path": str(pgn)}
    check_mistake({"datasets": {"mine": dataset}}, f"datasets.mine{path}", words)


def test_a_folder_without_games_names_the_suffixes_of_all_formats_or_of_the_one_configured(tmp_path):
    league = {"path": str(tmp_path), "matchups": {}}
    (line,) = mistakes_of({"datasets": {"mine": league}})
    every = [suffix for suffixes in formats.SUFFIXES.values() for suffix in suffixes]
    assert line.startswith(f"datasets.mine.path: {tmp_path} ") and f"ends in {', '.join(every)}," in line
    league["matchups"]["format"] = "pgn"
    (line,) = mistakes_of({"datasets": {"mine": league}})
    assert "ends in .pgn," in line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a:\n\tb: 1\n", ["line 2, column 1", "indent with spaces"]),
        (b"a: 1\n b: 2\n", ["line 2, column 3"]),
        (b"a: [1,\n b\nc: 3\n", ["line 3, column 2", "from line 1"]),
        (b'a: 1\nb: "x\n', ["line 3, column 1", "from line 2"]),
        (b"a: *b\n", ["line 1, column 4", "'b'"]),
        (b"a: 1\nb: \x01\n", ["line 2", r"'\x01'"]),
        (b"a: \xff\n", ["UTF-8"]),
        (b"a: 2020-13-45\n", ["line 1, column 4", "'2020-13-45'", "timestamp", "quotes"]),
        (b"a: !!bool foo\n", ["line 1, column 4", "'foo'", "bool", "quotes"]),
        (b"a: !!timestamp foo\n", ["line 1, column 4", "'foo'", "timestamp", "quotes"]),
        (b'a:\n- !!int ""\n', ["line 2, column 3", "''", "int", "quotes"]),
        (b'{"seed": 1, "seed": 2}', ["line 1", "'seed'", "twice"]),
        (b"# nothing\n", ["no keys at its top level"]),
        (b"- a\n", ["no keys at its top level"]),
        (b"data: embedded\nmodels: {}\ndata: public\n", ["line 3", "'data'", "twice", "line 1"]),
        (b"models:\n  elo:\n    k: 1\n  elo: {}\n", ["line 4", "'elo'", "twice", "line 2"]),
        (b"models: [{elo: 1, elo: 2}]\n", ["line 1", "'elo'", "twice"]),
        (None, ["No such file", "CONFIG="]),
    ],
)
def test_a_configuration_that_is_not_yaml_is_named_with_its_line(tmp_path, content, words):
    path = tmp_path / "mine.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        check_yaml.parse(path)
    message = str(caught.value)
    assert str(path) in message and [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(
    "content",
    [
        b"a: &a {k: 1}\nb: &b {l: 1}\nc:\n  <<: *a\n  <<: *b\n",
        b'a: {1: a, "1": b}\n',
        b"a: &it {k: 1}\nb: *it\nc: {<<: *it, k: 2}\n",
        b"a:\n  b: 1\n",
    ],
)
def test_what_snakemake_reads_is_yaml(tmp_path, content):
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    assert check_yaml.parse(path).value[0][0].value == "a"


def test_make_checks_the_configurations_before_snakemake_reads_them():
    command = ["make", "--dry-run", "reproduce", "CONFIG=my own.yaml"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert 0 < lines.index('check_yaml config.yaml "my own.yaml"') < lines.index("reproduction.alone --profile")


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
    assert check_yaml.parse(path).value


@pytest.mark.parametrize(("text", "code"), [("data: embedded\n", 0), ("data: [\n", 1)])
def test_only_a_mistake_stops_make(tmp_path, text, code):
    (tmp_path / "mine.yaml").write_text(text)
    script = [sys.executable, "-m", "reproduction.config.check_yaml", "config.yaml", tmp_path / "mine.yaml"]
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
    check_mistake(overlay, "datasets.mine.path", [f"{tmp_path}/*.pgn", "`members`"])


def test_a_run_in_which_nothing_is_scored_is_a_mistake():
    (line,) = mistakes_of("{only_datasets: [kuhn_poker_exact]}")
    assert line.startswith("protocols: none of them scores kuhn_poker_exact")


def test_two_payoffs_cannot_have_one_name(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    league = {"path": str(tmp_path / "games.pgn"), "matchups": {"min_games": [5]}}
    check_mistake({"datasets": {"mine": league, "mine_5": {"game": "rps"}}}, "datasets", ["'mine_5'", "rename"])


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
        "datasets": {"mixture_050": {"path": str(file), "scale": "probability"}, "kuhn_poker": {"path": str(file)}},
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
    assert set(found.protocols) == {"published", "written", "strong", "tuned", "leagues"}


def test_the_small_configuration_has_something_for_every_figure():
    found = read((ROOT / "tests" / "config.yaml").read_text())
    assert {"example_elo", "example_cyclic_disc", "elo_game", "disc_game", "kuhn_poker"} <= set(found.datasets)


def test_the_example_of_a_baseline():
    found = read((ROOT / "docs" / "examples" / "baseline.yaml").read_text())
    assert found.models["mean_payoff"].instances == {"mean_payoff": {"draws": 1.0}}
    assert all("mean_payoff" in protocol["models"] for protocol in found.protocols.values())
    # Nothing else changes.
    for name, protocol in read().protocols.items():
        assert found.protocols[name]["models"] == [*protocol["models"], "mean_payoff"]


def test_the_example_of_rivals():
    found = read((ROOT / "docs" / "examples" / "rivals.yaml").read_text())
    assert {entry for entry in found.models if entry in RIVALS} == {*RIVALS}
    assert {*RIVALS} < {*found.protocols["strong"]["models"]} and found.protocols["strong"]["repeats"] == 5


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


@pytest.mark.parametrize(
    ("cores", "words"), [(None, ["4 cores", "CORES=2"]), ("3", ["3 cores", "CORES=2"]), ("2", None)]
)
def test_cluster_jobs_larger_than_every_node_are_refused(tmp_path, monkeypatch, cores, words):
    (tmp_path / "config.yaml").write_text("executor: slurm\ncores: 4\n")
    (tmp_path / "sinfo").write_text("#!/bin/sh\nprintf '1\\n2+\\n'\n")
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    if words is None:
        return alone.check_nodes(str(tmp_path), cores)
    with pytest.raises(SystemExit) as stopped:
        alone.check_nodes(str(tmp_path), cores)
    assert all(word in str(stopped.value) for word in words)
