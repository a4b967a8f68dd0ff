"""Limits of time for code that may be a user's own.

Another process keeps the time: code in C that hangs would notice neither a signal nor a thread of Python.
"""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache

from transitivity.errors import InputError


def take(limits: Mapping[str, float]) -> None:
    """Take the limits of a configuration, for this process and those that it starts."""
    os.environ |= {f"TRANSITIVITY_{key.upper()}": str(minutes) for key, minutes in limits.items()}


@contextmanager
def limited(key: str, what: str) -> Iterator[None]:
    """End this process with one sentence if what is done takes longer than a limit; without limits there is none.

    Parameters
    ----------
    key : str
        That of the limit, of those under `limits` in the configuration.
    what : str
        What is done, as the sentence starts.

    Raises
    ------
    InputError
        If what is done would end this process by itself, as `sys.exit` does.
    """
    minutes = os.environ.get(f"TRANSITIVITY_{key.upper()}")
    if minutes is None:
        yield
        return
    pipe = _watcher(os.getpid())
    sentence = f"error: {what} took longer than {minutes} minutes; correct it, or raise limits.{key}.\n"
    # What is done may close the pipe.
    with suppress(OSError):
        os.write(pipe, json.dumps([float(minutes), sentence]).encode() + b"\n")
    try:
        yield
    except SystemExit as error:
        raise InputError(f"{what} ended by SystemExit: {error}; raise an error instead.") from error
    finally:
        with suppress(OSError):
            os.write(pipe, b"done\n")


@cache
def _watcher(parent: int) -> int:
    """Start the process that keeps the time of this one; return a pipe for the start and the end of each limit.

    There is one for all fits of a job, because starting it takes 9 ms of a process with numpy, scipy and pandas.
    """
    read, write = os.pipe()
    if os.fork():
        os.close(read)
        return write
    try:
        os.close(write)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with open(read, "rb", buffering=0) as lines:
            # The pipe ends when the other process, and all that it left behind, ended.
            while line := lines.readline():
                minutes, sentence = json.loads(line)
                if not select.select([lines], [], [], 60 * minutes)[0]:
                    if os.getppid() == parent:
                        os.write(2, sentence.encode())
                        os.kill(parent, signal.SIGKILL)
                    break
                lines.readline()
    finally:
        os._exit(0)
