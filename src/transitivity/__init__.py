"""How transitive is a game? Payoffs, rating models and the disc decomposition.

The library under the pipeline that reproduces "On the Limitations of the Elo, Real-World Games are Transitive, not
Additive" (Bertrand, Czarnecki and Gidel, AISTATS 2023).
"""

from transitivity.errors import InputError
from transitivity.matchups import read_matchups
from transitivity.payoff import Payoff
from transitivity.transitivity import measure

__all__ = ["InputError", "Payoff", "measure", "read_matchups"]
