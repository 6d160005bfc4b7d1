"""The state's arrays under changes of features, classes and weights, and in mixtures."""

import numpy as np
import pytest

from rosenblatt.engine import state as st
from rosenblatt.engine.state import LANES
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import OWN_FIELDS


def filled(d, columns, seed=0, **kept):
    """A state with random numbers in every array."""
    rng, result = np.random.default_rng(seed), st.empty(d, columns, **kept)
    for array in st.arrays_of(result).values():
        array[:] = rng.integers(1, 9, array.shape)
    result.active[:] = np.arange(len(result.active)) < columns
    return result


EVERYTHING = {
    "average": True,
    "truncated": True,
    "pocket": True,
    "own": OWN_FIELDS["confident"] | OWN_FIELDS["rescaling"],
}


@pytest.mark.parametrize("columns", [1, 3, LANES + 1])
def test_resizing_keeps_the_first_features_and_adds_zeros(columns):
    small = filled(3, columns, **EVERYTHING)
    large = st.resize_features(small, 7)
    for name, array in st.arrays_of(large).items():
        old = st.arrays_of(small)[name]
        np.testing.assert_array_equal(array[: len(old)], old)
        if array.ndim == 2:
            assert array.shape[0] == 7
            assert not array[3:].any()
    for name, array in st.arrays_of(st.resize_features(large, 3)).items():
        np.testing.assert_array_equal(array, st.arrays_of(small)[name])


@pytest.mark.parametrize("columns", [1, 3])
def test_resizing_keeps_covariances_and_adds_the_prior(columns):
    small = st.empty(2, columns, own=OWN_FIELDS["full"])
    S, P = small.own["S"], small.W.shape[1]
    S[:] = np.arange(S.size).reshape(S.shape)
    large = st.resize_features(small, 4)
    squares = large.own["S"].reshape(5, 5, P)
    np.testing.assert_array_equal(squares[:3, :3], S.reshape(3, 3, P))
    assert not squares[3:, :3].any()
    assert not squares[:3, 3:].any()
    np.testing.assert_array_equal(squares[3:, 3:], np.eye(2)[:, :, None] * np.ones(P))
    np.testing.assert_array_equal(st.resize_features(large, 2).own["S"], S)


NUMBERS = {
    "sums": Field(two_classes="mirrored", alone=True),
    "wealth": Field(initial=3.0),
    "wealth.b": Field("columns", initial=3.0),
}


def test_new_features_and_classes_have_the_first_values_that_a_rule_declares():
    before = filled(2, 1, own=NUMBERS)
    large = st.insert_column(st.resize_features(before, 4), 1, 0)
    sums, wealth = before.own["sums"], before.own["wealth"]
    np.testing.assert_array_equal(large.own["sums"][:2, 1:3], sums * [-1.0, 1.0])
    np.testing.assert_array_equal(large.own["wealth"][:2, 1:3], wealth.repeat(2, axis=1))
    assert (large.own["wealth"][2:] == 3.0).all()
    assert (large.own["wealth"][:, 0] == 3.0).all()
    assert large.own["wealth.b"][0] == 3.0
    assert not large.own["sums"][2:].any()


def test_what_follows_from_the_weights_starts_anew_and_the_rest_is_kept_or_missing():
    confident, rescaling = OWN_FIELDS["confident"], OWN_FIELDS["rescaling"]
    state = filled(2, 1, own=confident)
    both = st.for_rule(state, rescaling)
    assert both.own.keys() == confident.keys() | rescaling.keys()
    assert both.own["C"] is state.own["C"]
    assert both.own["norms"].tolist() == [-1.0]
    assert st.for_rule(both, {}).own.keys() == confident.keys()
    assert st.for_rule(state, confident) is state
    assert st.for_rule(st.empty(2, 1), NUMBERS).own == {}
    assert st.for_rule(filled(2, 1, own=NUMBERS), {}).own.keys() == {"wealth", "wealth.b"}


def test_weights_that_follow_from_numbers_of_a_rule_cannot_be_set():
    state = filled(2, 1, own=NUMBERS)
    W, b = state.W.copy(), state.b.copy()
    st.set_weights(state, W, b)
    for changed in ((W + 1.0, None), (None, b + 1.0)):
        with pytest.raises(ValueError, match="the weights follow from other numbers"):
            st.set_weights(state, *changed)
    np.testing.assert_array_equal(state.W, W)


def test_resizing_leaves_arrays_without_rows():
    assert st.resize_features(st.empty(2, 1), 5).U.shape == (0, 1)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_second_class_mirrors_the_vector_of_two(position):
    before = filled(4, 1, **EVERYTHING)
    after = st.insert_column(before, 1, position)
    others = [k for k in range(3) if k != position]
    np.testing.assert_array_equal(after.W[:, others], before.W * [-1.0, 1.0])
    assert not after.W[:, position].any()
    assert after.area[position] == before.t[0]
    assert after.active.tolist() == [True] * 3 + [False] * (LANES - 3)
    assert after.updates[others].tolist() == [0, before.updates[0]]
    np.testing.assert_array_equal(after.own["C"][:, others], before.own["C"].repeat(2, axis=1))
    assert not after.own["C"][:, position].any()
    assert after.own["cb"][others].tolist() == 2 * before.own["cb"].tolist()
    assert after.own["norms"].tolist() == [-1.0] * LANES


def test_a_new_class_moves_the_columns_after_it():
    before = filled(4, 3)
    after = st.insert_column(before, 3, 1)
    np.testing.assert_array_equal(after.W[:, [0, 2, 3]], before.W[:, :3])
    np.testing.assert_array_equal(after.mistakes[[0, 2, 3]], before.mistakes[:3])
    assert not after.W[:, 1].any()


def test_new_weights_leave_the_average_of_the_past():
    state = filled(4, 1, average=True)
    past, past_b = state.area * state.W - state.U, state.t * state.b - state.ub
    st.set_weights(state, np.full((4, 1), 2.0), np.array([3.0]))
    np.testing.assert_array_equal(state.W, 2.0)
    np.testing.assert_array_equal(state.area * state.W - state.U, past)
    np.testing.assert_array_equal(state.t * state.b - state.ub, past_b)


def test_skipped_examples_count_for_the_average():
    state = filled(2, 1)
    t, area, scale = state.t[0], state.area.copy(), state.scale.copy()
    st.skip_examples(state, 5)
    assert state.t[0] == t + 5
    np.testing.assert_array_equal(state.area, area + 5 * scale)


@pytest.mark.parametrize(("run", "source"), [((2, 3), "candidate"), ((4, 3), "last")])
def test_without_counted_errors_the_pocket_has_the_longest_run(run, source):
    state = filled(3, 1, pocket=True)
    state.pocket_errors[:] = np.inf
    state.run[:] = run
    state.scale[:] = 1.0
    W, b = st.weights(state, "pocket")
    expected = state.champion_W if source == "candidate" else state.W
    np.testing.assert_array_equal(W, expected)
    np.testing.assert_array_equal(b, state.champion_b if source == "candidate" else state.b)
    state.pocket_errors[:] = 3.0
    assert st.weights(state, "pocket")[0] is state.pocket_W


def test_an_output_that_was_not_kept_is_refused():
    with pytest.raises(ValueError, match="The average was not kept while learning"):
        st.weights(filled(2, 1), "average")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_norm_is_summed_in_float64(dtype):
    W = np.full((1000, 3), 1e-3, dtype)
    assert st.frobenius_norm(W) == pytest.approx(np.sqrt(3000.0) * float(dtype(1e-3)), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 1), (1, 1), (15, 1), (37, 8), (1000, 1)])
def test_a_norm_adds_sixteen_partial_sums_in_pairs(shape, dtype):
    W = np.random.default_rng(0).normal(size=shape).astype(dtype)
    squares = np.zeros(-(-W.size // 16) * 16)
    squares[: W.size] = W.ravel().astype(float) ** 2
    sums = np.zeros(16)
    for row in squares.reshape(-1, 16):
        sums += row
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    assert st.frobenius_norm(W) == np.sqrt(sums[0])


@pytest.mark.parametrize("position", [0, 20])
def test_a_norm_says_whether_weights_or_only_their_sum_left_the_range(position):
    W = np.full((21, 1), 1e200)
    assert st.frobenius_norm(W) == np.inf
    for value in (np.inf, -np.inf, np.nan):
        W[position] = value
        assert np.isnan(st.frobenius_norm(W))
