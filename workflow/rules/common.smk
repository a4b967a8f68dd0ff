import csv
import difflib
import json
import os
import re
import shlex
import sys
from pathlib import Path

from reproduction.config import origins, settings
from transitivity import InputError
from transitivity.errors import amount, did_you_mean


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
        "choice_of_k.csv",
        "optima.csv",
        "transitivity.csv",
        "measure_agreement.csv",
        "table_1.csv",
        "paper_comparison.csv",
    )
]
LEAGUE_TABLES = (
    [f"{RESULTS}/tables/{name}.csv" for name in ("matchups", "dropped", "identifiability")] if COUNTED else []
)
TABLES += LEAGUE_TABLES
PAPER_FILES = sorted(str(path) for path in Path(PAPER).glob("*.csv"))
CAPTION_FILES = sorted(str(path) for path in Path(CAPTIONS).glob("*.rst"))
# What the figures show, from left to right.
FIGURE_1 = ["example_elo", "example_cyclic_disc"]
# Figure 4 shows the games of Table 1.
with open(f"{PAPER}/table_1.csv", newline="") as table_1:
    FIGURE_4 = list(dict.fromkeys(row["dataset"] for row in csv.DictReader(table_1)))
FIGURE_9 = [
    "go_3",
    "go_4",
    "alphastar",
    "kuhn_poker",
    "blotto_10_3",
    "blotto_10_5",
]
# Payoffs that came as files, but for those of the paper's games.
OWN_GAMES = [
    name for name in COMPLETE if "path" in SETTINGS.datasets[name] and name not in settings.paper_datasets()
]
with open(f"{PAPER}/published_masks.csv", newline="") as masks:
    PAPER_GAMES = {row["dataset"] for row in csv.DictReader(masks)}
# The modules that read games.
READERS = [
    *sorted(
        str(path)
        for folder in ("sources", "matchups", "native")
        for path in Path("src/transitivity", folder).iterdir()
        if path.suffix in (".py", ".c")
    ),
]
# The modules that every fit depends on, whatever the model.
CORE = [
    f"src/transitivity/{name}"
    for name in (
        "payoff/core.py",
        "payoff/graph.py",
        "fitting/losses.py",
        "fitting/objective.py",
        "fitting/pairs.py",
        "native/library.py",
        "native/pairs.c",
        "fitting/solvers.py",
        "fitting/as_published.py",
        "fitting/elo.py",
        "fitting/lbfgs.py",
        "fitting/newton.py",
        "evaluation/hold_outs.py",
        "evaluation/scores.py",
        "disc/decomposition.py",
        "models/_base.py",
        "models/disc.py",
    )
]
# What else the first component of a game hangs on.
DECOMPOSITION = [
    f"src/transitivity/{name}.py" for name in ("models/disc_regularised", "models/balduzzi_2019")
]


wildcard_constraints:
    protocol="|".join(SETTINGS.protocols),
    dataset="|".join(DATASETS),
    model="|".join(SETTINGS.models),
    league="|".join(SETTINGS.leagues) or "none",
    source="[a-z][a-z0-9_]*",
    file="[^/]+(?<!\\.json)",
    part="[0-9]+",
    suffix="pgn|sql",


def merged_config(wildcards):
    return json.dumps(config)


def of_datasets(pattern, names=None):
    """The files of a pattern with {dataset}, one a dataset of this run (or of those named, if they are in it)."""
    chosen = DATASETS if names is None else [name for name in names if name in DATASETS]
    return [f"{RESULTS}/{pattern.format(dataset=name)}" for name in chosen]


def of_fits(suffix):
    """The files of every fit."""
    return [f"{RESULTS}/fits/{protocol}/{dataset}/{model}.{suffix}" for protocol, dataset, model in SCORED]


def download_arguments(wildcards):
    """What is known of a file to download."""
    about = SETTINGS.downloads[f"{DOWNLOADS}/{wildcards.source}/{wildcards.file}"]
    arguments = ["--urls", *about["urls"]]
    for key, value in about.items():
        if key != "urls":
            arguments += [f"--{key.replace('_', '-')}", str(value)]
    return shlex.join(arguments)


def league_arguments(wildcards):
    """What a simulated league is to be."""
    about = SETTINGS.leagues[wildcards.league]["simulated"]
    parameters = {key: value for key, value in about.items() if key not in ("kind", "format")}
    return shlex.join(
        ["--kind", about["kind"], "--format", about["format"], "--parameters", json.dumps(parameters)]
    )


def league_files(wildcards):
    """The files that one job counts; a download comes with its record."""
    files = SETTINGS.leagues[wildcards.league]["files"][int(wildcards.part)]
    return [*files, *(f"{file}.json" for file in files if file in SETTINGS.downloads)]


def league_parts(wildcards):
    parts = range(len(SETTINGS.leagues[wildcards.league]["files"]))
    return [f"{RESULTS}/matchups/files/{wildcards.league}/{part}.csv" for part in parts]


def league_options(wildcards):
    return json.dumps(SETTINGS.leagues[wildcards.league]["options"])


def league_about(wildcards):
    about = SETTINGS.leagues[wildcards.league]
    return json.dumps(
        {key: about[key] for key in ("label", "licence")} | {"simulated": bool(about["simulated"])}
    )


# Where the user has Lichess files, which may be the paper's.
LICHESS = config["datasets"].get("lichess", {})


def lichess_files(wildcards):
    return [file for files in SETTINGS.leagues["lichess"]["files"] for file in files]


def lichess_members(wildcards):
    """Which members of an archive are the league's."""
    members = LICHESS["matchups"].get("members", [])
    return shlex.join(["--members", *([members] if isinstance(members, str) else members)]) if members else ""


def league_comparison(wildcards):
    """The tables of leagues that the comparison with the paper needs."""
    tables = [f"{RESULTS}/tables/identifiability.csv"] if COUNTED else []
    if "path" in LICHESS and "lichess" in SETTINGS.leagues:
        tables.append(f"{RESULTS}/tables/lichess_files.csv")
    return tables


def league_comparison_arguments(wildcards, input):
    return shlex.join(f"--{Path(table).stem.replace('_', '-')}={table}" for table in input.leagues)


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


def measure_clusters(wildcards):
    """The Nash clusters, which need every pair: those of a league are computed only where it has them all."""
    if wildcards.dataset in COUNTED:
        return []
    return f"{RESULTS}/nash_clusters/{wildcards.dataset}.csv"


def payoff_parents(wildcards):
    """The two datasets that a mixture is made of."""
    return SETTINGS.datasets[wildcards.dataset].get("of", [])


def payoff_parent_files(wildcards):
    return [f"{RESULTS}/payoffs/{name}.npz" for name in payoff_parents(wildcards)]


def payoff_parent_metadata(wildcards):
    return [f"{RESULTS}/payoffs/{name}.json" for name in payoff_parents(wildcards)]


def payoff_sources(wildcards):
    """The files that a payoff is made of, or the code of the game."""
    about = SETTINGS.datasets[wildcards.dataset]
    if "league" in about:
        return ["src/transitivity/matchups/table.py", "src/transitivity/payoff/graph.py"]
    if "path" in about:
        record = [f"{about['path']}.json"] if about["path"] in SETTINGS.downloads else []
        return [about["path"], *record]
    parameters = about.get("parameters", {})
    files = [parameters[key] for key in origins.FILE_PARAMETERS if key in parameters]
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


def protocol_validation(wildcards):
    return SETTINGS.protocols[wildcards.protocol]["validation"]


def protocol_solver(wildcards):
    return SETTINGS.protocols[wildcards.protocol]["solver"] or "default"


def league_columns(figure):
    """The columns of Figure 7 or 10: {title of a league: {dataset: title}}."""
    columns = {}
    for name, league in SETTINGS.leagues.items():
        of_league = {
            SETTINGS.datasets[id]["min_games"]: id
            for id in COUNTED
            if SETTINGS.datasets[id]["league"] == name
        }
        wanted = (
            config.get("figures", {}).get(figure, {}).get(name.removesuffix("_simulated"), list(of_league))
        )
        # A league with other thresholds than those of the figure shows all that it has.
        drawn = [games for games in wanted if games in of_league] or (list(of_league) if wanted else [])
        if drawn:
            title = league["label"] + (" (simulated)" if league["simulated"] else "")
            columns[title] = {of_league[games]: amount(games, "game") for games in drawn}
    return columns


def figure_7_leagues(wildcards):
    return json.dumps(league_columns("figure_07"))


def figure_10_leagues(wildcards):
    return json.dumps(league_columns("figure_10"))


FIGURE_7, FIGURE_10 = (
    [dataset for columns in league_columns(figure).values() for dataset in columns]
    for figure in ("figure_07", "figure_10")
)
# Those that hide pairs of all players, and do so of a league of Figure 10.
FIGURE_10_PROTOCOLS = [
    protocol
    for protocol, about in SETTINGS.protocols.items()
    if about["hold_out"] == "random" and set(FIGURE_10) & set(about["datasets"])
]


def strong_further_games(wildcards):
    """The games of the protocol strong that the paper's Figure 5 has not."""
    return [dataset for dataset in SETTINGS.protocols["strong"]["datasets"] if dataset not in PAPER_GAMES]


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
    if PAPER_GAMES & {dataset for protocol, dataset, _ in SCORED if protocol == "strong"}:
        numbers += ["05_strong", "06_strong"]
    if FIGURE_7:
        numbers.append("07")
    if FIGURE_10_PROTOCOLS:
        numbers.append("10")
    return sorted(numbers)


def figure_files(pattern="figures/{figure}.png"):
    figures = [f"figure_{number}" for number in figure_numbers()]
    figures += ["games", "spectrum"] if OWN_GAMES else ["spectrum"]
    return [f"{RESULTS}/{pattern.format(figure=figure)}" for figure in figures]


def check_targets():
    """Say which targets there are where one behind `--` is none; Snakemake says no more than that there is no rule."""
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


def show_errors(log):
    """Say what is wrong where it is read, at the end: the sentences of the failed jobs, or how their logs end."""
    # One path, or several: that depends on the version of Snakemake.
    paths = [log] if isinstance(log, (str, Path)) else log
    text = "\n".join(read_log(path) for path in paths)
    named = re.findall(r"^ +log: (.+) \(check log", text, re.MULTILINE)
    said = []
    for path in dict.fromkeys(path for names in named for path in names.split(", ")):
        lines = read_log(path).rstrip().splitlines()
        sentences = [line for line in lines if line.startswith("error: ")]
        said += sentences or [f"{path} ends with:", *lines[-30:]]
    print(*dict.fromkeys(said), sep="\n", file=sys.stderr)


def read_log(path):
    """The text of a log, none where there is no such file."""
    path = Path(path)
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def name_report():
    """Say where to start reading."""
    if (report := Path(f"{RESULTS}/report.html")).is_file():
        print(f"The report: {report.resolve()}", file=sys.stderr)
