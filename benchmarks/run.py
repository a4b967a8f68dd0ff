"""Run the benchmarks: each module beside this one with `rows()` gives a table of docs/benchmarks.md.

Everything runs on one thread, and CPU time is counted. Needs the extra "benchmarks" (choix, evalica, scikit-learn).
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.common import table  # noqa: E402 (the line above makes it importable)
from reproduction.markers import write_between_markers  # noqa: E402

NAMES = ("objective", "fits", "printed", "elo", "files", "tables", "sparse", "online")
PACKAGES = ("numpy", "scipy", "scikit-learn", "choix", "evalica")


def machine() -> str:
    """Say what the tables were measured with."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return f"{versions}, Python {platform.python_version()}, {platform.system()} {platform.machine()}."


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmarks that are asked for, print and write their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="run only these")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks.md",
        help="page with the markers that the tables go between",
    )
    options = parser.parse_args(arguments)
    # Only libraries that are loaded already can be limited.
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in options.only}
    with threadpool_limits(limits=1):
        for name, module in modules.items():
            text = f"{table(module.rows())}\n\n{machine()}"
            print(text, flush=True)
            write_between_markers(text, name, options.output)


if __name__ == "__main__":
    main()
