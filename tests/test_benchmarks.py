"""The benchmarks at tiny size: that they compare equal losses and write their tables; never how long anything takes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from transitivity.errors import InputError
from transitivity.models import Elo

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def run():
    for package in ("choix", "sklearn"):
        pytest.importorskip(package, reason="needs the extra 'benchmarks'")
    spec = importlib.util.spec_from_file_location("benchmarks_run", ROOT / "benchmarks" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def payoffs(run):
    rng = np.random.default_rng(0)
    return {"complete": run.dense_elo_game(12, rng), "sparse": run.sparse_elo_game(15, 70, rng)}


def test_solvers_are_compared_at_equal_loss(run):
    frame = run.compare_disc([10], [1, 2], repeats=1)
    assert frame[["players", "k"]].to_numpy().tolist() == [[10, 1], [10, 2]]
    assert frame["alternations"].isin(run.ALTERNATIONS).all() and (frame["reached"] <= run.EQUAL).all()
    assert (frame["joint_gain"] >= -1e-9).all() and frame["joint_gain"][0] == 0
    assert (frame[["over_pair_after_pair", "over_joint"]] > 0).all().all()


def test_packages_are_compared_at_equal_log_loss(run):
    frame = run.compare_elo(payoffs(run), repeats=1)
    assert set(frame["payoff"]) == {"complete", "sparse"} and len(frame) == 8
    assert frame["tolerance"].notna().all() and (frame["reached"].abs() <= run.EQUAL).all()
    assert (frame["ratio"] > 0).all()


def test_packages_find_the_same_ratings(run):
    """Independent implementations agree with `Elo`, at their tightest tolerance."""
    for payoff in payoffs(run).values():
        ratings = Elo().fit(payoff).ratings_
        for method, fit in run.other_packages(payoff).items():
            u = fit(1e-10 if method.startswith("scikit") else 1e-6)
            np.testing.assert_allclose(u - u.mean(), ratings, atol=1e-3, err_msg=method)


def test_methods_with_dense_arrays_are_left_out_of_large_games(run):
    methods = run.other_packages(payoffs(run)["sparse"], max_dense=10)
    assert "choix, mm_pairwise" in methods and "choix, opt_pairwise" not in methods


def test_what_is_not_reached_is_marked(run):
    assert run.first_that_reaches(1.0, (1, 2, 3), lambda option: 3.0 - option) == (2, 1.0)
    assert run.first_that_reaches(-1.0, (1, 2, 3), lambda option: 3.0 - option) == (None, 0.0)
    assert run._times(43.4, True) == "43 ×" and run._times(0.358, True) == "0.36 ×"
    assert run._times(1234.0, False) == "> 1200 ×"


def test_tables_go_between_the_markers(run, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{run.BEGIN}\nold\n{run.END}\nafter\n")
    arguments = ["--players", "8", "--components", "1", "--dense", "8", "--sparse", "10:40", "--repeats", "1"]
    for _ in range(2):
        run.main([*arguments, "--output", str(page)])
        text = page.read_text()
        assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
        assert text.count("| players | k |") == 1 and "scikit-learn, lbfgs" in text and "scipy" in text
    assert "| 8 | 1 |" in capsys.readouterr().out


def test_a_page_without_markers(run, tmp_path):
    (tmp_path / "page.md").write_text("nothing")
    with pytest.raises(InputError, match="lacks the lines"):
        run.write_between_markers("text", tmp_path / "page.md")


def test_the_page_of_the_documentation_has_the_markers(run):
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page.index(run.BEGIN) < page.index(run.END)
    for word in ("alternating", "pair_after_pair", "joint"):
        assert f"`{word}`" in page


def test_too_few_pairs_for_finite_ratings(run):
    with pytest.raises(InputError, match="use more pairs"):
        run.sparse_elo_game(50, 20, np.random.default_rng(0))
