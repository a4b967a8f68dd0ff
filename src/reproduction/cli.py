"""What the scripts of the pipeline share: arguments, a log, and errors that are one sentence."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from transitivity.errors import InputError, NotConvergedWarning
from transitivity.files import write_table

if TYPE_CHECKING:
    import pandas as pd


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of a script's arguments whose --help starts with a text as it stands, the script's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def write_of_league(table: pd.DataFrame, path: Path, arguments: argparse.Namespace) -> None:
    """Write a table about a league, which its first columns name: dataset, dataset_label, simulated."""
    about = arguments.about
    table.insert(0, "dataset", arguments.dataset)
    table.insert(1, "dataset_label", about.get("label", arguments.dataset))
    table.insert(2, "simulated", bool(about.get("simulated")))
    write_table(table, path)


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
