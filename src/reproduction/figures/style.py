"""What the figures share: the style, files that are the same bytes each run, marks, and the drawings used twice.

Every drawing takes the table of the numbers that it draws, so that the CSV beside a figure is the figure.
Mathtext is off by default (`STYLE`): names of players, games and models are data and may hold a dollar sign;
the labels written here ask for it with ``parse_math=True``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from reproduction import cli
from transitivity.files import atomic_path, write_table

#: Widths of a column and of the text of AISTATS, in inches.
COLUMN_WIDTH, TEXT_WIDTH = 3.25, 6.75
#: Sizes of type in points, at the printed size. None is below 6.
SMALL, MEDIUM, LARGE = 6.5, 7.5, 8.5
#: The rc of every figure. Both families come with matplotlib, so that no figure depends on the machine's fonts.
STYLE: dict[Any, Any] = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],
    "font.size": MEDIUM,
    "mathtext.fontset": "stix",
    "text.parse_math": False,
    "text.usetex": False,
    "axes.titlesize": MEDIUM,
    "axes.labelsize": MEDIUM,
    "axes.linewidth": 0.6,
    "axes.titlepad": 3.0,
    "axes.labelpad": 2.0,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 2.0,
    "ytick.major.size": 2.0,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.pad": 1.5,
    "ytick.major.pad": 1.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.hashsalt": "transitivity",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
#: Wong's colour-blind-safe palette (Okabe and Ito).
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000 #E69F00 #56B4E9 #009E73 #F0E442 #0072B2 #D55E00 #CC79A7"
).split()


@contextmanager
def style() -> Iterator[None]:
    """Draw and save in the project's style, whatever the user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def argument_parser(documentation: str, *shared: str) -> argparse.ArgumentParser:
    """Return a parser with the flags of the three outputs that every figure has; its arguments are those of `cli`."""
    parser = cli.parser(documentation, *shared)
    parser.add_argument("--pdf", required=True, type=Path, help="output: the figure, vector")
    parser.add_argument("--png", required=True, type=Path, help="output: the figure, 200 dpi")
    parser.add_argument("--data", required=True, type=Path, help="output: the numbers drawn, CSV")
    return parser


def write(figure: Figure, data: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Write the outputs named by the flags of `argument_parser`, atomically; call this inside `style`.

    The same drawing gives the same bytes: neither picture says when or with what it was made.
    """
    with atomic_path(arguments.pdf) as temporary:
        figure.savefig(
            temporary, format="pdf", dpi=400, metadata={"CreationDate": None, "Creator": None, "Producer": None}
        )
    with atomic_path(arguments.png) as temporary:
        figure.savefig(temporary, format="png", dpi=200, metadata={"Software": None})
    write_table(data, arguments.data)
