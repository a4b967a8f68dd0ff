"""Ratings that games update in their order: one file a method, all with `update`, `predict` and `ratings`."""

from transitivity.online._base import Online
from transitivity.online.disc import OnlineDisc
from transitivity.online.elo import FIDE, OnlineElo
from transitivity.online.glicko2 import Glicko2
from transitivity.online.melo import OnlineMElo

__all__ = ["FIDE", "Glicko2", "Online", "OnlineDisc", "OnlineElo", "OnlineMElo"]
