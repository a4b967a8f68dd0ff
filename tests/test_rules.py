"""The rules, planned but not run: what their jobs depend on, and which configurations have a plan."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from snakemake.api import SnakemakeApi
from snakemake.settings.types import (
    ConfigSettings,
    DAGSettings,
    OutputSettings,
    Quietness,
    ResourceSettings,
)
from snakemake.workflow import Workflow

from reproduction.config import settings
from reproduction.config.dependencies import reached
from transitivity.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
MODULES = sorted(path for path in SRC.rglob("*") if path.suffix in (".py", ".pyi", ".c"))


def planned(results: Path, execute: bool = True, **config: object) -> Workflow:
    """The workflow of a configuration in a folder without results, its jobs planned."""
    options = {"results": str(results)} | config
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL}, dryrun=True)) as api:
        planner = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=[ROOT / "config.yaml"], config=options),
            snakefile=ROOT / "Snakefile",
        )
        dag = planner.dag(dag_settings=DAGSettings())
        if execute:
            dag.execute_workflow(executor="dryrun")
        return planner._workflow


def jobs(workflow: Workflow) -> Counter:
    return Counter(job.rule.name for job in workflow.dag.needrun_jobs())


@pytest.fixture(scope="module", autouse=True)
def in_the_project() -> Iterator[None]:
    """The paths of the rules start at the project's folder."""
    before = Path.cwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory) -> Workflow:
    return planned(tmp_path_factory.mktemp("embedded"))


# ------------------------------------------------------------------ what a script reaches


@pytest.fixture
def package(tmp_path) -> Path:
    """A package of modules that define what they are called; `lazy` has a stub, `plain` has none."""
    files = {
        "lazy/__init__.py": "import lazy_loader\n__getattr__, _, __all__ = lazy_loader.attach_stub(__name__)\n",
        "lazy/__init__.pyi": "from . import other as other\nfrom .one import One as One\nfrom .two import two\n",
        "lazy/one.py": "from ._base import Base\n",
        "lazy/two.py": "",
        "lazy/other.py": "",
        "lazy/_base.py": "",
        "plain/__init__.py": "from plain.inner import thing\nfrom plain.deep.leaf import leaf\n",
        "plain/inner.py": "thing = 1\n",
        "plain/deep/__init__.py": "",
        "plain/deep/leaf.py": "from .. import inner\n",
        "plain/unused.py": "",
        "native/__init__.py": "",
        "native/load.py": "import ctypes\n",
        "native/code.c": "",
        "native/pure.py": "",
    }
    for name, text in files.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    return tmp_path


LAZY = ["lazy/__init__.py", "lazy/__init__.pyi"]
PLAIN = ["plain/__init__.py", "plain/deep/__init__.py", "plain/deep/leaf.py", "plain/inner.py"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os, numpy", []),
        ("import lazy", LAZY),
        ("import lazy\nlazy.One()", [*LAZY, "lazy/_base.py", "lazy/one.py"]),
        ("import lazy as l\nprint(l.other.x)", [*LAZY, "lazy/other.py"]),
        ("from lazy import two", [*LAZY, "lazy/two.py"]),
        ("from lazy import One as O", [*LAZY, "lazy/_base.py", "lazy/one.py"]),
        ("import lazy.two", [*LAZY, "lazy/two.py"]),
        ("def f():\n    if f:\n        from lazy import two", [*LAZY, "lazy/two.py"]),
        ("try:\n    import lazy\nexcept ImportError:\n    import plain", [*LAZY, *PLAIN]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import lazy", []),
        ("import typing\nif typing.TYPE_CHECKING:\n    import lazy\nelse:\n    import native", ["native/__init__.py"]),
        ("from plain.deep import leaf", PLAIN),
        ("from native import load", ["native/__init__.py", "native/code.c", "native/load.py"]),
        ("from native import pure", ["native/__init__.py", "native/pure.py"]),
    ],
)  # fmt: skip
def test_every_form_of_import_is_followed(package, text, expected):
    script = package / "script.py"
    script.write_text(text)
    found = reached(script, src=package / "src")
    assert [path.relative_to(package / "src").as_posix() for path in found if path != script] == sorted(
        expected
    )


def test_of_models_and_games_only_those_that_are_named_count():
    models, games = SRC / "transitivity" / "models", SRC / "transitivity" / "games"
    for script, folder, chosen in (("fit", models, "elo"), ("payoff", games, "blotto")):
        members = {path.stem for path in folder.glob("[a-z]*.py")}
        without = reached(ROOT / "scripts" / f"{script}.py")
        assert members & {path.stem for path in without if path.parent == folder} <= {"disc", "disc_regularised"}
        found = reached(ROOT / "scripts" / f"{script}.py", folder / f"{chosen}.py")
        assert folder / f"{chosen}.py" in found and set(without) < set(found)
        imported = {path.stem for path in reached(folder / f"{chosen}.py") if path.parent == folder}
        assert {path.stem for path in set(found) - set(without) if path.parent == folder} <= imported


PRINT_LOADED = """
import json, runpy, sys
sys.argv = [sys.argv[1], "--help"]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    print(json.dumps([module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", 0)]))
    sys.exit(end.code)
"""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_explains_itself_and_loads_only_what_its_imports_reach(script):
    done = subprocess.run([sys.executable, "-c", PRINT_LOADED, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout
    loaded = {Path(file).resolve() for file in json.loads(done.stdout.splitlines()[-1])}
    needed = {path for path in loaded if path.is_relative_to(SRC) and path.suffix == ".py"}
    # The package of models may load all of them, which no result depends on.
    registry = {path for path in needed if path.parent.name == "models" and not path.name.startswith("_")}
    assert needed - registry <= set(reached(script))


# ------------------------------------------------------------------ what a rule depends on


def test_every_rule_depends_on_what_its_script_reaches(embedded, monkeypatch):
    """In both directions: an edit of any module that the script reaches makes jobs due, one of any other does not."""
    code_of = embedded.globals["code_of"]
    with_script = {rule.name: rule for rule in embedded.rules if getattr(rule.input, "script", None)}
    without = {rule.name for rule in embedded.rules} - set(with_script)
    assert without == {"job"} | {rule.name for rule in embedded.rules if Path(rule.snakefile).name == "Snakefile"}
    for name, rule in with_script.items():
        given = rule.input.script
        chosen = getattr(given, "callable", None)
        script = {"fit": "fit", "payoff": "payoff"}.get(name) or Path(str(first(given))).stem
        if chosen is None:
            files = [given] if isinstance(given, str) else list(given)
            assert [str(file) for file in files] == code_of(script), name
        needed = {os.path.relpath(path) for path in reached(f"scripts/{script}.py")}
        for module in map(os.path.relpath, MODULES):
            times = {str(ROOT / module): 2.0}
            with monkeypatch.context() as patch:
                patch.setattr(os.path, "getmtime", lambda path, times=times: times.get(str(path), 1.0))
                assert (module in code_of.__wrapped__(script)) == (module in needed), (name, module)


def first(files: object) -> object:
    return files if isinstance(files, str) else files[0]
