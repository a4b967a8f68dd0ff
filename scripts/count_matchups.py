"""Count the games of some files of a league by pair of players.

--output has one row an unordered pair: player_a, player_b, wins_a, draws, wins_b. Beside it, with the suffix .json:
games, dropped and noted (how often, by reason), located (where first), files (path, sha256, bytes) and ignore_case
(whether names that differ by case only are one player).
"""

from __future__ import annotations

import logging
from pathlib import Path

from reproduction import cli
from reproduction.downloads.provenance import describe
from transitivity.matchups.table import save_matchups


def main() -> None:
    parser = cli.parser(__doc__, "options")
    parser.add_argument("--files", nargs="+", required=True, help="what to read, one after the other")
    parser.add_argument("--output", required=True, type=Path, help="the counts (.csv)")
    arguments = parser.parse_args()
    from transitivity import read_matchups
    from transitivity.sources import read as formats

    options = arguments.options
    if "format" not in options:
        options["format"] = formats.guess(arguments.files)
    frame = read_matchups(arguments.files, **options)
    logging.info("%d games of %d pairs; left out: %s", frame.attrs["games"], len(frame), frame.attrs["dropped"])
    about = {
        "files": [describe(path) for path in arguments.files],
        "ignore_case": options["format"] == "pgn" or options.get("case_sensitive") is False,
    }
    save_matchups(frame, arguments.output, **about)


if __name__ == "__main__":
    cli.run(main)
