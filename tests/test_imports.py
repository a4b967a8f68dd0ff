"""What importing the library, and asking a script for help, loads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import transitivity
from transitivity import models

ROOT = Path(__file__).parents[1]
#: Scripts whose options come from modules that draw, or that read games.
DRAW_OR_READ = {"report", "simulate_league", "table_1", *(path.stem for path in (ROOT / "scripts").glob("figure_*.py"))}


def loaded_after(code: str) -> set[str]:
    """Return the modules that a fresh Python has loaded after running some code."""
    code += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_payoff_needs_numpy_alone():
    loaded = loaded_after("from transitivity import Payoff")
    assert "transitivity.payoff.core" in loaded
    assert not loaded & {"scipy", "pandas", "pyarrow", "transitivity.models", "transitivity.sources"}


def test_package_alone_loads_nothing():
    assert "numpy" not in loaded_after("import transitivity")


@pytest.mark.parametrize("module", [transitivity, models])
def test_every_export_exists(module):
    assert module.__all__
    for name in module.__all__:
        assert name in dir(module)
        getattr(module, name)
    with pytest.raises(AttributeError):
        _ = module.no_such_name


def test_every_model_is_exported():
    exported = {getattr(getattr(models, name), "name", None) for name in models.__all__}
    assert set(models.find()) <= exported


def test_help_loads_nothing_heavy():
    scripts = [str(path) for path in sorted((ROOT / "scripts").glob("*.py")) if path.stem not in DRAW_OR_READ]
    assert len(scripts) > 15
    loaded_after(f"""
import runpy, sys
for script in {scripts!r}:
    sys.argv = [script, "--help"]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        assert end.code == 0, (script, end.code)
    heavy = {{"scipy", "pandas", "pyarrow", "matplotlib"}} & set(sys.modules)
    assert not heavy, (script, heavy)
""")
