"""The figures' scripts: they run, draw what their CSV says, the same bytes each time, whatever things are called."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from loading import laid_out, script
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

from reproduction import cli
from reproduction.figures import (
    catalogue,
    example_3,
    game_grids,
    games,
    inputs,
    looks,
    marks,
    payoff_cells,
    ratios_by_threshold,
    style,
)
from transitivity.disc.component import convex_hull
from transitivity.errors import InputError
from transitivity.evaluation.ratios import FLOOR
from transitivity.payoff.core import Payoff

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
#: Names that matplotlib's mathtext, HTML, a font or pandas would trip over.
HOSTILE = ["$\\frac", "<b>x</b>", "$x^2$ & \\alpha", "NA", "a\nb\tc", "", "😀 {0} %s", "x" * 300]


def load(number: str):
    """The script of a figure."""
    return script(catalogue.FIGURES[f"figure_{number}"].script)


def outputs(folder: Path) -> list[str]:
    return ["--pdf", f"{folder}/f.pdf", "--png", f"{folder}/f.png", "--data", f"{folder}/f.csv"]


def draw(number: str, folder: Path, *flags: object, times: int = 0) -> pd.DataFrame:
    """Run a script; return its data.

    Its pictures are laid out, but written only if this is to be done once or more times; then they are checked to be
    whole, and the same bytes each time.
    """
    contents = []
    with pytest.MonkeyPatch.context() as patch:
        if not times:
            patch.setattr(Figure, "savefig", laid_out)
        for time in range(max(1, times)):
            load(number).main([*outputs(folder / f"{time}"), *map(str, flags)])
            contents.append([path.read_bytes() for path in sorted((folder / f"{time}").iterdir())])
    assert all(content == contents[0] for content in contents)
    if times:
        _, pdf, png = contents[0]
        assert pdf.startswith(b"%PDF") and b"CreationDate" not in pdf
        assert png.startswith(b"\x89PNG") and b"Software" not in png
    return pd.read_csv(folder / "0" / "f.csv", keep_default_na=False, na_values={"value": [""]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Inputs of the game figures: a transitive, a cyclic and an oddly named game, and their tables."""
    angles = np.linspace(0, 2 * np.pi, 9)[:-1]
    games = {
        "elo_game": (np.linspace(2, -2, 8), np.ones(8), True),
        "disc_game": (np.sin(angles), np.cos(angles), False),
        "kuhn_poker": (np.array([0.0, 1.0, 9.0, 2.0, 3.0, 0.5, 1.5, 2.5]), np.ones(8), None),
    }
    for part in ("payoffs", "decompositions", "nash"):
        (tmp_path / part).mkdir()
    for dataset, (u, v, transitive) in games.items():
        x = np.outer(u, v) - np.outer(v, u)
        payoff = Payoff.from_dense(1 / (1 + np.exp(-x)), HOSTILE)
        payoff.save(tmp_path / f"payoffs/{dataset}.npz")
        table = pd.DataFrame({"dataset": dataset, "player": HOSTILE, "u": u, "v": v})
        table["mean_payoff"] = payoff.mean_payoffs
        spaces = ["probability", "logit"]
        pd.concat([table.assign(space=s, angle=np.arctan2(u, v)) for s in spaces]).to_csv(
            tmp_path / f"decompositions/{dataset}.csv", index=False
        )
        verdict = {
            "verdict": {True: "transitive", False: "cyclic", None: "undecided"}[transitive],
            "margin_degrees": 1.0,
            "reparametrised": False,
        }
        (tmp_path / f"decompositions/{dataset}.json").write_text(json.dumps(dict.fromkeys(spaces, verdict)))
        clusters = [1, 1, 2, 3, 3, 3, 3, 3]
        share = [0.9, 0.9, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2]
        pd.DataFrame({"dataset": dataset, "player": HOSTILE, "cluster": clusters, "beaten_share": share}).to_csv(
            tmp_path / f"nash/{dataset}.csv", index=False
        )
    pd.DataFrame(
        {"dataset": list(games), "label": HOSTILE[:3], "simulated": [False, False, True], "origin": "computed"}
    ).to_csv(tmp_path / "datasets.csv", index=False)
    return tmp_path


BLOCKS = {
    "04": {"": catalogue.columns_of()},
    "08": {"": catalogue.columns_of()},
    "09": {"": catalogue.columns_of(catalogue.FIGURE_9_GAMES)},
}


def game_flags(folder: Path, blocks: dict, nash: bool) -> list[object]:
    flags: list[object] = ["--columns", json.dumps(blocks)]
    flags += ["--payoffs", *sorted((folder / "payoffs").glob("*.npz"))]
    flags += ["--decompositions", *sorted((folder / "decompositions").glob("*.csv"))]
    flags += ["--verdicts", *sorted((folder / "decompositions").glob("*.json"))]
    flags += ["--nash", *sorted((folder / "nash").glob("*.csv"))] if nash else []
    return [*flags, "--dataset-table", folder / "datasets.csv"]


def texts(figure) -> list[str]:
    """Every string of a figure, its axes included."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


# -------------------------------------------------------------------- payoff matrices


def test_figure_01_data_are_the_payoffs(folder):
    flags = ["--elo", folder / "payoffs/elo_game.npz", "--disc", folder / "payoffs/disc_game.npz"]
    data = draw("01", folder, *flags, "--dataset-table", folder / "datasets.csv", times=2)
    assert set(data["dataset"]) == {"elo_game", "disc_game"}
    for dataset, part in data.groupby("dataset"):
        P = Payoff.load(folder / f"payoffs/{dataset}.npz").to_dense()
        assert len(part) == 8 * 7 / 2
        np.testing.assert_allclose(part["value"], P[part["y"], part["x"]], atol=5e-4)
        np.testing.assert_array_equal(
            payoff_cells.frame_cells(part), payoff_cells.payoff_cells(Payoff.from_dense(P), sort=False)
        )


def test_large_matrix_is_drawn_in_block_means(monkeypatch):
    monkeypatch.setattr(payoff_cells, "MAX_CELLS", 3)
    rating = np.array([0.1, 2.0, 0.4, -1.0, 0.3, 1.0, -2.0])
    payoff = Payoff.from_dense(1 / (1 + np.exp(rating[None] - rating[:, None])))
    order = np.argsort(-rating)
    P = payoff.to_dense()[np.ix_(order, order)]
    cells = payoff_cells.payoff_cells(payoff)
    assert cells.shape == (3, 3)
    assert cells[0, 2] == pytest.approx(P[:2, 4:].mean(), abs=5e-4)
    assert cells[2, 0] == pytest.approx(1 - cells[0, 2])
    assert (np.diag(cells) == 0.5).all()


def test_cells_of_unobserved_pairs_are_empty():
    P = np.array([[0.5, 0.9, np.nan], [0.1, 0.5, 0.6], [np.nan, 0.4, 0.5]])
    cells = payoff_cells.payoff_cells(Payoff.from_dense(P), sort=False)
    np.testing.assert_array_equal(np.isnan(cells), np.isnan(P))


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=20))
@example([(3, -4), (-1, 1), (-2, 2), (3, -4)])
def test_convex_hull_agrees_with_qhull(points):
    points = np.asarray(points, dtype=float)
    hull = convex_hull(*points.T)
    corners = points[hull]
    assert len(np.unique(corners, axis=0)) == len(corners)
    if np.linalg.matrix_rank(points - points[0]) < 2:
        assert len(hull) <= 2
        extent = np.ptp(points, axis=0)
        np.testing.assert_array_equal(np.ptp(corners, axis=0), extent)
    else:
        expected = points[ConvexHull(points).vertices]
        assert {tuple(c) for c in corners} == {tuple(e) for e in expected}


# -------------------------------------------------------------------- Figures 2 and 3


def grid(folder: Path, elo: list[float], disc: list[float]) -> Path:
    path = folder / "example_03.csv"
    pd.DataFrame(
        {"gamma": [0.51, 0.51, 0.75, 0.75], "delta": [0.51, 1, 0.51, 1], "elo_difference": elo, "disc_logit": disc}
    ).to_csv(path, index=False)
    return path


def test_figures_02_and_03_sizes_and_signs(tmp_path):
    path = grid(tmp_path, [0.4, -0.8, 0.0, 1e-9], [0.1, 0.4, 0.2, 0.4])
    data = draw("02", tmp_path, "--grid", path, "--quantity", "elo_difference", times=1)
    assert data["ranking"].tolist() == ["right", "wrong", "tie", "right"]
    assert data["area"][1] == example_3.LARGEST_DOT and data["area"][3] == example_3.SMALLEST_DOT
    assert data["area"][0] == pytest.approx(example_3.LARGEST_DOT / 2)
    data = draw("03", tmp_path, "--grid", path, "--quantity", "disc_logit")
    assert (data["ranking"] == "right").all()
    assert data["area"].tolist() == pytest.approx([f * example_3.LARGEST_DOT for f in (0.25, 1, 0.5, 1)])


@pytest.mark.parametrize(("quantity", "boundary"), [("elo_difference", True), ("disc_logit", False)])
def test_boundary_is_drawn_only_for_elo(quantity, boundary):
    dots = example_3.signed_dots(np.array([0.51, 0.75]), np.array([0.51, 1.0]), np.array([1.0, -1.0]))
    with style.style():
        figure = example_3.draw_signed_dots(dots, example_3.QUANTITIES[quantity])
    lines = figure.axes[0].lines
    assert len(lines) == boundary
    for line in lines:
        x, y = line.get_data()
        np.testing.assert_allclose(y, 3 * x - 1)


# -------------------------------------------------------------------- Figures 4, 8 and 9


@pytest.mark.parametrize("number", ["04", "08", "09"])
def test_game_figures(folder, number):
    with warnings.catch_warnings():
        # A name may have characters that no font has.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing")
        flags = game_flags(folder, BLOCKS[number], nash=number != "04")
        data = draw(number, folder, *flags, times=2 * (number == "09"))
    columns = {"04": ["elo_game", "disc_game"], "08": ["elo_game", "disc_game"], "09": ["kuhn_poker"]}[number]
    assert list(data["dataset"].unique()) == columns
    assert set(data["panel"]) == set(games.PANELS[: 3 if number == "04" else 4])
    for dataset in columns:
        table = pd.read_csv(folder / f"decompositions/{dataset}.csv")
        table = table[(table["space"] == "logit") & np.isfinite(table["u"])]
        part = data[(data["dataset"] == dataset) & (data["panel"] == "logit")]
        np.testing.assert_array_equal(part[["x", "y"]].astype(float), table[["v", "u"]])
        players = [name for name, u in zip(HOSTILE, np.isfinite(table_u(folder, dataset)), strict=True) if u]
        assert part["player"].tolist() == players
        verdict = {"elo_game": "transitive", "disc_game": "cyclic", "kuhn_poker": "undecided"}[dataset]
        assert (part["verdict"] == verdict).all()
        if number != "04":
            nash = data[(data["dataset"] == dataset) & (data["panel"] == "nash")]
            assert nash["x"].astype(float).tolist() == [2, 1, 5]
            np.testing.assert_allclose(nash["y"].astype(float), [0.9, 0.5, 0.2])
    assert (data["simulated"].astype(str) == str(number == "09")).all()


def test_figure_07_writes_each_verdict(folder):
    words = {"elo_game": "undecided", "disc_game": "cyclic", "kuhn_poker": "transitive by the graph"}
    for dataset, word in words.items():
        entries = {"probability": {"verdict": "transitive"}, "logit": {"verdict": word}}
        (folder / f"decompositions/{dataset}.json").write_text(json.dumps(entries))
    graphs = pd.DataFrame({"dataset": list(words), "cycles": [21, 21, 0]})
    graphs.to_csv(folder / "identifiability.csv", index=False)
    leagues = {HOSTILE[0]: {"elo_game": "50 games", "disc_game": "60 games"}, "Two": {"kuhn_poker": "1 game"}}
    flags = [*game_flags(folder, leagues, nash=False), "--identifiability", folder / "identifiability.csv"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing")
        data = draw("07", folder, *flags, times=1)
    assert list(data["dataset"].unique()) == ["elo_game", "disc_game", "kuhn_poker"]
    for panel, expected in (("logit", words), ("probability", dict.fromkeys(words, "transitive"))):
        part = data[data["panel"] == panel]
        assert part.groupby("dataset")["verdict"].unique().map(list).to_dict() == {
            dataset: [word] for dataset, word in expected.items()
        }


def league_scores(folder: Path) -> list[object]:
    rows = [
        ("leagues", f"starcraft_{threshold}", model, repeat, split, 10, n_params, n_pairs, mse * (1 + repeat * slope))
        for threshold in (60, 70)
        for model, n_params, mse, slope in (
            ("elo", 10, 0.02, 0.1),
            ("disc_regularised_k1", 20, 0.01, 0),
            ("melo_k1", 30, 4e5, 0.1),
        )
        for repeat in range(3)
        for split, n_pairs in (("train", 80), ("test", 20))
    ]
    columns = "protocol dataset model repeat split n_players n_params n_pairs mse".split()
    scores = pd.DataFrame(rows, columns=columns).assign(
        label="x", n_games=1e3, game_log_loss=0.6, n_connected=20, n_hideable=100
    )
    scores.to_csv(folder / "scores.csv", index=False)
    datasets = {"dataset": ["starcraft_60", "starcraft_70"], "label": "x", "simulated": [False, True]}
    pd.DataFrame(datasets).to_csv(folder / "leagues.csv", index=False)
    paper = {"threshold": [60], "model": ["disc_regularised_k1"], "ratio": [1.025]}
    pd.DataFrame(paper).to_csv(folder / "paper.csv", index=False)
    leagues = {"StarCraft": {"starcraft_60": "60 games", "starcraft_70": "70 games"}}
    flags = ["--scores", folder / "scores.csv", "--paper", folder / "paper.csv", "--protocols", "leagues"]
    return [*flags, "--dataset-table", folder / "leagues.csv", "--leagues", json.dumps(leagues)]


def test_figure_10_has_ratios_intervals_and_the_papers_bars(folder):
    data = draw("10", folder, *league_scores(folder), times=1)
    bars = data.set_index(["dataset", "model"])
    for dataset in ("starcraft_60", "starcraft_70"):
        bar = bars.loc[(dataset, "disc_regularised_k1")]
        assert float(bar["ratio"]) == pytest.approx(2 * (1.1 * 1.2) ** (1 / 3))
        # t(0.975, 2) · sqrt((1/3 + 20/80) s²), s² the variance of the logs of three ratios.
        half = 4.302652729911275 * np.sqrt(7 / 12 * np.var(np.log([1, 1.1, 1.2]), ddof=1))
        assert np.log(float(bar["ratio"]) / float(bar["low"])) == pytest.approx(half)
        assert np.log(float(bar["high"]) / float(bar["ratio"])) == pytest.approx(half)
        assert float(bars.loc[(dataset, "melo_k1"), "ratio"]) == pytest.approx(0.02 / 4e5)
    assert float(bars.loc[("starcraft_60", "disc_regularised_k1"), "paper_ratio"]) == 1.025
    assert bars.loc[("starcraft_70", "disc_regularised_k1"), "paper_ratio"] == ""
    assert data["threshold"].tolist() == ["60 games"] * 2 + ["70 games"] * 2


def test_figure_10_without_scores_of_a_league_says_so(folder):
    """If no pair of a sparse league can be hidden, its figure is empty and the run goes on to its report."""
    flags = league_scores(folder)
    flags[-1] = json.dumps({"Another": {"another_5": "5 games"}})
    data = draw("10", folder, *flags)
    assert len(data) == 0 and "paper_ratio" in data


@pytest.mark.parametrize("intervals", [(1e-9, 1e9), (0.3, 0.5), (math.nan, math.nan)])
@pytest.mark.parametrize("ratio", [0.2, 0.4, 3.0])
def test_figure_10_shows_its_bars_whatever_their_intervals(ratio, intervals):
    bars = pd.DataFrame({"dataset": ["a_1"], "threshold": "1 game", "place": 0, "order": 0, "model": "disc_k1"})
    bars = bars.assign(ratio=ratio, low=intervals[0], high=intervals[1], paper_ratio=math.nan, simulated=False)
    ax = Figure().add_subplot()
    ratios_by_threshold.draw_panel(ax, bars, ["disc_k1"], looks.family_looks(["disc"], {}))
    low, high = ax.get_ylim()
    assert low < min(ratio, 1) and high > max(ratio, 1)
    assert low >= 0.1 and high <= 10


def table_u(folder: Path, dataset: str) -> np.ndarray:
    table = pd.read_csv(folder / f"decompositions/{dataset}.csv")
    return table["u"][table["space"] == "logit"].to_numpy()


def read_games(number: str, folder: Path) -> tuple[dict, list[str], list[str]]:
    """The blocks of a figure of games, what is missing, and its panels."""
    files = {
        flag: {path.stem: path for path in (folder / part).glob(f"*.{suffix}")}
        for flag, part, suffix in (
            ("payoffs", "payoffs", "npz"),
            ("decompositions", "decompositions", "csv"),
            ("verdicts", "decompositions", "json"),
            ("nash", "nash", "csv"),
        )
    }
    info = inputs.DatasetInfo.read(folder / "datasets.csv")
    panels = games.PANELS[: 3 if number == "04" else 4]
    return *games.read_games(BLOCKS[number], files, info, {}), panels


def test_missing_games_are_named_and_simulated_ones_marked(folder):
    blocks, missing, panels = read_games("09", folder)
    assert missing == ["Go 3×3", "Go 4×4", "AlphaStar", "10,3-Blotto", "10,5-Blotto"]
    with style.style():
        figure, _ = game_grids.draw_games(blocks, panels, missing)
    written = texts(figure)
    assert written.count("simulated") == len(panels)
    assert any("AlphaStar" in text for text in written)


@pytest.mark.parametrize("corner", [(0, 0), (0, 1), (1, 1), (1, 0)])
@pytest.mark.parametrize("alone", [True, False])
def test_a_badge_hides_no_mark_where_a_corner_is_free(corner, alone):
    """Marks in all corners but one; or few in one with the origin, and many in the others."""
    figure = Figure(figsize=(1.2, 1.2))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_xscale("log")
    ax.set_xlim(1, 1000)
    ax.set_ylim(0, 1)
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    near = np.array([(10.0 ** (0.3 + 2.4 * right), 0.08 + 0.84 * top) for right, top in corners])
    at = corners.index(corner)
    if alone:
        marks.badge_in_a_corner(ax, np.delete(near, at, axis=0))
    else:
        many = np.repeat(np.delete(near, at, axis=0), 3, axis=0)
        marks.badge_in_a_corner(ax, many, near[[(at + 1) % 4]])
    (text,) = ax.texts
    figure.draw_without_rendering()
    box = text.get_bbox_patch().get_window_extent()
    shown = [bool(box.contains(*ax.transData.transform(point))) for point in near]
    assert shown == [k == at for k in range(4)]


def test_badges_of_a_figure_hide_no_cell_and_no_origin(folder):
    blocks, missing, panels = read_games("09", folder)
    with style.style():
        figure, _ = game_grids.draw_games(blocks, panels, missing)
        figure.draw_without_rendering()
    badges = [(ax, text) for ax in figure.axes for text in ax.texts if text.get_text() == "simulated"]
    assert len(badges) == len(panels)
    for ax, text in badges:
        box = text.get_bbox_patch().get_window_extent()
        if ax.images:
            assert not box.overlaps(ax.get_window_extent())
        elif ax.get_xscale() == "linear":
            assert not box.contains(*ax.transData.transform((0, 0)))


def test_ticks_are_written_out():
    assert [game_grids._plain(value) for value in (1, 100, 1000, 10000, -0.25)] == [
        "1",
        "100",
        "1,000",
        "10,000",
        "−0.25",
    ]


def test_disc_panels_have_one_scale_and_show_the_origin(folder):
    blocks, _, panels = read_games("04", folder)
    with style.style():
        figure, _ = game_grids.draw_games(blocks, panels, [])
        figure.draw_without_rendering()
    panels = [ax for ax in figure.axes if ax.get_title() in ("transitive", "cyclic", "undecided")]
    assert len(panels) == 4
    for ax in panels:
        (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
        assert x1 - x0 == pytest.approx(y1 - y0)
        assert x0 < 0 < x1 and y0 < 0 < y1


def test_no_payoff_at_all_is_an_input_error(folder):
    with pytest.raises(InputError, match="elo_game"):
        load("04").main([*outputs(folder), "--columns", json.dumps(BLOCKS["04"])])


# -------------------------------------------------------------------- Figures 5 and 6

RATIOS = {"disc_k1": 1.1, "disc_k2": 2.0, "melo_published_k1": 0.9, "melo_k1": 1.5, "balduzzi_2019_k1": 0.9}


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    rows = []
    for protocol in ("published", "written"):
        for dataset in ("blotto", "rps_like", "kuhn_poker"):
            for repeat, base in enumerate((0.01, 0.03)):
                for split in ("train", "test"):
                    for model, ratio in {"elo": 1.0, "$\\frac": 20.0, **RATIOS}.items():
                        # Only the test split has these ratios; a common factor a game keeps the mean testable.
                        factor = {"blotto": 1.0, "rps_like": 2.0, "kuhn_poker": 5.0}[dataset]
                        mse = base / (ratio * factor if split == "test" and model != "elo" else 1)
                        _, k = looks.split_model(model)
                        n_pairs = 36 if split == "train" else 9
                        rows.append((protocol, dataset, model, 10, 10 * max(1, 2 * k), repeat, split, n_pairs, mse))
    names = ["protocol", "dataset", "model", "n_players", "n_params", "repeat", "split", "n_pairs", "mse"]
    scores = pd.DataFrame(rows, columns=names).assign(n_games="", game_log_loss="", n_connected="", n_hideable="")
    scores.assign(label=scores["model"] + " by its class").to_csv(tmp_path / "scores.csv", index=False)
    paper = [("log_average", 9.0), ("blotto", 1.0), ("rps_like", 4.0), ("kuhn_poker", 7.0), ("absent", 3.0)]
    pd.DataFrame(
        [
            (protocol, dataset, model, ratio, "printed")
            for protocol in ("published", "written")
            for dataset, ratio in paper
            for model in ("disc_k1", "melo_published_k1")
        ],
        columns=["protocol", "dataset", "model", "ratio", "source"],
    ).to_csv(tmp_path / "figure_5.csv", index=False)
    pd.DataFrame({"model": ["elo", "disc_k1"], "log10_average": [0, 0.5]}).to_csv(
        tmp_path / "figure_6.csv", index=False
    )
    pd.DataFrame(
        {"dataset": ["blotto", "rps_like", "kuhn_poker"], "label": ["Blotto", "$\\frac{1}", "Kuhn"],
         "simulated": [False, False, True]}
    ).to_csv(tmp_path / "datasets.csv", index=False)  # fmt: skip
    return tmp_path


def score_flags(folder: Path, number: str) -> list[object]:
    flags = ["--scores", folder / "scores.csv", "--dataset-table", folder / "datasets.csv"]
    flags += ["--paper-games", folder / "figure_5.csv", "--protocols", "published", "written"]
    return flags + (["--paper", folder / "figure_6.csv"] if number == "06" else [])


def test_figure_05_bars(scored):
    data = draw("05", scored, *score_flags(scored, "05"), "--without-models", "balduzzi_2019", times=2)
    bars = data.set_index(["protocol", "dataset", "model"])
    assert list(data["dataset"].unique()) == ["log_average", "blotto", "rps_like", "kuhn_poker"]
    # A user's own model is drawn; the family that is to be left out is not.
    assert set(data["model"]) == {"disc_k1", "disc_k2", "melo_published_k1", "melo_k1", "$\\frac"}
    bar = bars.loc[("published", "rps_like", "disc_k1")]
    assert bar["ratio"] == pytest.approx(2.2)
    assert float(bar["paper_ratio"]) == 4.0
    # The mean and its tick, over the same games.
    mean = bars.loc[("published", "log_average", "disc_k1")]
    assert mean["ratio"] == pytest.approx(1.1 * 10 ** (1 / 3))
    assert float(mean["paper_ratio"]) == pytest.approx(28 ** (1 / 3))
    assert mean["n_games"] == 3
    assert str(bars.loc[("written", "kuhn_poker", "melo_k1"), "simulated"]) == "True"


def figure_05(scored: Path, monkeypatch, *more: str):
    """The figure that script 5 draws, with its data."""
    kept = {}
    monkeypatch.setattr(style, "write", lambda figure, data, arguments: kept.update(figure=figure, data=data))
    without = ["--without-models", "balduzzi_2019"]
    load("05").main([*outputs(scored), *map(str, score_flags(scored, "05")), *without, *more])
    return kept["figure"], kept["data"]


def test_bars_and_ticks_drawn_are_the_data(scored, monkeypatch):
    figure, data = figure_05(scored, monkeypatch)
    assert len(figure.axes) == 2
    for ax, protocol in zip(figure.axes, ("published", "written"), strict=True):
        part = data[data["protocol"] == protocol]
        drawn = sorted(bar.get_y() + bar.get_height() for c in ax.containers for bar in c)
        low, high = ax.get_ylim()
        np.testing.assert_allclose(drawn, sorted(part["ratio"].clip(low, high)))
        ticks = [line.get_ydata()[0] for line in ax.lines if line.get_zorder() == 5]
        np.testing.assert_allclose(sorted(ticks), sorted(part["paper_ratio"].dropna()))
        # A cut bar says its value.
        assert "10, 100" in [text.get_text() for text in ax.texts]
    # A baseline of one's own is called as its class calls it.
    assert "$\\frac by its class" in [text.get_text() for text in figure.legends[0].get_texts()]
    written = texts(figure)
    assert written.count("simulated") == 2
    assert any("absent" in text for text in written)


@pytest.mark.parametrize("few", [True, False])
def test_numbers_of_cut_bars_stay_in_their_panel(scored, monkeypatch, few):
    """However many bars leave the figure, and however far."""
    scores = pd.read_csv(scored / "scores.csv")
    models = [model for model in scores["model"].unique() if model != "elo"]
    more = [scores[scores["model"] == "disc_k1"].assign(model=f"own_{m}_k1") for m in "abcdefgh"]
    scores = pd.concat([scores, *more], ignore_index=True)
    cut = scores["model"].isin(models[:2]) if few else scores["model"] != "elo"
    sizes = scores["model"].map({model: k for k, model in enumerate(scores["model"].unique(), 1)})
    for dataset, size in (("blotto", 1.234e-30), ("rps_like", 1.234e-5), ("kuhn_poker", 123.4)):
        scores.loc[cut & (scores["dataset"] == dataset), "mse"] = size * sizes
    scores.to_csv(scored / "scores.csv", index=False)
    figure, _ = figure_05(scored, monkeypatch)
    with style.style():
        figure.draw_without_rendering()
    for ax in figure.axes:
        panel = ax.get_window_extent()
        cuts = [text for text in ax.texts if text.get_text() != "simulated"]
        assert len(cuts) >= 4 and sum(" to " in text.get_text() for text in cuts) == (0 if few else 4)
        for box in (text.get_window_extent() for text in cuts):
            assert panel.y0 - 1 <= box.y0 and box.y1 <= panel.y1 + 1


def test_figure_05_with_one_protocol_and_without_a_family(scored, monkeypatch):
    figure, data = figure_05(scored, monkeypatch, "--protocols", "written", "--without-models", "disc")
    assert len(figure.axes) == 1
    models = set(pd.read_csv(scored / "scores.csv")["model"]) - {"elo"}
    assert set(data["model"]) == {model for model in models if not model.startswith("disc_k")}


def test_legend_of_many_models_fits_the_page(scored, monkeypatch):
    scores = pd.read_csv(scored / "scores.csv")
    more = [scores[scores["model"] == "disc_k1"].assign(model=f"my_own_baseline_{m}_k1") for m in "abcdefghij"]
    pd.concat([scores, *more]).to_csv(scored / "scores.csv", index=False)
    figure, _ = figure_05(scored, monkeypatch)
    with style.style():
        figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1
    assert box.y0 >= figure.axes[0].get_position().y1 * figure.bbox.y1


def test_an_infinite_error_is_not_drawn_but_named(scored, monkeypatch):
    scores = pd.read_csv(scored / "scores.csv")
    scores.loc[(scores["model"] == "disc_k2") & (scores["dataset"] == "blotto"), "mse"] = math.inf
    scores.to_csv(scored / "scores.csv", index=False)
    figure, data = figure_05(scored, monkeypatch)
    lost = data[(data["model"] == "disc_k2") & (data["dataset"] == "blotto")]
    assert lost["ratio"].isna().all() and len(lost) == 2
    assert any("disc_k2 on Blotto (written)" in text for text in texts(figure))
    written = " ".join(" ".join(texts(figure)).split())
    assert "over 2 of these games only for disc_k2 (published)" in written


def test_an_error_of_zero_counts_as_the_floor(scored):
    """As in every table: what a solver's tolerance leaves."""
    scores = pd.read_csv(scored / "scores.csv")
    zero = (scores["model"] == "disc_k2") & (scores["dataset"] == "blotto")
    scores.loc[zero, "mse"] = 0.0
    scores.to_csv(scored / "scores.csv", index=False)
    data = draw("05", scored, *score_flags(scored, "05")).set_index(["protocol", "dataset", "model"])
    assert data.loc[("written", "blotto", "disc_k2"), "ratio"] == pytest.approx(np.sqrt(0.01 * 0.03) / FLOOR)


@pytest.mark.parametrize("label", ["W" * 40, "Blotto"])
def test_names_of_games_stay_above_the_small_print(scored, monkeypatch, label):
    info = pd.read_csv(scored / "datasets.csv")
    info.loc[info["dataset"] == "kuhn_poker", "label"] = label
    info.to_csv(scored / "datasets.csv", index=False)
    figure, _ = figure_05(scored, monkeypatch)
    with style.style():
        figure.draw_without_rendering()
    (note,) = (text for text in figure.texts if text.get_text().startswith("log avg:"))
    names = [text.get_window_extent() for text in figure.axes[-1].get_xticklabels()]
    assert min(box.y0 for box in names) >= note.get_window_extent().y1


@pytest.mark.parametrize("number", ["05", "06"])
def test_one_game_without_a_finite_error_is_drawn_empty(scored, number):
    scores = pd.read_csv(scored / "scores.csv")
    scores = scores[scores["dataset"] == "blotto"].assign(mse=math.inf)
    scores.to_csv(scored / "scores.csv", index=False)
    data = draw(number, scored, *score_flags(scored, number))
    assert (data["log10_ratio"] == "").all()


def test_an_infinite_error_is_left_out_of_figure_06(scored):
    scores = pd.read_csv(scored / "scores.csv")
    scores.loc[(scores["model"] == "disc_k2") & (scores["dataset"] == "blotto"), "mse"] = math.inf
    scores.to_csv(scored / "scores.csv", index=False)
    marks = draw("06", scored, *score_flags(scored, "06"), times=1).set_index(["series", "model"])
    assert set(marks.loc[("ours", "disc_k2"), "n_games"]) == {2}


def test_an_interval_without_an_end_stays_in_figure_06(scored):
    scores = pd.read_csv(scored / "scores.csv")
    repeat = scores["repeat"].to_numpy()
    scores.loc[scores["model"] == "elo", "mse"] = np.where(repeat, 1e-12, 1.0)[scores["model"] == "elo"]
    scores.loc[scores["model"] == "disc_k1", "mse"] = np.where(repeat, 1.0, 1e-12)[scores["model"] == "disc_k1"]
    scores.loc[scores["split"] == "test", "n_pairs"] = 900
    scores.to_csv(scored / "scores.csv", index=False)
    marks = draw("06", scored, *score_flags(scored, "06"), "--protocols", "written", "--intervals")
    mark = marks.set_index(["series", "model"]).loc[("ours", "disc_k1")]
    assert float(mark["log10_high"]) == math.inf and float(mark["log10_low"]) == -math.inf


def test_figure_06_marks(scored):
    data = draw("06", scored, *score_flags(scored, "06"))
    marks = data.set_index(["protocol", "series", "model"])["log10_ratio"]
    expected = np.log10(1.1) + 1 / 3
    assert marks[("published", "ours", "disc_k1")] == pytest.approx(expected)
    assert marks[("published", "ours", "elo")] == 0
    assert marks[("published", "paper", "disc_k1")] == 0.5
    assert marks[("published", "paper, same games", "disc_k1")] == pytest.approx(np.log10(28) / 3)
    assert ("published", "ours", "balduzzi_2019_k1") in marks.index
    assert set(data["n_simulated"][data["series"] == "ours"]) == {1}
    # Elo of a game counts n parameters, the disc 2kn.
    players = data.set_index(["protocol", "series", "model"])["params_per_player"]
    assert players[("written", "ours", "disc_k2")] == 4


def test_intervals_of_figures_5_and_6(scored):
    scores = pd.read_csv(scored / "scores.csv")
    # In the second hold-out disc_k2 is better than in the first, by a factor of 3 in every game.
    scores.loc[(scores["model"] == "disc_k2") & (scores["repeat"] == 1), "mse"] /= 3
    scores.to_csv(scored / "scores.csv", index=False)
    flags = ["--protocols", "written", "--intervals"]
    bars = draw("05", scored, *score_flags(scored, "05"), *flags).set_index(["dataset", "model"])
    assert ("blotto", "balduzzi_2019_k1") in bars.index
    # t(0.975, 1) · sqrt((1/2 + 9/36) s²), s² the variance of (log r, log 3r).
    half = np.exp(12.706204736432095 * np.sqrt(0.75 * np.log(3) ** 2 / 2))
    for dataset in ("blotto", "log_average"):
        # Bars without an interval leave these cells empty.
        bar = bars.loc[(dataset, "disc_k2"), ["ratio", "low", "high"]].astype(float)
        assert (bar["low"], bar["high"]) == pytest.approx((bar["ratio"] / half, bar["ratio"] * half), rel=1e-6)
    # The same ratio in both hold-outs: nothing can be said of its error.
    steady = bars.loc[("rps_like", "disc_k1")]
    assert float(steady["ratio"]) == pytest.approx(2.2) and steady["low"] == steady["high"] == ""
    marks = draw("06", scored, *score_flags(scored, "06"), *flags).set_index(["series", "model"])
    mark = marks.loc[("ours", "disc_k2")]
    assert 10 ** float(mark["log10_high"]) == pytest.approx(float(bars.loc[("log_average", "disc_k2"), "high"]))


def test_an_interval_is_a_line_of_its_length(scored, monkeypatch):
    scores = pd.read_csv(scored / "scores.csv")
    scores.loc[(scores["model"] == "disc_k1") & (scores["repeat"] == 1), "mse"] /= 1.05
    scores[scores["model"].isin(["elo", "disc_k1"])].to_csv(scored / "scores.csv", index=False)
    figure, data = figure_05(scored, monkeypatch, "--protocols", "written", "--intervals")
    (ax,) = figure.axes
    low, high = ax.get_ylim()
    drawn = sorted(
        tuple(line.get_ydata()) for line in ax.lines if line.get_linewidth() == 0.5 and line.get_zorder() == 5
    )
    expected = sorted(zip(data["low"].clip(low, high), data["high"].clip(low, high), strict=True))
    np.testing.assert_allclose(drawn, expected)
    assert "95 % interval" in texts(figure)


# -------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("gamma,delta\n1,2\n", "elo_difference"),
        ("gamma,delta,elo_difference\n0.6,0.7,high\n", "high"),
        ("", "not a CSV table"),
    ],
)
def test_bad_tables_are_input_errors(tmp_path, content, what):
    path = tmp_path / "grid.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=what):
        load("02").main([*outputs(tmp_path), "--grid", str(path), "--quantity", "elo_difference"])
    assert not (tmp_path / "f.pdf").exists()


def test_missing_file_and_broken_payoff(folder):
    with pytest.raises(InputError, match=r"none\.csv does not exist"):
        load("02").main([*outputs(folder), "--grid", str(folder / "none.csv"), "--quantity", "disc_logit"])
    (folder / "payoffs/elo_game.npz").write_bytes(b"<html>")
    with pytest.raises(InputError, match=r"elo_game\.npz.*complete \.npz archive"):
        load("04").main([*outputs(folder), *map(str, game_flags(folder, BLOCKS["04"], nash=False))])


def test_run_prints_one_sentence(capsys):
    def main() -> None:
        raise InputError("The file is empty; make it again.")

    with pytest.raises(SystemExit, match=r"^error: The file is empty; make it again\.$"):
        cli.run(main)


def test_style_leaves_the_users_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with style.style():
        assert not matplotlib.rcParams["text.parse_math"]
    assert dict(matplotlib.rcParams) == before


@given(st.text(max_size=60))
def test_clean_labels_are_short_single_printable_lines(text):
    label = inputs.clean_label(text, 10)
    assert 1 <= len(label) <= 10
    assert label.isprintable()


def test_a_script_ends_with_one_sentence(run_script, scored):
    said = run_script("figure_ratios_by_size", *outputs(scored), *score_flags(scored, "06"), "--scores", "none.csv")
    assert said.startswith("error: none.csv does not exist") and "\n" not in said
