"""Forecast the last games of a league from those before them.

--scores has one row a model and block of time (all: the whole test period): dataset, dataset_label, simulated, and the
columns of `transitivity.evaluation.forecasts.Forecasts.table`; --calibration one row a model and bin: the same three,
and the columns of `Forecasts.calibration`.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from pathlib import Path

from reproduction import cli, limits
from transitivity import models


def limited(file: Path, name: str) -> type[models.Model]:
    """Return the class of a model's file, whose import and fits may not take longer than the configuration allows."""
    with limits.limited("import_minutes", f"The import of {file}"):
        cls = models.load(file)

    class Limited(cls):
        def fit(self, payoff, rng=None):
            with limits.limited("fit_minutes", f"{file}: a fit of {name}"):
                return super().fit(payoff, rng)

    # Messages call it by its own name.
    Limited.__name__ = cls.__name__
    return Limited


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "about", "options", "seed")
    parser.add_argument("--files", nargs="+", required=True, help="its games")
    parser.add_argument("--forecast", type=json.loads, default={}, help='JSON: {"test": 0.5, "refits": "month"}')
    parser.add_argument("--models", type=json.loads, default={}, help='JSON: {"elo": ["elo.py", {"weights": "games"}]}')
    parser.add_argument("--scores", required=True, type=Path, help="output: the scores (.csv)")
    parser.add_argument("--calibration", required=True, type=Path, help="output: the reliability (.csv)")
    arguments = parser.parse_args()
    from transitivity.evaluation.forecasts import forecast
    from transitivity.sources.games import read_games

    games = read_games(arguments.files, **arguments.options)
    further = {name: partial(limited(Path(file), name), **given) for name, (file, given) in arguments.models.items()}
    found = forecast(games, models=further, seed=arguments.seed, **arguments.forecast)
    logging.info("%d games, %d to forecast", len(found.stream), len(found.stream) - found.test)
    for table, path in ((found.table(), arguments.scores), (found.calibration(), arguments.calibration)):
        cli.write_of_league(table, path, arguments)


if __name__ == "__main__":
    cli.run(main)
