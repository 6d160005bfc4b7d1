"""The rows that moved the weights, each kept once, whatever it is stored as."""

from __future__ import annotations

import copy
import hashlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.steps import grown

Array = NDArray[Any]


class Side(NamedTuple):
    """Rows on one side of a kernel.

    Attributes
    ----------
    rows : ndarray or CSR array of shape (n, d)
        Of a kernel that was computed beforehand: on the left its rows, on the right the numbers of
        its columns.
    sizes : ndarray of shape (n,)
        What the kernel asks of each row alone.
    """

    rows: Any
    sizes: Array


class Support:
    """Rows that grow in number; equal rows are one.

    Parameters
    ----------
    like : ndarray or CSR array of shape (n, d)
        What the rows will be taken from.
    numbered : bool, default=False
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

    def __init__(self, like: Any, numbered: bool = False) -> None:
        self.size = 0
        self._slots: dict[bytes, int] = {}
        self._sizes = np.zeros(0)
        self._store: _Numbers | _Dense | _Sparse
        if numbered:
            self._store = _Numbers()
        else:
            self._store = _Dense(like) if isinstance(like, np.ndarray) else _Sparse(like)

    def keys(self, X: Any, lines: Any) -> list[bytes]:
        """What rows of X are known by: equal rows have equal keys."""
        return [
            hashlib.blake2b(row, digest_size=16).digest() for row in self._store.bytes(X, lines)
        ]

    def find(self, key: bytes) -> int:
        """The slot of the row with this key, or −1."""
        return self._slots.get(key, -1)

    def recognise(
        self, X: Any, lines: Array, rows: Array, first_of: dict[bytes, int], block: Any
    ) -> None:
        """Write the twins and slots of rows of a block into ``block.twin`` and ``block.slot``.

        ``lines`` has the line of X of every row of the block, ``first_of`` the first row with each
        key that was looked up before.
        """
        keys = self.keys(X, lines[rows])
        for row, key in zip(rows.tolist(), keys, strict=True):
            block.twin[row] = first_of.setdefault(key, row)
            if block.twin[row] == row:
                block.slot[row] = self.find(key)

    def add(self, X: Any, lines: Array, sizes: Array) -> None:
        """Take in rows of X that are not there yet; their slots are the next ones."""
        self.put(self.size + np.arange(len(lines)), X, lines, sizes)

    def put(self, slots: Array, X: Any, lines: Array, sizes: Array) -> None:
        """Give rows of X these slots, in ascending order: new ones, or those of other rows."""
        if len(slots) == 0:
            return
        if slots[0] < self.size:
            for key in self.keys(self.matrix(), slots[slots < self.size]):
                self._slots.pop(key, None)
        self._slots.update(zip(self.keys(X, lines), slots.tolist(), strict=True))
        self._store.put(slots, X, lines)
        self.size = max(self.size, int(slots[-1]) + 1)
        self._sizes = grown(self._sizes, self.size)
        self._sizes[slots] = sizes

    def like(self, X: Any) -> Any:
        """X, stored as these rows are: dense or sparse."""
        sparse = isinstance(self._store, _Sparse)
        if sparse == sp.issparse(X):
            return X
        return sp.csr_array(X) if sparse else X.toarray()

    def copied(self) -> Support:
        """A copy that shares nothing with this one."""
        return copy.deepcopy(self)

    def widen(self, d: int) -> None:
        """Room for features that appear late: the rows have none of them."""
        self._store.widen(d)

    def cut(self, size: int) -> None:
        """Drop the rows from slot ``size`` on."""
        self.size = size
        self._store.cut(size)
        self._slots = {key: slot for key, slot in self._slots.items() if slot < size}

    def side(self, slots: Any = slice(None)) -> Side:
        """Some of the rows, a slice or an array of slots, as the right side of a kernel."""
        if isinstance(slots, slice):
            slots = slice(*slots.indices(self.size))
        return Side(self._store.get(slots), self._sizes[slots])

    def matrix(self) -> Any:
        """All rows, shape (size, d)."""
        return self._store.get(slice(0, self.size))


class _Numbers:
    """The numbers of the rows."""

    def __init__(self) -> None:
        self.rows = np.zeros(0, np.int64)

    def bytes(self, X: Any, lines: Any) -> list[bytes]:
        return [np.int64(number).tobytes() for number in self._numbers(X, lines)]

    def put(self, slots: Array, X: Any, lines: Array) -> None:
        self.rows = grown(self.rows, int(slots[-1]) + 1)
        self.rows[slots] = self._numbers(X, lines)

    @staticmethod
    def _numbers(X: Any, lines: Any) -> Any:
        """Which rows these are: lines of a kernel matrix, or of a list of such."""
        return lines if X.ndim == 2 else X[lines]

    def get(self, slots: Any) -> Array:
        held: Array = self.rows[slots]
        return held

    def widen(self, d: int) -> None:
        pass

    def cut(self, size: int) -> None:
        pass


class _Dense:
    """Rows of an array."""

    def __init__(self, like: Array) -> None:
        self.rows = np.zeros((0, like.shape[1]), like.dtype)

    def bytes(self, X: Array, lines: Any) -> list[bytes]:
        return [(X[line] + 0.0).tobytes() for line in lines]  # −0 and 0 are equal

    def put(self, slots: Array, X: Array, lines: Array) -> None:
        self.rows = grown(self.rows, int(slots[-1]) + 1)
        self.rows[slots] = X[lines]

    def get(self, slots: Any) -> Array:
        held: Array = self.rows[slots]
        return held

    def widen(self, d: int) -> None:
        self.rows = np.pad(self.rows, ((0, 0), (0, d - self.rows.shape[1])))

    def cut(self, size: int) -> None:
        pass


class _Sparse:
    """Rows of a CSR matrix, each with its own piece of two long arrays."""

    def __init__(self, like: Any) -> None:
        self.width, self.kind = like.shape[1], type(like)
        self.data = np.zeros(0, like.data.dtype)
        self.indices = np.zeros(0, like.indices.dtype)
        self.starts = np.zeros(1, np.int64)

    def bytes(self, X: Any, lines: Any) -> list[bytes]:
        found = []
        for line in lines:
            piece = slice(X.indptr[line], X.indptr[line + 1])
            held = X.data[piece] != 0.0
            columns, values = X.indices[piece][held], X.data[piece][held]
            found.append(columns.astype(np.int64).tobytes() + values.tobytes())
        return found

    def put(self, slots: Array, X: Any, lines: Array) -> None:
        known = len(self.starts) - 1
        if slots[0] < known:
            self._replace(slots[slots < known], X[lines[slots < known]])
        added = X[lines[slots >= known]]
        begin = self.starts[-1]
        end = begin + added.indptr[-1]
        self.data, self.indices = grown(self.data, end), grown(self.indices, end)
        self.data[begin:end], self.indices[begin:end] = added.data, added.indices
        self.starts = np.concatenate([self.starts, begin + added.indptr[1:]])

    def _replace(self, slots: Array, rows: Any) -> None:
        """Put rows in the place of others, of other lengths."""
        both = sp.vstack([self.get(slice(None)), rows], format="csr")
        order = np.arange(len(self.starts) - 1)
        order[slots] = len(order) + np.arange(len(slots))
        whole = both[order]
        self.data, self.indices = whole.data, whole.indices
        self.starts = whole.indptr.astype(np.int64)

    def widen(self, d: int) -> None:
        self.width = d

    def cut(self, size: int) -> None:
        self.starts = self.starts[: size + 1]

    def get(self, slots: Any) -> Any:
        held = self.starts[-1]
        rows = (self.data[:held], self.indices[:held], self.starts)
        return self.kind(rows, shape=(len(self.starts) - 1, self.width))[slots]
