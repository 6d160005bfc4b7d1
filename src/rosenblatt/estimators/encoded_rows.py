"""Rows that are encoded already: those that a model reads from a file, and matrices of numbers."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.column_names import check_same_columns, column_names
from rosenblatt.utils.matrices import as_csr

ENCODED = (
    "RowEncoder takes raw rows, not a sparse matrix without names, whose columns are encoded "
    "already, who knows how: give a DataFrame, dicts or texts, or rows of model.read(source)."
)
_LIBRARIES = ("pandas", "polars", "pyarrow")


def own_columns(reader: RowReader, X: Matrix, *, grows: bool) -> Matrix:
    """Return sparse rows of a stream with the columns of a reader.

    Parameters
    ----------
    reader : RowReader
    X : sparse matrix
        Its first columns are those of the reader.
    grows : bool
        Whether further columns are added to the reader's, or left out.

    Raises
    ------
    TypeError
        The columns have no names, and are not hashed.
    ValueError
        The columns are others, or the matrix is damaged.
    """
    names, own = column_names(X), reader.names
    rows = sp.csr_array(as_csr(X))
    if own is None:
        bits = reader.noted()["bits"] or 0
        if X.shape[1] != 1 << bits:
            raise ValueError(
                f"X has {X.shape[1]:,} columns, but this RowEncoder hashes names to 2^{bits}: give "
                "raw rows, or rows of model.read(source)."
            )
        return rows
    if names is None:
        raise TypeError(ENCODED)
    check_same_columns(names[: len(own)], own, "RowEncoder")
    if grows:
        reader.add_names(names[len(own) :])
        return rows
    return rows[:, : len(own)]


def take_means(reader: RowReader, X: Matrix) -> None:
    """Let the means of a reader go on after rows that a stream has read to be learned.

    Raises
    ------
    ValueError
        The reader has learned other rows since.
    """
    totals = getattr(X, "totals", None)
    if totals is None:
        return
    before, after = totals
    if reader.noted().get("totals", {}) != before:
        raise ValueError(
            "the model has learned other rows since these were read, and with them other means: "
            "read these rows again."
        )
    reader.go_on(after)


def is_matrix(X: Matrix) -> bool:
    """Return whether rows are a matrix of NumPy or another array, or lists of numbers.

    Examples
    --------
    >>> is_matrix(np.eye(2)), is_matrix([[1.0]]), is_matrix(["a text"]), is_matrix([{"x": 1}])
    (True, True, False, False)
    """
    if isinstance(X, np.ndarray):
        return X.ndim != 1 or X.dtype.kind not in "OU"
    if isinstance(X, list | tuple) and X:
        return isinstance(X[0], list | tuple | np.ndarray | int | float)
    library = type(X).__module__.partition(".")[0]
    return hasattr(X, "__array__") and library not in _LIBRARIES
