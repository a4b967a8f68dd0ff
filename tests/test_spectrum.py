"""The spectrum of games: positions, agreement of the measures, the figure."""

from __future__ import annotations

import itertools
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from loading import laid_out, script
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from reproduction.figures import inputs, spectrum, style
from reproduction.figures.catalogue import FIGURES
from transitivity.disc.component import BY_GRAPH, UNDECIDED
from transitivity.errors import InputError
from transitivity.measures.measure import measure
from transitivity.measures.spectrum import FEWEST_GAMES, MEASURES, agreement, measures, positions
from transitivity.payoff.core import Payoff

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = [measure.column for measure in MEASURES]
HOSTILE = ["$\\frac", "<b>x</b>", "NA", "a\nb", "", "x" * 300]


def values(n: int, seed: int = 0, missing: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((n, len(COLUMNS))), columns=COLUMNS, index=[f"g{i}" for i in range(n)])
    return frame.mask(rng.random(frame.shape) < missing)


def transitivity(n: int = 6) -> pd.DataFrame:
    """A table as transitivity.csv, from the most transitive game to the most cyclic one."""
    x = np.linspace(1, 0, n)
    chance = {"logit_gradient": 0.5, "probability_gradient": 0.5, "cyclic": 0.25, "intransitive": 0.25}
    table = {
        "dataset": [f"g{i}" for i in range(n)],
        "n_players": 10,
        "n_nash_clusters": np.linspace(10, 1, n),
        "verdict_logit": "transitive",
        "verdict_probability": "cyclic",
        "p_value": np.nan,
    }
    measured = [m.column for m in MEASURES if not m.column.endswith(("excess", "per_player"))]
    table |= dict.fromkeys([*measured, "logit_gradient_share", "probability_gradient_share"], x)
    table |= dict.fromkeys(["cyclic_triads", "intransitive_triads"], 0.25 * (1 - x))
    for name, mean in chance.items():
        table |= {f"{name}_chance": mean, f"{name}_chance_low": mean - 0.1, f"{name}_chance_high": mean + 0.1}
    return pd.DataFrame(table)


def test_measures_that_agree_order_the_games():
    found = measures(transitivity())
    assert list(found.columns) == COLUMNS and found.clusters_per_player.iloc[0] == 1
    np.testing.assert_allclose(positions(found), np.linspace(1, 0, 6))
    # Fewer cyclic triads agree with a larger gradient share.
    np.testing.assert_allclose(agreement(found).spearman, 1)


def test_what_any_results_would_have_given_places_no_game():
    table = transitivity().astype({"verdict_logit": object})
    table.loc[1, ["verdict_logit", "verdict_probability"]] = BY_GRAPH
    # The games of g2 decide nothing; g3 is exact, and 0 lies on the border of its hull.
    table.loc[[2, 3], "verdict_logit"] = UNDECIDED
    table.loc[2, "p_value"] = 0.4
    found, before = measures(table), measures(transitivity())
    hidden = found.isna() & before.notna()
    graph = [
        f"{s}_{m}" for s in ("logit", "probability") for m in ("margin_degrees", "rank_agreement", "gradient_excess")
    ]
    assert set(hidden.columns[hidden.loc["g1"]]) == set(graph)
    # The shares of g2 are 0.6 and 0.1, within the limits of chance.
    assert set(hidden.columns[hidden.loc["g2"]]) >= {name for name in graph if "gradient_excess" not in name}
    assert not hidden.drop(["g1", "g2"]).any(axis=None)


def test_what_chance_alone_reaches_is_zero_and_places_no_league():
    """A gradient share of 0.87 is large where chance reaches 0.05, and none where it reaches 0.85."""
    table = transitivity(3).assign(
        logit_gradient_share=0.87, logit_gradient_chance=[0.05, 0.87, 0.95], cyclic_triads=[0.0, 0.25, 1.0]
    )
    found = measures(table)
    np.testing.assert_allclose(found.logit_gradient_excess, [0.82 / 0.95, 0, -0.08 / 0.95])
    np.testing.assert_allclose(found.cyclic_excess, [1, 0, -1])
    # Results of games within the limits have no place; an exact payoff is what it is.
    limits = {"logit_gradient_chance_low": 0.0, "logit_gradient_chance_high": [0.1, 0.9, 0.97]}
    luck = measures(table.assign(p_value=0.5, **limits)).logit_gradient_excess.isna()
    assert list(luck) == [False, True, True] and measures(table.assign(**limits)).logit_gradient_excess.notna().all()


@given(n=st.integers(1, 12), seed=st.integers(0, 99), missing=st.floats(0, 0.9))
def test_positions_are_mean_ranks(n, seed, missing):
    frame = values(n, seed, missing)
    found = positions(frame)
    assert found.dropna().between(0, 1).all()
    placed = frame.notna().any(axis=1)
    assert (found.notna() == (placed & (placed.sum() >= FEWEST_GAMES))).all()
    # The order of the games does not matter, nor does a monotone change of a measure.
    pd.testing.assert_series_equal(positions(frame[::-1])[::-1], found)
    pd.testing.assert_series_equal(positions(frame.assign(**{COLUMNS[0]: np.exp(frame[COLUMNS[0]])})), found)


def test_agreement_is_spearmans():
    frame = values(20, seed=1, missing=0.2).round(1)
    found = agreement(frame)
    assert len(found) == len(COLUMNS) * (len(COLUMNS) - 1) / 2
    for row in found.itertuples():
        both = frame[[row.measure, row.other]].dropna()
        assert row.n_games == len(both)
        assert row.spearman == pytest.approx(scipy.stats.spearmanr(both).statistic)


def test_too_few_games_and_constant_measures_have_no_correlation():
    few, enough = (agreement(values(n)).spearman for n in (FEWEST_GAMES - 1, FEWEST_GAMES))
    assert few.isna().all() and enough.notna().all()
    constant = agreement(values(5).assign(cyclic_excess=0.0))
    assert constant.spearman.isna().sum() == len(COLUMNS) - 1


def run(folder: Path, table: pd.DataFrame, labels: pd.DataFrame) -> list[bytes]:
    folder.mkdir()
    table.to_csv(folder / "transitivity.csv", index=False)
    labels.to_csv(folder / "datasets.csv", index=False)
    flags = {"--transitivity": "transitivity.csv", "--dataset-table": "datasets.csv", "--agreement": "agreement.csv"}
    flags |= {"--pdf": "f.pdf", "--png": "f.png", "--data": "f.csv"}
    script(FIGURES["spectrum"].script).main(
        [part for flag, name in flags.items() for part in (flag, str(folder / name))]
    )
    return [(folder / name).read_bytes() for name in ("f.pdf", "f.png", "f.csv", "agreement.csv")]


def test_the_figure_draws_its_data_whatever_games_are_called(tmp_path):
    table = transitivity()
    table.loc[[1, 4], "logit_gradient_share"] = np.nan
    labels = pd.DataFrame({"dataset": table.dataset, "label": HOSTILE, "simulated": [True, *[False] * 5]})
    # The rows of the table do not order the figure.
    first = run(tmp_path / "first", table[::-1], labels)
    assert first == run(tmp_path / "second", table[::-1], labels)
    data = pd.read_csv(tmp_path / "first" / "f.csv")
    position = data[data.measure == "position"]
    assert list(position.dataset) == list(table.dataset) and list(position.place) == list(range(6))
    assert (data.measure == "logit_gradient_excess").sum() == 4
    assert data.simulated.sum() == len(COLUMNS) + 1
    assert len(data) == 6 * (len(COLUMNS) + 1) - 2


@pytest.mark.parametrize(("n", "triads"), [(1, 0.04), (2, 0.26), (FEWEST_GAMES, 0.0), (45, 1.0)])
def test_few_games_are_neither_ranked_nor_correlated_and_nothing_touches(n, triads):
    # The most cyclic game first: the table orders few games, the mean rank many.
    table = transitivity(n)[::-1].assign(intransitive_triads=triads)
    found = measures(table)
    info = inputs.DatasetInfo(dict.fromkeys(table.dataset, "x" * 300), frozenset({"g0"}))
    data, correlations = spectrum.spectrum_marks(found, info), agreement(found)
    ranked = n >= FEWEST_GAMES
    order = data.drop_duplicates("place").sort_values("place").dataset
    assert list(order) == list(table.dataset[::-1] if ranked else table.dataset)
    with style.style():
        figure = spectrum.draw_spectrum(data, correlations, info, [])
        figure.draw_without_rendering()
        panels = [ax for ax in figure.axes if ax.get_title()]
        assert ("mean rank" in [ax.get_title() for ax in panels]) == ranked
        assert len(figure.axes) - len(panels) == ranked
        ticks = [label.get_window_extent() for ax in panels for label in ax.get_xticklabels() if label.get_text()]
        marks = [
            box.padded(1.5)
            for ax in panels
            for points in ax.collections
            for at in ax.transData.transform(points.get_offsets())
            for box in [Bbox([at, at])]
        ]
        names = [label.get_window_extent() for label in panels[0].get_yticklabels()]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(ticks, 2))
    assert not any(mark.overlaps(text) for mark in marks for text in [*ticks, *names])
    assert all(0 <= box.x0 and box.x1 <= figure.bbox.width for box in [*ticks, *names])


def test_one_game_and_no_game(tmp_path, monkeypatch):
    monkeypatch.setattr(Figure, "savefig", laid_out)
    labels = pd.DataFrame({"dataset": ["g0"], "label": ["One"], "simulated": [False]})
    run(tmp_path / "one", transitivity().head(1), labels)
    with pytest.raises(InputError, match="no game"):
        run(tmp_path / "none", transitivity().head(0), labels)


def test_games_without_a_place_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(Figure, "savefig", laid_out)
    table = transitivity(2).assign(verdict_logit=BY_GRAPH, verdict_probability=BY_GRAPH)
    table[["cyclic_triads", "intransitive_triads", "nash_rank_agreement", "n_nash_clusters"]] = np.nan
    labels = pd.DataFrame({"dataset": ["g0", "g1"], "label": ["$x", "<b>"], "simulated": [False, True]})
    for folder, rows in (("none", table), ("one", pd.concat([transitivity(1), table.tail(1)]))):
        run(tmp_path / folder, rows, labels)
        data = pd.read_csv(tmp_path / folder / "f.csv")
        assert set(data.dataset) == (set() if folder == "none" else {"g0"})


def test_the_measures_of_a_payoff_have_their_place():
    """Every column that places games is made from the fields of a row of transitivity.csv."""
    more = np.triu(np.random.default_rng(0).uniform(-0.4, 0.4, (6, 6)), 1)
    row = asdict(measure(Payoff.from_dense(0.5 + more - more.T)))
    verdicts = {"dataset": "g", "verdict_logit": "cyclic", "verdict_probability": "cyclic", "p_value": np.nan}
    assert list(measures(pd.DataFrame([row | verdicts])).columns) == COLUMNS
