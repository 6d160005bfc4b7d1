"""Rows of named features, one at a time: sorted by the indices of the names, as CSR rows are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import float_from_bits
from rosenblatt.engine.jit import compiled, subroutine

Array = NDArray[Any]

VALUES, INDICES = 0, 1
"""Rows of the work array that the caller writes: see :func:`arrange_row`."""

WORK_ROWS = 5

_KEYS, _SPARE, _COUNTS = 2, 3, 4
_DIGIT = 6  # bits by which keys are sorted in one pass

SMALLEST_CAPACITY = 1 << _DIGIT
"""Least number of columns of the work array."""


@compiled(_nrt=False)
def arrange_row(
    data: Array,
    indices: Array,
    indptr: Array,
    work: Array,
    n: int,
    integral: bool,
    same_names: bool,
) -> int:
    """Write the only row of a :class:`rosenblatt.engine.rows.CSR`, sorted by feature index.

    Parameters
    ----------
    data, indices, indptr : ndarray
        Arrays of the row, written in place.
    work : ndarray of shape (WORK_ROWS, capacity), int64
        ``work[VALUES]`` has the values of the row, ``work[INDICES]`` the index of each, or −1 if it
        has none. The other rows keep the order for the next call.
    n : int
        Number of values.
    integral : bool
        Whether the values are integers; otherwise they are the bits of float64 numbers.
    same_names : bool
        Whether ``work[INDICES]`` is that of the last call.

    Returns
    -------
    int
        Number of values without an index, which are left out; −1 if a value is not finite.

    Examples
    --------
    >>> work = np.zeros((WORK_ROWS, SMALLEST_CAPACITY), np.int64)
    >>> work[VALUES, :3], work[INDICES, :3] = [10, 20, 30], [7, -1, 4]
    >>> data, indices, indptr = np.zeros(3), np.zeros(3, np.uint32), np.zeros(2, np.int64)
    >>> arrange_row(data, indices, indptr, work, 3, True, False)
    1
    >>> data[:2].tolist(), indices[:2].tolist(), indptr.tolist()
    ([30.0, 10.0], [4, 7], [0, 2])
    """
    if not same_names:
        indptr[1] = _sort(work, n)
        for p in range(indptr[1]):
            indices[p] = work[_KEYS, p] >> 32
    size, total = indptr[1], 0.0
    for p in range(size):
        data[p] = _value(work, work[_KEYS, p] & 0xFFFFFFFF, integral)
        total += 0.0 * data[p]
    if size < n:
        for p in range(n):
            total += 0.0 * _value(work, p, integral)
    return n - size if total == 0.0 else -1


@subroutine
def _value(work: Array, p: int, integral: bool) -> float:
    """Return the value at position p as a float64."""
    bits = work[VALUES, p]
    return np.float64(bits) if integral else float_from_bits(bits)


@subroutine
def _sort(work: Array, n: int) -> int:
    """Write the keys ``index << 32 | position`` in order, and return their number.

    A radix sort from the lowest digit of the index upwards: no branch depends on the numbers.
    """
    unsorted, source, target, counts = work[INDICES], work[_KEYS], work[_SPARE], work[_COUNTS]
    size, bits = 0, 0
    for p in range(n):
        if unsorted[p] >= 0:
            source[size] = unsorted[p] << 32 | p
            bits |= unsorted[p]
            size += 1
    shift = 32
    while bits > 0:
        for k in range(SMALLEST_CAPACITY):
            counts[k] = 0
        for p in range(size):
            counts[(source[p] >> shift) & (SMALLEST_CAPACITY - 1)] += 1
        first = 0
        for k in range(SMALLEST_CAPACITY):
            first += counts[k]
            counts[k] = first - counts[k]
        for p in range(size):
            k = (source[p] >> shift) & (SMALLEST_CAPACITY - 1)
            target[counts[k]] = source[p]
            counts[k] += 1
        source, target = target, source
        shift += _DIGIT
        bits >>= _DIGIT
    if (shift - 32) // _DIGIT % 2 == 1:
        for p in range(size):
            target[p] = source[p]
    return size
