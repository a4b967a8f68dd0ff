"""What the scripts of the pipeline share: a log, and errors that are one sentence."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from transitivity.errors import InputError


def run(main: Callable[[], None]) -> None:
    """Run a script's main function; bad input ends it with one sentence and exit code 1.

    Parameters
    ----------
    main : callable
        Takes nothing; raises InputError for bad input.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        main()
    except InputError as error:
        sys.exit(f"Error: {error}")
