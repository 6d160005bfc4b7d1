"""Conversion of input to matrices of floats, dense or CSR, and of targets to vectors.

Sparse matrices are recognised by their attributes, so that SciPy is not imported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import rows_of_one_length, within_float64

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
"""The types of numbers that are learned; other ones become the first."""

_ROW = 10_000


def is_sparse(X: object) -> bool:
    """Return True for a sparse matrix or array of SciPy, in any format.

    Examples
    --------
    >>> is_sparse(np.eye(2))
    False
    """
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def check_structure(X: Matrix) -> None:
    """Refuse a sparse matrix whose structure points outside of its arrays.

    SciPy checks nothing of arrays that were set after the matrix was built: its loops would read
    and write beyond them. Every function that takes sparse rows calls this before SciPy's loops.

    Parameters
    ----------
    X : anything
        What is no sparse matrix, or of a format without index arrays, is accepted.

    Raises
    ------
    ValueError
        The message says which array is wrong.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(2))
    >>> X.indices[1] = 7
    >>> check_structure(X)
    Traceback (most recent call last):
        ...
    ValueError: X is a damaged sparse matrix: a column index lies outside 0 … 1.
    """
    kind = getattr(X, "format", None) if is_sparse(X) else None
    if kind == "coo":
        _check_coordinates(X)
    elif kind == "lil":
        _check_lists(X)
    elif kind in ("csr", "csc", "bsr"):
        _check_compressed(X, kind)


def as_csr(X: Matrix) -> Matrix:
    """Return a sparse matrix of any format as CSR; its structure is checked.

    Raises
    ------
    ValueError
        The matrix is damaged, or has another number of dimensions than two.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> as_csr(sp.coo_array(np.eye(2))).format
    'csr'
    """
    check_structure(X)
    if getattr(X, "format", None) == "csr":
        return X
    rows = X.tocsr()
    check_structure(rows)  # lists of columns are not checked before
    return rows


def _check_compressed(X: Matrix, kind: str) -> None:
    if len(X.shape) != 2:
        return  # the shape is refused later, by its own message
    majors, minors = X.shape if kind != "csc" else X.shape[::-1]
    word = "row" if kind == "csc" else "column"
    if kind == "bsr":
        majors, minors, word = majors // X.data.shape[1], minors // X.data.shape[2], "block"
    check_index(X.indices, "indices")
    check_index(X.indptr, "indptr")
    pointers, capacity = X.indptr, min(len(X.indices), len(X.data))
    if len(pointers) != majors + 1 or pointers[0] != 0 or not 0 <= pointers[-1] <= capacity:
        raise _damaged("indptr does not span indices and data")
    if (pointers[1:] < pointers[:-1]).any():  # a difference could overflow
        raise _damaged("indptr decreases")
    _check_range(X.indices[: pointers[-1]], minors, word)


def _check_lists(X: Matrix) -> None:
    """Of rows and data alike: the columns are checked once they are arrays."""
    if not len(X.rows) == len(X.data) == X.shape[0]:
        raise _damaged("it has not a list of columns and one of data for each row")
    if any(len(columns) != len(data) for columns, data in zip(X.rows, X.data, strict=True)):
        raise _damaged("a row has not as many columns as numbers")


def _check_coordinates(X: Matrix) -> None:
    for index, size, word in zip(X.coords, X.shape, ("row", "column"), strict=False):
        check_index(index, f"the {word} indices")
        _check_range(index, size, word)


def check_index(index: Array, name: str) -> None:
    """Refuse an index array of another type than SciPy's int32 and int64, or not of one dimension.

    Raises
    ------
    ValueError
        The message names the array.
    """
    if index.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise _damaged(f"{name} is {index.dtype}, not int32 or int64")
    if index.ndim != 1:
        raise _damaged(f"{name} has {index.ndim} dimensions, not 1")


def _check_range(index: Array, size: int, word: str) -> None:
    if len(index) and (index.min() < 0 or index.max() >= size):
        raise _damaged(f"a {word} index lies outside 0 … {size - 1}")


def _damaged(fault: str) -> ValueError:
    return ValueError(f"X is a damaged sparse matrix: {fault}.")


def as_matrix(X: Matrix, dtypes: Sequence[Any] = FLOATS, user: str = "a learner") -> Matrix:
    """Return a matrix as a C-ordered array, or as CSR, of finite floats.

    Parameters
    ----------
    X : array, list, table or sparse matrix of shape (n, d), n ≥ 1, d ≥ 1
        It is returned itself where nothing has to be converted.
    dtypes : sequence of dtypes
        Types that are kept; a matrix of another type is converted to the first.
    user : str
        The function or class that needs the matrix, for the messages.

    Raises
    ------
    ValueError
        The input has another shape, no rows or no columns, or a value that is no finite real
        number, or is a damaged sparse matrix.

    Examples
    --------
    >>> as_matrix([[1, 2]])
    array([[1., 2.]])
    >>> as_matrix([[1.0, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: Input X contains NaN.
    """
    kept = tuple(np.dtype(dtype) for dtype in dtypes)
    if is_sparse(X):
        X = as_csr(X)
        _check_real(X.dtype)
        X = X if X.dtype in kept else X.astype(kept[0])
        values = X.data
    else:
        X = values = _dense(X, kept)
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: X has the shape {X.shape}. Reshape "
            "it: (-1, 1) for a single feature, (1, -1) for a single row."
        )
    for count, kind in zip(X.shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {kind}(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {user}."
            )
    check_finite(values, "X")
    return X


def _dense(X: Matrix, kept: tuple[np.dtype[Any], ...]) -> Array:
    array = np.asarray(rows_of_one_length(X))
    _check_real(array.dtype)
    dtype = array.dtype if array.dtype in kept else kept[0]
    try:
        with within_float64("X or y"):
            return np.ascontiguousarray(array, dtype) if array.ndim else array
    except TypeError as error:
        raise ValueError(f"X has a value that is no number: {error}.") from error


def _check_real(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise ValueError("Complex data not supported: pass real and imaginary parts as columns.")


def all_finite(values: Array) -> bool:
    """Return True if no value is NaN or infinite.

    Examples
    --------
    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    # Sums take less time than a test of each, but may overflow. Of a row, ‖x‖² takes a quarter of
    # the time of a sum; of more numbers, BLAS would start threads.
    if values.size <= _ROW:
        total = np.vdot(values, values)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
    return math.isfinite(total) or bool(np.isfinite(values).all())


def check_finite(values: Array, name: str) -> None:
    """Refuse NaN and infinity.

    Raises
    ------
    ValueError
        The message names the array.
    """
    if all_finite(values):
        return
    kind = values.dtype
    problem = "NaN" if np.isnan(values).any() else f"infinity or a value too large for {kind!r}"
    raise ValueError(f"Input {name} contains {problem}.")


def as_vector(y: ArrayLike | None, n: int) -> Array:
    """Return the targets of n rows as a vector.

    Parameters
    ----------
    y : array or list of shape (n,) or (n, 1)
    n : int

    Raises
    ------
    ValueError
        The input has another shape or length.

    Examples
    --------
    >>> as_vector([[1], [2]], 2)
    array([1, 2])
    """
    if y is None:
        raise ValueError("y is missing: the labels or targets of the rows are needed.")
    array = np.asarray(y)
    if array.ndim != 1 and array.size != len(np.atleast_1d(array)):
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if array.size != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n}, {array.size}]"
        )
    return array.ravel()
