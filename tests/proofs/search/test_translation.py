"""Rows moved towards 0: which columns, exactly, and what stays as it is."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search.translation import moved_back, translated


def labelled(X):
    return LabelledData(X, np.where(np.arange(X.shape[0]) % 2 == 0, -1.0, 1.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_every_difference_is_exact(dtype, sign):
    rng = np.random.default_rng(0)
    X = (sign * (1e6 + rng.normal(size=(50, 4)) * 10.0 ** np.arange(1, 5))).astype(dtype)
    moved, origin = translated(labelled(X))
    assert moved.X.dtype == dtype
    assert origin.tolist() == X[0].astype(float).tolist()
    for row, given in zip(moved.X.tolist(), X.tolist(), strict=True):
        pairs = zip(row, given, origin.tolist(), strict=True)
        assert all(Fraction(a) == Fraction(b) - Fraction(c) for a, b, c in pairs)


def test_columns_that_gain_nothing_stay():
    X = np.array([[0.0, -3.0, 5.0, 100.0], [1.0, 4.0, 9.0, 0.0]])
    data = labelled(X)
    moved, origin = translated(data)
    assert moved is data
    assert origin is None


def test_a_constant_column_becomes_zero():
    moved, origin = translated(labelled(np.array([[7.7e15, 1.0], [7.7e15, 0.0]])))
    assert moved.X.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert origin.tolist() == [7.7e15, 0.0]


def test_sparse_columns_with_zeros_stay_and_the_matrix_stays_sparse():
    X = sp.csr_array([[1e9, 0.0, 2e9], [1e9 + 1, 3e9, 2e9], [1e9 + 2, 3e9, 2e9]])
    moved, origin = translated(labelled(X))
    assert origin.tolist() == [1e9, 0.0, 2e9]
    assert moved.X.toarray().tolist() == [[0.0, 0.0, 0.0], [1.0, 3e9, 0.0], [2.0, 3e9, 0.0]]
    assert moved.X.nnz == 4
    assert X.nnz == 8
    few = labelled(sp.csr_array([[1e9, 0.0], [0.0, 3e9]]))
    assert translated(few) == (few, None)


def test_the_offset_moves_back():
    w = [Fraction(1, 3), Fraction(2)]
    b = moved_back(w, Fraction(5), np.array([3e15, 0.0]))
    assert b == 5 - 10**15
