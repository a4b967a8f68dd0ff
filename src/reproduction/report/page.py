"""The page: what a run gave, put into the template."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import pandas as pd

from reproduction.figures.catalogue import FIGURES
from reproduction.paper.compare import NOT_RUN, unmet
from reproduction.paper.numbers import Paper, model_labels
from reproduction.report import answers, sections
from reproduction.report.answer import NO_ANSWER
from reproduction.report.cells import number
from reproduction.report.columns import meanings
from reproduction.report.forecasts import forecast_section
from reproduction.report.models import models_section
from reproduction.report.own import Sources, own_section
from reproduction.report.players import players_section
from transitivity.evaluation.ratios import family_labels

#: The tables of a run, and those that only some runs have.
TABLES = {
    "comparison": "the comparison with the paper",
    "table_1": "Table 1",
    "scores": "the scores",
    "transitivity": "the measures of transitivity",
    "datasets": "the list of datasets",
    "timings": "the run times",
    "model_comparison": "the comparison of models",
    "signed_rank": "the tests over games",
    "best_models": "the best models",
    "choice_of_k": "the choice of k",
    "optima": "the optima of the disc",
}
FURTHER_TABLES = {
    "forecasts": "the forecasts",
    "cycles_rule": "when cycles pay",
    "ratings": "the ratings",
    "pairs": "the predicted and observed scores of pairs",
    "surprises": "the surprises",
    "triples": "the cycles of three",
}
#: How titles of tables of models start, and the tables that docs/results.md describes.
OF_MODELS = {"Over games": "signed_rank", "What the validation chose": "choice_of_k", "Better optima": "optima"}
#: The figures of the paper's own examples, which come last where the run is about other data.
EXAMPLES = ("figure_01", "figure_02", "figure_03")


@dataclass(frozen=True)
class Given:
    """What a report is made of.

    Parameters
    ----------
    paper : Paper
        The paper's numbers.
    captions : Path
        The folder of the captions of tables (.rst).
    columns : Path
        The page of the documentation that says what columns mean.
    tables : mapping
        All of `TABLES`, and those of `FURTHER_TABLES` that there are.
    league_tables : mapping
        {name: table} of the leagues: matchups, dropped, identifiability.
    figures, figure_data : sequences of Path
        figure_XX.png, and the numbers that they draw.
    planes : mapping
        {dataset: decompositions/{dataset}.csv} of one's own data.
    left_out : mapping
        {figure: why the run does not have it}; an empty reason is not worth a line.
    answer : list of str
        The sentences that the page starts with.
    provenance : list of dict
        provenance.json: dataset, licence, files.
    config : str
        The merged configuration.
    benchmarks : Path
        The folder of the workflow's benchmark files.
    """

    paper: Paper
    captions: Path
    columns: Path
    tables: Mapping[str, pd.DataFrame]
    league_tables: Mapping[str, pd.DataFrame]
    figures: Sequence[Path]
    figure_data: Sequence[Path]
    planes: Mapping[str, pd.DataFrame]
    left_out: Mapping[str, str]
    answer: list[str]
    provenance: list[dict]
    config: str
    benchmarks: Path

    @property
    def labels(self) -> dict[str, str]:
        """What each dataset is called: as the paper, or as the run."""
        datasets = self.tables["datasets"]
        named = dict(zip(datasets.dataset, datasets.label, strict=True))
        labels = dict(zip(self.paper.datasets.dataset, self.paper.datasets.label, strict=True)) | named
        return {dataset: label or dataset for dataset, label in labels.items()}

    @property
    def is_own(self) -> bool:
        """Whether the run is about other data than the paper's, which then come first."""
        return not set(self.tables["datasets"].dataset) & set(self.paper.datasets.dataset)


def render(given: Given) -> str:
    """Return the page, as HTML; the same bytes for the same input."""
    tables, labels, own = given.tables, given.labels, given.is_own
    comparison, frame_1, scores, transitivity, datasets, timings, best, compared, ranks, choice, optima = (
        tables[name]
        for name in (
            *("comparison", "table_1", "scores", "transitivity", "datasets", "timings", "best_models"),
            *("model_comparison", "signed_rank", "choice_of_k", "optima"),
        )
    )
    forecasts = tables.get("forecasts")
    models = family_labels(scores) | model_labels()
    told = meanings(given.columns)
    figures = {
        figure["id"]: figure for figure in sections.figure_section(given.figures, given.figure_data, datasets, labels)
    }
    if own:
        # What the paper has and this run has not is not its readers' business, unless it is due.
        comparison = comparison[(comparison.verdict != NOT_RUN) | comparison["item"].isin(unmet(comparison)["item"])]
    said = [] if given.answer == [NO_ANSWER] else given.answer
    # Names of players, games and models are data: everything is escaped.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    template = importlib.resources.files("reproduction.report").joinpath("page.html.jinja")
    sources = Sources(tables, given.league_tables, given.planes, labels, models)
    own_parts = own_section(sources, given.paper.datasets.dataset, players_section(tables))
    # What stands elsewhere: a picture of an answer, and the paper's examples where no game is its.
    elsewhere = {"cycles_pay", *(EXAMPLES if own else [])}
    first = [
        None if own else answers.reproduces(comparison),
        None if own_parts else answers.predicts(ranks, said),
        answers.pays(tables.get("cycles_rule"), figures.get("cycles_pay")),
    ]
    return environment.from_string(template.read_text(encoding="utf-8")).render(
        answers=[answer for answer in first if answer and (answer.words or answer.figure)],
        compared=explained(models_section(compared, ranks, choice, optima, labels, models), told),
        said=said if own_parts else [],
        compared_caption=sections.caption(given.captions, "model_comparison"),
        comparison=sections.comparison_section(comparison, given.paper, figures),
        own=own,
        own_parts=own_parts,
        datasets=sections.dataset_section(datasets, transitivity, best, models),
        not_fitted=sections.not_fitted(timings, labels),
        unread=sections.unread(given.league_tables),
        left_out=[] if own else sections.left_out(given.paper, datasets),
        figures_left_out=[(FIGURES[name].title, why) for name, why in given.left_out.items() if why],
        figures=[figure for name, figure in figures.items() if name not in elsewhere],
        examples=[figures[name] for name in EXAMPLES if name in figures] if own else [],
        table_1=sections.table_1_section(frame_1, given.paper),
        table_1_caption=sections.caption(given.captions, "table_1"),
        diverged=number(sections.DIVERGED),
        scores=sections.score_section(scores, labels, models, told["scores"]),
        transitivity=sections.transitivity_section(transitivity, labels, told["transitivity"]),
        transitivity_caption=sections.caption(given.captions, "transitivity"),
        forecasts=[] if forecasts is None else forecast_section(forecasts),
        forecasts_caption=sections.caption(given.captions, "forecasts"),
        leagues=sections.league_section(given.league_tables, given.captions, told),
        timings=sections.timing_section(timings, given.benchmarks),
        provenance=sections.files_of(given.provenance),
        versions=sections.versions(),
        config=given.config,
    )


def explained(parts: list[dict], told: Mapping[str, Mapping[str, str]]) -> list[dict]:
    """Return the tables of models with what their columns mean, by how their titles start."""
    for part in parts:
        name = next((name for start, name in OF_MODELS.items() if part["title"].startswith(start)), "")
        shown = {**dict.fromkeys(part["table"]["header"]), "": None}
        meanings = {column: meaning for column, meaning in told.get(name, {}).items() if column in shown}
        part["table"]["explained"] = list(meanings.items())
    return parts
