"""Mistakes that the schema finds in a configuration, each as one sentence, and where each was written."""

from __future__ import annotations

import datetime
import itertools
import json
import math
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from reproduction.config import check_yaml
from reproduction.downloads.urls import hidden, hidden_in
from transitivity.errors import did_you_mean

#: The sections of named entries.
SECTIONS = ("protocols", "models", "sources", "datasets")
NAMES = "use at most 100 small letters, digits and underscores, a letter first."


class _Shown(reprlib.Repr):
    """Values as a message shows them: not too long, and without passwords."""

    def repr_str(self, x: str, level: int) -> str:
        """Return a text in quotes."""
        return super().repr_str(hidden_in(x), level)


_shown = _Shown()
_shown.maxstring = _shown.maxother = 60
_shown.maxlist = _shown.maxdict = 4


def _is_integer(checker: jsonschema.TypeChecker, value: object) -> bool:
    """Return whether a value is an int; the code that uses it would refuse 1.0."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: jsonschema.TypeChecker, value: object) -> bool:
    """Return whether a value is a finite number."""
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


_Validator = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def of_schema(schema: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[list[str], set[tuple]]:
    """Return what a schema finds wrong with a configuration, and which sections and entries cannot be checked further.

    Parameters
    ----------
    schema : mapping
        The JSON Schema.
    config : mapping
        The merged configuration.

    Returns
    -------
    list of str
        One sentence a mistake: the dotted path of the key, what was given, and what to give.
    set of tuple
        Paths of sections, and of their entries, that cannot be read.
    """
    errors = _Validator(schema).iter_errors(config)
    problems: list[str] = []
    broken: set[tuple] = set()
    causes = itertools.chain.from_iterable(map(_causes, errors))
    for error in sorted(causes, key=lambda error: list(map(str, error.absolute_path))):
        at = tuple(error.absolute_path)
        problems += _sentences(at, error)
        # What stands beside an unknown key, or beside a bad name in a section, can still be checked.
        of_section = "propertyNames" in error.absolute_schema_path and len(at) == 1
        if error.validator != "additionalProperties" and not of_section:
            # A list with a wrong item cannot be checked further.
            broken.add(at[: 2 if at[:1] and at[0] in SECTIONS else 1])
    # A number may both have the wrong type and be too small, and several missing keys give an error each.
    return list(dict.fromkeys(problems)), broken


def _causes(error: jsonschema.ValidationError) -> Iterator[jsonschema.ValidationError]:
    """Yield the errors that say what is wrong: for a list with one wrong item, the error of that item."""
    schema: Any = error.schema
    if error.validator == "anyOf" and isinstance(error.instance, list):
        forms = [number for number, form in enumerate(schema["anyOf"]) if form.get("type") == "array"]
        inner = [one for one in error.context if one.relative_schema_path[0] in forms]
        yield from inner or [error]
    else:
        yield error


def _sentences(at: tuple, error: jsonschema.ValidationError) -> Iterator[str]:
    """Yield a sentence for each key that an error is about."""

    def path(*below: object) -> str:
        return ".".join(map(str, (*at, *below)))

    given: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties":
        for key in sorted(set(given) - set(schema["properties"])):
            yield f"{path(key)}: unknown key; {did_you_mean(key, schema['properties'])}"
        return
    if "propertyNames" in error.absolute_schema_path:
        yield f"{path()}: the name {_shown.repr(given)} is not allowed; {NAMES}"
        return
    if error.validator == "required":
        for key in schema["required"]:
            if key not in given:
                yield f"{path(key)}: it is missing; give {expected(schema['properties'][key])}."
        return
    # An item of a list is called by its number, which no path contains.
    of_list = bool(at) and isinstance(at[-1], int)
    item, at = (f"item {at[-1] + 1}", at[:-1]) if of_list else ("it", at)
    if given is None:
        yield f"{path()}: {item} is empty; give {expected(schema)}."
    elif error.validator == "anyOf" and all("required" in form for form in schema["anyOf"]):
        keys = [f"`{key}`" for form in schema["anyOf"] for key in form["required"]]
        yield f"{path()}: give one of {', '.join(keys[:-1])} and {keys[-1]}, to say where its payoff comes from."
    elif error.validator == "uniqueItems":
        twice = next(one for number, one in enumerate(given) if one in given[:number])
        yield f"{path()}: {_shown.repr(twice)} is listed twice; list each item once."
    else:
        # As YAML writes it.
        shown = str(given).lower() if isinstance(given, bool) else _shown.repr(given)
        if at[:1] == ("sources",) and isinstance(given, str):
            # A url without its scheme may contain a password too.
            shown = repr(hidden(given))
        yield f"{path()}: {item} is {shown}; {_cure(given, schema)}."


def _cure(given: Any, schema: Mapping[str, Any]) -> str:
    """Return what to give instead of a value, and what to do about its quotes."""
    kinds = {form.get("type") for form in (schema, *schema.get("anyOf", ()))}
    if isinstance(given, str) and (number := _number(given)) is not None:
        if "number" in kinds or ("integer" in kinds and number == int(number)):
            # YAML reads 1e3 as a text, with or without quotes.
            exponent = isinstance(yaml.safe_load(given), str)
            cure = f"write {number:f}, without quotes or an exponent" if exponent else "leave out its quotes"
            return f"{cure}, to give {expected(schema)}"
    quoted = isinstance(given, (str, list, dict)) or "in quotes" in schema.get("title", "")
    return f"give {expected(schema)}{', in quotes' if 'string' in kinds and not quoted else ''}"


def _number(text: str) -> Decimal | None:
    """Return the finite number that a text writes, or None."""
    try:
        return Decimal(text) if math.isfinite(float(text)) else None
    except ValueError:
        return None


def expected(schema: Mapping[str, Any]) -> str:
    """Return in words what to give for a key: "a whole number of at least 1"."""
    if "anyOf" in schema and "type" not in schema:
        return ", or ".join(map(expected, schema["anyOf"]))
    if {"title", "enum", "const"} & set(schema):
        return schema.get("title") or value(schema)
    words = value(schema)
    if schema.get("type") == "object":
        keys = list(schema.get("properties", ()))
        words += f" of keys such as {', '.join(keys[:3])}" if keys else " of names and what they stand for"
        if schema.get("minProperties"):
            words += ", at least one"
        elif isinstance(schema.get("additionalProperties"), dict):
            words += ", {} for none"
    # `value` says a fixed number of items.
    filled = schema.get("minLength") or (schema.get("minItems") and "maxItems" not in schema)
    return f"a {'non-empty ' if filled else ''}{words}{', each once' if schema.get('uniqueItems') else ''}"


def value(schema: Mapping[str, Any], plural: bool = False) -> str:
    """Return in words what a value may be, without an article.

    Parameters
    ----------
    schema : mapping
        That of the value.
    plural : bool
        Whether to use the plural.
    """
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        words = [f"`{one}`" for one in schema["enum"]]
        return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    if "anyOf" in schema and "type" not in schema:
        return ", or ".join(value(form) for form in schema["anyOf"])
    kind = schema.get("type")
    noun = {
        "array": "list",
        "string": "text",
        "object": "mapping",
        "integer": "whole number",
        "number": "number",
        None: "any",
    }[kind] + ("s" if plural else "")
    if kind == "array":
        exact = "minItems" in schema and schema["minItems"] == schema.get("maxItems")
        length = f"{schema['minItems']} " if exact else ""
        return f"{noun} of {length}{value(schema['items'], plural=True)}"
    limits = [
        text.format(schema[key])
        for key, text in (
            ("minimum", "of at least {}"),
            ("exclusiveMinimum", "above {}"),
            ("exclusiveMaximum", "below {}"),
        )
        if key in schema
    ]
    return " ".join(filter(None, (noun, " and ".join(limits))))


# -------------------------------------------------------------------- where they were written


def trees(files: Iterable[Path]) -> dict[Path, yaml.Node]:
    """Return the nodes of the files that a configuration was merged from, each laid over those before it."""
    found: dict[Path, yaml.Node] = {}
    for file in files:
        # A file that is laid over once more counts where it stands last.
        found.pop(file.resolve(), None)
        found[file.resolve()] = check_yaml.parse(file)
    return found


def misread(nodes: Mapping[Path, yaml.Node]) -> Iterator[str]:
    """Yield the options of `matchups` that YAML reads as something other than what is written.

    YAML 1.1 reads NO as false, 12:30 as 750 and 010 as 8, which the values of a table would never equal.
    """
    for root in nodes.values():
        for name, dataset in _items(dict(_items(root)).get("datasets")):
            for key, option in _items(dict(_items(dataset)).get("matchups")):
                for scalar in _scalars(option):
                    meant = yaml.SafeLoader("").construct_object(scalar)
                    read = json.dumps(meant, default=str).strip('"')
                    if isinstance(meant, int | datetime.date) and read != scalar.value.lower():
                        yield (
                            f"datasets.{name}.matchups.{key}: YAML reads {scalar.value} as {read}; put it in quotes, "
                            f"or write {read} if that is what you mean."
                        )


def _items(node: yaml.Node | None) -> list[tuple[str, yaml.Node]]:
    """Return the keys and values of a mapping; none of another node."""
    return [(str(key.value), value) for key, value in node.value] if isinstance(node, yaml.MappingNode) else []


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Yield the scalars in a node, keys among them."""
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.CollectionNode):
        for item in node.value:
            for one in item if isinstance(item, tuple) else (item,):
                yield from _scalars(one)


def placed(problems: Iterable[str], nodes: Mapping[Path, yaml.Node], command_line: Mapping[str, Any]) -> list[str]:
    """Return mistakes with the file and the line that each was written in.

    Parameters
    ----------
    problems : iterable of str
        Each starts with a dotted path and a colon.
    nodes : mapping
        Those of `trees`.
    command_line : mapping
        What the command line sets, which takes precedence over any file.
    """
    return [f"{_place(problem.split(': ')[0], nodes, command_line)}{problem}" for problem in problems]


def _place(path: str, nodes: Mapping[Path, yaml.Node], command_line: Mapping[str, Any]) -> str:
    """Return where the deepest part of a dotted path was given last, to stand before it."""
    if path.split(".")[0] in command_line:
        return "command line, "
    file, line = home(path, nodes)
    if file is None:
        return ""
    return f"{os.path.relpath(file) if file.is_relative_to(Path.cwd()) else file}, line {line}, "


def home(path: str, nodes: Mapping[Path, yaml.Node]) -> tuple[Path | None, int]:
    """Return the file, and the line, that the deepest part of a dotted path was given in last; None where in none."""
    depth, line, file = 0, 0, None
    for candidate, root in nodes.items():
        if (found := _depth(path, root)) >= (depth or 1, 0):
            (depth, line), file = found, candidate
    return file, line


def _depth(path: str, node: yaml.Node) -> tuple[int, int]:
    """Return how many keys of a dotted path there are below a node, and the line of the last."""
    if isinstance(node, yaml.MappingNode):
        for key, below in node.value:
            name = str(key.value)
            if path == name or path.startswith(f"{name}."):
                depth, line = _depth(path[len(name) + 1 :], below)
                return depth + 1, line if depth else key.start_mark.line + 1
    return 0, 0
