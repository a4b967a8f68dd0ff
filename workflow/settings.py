"""What the configuration means: its mistakes, all at once, and its models and datasets, spelled out."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from transitivity import games, models
from transitivity.errors import InputError, did_you_mean

SCHEMA = Path(__file__).parent / "schemas" / "config.schema.yaml"
#: Parameters of games that name files.
FILE_PARAMETERS = ("ratings", "points")


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
        The datasets of this run, those that others are made of among them.
    protocols : dict of str to dict
        With `datasets` and `models` as lists, and the defaults filled in.
    """

    models: dict[str, Entry] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    protocols: dict[str, dict[str, Any]] = field(default_factory=dict)


def read(config: dict[str, Any]) -> Settings:
    """Return what a configuration means.

    Parameters
    ----------
    config : dict
        The merged configuration.

    Raises
    ------
    InputError
        With every mistake, one a line, each with its dotted path and what to do.
    """
    problems = list(_schema_problems(config))
    if problems:
        raise InputError(_message(problems))
    entries: dict[str, Entry] = {}
    try:
        files = models.find(config.get("model_folders", []))
    except InputError as error:
        raise InputError(_message([f"model_folders: {error}"])) from None
    for name, entry in config["models"].items():
        try:
            entries[name] = _entry(name, entry, files)
        except InputError as error:
            problems.append(f"models.{name}: {error}")
    ids = [instance for entry in entries.values() for instance in entry.instances]
    problems += [f"models: two instances are called {name!r}; rename an entry." for name in _repeated(ids)]
    for name, dataset in config["datasets"].items():
        problems += [f"datasets.{name}{text}" for text in _dataset_problems(dataset, config["datasets"])]
    only = config.get("only_datasets", [])
    known = config["datasets"]
    problems += [
        f"only_datasets: there is no dataset {name!r}; {did_you_mean(name, known)}"
        for name in only
        if name not in known
    ]
    protocols = {}
    for name, protocol in config["protocols"].items():
        for key, known_names in (("datasets", known), ("models", config["models"])):
            wanted = protocol.get(key, "all")
            # A protocol may list datasets that only some configurations have; a typo is close to one that exists.
            if key == "models" and wanted != "all":
                problems += [
                    f"protocols.{name}.models: there is no model {model!r}; {did_you_mean(model, known_names)}"
                    for model in wanted
                    if model not in known_names
                ]
        solver = protocol.get("solver")
        if solver is not None and not any(solver in _solvers(entry.file) for entry in entries.values()):
            offered = sorted({one for entry in entries.values() for one in _solvers(entry.file)})
            problems.append(
                f"protocols.{name}.solver: no model offers the solver {solver!r}; {did_you_mean(solver, offered)}"
            )
        protocols[name] = {"share": 0.2, "repeats": 1, "solver": None} | protocol
    if problems:
        raise InputError(_message(problems))
    datasets = {name: known[name] for name in _with_parents(only or list(known), known)}
    for protocol in protocols.values():
        wanted = protocol.get("datasets", "all")
        scored = only or list(known)
        protocol["datasets"] = scored if wanted == "all" else [name for name in wanted if name in scored]
        wanted = protocol.get("models", "all")
        protocol["models"] = list(entries) if wanted == "all" else wanted
    return Settings(entries, datasets, protocols)


def _message(problems: list[str]) -> str:
    """Return all mistakes as one text."""
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    return f"The configuration has {count}:\n" + "\n".join(f"  {problem}" for problem in problems)


def _schema_problems(config: dict[str, Any]) -> Iterator[str]:
    """Yield what the schema finds, each with its dotted path."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
    for error in sorted(errors, key=lambda error: list(map(str, error.absolute_path))):
        path = ".".join(map(str, error.absolute_path))
        where = f"{path}: " if path else ""
        if error.validator == "additionalProperties":
            known = error.schema["properties"]
            for key in sorted(map(str, set(error.instance) - set(known))):
                yield f"{where}unknown key {key!r}; {did_you_mean(key, known)}"
        elif error.validator == "anyOf" and "game" in str(error.validator_value):
            yield f"{where}neither `game` nor `path` is given; name a computed game or a payoff file."
        elif error.validator == "propertyNames" or error.parent is not None:
            yield f"{where}{error.message}; use small letters, digits and underscores."
        else:
            description = error.schema.get("description", "see docs/config.md").strip()
            yield f"{where}{error.message}. It should be: {description}"


def _entry(name: str, entry: dict[str, Any], files: dict[str, Path]) -> Entry:
    """Return the instances of one entry of `models`."""
    parameters = {key: value for key, value in entry.items() if key != "model"}
    model = entry.get("model", name)
    if model not in files:
        raise InputError(f"there is no model {model!r}; {did_you_mean(model, files)}")
    known = [key for key in inspect.signature(models.load(files[model]).__init__).parameters if key != "self"]
    for key in parameters:
        if key not in known:
            hint = did_you_mean(key, known) if known else "it has none."
            raise InputError(f"the model {model!r} has no parameter {key!r}; {hint}")
    lists = {key: value for key, value in parameters.items() if isinstance(value, list)}
    instances = {}
    for values in itertools.product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        suffix = "".join(
            f"_k{value}" if key == "n_components" else f"_{key}_{value}" for key, value in chosen.items()
        )
        instances[name + suffix] = parameters | chosen
        models.load(files[model])(**(parameters | chosen))
    return Entry(files[model], instances)


def _solvers(file: Path) -> tuple[str, ...]:
    """Return the solvers that a model offers."""
    return getattr(models.load(file), "SOLVERS", ())


def _dataset_problems(dataset: dict[str, Any], known: dict[str, Any]) -> Iterator[str]:
    """Yield the mistakes of one dataset, each starting with the rest of its path."""
    if "path" in dataset:
        if not Path(dataset["path"]).is_file():
            yield f".path: there is no file {dataset['path']!r}; correct the path or leave it out."
        return
    name, parameters = dataset["game"], dataset.get("parameters", {})
    if name not in games.names():
        yield f".game: there is no game {name!r}; {did_you_mean(name, games.names())}"
        return
    taken = games.parameters(name)
    for key in parameters:
        if key not in taken:
            hint = did_you_mean(key, taken) if taken else "it has none."
            yield f".parameters: the game {name!r} has no parameter {key!r}; {hint}"
        elif key in FILE_PARAMETERS and not Path(parameters[key]).is_file():
            yield f".parameters.{key}: there is no file {parameters[key]!r}; correct the path."
    if ("first" in taken) != ("of" in dataset):
        yield ".of: the game mixture, and no other, takes the two datasets that it is made of."
    for parent in dataset.get("of", []):
        if parent not in known:
            yield f".of: there is no dataset {parent!r}; {did_you_mean(parent, known)}"
        elif "of" in known[parent] and "path" not in known[parent]:
            yield f".of: the dataset {parent!r} is a mixture itself; name one that is not."


def _with_parents(names: list[str], known: dict[str, Any]) -> list[str]:
    """Return the names with the datasets that they are made of, in the order of the configuration."""
    wanted = set(names)
    for name in names:
        if "path" not in known[name]:
            wanted |= set(known[name].get("of", []))
    return [name for name in known if name in wanted]


def _repeated(names: list[str]) -> list[str]:
    """Return the names that appear more than once."""
    return sorted({name for name in names if names.count(name) > 1})
