"""Limits of time, and models of a user's own that do what they must not: each harms its own fits only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from transitivity.payoff.core import Payoff

ROOT = Path(__file__).resolve().parents[1]
MODEL = """
import os, re, sys
import numpy as np
from transitivity.models import Model


class Mine(Model):
    name, label, reference = "mine", "Mine", "none"

    def fit(self, payoff, rng=None):
        {fit}
        self.fitted_ = True
        return self

    def predict(self, i, j):
        return {predict}

    def n_params(self, n):
        return {n_params}
"""
GOOD = {"fit": "pass", "predict": "np.full(np.shape(i), 0.5)", "n_params": "1"}
#: It takes years, in C that holds the lock of the interpreter.
HANGS = 're.match("(a*)*b", "a" * 60)'


def fit(folder: Path, limits: dict[str, str], **changed: str) -> subprocess.CompletedProcess:
    """Fit a model to a payoff by the pipeline's script."""
    lines = (
        MODEL if "import" not in changed else MODEL.replace("import numpy", f"{changed.pop('import')}\nimport numpy")
    )
    (folder / "mine.py").write_text(lines.format(**GOOD | changed))
    i, j = np.triu_indices(6, 1)
    Payoff(np.array(list("ABCDEF")), i, j, np.linspace(0, 1, len(i))).save(folder / "payoff.npz")
    options = {
        "dataset": "game",
        "payoff": "payoff.npz",
        "model": "mine.py",
        "instances": json.dumps({"mine": {}}),
        "protocols": json.dumps({"written": {"hold_out": "random", "share": 0.2, "repeats": 1}}),
        "scores": "scores.csv",
        "fits": "fits.csv",
    }
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    command = [sys.executable, ROOT / "scripts" / "fit.py", *words]
    return subprocess.run(
        command, cwd=folder, env=os.environ | limits, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("changed", "key"), [({"fit": HANGS}, "fit_minutes"), ({"import": HANGS}, "import_minutes")], ids=["fit", "import"]
)
def test_what_hangs_is_ended_and_named_with_its_limit(tmp_path, changed, key):
    done = fit(tmp_path, {f"TRANSITIVITY_{key.upper()}": "0.01"}, **changed)
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "mine.py" in line and f"limits.{key}" in line and "0.01 minutes" in line


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"fit": "sys.exit(0)"}, "mine.py: the fit of mine to game ended by SystemExit"),
        ({"fit": "payoff.p[:] = 0.5"}, "read-only"),
        ({"fit": "raise ValueError('my own')"}, "my own"),
        ({"predict": "np.full(np.shape(i), 0.7)"}, "sum is 1"),
        ({"predict": "np.full(np.shape(i), 0.5 + 0.1j)"}, "complex128"),
        ({"predict": "np.full(np.shape(i), '0.5')"}, "<U3"),
        ({"predict": "np.full(3 + len(i), 0.5)"}, "of shape"),
        ({"n_params": "np.nan"}, "has nan parameters"),
    ],
)
def test_a_model_that_does_what_it_must_not_is_refused(tmp_path, changed, says):
    done = fit(tmp_path, {"TRANSITIVITY_FIT_MINUTES": "60"}, **changed)
    assert done.returncode != 0 and says in done.stderr
    assert not (tmp_path / "scores.csv").exists()


def test_what_a_model_prints_is_in_the_log_only(tmp_path):
    done = fit(tmp_path, {"TRANSITIVITY_FIT_MINUTES": "60"}, fit="print('scores')")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "scores.csv").read_text().startswith("protocol,dataset")


@pytest.mark.parametrize(
    ("imported", "done"),
    [
        ("multiprocessing", "multiprocessing.get_context('fork').Process(target=time.sleep, args=(3,)).start()"),
        ("signal", "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"),
    ],
    ids=["process left", "children not waited for"],
)
def test_a_fit_that_is_done_is_not_ended_whatever_it_leaves_behind(tmp_path, imported, done):
    limits = {"TRANSITIVITY_FIT_MINUTES": "0.02"}
    found = fit(tmp_path, limits, **{"import": f"import time, {imported}"}, fit=done)
    assert found.returncode == 0, found.stderr
