"""Run Snakemake after removing the locks that a killed run left behind: python -m reproduction.alone OPTIONS

Snakemake's own locks are files, which stay after a SIGKILL. Every run that starts here also holds a shared lock of the
kernel on .snakemake/make.lock, which is released however the run ends: if nobody holds it, no run is alive.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import yaml


def remove_stale_locks(folder: Path) -> int:
    """Remove Snakemake's locks if no run is alive; return the open file whose lock this process shares from then on."""
    folder.mkdir(exist_ok=True)
    shared = os.open(folder / "make.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stale = list((folder / "locks").glob("*"))
    except BlockingIOError:
        # Another run is alive and needs its locks.
        stale = []
    for lock in stale:
        lock.unlink()
    fcntl.flock(shared, fcntl.LOCK_SH)
    os.set_inheritable(shared, True)
    return shared


def check_nodes(profile: str, cores: str | None) -> None:
    """Stop if the profile asks Slurm for more cores than its largest node has: such jobs would wait for ever.

    Parameters
    ----------
    profile : str
        The folder of the profile.
    cores : str, optional
        The cores of a cluster job; by default what the profile says.
    """
    settings = yaml.safe_load(Path(profile, "config.yaml").read_text(encoding="utf-8"))
    if settings.get("executor") != "slurm":
        return
    asked = int(cores or settings["cores"])
    partition = settings.get("default-resources", {}) or {}
    chosen = ["--partition", partition["slurm_partition"]] if "slurm_partition" in partition else []
    try:
        found = subprocess.run(
            ["sinfo", "--noheader", "--format=%c", *chosen], capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        sys.exit("error: there is no command sinfo; run this on a login node of a Slurm cluster.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: Slurm does not answer: {error.stderr.strip()}")
    largest = max((int(line.strip("+ ")) for line in found.stdout.splitlines()), default=0)
    if asked > largest:
        sys.exit(
            f"error: a cluster job asks for {asked} cores, and the largest node has {largest}; give CORES={largest} "
            f"or another partition ({profile}/config.yaml)."
        )


def run_snakemake() -> None:
    """Run Snakemake in this process, with the options of the command line.

    For its limit of 100 jobs a second, Snakemake starts a timer for each job that wakes the scheduler once a second for
    the rest of the run: after some hundred jobs that takes a third of a core. The end of a job wakes it, too.
    """
    from snakemake.cli import main
    from snakemake.scheduling.job_scheduler import JobScheduler

    setattr(JobScheduler, "_schedule_reevalutation", lambda scheduler, delay: None)  # noqa: B010
    main()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile")
    parser.add_argument("--cores")
    given, _ = parser.parse_known_args()
    if given.profile:
        check_nodes(given.profile, given.cores)
    remove_stale_locks(Path(".snakemake"))
    # Snakemake, and matplotlib in its jobs, would stop or complain where the user's home cannot be written to.
    os.environ.setdefault("XDG_CACHE_HOME", os.path.abspath(".snakemake/cache"))
    run_snakemake()
