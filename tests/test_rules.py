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
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, Quietness, ResourceSettings
from snakemake.workflow import Workflow

from reproduction.config import settings
from reproduction.config.dependencies import reached
from transitivity.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
MODULES = sorted(path for path in SRC.rglob("*") if path.suffix in (".py", ".pyi", ".c"))


def planned(results: Path, **config: object) -> Workflow:
    """The workflow of a configuration in a folder without results, its jobs planned."""
    options = {"results": str(results)} | config
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL}, dryrun=True)) as api:
        planner = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=[ROOT / "config.yaml"], config=options),
            snakefile=ROOT / "Snakefile",
        )
        dag = planner.dag(dag_settings=DAGSettings())
        dag.execute_workflow(executor="dryrun")
        return planner._workflow


def jobs(workflow: Workflow) -> Counter:
    """How many jobs of each rule there are to do."""
    return Counter(job.rule.name for job in workflow.dag.jobs)


@pytest.fixture(scope="module", autouse=True)
def in_the_project() -> Iterator[None]:
    """The paths of the rules start at the project's folder."""
    before = Path.cwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory) -> Workflow:
    """With forecasts of one league, so that every rule but those of downloads has jobs."""
    return planned(tmp_path_factory.mktemp("embedded"), datasets={"lichess": {"forecast": {}}})


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
    assert [path.relative_to(package / "src").as_posix() for path in found if path != script] == sorted(expected)


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


#: Prints what each script says to --help and which files it loads, in a process of its own with the libraries loaded.
LOAD_EACH = """
import json, os, runpy, sys
import matplotlib.figure, pandas, scipy.linalg, scipy.special
sys.path.insert(0, os.path.dirname(sys.argv[1]))
for script in sys.argv[1:]:
    if os.fork():
        os.wait()
        continue
    sys.argv = [script, "--help"]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        files = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
        print(json.dumps([script, end.code, files]), flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def scripts_alone() -> dict[str, tuple[str, int, list[str]]]:
    """What each script says to --help, its exit code, and the files that it loads."""
    done = subprocess.run([sys.executable, "-c", LOAD_EACH, *SCRIPTS], capture_output=True, text=True, check=True)
    found, said = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("["):
            script, code, files = json.loads(line)
            found[Path(script).name] = ("\n".join(said), code, files)
            said = []
        else:
            said.append(line)
    return found


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_explains_itself_and_loads_only_what_its_imports_reach(scripts_alone, script):
    said, code, files = scripts_alone[script.name]
    assert code == 0 and said.startswith("usage")
    loaded = {Path(file).resolve() for file in files}
    needed = {path for path in loaded if path.is_relative_to(SRC) and path.suffix == ".py"}
    # The package of models may load all of them, which no result depends on.
    registry = {path for path in needed if path.parent.name == "models" and not path.name.startswith("_")}
    assert needed - registry <= set(reached(script))


# ------------------------------------------------------------------ what a rule depends on


def code_of_jobs(workflow: Workflow) -> dict[tuple[str, tuple[str, ...]], set[str]]:
    """The rules of a workflow by their script and the modules that it loads by their path: models and games."""
    code_of, datasets = workflow.globals["code_of"], workflow.globals["SETTINGS"].datasets
    given = [(job.rule.name, job.input, job.wildcards) for job in workflow.dag.jobs]
    with_jobs = {name for name, _, _ in given}
    given += [(rule.name, rule.input, None) for rule in workflow.rules if rule.name not in with_jobs]
    found: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for name, files, wildcards in given:
        if not hasattr(files, "script"):
            continue
        modules = [files.model] if name == "fit" else []
        if name == "payoff" and (game := datasets[wildcards.dataset].get("game")):
            modules = [f"src/transitivity/games/{game}.py"]
        script = Path(str(files.script[0])).stem
        assert [str(file) for file in files.script] == code_of(script, *map(str, modules)), name
        found.setdefault((script, tuple(map(str, modules))), set()).add(name)
    return found


def test_every_rule_depends_on_what_its_script_reaches(embedded, monkeypatch):
    """In both directions: an edit of any module that the script reaches makes jobs due, one of any other does not."""
    found = code_of_jobs(embedded)
    targets = {rule.name for rule in embedded.rules if Path(rule.snakefile).name == "Snakefile"}
    # A rule without a script of its own: the one that the others are made of.
    assert set().union(*found.values()) | targets | {"job"} == {rule.name for rule in embedded.rules}
    code_of = embedded.globals["code_of"].__wrapped__
    times: dict[str, float] = {}
    monkeypatch.setattr(os.path, "getmtime", lambda path: times.get(str(path), 1.0))
    for script, modules in found:
        needed = set(reached(f"scripts/{script}.py", *modules))
        for module in MODULES:
            times = {str(module): 2.0}
            assert (os.path.relpath(module) in code_of(script, *modules)) == (module in needed), (script, module)


# ---------------------------------------------------------------------- what has a plan


#: Where several datasets have the same keys, the first stands for them in the fast tests; agents play in chunks.
FIRST_OF_A_KIND = {
    (*sorted(about), about.get("game") == "agents"): name for name, about in reversed(CONFIG["datasets"].items())
}.values()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in FIRST_OF_A_KIND else pytest.mark.slow) for name in CONFIG["datasets"]],
)
def test_each_dataset_alone_has_a_plan(tmp_path, name):
    """Or a mistake of the configuration, where no protocol scores it or this mode has no data of it."""
    try:
        expected = settings.read(CONFIG | {"only_datasets": [name]})
    except InputError as error:
        assert name in str(error)
        with pytest.raises(SystemExit, match=f"{name}.* has no data|none of them scores {name}"):
            planned(tmp_path, only_datasets=[name])
        return
    due = jobs(planned(tmp_path, only_datasets=[name]))
    assert due["payoff"] == due["measure"] == len(expected.datasets)
    pairs = {
        (dataset, model)
        for protocol in expected.protocols.values()
        for dataset in protocol["datasets"]
        for model in protocol["models"]
    }
    assert due["fit"] == len(pairs)
    assert due["html_report"] == due["check_comparison"] == due["spectrum"] == 1


@pytest.mark.parametrize("name", CONFIG["protocols"])
def test_each_protocol_alone_has_a_plan(tmp_path, name):
    others = {other: {"datasets": []} for other in CONFIG["protocols"] if other != name}
    workflow = planned(tmp_path, only_datasets=["blotto_5_4", "kuhn_poker", "starcraft"], protocols=others)
    about = workflow.globals["SETTINGS"].protocols[name]
    assert jobs(workflow)["fit"] == len(about["datasets"]) * len(about["models"]) > 0


def test_a_payoff_of_ones_own_under_strong_beside_a_game_of_the_paper_has_a_plan(tmp_path):
    (tmp_path / "mine.csv").write_text("0.5,0.7,0.2\n0.3,0.5,0.6\n0.8,0.4,0.5\n")
    workflow = planned(
        tmp_path / "results",
        only_datasets=["blotto_5_3", "mine"],
        datasets={"mine": {"path": str(tmp_path / "mine.csv")}},
        protocols={"strong": {"datasets": ["blotto_5_3", "mine"]}},
    )
    assert workflow.globals["SETTINGS"].protocols["strong"]["datasets"] == ["blotto_5_3", "mine"]
    assert jobs(workflow)["payoff"] == 2


def test_records_of_downloads_are_not_read_as_games(tmp_path):
    results, record = tmp_path / "res.csv", tmp_path / "downloads"
    results.write_text("player_a,player_b,winner\nAnn,Bob,Ann\n")
    workflow = planned(
        tmp_path / "results",
        data="public",
        downloads=str(record),
        only_datasets=["mine"],
        sources={"own": {"urls": [results.as_uri()]}},
        datasets={"mine": {"public": {"source": "own"}, "matchups": {"winner": "winner"}}},
        protocols={"leagues": {"repeats": 1}},
    )
    (job,) = (job for job in workflow.dag.jobs if job.rule.name == "count_matchups")
    assert list(job.input.files) == [f"{record}/own/res.csv"]
    assert f"{record}/own/res.csv.json" in job.input
    assert ".json" not in job.params.files.split("--output")[0]


# ---------------------------------------------------------------------- targets


def test_a_target_that_there_is_not_is_said_with_those_that_there_are(monkeypatch):
    workflow = planned(Path("results_small"), only_datasets=["blotto_5_4"])

    def said_of(*targets: str) -> str | None:
        """What is said of the targets of a command line before anything runs, or None."""
        monkeypatch.setattr(sys, "argv", ["snakemake", "--dry-run", "--", *targets])
        try:
            return workflow.globals["check_targets"]()
        except SystemExit as end:
            return str(end.code)

    for target, hint in (
        ("results_small/tables/scors.csv", "did you mean 'results_small/tables/scores.csv'?"),
        ("qqqqqqqqqqqqqqqqqqqqqqqq", "known names: all, comparison, figures, report, tables."),
    ):
        assert said_of("tables", target) == f"error: there is no target {target!r}; {hint}"
    assert said_of("fit") == (
        "error: the rule 'fit' makes files for each dataset and model; "
        "give the path of one, or one of: all, comparison, figures, report, tables."
    )
    files = ("figures/figure_05.pdf", "./tables/table_1.md", "/tables/table_1.csv")
    assert said_of("figures", "scores", *(f"results_small/{file}" for file in files)) is None
