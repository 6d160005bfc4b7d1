"""Conversion of NumPy and SciPy matrices to rows, without a copy if their layout allows.

The structure of a sparse matrix is checked once, in one pass: the loops check no bounds.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._core.matrices import compress, is_canonical
from rosenblatt.engine.rows import CSR, Dense, Rows
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.matrices import check_index, check_structure


def as_rows(X: Matrix) -> Rows:
    """Return the rows of a matrix, without a copy if its layout allows.

    Parameters
    ----------
    X : ndarray or scipy CSR matrix of shape (n, d), float32 or float64
        May be read-only or memory-mapped: rows are never written.

    Returns
    -------
    Dense or CSR

    Raises
    ------
    ValueError
        The structure of a sparse matrix points outside of its arrays.

    Examples
    --------
    >>> import numpy as np
    >>> as_rows(np.eye(2)).X.shape
    (2, 2)
    """
    if isinstance(X, np.ndarray):
        return Dense(readonly(X))
    for name in ("indices", "indptr"):
        check_index(getattr(X, name), name)
    indptr, indices = readonly(X.indptr.astype(np.int64, copy=False)), _unsigned(X)
    capacity = min(len(X.data), len(indices))
    if len(indptr) != X.shape[0] + 1 or not is_canonical(indices, indptr, capacity, X.shape[1]):
        return as_rows(_sum_duplicates(X))
    return CSR(readonly(X.data), indices, indptr)


def canonical(X: Matrix) -> Matrix:
    """Return a CSR matrix with increasing columns in every row; duplicates count as their sum.

    Parameters
    ----------
    X : scipy CSR matrix of shape (n, d), float32 or float64

    Returns
    -------
    X itself if it is canonical, whatever its flags say; else a copy.

    Raises
    ------
    ValueError
        The structure of the matrix points outside of its arrays.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> canonical(sp.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))).data
    array([3.])
    """
    rows: Matrix = as_rows(X)
    return X.tocsr() if np.may_share_memory(rows.data, X.data) else _sum_duplicates(X)


def _sum_duplicates(X: Matrix) -> Matrix:
    check_structure(X)
    X = X.tocsr().copy()
    X.has_sorted_indices = X.has_canonical_format = False  # the flags may be wrong
    X.sum_duplicates()
    return X


def store_zeros(X: Matrix, columns: Array) -> Matrix:
    """Return a CSR matrix whose rows store an entry of each of some columns, if only a zero.

    Parameters
    ----------
    X : scipy CSR matrix of shape (n, d)
        Canonical.
    columns : ndarray of shape (d,), bool

    Returns
    -------
    X itself if it stores them already; else a canonical copy.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array([[0.0, 2.0, 1.0], [3.0, 0.0, 0.0]])
    >>> X = store_zeros(X, np.array([True, False, True]))
    >>> X.indices.tolist(), X.data.tolist()
    ([0, 1, 2, 0, 2], [0.0, 2.0, 1.0, 3.0, 0.0])
    """
    sizes, indices = np.diff(X.indptr), X.indices[: X.indptr[-1]]
    (required,) = np.nonzero(columns)
    stored = columns[indices]
    lacks = np.ones((X.shape[0], len(required)), np.bool_)
    if np.count_nonzero(stored) == lacks.size:
        return X
    rows, number = np.repeat(np.arange(X.shape[0]), sizes), np.cumsum(columns) - columns
    lacks[rows[stored], number[indices[stored]]] = False
    lacking = np.hstack((np.zeros((X.shape[0], 1), np.int64), np.cumsum(lacks, axis=1)))
    before = np.cumsum(lacking[:, -1]) - lacking[:, -1]  # new entries of the rows before each
    moved = np.arange(len(indices)) + before[rows] + lacking[rows, number[indices]]
    is_new = np.ones(lacks.sum() + len(indices), np.bool_)
    is_new[moved] = False
    data, new_indices = np.zeros(len(is_new), X.dtype), np.empty(len(is_new), indices.dtype)
    data[moved], new_indices[moved] = X.data[: X.indptr[-1]], indices
    new_indices[is_new] = np.tile(required, X.shape[0])[lacks.ravel()]
    indptr = np.concatenate([[0], np.cumsum(sizes + lacking[:, -1])]).astype(X.indptr.dtype)
    return type(X)((data, new_indices, indptr), shape=X.shape)


MAX_DENSITY = 0.3
"""The density (share of values that are not zero) below which several epochs are faster on CSR."""


def as_compact_rows(X: Matrix) -> Rows:
    """Return the rows of a matrix; of a dense matrix that is mostly zeros, as CSR.

    For several classes and several epochs: every score adds the same products in the same order,
    so the weights keep their bits, and less memory is read. The density is estimated from about a
    thousand rows.

    Parameters
    ----------
    X : ndarray or scipy CSR matrix of shape (n, d), float32 or float64

    Returns
    -------
    Dense or CSR

    Examples
    --------
    >>> import numpy as np
    >>> as_compact_rows(np.eye(8)).data
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    if not isinstance(X, np.ndarray):
        return as_rows(X)
    sample = X[:: max(1, len(X) // 1000)]
    if np.count_nonzero(sample) > MAX_DENSITY * sample.size:
        return as_rows(X)
    capacity = int(MAX_DENSITY * X.size) + X.shape[1]  # pages that are not written cost nothing
    indptr = np.zeros(len(X) + 1, np.int64)
    try:
        data, indices = np.empty(capacity, X.dtype), np.empty(capacity, np.uint32)
    except MemoryError:
        return as_rows(X)
    if not compress(readonly(X), data, indices, indptr):
        return as_rows(X)
    return CSR(readonly(data[: indptr[-1]]), readonly(indices[: indptr[-1]]), readonly(indptr))


def readonly(array: Array) -> Array:
    """Return a read-only view as a plain ndarray, C-ordered and aligned; a copy where it is not.

    Arrays that came through a network or a pickle may begin at any byte.
    """
    view = np.require(array, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def _unsigned(X: Matrix) -> Array:
    """Return the column indices as uint32: the one type that the loops take."""
    if X.shape[1] > 2**32:
        raise ValueError(f"X has {X.shape[1]:,} columns, more than 2³²: hash its features.")
    if X.indices.itemsize == 8:
        check_structure(X)  # the type of 32 bits would hide columns beyond it
        return readonly(X.indices.astype(np.uint32))
    return readonly(X.indices).view(np.uint32)
