"""The options of `read_games` and `read_matchups` as flags of a command line; nothing that is slow to import."""

from __future__ import annotations

import argparse
from typing import Any

from transitivity.errors import InputError

#: The options, with what `argparse` needs to know: the flag is the name with hyphens.
READER: dict[str, dict[str, Any]] = {
    "format": {"help": "pgn, aligulac or results; guessed by default"},
    "members": {"nargs": "+", "help": "patterns of the members of an archive"},
    "series": {"help": "rows of several games: 'games' (the default), or 'share', one game with a share as its score"},
    "first": {"help": "first day, YYYY-MM-DD"},
    "last": {"help": "last day"},
    "player_a": {"help": "tables: column of the first player"},
    "player_b": {"help": "column of the second player"},
    "name_a": {"help": "column of the first player's name, where player_a is an id"},
    "name_b": {"help": "column of the second player's name"},
    "names": {"help": "table of names (.csv): as the files write it, as the player is to be called"},
    "winner": {"help": "column of the winner's name"},
    "draw": {"nargs": "+", "help": "what that column holds for a draw"},
    "score_a": {"help": "column of the first player's score"},
    "score_b": {"help": "column of the second player's score"},
    "outcome": {"help": "column of labels"},
    "outcomes": {"nargs": "+", "metavar": "LABEL=SCORE", "help": "what labels mean: H=1 D=0.5 A=0 void=none"},
    "wins_a": {"help": "column of wins"},
    "draws": {"help": "column of draws"},
    "wins_b": {"help": "column of losses"},
    "row": {"help": "what a row is: game, series or pair"},
    "where": {
        "nargs": "+",
        "metavar": "COLUMN=VALUE",
        "help": "only rows with one of these values; also COLUMN!=VALUE, COLUMN>=VALUE, COLUMN<=VALUE, COLUMN~=PATTERN",
    },
    "date": {"help": "column of dates: games are put in their order"},
    "date_format": {"help": "how dates are written, such as %%d/%%m/%%Y, or unix; by default ISO, or YYYYMMDD"},
    "game_id": {"help": "column that tells rows of the same game"},
    "dummies": {"nargs": "+", "help": "names of nobody, such as bye"},
    "case_sensitive": {
        "action": argparse.BooleanOptionalAction,
        "help": "whether names that differ by case are different players",
    },
    "table": {"help": "table of a SQLite file"},
    "delimiter": {"help": "what separates cells"},
    "encoding": {"help": "encoding of a text that is not UTF-8, such as gb18030"},
    "bots": {"help": "PGN: keep or drop games of bots"},
    "variants": {"help": "PGN: keep or drop games of other variants"},
    "repeats": {"help": "PGN, Aligulac: keep or drop repeated games"},
    "ratings": {"nargs": "+", "help": "PGN: 'elite', or the two ratings that players need"},
    "races": {"help": "Aligulac: ignore or split"},
    "games": {"nargs": "+", "help": "Aligulac: versions to count"},
    "schema": {"help": "Aligulac: schema of the tables"},
    "match_table": {"help": "Aligulac: table of the series"},
    "player_table": {"help": "Aligulac: table of the players"},
}
#: Options of `read_games` alone.
IN_ORDER = ("series",)


def add(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    """Add the flags to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    without : tuple of str
        Options that the command does not have.
    """
    group = parser.add_argument_group("options of the reader (docs/results_files.md)")
    for name, known in READER.items():
        if name not in without:
            group.add_argument(f"--{name.replace('_', '-')}", default=None, **known)


def path(arguments: argparse.Namespace) -> str | list[str]:
    """Return the files that were given as `path`."""
    return arguments.path[0] if len(arguments.path) == 1 else arguments.path


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given, as the readers take them.

    Raises
    ------
    InputError
        If a value cannot be read.
    """
    options = {name: value for name in READER if (value := getattr(arguments, name, None)) is not None}
    if "outcomes" in options:
        options["outcomes"] = {
            label: None if score.lower() == "none" else number(score, "--outcomes")
            for label, score in _pairs(options["outcomes"], "--outcomes")
        }
    if "where" in options:
        where: dict[str, Any] = {}
        for column, value in _pairs(options["where"], "--where"):
            word = {"!": "not", ">": "min", "<": "max", "~": "like"}.get(column[-1:], "in")
            asked = where.setdefault(column.rstrip("!<>~"), {})
            asked[word] = value if word in ("min", "max") else [*asked.get(word, ()), value]
        options["where"] = where
    if "ratings" in options:
        ratings = options["ratings"]
        options["ratings"] = ratings[0] if len(ratings) == 1 else [int(number(one, "--ratings")) for one in ratings]
    return options


def number(text: str, flag: str) -> float:
    """Return the number that a flag was given.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{flag} is {text!r}; give a number, see --help.") from error


def _pairs(given: list[str], flag: str) -> list[tuple[str, str]]:
    """Return texts NAME=VALUE as pairs."""
    for text in given:
        if "=" not in text:
            raise InputError(f"{flag} has {text!r}; write it as NAME=VALUE.")
    return [(name, value) for name, _, value in (text.rpartition("=") for text in given)]
