"""The library in a few lines: three players, each of whom beats one of the others in most games."""

import pandas as pd

from transitivity import Payoff, measure
from transitivity.models import Disc, Elo

# One row per pair of players. read_matchups("games.pgn") counts a file of games into such a table.
matchups = pd.DataFrame(
    [("Ann", "Bob", 8, 0, 2), ("Bob", "Eve", 7, 2, 1), ("Eve", "Ann", 8, 0, 2)],
    columns=["player_a", "player_b", "wins_a", "draws", "wins_b"],
)
payoff = Payoff.from_counts(matchups)

elo = Elo().fit(payoff)
disc = Disc(n_components=1).fit(payoff)
print(elo.predict("Ann", "Bob"))  # P(Ann beats Bob) by their ratings: about 1/2
print(disc.predict(0, 1))  # by the disc decomposition: 0.8, as observed

report = measure(payoff, disc=(disc.u_, disc.v_))  # help(type(report)) explains its numbers
print(report.logit_transitive)  # False: the fitted disc is cyclic; docs/verdicts.md tests whether by luck
print(report.cyclic_triads)  # 1.0: the one triangle is a cycle
