"""Forecasts of leagues: log-loss against sequential Elo, and reliability.

The data have one row a mark: panel (difference or reliability), dataset, dataset_label, simulated, model, label,
n_games, x (the favourite's forecast score, of reliability), y (log-loss less that of sequential Elo, or the favourite's
observed score), low and high.
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.figures.forecasts import draw_forecasts, forecast_marks
from reproduction.figures.style import argument_parser, style, write
from transitivity.files import read_table


def main(argv: list[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--forecasts", required=True, type=Path, help="results/tables/forecasts.csv")
    parser.add_argument("--calibration", required=True, type=Path, help="results/tables/calibration.csv")
    arguments = parser.parse_args(argv)
    names, numbers = ("dataset", "dataset_label", "model", "label"), ("n_games", "forecast", "observed", "low", "high")
    forecasts = read_table(
        arguments.forecasts,
        text=(*names, "block", "note"),
        numbers=("n_games", "elo_difference", "elo_low", "elo_high"),
        flags=("simulated",),
    )
    calibration = read_table(arguments.calibration, text=names, numbers=numbers, flags=("simulated",))
    data = forecast_marks(forecasts, calibration)
    with style():
        write(draw_forecasts(data), data, arguments)


if __name__ == "__main__":
    cli.run(main)
