"""Sparse rows with hashed columns: sorted, with the values of equal columns summed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.murmur import column_of
from rosenblatt.engine.text.scanning import scanner

_DIGIT_BITS = 6  # bits of a column that are sorted at a time
_RADIX = 1 << _DIGIT_BITS
_SHORT_ROW = 40  # columns of a short row
_POSITION_BITS = 32  # bits of the position in a row, below those of its column


class SparseRows(NamedTuple):
    """Rows of columns and values, as the arrays of a CSR matrix.

    Parameters
    ----------
    columns : int32 array of shape (entries,)
    data : float64 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)

    Examples
    --------
    >>> rows = SparseRows(np.array([2], np.int32), np.array([0.5]), np.array([0, 1]))
    >>> rows.columns.tolist()
    [2]
    """

    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]


def sort_and_sum(rows: SparseRows, bits: int) -> SparseRows:
    """Sort the columns of each row and sum the values of equal columns, in place.

    Hashes are replaced by their columns, and values get the signs of their hashes. Equal columns
    are summed in their order in the row. The result shares the arrays of ``rows``. Short rows are
    sorted by counting the smaller columns of each; longer rows by a radix sort of six bits at a
    time.

    Parameters
    ----------
    rows : SparseRows
        With hashes, or with columns below 2^bits, as ``columns``.
    bits : int

    Examples
    --------
    >>> columns, data = np.array([5, 0, 5], np.int32), np.array([1.0, 2.0, 3.0])
    >>> rows = sort_and_sum(SparseRows(columns, data, np.array([0, 3])), 3)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 5], [2.0, 4.0], [0, 2])
    """
    longest = int(np.diff(rows.indptr).max(initial=0))
    keys, spare = np.empty((2, longest), np.int64)
    entries = _sort_and_sum_rows(
        rows, bits, keys, spare, np.empty(longest), np.empty(_RADIX, np.int64)
    )
    return rows._replace(columns=rows.columns[:entries], data=rows.data[:entries])


@scanner
def _sort_and_sum_rows(
    rows: SparseRows,
    bits: int,
    keys: NDArray[np.int64],
    spare: NDArray[np.int64],
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Sort each row, sum, and remove the gaps; return the number of entries."""
    columns, data, indptr = rows
    end = stop = 0
    for i in range(1, len(indptr)):
        start, stop = stop, at(indptr, i)
        n = stop - start
        for k in range(n):
            h = int(at(columns, start + k))
            keys[k] = column_of(h, bits) << _POSITION_BITS | k
            values[k] = at(data, start + k) if h >= 0 else -at(data, start + k)
        if n <= _SHORT_ROW:
            _sort_by_counting(keys, n, spare)
            keys, spare = spare, keys
        else:
            for shift in range(_POSITION_BITS, _POSITION_BITS + bits, _DIGIT_BITS):
                _sort_by_digit(keys, n, shift, counts, spare)
                keys, spare = spare, keys
        before = -1
        for k in range(n):
            column, x = (
                at(keys, k) >> _POSITION_BITS,
                at(values, at(keys, k) & (1 << _POSITION_BITS) - 1),
            )
            if column == before:
                data[end - 1] += x
            else:
                columns[end], data[end] = column, x
                end += 1
            before = column
        indptr[i] = end
    return end


@inlined
def _sort_by_counting(keys: NDArray[np.int64], n: int, out: NDArray[np.int64]) -> None:
    """Write the first n keys, which all differ, in order: each after the number of smaller keys."""
    for k in range(n):
        key = at(keys, k)
        below = 0
        for other in range(n):
            below += at(keys, other) < key
        out[below] = key


@inlined
def _sort_by_digit(
    keys: NDArray[np.int64],
    n: int,
    shift: int,
    counts: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the first n keys sorted by one digit; the sort is stable."""
    for digit in range(_RADIX):
        counts[digit] = 0
    for k in range(n):
        counts[at(keys, k) >> shift & _RADIX - 1] += 1
    position = 0
    for digit in range(_RADIX):
        count = at(counts, digit)
        counts[digit] = position
        position += count
    for k in range(n):
        digit = at(keys, k) >> shift & _RADIX - 1
        out[at(counts, digit)] = at(keys, k)
        counts[digit] += 1
