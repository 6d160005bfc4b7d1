"""TODO."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.text.decimals import part
from rosenblatt.engine.text.murmur import column_of
from rosenblatt.engine.text.scanning import scanner

# --- rows of hashed columns, put in order --------------------------------------------------------

_DIGIT = 6  # bits of a column that are sorted at a time
_DIGITS = 1 << _DIGIT
_FEW = 40  # columns of a short row
_PLACE = 32  # bits of the place in a row, below those of its column


class Entries(NamedTuple):
    """Rows of columns and values, as the arrays of a CSR matrix.

    Parameters
    ----------
    columns : int32 array of shape (entries,)
    data : float64 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)

    Examples
    --------
    >>> rows = Entries(np.array([2], np.int32), np.array([0.5]), np.array([0, 1]))
    >>> rows.columns.tolist()
    [2]
    """

    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]


def in_order(rows: Entries, bits: int) -> Entries:
    """The rows with increasing columns, where values of the same column are added up.

    A hash in the place of a column becomes its column, and its value has the sign of the hash.
    Values are added in the order in which they stand. The arrays are those of ``rows``, written
    over. Short rows are sorted by counting, for each column, those before it; longer ones by six
    bits of the columns at a time, in the nearest cache as long as they fit it.

    Parameters
    ----------
    rows : Entries
        With hashes, or with columns below 2^bits.
    bits : int

    Examples
    --------
    >>> columns, data = np.array([5, 0, 5], np.int32), np.array([1.0, 2.0, 3.0])
    >>> rows = in_order(Entries(columns, data, np.array([0, 3])), 3)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 5], [2.0, 4.0], [0, 2])
    """
    longest = int(np.diff(rows.indptr).max(initial=0))
    keys, spare = np.empty((2, longest), np.int64)
    entries = _settle(rows, bits, keys, spare, np.empty(longest), np.empty(_DIGITS, np.int64))
    return rows._replace(columns=rows.columns[:entries], data=rows.data[:entries])


@scanner
def _settle(
    rows: Entries,
    bits: int,
    keys: NDArray[np.int64],
    spare: NDArray[np.int64],
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Sort each row, add up and move together; how many entries there are."""
    columns, data, indptr = rows
    place = stop = 0
    for i in range(1, len(indptr)):
        start, stop = stop, at(indptr, i)
        n = stop - start
        for k in range(n):
            h = int(at(columns, start + k))
            keys[k] = column_of(h, bits) << _PLACE | k
            values[k] = at(data, start + k) if h >= 0 else -at(data, start + k)
        if n <= _FEW:
            _sort_few(keys, n, spare)
            keys, spare = spare, keys
        else:
            for shift in range(_PLACE, _PLACE + bits, _DIGIT):
                _sort_by_digit(keys, n, shift, counts, spare)
                keys, spare = spare, keys
        before = -1
        for k in range(n):
            column, x = at(keys, k) >> _PLACE, at(values, at(keys, k) & (1 << _PLACE) - 1)
            if column == before:
                data[place - 1] += x
            else:
                columns[place], data[place] = column, x
                place += 1
            before = column
        indptr[i] = place
    return place


@part
def _sort_few(keys: NDArray[np.int64], n: int, out: NDArray[np.int64]) -> None:
    """The first n keys, which all differ, each to where there are as many below it."""
    for k in range(n):
        key = at(keys, k)
        below = 0
        for other in range(n):
            below += at(keys, other) < key
        out[below] = key


@part
def _sort_by_digit(
    keys: NDArray[np.int64],
    n: int,
    shift: int,
    counts: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The first n keys by one digit, equal ones as they were."""
    for digit in range(_DIGITS):
        counts[digit] = 0
    for k in range(n):
        counts[at(keys, k) >> shift & _DIGITS - 1] += 1
    place = 0
    for digit in range(_DIGITS):
        count = at(counts, digit)
        counts[digit] = place
        place += count
    for k in range(n):
        digit = at(keys, k) >> shift & _DIGITS - 1
        out[at(counts, digit)] = at(keys, k)
        counts[digit] += 1
