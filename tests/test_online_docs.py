"""docs/sequential.md: its examples run, and its numbers are those of the code."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from loading import script

from transitivity.online import OnlineElo, verify

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "sequential.md").read_text(encoding="utf-8")
RESULTS = """date,home_team,away_team,home_score,away_score
2020-01-02,Peru,Chile,2,0
2020-01-01,Chile,Cuba,1,1
2020-03-02,Cuba,Peru,0,1
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def results(tmp_path, monkeypatch):
    (tmp_path / "results.csv").write_text(RESULTS)
    monkeypatch.chdir(tmp_path)


def test_the_python_on_the_page_runs(results, capsys):
    namespace: dict = {}
    for block in blocks("python"):
        exec(block, namespace)
    assert "[0.5" in capsys.readouterr().out
    assert namespace["games"]["player_a"].tolist() == ["Chile", "Peru", "Cuba"]
    assert namespace["glicko"].ratings()["id"][0] == "Peru"


def test_the_commands_on_the_page_run(results, capsys):
    elo = script("elo")
    (block,) = blocks("bash")
    for line in block.splitlines():
        command = shlex.split(line)
        assert command[:2] == ["python", "scripts/elo.py"]
        assert elo.main(elo.parse(command[2:])) == 0
        assert json.loads(capsys.readouterr().out)


def test_the_table_is_that_of_the_checks():
    for name, a, _, score, after_a, after_b, digits in verify.KNOWN:
        shown = f"{after_a:g} and {after_b:g}" if abs(a - after_a) < 50 else None
        change = "0" if after_a == a else f"+{after_a - a:.{digits}f}"
        assert f"{shown} |" in PAGE or f"| {change} |" in PAGE, (name, score)


# -------------------------------------------------------------------- coverage, as the page tells it


def fixtures(rng: np.random.Generator, strength: np.ndarray, n_games: int, matched: bool) -> tuple[np.ndarray, ...]:
    """Players who meet at random, or those near them in strength."""
    n = len(strength)
    a = rng.integers(0, n, n_games)
    if not matched:
        return a, (a + rng.integers(1, n, n_games)) % n
    order = np.argsort(strength)
    near = np.argsort(order)[a] + rng.choice([-1, 1], n_games) * rng.integers(1, n // 10, n_games)
    b = order[np.clip(near, 0, n - 1)]
    return a[a != b], b[a != b]


def coverage(games: int, matched: bool, replays: int = 60, n: int = 60) -> tuple[float, float]:
    """The shares of intervals that hold the mean over replays, and the true strength, K = 32."""
    found = []
    for pool in range(3):
        rng = np.random.default_rng([0, pool])
        strength = rng.normal(0, 200, n)
        strength += 1500 - strength.mean()
        a, b = fixtures(rng, strength, n * games // 2, matched)
        chances = 1 / (1 + 10 ** ((strength[b] - strength[a]) / 400))
        runs = np.empty((replays, n, 3))
        for run in runs:
            elo = OnlineElo(k=32)
            elo.update(a, b, (rng.random(len(a)) < chances).astype(float))
            # A table of ratings would take ten times as long to make as the ratings.
            columns = elo._columns(0.95)
            run[: len(elo.players)] = np.column_stack([columns[name] for name in ("low", "rating", "high")])
        played = np.unique(np.concatenate([a, b]))
        low, rating, high = np.moveaxis(runs[:, played], -1, 0)
        found.append(
            [((low <= middle) & (middle <= high)).mean() for middle in (rating.mean(axis=0), strength[played])]
        )
    return tuple(np.mean(found, axis=0))


def test_the_coverage_of_intervals_is_as_the_page_tells():
    rows = re.findall(r"^\| (\d+) \| (random|of similar strength) \| (\d+) % \| (\d+) % \|$", PAGE, re.MULTILINE)
    assert len(rows) == 8
    for games, opponents, luck, truth in rows:
        of_luck, of_truth = coverage(int(games), opponents != "random")
        # The players who meet are drawn, so that another draw gives a few per cent more or less.
        assert 100 * of_luck == pytest.approx(int(luck), abs=1.5), (games, opponents, of_luck)
        assert 100 * of_truth == pytest.approx(int(truth), abs=1.5), (games, opponents, of_truth)
