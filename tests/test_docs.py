"""The documentation: its examples work, its pages are up to date, its links lead somewhere."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import pkgutil
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from loading import script
from snakemake.cli import get_argument_parser
from snakemake.utils import update_config

from reproduction.config import mistakes, settings
from reproduction.paper import compare
from transitivity import models
from transitivity.evaluation import compare as evaluation
from transitivity.evaluation import forecasts
from transitivity.measures.evidence import Evidence
from transitivity.measures.measure import Transitivity
from transitivity.payoff import files
from transitivity.payoff.core import Payoff
from transitivity.testing import check_model

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "results/README.md")]
PAGES += [ROOT / "workflow" / "paper" / "README.md", DOCS / "reference" / "README.md", *sorted(DOCS.glob("*.md"))]
MODEL = DOCS / "examples" / "models" / "mean_payoff.py"


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def rules() -> list[str]:
    """The names of the pipeline's rules."""
    files = [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")]
    text = "".join(path.read_text() for path in files)
    return re.findall(r"^(?:rule|use rule \w+ as) (\w+)(?::| with:)", text, re.MULTILINE)


# -------------------------------------------------------------------- pages


def test_the_configuration_page_is_up_to_date(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["generate_config.py", "--output", str(tmp_path / "config.md")])
    runpy.run_path(str(DOCS / "generate_config.py"), run_name="__main__")
    written = (tmp_path / "config.md").read_text(encoding="utf-8")
    assert written == (DOCS / "config.md").read_text(encoding="utf-8"), "run python docs/generate_config.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page):
    names = re.findall(
        r"`((?:docs|src|tests|workflow|scripts|benchmarks|envs)/[\w/.-]+)`", page.read_text(encoding="utf-8")
    )
    # The reader is to write these, as add_a_dataset.md and add_a_figure.md show.
    examples = ("/coin_toss.py", "cyclic_shares.py")
    missing = [name for name in names if not (ROOT / name).exists() and not name.endswith(examples)]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_names_exist(page):
    if page.name == "CHANGELOG.md":
        pytest.skip("the change log names modules as they were")
    names = re.findall(r"`((?:transitivity|reproduction)(?:\.\w+)+)", page.read_text(encoding="utf-8"))
    for name in sorted(set(names) - {"transitivity.csv", "transitivity.yaml"}):
        pkgutil.resolve_name(name)


def test_the_page_of_results_names_every_rule_and_script():
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    scripts = [path.name for path in (ROOT / "scripts").glob("*.py")]
    # The row of figures stands for all of them.
    names = [name for name in [*rules(), *scripts] if not name.startswith("figure_")]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_readme_quotes_the_reference_run():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    quoted = {
        model: [float(ratio) for ratio in ratios]
        for model, *ratios in re.findall(r"^\| (.+?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    }
    table = pd.read_csv(DOCS / "reference" / "tables" / "signed_rank.csv")
    table = table[(table["protocol"] == "strong") & (table["games"] == "all")]
    medians = table.set_index(["model", "baseline"])["median"]
    labels = {"Elo": "elo", "m-Elo, Equation 20 of the paper": "melo", "m-Elo in logit space": "melo_logit"}
    assert set(quoted) == set(labels)
    for label, family in labels.items():
        ratios = [medians[f"disc_k{k}", "elo" if family == "elo" else f"{family}_k{k}"] for k in (1, 2, 3)]
        assert quoted[label] == [round(ratio, 2) for ratio in ratios], label
    (chosen,) = table[(table["model"] == "disc_chosen") & (table["baseline"] == "elo")].itertuples()
    assert f"over {chosen.n_games} games" in page
    words = " ".join(page.split())
    worse = ["none", "one"][chosen.worse]
    assert f"beats Elo on {chosen.better} of the {chosen.n_games} games and loses on {worse}" in words
    for family, name in (("melo", "Equation 20"), ("melo_logit", "m-Elo in logit space")):
        (row,) = table[(table["model"] == "disc_chosen") & (table["baseline"] == f"{family}_chosen")].itertuples()
        assert f"gainst {name} it wins on {row.better} and loses on {row.worse}" in words


@pytest.mark.parametrize("profile", ["default", "slurm"])
def test_a_profile_names_only_options_and_rules_that_there_are(profile, tmp_path):
    options = yaml.safe_load((ROOT / "workflow" / "profiles" / profile / "config.yaml").read_text())
    # The executor of a cluster is a plugin with options of its own, which the tests do without.
    executor = options.pop("executor", "local")
    known = {key: value for key, value in options.items() if not key.startswith(f"{executor}-")}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(known))
    arguments = get_argument_parser([str(tmp_path)]).parse_args([])
    assert {*arguments.groups, *arguments.set_resources} <= set(rules())
    assert set(arguments.group_components) <= set(arguments.groups.values())


def test_the_page_of_results_describes_every_column():
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    fit = script("fit")
    columns = [*fit.SCORES, *fit.FITS, *compare.COLUMNS, *script("datasets").COLUMNS]
    columns += [*evaluation.BEST, *evaluation.SIGNED_RANK]
    columns += [re.sub("_gain_(low|high)$", "_gain", name) for name in evaluation.COMPARISON]
    columns += [field.name for kind in (Transitivity, Evidence) for field in dataclasses.fields(kind)]
    columns += [*forecasts.TABLE, *forecasts.CALIBRATION]
    assert [name for name in columns if f"`{name}`" not in text] == []


def test_the_page_of_formats_names_every_suffix_and_scale():
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    known = [*files._READERS, *files.SCALES]
    assert [name for name in known if f"`{name}`" not in text] == []


def test_every_dependency_is_justified_and_no_other():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    packages = {re.match(r"[\w.-]+", one)[0].lower() for one in asked} - {"transitivity"}
    rows = re.findall(
        r"^\| ([\w.,-][\w., -]*) \|", (DOCS / "dependencies.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    rows = [name.lower() for row in rows for name in row.split(", ")]
    assert set(rows) - {"package"} == packages


@pytest.mark.slow
def test_the_api_reference_has_the_parts_of_both_packages(tmp_path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    command = re.search(r"^\t\$\(BIN\)/pdoc (.*)$", makefile, re.MULTILINE)[1]
    arguments = command.replace("build/docs", str(tmp_path)).split()
    subprocess.run([sys.executable, "-m", "pdoc", *arguments], check=True, cwd=ROOT)
    pages = {str(path.relative_to(tmp_path).with_suffix("")) for path in tmp_path.rglob("*.html")}
    # pdoc leaves out what the list of names (`__all__`) of a package does not have.
    parts = {path.parent.name for path in (ROOT / "src" / "transitivity").glob("*/__init__.py")} - {"native"}
    assert {f"transitivity/{part}" for part in parts} <= pages
    assert {"transitivity/payoff/core", "transitivity/sources/read", "reproduction/config/settings"} <= pages
    assert "class Disc" in re.sub(r"<[^>]*>", "", (tmp_path / "transitivity" / "models.html").read_text("utf-8"))


# -------------------------------------------------------------------- examples


@pytest.mark.parametrize("parameters", [{}, {"draws": 10}])
def test_the_example_of_a_model_keeps_all_rules(parameters):
    cls = models.load(MODEL)
    check_model(lambda: cls(**parameters))


def test_the_example_of_a_model_ranks_by_mean_payoff():
    model = models.load(MODEL)().fit(Payoff.from_dense(np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.6], [0.1, 0.4, 0.5]])))
    assert model.predict(0, 1) > 0.5 and model.predict(1, 2) > 0.5


def test_the_page_shows_the_example_files_as_they_are():
    page = DOCS / "add_a_baseline.md"
    assert blocks(page, "python")[0] == MODEL.read_text(encoding="utf-8")
    assert blocks(page, "yaml")[0] == (DOCS / "examples" / "baseline.yaml").read_text(encoding="utf-8")


def test_the_readme_shows_the_example_of_the_library(capsys):
    example = (DOCS / "examples" / "library.py").read_text(encoding="utf-8")
    assert blocks(ROOT / "README.md", "python") == [example]
    exec(example, {})
    output = capsys.readouterr().out.split()
    assert [float(output[0]), float(output[1])] == pytest.approx([0.5, 0.8], abs=1e-3)
    assert output[2:] == ["False", "1.0"]


def test_the_tour_shows_what_its_examples_print(monkeypatch, capsys):
    page, examples = DOCS / "tour.md", DOCS / "examples"
    assert blocks(page, "python") == [(examples / "tour.py").read_text(encoding="utf-8")]
    assert blocks(page, "yaml") == [(examples / "tour.yaml").read_text(encoding="utf-8")]
    simulated = runpy.run_path(str(examples / "simulate_league.py"))["games"]()
    assert simulated.to_csv(index=False) == (examples / "simulated_league.csv").read_text(encoding="utf-8")
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(examples / "tour.py"))
    printed = capsys.readouterr().out
    (shown,) = blocks(page, "text")
    # Elsewhere the last digit may be another.
    words = [text.split() for text in (printed, shown)]
    assert len(words[0]) == len(words[1])
    for found, told in zip(*words, strict=True):
        number = re.fullmatch(r"-?[\d.]+", told)
        limit = 1.5 if number and abs(float(told)) > 20 else 0.011
        assert found == told or (number and abs(float(found) - float(told)) <= limit), told


def test_the_script_of_real_leagues_prints_its_tables(tmp_path, monkeypatch, capsys):
    """On a folder with a few made-up votes, as on the real ones."""
    monkeypatch.syspath_prepend(DOCS / "examples")
    games = importlib.import_module("simulate_league").games(n=60)
    games["winner"] = np.where(games.home_score > games.away_score, "left", "right")
    (tmp_path / "llm_arena").mkdir()
    games.rename(columns={"home": "left", "away": "right"}).to_csv(tmp_path / "llm_arena" / "llmfao.csv")
    monkeypatch.setattr(sys, "argv", ["real_leagues.py", str(tmp_path), "--only", "llm_arena"])
    runpy.run_path(str(DOCS / "examples" / "real_leagues.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "Ratings by 60 games of 12 players" in printed and "\nVerdict: " in printed


def test_the_script_of_real_leagues_tells_hold_outs_without_names(tmp_path, monkeypatch, capsys):
    (tmp_path / "tables").mkdir()
    rng, rows = np.random.default_rng(0), []
    about = {"protocol": "leagues", "n_players": 9, "mse": 0.2, "log_loss": 0.6, "accuracy": 0.5, "n_games": 300.0}
    models = {"constant": 0, "elo": 9, "elo_tuned": 9, "disc_tuned": 18, "melo_logit_tuned": 27, "melo_tuned": 27}
    for dataset, (model, size), repeat in itertools.product(("llm_arena", "dota"), models.items(), range(5)):
        loss = {"constant": 0.693, "elo": 0.65}.get(model, 0.6) + 0.002 * rng.normal() * (size > 0)
        one = about | {"dataset": dataset, "model": model, "n_params": size, "repeat": repeat, "game_log_loss": loss}
        rows += [one | {"split": part, "n_pairs": n, "n_connected": n} for part, n in (("train", 80), ("test", 20))]
    told = {"verdict_logit": "cyclic", "p_value": 0.005, "statistic": 0.1, "power": 0.9, "games_needed": 10.0}
    names = pd.DataFrame({"dataset": ["llm_arena", "dota"], "label": ["Votes", "Teams"], "hinges": ["A; B", "Secret"]})
    pd.DataFrame(rows).to_csv(tmp_path / "tables" / "scores.csv", index=False)
    names.assign(**told, n_resamples=199).to_csv(tmp_path / "tables" / "transitivity.csv", index=False)
    names.assign(players=9, pairs=36, games=80).to_csv(tmp_path / "tables" / "matchups.csv", index=False)
    names.to_csv(tmp_path / "datasets.csv", index=False)
    arguments = ["real_leagues.py", "--run", str(tmp_path), "--figure", str(tmp_path / "figure.svg")]
    monkeypatch.setattr(sys, "argv", arguments)
    runpy.run_path(str(DOCS / "examples" / "real_leagues.py"), run_name="__main__")
    printed = capsys.readouterr().out
    votes, teams = printed.split("### Teams")
    assert (
        "Without the games of A; B (all of them together) it" in votes
        and "Without the games of 1 of its players it" in teams
    )
    assert "Secret" not in printed and printed.count("best: Elo, tuned") == 2
    assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_the_example_of_a_game_works():
    (source,) = blocks(DOCS / "add_a_dataset.md", "python")
    namespace: dict = {}
    exec(source, namespace)
    payoff = namespace["payoff"](n_players=7, rng=np.random.default_rng(0))
    assert payoff.n_players == 7 and payoff.is_complete
    assert namespace["LABEL"].format(n_players=7) == "Coin toss, n = 7"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_configurations_on_a_page_fit_the_schema(page):
    schema = yaml.safe_load(settings.SCHEMA.read_text(encoding="utf-8"))
    for block in blocks(page, "yaml"):
        config = copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
        update_config(config, yaml.safe_load(block))
        problems, _ = mistakes.of_schema(schema, config)
        assert problems == [], block


def test_the_text_files_on_the_page_of_formats_can_be_read(tmp_path):
    matrix, pairs = blocks(DOCS / "formats.md", "text")
    (tmp_path / "matrix.csv").write_text(matrix)
    (tmp_path / "pairs.csv").write_text(pairs)
    for name, n_pairs in (("matrix", 2), ("pairs", 2)):
        payoff = Payoff.from_file(tmp_path / f"{name}.csv")
        assert list(payoff.players) == ["ann", "bob", "eve"] and payoff.n_pairs == n_pairs
        assert np.allclose(payoff.to_dense()[[0, 1], [1, 2]], [0.7, 0.9])
