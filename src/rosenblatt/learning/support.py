"""The rows that moved the weights, each kept once, whatever it is stored as."""

from __future__ import annotations

import copy
import hashlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.steps import ensure_capacity

Array = NDArray[Any]


class KernelRows(NamedTuple):
    """Rows on one side of a kernel.

    Attributes
    ----------
    rows : ndarray or CSR array of shape (n, d)
        Of a kernel that was computed beforehand: on the left its rows, on the right the numbers of
        its columns.
    norms : ndarray of shape (n,)
        What the kernel asks of each row alone.
    """

    rows: Any
    norms: Array


class Support:
    """Rows that grow in number; equal rows are one.

    Parameters
    ----------
    template : ndarray or CSR array of shape (n, d)
        What the rows will be taken from.
    precomputed : bool, default=False
        Keep the rows' numbers only: the kernel was computed beforehand.

    Attributes
    ----------
    size : int
        How many there are.

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

    def __init__(self, template: Any, precomputed: bool = False) -> None:
        self.size = 0
        self._slots: dict[bytes, int] = {}
        self._norms = np.zeros(0)
        self._store: _RowIndices | _DenseRows | _SparseRows
        if precomputed:
            self._store = _RowIndices()
        else:
            self._store = (
                _DenseRows(template) if isinstance(template, np.ndarray) else _SparseRows(template)
            )

    def keys(self, X: Any, index: Any) -> list[bytes]:
        """What rows of X are known by: equal rows have equal keys."""
        return [
            hashlib.blake2b(row, digest_size=16).digest() for row in self._store.bytes(X, index)
        ]

    def find(self, key: bytes) -> int:
        """The slot of the row with this key, or −1."""
        return self._slots.get(key, -1)

    def match(
        self, X: Any, index: Array, rows: Array, first_of: dict[bytes, int], block: Any
    ) -> None:
        """Write the twins and slots of rows of a block into ``block.twin`` and ``block.slot``.

        ``index`` has the line of X of every row of the block, ``first_of`` the first row with each
        key that was looked up before.
        """
        keys = self.keys(X, index[rows])
        for row, key in zip(rows.tolist(), keys, strict=True):
            block.first_equal[row] = first_of.setdefault(key, row)
            if block.first_equal[row] == row:
                block.slot[row] = self.find(key)

    def add(self, X: Any, index: Array, norms: Array) -> None:
        """Take in rows of X that are not there yet; their slots are the next ones."""
        self.assign(self.size + np.arange(len(index)), X, index, norms)

    def assign(self, slots: Array, X: Any, index: Array, norms: Array) -> None:
        """Give rows of X these slots, in ascending order: new ones, or those of other rows."""
        if len(slots) == 0:
            return
        if slots[0] < self.size:
            for key in self.keys(self.matrix(), slots[slots < self.size]):
                self._slots.pop(key, None)
        self._slots.update(zip(self.keys(X, index), slots.tolist(), strict=True))
        self._store.assign(slots, X, index)
        self.size = max(self.size, int(slots[-1]) + 1)
        self._norms = ensure_capacity(self._norms, self.size)
        self._norms[slots] = norms

    def as_stored(self, X: Any) -> Any:
        """X, stored as these rows are: dense or sparse."""
        sparse = isinstance(self._store, _SparseRows)
        if sparse == sp.issparse(X):
            return X
        return sp.csr_array(X) if sparse else X.toarray()

    def copied(self) -> Support:
        """A copy that shares nothing with this one."""
        return copy.deepcopy(self)

    def widen(self, d: int) -> None:
        """Room for features that appear late: the rows have none of them."""
        self._store.widen(d)

    def truncate_to(self, size: int) -> None:
        """Drop the rows from slot ``size`` on."""
        self.size = size
        self._store.truncate_to(size)
        self._slots = {key: slot for key, slot in self._slots.items() if slot < size}

    def kernel_rows(self, slots: Any = slice(None)) -> KernelRows:
        """Some of the rows, a slice or an array of slots, as the right side of a kernel."""
        if isinstance(slots, slice):
            slots = slice(*slots.indices(self.size))
        return KernelRows(self._store.get(slots), self._norms[slots])

    def matrix(self) -> Any:
        """All rows, shape (size, d)."""
        return self._store.get(slice(0, self.size))


class _RowIndices:
    """The numbers of the rows."""

    def __init__(self) -> None:
        self.rows = np.zeros(0, np.int64)

    def bytes(self, X: Any, index: Any) -> list[bytes]:
        return [np.int64(i).tobytes() for i in self._to_indices(X, index)]

    def assign(self, slots: Array, X: Any, index: Array) -> None:
        self.rows = ensure_capacity(self.rows, int(slots[-1]) + 1)
        self.rows[slots] = self._to_indices(X, index)

    @staticmethod
    def _to_indices(X: Any, index: Any) -> Any:
        """Which rows these are: lines of a kernel matrix, or of a list of such."""
        return index if X.ndim == 2 else X[index]

    def get(self, slots: Any) -> Array:
        rows: Array = self.rows[slots]
        return rows

    def widen(self, d: int) -> None:
        pass

    def truncate_to(self, size: int) -> None:
        pass


class _DenseRows:
    """Rows of an array."""

    def __init__(self, template: Array) -> None:
        self.rows = np.zeros((0, template.shape[1]), template.dtype)

    def bytes(self, X: Array, index: Any) -> list[bytes]:
        return [(X[i] + 0.0).tobytes() for i in index]  # −0 and 0 are equal

    def assign(self, slots: Array, X: Array, index: Array) -> None:
        self.rows = ensure_capacity(self.rows, int(slots[-1]) + 1)
        self.rows[slots] = X[index]

    def get(self, slots: Any) -> Array:
        rows: Array = self.rows[slots]
        return rows

    def widen(self, d: int) -> None:
        self.rows = np.pad(self.rows, ((0, 0), (0, d - self.rows.shape[1])))

    def truncate_to(self, size: int) -> None:
        pass


class _SparseRows:
    """Rows of a CSR matrix, each with its own piece of two long arrays."""

    def __init__(self, template: Any) -> None:
        self.width, self.matrix_type = template.shape[1], type(template)
        self.data = np.zeros(0, template.data.dtype)
        self.indices = np.zeros(0, template.indices.dtype)
        self.starts = np.zeros(1, np.int64)

    def bytes(self, X: Any, index: Any) -> list[bytes]:
        keys = []
        for i in index:
            piece = slice(X.indptr[i], X.indptr[i + 1])
            nonzero = X.data[piece] != 0.0
            columns, values = X.indices[piece][nonzero], X.data[piece][nonzero]
            keys.append(columns.astype(np.int64).tobytes() + values.tobytes())
        return keys

    def assign(self, slots: Array, X: Any, index: Array) -> None:
        stored = len(self.starts) - 1
        if slots[0] < stored:
            self._replace_rows(slots[slots < stored], X[index[slots < stored]])
        added = X[index[slots >= stored]]
        begin = self.starts[-1]
        end = begin + added.indptr[-1]
        self.data, self.indices = (
            ensure_capacity(self.data, end),
            ensure_capacity(self.indices, end),
        )
        self.data[begin:end], self.indices[begin:end] = added.data, added.indices
        self.starts = np.concatenate([self.starts, begin + added.indptr[1:]])

    def _replace_rows(self, slots: Array, rows: Any) -> None:
        """Put rows in the place of others, of other lengths."""
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

    def get(self, slots: Any) -> Any:
        end = self.starts[-1]
        rows = (self.data[:end], self.indices[:end], self.starts)
        return self.matrix_type(rows, shape=(len(self.starts) - 1, self.width))[slots]
