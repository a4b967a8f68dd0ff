"""How often the 90 % intervals of ratings hold the truth, a player at a time: simulated Elo leagues of several kinds.

It prints the table of docs/results.md. Those who won, or lost, every game are left out of the share.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import expit

from transitivity import Payoff
from transitivity.measures.players import RatedLeague, ratings_table

#: Players, opponents a player on average, most games a pair, and the standard deviation of the ratings.
LEAGUES = ((20, 19, 10, 1.0), (40, 12, 8, 0.8), (60, 6, 4, 1.0), (60, 59, 20, 0.5), (100, 8, 10, 0.3), (300, 5, 5, 0.8))


def league(n: int, opponents: float, games: int, spread: float, rng: np.random.Generator) -> tuple[np.ndarray, Payoff]:
    """Return true ratings, (n,), and the payoff of games drawn from them, from one to `games` a pair."""
    ratings = spread * rng.standard_normal(n)
    i, j = np.triu_indices(n, 1)
    met = rng.random(len(i)) < opponents / (n - 1)
    i, j = i[met], j[met]
    m = rng.integers(1, games + 1, len(i))
    p = rng.binomial(m, expit(ratings[i] - ratings[j])) / m
    return ratings, Payoff(np.array([f"p{at:03d}" for at in range(n)]), i, j, p, m.astype(float))


def held(truth: np.ndarray, payoff: Payoff, rng: np.random.Generator) -> np.ndarray:
    """Return whether the interval of each player holds the truth, of those who neither won nor lost everything."""
    rated = RatedLeague(payoff, rng)
    table = ratings_table(rated, with_disc=False).set_index("player").loc[payoff.players]
    # Ratings are told apart from others of the same component only.
    parts = [np.flatnonzero(rated.component == part) for part in range(1, rated.component.max() + 1)]
    for part in parts:
        truth[part] -= truth[part].mean()
    inside = ((table["low"] <= truth) & (truth <= table["high"])).to_numpy()
    return inside[(table["note"] == "").to_numpy()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=3000, help="of each kind of league, at least (default: 3000)")
    wanted = parser.parse_args().players
    print("| players | opponents | games a pair | spread of ratings | players tried | intervals that hold the truth |")
    print("|---|---|---|---|---|---|")
    for kind in LEAGUES:
        rng = np.random.default_rng(0)
        every = [held(*league(*kind, rng), rng) for _ in range(-(-wanted // kind[0]))]
        inside = np.concatenate(every)
        n, opponents, games, spread = kind
        print(f"| {n} | {opponents} | 1 to {games} | {spread} | {len(inside)} | {inside.mean():.1%} |", flush=True)


if __name__ == "__main__":
    main()
