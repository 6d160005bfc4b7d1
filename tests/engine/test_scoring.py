"""Scores of rows, alone and together, are summed in the stated order."""

import numpy as np
import pytest
import scipy.sparse as sp
import score_twin
from engine_modes import in_both

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
    plain, compiled = in_both(lambda: products(as_rows(kind(X)), W, columns))
    expected = score_twin.dots(kind(X), W).tobytes()
    assert plain.tobytes() == expected
    assert compiled.tobytes() == expected


@KINDS
@pytest.mark.parametrize("columns", [1, 3])
def test_long_rows_are_summed_in_the_same_order(kind, columns):
    """NumPy takes them in several chunks, and its sums of many numbers would be in pairs."""
    rng = np.random.default_rng(0)
    X, W = rng.standard_normal((40, 5000)), rng.standard_normal((5000, columns))
    plain, compiled = in_both(lambda: products(as_rows(kind(X)), W, columns))
    assert plain.tobytes() == compiled.tobytes()
    assert plain[:1].tobytes() == score_twin.dots(kind(X[:1]), W).tobytes()


def test_a_sum_of_negative_zeros_is_zero():
    X, W = np.zeros((5, 3)), -np.ones((3, 1))
    for kind in (np.asarray, lambda X: sp.csr_array((X.ravel(), [0, 1, 2] * 5, range(0, 16, 3)))):
        for scores in in_both(lambda: products(as_rows(kind(X)), W, 1)):  # noqa: B023
            assert not np.signbit(scores).any()


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
    scorer = RowScorer(rows, state, columns, average=average, tie=0.0)
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
    assert RowScorer(row, state, 1, average=False, tie=tie).predict(row) == code
    assert predict_codes(np.zeros(1), tie).tolist() == [code]


def test_the_first_of_equal_scores_wins():
    assert predict_codes(np.array([[1.0, 2.0, 2.0]]), 0.0).tolist() == [1]
