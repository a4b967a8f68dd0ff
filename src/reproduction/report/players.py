"""The players of the report: results against the odds and cycles of three, league by league."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.report.cells import chances, table, truth

#: The tables: their title, what they show, and their columns with the names of the page.
SHOWN = {
    "surprises": (
        "Results against the odds",
        "Pairs whose results are very unlikely by ratings that were fitted without that pair. The false discovery "
        "rate is 10 %: over many leagues, on average at most a tenth of a list is luck. If all results followed the "
        "ratings, up to one league in ten would still list a pair.",
        {
            "player_a": "did better",
            "player_b": "than expected against",
            "games": "games",
            "expected": "expected score",
            "observed": "score",
            "p_value": "p",
        },
    ),
    "triples": (
        "Cycles of three",
        "A beats B, B beats C and C beats A, each in most of their games. Beside each score a game stands the "
        "probability that the true one exceeds ½. The false discovery rate is 10 %: over many leagues, on average at "
        "most a tenth of a list is luck. A league without cycles may still list one.",
        {
            "player_a": "A",
            "player_b": "B",
            "player_c": "C",
            "score_ab": "A against B",
            "support_ab": "exceeds ½",
            "score_bc": "B against C",
            "support_bc": "exceeds ½ ",
            "score_ca": "C against A",
            "support_ca": "exceeds ½  ",
        },
    ),
}
#: Rows of a table on the page; the CSV file has all.
MOST_ROWS = 30


def players_section(tables: Mapping[str, pd.DataFrame]) -> list[dict]:
    """Return the leagues of real players, each with its tables.

    Parameters
    ----------
    tables : mapping
        surprises and triples, where they are given.
    """
    if not set(SHOWN) <= set(tables):
        return []
    leagues = tables["surprises"].drop_duplicates("dataset")
    leagues = leagues[~truth(leagues.simulated)]
    return [{"league": name, "parts": [_part(kind, tables[kind], name) for kind in SHOWN]} for name in leagues.dataset]


def _part(kind: str, frame: pd.DataFrame, dataset: str) -> dict:
    title, words, columns = SHOWN[kind]
    rows = frame[frame.dataset == dataset]
    first = rows.iloc[0]
    if first.note:
        nothing = f"{first.note[0].upper()}{first.note[1:]}."
        if not first.note.startswith("there is no"):
            nothing += " With few games, only extreme results could."
        return {"title": title, "words": nothing, "table": None}
    shown = rows.head(MOST_ROWS)[list(columns)]
    shown = shown.assign(**{name: chances(shown[name]) for name in columns if name.startswith("support")})
    shown = shown.rename(columns=columns)
    more = f" The first {MOST_ROWS} of {len(rows)}; all are in tables/{kind}.csv." if len(rows) > MOST_ROWS else ""
    return {"title": title, "words": f"{words}{more}", "table": table(shown)}
