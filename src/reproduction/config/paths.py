"""Whether the folders, files and urls of a configuration can be used."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
import re
import shlex
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from reproduction.config import mistakes, origins
from reproduction.downloads.urls import check_url
from transitivity.errors import InputError

#: The project's folder.
PROJECT = Path(__file__).parents[3]
#: Folders of the project that no run may write to; neither may it replace a file at the top.
_KEPT = set(".git .venv .snakemake benchmarks docs envs scripts src tests workflow".split())
#: Characters of the id of a payoff, which is part of file names.
_LONGEST_ID = 200
#: The keys that name files to read.
_FILES = (
    *("model_folders", "datasets.*.path", "datasets.*.matchups.names"),
    *("datasets.*.parameters.ratings", "datasets.*.parameters.points"),
)
#: What Snakemake interprets in a path, and control characters.
_UNUSABLE = re.compile(r"[{}]|<.*>|[\x00-\x1f\x7f]")


def placed(config: dict[str, Any], nodes: Mapping[Path, yaml.Node]) -> dict[str, Any]:
    """Return a configuration whose paths to what stands beside its file are relative to the project's folder.

    Parameters
    ----------
    config : dict
        The merged configuration, whatever it holds.
    nodes : mapping
        Those of `mistakes.trees`.
    """

    def place(value: Any, path: str) -> Any:
        if isinstance(value, list):
            return [place(one, path) for one in value]
        folder = (mistakes.home(path, nodes)[0] or Path()).parent
        if not isinstance(value, str) or os.path.isabs(value) or "\0" in value or folder == Path.cwd():
            return value
        there = os.path.join(folder, value)
        return os.path.relpath(there) if value and (os.path.lexists(there) or any(glob.iglob(there))) else value

    def walk(value: Any, keys: tuple[str, ...]) -> Any:
        if isinstance(value, dict) and len(keys) < 4:
            return {key: walk(below, (*keys, str(key))) for key, below in value.items()}
        return place(value, ".".join(keys)) if any(fnmatch.fnmatch(".".join(keys), one) for one in _FILES) else value

    return {key: walk(value, (key,)) for key, value in config.items()}


def of_source(source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the mistakes in the urls of a source, each starting with the rest of its path."""
    urls = [("urls", url) for url in source["urls"]]
    urls += [(key, source[key]) for key in ("sha256_list",) if key in source]
    for key, url in urls:
        try:
            check_url(url)
        except InputError as error:
            yield f".{key}: {error}"
            return
    name = origins.file_of(source["urls"][0].replace("{month}", ""))
    if name in ("", ".", "..") or name.endswith(".json") or _UNUSABLE.search(name):
        yield (
            f".urls: the first one ends in {name!r}, which cannot be the name of a download; give one that ends in the "
            "name of a file (not .json, without braces)."
        )


def of_folders(mode: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the folders that a run writes."""
    for key in ("results", "downloads"):
        folder, other = mode[key], mode["downloads" if key == "results" else "results"]
        if why := _unusable(folder):
            yield f"{key}: the folder {folder!r} {why}; use another name."
            continue
        path = Path(folder).resolve()
        parts = path.relative_to(PROJECT).parts if path.is_relative_to(PROJECT) else ()
        if PROJECT.is_relative_to(path) or (parts and (parts[0] in _KEPT or (PROJECT / parts[0]).is_file())):
            yield f"{key}: {folder!r} contains files of the project, which a run could overwrite; use another folder."
        elif path.exists() and not path.is_dir():
            yield f"{key}: {folder!r} is a file; give a folder."
        elif key == "results" and not _unusable(other):
            downloads = Path(other).resolve()
            if path.is_relative_to(downloads):
                yield f"results: {folder!r} is in the folder of downloads; use another folder."


def of_files(made: origins.Origins, models: Mapping[str, Path]) -> Iterator[str]:
    """Yield the input files whose names or times Snakemake cannot handle, one for each entry."""
    found = {f"models.{name}": [file] for name, file in models.items()}
    for name, ids in made.ids.items():
        if longest := [id for id in ids if len(id) > _LONGEST_ID]:
            key = "by" if len(str(made.payoffs[longest[0]]["min_games"])) < _LONGEST_ID / 2 else "min_games"
            yield f"datasets.{name}.matchups.{key}: a value makes an id of over {_LONGEST_ID} characters; shorten it."
        files = found[f"datasets.{name}"] = []
        for about in (made.payoffs[id] for id in ids):
            keys = ((about, "path"), *((about.get("parameters", {}), key) for key in origins.FILE_PARAMETERS))
            files += [where[key] for where, key in keys if key in where]
            files += itertools.chain(*made.leagues[about["league"]]["files"] if "league" in about else ())
    for path, files in found.items():
        for file in files:
            if why := _unusable(str(file)):
                yield f"{path}: the file {str(file)!r} {why}; rename it."
                break
            if os.path.isfile(file) and os.path.getmtime(file) > time.time():
                # Snakemake would delete what is made of it, as older than it.
                changed = f"{datetime.fromtimestamp(os.path.getmtime(file)):%Y-%m-%d %H:%M}"
                yield (
                    f"{path}: the file {str(file)!r} says that it was changed in the future ({changed}); "
                    f"if this machine's clock is right, correct that with `touch {shlex.quote(str(file))}`."
                )
                break


def _unusable(path: str) -> str | None:
    """Return why a path cannot be one of a run's files, as part of a sentence; None if it can."""
    if match := _UNUSABLE.search(path):
        return f"contains {match[0]!r}, which Snakemake cannot handle"
    try:
        # Whether there is room for the names below it.
        os.lstat(os.path.join(path, "x" * 200))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return f"cannot be used ({getattr(error, 'strerror', None) or error})"
    return None
