"""Hold-outs, scores and seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transitivity import games
from transitivity.errors import InputError
from transitivity.evaluation.hold_outs import hold_out, published_hold_out, published_masks
from transitivity.evaluation.scores import entropy_of_rates, n_connected, n_hideable, scores
from transitivity.fitting.losses import SquaredLinear
from transitivity.models import Elo, MElo
from transitivity.payoff.core import Payoff
from transitivity.seeding import generator

SLOTS = pd.read_csv(Path(__file__).parents[1] / "workflow" / "paper" / "published_masks.csv")


def rngs(count: int, seed: int = 0) -> list[np.random.Generator]:
    return [generator(seed, "hold_out", "test", repeat) for repeat in range(count)]


def random_payoff(n: int, n_pairs: int, seed: int) -> Payoff:
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    keep = np.sort(rng.permutation(len(i))[:n_pairs])
    return Payoff(np.arange(n).astype(str), i[keep], j[keep], rng.random(len(keep)))


# ---------------------------------------------------------------------- random hold-outs


@settings(max_examples=60, deadline=None)
@given(n=st.integers(4, 12), share=st.floats(0.1, 0.9), density=st.floats(0.3, 1), seed=st.integers(0, 99))
def test_what_holds_for_every_hold_out(n, share, density, seed):
    m = max(3, round(density * n * (n - 1) / 2))
    payoff = random_payoff(n, m, seed)
    spare = (payoff.degrees[payoff.i] > 1) & (payoff.degrees[payoff.j] > 1)
    if not spare.any():
        # Nothing but players who need every pair they have.
        with pytest.raises(InputError, match="without leaving a player without a game"):
            hold_out(payoff, share, rngs(3, seed))
        return
    splits = hold_out(payoff, share, rngs(3, seed))
    hidden = (~splits.train).sum(axis=1)
    assert (hidden > 0).all()
    np.testing.assert_array_equal(hidden + splits.n_returned, max(1, round(share * m)))
    for repeat in range(3):
        train, test = splits.split(repeat)
        assert train.n_pairs + test.n_pairs == m
        # Every player with a game keeps one.
        np.testing.assert_array_equal(train.degrees > 0, payoff.degrees > 0)
        # A pair is hidden with its mirror: nothing of it is left in train.
        observed = ~np.isnan(train.to_dense())
        assert not observed[test.i, test.j].any() and not observed[test.j, test.i].any()
        np.testing.assert_array_equal(train.to_dense()[train.i, train.j], train.p)


def test_share_seeds_and_order():
    payoff = random_payoff(30, 435, 0)
    splits = hold_out(payoff, 0.2, rngs(4))
    assert ((~splits.train).sum(axis=1) == 87).all() and not splits.n_returned.any()
    assert len(np.unique(splits.train, axis=0)) == 4
    np.testing.assert_array_equal(splits.train, hold_out(payoff, 0.2, rngs(4)).train)
    # Repetition 2 is the same whether or not others were drawn before.
    np.testing.assert_array_equal(splits.train[2], hold_out(payoff, 0.2, rngs(4)[2:3]).train[0])
    assert (splits.train != hold_out(payoff, 0.2, rngs(4, seed=1)).train).any(axis=1).all()


def test_every_pair_is_hidden_equally_often():
    payoff = random_payoff(8, 28, 0)
    frequency = (~hold_out(payoff, 0.25, rngs(2000)).train).mean(axis=0)
    np.testing.assert_allclose(frequency, 0.25, atol=0.05)


def test_a_leaf_keeps_its_only_pair():
    """Player 4 has met player 0 only: that pair, drawn or not, stays in train, and returns are counted."""
    payoff = Payoff(np.arange(5).astype(str), [0, 0, 0, 0, 1, 1, 2], [1, 2, 3, 4, 2, 3, 3], np.full(7, 0.6))
    splits = hold_out(payoff, 0.5, rngs(200))
    assert splits.train[:, 3].all()
    drawn_and_returned = splits.n_returned > 0
    assert 0.3 < drawn_and_returned.mean() < 0.9
    np.testing.assert_array_equal((~splits.train).sum(axis=1) + splits.n_returned, 4)


def test_numbers_of_games_are_split_too():
    payoff = Payoff(np.arange(4).astype(str), [0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], np.full(6, 0.6), np.arange(1, 7))
    splits = hold_out(payoff, 0.3, rngs(1))
    train, test = splits.split(0)
    np.testing.assert_array_equal(np.sort(np.concatenate([train.games, test.games])), np.arange(1, 7))


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_bad_shares(share):
    with pytest.raises(InputError, match="between 0 and 1"):
        hold_out(random_payoff(5, 10, 0), share, rngs(1))


def test_nothing_to_hide():
    pairs = Payoff(np.array(["a", "b", "c", "d"]), [0, 2], [1, 3], [0.5, 0.5])
    with pytest.raises(InputError, match="No pair of the 2"):
        hold_out(pairs, 0.5, rngs(1))


def test_an_unlucky_draw_is_drawn_again():
    """A long chain with one triangle: most draws hide only pairs that have to return."""
    i = np.append(np.arange(20), 0)
    j = np.append(np.arange(1, 21), 2)
    order = np.lexsort((j, i))
    payoff = Payoff(np.arange(21).astype(str), i[order], j[order], np.full(21, 0.5))
    splits = hold_out(payoff, 0.05, rngs(40))
    assert ((~splits.train).sum(axis=1) == 1).all()
    for repeat in range(40):
        assert splits.split(repeat)[0].degrees.min() >= 1


# ---------------------------------------------------------------------- published hold-outs


def test_published_masks_are_the_frozen_ones():
    """Drawn from RandomState(42), whose stream never changes, for all games in order of their size."""
    sizes = SLOTS["n_players"]
    assert sizes.is_monotonic_increasing and SLOTS["slot"].tolist() == list(range(21))
    masks = published_masks(sizes)
    assert [len(mask) for mask in masks] == [min(100, size) for size in sizes]
    np.testing.assert_array_equal(masks[0], [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    assert [int(mask.sum()) for mask in masks[:8]] == [7, 331, 2526, 3306, 3556, 8064, 8126, 8115]
    for mask in masks:
        np.testing.assert_array_equal(mask, mask.T)
    # 0.9² off the diagonal, 0.9 on it.
    large = masks[5:]
    off = [mask[np.triu_indices(100, 1)].mean() for mask in large]
    assert np.mean(off) == pytest.approx(0.81, abs=0.003)
    assert np.mean([np.diagonal(mask).mean() for mask in large]) == pytest.approx(0.9, abs=0.015)


def test_published_masks_depend_on_the_games_before():
    alone, after = published_masks([60])[0], published_masks([3, 60])[1]
    assert (alone != after).any()
    np.testing.assert_array_equal(published_masks([3, 60, 70])[1], after)
    np.testing.assert_array_equal(published_masks([100])[0], published_masks([1001])[0])
    assert (published_masks([60], seed=1)[0] != alone).any()


def test_published_hold_out_takes_the_first_100_players():
    payoff = games.compute("blotto", n_soldiers=5, n_fields=5)
    (mask,) = published_masks([126])
    train, test = published_hold_out(payoff, mask).split(0)
    P = payoff.to_dense()[:100, :100]
    np.testing.assert_array_equal(
        np.isnan(train.to_dense()) & ~np.eye(100, dtype=bool), ~mask & ~np.eye(100, dtype=bool)
    )
    np.testing.assert_array_equal(train.to_dense()[train.i, train.j], P[train.i, train.j])
    np.testing.assert_array_equal(test.p, P[test.i, test.j])
    assert not mask[test.i, test.j].any() and train.n_pairs + test.n_pairs == 4950
    np.testing.assert_array_equal(train.diagonal, np.diagonal(mask))
    assert test.diagonal is None


def test_published_hold_outs_that_cannot_be():
    rps = games.compute("rps")
    with pytest.raises(InputError, match="needs 100 players and the payoff has 3"):
        published_hold_out(rps, np.ones((100, 100), dtype=bool))
    with pytest.raises(InputError, match="hides no pair"):
        published_hold_out(rps, np.ones((3, 3), dtype=bool))
    with pytest.raises(InputError, match="keeps no pair"):
        published_hold_out(rps, np.eye(3, dtype=bool))


# ---------------------------------------------------------------------- scores


class Table:
    """A model that predicts given numbers, in probability space."""

    loss = SquaredLinear()

    def __init__(self, P: np.ndarray) -> None:
        self.P = np.asarray(P)

    def predict(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return self.P[i, j]


def scored(p: list[float], predicted: list[float], games: list[float] | None = None) -> dict[str, float]:
    n = 4
    payoff = Payoff(np.arange(n).astype(str), *(axis[: len(p)] for axis in np.triu_indices(n, 1)), p, games)
    P = np.full((n, n), np.nan)
    P[payoff.i, payoff.j] = predicted
    return scores(Table(P), payoff)


def test_scores_by_hand():
    result = scored([0.9, 0.2, 0.5, 1.0], [0.6, 0.3, 0.9, 0.5])
    assert result["n_pairs"] == 4
    assert result["mse"] == pytest.approx((0.09 + 0.01 + 0.16 + 0.25) / 4)
    log_losses = [
        -0.9 * np.log(0.6) - 0.1 * np.log(0.4),
        -0.2 * np.log(0.3) - 0.8 * np.log(0.7),
        -0.5 * np.log(0.9) - 0.5 * np.log(0.1),
        -np.log(0.5),
    ]
    assert result["log_loss"] == pytest.approx(np.mean(log_losses))
    # Of the three decided pairs two are right and one, predicted to be even, counts half.
    assert result["accuracy"] == pytest.approx(2.5 / 3)


def test_accuracy():
    assert scored([0.9, 0.1], [0.4, 0.6])["accuracy"] == 0
    assert scored([0.9, 0.1], [0.51, 0.0])["accuracy"] == 1
    assert np.isnan(scored([0.5, 0.5], [0.4, 0.6])["accuracy"])


@pytest.mark.parametrize("rounding", [0.0, 1e-12, -7e-10])
def test_a_prediction_of_one_half_up_to_rounding_counts_half(rounding):
    assert scored([0.9, 0.1], [0.5 + rounding, 0.5 - rounding])["accuracy"] == 0.5


def test_games_are_scored_by_their_number_and_clipped_alike():
    result = scored([1.0, 0.5], [1.7, 0.25], [1, 3])
    assert result["n_games"] == 4
    losses = [-np.log(0.999), -(np.log(0.25) + np.log(0.75)) / 2]
    assert result["game_log_loss"] == pytest.approx(np.average(losses, weights=[1, 3]))
    assert result["mse"] == pytest.approx((0.49 + 0.0625) / 2) and result["mse_clipped"] == pytest.approx(0.0625 / 2)
    # One lost game that a model held impossible costs no more than it does any other model.
    assert scored([0.0], [1.7], [1])["game_log_loss"] == pytest.approx(-np.log(1e-3))
    # Pairs with fewer than ten games say nothing of a floor, and payoffs without games nothing of games.
    assert np.isnan([result["floor"], result["above_floor"]]).all()
    without = scored([1.0], [0.5])
    assert np.isnan([without[name] for name in ("n_games", "game_log_loss", "floor", "above_floor")]).all()


@pytest.mark.parametrize("games", [10, 40])
def test_the_floor_is_what_the_truth_scores(games):
    rng = np.random.default_rng(games)
    p = rng.uniform(0.1, 0.9, 20000)
    n = rng.integers(games, 2 * games, len(p))
    rates = rng.binomial(n, p) / n
    truth = -np.average(p * np.log(p) + (1 - p) * np.log1p(-p), weights=n)
    assert entropy_of_rates(rates, n.astype(float)) == pytest.approx(truth, abs=1.5e-3)
    # What is observed looks more certain than it is, by about half a nat over the games.
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = -np.average(
            np.nan_to_num(rates * np.log(rates)) + np.nan_to_num((1 - rates) * np.log1p(-rates)), weights=n
        )
    assert truth - plain > 0.2 / games


def test_a_model_that_knows_the_truth_is_at_the_floor():
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(60, 1)
    P = np.full((60, 60), np.nan)
    P[i, j] = rng.uniform(0.2, 0.8, len(i))
    payoff = Payoff(np.arange(60).astype(str), i, j, rng.binomial(30, P[i, j]) / 30, np.full(len(i), 30))
    found = scores(Table(P), payoff)
    assert abs(found["above_floor"]) < 0.005 < 0.05 < scores(Table(1 - P), payoff)["above_floor"]
    assert found["above_floor"] == pytest.approx(found["game_log_loss"] - found["floor"])


def test_pairs_that_train_does_not_connect_are_counted():
    names = np.arange(6).astype(str)
    train = Payoff(names, [0, 1, 3], [1, 2, 4], [0.5] * 3)
    test = Payoff(names, [0, 0, 4], [2, 3, 5], [0.5] * 3)
    assert n_connected(train, test) == 1 and n_connected(train, train) == 3


def test_pairs_that_could_be_hidden_are_counted_once():
    names = np.arange(5).astype(str)
    train = Payoff(names, [0, 0, 1, 2], [1, 2, 2, 3], [0.5] * 4)
    test = Payoff(names, [0, 3], [2, 4], [0.5] * 2)
    # Without a pair of 0, 1 and 2, or 2 against 3, both keep another one; 4 has only the pair with 3.
    assert n_hideable(train, train) == 3 and n_hideable(train, test) == 4


def test_log_loss_of_certain_and_impossible_predictions():
    assert scored([1.0, 0.0], [1.0, 0.0])["log_loss"] == pytest.approx(1e-9, rel=1e-3)
    assert scored([1.0], [0.0])["log_loss"] == pytest.approx(-np.log(1e-9))
    # Probability space is not clipped: the squared error sees what the log-loss cannot.
    result = scored([1.0], [-0.5])
    assert result["mse"] == pytest.approx(2.25) and result["log_loss"] == pytest.approx(-np.log(1e-9))


def test_scores_are_those_of_either_direction():
    payoff = random_payoff(8, 20, 1)
    order = np.random.default_rng(2).permutation(8)
    P = np.random.default_rng(3).random((8, 8))
    P = (P + 1 - P.T) / 2
    direct, permuted = (scores(Table(P), payoff), scores(Table(P[np.ix_(order, order)]), payoff.select_players(order)))
    assert direct == pytest.approx(permuted, nan_ok=True)


# ---------------------------------------------------------------------- seeds


def test_generators_are_pinned():
    """The first draws of two jobs: results of earlier runs stay reproducible."""
    assert generator(42, "hold_out", "rps", 0).integers(0, 2**32, 3).tolist() == [412340324, 1505032929, 3023951009]
    assert generator(42, "fit", "rps", "disc_k1", 0).integers(0, 2**32, 3).tolist() == [295015064, 3336126228, 58530781]


def test_generators_do_not_depend_on_order():
    first = generator(1, "a").random()
    generator(1, "b").random(1000)
    np.random.default_rng(1).random()
    assert generator(1, "a").random() == first


def test_generators_of_other_jobs_differ():
    jobs = [(1, "a"), (2, "a"), (1, "b"), (1, "a", 0), (1, "a", 1), (1, "a", "b"), (1, "ab"), (1,), (1, "b", "a")]
    assert len({generator(*job).random() for job in jobs}) == len(jobs)


@pytest.mark.parametrize(
    ("value", "says"), [(np.nan, "predicts nan"), (1.5, "predicts 1.5"), (-np.inf, "predicts -inf"), (None, "of shape")]
)
def test_predictions_that_are_no_probabilities_end_the_scoring(value, says):
    """A model of a user's own; its score would be an empty cell, or one among the others."""

    class Odd(Elo):
        def predict(self, i, j):
            predicted = super().predict(i, j)
            return predicted[:-1] if value is None else np.where(np.arange(len(predicted)) == 2, value, predicted)

    payoff = Payoff.from_dense(np.full((4, 4), 0.5), players=list("abcd"))
    model = Odd().fit(payoff)
    with pytest.raises(InputError, match=says) as error:
        scores(model, payoff)
    assert value is None or "'a' against 'd'" in str(error.value)


def test_models_of_probabilities_may_leave_them():
    payoff = Payoff.from_dense(np.array([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]]))
    model = MElo().fit(payoff)
    model.t_ = 9 * np.arange(3)
    assert scores(model, payoff)["mse"] > 1
