"""What the scripts of the pipeline share: arguments, a log, and errors that are one sentence."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable

from transitivity.errors import InputError, NotConvergedWarning


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of a script's arguments whose --help starts with a text as it stands, the script's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def run(main: Callable[[], int | None]) -> None:
    """Run a script's main function and exit; bad input ends it with one sentence and exit code 1.

    Parameters
    ----------
    main : callable
        Takes nothing and returns the exit code, None for 0; raises InputError for bad input.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    # matplotlib embeds fonts with fontTools, which logs every glyph.
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    # Tables count the fits that did not converge.
    warnings.simplefilter("ignore", NotConvergedWarning)
    try:
        sys.exit(main())
    except InputError as error:
        sys.exit(f"error: {error}")
