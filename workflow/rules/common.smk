import csv
import json
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

import settings
from transitivity import InputError


def read_settings():
    """The configuration, spelled out; its mistakes end the run before it starts."""
    try:
        return settings.read(config)
    except InputError as error:
        raise WorkflowError(str(error)) from None


SETTINGS = read_settings()
RESULTS = config["results"]
SEED = config["seed"]
DATASETS = list(SETTINGS.datasets)
SCORED = [
    (protocol, dataset, model)
    for protocol, about in SETTINGS.protocols.items()
    for dataset in about["datasets"]
    for model in about["models"]
]
PAPER = "workflow/paper"
CAPTIONS = "workflow/report"
ENVIRONMENT = "../../envs/transitivity.yaml"
TABLES = [
    f"{RESULTS}/tables/{name}"
    for name in (
        "scores.csv",
        "transitivity.csv",
        "table_1.csv",
        "paper_comparison.csv",
    )
]
PAPER_FILES = sorted(str(path) for path in Path(PAPER).glob("*.csv"))
CAPTION_FILES = sorted(str(path) for path in Path(CAPTIONS).glob("*.rst"))
# What the figures show, from left to right.
FIGURE_1 = ["example_elo", "example_cyclic_disc"]
FIGURE_4 = ["elo_game", "mixture_075", "mixture_050", "mixture_025", "disc_game"]
FIGURE_9 = [
    "go_3",
    "go_4",
    "alphastar",
    "kuhn_poker",
    "blotto_10_3",
    "blotto_10_5",
]
with open(f"{PAPER}/published_masks.csv", newline="") as masks:
    PAPER_GAMES = {row["dataset"] for row in csv.DictReader(masks)}
# The modules that every fit depends on, whatever the model.
CORE = [
    f"src/transitivity/{name}.py"
    for name in ("payoff", "losses", "objective", "solvers", "evaluation", "models/_base")
]


wildcard_constraints:
    protocol="|".join(SETTINGS.protocols),
    dataset="|".join(DATASETS),
    model="|".join(SETTINGS.models),


def of_datasets(pattern, names=None):
    """The files of a pattern with {dataset}, one a dataset of this run (or of those named, if they are in it)."""
    chosen = DATASETS if names is None else [name for name in names if name in DATASETS]
    return [f"{RESULTS}/{pattern.format(dataset=name)}" for name in chosen]


def of_fits(suffix):
    """The files of every fit."""
    return [f"{RESULTS}/fits/{protocol}/{dataset}/{model}.{suffix}" for protocol, dataset, model in SCORED]


def payoff_parents(wildcards):
    """The two datasets that a mixture is made of."""
    about = SETTINGS.datasets[wildcards.dataset]
    return [] if "path" in about else about.get("of", [])


def payoff_parent_files(wildcards):
    return [f"{RESULTS}/payoffs/{name}.npz" for name in payoff_parents(wildcards)]


def payoff_parent_metadata(wildcards):
    return [f"{RESULTS}/payoffs/{name}.json" for name in payoff_parents(wildcards)]


def payoff_sources(wildcards):
    """The files of the user that a payoff is made of, or the code of the game."""
    about = SETTINGS.datasets[wildcards.dataset]
    if "path" in about:
        return [about["path"]]
    parameters = about.get("parameters", {})
    files = [parameters[key] for key in settings.FILE_PARAMETERS if key in parameters]
    return [f"src/transitivity/games/{about['game']}.py", *files]


def payoff_specification(wildcards):
    return json.dumps(SETTINGS.datasets[wildcards.dataset])


def hold_out_arguments(wildcards):
    about = SETTINGS.protocols[wildcards.protocol]
    return f"--kind {about['hold_out']} --share {about['share']} --repeats {about['repeats']}"


def model_file(wildcards):
    return str(SETTINGS.models[wildcards.model].file)


def model_instances(wildcards):
    return json.dumps(SETTINGS.models[wildcards.model].instances)


def protocol_solver(wildcards):
    return SETTINGS.protocols[wildcards.protocol]["solver"] or "default"


def figure_numbers():
    """The figures that this run has something to draw for; the report names the others."""
    numbers = ["02", "03"]
    if set(FIGURE_1) <= set(DATASETS):
        numbers.append("01")
    if set(FIGURE_4) & set(DATASETS):
        numbers += ["04", "08"]
    if set(FIGURE_9) & set(DATASETS):
        numbers.append("09")
    if PAPER_GAMES & {dataset for _, dataset, _ in SCORED}:
        numbers += ["05", "06"]
    return sorted(numbers)


def figure_files(pattern="figures/figure_{number}.png"):
    return [f"{RESULTS}/{pattern.format(number=number)}" for number in figure_numbers()]
