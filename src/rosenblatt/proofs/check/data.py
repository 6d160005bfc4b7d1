"""Rows with two labels, as a proof means them: exact numbers, a sign for each row, one digest.

A float is an exact rational number, so nothing is rounded on the way in: narrower floats and whole
numbers are widened, and a whole number that no float64 holds is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

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
        """SHA-256 of the numbers and signs: the same for dense and sparse, float32 and float64."""
        n, d = self.X.shape
        sha = hashlib.sha256(f"rosenblatt rows {n} {d}\n".encode())
        sha.update(self.y.astype("<f8", copy=False).tobytes())
        step = max(1, _CHUNK // d)
        for start in range(0, n, step):
            lengths, indices, data = _nonzeros(self.X[start : start + step])
            for array, dtype in ((lengths, "<i8"), (indices, "<i8"), (data, "<f8")):
                sha.update(np.ascontiguousarray(array, dtype).tobytes())
        return f"sha256:{sha.hexdigest()}"


_CHUNK = 1 << 20  # numbers that are hashed at a time: dense rows and sparse ones alike


def _nonzeros(X: Any) -> tuple[Array, Array, Array]:
    """How many numbers of each row are not zero, where they stand, and themselves."""
    if sp.issparse(X):
        return np.diff(X.indptr), X.indices, X.data
    flat = X.reshape(-1)
    positions = np.flatnonzero(flat)
    d = X.shape[1]
    return np.bincount(positions // d, minlength=len(X)), positions % d, flat[positions]


def as_matrix(X: Any) -> Any:
    """Rows as :class:`LabelledData` keeps them.

    Raises
    ------
    ValueError
        No rows or columns, another shape, NaN, infinity, or a number that no float64 holds.
    """
    if _is_valid_dense(X):
        return X
    if not sp.issparse(X):
        X = np.asarray(X)
    _check_fits_float64(X.data if sp.issparse(X) else X)
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums what is finite
        X = check_array(
            X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", estimator="certify"
        )
    if not sp.issparse(X):
        return X
    X = sp.csr_array((X.data, X.indices, X.indptr), X.shape)  # says nothing of itself yet
    if not (X.has_canonical_format and X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def _check_fits_float64(values: Array) -> None:
    """Refuse numbers that float64 would round."""
    kind = values.dtype.kind
    if kind in "iu":
        big = values[(values > 2**53) | (values < -(2**53))]
        exact = all(value == int(float(value)) for value in big.ravel().tolist())
    elif kind == "O":
        numbers = [value for value in values.ravel().tolist() if not isinstance(value, str)]
        exact = all(value == float(value) or value != value for value in numbers)
    else:
        exact = kind != "f" or values.itemsize <= 8 or bool((values == values.astype(float)).all())
    if not exact:
        raise ValueError("X holds numbers that no float64 holds: they would be rounded.")


def _is_valid_dense(X: Any) -> bool:
    """Whether rows are surely what they should be: asking takes as long as deciding a small set."""
    kind = type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)
    if not (kind and X.size and X.flags.c_contiguous):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))  # of infinite and NaN it is neither


def as_labels(y: Any, n: int) -> Array:
    """Labels, one a row.

    Raises
    ------
    ValueError
        Their number is not that of the rows, or they are not classes.
    """
    labels = y if isinstance(y, np.ndarray) else np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind not in "biuU":  # others are surely labels
        with np.errstate(invalid="ignore"):
            labels = column_or_1d(labels)
            check_classification_targets(labels)
        if not all(isinstance(label, str | int | float | np.generic) for label in labels.tolist()):
            raise ValueError("y must hold labels of one kind: strings, numbers or booleans.")
    if len(labels) != n:
        raise ValueError(f"X has {n} rows, but y has {len(labels)} labels.")
    return labels


def classes_of(labels: Array) -> list[Label]:
    """The different labels, sorted, as Python's own strings and numbers.

    Raises
    ------
    ValueError
        There is one only, or they cannot be told apart or written down.
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
    """The names of a table's columns, where it has them."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))
