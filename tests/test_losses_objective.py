"""Losses and the objective: gradients against finite differences, dense against sparse, and what leaves them alone."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from transitivity.errors import InputError
from transitivity.fitting import objective as objective_module
from transitivity.fitting import pairs
from transitivity.fitting.losses import CrossEntropy, SquaredLinear, SquaredSigmoid
from transitivity.fitting.objective import PairObjective
from transitivity.fitting.pairs import Pairs
from transitivity.native import library
from transitivity.payoff.core import Payoff
from transitivity.sources import pgn

LOSSES = [CrossEntropy(), SquaredSigmoid(), SquaredLinear()]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
each_path = pytest.mark.parametrize("path", ["dense", "sparse", "numpy dense", "numpy sparse"])

N, K = 9, 2


def make(path: str, monkeypatch, payoff: Payoff, *arguments, **options) -> PairObjective:
    """An objective that takes one path, whatever the density; "numpy": as if pairs.c were not compiled."""
    monkeypatch.setattr(objective_module, "SMALL", 10_000 if "dense" in path else 0)
    monkeypatch.setattr(objective_module, "DENSE_ABOVE", 2.0)
    if "numpy" in path:
        monkeypatch.setattr(library, "load", lambda: None)
    objective = PairObjective(payoff, *arguments, **options)
    assert objective.is_dense == ("dense" in path)
    return objective


def random_payoff(seed: int = 0, n: int = N, certain: bool = True, missing: float = 0.3) -> Payoff:
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    keep = rng.random(len(i)) >= missing
    p = rng.random(keep.sum())
    if certain:
        p[:2] = 0, 1
    return Payoff(np.arange(n).astype(str), i[keep], j[keep], p)


def random_point(seed: int = 1, n: int = N, k: int = K) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed).normal(size=(2, n, k)))


def variants(payoff: Payoff) -> dict[str, tuple[Payoff, dict]]:
    """The options of an objective, alone and together."""
    rng = np.random.default_rng(3)
    m = payoff.n_pairs
    target, weights = rng.normal(0.5, 0.4, m), rng.uniform(0, 3, m)
    diagonal = payoff.select_pairs(np.ones(m, dtype=bool), rng.random(payoff.n_players) > 0.4)
    return {
        "plain": (payoff, {}),
        "target": (payoff, {"target": target}),
        "weights": (payoff, {"weights": weights}),
        "diagonal": (diagonal, {}),
        "all": (diagonal, {"target": target, "weights": weights}),
    }


each_variant = pytest.mark.parametrize("variant", ["plain", "target", "weights", "diagonal", "all"])


# ---------------------------------------------------------------------- losses


@each_loss
@given(p=st.floats(0, 1), x=st.floats(-40, 40))
def test_a_loss_does_not_depend_on_who_is_called_i(loss, p, x):
    """ℒ(1 - p, -x) = ℒ(p, x), so its slope is odd."""
    value, slope = loss.value_and_slope(np.array([p]), np.array([x]))
    mirror, mirror_slope = loss.value_and_slope(np.array([1 - p]), np.array([-x]))
    np.testing.assert_allclose(mirror, value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mirror_slope, -slope, rtol=1e-9, atol=1e-12)


@each_loss
@given(p=st.floats(0, 1), x=st.floats(-15, 15))
def test_slope_against_finite_differences(loss, p, x):
    h = 1e-5
    p, x = np.array([p]), np.array([x])
    (above, _), (below, _) = loss.value_and_slope(p, x + h), loss.value_and_slope(p, x - h)
    _, slope = loss.value_and_slope(p, x)
    np.testing.assert_allclose(slope, (above - below) / (2 * h), rtol=1e-6, atol=1e-8)


@given(p=st.floats(0, 1), x=st.floats(-30, 30))
def test_losses_are_what_the_equations_say(p, x):
    array_p, array_x, s = np.array([p]), np.array([x]), float(expit(x))
    bce = -p * np.log(s) - (1 - p) * np.log(expit(-x))
    for loss, expected in zip(LOSSES, (bce, (p - s) ** 2 / 2, (p - 0.5 - x) ** 2 / 2), strict=True):
        np.testing.assert_allclose(loss.value_and_slope(array_p, array_x)[0], expected, rtol=1e-9, atol=1e-12)


def test_cross_entropy_of_large_scores():
    x = np.array([-1e6, -800.0, 800.0, 1e6])
    value, slope = CrossEntropy().value_and_slope(np.array([0.0, 1.0, 1.0, 0.25]), x)
    np.testing.assert_allclose(value, [0, 800, 0, 0.75e6])
    np.testing.assert_allclose(slope, [0, -1, 0, 0.75])


@each_loss
@given(p=st.floats(0, 1), x=st.floats(-15, 15))
def test_curvature_against_finite_differences(loss, p, x):
    h = 1e-5
    p, x = np.array([p]), np.array([x])
    (_, above), (_, below) = loss.value_and_slope(p, x + h), loss.value_and_slope(p, x - h)
    np.testing.assert_allclose(loss.curvature(p, x), (above - below) / (2 * h), rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------------- objective


@each_loss
@each_path
@each_variant
def test_gradients_against_finite_differences(loss, path, variant, monkeypatch):
    payoff, options = variants(random_payoff())[variant]
    objective = make(path, monkeypatch, payoff, loss, **options)
    U, V = random_point()
    _, gradient_U, gradient_V = objective.value_and_gradient(U, V)
    h = 1e-5
    for X, gradient in ((U, gradient_U), (V, gradient_V)):
        numerical = np.empty_like(X)
        for at in np.ndindex(X.shape):
            kept = X[at]
            X[at] = kept + h
            above = objective.value_and_gradient(U, V)[0]
            X[at] = kept - h
            below = objective.value_and_gradient(U, V)[0]
            X[at] = kept
            numerical[at] = (above - below) / (2 * h)
        np.testing.assert_allclose(gradient, numerical, rtol=1e-6, atol=1e-9)


@each_loss
@each_path
@each_variant
def test_value_against_a_loop_over_pairs(loss, path, variant, monkeypatch):
    payoff, options = variants(random_payoff())[variant]
    objective = make(path, monkeypatch, payoff, loss, **options)
    U, V = random_point()
    X = U @ V.T - V @ U.T
    target = options.get("target", payoff.p)
    weights = options.get("weights", np.ones(payoff.n_pairs))
    total, count = 0.0, 0.0
    for i, j, p, w in zip(payoff.i, payoff.j, target, weights, strict=True):
        for q, x in ((p, X[i, j]), (1 - p, X[j, i])):
            total += w * float(loss.value_and_slope(np.array([q]), np.array([x]))[0][0])
            count += w
    if payoff.diagonal is not None:
        for _ in range(int(payoff.diagonal.sum())):
            total += float(loss.value_and_slope(np.array([0.5]), np.zeros(1))[0][0])
            count += 1
    assert objective.value_and_gradient(U, V)[0] == pytest.approx(total / count, rel=1e-12)


def test_the_package_was_compiled():
    """Where this fails, install a C compiler and then the package again: fits in numpy are 20 to 30 times as slow."""
    assert library.load() is not None


def test_without_a_compiler_one_is_told(monkeypatch):
    monkeypatch.setattr(library, "EXTENSION_SUFFIXES", [])
    with pytest.warns(UserWarning, match="without a C compiler"):
        assert library.load.__wrapped__() is None


@pytest.mark.parametrize("what", ["no library", "a function is missing", "of other sources"])
def test_a_compiled_part_of_another_version_is_left_alone(what, tmp_path, monkeypatch):
    if what == "a function is missing":
        monkeypatch.setitem(library._SIGNATURES, "of_tomorrow", ((), None))
    elif what == "of other sources":
        monkeypatch.setattr(library, "_SOURCES", library._SOURCES[:1])
    else:
        (tmp_path / "_compiled.so").write_bytes(what.encode())
        monkeypatch.setattr(library, "EXTENSION_SUFFIXES", [".so"])
        monkeypatch.setattr(library, "__file__", str(tmp_path / "library.py"))
    with pytest.warns(UserWarning, match="another version"):
        assert library.load.__wrapped__() is None


def test_both_languages_have_the_same_constants():
    """How far C reads ahead, what Python leaves room for, and what is compiled, is said in both."""
    folder = Path(library.__file__).parent
    kernels, heads, *_ = ((folder / name).read_text(encoding="utf-8") for name in library._SOURCES)
    assert int(re.search(r"\bAHEAD = (\d+)", kernels)[1]) == pairs.AHEAD
    longest = int(re.search(r"\bLONGEST_HEAD = (\d+)", heads)[1])
    assert longest // 4 + 1 == pgn._KEYS
    fields = re.search(r"enum \{ START, .*?, FIELDS \}", heads, re.DOTALL)[0]
    assert fields.count(",") == pgn._FIELDS
    losses = re.search(r"enum \{ (CROSS_ENTROPY.*?) \}", kernels)[1]
    assert losses.lower().split(", ") == list(pairs.COMPILED) == [loss.name for loss in LOSSES]
    setup = (Path(__file__).parents[1] / "setup.py").read_text(encoding="utf-8")
    stems = json.dumps([Path(name).stem for name in library._SOURCES])
    assert f"for name in ({stems[1:-1]})" in setup


@each_path
def test_arrays_of_wrong_sizes_are_refused(path, monkeypatch):
    """C would read, and write, beyond their ends."""
    payoff, (U, V) = random_payoff(), random_point()
    objective = make(path, monkeypatch, payoff, CrossEntropy())
    slopes = objective.slopes(U, V)
    for wrong_U, wrong_V in ((U[1:], V[1:]), (np.vstack([U, U]), np.vstack([V, V])), (U, V[:, 1:])):
        with pytest.raises(InputError, match="has the shape"):
            objective.value_and_gradient(wrong_U, wrong_V)
    for entries, X in ((slopes[1:], U), (np.r_[slopes, 0], U), (slopes, U[1:]), (slopes, U[:, 0])):
        with pytest.raises(InputError, match="has the shape"):
            objective.matrix_product(entries, X)
    for name in ("target", "weights"):
        for m in (1, payoff.n_pairs - 1, payoff.n_pairs + 1):
            with pytest.raises(InputError, match="one a pair"):
                PairObjective(payoff, CrossEntropy(), **{name: np.ones(m)})


@each_path
def test_entries_need_not_lie_side_by_side_nor_be_floats(path, monkeypatch):
    objective, (U, _) = make(path, monkeypatch, random_payoff(), CrossEntropy()), random_point()
    ones = np.ones(objective._pairs.n_pairs)
    for entries in (np.repeat(ones, 2)[::2], ones.astype(int)):
        np.testing.assert_array_equal(objective.matrix_product(entries, U), objective.matrix_product(ones, U))


@each_path
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda objective: pickle.loads(pickle.dumps(objective))])
def test_a_copy_has_its_own_arrays(path, copied, monkeypatch):
    objective, (U, V) = make(path, monkeypatch, random_payoff(), CrossEntropy()), random_point()
    expected, other = objective.value_and_gradient(U, V), copied(objective)
    # As if the first were gone, and its memory in other use.
    objective._pairs._p.flags.writeable = True
    objective._pairs._p[:] = 1e9
    for a, b in zip(other.value_and_gradient(U, V), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@each_loss
@each_variant
@pytest.mark.parametrize(
    ("n", "scale"), [*itertools.product([N, 150], [1.0, 8.0, 40.0]), pytest.param(1100, 8.0, marks=pytest.mark.slow)]
)
def test_all_paths_agree(loss, variant, n, scale):
    """1100 players have rows longer than what pairs.c takes at once; large scores leave what exp can tell."""
    payoff, options = variants(random_payoff(n=n))[variant]
    (U, V), (dU, dV) = random_point(n=n), random_point(2, n=n)
    seen = []
    for path in ("numpy sparse", "numpy dense", "sparse", "dense"):
        with pytest.MonkeyPatch.context() as monkeypatch:
            objective = make(path, monkeypatch, payoff, loss, **options)
            *first, hessian = objective.second_order(scale * U, V)
            again = objective.value_and_gradient(scale * U, V)
            for a, b in zip(first, again, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
            seen.append([*first, *np.split(hessian.product(np.hstack([dU, dV]).T).T, 2, axis=1), hessian.blocks()])
    for other in seen[1:]:
        for expected, got in zip(seen[0], other, strict=True):
            size = np.abs(expected).max()
            np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12 * size)


@given(p=st.floats(0, 1), x=st.floats(-1e150, 1e150), weight=st.floats(0, 1e6))
def test_one_pair_is_what_the_losses_say(p, x, weight):
    """The exponential and the logarithm of pairs.c, at every score."""
    payoff = Payoff(np.array(["a", "b"]), [0], [1], [p])
    U, V = np.array([[x], [0.0]]), np.array([[0.0], [1.0]])
    for loss in LOSSES:
        with np.errstate(over="ignore"):
            value, slope = loss.value_and_slope(np.array([p]), np.array([x]))
        for weights in (None, np.array([weight])):
            pairs = Pairs(payoff, payoff.p, weights, complete=True)
            slopes, curvatures, times = np.empty(1), np.empty(1), 1.0 if weights is None else weight
            total, _ = pairs.evaluate(loss, np.hstack([U, -V]), np.hstack([V, U]), V, slopes, curvatures)
            # log(1 + exp(x)) - p x is the difference of two numbers of the size of x.
            assert total == pytest.approx(times * value[0], rel=1e-14, abs=1e-15 * times * (1 + abs(x)))
            assert slopes[0] == pytest.approx(times * slope[0], rel=1e-13, abs=1e-15 * times)
            curvature = loss.curvature(np.array([p]), np.array([x]))[0]
            assert curvatures[0] == pytest.approx(times * curvature, rel=1e-12, abs=1e-15 * times)


def test_a_loss_of_ones_own_needs_no_c():
    class Own(CrossEntropy):
        name = "own"

        def curvature(self, p, x):
            return 7 * super().curvature(p, x)

    payoff, (U, V) = random_payoff(), random_point()
    *own, own_hessian = PairObjective(payoff, Own()).second_order(U, V)
    *expected, hessian = PairObjective(payoff, CrossEntropy()).second_order(U, V)
    for a, b in zip(own, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(own_hessian.blocks(), 7 * hessian.blocks(), rtol=1e-12, atol=1e-15)


@each_path
def test_only_observed_pairs_count(path, monkeypatch):
    """A pair of weight 0 and a missing pair are the same."""
    complete = random_payoff(missing=0.0)
    seen = np.random.default_rng(0).random(complete.n_pairs) > 0.4
    U, V = random_point()
    weighted = make(path, monkeypatch, complete, CrossEntropy(), weights=seen.astype(float))
    selected = make(path, monkeypatch, complete.select_pairs(seen), CrossEntropy())
    for a, b in zip(weighted.value_and_gradient(U, V), selected.value_and_gradient(U, V), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


@each_path
@given(
    a=st.floats(-3, 3).filter(lambda a: abs(a) > 0.1), b=st.floats(-3, 3), c=st.floats(-3, 3), seed=st.integers(0, 9)
)
def test_area_preserving_maps_of_the_plane_change_nothing(path, a, b, c, seed):
    """The gauge of one disc game is SL(2): [[a, b], [c, d]] with ad - bc = 1."""
    d = (1 + b * c) / a
    with pytest.MonkeyPatch.context() as monkeypatch:
        objective = make(path, monkeypatch, random_payoff(seed), CrossEntropy())
    U, V = random_point(seed)
    mapped_U, mapped_V = U.copy(), V.copy()
    mapped_U[:, 0], mapped_V[:, 0] = a * U[:, 0] + b * V[:, 0], c * U[:, 0] + d * V[:, 0]
    value, *_ = objective.value_and_gradient(U, V)
    mapped, *_ = objective.value_and_gradient(mapped_U, mapped_V)
    assert mapped == pytest.approx(value, rel=1e-9)


@each_path
def test_swapping_the_roles_of_pairs_changes_nothing(path, monkeypatch):
    objective = make(path, monkeypatch, random_payoff(), SquaredSigmoid())
    U, V = random_point()
    value, gradient_U, gradient_V = objective.value_and_gradient(U, V)
    swapped, swapped_U, swapped_V = objective.value_and_gradient(U[:, ::-1], V[:, ::-1])
    assert swapped == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(swapped_U, gradient_U[:, ::-1], atol=1e-14)
    np.testing.assert_allclose(swapped_V, gradient_V[:, ::-1], atol=1e-14)


def test_which_path_is_taken():
    n = 400
    i = np.arange(n - 1)
    chain = Payoff(np.arange(n).astype(str), i, i + 1, np.full(n - 1, 0.6))
    assert not PairObjective(chain, CrossEntropy()).is_dense
    assert PairObjective(random_payoff(), CrossEntropy()).is_dense
    assert PairObjective(random_payoff(n=150), CrossEntropy()).is_dense
    assert not PairObjective(random_payoff(n=150, missing=0.9), CrossEntropy()).is_dense
    # So few players that all pairs take no time.
    assert PairObjective(random_payoff(n=20, missing=0.9), CrossEntropy()).is_dense


def test_scores_and_extreme_pairs():
    payoff = random_payoff()
    objective = PairObjective(payoff, CrossEntropy())
    U, V = random_point()
    X = U @ V.T - V @ U.T
    np.testing.assert_allclose(objective.scores(U, V), X[payoff.i, payoff.j])
    extreme = objective.extreme_pairs
    np.testing.assert_array_equal(extreme, np.flatnonzero((payoff.p == 0) | (payoff.p == 1)))
    assert len(extreme) == 2
    towards = np.where(payoff.p[extreme] == 1, 1, -1) * X[payoff.i[extreme], payoff.j[extreme]]
    assert objective.exceeds(towards.max() - 1e-9, U, V, extreme)
    assert not objective.exceeds(towards.max() + 1e-9, U, V, extreme)
    # The bound by the components alone.
    assert not objective.exceeds(1e3, U, V, extreme) and objective.exceeds(1e3, 100 * U, 100 * V, extreme)
    assert len(PairObjective(payoff, SquaredLinear()).extreme_pairs) == 0


@each_path
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("n", [2, 3, 149, 150])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_matrix_product(path, sign, n, width, monkeypatch):
    """The slopes, and the curvatures, of the pairs as a matrix."""
    payoff = random_payoff(n=n, certain=n > 3, missing=0.3 if n > 3 else 0.0)
    objective = make(path, monkeypatch, payoff, CrossEntropy())
    (U, V), Z = random_point(n=n), random_point(2, n=n, k=width)[0]
    x = objective.scores(U, V)
    *_, hessian = objective.second_order(U, V)
    for entries, expected in (
        (objective.slopes(U, V), expit(x) - payoff.p),
        (hessian.slopes, expit(x) - payoff.p),
        (hessian.curvatures, expit(x) * expit(-x)),
    ):
        A = np.zeros((n, n))
        A[payoff.i, payoff.j] = expected
        np.testing.assert_allclose(objective.matrix_product(entries, Z, sign), (A + sign * A.T) @ Z, atol=1e-12)


@each_path
@each_variant
def test_elo_is_the_pair_whose_v_is_1(path, variant, monkeypatch):
    payoff, options = variants(random_payoff())[variant]
    objective = make(path, monkeypatch, payoff, CrossEntropy(), **options)
    (U, _), ones, Z = random_point(k=1), np.ones((N, 1)), random_point(2)[0]
    value, gradient, curvatures = objective.elo(U[:, 0])
    expected, gradient_U, _ = objective.value_and_gradient(U, ones)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, gradient_U[:, 0], atol=1e-14)
    np.testing.assert_allclose(
        objective.matrix_product(curvatures, Z, 1.0),
        objective.matrix_product(objective.second_order(U, ones)[3].curvatures, Z, 1.0),
        atol=1e-12,
    )


@each_loss
@each_path
@each_variant
def test_hessian_products_against_finite_differences(loss, path, variant, monkeypatch):
    payoff, options = variants(random_payoff())[variant]
    objective = make(path, monkeypatch, payoff, loss, **options)
    (U, V), (dU, dV), h = random_point(), random_point(2), 1e-5
    *_, hessian = objective.second_order(U, V)
    _, *above = objective.value_and_gradient(U + h * dU, V + h * dV)
    _, *below = objective.value_and_gradient(U - h * dU, V - h * dV)
    for ours, up, down in zip(np.split(hessian.product(np.hstack([dU, dV]).T).T, 2, axis=1), above, below, strict=True):
        np.testing.assert_allclose(ours, (up - down) / (2 * h), rtol=1e-6, atol=1e-9)
    blocks = hessian.blocks()
    for i, a in np.ndindex(N, 2 * K):
        unit = np.zeros((N, 2 * K))
        unit[i, a] = 1
        column = hessian.product(unit.T).T[i]
        np.testing.assert_allclose(blocks[i, :, a], column, atol=1e-14)


def test_one_game_at_a_time_is_equations_8_and_9():
    """The gradient of one pair's loss in (ũ = u/v, v), which the online rule follows."""
    rng = np.random.default_rng(0)
    ratio, v = rng.normal(size=(2, 1)), rng.uniform(0.5, 2, size=(2, 1))
    payoff = Payoff(np.array(["a", "b"]), [0], [1], [0.8])
    _, gradient_U, gradient_V = PairObjective(payoff, CrossEntropy()).value_and_gradient(ratio * v, v)
    # u = ũ v: the chain rule gives the slopes in ũ and in v.
    slope_ratio = gradient_U * v
    slope_v = gradient_V + gradient_U * ratio
    missed = 0.8 - expit(v[0] * v[1] * (ratio[0] - ratio[1]))
    np.testing.assert_allclose(-slope_ratio[0], missed * v[0] * v[1], rtol=1e-12)
    np.testing.assert_allclose(-slope_v[0], missed * v[1] * (ratio[0] - ratio[1]), rtol=1e-12)
