"""The sections of the report, each from its tables to what the page shows."""

from __future__ import annotations

import base64
import importlib.metadata
import math
import platform
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from reproduction.figures.catalogue import FIGURES
from reproduction.paper.compare import DIFFERS, NOT_RUN, REPRODUCED, group_of, unmet
from reproduction.paper.numbers import Paper, entries, model_label
from reproduction.report.answer import best_in_words, lead_in_words
from reproduction.report.answers import group_title
from reproduction.report.cells import chances, holds, number, powers, table, truth
from transitivity.evaluation.ratios import FEWEST_PAIRS
from transitivity.files import read_any_table
from transitivity.matchups.tally import REPEATED
from transitivity.measures.evidence import games_in_words
from transitivity.sources.rows import MUCH_UNREAD

PACKAGES = ("transitivity", "numpy", "scipy", "pandas", "matplotlib", "snakemake")
#: Datasets that only a file or a download brings, by datasets.csv's `available`, and what to do about it.
CURES = {
    "computed": "can be computed here, but is not in this run's configuration",
    "payoff file only": "only its payoff file has it: give the file by `path:` under the dataset",
    "human games": "games of people: give the files by `path:`, or run with the public data",
}
#: The scores that are shown.
SCORES = {
    "mse": "mean squared error",
    "game_log_loss": "log-loss (nats a game)",
    "log_loss": "log-loss (nats a pair)",
    "accuracy": "accuracy",
}
#: An error above this says only that predictions left all bounds.
DIVERGED = 1000.0
#: The measures of transitivity, a table each: the first columns that start so.
MEASURES = {
    "Verdicts": ("verdict", "p_value", "statistic", "power", "games_needed", "hinges", "n_resamples", "planted"),
    "Size, triads and Nash clusters": ("n_", "density", "cyclic", "intransitive", "tied", "largest", "nash"),
    "In logit space": ("logit", "regularisation_logit"),
    "In probability space": ("probability", "regularisation_probability"),
}


def comparison_section(frame: pd.DataFrame, paper: Paper, figures: Iterable[str]) -> dict:
    """Return the claims, and the numbers by table or figure.

    Parameters
    ----------
    frame : DataFrame
        paper_comparison.csv.
    paper : Paper
        The paper's claims in words.
    figures : iterable of str
        The figures of the page: the numbers of a figure stand below it.
    """
    failed = set(unmet(frame)["item"])
    claims = paper.claims.set_index("id")
    rows = []
    for row in entries(frame):
        word, is_claim = row.verdict, "/claim/" in row.item
        if row.verdict == DIFFERS:
            word = "differs, not expected" if row.item in failed else "differs, as expected"
        elif row.verdict == NOT_RUN and row.item in failed:
            word = "not run, but due"
        if is_claim and row.verdict != NOT_RUN:
            word = holds(row.ours) + (", not as expected" if row.item in failed else "")
        told = {"claim": row.quantity, "statement": "", "place": ""}
        if row.item in claims.index:
            told = claims.loc[row.item, list(told)].to_dict()
        rows.append(
            {
                "item": row.item,
                "quantity": row.quantity,
                "paper": number(row.paper),
                "ours": number(row.ours),
                "ratio": number(row.ratio),
                "tolerance": row.tolerance,
                "verdict": row.verdict,
                "word": word,
                "status": "failed" if row.item in failed else row.verdict.replace(" ", "-"),
                "note": powers(row.note) if isinstance(row.note, str) else "",
                "is_claim": is_claim,
            }
            | told
        )
    groups: dict[str, list] = {}
    for row in rows:
        if not row["is_claim"]:
            groups.setdefault(group_of(row["item"]), []).append(row)
    shown = set(figures)
    return {
        "failed": [r for r in rows if r["status"] == "failed"],
        "claims": [r for r in rows if r["is_claim"]],
        "groups": [
            {
                "id": group,
                "title": group_title(group),
                # "figure_05" for "figure_5"; "" where the page does not have it.
                "figure": name if (name := re.sub(r"_(\d)$", r"_0\1", group)) in shown else "",
                "rows": [r for r in members if r["status"] != "not-run"],
                "not_run": [r for r in members if r["status"] == "not-run"],
                "counts": {v: sum(r["verdict"] == v for r in members) for v in (REPRODUCED, DIFFERS, NOT_RUN)},
            }
            for group, members in groups.items()
        ],
    }


#: The columns of the table of datasets, in their order: what a reader looks for first is seen without scrolling.
OF_DATASETS = {
    "dataset": "dataset",
    "label": "called",
    "verdict_logit": "verdict",
    "words": "what predicts best",
    "lead": "its lead over simpler models",
    "tuned_lead": "lead of the tuned Elo, else Elo, over a coin",
    "n_test_pairs": "hidden pairs, all hold-outs",
    "n_test_games": "their games",
    "n_players": "players",
    "n_pairs": "pairs",
    "p_value": "p if transitive",
    "power": "power",
    "games_needed": "games needed",
    "hinges": "hangs on",
    "n_repeats": "hold-outs",
    "best_error": "its error",
    "coin_error": "a coin's",
    "elo_error": "that of Elo without a prior",
    "elo_tuned_error": "that of the tuned Elo",
    "protocol": "protocol",
    "origin": "origin",
}


def dataset_section(
    datasets: pd.DataFrame, transitivity: pd.DataFrame, best: pd.DataFrame, models: Mapping[str, str]
) -> dict:
    """Return the table of the datasets of the run: their size, their verdict, and what predicts them best.

    The errors of a dataset are those of the protocol with the most hold-outs and, of equal ones, the most pairs.
    """
    told = ["dataset", "verdict_logit"]
    if pd.to_numeric(transitivity.p_value).notna().any():
        told += ["p_value", "power", "games_needed", "hinges"]
        transitivity = transitivity.assign(
            games_needed=transitivity.games_needed.map(games_in_words),
            # A few hundred draws give no more digits.
            p_value=[float(f"{p:.2g}") for p in pd.to_numeric(transitivity.p_value)],
            power=chances(transitivity.power),
        )
    best = best.sort_values(["n_repeats", "n_test_pairs"], kind="stable").groupby("dataset").tail(1)
    best = best.assign(
        words=[best_in_words(row, models) for row in entries(best)],
        lead=[lead_in_words(row) for row in entries(best)],
        tuned_lead=[lead_in_words(row, "tuned_") for row in entries(best)],
    )
    shown = datasets.merge(transitivity[told], on="dataset", how="left").merge(best, on="dataset", how="left")
    text = ["words", "lead", "tuned_lead"]
    shown[text] = shown[text].astype(object).fillna("")
    shown["protocol"] = shown.protocol.fillna("not scored")
    return table(shown[[name for name in OF_DATASETS if name in shown]].rename(columns=OF_DATASETS))


def unread(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the leagues of whose files much was not read, and what filters leave empty: a sentence each, for the top.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        dropped among them.
    """
    frame = tables.get("dropped")
    if frame is None:
        return []
    said = {"file cut off": "the file is cut off there, and what comes before was counted", MUCH_UNREAD: MUCH_UNREAD}
    repeated = frame.reason.astype(str).str.startswith(REPEATED.split("{")[0])
    found, empty = frame[frame.reason.isin(said) | repeated], frame[frame.kind == "left out"]
    return [
        f"{league}: {said.get(why, why)} ({first})."
        for league, why, first in found[["league", "reason", "first"]].to_numpy()
    ] + [f"{dataset} is left out of this run: {why}" for dataset, why in empty[["league", "reason"]].to_numpy()]


def not_fitted(timings: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what could not be fitted, and why: a sentence a dataset and reason."""
    rows = timings[timings.note != ""]
    return [
        f"{labels.get(str(dataset), dataset)}, {' and '.join(dict.fromkeys(group.protocol))}: {note}"
        for (dataset, note), group in rows.groupby(["dataset", "note"], sort=False)
    ]


def left_out(paper: Paper, datasets: pd.DataFrame) -> list[dict]:
    """Return the paper's datasets that are not in the run, with the figures that miss them and the cure."""
    return [
        {"label": row.label, "dataset": row.dataset, "used_in": row.used_in, "why": CURES[row.available]}
        for row in entries(paper.datasets)
        if row.dataset not in set(datasets.dataset)
    ]


def caption(folder: Path, name: str) -> list[str]:
    """Return the paragraphs of a caption file, none where there is no file."""
    path = folder / f"{name}.rst"
    return paragraphs(path.read_text(encoding="utf-8")) if path.is_file() else []


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, a line each."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def simulated_in(path: Path, datasets: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return the names of the simulated datasets that a figure shows."""
    frame = read_any_table(path)
    if "dataset" not in frame:
        return []
    names = set(frame.dataset[truth(frame.simulated)]) if "simulated" in frame else set()
    names |= set(frame.dataset) & set(datasets.dataset[truth(datasets.simulated)])
    return [labels.get(name, name) for name in sorted(names)]


def figure_section(
    figures: Iterable[Path], data: Iterable[Path], datasets: pd.DataFrame, labels: Mapping[str, str]
) -> list[dict]:
    """Return the title, the picture, the caption and the simulated datasets of each figure."""
    data_of = {path.stem: path for path in data}
    return [
        {
            "id": path.stem,
            "title": FIGURES[path.stem].title,
            "image": base64.b64encode(path.read_bytes()).decode("ascii"),
            "caption": paragraphs(FIGURES[path.stem].caption),
            "simulated": simulated_in(data_of[path.stem], datasets, labels),
        }
        for path in sorted(figures, key=lambda path: path.stem)
    ]


def table_1_section(frame: pd.DataFrame, paper: Paper) -> dict:
    """Return Table 1 as text: ours and the paper's in each cell."""

    def digits(value: float) -> str:
        return "" if math.isnan(value) else powers(f"{value:.1e}")

    games = paper.table_1_games
    rows = []
    for row in frame.to_dict("records"):
        cells = [
            {"ours": digits(row[f"{dataset}_{split}"]), "paper": digits(row[f"{dataset}_{split}_paper"])}
            for dataset in games
            for split in ("train", "test")
        ]
        rows.append({"label": row["label"], "n_params": row["n_params"], "cells": cells})
    return {"games": [paper.label(dataset) for dataset in games], "rows": rows}


def transitivity_section(frame: pd.DataFrame, labels: Mapping[str, str], meanings: Mapping[str, str]) -> list[dict]:
    """Return the measures in tables that fit a page: the verdicts first."""
    named = frame.assign(dataset=[labels.get(name, name) for name in frame.dataset])
    if "power" in named and named.power.notna().any():
        named = named.assign(power=chances(named.power))
    left = [str(column) for column in named if column != "dataset"]
    parts = []
    for title, starts in MEASURES.items():
        columns = [column for column in left if column.startswith(starts) and named[column].notna().any()]
        left = [column for column in left if not column.startswith(starts)]
        if columns:
            parts.append({"title": title, "table": table(named[["dataset", *columns]], meanings)})
    if any(named[column].notna().any() for column in left):
        parts.append({"title": "Further measures", "table": table(named[["dataset", *left]], meanings)})
    return parts


def score_section(
    frame: pd.DataFrame, labels: Mapping[str, str], models: Mapping[str, str], meanings: Mapping[str, str]
) -> list[dict]:
    """Return one table a protocol and score: the mean over hold-outs on test, datasets down and models across."""
    tables = []
    for protocol, scores in frame[frame.split == "test"].groupby("protocol", sort=True):
        for column, name in SCORES.items():
            if column in scores and scores[column].notna().any():
                pivot = scores.pivot_table(index="dataset", columns="model", values=column, sort=False)
                pivot = pivot.astype(object).where(~(pivot > DIVERGED), f">{number(DIVERGED)}")
                pivot = pivot.rename(columns=lambda model: model_label(model, models))
                pivot.insert(0, "dataset", [labels.get(dataset, dataset) for dataset in pivot.index])
                # Of the model that was scored most often; hold-outs may hide a pair again.
                pairs = scores.groupby(["dataset", "model"]).n_pairs.sum().groupby("dataset").max()
                few = [f"{n} (few)" if n < FEWEST_PAIRS else str(n) for n in pairs.reindex(pivot.index).astype(int)]
                pivot.insert(1, "hidden pairs, all hold-outs", few)
                about = {"title": f"Protocol “{protocol}”, {name}", "words": meanings.get(column, "")}
                tables.append(about | {"table": table(pivot)})
    return tables


def league_section(
    frames: Mapping[str, pd.DataFrame], captions: Path, meanings: Mapping[str, Mapping[str, str]]
) -> list[dict]:
    """Return the tables of the leagues, each with its caption; one without rows is said to have none."""
    return [
        {
            "title": name.capitalize(),
            "caption": caption(captions, name),
            "table": table(frame, meanings.get(name)) if len(frame) else None,
        }
        for name, frame in frames.items()
    ]


#: What the tables of run times say.
OF_FITS = (
    "Per protocol and model: how many fits there were, their seconds, how many stopped before the gradient was small, "
    "how many have a loss without a finite optimum (a small ridge decides where they end), the largest norm of a "
    "gradient at the end, and the largest difference of losses that several starts of one fit reached."
)
OF_JOBS = "Per rule of the workflow: its jobs, their seconds, and the most memory that one took."


def timing_section(timings: pd.DataFrame, benchmarks: Path) -> list[dict]:
    """Return the seconds of fits by protocol and model, and of jobs by the folder of their benchmarks."""
    timings = timings.assign(stopped=timings.converged.astype(str).eq("False"), apart=truth(timings.separated))
    columns = {
        "fits": ("seconds", "size"),
        "seconds in all": ("seconds", "sum"),
        "longest (s)": ("seconds", "max"),
        "not converged": ("stopped", "sum"),
        "no finite optimum": ("apart", "sum"),
        "largest gradient": ("gradient_norm", "max"),
        "largest spread of optima": ("spread", "max"),
    }
    fits = timings.groupby(["protocol", "model"], sort=True).agg(**columns).reset_index()
    jobs = []
    for path in sorted(p for p in benchmarks.rglob("*") if p.is_file()):
        frame = pd.read_csv(path, sep="\t")
        rule = Path(path.relative_to(benchmarks).parts[0]).stem
        jobs.append((rule, frame.s.sum(), pd.to_numeric(frame.max_rss, errors="coerce").max()))
    by_rule = pd.DataFrame(jobs, columns=["rule", "seconds", "memory"]).groupby("rule", sort=True)
    columns = {
        "jobs": ("seconds", "size"),
        "seconds in all": ("seconds", "sum"),
        "longest (s)": ("seconds", "max"),
        "peak memory (MB)": ("memory", "max"),
    }
    return [
        {"title": "Fits", "words": OF_FITS, "table": table(fits)},
        {"title": "Jobs", "words": OF_JOBS, "table": table(by_rule.agg(**columns).reset_index())},
    ]


def one_row_a_file(rows: Iterable[dict]) -> list[dict]:
    """Return the rows of files, those of one file joined: a league has several datasets."""
    files: dict[tuple, dict] = {}
    for row in rows:
        key = tuple(value for name, value in row.items() if name != "dataset")
        seen = files.setdefault(key, row | {"dataset": []})
        seen["dataset"].append(row["dataset"])
    return [row | {"dataset": ", ".join(row["dataset"])} for row in files.values()]


def files_of(provenance: Iterable[dict]) -> list[dict]:
    """Return the files that were read, with the datasets of each; a licence of the configuration comes first."""
    keys = ("url", "path", "sha256", "bytes", "date")
    return one_row_a_file(
        {key: file.get(key) for key in keys}
        | {"dataset": entry["dataset"], "licence": entry.get("licence") or file.get("licence")}
        for entry in provenance
        for file in entry.get("files", [])
    )


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of the packages that are installed."""
    found = [("python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            found.append((package, "not installed"))
    return found
