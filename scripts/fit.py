"""Fit the instances of one model to the train pairs of one dataset, and score them on both splits.

Every protocol splits the pairs into train and test in its own way. Where no pair can be hidden without leaving a player
without a game, there are no splits, and so no scores. With a validation the model is also fitted to a part of the train
pairs and scored on the rest: the split "validation".

--scores has the columns of results/tables/scores.csv, --fits one row a fit to train: protocol, dataset, model, repeat,
seconds, n_iter, gradient_norm, converged, separated, spread (of the losses that several starts end in), note (why an
instance was not fitted).
"""

from __future__ import annotations

import csv
import json
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np

from reproduction import cli, limits
from transitivity import models
from transitivity.evaluation.hold_outs import (
    HoldOuts,
    NothingToHide,
    hold_out,
    published_hold_out,
    published_masks,
    validation_split,
)
from transitivity.files import write_rows
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

SCORES = (
    "protocol dataset model n_players n_params repeat split n_pairs n_games mse log_loss game_log_loss accuracy "
    "mse_clipped floor above_floor n_connected n_hideable label"
).split()
#: What a fit sees, the pairs that it is scored on, and what the two share.
Part = tuple[Payoff, Payoff, dict[str, int]]
FITS = "protocol dataset model repeat seconds n_iter gradient_norm converged separated spread note".split()


def random_hold_outs(payoff: Payoff, dataset: str, share: float, repeats: int, seed: int) -> HoldOuts:
    """Return repeated hold-outs of a share of the pairs; none where a player would be left without a game."""
    rngs = [generator(seed, "hold_out", dataset, repeat) for repeat in range(repeats)]
    try:
        return hold_out(payoff, share, rngs)
    except NothingToHide as error:
        # A league whose players hardly meet says nothing about predictions; the others still do.
        logging.warning("%s: %s", dataset, error)
        return HoldOuts(payoff, np.ones((0, payoff.n_pairs), dtype=bool), np.zeros(0, dtype=np.int64))


def published_hold_outs(payoff: Payoff, dataset: str, masks: Path) -> HoldOuts:
    """Return the hold-out of the published code."""
    with open(masks, newline="", encoding="utf-8") as file:
        order = sorted(csv.DictReader(file), key=lambda row: int(row["slot"]))
    slots = [row["dataset"] for row in order]
    size = payoff.n_players
    if dataset in slots:
        mask = published_masks([int(row["n_players"]) for row in order])[slots.index(dataset)]
    else:
        logging.info("%s has no published mask and gets the generator's first one", dataset)
        mask = published_masks([size])[0]
    # A part of the original game (fewer players) gets the corner of its mask.
    return published_hold_out(payoff, mask[:size, :size])


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "payoff", "seed")
    parser.add_argument("--model", required=True, type=Path, help="the model's Python file")
    parser.add_argument("--instances", required=True, type=json.loads, help='JSON: {"disc_k1": {"n_components": 1}}')
    parser.add_argument(
        "--protocols",
        required=True,
        type=json.loads,
        help="JSON, as in the configuration: "
        '{"strong": {"hold_out": "random", "share": 0.2, "repeats": 10, "validation": 0.2, "solver": "joint"}}; '
        "the solver is for models that offer it and are given none",
    )
    parser.add_argument("--masks", type=Path, help="order of the published masks (.csv)")
    parser.add_argument("--scores", required=True, type=Path, help="output: scores (.csv)")
    parser.add_argument("--fits", required=True, type=Path, help="output: how the fits went (.csv)")
    arguments = parser.parse_args()
    payoff = Payoff.load(arguments.payoff)
    dataset, seed = arguments.dataset, arguments.seed
    with limits.limited("import_minutes", f"The import of {arguments.model}"):
        cls = models.load(arguments.model)
    score_rows, fit_rows = [], []
    for protocol, about in arguments.protocols.items():
        if about["hold_out"] == "random":
            splits = random_hold_outs(payoff, dataset, about["share"], about["repeats"], seed)
        else:
            splits = published_hold_outs(payoff, dataset, arguments.masks)
        for train, returned in zip(splits.train, splits.n_returned, strict=True):
            logging.info(
                "%s: %d pairs, %d hidden, %d returned to train", protocol, len(train), (~train).sum(), returned
            )
        instances = {
            name: ({"solver": about["solver"]} if about.get("solver") in getattr(cls, "SOLVERS", ()) else {}) | given
            for name, given in arguments.instances.items()
        }
        fixed = {"protocol": protocol, "dataset": dataset}
        if len(splits.train) == 0:
            fit_rows += [fixed | {"model": name, "repeat": 0, "note": "No pair can be hidden."} for name in instances]
        for repeat in range(len(splits.train)):
            parts = parts_of(splits, repeat, about.get("validation"), generator(seed, "validation", dataset, repeat))
            for name, parameters in instances.items():
                rngs = [generator(seed, purpose, dataset, name, repeat) for purpose in ("fit", "fit_inner")]
                with limits.limited("fit_minutes", f"{arguments.model}: the fit of {name} to {dataset}"):
                    fit, scored = fit_and_score(cls, parameters, parts, rngs)
                which = fixed | {"model": name, "repeat": repeat}
                fit_rows.append(which | fit)
                score_rows += [which | row for row in scored]
                logging.info("%s, %s, repetition %d: %s", protocol, name, repeat, fit)
    # The repetitions of one instance are neighbours.
    order = [(protocol, name) for protocol in arguments.protocols for name in arguments.instances].index
    for rows in (score_rows, fit_rows):
        rows.sort(key=lambda row: order((row["protocol"], row["model"])))
    write_rows(score_rows, SCORES, arguments.scores)
    write_rows(fit_rows, FITS, arguments.fits)


def parts_of(splits: HoldOuts, repeat: int, share: float | None, rng: np.random.Generator) -> dict[str, Part]:
    """Return what the fits to one repetition see and are scored on, whatever the model; `share` is of a validation."""
    from transitivity.evaluation.scores import n_connected, n_hideable

    train, test = splits.split(repeat)
    pairs = {"train": (train, train), "test": (train, test)}
    if share and (inner := validation_split(train, share, rng)) is not None:
        pairs["validation"] = inner
    return {
        split: (seen, scored, {"n_connected": n_connected(seen, scored), "n_hideable": n_hideable(seen, scored)})
        for split, (seen, scored) in pairs.items()
    }


def fit_and_score(
    cls: type[models.Model], parameters: dict[str, Any], parts: dict[str, Part], rngs: list[np.random.Generator]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return how the fit to one hold-out went, and its scores, one row a split."""
    from transitivity.evaluation.scores import n_params, scores
    from transitivity.models import TooManyComponents

    model, train = cls(**parameters), parts["train"][0]
    start = time.perf_counter()
    try:
        model.fit(train, rngs[0])
    except TooManyComponents as error:
        return {"note": str(error)}, []
    about = {"seconds": time.perf_counter() - start}
    for key in ("n_iter", "gradient_norm", "converged", "separated", "spread"):
        about[key] = getattr(model, f"{key}_", None)
    size = {"n_players": train.n_players, "n_params": n_params(model, train.n_players)}
    rows = []
    for split, (seen, scored, counts) in parts.items():
        if split == "validation":
            model = cls(**parameters)
            model.fit(seen, rngs[1])
        rows.append(size | scores(model, scored) | {"split": split, "label": cls.label} | counts)
    return about, rows


if __name__ == "__main__":
    cli.run(main)
