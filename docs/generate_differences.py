"""Write the numbers of docs/differences.md from the tables of the reference run, docs/reference/tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from reproduction.markers import write_between_markers
from reproduction.paper.compare import DIFFERS
from reproduction.paper.numbers import Paper, averaged_games, entries, model_label, read_paper

ROOT = Path(__file__).resolve().parents[1]
DISC = ("disc_k1", "disc_k2", "disc_k3")
#: What is subtracted before the pairs of each family are fitted.
TRANSITIVE_PARTS = {
    "disc": "none",
    "melo_published": "row sums / number of all observed entries",
    "melo": "row sums / number of observed entries of the row",
}


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    head = list(header)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *map(list, rows)])


def bars(paper: Paper, ours: pd.Series) -> str:
    """Return the disc's bars of the Blotto games of Figure 5 under both protocols, and how many are higher."""
    games = [game for game in averaged_games(paper.figure_5, 5) if game.startswith("blotto")]
    pairs = {
        (game, model): tuple(ours[f"figure_5/{protocol}/{game}/{model}"] for protocol in ("published", "written"))
        for game in games
        for model in DISC
    }
    higher = sum(written > published for published, written in pairs.values())
    rows = ([paper.label(game), *("{:.2f}, {:.2f}".format(*pairs[game, model]) for model in DISC)] for game in games)
    return (
        table(["published, written", "k = 1", "k = 2", "k = 3"], rows)
        + f"\n\nOf these {len(pairs)} bars {higher} are higher with all players and {len(pairs) - higher} are lower."
    )


def m_elo(paper: Paper, ours: pd.Series, quantities: pd.Series) -> str:
    """Return the geometric means over the games of Figure 5 that ran, protocol published."""
    item = "figure_5/published/log_average_same_games/{}_k{}"
    rows = []
    for family, part in TRANSITIVE_PARTS.items():
        means = (f"{ours[item.format(family, k)]:.2f}" for k in (1, 2, 3))
        rows.append([f"{model_label(family)} (`{family}`)", part, ", ".join(means)])
    quantity = "geometric mean of Elo's MSE over the model's, k = 1, 2, 3"
    games = quantities[item.format("disc", 1)].partition("over the same ")[2].partition(" that ran")[0]
    return (
        table(["model", "transitive part", quantity], rows)
        + f"\n\nProtocol published, over {games} of the {len(averaged_games(paper.figure_5, 5))} of Figure 5."
    )


def table_1(paper: Paper, comparison: pd.DataFrame) -> str:
    """Return the entries of Table 1 whose difference from the paper exceeds their tolerance."""
    rows = []
    listed = paper.table_1[(paper.table_1.optional == "no") & (paper.table_1.model != "melo_k1")]
    for entry in entries(listed):
        found = comparison.loc[f"table_1/{entry.dataset}/{entry.model}/{entry.split}"]
        if found.verdict == DIFFERS:
            game = f"{paper.label(entry.dataset)}, {entry.split}"
            cells = (f"{found.paper:.1e}", f"{found.ours:.1e}", f"{found.ratio:.2f}")
            rows.append([model_label(entry.model), game, *cells])
    return table(["model", "game", "paper", "ours", "ours / paper"], rows)


def main(argv: list[str] | None = None) -> None:
    """Fill the generated parts of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    page = ROOT / "docs" / "differences.md"
    parser.add_argument("--output", type=Path, default=page, help="the page, with the markers of its parts")
    output = parser.parse_args(argv).output
    paper = read_paper(ROOT / "workflow" / "paper")
    tables = ROOT / "docs" / "reference" / "tables"
    comparison = pd.read_csv(tables / "paper_comparison.csv").set_index("item")
    write_between_markers(bars(paper, comparison.ours), "bars", output)
    write_between_markers(m_elo(paper, comparison.ours, comparison.quantity), "m_elo", output)
    write_between_markers(table_1(paper, comparison), "table_1", output)


if __name__ == "__main__":
    main()
