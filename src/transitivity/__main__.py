"""Ratings of a file of results, and the verdict: `python -m transitivity results.csv --winner winner`."""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import TYPE_CHECKING

from transitivity.errors import InputError, amount
from transitivity.sources import options

if TYPE_CHECKING:
    from transitivity.measures.evidence import Evidence
    from transitivity.models import Davidson

#: Shown of the table of ratings, and how.
SHOWN = {
    "rank": "{:d}", "player": "{}", "points": "{:.0f}", "points_low": "{:.0f}", "points_high": "{:.0f}",
    "rank_low": "{:d}", "rank_high": "{:d}", "games": "{:g}", "opponents": "{:d}", "p_best": "", "note": "{}",
}  # fmt: skip


def parse(given: list[str] | None = None) -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m transitivity",
        description="Print the ratings of a file of results, with 90 % intervals, and whether the results are "
        "transitive.",
        usage="%(prog)s FILE ... [options]",
    )
    parser.add_argument(
        "path", nargs="+", metavar="FILE", help="files of results, before the options: whatever read_matchups reads"
    )
    parser.add_argument("--top", type=int, default=25, metavar="N", help="players to print; 0 for all (default: 25)")
    parser.add_argument(
        "--advantage",
        action="store_true",
        help="estimate the advantage of who is named first in a game, moved first or played at home; wrong where the "
        "winner is named first",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="of what is drawn; a run with the same seed draws the same (default: 1)"
    )
    options.add(parser, without=options.IN_ORDER)
    return parser.parse_args(given)


def main(arguments: argparse.Namespace) -> None:
    """Print ratings and the verdict."""
    if arguments.seed < 0:
        raise InputError(f"--seed is {arguments.seed}; give a whole number from 0.")
    from transitivity.matchups.tally import COUNTS
    from transitivity.measures import players
    from transitivity.measures.evidence import transitivity_evidence
    from transitivity.models import Davidson
    from transitivity.models._davidson import check_advantage, outcomes
    from transitivity.payoff.core import Payoff
    from transitivity.seeding import generator
    from transitivity.sources.games import read_games
    from transitivity.sources.read import read_matchups

    games = read_games(options.path(arguments), **options.given(arguments)) if arguments.advantage else None
    if games is not None:
        # Before the ratings, which may take a minute.
        check_advantage(outcomes(games["score"].to_numpy()))
    frame = read_matchups(options.path(arguments), **options.given(arguments))
    payoff = Payoff.from_counts(frame)
    n_games = float(frame[list(COUNTS)].to_numpy().sum())
    left_out = "; ".join(f"{reason}: {times}" for reason, times in frame.attrs["dropped"].items())
    sizes = ((payoff.n_players, "player"), (payoff.n_pairs, "pair"), (round(n_games), "game"))
    print(f"{', '.join(amount(*size) for size in sizes)}.")
    if left_out:
        print(f"Left out: {left_out}.")
    if noted := frame.attrs["noted"]:
        located = frame.attrs["located"]
        print(f"Noted: {'; '.join(f'{what} ({located[what]})' for what in noted)}.")
    league = players.RatedLeague(payoff, generator(arguments.seed, "players"))
    table = players.ratings_table(league, with_disc=False)
    print(f"\n{players.differ(league.p_equal, league.apart, league.p_others)}")
    print(
        "\nElo points around a mean of 0, with 90 % intervals; a draw counts as half a win. They rest on the games and "
        f"on a prior, normal with a standard deviation of {table['prior_points'].iloc[0]:.0f} points.\n"
    )
    shown = table.head(arguments.top) if arguments.top > 0 else table
    shown = shown.assign(**{name: shown[name].round() + 0.0 for name in ("points", "points_low", "points_high")})
    cells = [
        [players.chance(v) if name == "p_best" else form.format(v) for v in shown[name]] for name, form in SHOWN.items()
    ]
    columns = [[name.replace("_", " "), *column] for name, column in zip(SHOWN, cells, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        line = (
            c.ljust(w) if n in ("player", "note") else c.rjust(w) for n, c, w in zip(SHOWN, row, widths, strict=True)
        )
        print("  ".join(line).rstrip())
    if len(shown) < len(table):
        print(f"… and {amount(len(table) - len(shown), 'more player')}; --top 0 prints all.")
    others = int((table["component"] > 1).sum())
    if others:
        print(
            f"\n{amount(others, 'player')} never met the largest group, directly or through others: ratings of "
            "different groups cannot be compared, and each group has its own ranks."
        )
    if games is not None or frame["draws"].any():
        model = Davidson(league.precision, arguments.advantage).fit(frame if games is None else games)
        print(f"\n{between_equals(model)}")
    if games is not None:
        print("Neither the ratings above nor the verdict below take into account who was first.")
    evidence = transitivity_evidence(payoff, rng=generator(arguments.seed, "evidence"))
    print(f"\n{verdict(evidence, payoff.n_players)}")


def between_equals(model: Davidson) -> str:
    """Return what is expected of a game of equals, in sentences: draws, and the advantage of who is first."""
    (win, draw, _), ends = model.predict(0, 0), model.interval(None, None)
    said = []
    if model.draw_:
        said.append(f"{_percent(draw, *ends[1])} of the games are drawn")
    if model.advantage:
        said.append(f"who is first scores {_percent(win + draw / 2, *ends[3])} of the points")
    return f"Between equals {', and '.join(said)} (with 90 % intervals)."


def _percent(share: float, low: float, high: float) -> str:
    """Return a share with its interval, in the digits that it has."""
    digits = 1 if high - low < 0.03 else 0
    value, *ends = (f"{100 * one:.{digits}f}" for one in (share, low, high))
    return f"{value} % [{ends[0]}, {ends[1]}]"


def verdict(evidence: Evidence, n_players: int) -> str:
    """Return what the results say about transitivity, in sentences.

    Parameters
    ----------
    evidence : Evidence
    n_players : int
        On how many players it rests.
    """
    from transitivity.disc.component import BY_GRAPH, CYCLIC, TRANSITIVE
    from transitivity.measures.evidence import LEVEL, MULTIPLES, PLANTED, POWER, games_in_words

    odds = 100 / (1 + math.exp(-PLANTED))
    # Of a hundred cycles that were planted, none or all says no more than this.
    power = (
        "below 0.01" if evidence.power < 0.01 else "above 0.99" if evidence.power > 0.99 else f"of {evidence.power:.2f}"
    )
    seen = (
        f"Cycles of a size that typically changes a chance of winning from 50 % to {odds:.0f} % would be seen with a "
        f"probability {power}"
    )
    p = "p > 0.99" if evidence.p_value > 0.99 else f"p = {evidence.p_value:.2g}"
    p += f", from {evidence.n_resamples} draws"
    taken = "The games of a pair are taken as independent, with one probability."
    if evidence.verdict == BY_GRAPH:
        return "Verdict: nothing to test. The pairs that met form no cycle, so ratings fit any results."
    if evidence.verdict == CYCLIC:
        without = ""
        # Fewer than three players have no cycle, whatever the results of the others.
        if n_players == 3:
            without = " It hangs on any one of these players: two alone have no cycle."
        elif evidence.hinges and n_players - len(evidence.hinges) >= 3:
            together = " (all of them together)" if len(evidence.hinges) > 1 else ""
            without = f" Without the games of {'; '.join(evidence.hinges)}{together} it would not be called cyclic."
        return (
            "Verdict: cyclic. Ratings explain the results badly, even with a consistency for each player and a share "
            f"of games that luck decides ({p}), and majorities form a cycle.{without} {taken}"
        )
    if evidence.p_value <= LEVEL:
        return (
            f"Verdict: undecided. Ratings explain the results badly ({p}), but the majorities of all pairs agree with "
            f"an order of the players. {taken}"
        )
    agrees = f"The results do not contradict an order of the players ({p})."
    if evidence.verdict == TRANSITIVE:
        return f"Verdict: transitive. {agrees} {seen}; smaller ones may be missed. {taken}"
    if math.isinf(evidence.games_needed):
        more = (
            f"Not even {MULTIPLES[-1]} times as many games among the same pairs would show them with a probability of "
            f"{POWER}: where players differ much, or few pairs met, many such cycles turn no majority."
        )
    else:
        needed = games_in_words(evidence.games_needed)
        more = f"To see them with a probability of {POWER} it takes {needed} games in all, among the same pairs."
    return f"Verdict: undecided. {agrees} {seen}. {more} {taken}"


if __name__ == "__main__":
    try:
        main(parse())
        sys.stdout.flush()
    except InputError as error:
        sys.exit(f"error: {error}")
    except BrokenPipeError:
        # Who reads has seen enough, as `head` has; Python must not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
