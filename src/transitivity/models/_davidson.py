"""Win, draw and loss: Davidson's ties, and the advantage of who moves first or plays at home."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse
from scipy.sparse.linalg import cg
from scipy.special import log_softmax, softmax

from transitivity.errors import InputError
from transitivity.matchups.tally import COLUMNS, COUNTS
from transitivity.models._base import Players
from transitivity.models._tuned import Regularisation
from transitivity.models.elo import Elo
from transitivity.payoff.core import Payoff, places_of

#: The precision of the priors on log ν and h, both around 0: between equals 6 to 79 % draws, and 12 to 88 % of the
#: decided games for who is first, are within two standard deviations. A handful of games outweighs it.
PRIOR = 1.0
#: Draws from the approximation that intervals are made of.
N_DRAWS = 20_000


class Davidson:
    """P(win) : P(draw) : P(loss) = exp(x/2) : ν : exp(-x/2), x = rᵢ - rⱼ + h, of i, who is named first.

    Of games between equals ν / (2 + ν) are drawn; h is the advantage of who is first. Both are estimated together with
    the ratings; all have Gaussian priors. Without draws and h this is Elo. What the games tell is approximated by
    N(optimum, H⁻¹), with H the observed information.

    Parameters
    ----------
    regularisation : float or "validated"
        The precision of the prior on ratings in the scale of `Elo`; "validated" is that of the tuned Elo. To move the
        expected score as much as without draws, ratings must differ 1 / (1 - d) times as much, d being the share of
        draws: the prior is made (1 - d)² times as precise.
    advantage : bool
        Whether to estimate h; otherwise it is 0. Only games in their order tell who was first.

    Attributes
    ----------
    players_ : (n,) array of str
    ratings_ : (n,) array
        r, in natural logits.
    draw_, advantage_ : float
        ν and h.

    References
    ----------
    Davidson, On extending the Bradley-Terry model to accommodate ties, J. American Statistical Association 1970;
    with an advantage: Davidson and Beaver, Biometrics 1977.
    """

    name = "davidson"
    label = "Davidson"

    def __init__(self, regularisation: Regularisation = "validated", advantage: bool = False) -> None:
        self.regularisation, self.advantage = regularisation, advantage

    def fit(self, frame: pd.DataFrame) -> Self:
        """Fit to games, a table of `read_games`, or to counts by pair, one of `read_matchups`.

        Raises
        ------
        InputError
            If a score is neither 1, 1/2 nor 0; or see `check_advantage`.
        """
        ordered = "score" in frame
        if self.advantage and not ordered:
            raise InputError("Counts by pair do not tell who was first; read the games in order, with read_games.")
        payoff = Payoff.from_counts(by_pair(frame) if ordered else frame)
        precision = self.regularisation
        if isinstance(precision, str):
            precision = Elo(regularisation=precision, weights="games").fit(payoff).choice_.ratings
        places = {name: at for at, name in enumerate(payoff.players.tolist())}
        a, b = (frame[side].astype(str).map(places).to_numpy(np.int64) for side in ("player_a", "player_b"))
        counts = outcomes(frame["score"].to_numpy()) if ordered else frame[list(COUNTS)].to_numpy(np.float64)
        if self.advantage:
            check_advantage(counts)
        return self.fit_counts(a, b, counts, payoff.players, float(precision))  # type: ignore[arg-type]

    def fit_counts(
        self, a: np.ndarray, b: np.ndarray, counts: np.ndarray, players: np.ndarray, precision: float
    ) -> Self:
        """Fit to games of players by index, with a precision.

        Parameters
        ----------
        a, b : (m,) int arrays
            a was first.
        counts : (m, 3) array
            How many games, or what weight of them, a won, drew and lost.
        players : (n,) array of str
        precision : float
            As `regularisation`.
        """
        wins, draws, losses = counts.sum(axis=0)
        self.players_, n = players, len(players)
        # Parameters: the ratings, h, log ν.
        m, columns = len(a), np.concatenate([a, b, np.full(len(a), n)])
        values = np.repeat([1.0, -1.0, float(self.advantage)], m)
        self._design = scipy.sparse.csr_array((values, (np.tile(np.arange(m), 3), columns)), shape=(m, n + 2))
        self._counts, self._drawn = counts, bool(draws > 0)
        # Weights of very old games may all be 0.
        decided = float((wins + losses) / max(wins + draws + losses, np.finfo(float).tiny))
        self._prior = np.append(np.full(n, precision * max(decided, 0.01) ** 2), [PRIOR, PRIOR])
        self._optimum = scipy.optimize.fmin_l_bfgs_b(self._loss, np.zeros(n + 2), factr=10, pgtol=1e-7, maxiter=5000)[0]
        self.ratings_, self.advantage_ = self._optimum[:n], float(self._optimum[n])
        self.draw_ = float(np.exp(self._log_draw(self._optimum[-1])))
        return self

    def predict(self, i: Players, j: Players, order: bool = True) -> np.ndarray:
        """Return the probabilities that i, who is first, wins, draws and loses, in the last dimension.

        Parameters
        ----------
        i, j : str, int or array of them
            Players by name or by index.
        order : bool
            Whether i is first; otherwise nobody is.
        """
        one, other = (places_of(who, self._places) for who in (i, j))
        x = self.ratings_[one] - self.ratings_[other] + order * self.advantage_
        return softmax(self._logits(x, self._optimum[-1]), axis=-1)

    def interval(self, i: int | str | None, j: int | str | None, level: float = 0.9, order: bool = True) -> np.ndarray:
        """Return the ends of intervals of what `predict` says of two players, and of their expected score, (4, 2).

        Parameters
        ----------
        i, j : str, int or None
            Two players; None for two who are equal.
        level : float
        order : bool
            As for `predict`.
        """
        contrast = np.zeros((len(self._optimum), 2))
        contrast[-1, 1], contrast[-2, 0] = 1.0, float(order and self.advantage)
        if i is not None and j is not None:
            contrast[places_of(i, self._places), 0] += 1
            contrast[places_of(j, self._places), 0] -= 1
        H = self._information()
        jacobi = scipy.sparse.diags_array(1 / H.diagonal())
        solved = np.column_stack([cg(H, column, rtol=1e-8, M=jacobi)[0] for column in contrast.T])
        x, log_draw = (
            np.random.default_rng(0)
            .multivariate_normal(contrast.T @ self._optimum, contrast.T @ solved, N_DRAWS, method="eigh")
            .T
        )
        drawn = softmax(self._logits(x, log_draw), axis=-1)
        drawn = np.column_stack([drawn, drawn[:, 0] + drawn[:, 1] / 2])
        return np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0).T

    @property
    def _places(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.players_.tolist())}

    def _log_draw(self, log_draw: np.ndarray | float) -> np.ndarray | float:
        """Return log ν; without draws ν is 0, whatever the prior says."""
        return log_draw if self._drawn else log_draw - np.inf

    def _logits(self, x: np.ndarray, log_draw: np.ndarray | float) -> np.ndarray:
        x = np.asarray(x, dtype=np.float64)
        return np.stack([x / 2, np.broadcast_to(self._log_draw(log_draw), x.shape), -x / 2], axis=-1)

    def _loss(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the penalised negative log-likelihood and its gradient."""
        logits = self._logits(self._design @ parameters, parameters[-1])
        logs = np.where(self._counts > 0, log_softmax(logits, axis=-1), 0.0)
        excess = self._counts.sum(axis=1, keepdims=True) * softmax(logits, axis=-1) - self._counts
        gradient = self._design.T @ (excess[:, 0] - excess[:, 2]) / 2
        gradient[-1] += excess[:, 1].sum()
        penalty = self._prior * parameters
        return float(parameters @ penalty / 2 - (self._counts * logs).sum()), gradient + penalty

    def _information(self) -> scipy.sparse.csr_array:
        """Return H at the optimum."""
        win, draw, loss = softmax(self._logits(self._design @ self._optimum, self._optimum[-1]), axis=-1).T
        games, lead = self._counts.sum(axis=1), (win - loss) / 2
        ones = scipy.sparse.csr_array(
            (np.ones(len(lead)), (np.arange(len(lead)), np.full(len(lead), len(self._prior) - 1)))
        )
        cross = (self._design.T * (-games * draw * lead)) @ ones
        H = (self._design.T * (games * ((win + loss) / 4 - lead**2))) @ self._design + cross + cross.T
        return (H + (ones.T * (games * draw * (1 - draw))) @ ones + scipy.sparse.diags_array(self._prior)).tocsr()


def by_pair(games: pd.DataFrame) -> pd.DataFrame:
    """Return counts by pair, as `read_matchups` does, of games of `read_games`."""
    one, other = (games[side].to_numpy(object) for side in ("player_a", "player_b"))
    swapped, counts = one > other, outcomes(games["score"].to_numpy())
    counts = np.where(swapped[:, None], counts[:, ::-1], counts).astype(np.int64)
    names = (np.where(swapped, other, one), np.where(swapped, one, other))
    frame = pd.DataFrame(dict(zip(COLUMNS, (*names, *counts.T), strict=True)))
    return frame.groupby(list(COLUMNS[:2]), as_index=False, sort=True).sum()


def outcomes(score: np.ndarray) -> np.ndarray:
    """Return whether games were won, drawn and lost, (m, 3), by their scores.

    Raises
    ------
    InputError
        If a score is neither 1, 1/2 nor 0.
    """
    found = np.asarray(score, dtype=np.float64)[:, None] == np.array([1, 0.5, 0])
    if not found.any(axis=1).all():
        wrong = np.asarray(score)[~found.any(axis=1)][0]
        raise InputError(f"A game has the score {wrong:g}; draws need wins, draws and losses, not shares of points.")
    return found.astype(np.float64)


def check_advantage(counts: np.ndarray) -> None:
    """Raise InputError where who is named first won, or lost, all games that were decided.

    Parameters
    ----------
    counts : (m, 3) array
        Games that the first player won, drew and lost.
    """
    wins, _, losses = counts.sum(axis=0)
    if wins == losses == 0:
        raise InputError("All games are drawn, which tells no advantage of who is named first; leave it out.")
    if not (wins > 0 and losses > 0):
        never = "lost" if losses == 0 else "won"
        raise InputError(
            f"Who is named first never {never}, as where a file lists the winner first: that tells no advantage; leave "
            "it out."
        )
