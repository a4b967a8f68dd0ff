"""Which figures a run has: decided from the settings, as the code of the figures would have it."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

import reproduction.figures
from reproduction.config import settings
from reproduction.figures import catalogue, style
from reproduction.figures.inputs import DatasetInfo, read_paper_bars
from reproduction.figures.looks import models_of_figure
from reproduction.figures.ratios import ratio_bars
from reproduction.figures.ratios_by_game import GameBars, draw_game_bars
from reproduction.figures.ratios_by_threshold import threshold_bars
from reproduction.paper.numbers import averaged_games
from transitivity.evaluation.ratios import REFERENCE
from transitivity.files import read_table

ROOT = Path(__file__).resolve().parents[1]
PAPER = ROOT / "workflow" / "paper"
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
OF_THE_PAPER = {"without_models": catalogue.BEYOND_THE_PAPER}
ERRORS = ["figure_05", "figure_05_strong", "figure_06", "figure_06_strong", "figure_10"]


def run_of(change: dict) -> catalogue.Run:
    config = copy.deepcopy(CONFIG)
    update_config(config, change)
    return catalogue.Run(settings.read(config), config["figures"])


@functools.cache
def whole() -> catalogue.Run:
    return run_of({})


@functools.cache
def paper_bars() -> pd.DataFrame:
    return read_paper_bars(PAPER / "figure_5.csv")


def scores_of(run: catalogue.Run) -> pd.DataFrame:
    """The rows of scores.csv that the settings promise, of one instance an entry; the errors are drawn."""
    rng = np.random.default_rng(0)
    rows = [
        (protocol, dataset, model, split, n_pairs, rng.uniform(1, 2))
        for protocol, about in run.settings.protocols.items()
        for dataset in about["datasets"]
        for entry in about["models"]
        for model in list(run.settings.models[entry].instances)[:1]
        for split, n_pairs in (("train", 80), ("test", 20))
    ]
    frame = pd.DataFrame(rows, columns="protocol dataset model split n_pairs mse".split())
    return frame.assign(repeat=0, n_players=10, n_params=10, label=frame.model)


def drawn(name: str, scores: pd.DataFrame, words: dict, run: catalogue.Run) -> int:
    """How many groups of bars the code of a figure draws from these scores."""
    scores = scores[scores.protocol.isin(words["protocols"])]
    models = models_of_figure(scores.model, words.get("without_models", ()))
    scores = scores[scores.model.isin([*models, REFERENCE])]
    paper = paper_bars()
    if name.startswith("figure_05"):
        further = words.get("further_games", [])
        return len(GameBars.of(scores, paper, models, further).games)
    if name.startswith("figure_06"):
        asked = averaged_games(paper, 6)
        bars = ratio_bars(scores[scores.model.isin([REFERENCE, *models])], paper, asked, asked)
        return len(bars[bars.dataset.isin(asked) & (bars.model != REFERENCE)])
    paper = read_table(PAPER / "figure_10.csv", text=("threshold", "model"), numbers=("ratio",))
    return len(threshold_bars(scores, run.leagues("figure_10"), paper, models, ()))


#: What the scripts are given where a figure is left out; words of another run would hide what it could draw.
ALWAYS = {
    "figure_05": {"protocols": ["published", "written"], "without_models": catalogue.BEYOND_FIGURE_5},
    "figure_05_strong": {"protocols": ["strong"]} | OF_THE_PAPER,
    "figure_06": {"protocols": ["published", "written"]} | OF_THE_PAPER,
    "figure_06_strong": {"protocols": ["strong"]} | OF_THE_PAPER,
    "figure_10": {"protocols": ["leagues", "written", "strong"]} | OF_THE_PAPER,
}


def check(run: catalogue.Run) -> None:
    """A figure of errors is in the run exactly where its code finds something to draw, and every file is made."""
    scores, made = scores_of(run), catalogue.figures(run)
    why = catalogue.left_out(run)
    assert {*made, *why} == set(catalogue.FIGURES) and not set(made) & set(why)
    for name in ERRORS:
        words = made[name].words if name in made else ALWAYS[name]
        assert bool(drawn(name, scores, words, run)) == (name in made), name
        assert name in made or why[name]
    for inputs in made.values():
        for path in (path for paths in inputs.placed("results").values() for path in paths):
            if found := re.fullmatch(r"results/(payoffs|decompositions|nash_clusters)/(.+)\.\w+", path):
                assert found[2] in run.settings.datasets
            elif path.startswith("workflow/"):
                assert (ROOT / path).is_file()


def kind(dataset: str) -> tuple:
    """What the catalogue knows of a dataset."""
    lists = [catalogue.FIGURE_9_GAMES, catalogue.FIGURE_1_GAMES, catalogue.columns_of()]
    lists += [averaged_games(paper_bars(), figure) for figure in (5, 6)]
    about = CONFIG["datasets"][dataset]
    return "matchups" in about, "public" in about, *(dataset in names for names in lists)


#: One dataset of each kind, the first.
KINDS = {kind(dataset): dataset for dataset in reversed(CONFIG["datasets"])}.values()


@pytest.mark.parametrize(
    "dataset", [pytest.param(name, marks=[] if name in KINDS else pytest.mark.slow) for name in CONFIG["datasets"]]
)
def test_each_dataset_alone(dataset):
    """By the settings of the whole run, with one dataset left, which `only_datasets` does."""
    run = whole()
    ids = run.settings.ids[dataset]
    if not ids:
        pytest.skip("only a file has it")
    datasets = {id: run.settings.datasets[id] for id in settings._with_parents(ids, run.settings.datasets)}
    leagues = {
        name: about
        for name, about in run.settings.leagues.items()
        if any(name == one.get("league") for one in datasets.values())
    }
    # Which models there are matters in the tests below.
    protocols = {
        name: about
        | {"datasets": [id for id in about["datasets"] if id in ids], "models": ["elo", "disc", "melo_logit"]}
        for name, about in run.settings.protocols.items()
    }
    alone = dataclasses.replace(run.settings, datasets=datasets, leagues=leagues, protocols=protocols)
    check(catalogue.Run(alone, run.thresholds))


@pytest.mark.parametrize("protocol", CONFIG["protocols"])
def test_each_protocol_alone(protocol):
    run = whole()
    only = {protocol: run.settings.protocols[protocol]}
    check(catalogue.Run(dataclasses.replace(run.settings, protocols=only), run.thresholds))


@pytest.mark.parametrize("models", [["elo"], ["disc"], ["elo", "balduzzi_2019"], ["elo", "elo_tuned"]])
def test_few_models(models):
    change = {"only_datasets": ["blotto_5_4", "starcraft"]}
    check(run_of(change | {"protocols": {name: {"models": models} for name in CONFIG["protocols"]}}))


@pytest.mark.parametrize(
    ("change", "has", "has_not"),
    [
        ({"only_datasets": ["blotto_5_3"]}, ["figure_06"], ["figure_05", "figure_05_strong", "figure_09"]),
        ({"only_datasets": ["rps"]}, ["figure_02", "spectrum"], ["figure_05", "figure_06"]),
        ({"protocols": {"strong": {"datasets": ["blotto_5_3"]}}}, ["figure_05_strong", "figure_06_strong"], ["games"]),
        (
            {
                "datasets": {"mine": {"path": str(PAPER / "table_1.csv")}},
                "protocols": {"strong": {"datasets": ["mine", "kuhn_poker"]}},
            },
            ["figure_05_strong", "figure_06_strong", "games"],
            [],
        ),
        (
            {
                "datasets": {"mine": {"path": str(PAPER / "table_1.csv")}},
                "only_datasets": ["mine"],
                "protocols": {"strong": {"datasets": ["mine"]}},
            },
            ["figure_05_strong", "games"],
            ["figure_05", "figure_06_strong"],
        ),
    ],
)
def test_what_ordinary_configurations_have(change, has, has_not):
    run = run_of(change)
    check(run)
    made, why = catalogue.figures(run), catalogue.left_out(run)
    assert set(has) <= set(made) and set(has_not) <= set(why)
    if "figure_05_strong" in made:
        words = made["figure_05_strong"].words
        scores = scores_of(run)
        scores = scores[scores.protocol.isin(words["protocols"])]
        paper = paper_bars()
        bars = GameBars.of(scores, paper, models_of_figure(scores.model), words.get("further_games", []))
        with style.style():
            figure = draw_game_bars(bars, words["protocols"], DatasetInfo(), intervals=True)
        assert len(figure.axes[0].get_xticks()) == len(bars.places)


def test_the_catalogue_needs_no_matplotlib():
    code = "import sys, reproduction.figures.catalogue; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scripts_and_columns_of_the_catalogue_exist():
    for figure in catalogue.FIGURES.values():
        assert (ROOT / "scripts" / f"{figure.script}.py").is_file()
    for games in (catalogue.columns_of(), catalogue.FIGURE_9_GAMES, catalogue.FIGURE_1_GAMES):
        assert set(games) <= set(CONFIG["datasets"])
    paper = paper_bars()
    assert all(catalogue.games_of_average(figure) == averaged_games(paper, figure) for figure in (5, 6))


def test_the_example_of_a_figure_works(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "add_a_figure.md").read_text(encoding="utf-8")
    module, script, decide, entry = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "cyclic_shares.py").write_text(module)
    monkeypatch.setattr(reproduction.figures, "__path__", [*reproduction.figures.__path__, str(tmp_path)])
    catalogued = dict(vars(catalogue))
    exec(decide, catalogued)
    figure = eval(f"{{{entry}}}", catalogued)["cyclic_shares"]
    assert f"`scripts/{figure.script}.py`" in page and figure.title and figure.caption
    assert isinstance(figure.decide(run_of({"only_datasets": ["starcraft"]})), str)
    inputs = figure.decide(whole())
    (tmp_path / "tables").mkdir()
    shares = pd.DataFrame({"dataset": ["rps", "NA"], "logit_gradient_share": [0.0, 0.75]})
    shares.to_csv(tmp_path / "tables" / "transitivity.csv", index=False)
    labels = pd.DataFrame({"dataset": ["rps"], "label": ["Rock, paper, scissors"], "simulated": False})
    labels.to_csv(tmp_path / "datasets.csv", index=False)
    outputs = {kind: tmp_path / f"f.{kind}" for kind in ("pdf", "png", "data")}
    flags = [part for kind, path in outputs.items() for part in (f"--{kind}", str(path))]
    namespace: dict = {"__name__": "figure_cyclic_shares", "__doc__": "The example."}
    exec(script, namespace)
    for option, paths in inputs.placed(str(tmp_path)).items():
        flags += [f"--{option.replace('_', '-')}", *paths]
    namespace["main"](flags)
    assert outputs["pdf"].read_bytes().startswith(b"%PDF") and outputs["png"].stat().st_size > 0
    assert outputs["data"].read_text().splitlines() == ["dataset,share", "rps,1.0", "NA,0.25"]


def test_files_are_below_the_results_or_the_repository():
    inputs = catalogue.Inputs({"scores": ["tables/scores.csv"], "paper": ["workflow/x.csv"]})
    assert inputs.placed("mine") == {"scores": ["mine/tables/scores.csv"], "paper": ["workflow/x.csv"]}
    (columns,) = catalogue.figures(whole())["figure_09"].words["columns"]
    assert json.loads(columns) == {"": catalogue.columns_of(catalogue.FIGURE_9_GAMES)}
