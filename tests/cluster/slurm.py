"""Run a small part of the pipeline on a real Slurm: same tables as here, and what is lost comes back: slurm.py

    make .venv/slurm
    .venv/bin/python tests/cluster/slurm.py [--cores 2] [--keep FOLDER]

Needs a Slurm whose nodes see this folder; one node is enough. It checks that
1. the tables of a run on Slurm are those of a run on this machine, byte for byte;
2. a run whose cluster job is cancelled ends with an error, and the next run completes it;
3. a fit that is killed, as the kernel kills one that runs out of memory, is tried again;
4. one that is killed again is named in the last lines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
from same_bytes import contents, copy_project, differences

#: It dies without a word, as by SIGKILL of the kernel: `once`, or always.
KILLED = """
import os
from pathlib import Path

from transitivity.models import Elo


class Killed(Elo):
    name = "killed"
    label = "Killed"

    def __init__(self, once=False):
        super().__init__()
        self.once = once

    def fit(self, payoff, rng=None):
        killed = Path("killed.txt")
        if not self.once or not killed.exists():
            killed.touch()
            os.kill(os.getpid(), 9)
        return super().fit(payoff, rng)
"""


def project(folder: Path) -> Path:
    """Return a copy of the project with few datasets."""
    path = copy_project(folder) / "tests" / "config.yaml"
    small = yaml.safe_load(path.read_text(encoding="utf-8"))
    small["only_datasets"] = ["rps", "blotto_5_4"]
    path.write_text(yaml.safe_dump(small), encoding="utf-8")
    return folder


def command(profile: str, cores: int, folder: Path) -> dict:
    """Return the arguments of `subprocess` for a run of the tables."""
    words = ["-m", "reproduction.alone", "--profile", f"workflow/profiles/{profile}", "--cores", str(cores)]
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        "args": [sys.executable, *words, "--configfile", "config.yaml", "tests/config.yaml", "--", "tables"],
        "cwd": folder,
        "env": os.environ | {"PATH": search, "PYTHONPATH": str(folder / "src")},
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }


def check(holds: bool, what: str, output: str = "") -> None:
    """Print what holds; stop at what does not."""
    print(f"{'holds' if holds else 'FAILS'}: {what}", flush=True)
    if not holds:
        sys.exit(output[-6000:])


def main() -> None:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=int, default=2, help="of a cluster job (default: 2)")
    parser.add_argument("--keep", type=Path, help="a folder that all nodes see, kept; by default a new one here")
    arguments = parser.parse_args()
    base = arguments.keep or Path(tempfile.mkdtemp(dir=".", prefix="slurm_")).resolve()
    here, there = project(base / "here"), project(base / "there")
    done = subprocess.run(**command("default", arguments.cores, here), check=False)
    check(done.returncode == 0, "a run on this machine", done.stdout)

    process = subprocess.Popen(**command("slurm", arguments.cores, there))
    submitted = ["squeue", "--noheader", "--states=R,PD", "--format=%A"]
    while not (jobs := subprocess.check_output(submitted, text=True).split()) and process.poll() is None:
        time.sleep(0.5)
    check(bool(jobs), "the run on Slurm submits jobs", process.communicate()[0] if process.poll() is not None else "")
    subprocess.run(["scancel", jobs[0]], check=True)
    output, _ = process.communicate()
    check(process.returncode != 0, "a run whose cluster job is cancelled fails", output)
    done = subprocess.run(**command("slurm", arguments.cores, there), check=False)
    check(done.returncode == 0, "the next run completes it", done.stdout)
    differ = differences(there, contents(here))
    check(not differ, f"{len(contents(here))} tables are the same bytes", ", ".join(differ))

    (there / "mine").mkdir()
    (there / "mine" / "killed.py").write_text(KILLED, encoding="utf-8")
    path = there / "tests" / "config.yaml"
    small = yaml.safe_load(path.read_text(encoding="utf-8"))
    small["model_folders"] = ["mine"]
    small["only_datasets"] = ["rps"]
    small["models"]["killed"] = {"once": True}
    small["protocols"]["written"]["models"].append("killed")
    path.write_text(yaml.safe_dump(small), encoding="utf-8")
    done = subprocess.run(**command("slurm", arguments.cores, there), check=False)
    check(done.returncode == 0, "a killed fit is tried again", done.stdout)
    small["models"]["killed"] = {"once": False}
    path.write_text(yaml.safe_dump(small), encoding="utf-8")
    done = subprocess.run(**command("slurm", arguments.cores, there), check=False)
    named = "/killed.log ends with" in done.stdout[-2000:]
    check(done.returncode != 0 and named, "a killed fit is named in the last lines", done.stdout)
    print(f"Kept: {base}")


if __name__ == "__main__":
    main()
