"""The data of a proof: rows of exact numbers, a sign for each row, one digest.

A float is an exact rational number, so input is not rounded: narrower floats and integers are
converted, and an integer without an exact float64 is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.utils import labels as checked_labels
from rosenblatt.utils import matrices
from rosenblatt.utils.checks import rows_of_one_length
from rosenblatt.utils.table_faults import date_fault, table_fault
from rosenblatt.utils.words import count

Array = NDArray[Any]
Label = Any


@dataclass(frozen=True)
class LabelledData:
    """Rows x_i and signs y_i.

    Attributes
    ----------
    X : ndarray (C-ordered) or csr_array (canonical, no zeros stored), float32 or float64, (n, d)
    y : ndarray of shape (n,), float64
        −1.0 and +1.0.
    """

    X: Any
    y: Array

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self.X.shape  # type: ignore[no-any-return]

    def digest(self) -> str:
        """Return the SHA-256 of the numbers and signs: equal for dense and sparse, any float."""
        n, d = self.X.shape
        sha = hashlib.sha256(f"rosenblatt rows {n} {d}\n".encode())
        sha.update(self.y.astype("<f8", copy=False).tobytes())
        step = max(1, _CHUNK // d)
        for start in range(0, n, step):
            lengths, indices, data = _nonzeros(self.X[start : start + step])
            for array, dtype in ((lengths, "<i8"), (indices, "<i8"), (data, "<f8")):
                sha.update(np.ascontiguousarray(array, dtype).tobytes())
        return f"sha256:{sha.hexdigest()}"


_CHUNK = 1 << 20  # numbers hashed at a time; part of the digest, since it orders the bytes


def _nonzeros(X: Any) -> tuple[Array, Array, Array]:
    """Return the number of nonzeros of each row, their column indices and their values."""
    if sp.issparse(X):
        return np.diff(X.indptr), X.indices, X.data
    flat, d = X.reshape(-1), X.shape[1]
    if flat.all():
        return np.full(len(X), d), np.tile(np.arange(d), len(X)), flat
    positions = np.flatnonzero(flat)
    return np.bincount(positions // d, minlength=len(X)), positions % d, flat[positions]


def as_matrix(X: Any) -> Any:
    """Return rows in the form of :class:`LabelledData`.

    Raises
    ------
    ValueError
        No rows or columns, another shape, NaN, infinity, or a number without an exact float64.
    """
    if _is_valid_dense(X):
        return X
    table = X
    try:
        if fault := date_fault(X):
            raise ValueError(fault)
        if not sp.issparse(X):
            X = np.asarray(rows_of_one_length(X))
        _check_fits_float64(X.data if sp.issparse(X) else X)
        X = matrices.as_matrix(X, user="certify")
    except (TypeError, ValueError) as error:
        raise ValueError(table_fault(table) or str(error)) from error
    if not sp.issparse(X):
        return X
    X = sp.csr_array((X.data, X.indices, X.indptr), X.shape)  # its flags are not cached yet
    if not (X.has_canonical_format and X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def _check_fits_float64(values: Array) -> None:
    """Refuse numbers that a conversion to float64 would round."""
    kind = values.dtype.kind
    if kind in "iu":
        big = values[(values > 2**53) | (values < -(2**53))]
        exact = all(value == int(float(value)) for value in big.ravel().tolist())
    elif kind == "O":
        numbers = [value for value in values.ravel().tolist() if not isinstance(value, str)]
        try:
            exact = all(value == float(value) or value != value for value in numbers)
        except OverflowError:
            exact = False
    else:
        exact = kind != "f" or values.itemsize <= 8 or bool((values == values.astype(float)).all())
    if not exact:
        raise ValueError("X holds numbers without an exact float64: they would be rounded.")


def _is_valid_dense(X: Any) -> bool:
    """Return True for a valid dense array, without scikit-learn's slower check."""
    kind = type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)
    if not (kind and X.size and X.flags.c_contiguous):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))  # False with infinity or NaN


def as_labels(y: Any, n: int) -> Array:
    """Return the labels as an array; a wrong number, or regression targets, are a ValueError."""
    labels = y if isinstance(y, np.ndarray) else np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind not in "biuU":  # other arrays are valid labels
        labels = matrices.as_vector(checked_labels.as_labels(y), n)
        if not all(isinstance(label, str | int | float | np.generic) for label in labels.tolist()):
            raise ValueError("y must hold labels of one kind: strings, numbers or booleans.")
    if len(labels) != n:
        raise ValueError(f"X has {count(n, 'row')}, but y has {count(len(labels), 'label')}.")
    return labels


def classes_of(labels: Array) -> list[Label]:
    """Return the distinct labels, sorted, as Python's strings and numbers.

    Raises
    ------
    ValueError
        There is only one, or labels cannot be compared or saved.
    """
    try:
        classes: list[Label] = np.unique(labels).tolist()
    except TypeError:
        raise ValueError("y must hold labels of one kind: strings, numbers or booleans.") from None
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes[0]!r}: separability needs two.")
    for label in classes:
        if not isinstance(label, str | int | float) or not (labels == label).any():
            raise ValueError(f"y must hold strings, numbers or booleans; got {label!r}.")
    return classes


def feature_names(X: Any) -> tuple[str, ...] | None:
    """Return the names of a table's columns, or None for an array."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))
