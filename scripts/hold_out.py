"""Split one dataset's observed pairs into train and test, for one protocol.

Where no pair can be hidden without leaving a player without a game, there are no splits, and so no scores.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import numpy as np

from reproduction import cli
from transitivity.evaluation.hold_outs import (
    HoldOuts,
    NothingToHide,
    hold_out,
    published_hold_out,
    published_masks,
)
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz)")
    parser.add_argument(
        "--kind",
        required=True,
        choices=["random", "published"],
        help="a random share, or the published masks",
    )
    parser.add_argument("--share", type=float, default=0.2, help="share that a random hold-out hides")
    parser.add_argument("--repeats", type=int, default=1, help="number of random hold-outs")
    parser.add_argument("--seed", type=int, default=42, help="seed of the configuration")
    parser.add_argument("--masks", type=Path, help="order of the published masks (.csv)")
    parser.add_argument("--output", required=True, type=Path, help="the splits (.npz)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    payoff = Payoff.load(arguments.payoff)
    if arguments.kind == "random":
        rngs = [
            generator(arguments.seed, "hold_out", arguments.dataset, repeat)
            for repeat in range(arguments.repeats)
        ]
        try:
            splits = hold_out(payoff, arguments.share, rngs)
        except NothingToHide as error:
            # A league whose players hardly meet says nothing about predictions; the others still do.
            logging.warning("%s: %s", arguments.dataset, error)
            splits = HoldOuts(payoff, np.ones((0, payoff.n_pairs), dtype=bool), np.zeros(0, dtype=np.int64))
    else:
        import pandas as pd

        order = pd.read_csv(arguments.masks).sort_values("slot")
        slots = list(order["dataset"])
        if arguments.dataset in slots:
            mask = published_masks(order["n_players"])[slots.index(arguments.dataset)]
            size = payoff.n_players
            # A part of the original game (fewer players) gets the corner of its mask.
            mask = mask[:size, :size]
        else:
            logging.info("%s has no published mask and gets the generator's first one", arguments.dataset)
            mask = published_masks([payoff.n_players])[0]
        splits = published_hold_out(payoff, mask)
    splits.save(arguments.output)
    for train, returned in zip(splits.train, splits.n_returned, strict=True):
        logging.info("%d pairs, %d hidden, %d returned to train", len(train), (~train).sum(), returned)


if __name__ == "__main__":
    cli.run(main)
