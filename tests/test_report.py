"""The report: one self-contained page, everything escaped, what is missing named, same bytes each time."""

from __future__ import annotations

import base64
import dataclasses
import html
import json
import math
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from loading import script

from reproduction.figures.catalogue import FIGURES, columns_of
from reproduction.paper.compare import COLUMNS, DIFFERS, NOT_RUN, REPRODUCED
from reproduction.paper.numbers import read_paper
from reproduction.report import answer, cells, drawing, models, own, sections
from reproduction.report.page import FURTHER_TABLES, TABLES
from transitivity.errors import InputError
from transitivity.evaluation import compare
from transitivity.matchups.tally import COLUMNS as COUNTS
from transitivity.matchups.tally import REPEATED
from transitivity.measures import players
from transitivity.measures.evidence import transitivity_evidence
from transitivity.measures.measure import measure
from transitivity.payoff.core import Payoff
from transitivity.sources.rows import MUCH_UNREAD

ROOT = Path(__file__).resolve().parents[1]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
EVIL = "<script>alert('x')</script>"
DEFAULTS = [*("--paper", ROOT / "workflow" / "paper"), *("--captions", ROOT / "workflow" / "report")]
DEFAULTS += ["--columns", ROOT / "docs" / "results.md"]


@pytest.fixture(scope="module")
def report():
    return script("report")


class Page(HTMLParser):
    """The tags of a page, in order, and a check that they nest."""

    VOID = ("meta", "br", "img", "link", "input", "hr")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.problems = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def comparison_rows():
    rows = [
        ("figure_2/claim/a", "Claim (Figure 2): Elo fails.", 1, 0.5, 0.5, "exact", DIFFERS, "Seen.", DIFFERS),
        ("figure_5/published/blotto/disc_k1", EVIL, 1.0, 1.2, 1.2, "1 %", DIFFERS, EVIL, REPRODUCED),
        ("figure_5/published/kuhn/disc_k1", "Kuhn", 1.7, 1.7, 1.0, "1 %", REPRODUCED, "", REPRODUCED),
        ("figure_6/published/elo", "Elo", 0.0, None, None, "± 1", NOT_RUN, "Needs Hex.", NOT_RUN),
        ("figure_6/published/disc_k1", "Disc", 0.0, None, None, "± 1", NOT_RUN, "No fit.", REPRODUCED),
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


#: The tables of a run that compares no models.
EMPTY = {
    "model_comparison": compare.COMPARISON,
    "signed_rank": compare.SIGNED_RANK,
    "best_models": compare.BEST,
    "choice_of_k": compare.CHOICE,
    "optima": compare.OPTIMA,
}


def fits(**columns) -> pd.DataFrame:
    """The table of timings."""
    usual = {"dataset": "rps", "converged": True, "separated": False, "gradient_norm": 0.0, "spread": None, "note": ""}
    return pd.DataFrame(usual | columns, index=range(len(columns["seconds"])))


@pytest.fixture
def inputs(tmp_path):
    comparison_rows().to_csv(tmp_path / "comparison.csv", index=False)
    for name, data in (
        ("figure_02", "gamma,delta\n1,2\n"),
        ("figure_05", "dataset,simulated,ratio\nkuhn_poker,True,1.7\nblotto,False,1.0\n"),
        ("figure_10", "dataset,ratio\nmy_league,1.0\n"),
    ):
        (tmp_path / f"{name}.png").write_bytes(PIXEL)
        (tmp_path / f"{name}.csv").write_text(data)
    datasets = pd.DataFrame(
        {
            "dataset": ["kuhn_poker", "my_league", "blotto"],
            "origin": ["simulated", "simulated", "exact"],
            "label": ["Kuhn", EVIL, "Blotto"],
            "simulated": [True, True, False],
            "league": "",
        }
    )
    datasets.to_csv(tmp_path / "datasets.csv", index=False)
    scores = pd.DataFrame(
        {
            "protocol": "published",
            "dataset": ["kuhn_poker", "my_league"],
            "model": ["disc_k1", EVIL],
            "split": "test",
            "n_pairs": [400, 5],
            "mse": [0.0123456, 0.5],
            "label": ["Disc", EVIL],
        }
    )
    scores.to_csv(tmp_path / "scores.csv", index=False)
    cells = {f"{d}_{s}{p}": [1.234e-10] for d in columns_of() for s in ("train", "test") for p in ("", "_paper")}
    cells["disc_game_test_paper"] = [None]
    pd.DataFrame({"model": ["m"], "label": [EVIL], "n_params": ["2n"], **cells}).to_csv(
        tmp_path / "table_1.csv", index=False
    )
    verdict = {"verdict_logit": "undecided", "p_value": None}
    pd.DataFrame([{"dataset": EVIL, "margin": 3.25} | verdict]).to_csv(tmp_path / "transitivity.csv", index=False)
    fits(protocol="written", model=["elo", "elo"], seconds=[1.5, 2.0]).to_csv(tmp_path / "timings.csv", index=False)
    for name, columns in EMPTY.items():
        pd.DataFrame(columns=columns).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "answer.md").write_text(f"{answer.NO_ANSWER}\n")
    (tmp_path / "benchmarks" / "fit").mkdir(parents=True)
    for job, seconds in (("a.tsv", 4), ("b.tsv", 6)):
        text = f"s\th:m:s\tmax_rss\n{seconds}\t0:00:0{seconds}\t120.5\n"
        (tmp_path / "benchmarks" / "fit" / job).write_text(text)
    provenance = [
        {
            "dataset": "kuhn_poker",
            "licence": "CC0",
            "files": [
                {"path": EVIL, "sha256": "ab" * 32, "bytes": 12},
                {"path": "x", "url": "https://example.org/x", "date": "2024-01-01", "licence": "as fetched"},
            ],
        },
        {"dataset": "starcraft_60", "licence": "", "files": [{"path": "y", "licence": "non-commercial"}]},
        {"dataset": "blotto", "licence": "", "files": []},
    ]
    dropped = {"league": [EVIL], "kind": "dropped", "reason": ["self-play"], "times": [3], "first": [f"{EVIL}, line 2"]}
    pd.DataFrame(dropped).to_csv(tmp_path / "dropped.csv", index=False)
    pd.DataFrame({"dataset": [], "step": []}).to_csv(tmp_path / "matchups.csv", index=False)
    (tmp_path / "provenance.json").write_text(json.dumps(provenance))
    (tmp_path / "config.yaml").write_text(f"data: embedded\nname: {EVIL}\n")
    return tmp_path


def arguments(folder, output):
    pngs, data = sorted(folder.glob("*.png")), sorted(folder.glob("figure_*.csv"))
    given = [*DEFAULTS, "--figures", *pngs, "--figure-data", *data, "--benchmarks", folder / "benchmarks"]
    for name in TABLES:
        given += [f"--{name.replace('_', '-')}", folder / f"{name}.csv"]
    given += ["--answer", folder / "answer.md", "--provenance", folder / "provenance.json"]
    given += ["--league-tables", folder / "matchups.csv", folder / "dropped.csv"]
    given += ["--config", folder / "config.yaml", "--output", output]
    return list(map(str, given))


@pytest.fixture
def page(report, inputs):
    report.main(arguments(inputs, inputs / "report.html"))
    return (inputs / "report.html").read_text(encoding="utf-8")


def test_the_page_is_whole_and_self_contained(page):
    parsed = Page(page)
    assert parsed.open == [] and parsed.problems == []
    assert not {"script", "link", "iframe"} & {tag for tag, _ in parsed.tags}
    targets = [attrs.get("src") or attrs.get("href") for _, attrs in parsed.tags]
    assert all(t.startswith(("data:image/png;base64,", "#")) for t in targets if t)
    anchors = {attrs["id"] for _, attrs in parsed.tags if "id" in attrs}
    assert {t[1:] for t in targets if t and t.startswith("#")} <= anchors
    assert page.count(base64.b64encode(PIXEL).decode()) == 3
    assert "url(" not in page and "@import" not in page


def test_data_are_escaped_everywhere(page):
    assert "<script" not in page
    # item's quantity and note, dataset label (badge and scores), model, table 1, transitivity, path, config
    assert page.count("&lt;script&gt;") >= 8


def test_short_answers_come_first_then_claims_then_figures_with_their_numbers(page):
    order = [page.index(f'<h2 id="{name}"') for name in ("reproduces", "comparison", "figures", "table-1", "scores")]
    assert order == sorted(order)
    answer = page[order[0] : order[1]]
    assert "Of 2 numbers of the paper that could be compared, 1 reproduce, and 1 differ: 0" in answer
    assert "Of 1 claim of the paper that could be compared, 0 hold" in answer
    # A dot a number, which tells what it is when pointed at.
    assert answer.count("<circle") == 2
    assert '<circle class="failed"' in answer and '<circle class="reproduced"' in answer
    assert f"<title>{html.escape(EVIL)}: paper 1, ours 1.2, differs</title>" in answer.replace("&#39;", "&#x27;")
    claims = page[order[1] : order[2]]
    assert "holds in 50% of the cases:</span> Claim (Figure 2): Elo fails." in claims
    assert "<code>figure_6/published/disc_k1</code>: not run, but due" in claims
    figure_5 = page[page.index('<figure id="figure_05"') : page.index('<figure id="figure_10"')]
    assert '<tr class="failed"><td class="verdict">differs, not expected' in figure_5
    assert '<tr class="reproduced"><td class="verdict">reproduced' in figure_5


def test_what_is_left_out_is_named_with_its_cure(page):
    section = page[page.index('<h2 id="left-out"') :]
    assert "Hex 3×3" in section and "only its payoff file has it" in section
    assert "<td><code>lichess</code></td>" in section and "games of people" in section
    assert "<code>blotto</code>" not in section


def test_simulated_figures_carry_a_badge(page):
    figures = page[page.index('id="figures"') : page.index('id="table-1"')]
    parts = {name: figures[figures.index(f'id="{name}"') :] for name in ("figure_02", "figure_05", "figure_10")}
    heads = {name: part[: part.index("</h3>")] for name, part in parts.items()}
    assert "badge" not in heads["figure_02"]
    assert "simulated: Kuhn" in heads["figure_05"] and "Blotto" not in heads["figure_05"]
    assert "simulated: &lt;script&gt;" in heads["figure_10"]
    assert "Elo fails on some transitive games" in figures


def test_tables_show_their_numbers(page):
    assert "1.2 × 10⁻¹⁰" in page and '<span class="paper">(1.2 × 10⁻¹⁰)</span>' in page
    assert "mean of (p - p̂)²" in page, "what a column says, as in docs/results.md"
    assert "0.01235" in page and "3.25" in page
    assert ">3.5<" in page, "the two fits of Elo took 3.5 s"
    assert "peak memory (MB)" in page and ">120.5<" in page and ">10<" in page
    assert "abab" in page and "https://example.org/x" in page
    data = page[page.index('<h2 id="provenance"') :]
    assert data.count("CC0") == 2 and "as fetched" not in data and data.count("non-commercial") == 1
    leagues = page[page.index('<h2 id="leagues"') : page.index('<h2 id="times"')]
    assert "self-play" in leagues and "<p>Nothing.</p>" in leagues and "What the filters left" in leagues
    assert "numpy" in page and "data: embedded" in page


def test_same_inputs_same_bytes(report, inputs, page):
    report.main(arguments(inputs, inputs / "again.html"))
    assert (inputs / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("repeats", [3, 0])
def test_the_answer_comes_first_and_games_have_their_intervals(report, inputs, repeats):
    rows = [
        ("strong", dataset, model, r, split, 10, 20, 20, mse, mse, 0.5)
        for dataset in ("kuhn_poker", "my_league")
        for model, mse in (("elo", 2.0), ("disc_k1", 1.0), ("disc_k2", 4.0))
        for r in range(repeats)
        for split in ("train", "test", "validation")
    ]
    columns = "protocol dataset model repeat split n_players n_params n_pairs mse log_loss accuracy".split()
    scores = pd.DataFrame(rows, columns=columns)
    choice = compare.choose_k(scores)
    comparison = compare.compare_models(compare.with_chosen(scores, choice))
    tables = {"model-comparison": comparison, "choice-of-k": choice}
    tables["signed-rank"] = compare.signed_rank(comparison, {"all": None})
    given = arguments(inputs, inputs / "report.html")
    for name, frame in tables.items():
        frame.to_csv(inputs / f"{name}.csv", index=False)
        given += [f"--{name}", str(inputs / f"{name}.csv")]
    (inputs / "answer.md").write_text(f"First {EVIL}.\nSecond.\n")
    report.main([*given, "--answer", str(inputs / "answer.md")])
    page = (inputs / "report.html").read_text(encoding="utf-8")
    assert Page(page).open == [] and "<script" not in page
    assert page.index("<p>Second.</p>") < page.index('<h2 id="comparison"')
    models = page[page.index('<h2 id="models"') : page.index('<h2 id="transitivity"')]
    if repeats:
        assert (
            "2.00 (no interval can be estimated)" in models
            and "Disc decomposition, k chosen / Elo" in models
            and "Kuhn" in models
        )
    else:
        assert "No protocol hid pairs of these datasets more than once" in models


def test_a_run_on_other_data_starts_with_them(report, inputs, page):
    """What is the paper's comes last, folded, where none of it could be compared."""
    headings = ("comparison", "figures", "datasets", "left-out")
    assert sorted(headings, key=lambda name: page.index(f'<h2 id="{name}"')) == list(headings)
    assert page.count('<h2 id="datasets"') == page.count('<h2 id="comparison"') == 1
    assert 'id="paper"' not in page
    datasets = pd.read_csv(inputs / "datasets.csv")
    datasets[datasets.dataset == "my_league"].to_csv(inputs / "datasets.csv", index=False)
    (inputs / "answer.md").write_text(f"{answer.NO_ANSWER}\n")
    report.main([*arguments(inputs, inputs / "own.html"), "--answer", str(inputs / "answer.md")])
    own = (inputs / "own.html").read_text(encoding="utf-8")
    headings = ("datasets", "models", "figures", "transitivity", "times", "comparison", "left-out")
    assert sorted(headings, key=lambda name: own.index(f'<h2 id="{name}"')) == list(headings)
    assert Page(own).open == [] and Page(own).problems == []
    assert 'id="answer"' not in own and 'id="reproduces"' not in own
    folded = own.index('<details id="paper">')
    assert own.index('id="figure_10"') < folded < own.index('id="figure_02"')
    assert folded < own.index('<h2 id="comparison"')
    # What the paper has and the run has not is left out, but for what is due.
    assert "figure_6/published/elo" not in own and "<code>lichess</code>" not in own and "Needs Hex" not in own
    assert "figure_6/published/disc_k1" in own and "None of the paper's games is in this run" in own


def league(names: list[str], games: int = 30) -> dict[str, pd.DataFrame]:
    """The tables of a league, as the library makes them from coin flips."""
    rng = np.random.default_rng(0)
    pairs = [(a, b, rng.binomial(games, 0.5)) for at, a in enumerate(names) for b in names[at + 1 :]]
    counts = pd.DataFrame([(a, b, won, 0, games - won) for a, b, won in pairs], columns=COUNTS)
    payoff = Payoff.from_counts(counts)
    rated = players.RatedLeague(payoff)
    evidence = dataclasses.asdict(transitivity_evidence(payoff, 19))
    row = dataclasses.asdict(measure(payoff, nash=False)) | evidence
    row |= {"verdict_logit": evidence["verdict"], "verdict_probability": "", "hinges": "", "planted": 0.5}
    planes = {"space": "logit", "player": payoff.players, "u": rated.ratings, "v": 1.0}
    graph = dict.fromkeys(["one_opponent", "always_win", "always_lose"], 0) | {"components": 1}
    graph |= {"largest_component": len(names), "cycles": payoff.n_pairs - len(names) + 1}
    size = {"n_players": payoff.n_players, "n_pairs": payoff.n_pairs}
    tables = {
        "datasets": pd.DataFrame(
            [size | {"label": f"{EVIL}, 1 game", "origin": "file", "simulated": False, "league": "l"}]
        ),
        "transitivity": pd.DataFrame([row]),
        "ratings": players.ratings_table(rated, with_disc=False),
        "pairs": players.pair_scores(rated),
        "surprises": players.surprises(rated),
        "triples": players.triples(payoff),
        "plane": pd.DataFrame(planes),
        "matchups": pd.DataFrame([{"games": games * payoff.n_pairs}]),
        "identifiability": pd.DataFrame([graph]),
    }
    of_league = ("ratings", "pairs", "surprises", "triples")
    return {
        name: table.assign(dataset="l", dataset_label=EVIL, simulated=False)
        if name in of_league
        else table.assign(dataset="mine")
        for name, table in tables.items()
    }


def test_a_league_of_ones_own_starts_with_its_players(report, inputs):
    """Names, intervals and verdict before any model; every mark tells what it is, and markup in names stays text."""
    names = [EVIL, "Ann & Söhne", "x" * 60, *(f"player {i}" for i in range(5))]
    given = arguments(inputs, inputs / "report.html")
    for name, table in league(names).items():
        table.to_csv(inputs / f"{name}.csv", index=False)
        if name in FURTHER_TABLES:
            given += [f"--{name}", str(inputs / f"{name}.csv")]
    (inputs / "plane.csv").rename(inputs / "mine.csv")
    given += ["--decompositions", str(inputs / "mine.csv")]
    report.main([*given, "--league-tables", *(str(inputs / f"{name}.csv") for name in ("matchups", "identifiability"))])
    page = (inputs / "report.html").read_text(encoding="utf-8")
    parsed = Page(page)
    assert parsed.open == [] and parsed.problems == [] and "<script" not in page
    parts = ("own-l", "Ratings", "The disc", "Predicted and observed", "Results against the odds", "Cycles of three")
    order = [page.index(part) for part in (*parts, '<h2 id="models"')]
    assert order == sorted(order)
    for name in names:
        assert page.count(f"<title>{html.escape(name)}".replace("&#x27;", "&#39;")) >= 2, name
    assert page.count("<circle") >= 2 * len(names) + 28
    own = page[order[0] : order[-1]]
    assert "8 players, 28 pairs that met, 840 games." in own and "Verdict: " in own
    assert "is within what chance alone gives" in own
    assert "x" * 60 in own, "no name is cut"


def test_a_payoff_of_ones_own_has_its_plane_and_its_verdict():
    u = np.array([2.0, 0.5, -1.0, -1.5])
    payoff = Payoff.from_dense(1 / (1 + np.exp(np.subtract.outer(-u, -u))))
    row = dataclasses.asdict(measure(payoff)) | {"dataset": "dice", "verdict_logit": "transitive"}
    size = {"dataset": "dice", "label": "Dice", "origin": "file", "simulated": False, "league": None}
    size |= {"n_players": 4, "n_pairs": 6}
    tables = {"datasets": pd.DataFrame([size]), "transitivity": pd.DataFrame([row])}
    plane = pd.DataFrame({"space": "logit", "player": list("abcd"), "u": u, "v": 1.0})
    sources = own.Sources(tables, {}, {"dice": plane}, {"dice": "Dice"}, {})
    (part,) = own.own_section(sources, ["rps"], [])
    words, disc = part["blocks"]
    assert part["title"] == "Dice" and "4 players, 6 pairs." in words.words
    assert any("that component orders all players" in line for line in words.words)
    assert [mark["words"] for mark in disc.drawing.marks if mark["tag"] == "text"] == list("adcb")
    assert own.own_section(sources, ["dice"], []) == []


def test_a_disc_names_who_is_known_and_no_name_covers_another():
    """Of a crowd on a line: players of few opponents stay unnamed, neighbours with more games come first."""
    names = [f"player {k}" for k in range(60)]
    plane = pd.DataFrame({"space": "logit", "player": names, "u": np.linspace(-1, 1, 60), "v": 1.0})
    games = np.tile([2, 90, 40], 20)
    ratings = pd.DataFrame({"player": names, "games": games, "opponents": np.where(games == 2, 1, 5)})
    (block,) = own._disc(plane, pd.DataFrame(), ratings)
    written = [mark for mark in block.drawing.marks if mark["tag"] == "text"]
    shown = [games[names.index(mark["words"])] for mark in written]
    assert len(written) >= 5 and 2 not in shown and shown.count(90) > shown.count(40)
    heights = np.sort([mark["y"] for mark in written])
    assert np.diff(heights).min() >= drawing.LINE - 0.2


def test_probabilities_are_never_0_or_1_and_errors_without_bounds_are_words():
    assert cells.chances(pd.Series([0.0, 0.3, 1.0, np.nan])) == ["<0.01", "0.30", ">0.99", ""]
    assert cells.table(pd.DataFrame({"p": ["<0.01", ""], "who": ["a", "1"]}))["numeric"] == [True, False]
    row = {"protocol": "x", "split": "test", "dataset": "d", "n_pairs": 50}
    scores = pd.DataFrame([row | {"model": "melo_k1", "mse": 11012514.0}, row | {"model": "elo", "mse": 0.25}])
    (part,) = sections.score_section(scores, {}, {}, {})
    assert part["table"]["rows"] == [["d", "50", ">1,000", "0.25"]]
    assert part["table"]["numeric"] == [False, True, True, True]


def test_ten_games_promise_nothing(tmp_path):
    tables = league(["a", "b", "c"], 3)
    sources = own.Sources(tables, tables, {"mine": tables["plane"]}, {}, {})
    blocks = own.own_section(sources, [], [])[0]["blocks"]
    words = " ".join(paragraph for block in blocks for paragraph in block.words)
    assert "9 games are too few to say whether predictions are right" in words
    assert "undecided" in words and "may be luck" in words


@pytest.mark.parametrize("label", ["Tennis, men (Clay)", "Tennis, men (Clay), at least 20 games a pair"])
def test_a_comma_in_a_label_does_not_end_its_title(label):
    size = {"dataset": "t", "label": label, "origin": "file", "simulated": False, "league": "l"}
    datasets = pd.DataFrame([size | {"n_players": 3, "n_pairs": 3}])
    sources = own.Sources({"datasets": datasets}, {}, {}, {"t": label}, {})
    assert own.own_section(sources, [], [])[0]["title"] == "Tennis, men (Clay)"


def test_one_heavy_pair_and_one_long_name_leave_a_true_and_readable_page():
    """The marks that are said to be drawn are; a name of any length leaves the others readable."""
    rows = [("a" * 300, "b", 5000, 0, 4000), ("b", "c", 3, 0, 2), ("a" * 300, "c", 2, 0, 1)]
    rated = players.RatedLeague(Payoff.from_counts(pd.DataFrame(rows, columns=COUNTS)))
    pairs = own._pairs(players.pair_scores(rated))
    drawn = sum(mark["look"] == "one" for mark in pairs.drawing.marks)
    assert f"means over {drawn} groups of pairs" in pairs.words[1]
    ratings = own._ratings(players.ratings_table(rated, with_disc=False))
    assert ratings.drawing.width < 1000
    assert any("a" * 300 in mark["title"] for mark in ratings.drawing.marks)
    single = players.RatedLeague(Payoff.from_counts(pd.DataFrame([("a", "b", 1, 0, 0)], columns=COUNTS)))
    assert "1 game is too few to say" in own._pairs(players.pair_scores(single)).words[1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (22460.0, "22,460"),
        (2.246e4, "22,460"),
        (1234.5678, "1,235"),
        (0.0123456, "0.01235"),
        (-3.2e-10, "−3.2 × 10⁻¹⁰"),
        (math.inf, "∞"),
        (math.nan, ""),
        (7, "7"),
        (2.5e20, "2.5 × 10²⁰"),
    ],
)
def test_no_cell_is_written_with_an_e(value, text):
    assert cells.number(value) == text


def test_an_axis_names_ends_and_values_lie_in_order():
    for low, high in ((0.9, 1.3), (0.1, 40.0), (1e-6, 1e6)):
        axis = drawing.Axis(low, high, 100, 300, log=True)
        assert 2 <= len(axis.ticks()) <= 14
        assert [axis(value) for value in (low / 9, low, high, high * 9)] == pytest.approx([100, 100, 300, 300])
        assert axis(math.sqrt(low * high)) == pytest.approx(200)


def best_row(dataset: str, protocol: str = "strong", n_repeats: int = 2, **changes: object) -> dict:
    row = {"protocol": protocol, "dataset": dataset, "score": "mse", "n_repeats": n_repeats, "n_test_pairs": 40}
    row |= {"n_test_games": math.nan, "why_not": "", "best": "disc_k1", "best_error": 0.25, "lead": 1.5}
    row |= {"lead_low": 1.25, "lead_high": 1e9, "lowest": "disc_k1", "lowest_error": 0.25, "coin_error": math.nan}
    row |= {"tuned_lead": 0.03, "tuned_lead_low": 0.01, "tuned_lead_high": 0.05, "beat_coin": ""}
    return row | {"elo_error": 0.375, "elo_tuned_error": 0.3} | changes


def test_each_dataset_has_its_verdict_and_its_best_model():
    names = ["a", "b", "c", "d", "e", "f", "g"]
    datasets = pd.DataFrame({"dataset": names, "label": "", "n_players": 9, "n_pairs": 36})
    transitivity = pd.DataFrame({"dataset": ["b", "a"], "verdict_logit": ["cyclic", "undecided"]})
    tested = {"p_value": [None, 0.4321], "power": [None, 0.2], "games_needed": [None, math.inf], "hinges": ["", ""]}
    transitivity = transitivity.assign(**tested)
    nothing = dict.fromkeys(("lead", "lead_low", "lead_high"), math.nan)
    best = pd.DataFrame(
        [
            best_row("a", "published", 1, why_not="one hold-out"),
            best_row("a"),
            best_row("c", score="game_log_loss", n_test_games=90.0, lead=0.02, lead_low=0.01, lead_high=0.03),
            best_row("d", best="constant", lowest="elo", beat_coin="elo; disc_k1", **nothing),
            best_row("e", best="constant", lowest="constant", **nothing),
            best_row("g", n_repeats=5, best="elo_tuned", lowest="elo_tuned", score="game_log_loss", **nothing),
            best_row("f", why_not="7 hidden pairs, fewer than 20", **nothing),
        ]
    )
    found = sections.dataset_section(datasets, transitivity, best, {"disc": "The disc", "elo": "Elo"})
    assert found["header"][:5] == ["dataset", "called", "verdict", "what predicts best", "its lead over simpler models"]
    rows = {row[0]: dict(zip(found["header"], row, strict=True)) for row in found["rows"]}
    words = {name: row["what predicts best"] for name, row in rows.items()}
    assert words == {
        "a": "The disc (k = 1)",
        "b": "",
        "c": "The disc (k = 1)",
        "d": "no model is shown to beat a coin in 2 hold-outs, which may be too few. Tested by itself, not allowing "
        "for how many were tried, each of these does: Elo; The disc (k = 1) (Elo has the lowest error, by a lead that "
        "may be luck)",
        "e": "no model is shown to beat a coin, and none has a lower error",
        "f": "not decided: 7 hidden pairs, fewer than 20",
        "g": "5 hold-outs do not suffice to rank the models; the tuned Elo beats a coin by 0.030 [0.010, 0.050] nats a "
        "game",
    }
    leads = {name: row["its lead over simpler models"] for name, row in rows.items()}
    assert leads["a"] == "1.50 [1.25, unbounded]" and leads["c"] == "0.020 [0.010, 0.030] nats a game"
    assert leads["b"] == leads["d"] == leads["f"] == ""
    a, b = rows["a"], rows["b"]
    assert (a["verdict"], b["verdict"]) == ("undecided", "cyclic")
    assert (a["protocol"], a["hold-outs"], a["its error"], a["that of Elo without a prior"]) == (
        "strong",
        "2",
        "0.25",
        "0.375",
    )
    # What an interval is of stands beside it.
    assert (rows["c"]["hidden pairs, all hold-outs"], rows["c"]["their games"]) == ("40", "90")
    assert (a["p if transitive"], a["power"], b["p if transitive"]) == ("0.43", "0.20", "")
    assert (a["games needed"], b["games needed"]) == ("more than 128 times as many", "")
    assert rows["c"]["lead of the tuned Elo, else Elo, over a coin"] == "0.030 [0.010, 0.050] nats a game"
    assert (b["protocol"], b["that of the tuned Elo"]) == ("not scored", "")


def test_files_that_were_not_read_in_full_are_named_at_the_top(report, inputs):
    lines = ["league,kind,reason,times,first", "<b>a</b>,noted,file cut off,1,a.pgn.gz: after game 7"]
    lines += [f'007,noted,{MUCH_UNREAD},1,"d.csv: 20 of 100, from line 81 on"', "c,dropped,unfinished,3,c.pgn: game 1"]
    lines += [f"e,noted,{REPEATED.format(2)},1,30 pairs"]
    (inputs / "dropped.csv").write_text("\n".join(lines))
    report.main(arguments(inputs, inputs / "report.html"))
    page = (inputs / "report.html").read_text(encoding="utf-8")
    named = "(a.pgn.gz: after game 7).</li>", f"<li>007: {MUCH_UNREAD} (d.csv: 20 of 100, from line 81 on).</li>"
    named += (f"<li>e: {REPEATED.format(2)} (30 pairs).</li>",)
    assert page.index("<h1>") < page.index("<li>&lt;b&gt;a&lt;/b&gt;: ") < page.index("<nav")
    assert all(page.index(one) < page.index("<nav") for one in named)
    assert ">unfinished</td>" in page and ">007</td>" in page


def compared_row(dataset, model, baseline, relation, ratio, low, high):
    about = {"protocol": "strong", "dataset": dataset, "model": model, "baseline": baseline, "n_repeats": 2}
    about |= {"score": "mse", "n_test_pairs": 40, "n_test_games": math.nan}
    return about | {"relation": relation, "ratio": ratio, "low": low, "high": high}


def test_intervals_that_bound_nothing_are_words_and_every_model_is_compared_with_elo():
    rows = [
        compared_row("a", "disc_k1", "elo", "elo", 1.5, 1e-9, 6e14),
        compared_row("b", "disc_k1", "elo", "elo", 1.5, 1.25, 1.75),
        compared_row("a", "disc_k1", "melo_k1", "fewer parameters", 2.0, 1.5, 2.5),
        compared_row("a", "melo_k1", "elo", "elo", 1.125, 1.0, 1.25),
        compared_row("a", "mine", "elo", "elo", 0.5, 0.25, 0.75),
        compared_row("a", "mine", "melo_k1", "fewer parameters", 9.0, 8.0, 9.5),
    ]
    found = {
        part["title"]: part
        for part in models.models_section(
            pd.DataFrame(rows),
            *(pd.DataFrame(columns=EMPTY[name]) for name in ("signed_rank", "choice_of_k", "optima")),
            {"a": "A"},
            {"disc": "Disc", "elo": "Elo"},
        )
    }
    disc = found["Game by game, the disc against Elo"]
    assert disc["table"]["rows"] == [["A", "1.50 [0.00, unbounded]", "40", ""], ["b", "1.50 [1.25, 1.75]", "40", ""]]
    assert "above 10 times" in disc["words"]
    fewer = found["Game by game, the disc against others, with fewer parameters"]
    assert (
        fewer["table"]["header"] == ["dataset", "Disc (k = 1) / melo_k1", "hidden pairs", "their games"]
        and fewer["words"] == ""
    )
    others = found["Game by game, other models against Elo"]["table"]
    assert others["header"] == ["dataset", "melo_k1 / Elo", "mine / Elo", "hidden pairs", "their games"]
    assert others["rows"] == [["A", "1.12 [1.00, 1.25]", "0.50 [0.25, 0.75]", "40", ""]]
    counted = {f"game_log_loss_gain{end}": value for end, value in (("", 0.02), ("_low", -0.01), ("_high", 0.05))}
    for row, words in (
        (counted, "0.020 [−0.010, 0.050] nats"),
        (dict.fromkeys(counted, math.nan), "too few hidden pairs"),
    ):
        row |= compared_row("a", "disc_k1", "elo", "elo", math.nan, math.nan, math.nan) | {"score": "game_log_loss"}
        assert models.comparison_in_words(pd.Series(row)) == words


def test_what_was_not_run_is_folded_away_and_kept(report, inputs):
    rows = comparison_rows()
    not_run = rows[rows.verdict == NOT_RUN].assign(expected=NOT_RUN)
    more = not_run.assign(item=["figure_5/published/hex/elo", "figure_7/a"])
    pd.concat([rows, more]).to_csv(inputs / "comparison.csv", index=False)
    report.main(arguments(inputs, inputs / "report.html"))
    page = (inputs / "report.html").read_text(encoding="utf-8")
    assert Page(page).open == [] and Page(page).problems == []
    parts = {name: page[page.index(f'id="comparison-{name}"') :] for name in ("figure_5", "figure_6", "figure_7")}
    # Nothing of it ran: its figure is not there, and the line stands with what was left out.
    assert page.index('<h2 id="left-out"') < page.index('id="comparison-figure_7"')
    assert '<span class="soft">1 not run</span></summary>' in parts["figure_7"].split("\n")[0]
    # Some of it ran: what did not is behind a second click.
    ran, folded = parts["figure_5"].split("<details><summary>1 not run</summary>")[:2]
    assert "figure_5/published/kuhn/disc_k1" in ran and "figure_5/published/hex/elo" not in ran
    assert "figure_5/published/hex/elo" in folded.split("</details>")[0]
    # What is due stays where it is seen.
    assert "figure_6/published/disc_k1" in parts["figure_6"].split("<details>")[0]


@pytest.mark.parametrize(
    ("repeats", "protocol"),
    [
        ({"strong": 2, "leagues": 5}, "strong"),
        ({"written": 1, "leagues": 5, "mine": 3}, "leagues"),
        ({"written": 1}, "strong"),
    ],
)
def test_which_protocol_is_compared(repeats, protocol):
    frame = pd.DataFrame({"protocol": list(repeats), "n_repeats": list(repeats.values())})
    assert models.compared_protocol(frame) == protocol


def test_what_could_not_be_fitted_is_said_once(report, inputs):
    timings = fits(
        protocol=["written", "strong", "strong", "strong"],
        dataset=["my_league", "my_league", "my_league", "blotto"],
        model=["elo", "elo", "disc_k2", "elo"],
        seconds=[1.0] * 4,
        note=[f"{EVIL}.", f"{EVIL}.", "Too many.", ""],
    )
    assert sections.not_fitted(timings, {"my_league": "Mine"}) == [
        f"Mine, written and strong: {EVIL}.",
        "Mine, strong: Too many.",
    ]
    timings.to_csv(inputs / "timings.csv", index=False)
    report.main(arguments(inputs, inputs / "report.html"))
    page = (inputs / "report.html").read_text(encoding="utf-8")
    assert "<li>&lt;script&gt;" in page[page.index("Not fitted") :] and "<script" not in page


def test_a_file_is_listed_once():
    file = {"path": "x", "sha256": "ab"}
    rows = [
        file | {"dataset": "mine_5"},
        {"path": "y", "sha256": "ab", "dataset": "other"},
        file | {"dataset": "mine_9"},
    ]
    assert [row["dataset"] for row in sections.one_row_a_file(rows)] == ["mine_5, mine_9", "other"]


@pytest.mark.parametrize(
    ("share", "words"), [(1.0, "in all cases"), (0.0, "in no case"), (0.25, "in 25% of the cases"), (math.nan, "")]
)
def test_claims_hold_in_words(share, words):
    assert cells.holds(share).endswith(words)


def test_better_optima_are_said_in_words():
    optima = pd.DataFrame({"train_gain": [0.25, 0.5, -1e-15, -0.1], "test_ratio": [0.5, 1.0, 2.0, 4.0]})
    words = models.optima_in_words(optima)
    for told in ("in 3 of 4 fits", "0.12 nats a pair", "better in 2 of 4", "1.5 in the median, from 0.5 to 4"):
        assert told in words


def test_every_score_has_its_table():
    rows = [("strong", "rps", "elo", "test", 5, 0.5, 0.25, 1.0), ("strong", "rps", "elo", "train", 9, 9.0, 9.0, 9.0)]
    columns = ["protocol", "dataset", "model", "split", "n_pairs", "mse", "log_loss", "accuracy"]
    scores = pd.DataFrame(rows, columns=columns)
    found = sections.score_section(scores, {"rps": "RPS"}, {"elo": "Ratings"}, {"mse": "Squares."})
    assert found[0]["table"]["header"] == ["dataset", "hidden pairs, all hold-outs", "Ratings"]
    assert [part["table"]["rows"] for part in found] == [[["RPS", "5 (few)", value]] for value in ("0.5", "0.25", "1")]
    assert found[0]["words"] == "Squares."


def test_fits_that_did_not_converge_are_counted(inputs):
    timings = fits(protocol="strong", model="elo", seconds=[1.0, 2.0, 3.0])
    timings["converged"], timings["separated"] = [True, False, None], [False, True, True]
    timings["gradient_norm"], timings["spread"] = [1e-9, 3e-3, None], [None, 0.25, 0.125]
    found = sections.timing_section(timings, inputs / "benchmarks")[0]["table"]
    row = dict(zip(found["header"], found["rows"][0], strict=True))
    assert (row["fits"], row["not converged"], row["no finite optimum"]) == ("3", "1", "2")
    assert (row["largest gradient"], row["largest spread of optima"]) == ("0.003", "0.25")


@pytest.mark.parametrize("names", [["null", "nan", "true"], ["1e3", "2", "inf"], ["true", "false", "true_"]])
def test_names_are_names(report, inputs, names):
    """Whatever a table would make of them: missing, numbers, flags."""
    n = len(names)
    labels = ["NA", "n/a", "007"]
    datasets = {"dataset": names, "label": labels, "origin": "None", "simulated": True, "league": ""}
    pd.DataFrame(datasets).to_csv(inputs / "datasets.csv", index=False)
    best = [best_row(name, "null", 1, best="nan", lowest="nan") for name in names]
    pd.DataFrame(best).to_csv(inputs / "best.csv", index=False)
    verdicts = pd.DataFrame({"dataset": names, "verdict_logit": "cyclic", "p_value": None})
    verdicts.head(n - 1).to_csv(inputs / "transitivity.csv", index=False)
    timings = fits(protocol="null", dataset=names, model="nan", seconds=[1.0] * 3, note=["", "NA", "NA"])
    timings.to_csv(inputs / "timings.csv", index=False)
    report.main([*arguments(inputs, inputs / "report.html"), "--best-models", str(inputs / "best.csv")])
    page = (inputs / "report.html").read_text(encoding="utf-8")
    section = page[page.index('<h2 id="datasets"') : page.index('<h2 id="models"')]
    for name, label, verdict in zip(names, labels, ["cyclic", "cyclic", ""], strict=True):
        cells = [f">{cell}</td>" for cell in (name, label, "None", verdict, "null", "1", "nan", "0.25")]
        row = next(row for row in section.split("<tr>") if cells[0] in row and cells[1] in row)
        assert [cell for cell in cells if cell not in row] == []
    left_out = page[page.index("Not fitted") :]
    assert "<li>n/a, null: NA</li>" in left_out and "<li>007, null: NA</li>" in left_out


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "in no case"), (1e-3, "in 1% of"), (0.5, "in 50% of"), (0.999, "in 99% of"), (1.0, "in all cases")],
)
def test_all_and_none_are_said_of_all_and_none_only(share, words):
    assert words in cells.holds(share)


def test_figures_left_out_are_named_with_the_reason(report, inputs):
    reasons = {"figure_09": f"the run has none of {EVIL}", "figure_08": "no scores", "games": ""}
    report.main([*arguments(inputs, inputs / "report.html"), "--left-out", json.dumps(reasons)])
    page = (inputs / "report.html").read_text(encoding="utf-8")
    section = page[page.index('<h2 id="left-out"') :]
    assert "<li>Figure 9: the run has none of &lt;script&gt;" in section and "<li>Figure 8: no scores." in section
    assert "Games of your own" not in section


def test_bad_provenance_is_named(report, inputs):
    (inputs / "provenance.json").write_text("<html>")
    with pytest.raises(InputError, match="is not JSON"):
        report.main(arguments(inputs, inputs / "r.html"))
    assert not (inputs / "r.html").exists()


def test_every_figure_and_table_has_a_caption():
    captions = ROOT / "workflow" / "report"
    names = ["model_comparison", "table_1", "transitivity", "matchups", "dropped", "identifiability"]
    texts = {name: " ".join(sections.caption(captions, name)) for name in names}
    texts |= {name: figure.caption for name, figure in FIGURES.items()}
    assert [name for name, text in texts.items() if len(text) < 40] == []


def test_every_dataset_of_the_paper_has_a_cure():
    assert set(read_paper(ROOT / "workflow" / "paper").datasets.available) <= set(sections.CURES)
