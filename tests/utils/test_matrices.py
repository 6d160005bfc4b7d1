"""Input becomes the matrices that scikit-learn's check_array returns, or is refused as there."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils import check_array, column_or_1d

from rosenblatt.utils.matrices import (
    all_finite,
    as_csr,
    as_matrix,
    as_vector,
    check_finite,
    check_structure,
)

X = np.array([[1.0, 0.0, 2.5], [0.0, -3.0, 0.5]])
VALID = {
    "float64": X,
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "int": (2 * X).astype(int),
    "bool": X > 0,
    "object": X.astype(object),
    "text": X.astype(str),
    "Fortran order": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "list": X.tolist(),
    "table": pd.DataFrame(X, columns=list("abc")),
    "one row": X[:1],
    "csr_array": sp.csr_array(X),
    "csr_matrix float32": sp.csr_matrix(X.astype(np.float32)),
    "csc": sp.csc_array(X),
    "coo of integers": sp.coo_array((2 * X).astype(int)),
    "no value stored": sp.csr_array((2, 3)),
}
INVALID = {
    "one dimension": X[0],
    "a number": 3.0,
    "three dimensions": X[np.newaxis],
    "no rows": X[:0],
    "no columns": X[:, :0],
    "sparse without rows": sp.csr_array((0, 3)),
    "NaN": np.where(X == 0, np.nan, X),
    "infinity": np.where(X == 0, np.inf, X),
    "sparse NaN": sp.csr_array(np.where(X == 0, np.nan, X)),
    "complex": X.astype(complex),
    "words": [["a", "b"]],
    "None": [[None, 1.0]],
    "ragged": [[1.0], [1.0, 2.0]],
    "beyond float64": [[10**400]],
    "dicts": [[{}]],
}


def checked(X):
    return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")


@pytest.mark.parametrize("name", VALID)
def test_matrices_are_those_of_scikit_learn(name):
    ours, theirs = as_matrix(VALID[name]), checked(VALID[name])
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if sp.issparse(theirs):
        assert ours.format == "csr"
        ours, theirs = ours.toarray(), theirs.toarray()
    else:
        assert ours.flags.c_contiguous
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["float64", "float32", "csr_array", "csr_matrix float32"])
def test_nothing_is_copied_that_fits(name):
    assert as_matrix(VALID[name]) is VALID[name]


@pytest.mark.parametrize("name", INVALID)
def test_what_scikit_learn_refuses_is_refused(name):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        checked(INVALID[name])
    words = "array|number|sample|feature|NaN|infinity|could not|Complex|rows of different lengths"
    with pytest.raises(ValueError, match=words):
        as_matrix(INVALID[name])


@pytest.mark.parametrize("y", [[1, 2], [[1], [2]], np.array(["a", "b"]), pd.Series([True, False])])
def test_vectors(y):
    assert np.array_equal(as_vector(y, 2), column_or_1d(y))


@pytest.mark.parametrize("y", [[1, 2, 3], [[1, 2]], np.zeros((2, 2)), 5, None])
def test_targets_of_another_shape_are_refused(y):
    with pytest.raises(ValueError, match=r"y |samples"):
        as_vector(y, 2)


def test_large_finite_numbers_are_finite():
    check_finite(np.full(9, 1e308), "X")  # the sum overflows
    with pytest.raises(ValueError, match="Input y contains infinity"):
        check_finite(np.array([1.0, np.inf]), "y")


@pytest.mark.parametrize("size", [1, 100, 20_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_whose_sums_overflow_are_finite(size, dtype):
    largest = np.full(size, np.finfo(dtype).max, dtype)
    with warnings.catch_warnings(action="error"):
        assert all_finite(largest)
        for bad in (np.nan, np.inf, -np.inf):
            largest[size // 2] = bad
            assert not all_finite(largest)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_sparse_matrices_of_every_format_become_csr(kind):
    rows = as_csr(sp.csr_array(X).asformat(kind))
    assert rows.format == "csr"
    np.testing.assert_array_equal(rows.toarray(), X)


@pytest.mark.parametrize(
    ("kind", "name", "array", "fault"),
    [
        ("csr", "indptr", [0, 9, 4], "indptr decreases"),
        ("csr", "indptr", [0, 4], "indptr does not span"),
        ("csr", "indices", [0, 2, 1, -1], "a column index lies outside 0 … 2"),
        ("csc", "indices", [0, 1, 0, 2], "a row index lies outside 0 … 1"),
        ("csr", "indices", [[0, 2, 1, 2]], "indices has 2 dimensions"),
        ("coo", "row", [0, 0, 1, 2], "a row index lies outside 0 … 1"),
    ],
)
def test_a_damaged_structure_is_named(kind, name, array, fault):
    damaged = sp.csr_array(X).asformat(kind)
    setattr(damaged, name, np.array(array, np.int32))
    with pytest.raises(ValueError, match=f"X is a damaged sparse matrix: {fault}"):
        check_structure(damaged)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        as_csr(damaged)
