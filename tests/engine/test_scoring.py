"""Scores of rows, alone and together, are summed in the stated order."""

import itertools

import instruction_sets
import numpy as np
import pytest
import scipy.sparse as sp
import score_twin

from rosenblatt._core import matrices as _core
from rosenblatt.engine import state as st
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import RowScorer, predict_codes, products, state_scores

KINDS = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


@KINDS
@pytest.mark.parametrize("columns", [1, 2, 8, 17, 40])
@pytest.mark.parametrize("types", ["ff", "fd", "df", "dd"])
def test_products_are_summed_in_the_stated_order(kind, columns, types):
    rng = np.random.default_rng(columns)
    X = rng.standard_normal((11, 7)).astype(types[0])
    X[rng.random(X.shape) < 0.3] = 0.0
    X[3] = 0.0  # an empty row
    W = rng.standard_normal((7, columns)).astype(types[1])
    found = products(as_rows(kind(X)), W, columns)
    assert found.tobytes() == score_twin.dots(kind(X), W).tobytes()


def bits_of_scores():
    """A digest of scores by one to 70 weight vectors, of every kind of rows and weights."""
    rng, found = np.random.default_rng(0), []
    for columns in (1, 2, 8, 17, 40, 70):
        for dtype, kind in itertools.product("fd", (np.asarray, sp.csr_array)):
            X, W = rng.standard_normal((19, 33)), rng.standard_normal((33, columns))
            X[rng.random(X.shape) < 0.5] = 0.0
            rows = as_rows(kind(X.astype(dtype)))
            found += [products(rows, W.astype(weights), columns) for weights in "fd"]
    return instruction_sets.digest(*found)


def test_a_sum_of_negative_zeros_is_zero():
    X, W = np.zeros((5, 3)), -np.ones((3, 1))
    for kind in (np.asarray, lambda X: sp.csr_array((X.ravel(), [0, 1, 2] * 5, range(0, 16, 3)))):
        assert not np.signbit(products(as_rows(kind(X)), W, 1)).any()


def test_weights_of_any_layout_give_the_same_scores():
    rng = np.random.default_rng(0)
    rows, coef = as_rows(rng.standard_normal((9, 6))), rng.standard_normal((3, 6))
    padded = st.aligned_zeros((6, 8), np.float64)
    padded[:, :3] = coef.T
    frozen = padded.copy()
    frozen.flags.writeable = False
    expected = products(rows, coef.T, 3).tobytes()
    for W in (padded, frozen, np.asfortranarray(padded), padded[:, :3], padded[::-1][::-1]):
        assert products(rows, W, 3).tobytes() == expected


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("columns", [1, 3])
@KINDS
def test_a_row_scores_as_its_matrix(kind, columns, average):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (6, 5)).astype(float)
    state = st.empty(5, columns, average=True)
    state.W[:, :columns] = rng.integers(-4, 5, (5, columns))
    state.U[:, :columns] = rng.integers(-4, 5, (5, columns))
    state.b[:columns], state.ub[:columns], state.t[0] = 1.0, 2.0, 4
    state.area[:], state.scale[:] = 4.0, 0.5
    rows = as_rows(kind(X))
    scorer = RowScorer(state, columns, average=average, tie=0.0)
    W, b = st.weights(state, "average" if average else "last")
    expected = X @ W[:, :columns] + b[:columns]
    codes = predict_codes(expected.ravel() if columns == 1 else expected, 0.0)
    together = state_scores(rows, state, columns, average=average)
    for i in range(len(X)):
        scorer.row_index[0] = i
        np.testing.assert_array_equal(scorer.scores(rows), expected[i])
        assert scorer.latest.tobytes() == together[i].tobytes()
        assert scorer.predict(rows) == codes[i]


@pytest.mark.parametrize(("tie", "code"), [(-1.0, 0), (0.0, 0), (1.0, 1)])
def test_a_zero_is_the_class_of_the_tie(tie, code):
    state = st.empty(1, 1)
    row = as_rows(np.ones((1, 1)))
    assert RowScorer(state, 1, average=False, tie=tie).predict(row) == code
    assert predict_codes(np.zeros(1), tie).tolist() == [code]


def test_the_first_of_equal_scores_wins():
    assert predict_codes(np.array([[1.0, 2.0, 2.0]]), 0.0).tolist() == [1]


def test_arrays_of_another_size_are_refused():
    rows, out = as_rows(np.ones((3, 2))), np.zeros((3, 1))
    for W, target, fault in [
        (np.ones((3, 1)), out, "X must be of 3 columns"),
        (np.ones((2, 3)), out, "one column, or eights"),
        (np.ones((2, 1)), np.zeros((4, 1)), "a row for each row"),
        (np.ones((2, 1)), np.zeros((3, 2)), "a column for each weight vector"),
    ]:
        with pytest.raises(ValueError, match=fault):
            _core.products(rows, W, target)
    scorer = RowScorer(st.empty(2, 1), 1, average=False, tie=0.0)
    scorer.row_index[0] = 3
    for row in (rows, as_rows(np.ones((9, 3))), as_rows(sp.csr_array(np.ones((9, 3))))):
        with pytest.raises(ValueError, match=r"such a row|of 2 columns|outside of their arrays"):
            scorer.predict(row)


def test_the_average_of_no_steps_is_zero():
    rows = as_rows(np.ones((2, 1)))
    assert state_scores(rows, st.empty(1, 1), 1, average=True).tolist() == [[0.0], [0.0]]
