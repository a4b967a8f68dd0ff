"""The tables of docs/real_results.md: forecasts and ratings of football, language models and Lichess.

    python docs/examples/real_leagues.py FOLDER > tables.md

FOLDER has your own copies of the data, as docs/real_results.md names them. Of one league: --only football. This takes a
quarter of an hour.
"""

import argparse
from pathlib import Path

from transitivity import Payoff, read_games
from transitivity.__main__ import between_equals, verdict
from transitivity.evaluation.forecasts import forecast
from transitivity.measures import players
from transitivity.measures.evidence import transitivity_evidence
from transitivity.models import Davidson
from transitivity.models._davidson import by_pair

FOOTBALL = {"player_a": "home_team", "player_b": "away_team", "score_a": "home_score", "score_b": "away_score"}
VOTES = {"player_a": "left", "player_b": "right", "outcome": "winner", "outcomes": {"left": 1, "tie": 0.5, "right": 0}}
#: Of each league: its title, its files, how to read them for forecasts, and how for ratings.
LEAGUES = {
    "football": (
        "Football: national teams",
        "football/results.csv",
        # Elsewhere nobody is at home.
        FOOTBALL | {"date": "date", "where": {"neutral": ["FALSE"]}},
        FOOTBALL | {"date": "date", "first": "2016-01-01"},
    ),
    "llm_arena": ("Language models", "llm_arena/llmfao.csv", VOTES, VOTES),
    "lichess": ("Lichess Elite", "lichess_elite/*.pgn", {}, {}),
}
MODELS = ("model", "log-loss", "less that of ½", "than ½", "less sequential Elo's", "than sequential Elo", "parameters")
RATINGS = ("rank", "its interval", "player", "points", "90 % interval", "games", "P(best)")


def row(*cells: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def header(names: tuple[str, ...]) -> None:
    """Print the head of a table."""
    print(f"\n{row(*names)}\n{row(*['---'] * len(names))}")


def difference(model: dict, name: str) -> str:
    """Return a difference of log-losses with its interval."""
    value, low, high = (model[f"{name}_{what}"] for what in ("difference", "low", "high"))
    return f"{value:+.4f} [{low:+.4f}, {high:+.4f}]" if low == low else ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=LEAGUES)
    arguments = parser.parse_args()
    for league, (title, files, ordered, rated) in LEAGUES.items():
        if arguments.only not in (None, league):
            continue
        path = str(arguments.folder / files)
        in_order = read_games(path, **ordered)
        table = forecast(in_order, advantage=True).table()
        models = table[table["block"] == "all"].to_dict("records")
        first = models[0]
        span = f"{'number ' if first['order'] == 'file' else ''}{first['first']} to {first['last']}"
        print(f"\n## {title}\n\n{first['n_games']} of {len(in_order)} games are forecast, {span}.")
        header(MODELS)
        for model in models:
            scores = (difference(model, "constant"), model["constant_verdict"])
            scores += (difference(model, "elo"), model["elo_verdict"])
            print(row(model["label"], f"{model['game_log_loss']:.4f}", *scores, model["parameters"]))

        games = read_games(path, **rated)
        payoff = Payoff.from_counts(by_pair(games))
        rating = players.RatedLeague(payoff)
        best = players.ratings_table(rating, with_disc=False)
        prior = best["prior_points"].iloc[0]
        print(f"\nRatings by {len(games)} games of {payoff.n_players} players; prior: standard deviation {prior:.0f}.")
        header(RATINGS)
        for one in best.head(10).to_dict("records"):
            ends = f"{one['points_low']:.0f} to {one['points_high']:.0f}"
            ranks = f"{one['rank_low']} to {one['rank_high']}"
            name, chance = one["player"], players.chance(one["p_best"])
            print(row(one["rank"], ranks, name, f"{one['points']:.0f}", ends, one["games"], chance))
        model = Davidson(rating.precision, advantage=True).fit(in_order)
        print(f"\nBy all {len(in_order)} games in order: {between_equals(model)}")
        print(f"\n{verdict(transitivity_evidence(payoff), payoff.n_players)}", flush=True)


if __name__ == "__main__":
    main()
