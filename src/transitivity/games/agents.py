"""Board games played by populations of agents: alpha-beta search, its opposite, Monte-Carlo tree search, chance.

Every agent is a pure policy: its action is a function of the position and of its seed. So all pairs are played at
once, by walking the game tree with the two sets of policies that lead to a position; see `play`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from transitivity.errors import InputError, check_count, did_you_mean
from transitivity.files import atomic_path
from transitivity.games._common import normalised
from transitivity.payoff.core import Payoff

LABEL = "{board_game}, played by agents"
REFERENCE = (
    "Czarnecki et al. 2020, board games; played here with OpenSpiel (Lanctot et al. 2019) by the agents of their "
    "supplement"
)

#: Which of several best actions a searching policy plays: the first in OpenSpiel's order, which alpha-beta
#: search returns, or one that is drawn with the policy's seed.
TIES = ("first", "seeded")
#: Games whose text and number of moves determine what can follow; in others, such as Go with its superko rule, it
#: takes all the moves to tell.
MEMORYLESS = ("tic_tac_toe", "misere(game=tic_tac_toe())", "hex", "connect_four", "quoridor")
#: How many positions are kept for reuse: 2 kB each in most games, 12 kB in Go.
MAX_POSITIONS = 30_000
#: Parameters of OpenSpiel's Monte-Carlo tree search: the constant of UCT is that of its examples, and a position
#: that is proved to be won or lost is not simulated further.
UCT_C, MCTS_MEMORY_MB, MCTS_SOLVE = 2.0, 100, True

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Policy:
    """One agent.

    Parameters
    ----------
    kind : {"Random", "MinMax", "MaxMin", "MCTS"}
        MinMax searches for its best action, MaxMin for its worst: it plays the game with all gains negated.
    budget : int
        The depth of the search in moves, or the number of simulations; 0 for a random policy.
    seed : int
        Determines all that is left to chance.
    unfinished_is_draw : bool
        What a search does when the game may go on beyond its depth: value what is unfinished as 0, or play a
        random action.
    """

    kind: str
    budget: int
    seed: int
    unfinished_is_draw: bool = False

    @property
    def name(self) -> str:
        """The name of the player, such as "MinMax(3) seed 7" or "MinMax0(3) seed 7" (unfinished is 0)."""
        zero = "0" if self.unfinished_is_draw else ""
        budget = "" if self.kind == "Random" else f"{zero}({self.budget})"
        return f"{self.kind}{budget} seed {self.seed}"


def policies(
    n_seeds: int = 50,
    max_depth: int = 9,
    simulations: Iterable[int] = (10, 100, 1000),
    max_depth_unfinished: int | None = None,
) -> list[Policy]:
    """Return the agents of Czarnecki et al. 2020: 2000 with the default sizes.

    Parameters
    ----------
    n_seeds : int
        The seeds are 1, ..., n_seeds.
    max_depth : int
        MinMax and MaxMin search 1, ..., max_depth moves deep; depth 0 is the random policy.
    simulations : iterable of int
        The numbers of simulations of Monte-Carlo tree search.
    max_depth_unfinished : int, optional
        The greatest depth of those that value what is unfinished as 0, `max_depth` by default. They search in every
        position, the others only near the end of the game: this depth is what a large game costs.

    Returns
    -------
    list of Policy
        Seed after seed, so that the first 100 are a cross-section of the kinds, and in each seed from the
        weakest search to the strongest.

    Raises
    ------
    InputError
        If a size is not a whole number, or `simulations` repeats itself.
    """
    n_seeds = check_count("n_seeds", n_seeds)
    max_depth = check_count("max_depth", max_depth, at_least=0)
    budgets = [check_count("simulations", number) for number in simulations]
    if len(set(budgets)) < len(budgets):
        raise InputError(f"simulations is {budgets}; give each number once.")
    if max_depth_unfinished is None:
        max_depth_unfinished = max_depth
    max_depth_unfinished = check_count("max_depth_unfinished", max_depth_unfinished, at_least=0)
    depths, depths_unfinished = range(1, max_depth + 1), range(1, max_depth_unfinished + 1)
    return [
        Policy(kind, budget, seed, zero)
        for seed in range(1, n_seeds + 1)
        for kind, zero, numbers in (
            ("Random", False, [0]),
            ("MinMax", False, depths),
            ("MinMax", True, depths_unfinished),
            ("MaxMin", False, depths),
            ("MaxMin", True, depths_unfinished),
            ("MCTS", False, budgets),
        )
        for budget in numbers
    ]


# ---------------------------------------------------------------- the game


def _pyspiel() -> ModuleType:
    """Import OpenSpiel, which only this module needs."""
    try:
        import pyspiel
    except ImportError:
        raise InputError(
            "Playing board games needs OpenSpiel (the package open-spiel); "
            'install it with pip install "transitivity[pipeline]".'
        ) from None
    return pyspiel


class Position:
    """A position, and what has been found out about it.

    Parameters
    ----------
    state : pyspiel.State
        The position in OpenSpiel.
    key : str
        What tells it from others.
    """

    # A search makes millions of positions, most of which it meets once.
    __slots__ = ("_actions", "children", "gain", "height", "key", "known", "state")

    def __init__(self, state: Any, key: str) -> None:
        self.state, self.key = state, key
        # What the first seat gains, None while the game goes on.
        self.gain: float | None = state.returns()[0] if state.is_terminal() else None
        # The number of moves that can follow lies in this interval.
        self.height: tuple[float, float] = (1, math.inf) if self.gain is None else (0, 0)
        # The first of the positions that follow, as far as they were needed.
        self.children: list[Position] = []
        # Bounds of values, best actions and simulated ones, by the search.
        self.known: dict[object, Any] = {}
        self._actions: list[int] = []

    @property
    def mover(self) -> int:
        """Who is to move: 0 the first seat, 1 the second."""
        return self.state.current_player()

    @property
    def actions(self) -> list[int]:
        """The legal actions, in OpenSpiel's order; empty when the game is over."""
        self._actions = self._actions or self.state.legal_actions()
        return self._actions


class Board:
    """A game of OpenSpiel, and its positions so far.

    Parameters
    ----------
    name : str
        As OpenSpiel writes it, such as "hex(board_size=3)".

    Raises
    ------
    InputError
        If OpenSpiel is missing or has no such game, or if the game is not one for two players who move in turn, see
        everything, leave nothing to chance, and win what the other loses.
    """

    def __init__(self, name: str) -> None:
        self._pyspiel = _pyspiel()
        known = self._pyspiel.registered_names()
        short_name = str(name).partition("(")[0]
        # OpenSpiel would print all its games.
        if short_name not in known:
            raise InputError(f"OpenSpiel has no game {short_name!r}; {did_you_mean(short_name, known)}")
        try:
            self.game = self._pyspiel.load_game(name)
        except self._pyspiel.SpielError as error:
            raise InputError(f"OpenSpiel refuses the game {name!r}: {error}; correct it.") from None
        about, types = self.game.get_type(), self._pyspiel.GameType
        if (about.dynamics, about.chance_mode, about.information, about.utility) != (
            types.Dynamics.SEQUENTIAL,
            types.ChanceMode.DETERMINISTIC,
            types.Information.PERFECT_INFORMATION,
            types.Utility.ZERO_SUM,
        ) or self.game.num_players() != 2:
            raise InputError(
                f"The game {name!r} is not a zero-sum game of two players with perfect information, moves in turn "
                "and no chance; choose another."
            )
        self._memoryless = str(name) in MEMORYLESS or short_name in MEMORYLESS
        self._positions: dict[str, Position] = {}

    def root(self) -> Position:
        """Return the position in which the game begins."""
        return self._position(self.game.new_initial_state())

    def children(self, position: Position) -> Iterator[Position]:
        """Yield the positions after each of the actions of a position; a search often needs only the first."""
        known = position.children
        for at, action in enumerate(position.actions):
            if at == len(known):
                known.append(self._position(position.state.child(action)))
            yield known[at]

    def _position(self, state: Any) -> Position:
        key = f"{state.move_number()} {state}" if self._memoryless else state.history_str()
        position = self._positions.get(key)
        if position is None:
            # Values and decisions are functions of the position: forgetting costs time only.
            if len(self._positions) >= MAX_POSITIONS:
                for known in self._positions.values():
                    known.children = []
                self._positions.clear()
            position = self._positions[key] = Position(state, key)
        return position

    # ---------------------------------------------------------------- search

    def ends_within(self, position: Position, depth: int) -> bool:
        """Tell whether the game ends within `depth` moves whatever is played."""
        shortest, longest = position.height
        if longest <= depth:
            return True
        if depth < shortest:
            return False
        ends = all(self.ends_within(child, depth - 1) for child in self.children(position))
        position.height = (shortest, depth) if ends else (depth + 1, longest)
        return ends

    def value(
        self, position: Position, depth: int, reverse: bool = False, alpha: float = -math.inf, beta: float = math.inf
    ) -> float:
        """Return what the first seat gains when both search `depth` moves deep: alpha-beta search.

        Parameters
        ----------
        position : Position
            Where the search starts.
        depth : int
            A game that is unfinished after this many moves has the value 0.
        reverse : bool
            Whether both players try to lose.
        alpha, beta : float
            Only a value between them has to be exact; otherwise the result is an upper bound at most alpha or a lower
            bound of at least beta.
        """
        if position.gain is not None:
            return position.gain
        if depth == 0:
            return 0.0
        key = (depth, reverse)
        lower, upper = position.known.get(key, (-math.inf, math.inf))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        maximises = (position.mover == 0) != reverse
        best, low, high = (-math.inf if maximises else math.inf), alpha, beta
        for child in self.children(position):
            value = self.value(child, depth - 1, reverse, low, high)
            if maximises:
                best = max(best, value)
                low = max(low, best)
            else:
                best = min(best, value)
                high = min(high, best)
            if low >= high:
                break
        position.known[key] = (best if best > alpha else lower, best if best < beta else upper)
        return best

    def best_actions(self, position: Position, policy: Policy) -> list[int]:
        """Return the actions among which a policy other than MCTS chooses.

        Parameters
        ----------
        position : Position
            A position in which the game goes on.
        policy : Policy
            Its seed does not matter.

        Returns
        -------
        list of int
            All the best actions that its search finds, in OpenSpiel's order; all legal actions where the policy plays
            at random.
        """
        depth, reverse = policy.budget, policy.kind == "MaxMin"
        if depth == 0 or len(position.actions) == 1:
            return position.actions
        key = (depth, reverse, policy.unfinished_is_draw)
        if key not in position.known:
            searches = policy.unfinished_is_draw or self.ends_within(position, depth)
            position.known[key] = self._argbest(position, depth, reverse) if searches else position.actions
        return position.known[key]

    def _argbest(self, position: Position, depth: int, reverse: bool) -> list[int]:
        sign = 1 if (position.mover == 0) != reverse else -1
        best = -math.inf
        found: list[int] = []
        for action, child in zip(position.actions, self.children(position), strict=True):
            # Just below the best so far, so that an equal value is exact and a lower one only a bound.
            bound = math.nextafter(best, -math.inf)
            window = (bound, math.inf) if sign > 0 else (-math.inf, -bound)
            value = sign * self.value(child, depth - 1, reverse, *window)
            if value > best:
                best, found = value, []
            if value == best:
                found.append(action)
        return found

    def simulate(self, position: Position, policy: Policy, seed: int) -> int:
        """Return the action that Monte-Carlo tree search chooses, with random games from its leaves.

        Parameters
        ----------
        position : Position
            A position in which the game goes on.
        policy : Policy
            Its budget is the number of simulations.
        seed : int
            What the search draws depends on this; always the same for a policy and a position.
        """
        if policy not in position.known:
            seed = (seed ^ policy.budget) & 0x7FFFFFFF
            evaluator = self._pyspiel.RandomRolloutEvaluator(1, seed)
            bot = self._pyspiel.MCTSBot(
                self.game, evaluator, UCT_C, policy.budget, MCTS_MEMORY_MB, MCTS_SOLVE, seed, False
            )
            position.known[policy] = bot.step(position.state)
        return position.known[policy]


# ---------------------------------------------------------------- play


def play(
    board_game: str,
    population: Sequence[Policy],
    first: Sequence[int] | None = None,
    *,
    ties: str = "first",
    seed: int = 0,
    report: Callable[[int], object] | None = None,
) -> np.ndarray:
    """Play every policy, or some, in the first seat against every policy in the second.

    The policies are pure, so that the pairs whose games go through a position are all pairs of a set X of first and a
    set Y of second seats. The tree of games is walked with (X, Y), which splits by the action of the mover's policies:
    a decision is made once for all opponents against whom it comes up.

    Parameters
    ----------
    board_game : str
        As OpenSpiel writes it, such as "go(board_size=3,komi=6.5)".
    population : sequence of Policy
        The n policies.
    first : sequence of int, optional
        Which of them play in the first seat; all by default. A result does not depend on what else is played.
    ties : {"first", "seeded"}
        Which of several best actions a searching policy plays; see `TIES`.
    seed : int
        Makes all chance of the population another one.
    report : callable, optional
        Called with the number of games, each time that some have ended.

    Returns
    -------
    (len(first), n) float array
        What the first seat gains.

    Raises
    ------
    InputError
        If the game or `ties` is not known; see `Board`.
    """
    if ties not in TIES:
        raise InputError(f"There is no rule {ties!r} for ties; {did_you_mean(str(ties), TIES)}")
    board = Board(board_game)
    first = list(range(len(population)) if first is None else first)
    hashes = [_mix(_mix(seed & _MASK) ^ policy.seed) for policy in population]

    def decide(index: int, position: Position, word: int) -> int:
        policy = population[index]
        if len(position.actions) == 1:
            return position.actions[0]
        chance = _mix(word ^ hashes[index])
        if policy.kind == "MCTS":
            return board.simulate(position, policy, chance)
        actions = board.best_actions(position, policy)
        if ties == "first" and actions is not position.actions:
            return actions[0]
        return actions[chance % len(actions)]

    gains = np.zeros((len(first), len(population)))
    row = {index: number for number, index in enumerate(first)}
    stack = [(board.root(), first, list(range(len(population))))]
    while stack:
        position, firsts, seconds = stack.pop()
        if position.gain is not None:
            gains[np.ix_([row[index] for index in firsts], seconds)] = position.gain
            if report is not None:
                report(len(firsts) * len(seconds))
            continue
        digest = hashlib.blake2b(position.key.encode(), digest_size=8).digest()
        word = int.from_bytes(digest, "little")
        groups: dict[int, list[int]] = {}
        for index in firsts if position.mover == 0 else seconds:
            groups.setdefault(decide(index, position, word), []).append(index)
        after = dict(zip(position.actions, board.children(position), strict=True))
        for action, group in groups.items():
            child = after[action]
            stack.append((child, group, seconds) if position.mover == 0 else (child, firsts, group))
    return gains


def _mix(word: int) -> int:
    """Return a 64-bit word that looks random, a bijection (the finaliser of splitmix64)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def payoff_of(gains: np.ndarray, population: Sequence[Policy]) -> Payoff:
    """Return the payoff of a population: the mean of two games with the seats swapped.

    Parameters
    ----------
    gains : (n, n) array
        What `play` returns.
    population : sequence of Policy
        The n policies.

    Returns
    -------
    Payoff
        A = (gains - gainsᵀ) / 2 divided by its maximum. Of policies with the same results against everyone, only
        the first is kept.

    Raises
    ------
    InputError
        If all policies are equal.
    """
    A = gains - gains.T
    _, kept = np.unique(A, axis=0, return_index=True)
    kept = np.sort(kept)
    return normalised(A[np.ix_(kept, kept)], [population[index].name for index in kept])


def payoff(
    *,
    board_game: str,
    n_seeds: int = 50,
    max_depth: int = 9,
    simulations: Sequence[int] = (10, 100, 1000),
    max_depth_unfinished: int | None = None,
    ties: str = "first",
    rng: np.random.Generator | None = None,
) -> Payoff:
    """Return the payoff of a board game among a population of agents.

    Parameters
    ----------
    board_game : str
        As OpenSpiel writes it, such as "hex(board_size=3)".
    n_seeds, max_depth, simulations, max_depth_unfinished
        The population; see `policies`.
    ties : {"first", "seeded"}
        Which of several best actions a searching policy plays; see `TIES`.
    rng : numpy.random.Generator, optional
        Draws the seed of the population. None: a fresh one.

    Returns
    -------
    Payoff
        See `payoff_of`; the players are called after their policies.

    Raises
    ------
    InputError
        If OpenSpiel is missing, or a parameter is not allowed; see `policies` and `play`.
    """
    population = policies(n_seeds, max_depth, simulations, max_depth_unfinished)
    return payoff_of(play(board_game, population, ties=ties, seed=draw_seed(rng)), population)


def draw_seed(rng: np.random.Generator | None = None) -> int:
    """Draw the seed of a population, the first that `payoff` draws from `rng`."""
    return int(np.random.default_rng(rng).integers(2**63))


# ---------------------------------------------------------------- in chunks


def play_chunk(
    path: str | os.PathLike[str],
    chunk: int,
    n_chunks: int,
    *,
    board_game: str,
    ties: str = "first",
    rng: np.random.Generator | None = None,
    report: Callable[[int], object] | None = None,
    **sizes: Any,
) -> None:
    """Play one of `n_chunks` parts of what `payoff` plays, and write the results to an .npz that `merge` reads.

    Parameters
    ----------
    path : path-like
        The file.
    chunk : int
        0, ..., n_chunks - 1: every n_chunks-th policy from this one on plays in the first seat.
    n_chunks : int
        The number of parts.
    board_game, ties, rng
        As for `payoff`; the same for each chunk.
    report : callable, optional
        As for `play`.
    **sizes
        The population; see `policies`.

    Raises
    ------
    InputError
        As `payoff`, and if there is no such chunk.
    """
    n_chunks = check_count("n_chunks", n_chunks)
    if check_count("chunk", chunk, at_least=0) >= n_chunks:
        raise InputError(f"chunk is {chunk}; give a whole number below n_chunks, {n_chunks}.")
    population = policies(**sizes)
    seed = draw_seed(rng)
    first = np.arange(chunk, len(population), n_chunks)
    gains = play(board_game, population, first.tolist(), ties=ties, seed=seed, report=report)
    about = json.dumps({"game": [board_game, ties, seed], "sizes": sizes})
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, first=first, gains=gains, about=about)


def merge(paths: Iterable[str | os.PathLike[str]]) -> Payoff:
    """Return the payoff whose chunks `play_chunk` wrote: that of `payoff`, whatever the number of chunks.

    Parameters
    ----------
    paths : iterable of path-like
        All the chunks, in any order.

    Returns
    -------
    Payoff
        See `payoff_of`.

    Raises
    ------
    InputError
        If a chunk is missing, is given twice, or belongs to another population.
    """
    chunks, paths = [], [Path(path) for path in paths]
    for path in paths:
        with np.load(path, allow_pickle=False) as arrays:
            chunks.append({name: arrays[name] for name in arrays.files})
    if not chunks:
        raise InputError("There are no chunks to merge; give the files that were played.")
    for path, chunk in zip(paths, chunks, strict=True):
        if str(chunk["about"]) != str(chunks[0]["about"]):
            raise InputError(f"{path} and {paths[0]} are of different populations; play one of them again.")
    population = policies(**json.loads(str(chunks[0]["about"]))["sizes"])
    first = np.concatenate([chunk["first"] for chunk in chunks])
    order = np.argsort(first, kind="stable")
    if not np.array_equal(first[order], np.arange(len(population))):
        raise InputError(
            f"The chunks {', '.join(map(str, paths))} have {len(first)} first seats, not each of "
            f"{len(population)} once; give every chunk once."
        )
    return payoff_of(np.concatenate([chunk["gains"] for chunk in chunks])[order], population)
