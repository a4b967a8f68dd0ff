"""Populations of agents: search, play, chunks, and the statistics of the real populations."""

from __future__ import annotations

import functools
import json
import random
import statistics
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitivity import games
from transitivity.errors import InputError
from transitivity.games import agents
from transitivity.games.agents import Board, Policy, Position, play, policies
from transitivity.seeding import generator

ROOT = Path(__file__).resolve().parents[1]

pytest.importorskip("pyspiel")

HEX, TIC_TAC_TOE, MISERE = "hex(board_size=3)", "tic_tac_toe", "misere(game=tic_tac_toe())"
SMALL = {"n_seeds": 2, "max_depth": 3, "simulations": (5, 20)}


def small_population() -> list[Policy]:
    return policies(**SMALL)


def reached(board: Board, seed: int, n_moves: int) -> Position:
    """A position after some random moves, before the game ends."""
    draw, position = random.Random(seed), board.root()
    for _ in range(n_moves):
        following = [child for child in board.children(position) if child.gain is None]
        if not following:
            break
        position = draw.choice(following)
    return position


# ---------------------------------------------------------------- the agents


def test_there_are_2000_agents_of_40_kinds():
    population = policies()
    assert len(population) == len(set(population)) == 2000
    assert len({policy.name for policy in population}) == 2000
    kinds = {(policy.kind, policy.budget, policy.unfinished_is_draw) for policy in population[:40]}
    assert len(kinds) == 40 and {policy.seed for policy in population[:40]} == {1}


def test_the_depth_of_the_costly_searches_is_limited_apart():
    assert policies(3, 4) == policies(3, 4, max_depth_unfinished=4)
    deepest = {
        zero: max(p.budget for p in policies(3, 4, (), 2) if p.unfinished_is_draw == zero) for zero in (False, True)
    }
    assert deepest == {False: 4, True: 2}


@pytest.mark.parametrize(
    ("sizes", "word"),
    [
        ({"max_depth_unfinished": -1}, "max_depth_unfinished is -1"),
        ({"n_seeds": 0}, "n_seeds is 0"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"simulations": (10, 0)}, "simulations is 0"),
        ({"simulations": (10, 10)}, "each number once"),
    ],
)
def test_sizes_that_make_no_population(sizes, word):
    with pytest.raises(InputError, match=word):
        policies(**sizes)


# ---------------------------------------------------------------- search


def brute_force(board: Board, position: Position, depth: int, reverse: bool) -> float:
    """Minimax on OpenSpiel's own states, without windows or memory."""

    def value(state, left):
        if state.is_terminal():
            return state.returns()[0]
        if left == 0:
            return 0.0
        best = max if (state.current_player() == 0) != reverse else min
        return best(value(state.child(action), left - 1) for action in state.legal_actions())

    return value(position.state, depth)


GAMES_TO_SEARCH = (TIC_TAC_TOE, "hex(board_size=2)", MISERE, "go(board_size=2,komi=0.5)", "connect_four")


@given(
    game=st.sampled_from(GAMES_TO_SEARCH),
    seed=st.integers(0, 50),
    n_moves=st.integers(2, 6),
    depth=st.integers(0, 4),
    reverse=st.booleans(),
    window=st.sampled_from([(-np.inf, np.inf), (-1.0, 0.0), (0.0, 1.0), (-0.5, 0.5)]),
)
def test_values_are_those_of_minimax(game, seed, n_moves, depth, reverse, window):
    board = Board(game)
    position = reached(board, seed, n_moves)
    exact = brute_force(board, position, depth, reverse)
    # A window that only has to bound the value comes first: what it leaves behind must not spoil the exact search.
    found = board.value(position, depth, reverse, *window)
    alpha, beta = window
    if alpha < exact < beta:
        assert found == exact
    elif exact <= alpha:
        assert exact <= found <= alpha
    else:
        assert beta <= found <= exact
    assert board.value(position, depth, reverse) == exact


@given(
    game=st.sampled_from(GAMES_TO_SEARCH),
    seed=st.integers(0, 50),
    n_moves=st.integers(2, 8),
    depth=st.integers(1, 4),
    kind=st.sampled_from(["MinMax", "MaxMin"]),
    unfinished_is_draw=st.booleans(),
)
def test_best_actions_are_all_the_best_and_nothing_else(game, seed, n_moves, depth, kind, unfinished_is_draw):
    board = Board(game)
    position = reached(board, seed, n_moves)
    reverse = kind == "MaxMin"
    found = board.best_actions(position, Policy(kind, depth, 1, unfinished_is_draw))

    def height(state):
        return 0 if state.is_terminal() else 1 + max(height(state.child(a)) for a in state.legal_actions())

    searched = unfinished_is_draw or (game != "connect_four" and height(position.state) <= depth)
    if searched:
        sign = 1 if (position.mover == 0) != reverse else -1
        values = [sign * brute_force(board, c, depth - 1, reverse) for c in board.children(position)]
        expected = [a for a, v in zip(position.actions, values, strict=True) if v == max(values)]
    else:
        expected = position.actions
    assert found == expected


def test_a_full_search_draws_tic_tac_toe_and_the_opposite_loses():
    best, worst = Policy("MinMax", 9, 1), Policy("MaxMin", 9, 1)
    gains = play(TIC_TAC_TOE, [best, worst])
    assert gains[0, 0] == 0
    assert gains[0, 1] == 1 and gains[1, 0] == -1


@pytest.mark.slow
def test_a_full_search_never_loses_tic_tac_toe_and_wins_hex_from_the_first_seat():
    population = [Policy("MinMax", 9, 1), *policies(5, 9, (10,))]
    assert play(TIC_TAC_TOE, population)[0].min() == 0
    assert play(TIC_TAC_TOE, population)[:, 0].max() == 0
    assert (play(HEX, population)[0] == 1).all()


def test_searching_misere_is_searching_tic_tac_toe_for_a_loss():
    # Every gain is negated, so that a policy of one game is its opposite in the other, with the same chance.
    def both(kind):
        return [Policy(kind, d, seed, zero) for d in (1, 2, 9) for seed in (1, 2) for zero in (False, True)]

    assert np.array_equal(play(MISERE, both("MinMax")), -play(TIC_TAC_TOE, both("MaxMin")))


@pytest.mark.slow
def test_more_simulations_play_better():
    population = [Policy("MCTS", n, seed) for n in (1, 100) for seed in range(1, 6)]
    gains = play("connect_four", population)
    # 100 simulations against one, from either seat.
    assert gains[5:, :5].mean() > 0.8 and gains[:5, 5:].mean() < -0.8


def test_random_policies_play_every_action_equally_often():
    board = Board(TIC_TAC_TOE)

    @functools.cache
    def expected(position):
        if position.gain is not None:
            return position.gain
        return statistics.mean(map(expected, board.children(position)))

    gains = play(TIC_TAC_TOE, [Policy("Random", 0, seed) for seed in range(200)])
    # The first seat gains 0.297 on average. The policies are shared by 200 games each: the error is some 0.02.
    assert abs(gains.mean() - expected(board.root())) < 0.06


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize("game", [HEX, "connect_four", "quoridor(board_size=3)", MISERE])
def test_the_text_of_a_position_tells_all_that_can_follow(game):
    board, seen = Board(game), {}
    for seed in range(150):
        draw, state = random.Random(seed), board.game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
            about = (state.is_terminal(), state.returns(), state.current_player(), state.legal_actions())
            assert seen.setdefault((state.move_number(), str(state)), about) == about


@pytest.mark.parametrize(("game", "same"), [("go(board_size=3,komi=6.5)", False), (HEX, True)])
def test_only_in_go_the_order_of_the_moves_matters(game, same):
    board = Board(game)

    def after(*moves):
        position = board.root()
        for move in moves:
            position = list(board.children(position))[position.actions.index(move)]
        return position

    one, other = after(0, 4, 8), after(8, 4, 0)
    assert str(one.state) == str(other.state) and (one is other) == same


def test_what_is_forgotten_costs_time_only(monkeypatch):
    population = small_population()
    expected = play("connect_four", population[:8], ties="seeded")
    monkeypatch.setattr(agents, "MAX_POSITIONS", 50)
    assert np.array_equal(play("connect_four", population[:8], ties="seeded"), expected)


# ---------------------------------------------------------------- play


def test_a_game_does_not_depend_on_who_else_plays():
    population = small_population()
    gains = play(HEX, population, ties="seeded", seed=5)
    for i, j in [(0, 1), (3, 17), (16, 2), (9, 9)]:
        pair = [population[i], population[j]]
        assert play(HEX, pair, ties="seeded", seed=5)[0, 1] == gains[i, j]
    assert np.array_equal(play(HEX, population, [7, 3], ties="seeded", seed=5), gains[[7, 3]])


def test_the_seed_and_only_the_seed_changes_the_games():
    population = small_population()
    assert np.array_equal(play(TIC_TAC_TOE, population, seed=1), play(TIC_TAC_TOE, population, seed=1))
    assert not np.array_equal(play(TIC_TAC_TOE, population, seed=1), play(TIC_TAC_TOE, population, seed=2))


def test_ties_are_broken_by_the_seed_only_where_asked():
    searches = [Policy("MinMax", 1, seed, True) for seed in range(1, 6)]
    fixed = play(HEX, searches, ties="first")
    assert (fixed == fixed[0, 0]).all()
    drawn = play(HEX, searches, ties="seeded")
    assert not (drawn == drawn[0, 0]).all()


def test_every_game_is_reported_once():
    population, ended = small_population(), []
    play(TIC_TAC_TOE, population, [0, 5, 6], report=ended.append)
    assert sum(ended) == 3 * len(population)


@pytest.mark.parametrize("game", [HEX, TIC_TAC_TOE, "go(board_size=3,komi=6.5)", "quoridor(board_size=3)"])
def test_a_payoff_is_antisymmetric_with_halves_and_without_duplicates(game):
    payoff = agents.payoff(board_game=game, ties="seeded", rng=np.random.default_rng(1), **SMALL)
    A = 2 * payoff.to_dense() - 1
    assert payoff.is_complete and np.array_equal(A, -A.T) and A.max() == 1
    assert set(np.unique(A)) <= {-1, -0.5, 0, 0.5, 1}
    assert len(np.unique(A, axis=0)) == len(A) <= len(small_population())
    names = [policy.name for policy in small_population()]
    assert [name for name in names if name in set(payoff.players)] == list(payoff.players)


def test_hex_has_no_draw():
    gains = play(HEX, small_population())
    assert set(np.unique(gains)) == {-1, 1}


def test_duplicates_are_those_with_equal_results():
    population = [Policy("MinMax", 9, 1), Policy("MinMax", 9, 2), Policy("MaxMin", 9, 1)]
    payoff = agents.payoff_of(play(TIC_TAC_TOE, population), population)
    assert list(payoff.players) == ["MinMax(9) seed 1", "MaxMin(9) seed 1"]
    with pytest.raises(InputError, match="All players of this game are equal"):
        agents.payoff_of(play(TIC_TAC_TOE, population[:2]), population[:2])


def test_the_registry_offers_the_game():
    values = {"board_game": TIC_TAC_TOE, **SMALL}
    first = games.compute("agents", rng=np.random.default_rng(4), **values)
    again = games.compute("agents", rng=np.random.default_rng(4), **values)
    assert np.array_equal(first.p, again.p) and list(first.players) == list(again.players)
    assert games.origin("agents", **values) == "fresh draw"
    assert games.label("agents", **values) == "tic_tac_toe, played by agents"


# ---------------------------------------------------------------- chunks


@pytest.mark.parametrize("n_chunks", [1, 3])
def test_the_number_of_chunks_does_not_matter(tmp_path, n_chunks):
    values = {"board_game": TIC_TAC_TOE, "ties": "seeded", **SMALL}
    paths = [tmp_path / f"{chunk}.npz" for chunk in range(n_chunks)]
    for chunk, path in enumerate(paths):
        agents.play_chunk(path, chunk, n_chunks, rng=np.random.default_rng(4), **values)
    merged = agents.merge(paths[::-1])
    whole = agents.payoff(rng=np.random.default_rng(4), **values)
    assert np.array_equal(merged.p, whole.p) and list(merged.players) == list(whole.players)


def test_chunks_that_do_not_fit_together(tmp_path):
    values = {"board_game": TIC_TAC_TOE, **SMALL}
    paths = [tmp_path / f"{chunk}.npz" for chunk in range(2)]
    for chunk, path in enumerate(paths):
        agents.play_chunk(path, chunk, 2, rng=np.random.default_rng(4), **values)
    other = tmp_path / "other.npz"
    agents.play_chunk(other, 1, 2, rng=np.random.default_rng(5), **values)
    with pytest.raises(InputError, match=r"other\.npz and .*0\.npz are of different populations"):
        agents.merge([paths[0], other])
    with pytest.raises(InputError, match="give every chunk once"):
        agents.merge(paths[:1])
    with pytest.raises(InputError, match="give every chunk once"):
        agents.merge([paths[0], *paths])
    with pytest.raises(InputError, match="no chunks"):
        agents.merge([])
    for chunk in (2, -1):
        with pytest.raises(InputError, match=f"chunk is {chunk}"):
            agents.play_chunk(other, chunk, 2, **values)


def test_the_script_plays_the_chunks_of_the_dataset(run_script, caplog, tmp_path):
    parameters = {"board_game": TIC_TAC_TOE, "n_seeds": 2, "max_depth": 2, "simulations": [5]}
    path = tmp_path / "chunk.npz"
    specification = json.dumps({"game": "agents", "parameters": parameters})
    flags = ("--dataset", "x", "--seed", 7, "--output", path, "--specification", specification)
    assert run_script("play", *flags) is None
    assert "x: 400 games of 20 agents" in caplog.text
    expected = agents.payoff(rng=generator(7, "payoff", "x"), **parameters)
    assert np.array_equal(agents.merge([path]).p, expected.p)


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("hexx", "no game 'hexx'; did you mean 'hex'"),
        ("hex(board=3)", "refuses the game .* Unknown parameter 'board'"),
        ("kuhn_poker", "not a zero-sum game of two players with perfect information"),
        ("backgammon", "no chance"),
        ("matrix_rps", "moves in turn"),
        ("matching_pennies_3p", "two players"),
    ],
)
def test_games_that_cannot_be_played(game, words):
    with pytest.raises(InputError, match=words):
        Board(game)


def test_an_unknown_rule_for_ties():
    with pytest.raises(InputError, match="did you mean 'seeded'"):
        play(TIC_TAC_TOE, small_population(), ties="seed")


def test_without_openspiel_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InputError, match=r"transitivity\[pipeline\]"):
        agents.payoff(board_game=TIC_TAC_TOE, **SMALL)


# ---------------------------------------------------------------- the real populations


def compared(A: np.ndarray) -> dict[str, float]:
    """What docs/agent_populations.md compares: entries, row means, and the first components of A."""
    above = np.abs(A[np.triu_indices(len(A), 1)])
    energy = np.linalg.svd(A, compute_uv=False)[::2] ** 2
    means = A.mean(axis=1)
    return {
        "wins": (above == 1).mean(),
        "zeros": (above == 0).mean(),
        "mean_10": np.quantile(means, 0.1),
        "mean_50": np.quantile(means, 0.5),
        "mean_90": np.quantile(means, 0.9),
        "share_1": energy[0] / energy.sum(),
        "share_2": energy[1] / energy.sum(),
    }


#: The size of the population, and how far it may be from the real subset in the worst statistic of each group. The
#: bounds are what was measured, rounded up: docs/agent_populations.md says where and why the populations differ.
RESEMBLANCE = {
    HEX: ({"n_seeds": 20}, {"wins": 0.1, "zeros": 0.1, "mean": 0.12, "share": 0.1}),
    TIC_TAC_TOE: ({"n_seeds": 20}, {"wins": 0.08, "zeros": 0.12, "mean": 0.2, "share": 0.12}),
    "connect_four": (
        {"n_seeds": 7, "max_depth": 6, "max_depth_unfinished": 1, "simulations": (10, 100), "ties": "seeded"},
        {"wins": 0.12, "zeros": 0.12, "mean": 0.35, "share": 0.25},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", RESEMBLANCE)
def test_the_population_resembles_the_real_one(shared_data, game):
    sizes, bounds = RESEMBLANCE[game]
    real = compared(np.load(shared_data / "payoffs" / "subsets_100" / f"{game}.npy"))
    payoff = agents.payoff(board_game=game, rng=np.random.default_rng(1), **sizes)
    # As in the real subset: 100 players at random, or all where there are fewer.
    chosen = np.random.default_rng(2).permutation(payoff.n_players)[:100]
    ours = compared(2 * payoff.select_players(chosen).to_dense() - 1)
    for name, value in ours.items():
        assert abs(value - real[name]) < bounds[name.split("_")[0]], (name, value, real[name])
