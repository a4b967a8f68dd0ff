"""The page: what a run gave, put into the template."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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

#: The tables of a run, and what the page calls one that was not given.
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
#: The tables that only some runs have.
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
    """What a report is made of; what is not given is named on the page.

    Parameters
    ----------
    paper : Paper
        The paper's numbers.
    captions : Path
        The folder of the captions of tables (.rst).
    columns : Path
        The page of the documentation that says what columns mean.
    tables : mapping
        Those of `TABLES` and `FURTHER_TABLES` that there are.
    league_tables : mapping
        {name: table} of the leagues: matchups, dropped, identifiability.
    figures, figure_data : sequences of Path
        figure_XX.png, and the numbers that they draw.
    planes : mapping
        {dataset: decompositions/{dataset}.csv} of one's own data.
    left_out : mapping
        {figure: why the run does not have it}; an empty reason is not worth a line.
    answer : list of str, optional
        The sentences that the page starts with.
    provenance : list of dict, optional
        provenance.json: dataset, licence, files.
    config : str, optional
        The merged configuration.
    benchmarks : Path, optional
        The folder of the workflow's benchmark files.
    """

    paper: Paper
    captions: Path
    columns: Path
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    league_tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    figures: Sequence[Path] = ()
    figure_data: Sequence[Path] = ()
    planes: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    answer: list[str] | None = None
    provenance: list[dict] | None = None
    config: str | None = None
    benchmarks: Path | None = None

    @property
    def labels(self) -> dict[str, str]:
        """What each dataset is called: as the paper, or as the run."""
        labels = dict(zip(self.paper.datasets.dataset, self.paper.datasets.label, strict=True))
        datasets = self.tables.get("datasets")
        if datasets is not None and "label" in datasets:
            named = datasets[datasets.label.fillna("") != ""]
            labels |= dict.fromkeys(datasets.dataset, "") | dict(zip(named.dataset, named.label, strict=True))
        return {dataset: label or dataset for dataset, label in labels.items()}

    @property
    def is_own(self) -> bool:
        """Whether the run is about other data than the paper's, which then come first."""
        datasets = self.tables.get("datasets")
        return datasets is not None and not set(datasets.dataset) & set(self.paper.datasets.dataset)

    @property
    def absent(self) -> list[str]:
        """What was not given, in words."""
        missing = [name for key, name in TABLES.items() if key not in self.tables]
        missing += ["the provenance of the data"] if self.provenance is None else []
        missing += ["the configuration"] if self.config is None else []
        shown = {path.stem for path in self.figures} | set(self.left_out)
        return missing + [figure.title for name, figure in FIGURES.items() if name not in shown]


def render(given: Given) -> str:
    """Return the page, as HTML; the same bytes for the same input."""
    tables, labels, own = given.tables, given.labels, given.is_own
    comparison, frame_1, scores, transitivity, datasets, timings, forecasts = map(
        tables.get, ("comparison", "table_1", "scores", "transitivity", "datasets", "timings", "forecasts")
    )
    compared, ranks, choice, optima = map(tables.get, ("model_comparison", "signed_rank", "choice_of_k", "optima"))
    models = family_labels(scores) if scores is not None and "label" in scores else {}
    models |= model_labels()
    told = meanings(given.columns)
    figures = {
        figure["id"]: figure for figure in sections.figure_section(given.figures, given.figure_data, datasets, labels)
    }
    if own and comparison is not None:
        # What the paper has and this run has not is not its readers' business, unless it is due.
        comparison = comparison[(comparison.verdict != NOT_RUN) | comparison["item"].isin(unmet(comparison)["item"])]
    said = [] if given.answer in (None, [NO_ANSWER]) else given.answer
    # Names of players, games and models are data: everything is escaped.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    template = importlib.resources.files("reproduction.report").joinpath("page.html.jinja")
    sources = Sources(tables, given.league_tables, given.planes, labels, models)
    own_parts = own_section(sources, given.paper.datasets.dataset, players_section(tables))
    # What stands elsewhere: a picture of an answer, and the paper's examples where no game is its.
    elsewhere = {"cycles_pay", *(EXAMPLES if own else [])}
    first = [
        None if comparison is None or own else answers.reproduces(comparison),
        answers.predicts(ranks, said) if not own_parts and (said or ranks is not None) else None,
        answers.pays(tables.get("cycles_rule"), figures.get("cycles_pay")),
    ]
    return environment.from_string(template.read_text(encoding="utf-8")).render(
        answers=[answer for answer in first if answer and (answer.words or answer.figure)],
        compared=explained(models_section(compared, ranks, choice, optima, labels, models), told),
        said=said if own_parts else [],
        compared_caption=sections.caption(given.captions, "model_comparison"),
        comparison=None if comparison is None else sections.comparison_section(comparison, given.paper, figures),
        absent=given.absent,
        own=own,
        own_parts=own_parts,
        datasets=sections.dataset_section(datasets, transitivity, tables.get("best_models"), models),
        not_fitted=sections.not_fitted(timings, labels),
        unread=sections.unread(given.league_tables),
        left_out=[] if own else sections.left_out(given.paper, datasets),
        figures_left_out=[(FIGURES[name].title, why) for name, why in given.left_out.items() if why],
        figures=[figure for name, figure in figures.items() if name not in elsewhere],
        examples=[figures[name] for name in EXAMPLES if name in figures] if own else [],
        table_1=None if frame_1 is None else sections.table_1_section(frame_1, given.paper),
        table_1_caption=sections.caption(given.captions, "table_1"),
        diverged=number(sections.DIVERGED),
        scores=None if scores is None else sections.score_section(scores, labels, models, told.get("scores", {})),
        transitivity=None
        if transitivity is None
        else sections.transitivity_section(transitivity, labels, told.get("transitivity", {})),
        transitivity_caption=sections.caption(given.captions, "transitivity"),
        forecasts=[] if forecasts is None else forecast_section(forecasts),
        forecasts_caption=sections.caption(given.captions, "forecasts"),
        leagues=sections.league_section(given.league_tables, given.captions, told),
        timings=sections.timing_section(timings, given.benchmarks),
        provenance=None if given.provenance is None else sections.files_of(given.provenance),
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
