"""Say where a configuration is not valid YAML, which Snakemake does not.

Usage: python -m reproduction.config.check_yaml config.yaml mine.yaml
"""

from __future__ import annotations

import json
import reprlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml


def mistake(path: str) -> str | None:
    """Return what keeps a file from being read as a configuration, in one sentence; None where nothing does."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        return f"There is no configuration {path} ({error.strerror}); correct CONFIG=."
    except UnicodeDecodeError:
        return f"{path} is no UTF-8 text; save it as UTF-8."
    try:
        config, found = _read(text)
    except yaml.MarkedYAMLError as error:
        mark, why = error.problem_mark or error.context_mark, error.problem or error.context
        if error.context_mark and error.context_mark.line < mark.line:
            why += f" ({error.context} from line {error.context_mark.line + 1})"
        tab = "indent with spaces, not with tabs" if "'\\t'" in why else "correct it"
        return f"{path}, line {mark.line + 1}, column {mark.column + 1}: {why}; {tab}."
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return f"{path}, line {line}: the character {chr(error.character)!r} is not allowed; remove it."
    except RecursionError:
        return f"{path} has too many brackets in each other, or too deep levels; correct it."
    if found is not None:
        return f"{path}{found}"
    if not isinstance(config, dict):
        return f"{path} has no keys at its top level; give some (docs/config.md)."
    return None


class _Loader(yaml.SafeLoader):
    """YAML that says which value is none, as 2020-13-45 is no date."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError) as error:
            # Whatever the constructor of a type comes upon.
            why = f"{reprlib.repr(node.value)} is no {node.tag.split(':')[-1]} (in quotes it would be a text)"
            raise yaml.MarkedYAMLError(problem=why, problem_mark=node.start_mark) from error


def _read(text: str) -> tuple[Any, str | None]:
    """Return what a text holds, and what is wrong with it although it can be read, to stand behind its path."""
    keys: list[str] = []

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return dict(pairs)

    try:
        # Snakemake reads JSON too, in which tabs are no mistake.
        config = json.loads(text, object_pairs_hook=as_dict)
    except ValueError:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if (line := circle(root, frozenset(), set())) is not None:
            return (
                {},
                f", line {line}: what begins here holds itself, by an alias; write out what it is to hold.",
            )
        if (twice := repeated_key(root)) is not None:
            key, first, second = twice
            return {}, f", line {second}: the key {key!r} is given twice, first in line {first}; leave one."
        return yaml.load(text, Loader=_Loader), None
    return config, f": the key {keys[0]!r} is given twice; leave one." if keys else None


def _below(node: yaml.Node | None) -> Iterator[yaml.Node]:
    """Yield the nodes of a mapping or a list, those of keys among them."""
    if isinstance(node, yaml.CollectionNode):
        for one in node.value:
            yield from one if isinstance(one, tuple) else (one,)


def circle(node: yaml.Node | None, around: frozenset[int], met: set[int]) -> int | None:
    """Return the line of a node that holds itself by an alias, which Snakemake would follow without end.

    Parameters
    ----------
    node : Node
        Where to look.
    around : frozenset of int
        Identities of the nodes that hold it.
    met : set of int
        Those of the nodes that were looked into, an alias being the same node again; this function adds to it.
    """
    if id(node) in around:
        return node.start_mark.line + 1
    if id(node) in met:
        return None
    met.add(id(node))
    lines = (circle(one, around | {id(node)}, met) for one in _below(node))
    return next((line for line in lines if line is not None), None)


def repeated_key(root: yaml.Node | None) -> tuple[str, int, int] | None:
    """Return a key that a mapping has twice, and both lines: YAML would keep the last, without a word."""
    nodes, met = [root], set()
    while nodes:
        node = nodes.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        nodes += _below(node)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            line = key.start_mark.line + 1
            # 1 and "1" are two keys; any number of mappings may be merged in.
            if isinstance(key, yaml.ScalarNode) and not key.tag.endswith(":merge"):
                if (key.tag, key.value) in lines:
                    return key.value, lines[key.tag, key.value], line
                lines[key.tag, key.value] = line
    return None


if __name__ == "__main__":
    mistakes = filter(None, map(mistake, sys.argv[1:]))
    # An empty text would be a failure.
    sys.exit("\n".join(f"error: {one}" for one in mistakes) or None)
