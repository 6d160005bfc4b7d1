"""Decimals as they are written: those that their float64 does not tell, digit by digit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import called
from rosenblatt.engine.text.decimals import Bytes, parse_int
from rosenblatt.engine.text.scanning import scanner
from rosenblatt.utils.long_numbers import MOST_DIGITS, SMALLEST, split_decimal

_MINUS, _POINT, _ZERO, _NINE, _CAPITAL_E, _E = (ord(c) for c in "-.09Ee")
_MOST = 18  # digits that fit 64 bits


@called
def tells_written(text: Bytes, begin: int, stop: int, value: float) -> bool:
    """Return whether a float tells the decimal of the text from ``begin`` to ``stop``.

    See :class:`rosenblatt.utils.long_numbers.LongNumbers`.

    Examples
    --------
    >>> text = np.frombuffer(b"0.10000000000000001", np.uint8)
    >>> tells_written(text, 0, 19, 0.1), tells_written(text, 0, 3, 0.1)
    (False, True)
    """
    normal = abs(value) >= SMALLEST
    if normal and stop - begin <= MOST_DIGITS:
        return True
    digits = 0
    for i in range(begin, stop):
        byte = at(text, i)
        if byte in (_E, _CAPITAL_E):
            break
        if _ZERO <= byte <= _NINE and (digits > 0 or byte != _ZERO):
            digits += 1
    return digits <= MOST_DIGITS and (normal or digits == 0)


def read_written(text: Bytes, spans: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return digits and powers of the decimals in spans (start, end) of the text.

    Returns
    -------
    digits : int64 array, or of Python's integers where one has more than 18 digits
    powers : int64 array
        The numbers are digits · 10^powers.

    Examples
    --------
    >>> text = np.frombuffer(b"-0.125e1 ", np.uint8)
    >>> [numbers.tolist() for numbers in read_written(text, np.array([[0, 8]]))]
    [[-125], [-2]]
    """
    digits, powers = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
    long = np.zeros(len(spans), np.bool_)
    _read(text, np.ascontiguousarray(spans), digits, powers, long)
    if not long.any():
        return digits, powers
    exact = digits.astype(object)
    for k in np.flatnonzero(long).tolist():
        begin, stop = spans[k].tolist()
        exact[k], powers[k] = split_decimal(text[begin:stop].tobytes().decode())
    return exact, powers


@scanner
def _read(
    text: Bytes,
    spans: NDArray[np.int64],
    digits: NDArray[np.int64],
    powers: NDArray[np.int64],
    long: NDArray[np.bool_],
) -> None:
    for k in range(len(spans)):
        i, stop = spans[k, 0], spans[k, 1]
        negative = at(text, i) == _MINUS
        number = count = power = fraction = 0
        while i < stop:
            byte = at(text, i)
            if _ZERO <= byte <= _NINE:
                number = 10 * number + (int(byte) - _ZERO) if count < _MOST else number
                count += number != 0
                power -= fraction
            elif byte == _POINT:
                fraction = 1
            elif byte in (_E, _CAPITAL_E):
                down = at(text, i + 1) == _MINUS
                signed = down or not _ZERO <= at(text, i + 1) <= _NINE
                i, exponent = parse_int(text, i + 2 if signed else i + 1)
                power += -exponent if down else exponent
                break
            i += 1
        digits[k], powers[k] = -number if negative else number, power
        long[k] = count > _MOST


# --- Vowpal Wabbit text --------------------------------------------------------------------------

_CHANGED_VALUE = re.compile(
    rb":[+-]?[0-9.]{16}|:[+-]?[0-9.]+[eE]-[0-9]{3}|\|[^ \t|:\n]+:(?!1[ \t\r\n|])"
)


def has_changed_values(text: Bytes) -> bool:
    """Return whether a float may not tell its value in Vowpal Wabbit text, or one is scaled.

    Examples
    --------
    >>> lines = b"1 | a:0.1", b"1 |n:2 a", b"1 | a:0.1000000000000000055"
    >>> [has_changed_values(np.frombuffer(line, np.uint8)) for line in lines]
    [False, True, True]
    """
    return _CHANGED_VALUE.search(text.data) is not None


def has_exact_sums(values: NDArray[np.float64]) -> bool:
    """Return whether all sums of some of the values are exact: they are small integers.

    Examples
    --------
    >>> has_exact_sums(np.array([1.0, -2.0])), has_exact_sums(np.array([0.5]))
    (True, False)
    """
    are_integers = bool((values == np.rint(values)).all())
    return are_integers and float(np.abs(values).sum()) < 2.0**53
