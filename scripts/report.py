"""The report: one self-contained HTML page (no network, no script) of a run.

The comparison with the paper comes first, or the datasets of the run where none of the paper's numbers belongs to it.
Every input may be left out: its section then says that it was not given. Apart from run times, the same inputs give the
same bytes.
"""

from __future__ import annotations

import argparse
import base64
import importlib.metadata
import json
import math
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd

from reproduction import cli
from reproduction.paper.compare import DIFFERS, NOT_RUN, REPRODUCED, group_of, unmet
from reproduction.paper.numbers import Paper, model_label, model_labels, read_paper
from reproduction.report.answer import GAMES, NO_ANSWER, STRONG
from transitivity.errors import InputError
from transitivity.evaluation.compare import CHOSEN, FEWEST_GAMES
from transitivity.evaluation.ratios import REFERENCE, UNBOUNDED, WIDEST, family_labels, interval_in_words
from transitivity.files import atomic_path

PACKAGES = ("transitivity", "numpy", "scipy", "pandas", "matplotlib", "snakemake")
#: Datasets that only a file or a download brings, by datasets.csv's `available`, and what to do about it.
CURES = {
    "computed": "can be computed here, but is not in this run's configuration",
    "payoff file only": "only its payoff file has it: give the file by `path:` under the dataset",
    "human games": "games of people: give the files by `path:`, or run with the public data",
}
#: Columns of names: a league that is called "NA" or "1e3" stays that.
NAMES = dict.fromkeys(
    ("protocol", "dataset", "league", "label", "origin", "model", "baseline", "note", "reason", "first"), str
)
#: The scores that are shown, the first of them without a click.
SCORES = {"mse": "mean squared error", "log_loss": "log-loss (nats a pair)", "accuracy": "accuracy"}
TABLE_LENGTH_OPEN = 40
#: Differences of losses below this are what a solver's tolerance leaves.
ROUNDING = 1e-12
#: How the ids of the models start whose comparison is shown game by game.
DISC = ("disc_k", "disc_regularised_k", f"disc{CHOSEN}")
#: How the sizes of the disc and of what it is compared with are called in titles.
RELATIONS = {
    "elo": "the disc against Elo",
    "chosen k": "the disc against others, k chosen by validation",
    "fewer parameters": "the disc against others, with fewer parameters",
    "equal parameters": "the disc against others, with as many parameters",
    "more parameters": "the disc against others, with more parameters",
}
OTHERS = "other models against Elo"
WIDE = (
    f"“{UNBOUNDED.capitalize()}” is above {WIDEST:g} times the ratio: so few hold-outs, or hold-outs that differ so "
    "much, bound nothing; more repeats in the configuration give narrower intervals."
)
#: The figures of the paper's own examples, which come last where the run is about other data.
EXAMPLES = ("figure_01", "figure_02", "figure_03")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = {"nargs": "*", "type": Path, "default": []}
    parser.add_argument("--comparison", type=Path, help="results/tables/paper_comparison.csv")
    parser.add_argument("--answer", type=Path, help="results/tables/answer.md: what the page says first")
    parser.add_argument("--model-comparison", type=Path, help="results/tables/model_comparison.csv")
    parser.add_argument("--signed-rank", type=Path, help="results/tables/signed_rank.csv")
    parser.add_argument("--choice-of-k", type=Path, help="results/tables/choice_of_k.csv")
    parser.add_argument("--optima", type=Path, help="results/tables/optima.csv")
    parser.add_argument("--figures", **files, help="results/figures/figure_XX.png")
    parser.add_argument(
        "--figure-data", **files, help="results/figures/data/figure_XX.csv (marks what is simulated)"
    )
    parser.add_argument(
        "--captions", type=Path, default="workflow/report", help="folder of the captions (.rst)"
    )
    parser.add_argument("--paper", type=Path, default="workflow/paper", help="folder of the paper's numbers")
    parser.add_argument("--table-1", type=Path, help="results/tables/table_1.csv")
    parser.add_argument("--scores", type=Path, help="results/tables/scores.csv")
    parser.add_argument("--transitivity", type=Path, help="results/tables/transitivity.csv")
    parser.add_argument(
        "--league-tables", **files, help="results/tables/matchups.csv, dropped.csv, identifiability.csv"
    )
    parser.add_argument("--datasets", type=Path, help="results/datasets.csv")
    parser.add_argument("--timings", type=Path, help="results/timings.csv")
    parser.add_argument("--benchmarks", type=Path, help="folder of the workflow's benchmark files")
    parser.add_argument("--provenance", type=Path, help="results/provenance.json")
    parser.add_argument("--config", type=Path, help="results/run_config.yaml, the merged configuration")
    parser.add_argument(
        "--template", type=Path, default="workflow/report/report.html.jinja", help="jinja2 template"
    )
    parser.add_argument("--output", type=Path, required=True, help="results/report.html")
    return parser.parse_args(argv)


# -------------------------------------------------------------------- text


def number(value: object) -> str:
    """Return a value as a table shows it: four digits, nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e6 else f"{value:.4g}"


def group_title(group: str) -> str:
    kind, _, index = group.partition("_")
    return f"{kind.capitalize()} {index}"


def figure_title(name: str) -> str:
    """Return the title of a figure's file: "figure_05_strong" is "Figure 5, protocol strong"."""
    parts = name.split("_", 2)
    if parts[0] != "figure" or not parts[1].isdigit():
        return name.replace("_", " ").capitalize()
    return f"Figure {int(parts[1])}" + (f", protocol {parts[2]}" if len(parts) == 3 else "")


def table(frame: pd.DataFrame) -> dict:
    """Return the header and the cells of a frame as text."""
    cells = [[number(value) for value in row] for row in frame.astype(object).itertuples(index=False)]
    numeric = [bool(pd.api.types.is_numeric_dtype(frame[column])) for column in frame]
    return {"header": [str(column) for column in frame], "rows": cells, "numeric": numeric}


# -------------------------------------------------------------------- sections


def holds(share: float) -> str:
    """Say in how many cases a claim holds, given their share."""
    if math.isnan(share):
        return ""
    # Neither "0 %" nor "100 %" of what holds in some cases only.
    return {0.0: "holds in no case", 1.0: "holds in all cases"}.get(
        share, f"holds in {min(max(share, 0.01), 0.99):.0%} of the cases"
    )


def comparison_section(frame: pd.DataFrame) -> dict:
    """Return the counts, what differs, and the items by table or figure."""
    failed = set(unmet(frame)["item"])
    rows = []
    for row in frame.itertuples():
        word = row.verdict
        if row.verdict == DIFFERS:
            word = "differs, not expected" if row.item in failed else "differs, as expected"
        elif row.verdict == NOT_RUN and row.item in failed:
            word = "not run, but due"
        rows.append(
            {
                "item": row.item,
                "quantity": row.quantity,
                "paper": number(row.paper),
                "ours": number(row.ours),
                "ratio": "" if math.isnan(row.ratio) else f"{row.ratio:.3f}",
                "tolerance": row.tolerance,
                "verdict": row.verdict,
                "word": word,
                "status": "failed" if row.item in failed else row.verdict.replace(" ", "-"),
                "note": row.note if isinstance(row.note, str) else "",
                "is_claim": "/claim/" in row.item,
                "holds": holds(row.ours),
            }
        )
    groups: dict[str, list] = {}
    for row in rows:
        groups.setdefault(group_of(row["item"]), []).append(row)
    return {
        "total": len(rows),
        "counts": {v: sum(r["verdict"] == v for r in rows) for v in (REPRODUCED, DIFFERS, NOT_RUN)},
        "as_expected": sum(r["word"] == "differs, as expected" for r in rows),
        "failed": [r for r in rows if r["status"] == "failed"],
        "failed_claims": [r for r in rows if r["is_claim"] and r["verdict"] == DIFFERS],
        "groups": [
            {
                "id": group,
                "title": group_title(group),
                "rows": [r for r in members if r["status"] != "not-run"],
                "not_run": [r for r in members if r["status"] == "not-run"],
                "counts": {
                    v: sum(r["verdict"] == v for r in members) for v in (REPRODUCED, DIFFERS, NOT_RUN)
                },
                "open": 0 < sum(r["status"] != "not-run" for r in members) <= TABLE_LENGTH_OPEN,
            }
            for group, members in groups.items()
        ],
    }


def dataset_section(
    datasets: pd.DataFrame | None,
    transitivity: pd.DataFrame | None,
    scores: pd.DataFrame | None,
    compared: pd.DataFrame | None,
    models: Mapping[str, str],
) -> dict | None:
    """Return the table of the datasets of the run: their size, their verdict, and what predicts them best.

    The errors of a dataset are those of the protocol with the most hold-outs and, of equal ones, the most pairs.
    """
    if datasets is None:
        return None
    shown = datasets[[c for c in ("dataset", "label", "origin", "n_players", "n_pairs") if c in datasets]]
    if transitivity is not None and "verdict_logit" in transitivity:
        told = ["dataset", "verdict_logit"]
        if transitivity.get("bootstrap_null", pd.Series(dtype=float)).notna().any():
            # Beside each other: where coin flips are as transitive, the verdict is no evidence.
            told += ["bootstrap_probability", "bootstrap_null"]
        shown = shown.merge(transitivity[told], on="dataset", how="left")
    if scores is not None and "repeat" in scores:
        test = scores[scores.split == "test"]
        sizes = test.groupby(["dataset", "protocol"]).agg(
            hold_outs=("repeat", "nunique"), pairs=("n_pairs", "max")
        )
        sizes = sizes.sort_values(["hold_outs", "pairs"], kind="stable").groupby("dataset").tail(1)
        means = test.groupby(["dataset", "protocol", "model"]).mse.mean().rename("mse").reset_index()
        means = means.merge(sizes.hold_outs.reset_index(), on=["dataset", "protocol"])
        best = means.sort_values("mse", kind="stable").groupby("dataset").head(1)
        elo = means[means.model == REFERENCE].set_index("dataset").mse.rename("mse_elo")
        best = best.set_index("dataset")[["protocol", "hold_outs", "model", "mse"]].join(elo)
        shown = shown.merge(best.reset_index(), on="dataset", how="left")
        if compared is not None:
            elo = compared[(compared.baseline == REFERENCE) & compared.low.notna()]
            ratios = {
                (row.dataset, row.protocol, row.model): interval_in_words(
                    row.ratio, row.low, row.high, row.n_repeats
                )
                for row in elo.itertuples()
            }
            keys = shown[["dataset", "protocol", "model"]].itertuples(index=False, name=None)
            shown["ratio"] = [ratios.get(key, "") for key in keys]
        shown["model"] = [
            model_label(model, models) if isinstance(model, str) else "" for model in shown.model
        ]
        shown["protocol"] = shown.protocol.fillna("not scored")
    # What a reader looks for first stands where it is seen without scrolling.
    columns = list(shown.columns)
    answers = [name for name in ("verdict_logit", "model", "mse", "mse_elo", "ratio") if name in columns]
    rest = [name for name in columns if name not in ("dataset", "label", *answers, "origin", "protocol")]
    shown = shown[
        [name for name in ("dataset", "label", *answers, *rest, "protocol", "origin") if name in columns]
    ]
    names = {
        "label": "called",
        "n_players": "players",
        "n_pairs": "pairs",
        "verdict_logit": "first component",
        "bootstrap_probability": "transitive resamples",
        "bootstrap_null": "the same of coin flips",
        "hold_outs": "hold-outs",
        "model": "best model",
        "mse": "its test MSE",
        "mse_elo": "Elo's",
        "ratio": "Elo's over its, 95 %",
    }
    return table(shown.rename(columns=names))


def unconverged(comparison: pd.DataFrame | None) -> str:
    """Return how many of the fits that the answer rests on had not converged, in words."""
    if comparison is None:
        return ""
    rests_on = (comparison.protocol == STRONG) & (comparison.baseline == REFERENCE)
    fits = comparison[rests_on & comparison.model.str.startswith("disc_k")]
    if fits.empty:
        return ""
    if not (missed := int(fits.not_converged.sum())):
        return "every fit of the disc converged"
    return (
        f"{missed} of {int(fits.n_repeats.sum())} fits of the disc had not converged, as few pairs a player leave it "
        "open; there the regularised disc (Equation 21, protocol leagues) says more"
    )


def cut_off(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the leagues whose files end too early, from the table dropped: a sentence each."""
    frame = tables.get("dropped")
    if frame is None or "reason" not in frame:
        return []
    return [f"{row.league}: {row.first}" for row in frame[frame.reason == "file cut off"].itertuples()]


def not_fitted(timings: pd.DataFrame | None, labels: dict[str, str]) -> list[str]:
    """Return what could not be fitted, and why: a sentence a dataset and reason."""
    if timings is None or "note" not in timings:
        return []
    rows = timings[timings.note.fillna("") != ""]
    return [
        f"{labels.get(dataset, dataset)}, {' and '.join(dict.fromkeys(group.protocol))}: {note}"
        for (dataset, note), group in rows.groupby(["dataset", "note"], sort=False)
    ]


def left_out(paper: Paper, datasets: pd.DataFrame | None) -> list[dict]:
    """Return the paper's datasets that are not in the run, with the figures that miss them and the cure."""
    if datasets is None:
        return []
    return [
        {"label": row.label, "dataset": row.dataset, "used_in": row.used_in, "why": CURES[row.available]}
        for row in paper.datasets.itertuples()
        if row.dataset not in set(datasets.dataset)
    ]


def caption(folder: Path, name: str) -> list[str]:
    """Return the paragraphs of a caption file, none where there is no file."""
    path = folder / f"{name}.rst"
    if not path.is_file():
        return []
    return [" ".join(part.split()) for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]


def simulated_in(path: Path | None, datasets: pd.DataFrame | None, labels: dict[str, str]) -> list[str]:
    """Return the names of the simulated datasets that a figure shows."""
    if path is None or not path.is_file():
        return []
    frame = read_table(path)
    if "dataset" not in frame:
        return []
    names = set()
    if "simulated" in frame:
        names |= set(frame.loc[truth(frame.simulated), "dataset"].astype(str))
    if datasets is not None and "simulated" in datasets:
        names |= set(frame.dataset.astype(str)) & set(
            datasets.loc[truth(datasets.simulated), "dataset"].astype(str)
        )
    return [labels.get(name, name) for name in sorted(names)]


def truth(column: pd.Series) -> pd.Series:
    """Return a column of booleans, whether they were read as such or as text."""
    return column.astype(str).str.lower().eq("true")


def figure_section(
    arguments: argparse.Namespace, datasets: pd.DataFrame | None, labels: dict[str, str]
) -> list:
    data = {path.stem: path for path in arguments.figure_data}
    figures = []
    for path in sorted(arguments.figures, key=lambda p: p.stem):
        if path.is_file():
            figures.append(
                {
                    "id": path.stem,
                    "title": figure_title(path.stem),
                    "image": base64.b64encode(path.read_bytes()).decode("ascii"),
                    "caption": caption(arguments.captions, path.stem),
                    "simulated": simulated_in(data.get(path.stem), datasets, labels),
                }
            )
    return figures


def table_1_section(frame: pd.DataFrame, paper: Paper) -> dict:
    """Return Table 1 as text: ours and the paper's in each cell."""

    def digits(value: float) -> str:
        return "" if math.isnan(value) else f"{value:.1e}"

    rows = []
    for row in frame.to_dict("records"):
        cells = [
            {"ours": digits(row[f"{dataset}_{split}"]), "paper": digits(row[f"{dataset}_{split}_paper"])}
            for dataset in paper.table_1_games
            for split in ("train", "test")
        ]
        rows.append({"label": row["label"], "n_params": row["n_params"], "cells": cells})
    return {"games": [paper.label(dataset) for dataset in paper.table_1_games], "rows": rows}


def score_section(frame: pd.DataFrame, labels: dict[str, str], models: Mapping[str, str]) -> list[dict]:
    """Return one table a protocol and score: the mean over hold-outs on test, datasets down and models across."""
    tables = []
    for protocol, scores in frame[frame.split == "test"].groupby("protocol", sort=True):
        for column, name in SCORES.items():
            if column in scores:
                pivot = scores.pivot_table(index="dataset", columns="model", values=column, sort=False)
                pivot = pivot.rename(columns=lambda model: model_label(model, models))
                pivot.insert(0, "dataset", [labels.get(dataset, dataset) for dataset in pivot.index])
                about = {"title": f"Protocol “{protocol}”, {name}", "open": column == "mse"}
                tables.append(about | {"table": table(pivot)})
    return tables


def models_section(
    comparison: pd.DataFrame | None,
    ranks: pd.DataFrame | None,
    choice: pd.DataFrame | None,
    optima: pd.DataFrame | None,
    labels: dict[str, str],
) -> list[dict]:
    """Return the tables of one protocol, and how fits of all pairs at once compare with Algorithm 2.

    The protocol is strong or, where it scored nothing, the one with the most hold-outs, of two at least.
    """
    tables = []
    protocol = compared_protocol(comparison)
    if ranks is not None:
        shown = ranks[(ranks.protocol == protocol) & (ranks.games == GAMES) & (ranks.n_games >= FEWEST_GAMES)]
        shown = shown.drop(columns=["protocol", "games"])
        if len(shown):
            tables.append(
                {"title": "Over games: the baseline's error over the model's", "table": table(shown)}
            )
    if comparison is not None:
        shown = comparison[comparison.protocol == protocol]
        disc = shown.model.astype(str).str.startswith(DISC)
        shown = shown.assign(
            cell=[interval_in_words(r.ratio, r.low, r.high, r.n_repeats) for r in shown.itertuples()],
            title=np.where(
                disc, shown.relation.map(lambda relation: RELATIONS.get(relation, relation)), OTHERS
            ),
        )
        # Of the other models, what Elo's error is over theirs; the disc comes first.
        shown = shown[disc | (shown.baseline == REFERENCE)].sort_values(
            "title", key=lambda title: title == OTHERS, kind="stable"
        )
        for title, rows in shown.groupby("title", sort=False):
            rows = rows.assign(pair=rows.model + " / " + rows.baseline)
            pivot = rows.pivot(index="dataset", columns="pair", values="cell").fillna("")
            pivot.insert(0, "dataset", [labels.get(name, name) for name in pivot.index])
            about = "" if protocol == STRONG else f", protocol {protocol}"
            wide = rows.cell.str.contains(UNBOUNDED).any()
            tables.append(
                {
                    "title": f"Game by game, {title}{about}",
                    "words": WIDE if wide else "",
                    "table": table(pivot),
                }
            )
    if choice is not None and len(choice):
        shown = choice[choice.protocol == protocol]
        counts = (
            shown.groupby(["dataset", "family", "chosen"], sort=False)
            .size()
            .rename("hold-outs")
            .reset_index()
        )
        counts["dataset"] = [labels.get(name, name) for name in counts.dataset]
        if len(counts):
            tables.append({"title": "What the validation chose", "table": table(counts)})
    if optima is not None and len(optima):
        tables.append(
            {
                "title": "Better optima: the disc fitted pair after pair (Algorithm 2), and all pairs at once",
                "words": optima_in_words(optima),
                "table": table(optima.assign(dataset=[labels.get(name, name) for name in optima.dataset])),
            }
        )
    return [{"words": ""} | part for part in tables]


def compared_protocol(comparison: pd.DataFrame | None) -> str:
    """Return the protocol whose models are compared."""
    if comparison is None or (comparison.protocol == STRONG).any():
        return STRONG
    repeated = comparison[comparison.n_repeats > 1].sort_values("n_repeats", kind="stable")
    return repeated.protocol.iloc[-1] if len(repeated) else STRONG


def optima_in_words(optima: pd.DataFrame) -> str:
    """Say what fitting all pairs at once does to the train loss and to the test error."""
    lower, ratios = int((optima.train_gain >= -ROUNDING).sum()), optima.test_ratio
    return (
        f"All pairs at once end at a train loss that is at most that of Algorithm 2 in {lower} of {len(optima)} fits, "
        f"lower by {optima.train_gain.median():.2g} nats a pair in the median and {optima.train_gain.max():.2g} at "
        f"most. On hidden pairs Algorithm 2's error over theirs is {ratios.median():.3g} in the median, from "
        f"{ratios.min():.3g} to {ratios.max():.3g}; they predict better in {int((ratios > 1).sum())} of {len(optima)}."
    )


def league_section(frames: Mapping[str, pd.DataFrame], captions: Path) -> list[dict]:
    """Return the tables of the leagues, each with its caption; one without rows is said to have none."""
    return [
        {
            "title": name.capitalize(),
            "caption": caption(captions, name),
            "table": table(frame) if len(frame) else None,
        }
        for name, frame in frames.items()
    ]


def timing_section(timings: pd.DataFrame | None, benchmarks: Path | None) -> list[dict]:
    """Return the seconds of fits by protocol and model, and of jobs by the folder of their benchmarks."""
    tables = []
    if timings is not None and "seconds" in timings:
        by = [column for column in ("protocol", "model") if column in timings]
        if by:
            summed = timings.groupby(by, sort=True)["seconds"].agg(["size", "sum", "max"])
            summed = summed.rename(columns={"size": "fits", "sum": "seconds in all", "max": "longest (s)"})
            if {"converged", "separated", "gradient_norm"} <= set(timings):
                grouped = timings.assign(
                    stopped=timings.converged.astype(str).eq("False"), apart=truth(timings.separated)
                ).groupby(by, sort=True)
                summed["not converged"] = grouped["stopped"].sum()
                summed["no finite optimum"] = grouped["apart"].sum()
                summed["largest gradient"] = grouped["gradient_norm"].max()
                if "spread" in timings:
                    summed["largest spread of optima"] = grouped["spread"].max()
            summed = summed.reset_index()
            tables.append({"title": "Fits", "table": table(summed)})
        else:
            tables.append({"title": "Fits", "table": table(timings)})
    if benchmarks is not None and benchmarks.is_dir():
        jobs = []
        for path in sorted(p for p in benchmarks.rglob("*") if p.is_file()):
            frame = pd.read_csv(path, sep="\t")
            if "s" in frame:
                rule = path.relative_to(benchmarks).parts[0]
                memory = pd.to_numeric(frame.get("max_rss"), errors="coerce")
                jobs.append(
                    (Path(rule).stem, frame.s.sum(), memory.max() if memory is not None else math.nan)
                )
        if jobs:
            frame = pd.DataFrame(jobs, columns=["rule", "seconds", "memory"]).groupby("rule", sort=True)
            summed = frame.agg(
                jobs=("seconds", "size"),
                total=("seconds", "sum"),
                longest=("seconds", "max"),
                memory=("memory", "max"),
            ).reset_index()
            summed.columns = ["rule", "jobs", "seconds in all", "longest (s)", "peak memory (MB)"]
            tables.append({"title": "Jobs", "table": table(summed)})
    return tables


def one_row_a_file(rows: Iterable[dict]) -> list[dict]:
    """Return the rows of files, those of one file joined: a league has several datasets."""
    files: dict[tuple, dict] = {}
    for row in rows:
        key = tuple(value for name, value in row.items() if name != "dataset")
        seen = files.setdefault(key, row | {"dataset": []})
        seen["dataset"].append(row["dataset"])
    return [row | {"dataset": ", ".join(row["dataset"])} for row in files.values()]


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of the packages that are installed."""
    found = [("python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            found.append((package, "not installed"))
    return found


# -------------------------------------------------------------------- the page


def read(path: Path | None, name: str, absent: list[str]) -> pd.DataFrame | None:
    """Read a table; name it among the absent where it is not there."""
    if path is None or not path.is_file():
        absent.append(name)
        return None
    return read_table(path)


def read_table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=NAMES, keep_default_na=False, na_values=[""])


def main(argv: list[str] | None = None) -> None:
    arguments = parse(argv)
    if not arguments.template.is_file():
        raise InputError(
            f"{arguments.template} is not there; give the template of the report with --template."
        )
    absent: list[str] = []
    paper = read_paper(arguments.paper)
    comparison = read(arguments.comparison, "the comparison with the paper", absent)
    frame_1 = read(arguments.table_1, "Table 1", absent)
    scores = read(arguments.scores, "the scores", absent)
    transitivity = read(arguments.transitivity, "the measures of transitivity", absent)
    datasets = read(arguments.datasets, "the list of datasets", absent)
    timings = read(arguments.timings, "the run times", absent)
    labels = dict(zip(paper.datasets.dataset, paper.datasets.label, strict=True))
    if datasets is not None and "label" in datasets:
        labels |= dict(zip(datasets.dataset, datasets.label.fillna(datasets.dataset), strict=True))
    provenance = None
    if arguments.provenance is not None and arguments.provenance.is_file():
        try:
            entries = json.loads(arguments.provenance.read_text(encoding="utf-8"))
            keys = ("url", "path", "sha256", "bytes", "date")
            # A licence of the configuration comes before the one that came with a download.
            provenance = one_row_a_file(
                {key: file.get(key) for key in keys}
                | {"dataset": entry["dataset"], "licence": entry.get("licence") or file.get("licence")}
                for entry in entries
                for file in entry.get("files", [])
            )
        except json.JSONDecodeError as error:
            raise InputError(f"{arguments.provenance} is not JSON ({error}); make it again.") from error
    else:
        absent.append("the provenance of the data")
    config = None
    if arguments.config is not None and arguments.config.is_file():
        config = arguments.config.read_text(encoding="utf-8")
    else:
        absent.append("the configuration")
    answer = None
    if arguments.answer is not None and arguments.answer.is_file():
        answer = arguments.answer.read_text(encoding="utf-8").splitlines()
    # Data of one's own come before what the paper says.
    own = datasets is not None and not set(datasets.dataset) & set(paper.datasets.dataset)
    models = {}
    if scores is not None and "label" in scores:
        models = family_labels(scores)
    models |= model_labels()
    if own and answer == [NO_ANSWER]:
        answer = None
    model_comparison = read(arguments.model_comparison, "the comparison of models", absent)
    compared = models_section(
        model_comparison,
        read(arguments.signed_rank, "the tests over games", absent),
        read(arguments.choice_of_k, "the choice of k", absent),
        read(arguments.optima, "the optima of the disc", absent),
        labels,
    )
    league_tables = {path.stem: read_table(path) for path in arguments.league_tables}
    figures = figure_section(arguments, datasets, labels)
    if own:
        figures.sort(key=lambda figure: figure["id"] in EXAMPLES)
    shown = {figure["id"] for figure in figures}
    absent += [group_title(f"figure_{k}") for k in range(1, 11) if f"figure_{k:02d}" not in shown]

    # Names of players, games and models are data: everything is escaped.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    page = environment.from_string(arguments.template.read_text(encoding="utf-8")).render(
        answer=answer,
        unconverged=unconverged(model_comparison),
        compared=compared,
        compared_caption=caption(arguments.captions, "model_comparison"),
        comparison=None if comparison is None else comparison_section(comparison),
        absent=absent,
        own=own,
        datasets=dataset_section(datasets, transitivity, scores, model_comparison, models),
        not_fitted=not_fitted(timings, labels),
        cut_off=cut_off(league_tables),
        left_out=left_out(paper, datasets),
        figures=figures,
        table_1=None if frame_1 is None else table_1_section(frame_1, paper),
        table_1_caption=caption(arguments.captions, "table_1"),
        scores=None if scores is None else score_section(scores, labels, models),
        transitivity=None if transitivity is None else table(transitivity),
        transitivity_caption=caption(arguments.captions, "transitivity"),
        leagues=league_section(league_tables, arguments.captions),
        timings=timing_section(timings, arguments.benchmarks),
        provenance=provenance,
        versions=versions(),
        config=config,
    )
    with atomic_path(arguments.output) as temporary:
        temporary.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    cli.run(main)
