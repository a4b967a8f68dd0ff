"""How transitive is a game? Payoffs, rating models and the disc decomposition.

The library under the pipeline that reproduces "On the Limitations of the Elo, Real-World Games are Transitive, not
Additive" (Bertrand, Czarnecki and Gidel, AISTATS 2023).
"""

from transitivity.errors import InputError
from transitivity.measures.measure import measure
from transitivity.payoff.core import Payoff
from transitivity.sources.games import read_games
from transitivity.sources.read import read_matchups

__all__ = ["InputError", "Payoff", "measure", "read_games", "read_matchups"]
