"""The sections of one's own data, a league or a payoff each: its players, its pairs, its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reproduction.paper.numbers import entries
from reproduction.report import drawing
from reproduction.report.answer import best_in_words, lead_in_words
from reproduction.report.cells import chances, minus, number, table, truth
from reproduction.report.drawing import Block
from transitivity.__main__ import verdict
from transitivity.disc.component import CYCLIC, TRANSITIVE
from transitivity.errors import amount
from transitivity.evaluation.forecasts import wilson
from transitivity.measures.evidence import Evidence
from transitivity.measures.players import chance, differ

#: Players of a picture and of a table, pairs of a picture; the CSV files have all.
MOST_DRAWN, MOST_PLAYERS, MOST_POINTS, MOST_PAIRS = 30, 200, 1500, 1500
#: The opponents of a player whose name is written in a disc: of fewer, luck may have put it where it is.
FEWEST_OPPONENTS = 3
#: The fewest games of a bin of predicted scores, and the most bins.
FEWEST_GAMES, MOST_BINS = 20, 10
#: Shares that differ by less are equal.
ROUNDING = 1e-9
#: What the verdict on an exact payoff means.
EXACT = {
    TRANSITIVE: "0 lies outside the hull of its first disc component: that component orders all players",
    CYCLIC: "0 lies inside the hull of its first disc component: no order of the players explains that component",
}
#: What can be said of other exact payoffs.
UNTOLD = "The payoff does not tell whether its first disc component orders the players"


@dataclass(frozen=True)
class Sources:
    """What the sections of one's own data are made of.

    Parameters
    ----------
    tables : mapping
        datasets, and those of transitivity, best_models, ratings, pairs, surprises, triples that there are.
    leagues : mapping
        matchups, identifiability.
    planes : mapping
        {dataset: its players in the plane of the first disc component}.
    labels, models : mapping
        What datasets and models are called.
    """

    tables: Mapping[str, pd.DataFrame]
    leagues: Mapping[str, pd.DataFrame]
    planes: Mapping[str, pd.DataFrame]
    labels: Mapping[str, str]
    models: Mapping[str, str]

    def table(self, name: str, about: str) -> pd.DataFrame:
        """Return the rows of a table about a league or dataset, none where there is no such table."""
        frame = self.tables.get(name, self.leagues.get(name))
        return pd.DataFrame() if frame is None else frame[frame.dataset == about]


def own_section(sources: Sources, papers: Iterable[str], players: Sequence[dict]) -> list[dict]:
    """Return a section for each league of real players, and for each payoff file that is not the paper's.

    Parameters
    ----------
    sources : Sources
        The tables of the run.
    papers : iterable of str
        The datasets of the paper.
    players : sequence of dict
        Of `players_section`: the surprises and the cycles of three of each league.
    """
    datasets = sources.tables["datasets"]
    datasets = datasets[~truth(datasets.simulated)].fillna({"league": ""})
    counted = datasets.league != ""
    lone = datasets[~counted & (datasets.origin == "file") & ~datasets.dataset.isin(set(papers))]
    groups = [(str(league), list(rows.dataset)) for league, rows in datasets[counted].groupby("league", sort=False)]
    groups += [("", [name]) for name in lone.dataset]
    return [_section(league, names, sources, players) for league, names in groups]


def _section(league: str, names: list[str], sources: Sources, players: Sequence[dict]) -> dict:
    about = sources.tables["datasets"].set_index("dataset").loc[names]
    labels = [sources.labels.get(name, name) for name in names]
    # Of "Football, at least 20 games a pair" and "Football, at least 40 games a pair", what both begin with.
    title = labels[0].split(", at least ")[0] if league else labels[0]
    blocks = [
        Block(label if len(names) > 1 else "", _words(name, about.loc[name], sources))
        for name, label in zip(names, labels, strict=True)
    ]
    ratings, pairs = (sources.table(name, league) for name in ("ratings", "pairs"))
    if len(ratings):
        blocks.append(_ratings(ratings))
    if names[0] in sources.planes:
        blocks += _disc(sources.planes[names[0]], sources.table("transitivity", names[0]), ratings)
    if len(pairs):
        blocks.append(_pairs(pairs))
    parts = [part for one in players if one["league"] == league for part in one["parts"]]
    blocks += [Block(part["title"], [part["words"]], table=part["table"]) for part in parts]
    return {"id": f"own-{league or names[0]}", "title": title, "blocks": blocks}


# -------------------------------------------------------------------- in words


def _words(name: str, about: Any, sources: Sources) -> list[str]:
    """Return what can be said of a dataset: its size, its graph, its verdict, and what predicts it."""
    words = []
    matchups = sources.table("matchups", name)
    games = math.nan if matchups.empty else float(matchups.games.iloc[-1])
    size = f"{amount(int(about.n_players), 'player')}, {amount(int(about.n_pairs), 'pair')}"
    words.append(size + ("." if math.isnan(games) else f" that met, {amount(int(games), 'game')}."))
    for row in entries(sources.table("transitivity", name)):
        if getattr(row, "n_resamples", math.nan) >= 0:
            words.append(verdict(evidence_of(row), int(about.n_players)))
        else:
            words.append(f"Verdict: {row.verdict_logit}. {EXACT.get(row.verdict_logit, UNTOLD)}.")
        words += chance_in_words(row)
    best = sources.table("best_models", name)
    if len(best):
        row = next(entries(best.sort_values(["n_repeats", "n_test_pairs"], kind="stable").tail(1)))
        ahead = "" if math.isnan(row.lead) else f", ahead of every simpler model by {lead_in_words(row)}"
        words.append(f"What predicts hidden pairs best: {best_in_words(row, sources.models)}{ahead}.")
    words += [_graph(row) for row in entries(sources.table("identifiability", name))]
    return words


def evidence_of(row: Any) -> Evidence:
    """Return what the games of a league tell, from its row of transitivity.csv."""
    hinges = tuple(filter(None, row.hinges.split("; "))) if isinstance(row.hinges, str) else ()
    told = (row.verdict_logit, row.p_value, row.statistic, row.power, row.games_needed)
    return Evidence(*told, hinges, int(row.n_resamples))


def chance_in_words(row: Any) -> list[str]:
    """Say whether the gradient share exceeds what chance alone reaches."""
    share, low, high = (
        getattr(row, f"probability_gradient_{end}", math.nan) for end in ("share", "chance_low", "chance_high")
    )
    if math.isnan(share) or math.isnan(high):
        return []
    said = "more than" if share > high + ROUNDING else "less than" if share < low - ROUNDING else "within what"
    part, least, most = (f"{100 * one:.0f} %" for one in (share, low, high))
    return [
        f"One number for each player explains {part} of the squared differences of the scores from ½. If a coin had "
        f"decided who is better in each pair, it would explain from {least} to {most} in nine of ten draws: {part} is "
        f"{said} chance alone gives."
    ]


def _graph(row: Any) -> str:
    """Say what the graph of pairs lets a model identify."""
    words = "The graph of pairs: "
    if row.components > 1:
        words += (
            f"{amount(int(row.components), 'group')} that no game connects, so players of different groups cannot "
            f"be compared; the largest has {amount(int(row.largest_component), 'player')}. "
        )
    else:
        words += "games connect all players. "
    words += f"It has {amount(int(row.cycles), 'independent cycle')}"
    words += ", so that ratings fit any results." if row.cycles == 0 else "; only cycles can contradict ratings."
    if row.one_opponent:
        words += f" {_have(row.one_opponent)} only one opponent, so the games do not fix their place in the plane."
    for count, what in ((row.always_win, "won"), (row.always_lose, "lost")):
        if count:
            words += f" {_have(count)} {what} every game, so only the prior limits their ratings."
    return words


def _have(count: float) -> str:
    return f"{amount(int(count), 'player')} {'has' if count == 1 else 'have'}"


# -------------------------------------------------------------------- pictures


def _ratings(ratings: pd.DataFrame) -> Block:
    largest = ratings[ratings.component == 1]
    shown = largest.nsmallest(MOST_DRAWN, "rank")
    lines = []
    for row in entries(shown):
        title = (
            f"{row.player}: {minus(f'{row.points:.0f}')} points, 90 % interval {_points(row)}; rank {row.rank}, "
            f"{row.rank_low} to {row.rank_high}; {amount(int(row.games), 'game')}"
        )
        look = "hollow" if isinstance(row.note, str) and row.note.endswith("every game") else "one"
        lines.append(drawing.Row(str(row.player), [(row.points, look, title)], row.points_low, row.points_high))
    first = next(entries(shown))
    words = [
        differ(first.p_equal, first.apart if isinstance(first.apart, str) else "", first.p_others),
        "Elo points around a mean of 0, from all games of the league, with 90 % intervals; a draw is half a win. They "
        f"rest on the games and on a prior, normal with a standard deviation of {first.prior_points:.0f} points. "
        f"{first.player} comes first, and is the best with probability {chance(first.p_best)}; the 90 % interval of "
        f"the rank is {first.rank_low} to {first.rank_high}. "
        "Where intervals overlap widely, the order says little.",
    ]
    if any(line.dots[0][1] == "hollow" for line in lines):
        words.append("A hollow mark: the player won or lost every game, so the prior decides the rating.")
    if len(shown) < len(ratings):
        words.append(
            f"The picture shows the first {len(shown)} of {amount(len(ratings), 'player')}"
            + (", only of the largest group that games connect" if len(largest) < len(ratings) else "")
            + ". All are in tables/ratings.csv."
        )
    names = {
        "player": "player",
        "rank": "rank",
        "rank_range": "rank, 90 % interval",
        "points": "Elo points",
        "points_range": "Elo points, 90 % interval",
        "games": "games",
        "opponents": "opponents",
        "p_best": "probability of being the best",
        "p_above_next": "of being above the next",
        "component": "group",
        "note": "note",
    }
    listed = ratings.head(MOST_PLAYERS).assign(
        rank_range=[f"{row.rank_low} to {row.rank_high}" for row in entries(ratings.head(MOST_PLAYERS))],
        points_range=[_points(row) for row in entries(ratings.head(MOST_PLAYERS))],
        note=ratings.note.fillna(""),
    )
    listed = listed.round({"points": 0}).assign(
        p_best=chances(listed.p_best), p_above_next=chances(listed.p_above_next)
    )
    columns = [name for name in names if name != "component" or len(largest) < len(ratings)]
    return Block(
        "Ratings",
        words,
        drawing.rows("Ratings with intervals", lines, "Elo points", 0.0),
        table(listed[columns].rename(columns=names)),
        f"The first {len(listed)} players as a table" if len(listed) < len(ratings) else "As a table",
    )


def _points(row: Any) -> str:
    """Return the interval of a rating."""
    return minus(f"{row.points_low:.0f} to {row.points_high:.0f}")


def _disc(plane: pd.DataFrame, measured: pd.DataFrame, ratings: pd.DataFrame) -> list[Block]:
    points = plane[plane.space == "logit"]
    if points.empty or not np.isfinite(points[["u", "v"]].to_numpy(dtype=float)).all():
        return []
    found = measured.verdict_logit.iloc[0] if len(measured) else ""
    words = [
        "Each player is a point of the first disc component, fitted in logit space. Of two players, the one further "
        "counterclockwise (by less than half a turn) is favoured; the log-odds are twice the area of their triangle "
        "with the origin (+). Point at a dot to read its name; "
        + (
            f"names stand beside players with at least {FEWEST_OPPONENTS} opponents that lie in the outer half, those "
            "with the most games first."
            if len(ratings)
            else "those far from the middle have their names beside them."
        )
    ]
    if found not in (TRANSITIVE, CYCLIC):
        words.append(f"The verdict is “{found}”: where a dot lies may be luck, or come from the penalty of the fit.")
    furthest = points.u.pow(2).add(points.v.pow(2)).nlargest(MOST_POINTS).index
    if len(furthest) < len(points):
        words.append(f"The picture shows the {len(furthest)} of {len(points)} players furthest from the origin.")
    dots = [
        (float(row.v), float(row.u), str(row.player), f"{row.player}: " + minus(f"u {row.u:.2f}, v {row.v:.2f}"))
        for row in entries(points.loc[furthest])
    ]
    # From the middle of all, not from the origin: the outstanding.
    middle = points[["u", "v"]].mean()
    far = points.loc[furthest].assign(off=np.hypot(points.u - middle.u, points.v - middle.v))
    far = far.assign(player=far.player.astype(str)).sort_values("off", ascending=False, kind="stable")
    if len(ratings):
        known = ratings.assign(player=ratings.player.astype(str)).set_index("player")[["games", "opponents"]]
        far = far.join(known[known.opponents >= FEWEST_OPPONENTS], on="player", how="inner")
        far = far.head(math.ceil(len(far) / 2)).sort_values("games", ascending=False, kind="stable")
    return [Block("The disc", words, drawing.plane("The players in the plane", dots, list(far.player)))]


def _pairs(pairs: pd.DataFrame) -> Block:
    """Draw what ratings without a pair predict for it against what it scored, and the means of equal predictions."""
    pairs = pairs.assign(share=pairs.observed / pairs.games, predicted=pairs.expected / pairs.games)
    # From either side: the one that is expected to score more stands first.
    turned = pairs.predicted < 0.5
    first, second = pairs.player_a.where(~turned, pairs.player_b), pairs.player_b.where(~turned, pairs.player_a)
    pairs = pairs.assign(
        player_a=first,
        player_b=second,
        share=pairs.share.where(~turned, 1 - pairs.share),
        predicted=pairs.predicted.where(~turned, 1 - pairs.predicted),
    ).sort_values("predicted", kind="stable")
    drawn = pairs.nlargest(MOST_PAIRS, "games")
    most = float(drawn.games.max())
    points = [
        (
            row.predicted,
            row.share,
            2 + 6 * math.sqrt(row.games / most),
            f"{row.player_a} against {row.player_b}: predicted {row.predicted:.2f}, scored {row.share:.2f} in "
            f"{amount(int(row.games), 'game')}",
        )
        for row in entries(drawn)
    ]
    total = float(pairs.games.sum())
    n_bins = int(min(MOST_BINS, total // FEWEST_GAMES))
    bins = []
    if n_bins:
        of = np.minimum(((pairs.games.cumsum() - pairs.games / 2) / total * n_bins).astype(int), n_bins - 1)
        for _, part in pairs.groupby(of):
            games = float(part.games.sum())
            predicted, share = (float((part[name] * part.games).sum()) / games for name in ("predicted", "share"))
            low, high = wilson(share, int(games))
            title = (
                f"{number(int(games))} games, predicted {predicted:.2f} on average: scored {share:.2f}, 95 % interval "
                f"{low:.2f} to {high:.2f}"
            )
            bins.append((predicted, share, low, high, title))
    words = [
        "Each pale dot is a pair, seen from its favourite: across, the score a game predicted by ratings that were "
        "fitted without that pair; up, the score that it had. Larger dots have more games. With few games a pair often "
        "lies far from the line by luck."
    ]
    words.append(
        f"The dark marks are means over {amount(len(bins), 'group')} of pairs with similar predictions, with 95 % "
        "intervals for the luck of these games (calibration). That the ratings are estimates, too, and that games of "
        "the same players depend on each other, is not in them: where the model is right, fewer than nineteen of "
        "twenty touch the line, and of a group of one or two pairs with many games far fewer. One that misses is a "
        "hint, not a proof."
        if bins
        else f"{amount(int(total), 'game')} {'is' if total == 1 else 'are'} too few to say whether predictions are "
        "right on average."
    )
    if len(drawn) < len(pairs):
        words.append(f"Pale dots: the {len(drawn)} pairs with the most games, of {len(pairs)}; the means are over all.")
    picture = drawing.square("Predicted against observed scores", points, bins, ("predicted score", "observed score"))
    return Block("Predicted and observed scores", words, picture)
