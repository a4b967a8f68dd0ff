"""The benchmarks at tiny size: that they compare equal losses and write their tables; never how long anything takes."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from transitivity.errors import InputError
from transitivity.fitting.losses import CrossEntropy
from transitivity.fitting.objective import PairObjective
from transitivity.fitting.solvers import pair_after_pair
from transitivity.models import Elo

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module", autouse=True)
def importable():
    for package in ("choix", "evalica", "sklearn"):
        pytest.importorskip(package, reason="needs the extra 'benchmarks'")
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


def module(name: str):
    return importlib.import_module(f"benchmarks.{name}")


def test_the_objective_is_measured():
    rows = module("objective").rows((8,), ((12, 40),), (1, 2), repeats=1)
    assert [(row["payoff"], row["k"]) for row in rows] == [
        ("8 players, complete", 1),
        ("8 players, complete", 2),
        ("12 players, 40 pairs", 1),
        ("12 players, 40 pairs", 2),
    ]
    assert all(row["ns_per_pair"] > 0 and row["over_exp"] > 0 for row in rows)


def test_fits_are_measured_to_the_end():
    rows = module("fits").rows(12, (5, 3), ((40, 300),), (1, 2), repeats=1)
    assert [row["k"] for row in rows] == [1, 2, 1, 2, 1]
    for row in rows:
        assert row["converged"] and row["gradient_norm"] <= 1e-6 and row["seconds"] > 0
    for row in rows[:4]:
        assert row["algorithm_2_above"] >= 0 and row["spread"] >= 0


def test_the_algorithms_as_printed_reach_the_optimum_of_one_pair():
    """A transcription of its own: the loss of one pair is ours, that of more pairs no lower."""
    rows = module("printed").rows((5, 4), (9,), k=2, alternations=15, repeats=1)
    assert [row["k"] for row in rows] == [1, 2, 1, 2]
    for row in rows:
        assert row["ratio"] == pytest.approx(row["printed_seconds"] / row["our_seconds"])
        assert row["printed_loss_minus_ours"] > -1e-9
    assert rows[0]["printed_loss_minus_ours"] < 1e-8 and rows[2]["printed_loss_minus_ours"] < 1e-8


def test_the_transcription_has_the_loss_of_the_objective():
    payoff = module("common").disc_game(7, np.random.default_rng(0))
    U, V = np.random.default_rng(1).normal(size=(2, 7, 2))
    value, slopes = module("printed")._mean_loss(payoff.to_dense(), U, V)
    expected, gradient_U, _ = PairObjective(payoff, CrossEntropy()).value_and_gradient(U, V)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(2 * slopes @ V, gradient_U, atol=1e-14)
    fit = pair_after_pair(PairObjective(payoff, CrossEntropy()), 1, np.random.default_rng(0))
    assert module("printed").algorithm_2(payoff.to_dense(), 1, 60)[0][1] == pytest.approx(fit.loss, rel=1e-8)


def payoffs():
    common, rng = module("common"), np.random.default_rng(0)
    return common.dense_elo_game(12, rng), common.sparse_elo_game(15, 70, rng)


def test_packages_are_compared_at_equal_log_loss():
    elo = module("elo")
    rows = [row for payoff in payoffs() for row in elo.compare(payoff, repeats=1)]
    assert {row["payoff"] for row in rows} == {"12 players, complete", "15 players, 70 pairs"}
    expected = {"choix", "evalica", "scikit-learn"}
    if elo.ARENA_RANK.is_file():
        expected.add("arena-rank")
    assert {row["method"].split(",")[0] for row in rows} == expected
    assert all(row["reached"] and row["ratio"] > 0 for row in rows)


def test_another_python_is_asked(tmp_path, monkeypatch):
    """A stand-in for the Python that has arena-rank answers the tolerance, and how many pairs and players there are."""
    stand_in = tmp_path / "python"
    stand_in.write_text(
        f"#!{sys.executable}\n"
        "import json, sys, numpy as np\n"
        "file = np.load(sys.argv[2])\n"
        "for line in sys.stdin:\n"
        "    answer = {'seconds': float(line), 'ratings': [len(file['p']), int(file['n'])]}\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    stand_in.chmod(0o755)
    elo = module("elo")
    monkeypatch.setattr(elo, "ARENA_RANK", stand_in)
    payoff = payoffs()[1]
    with elo.arena_rank(payoff) as ask:
        for tolerance in (0.5, 0.25):
            seconds, ratings = ask(tolerance)
            assert seconds == tolerance and ratings.tolist() == [payoff.n_pairs, payoff.n_players]


def test_packages_find_the_same_ratings():
    """Independent implementations agree with `Elo`, at their tightest tolerance."""
    for payoff in payoffs():
        ratings = Elo().fit(payoff).ratings_
        packages = module("elo").other_packages(payoff)
        assert {method.partition(",")[0] for method in packages} == {"choix", "evalica", "scikit-learn"}
        for method, fit in packages.items():
            u = fit(1e-6 if method.startswith("choix") else 1e-10)
            np.testing.assert_allclose(u - u.mean(), ratings, atol=1e-3, err_msg=method)


def test_methods_with_dense_arrays_are_left_out_of_large_games():
    methods = module("elo").other_packages(payoffs()[1], max_dense=10)
    assert "choix, mm_pairwise" in methods
    assert not {"choix, opt_pairwise", "evalica, bradley_terry"} & set(methods)


def test_what_is_not_reached_is_told():
    first = module("common").first_that_reaches
    assert first(1.0, (1, 2, 3), lambda option: 3.0 - option) == (2, 1.0)
    assert first(-1.0, (1, 2, 3), lambda option: 3.0 - option) == (None, 0.0)


def test_rows_become_a_table():
    rows = [
        {"a_game": "x", "pairs": 12345, "seconds": 0.01234, "share": 1e-9, "good": True, "spread": None},
        {"a_game": "y", "pairs": 7, "seconds": 1234.5, "share": 0.0, "good": np.False_, "spread": 0.5},
    ]
    assert module("common").table(rows) == (
        "| a game | pairs | seconds | share | good | spread |\n"
        "|---|---:|---:|---:|---:|---:|\n"
        "| x | 12,345 | 0.0123 | 1.00e-09 | yes |  |\n"
        "| y | 7 | 1,230 | 0 | no | 0.5 |"
    )


def test_tables_go_between_the_markers(tmp_path, capsys, monkeypatch):
    run, page = module("run"), tmp_path / "page.md"
    page.write_text("before\n<!-- begin elo -->\nold\n<!-- end elo -->\nafter\n")
    monkeypatch.setattr(module("elo"), "rows", lambda: [{"method": "ours", "ratio": 1.5}])
    for _ in range(2):
        run.main(["--only", "elo", "--output", str(page)])
        text = page.read_text()
        assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
        assert text.count("| ours | 1.5 |") == 1 and "scipy" in text
    assert "| ours | 1.5 |" in capsys.readouterr().out


def test_a_page_without_markers(tmp_path):
    (tmp_path / "page.md").write_text("nothing")
    with pytest.raises(InputError, match="lacks the lines"):
        module("run").write_between_markers("text", "elo", tmp_path / "page.md")


def test_the_page_of_the_documentation_has_a_place_for_every_table():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for name in module("run").NAMES:
        assert page.index(f"<!-- begin {name} -->") < page.index(f"<!-- end {name} -->")
        assert callable(module(name).rows)


def test_too_few_pairs_for_finite_ratings():
    with pytest.raises(InputError, match="use more pairs"):
        module("common").sparse_elo_game(50, 20, np.random.default_rng(0))
