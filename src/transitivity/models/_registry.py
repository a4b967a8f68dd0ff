"""Finding a model by name: the files of this folder, and of folders of the user's own."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transitivity.errors import InputError, did_you_mean
from transitivity.models._base import Model


def find(folders: Iterable[str | os.PathLike[str]] = ()) -> dict[str, Path]:
    """Return the file of every model, by name.

    Parameters
    ----------
    folders : iterable of path-like
        Where to look besides the models that come with the package. Files whose names start with "_" are skipped.

    Returns
    -------
    dict of str to pathlib.Path

    Raises
    ------
    InputError
        If a folder does not exist or two files have the same name.
    """
    files: dict[str, Path] = {}
    for folder in (Path(__file__).parent, *map(Path, folders)):
        # Path.is_dir fails where a name is too long.
        if not os.path.isdir(folder):
            raise InputError(f"The folder of models {folder} does not exist; make it, or drop it from model_folders.")
        for file in sorted(folder.glob("*.py")):
            if file.stem.startswith("_"):
                continue
            if file.stem in files:
                raise InputError(f"{file} and {files[file.stem]} have the same name; rename one.")
            files[file.stem] = file
    return files


def load(file: str | os.PathLike[str]) -> type[Model]:
    """Return the model class that a file defines.

    Parameters
    ----------
    file : path-like
        A Python file with exactly one class that has a `name`, which is the name of the file.

    Raises
    ------
    InputError
        If the file has no such class, several, or one of another name.
    """
    file = Path(file)
    if file.resolve().parent == Path(__file__).resolve().parent:
        module = importlib.import_module(f"{__package__}.{file.stem}")
    else:
        # The path is part of the module's name, so that equal names in two folders do not meet.
        digest = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
        key = f"transitivity_model_{file.stem}_{digest}"
        spec = importlib.util.spec_from_file_location(key, file)
        if spec is None or spec.loader is None:
            raise InputError(f"{file} is not a Python file; give the file of a model, which ends in .py.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[key] = module
        spec.loader.exec_module(module)
    classes: list[Any] = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__ and getattr(value, "name", None)
    ]
    if len(classes) != 1:
        raise InputError(f"{file} defines {len(classes)} model classes; define exactly one with a `name`.")
    if classes[0].name != file.stem:
        raise InputError(
            f"{file} defines the model {classes[0].name!r}; give the file and the model's `name` the same name."
        )
    return classes[0]


def make(name: str, parameters: dict[str, Any], folders: Iterable[str | os.PathLike[str]] = ()) -> Model:
    """Return an instance of the model of that name.

    Parameters
    ----------
    name : str
        The name of the model, which is that of its file.
    parameters : dict
        What its constructor is given.
    folders : iterable of path-like
        As for `find`.

    Raises
    ------
    InputError
        If there is no such model, or it has no such parameter.
    """
    files = find(folders)
    if name not in files:
        raise InputError(f"There is no model {name!r}; {did_you_mean(name, files)}")
    cls = load(files[name])
    known = [parameter for parameter in inspect.signature(cls.__init__).parameters if parameter != "self"]
    for parameter in parameters:
        if parameter not in known:
            raise InputError(f"The model {name!r} has no parameter {parameter!r}; {did_you_mean(parameter, known)}")
    return cls(**parameters)
