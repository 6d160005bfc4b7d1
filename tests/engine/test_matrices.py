"""Conversion of matrices to rows: checks, repairs, refusals and copies."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import Perceptron
from rosenblatt._core import matrices as _core
from rosenblatt.engine.matrices import as_compact_rows, as_rows, canonical, store_zeros
from rosenblatt.engine.rows import CSR, Dense


def dense_of(rows, n, d):
    """Return the matrix of sparse rows, entry by entry."""
    X = np.zeros((n, d))
    for i in range(n):
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            X[i, rows.indices[p]] += rows.data[p]
    return X


def csr(data, indices, indptr, d, index=np.int32):
    X = sp.csr_array((len(indptr) - 1, d))
    X.data, X.indices = np.array(data, float), np.array(indices, index)
    X.indptr = np.array(indptr, index)
    return X


def unaligned(array):
    """Return an equal array whose bytes begin at an odd address, as some that came by network."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_at_odd_addresses_are_learned_and_predicted(rng, dtype):
    X = np.where(rng.random((40, 7)) < 0.5, rng.normal(size=(40, 7)), 0.0).astype(dtype)
    y = np.arange(40) % 3
    sparse = sp.csr_array(X)
    sparse.data, sparse.indices, sparse.indptr = map(
        unaligned, (sparse.data, sparse.indices, sparse.indptr)
    )
    whole = Perceptron(max_iter=3, tol=None).fit(X, y)
    for rows in (unaligned(X), sparse):
        model = Perceptron(max_iter=3, tol=None).fit(rows, y)
        assert model.coef_.tobytes() == whole.coef_.tobytes()
        model.coef_ = unaligned(model.coef_)
        assert (model.decision_function(rows) == whole.decision_function(X)).all()


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_canonical_matrix_is_not_copied(index):
    X = csr([1, 2, 3], [0, 2, 1], [0, 2, 2, 3], 3, index)
    rows = as_rows(X)
    assert np.shares_memory(rows.data, X.data)
    assert np.shares_memory(rows.indices, X.indices) == (index == np.int32)
    assert rows.indices.dtype == np.uint32
    assert rows.indptr.dtype == np.int64


@pytest.mark.parametrize("claims", [True, False], ids=["claims order", "claims nothing"])
@pytest.mark.parametrize("indices", [[2, 0, 1], [1, 1, 0]], ids=["unsorted", "repeated"])
def test_the_flags_of_a_matrix_are_not_trusted(indices, claims):
    X = csr([1, 2, 4], indices, [0, 2, 3], 3)
    wanted = X.toarray()
    if claims:
        X.has_sorted_indices = X.has_canonical_format = True
    before = X.indices.copy()
    rows = as_rows(X)
    np.testing.assert_array_equal(dense_of(rows, 2, 3), wanted)
    assert all(np.diff(rows.indices[rows.indptr[0] : rows.indptr[1]].astype(int)) > 0)
    np.testing.assert_array_equal(X.indices, before)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [
        ([0, 3, 1], [0, 2, 3]),
        ([0, -1, 1], [0, 2, 3]),
        ([-1, 1, 1], [0, 2, 3]),
        ([0, 1, 2], [0, 4, 3]),
        ([0, 1, 2], [0, 2, 9]),
        ([0, 1, 2], [0, 2]),
        ([0, 1, 2], [1, 2, 3]),
        ([0, 1, 2], [0, -1, 3]),
        ([0, 1, 2], [0, 2, -(2**31)]),
    ],
)
def test_a_damaged_matrix_is_refused_by_fit_and_partial_fit(indices, indptr):
    X = csr([1, 2, 3], indices, [0, 2, 3], 3)
    X.indptr = np.array(indptr, np.int32)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        as_rows(X)
    model = Perceptron().partial_fit(np.eye(3)[:2], [0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=r"damaged|inconsistent|index"):
        model.partial_fit(X, [0, 1])
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.parametrize("name", ["indices", "indptr"])
@pytest.mark.parametrize("dtype", [np.int16, np.uint64, np.float64, bool])
def test_indices_of_other_types_are_refused(name, dtype):
    X = csr([1, 2, 3], [0, 1, 2], [0, 2, 3], 3)
    setattr(X, name, getattr(X, name).astype(dtype))
    with pytest.raises(ValueError, match=f"{name} is {np.dtype(dtype)}, not int32 or int64"):
        as_rows(X)


def test_entries_after_the_last_row_are_ignored():
    X = csr([1, 2, 3, 9], [1, 0, 2, 77], [0, 2, 3], 3)
    np.testing.assert_array_equal(dense_of(as_rows(X), 2, 3), [[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_batch_that_is_not_finite_is_refused(bad):
    X = sp.csr_array(np.eye(3))
    model = Perceptron().partial_fit(X, [0, 1, 1])
    X.data[1] = bad
    for work in (lambda: model.partial_fit(X, [0, 1, 1]), lambda: model.predict(X)):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            work()


@given(st.integers(1, 30), st.integers(1, 40), st.floats(0, 1), st.integers(0, 99))
def test_compact_rows_equal_the_matrix(n, d, share, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < share)
    rows = as_compact_rows(X)
    if np.count_nonzero(X) <= 0.25 * X.size:
        assert isinstance(rows, CSR)
    if np.count_nonzero(X) > 0.3 * X.size:
        assert isinstance(rows, Dense)
    if isinstance(rows, CSR):
        np.testing.assert_array_equal(dense_of(rows, n, d), X)
        assert (rows.data != 0).all()


def test_a_matrix_denser_than_its_sample_stays_dense():
    X = np.ones((4000, 50))
    X[::4] = 0.0  # the sample sees these rows alone
    assert isinstance(as_compact_rows(X), Dense)


def test_a_canonical_matrix_is_returned_itself_whatever_its_flags_say():
    clean = csr([1.0, 2.0], [0, 2], [0, 1, 2], 3)
    clean.has_canonical_format = False
    assert canonical(clean) is clean
    twice = csr([1.0, 2.0, -5.0], [2, 0, 2], [0, 3], 3)
    twice.has_sorted_indices = twice.has_canonical_format = True
    once = canonical(twice)
    assert (once.data.tolist(), once.indices.tolist()) == ([2.0, -4.0], [0, 2])
    assert twice.nnz == 3
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        canonical(csr([1.0], [7], [0, 1], 3))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_stored_zeros_change_no_value(kind, share):
    random = np.random.RandomState(1)
    X = random.randn(30, 8).astype(np.float32) * (random.rand(30, 8) < share)
    rows, columns = kind(X), np.arange(8) % 3 == 1
    filled = store_zeros(rows, columns)
    assert type(filled) is kind
    assert filled.dtype == np.float32
    np.testing.assert_array_equal(filled.toarray(), X)
    assert canonical(filled) is filled
    counts = np.bincount(filled.indices, minlength=8)
    np.testing.assert_array_equal(counts, np.where(columns, 30, np.count_nonzero(X, axis=0)))
    assert store_zeros(filled, columns) is filled
    assert store_zeros(rows, np.zeros(8, bool)) is rows


def has_sound_rows(indices, indptr, capacity, d):
    """Twin: contiguous rows within the capacity, with increasing indices below d."""
    stop = int(indptr[-1])
    if indptr[0] != 0 or stop > capacity or (indptr[1:] < indptr[:-1]).any():
        return False
    rows = [indices[a:b].astype(int) for a, b in itertools.pairwise(indptr)]
    return all((np.diff(row) > 0).all() and (row < d).all() for row in rows)


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=5), st.integers(1, 6))
@thorough(200)
def test_the_structure_is_judged_as_by_its_twin(columns_of_rows, d):
    indices = np.array([j for row in columns_of_rows for j in row], np.uint32)
    indptr = np.concatenate([[0], np.cumsum([*map(len, columns_of_rows)])]).astype(np.int64)
    for pointers in (indptr, indptr[::-1].copy(), indptr + 1):
        for capacity in (len(indices), max(0, len(indices) - 1)):
            arguments = indices, pointers, capacity, d
            assert _core.is_canonical(*arguments) == has_sound_rows(*arguments)


@pytest.mark.parametrize(
    ("name", "array", "fault"),
    [
        ("X", np.zeros((2, 3), np.int64), "another type"),
        ("X", np.zeros(3), "two-dimensional"),
        ("X", np.zeros((3, 2)).T, "in C order"),
        ("indices", np.zeros(5, np.uint32), "of length 6"),
        ("indices", np.zeros(6, np.int32), "another type"),
        ("data", np.zeros(6, ">f8"), "another type"),
        ("data", np.zeros(6).view(), "may be written"),
        ("indptr", np.zeros(2, np.int64), "of length 3"),
    ],
)
def test_the_core_refuses_arrays_of_another_kind(name, array, fault):
    arrays = {
        "X": np.zeros((2, 3)),
        "data": np.zeros(6),
        "indices": np.zeros(6, np.uint32),
        "indptr": np.zeros(3, np.int64),
    }
    _core.compress(**arrays)
    array.flags.writeable = fault != "may be written"
    with pytest.raises(ValueError, match=f"{name} must be .*{fault}"):
        _core.compress(**arrays | {name: array})


def test_columns_are_counted_in_32_bits():
    wide = sp.csr_array((np.ones(1), np.array([2**32 - 1]), np.array([0, 1])), (1, 2**32))
    assert as_rows(wide).indices.tolist() == [2**32 - 1]
    wide = sp.csr_array((np.ones(1), np.array([2**32]), np.array([0, 1])), (1, 2**32 + 1))
    with pytest.raises(ValueError, match="X has 4,294,967,297 columns, more than 2³²"):
        as_rows(wide)
