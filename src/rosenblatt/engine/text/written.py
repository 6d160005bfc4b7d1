"""Decimals as they are written: those that their float64 does not tell, digit by digit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.scanning import Bytes
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.long_numbers import split_decimal

_MOST_POWER = 9 * 10**17  # that of src/core/text/decimals.h, far beyond every float


def read_written(text: Bytes, spans: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    r"""Return digits and powers of the decimals in spans (start, end) of the text.

    Returns
    -------
    digits : int64 array, or of Python's integers where one has more than 18 digits
    powers : int64 array
        The numbers are digits · 10^powers.

    Examples
    --------
    >>> text = np.frombuffer(b"-0.125e1\n", np.uint8)
    >>> [numbers.tolist() for numbers in read_written(text, np.array([[0, 8]]))]
    [[-125], [-2]]
    """
    digits, powers, fits = core.read_written(text, np.ascontiguousarray(spans))
    if fits.all():
        return digits, powers
    exact = digits.astype(object)
    for k in np.flatnonzero(~fits).tolist():
        begin, stop = spans[k].tolist()
        exact[k], power = split_decimal(text[begin:stop].tobytes().decode())
        powers[k] = min(max(power, -_MOST_POWER), _MOST_POWER)
    return exact, powers


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
