"""Say where a configuration is no YAML, which Snakemake does not: workflow/check_yaml.py config.yaml mine.yaml."""

from __future__ import annotations

import json
import sys
from pathlib import Path

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
        # Snakemake reads JSON too, in which tabs are no mistake.
        config = json.loads(text)
    except ValueError:
        try:
            config = yaml.safe_load(text)
            twice = repeated_key(yaml.compose(text, Loader=yaml.SafeLoader))
        except yaml.MarkedYAMLError as error:
            mark, why = error.problem_mark or error.context_mark, error.problem or error.context
            if error.context_mark and error.context_mark.line < mark.line:
                why += f" ({error.context} from line {error.context_mark.line + 1})"
            tab = "indent with spaces, not with tabs" if "'\\t'" in why else "correct it"
            return f"{path}, line {mark.line + 1}, column {mark.column + 1}: {why}; {tab}."
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            return f"{path}, line {line}: the character {chr(error.character)!r} is not allowed; remove it."
        except ValueError as error:
            return f"{path} has a value that is none ({error}); put it in quotes, or correct it."
        if twice is not None:
            key, first, second = twice
            return f"{path}, line {second}: the key {key!r} is given twice, first in line {first}; leave one."
    if not isinstance(config, dict):
        return f"{path} has no keys at its top level; give some (docs/config.md)."
    return None


def repeated_key(root: yaml.Node | None) -> tuple[str, int, int] | None:
    """Return a key that a mapping has twice, and both lines: YAML would keep the last, without a word."""
    nodes, met = [root], set()
    while nodes:
        node = nodes.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in met:
            continue
        # An alias stands for the same node again, and may stand within it.
        met.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
            continue
        lines: dict[str, int] = {}
        for key, value in node.value:
            nodes.append(value)
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode):
                if key.value in lines:
                    return key.value, lines[key.value], line
                lines[key.value] = line
    return None


if __name__ == "__main__":
    mistakes = filter(None, map(mistake, sys.argv[1:]))
    # An empty text would be a failure.
    sys.exit("\n".join(f"error: {one}" for one in mistakes) or None)
