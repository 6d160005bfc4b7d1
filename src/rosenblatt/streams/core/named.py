"""Matrices that know the names of their columns, as long as they have the same columns.

A model compares these names with its own (:func:`rosenblatt.utils.column_names`), since a file's
categories become columns in the order in which they appear. A selection of rows has the names;
the result of anything else is a matrix without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.utils.arrays import Matrix


class NamedArray(np.ndarray[Any, Any]):
    """Dense matrix with ``columns``, the names of its columns; arithmetic gives plain arrays.

    Examples
    --------
    >>> X = with_columns(np.eye(3), ["a", "b", "c"])
    >>> X[1:].columns, X[:, 1:].columns, type(X + 1.0).__name__
    (('a', 'b', 'c'), None, 'ndarray')
    """

    columns: tuple[str, ...] | None = None

    def __getitem__(self, key: Any) -> Any:
        return _named_rows(super().__getitem__(key), key, self.columns)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if array is self:  # X += 1 has the same columns
            return array
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> Any:
        return with_columns, (np.asarray(self), self.columns)


class NamedCSR(sp.csr_array):
    """Sparse matrix with ``columns``, the names of its columns.

    Examples
    --------
    >>> X = with_columns(sp.csr_array(np.eye(2)), ["a", "b"])
    >>> X[[1]].columns, X[:, [1]].columns
    (('a', 'b'), None)
    """

    columns: tuple[str, ...] | None = None

    def __getitem__(self, key: object) -> Any:
        return _named_rows(super().__getitem__(key), key, self.columns)


def with_columns(X: Matrix, names: Sequence[str] | None) -> Matrix:
    """Return a view of a dense or CSR matrix that knows the names of its columns.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    names : sequence of d str, or None
        None: X itself.
    """
    if names is None:
        return X
    named = (
        NamedCSR((X.data, X.indices, X.indptr), shape=X.shape)
        if sp.issparse(X)
        else np.asarray(X).view(NamedArray)
    )
    named.columns = tuple(names)
    return named


def _named_rows(part: object, key: object, names: tuple[str, ...] | None) -> Any:
    """Return what ``X[key]`` is, with names where it is a selection of rows."""
    if names is None or getattr(part, "ndim", 0) != 2:
        return part
    rows_only = not isinstance(key, tuple) or (
        len(key) == 2 and (key[1] is Ellipsis or _is_all(key[1]))
    )
    return with_columns(part, names) if rows_only else part


def _is_all(key: object) -> bool:
    return isinstance(key, slice) and key == slice(None)
