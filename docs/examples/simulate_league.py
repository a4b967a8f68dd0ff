"""Write simulated_league.csv: 600 games of 12 players whose strengths do not change. Nobody played them."""

from pathlib import Path

import numpy as np
import pandas as pd

NAMES = "Ada Ben Cleo Dan Eve Fay Gus Hal Ida Jim Kay Leo".split()
# In natural logits, from the best player to the last: Ada beats Leo with probability 1 / (1 + exp(-2.2)) = 0.90.
STRENGTHS = np.linspace(1.1, -1.1, len(NAMES))


def games(seed: int = 1, n: int = 600) -> pd.DataFrame:
    """Return the games, one row each; who is at home has no advantage."""
    rng = np.random.default_rng(seed)
    home, away = np.array([rng.choice(len(NAMES), 2, replace=False) for _ in range(n)]).T
    won = rng.random(n) < 1 / (1 + np.exp(STRENGTHS[away] - STRENGTHS[home]))
    dates = pd.date_range("2023-01-01", periods=n, freq="D").strftime("%Y-%m-%d")
    columns = {"date": dates, "home": np.array(NAMES)[home], "away": np.array(NAMES)[away]}
    return pd.DataFrame(columns | {"home_score": won.astype(int), "away_score": (~won).astype(int)})


if __name__ == "__main__":
    games().to_csv(Path(__file__).with_name("simulated_league.csv"), index=False)
