"""The tables and the figure of docs/real_results.md, of your own copies of the data that the page names.

Hold-outs and verdicts of six leagues, from a run of docs/examples/real_leagues.yaml:

    python docs/examples/real_leagues.py --run results/real_leagues --figure docs/real_results.svg > hold_outs.md

Forecasts and ratings of football, language models and Lichess, from the files in FOLDER, in a quarter of an hour; of
one of them with --only football:

    python docs/examples/real_leagues.py FOLDER > forecasts.md
"""

import argparse
import dataclasses
from datetime import date
from pathlib import Path

import pandas as pd

from reproduction.paper.numbers import model_labels
from reproduction.report.answer import best_in_words, lead_in_words
from reproduction.report.own import evidence_of
from transitivity import Payoff, read_games
from transitivity.__main__ import between_equals, verdict
from transitivity.evaluation.compare import best_models
from transitivity.evaluation.forecasts import forecast
from transitivity.evaluation.ratios import CONFIDENCE, corrected_interval, hidden_scores
from transitivity.files import read_any_table
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
#: The models of the hold-outs, from simple to rich.
LADDER = ("constant", "elo", "elo_tuned", "disc_tuned", "melo_logit_tuned", "melo_tuned")
#: Leagues of which the page shows scores and verdicts, but no names.
UNNAMED = ("sc2_korean", "dota", "starcraft_hots")
#: The columns of the hold-outs, and what the models in them are compared with.
HOLD_OUTS = {"constant": "less that of ½", "elo_tuned": "less the tuned Elo's"}
RATINGS = ("rank", "its interval", "player", "points", "90 % interval", "games", "P(best)")


def row_of(*cells: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def header(names: tuple[str, ...]) -> None:
    """Print the head of a table."""
    print(f"\n{row_of(*names)}\n{row_of(*['---'] * len(names))}")


def difference(model: dict, name: str) -> str:
    """Return a difference of log-losses with its interval."""
    value, low, high = (model[f"{name}_{what}"] for what in ("difference", "low", "high"))
    return f"{value:+.4f} [{low:+.4f}, {high:+.4f}]" if low == low else ""


def gains(scores: pd.DataFrame, baseline: str) -> dict[str, tuple[float, float, float]]:
    """Return each model's log-loss less a baseline's with its interval; those of one league hold together with 95 %."""
    errors = scores.pivot(index="repeat", columns="model", values="game_log_loss")
    confidence = 1 - (1 - CONFIDENCE) / (errors.shape[1] - 1)
    share = float(scores["test_over_train"].mean())
    others = [model for model in LADDER if model != baseline]
    return {model: corrected_interval(errors[model] - errors[baseline], share, confidence) for model in others}


def interval(ends: tuple[float, float, float]) -> str:
    """Return a difference with its interval."""
    value, low, high = (round(end, 4) + 0.0 for end in ends)
    return "the same" if value == low == high == 0 else f"{value:+.4f} [{low:+.4f}, {high:+.4f}]"


def hold_outs(run: Path, figure: Path | None) -> None:
    """Print what the models predict of hidden pairs, and the verdicts."""
    scores = read_any_table(run / "tables" / "scores.csv")
    best, scores = best_models(scores).set_index("dataset"), hidden_scores(scores)
    labels = model_labels()
    transitivity = read_any_table(run / "tables" / "transitivity.csv").set_index("dataset")
    sizes = read_any_table(run / "tables" / "matchups.csv").groupby("dataset").last()
    datasets = read_any_table(run / "datasets.csv").set_index("dataset")
    print(f"Run of {date.fromtimestamp((run / 'tables' / 'scores.csv').stat().st_mtime)}.")
    drawn = {}
    for dataset, label in datasets["label"].items():
        part, size, row = scores[scores["dataset"] == dataset], sizes.loc[dataset], best.loc[dataset]
        each = f"{row.n_test_pairs / row.n_repeats:.0f} pairs and {row.n_test_games / row.n_repeats:.0f} games"
        whole = f"{size.players} players, {size.pairs} pairs, {size.games} games"
        print(f"\n### {label}\n\n{whole}; hidden: {each} each time.")
        header(("model", "log-loss", *HOLD_OUTS.values()))
        means = part.groupby("model")["game_log_loss"].mean()
        found = {baseline: gains(part, baseline) for baseline in HOLD_OUTS}
        for model in LADDER:
            cells = (interval(found[baseline][model]) if model in found[baseline] else "" for baseline in HOLD_OUTS)
            print(row_of(labels[model], f"{means[model]:.4f}", *cells))
        ahead = f", ahead of every simpler model by {lead_in_words(row)}" if row.lead == row.lead else ""
        print(f"\nWhat predicts hidden pairs best: {best_in_words(row, labels)}{ahead}.")
        evidence = evidence_of(transitivity.loc[dataset])
        if dataset in UNNAMED:
            count = len(evidence.hinges)
            evidence = dataclasses.replace(evidence, hinges=(f"{count} of its players",) if count else ())
        print(f"\n{verdict(evidence, size.players)}")
        drawn[label] = found
    if figure is not None:
        draw(drawn, labels, figure)


def draw(leagues: dict[str, dict], labels: dict[str, str], path: Path) -> None:
    """Draw each model's log-loss less that of ½, and less the tuned Elo's, a row a league."""
    import matplotlib.pyplot as plt

    from reproduction.figures.style import BLACK, BLUE, GREEN, ORANGE, SKY, style

    colours = dict(zip(LADDER[1:], (SKY, BLACK, BLUE, ORANGE, GREEN), strict=True))
    with style(), plt.rc_context({"svg.hashsalt": path.stem}):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
        shown = (("constant", LADDER[1:]), ("elo_tuned", LADDER[3:]))
        for ax, (baseline, models) in zip(axes, shown, strict=True):
            for at, model in enumerate(models):
                ends = [found[baseline][model] for found in leagues.values()]
                y = [k + 0.14 * (at - (len(models) - 1) / 2) for k in range(len(leagues))]
                ax.hlines(y, [low for _, low, _ in ends], [high for *_, high in ends], color=colours[model])
                ax.plot([value for value, *_ in ends], y, "o", color=colours[model], markersize=3, label=labels[model])
            ax.axvline(0, color=BLACK, linewidth=0.5)
            ax.set_xlabel(f"log-loss a game {HOLD_OUTS[baseline]}, nats (below 0: better)")
        axes[0].set_yticks(range(len(leagues)), list(leagues))
        axes[0].invert_yaxis()
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        figure.savefig(path, metadata={"Date": None})


def forecasts(folder: Path, only: str | None) -> None:
    """Print forecasts and ratings."""
    for league, (title, files, ordered, rated) in LEAGUES.items():
        if only not in (None, league):
            continue
        path = str(folder / files)
        in_order = read_games(path, **ordered)
        table = forecast(in_order, advantage=True).table()
        models = table[table["block"] == "all"].to_dict("records")
        first = models[0]
        span = f"{'number ' if first['order'] == 'file' else ''}{first['first']} to {first['last']}"
        print(f"\n### {title}\n\n{first['n_games']} of {len(in_order)} games are forecast, {span}.")
        header(MODELS)
        for model in models:
            scores = (difference(model, "constant"), model["constant_verdict"])
            scores += (difference(model, "elo"), model["elo_verdict"])
            print(row_of(model["label"], f"{model['game_log_loss']:.4f}", *scores, model["parameters"]))

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
            print(row_of(one["rank"], ranks, name, f"{one['points']:.0f}", ends, one["games"], chance))
        model = Davidson(rating.precision, advantage=True).fit(in_order)
        print(f"\nBy all {len(in_order)} games in order: {between_equals(model)}")
        print(f"\n{verdict(transitivity_evidence(payoff), payoff.n_players)}", flush=True)


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", choices=LEAGUES)
    parser.add_argument("--run", type=Path, help="folder of results of real_leagues.yaml")
    parser.add_argument("--figure", type=Path, help="output, with --run: the figure (.svg)")
    arguments = parser.parse_args()
    if arguments.run is not None:
        hold_outs(arguments.run, arguments.figure)
    if arguments.folder is not None:
        forecasts(arguments.folder, arguments.only)


if __name__ == "__main__":
    main()
