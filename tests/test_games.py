"""The computed games: against the published matrices, against exact values, and on bad parameters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from transitivity import games
from transitivity.errors import InputError
from transitivity.games import blotto, kuhn_poker, mixture, parity
from transitivity.payoff.core import Payoff
from transitivity.payoff.files import read_payoff

#: The parameters with which each game is small.
SMALL = {
    "agents": {"board_game": "tic_tac_toe", "n_seeds": 2, "max_depth": 2, "simulations": (5,)},
    "blotto": {"n_soldiers": 5, "n_fields": 3},
    "cyclic_disc": {"n_players": 7},
    "disc_game": {"n_players": 20},
    "elo_example": {"n_players": 6},
    "elo_game": {"n_players": 20},
    "example_3": {"gamma": 0.6, "delta": 0.9},
    "kuhn_poker": {},
    "normal_bernoulli": {"n_players": 20},
    "parity": {},
    "random_game_of_skill": {"n_players": 20},
    "rps": {},
    "transitive_game": {"n_players": 20},
    "triangular_game": {"n_players": 20},
}
#: The games of Czarnecki et al., which are divided by their maximum.
NORMALISED = sorted(set(SMALL) - {"cyclic_disc", "elo_example", "example_3"})
RANDOM = {
    "agents": {},
    "disc_game": {},
    "elo_game": {"noise": 0.5},
    "kuhn_poker": {"n_games": 100},
    "normal_bernoulli": {},
    "random_game_of_skill": {},
    "transitive_game": {},
}


def antisymmetric(payoff: Payoff) -> np.ndarray:
    """A = 2P - 1, 0 on the diagonal."""
    return 2 * payoff.to_dense() - 1


def small(name: str, seed: int = 0, **more: object) -> Payoff:
    return games.compute(name, rng=np.random.default_rng(seed), **(SMALL[name] | more))


# ---------------------------------------------------------------- all games


def test_every_game_is_listed_here():
    assert list(games.names()) == sorted([*SMALL, "mixture"])


@pytest.mark.parametrize("name", sorted(SMALL))
def test_complete_payoff_with_unique_names_and_a_label(name):
    payoff = small(name)
    assert payoff.is_complete
    assert payoff.games is None
    label = games.label(name, **SMALL[name])
    assert label and "{" not in label
    assert games.reference(name)


@pytest.mark.parametrize("name", NORMALISED)
def test_largest_entry_is_exactly_one_and_no_logit_is_undefined(name):
    A = antisymmetric(small(name))
    assert A.max() == 1
    assert A.min() == -1
    assert not np.isnan(logit(small(name).p)).any()


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_drawn_from_the_generator_alone(name):
    np.random.default_rng(0)
    first, again, other = (small(name, seed, **RANDOM[name]).p for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", sorted(set(SMALL) - set(RANDOM)))
def test_games_without_chance_leave_the_generator_alone(name):
    rng = np.random.default_rng(3)
    games.compute(name, rng=rng, **SMALL[name])
    assert rng.integers(1 << 40) == np.random.default_rng(3).integers(1 << 40)


@pytest.mark.parametrize("name", sorted(key for key, value in SMALL.items() if "n_players" in value))
def test_smallest_sizes(name):
    smallest = 3 if name == "cyclic_disc" else 2
    assert small(name, n_players=smallest).n_players == smallest
    with pytest.raises(InputError, match=f"n_players is {smallest - 1}"):
        small(name, n_players=smallest - 1)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("bloto", {}, "no game 'bloto'; did you mean 'blotto'"),
        ("_common", {}, "no game '_common'"),
        ("blotto", {"n_soldier": 5, "n_fields": 3}, "no parameter 'n_soldier'; did you mean 'n_soldiers'"),
        ("blotto", {"n_soldiers": 5}, "needs the parameter 'n_fields'"),
        ("blotto", {"n_soldiers": 5, "n_fields": 2}, "n_fields is 2; give a whole number of at least 3"),
        ("blotto", {"n_soldiers": 5.0, "n_fields": 3}, "n_soldiers is 5.0"),
        ("blotto", {"n_soldiers": True, "n_fields": 3}, "n_soldiers is True"),
        ("blotto", {"n_soldiers": 1, "n_fields": 3}, "All players of this game are equal"),
        ("blotto", {"n_soldiers": 100, "n_fields": 5}, "4598126 strategies, more than"),
        ("rps", {"n_players": 4}, "no parameter 'n_players'; it has none"),
        ("rps", {"rng_": 4}, "no parameter 'rng_'"),
        ("elo_game", {"n_players": 1}, "n_players is 1"),
        ("elo_game", {"n_players": "ten"}, "n_players is 'ten'"),
        ("elo_game", {"noise": -0.1}, r"noise is -0.1; give a finite number in \[0, inf\)"),
        ("elo_game", {"noise": float("nan")}, "noise is nan"),
        ("elo_game", {"ratings": [1.0, np.nan]}, "ratings has an entry that is not finite"),
        ("elo_game", {"ratings": [[1.0], [2.0]]}, r"shape \(2, 1\); ratings must have shape \(n,\)"),
        ("elo_game", {"ratings": ["a", "b"]}, "ratings has entries of type"),
        ("elo_game", {"ratings": [1.0]}, "number of players in ratings is 1"),
        ("elo_game", {"ratings": [1.0, 1.0]}, "All players of this game are equal"),
        ("elo_game", {"ratings": [1.0, 2.0], "n_players": 3}, "holds 2 players but n_players is 3"),
        ("elo_game", {"ratings": "no/ratings.npy"}, "no/ratings.npy: there is no such file"),
        ("elo_game", {"ratings": "ratings.txt"}, "ratings.txt: an array is read of an .npy file"),
        ("disc_game", {"points": [1.0, 2.0]}, r"shape \(2,\); points must have shape \(n, 2\)"),
        ("cyclic_disc", {"n_players": 2}, "n_players is 2; give a whole number of at least 3"),
        ("elo_example", {"spread": 0}, r"spread is 0; give a positive number"),
        ("example_3", {"gamma": 0.5, "delta": 0.7}, r"gamma is 0.5; give a finite number in \(0.5, 1\]"),
        ("example_3", {"gamma": 0.7, "delta": 1.1}, "delta is 1.1"),
        ("kuhn_poker", {"n_games": 0}, "n_games is 0"),
    ],
)
def test_bad_input_is_named(name, parameters, message):
    with pytest.raises(InputError, match=message):
        games.compute(name, **parameters)


def test_labels_say_what_is_simulated():
    assert games.label("kuhn_poker") == "Kuhn-poker"
    assert games.label("kuhn_poker", n_games=100) == "Kuhn-poker (100 simulated games)"
    assert games.label("elo_game", noise=0.5) == "Elo game + noise=0.5"
    assert games.label("elo_game", n_players=50) == "Elo game"
    assert games.label("blotto", n_soldiers=10, n_fields=3) == "10,3-Blotto"
    with pytest.raises(InputError, match="no parameter 'n_game'"):
        games.label("kuhn_poker", n_game=100)


# ---------------------------------------------------------------- against the published matrices


@pytest.mark.parametrize(("n_soldiers", "n_fields", "n"), [(5, 3, 21), (5, 4, 56), (5, 5, 126), (10, 3, 66)])
def test_blotto_is_the_published_matrix(shared_data, n_soldiers, n_fields, n):
    real = read_payoff(shared_data / "payoffs" / f"{n_soldiers},{n_fields}-Blotto.pkl")
    ours = games.compute("blotto", n_soldiers=n_soldiers, n_fields=n_fields)
    assert ours.n_players == real.n_players == n
    np.testing.assert_allclose(ours.to_dense(), real.to_dense(), rtol=0, atol=1e-15)


def test_rps_is_the_published_matrix(shared_data):
    real = read_payoff(shared_data / "payoffs" / "RPS.pkl")
    assert np.array_equal(games.compute("rps").to_dense(), real.to_dense())


def kuhn_residual(sample: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """Fit sample = scale · exact; return the correlation and the residual's root mean square / scale."""
    scale = sample @ exact / (exact @ exact)
    residual = sample / scale - exact
    return float(np.corrcoef(sample, exact)[0, 1]), float(np.sqrt(np.mean(residual**2)))


def test_published_kuhn_poker_is_the_exact_one_plus_the_error_of_100_games(shared_data):
    # In units of chips: M and the variance of one game, of both seats.
    by_deal = np.stack([kuhn_poker.gains(deal) for deal in kuhn_poker.DEALS], axis=-1)
    mean = by_deal.mean(axis=-1)
    upper = np.triu_indices(64, 1)
    exact = (mean - mean.T)[upper] / 2
    variance = by_deal.var(axis=-1)
    expected_error = np.sqrt(np.mean((variance + variance.T)[upper] / 4 / 100))

    real = antisymmetric(read_payoff(shared_data / "payoffs" / "Kuhn-poker.pkl"))[upper]
    # The entries are sums of 100 games divided by the largest, 241.
    np.testing.assert_allclose(real * 241, np.round(real * 241), atol=1e-3)
    correlation, error = kuhn_residual(real, exact)
    assert correlation == pytest.approx(0.959, abs=2e-3)
    assert error == pytest.approx(expected_error, rel=0.05)

    simulated = antisymmetric(games.compute("kuhn_poker", n_games=100, rng=np.random.default_rng(0)))[upper]
    correlation, error = kuhn_residual(simulated, exact)
    assert correlation == pytest.approx(0.959, abs=4e-3)
    assert error == pytest.approx(expected_error, rel=0.05)


def test_published_elo_ratings_give_the_published_division(shared_data):
    payoff = games.compute("elo_game", ratings=shared_data / "payoffs" / "elo_game_ratings_natural_logit.npy")
    u = np.load(shared_data / "payoffs" / "elo_game_ratings_natural_logit.npy")
    assert payoff.n_players == 1000
    # One pair is certain, and the divisor differs from 1 by the published 2.0265e-5.
    assert np.count_nonzero((payoff.p == 0) | (payoff.p == 1)) == 1
    assert 1 - np.tanh((u.max() - u.min()) / 2) == pytest.approx(2.0265e-5, rel=1e-2)


def test_published_points_give_the_published_scale_of_table_1(shared_data):
    folder = shared_data / "payoffs"
    elo = games.compute("elo_game", ratings=folder / "elo_game_ratings_natural_logit.npy")
    disc = games.compute("disc_game", points=str(folder / "disc_game_points.npy"))
    assert mixture.equal_frobenius(elo, disc) == pytest.approx(5.613, abs=2e-3)


@pytest.mark.parametrize("key", ["Random game of skill", "Normal Bernoulli game"])
def test_drawn_games_have_the_published_distribution(shared_data, key):
    # Before the division by the maximum, the variance of the skills' part over that of the noise is fixed.
    real = antisymmetric(read_payoff(shared_data / "payoffs" / "subsets_100" / f"{key}.npy"))
    name = {"Random game of skill": "random_game_of_skill", "Normal Bernoulli game": "normal_bernoulli"}[key]
    ours = [antisymmetric(games.compute(name, n_players=100, rng=np.random.default_rng(s))) for s in range(20)]

    def noise_share(A: np.ndarray) -> float:
        mean = A.mean(axis=1)
        return np.mean((A - np.subtract.outer(mean, mean)) ** 2) / np.mean(A**2)

    shares = [noise_share(A) for A in ours]
    assert min(shares) * 0.9 < noise_share(real) < max(shares) * 1.1


# ---------------------------------------------------------------- exact values, one game after the other


def test_blotto_strategies_are_lexicographic():
    assert blotto.strategies(2, 2).tolist() == [[0, 2], [1, 1], [2, 0]]
    plans = blotto.strategies(4, 3)
    assert plans.tolist() == sorted(plans.tolist())
    assert (plans.sum(axis=1) == 4).all() and (plans >= 0).all()
    assert len(np.unique(plans, axis=0)) == len(plans) == 15
    payoff = games.compute("blotto", n_soldiers=10, n_fields=3)
    assert payoff.players[[0, 1, -1]].tolist() == ["0-0-10", "0-1-9", "10-0-0"]
    # 3-4-3 against 0-5-5: wins one field and loses two.
    a, b = (list(payoff.players).index(name) for name in ("3-4-3", "0-5-5"))
    assert payoff.to_dense()[a, b] == 0
    assert games.compute("blotto", n_soldiers=3, n_fields=4).to_dense()[0, 1] == 0.5


def test_largest_blotto_has_its_1001_strategies():
    payoff = games.compute("blotto", n_soldiers=10, n_fields=5)
    assert payoff.n_players == 1001
    assert np.unique(np.round(3 * (2 * payoff.p - 1), 12)).tolist() == [-3, -2, -1, 0, 1, 2, 3]


def test_parity_by_hand():
    keep, flip = parity.KEEP, parity.FLIP
    assert len(parity.first_plans()) == 10 and len(parity.second_plans()) == 16
    assert parity.outcome((0,), (0, 0)) == 1  # the bit is 0 at the start
    assert parity.outcome((1,), (0, 0)) == -1
    assert parity.outcome((keep, 0, 1), (0, 1)) == -1  # the second seat guesses right
    assert parity.outcome((flip, 0, 1), (0, 1)) == -1
    assert parity.outcome((flip, 0, 1), (0, 0)) == 1  # the second seat guesses wrong
    assert parity.outcome((keep, 0, 1), (flip, flip)) == 1  # the third move knows the bit
    assert parity.outcome((keep, 0, 0), (flip, flip)) == -1
    assert parity.outcome((flip, 1, 0), (keep, flip)) == -1  # flipped twice: the bit is 0, the guess 1


def test_parity_order_is_that_of_the_mean_payoff():
    payoff = games.compute("parity")
    A = antisymmetric(payoff)
    assert payoff.n_players == 160
    assert set(np.unique(A)) == {-1, 0, 1}
    assert (np.diff(A.sum(axis=1)) <= 0).all()
    # Ties are in the order of the product: first seat outer, actions 0, 1, keep, flip.
    order = {
        f"{first}/{a},{b}": (k, parity.ACTIONS.index(a), parity.ACTIONS.index(b))
        for k, first in enumerate("0 1 keep:00 keep:01 keep:10 keep:11 flip:00 flip:01 flip:10 flip:11".split())
        for a in parity.ACTIONS
        for b in parity.ACTIONS
    }
    rows = A.sum(axis=1)
    for k in range(159):
        if rows[k] == rows[k + 1]:
            assert order[payoff.players[k]] < order[payoff.players[k + 1]]


def test_kuhn_poker_by_hand():
    bits = ["".join("pb"[bit] for bit in row) for row in kuhn_poker.policies()]
    gains = {deal: kuhn_poker.gains(deal) for deal in kuhn_poker.DEALS}
    never, always = bits.index("pppppp"), bits.index("bbbbbb")
    j, q, k = kuhn_poker.J, kuhn_poker.Q, kuhn_poker.K
    assert gains[k, q][never, never] == 1 and gains[j, q][never, never] == -1  # pass, pass: showdown for 1
    assert gains[j, k][always, never] == 1  # bet, pass
    assert gains[j, k][always, always] == -2 and gains[k, j][always, always] == 2  # bet, call
    assert gains[k, j][never, always] == -1  # pass, bet, pass
    # Pass, then call with K only (bits: J, J', Q, Q', K, K'), against a bet after a pass.
    calls_with_k = bits.index("pppppb")
    assert gains[k, q][calls_with_k, always] == 2 and gains[q, k][calls_with_k, always] == -1
    # The second seat's first two bits are for Q: bets Q after a pass only.
    bets_q = bits.index("bppppp")
    assert gains[j, q][never, bets_q] == -1 and gains[k, j][never, bets_q] == 1
    assert gains[k, q][never, bets_q] == -1
    assert games.compute("kuhn_poker").players[[0, 1, -1]].tolist() == ["pppppp", "pppppb", "bbbbbb"]


def test_many_simulated_games_approach_the_exact_ones():
    exact = games.compute("kuhn_poker").p
    close = games.compute("kuhn_poker", n_games=10**7, rng=np.random.default_rng(1)).p
    np.testing.assert_allclose(close, exact, atol=2e-3)


def test_elo_game_is_the_sigmoid_of_the_difference():
    u = np.array([0.0, 1.0, 3.0])
    A = antisymmetric(games.compute("elo_game", ratings=u))
    expected = 2 / (1 + np.exp(-np.subtract.outer(u, u))) - 1
    np.testing.assert_allclose(A, expected / expected.max(), atol=1e-15)


def test_drawn_elo_ratings_span_2000_points():
    payoff = games.compute("elo_game", n_players=1000, rng=np.random.default_rng(0))
    # Seen from the middle player, the others are 1000 points up and down, evenly.
    row = payoff.to_dense()[np.argsort(payoff.mean_payoffs)[500]]
    points = logit(row) * 400 / np.log(10)
    assert points.max() == pytest.approx(1000, abs=60) and points.min() == pytest.approx(-1000, abs=60)
    np.testing.assert_allclose(np.quantile(points, [0.25, 0.75]), [-500, 500], atol=60)


def test_noise_has_its_standard_deviation():
    u = np.array([0.0, 1.0, 3.0, 5.0] * 50)
    clean = antisymmetric(games.compute("elo_game", ratings=u))
    noisy = antisymmetric(games.compute("elo_game", ratings=u, noise=0.5, rng=np.random.default_rng(0)))
    upper = np.triu_indices(len(u), 1)
    clean, noisy = clean[upper] * np.tanh(2.5), noisy[upper]
    # (W - Wᵀ) / 2 of standard deviation 0.5 / √2, all divided by the same maximum.
    scale = noisy @ clean / (clean @ clean)
    assert np.std(noisy / scale - clean) == pytest.approx(0.5 / np.sqrt(2), rel=0.05)


def test_disc_game_is_the_cross_product():
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    A = antisymmetric(games.compute("disc_game", points=points))
    np.testing.assert_allclose(A, [[0, 1, 0.5], [-1, 0, -0.5], [-0.5, 0.5, 0]], atol=1e-15)
    drawn = antisymmetric(games.compute("disc_game", n_players=200, rng=np.random.default_rng(0)))
    values = np.linalg.svd(drawn, compute_uv=False)
    assert values[1] > 1 and values[2] < 1e-12
    # Of uniform points the mean of (u v' - v u')² is 2 (1/4)²: the singular value is n / 4, then divided.
    assert 200 / 4 < values[0] < 200 / 4 * 1.3


def test_transitive_game_is_additive_and_triangular_is_certain():
    A = antisymmetric(small("transitive_game"))
    np.testing.assert_allclose(A[0, 1] + A[1, 2], A[0, 2], atol=1e-14)
    index = np.arange(20)
    assert np.array_equal(antisymmetric(small("triangular_game")), np.sign(np.subtract.outer(index, index)))


def test_elo_example_is_exactly_additive_strongest_first():
    payoff = games.compute("elo_example", n_players=5, spread=4.0)
    assert payoff.players.tolist() == ["1", "2", "3", "4", "5"]
    x = logit(payoff.to_dense())
    np.testing.assert_allclose(x, np.subtract.outer(-np.arange(5), -np.arange(5)), atol=1e-12)
    assert (payoff.p > 0.5).all()


@pytest.mark.parametrize("n", [3, 4, 7, 10])
def test_cyclic_disc_is_the_sine_of_the_angle(n):
    angle = 2 * np.pi * np.arange(1, n + 1) / n
    u, v = np.cos(angle), np.sin(angle)
    P = games.compute("cyclic_disc", n_players=n).to_dense()
    np.testing.assert_allclose(logit(P), np.outer(u, v) - np.outer(v, u), atol=1e-13)
    # i beats i + 1 beats ... beats n beats 1, and opposite players draw exactly.
    assert all(P[i, (i + 1) % n] > 0.5 for i in range(n))
    if n % 2 == 0:
        assert P[0, n // 2] == 0.5


def test_example_3_is_the_matrix_of_the_paper():
    P = games.compute("example_3", gamma=0.6, delta=1).to_dense()
    np.testing.assert_allclose(P, [[0.5, 0.6, 0.6], [0.4, 0.5, 1], [0.4, 0, 0.5]])
    # Elo ranks as the row sums do: wrongly exactly when δ > 3γ - 1.
    for gamma, delta in ((0.55, 0.64), (0.55, 0.66), (0.6, 0.81), (0.7, 0.99)):
        mean = games.compute("example_3", gamma=gamma, delta=delta).mean_payoffs
        assert (mean[1] > mean[0]) == (delta > 3 * gamma - 1)


# ---------------------------------------------------------------- mixtures


def pair(p: float, more: float = 0.75) -> Payoff:
    """Three players, p for the first pair and `more` for the others."""
    return Payoff(np.array(["a", "b", "c"]), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([p, more, more]))


def test_mixture_is_linear_in_logits():
    first, second = pair(0.9, 0.6), pair(0.2, 0.7)
    mixed = games.compute("mixture", first=first, second=second, ratio=0.25, kappa=2.0)
    np.testing.assert_allclose(logit(mixed.p), 0.25 * logit(first.p) + 0.75 * 2 * logit(second.p))


def test_mixture_of_one_game_alone():
    first, second = pair(1.0, 0.6), pair(0.0, 0.7)
    np.testing.assert_allclose(games.compute("mixture", first=first, second=second, ratio=1).p, first.p)
    alone = games.compute("mixture", first=first, second=second, ratio=0)
    kappa = mixture.equal_frobenius(first, second)
    assert alone.p[0] == 0
    np.testing.assert_allclose(logit(alone.p[1:]), kappa * logit(second.p[1:]))


def test_equal_norms_leave_infinite_logits_out():
    first, second = pair(1.0, 0.6), pair(0.3, 0.7)
    kappa = mixture.equal_frobenius(first, second)
    assert kappa == pytest.approx(np.sqrt(2 * logit(0.6) ** 2 / (3 * logit(0.7) ** 2)))


def test_infinite_logits_of_a_mixture():
    def mix(p: float, q: float) -> float:
        mixed = games.compute("mixture", first=pair(p), second=pair(q), ratio=0.5, kappa=1)
        return mixed.p[0]

    assert mix(1, 0.2) == 1 and mix(0.2, 0) == 0
    assert mix(1, 1) == 1 and mix(0, 0) == 0
    assert mix(1, 0) == mix(0, 1) == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratio": 1.5}, r"ratio is 1.5; give a finite number in \[0, 1\]"),
        ({"kappa": "equal_frobenus"}, "kappa is 'equal_frobenus'; give a number, or did you mean 'equal_frobenius'"),
        ({"kappa": -1}, "kappa is -1"),
        ({"first": "elo_game"}, "first is a str; give a Payoff"),
        ({"second": pair(0.5, 0.5)}, "The second game has no finite logit other than 0"),
        ({"second": games.compute("rps")}, "different players"),
        ({"second": pair(0.6).select_pairs(np.array([True, True, False]))}, "different observed pairs"),
    ],
)
def test_bad_mixtures_are_named(change, message):
    with pytest.raises(InputError, match=message):
        games.compute("mixture", **({"first": pair(0.6), "second": pair(0.7), "ratio": 0.5} | change))
