"""Parse configurations, and say where one is not valid YAML, which Snakemake does not say.

Usage: python -m reproduction.config.check_yaml config.yaml mine.yaml
"""

from __future__ import annotations

import reprlib
import sys
from pathlib import Path
from typing import Any

import yaml

from reproduction.downloads.urls import hidden_in
from transitivity.errors import InputError


def parse(path: str | Path) -> yaml.MappingNode:
    """Return the nodes of a configuration, each of which knows its line.

    Parameters
    ----------
    path : path-like
        YAML.

    Raises
    ------
    InputError
        If the file cannot be read as a configuration; the message names the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"The configuration {path} cannot be read ({why}); correct CONFIG=.") from error
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        _check(root, set())
        if not isinstance(root, yaml.MappingNode):
            raise InputError(f"{path} has no keys at its top level; give some (docs/config.md).")
        loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark, why = error.problem_mark or error.context_mark, error.problem or error.context or ""
        assert mark is not None, "every error of PyYAML has a mark"
        if error.context_mark and error.context_mark.line < mark.line:
            why += f" ({error.context} from line {error.context_mark.line + 1})"
        cure = error.note or ("indent with spaces, not with tabs" if "'\\t'" in why else "correct it")
        raise InputError(f"{path}, line {mark.line + 1}, column {mark.column + 1}: {hidden_in(why)}; {cure}.") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{path}, line {line}: the character {chr(error.character)!r} is not allowed; remove it."
        ) from error
    return root


class _Loader(yaml.SafeLoader):
    """YAML that names the value that does not have the type it looks like: 2020-13-45 is not a date."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError) as error:
            # The constructors of the types raise any of these.
            kind = node.tag.split(":")[-1]
            value = hidden_in(node.value) if isinstance(node.value, str) else node.value
            why = f"{reprlib.repr(value)} is not a valid {kind}"
            cure = "correct it, or put it in quotes if it is a text"
            raise yaml.MarkedYAMLError(problem=why, problem_mark=node.start_mark, note=cure) from error


def _check(node: yaml.Node | None, met: set[int]) -> None:
    """Raise MarkedYAMLError for a key that a mapping has twice: YAML would keep the last one without a word.

    Parameters
    ----------
    node : Node
        Where to look.
    met : set of int
        Identities of the nodes that were checked, an alias being the same node again; this function adds to it.
    """
    if not isinstance(node, yaml.CollectionNode) or id(node) in met:
        return
    met.add(id(node))
    lines: dict[tuple[str, str], int] = {}
    for item in node.value:
        for one in item if isinstance(item, tuple) else (item,):
            _check(one, met)
        key = item[0] if isinstance(item, tuple) else None
        # 1 and "1" are two keys; any number of mappings may be merged in.
        if isinstance(key, yaml.ScalarNode) and not key.tag.endswith(":merge"):
            if (key.tag, key.value) in lines:
                first = lines[key.tag, key.value]
                why = f"the key {key.value!r} is given twice, first in line {first}"
                raise yaml.MarkedYAMLError(problem=why, problem_mark=key.start_mark, note="remove one")
            lines[key.tag, key.value] = key.start_mark.line + 1


def main(paths: list[str]) -> None:
    """Exit with the mistakes of some configurations, if there are any."""
    found = []
    for path in paths:
        try:
            parse(path)
        except InputError as error:
            found.append(f"error: {error}")
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main(sys.argv[1:])
