"""Numbers of a text that the float64 they are read as does not tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.utils.arrays import Array, NDArray

MOST_DIGITS = 15
"""Decimals of up to 15 digits differ where their nearest float64 do, unless these are subnormal."""

SMALLEST = 2.0**-1022
"""Smaller floats are subnormal."""

MOST_SPLIT = 1200
"""Digits of a decimal that is split exactly; Python's own limit is 4,300.

A float64 has at most 309 digits before the point: more digits mean a denominator of 10^890 or more,
and the common denominator of a table has at most 1,000 bits.
"""
_EXPONENT_DIGITS = 18  # of exponents that fit 64 bits


class LongNumbers(NamedTuple):
    """Entries of a matrix, read from decimals that their float does not tell.

    A float tells the decimal of which it is the nearest if this has at most 15 digits, and the
    float is not subnormal: it is the shortest such decimal.

    Parameters
    ----------
    rows, columns : int64 array of shape (k,)
    digits : array of shape (k,), int64 or integers of Python
    powers : int64 array of shape (k,)
        The numbers are digits · 10^powers.

    Examples
    --------
    >>> LongNumbers(np.array([0]), np.array([2]), np.array([12345678901234567]), np.array([-16]))[2]
    array([12345678901234567])
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    digits: Array
    powers: NDArray[np.int64]

    def __bool__(self) -> bool:
        return len(self.rows) > 0


NONE = LongNumbers(*(np.zeros(0, np.int64) for _ in LongNumbers._fields))
"""No entries."""


def split_decimal(text: str) -> tuple[int, int]:
    """Return digits and power of a decimal: digits · 10^power.

    A number of more than ``MOST_SPLIT`` digits is cut to so many, the last a 1: cut or whole, its
    denominator is too large for a table. An exponent of more than 18 digits is ±10^18.

    Examples
    --------
    >>> split_decimal("-0.1250e1"), split_decimal("7"), split_decimal("0." + "3" * 5000)[1]
    ((-125, -2), (7, 0), -1200)
    """
    mantissa, _, exponent = text.lower().partition("e")
    integer, _, fraction = mantissa.lstrip("+-").partition(".")
    leading = (integer + fraction).lstrip("0")
    digits = leading.rstrip("0")
    if not digits:
        return 0, 0
    power = _read_exponent(exponent) - len(fraction) + len(leading) - len(digits)
    if len(digits) > MOST_SPLIT:
        power += len(digits) - MOST_SPLIT
        digits = digits[: MOST_SPLIT - 1] + "1"
    return int(f"-{digits}" if text.startswith("-") else digits), power


def _read_exponent(text: str) -> int:
    """Return an exponent, one of more than 18 digits as ±10^18."""
    digits = text.lstrip("+-").lstrip("0") or "0"
    size = int(digits) if len(digits) <= _EXPONENT_DIGITS else 10**_EXPONENT_DIGITS
    return -size if text.startswith("-") else size


def tells(text: str, value: float) -> bool:
    """Return whether the float tells the decimal that it was read from.

    Examples
    --------
    >>> tells("0.1", 0.1), tells("0.10000000000000001", 0.1), tells("1e-400", 0.0)
    (True, False, False)
    """
    digits = text.lower().partition("e")[0].lstrip("+-0.").replace(".", "")
    return len(digits.lstrip("0")) <= MOST_DIGITS and (abs(value) >= SMALLEST or not digits)
