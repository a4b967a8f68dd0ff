import atexit
import difflib
import json
import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

from reproduction.config import dependencies, origins, settings
from reproduction.figures import catalogue
from transitivity import InputError
from transitivity.errors import did_you_mean


def read_settings():
    """The configuration, spelled out; its mistakes end the run before it starts."""
    given = workflow.config_settings
    try:
        return settings.read(config, [Path("config.yaml"), *given.configfiles], given.config)
    except InputError as error:
        # An exception would come with Snakemake's own words, and with lines of this file.
        sys.exit(f"error: {error}")


SETTINGS = read_settings()
RESULTS = config["results"]
DOWNLOADS = config["downloads"]
SEED = config["seed"]
DATASETS = list(SETTINGS.datasets)
# The payoffs that are counted from the games of a league.
COUNTED = [name for name, about in SETTINGS.datasets.items() if "league" in about]
# The user's own data, and the games of real leagues.
OWN = [
    name
    for name, about in SETTINGS.datasets.items()
    if "path" in about or ("league" in about and not SETTINGS.leagues[about["league"]]["simulated"])
]
COMPLETE = [name for name in DATASETS if name not in COUNTED]
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
        "model_comparison.csv",
        "signed_rank.csv",
        "best_models.csv",
        "choice_of_k.csv",
        "optima.csv",
        "measure_agreement.csv",
        "table_1.csv",
        "paper_comparison.csv",
    )
]
FORECAST = [name for name, about in SETTINGS.leagues.items() if about["forecast"] is not None]
LEAGUE_TABLES = (
    [f"{RESULTS}/tables/{name}.csv" for name in ("matchups", "dropped", "identifiability")] if COUNTED else []
)
CYCLES = [f"{RESULTS}/tables/cycles_{name}.csv" for name in ("pay", "rule")] if SETTINGS.cycles["datasets"] else []
# Tables whose rows are those of many jobs.
PLAYER_TABLES = ["ratings", "pairs", "surprises", "triples"] if COUNTED else []
FORECAST_TABLES = ["forecasts", "calibration"] if FORECAST else []
CONCATENATED = ["transitivity", *PLAYER_TABLES, *FORECAST_TABLES]
TABLES += LEAGUE_TABLES + CYCLES + [f"{RESULTS}/tables/{name}.csv" for name in CONCATENATED]
# Git keeps the page of the folder results.
README = [] if Path(RESULTS).resolve() == Path("results").resolve() else [f"{RESULTS}/README.md"]
PAPER_FILES = sorted(str(path) for path in Path(PAPER).glob("*.csv"))
CAPTION_FILES = sorted(str(path) for path in Path(CAPTIONS).glob("*.rst"))
# What there is to draw; the report says why the other figures are left out.
RUN = catalogue.Run(SETTINGS, config.get("figures", {}))
FIGURES = catalogue.figures(RUN)


wildcard_constraints:
    dataset="|".join(DATASETS),
    model="|".join(SETTINGS.models),
    league="|".join(SETTINGS.leagues) or "none",
    source="[a-z][a-z0-9_]*",
    file="[^/]+(?<!\\.json)",
    part="[0-9]+",
    suffix="pgn|csv",
    table="|".join(CONCATENATED),
    figure="|".join(name for name in FIGURES if name != "spectrum"),


@cache
def code_of(script, *modules):
    """A script, for `input: script=`, and the newest of the files of src/ that it needs: its imports, and the modules
    that it loads by their path. Snakemake compares times, so the newest stands for all of them; with each of 40 files
    as an input of each job, planning would take twice as long.
    """
    path = f"scripts/{script}.py"
    newest = max(dependencies.reached(path, *modules), key=os.path.getmtime)
    return list(dict.fromkeys([path, os.path.relpath(newest)]))


def file_options(wildcards, input, output):
    """The options of a script that name files: each named input and output of its rule."""
    named = [pair for files in (input, output) for pair in files.items() if pair[0] != "script"]
    return as_options({name: [files] if isinstance(files, str) else list(files) for name, files in named})


def memory(megabytes):
    """The memory of a job: twice as much when it is tried again, which clusters do (workflow/profiles/slurm)."""
    return lambda wildcards, attempt: megabytes * attempt


def options(**values):
    """Further options of a script, for `params:`; a function, or a text with wildcards, gives the value of a job."""

    def of_job(wildcards):
        return as_options(
            {
                name: [str(value(wildcards)) if callable(value) else str(value).format(**wildcards)]
                for name, value in values.items()
            }
        )

    return of_job


def as_options(values):
    return " ".join(shlex.join([f"--{name.replace('_', '-')}", *words]) for name, words in values.items())


def merged_config(wildcards):
    return json.dumps(settings.plain(config))


def of_datasets(pattern, names=None):
    """The files of a pattern with {dataset}, one a dataset of this run (or of those named, if they are in it)."""
    chosen = DATASETS if names is None else [name for name in names if name in DATASETS]
    return [f"{RESULTS}/{pattern.format(dataset=name)}" for name in chosen]


def of_fits(suffix):
    """The files of every fit: one a dataset and model."""
    pairs = dict.fromkeys((dataset, model) for _, dataset, model in SCORED)
    return [f"{RESULTS}/fits/{dataset}/{model}.{suffix}" for dataset, model in pairs]


def scored(wildcards):
    """What is fitted, in the order of the tables."""
    return json.dumps(
        {
            protocol: {key: about[key] for key in ("datasets", "models")}
            for protocol, about in SETTINGS.protocols.items()
        }
    )


def download_arguments(wildcards):
    """What is known of a file to download."""
    about = SETTINGS.downloads[f"{DOWNLOADS}/{wildcards.source}/{wildcards.file}"]
    return as_options({key: value if key == "urls" else [str(value)] for key, value in about.items()})


def league_parameters(wildcards):
    """What a simulated league is to be."""
    return json.dumps(SETTINGS.leagues[wildcards.league]["simulated"])


def league_files(wildcards):
    """The files that one job counts."""
    return SETTINGS.leagues[wildcards.league]["files"][int(wildcards.part)]


def league_records(wildcards):
    """The records of those that were downloaded, and the table of names: none is a file of games."""
    records = [f"{file}.json" for file in league_files(wildcards) if file in SETTINGS.downloads]
    return records + league_names(wildcards)


def league_names(wildcards):
    """The table of what players are to be called, if there is one."""
    names = SETTINGS.leagues[wildcards.league]["options"].get("names")
    return [names] if isinstance(names, str) else []


def league_parts(wildcards):
    parts = range(len(SETTINGS.leagues[wildcards.league]["files"]))
    return [f"{RESULTS}/matchups/files/{wildcards.league}/{part}.csv" for part in parts]


def league_options(wildcards):
    return json.dumps(SETTINGS.leagues[wildcards.league]["options"])


def league_about(wildcards):
    about = SETTINGS.leagues[wildcards.league]
    return json.dumps({key: about[key] for key in ("label", "licence")} | {"simulated": bool(about["simulated"])})


# Where the user has Lichess files, which may be the paper's.
LICHESS = config["datasets"].get("lichess", {})


def lichess_files(wildcards):
    return [file for files in SETTINGS.leagues["lichess"]["files"] for file in files]


def lichess_options(wildcards):
    """Where they are, and which members of an archive are the league's."""
    members = LICHESS["matchups"].get("members", [])
    chosen = {"path": lichess_files(wildcards)}
    return as_options(chosen | {"members": [members] if isinstance(members, str) else members})


def all_league_files(wildcards):
    """The files of all parts: what happened in time spans them."""
    return [file for files in SETTINGS.leagues[wildcards.league]["files"] for file in files]


def forecast_models(wildcards):
    """The entries of `models` that forecast a league, besides those that always do."""
    return [SETTINGS.models[name] for name in SETTINGS.leagues[wildcards.league]["forecast"].get("models", [])]


def forecast_code(wildcards):
    return code_of("forecasts", *(os.path.relpath(entry.file) for entry in forecast_models(wildcards)))


def forecast_options(wildcards):
    about = SETTINGS.leagues[wildcards.league]
    return json.dumps({key: value for key, value in about["forecast"].items() if key != "models"})


def forecast_instances(wildcards):
    """{id: [file, parameters]} of further models."""
    return json.dumps(
        {
            name: [os.path.relpath(entry.file), parameters]
            for entry in forecast_models(wildcards)
            for name, parameters in entry.instances.items()
        }
    )


def concatenated(wildcards):
    """The tables of the jobs whose rows a table has."""
    if wildcards.table in FORECAST_TABLES:
        part = {"forecasts": "scores", "calibration": "calibration"}[wildcards.table]
        return [f"{RESULTS}/forecasts/{league}.{part}.csv" for league in FORECAST]
    if wildcards.table in PLAYER_TABLES:
        return [f"{RESULTS}/players/{league}.{wildcards.table}.csv" for league in SETTINGS.leagues]
    return of_datasets("transitivity/{dataset}.csv")


def report_tables(wildcards):
    """The tables of the report that not every run has."""
    forecasts = {"forecasts": f"{RESULTS}/tables/forecasts.csv"} if FORECAST else {}
    cycles = {"cycles_rule": f"{RESULTS}/tables/cycles_rule.csv"} if CYCLES else {}
    players = {name: f"{RESULTS}/tables/{name}.csv" for name in PLAYER_TABLES}
    return players | forecasts | cycles


def further_comparison(wildcards):
    """The tables that the comparison with the paper needs, and not every run has."""
    names = ["identifiability"] * bool(COUNTED) + ["cycles_pay"] * bool(CYCLES)
    if "path" in LICHESS and "lichess" in SETTINGS.leagues:
        names.append("lichess_files")
    return {name: f"{RESULTS}/tables/{name}.csv" for name in names}


def payoffs_left_out(wildcards):
    return json.dumps(SETTINGS.left_out)


def payoff_matchups(wildcards):
    """The matchups of the league that a payoff is counted from."""
    about = SETTINGS.datasets[wildcards.dataset]
    return [f"{RESULTS}/matchups/{about['league']}.csv"] if "league" in about else []


def chunks(wildcards):
    """In how many jobs the games of a population of agents are played."""
    return SETTINGS.datasets[wildcards.dataset].get("chunks", 1)


def payoff_played(wildcards):
    """The games that a population of agents played."""
    if SETTINGS.datasets[wildcards.dataset].get("game") != "agents":
        return []
    return [f"{RESULTS}/played/{wildcards.dataset}/{part}.npz" for part in range(chunks(wildcards))]


def payoff_parents(wildcards):
    """The payoffs of the two datasets that a mixture is made of, and their metadata."""
    names = SETTINGS.datasets[wildcards.dataset].get("of", [])
    return {
        "parents": [f"{RESULTS}/payoffs/{name}.npz" for name in names],
        "parents_metadata": [f"{RESULTS}/payoffs/{name}.json" for name in names],
    }


def payoff_code(wildcards):
    """The script, and of the games only the one that it computes."""
    game = SETTINGS.datasets[wildcards.dataset].get("game")
    return code_of("payoff", *([f"src/transitivity/games/{game}.py"] if game else []))


def payoff_sources(wildcards):
    """The files that a payoff is made of."""
    about = SETTINGS.datasets[wildcards.dataset]
    if "path" in about:
        record = [f"{about['path']}.json"] if about["path"] in SETTINGS.downloads else []
        return [about["path"], *record]
    parameters = about.get("parameters", {})
    return [parameters[key] for key in origins.FILE_PARAMETERS if key in parameters]


def payoff_specification(wildcards):
    return json.dumps(SETTINGS.datasets[wildcards.dataset])


def cycles_plan(wildcards):
    """What is drawn of every dataset; Elo is what the families are compared with."""
    about = SETTINGS.cycles
    plan = {key: about[key] for key in ("shares", "games", "repeats")}
    return json.dumps(plan | {"families": ["elo", *about["families"]]})


def fit_code(wildcards):
    """The script, and of the models only the one that is fitted."""
    return code_of("fit", model_file(wildcards))


def model_file(wildcards):
    return os.path.relpath(SETTINGS.models[wildcards.model].file)


def model_instances(wildcards):
    return json.dumps(SETTINGS.models[wildcards.model].instances)


def fit_protocols(wildcards):
    """The protocols that score a model on a dataset."""
    keys = ("hold_out", "share", "repeats", "validation", "solver")
    return json.dumps(
        {
            protocol: {key: about[key] for key in keys}
            for protocol, about in SETTINGS.protocols.items()
            if wildcards.dataset in about["datasets"] and wildcards.model in about["models"]
        }
    )


def figure_code(wildcards):
    return code_of(catalogue.FIGURES[wildcards.figure].script)


def figure_inputs(wildcards):
    return FIGURES[wildcards.figure].placed(RESULTS)


def figure_options(wildcards):
    return as_options(FIGURES[wildcards.figure].words)


def spectrum_inputs(wildcards):
    return FIGURES["spectrum"].placed(RESULTS)


def figure_files(pattern="figures/{figure}.png"):
    """The files of every figure of this run."""
    return [f"{RESULTS}/{pattern.format(figure=figure)}" for figure in FIGURES]


def figures_left_out(wildcards):
    return json.dumps(catalogue.left_out(RUN), ensure_ascii=False)


def place_logs():
    """Give what makes files its log and its benchmark, one of each a job, in folders of the names of the rules."""
    for one in workflow.rules:
        if not one.norun:
            one.log_modifier = one.benchmark_modifier = workflow.modifier.path_modifier
            of_job = os.path.join(one.name, *(f"{{{name}}}" for name in sorted(one.wildcard_names)))
            one.set_log(f"{RESULTS}/logs/{of_job}.log")
            one.benchmark = f"{RESULTS}/benchmarks/{of_job}.tsv"


def check_targets():
    """Name the targets that exist if one after `--` does not; Snakemake only says that no rule makes it."""
    named = sorted(rule.name for rule in workflow.rules if Path(rule.snakefile).name == "Snakefile")
    files = [f"{RESULTS}/report.html", *TABLES, *figure_files(), *figure_files("figures/{figure}.pdf")]
    for target in sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []:
        if workflow.is_rule(target):
            if kinds := sorted(workflow.get_rule(target).wildcard_names):
                sys.exit(
                    f"error: the rule {target!r} makes files for each {' and '.join(kinds)}; "
                    f"give the path of one, or one of: {', '.join(named)}."
                )
            continue
        # What Snakemake does to a target.
        path = target if os.path.isabs(target) else os.path.relpath(target or ".")
        made = any(rule.is_producer(path) for rule in workflow.rules)
        if not made:
            known = files if difflib.get_close_matches(path, files) else named
            sys.exit(f"error: there is no target {target!r}; {did_you_mean(path, known)}")


def is_news(record):
    """Whether a line is not the failed command, which Snakemake names once more under `Error in rule`."""
    return not record.getMessage().startswith("RuleException:\nCalledProcessError")


logger.addFilter(is_news)


def show_errors(log):
    """Say what is wrong where it is read, at the end: the sentences of the failed jobs, or how their logs end."""
    # One path, or several: that depends on the version of Snakemake.
    paths = [log] if isinstance(log, (str, Path)) else log
    text = "\n".join(read_log(path) for path in paths)
    named = re.findall(r"^ +log: (.+) \(check log", text, re.MULTILINE)
    said = []
    for path in dict.fromkeys(path for names in named for path in names.split(", ")):
        # Of a failed cluster job, Snakemake names the jobs that did not start, too.
        if not Path(path).is_file():
            continue
        lines = read_log(path).rstrip().splitlines()
        sentences = [line for line in lines if line.startswith("error: ")]
        said += sentences or [f"{path} ends with:", *lines[-30:]]
    # Snakemake has a few more lines to say.
    atexit.register(print, *dict.fromkeys(said), sep="\n", file=sys.stderr)


def read_log(path):
    """The text of a log, none where there is no such file."""
    path = Path(path)
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def name_report():
    """Say where to start reading."""
    if (report := Path(f"{RESULTS}/report.html")).is_file():
        print(f"The report: {report.resolve()}", file=sys.stderr)
