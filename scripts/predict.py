"""The expected score of one player against another, with an interval: from a dataset of a run, or from a payoff file.

The prediction is that of an Elo whose prior is tuned on hidden pairs (`transitivity.measures.players`). The interval is
about what the games tell of the two ratings: it holds as far as ratings describe the league.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reproduction import cli
from transitivity.errors import InputError, amount, check_number, did_you_mean
from transitivity.payoff.core import Payoff

#: The configuration that every other one is laid over.
CONFIG = Path("config.yaml")


def parse(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--config YAML] DATASET A B | --payoff FILE A B",
    )
    parser.add_argument("words", nargs="+", metavar="DATASET A B", help="id of the dataset, and the two players")
    parser.add_argument("--config", type=Path, help="the configuration of the run (default: config.yaml)")
    parser.add_argument("--payoff", type=Path, help="a file of counts by pair, in place of a dataset of a run")
    parser.add_argument("--level", type=float, default=0.9, help="of the interval (default: 0.9)")
    return parser.parse_args(given)


def main(arguments: argparse.Namespace) -> None:
    if len(arguments.words) != (3 if arguments.payoff is None else 2):
        raise InputError("Give a dataset and two players, DATASET A B, or --payoff FILE A B.")
    *dataset, a, b = arguments.words
    level = check_number("level", arguments.level, 0, 1, above_low=True)
    payoff = Payoff.from_file(arguments.payoff) if arguments.payoff else _of_run(arguments.config, *dataset)
    i, j = payoff.index(a), payoff.index(b)
    if i == j:
        raise InputError(f"{a!r} is given twice; give two players.")

    from scipy.special import expit
    from scipy.stats import norm

    from transitivity.measures.players import RatedLeague

    league = RatedLeague(payoff)
    x, deviation = league.difference(i, j)
    half = norm.ppf((1 + level) / 2) * deviation
    low, high = expit(x - half), expit(x + half)
    print(
        f"P({a} beats {b}) = {expit(x):.3f}, {100 * level:g} % interval {low:.3f} to {high:.3f}; a draw is half a win."
    )
    met = ((payoff.i == min(i, j)) & (payoff.j == max(i, j))).nonzero()[0]
    if len(met):
        games = payoff.games[met[0]]
        score = games * (payoff.p[met[0]] if i < j else 1 - payoff.p[met[0]])
        print(f"They met in {amount(round(games), 'game')}, of which {a} scored {score:g}.")
    else:
        print("These data have no games between them (a filter such as min_games may have left some out).")
    if league.component[i] != league.component[j]:
        print("In these data no chain of opponents connects them, so this is hardly more than a guess.")


def _of_run(config: Path | None, dataset: str) -> Payoff:
    """Return the payoff of a dataset of a run."""
    import yaml

    merged = {}
    for path in (CONFIG, config):
        if path is not None:
            try:
                merged |= yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            except (OSError, yaml.YAMLError) as error:
                raise InputError(f"{path} cannot be read ({error}); give a configuration.") from error
    folder = Path(merged["results"]) / "payoffs"
    path = folder / f"{dataset}.npz"
    if not path.is_file():
        known = sorted(one.stem for one in folder.glob("*.npz"))
        hint = did_you_mean(dataset, known) if known else "run the pipeline with this configuration first."
        raise InputError(f"{folder} has no payoff of {dataset!r}; {hint}")
    return Payoff.load(path)


if __name__ == "__main__":
    parsed = parse()
    cli.run(lambda: main(parsed))
