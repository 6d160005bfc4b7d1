"""The store of support rows: dense, sparse, or row numbers of a precomputed kernel."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.steps import ensure_capacity
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.matrices import is_sparse


class KernelRows(NamedTuple):
    """The left or the right argument of a kernel function.

    Attributes
    ----------
    rows : ndarray or CSR array of shape (n, d)
        For a precomputed kernel, rows of the kernel matrix on the left, and column numbers,
        shape (n,), on the right.
    norms : ndarray of shape (n,)
        ‖x‖² or ‖x‖₁ of each row, as the kernel needs it.
    """

    rows: Matrix
    norms: Array

    def chunks(self, size: int) -> Iterator[KernelRows]:
        """Yield the rows, ``size`` at a time."""
        for first in range(0, self.rows.shape[0], size):
            part = slice(first, first + size)
            yield KernelRows(self.rows[part], self.norms[part])


class Support:
    """A growing store of rows, each in a slot; equal rows share one.

    Parameters
    ----------
    template : ndarray or CSR array of shape (n, d)
        Type, dtype and width of the rows to store.
    precomputed : bool, default=False
        Store row numbers only, for a precomputed kernel.

    Attributes
    ----------
    size : int
        Number of slots in use.

    Examples
    --------
    >>> support = Support(np.zeros((0, 2)))
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> support.add(X, np.array([0, 1]), np.zeros(2))
    >>> [support.find(key) for key in support.keys(X, [2])]
    [0]
    >>> support.matrix()
    array([[1., 2.],
           [3., 4.]])
    """

    def __init__(self, template: Matrix, precomputed: bool = False) -> None:
        self.size = 0
        self._slots: dict[bytes, int] = {}
        self._norms = np.zeros(0)
        self._store: _DenseRows | _SparseRows
        if precomputed:
            self._store = _RowNumbers(np.zeros(0, np.int64))
        else:
            self._store = (_SparseRows if is_sparse(template) else _DenseRows)(template)

    def keys(self, X: Matrix, index: Array) -> list[bytes]:
        """Return a hash of each row ``X[index]``; equal rows have equal keys."""
        return [
            hashlib.blake2b(row, digest_size=16).digest() for row in self._store.bytes(X, index)
        ]

    def find(self, key: bytes) -> int:
        """Return the slot of the row with this key, or −1."""
        return self._slots.get(key, -1)

    def match(
        self, X: Matrix, index: Array, rows: Array, first_of: dict[bytes, int], block: Any
    ) -> None:
        """Set ``block.first_equal`` and ``block.slot`` of some ``rows`` of a block of ``X[index]``.

        ``first_of`` has the first row with each key that was looked up before.
        """
        keys = self.keys(X, index[rows])
        for row, key in zip(rows.tolist(), keys, strict=True):
            block.first_equal[row] = first_of.setdefault(key, row)
            if block.first_equal[row] == row:
                block.slot[row] = self.find(key)

    def add(self, X: Matrix, index: Array, norms: Array) -> None:
        """Store the rows ``X[index]``, which are not stored yet, in the next slots."""
        self.assign(self.size + np.arange(len(index)), X, index, norms)

    def assign(self, slots: Array, X: Matrix, index: Array, norms: Array) -> None:
        """Store the rows ``X[index]`` in these slots, ascending, new ones or reused ones."""
        if len(slots) == 0:
            return
        if slots[0] < self.size:
            for key in self.keys(self.matrix(), slots[slots < self.size]):
                self._slots.pop(key, None)
        self._slots.update(zip(self.keys(X, index), slots.tolist(), strict=True))
        self._store.assign(slots, X, index)
        size = max(self.size, int(slots[-1]) + 1)
        self._norms = ensure_capacity(self._norms, size)
        self._norms[slots] = norms
        self.size = size

    def as_stored(self, X: Matrix) -> Matrix:
        """Return X as dense or sparse, like the stored rows."""
        sparse = isinstance(self._store, _SparseRows)
        if sparse == is_sparse(X):
            return X
        if not sparse:
            return X.toarray()
        import scipy.sparse as sp

        return sp.csr_array(X)

    def shared(self) -> Support:
        """Return a support that appends to the same rows, and alone has those that it adds.

        The rows of this one stay as they are, also for a thread that reads them meanwhile.
        """
        return copy.copy(self)

    def copied(self) -> Support:
        """Return a deep copy."""
        return copy.deepcopy(self)

    def widen(self, d: int) -> None:
        """Extend the rows to d features; new features are zero."""
        self._store.widen(d)

    def truncate_to(self, size: int) -> None:
        """Drop the rows from slot ``size`` on."""
        self.size = size
        self._store.truncate_to(size)
        self._slots = {key: slot for key, slot in self._slots.items() if slot < size}

    def kernel_rows(self, slots: Array | slice = slice(None)) -> KernelRows:
        """Return the rows of a slice or an array of slots, as right argument of a kernel."""
        if isinstance(slots, slice):
            slots = slice(*slots.indices(self.size))
        return KernelRows(self._store.get(slots), self._norms[slots])

    def matrix(self) -> Matrix:
        """Return all rows, shape (size, d)."""
        return self._store.get(slice(0, self.size))


class _DenseRows:
    """Rows of an array."""

    def __init__(self, template: Array) -> None:
        self.rows = template[:0].copy()

    def bytes(self, X: Array, index: Array) -> list[bytes]:
        return [(X[i] + 0.0).tobytes() for i in index]  # −0 and 0 are equal

    def assign(self, slots: Array, X: Array, index: Array) -> None:
        self.rows = ensure_capacity(self.rows, int(slots[-1]) + 1)
        self.rows[slots] = X[index]

    def get(self, slots: Array | slice) -> Array:
        rows: Array = self.rows[slots]
        return rows

    def widen(self, d: int) -> None:
        self.rows = np.pad(self.rows, ((0, 0), (0, d - self.rows.shape[1])))

    def truncate_to(self, size: int) -> None:
        """Leave the rows: what is stored in their slots next overwrites them."""


class _RowNumbers(_DenseRows):
    """Row numbers of a precomputed kernel: of its matrix, or of a list of row numbers."""

    def bytes(self, X: Array, index: Array) -> list[bytes]:
        return [np.int64(i).tobytes() for i in (index if X.ndim == 2 else X[index])]

    def assign(self, slots: Array, X: Array, index: Array) -> None:
        super().assign(slots, np.arange(len(X)) if X.ndim == 2 else X, index)

    def widen(self, d: int) -> None:
        """A kernel matrix has no features to come."""


class _SparseRows:
    """Rows of a CSR matrix, in arrays with spare capacity."""

    def __init__(self, template: Matrix) -> None:
        self.width, self.matrix_type = template.shape[1], type(template)
        self.data = np.zeros(0, template.data.dtype)
        self.indices = np.zeros(0, template.indices.dtype)
        self.starts = np.zeros(1, np.int64)

    def bytes(self, X: Matrix, index: Array) -> list[bytes]:
        keys = []
        for i in index:
            piece = slice(X.indptr[i], X.indptr[i + 1])
            nonzero = X.data[piece] != 0.0
            columns, values = X.indices[piece][nonzero], X.data[piece][nonzero]
            keys.append(columns.astype(np.int64).tobytes() + values.tobytes())
        return keys

    def assign(self, slots: Array, X: Matrix, index: Array) -> None:
        stored = len(self.starts) - 1
        if slots[0] < stored:
            self._replace_rows(slots[slots < stored], X[index[slots < stored]])
        added = X[index[slots >= stored]]
        begin = self.starts[-1]
        end = begin + added.indptr[-1]
        self.data = ensure_capacity(self.data, end)
        self.indices = ensure_capacity(self.indices, end)
        self.data[begin:end], self.indices[begin:end] = added.data, added.indices
        self.starts = np.concatenate([self.starts, begin + added.indptr[1:]])

    def _replace_rows(self, slots: Array, rows: Matrix) -> None:
        """Replace rows by others, of other lengths."""
        import scipy.sparse as sp

        both = sp.vstack([self.get(slice(None)), rows], format="csr")
        order = np.arange(len(self.starts) - 1)
        order[slots] = len(order) + np.arange(len(slots))
        merged = both[order]
        self.data, self.indices = merged.data, merged.indices
        self.starts = merged.indptr.astype(np.int64)

    def widen(self, d: int) -> None:
        self.width = d

    def truncate_to(self, size: int) -> None:
        self.starts = self.starts[: size + 1]

    def get(self, slots: Array | slice) -> Any:
        starts = self.starts
        rows = (self.data[: starts[-1]], self.indices[: starts[-1]], starts)
        return self.matrix_type(rows, shape=(len(starts) - 1, self.width))[slots]
