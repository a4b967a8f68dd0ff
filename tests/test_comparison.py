"""The comparison with the paper: verdicts at their limits, expectations, what is missing, claims, scripts."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from loading import load, script

from reproduction.config import origins
from reproduction.paper import claims, numbers, table_1
from reproduction.paper.compare import COLUMNS, DIFFERS, NOT_RUN, REPRODUCED, compare, unmet
from reproduction.paper.numbers import averaged_games, half_mse
from reproduction.paper.results import Results
from reproduction.paper.tolerances import within
from transitivity import games
from transitivity.errors import InputError
from transitivity.payoff.core import Payoff

ROOT = Path(__file__).resolve().parents[1]
PAPER = ROOT / "workflow" / "paper"
TABLE_1_GAMES = numbers.read_paper(PAPER).table_1_games

ORIGINS = {
    "kuhn_poker": "simulated",
    "normal_bernoulli": "fresh draw",
    "random_game_of_skill": "fresh draw",
    **dict.fromkeys(TABLE_1_GAMES, "fresh draw"),
}
EMBEDDED = [
    "blotto_10_3",
    "blotto_10_4",
    "blotto_10_5",
    "blotto_5_3",
    "blotto_5_4",
    "blotto_5_5",
    "blotto",
    "parity_3_move",
    "kuhn_poker",
    "normal_bernoulli",
    "random_game_of_skill",
    *TABLE_1_GAMES,
]


@pytest.fixture(scope="module")
def paper():
    return numbers.read_paper(PAPER)


@pytest.fixture(scope="module")
def reproduced(paper):
    """The comparison of a run that gives the paper's numbers."""
    return compare(paper, make_results(paper))


def make_scores(paper, datasets, factor=1.0):
    """Scores that give the paper's numbers times `factor` for the models as published."""
    rows = []

    def add(protocol, dataset, model, split, mse, n):
        k = int(model[-1]) if "_k" in model else 1
        rows.append((protocol, dataset, model, n, k * n, 0, split, 100, mse, 0.5, 0.8))

    for entry in paper.table_1[paper.table_1.optional == "no"].itertuples():
        if entry.dataset in datasets:
            add("written", entry.dataset, entry.model, entry.split, 2 * factor * entry.half_mse, 1000)
    bars = paper.figure_5[(paper.figure_5.protocol == "published") & paper.figure_5.dataset.isin(datasets)]
    for entry in bars.itertuples():
        # m-Elo as written is made twice as good as the paper's: the story that has to be told.
        better = 2 if entry.model.startswith("melo_k") else 1
        add("published", entry.dataset, entry.model, "test", 0.01 / (factor * better * entry.ratio), 100)
    for dataset in bars.dataset.unique():
        add("published", dataset, "elo", "test", 0.01, 100)
    columns = "protocol dataset model n_players n_params repeat split n_pairs mse log_loss accuracy".split()
    return pd.DataFrame(rows, columns=columns)


def make_datasets(paper, datasets, **changes):
    rows = [
        {
            "dataset": d,
            "origin": ORIGINS.get(d, "exact"),
            "label": d,
            "n_players": paper.n_players(d),
            "n_pairs": 10,
            "simulated": ORIGINS.get(d) == "simulated",
            "source": "computed",
        }
        | changes.get(d, {})
        for d in datasets
    ]
    return pd.DataFrame(rows)


def make_results(paper, datasets=EMBEDDED, factor=1.0, **changes):
    return Results(scores=make_scores(paper, datasets, factor), datasets=make_datasets(paper, datasets, **changes))


def row(frame, item):
    found = frame[frame["item"] == item]
    assert len(found) == 1, item
    return found.iloc[0]


# ------------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("tolerance", "paper", "inside", "outside"),
    [
        ("1 %", 2.0, (1.98, 2.02), (1.979, 2.021)),
        ("10 %", -1.0, (-1.1, -0.9), (-1.11, -0.89, 1.0)),
        # 1.0e-2 prints from .0095 to .0105; 3 % beyond that.
        ("3 % beyond rounding to 2 digits", 1e-2, (0.0095 * 0.97, 0.0105 * 1.03), (0.0092, 0.01082)),
        ("± 0.0043", 0.0242, (0.0199, 0.0285), (0.0198, 0.0286)),
        ("± 0.0043", 0.0, (0.0, -0.0043), (0.005,)),
        ("order of magnitude", 1e-10, (1e-11, 1e-9), (0.9e-11, 1.1e-9, -1e-10, 0.0)),
        ("sign", 0.3, (5.0,), (-0.3, 0.0)),
        ("exact", 483.0, (483.0,), (482.0,)),
    ],
)
def test_limits_are_inside(tolerance, paper, inside, outside):
    assert all(within(tolerance, paper, ours) for ours in inside)
    assert not any(within(tolerance, paper, ours) for ours in outside)


@pytest.mark.parametrize("ours", [math.nan, math.inf])
def test_no_number_agrees_with_nothing(ours):
    for tolerance in ("1 %", "± 1", "order of magnitude", "sign", "exact"):
        assert not within(tolerance, 1.0, ours)


def test_unknown_tolerance_is_named():
    with pytest.raises(InputError, match="'roughly'"):
        within("roughly", 1.0, 1.0)


@given(st.floats(1e-12, 1e3), st.floats(0.01, 50), st.floats(-2, 2))
def test_relative_tolerance_is_a_band(paper, percent, at):
    ours = paper * (1 + at * percent / 100)
    if abs(abs(at) - 1) > 1e-6:
        assert within(f"{percent:.6f} %", paper, ours) == (abs(at) < 1)


# ------------------------------------------------------------------- the paper's data


def test_every_tolerance_note_and_claim_of_the_paper_is_known(paper):
    for frame in (paper.table_1, paper.figure_5, paper.figure_6, paper.figure_7_counts, paper.figure_10):
        for column in ("tolerance", "tolerance_fresh"):
            if column in frame:
                for tolerance in set(frame[column]) - {""}:
                    within(tolerance, 1.0, 1.0)
        assert set(frame.expected) <= {REPRODUCED, DIFFERS}
        for notes in set(frame.note):
            paper.text(notes)
    used = {n for f in (paper.table_1, paper.figure_5, paper.claims) for notes in f.note for n in notes.split()}
    assert used <= set(paper.notes)
    assert set(paper.claims.decided_by) == set(claims.CLAIMS)
    assert paper.claims.id.is_unique


def test_what_differs_has_its_reason(paper):
    for frame in (paper.table_1, paper.figure_5, paper.claims):
        assert (frame.loc[frame.expected == DIFFERS, "note"] != "").all()


def test_figure_5_averages_over_19_games_and_figure_6_over_20(paper):
    shown, every = (averaged_games(paper.figure_5, figure) for figure in (5, 6))
    assert (len(shown), len(every)) == (19, 20) and set(every) - set(shown) == {"blotto_5_3"}


def test_log_average_of_the_bars_is_the_printed_one(paper):
    bars = paper.figure_5[(paper.figure_5.protocol == "published") & (paper.figure_5.source == "printed")]
    assert bars.model.nunique() == 9
    for model, rows in bars.groupby("model"):
        printed = rows.loc[rows.dataset == "log_average", "ratio"].iloc[0]
        games = rows.loc[rows.dataset != "log_average", "ratio"]
        assert len(games) == 19
        assert math.isclose(np.exp(np.log(games).mean()), printed, rel_tol=1e-3), model


def test_a_game_is_called_the_same_in_the_comparison_and_in_figures(paper):
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["datasets"]
    called = {
        dataset: about.get("label")
        or games.label(
            about["game"], **dict.fromkeys(about.get("of", ()) and origins.PARENTS), **about.get("parameters", {})
        )
        for dataset, about in config.items()
        if "label" in about or "game" in about
    }
    # Leagues have names of their own: what is not the paper's is not called so. Kuhn poker is drawn anew.
    shared = set(called) & set(paper.datasets.dataset) - {"lichess", "starcraft"}
    assert len(shared) > 20
    assert {dataset: called[dataset] for dataset in shared} == {d: paper.label(d) for d in shared}


def test_published_masks_ascend_in_size():
    masks = pd.read_csv(PAPER / "published_masks.csv")
    assert list(masks.slot) == list(range(21)) and masks.n_players.is_monotonic_increasing
    assert masks.dataset.is_unique


def test_the_page_of_differences_has_the_numbers_of_the_reference_run(tmp_path):
    page, copy = ROOT / "docs" / "differences.md", tmp_path / "differences.md"
    copy.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    load("docs/generate_differences.py").main(["--output", str(copy)])
    assert copy.read_text(encoding="utf-8") == page.read_text(encoding="utf-8"), (
        "run python docs/generate_differences.py"
    )


def test_the_page_of_differences_says_what_is_configured():
    page = " ".join((ROOT / "docs" / "differences.md").read_text(encoding="utf-8").split())
    config, full = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["protocols"]
        for name in ("config.yaml", "docs/examples/full_size.yaml")
    )
    (small, large), *_ = re.findall(r"(\d+) times in `config.yaml`, (\d+) times", page)
    assert [int(small), int(large)] == [config["strong"]["repeats"], full["strong"]["repeats"]]
    assert f"repeat the hold-out {config['leagues']['repeats']} times" in page


def test_the_reference_run_repeats_the_published_bars_of_exact_games(paper):
    """Within 1 %, as the page of differences says."""
    table = pd.read_csv(ROOT / "docs" / "reference" / "tables" / "paper_comparison.csv").set_index("item")
    exact = [g for g in averaged_games(paper.figure_5, 5) if g.startswith("blotto")] + ["parity_3_move"]
    models = [f"{family}_k{k}" for family in ("disc", "melo_published") for k in (1, 2, 3)]
    ratios = table.ratio[[f"figure_5/published/{game}/{m}" for game in exact for m in models]]
    assert len(ratios) == 42 and (abs(ratios - 1) <= 0.01).all()


# ------------------------------------------------------------------- the comparison


def test_nothing_given_is_not_run_and_names_what_is_missing(paper):
    frame = compare(paper, Results())
    assert list(frame.columns) == COLUMNS
    assert frame["item"].is_unique
    assert set(frame.verdict) == {NOT_RUN} and set(frame.expected) == {NOT_RUN}
    assert (frame.note != "").all()
    assert "'blotto'" in row(frame, "figure_5/published/blotto/disc_k1").note
    assert len(unmet(frame)) == 0


def test_paper_numbers_reproduce_themselves(reproduced):
    assert len(unmet(reproduced)) == 0
    entry = row(reproduced, "table_1/elo_game/elo/test")
    assert entry.ours == pytest.approx(1.6e-10) and entry.ratio == pytest.approx(1)
    assert entry.verdict == REPRODUCED and entry.tolerance == "order of magnitude"
    bar = row(reproduced, "figure_5/published/kuhn_poker/disc_k1")
    assert bar.ours == pytest.approx(1.760) and bar.tolerance == "15 %"


def test_half_mse_is_converted_once(paper, reproduced):
    assert half_mse(0.02) == 0.01
    scores = make_scores(paper, EMBEDDED)
    plain = scores[(scores.dataset == "disc_game") & (scores.model == "elo") & (scores.split == "test")].mse.iloc[0]
    assert row(reproduced, "table_1/disc_game/elo/test").ours == pytest.approx(plain / 2)
    table = table_1.table_1(paper, scores)
    assert table.set_index("model").disc_game_test["elo"] == pytest.approx(plain / 2)


def test_hold_outs_are_averaged_errors_plainly_and_bars_as_paired_ratios(paper):
    scores = make_scores(paper, ["blotto"])
    again = scores.assign(repeat=1, mse=np.where(scores.model == "elo", 3, 1) * scores.mse)
    both = Results(scores=pd.concat([scores, again]))
    assert both.mse("published", "blotto", "elo") == pytest.approx(0.02)
    bars = [Results(scores=part).bar("published", "blotto", "disc_k1") for part in (scores, again)]
    assert bars[1] == pytest.approx(3 * bars[0])
    assert both.bar("published", "blotto", "disc_k1") == pytest.approx(math.sqrt(3) * bars[0])


def test_a_number_off_differs_and_is_unmet(paper):
    frame = compare(paper, make_results(paper, factor=1.05))
    item = row(frame, "figure_5/published/blotto/disc_k1")
    assert item.verdict == DIFFERS and item.expected == REPRODUCED and item.ratio == pytest.approx(1.05)
    assert item["item"] in set(unmet(frame)["item"])
    # A fresh draw may be that far off.
    assert row(frame, "figure_5/published/random_game_of_skill/disc_k1").verdict == REPRODUCED


def test_origin_decides_the_tolerance(paper):
    real = compare(paper, make_results(paper, factor=1.05, kuhn_poker={"origin": "file"}))
    item = row(real, "figure_5/published/kuhn_poker/disc_k1")
    assert item.tolerance == "1 %" and item.verdict == DIFFERS and item.expected == REPRODUCED


def test_another_size_is_not_expected_to_agree(paper):
    frame = compare(paper, make_results(paper, factor=1.5, blotto={"n_players": 100}))
    item = row(frame, "figure_5/published/blotto/disc_k1")
    assert item.verdict == DIFFERS and item.expected == DIFFERS
    assert "100 players" in item.note and "1001" in item.note


def test_missing_in_the_run_is_unmet_but_not_asked_for_is_not(paper):
    results = make_results(paper)
    scores = results.scores
    hole = (scores.dataset == "blotto") & (scores.model == "disc_k2")
    frame = compare(paper, replace(results, scores=scores[~hole]))
    item = row(frame, "figure_5/published/blotto/disc_k2")
    assert (item.verdict, item.expected) == (NOT_RUN, REPRODUCED)
    assert "'disc_k2' on 'blotto'" in item.note
    assert item["item"] in set(unmet(frame)["item"])

    frame = compare(paper, replace(results, scores=scores[scores.model != "disc_k2"]))
    item = row(frame, "figure_5/published/blotto/disc_k2")
    assert (item.verdict, item.expected) == (NOT_RUN, NOT_RUN)
    assert row(frame, "figure_5/published/hex_3/disc_k1").expected == NOT_RUN
    assert len(unmet(frame)) == 0


def test_averages_need_all_games_and_the_same_games_stand_beside(paper, reproduced):
    whole = row(reproduced, "figure_6/published/disc_k1")
    assert whole.verdict == NOT_RUN and "AlphaStar" in whole.note and "Hex 3×3" in whole.note
    same = row(reproduced, "figure_6/published/same_games/disc_k1")
    assert same.verdict == REPRODUCED and "11 games" in same.quantity
    assert same.paper == pytest.approx(same.ours)
    assert row(reproduced, "figure_5/published/log_average/disc_k1").verdict == NOT_RUN
    same = row(reproduced, "figure_5/published/log_average_same_games/disc_k1")
    assert "10 games" in same.quantity and same.verdict == REPRODUCED

    everything = list(paper.figure_5.dataset.unique()[1:])
    frame = compare(paper, make_results(paper, everything))
    for model in ("elo", "disc_k1", "disc_k3", "melo_published_k2"):
        assert row(frame, f"figure_6/published/{model}").verdict == REPRODUCED
    assert row(frame, "figure_5/published/log_average/disc_k3").ours == pytest.approx(1.637, abs=1e-3)


def test_melo_as_written_fails_the_claim_plainly(reproduced):
    claim = "figure_5/claim/better_than_"
    assert row(reproduced, claim + "melo_published_equal_k").verdict == REPRODUCED
    assert row(reproduced, claim + "melo_published_ladder").verdict == REPRODUCED
    for rest in ("equal_k", "ladder"):
        failed = row(reproduced, claim + f"melo_as_written_{rest}")
        assert failed.verdict == DIFFERS and failed.ours < 1 and "all observed entries" in failed.note
    # The ten games of Figure 5 that ran: 5,3-Blotto is in the average of Figure 6 only.
    assert "over 10 games" in row(reproduced, claim + "melo_as_written_equal_k").note
    assert "better on 10, 10, 10 of them" in row(reproduced, claim + "melo_as_written_equal_k").note
    assert row(reproduced, claim + "melo_as_written_equal_k_protocol_written").verdict == NOT_RUN


def test_joint_fit_is_shown_only_where_it_ran(paper):
    results = make_results(paper)
    item = "table_1/disc_game/disc_joint_k2/test"
    assert item not in set(compare(paper, results)["item"])
    joint = results.scores[results.scores.model == "disc_k2"].assign(model="disc_joint_k2")
    frame = compare(paper, replace(results, scores=pd.concat([results.scores, joint])))
    assert row(frame, item).verdict == REPRODUCED


# ------------------------------------------------------------------- claims


def grid():
    gamma, delta = map(np.ravel, np.meshgrid(np.linspace(0.51, 0.75, 10), np.linspace(0.51, 1, 10), indexing="ij"))
    logit = np.log(gamma / (1 - gamma))
    return pd.DataFrame({"gamma": gamma, "delta": delta, "elo_difference": 3 * gamma - 1 - delta, "disc_logit": logit})


def test_example_3(paper):
    frame = compare(paper, Results(example_03=grid()))
    for item in (
        "figure_2/claim/elo_fails_somewhere",
        "figure_2/claim/elo_fails_exactly_where",
        "figure_3/claim/disc_ranks_players",
        "figure_3/claim/disc_is_exact",
    ):
        assert row(frame, item).verdict == REPRODUCED, item
    wrong = grid()
    wrong.loc[3, ["elo_difference", "disc_logit"]] *= -1
    frame = compare(paper, Results(example_03=wrong))
    assert row(frame, "figure_2/claim/elo_fails_exactly_where").ours == pytest.approx(0.99)
    for item in ("figure_2/claim/elo_fails_exactly_where", "figure_3/claim/disc_ranks_players"):
        assert row(frame, item).verdict == DIFFERS
    right = grid().assign(elo_difference=1.0)
    assert row(compare(paper, Results(example_03=right)), "figure_2/claim/elo_fails_somewhere").verdict == DIFFERS


@pytest.mark.parametrize(
    ("sparse", "dense", "share"), [(-0.1, 0.1, 1.0), (0.1, 0.1, 0.5), (-0.1, -0.1, 0.5), (0.1, -0.1, 0.0)]
)
def test_sparse_results_hide_cycles(paper, sparse, dense, share):
    item = "tang_2025/claim/sparse_data"
    cells = pd.DataFrame(
        {"dataset": "hex_3", "family": "disc", "share": [0.1, 0.1, 0.8, 0.8], "games": [4.0, 64.0, 4.0, math.inf]}
    ).assign(low=[sparse, 9.0, -9.0, dense], ratio=1.5, repeats=3)
    assert row(compare(paper, Results(cycles=cells)), item).ours == share
    others = (None, cells.assign(dataset="mine"), cells.assign(share=0.8), cells.assign(repeats=2))
    for other in others:
        found = row(compare(paper, Results(cycles=other)), item)
        assert (found.verdict, found.expected) == (NOT_RUN, NOT_RUN)


def test_figure_1(paper):
    u = np.linspace(2, -2, 6)
    elo = Payoff.from_dense(1 / (1 + np.exp(u[None] - u[:, None])))
    angle = 2 * np.pi * np.arange(7) / 7
    disc = Payoff.from_dense(1 / (1 + np.exp(-np.sin(angle[None] - angle[:, None]))))
    datasets = pd.DataFrame({"dataset": ["example_elo", "example_cyclic_disc"], "origin": "exact"})
    items = ("figure_1/claim/elo_game_total_order", "figure_1/claim/disc_game_no_total_order")
    for order, verdict in (((elo, disc), REPRODUCED), ((disc, elo), DIFFERS)):
        payoffs = dict(zip(datasets.dataset, order, strict=True))
        frame = compare(paper, Results(payoffs=payoffs, datasets=datasets))
        assert [row(frame, item).verdict for item in items] == [verdict] * 2


def test_constant_consistency_does_not_depend_on_the_gauge(paper):
    points = np.column_stack([np.linspace(-2, 3, 20), np.ones(20)]) @ np.array([[2.0, 0.3], [1.0, 0.65]])
    planes = {"elo_game": pd.DataFrame(points, columns=["u", "v"]).assign(space="logit")}
    datasets = make_datasets(paper, ["elo_game"])
    item = "figure_4/claim/elo_game_constant_v"
    assert row(compare(paper, Results(planes=planes, datasets=datasets)), item).verdict == REPRODUCED
    bent = {"elo_game": planes["elo_game"].assign(v=lambda f: f.v + np.linspace(-1, 1, 20) ** 2)}
    assert row(compare(paper, Results(planes=bent, datasets=datasets)), item).verdict == DIFFERS


@pytest.mark.parametrize(("transitive", "verdict"), [(True, DIFFERS), (False, REPRODUCED), (None, DIFFERS)])
def test_hull_claims(paper, transitive, verdict):
    hulls = {"kuhn_poker": {"logit": {"transitive": transitive, "margin_degrees": None if transitive is None else 3.0}}}
    frame = compare(paper, Results(hulls=hulls, datasets=make_datasets(paper, EMBEDDED)))
    assert row(frame, "figure_9/claim/kuhn_poker_cyclic").verdict == verdict
    # Another game of the run has no hull test although hull tests were made: that is due.
    due = row(frame, "figure_4/claim/disc_game_cyclic")
    assert (due.verdict, due.expected) == (NOT_RUN, REPRODUCED)
    assert row(frame, "figure_9/claim/go_3_transitive").expected == NOT_RUN


def test_nash_cluster_claim(paper):
    clusters = {
        "elo_game": pd.DataFrame({"cluster": range(1, 9)}),
        "disc_game": pd.DataFrame({"cluster": [1, 1, 2, 2]}),
    }
    item = "figure_8/claim/more_clusters_when_transitive"
    datasets = make_datasets(paper, EMBEDDED)
    assert row(compare(paper, Results(clusters=clusters, datasets=datasets)), item).verdict == REPRODUCED
    swapped = dict(zip(clusters, reversed(clusters.values()), strict=True))
    assert row(compare(paper, Results(clusters=swapped, datasets=datasets)), item).verdict == DIFFERS


def human_results(suffix: str = "") -> Results:
    """The human games of Figures 7 and 10, as the paper has them."""
    human = pd.DataFrame(
        [("lichess", 80, 124, 140), ("starcraft", 200, 41, 86), ("starcraft", 60, 300, 900)],
        columns=["league", "min_games", "players", "entries"],
    )
    human["league"] += suffix
    human.insert(0, "dataset", human.league + "_" + human.min_games.astype(str))
    names = human.dataset.tolist()
    models = {"elo": 1.025, "disc_regularised_k1": 1.0}
    scores = pd.DataFrame(
        [("leagues", names[2], model, 0, "test", mse) for model, mse in models.items()],
        columns=["protocol", "dataset", "model", "repeat", "split", "mse"],
    )
    files = [f"lichess_elite_{month}.pgn" for month in numbers.PAPER_MONTHS]
    return Results(
        scores=scores,
        datasets=pd.DataFrame({"dataset": names, "origin": "simulated" if suffix else "file"}),
        hulls={
            names[0]: {"logit": {"transitive": True, "verdict": "undecided"}},
            names[1]: {"logit": {"transitive": None, "verdict": "undecided"}},
        },
        human=human,
        lichess_files=pd.DataFrame({"file": files, "status": "as published", "published_file": files}),
    )


LICHESS_ITEMS = {
    "figure_7/lichess/80/players": REPRODUCED,
    "figure_7/lichess/80/entries": DIFFERS,
    "figure_7/claim/chess_transitive_80": REPRODUCED,
}
STARCRAFT_ITEMS = {
    "figure_7/starcraft/200/entries": REPRODUCED,
    "figure_7/claim/starcraft_less_transitive": REPRODUCED,
    "figure_10/60/disc_regularised_k1": REPRODUCED,
}


@pytest.mark.parametrize("suffix", ["", "_simulated"])
def test_human_data_are_compared_only_when_real(paper, suffix):
    frame = compare(paper, human_results(suffix))
    for item, verdict in (LICHESS_ITEMS | STARCRAFT_ITEMS).items():
        assert row(frame, item).verdict == (NOT_RUN if suffix else verdict), item
        assert not suffix or "is simulated in this run" in row(frame, item).note
    assert row(frame, "figure_7/lichess/60/players").verdict == NOT_RUN


@pytest.mark.parametrize("change", ["none", "another month", "one month less", "one file differs"])
def test_lichess_is_compared_only_with_the_papers_files(paper, change):
    results = human_results()
    files = results.lichess_files
    other = files.head(1).assign(published_file="lichess_elite_2019-07.pgn")
    files = {
        "none": None,
        "another month": pd.concat([files, other]),
        "one month less": files.iloc[1:],
        "one file differs": files.assign(status=["differs", *files.status[1:]]),
    }[change]
    frame = compare(paper, replace(results, lichess_files=files))
    for item in LICHESS_ITEMS:
        assert row(frame, item).verdict == NOT_RUN
        assert "not the paper's ten months" in row(frame, item).note
    for item, verdict in STARCRAFT_ITEMS.items():
        assert row(frame, item).verdict == verdict


def test_a_league_that_was_not_decomposed_is_not_run(paper):
    frame = compare(paper, replace(human_results(), hulls={}))
    assert row(frame, "figure_7/claim/chess_transitive_80").verdict == NOT_RUN


def test_random_games_that_gain_fail_their_claim(paper):
    results = make_results(paper)
    scores = results.scores.copy()
    scores.loc[(scores.dataset == "normal_bernoulli") & (scores.model == "disc_k3"), "mse"] = 1e-4
    item = row(compare(paper, replace(results, scores=scores)), "figure_5/claim/normal_bernoulli_overfits")
    assert item.verdict == DIFFERS and item.ours == pytest.approx(1 / 3)


# ------------------------------------------------------------------- protocol strong


def strong_scores(ratios: dict[str, float], repeats: int = 4) -> pd.DataFrame:
    """Scores of two games under the protocol strong: Elo's test error over a model's is `ratios`."""
    rows = []
    for dataset in ("blotto_5_4", "blotto_5_5"):
        for repeat, (model, ratio) in itertools.product(range(repeats), {"elo": 1.0, **ratios}.items()):
            k = int(model[-1]) if "_k" in model else 1
            for split, n_pairs in (("train", 80), ("test", 20)):
                # The ratio of any two models varies between hold-outs: without that, it has no interval.
                varied = 0 if model == "elo" else repeat % (3 if model.startswith("disc") else 2)
                mse = 0.01 / ratio * (1 + 0.01 * varied)
                rows.append(("strong", dataset, model, 10, 10 * k, repeat, split, n_pairs, mse, mse, 0.8))
    columns = "protocol dataset model n_players n_params repeat split n_pairs mse log_loss accuracy".split()
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("origin", ["file", "exact"])
def test_games_of_ones_own_do_not_decide_what_the_paper_says_of_its_games(paper, origin):
    scores = strong_scores({"disc_k1": 2.0, "disc_k2": 3.0, "disc_k3": 4.0})
    worse = strong_scores({"disc_k1": 0.5, "disc_k2": 0.5, "disc_k3": 0.5}).replace({"blotto_5_4": "my_league"})
    own = worse[worse.dataset == "my_league"]
    about = {"origin": "file", "label": "My league", "n_players": 10, "n_pairs": 45, "simulated": False, "source": ""}
    mine = pd.DataFrame([{"dataset": "my_league"} | about])
    theirs = mine.assign(dataset="blotto_5_4", origin="exact")
    item = "figure_5/claim/better_than_elo_on_every_game_protocol_strong"
    alone = compare(paper, Results(scores=own, datasets=mine)).set_index("item").loc[item]
    assert alone.verdict == "not run" and "None of the paper's games" in alone.note
    both = Results(scores=pd.concat([scores, own]), datasets=pd.concat([mine, theirs]))
    beside = compare(paper, both).set_index("item").loc[item]
    assert beside.ours == 1 and "My league" not in beside.note


def test_claims_under_the_protocol_strong(paper):
    ratios = {"disc_k1": 2.0, "disc_k2": 3.0, "disc_k3": 4.0, "melo_k1": 1.5, "melo_k2": 3.5, "melo_k3": 5.0}
    found = compare(paper, Results(scores=strong_scores(ratios))).set_index("item")
    claim = "figure_5/claim/better_than_{}_protocol_strong"
    assert found.loc[claim.format("elo"), "ours"] == 1
    assert found.loc[claim.format("elo_on_every_game"), "ours"] == 1
    by_game = found.loc[claim.format("melo_as_written_on_every_game")]
    # Better at k = 1 only, on both games.
    assert by_game.ours == pytest.approx(1 / 3)
    assert "k = 1: better on 5,4-Blotto; 5,5-Blotto; k = 2: worse on 5,4-Blotto; 5,5-Blotto" in by_game.note
    assert found.loc[claim.format("melo_as_written_equal_k"), "ours"] == pytest.approx(1 / 3)
    assert found.loc[claim.format("melo_in_logit_space_equal_k"), "verdict"] == NOT_RUN


def test_a_game_that_strong_does_not_score_is_not_due(paper):
    scores = strong_scores({"disc_k1": 2.0, "disc_k2": 2.0, "disc_k3": 2.0})
    datasets = make_datasets(paper, ["blotto_5_4", "blotto_5_5", "normal_bernoulli"])
    found = compare(paper, Results(scores=scores, datasets=datasets)).set_index("item")
    row = found.loc["figure_5/claim/normal_bernoulli_overfits_protocol_strong"]
    assert (row.verdict, row.expected) == (NOT_RUN, NOT_RUN) and "does not score" in row.note


def test_an_average_over_a_few_games_need_not_agree(paper):
    """The reverse of what the paper says, on two of its games."""
    scores = strong_scores({"elo": 1.0, "disc_k1": 0.5, "disc_k2": 0.5, "disc_k3": 0.5})
    found = compare(paper, Results(scores=scores, datasets=make_datasets(paper, ["blotto_5_4", "blotto_5_5"])))
    claim = row(found, "figure_5/claim/better_than_elo_protocol_strong")
    assert claim.verdict == claim.expected == DIFFERS
    assert "Only 2 of" in claim.note and "need not agree" in claim.note


def test_one_hold_out_decides_no_game(paper):
    found = compare(paper, Results(scores=strong_scores({"disc_k1": 2.0}, repeats=1))).set_index("item")
    row = found.loc["figure_5/claim/better_than_elo_on_every_game_protocol_strong"]
    assert row.verdict == NOT_RUN and "no repeated hold-outs" in row.note


# ------------------------------------------------------------------- Table 1


def test_table_1_layout(paper):
    scores = make_scores(paper, EMBEDDED)
    scores["label"] = "of its file"
    user = scores[scores.model == "disc_k2"].assign(model="my_model", n_params=1234, label="Mine")
    logit = scores[scores.model == "disc_k2"].assign(model="melo_logit_k1", n_params=3000)
    other = scores[scores.protocol == "published"].assign(model="elsewhere")
    table = table_1.table_1(paper, pd.concat([scores, logit, user, other]))
    assert list(table.model) == [
        "elo",
        "elo_plus_plus",
        "disc_k1",
        "balduzzi_2019_k1",
        "melo_published_k1",
        "melo_k1",
        "balduzzi_2019_k2",
        "disc_k2",
        "my_model",
        "melo_logit_k1",
    ]
    assert list(table.n_params) == ["n", "n", "2n", "2n", "3n", "3n", "4n", "4n", "1234", "3n"]
    cells = [f"{d}_{s}{p}" for d, s, p in itertools.product(TABLE_1_GAMES, ("train", "test"), ("", "_paper"))]
    assert list(table.columns) == ["model", "label", "n_params", *cells]
    indexed = table.set_index("model")
    assert indexed.label["my_model"] == "Mine" and indexed.label["elo"] == "Elo"
    assert indexed.mixture_050_test_paper["disc_k2"] == 2.5e-3
    assert math.isnan(indexed.mixture_050_test_paper["my_model"])
    assert indexed.mixture_050_test["my_model"] == pytest.approx(2.5e-3)
    # The paper's one m-Elo row stands beside both.
    assert (
        indexed.loc["melo_k1"].filter(like="_paper") == indexed.loc["melo_published_k1"].filter(like="_paper")
    ).all()


# ------------------------------------------------------------------- the scripts


@pytest.fixture
def files(tmp_path, paper):
    results = make_results(paper)
    results.scores.to_csv(tmp_path / "scores.csv", index=False)
    results.datasets.to_csv(tmp_path / "datasets.csv", index=False)
    grid().to_csv(tmp_path / "example_03.csv", index=False)
    return tmp_path


def test_comparison_and_check_scripts(files, capsys):
    output, checked = files / "paper_comparison.csv", files / "check.txt"
    given = {
        "--scores": "scores.csv",
        "--example-03": "example_03.csv",
        "--datasets": "datasets.csv",
        "--output": "paper_comparison.csv",
    }
    script("paper_comparison").main([part for name in given for part in (name, str(files / given[name]))])
    check = ["--comparison", str(output), "--output", str(checked)]
    assert script("check_comparison").main(check) == 0
    assert "reproduced:" in capsys.readouterr().out
    assert "expected to reproduce does" in checked.read_text()

    frame = pd.read_csv(output)
    assert list(frame.columns) == COLUMNS
    chosen = frame["item"] == "figure_5/published/blotto/disc_k1"
    frame.loc[chosen, "verdict"] = DIFFERS
    frame.to_csv(output, index=False)
    checked.unlink()
    assert script("check_comparison").main(check) == 1 and not checked.exists()
    said = capsys.readouterr().err
    assert "FAILED figure_5/published/blotto/disc_k1: differs" in said and said.count("FAILED") == 1


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(
            ("paper_comparison", [option, "gone", "--output", "a"])
            for option in ("--scores", "--decompositions", "--hulls", "--payoffs")
        ),
        ("check_comparison", ["--comparison", "gone", "--output", "a"]),
        ("table_1", ["--scores", "gone", "--csv", "a", "--tex", "b", "--markdown", "c"]),
    ],
)
def test_a_missing_file_is_named(name, options):
    with pytest.raises(InputError, match="gone does not exist"):
        script(name).main(options)


def test_table_1_formats(files, paper):
    scores = pd.read_csv(files / "scores.csv")
    user = scores[(scores.model == "disc_k2")].assign(model="a_b|<script>&$")
    pd.concat([scores, user]).to_csv(files / "scores.csv", index=False)
    outputs = {kind: files / f"table_1.{kind}" for kind in ("csv", "tex", "md")}
    options = {"scores": files / "scores.csv", "csv": outputs["csv"], "tex": outputs["tex"], "markdown": outputs["md"]}
    script("table_1").main([part for name in options for part in (f"--{name}", str(options[name]))])
    assert len(pd.read_csv(outputs["csv"])) == 9
    tex = outputs["tex"].read_text()
    assert r"\toprule" in tex and r"$1.6\times10^{-10}$ ($1.6\times10^{-10}$)" in tex
    assert r"a\_b|<script>\&\$ & " in tex
    assert r"\# param." in tex and "$4n$" in tex
    markdown = outputs["md"].read_text()
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(lines) == 11
    assert "1.6e-10 (1.6e-10)" in markdown and r"a\_b\|\<script\>&$" in markdown
