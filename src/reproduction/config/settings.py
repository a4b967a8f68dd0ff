"""Read the configuration: report all its mistakes at once, or return its models, datasets and protocols in full."""

from __future__ import annotations

import csv
import datetime
import functools
import inspect
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from reproduction import limits
from reproduction.config import mistakes, origins, paths
from reproduction.downloads.urls import hidden_in
from transitivity import models
from transitivity.errors import InputError, amount, did_you_mean

WORKFLOW = paths.PROJECT / "workflow"
SCHEMA = WORKFLOW / "schemas" / "config.schema.yaml"
#: Defaults of keys at the top level.
DEFAULTS = {"data": "embedded", "downloads": "downloads", "results": "results"}
#: The families that `cycles` compares with Elo, by default.
FAMILIES = ("constant", "disc", "melo_logit")


@dataclass(frozen=True)
class Entry:
    """An entry of `models`: a model's file, and the instances of the model that are fitted.

    Attributes
    ----------
    file : Path
        The model's file.
    instances : dict
        Id of an instance to its constructor's parameters.
    """

    file: Path
    instances: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Settings:
    """The configuration in full, with all defaults filled in.

    Attributes
    ----------
    models : dict of str to Entry
    datasets : dict of str to dict
        The payoffs of this run, including those that mixtures are made of, as in `origins.Origins.payoffs`.
    leagues, ids, downloads
        Those of `origins.Origins` that this run needs.
    left_out : dict of str to str
        Id of a payoff that the filters leave empty, to why.
    protocols : dict of str to dict
        With `datasets` and `models` as lists, and the defaults filled in.
    cycles : dict
        As configured, with the ids of payoffs that are in this run; of a league, that with the fewest games a pair.
    """

    models: dict[str, Entry] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    leagues: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)
    downloads: dict[str, dict[str, Any]] = field(default_factory=dict)
    protocols: dict[str, dict[str, Any]] = field(default_factory=dict)
    cycles: dict[str, Any] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def read(config: dict[str, Any], files: Iterable[Path] = (), command_line: Mapping[str, Any] | None = None) -> Settings:
    """Return what a configuration means.

    Parameters
    ----------
    config : dict
        The merged configuration.
    files : iterable of Path
        The files that it was merged from, each laid over those before it, to say where a mistake is.
    command_line : mapping, optional
        What the command line sets.

    Raises
    ------
    InputError
        With every mistake, one a line, each with its file and line, its dotted path, what was given and what to give.
    """
    config = plain(config)
    nodes = mistakes.trees(files)
    config = paths.placed(config, nodes)
    problems, broken = mistakes.of_schema(_schema(), config)
    known = _names(config, "datasets")
    mode = DEFAULTS | {key: config[key] for key in DEFAULTS if key in config and (key,) not in broken}

    if ("limits",) not in {place[:1] for place in broken}:
        limits.take(config.get("limits", {}))
    entries, found = _models(config, broken)
    problems += found
    sources, found = _sources(config, broken)
    problems += found
    datasets = {
        name: about
        for name, about in _readable(config, "datasets", broken).items()
        # A source that cannot be read is one mistake, not one more for each of its datasets.
        if (source := about.get("public", {}).get("source")) in sources or source not in _names(config, "sources")
    }
    made, found = origins.read(mode, datasets, sources, known)
    problems += found
    problems += mistakes.misread(nodes)
    found = list(paths.of_folders(mode))
    # The files of simulated leagues are in the folder of results.
    problems += found or paths.of_files(made, {name: entry.file for name, entry in entries.items()})

    only = [] if ("only_datasets",) in broken else config.get("only_datasets", [])
    for name in only:
        if known and name not in known:
            problems.append(f"only_datasets: there is no dataset {name!r}; {did_you_mean(name, known)}")
        elif made.ids.get(name) == [] and name not in made.left_out:
            problems.append(
                f"only_datasets: {name!r} has no data with `data: {mode['data']}`; give its `path`, or use the other "
                "mode."
            )
    for name, dataset in datasets.items():
        for model in dataset.get("forecast", {}).get("models", []):
            if (models_ := _names(config, "models")) and model not in models_:
                hint = did_you_mean(model, models_)
                problems.append(f"datasets.{name}.forecast.models: there is no model {model!r}; {hint}")
    protocols = {}
    for name, protocol in _readable(config, "protocols", broken).items():
        found = list(_protocol_problems(protocol, known, _names(config, "models"), entries))
        problems += [f"protocols.{name}{text}" for text in found]
        protocols[name] = {"share": 0.2, "repeats": 1, "validation": 0, "solver": None} | protocol
    cycles = {"datasets": [], "families": list(FAMILIES)}
    cycles |= {} if ("cycles",) in broken else config.get("cycles", {})
    problems += [
        f"cycles.datasets: there is no dataset {name!r}; {did_you_mean(name, known)}"
        for name in cycles["datasets"]
        if known and name not in known
    ]
    if problems:
        raise _error(problems, nodes, command_line)

    left_out = {id: why for name in only or known for id, why in made.left_out.get(name, {}).items()}
    only = [id for name in only or known for id in made.ids[name]]
    datasets = {id: made.payoffs[id] for id in _with_parents(only, made.payoffs)}
    for protocol in protocols.values():
        protocol["datasets"] = _scored_datasets(protocol, only, datasets, made.ids)
        protocol["models"] = _fitted_models(protocol, entries)
    if not any(protocol["datasets"] and protocol["models"] for protocol in protocols.values()):
        problem = f"protocols: none of them scores {', '.join(only)}; add them to `datasets` of a protocol."
        raise _error([problem], nodes, command_line)
    # Of a league, the payoff with the most pairs.
    cycles["datasets"] = [
        min(ids, key=lambda id: datasets[id].get("min_games", 1))
        for name in cycles["datasets"]
        if (ids := [id for id in made.ids[name] if id in datasets])
    ]
    used = {about["league"] for about in datasets.values() if "league" in about}
    leagues = {name: about for name, about in made.leagues.items() if name in used}
    return Settings(entries, datasets, leagues, made.ids, made.downloads, protocols, cycles, left_out)


@functools.cache
def _schema() -> dict[str, Any]:
    """Return the schema of the configuration."""
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    """Return a part of a configuration as JSON would hold it, so that the library and the pipeline read the same.

    YAML reads 2020-01-06 as a date, which becomes a text again; keys become texts: ``true``, ``1``.

    Raises
    ------
    InputError
        If it contains something else that JSON cannot hold, such as a set.
    """
    if isinstance(value, Mapping):
        keys = [key if isinstance(key, str) else json.dumps(key, default=str).strip('"') for key in value]
        for key in keys:
            if keys.count(key) > 1:
                raise InputError(f"The configuration contains the keys {key} and {key!r}; remove one of them.")
        return dict(zip(keys, map(plain, value.values()), strict=True))
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise InputError(
        f"The configuration contains {hidden_in(repr(value))}, a {type(value).__name__}; give a text, a number, a list "
        "or a mapping instead."
    )


def _models(config: dict[str, Any], broken: set[tuple]) -> tuple[dict[str, Entry], list[str]]:
    """Return the entries of `models`, and the mistakes in them and in `model_folders`."""
    entries: dict[str, Entry] = {}
    problems = []
    try:
        files = models.find([] if ("model_folders",) in broken else config.get("model_folders", []))
    except InputError as error:
        # Which models there are is not known, so that their names cannot be checked.
        return {}, [f"model_folders: {error}"]
    for name, entry in _readable(config, "models", broken).items():
        try:
            entries[name] = _entry(name, entry, files)
        except InputError as error:
            problems.append(f"models.{name}: {error}")
    ids = [instance for entry in entries.values() for instance in entry.instances]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    problems += [f"models: two instances are called {name!r}; rename an entry." for name in twice]
    return entries, problems


def _sources(config: dict[str, Any], broken: set[tuple]) -> tuple[dict[str, Any], list[str]]:
    """Return the sources without mistakes, and the mistakes in the urls of the others."""
    good, problems = {}, []
    for name, source in _readable(config, "sources", broken).items():
        found = [f"sources.{name}{text}" for text in paths.of_source(source)]
        problems += found
        if not found:
            good[name] = source
    return good, problems


def _scored_datasets(
    protocol: dict[str, Any], only: list[str], datasets: dict[str, Any], ids: dict[str, list[str]]
) -> list[str]:
    """Return the ids of the payoffs that a protocol scores."""

    def of_names(names: list[str]) -> list[str]:
        # The paper's games that only some configurations have are not ids of this one.
        return [id for name in names for id in ids.get(name, [name])]

    wanted = protocol.get("datasets", "all")
    if not isinstance(wanted, str):
        return [id for id in dict.fromkeys(of_names(wanted)) if id in only]
    without = of_names(protocol.get("without_datasets", []))
    of_kind = {
        "all": only,
        "leagues": [id for id in only if "league" in datasets[id]],
        "payoffs": [id for id in only if "league" not in datasets[id]],
    }
    return [id for id in of_kind[wanted] if id not in without]


def _fitted_models(protocol: dict[str, Any], entries: dict[str, Entry]) -> list[str]:
    """Return the entries of `models` that a protocol fits."""
    wanted = protocol.get("models", "all")
    if wanted != "all":
        return wanted
    return [name for name in entries if name not in protocol.get("without_models", [])]


def _error(problems: list[str], nodes: Mapping[Path, yaml.Node], command_line: Mapping[str, Any] | None) -> InputError:
    """Return all mistakes as one error."""
    lines = [hidden_in(line) for line in mistakes.placed(problems, nodes, command_line or {})]
    # What was given may contain control characters, which a terminal would obey.
    lines = ["".join(one if one.isprintable() else repr(one)[1:-1] for one in line) for line in lines]
    return InputError("\n  ".join([f"The configuration has {amount(len(problems), 'mistake')}:", *lines]))


def _names(config: dict[str, Any], section: str) -> dict[str, Any]:
    """Return the named entries of a section, whatever they are; none if it is not a mapping."""
    entries = config.get(section)
    return entries if isinstance(entries, dict) else {}


def _readable(config: dict[str, Any], section: str, broken: set[tuple]) -> dict[str, Any]:
    """Return the entries of a section that fit the schema."""
    return {name: entry for name, entry in _names(config, section).items() if (section, name) not in broken}


def _protocol_problems(
    protocol: dict[str, Any], datasets: dict[str, Any], model_names: dict[str, Any], entries: dict[str, Entry]
) -> Iterator[str]:
    """Yield the mistakes of one protocol, each starting with the rest of its path."""
    for key, noun, known, others in (
        # A protocol may list games of the paper that this configuration lacks.
        ("datasets", "dataset", datasets, paper_datasets()),
        ("models", "model", model_names, set()),
        ("without_datasets", "dataset", datasets, paper_datasets()),
        ("without_models", "model", model_names, set()),
    ):
        wanted = protocol.get(key, [] if key.startswith("without") else "all")
        for name in [] if isinstance(wanted, str) else wanted:
            # A missing or empty section is one mistake, not one for each of the names.
            if known and name not in known and name not in others:
                yield f".{key}: there is no {noun} {name!r}; {did_you_mean(name, known)}"
    solver = protocol.get("solver")
    # The solver may belong to an entry that cannot be read.
    complete = bool(entries) and len(entries) == len(model_names)
    if solver is None or not complete:
        return
    offered = sorted({one for entry in entries.values() for one in _solvers(entry.file)})
    if solver not in offered:
        hint = did_you_mean(solver, offered) if offered else "no model has solvers; leave it out."
        yield f".solver: no model offers the solver {solver!r}; {hint}"


@functools.cache
def paper_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the paper's numbers; pandas would be too slow for what runs before every job."""
    with open(WORKFLOW / "paper" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def paper_datasets() -> set[str]:
    """Return the ids of the paper's games."""
    return {row["dataset"] for row in paper_rows("datasets")}


def _entry(name: str, entry: dict[str, Any], files: dict[str, Path]) -> Entry:
    """Return the instances of one entry of `models`."""
    parameters = {key: value for key, value in entry.items() if key != "model"}
    model = entry.get("model", name)
    if model not in files:
        hint = did_you_mean(model, files)
        if "did you mean" not in hint:
            hint += " Add the folder of a model of your own to `model_folders`."
        raise InputError(f"there is no model {model!r}; {hint}")
    cls = _load(files[model])
    signature = inspect.signature(cls.__init__).parameters
    known = [key for key in signature if key not in ("self", "args", "kwargs")]
    for key, value in parameters.items():
        if key not in known:
            hint = did_you_mean(key, known) if known else "it has no parameters."
            raise InputError(f"the model {model!r} has no parameter {key!r}; {hint}")
        if value == []:
            raise InputError(f"{key} is an empty list; give a value, or leave the parameter out.")
    # A parameter whose default is a sequence takes the list as its value.
    lists = {
        key: value
        for key, value in parameters.items()
        if isinstance(value, list) and not isinstance(signature[key].default, (list, tuple))
    }
    instances = {}
    for values in itertools.product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        suffix = "".join(f"_k{value}" if key == "n_components" else f"_{key}_{value}" for key, value in chosen.items())
        if name + suffix in instances:
            raise InputError(f"two instances are called {name + suffix!r}; remove the repeated value.")
        instances[name + suffix] = parameters | chosen
        try:
            cls(**(parameters | chosen))
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            # The class may be a user's own, and raise anything.
            raise InputError(
                f"the model {model!r} does not take {parameters | chosen} ({_described(error)}); correct them."
            ) from error
    return Entry(files[model], instances)


def _load(file: Path) -> type[models.Model]:
    """Return the class of a model's file; raise InputError whatever is wrong with the file."""
    try:
        if file.resolve().is_relative_to(Path(models.__file__).resolve().parent):
            return models.load(file)
        with limits.limited("import_minutes", f"The import of {file}"):
            return models.load(file)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{file} cannot be read ({_described(error)}); correct it.") from error


def _described(error: BaseException) -> str:
    """Return an error in one line: its type and message."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _solvers(file: Path) -> tuple[str, ...]:
    """Return the solvers that a model offers."""
    return getattr(_load(file), "SOLVERS", ())


def _with_parents(ids: list[str], payoffs: dict[str, Any]) -> list[str]:
    """Return the ids, and those of the payoffs that they are mixtures of, in the order of the configuration."""
    wanted = set(ids).union(*(payoffs[id].get("of", []) for id in ids))
    return [id for id in payoffs if id in wanted]
