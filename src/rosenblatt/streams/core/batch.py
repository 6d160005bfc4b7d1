"""Batches of rows, sparse rows as arrays, and a cache for several passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.utils.arrays import Array, Matrix, NDArray
from rosenblatt.utils.column_names import column_names
from rosenblatt.utils.long_numbers import NONE, LongNumbers


class CSRArrays:
    """A matrix in compressed rows (CSR), with the attributes of SciPy's ``csr_array``.

    Readers and learners hand such rows on: the import of SciPy takes longer than they do with a
    small file. What a user receives is SciPy's: :meth:`tocsr`.

    Parameters
    ----------
    arrays : tuple of ndarray
        Values, columns and the start of each row, as ``csr_array`` takes them; not copied.
    shape : (int, int)

    Examples
    --------
    >>> X = CSRArrays((np.ones(3), np.array([0, 2, 1]), np.array([0, 2, 3])), (2, 5))
    >>> X.nnz, X.tocsr().toarray().tolist()
    (3, [[1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    """

    __slots__ = ("data", "indices", "indptr", "shape")
    format, ndim = "csr", 2

    def __init__(self, arrays: tuple[Array, Array, Array], shape: tuple[int, int]) -> None:
        self.data, self.indices, self.indptr = arrays
        self.shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """The number of stored values."""
        return int(self.indptr[-1])

    def astype(self, dtype: Any) -> CSRArrays:
        """Return the rows with values of another type; the other arrays are shared."""
        return CSRArrays((self.data.astype(dtype), self.indices, self.indptr), self.shape)

    def tocsr(self) -> Matrix:
        """Return a ``csr_array`` over the same arrays."""
        import scipy.sparse as sp

        return sp.csr_array((self.data, self.indices, self.indptr), shape=self.shape)


def as_scipy(X: Matrix) -> Matrix:
    """Return rows as a user receives them: CSRArrays become a ``csr_array``, others stay.

    Examples
    --------
    >>> as_scipy(np.eye(1)).tolist()
    [[1.0]]
    """
    return X.tocsr() if isinstance(X, CSRArrays) else X


def csr(data: Array, columns: Array, indptr: Array, width: int) -> CSRArrays:
    """Return sparse rows over the data and columns, without copying them.

    ``indptr`` is int32 where it fits, as from scikit-learn's own loader: several of its estimators
    accept nothing wider.

    Examples
    --------
    >>> X = csr(np.ones(3), np.arange(3, dtype=np.int32), np.array([0, 2, 3]), 5)
    >>> X.shape, X.indptr.dtype
    ((2, 5), dtype('int32'))
    """
    indptr = indptr.astype(np.int32 if len(columns) < 2**31 else np.int64, copy=False)
    return CSRArrays((data, columns, indptr), (len(indptr) - 1, width))


def row_starts(sizes: Array) -> NDArray[np.int64]:
    """Return the ``indptr`` of rows with these numbers of entries.

    Examples
    --------
    >>> row_starts(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def stack_rows(parts: Sequence[Matrix]) -> CSRArrays:
    """Return the rows of CSR matrices one below the other, as wide as the widest of them.

    Examples
    --------
    >>> X = csr(np.ones(2), np.array([0, 1]), np.array([0, 1, 2]), 2)
    >>> stack_rows([X, X]).indptr.tolist()
    [0, 1, 2, 3, 4]
    """
    data, columns = (
        np.concatenate([getattr(X, name) for X in parts]) for name in ("data", "indices")
    )
    indptr = row_starts(np.concatenate([np.diff(X.indptr) for X in parts]))
    return csr(data, columns, indptr, max(X.shape[1] for X in parts))


def choose_rows(X: CSRArrays, rows: Array) -> CSRArrays:
    """Return the rows with some numbers, in their order.

    Examples
    --------
    >>> X = csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 4]), np.array([0, 2, 3]), 5)
    >>> choose_rows(X, np.array([1, 0, 1])).data.tolist()
    [3.0, 1.0, 2.0, 3.0]
    """
    starts, sizes = X.indptr[rows].astype(np.int64), np.diff(X.indptr)[rows]
    indptr = row_starts(sizes)
    entries = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], sizes)
    return csr(X.data[entries], X.indices[entries], indptr, X.shape[1])


def renumbered(X: Matrix, columns: Array, width: int) -> CSRArrays:
    """Return the rows of a CSR matrix with other columns.

    Parameters
    ----------
    X : CSRArrays or csr_array
    columns : int32 array
        The new column of each stored entry; −1 leaves it out. They are not sorted.
    width : int

    Examples
    --------
    >>> X = csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]), np.array([0, 2, 3]), 2)
    >>> renumbered(X, np.array([-1, 4, -1]), 5).tocsr().toarray().tolist()
    [[0.0, 0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    kept = columns >= 0
    return csr(X.data[kept], columns[kept], row_starts(kept)[X.indptr], width)


class Batch:
    """Consecutive rows of a source, with their labels.

    Parameters
    ----------
    X : csr_array or C-ordered array of shape (rows, features), float64
        Sparse from svmlight text, JSON lines, tables with categories, and pairs of list columns:
        as wide as the stream so far needs, so that later batches may be wider but never narrower.
        Sparse with 2^bits columns where names are hashed. Dense from tables of numbers.
    y : array of shape (rows,), or None
        Labels: int64, float64 or text. None where the stream is not ``labelled``.
    first_row : int
        Number of rows of the stream before this batch.
    weight : float64 array of shape (rows,), or None
        Sample weights; None where all are 1.
    ids : array of shape (rows,), or None
        Ids of the rows: text or integers, empty text for a row without one.
    long : LongNumbers
        Entries of X of which the float does not tell the decimal in the text, where the option
        ``written`` asks for them.
    computed : bool
        Whether numbers of X are sums or products of those in the text, as far as ``written`` asks.

    Attributes
    ----------
    rows : array, csr_array or CSRArrays
        X as the reader made it: readers and learners use it where SciPy is not needed.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> batch = next(iter(open_stream("sklearn:iris")))
    >>> batch.X.shape, str(batch.y[0]), batch.first_row
    ((150, 4), 'setosa', 0)
    """

    __slots__ = ("computed", "first_row", "ids", "long", "rows", "weight", "y")

    def __init__(
        self,
        X: Matrix,
        y: Any,
        first_row: int,
        weight: Array | None = None,
        ids: Array | None = None,
        long: LongNumbers = NONE,
        computed: bool = False,
    ) -> None:
        self.rows, self.y, self.first_row = X, y, first_row
        self.weight, self.ids, self.long, self.computed = weight, ids, long, computed

    @property
    def X(self) -> Matrix:
        """The rows as an array, or as SciPy's ``csr_array``."""
        self.rows = as_scipy(self.rows)
        return self.rows

    def __iter__(self) -> Iterator[Any]:
        """Yield the parameters in their order: ``X, y, *_ = batch``."""
        return iter((self.X, *(getattr(self, name) for name in _BESIDE_X)))

    def __repr__(self) -> str:
        rows, width = self.rows.shape
        return f"Batch({rows} rows of {width} columns, first_row={self.first_row})"

    def replace(self, **changes: Any) -> Batch:
        """Return a batch with other values of some parameters.

        Parameters
        ----------
        **changes
            Parameters of :class:`Batch` and their values.
        """
        fields = {"X": self.rows, **{name: getattr(self, name) for name in _BESIDE_X}}
        return Batch(**fields | changes)

    _replace = replace  # its name while batches were named tuples


_BESIDE_X = ("y", "first_row", "weight", "ids", "long", "computed")


def stored_rows(batch: Any) -> Matrix:
    """Return the rows of a batch as its reader made them, or X of another object with X and y.

    Examples
    --------
    >>> stored_rows(Batch(np.eye(1), np.array([0]), 0)).tolist()
    [[1.0]]
    """
    return batch.rows if isinstance(batch, Batch) else batch.X


def concat_batches(batches: Iterable[Batch]) -> Batch:
    """Concatenate batches, of which later ones may be wider, into one batch."""
    all_batches = list(batches)
    rows = [batch.rows for batch in all_batches]
    concat = stack_rows if hasattr(rows[0], "indptr") else np.concatenate
    return Batch(
        X=concat(rows) if len(rows) > 1 else rows[0],
        y=_concat_field(all_batches, "y", None),
        first_row=0,
        weight=_concat_field(all_batches, "weight", 1.0),
        ids=_concat_field(all_batches, "ids", ""),
        long=_concat_long(all_batches),
        computed=any(batch.computed for batch in all_batches),
    )


def _concat_long(batches: list[Batch]) -> LongNumbers:
    """Concatenate the long numbers; their rows count from the first batch."""
    if not any(batch.long for batch in batches):
        return NONE
    first = batches[0].first_row
    parts = [b.long._replace(rows=b.long.rows + (b.first_row - first)) for b in batches if b.long]
    return LongNumbers(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _concat_field(batches: list[Batch], name: str, default: object) -> Any:
    """Concatenate one field, ``default`` standing for None; None if all batches have None."""
    parts = [getattr(batch, name) for batch in batches]
    if all(part is None for part in parts):
        return None
    kind = float if isinstance(default, float) else object
    sizes = [batch.rows.shape[0] for batch in batches]
    return np.concatenate(
        [
            np.full(size, default, kind) if part is None else part
            for size, part in zip(sizes, parts, strict=True)
        ]
    )


def take_rows(batch: Batch, rows: Array | slice, first_row: int) -> Batch:
    """Return the rows of a batch that a slice or an array of indices selects.

    Examples
    --------
    >>> batch = Batch(np.eye(3), np.array([5, 6, 7]), 0, ids=np.array(["a", "b", "c"], object))
    >>> part = take_rows(batch, slice(1, 3), 1)
    >>> part.y.tolist(), part.weight, part.ids.tolist()
    ([6, 7], None, ['b', 'c'])
    """
    y, weight, ids = (
        None if array is None else array[rows] for array in (batch.y, batch.weight, batch.ids)
    )
    X = slice_rows(batch.rows, rows) if isinstance(rows, slice) else batch.X[rows]
    return Batch(X, y, first_row, weight=weight, ids=ids)


def slice_rows(X: Matrix, rows: slice) -> Matrix:
    """Return consecutive rows of a matrix; many rows of CSR as a view: SciPy's slices are copies.

    Examples
    --------
    >>> X = csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 4]), np.array([0, 2, 3]), 5)
    >>> part = slice_rows(X, slice(0, 1))
    >>> part.tocsr().toarray().tolist(), np.shares_memory(part.data, X.data)
    ([[1.0, 2.0, 0.0, 0.0, 0.0]], True)
    """
    start, stop, step = rows.indices(X.shape[0])
    if stop - start == X.shape[0] and step == 1:
        return X
    if getattr(X, "format", "dense") != "csr" or step != 1:
        return X[rows]
    indptr = X.indptr[start : max(start, stop) + 1]
    entries = slice(indptr[0], indptr[-1])
    arrays = X.data[entries], X.indices[entries], indptr - indptr[0]
    part = type(X)(arrays, shape=(len(indptr) - 1, X.shape[1]))
    if names := column_names(X):
        part.columns = names
    return part


def row_of(indptr: Array, entry: int) -> int:
    """Return the row of an entry of a CSR matrix.

    Examples
    --------
    >>> row_of(np.array([0, 2, 2, 5]), 2)
    2
    """
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def first_not_finite(X: Matrix) -> tuple[int, int, float] | None:
    """Return the row, column and value of the first entry that is not finite, or None.

    Examples
    --------
    >>> first_not_finite(np.array([[1.0, 2.0], [3.0, np.inf]]))
    (1, 1, inf)
    """
    sparse = hasattr(X, "indptr")
    finite = np.isfinite(X.data if sparse else X)
    if finite.all():
        return None
    entry = int(np.argmin(finite))
    if sparse:
        return row_of(X.indptr, entry), int(X.indices[entry]), float(X.data[entry])
    row, column = divmod(entry, X.shape[1])
    return row, column, float(X[row, column])


def first_occurrences(codes: Array, size: int) -> Array:
    """Return the first index of each code below ``size``, ``len(codes)`` for an absent one.

    Examples
    --------
    >>> first_occurrences(np.array([2, 0, 2]), 4).tolist()
    [1, 3, 0, 3]
    """
    first = np.full(size, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last write wins
    return first


def with_width(X: Matrix, width: int) -> Matrix:
    """Return sparse rows with ``width`` columns: empty ones are added, excess ones dropped."""
    if X.shape[1] > width:
        return as_scipy(X)[:, :width]
    return csr(X.data, X.indices, X.indptr, width)


class CachedBatches:
    """Cache of a stream's batches: read once, then served from memory if all of them fit.

    Where they do not fit, every pass reads the source again.

    Parameters
    ----------
    stream : iterable of batches
    max_bytes : int, default 512 MiB
        Capacity of the cache.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = CachedBatches(open_stream("sklearn:wine"))
    >>> [sum(len(batch.y) for batch in stream) for epoch in range(2)]
    [178, 178]
    """

    def __init__(self, stream: Iterable[Batch], max_bytes: int = 1 << 29) -> None:
        self._stream, self._max_bytes = stream, max_bytes
        self._batches: list[Batch] | None = None

    def __iter__(self) -> Iterator[Batch]:
        if self._batches is not None:
            yield from self._batches
            return
        batches: list[Batch] = []
        size = 0
        for batch in self._stream:
            size += _nbytes(batch)
            if size <= self._max_bytes:
                batches.append(batch)
            else:
                batches.clear()
            yield batch
        if size <= self._max_bytes:
            self._batches = batches


def _nbytes(batch: Batch) -> int:
    X = batch.rows
    arrays = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    arrays += [array for array in (batch.y, batch.weight, batch.ids) if array is not None]
    return sum(int(array.nbytes) for array in arrays)
