"""Kill a run of the small configuration at random moments, repeat it elsewhere, and compare every byte: same_bytes.py

    .venv/bin/python tests/faults/same_bytes.py [--kills 20] [--seed 1] [--keep FOLDER]

Each run has a copy of the project of its own. The first run is left in peace. The second is killed with SIGKILL, with
all its jobs, at random moments, and started again with the same command until it ends. The others run with one core,
with other hash seeds, locales, time zones and numbers of BLAS threads. All tables and figures of each must equal those
of the first. This takes about ten times as long as the small configuration, so it is not part of `make test`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A run takes the meaning of columns from docs/results.md, and copies results/README.md into its folder.
PARTS = ["Snakefile", "config.yaml", "workflow", "scripts", "src", "envs"]
PARTS += ["docs/results.md", "results/README.md", "tests/config.yaml"]
RESULTS = "results_small"
#: What differs between runs whose bytes must not.
VARIANTS = {
    "one core": {"CORES": "1"},
    "another hash seed": {"PYTHONHASHSEED": "7"},
    "another locale and time zone": {"LC_ALL": "C", "TZ": "Pacific/Auckland"},
    "two BLAS threads": {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
}


def copy_project(folder: Path) -> Path:
    """Copy what a run needs, and what Python has compiled of it."""
    ignored = shutil.ignore_patterns("*.egg-info")
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=ignored)
        else:
            shutil.copy(ROOT / part, target)
    return folder


def start(folder: Path, **variables: str) -> subprocess.Popen[bytes]:
    """Start the run that `make reproduce CONFIG=tests/config.yaml` starts, in a session of its own."""
    cores = variables.pop("CORES", "2")
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = ["-m", "reproduction.alone", "--profile", "workflow/profiles/default", "--cores", cores]
    with (folder / "log.txt").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, *words, "--configfile", "config.yaml", "tests/config.yaml"],
            cwd=folder,
            env=os.environ | {"PATH": search, "PYTHONPATH": str(folder / "src")} | variables,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def finish(folder: Path, **variables: str) -> float:
    """Run to the end; return the seconds it took."""
    begun = time.monotonic()
    if start(folder, **variables).wait() != 0:
        sys.exit(f"the run in {folder} failed; its log is {folder / 'log.txt'}")
    return time.monotonic() - begun


def kill_at_random(folder: Path, kills: int, seconds: float, rng: random.Random) -> int:
    """Kill a run up to `kills` times, spread over the time that a whole run takes; return how often it was alive."""
    done = 0
    for _ in range(kills):
        process = start(folder)
        try:
            process.wait(timeout=rng.uniform(0, 2.5 * seconds / kills) + 2)
        except subprocess.TimeoutExpired:
            done += 1
        else:
            break
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return done


def contents(folder: Path, *names: str) -> dict[str, bytes]:
    """Every file in some folders of the results; by default every table and figure."""
    results = folder / RESULTS
    paths = (path for name in names or ("tables", "figures") for path in sorted((results / name).rglob("*")))
    return {str(path.relative_to(results)): path.read_bytes() for path in paths if path.is_file()}


def differences(folder: Path, expected: dict[str, bytes]) -> list[str]:
    """Files that are missing, new or not the same."""
    found = contents(folder)
    return sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))


def main() -> None:
    """Run, kill, repeat and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="SIGKILLs (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    parser.add_argument("--keep", type=Path, help="a folder for the runs, kept; by default a temporary one")
    parser.add_argument("--only", choices=["kills", *VARIANTS], help="one comparison alone")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp())
    seconds = finish(copy_project(folder / "undisturbed"))
    expected = contents(folder / "undisturbed")
    print(f"undisturbed: {len(expected)} tables and figures in {seconds:.0f} s", flush=True)
    failed = False
    for name in [arguments.only] if arguments.only else ["kills", *VARIANTS]:
        place = copy_project(folder / name.replace(" ", "_"))
        if name == "kills":
            done = kill_at_random(place, arguments.kills, seconds, random.Random(arguments.seed))
            finish(place)
            name = f"killed {done} times"
        else:
            finish(place, **VARIANTS[name])
        differ = differences(place, expected)
        failed |= bool(differ)
        print(f"{name}: {'differ: ' + ', '.join(differ) if differ else 'the same bytes'}", flush=True)
    if arguments.keep is None:
        shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
