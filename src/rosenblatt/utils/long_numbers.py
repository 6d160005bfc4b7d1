"""Numbers of a text that the float64 they are read as does not tell."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_DIGITS = 15
"""Decimals of up to 15 digits differ where their nearest float64 do, unless these are subnormal."""

SMALLEST = 2.0**-1022
"""Smaller floats are subnormal."""


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
    digits: NDArray[Any]
    powers: NDArray[np.int64]

    def __bool__(self) -> bool:
        return len(self.rows) > 0


NONE = LongNumbers(*(np.zeros(0, np.int64) for _ in LongNumbers._fields))
"""No entries."""


def split_decimal(text: str) -> tuple[int, int]:
    """Return digits and power of a decimal: digits · 10^power.

    Examples
    --------
    >>> split_decimal("-0.1250e1"), split_decimal("7")
    ((-1250, -3), (7, 0))
    """
    mantissa, _, exponent = text.lower().partition("e")
    integer, _, fraction = mantissa.partition(".")
    return int(integer + fraction), int(exponent or 0) - len(fraction)


def tells(text: str, value: float) -> bool:
    """Return whether the float tells the decimal that it was read from.

    Examples
    --------
    >>> tells("0.1", 0.1), tells("0.10000000000000001", 0.1), tells("1e-400", 0.0)
    (True, False, False)
    """
    digits = text.lower().partition("e")[0].lstrip("+-0.").replace(".", "")
    return len(digits.lstrip("0")) <= MOST_DIGITS and (abs(value) >= SMALLEST or not digits)
