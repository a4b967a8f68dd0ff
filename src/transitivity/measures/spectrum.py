"""The games on the spectrum from transitive to cyclic, and how far the measures of transitivity agree about it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from transitivity.disc.component import BY_GRAPH, UNDECIDED


@dataclass(frozen=True)
class Measure:
    """A measure of transitivity, of which more is more transitive.

    Attributes
    ----------
    column : str
        Of `measures`.
    label : str
        What figures call it.
    """

    column: str
    label: str


#: The measures of transitivity.csv that order games. Shares of components and gaps are left out: they say how many
#: pairs a game needs, which is another question.
MEASURES = (
    Measure("logit_margin_degrees", "hull margin, logit"),
    Measure("probability_margin_degrees", "hull margin, probability"),
    Measure("logit_gradient_excess", "gradient share, logit"),
    Measure("probability_gradient_excess", "gradient share, probability"),
    Measure("cyclic_excess", "triads, not cyclic"),
    Measure("intransitive_excess", "triads, not intransitive"),
    Measure("clusters_per_player", "Nash clusters / players"),
    Measure("logit_rank_agreement", "rank agreement, logit"),
    Measure("probability_rank_agreement", "rank agreement, probability"),
    Measure("nash_rank_agreement", "rank agreement, Nash"),
)
#: Shares that chance alone reaches: the column, and whether more is more transitive.
SHARES = {
    "logit_gradient": ("logit_gradient_share", True),
    "probability_gradient": ("probability_gradient_share", True),
    "cyclic": ("cyclic_triads", False),
    "intransitive": ("intransitive_triads", False),
}
#: The numbers of transitivity.csv behind all these.
NUMBERS = (
    *("n_players", "n_nash_clusters", "p_value"),
    *(one.column for one in MEASURES if not one.column.endswith(("_excess", "_per_player"))),
    *(share for share, _ in SHARES.values()),
    *(f"{name}_chance{end}" for name in SHARES for end in ("", "_low", "_high")),
)
#: Ranks among fewer games say nothing.
FEWEST_GAMES = 5
#: Values that differ by less are rounding, and tie.
DECIMALS = 9


def measures(table: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of every game, one column each.

    Parameters
    ----------
    table : DataFrame
        transitivity.csv, numbers as numbers.

    Returns
    -------
    DataFrame
        Indexed by dataset, the columns of `MEASURES`; NaN where a measure is not defined, or where it would be that of
        a transitive game whatever the results were, on a graph without cycles (`BY_GRAPH`), or where the games do not
        decide whether the first component is (`UNDECIDED`). Shares that chance alone reaches are `excess` shares; of
        results of games, there is none within the limits of chance. The number of Nash clusters is divided by the
        number of players, so that games of different size compare.
    """
    table = table.assign(clusters_per_player=table.n_nash_clusters / table.n_players).set_index("dataset")
    for name, (share, more) in SHARES.items():
        found, chance = table[share].astype(float), table[f"{name}_chance"].astype(float)
        low, high = (table[f"{name}_chance_{end}"].astype(float).round(DECIMALS) for end in ("low", "high"))
        luck = found.round(DECIMALS).between(low, high) & table.p_value.notna()
        table[f"{name}_excess"] = (excess(found, chance) if more else excess(1 - found, 1 - chance)).mask(luck)
    # Results of games have one verdict for both spaces; a payoff that is exact may lie on the border, with margin 0.
    unknown = (table.verdict_logit == UNDECIDED) & table.p_value.notna()
    for space in ("logit", "probability"):
        by_graph = (table[f"verdict_{space}"] == BY_GRAPH) | (table.verdict_logit == BY_GRAPH)
        for name, hidden in (
            ("margin_degrees", by_graph | unknown),
            ("rank_agreement", by_graph | unknown),
            ("gradient_excess", by_graph),
        ):
            table[f"{space}_{name}"] = table[f"{space}_{name}"].mask(hidden)
    return table[[measure.column for measure in MEASURES]].astype(float).round(DECIMALS)


def excess(share: pd.Series, chance: pd.Series) -> pd.Series:
    """Return by how much a share exceeds what chance alone reaches, in parts of the most that it could.

    Parameters
    ----------
    share, chance : Series
        In [0, 1]; the mean by chance.

    Returns
    -------
    Series
        1 where the share is 1, 0 where it is that of chance, -1 where it is 0.
    """
    room = (1 - chance).where(share >= chance, chance)
    return ((share - chance) / room).where(room > 0)


def positions(values: pd.DataFrame) -> pd.Series:
    """Return where each game lies on the spectrum, from 1, transitive, to 0, cyclic.

    Parameters
    ----------
    values : DataFrame
        Of `measures`.

    Returns
    -------
    Series
        By dataset: the mean over the measures defined for a game of its rank among the games with that measure, scaled
        to [0, 1]; ties share their mean rank. NaN where no measure is defined, and for all games where a measure is
        defined for fewer than `FEWEST_GAMES`.
    """
    if values.notna().any(axis=1).sum() < FEWEST_GAMES:
        return pd.Series(np.nan, index=values.index)
    scaled = {}
    for measure in MEASURES:
        ranks = values[measure.column].rank(method="average")
        last = ranks.notna().sum() - 1
        # One game alone lies in the middle.
        scaled[measure.column] = (ranks - 1) / last if last > 0 else ranks - 0.5
    return pd.DataFrame(scaled, index=values.index).mean(axis=1)


def agreement(values: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's rank correlation of each two measures, over the games where both are defined.

    Parameters
    ----------
    values : DataFrame
        Of `measures`.

    Returns
    -------
    DataFrame
        measure, other, n_games, spearman; one row a pair of measures. Positive where they agree on what is transitive;
        NaN with fewer than `FEWEST_GAMES` games or a constant measure.
    """
    rows = []
    for one, other in itertools.combinations(MEASURES, 2):
        both = values[[one.column, other.column]].dropna()
        rows.append((one.column, other.column, len(both), _spearman(both.to_numpy())))
    return pd.DataFrame(rows, columns=["measure", "other", "n_games", "spearman"])


def _spearman(both: np.ndarray) -> float:
    """Return the correlation of the ranks of the two columns, (m, 2)."""
    if len(both) < FEWEST_GAMES:
        return np.nan
    ranks = pd.DataFrame(both).rank(method="average").to_numpy()
    centred = ranks - ranks.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    return float(centred[:, 0] @ centred[:, 1] / norms.prod()) if (norms > 0).all() else np.nan
