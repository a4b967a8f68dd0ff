"""The pipeline itself, on a small configuration, in a copy of the project."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from faults.same_bytes import RESULTS, contents, copy_project

from transitivity.payoff.core import Payoff

ROOT = Path(__file__).resolve().parents[1]


def small_project(folder: Path) -> Path:
    """What a run needs, with the configuration small.yaml."""
    copy_project(folder)
    shutil.copy(folder / "tests" / "config.yaml", folder / "small.yaml")
    return folder


def command(*arguments: str, cores: int = 2) -> list[str]:
    return [
        sys.executable,
        "-m",
        "reproduction.alone",
        "--profile",
        "workflow/profiles/default",
        "--cores",
        str(cores),
        "--configfile",
        "config.yaml",
        "small.yaml",
        *arguments,
    ]


def environment(folder: Path) -> dict[str, str]:
    # The jobs run "python": this one, with the sources of the folder instead of the installed ones, compiled once.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def run(folder: Path, *arguments: str, check: bool = True, **options) -> subprocess.CompletedProcess:
    result = subprocess.run(
        command(*arguments, **options), cwd=folder, env=environment(folder), capture_output=True, text=True
    )
    if check:
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-6000:]
    return result


#: A baseline of one's own: every chance is even.
COIN = """
import numpy as np
from transitivity.models import Model


class Coin(Model):
    name = "coin"
    label = "Coin"
    reference = "none"

    def fit(self, payoff, rng=None):
        return self

    def predict(self, i, j):
        return np.full(np.broadcast(i, j).shape, 0.5)

    def n_params(self, n):
        return 1
"""


def configured(folder: Path, **changes: object) -> dict:
    """The small configuration with changes of its top level, written into the folder."""
    small = yaml.safe_load((folder / "small.yaml").read_text()) | changes
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    return small


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A finished run of the small configuration, and of a baseline of one's own."""
    folder = small_project(tmp_path_factory.mktemp("finished"))
    (folder / "mine").mkdir()
    (folder / "mine" / "coin.py").write_text(COIN)
    small = configured(folder, model_folders=["mine"])
    small["models"]["coin"] = {}
    for name in ("published", "written"):
        small["protocols"][name]["models"].append("coin")
    configured(folder, **small)
    assert f"The report: {folder / RESULTS / 'report.html'}" in run(folder).stderr
    return folder


@pytest.mark.end_to_end
def test_a_run_writes_every_promised_file(finished):
    results = finished / RESULTS
    for name in ("scores", "transitivity", "table_1", "paper_comparison", "matchups", "identifiability"):
        assert len(pd.read_csv(results / "tables" / f"{name}.csv")), name
    for number in (*(f"{number:02}" for number in range(1, 11)), "05_strong", "06_strong"):
        for path in (f"figure_{number}.pdf", f"figure_{number}.png", f"data/figure_{number}.csv"):
            assert (results / "figures" / path).stat().st_size > 0, path
    for name in ("table_1.tex", "table_1.md"):
        assert (results / "tables" / name).stat().st_size > 0
    assert "<html" in (results / "report.html").read_text(encoding="utf-8")
    assert yaml.safe_load((results / "run_config.yaml").read_text())["results"] == results.name
    assert "| `report.html` |" in (results / "README.md").read_text(encoding="utf-8")
    provenance = json.loads((results / "provenance.json").read_text())
    assert {entry["origin"] for entry in provenance} <= {"exact", "fresh draw", "simulated", "file"}


@pytest.mark.end_to_end
def test_scores_have_every_protocol_dataset_model_and_split(finished):
    scores = pd.read_csv(finished / RESULTS / "tables" / "scores.csv")
    assert list(scores.columns) == [
        "protocol", "dataset", "model", "n_players", "n_params", "repeat", "split", "n_pairs", "n_games", "mse",
        "log_loss", "game_log_loss", "accuracy", "mse_clipped", "floor", "above_floor", "n_connected", "n_hideable",
        "label",
    ]  # fmt: skip
    assert not scores.duplicated(["protocol", "dataset", "model", "repeat", "split"]).any()
    assert set(scores["protocol"]) == {"published", "written", "strong", "tuned", "leagues"}
    splits = scores[scores["protocol"] != "strong"].groupby(["protocol", "dataset", "model", "repeat"])["split"]
    assert (splits.nunique() == 2).all()
    assert np.isfinite(scores[["mse", "log_loss"]]).all(axis=None)


@pytest.mark.end_to_end
def test_a_second_run_does_nothing(finished):
    done = run(finished)
    assert "Nothing to be done" in done.stdout + done.stderr


@pytest.mark.end_to_end
def test_a_baseline_of_ones_own_is_in_every_table_and_figure(finished):
    for table in (
        "tables/scores.csv",
        "tables/table_1.csv",
        "figures/data/figure_05.csv",
        "figures/data/figure_06.csv",
    ):
        assert "coin" in set(pd.read_csv(finished / RESULTS / table)["model"]), table


def due(folder: Path, edited: str) -> Counter:
    """The jobs that a run would do after an edit of a file, by rule; the edit is taken back."""
    path = folder / edited
    before = path.stat()
    content = path.read_bytes()
    # A newer file with the same content makes nothing due.
    path.write_bytes(content + b"\n# edited\n")
    done = run(folder, "--dry-run")
    output = done.stdout + done.stderr
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    table = re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)
    return Counter({rule: int(count) for rule, count in table if rule != "total"})


@pytest.mark.end_to_end
def test_an_edit_makes_due_what_depends_on_it_and_nothing_else(finished):
    fits = len(list((finished / RESULTS).glob("fits/*/*.scores.csv")))
    of_coin = len(list((finished / RESULTS).glob("fits/*/coin.scores.csv")))
    made = {"payoff", "measure", "fit"}
    coin = due(finished, "mine/coin.py")
    assert {rule: coin[rule] for rule in made & set(coin)} == {"fit": of_coin} and coin["scores"] == 1
    hold_outs = due(finished, "src/transitivity/evaluation/hold_outs.py")
    assert hold_outs["fit"] == fits and not hold_outs["payoff"]
    game = due(finished, "src/transitivity/games/rps.py")
    assert (game["payoff"], game["measure"]) == (1, 1) and 0 < game["fit"] < fits


@pytest.mark.end_to_end
def test_a_killed_run_resumes_and_ends_with_the_same_bytes(finished, tmp_path):
    folder = small_project(tmp_path)
    configured(folder, only_datasets=["rps", "blotto_5_4"])
    results = folder / RESULTS
    scores = f"{results.name}/tables/scores.csv"
    process = subprocess.Popen(
        command("--", scores, cores=1),
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while len(list(results.glob("fits/*/*.scores.csv"))) < 3:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run made no progress"
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    run(folder, "--", scores, cores=1)
    ours, theirs = (contents(path, "fits", "payoffs") for path in (folder, finished))
    ours = {name: text for name, text in ours.items() if not name.endswith(".fits.csv")}
    assert sum(name.endswith(".scores.csv") for name in ours) > 5
    assert [name for name in ours if ours[name] != theirs[name]] == []


@pytest.mark.end_to_end
def test_what_fails_is_named_in_a_sentence_and_the_rest_is_kept(tmp_path):
    folder = small_project(tmp_path)
    (folder / "scripts" / "run_config.py").write_text("raise RuntimeError('broken here')\n")
    (folder / "bad.csv").write_text("0.5,0.7\n0.6,0.5\n")
    small = {
        "results": "results_small",
        "data": "public",
        "only_datasets": ["alphastar", "rps", "bad"],
        "sources": {"spinning_top": {"urls": [(folder / "nowhere.zip").as_uri()]}},
        "models": {"disc": {"n_components": [1]}},
        "protocols": {"published": {"models": ["elo", "disc"]}, "written": {"models": ["elo"]}},
        "datasets": {"bad": {"path": "bad.csv"}},
    }
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    results = folder / RESULTS
    targets = [f"{results.name}/{name}" for name in ("tables/scores.csv", "run_config.yaml")]
    result = run(folder, "--", *targets, check=False)
    assert result.returncode != 0
    # Each once, after all that Snakemake says: what is refused in a sentence, of what breaks how its log ends.
    lines = (result.stdout + result.stderr).splitlines()
    refused = [line for line in lines if line.startswith("error: ")]
    assert len(refused) == 2
    assert any("bad.csv: the entry" in line and "its mirror 0.6" in line for line in refused)
    assert any("nowhere.zip" in line for line in refused)
    assert lines.count("RuntimeError: broken here") == 1
    last = result.stderr.rstrip().splitlines()[-7:]
    assert {*refused, "RuntimeError: broken here"} <= set(last), last
    assert f"{results.name}/logs/run_config.log ends with:\nTraceback" in result.stderr
    assert list(results.glob("fits/rps/*.scores.csv"))
    assert not (results / "payoffs" / "bad.npz").exists()
    assert list(folder.glob("downloads/**/*.zip")) == []


HOSTILE = ["<script>alert(1)</script>", "None", "=1+1", "数学者", "x" * 200, "a,b", 'say "hi"', "Bye"]


def write_results(path: Path) -> None:
    """Everyone met everyone six times; and a self-match, and a game without result."""
    rng = np.random.default_rng(0)
    rows = [(a, b, *rng.integers(0, 3, 2)) for at, a in enumerate(HOSTILE) for b in HOSTILE[:at] for _ in range(6)]
    rows += [("None", "None", 1, 0), ("None", "a,b", None, None)]
    pd.DataFrame(rows, columns=["home", "away", "x", "y"]).to_csv(path, index=False)


@pytest.mark.end_to_end
def test_downloads_and_ones_own_results(tmp_path, monkeypatch):
    """Beside one game of the paper, in the account of somebody whose home cannot be written to."""
    folder = small_project(tmp_path)
    # Not even by root.
    (folder / "file").touch()
    monkeypatch.setenv("HOME", str(folder / "file" / "home"))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR"):
        monkeypatch.delenv(name, raising=False)
    write_results(folder / "results.csv")
    (folder / "own.csv").write_text("0.5,0.7,0.2\n0.3,0.5,0.6\n0.8,0.4,0.5\n")
    A = np.triu(np.random.default_rng(0).uniform(-1, 1, (6, 6)), 1)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("supplement/payoffs.pkl", pickle.dumps({"AlphaStar": A - A.T, "Elo game": A.T - A}))
    (folder / "mirror.zip").write_bytes(content.getvalue())
    (folder / "page.zip").write_text("<!doctype html><title>moved</title>")
    small = {
        "results": "results_small",
        "data": "public",
        "only_datasets": ["alphastar", "mine", "blotto_5_3", "own"],
        "sources": {
            "spinning_top": {
                "urls": [(folder / name).as_uri() for name in ("page.zip", "mirror.zip")],
                "sha256": hashlib.sha256(content.getvalue()).hexdigest(),
                "licence": "as the paper",
            }
        },
        "models": {"disc": {"n_components": [1]}, "melo": {"n_components": [1]}, "disc_regularised": {"grid": [1]}},
        "protocols": {
            "published": {"models": ["elo", "disc"]},
            "written": {"models": ["elo"]},
            "leagues": {"repeats": 2, "models": ["elo", "disc_regularised"]},
            "strong": {"datasets": ["blotto_5_3", "own"], "repeats": 2, "models": ["elo", "disc"]},
        },
        "datasets": {
            "own": {"path": "own.csv"},
            "mine": {
                "path": "results.csv",
                "label": "<b>Mine</b>",
                "licence": "CC0",
                "matchups": {"player_a": "home", "player_b": "away", "score_a": "x", "score_b": "y", "dummies": []},
            },
        },
    }
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    run(folder)
    results = folder / RESULTS
    payoff = Payoff.load(results / "payoffs" / "alphastar.npz")
    np.testing.assert_allclose(2 * payoff.to_dense() - 1, A - A.T, atol=1e-12)
    provenance = {entry["dataset"]: entry for entry in json.loads((results / "provenance.json").read_text())}
    (download,) = provenance["alphastar"]["files"]
    assert download["sha256"] == small["sources"]["spinning_top"]["sha256"]
    assert download["url"].endswith("mirror.zip") and download["licence"] == "as the paper" and download["date"]
    mine = Payoff.load(results / "payoffs" / "mine.npz")
    assert set(mine.players) == set(HOSTILE) and mine.is_complete and (mine.games == 6).all()
    scores = pd.read_csv(results / "tables" / "scores.csv").query("protocol == 'strong'")
    assert set(scores["dataset"]) == {"blotto_5_3", "own"}
    dropped = pd.read_csv(results / "tables" / "dropped.csv").query("kind == 'dropped'")
    assert dict(zip(dropped["reason"], dropped["times"], strict=True)) == {"self-play": 1, "no result": 1}
    steps = pd.read_csv(results / "tables" / "matchups.csv")
    assert (steps["games"] == 6 * 28).all() and (steps["players"] == len(HOSTILE)).all()
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page and "<b>Mine" not in page and "&lt;b&gt;Mine" in page
    assert (results / "figures" / "figure_07.png").stat().st_size > 0
    # What was downloaded is not fetched again, nor lost where it cannot be.
    (folder / "mirror.zip").unlink()
    done = run(folder)
    assert "Nothing to be done" in done.stdout + done.stderr


def said(result: subprocess.CompletedProcess) -> str:
    """What a run that does not start says, but for what Snakemake says of every run."""
    assert result.returncode != 0
    lines = (result.stdout + result.stderr).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("Using profile", "Config file")))


@pytest.mark.slow
def test_mistakes_of_the_configuration_are_said_once_without_words_of_snakemake(tmp_path):
    folder = small_project(tmp_path)
    (folder / "small.yaml").write_text("sed: 1\nmodels: {dics: {}}\n")
    assert said(run(folder, "--quiet", "all", check=False)) == (
        "error: The configuration has 2 mistakes:\n"
        "  small.yaml, line 1, sed: unknown key; did you mean 'seed'?\n"
        "  small.yaml, line 2, models.dics: there is no model 'dics'; did you mean 'disc'?\n"
    )


@pytest.mark.slow
def test_a_target_that_there_is_not_is_said_once(tmp_path):
    """tests/test_rules.py has what is said of others."""
    folder = small_project(tmp_path)
    result = run(folder, "--quiet", "all", "--dry-run", "--", "tables", "repotr", check=False)
    assert said(result) == "error: there is no target 'repotr'; did you mean 'report'?\n"


@pytest.mark.parametrize(
    "tool",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        pytest.param(["snakemake", "--lint"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_the_project_is_clean(tool):
    result = subprocess.run(
        [sys.executable, "-m", *tool], cwd=ROOT, env=environment(ROOT), capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
