"""What several files of tests need: scripts, benchmarks and what generates pages as modules; figures without files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]


def load(path: str) -> ModuleType:
    """Run the file at a path from the project's folder, and return it as a module."""
    spec = importlib.util.spec_from_file_location(f"loaded_{Path(path).stem}", ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(name: str) -> ModuleType:
    """Return a script of the pipeline."""
    return load(f"scripts/{name}.py")


def laid_out(figure: Figure, path: Path, **_: object) -> None:
    """Lay a figure out and leave an empty file, in place of `Figure.savefig`, which takes longer."""
    figure.draw_without_rendering()
    Path(path).touch()
