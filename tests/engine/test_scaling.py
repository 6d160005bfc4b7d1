"""Running moments of the columns, and rows scaled by them: against NumPy."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.engine.matrices import as_rows, store_zeros
from rosenblatt.engine.scaling import (
    deviations,
    empty_moments,
    scale,
    scale_in_turn,
    widened_moments,
)

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(60, 5) * [1.0, 100.0, 1e5, 0.0, 1.0] + [0.0, 50.0, 1e6, 3.0, 0.0]
X[RANDOM.rand(60, 5) < 0.4] = 0.0
X[:, 3] = 3.0
ORDER = RANDOM.permutation(60)


def standardised(X, order):
    """Twin: every row by the mean and standard deviation of the rows up to it."""
    Z = np.zeros_like(X)
    for n, i in enumerate(order):
        rows = X[order[: n + 1]].astype(np.float64)
        spread = rows.std(axis=0)
        Z[i] = (X[i] - rows.mean(axis=0)) / np.where(spread < 1e-9, 1.0, spread)
    return Z


def evened(X, order):
    """Twin: every value by the root mean square of the nonzero values up to it."""
    Z = np.zeros_like(X)
    for n, i in enumerate(order):
        rows = X[order[: n + 1]].astype(np.float64)
        squares, n_seen = np.sum(rows * rows, axis=0), np.count_nonzero(rows, axis=0)
        Z[i] = X[i] / np.sqrt(np.where(squares == 0.0, 1.0, squares) / np.maximum(n_seen, 1))
    return Z


def run_dense(X, *, dense=True):
    moments, Z = empty_moments(X.shape[1], dense=dense), np.zeros_like(X)
    scale(as_rows(X), ORDER, moments, Z)
    return Z, moments


def run_sparse(X, centred=()):
    moments = empty_moments(X.shape[1], dense=False, centred=centred)
    rows = as_rows(store_zeros(sp.csr_array(X), moments.centred))
    z = np.zeros_like(rows.data)
    scale(rows, ORDER, moments, z)
    return sp.csr_array((z, rows.indices, rows.indptr), X.shape).toarray(), moments


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_are_standardised_by_the_rows_up_to_them(dtype):
    Z, moments = run_dense(X.astype(dtype))
    tolerance = 1e-9 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(Z, standardised(X.astype(dtype), ORDER), atol=tolerance)
    assert Z.dtype == dtype
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(
        deviations(moments), np.where(X.std(axis=0) < 1e-9, 1.0, X.std(axis=0)), rtol=1e-6
    )
    assert (Z[:, 3] == 0.0).all()  # a constant column


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_divided_by_the_size_of_the_values(dtype):
    Z, moments = run_sparse(X.astype(dtype))
    np.testing.assert_allclose(Z, evened(X.astype(dtype), ORDER), rtol=1e-6)
    assert (Z[:, 3] == 1.0).all()
    assert moments.n_seen.tolist() == np.count_nonzero(X, axis=0).tolist()
    assert not moments.mean.any()


def test_dense_rows_without_a_mean_are_scaled_as_sparse_ones():
    (Z, moments), (Z_sparse, moments_sparse) = run_dense(X, dense=False), run_sparse(X)
    np.testing.assert_array_equal(Z, Z_sparse)
    for array, same in zip(moments, moments_sparse, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centred", [[0, 2], [0, 1, 2, 3, 4]])
def test_centred_columns_of_sparse_rows_are_standardised(centred, dtype):
    rows = X.astype(dtype)
    Z, moments = run_sparse(rows, centred)
    wanted, wanted_moments = run_dense(rows)
    plain, plain_moments = run_sparse(rows)
    others = np.setdiff1d(np.arange(5), centred)
    np.testing.assert_array_equal(Z[:, centred], wanted[:, centred])
    np.testing.assert_array_equal(Z[:, others], plain[:, others])
    for array, dense, sparse in zip(moments[:4], wanted_moments, plain_moments, strict=False):
        np.testing.assert_array_equal(array[centred], dense[centred])
        np.testing.assert_array_equal(array[others], sparse[others])


def test_a_column_of_ones_is_unchanged_in_sparse_rows():
    hot = (RANDOM.rand(30, 4) < 0.3).astype(float)
    rows, moments = as_rows(sp.csr_array(hot)), empty_moments(4, dense=False)
    z = np.zeros_like(rows.data)
    scale(rows, np.arange(30), moments, z)
    assert (z == 1.0).all()


def welford(X, counted):
    """Twin: every value, in turn, by the moments up to it, where it counts."""
    Z, (n_seen, mean, squares) = np.zeros_like(X), np.zeros((3, X.shape[1]))
    for i, j in itertools.product(ORDER, range(X.shape[1])):
        x = np.float64(X[i, j])
        if not counted and x == 0.0:
            continue
        n_seen[j] += 1
        distance = x - mean[j]
        mean[j] += distance / n_seen[j] if counted else 0.0
        squares[j] += distance * (x - mean[j])
        spread = np.sqrt(squares[j] / n_seen[j]) if squares[j] > 0.0 else 1.0
        Z[i, j] = (x - mean[j]) / spread
    return Z, mean, squares


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("run", [run_dense, run_sparse])
def test_the_bits_are_those_of_the_twin(run, dtype):
    Z, moments = run(X.astype(dtype))
    twin = welford(X.astype(dtype), counted=run is run_dense)
    for array, expected in zip((Z, moments.mean, moments.squares), twin, strict=True):
        assert array.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
def test_rows_are_scaled_before_and_after_others_are_added(dense):
    """Row first + k by the moments of the rows that were added before it."""
    learned, first = np.array([0, -1, 7, 3]), 20
    stored = X if dense else sp.csr_array(X)
    rows, past, moments = as_rows(stored), *(empty_moments(5, dense=dense) for _ in range(2))
    P, Z, after = (np.zeros_like(rows[0]) for _ in range(3))
    scale_in_turn(rows, learned, first, moments, P, Z)
    before = P if dense else sp.csr_array((P, *rows[1:]), X.shape).toarray()
    for k, i in enumerate(learned):
        expected = (X[first + k] - past.mean) / deviations(past)
        np.testing.assert_array_equal(before[first + k], expected)
        if i >= 0:
            scale(rows, np.array([i]), past, after)
    np.testing.assert_array_equal(Z, after)
    for array, same in zip(moments, past, strict=True):
        np.testing.assert_array_equal(array, same)


def test_rows_that_do_not_exist_are_refused():
    moments, Z = empty_moments(5, dense=True), np.zeros_like(X)
    for order in ([60], [-1]):
        with pytest.raises(ValueError, match="order must be below 60"):
            scale(as_rows(X), np.array(order), moments, Z)
    with pytest.raises(ValueError, match="learned must be of the rows"):
        scale_in_turn(as_rows(X), np.array([60]), 0, moments, Z, Z)
    with pytest.raises(ValueError, match="first and learned"):
        scale_in_turn(as_rows(X), np.zeros(2, np.int64), 59, moments, Z, Z)
    with pytest.raises(ValueError, match="Z must be of length 60"):
        scale(as_rows(X), ORDER, moments, Z[1:])
    assert not moments.n_seen.any()


def test_moments_without_scaled_rows_are_the_same():
    _, wanted = run_dense(X)
    moments = empty_moments(5, dense=True)
    scale(as_rows(X), ORDER, moments, None)
    for array, same in zip(moments, wanted, strict=True):
        np.testing.assert_array_equal(array, same)


def test_wider_moments_keep_their_columns():
    _, moments = run_dense(X)
    wider = widened_moments(moments, 7)
    for array, before in zip(wider[:3], moments[:3], strict=True):
        assert array.tolist() == [*before.tolist(), 0, 0]
    assert wider.dense.tolist() == [True]
    assert wider.centred.all()
    assert deviations(wider)[5:].tolist() == [1.0, 1.0]
