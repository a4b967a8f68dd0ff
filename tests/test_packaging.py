"""The package as users get it: what a wheel holds, and the one version that all pages name."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_an_installed_wheel_runs_the_example_of_the_library(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    built = shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "src", source / "src", ignore=built)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input"]
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, source], check=True)
    (wheel,) = wheels.iterdir()
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", site, wheel], check=True)

    packed = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    packed = {path for path in packed if path.suffix in (".py", ".pyi", ".typed", ".c", ".jinja")}
    assert [path for path in sorted(packed) if not (site / path).is_file()] == []

    # Its compiled part is the one that was built from its sources.
    code = "import transitivity.native.library as n; print(n.__file__); assert n.load() is not None"
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*arguments: str | Path) -> list[str]:
        return subprocess.run(
            [sys.executable, *arguments], check=True, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE
        ).stdout.split()

    assert Path(run("-c", code)[0]).is_relative_to(site)
    elo, disc, transitive, cyclic = run(ROOT / "docs" / "examples" / "library.py")
    assert float(elo) == pytest.approx(0.5, abs=1e-3) and float(disc) == pytest.approx(0.8, abs=1e-3)
    assert (transitive, float(cyclic)) == ("False", 1)


def test_pages_name_the_version_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == version
    released = re.findall(r"^## \[(\d[\w.]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert released[0] == version


def test_every_environment_is_that_of_the_lock():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = {
        canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==([^ ;]+)", lock, re.MULTILINE)
    }
    optional = project["optional-dependencies"]
    extras = itertools.chain.from_iterable(optional[name] for name in ("formats", "pipeline", "test", "lint"))
    for text in [*project["dependencies"], *extras]:
        asked = Requirement(text)
        if asked.name != project["name"]:
            assert asked.specifier.contains(pinned[canonicalize_name(asked.name)]), text
    *versions, pip = yaml.safe_load((ROOT / "envs" / "transitivity.yaml").read_text(encoding="utf-8"))["dependencies"]
    assert pip["pip"] == ["-r ../requirements.lock", "-e .."]
    (python,) = [version.removeprefix("python=") for version in versions if version.startswith("python=")]
    assert f"FROM python:{python}-" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
