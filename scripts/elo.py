"""Sequential Elo ratings of a file of games, or after one game, as JSON on the standard output (docs/sequential.md)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from transitivity.sources import options

# What reads files and rates takes a second to import, so it is imported where it is used: --help needs none of it.


def parse(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, usage="%(prog)s FILE ... [options] | --a A --b B --score SCORE [options] | --verify"
    )
    parser.add_argument(
        "path", nargs="*", metavar="FILE", help="files of games, before the options: whatever read_matchups reads"
    )
    game = parser.add_argument_group("one game in place of a file")
    game.add_argument("--a", type=float, help="rating of a")
    game.add_argument("--b", type=float, help="rating of b")
    game.add_argument("--score", type=float, help="what a scored: 1, 0.5, 0, or a share of the points")
    elo = parser.add_argument_group("ratings")
    elo.add_argument(
        "--k",
        default="32",
        help="a number; 'fide'; or rows GAMES:RATING:K with commas between them, of which the first applies whose "
        "games a player has not reached and whose rating it is below: 30::40,:2400:20,::10 (default: 32)",
    )
    elo.add_argument("--initial", type=float, default=1500.0, help="rating of newcomers (default: 1500)")
    elo.add_argument("--floor", type=float, help="no rating falls below it")
    elo.add_argument(
        "--advantage", type=float, default=0.0, help="points of the first move or of playing at home, for a"
    )
    elo.add_argument("--recentre", action="store_true", help="keep the mean of all ratings at that of newcomers")
    elo.add_argument(
        "--period",
        choices=("day", "week", "month", "year"),
        help="rating period; by default games of one moment form one, and other games none",
    )
    elo.add_argument("--level", type=float, default=0.95, help="of the intervals (default: 0.95)")
    elo.add_argument("--verify", action="store_true", help="run checks in place of rating; exit with 1 if one fails")
    options.add(parser)
    return parser.parse_args(given)


def main(arguments: argparse.Namespace) -> int:
    """Print ratings or checks; return the exit code."""
    from transitivity.errors import InputError
    from transitivity.online import document
    from transitivity.online.elo import OnlineElo

    one = {name: getattr(arguments, name) for name in ("a", "b", "score")}
    ways = bool(arguments.path) + any(value is not None for value in one.values()) + arguments.verify
    if ways != 1 or (not arguments.path and not arguments.verify and None in one.values()):
        raise InputError("Give files of games, or one game by --a, --b and --score, or --verify.")
    if arguments.verify:
        return _verify()
    elo = OnlineElo(
        k=_k(arguments.k),
        initial=arguments.initial,
        floor=arguments.floor,
        recentre=arguments.recentre,
        advantage=arguments.advantage,
        period=arguments.period,
    )
    if not arguments.path:
        elo.start({"a": arguments.a, "b": arguments.b})
        elo.update("a", "b", arguments.score)
        return _print(document.document(elo, arguments.level))
    from transitivity.sources.games import read_games

    games = read_games(options.path(arguments), **options.given(arguments))
    document.rate(games, elo)
    dates = [None if games["time"].isna().any() else str(games["time"].iloc[place]) for place in (0, -1)]
    return _print(
        document.document(
            elo,
            arguments.level,
            order=games.attrs["order"],
            first=dates[0],
            last=dates[1],
            dropped=games.attrs["dropped"],
            noted=games.attrs["noted"],
        )
    )


def _verify() -> int:
    from transitivity.online import verify

    checks = verify.checks()
    passed = all(check["passed"] for check in checks)
    _print({"passed": passed, "checks": checks})
    return 0 if passed else 1


def _print(value: dict[str, Any]) -> int:
    try:
        print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False), flush=True)
    except BrokenPipeError:
        # Who reads has seen enough, as `head` has; Python must not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _k(given: str) -> Any:
    """Return K, or a schedule."""
    from transitivity.errors import InputError
    from transitivity.online.elo import FIDE

    if given == "fide":
        return FIDE
    if ":" not in given:
        return options.number(given, "--k")
    rows = [row.split(":") for row in given.split(",")]
    if any(len(row) != 3 for row in rows):
        raise InputError(f"--k is {given}; give a number, fide, or rows GAMES:RATING:K with commas between them.")
    return [tuple(options.number(cell, "--k") if cell else None for cell in row) for row in rows]


if __name__ == "__main__":
    parsed = parse()

    from reproduction import cli

    cli.run(lambda: main(parsed))
