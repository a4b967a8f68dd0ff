"""What the configuration means: its mistakes, all at once, and its models and datasets, spelled out."""

from __future__ import annotations

import csv
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from reproduction.config import mistakes, origins
from transitivity import models
from transitivity.errors import InputError, amount, did_you_mean

WORKFLOW = Path(__file__).parents[3] / "workflow"
SCHEMA = WORKFLOW / "schemas" / "config.schema.yaml"
PAPER_DATASETS = WORKFLOW / "paper" / "datasets.csv"
#: What holds where the configuration does not say.
DEFAULTS = {"data": "embedded", "downloads": "downloads", "results": "results"}


@dataclass(frozen=True)
class Entry:
    """An entry of `models`: one file, and the instances of it that are fitted.

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
    """The configuration, spelled out.

    Attributes
    ----------
    models : dict of str to Entry
    datasets : dict of str to dict
        The payoffs of this run, those that others are made of among them, as in `origins.Origins.payoffs`.
    leagues : dict of str to dict
        The leagues that they are counted from, as in `origins.Origins.leagues`.
    ids : dict of str to list of str
        Name of a dataset in the configuration to the ids of its payoffs; none where it is absent.
    downloads : dict of str to dict
        Path of a file to download, to its `urls` and what is known of it.
    protocols : dict of str to dict
        With `datasets` and `models` as lists, and the defaults filled in.
    """

    models: dict[str, Entry] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    leagues: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)
    downloads: dict[str, dict[str, Any]] = field(default_factory=dict)
    protocols: dict[str, dict[str, Any]] = field(default_factory=dict)


def read(
    config: dict[str, Any], files: Iterable[Path] = (), command_line: Mapping[str, Any] | None = None
) -> Settings:
    """Return what a configuration means.

    Parameters
    ----------
    config : dict
        The merged configuration.
    files : iterable of Path
        What it was merged from, those laid over others behind them, to say where a mistake is.
    command_line : mapping, optional
        What the command line sets.

    Raises
    ------
    InputError
        With every mistake, one a line, each with its file and line, its dotted path, what was given and what to give.
    """
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    problems, broken = mistakes.of_schema(schema, config)
    entries: dict[str, Entry] = {}
    model_section = _readable(config, "models", broken)
    try:
        folders = [] if ("model_folders",) in broken else config.get("model_folders", [])
        model_files = models.find(folders)
    except InputError as error:
        # Which models there are is not known, so that what names one cannot be checked.
        problems.append(f"model_folders: {error}")
        model_section = {}
    for name, entry in model_section.items():
        try:
            entries[name] = _entry(name, entry, model_files)
        except InputError as error:
            problems.append(f"models.{name}: {error}")
    ids = [instance for entry in entries.values() for instance in entry.instances]
    problems += [f"models: two instances are called {name!r}; rename an entry." for name in _repeated(ids)]
    known = _names(config, "datasets")
    # A download that cannot be read is one mistake, not one more for each dataset that it is the source of.
    broken |= {
        ("datasets", name)
        for name, dataset in _readable(config, "datasets", broken).items()
        if ("sources", dataset.get("public", {}).get("source")) in broken
    }
    mode = DEFAULTS | {key: config[key] for key in DEFAULTS if key in config and (key,) not in broken}
    made, found = origins.read(
        mode,
        _readable(config, "datasets", broken),
        _readable(config, "sources", broken),
        known,
    )
    problems += found
    only = [] if ("only_datasets",) in broken else config.get("only_datasets", [])
    problems += [
        f"only_datasets: there is no dataset {name!r}; {did_you_mean(name, known)}"
        for name in only
        if known and name not in known
    ]
    problems += [
        f"only_datasets: {name!r} has no data with `data: {mode['data']}`; give its `path`, or use the other mode."
        for name in only
        if made.ids.get(name) == []
    ]
    protocols = {}
    for name, protocol in _readable(config, "protocols", broken).items():
        problems += [
            f"protocols.{name}{text}"
            for text in _protocol_problems(protocol, known, _names(config, "models"), entries)
        ]
        protocols[name] = {"share": 0.2, "repeats": 1, "validation": 0, "solver": None} | protocol
    if problems:
        raise _error(problems, files, command_line)
    only = [id for name in only or list(known) for id in made.ids[name]]
    datasets = {id: made.payoffs[id] for id in _with_parents(only, made.payoffs)}
    leagues = {
        about["league"]: made.leagues[about["league"]] for about in datasets.values() if "league" in about
    }
    for protocol in protocols.values():
        wanted = protocol.get("datasets", "all")
        # The paper's games that only some configurations have are no ids of this one.
        without = {id for name in protocol.get("without_datasets", []) for id in made.ids.get(name, [name])}
        named = (
            [
                id
                for id in only
                if id not in without
                and (wanted == "all" or ("league" in datasets[id]) == (wanted == "leagues"))
            ]
            if isinstance(wanted, str)
            else [id for name in wanted for id in made.ids.get(name, [name])]
        )
        protocol["datasets"] = [id for id in dict.fromkeys(named) if id in only]
        wanted = protocol.get("models", "all")
        left = [name for name in entries if name not in protocol.get("without_models", [])]
        protocol["models"] = left if wanted == "all" else wanted
    if not any(protocol["datasets"] and protocol["models"] for protocol in protocols.values()):
        problem = (
            f"protocols: none scores {', '.join(only)} with any model; add them to `datasets` of a protocol."
        )
        raise _error([problem], files, command_line)
    return Settings(entries, datasets, leagues, made.ids, made.downloads, protocols)


def _error(problems: list[str], files: Iterable[Path], command_line: Mapping[str, Any] | None) -> InputError:
    """Return all mistakes as one error."""
    lines = mistakes.placed(problems, files, command_line or {})
    return InputError("\n  ".join([f"The configuration has {amount(len(lines), 'mistake')}:", *lines]))


def _names(config: dict[str, Any], section: str) -> dict[str, Any]:
    """Return the named entries of a section, whatever they are; none where it is no mapping."""
    entries = config.get(section)
    return (
        {key: entry for key, entry in entries.items() if isinstance(key, str)}
        if isinstance(entries, dict)
        else {}
    )


def _readable(config: dict[str, Any], section: str, broken: set[tuple]) -> dict[str, Any]:
    """Return the entries of a section that the schema finds no fault with."""
    return {name: entry for name, entry in _names(config, section).items() if (section, name) not in broken}


def _protocol_problems(
    protocol: dict[str, Any], datasets: dict[str, Any], model_names: dict[str, Any], entries: dict[str, Entry]
) -> Iterator[str]:
    """Yield the mistakes of one protocol, each starting with the rest of its path."""
    for key, noun, known, others in (
        # A protocol may list the paper's games that only some configurations have.
        ("datasets", "dataset", datasets, paper_datasets()),
        ("models", "model", model_names, set()),
        ("without_datasets", "dataset", datasets, paper_datasets()),
        ("without_models", "model", model_names, set()),
    ):
        wanted = protocol.get(key, [] if key.startswith("without") else "all")
        for name in [] if isinstance(wanted, str) else wanted:
            # A section that is missing or empty is one mistake, not one for each of its names.
            if known and name not in known and name not in others:
                yield f".{key}: there is no {noun} {name!r}; {did_you_mean(name, known)}"
    solver = protocol.get("solver")
    offered = sorted({one for entry in entries.values() for one in _solvers(entry.file)})
    # An entry that cannot be read might be the one that offers it.
    complete = bool(entries) and len(entries) == len(model_names)
    if solver is not None and complete and solver not in offered:
        hint = did_you_mean(solver, offered) if offered else "none has any; leave it out."
        yield f".solver: no model offers the solver {solver!r}; {hint}"


def paper_datasets() -> set[str]:
    """Return the ids of the paper's games."""
    with open(PAPER_DATASETS, newline="", encoding="utf-8") as file:
        return {row["dataset"] for row in csv.DictReader(file)}


def _entry(name: str, entry: dict[str, Any], files: dict[str, Path]) -> Entry:
    """Return the instances of one entry of `models`."""
    parameters = {key: value for key, value in entry.items() if key != "model"}
    model = entry.get("model", name)
    if model not in files:
        hint = did_you_mean(model, files)
        if "did you mean" not in hint:
            hint += " One of your own is looked for in `model_folders`."
        raise InputError(f"there is no model {model!r}; {hint}")
    cls = _load(files[model])
    signature = inspect.signature(cls.__init__).parameters
    known = [key for key in signature if key not in ("self", "args", "kwargs")]
    for key, value in parameters.items():
        if key not in known:
            hint = did_you_mean(key, known) if known else "it has none."
            raise InputError(f"the model {model!r} has no parameter {key!r}; {hint}")
        if value == []:
            raise InputError(f"{key} is an empty list; give a value, or leave the parameter out.")
    # What is a sequence by default takes a list as its value.
    lists = {
        key: value
        for key, value in parameters.items()
        if isinstance(value, list) and not isinstance(signature[key].default, (list, tuple))
    }
    instances = {}
    for values in itertools.product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        suffix = "".join(
            f"_k{value}" if key == "n_components" else f"_{key}_{value}" for key, value in chosen.items()
        )
        if name + suffix in instances:
            raise InputError(f"two instances are called {name + suffix!r}; remove the repeated value.")
        instances[name + suffix] = parameters | chosen
        try:
            cls(**(parameters | chosen))
        except InputError:
            raise
        except Exception as error:
            # The class may be a user's own, and raise anything.
            raise InputError(
                f"the model {model!r} does not take {parameters | chosen} ({type(error).__name__}: {error}); "
                "correct its parameters."
            ) from error
    return Entry(files[model], instances)


def _load(file: Path) -> type[models.Model]:
    """Return the class of a model's file; whatever is wrong with the file becomes an InputError."""
    try:
        return models.load(file)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{file} cannot be read ({type(error).__name__}: {error}); correct it.") from error


def _solvers(file: Path) -> tuple[str, ...]:
    """Return the solvers that a model offers."""
    return getattr(models.load(file), "SOLVERS", ())


def _with_parents(ids: list[str], payoffs: dict[str, Any]) -> list[str]:
    """Return the ids with those of the payoffs that they are made of, in the order of the configuration."""
    wanted = set(ids).union(*(payoffs[id].get("of", []) for id in ids))
    return [id for id in payoffs if id in wanted]


def _repeated(names: list[str]) -> list[str]:
    """Return the names that appear more than once."""
    return sorted({name for name in names if names.count(name) > 1})
