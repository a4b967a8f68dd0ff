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

#: Shown of the table of ratings, and how.
SHOWN = {
    "rank": "{:d}", "player": "{}", "points": "{:.0f}", "points_low": "{:.0f}", "points_high": "{:.0f}",
    "rank_low": "{:d}", "rank_high": "{:d}", "games": "{:g}", "opponents": "{:d}", "p_best": "{:.2f}", "note": "{}",
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
    options.add(parser, without=options.IN_ORDER)
    return parser.parse_args(given)


def main(arguments: argparse.Namespace) -> None:
    """Print ratings and the verdict."""
    from transitivity.matchups.tally import COUNTS
    from transitivity.measures import players
    from transitivity.measures.evidence import transitivity_evidence
    from transitivity.payoff.core import Payoff
    from transitivity.sources.read import read_matchups

    frame = read_matchups(options.path(arguments), **options.given(arguments))
    payoff = Payoff.from_counts(frame)
    n_games = float(frame[list(COUNTS)].to_numpy().sum())
    left_out = "; ".join(f"{reason}: {times}" for reason, times in frame.attrs["dropped"].items())
    print(f"{payoff.n_players} players, {payoff.n_pairs} pairs, {n_games:g} games.")
    if left_out:
        print(f"Left out: {left_out}.")
    league = players.RatedLeague(payoff)
    table = players.ratings_table(league, with_disc=False)
    print("\nElo points around a mean of 0, with 90 % intervals:\n")
    shown = table.head(arguments.top) if arguments.top > 0 else table
    shown = shown.assign(**{name: shown[name].round() + 0.0 for name in ("points", "points_low", "points_high")})
    cells = [[form.format(value) for value in shown[name]] for name, form in SHOWN.items()]
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
    print(f"\n{verdict(transitivity_evidence(payoff))}")


def verdict(evidence: Evidence) -> str:
    """Return what the results say about transitivity, in sentences.

    Parameters
    ----------
    evidence : Evidence
    """
    from transitivity.disc.component import BY_GRAPH, CYCLIC, TRANSITIVE
    from transitivity.measures.evidence import LEVEL, PLANTED, POWER, games_in_words

    odds = 1 / (1 + math.exp(-PLANTED))
    # Of a hundred cycles that were planted, none or all says no more than this.
    power = (
        "below 0.01" if evidence.power < 0.01 else "above 0.99" if evidence.power > 0.99 else f"{evidence.power:.2f}"
    )
    seen = (
        f"Cycles that typically turn even games into {100 * odds:.0f} to {100 - 100 * odds:.0f} % would be seen with a "
        f"probability of {power}"
    )
    p = f"p = {evidence.p_value:.3f}"
    taken = "The games of a pair are taken as independent, with one probability."
    if evidence.verdict == BY_GRAPH:
        return "Verdict: nothing to test. The pairs that met form no cycle, so ratings fit any results."
    if evidence.verdict == CYCLIC:
        without = f" It hangs on {', '.join(evidence.hinges)}: without them it is not." if evidence.hinges else ""
        return (
            "Verdict: cyclic. No ratings explain the results, not even with a consistency for each player and a share "
            f"of games that luck decides ({p}), and majorities form a cycle.{without} {taken}"
        )
    if evidence.p_value <= LEVEL:
        return (
            f"Verdict: undecided. No ratings explain the results ({p}), but the majorities of all pairs agree with an "
            f"order of the players. {taken}"
        )
    agrees = f"The results do not contradict an order of the players ({p})."
    if evidence.verdict == TRANSITIVE:
        return f"Verdict: transitive. {agrees} {seen}; smaller ones may be missed. {taken}"
    needed = games_in_words(evidence.games_needed)
    return (
        f"Verdict: undecided. {agrees} {seen} only. To see them with a probability of {POWER} it takes {needed} games in "
        f"all, among the same pairs. {taken}"
    )


if __name__ == "__main__":
    try:
        main(parse())
        sys.stdout.flush()
    except InputError as error:
        sys.exit(f"error: {error}")
    except BrokenPipeError:
        # Who reads has seen enough, as `head` has; Python must not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
