"""The bootstrap over games: how sure the verdict on the first component is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transitivity import measure
from transitivity.disc.component import disc_component
from transitivity.errors import InputError
from transitivity.measures.bootstrap import _outcomes, bootstrap_transitivity
from transitivity.models import DiscRegularised
from transitivity.payoff.core import Payoff
from transitivity.sources.simulated import draw_league


def matchups(kind: str, seed: int, games: int = 60, draws: float = 0.0, n: int = 30, m: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    league = draw_league(kind, rng, n_players=n, n_pairs=m, games=games, draws=draws, activity=0.3)
    return league.matchups(rng)


@pytest.mark.parametrize(("kind", "low", "high"), [("transitive", 0.9, 1.0), ("cyclic", 0.0, 0.1)])
def test_what_was_planted_is_recovered(kind, low, high):
    found = bootstrap_transitivity(matchups(kind, 0), 20)
    assert low <= found.probability <= high and found.transitive == (kind == "transitive")
    assert found.low <= found.probability <= found.high and found.n_resamples == 20
    # λ is small where a cycle shows, and noise is then cyclic; where ratings predict best it makes noise transitive.
    assert found.null_probability == found.probability
    assert found.n_converged == 20


def test_the_numbers_belong_together():
    frame = matchups("transitive", 1, games=10)
    found = bootstrap_transitivity(frame, 20, regularisation=0.3)
    assert found.margins_degrees.shape == (20,) and np.ptp(found.margins_degrees) > 0
    assert found.probability == np.mean(found.margins_degrees > 0)
    assert 0 < found.probability < 1 and found.low < found.probability < found.high
    wide = bootstrap_transitivity(frame, 20, regularisation=0.3, confidence=0.999)
    assert wide.low < found.low and found.high < wide.high and wide.probability == found.probability


def test_the_strength_is_that_of_cross_validation_on_the_payoff():
    frame = matchups("transitive", 2)
    found = bootstrap_transitivity(frame, 1, np.random.default_rng(3))
    model = DiscRegularised(weights="games").fit(Payoff.from_counts(frame), np.random.default_rng(3))
    assert found.regularisation == model.regularisation_
    assert found.margin_degrees == disc_component(model.u_[:, 0], model.v_[:, 0]).margin_degrees


def test_more_games_leave_less_doubt():
    few, many = (
        bootstrap_transitivity(matchups("transitive", 4, games=games), 20, regularisation=0.3).margins_degrees
        for games in (10, 1000)
    )
    assert many.std() < few.std() / 3


def test_a_strong_pull_makes_every_league_transitive():
    """Why λ must not be chosen by hand to be large."""
    found = bootstrap_transitivity(matchups("cyclic", 0), 10, regularisation=1e4)
    assert found.probability == found.null_probability == 1


@pytest.mark.parametrize(("kind", "probability"), [("transitive", 1.0), ("cyclic", 0.0)])
def test_coin_flips_on_a_dense_graph_are_cyclic(kind, probability):
    """With a weak pull, a transitive fit is no matter of course; and they know nothing of the planted game."""
    found = bootstrap_transitivity(matchups(kind, 0, n=15, m=105), 20, regularisation=0.01)
    assert (found.probability, found.null_probability) == (probability, 0.0)


def test_a_league_of_coin_flips_is_as_transitive_as_coin_flips():
    frame = matchups("cyclic", 9, n=15, m=105)
    games = frame["wins_a"] + frame["wins_b"]
    wins = np.random.default_rng(0).binomial(games, 0.5)
    found = bootstrap_transitivity(frame.assign(wins_a=wins, wins_b=games - wins), 20, regularisation=0.01)
    assert found.probability <= 0.1 and found.null_probability <= 0.1


def test_a_graph_without_cycles_makes_coin_flips_transitive():
    i = np.arange(9)
    payoff = Payoff(np.arange(10).astype(str), i, i + 1, np.linspace(0.2, 0.9, 9), np.full(9, 10.0))
    found = bootstrap_transitivity(payoff, 5, regularisation=0.01)
    assert found.null_probability == 1


def test_a_strong_cycle_shows_where_coin_flips_are_transitive():
    found = bootstrap_transitivity(matchups("cyclic", 0, games=10), 20, regularisation=1.0)
    assert (found.probability, found.null_probability) == (0.0, 1.0)


def test_coin_flips_keep_the_draws():
    """Nothing but draws: coin flips are the same draws, and all players tie, in one direction."""
    frame = pd.DataFrame(
        {"player_a": list("aab"), "player_b": list("bcc"), "wins_a": 0, "draws": [4, 6, 8], "wins_b": 0}
    )
    assert bootstrap_transitivity(frame, 5, regularisation=1.0).null_probability == 1
    assert bootstrap_transitivity(frame, 5, regularisation=1e-3).null_probability == 1
    payoff = Payoff.from_counts(frame)
    assert bootstrap_transitivity(payoff, 40, regularisation=1e-3).null_probability < 1


def test_draws_are_less_noisy_than_a_payoff_that_does_not_tell_them():
    frame = matchups("transitive", 5, draws=0.5)
    counts, payoff = frame, Payoff.from_counts(frame)
    told, not_told = (
        bootstrap_transitivity(games, 40, regularisation=1.0).margins_degrees.std() for games in (counts, payoff)
    )
    assert told < not_told


def test_nothing_but_draws_is_certain():
    """Resampling draws gives draws again; a payoff of the same p has coin flips."""
    frame = pd.DataFrame(
        {"player_a": list("aab"), "player_b": list("bcc"), "wins_a": 0, "draws": [4, 6, 8], "wins_b": 0}
    )
    payoff, drawn = _outcomes(frame)
    np.testing.assert_array_equal(drawn, 1)
    np.testing.assert_array_equal(payoff.p, 0.5)
    told, not_told = (bootstrap_transitivity(games, 5, regularisation=1.0).margins_degrees for games in (frame, payoff))
    np.testing.assert_allclose(told, 180)
    assert (not_told < 180).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=3))
def test_outcomes_follow_their_pair_however_it_is_written(counts):
    """The order of names within a row, and of rows, is not that of the payoff."""
    rows = [("c", "a"), ("b", "c"), ("B2", "a")]
    kept = [(pair, one) for pair, one in zip(rows, counts, strict=True) if sum(one)]
    if not kept:
        return
    frame = pd.DataFrame(
        [(*pair, *one) for pair, one in kept], columns=["player_a", "player_b", "wins_a", "draws", "wins_b"]
    )
    payoff, drawn = _outcomes(frame)
    shares = {frozenset(pair): one[1] / sum(one) for pair, one in kept}
    for i, j, share in zip(payoff.i, payoff.j, drawn, strict=True):
        assert share == pytest.approx(shares[frozenset((payoff.players[i], payoff.players[j]))])


def test_certain_results_stay_finite():
    """Players who won everything win everything in every resample."""
    i, j = np.triu_indices(8, 1)
    payoff = Payoff(np.arange(8).astype(str), i, j, np.ones(len(i)), np.full(len(i), 3.0))
    found = bootstrap_transitivity(payoff, 5)
    assert found.probability == 1 and np.ptp(found.margins_degrees) < 1 and found.n_converged == 5


def test_the_generator_decides():
    frame = matchups("transitive", 6, games=5)
    first, again, other = (
        bootstrap_transitivity(frame, 5, rng, regularisation=1.0).margins_degrees
        for rng in (np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2))
    )
    assert first.tobytes() == again.tobytes() != other.tobytes()
    default = [bootstrap_transitivity(frame, 2, regularisation=1.0).probability for _ in range(2)]
    assert default[0] == default[1]


def test_mistakes_are_named():
    frame = matchups("transitive", 7)
    payoff = Payoff.from_counts(frame)
    unknown = Payoff(payoff.players, payoff.i, payoff.j, payoff.p)
    half = Payoff(payoff.players, payoff.i, payoff.j, payoff.p, payoff.games + 0.5)
    for games, options, message in (
        (unknown, {}, "does not know how many games"),
        (half, {}, "60.5 games"),
        (frame, {"n_resamples": 0}, "n_resamples"),
        (frame, {"confidence": 1.0}, "confidence"),
        (frame, {"weights": "all"}, "weights"),
        (frame, {"regularisation": -1.0}, "regularisation"),
    ):
        with pytest.raises(InputError, match=message):
            bootstrap_transitivity(games, **options)


# ---------------------------------------------------------------------- in the table of measures


def test_the_measures_hold_the_bootstrap():
    payoff = Payoff.from_counts(matchups("transitive", 8))
    found = measure(payoff, n_resamples=5, rng=np.random.default_rng(0))
    expected = bootstrap_transitivity(payoff, 5, np.random.default_rng(0))
    assert (found.bootstrap_probability, found.bootstrap_low, found.bootstrap_high, found.n_resamples) == (
        expected.probability,
        expected.low,
        expected.high,
        5,
    )
    assert found.bootstrap_null == expected.null_probability


@pytest.mark.parametrize("knows_games", [True, False])
def test_the_measures_without_a_bootstrap(knows_games):
    payoff = Payoff.from_counts(matchups("transitive", 8))
    if not knows_games:
        payoff = Payoff(payoff.players, payoff.i, payoff.j, payoff.p)
    found = measure(payoff, n_resamples=0 if knows_games else 5)
    assert found.n_resamples == 0
    numbers = [found.bootstrap_probability, found.bootstrap_low, found.bootstrap_high, found.bootstrap_null]
    assert np.isnan(numbers).all()
