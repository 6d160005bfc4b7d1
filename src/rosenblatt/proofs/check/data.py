"""The data of a proof: rows of exact numbers, a sign for each row, one digest.

A float is an exact rational number, so input is not rounded: narrower floats and integers are
converted, and ``Fraction``, ``Decimal`` and integers beyond 2^53 are held as sums of floats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.record import Label
from rosenblatt.proofs.check.rows import ExactRows, ratio, rows_of_ratios
from rosenblatt.utils import labels as checked_labels
from rosenblatt.utils import matrices
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import rows_of_one_length
from rosenblatt.utils.table_faults import date_fault, table_fault
from rosenblatt.utils.words import count


@dataclass(frozen=True)
class LabelledData:
    """Rows x_i and signs y_i.

    Attributes
    ----------
    X : ndarray (C-ordered) or csr_array (canonical, no zeros stored), float32 or float64, (n, d)
    y : ndarray of shape (n,), float64
        −1.0 and +1.0.
    tail, scale
        As in :class:`~rosenblatt.proofs.check.rows.ExactRows`: x = (X + Σ tail) / unit.
    """

    X: Matrix
    y: Array
    tail: tuple[Matrix, ...] = ()
    scale: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self.X.shape  # type: ignore[no-any-return]

    @property
    def rows(self) -> ExactRows:
        """The rows without their signs."""
        return ExactRows(self.X, self.tail, self.scale)

    @property
    def parts(self) -> tuple[Matrix, ...]:
        """The matrices whose sum is unit · x."""
        return self.X, *self.tail

    @property
    def unit(self) -> tuple[int, int]:
        """The number u of unit · (x, 1) = (X + Σ tail, u): an integer and its binary exponent."""
        return self.scale, 1 - self.scale.bit_length()

    def digest(self) -> str:
        """Return the SHA-256 of the numbers and signs: equal for dense and sparse, any float."""
        n, d = self.X.shape
        units = "" if self.scale == 1 else f" over {self.scale:#x}"
        sha = hashlib.sha256(f"rosenblatt rows {n} {d}{units}\n".encode())
        sha.update(self.y.astype("<f8", copy=False).tobytes())
        for part in self.parts:
            step = max(1, _CHUNK // d)
            for start in range(0, n, step):
                lengths, indices, data = _nonzeros(part[start : start + step])
                for array, dtype in ((lengths, "<i8"), (indices, "<i8"), (data, "<f8")):
                    sha.update(np.ascontiguousarray(array, dtype).tobytes())
        return f"sha256:{sha.hexdigest()}"


def labelled(rows: ExactRows, y: Array) -> LabelledData:
    """Return rows with signs."""
    return LabelledData(rows.X, y, rows.tail, rows.scale)


_READ_AT_ONCE = 2**18  # numbers: 2 MB of floats, which fit in a core's cache
_CHUNK = 1 << 20  # numbers hashed at a time; part of the digest, since it orders the bytes


def _nonzeros(X: Matrix) -> tuple[Array, Array, Array]:
    """Return the number of nonzeros of each row, their column indices and their values."""
    if sp.issparse(X):
        return np.diff(X.indptr), X.indices, X.data
    flat, d = X.reshape(-1), X.shape[1]
    if flat.all():
        return np.full(len(X), d), np.tile(np.arange(d), len(X)), flat
    positions = np.flatnonzero(flat)
    return np.bincount(positions // d, minlength=len(X)), positions % d, flat[positions]


def row_chunks(X: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Yield the rows in chunks, as float64; a sparse matrix is one chunk.

    Examples
    --------
    >>> [(rows.start, part.shape) for rows, part in row_chunks(np.ones((5, 2**17), np.float32))]
    [(0, (2, 131072)), (2, (2, 131072)), (4, (1, 131072))]
    """
    n, d = X.shape
    step = n if sp.issparse(X) else max(1, _READ_AT_ONCE // d)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        part = X if step >= n else X[rows]
        yield rows, part.astype(np.float64, copy=False)


def dense_block(X: Matrix, rows: Array, columns: Array | slice = slice(None)) -> Array:
    """Return rows and columns of a dense or sparse matrix as a dense float64 array."""
    part = X[rows][:, columns]
    return (part.toarray() if sp.issparse(X) else part).astype(np.float64, copy=False)  # type: ignore[no-any-return]


def exact_rows(X: Matrix) -> ExactRows:
    """Return rows of numbers, each exactly.

    Parameters
    ----------
    X : array, list, table or sparse matrix of shape (n, d)
        Floats, integers, and in arrays of objects and lists also ``Fraction`` and ``Decimal``.

    Raises
    ------
    ValueError
        No rows or columns, another shape, NaN, infinity, or numbers with too many digits.

    Examples
    --------
    >>> exact_rows([[Decimal("0.1")]]).numbers, exact_rows([[2**64 + 1]]).numbers
    ('decimal', 'decimal')
    >>> exact_rows([[Fraction(1, 3)]]).numbers, exact_rows([[0.1]]).numbers
    ('rational', 'binary64')
    """
    if isinstance(X, ExactRows):
        return X
    if _is_valid_dense(X):
        return ExactRows(X)
    table = X
    try:
        if fault := date_fault(X):
            raise ValueError(fault)
        X = _canonical(matrices.as_csr(X)) if sp.issparse(X) else _as_array(X)
        values = _values(X)
        if _fit_float64(values):
            return ExactRows(matrices.as_matrix(X, user="certify"))
        floats = matrices.as_matrix(_with_floats(X), user="certify")
        ratios = [
            ratio(value) or rounded.as_integer_ratio()  # a number in a string is its float
            for value, rounded in zip(
                values.ravel().tolist(), _values(floats).ravel().tolist(), strict=True
            )
        ]
        return rows_of_ratios(floats, *zip(*ratios, strict=True))
    except (TypeError, ValueError) as error:
        raise ValueError(table_fault(table) or str(error)) from error


def _as_array(X: Matrix) -> Array:
    """Return an array of the numbers of a list or a table; of objects where floats round them."""
    array = np.asarray(rows_of_one_length(X))
    if not isinstance(X, np.ndarray) and array.dtype.kind == "f" and array.size:
        with np.errstate(invalid="ignore"):
            if (np.abs(array) >= 2**53).any():  # may have been integers: 2^53 is 2^53 + 1, rounded
                return _as_objects(X)
    return array


def _as_objects(X: Matrix) -> Array:
    """Return an array of the numbers as they are; the array of a whole table would have one type.

    In that type, float64, whole numbers beside floats are rounded: a table is read by its columns.
    """
    if not hasattr(X, "columns"):
        return np.asarray(X, dtype=object)
    columns = (column for _, column in X.items()) if hasattr(X, "items") else iter(X)  # polars
    return np.column_stack([np.asarray(column, dtype=object) for column in columns])


def _values(X: Matrix) -> Array:
    return X.data if sp.issparse(X) else X  # type: ignore[no-any-return]


def _with_floats(X: Matrix) -> Matrix:
    """Return X with the nearest floats; NaN and infinity as they are."""
    values = _values(X)
    try:
        flat = np.array([float(value) for value in values.ravel().tolist()])
    except OverflowError as error:
        raise ValueError("X holds a number that is too large: use other units.") from error
    numbers = flat.reshape(values.shape)
    return sp.csr_array((numbers, X.indices, X.indptr), X.shape) if sp.issparse(X) else numbers


def _canonical(X: Matrix) -> Matrix:
    """Return a sparse matrix with sorted columns, each once, and no zeros."""
    X = sp.csr_array((X.data, X.indices, X.indptr), X.shape)  # its flags are not cached yet
    if not (X.has_canonical_format and X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def _fit_float64(values: Array) -> bool:
    """Return False for numbers that float64 would round, of kinds whose exact value is known."""
    kind = values.dtype.kind
    if kind in "iu":
        big = values[(values > 2**53) | (values < -(2**53))]
        return all(value == int(float(value)) for value in big.ravel().tolist())
    if kind == "O":
        return all(_fits_float64(value) for value in values.ravel().tolist())
    if kind == "f" and values.itemsize > 8 and not bool((values == values.astype(float)).all()):
        raise ValueError("X holds numbers without an exact float64: they would be rounded.")
    return True


def _fits_float64(value: object) -> bool:
    """Return False for a number that float64 would round; True for anything else."""
    if not isinstance(value, int | Fraction | Decimal | np.integer):
        return True
    if (pair := ratio(value)) is None:  # NaN or infinity, which the conversion refuses
        return True
    try:
        return (float(value)).as_integer_ratio() == pair
    except OverflowError:
        return False


def _is_valid_dense(X: Matrix) -> bool:
    """Return True for a valid dense array, without scikit-learn's slower check."""
    kind = type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)
    if not (kind and X.size and X.flags.c_contiguous):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))  # False with infinity or NaN


def as_labels(y: ArrayLike, n: int) -> Array:
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


def feature_names(X: Matrix) -> tuple[str, ...] | None:
    """Return the names of a table's columns, or None for an array."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))
