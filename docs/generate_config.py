"""Write docs/config.md, the page of all configuration keys, from the configuration's schema."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from reproduction.config import mistakes
from transitivity.files import atomic_path

ROOT = Path(__file__).resolve().parents[1]

HEADER = """<!-- Written by docs/generate_config.py from workflow/schemas/config.schema.yaml; change that. -->
# Configuration

`config.yaml` holds every key. A file of your own is laid over it: mappings are merged key by key, everything else
(numbers, texts, lists) replaces what was there.

```sh
make reproduce CONFIG=mine.yaml
```

Paths of files to read are relative to the folder of the configuration that names them or, if nothing is there, to the
project's folder; `results` and `downloads` are relative to the project's folder. Paths must not contain `{`, `}` or
`<...>`. All mistakes are reported at once, each with its file, line and dotted path. The merged configuration of a run
is in `results/run_config.yaml`. `<name>` stands for a name of your choice (at most 100 small letters, digits and
underscores, a letter first); it becomes part of file names.
"""


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--schema", type=Path, default=ROOT / "workflow" / "schemas" / "config.schema.yaml", help="the schema (.yaml)"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "config.md", help="the page (.md)")
    return parser.parse_args(argv)


def page(schema: dict[str, Any]) -> str:
    """Return the page of a schema.

    Parameters
    ----------
    schema : dict
        A JSON Schema of an object whose properties are values, or objects of named entries.
    """
    sections = []
    for key, about in schema["properties"].items():
        rows = list(_rows(key, about, key in schema["required"]))
        lines = ["| key | value | meaning |", "|---|---|---|"]
        lines += [f"| `{path}` | {value} | {meaning} |" for path, value, meaning in rows]
        sections.append(f"## {key}\n\n" + "\n".join(lines) + "\n")
    return HEADER + "\n" + "\n".join(sections)


def _rows(path: str, about: dict[str, Any], required: bool) -> Iterator[tuple[str, str, str]]:
    """Yield one row for a key and those below it: its dotted path, what it may be, what it means."""
    meaning = " ".join(about["description"].split()).replace("|", "\\|")
    yield path, mistakes.value(about) + (" (required)" if required else ""), meaning
    below = [(f"{path}.{key}", inner, key in about.get("required", [])) for key, inner in _properties(about)]
    entry = about.get("additionalProperties")
    if isinstance(entry, dict):
        named = f"{path}.<name>"
        below += [(f"{named}.{key}", inner, key in entry.get("required", [])) for key, inner in _properties(entry)]
        if isinstance(entry.get("additionalProperties"), dict):
            below.append((f"{named}.<parameter>", entry["additionalProperties"], False))
    for row in below:
        yield from _rows(*row)


def _properties(about: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(about.get("properties", {}).items())


def main(argv: list[str] | None = None) -> None:
    """Write the page."""
    arguments = parse(argv)
    schema = yaml.safe_load(arguments.schema.read_text(encoding="utf-8"))
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(page(schema), encoding="utf-8")


if __name__ == "__main__":
    main()
