"""What each dataset of the configuration is made of: a game, a payoff file, or the games of a league.

A league is a dataset whose file lists games (`matchups:`); each of its thresholds is a payoff of its own. If a dataset
names several origins, its `path` is used; without one, the download of `public:` (with `data: public`) or the league of
`simulated:` (with `data: embedded`); without these, the computed `game:`. A dataset that has none of them in this mode
is left out of the run.
"""

from __future__ import annotations

import fnmatch
import inspect
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from transitivity import games
from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.table import filter_matchups, why_empty
from transitivity.sources import read as formats
from transitivity.sources import simulated, streams, tables
from transitivity.sources.read import FORMATS

#: Keys of `matchups` that filter the counts; the others, but for `by`, are options of the reader.
FILTERS = {"min_games": 1, "min_opponents": 1, "component": "all"}
#: Files of a league are counted by one job, and by several from this many bytes on where each can be counted alone.
JOB_BYTES = 2**30
#: Parameters of the game mixture that `of` gives.
PARENTS = ("first", "second")
#: Parameters of games that name files.
FILE_PARAMETERS = ("ratings", "points")
#: Options of the reader that say how a table is opened.
_TO_OPEN = ("delimiter", "encoding", "table", "members")
#: The file that a simulated league writes, by its format.
SIMULATED_FILES = {"pgn": "{league}.pgn.gz", "results": "{league}.csv.gz"}


@dataclass(frozen=True)
class Origins:
    """The datasets of a configuration, spelled out.

    Attributes
    ----------
    payoffs : dict of str to dict
        Id of a payoff to what it is made of: with `game`, with `path`, or with `league` and the filters.
    leagues : dict of str to dict
        Id of a league to its `files` (a list of lists, each list read by one job), the reader's `options`, `label`,
        `licence`, `simulated` (None where its games were played), and `forecast` (None where it is not wanted, or a
        simulated league has no order of games).
    ids : dict of str to list of str
        Name in the configuration to the ids of its payoffs; an empty list if this mode has no data for it.
    left_out : dict of str to dict
        Name in the configuration to {id: why} of the payoffs that the filters leave empty, of a file that is split.
    downloads : dict of str to dict
        Path of a file to download, to its `urls` and what is known of it.
    """

    payoffs: dict[str, dict[str, Any]] = field(default_factory=dict)
    leagues: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, dict[str, str]] = field(default_factory=dict)
    downloads: dict[str, dict[str, Any]] = field(default_factory=dict)


def downloads(folder: str, sources: dict[str, dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the files of each source: {source: {path: what `retrieve` needs to know of it}}.

    Parameters
    ----------
    folder : str
        Where downloads go.
    sources : dict
        The sources of the configuration that fit the schema.
    """
    found = {}
    for name, source in sources.items():
        about = {key: source[key] for key in ("sha256", "bytes", "sha256_list", "licence", "credit") if key in source}
        files = {}
        for month in source.get("months", [""]):
            urls = [url.replace("{month}", str(month)) for url in source["urls"]]
            files[f"{folder}/{name}/{file_of(urls[0])}"] = {"urls": urls} | about
        found[name] = files
    return found


def file_of(url: str) -> str:
    """Return the name of the file that a url ends in, without a query or a fragment."""
    return urlsplit(url).path.rsplit("/", 1)[-1]


def read(
    config: dict[str, Any],
    datasets: dict[str, dict[str, Any]],
    sources: dict[str, dict[str, Any]],
    known: dict[str, Any],
) -> tuple[Origins, list[str]]:
    """Return what the datasets are made of, and the mistakes in them, each with its dotted path.

    Parameters
    ----------
    config : dict
        The merged configuration.
    datasets, sources : dict
        Its datasets and sources that fit the schema.
    known : dict
        All its datasets, those with mistakes too.
    """
    origins, problems = Origins(), []
    sources = downloads(config["downloads"], sources)
    public = config["data"] == "public"
    for name, dataset in datasets.items():
        found = [f"datasets.{name}{text}" for text in _problems(dataset, known, sources)]
        problems += found
        if not found:
            before = set(origins.leagues)
            leagues = _resolve(origins, name, dataset, public, sources, config["results"])
            # The ids of payoffs may differ all the same, by their thresholds.
            problems += [
                f"datasets.{name}: another dataset makes the league {league!r}, too; rename one of them."
                for league in leagues
                if league in before
            ]
            if not origins.ids[name] and (empty := origins.left_out.get(name)):
                problems.append(f"datasets.{name}.matchups: no value of `by` is left; {next(iter(empty.values()))}")
    problems += [
        f"datasets.{id}.of: the dataset {parent!r} has no data with `data: {config['data']}`; give its `path`."
        for id, about in origins.payoffs.items()
        for parent in about.get("of", [])
        if origins.ids.get(parent) == []
    ]
    taken = [id for ids in origins.ids.values() for id in ids]
    problems += [
        f"datasets: two datasets are called {id!r}; rename one of them."
        for id in sorted({id for id in taken if taken.count(id) > 1})
    ]
    return origins, problems


def _resolve(
    origins: Origins,
    name: str,
    dataset: dict[str, Any],
    public: bool,
    sources: dict[str, dict[str, dict[str, Any]]],
    results: str,
) -> list[str]:
    """Add a dataset without mistakes to the origins; return the ids of its leagues."""
    about = {key: dataset[key] for key in ("label", "licence", "key", "scale") if key in dataset}
    simulated, league_id = None, name
    if "path" in dataset:
        files = [dataset["path"]]
    elif public and "public" in dataset:
        source = sources[dataset["public"]["source"]]
        origins.downloads.update(source)
        about |= {key: value for key, value in dataset["public"].items() if key != "source"}
        files = list(source)
    elif not public and "simulated" in dataset:
        simulated = dataset["simulated"]
        league_id = f"{name}_simulated"
        files = [f"{results}/simulated/{SIMULATED_FILES[simulated['format']].format(league=league_id)}"]
    elif "game" in dataset:
        origins.ids[name] = [name]
        keys = ("game", "parameters", "of", "chunks", "label")
        origins.payoffs[name] = {key: dataset[key] for key in keys if key in dataset}
        return []
    else:
        origins.ids[name] = []
        return []
    if "matchups" not in dataset:
        origins.ids[name] = [name]
        origins.payoffs[name] = about | {"path": files[0]}
        return []
    options = {key: value for key, value in dataset["matchups"].items() if key not in (*FILTERS, "by")}
    if "path" in dataset:
        files = [str(file) for file in _files(dataset)]
    filters: dict[str, Any] = FILTERS | {key: dataset["matchups"][key] for key in FILTERS if key in dataset["matchups"]}
    lists = isinstance(filters["min_games"], list)
    label = dataset.get("label", league_id)
    ids = origins.ids[name] = []
    leagues = []
    for suffix, part, condition in _parts(dataset, files):
        league = league_id + suffix
        leagues.append(league)
        chosen = options | ({"where": (options.get("where") or {}) | condition} if condition else {})
        origins.leagues[league] = {
            "files": _jobs(files, _reader(dataset, files), chosen, downloaded="path" not in dataset),
            "options": chosen,
            "label": f"{label} ({part})" if part else label,
            "licence": dataset.get("licence", ""),
            "simulated": simulated,
            "forecast": None if simulated and simulated["format"] == "results" else dataset.get("forecast"),
        }
        for min_games in filters["min_games"] if lists else [filters["min_games"]]:
            id, kept = f"{league}_{min_games}" if lists else league, filters | {"min_games": min_games}
            if condition and "path" in dataset and (why := _why_empty(files, chosen, kept)):
                origins.left_out.setdefault(name, {})[id] = why
                continue
            ids.append(id)
            origins.payoffs[id] = {"league": league} | kept
    return leagues


def _why_empty(files: list[str], options: dict[str, Any], filters: dict[str, Any]) -> str:
    """Return why the filters leave nothing of a part of a file, empty where they leave something."""
    thresholds = {key: filters[key] for key in ("min_games", "min_opponents")}
    if max(thresholds.values()) > 1:
        # What cannot be read, the job that counts it says.
        with suppress(InputError):
            frame = formats.read_matchups(files, **options)
            return "" if len(filter_matchups(frame, **filters)[0]) else why_empty(frame, **thresholds)
    return ""


def _parts(dataset: dict[str, Any], files: list[str]) -> list[tuple[str, str, dict[str, str]]]:
    """Return the leagues that a file is split into by `by`: suffix of the id, what labels add, and the condition.

    Raises
    ------
    InputError
        If the file has no such column, or `where` leaves out a value that `by` lists, or all that the file has.
    """
    by, where = dataset["matchups"].get("by"), dataset["matchups"].get("where") or {}
    if by is None:
        return [("", "", {})]
    listed = not isinstance(by, str)
    if not listed:
        by = {by: tables.values_of(files, by, {key: dataset["matchups"].get(key) for key in _TO_OPEN})}
    ((column, values),) = by.items()
    if column in where:
        condition = tables.Condition.of(column, where[column])
        held = [value for value in values if condition.holds(str(value))]
        if (left_out := [value for value in values if value not in held]) and (listed or not held):
            raise InputError(
                f"`where` leaves out {', '.join(map(repr, left_out))} of the column {column!r}; make them agree."
            )
        # Of these values the condition of `where` is true.
        values = held
    slugs = ["_".join(re.findall("[a-z0-9]+", str(value).lower())) for value in values]
    return [(f"_{slug}", str(value), {column: value}) for slug, value in zip(slugs, values, strict=True)]


def _reader(dataset: dict[str, Any], files: list[str]) -> str | None:
    """Return the format of a league's files as far as it is known before they are there; None where it is not."""
    if "format" in dataset["matchups"]:
        return dataset["matchups"]["format"]
    if "path" in dataset:
        try:
            return formats.guess(files[0])
        except InputError:
            # The job that reads the file says what is wrong with it.
            return None
    return dataset.get("simulated", {}).get("format")


def _jobs(files: list[str], reader: str | None, options: dict[str, Any], downloaded: bool) -> list[list[str]]:
    """Return the files that each job counts, in their order."""
    # Only one job can know that a game of one file, or the id of its row, was met in another.
    if reader != "pgn" or options.get("repeats") == "drop":
        return [files]
    jobs, left, size = [], [], 0
    for file in files:
        left.append(file)
        # A download has a job of its own: its size is not known in advance, and it is counted as soon as it is there.
        size += JOB_BYTES if downloaded else os.path.getsize(file)
        if size >= JOB_BYTES:
            jobs.append(left)
            left, size = [], 0
    # Small files at the end, which may have no games, go with those before.
    return [*jobs[:-1], [*(jobs[-1] if jobs else []), *left]]


def _files(dataset: dict[str, Any]) -> list[Path]:
    """Return the files of a league's path: a file, or those of a folder or pattern that `members` fit.

    A folder gives the files of one format: the one configured, or the first of which there are any.
    """
    path, options = dataset["path"], dataset["matchups"]
    wanted = [options["format"]] if options.get("format") in formats.SUFFIXES else list(formats.SUFFIXES)
    suffixes = [formats.SUFFIXES[reader] for reader in wanted]
    files = streams.find_files(path, sum(suffixes, ()))
    if os.path.isdir(path):
        of_formats = ([file for file in files if streams.fits(file.name, those)] for those in suffixes)
        files = next(filter(None, of_formats))
    if os.path.isfile(path) or "members" not in options:
        return files
    members = [options["members"]] if isinstance(options["members"], str) else options["members"]
    # Within an archive they pick its members.
    kept = [
        file
        for file in files
        if file.suffix.lower() in (".zip", ".7z") or any(fnmatch.fnmatch(file.name, one) for one in members)
    ]
    if not kept:
        raise InputError(f"{path} has no file that matches `members`; correct the patterns.")
    return kept


def _problems(dataset: dict[str, Any], known: dict[str, Any], sources: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the mistakes of one dataset, each starting with the rest of its path."""
    path = dataset.get("path")
    try:
        files = [str(file) for file in _files(dataset)] if path and "matchups" in dataset else []
    except InputError as error:
        yield f".path: {error}"
        return
    if "matchups" in dataset:
        if path and "game" in dataset:
            yield ".matchups: this id belongs to a computed game; choose another id for your results."
        yield from _matchups_problems(dataset, files)
    elif path and not os.path.isfile(path):
        yield f".path: there is no file {path!r}; correct the path or leave it out."
    elif path and streams.plain_suffix(path) in (*formats.SUFFIXES["pgn"], *formats.SUFFIXES["aligulac"]):
        yield f".path: {path!r} lists games instead of a payoff; add `matchups: {{}}` to count them."
    if "forecast" in dataset and "matchups" not in dataset:
        yield ".forecast: only games have an order; give the file of the games and `matchups`, or leave forecast out."
    if path:
        return
    for key in ("key", "scale", "licence"):
        if key in dataset:
            yield f".{key}: only a payoff file takes {key}; give its `path` or leave {key} out."
    if "public" in dataset:
        source = dataset["public"]["source"]
        if source not in sources:
            yield f".public.source: there is no source {source!r}; {did_you_mean(source, sources)}"
        elif "matchups" not in dataset and len(sources[source]) != 1:
            yield f".public.source: {source!r} has {len(sources[source])} files, but a payoff has one; add `matchups`."
    if "simulated" in dataset:
        yield from _simulated_problems(dataset)
    elif "matchups" in dataset and "public" not in dataset:
        yield ".matchups: a computed game has no results to count; give the `path` of a file of results."
    if "game" in dataset:
        yield from _game_problems(dataset, known)


def _matchups_problems(dataset: dict[str, Any], files: list[str]) -> Iterator[str]:
    """Yield the mistakes of the keys of `matchups`."""
    reader = _reader(dataset, files)
    if reader not in FORMATS:
        return
    known = [*formats.options(reader), *(["by"] if reader == "results" else [])]
    where = dataset["matchups"].get("where")
    if not isinstance(where or {}, dict):
        yield f".matchups.where: it is {where!r}; give a column with its values, such as {{surface: Clay}}."
    else:
        yield from _by_problems(dataset["matchups"].get("by"), dataset, files)
    for key in dataset["matchups"]:
        if key not in (*FILTERS, "format", *known):
            hint = did_you_mean(key, [*known, *FILTERS, "format"])
            yield f".matchups.{key}: the format {reader} has no option {key!r}; {hint}"


def _by_problems(by: Any, dataset: dict[str, Any], files: list[str]) -> Iterator[str]:
    """Yield the mistakes of the key `by`, which splits a file by a column."""
    if by is None:
        return
    if isinstance(by, str) and "path" not in dataset:
        yield f".matchups.by: the file is not here yet; give the values, too, such as {{{by}: [one, another]}}."
        return
    try:
        values: dict[str, list[str]] = {}
        for suffix, value, _ in _parts(dataset, files):
            values.setdefault(suffix, []).append(value)
    except InputError as error:
        yield f".matchups.by: {error}"
        return
    for suffix, same in values.items():
        named = ", ".join(map(repr, same))
        if suffix == "_":
            yield f".matchups.by: {named} has neither a letter from a to z nor a digit, of which ids are made."
        elif len(same) > 1:
            yield f".matchups.by: {named} make the same id, {suffix[1:]!r} (ids have the letters a to z and digits)."


def _simulated_problems(dataset: dict[str, Any]) -> Iterator[str]:
    """Yield the mistakes of a simulated league."""
    if "matchups" not in dataset:
        yield ".simulated: `simulated` needs `matchups`; add `matchups: {}`."
    known = [name for name in inspect.signature(simulated.draw_league).parameters if name not in ("kind", "rng")]
    for key in dataset["simulated"]:
        if key not in ("kind", "format", *known):
            yield f".simulated.{key}: a simulated league has no parameter {key!r}; {did_you_mean(key, known)}"


def _game_problems(dataset: dict[str, Any], known: dict[str, Any]) -> Iterator[str]:
    """Yield the mistakes of a computed game."""
    name, parameters = dataset["game"], dataset.get("parameters", {})
    if name not in games.names():
        yield f".game: there is no game {name!r}; {did_you_mean(name, games.names())}"
        return
    signature = games.parameters(name)
    taken = [key for key in signature if key not in PARENTS]
    yield from (
        f".parameters: the game {name!r} needs the parameter {key!r}; give it a value."
        for key in taken
        if signature[key].default is inspect.Parameter.empty and key not in parameters
    )
    for key in parameters:
        if key not in taken:
            hint = did_you_mean(key, taken) if taken else "it has no parameters."
            yield f".parameters.{key}: the game {name!r} has no parameter {key!r}; {hint}"
        elif key in FILE_PARAMETERS and not os.path.isfile(str(parameters[key])):
            yield f".parameters.{key}: there is no file {parameters[key]!r}; correct the path."
    if "chunks" in dataset and name != "agents":
        yield ".chunks: only the game agents is computed in chunks; leave chunks out."
    if ("first" in signature) != ("of" in dataset):
        yield ".of: `of` is required for `game: mixture` and invalid otherwise."
        return
    for parent in dataset.get("of", []):
        if parent not in known:
            yield f".of: there is no dataset {parent!r}; {did_you_mean(parent, known)}"
        elif isinstance(known[parent], dict) and "of" in known[parent] and "path" not in known[parent]:
            yield f".of: the dataset {parent!r} is itself a mixture; name one that is not."
        elif isinstance(known[parent], dict) and "matchups" in known[parent]:
            yield f".of: the dataset {parent!r} is a league; name a game or a payoff file."
