"""Limits of time for code that may be a user's own.

Another process keeps the time: code in C that hangs would notice neither a signal nor a thread of Python.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

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
    parent = os.getpid()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(write)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            # The other process writes when it is done; the pipe ends when it dies.
            if not select.select([read], [], [], 60 * float(minutes))[0] and os.getppid() == parent:
                sentence = f"error: {what} took longer than {minutes} minutes; correct it, or raise limits.{key}.\n"
                os.write(2, sentence.encode())
                os.kill(parent, signal.SIGKILL)
        finally:
            os._exit(0)
    os.close(read)
    try:
        yield
    except SystemExit as error:
        raise InputError(f"{what} ended by SystemExit: {error}; raise an error instead.") from error
    finally:
        # What is done may have closed the pipe, left processes that hold it open, or waited for every child.
        with suppress(OSError):
            os.write(write, b"\0")
            os.close(write)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)
