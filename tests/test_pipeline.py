"""The pipeline itself, on a small configuration, in a copy of the project."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from transitivity.payoff.core import Payoff

ROOT = Path(__file__).resolve().parents[1]
PARTS = ["Snakefile", "config.yaml", "workflow", "scripts", "src", "envs"]
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))


def copy_project(folder: Path) -> Path:
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, folder / part)
    shutil.copy(ROOT / "tests" / "config.yaml", folder / "small.yaml")
    return folder


def command(*arguments: str, cores: int = 2, small: str = "small.yaml") -> list[str]:
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--profile",
        "workflow/profiles/default",
        "--cores",
        str(cores),
        "--configfile",
        "config.yaml",
        small,
        *arguments,
    ]


def environment() -> dict[str, str]:
    # The jobs run "python": this one.
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def run(folder: Path, *arguments: str, check: bool = True, **options) -> subprocess.CompletedProcess:
    result = subprocess.run(
        command(*arguments, **options), cwd=folder, env=environment(), capture_output=True, text=True
    )
    if check:
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-6000:]
    return result


def results_folder(folder: Path) -> Path:
    return folder / yaml.safe_load((folder / "small.yaml").read_text())["results"]


def contents(folder: Path, *names: str) -> dict[str, bytes]:
    results = results_folder(folder)
    return {
        str(path.relative_to(results)): path.read_bytes()
        for name in names
        for path in sorted((results / name).rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A finished run of the small configuration."""
    folder = copy_project(tmp_path_factory.mktemp("finished"))
    assert f"The report: {results_folder(folder) / 'report.html'}" in run(folder).stderr
    return folder


@pytest.mark.end_to_end
def test_a_run_writes_every_promised_file(finished):
    results = results_folder(finished)
    for name in ("scores", "transitivity", "table_1", "paper_comparison", "matchups", "identifiability"):
        assert len(pd.read_csv(results / "tables" / f"{name}.csv")), name
    for number in (*(f"{number:02}" for number in range(1, 11)), "05_strong", "06_strong"):
        for path in (f"figure_{number}.pdf", f"figure_{number}.png", f"data/figure_{number}.csv"):
            assert (results / "figures" / path).stat().st_size > 0, path
    for name in ("table_1.tex", "table_1.md"):
        assert (results / "tables" / name).stat().st_size > 0
    assert "<html" in (results / "report.html").read_text(encoding="utf-8")
    assert yaml.safe_load((results / "run_config.yaml").read_text())["results"] == results.name
    provenance = json.loads((results / "provenance.json").read_text())
    assert {entry["origin"] for entry in provenance} <= {"exact", "fresh draw", "simulated", "file"}


@pytest.mark.end_to_end
def test_scores_have_every_protocol_dataset_model_and_split(finished):
    scores = pd.read_csv(results_folder(finished) / "tables" / "scores.csv")
    assert list(scores.columns) == [
        "protocol", "dataset", "model", "n_players", "n_params", "repeat", "split", "n_pairs", "mse", "log_loss",
        "accuracy", "label",
    ]  # fmt: skip
    assert not scores.duplicated(["protocol", "dataset", "model", "repeat", "split"]).any()
    assert set(scores["protocol"]) == {"published", "written", "strong", "leagues"}
    splits = scores[scores["protocol"] != "strong"].groupby(["protocol", "dataset", "model", "repeat"])[
        "split"
    ]
    assert (splits.nunique() == 2).all()
    assert np.isfinite(scores[["mse", "log_loss"]]).all(axis=None)


@pytest.mark.end_to_end
def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in run(finished).stdout + run(finished).stderr


@pytest.mark.end_to_end
def test_a_killed_run_resumes_and_ends_with_the_same_bytes(finished, tmp_path):
    folder = copy_project(tmp_path)
    process = subprocess.Popen(
        command(cores=1),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    results = results_folder(folder)
    deadline = time.monotonic() + 300
    while len(list(results.glob("fits/*/*/*.scores.csv"))) < 5:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run made no progress"
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    run(folder, "--unlock")
    run(folder, cores=1)
    ours, theirs = (contents(path, "tables", "figures") for path in (folder, finished))
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


@pytest.mark.end_to_end
def test_one_bad_file_is_named_in_a_sentence_and_the_rest_is_kept(tmp_path):
    folder = copy_project(tmp_path)
    (folder / "bad.csv").write_text("0.5,0.7\n0.6,0.5\n")
    small = yaml.safe_load((folder / "small.yaml").read_text())
    small["only_datasets"] = ["rps", "bad"]
    small["datasets"] = {"bad": {"path": "bad.csv"}}
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    result = run(folder, check=False)
    assert result.returncode != 0
    output = result.stdout + result.stderr
    assert "bad.csv: the entry" in output and "its mirror 0.6" in output
    assert "Traceback" not in output
    # What is wrong is said once, at the end; the last lines are those of Snakemake.
    assert output.count("bad.csv: the entry") == 1
    last = result.stderr.rstrip().splitlines()[-6:]
    assert any(line.startswith("error: ") and "bad.csv: the entry" in line for line in last), last
    assert list(results_folder(folder).glob("fits/written/rps/*.scores.csv"))
    assert not (results_folder(folder) / "payoffs" / "bad.npz").exists()


HOSTILE = ["<script>alert(1)</script>", "None", "=1+1", "数学者", "x" * 200, "a,b", 'say "hi"', "Bye"]


def write_results(path: Path) -> None:
    """Everyone met everyone six times; and a self-match, and a game without result."""
    rng = np.random.default_rng(0)
    rows = [
        (a, b, *rng.integers(0, 3, 2)) for at, a in enumerate(HOSTILE) for b in HOSTILE[:at] for _ in range(6)
    ]
    rows += [("None", "None", 1, 0), ("None", "a,b", None, None)]
    pd.DataFrame(rows, columns=["home", "away", "x", "y"]).to_csv(path, index=False)


@pytest.mark.end_to_end
def test_downloads_and_ones_own_results(tmp_path):
    folder = copy_project(tmp_path)
    write_results(folder / "results.csv")
    A = np.triu(np.random.default_rng(0).uniform(-1, 1, (6, 6)), 1)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("supplement/payoffs.pkl", pickle.dumps({"AlphaStar": A - A.T, "Elo game": A.T - A}))
    (folder / "mirror.zip").write_bytes(content.getvalue())
    (folder / "page.zip").write_text("<!doctype html><title>moved</title>")
    small = {
        "results": "results_small",
        "data": "public",
        "only_datasets": ["alphastar", "mine"],
        "sources": {
            "spinning_top": {
                "urls": [(folder / name).as_uri() for name in ("page.zip", "mirror.zip")],
                "sha256": hashlib.sha256(content.getvalue()).hexdigest(),
                "licence": "as the paper",
            }
        },
        "models": {
            "disc": {"n_components": [1]},
            "melo": {"n_components": [1]},
            "disc_regularised": {"grid": [1]},
        },
        "protocols": {
            "published": {"models": ["elo", "disc"]},
            "written": {"models": ["elo"]},
            "leagues": {"repeats": 2, "models": ["elo", "disc_regularised"]},
        },
        "datasets": {
            "mine": {
                "path": "results.csv",
                "label": "<b>Mine</b>",
                "licence": "CC0",
                "matchups": {
                    "player_a": "home",
                    "player_b": "away",
                    "score_a": "x",
                    "score_b": "y",
                    "dummies": [],
                },
            }
        },
    }
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    run(folder)
    results = results_folder(folder)
    payoff = Payoff.load(results / "payoffs" / "alphastar.npz")
    np.testing.assert_allclose(2 * payoff.to_dense() - 1, A - A.T, atol=1e-12)
    provenance = {entry["dataset"]: entry for entry in json.loads((results / "provenance.json").read_text())}
    (download,) = provenance["alphastar"]["files"]
    assert download["sha256"] == small["sources"]["spinning_top"]["sha256"]
    assert (
        download["url"].endswith("mirror.zip") and download["licence"] == "as the paper" and download["date"]
    )
    mine = Payoff.load(results / "payoffs" / "mine.npz")
    assert set(mine.players) == set(HOSTILE) and mine.is_complete and (mine.games == 6).all()
    dropped = pd.read_csv(results / "tables" / "dropped.csv")
    assert dict(zip(dropped["reason"], dropped["times"], strict=True)) == {"self-play": 1, "no result": 1}
    steps = pd.read_csv(results / "tables" / "matchups.csv")
    assert (steps["games"] == 6 * 28).all() and (steps["players"] == len(HOSTILE)).all()
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page and "<b>Mine" not in page and "&lt;b&gt;Mine" in page
    assert (results / "figures" / "figure_07.png").stat().st_size > 0
    # What was downloaded is not fetched again, nor lost where it cannot be.
    (folder / "mirror.zip").unlink()
    assert "Nothing to be done" in run(folder).stdout + run(folder).stderr


@pytest.mark.end_to_end
def test_a_download_that_fails_is_named_and_the_rest_is_kept(tmp_path):
    folder = copy_project(tmp_path)
    small = {
        "results": "results_small",
        "data": "public",
        "only_datasets": ["alphastar", "rps"],
        "sources": {"spinning_top": {"urls": [(folder / "nowhere.zip").as_uri()]}},
        "models": {"disc": {"n_components": [1]}},
        "protocols": {"published": {"models": ["elo", "disc"]}, "written": {"models": ["elo"]}},
    }
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    result = run(folder, check=False)
    output = result.stdout + result.stderr
    assert result.returncode != 0 and "nowhere.zip" in output and "Traceback" not in output
    assert (results_folder(folder) / "payoffs" / "rps.npz").exists()
    assert list(folder.glob("downloads/**/*.zip")) == []


@pytest.mark.end_to_end
def test_a_baseline_of_ones_own_is_in_every_table_and_figure(tmp_path):
    folder = copy_project(tmp_path)
    (folder / "mine").mkdir()
    (folder / "mine" / "coin.py").write_text(
        "import numpy as np\n"
        "from transitivity.models import Model\n\n\n"
        "class Coin(Model):\n"
        "    name = 'coin'\n"
        "    label = 'Coin'\n"
        "    reference = 'none'\n\n"
        "    def fit(self, payoff, rng=None):\n"
        "        return self\n\n"
        "    def predict(self, i, j):\n"
        "        return np.full(np.broadcast(i, j).shape, 0.5)\n\n"
        "    def n_params(self, n):\n"
        "        return 1\n"
    )
    small = yaml.safe_load((folder / "small.yaml").read_text())
    small["model_folders"] = ["mine"]
    small["models"] = {"coin": {}}
    small["protocols"] = {
        "published": {"models": ["elo", "disc", "coin"]},
        "written": {"models": ["elo", "coin"]},
    }
    small["only_datasets"] = ["blotto_5_4", "elo_game"]
    (folder / "small.yaml").write_text(yaml.safe_dump(small))
    results = results_folder(folder)
    targets = [
        f"{results.name}/{name}"
        for name in ("tables/table_1.csv", "figures/figure_05.png", "figures/figure_06.png")
    ]
    run(folder, "--", *targets)
    for table in (
        "tables/scores.csv",
        "tables/table_1.csv",
        "figures/data/figure_05.csv",
        "figures/data/figure_06.csv",
    ):
        assert "coin" in set(pd.read_csv(results / table)["model"]), table


def said(result: subprocess.CompletedProcess) -> str:
    """What a run that does not start says, but for what Snakemake says of every run."""
    assert result.returncode != 0
    lines = (result.stdout + result.stderr).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("Using profile", "Config file")))


def test_mistakes_of_the_configuration_are_said_once_without_words_of_snakemake(tmp_path):
    folder = copy_project(tmp_path)
    (folder / "small.yaml").write_text("sed: 1\nmodels: {dics: {}}\n")
    assert said(run(folder, "--quiet", "all", check=False)) == (
        "error: The configuration has 2 mistakes:\n"
        "  small.yaml, line 1, sed: unknown key; did you mean 'seed'?\n"
        "  small.yaml, line 2, models.dics: there is no model 'dics'; did you mean 'disc'?\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("repotr", "did you mean 'report'?"),
        ("xyz", "known names: all, comparison, figures, report, tables."),
        ("results_small/tables/scors.csv", "did you mean 'results_small/tables/scores.csv'?"),
        ("results_small/qqqqqqqqqqqqqqqqqqqqqqqq", "known names: all, comparison, figures, report, tables."),
    ],
)
def test_a_target_that_there_is_not_is_said_with_those_that_there_are(target, hint):
    result = run(
        ROOT, "--quiet", "all", "--dry-run", "--", "tables", target, check=False, small="tests/config.yaml"
    )
    assert said(result) == f"error: there is no target {target!r}; {hint}\n"


@pytest.mark.slow
def test_a_rule_of_many_files_is_no_target():
    result = run(
        ROOT, "--quiet", "all", "--dry-run", "--", "hold_out", check=False, small="tests/config.yaml"
    )
    assert said(result) == (
        "error: the rule 'hold_out' makes files for each dataset and protocol; "
        "give the path of one, or one of: all, comparison, figures, report, tables.\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        "figures",
        "scores",
        "results_small/figures/figure_05.pdf",
        "./results_small/tables/table_1.csv",
        "results_small//tables/table_1.csv",
    ],
)
def test_rules_and_files_are_targets(target):
    run(ROOT, "--quiet", "all", "--dry-run", "--", target, small="tests/config.yaml")


@pytest.mark.end_to_end
def test_a_job_that_breaks_shows_how_its_log_ends_once(tmp_path):
    folder = copy_project(tmp_path)
    (folder / "scripts" / "run_config.py").write_text("raise RuntimeError('broken here')\n")
    result = run(folder, "--", f"{results_folder(folder).name}/run_config.yaml", check=False)
    assert result.returncode != 0
    assert (result.stdout + result.stderr).count("RuntimeError: broken here") == 1
    assert "logs/run_config.log ends with:\nTraceback" in result.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_on_its_own(script):
    result = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "usage" in result.stdout


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
        [sys.executable, "-m", *tool], cwd=ROOT, env=environment(), capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
