"""Scores of single rows equal those of the matrix and the state's weights."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.engine import state as st
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import RowScorer, predict_codes


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
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
    for i in range(len(X)):
        scorer.row_index[0] = i
        np.testing.assert_array_equal(scorer.scores(rows), expected[i])
        assert scorer.predict(rows) == codes[i]


@pytest.mark.parametrize(("tie", "code"), [(-1.0, 0), (0.0, 0), (1.0, 1)])
def test_a_zero_is_the_class_of_the_tie(tie, code):
    state = st.empty(1, 1)
    row = as_rows(np.ones((1, 1)))
    assert RowScorer(row, state, 1, average=False, tie=tie).predict(row) == code
    assert predict_codes(np.zeros(1), tie).tolist() == [code]


def test_the_first_of_equal_scores_wins():
    assert predict_codes(np.array([[1.0, 2.0, 2.0]]), 0.0).tolist() == [1]
