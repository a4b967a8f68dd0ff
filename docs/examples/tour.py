"""From a file of results to ratings, a prediction, a verdict and a forecast. The results are simulated."""

from transitivity import Payoff, read_games, read_matchups
from transitivity.evaluation.forecasts import forecast
from transitivity.measures.evidence import transitivity_evidence
from transitivity.measures.players import RatedLeague, ratings_table

FILE = "docs/examples/simulated_league.csv"
COLUMNS = {"player_a": "home", "player_b": "away", "score_a": "home_score", "score_b": "away_score"}

payoff = Payoff.from_counts(read_matchups(FILE, **COLUMNS))
league = RatedLeague(payoff)
ratings = ratings_table(league)
print(ratings[["player", "points", "points_low", "points_high", "rank", "rank_low", "rank_high"]].round().to_string())

print(f"P(Ada beats Leo) = {league.model.predict('Ada', 'Leo'):.2f}")

evidence = transitivity_evidence(payoff)
print(f"{evidence.verdict}: p = {evidence.p_value:.2f}, power {evidence.power:.2f}")

forecasts = forecast(read_games(FILE, date="date", **COLUMNS)).table()
forecasts = forecasts[forecasts["block"] == "all"].set_index("model")
print(forecasts.loc[["constant", "online_elo", "elo", "disc"], ["n_games", "game_log_loss"]].round(3).to_string())
