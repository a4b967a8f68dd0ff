"""Who wins, one player or another, with intervals: from a league of a run, or from a file of counts by pair.

All games of the league count, whatever thresholds the run has. Where there are draws, the model is Davidson's
(`transitivity.models.Davidson`), otherwise Elo; the prior is tuned on the games (`transitivity.measures.players`). The
intervals are about what the games tell of the two ratings: they hold as far as ratings describe the league.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction import cli
from transitivity.errors import InputError, check_number, did_you_mean
from transitivity.files import read_json, read_table
from transitivity.matchups.table import load_matchups
from transitivity.matchups.tally import COUNTS
from transitivity.payoff.core import Payoff

if TYPE_CHECKING:
    import pandas as pd

#: The configuration that every other one is laid over.
CONFIG = Path("config.yaml")


def parse(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--config YAML] DATASET A B | --payoff FILE A B",
    )
    parser.add_argument(
        "words", nargs="+", metavar="DATASET A B", help="id of a league or dataset, and the two players"
    )
    parser.add_argument("--config", type=Path, help="the configuration of the run (default: config.yaml)")
    parser.add_argument(
        "--payoff",
        type=Path,
        help="in place of a dataset of a run: a table with the columns player_a, "
        "player_b, wins_a, draws, wins_b, or a payoff with the games of its pairs",
    )
    parser.add_argument("--level", type=float, default=0.9, help="of the interval (default: 0.9)")
    return parser.parse_args(given)


def main(arguments: argparse.Namespace) -> None:
    if len(arguments.words) != (3 if arguments.payoff is None else 2):
        raise InputError("Give a dataset and two players, DATASET A B, or --payoff FILE A B.")
    *dataset, a, b = arguments.words
    level = check_number("level", arguments.level, 0, 1, above_low=True)
    # A file of counts is not part of a run, and so has neither a seed nor a verdict.
    seed, cyclic = 1, []
    if arguments.payoff:
        found = _of_file(arguments.payoff)
    else:
        found, seed, cyclic = _of_run(arguments.config, *dataset)
    counts = None if isinstance(found, Payoff) else found
    payoff = found if isinstance(found, Payoff) else Payoff.from_counts(found)
    i, j = payoff.index(a), payoff.index(b)
    if i == j:
        raise InputError(f"{a!r} is given twice; give two players.")

    from scipy.special import expit, ndtri

    from transitivity.measures.players import (
        EQUAL_LEVEL,
        FALSE_DISCOVERIES,
        POINTS,
        RatedLeague,
        chance,
        differ,
        pair_scores,
    )
    from transitivity.models import Davidson
    from transitivity.seeding import generator

    # What the run has drawn, so that it says the same.
    league = RatedLeague(payoff, generator(seed, "players"))
    if counts is not None and counts["draws"].any():
        model = Davidson(league.precision).fit(counts)
        chances = model.predict(i, j).tolist()
        chances.append(chances[0] + chances[1] / 2)
        named = zip(("win", "draw", "loss", "expected score"), chances, model.interval(i, j, level), strict=True)
        print(f"{a} against {b}, with {100 * level:g} % intervals:")
        print("\n".join(f"  {name:15}{chance(p)}, {chance(low)} to {chance(high)}" for name, p, (low, high) in named))
    else:
        x, deviation = league.difference(i, j)
        half = ndtri((1 + level) / 2) * deviation
        ends = f"{chance(expit(x - half))} to {chance(expit(x + half))}"
        print(f"P({a} beats {b}) = {chance(expit(x))}, {100 * level:g} % interval {ends}.")
    if league.p_equal > EQUAL_LEVEL:
        print(differ(league.p_equal))
    elif league.apart and league.apart not in (a, b):
        print(differ(league.p_equal, league.apart, league.p_others))
    if cyclic:
        named = ", ".join(cyclic)
        print(f"The verdict on {named} is cyclic: ratings explain it badly, and intervals do not allow for that.")
    prior = POINTS * league.prior_deviation
    print(f"The prior on the ratings has a standard deviation of {prior:.0f} points.")
    met = ((payoff.i == min(i, j)) & (payoff.j == max(i, j))).nonzero()[0]
    if len(met):
        games = payoff.games[met[0]]
        score = games * (payoff.p[met[0]] if i < j else 1 - payoff.p[met[0]])
        print(f"They met in {games:g} game{'' if games == 1 else 's'}, of which {a} scored {score:g}.")
        of_pair = pair_scores(league).iloc[met[0]]
        if of_pair["q_value"] <= FALSE_DISCOVERIES:
            print(
                f"These games fit the ratings badly, which without them expect {of_pair['player_a']} to score "
                f"{of_pair['expected']:.1f}, not {of_pair['observed']:g}, of {games:g}: do not rely on the prediction."
            )
    else:
        print("These data have no games between them.")
    if league.component[i] != league.component[j]:
        print("In these data no chain of opponents connects them, so this is hardly more than a guess.")


def _of_file(path: Path) -> pd.DataFrame | Payoff:
    """Return the counts by pair of a table that has their columns, the payoff of any other file."""
    if path.suffix.lower() in (".csv", ".tsv") and path.is_file():
        with open(path, encoding="utf-8", errors="replace") as file:
            header = file.readline()
        if all(column in header for column in COUNTS):
            from transitivity.sources.read import read_matchups

            return read_matchups(path, case_sensitive=True)
    return Payoff.from_file(path)


def _of_run(config: Path | None, dataset: str) -> tuple[pd.DataFrame | Payoff, int, list[str]]:
    """Return the matchups of a league of a run, which may be named by one of its datasets; or a payoff without one.

    Beside it, the seed of the run, and which of its datasets of that league are called cyclic.
    """
    import yaml

    from transitivity.disc.component import CYCLIC

    merged = {}
    for path in (CONFIG, config):
        if path is not None:
            try:
                merged |= yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            except (OSError, yaml.YAMLError) as error:
                raise InputError(f"{path} cannot be read ({error}); give a configuration.") from error
    results = Path(merged["results"])
    about, payoff = (results / "payoffs" / f"{dataset}.{suffix}" for suffix in ("json", "npz"))
    league = read_json(about).get("league", dataset) if about.is_file() else dataset
    matchups = results / "matchups" / f"{league}.csv"
    seed, cyclic = int(merged.get("seed", 1)), []
    measured = results / "tables" / "transitivity.csv"
    if measured.is_file():
        verdicts = read_table(measured, text=("dataset", "verdict_logit"))
        for one in verdicts.dataset[verdicts.verdict_logit == CYCLIC]:
            about = results / "payoffs" / f"{one}.json"
            if one == dataset or (about.is_file() and read_json(about).get("league") == league):
                cyclic.append(one)
    if matchups.is_file():
        return load_matchups(matchups), seed, cyclic
    if payoff.is_file():
        return Payoff.load(payoff), seed, cyclic
    known = sorted({one.stem for pattern in ("matchups/*.csv", "payoffs/*.npz") for one in results.glob(pattern)})
    hint = did_you_mean(dataset, known) if known else "run the pipeline with this configuration first."
    raise InputError(f"{results} has no games of {dataset!r}; {hint}")


if __name__ == "__main__":
    parsed = parse()
    cli.run(lambda: main(parsed))
