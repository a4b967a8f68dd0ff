"""What the scripts of the pipeline share: arguments, a log, and errors that are one sentence."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transitivity.errors import InputError, NotConvergedWarning
from transitivity.files import write_table

if TYPE_CHECKING:
    import pandas as pd


#: Arguments of several scripts.
_SHARED: dict[str, dict[str, Any]] = {
    "dataset": {"required": True, "help": "id of the dataset, or of the league"},
    "payoff": {"required": True, "type": Path, "help": "its payoff (.npz)"},
    "about": {"type": json.loads, "default": {}, "help": 'JSON: {"label": "Football", "simulated": false}'},
    "options": {"type": json.loads, "default": {}, "help": 'JSON: {"format": "pgn", "ratings": "elite"}'},
    "seed": {"type": int, "default": 42, "help": "seed of the configuration"},
    "paper": {"type": Path, "default": "workflow/paper", "help": "folder of the paper's numbers"},
    "dataset-table": {"type": Path, "help": "results/datasets.csv: labels, simulated or not"},
}


def parser(description: str | None, *shared: str) -> argparse.ArgumentParser:
    """Return a parser of a script's arguments whose --help starts with a text as it stands, the script's docstring.

    Parameters
    ----------
    description : str
        The text.
    *shared : str
        Arguments that other scripts have, too.
    """
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in shared:
        made.add_argument(f"--{name}", **_SHARED[name])
    return made


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
