"""Files of NumPy and SciPy as a stream: ``.npy``, memory-mapped, and ``.npz``; never pickles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.lib.npyio import NpzFile

from rosenblatt.streams.core.batch import Batch, first_not_finite
from rosenblatt.streams.core.errors import DataError, NoRowsError, damaged_file
from rosenblatt.streams.core.options import MAX_SPARSE_COLUMNS
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.labels import NumericLabels, is_encodable
from rosenblatt.streams.io.files import NamedFile, local_file
from rosenblatt.utils.arrays import Matrix

_TITLE = "NumPy"
_MAX_LABEL = 2**63 - 1


class ArrayStream(Stream):
    """Rows of an array in a file.

    A ``.npy`` file is one matrix with the labels in one of its columns, and is memory-mapped. A
    ``.npz`` file has the arrays ``X`` and ``y``, or a sparse matrix from ``scipy.sparse.save_npz``,
    with or without ``y``; it is read into memory. Labels are numbers or text; float labels that are
    all integers become int64.

    Parameters
    ----------
    file : NamedFile
        Its format is "npy" or "npz". Of its options, ``target`` is the index of the column of
        labels in ``.npy``, from 0; None: the last column.
        Without ``labelled``, rows have no labels; the column ``target``, or ``y``, is skipped if
        present. ``X`` of a batch has at most ``batch_bytes``.

    Raises
    ------
    DataError
        The file is not an array of numbers, is damaged, contains Python objects, or has no labels.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/a.npy", [[1.5, 2.0, 1], [0.5, 0.0, -1]])
    ...     file = NamedFile("npy", f"{folder}/a.npy", ReadOptions())
    ...     X, y = ArrayStream(file).read()
    >>> X.tolist(), y.tolist()
    ([[1.5, 2.0], [0.5, 0.0]], [1, -1])
    """

    def __init__(self, file: NamedFile) -> None:
        format, name, options, _ = file
        super().__init__(name, format)
        self.labelled = options.labelled
        self._file = local_file(name, _TITLE, options.access)
        self._target_column: int | None = None
        path = self._file.path
        try:
            arrays: tuple[Any, Any] = (
                _load_npz(name, path) if format == "npz" else (open_memmap(path, "r"), None)
            )
        except DataError:
            raise
        except Exception as error:  # a damaged header or archive raises nearly anything
            raise damaged_file(name, _TITLE, error) from error
        X, y = arrays
        _check_matrix(name, X)
        if format == "npy":
            self._target_column = _target_index(name, X.shape[1], options.target, self.labelled)
            self.target = None if self._target_column is None else str(self._target_column)
        elif self.labelled:
            _check_labels(name, y, X.shape[0])
        self._X, self._y = X, y
        self.sparse = not isinstance(X, np.ndarray)
        width = 12 * X.nnz // X.shape[0] if self.sparse else 8 * X.shape[1]
        self._rows = max(1, options.batch_bytes // max(1, width))

    def __iter__(self) -> Iterator[Batch]:
        labels = NumericLabels()
        for start in range(0, self._X.shape[0], self._rows):
            X, y = self._slice(slice(start, start + self._rows))
            if (entry := first_not_finite(X)) is not None:
                row, column, value = entry
                column += self._target_column is not None and column >= self._target_column
                location = f"row {start + row:,}, column {column:,} (from 0)"
                raise DataError(self.name, f"{location}: found {value}, expected a finite number.")
            yield Batch(X, None if y is None else self._convert_labels(y, start, labels), start)

    def _convert_labels(self, y: Any, first_row: int, labels: NumericLabels) -> Any:
        """Return labels as int64, float64 or text; refuse numbers that these cannot represent."""
        kind = y.dtype.kind
        if kind in "fu":
            with np.errstate(over="ignore"):  # of extended precision
                y = y.astype(np.float64) if kind == "f" else y
            good = np.isfinite(y) if kind == "f" else y <= _MAX_LABEL
            if not good.all():
                row = int(np.argmin(good))
                problem = f"row {first_row + row:,} (from 0): found {y[row]}, expected a label"
                raise DataError(self.name, f"{problem}: a finite number, a whole one below 2^63.")
        if kind == "f":
            return labels.convert(y)
        return y if kind == "U" else y.astype(np.int64)

    def _slice(self, rows: slice) -> tuple[Any, Any]:
        """Return a slice of the rows, and their labels."""
        part = self._X[rows]
        if self.sparse:
            X = part.astype(np.float64, copy=False)
        elif self._target_column is None:
            X = np.ascontiguousarray(part, np.float64)
        else:
            X = np.delete(part, self._target_column, axis=1).astype(np.float64, copy=False)
        if not self.labelled:
            return X, None
        y = self._y[rows] if self._target_column is None else part[:, self._target_column]
        return X, y


def _load_npz(name: str, path: str) -> tuple[Any, Any]:
    """Load the matrix of an archive, and its labels."""
    import scipy.sparse as sp

    with open(path, "rb") as file, NpzFile(file, allow_pickle=False) as archive:
        y = archive.get("y")
        if "X" in archive:
            return archive["X"], y
        if "format" not in archive:
            names = ", ".join(archive.files) or "none"
            problem = f"expected the arrays X and y, or a sparse matrix of SciPy's; found {names}."
            raise DataError(name, problem)
    matrix = sp.load_npz(path)
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)  # indices of a damaged matrix may be out of range
    if matrix.shape[1] > MAX_SPARSE_COLUMNS:
        problem = f"has {matrix.shape[1]:,} columns, expected {MAX_SPARSE_COLUMNS:,} at most"
        raise DataError(name, f"{problem}: leave out empty ones, X[:, X.getnnz(axis=0) > 0].")
    X = sp.csr_array(matrix)
    X.sum_duplicates()
    return X, y


def _check_matrix(name: str, X: Matrix) -> None:
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        problem = f"found an array of shape {X.shape} and type {X.dtype}"
        raise DataError(name, f"{problem}, expected a matrix of numbers.")
    if X.shape[0] == 0:
        raise NoRowsError(name, "no rows.")
    if X.shape[1] == 0:
        raise DataError(name, "has no columns.")


def _target_index(name: str, columns: int, target: str | None, labelled: bool) -> int | None:
    """Return the index of the column of labels; None without labels."""
    if target is not None and not re.fullmatch("[0-9]{1,18}", target):
        raise DataError(name, f"target is {target!r}, expected the number of a column, from 0.")
    if not labelled and (target is None or int(target) >= columns):
        return None
    if columns == 1:
        raise DataError(name, "found a single column, expected features and a label.")
    index = columns - 1 if target is None else int(target)
    if index >= columns:
        problem = f"no column {index} for the labels; the columns are 0 to {columns - 1}."
        raise DataError(name, problem)
    return index


def _check_labels(name: str, y: Any, rows: int) -> None:
    if y is None:
        problem = "has no array y, and so no labels: add it, or read the rows without labels."
        raise DataError(name, problem)
    if y.shape != (rows,) or y.dtype.kind not in "biufU":
        actual = f"found y of shape {y.shape} and type {y.dtype}"
        raise DataError(name, f"{actual}, expected numbers or text, one for each of {rows:,} rows.")
    if y.dtype.kind == "U":
        good = [bool(label.strip()) and is_encodable(label) for label in y.tolist()]
        row = None if all(good) else good.index(False)
        if row is not None:
            raise DataError(name, f"row {row:,} (from 0): found {str(y[row])!r}, expected a label.")
