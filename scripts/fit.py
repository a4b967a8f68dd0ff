"""Fit the instances of one model to the train pairs of one dataset, and score them on both splits.

With --validation the model is first fitted to a part of the train pairs and scored on the rest: the split "validation".

--scores has the columns of results/tables/scores.csv, --fits one row a fit to train: protocol, dataset, model, repeat,
seconds, n_iter, gradient_norm, converged, separated, spread (of the losses that several starts end in), note (why an
instance was not fitted).
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from pathlib import Path

from reproduction import cli
from transitivity import models
from transitivity.evaluation.hold_outs import HoldOuts, validation_split
from transitivity.files import write_table
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

SCORES = [
    "protocol",
    "dataset",
    "model",
    "n_players",
    "n_params",
    "repeat",
    "split",
    "n_pairs",
    "mse",
    "log_loss",
    "accuracy",
    "label",
]
FITS = [
    "protocol",
    "dataset",
    "model",
    "repeat",
    "seconds",
    "n_iter",
    "gradient_norm",
    "converged",
    "separated",
    "spread",
    "note",
]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--protocol", required=True, help="id of the protocol")
    parser.add_argument("--dataset", required=True, help="id of the dataset")
    parser.add_argument("--payoff", required=True, type=Path, help="its payoff (.npz)")
    parser.add_argument("--hold-out", required=True, type=Path, help="its splits (.npz)")
    parser.add_argument("--model-file", required=True, type=Path, help="the model's Python file")
    parser.add_argument(
        "--instances", required=True, type=json.loads, help='JSON: {"disc_k1": {"n_components": 1}}'
    )
    parser.add_argument("--solver", default="", help="solver of a model that offers it and is given none")
    parser.add_argument(
        "--validation", type=float, default=0.0, help="share of the train pairs hidden once more; 0 for none"
    )
    parser.add_argument("--seed", type=int, default=42, help="seed of the configuration")
    parser.add_argument("--scores", required=True, type=Path, help="scores (.csv)")
    parser.add_argument("--fits", required=True, type=Path, help="how the fits went (.csv)")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    import pandas as pd

    from transitivity.evaluation.scores import scores
    from transitivity.models import TooManyComponents

    splits = HoldOuts.load(arguments.hold_out, Payoff.load(arguments.payoff))
    cls = models.load(arguments.model_file)
    score_rows, fit_rows = [], []
    for name, parameters in arguments.instances.items():
        if arguments.solver in getattr(cls, "SOLVERS", ()):
            parameters = {"solver": arguments.solver} | parameters
        fixed = {"protocol": arguments.protocol, "dataset": arguments.dataset, "model": name}
        if len(splits.train) == 0:
            fit_rows.append(fixed | {"repeat": 0, "note": "No pair can be hidden."})
        for repeat in range(len(splits.train)):
            train, test = splits.split(repeat)
            model = cls(**parameters)
            about = fixed | {"repeat": repeat}
            start = time.perf_counter()
            try:
                model.fit(train, generator(arguments.seed, "fit", arguments.dataset, name, repeat))
            except TooManyComponents as error:
                logging.info("%s is left out: %s", name, error)
                fit_rows.append(about | {"note": str(error)})
                continue
            about_fit = {"seconds": time.perf_counter() - start}
            for key in ("n_iter", "gradient_norm", "converged", "separated", "spread"):
                about_fit[key] = getattr(model, f"{key}_", None)
            fit_rows.append(about | about_fit)
            size = {"n_players": train.n_players, "n_params": model.n_params(train.n_players)}
            scored = [("train", model, train), ("test", model, test)]
            if arguments.validation:
                # The same pairs for every model, whatever its generator.
                rng = generator(arguments.seed, "validation", arguments.dataset, repeat)
                if (parts := validation_split(train, arguments.validation, rng)) is not None:
                    inner = cls(**parameters)
                    inner.fit(
                        parts[0], generator(arguments.seed, "fit_inner", arguments.dataset, name, repeat)
                    )
                    scored.append(("validation", inner, parts[1]))
            for split, fitted, payoff in scored:
                score_rows.append(
                    about | size | {"split": split} | scores(fitted, payoff) | {"label": cls.label}
                )
            logging.info("%s, repetition %d: %s", name, repeat, about_fit)
    write_table(pd.DataFrame(score_rows, columns=SCORES), arguments.scores)
    write_table(pd.DataFrame(fit_rows, columns=FITS), arguments.fits)


if __name__ == "__main__":
    cli.run(main)
