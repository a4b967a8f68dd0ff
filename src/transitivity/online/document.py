"""What `scripts/elo.py` prints: ratings as a document of plain values, from best to worst."""

from __future__ import annotations

from typing import Any

import pandas as pd

from transitivity.errors import InputError
from transitivity.online.elo import OnlineElo

#: Digits after the point: no rating is known to a hundredth of a point, and sums of rounded ratings stay right to one.
DIGITS = 4


def rate(games: pd.DataFrame, elo: OnlineElo) -> OnlineElo:
    """Update ratings by a table of games of `transitivity.sources.games.read_games`, and return them.

    Raises InputError if they have a `period` and the games no times.
    """
    if elo.period is not None and games["time"].isna().any():
        raise InputError(
            f"period is {elo.period!r}, but when games were played is not known; name the column of dates by date."
        )
    when = games["period"] if elo.period is None else games["time"]
    elo.update(
        games["player_a"].to_numpy(object),
        games["player_b"].to_numpy(object),
        games["score"].to_numpy(),
        when.to_numpy(),
    )
    return elo


def document(elo: OnlineElo, level: float = 0.95, **metadata: Any) -> dict[str, Any]:
    """Return ratings as a document that JSON can hold, rounded to `DIGITS`.

    Parameters
    ----------
    elo : OnlineElo
    level : float
        Of the intervals.
    **metadata
        Entries to add.

    Returns
    -------
    dict
        ``ratings``, a list from best to worst, and ``metadata``.
    """
    frame = elo.ratings(level).round(DIGITS)
    rows = frame.drop(columns=["low", "high", "interval_method"]).to_dict("records")
    for row, low, high in zip(rows, frame["low"].tolist(), frame["high"].tolist(), strict=True):
        row["interval"] = [low, high]
    k = elo.k if isinstance(elo.k, int | float) else [list(row) for row in elo.k]
    return {
        "ratings": rows,
        "metadata": {
            "method": elo.label,
            "k_factor": k,
            "initial_rating": elo.initial,
            "rating_floor": elo.floor,
            "recentred": elo.recentre,
            "advantage": elo.advantage,
            "rating_period": elo.period,
            "total_matches": int(frame["matches"].sum()) // 2,
            "players": len(frame),
            "mean_rating": round(float(frame["rating"].mean()), DIGITS) if len(frame) else None,
            "zero_sum": elo.zero_sum,
            "interval_level": level,
            "interval_method": elo.interval,
        }
        | metadata,
    }
