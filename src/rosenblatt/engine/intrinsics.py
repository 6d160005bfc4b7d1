"""Operations that compiled code has instructions for: prefetch, unchecked indexing, words, lanes.

These functions are their twins in plain Python, with the same bits. In compiled code they stand for
the instructions in :mod:`rosenblatt.engine.instructions`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 8
"""Number of classes in one SIMD vector: multi-class weights are padded to a multiple of it."""

CACHE_LINE = 64
"""Bytes in a cache line."""


def at(array: Any, position: int) -> Any:
    """Return ``array[position]`` for a position that is never negative.

    Compiled ``array[position]`` tests each time for a negative position; in a loop over sparse rows
    the test costs more than the arithmetic.

    Examples
    --------
    >>> at([3, 4], 1)
    4
    """
    return array[position]


def prefetch(array: Any, position: int) -> None:
    """Load the cache line of ``array[position]`` into the cache.

    A hint: it changes no result, and may point out of bounds. Plain Python does nothing.
    """


def copy_to(target: Any, row: int, source: Any) -> None:
    """Copy ``source`` to ``target[row]``, of the same type, shape and order, C."""
    target[row] = source


# --- words: eight bytes at once, and their bits --------------------------------------------------
# Integers are the signed 64 bits of compiled code. Where the bits are unsigned (``w`` and
# products), the integers of plain Python are not negative.

_BITS_64 = 2**64 - 1


def load_int64(text: Any, position: int) -> int:
    """Return the bytes ``text[position : position + 8]`` as one integer, the first byte lowest.

    All eight must be there.
    """
    return int.from_bytes(text[position : position + 8].tobytes(), "little", signed=True)


def trailing_zeros(x: int) -> int:
    """Return the number of zero bits below the lowest bit that is one, 64 for 0."""
    x &= _BITS_64
    return (x & -x).bit_length() - 1 if x else 64


def leading_zeros(x: int) -> int:
    """Return the number of zero bits above the highest bit that is one, 64 for 0."""
    return 64 - x.bit_length()


def multiply_high(w: int, high: Any, low: Any) -> tuple[int, int]:
    """Return the 128 highest of the 192 bits of w · (high · 2⁶⁴ + low), unsigned, in two halves."""
    upper = w * int(high) + (w * int(low) >> 64)
    return upper >> 64, upper & _BITS_64


def float_from_bits(bits: int) -> float:
    """Return the float64 that has these bits."""
    return float(np.int64(bits).view(np.float64))


# --- lanes: several sums at once -----------------------------------------------------------------
# Sums of one to four vectors, one class per lane. Every lane adds in the order of the source, so
# the result is that of the scalar loop to the last bit, on any machine.


def zeros_x1() -> Any:
    """Return ``LANES`` sums, all zero."""
    return np.zeros(LANES)


def zeros_x2() -> Any:
    """Return ``2 * LANES`` sums, all zero."""
    return np.zeros(2 * LANES)


def zeros_x3() -> Any:
    """Return ``3 * LANES`` sums, all zero."""
    return np.zeros(3 * LANES)


def zeros_x4() -> Any:
    """Return ``4 * LANES`` sums, all zero."""
    return np.zeros(4 * LANES)


def muladd(sums: Any, x: Any, W: Any, j: int, k: int) -> Any:
    """Return ``sums + x * W[j, k : k + width]``: products in the weights' type, sums in float64."""
    return sums + (W.dtype.type(x) * W[j, k : k + len(sums)]).astype(np.float64)


def muladd_pairs(sums: Any, a: Any, b: Any, j: int) -> Any:
    """Return ``sums + a[j : j + width] * b[j : j + width]``, for float64 arrays."""
    return sums + a[j : j + len(sums)] * b[j : j + len(sums)]


def sum_lanes(sums: Any) -> float:
    """Return the sum of all lanes: the halves are added until one lane is left."""
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
    return float(sums[0])


def store_lanes(sums: Any, dots: Any, r: int, k: int) -> None:
    """Set ``dots[r, k : k + width]`` to the sums."""
    dots[r, k : k + len(sums)] = sums


def load_lanes(array: Any, k: int) -> Any:
    """Return ``array[k : k + LANES]``, for a float64 array."""
    return array[k : k + LANES]


def axpy_lanes(x: Any, steps: Any, W: Any, j: int, k: int) -> None:
    """Add ``x * steps`` to ``W[j, k : k + LANES]``, in float64, rounded once."""
    here = slice(k, k + LANES)
    W[j, here] = W[j, here].astype(np.float64) + float(x) * steps
