"""Geometric margins with the exact sign, of rows of any size."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from numbers import Rational

import numpy as np

from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import CSR, Floats, csr_entries
from rosenblatt.utils.directed import Enclosure, over_root

UNIT = 2.0**-53  # the relative error of a rounding
TINY = 2.0**-1073
"""Above the error of a product or a scaled weight that underflows."""
SMALLEST = 5e-324
"""A margin that is too small for floats, but not 0, is this."""


@np.errstate(over="ignore", invalid="ignore", under="ignore")  # such rows are computed exactly
def distances(X: Floats | CSR, w: Floats, b: float) -> Floats:
    """Return (w·x + b)/‖w‖ for every row, for any w but 0.

    In floats, where their error is smaller than the score; else in exact arithmetic. The sign is
    exact: 0.0 is a score of 0.

    Examples
    --------
    >>> distances(np.array([[1e200, 1.0], [1e-200, 0.0]]), np.array([1e200, 0.0]), 0.0)
    array([1.e+200, 1.e-200])
    """
    scale = int(np.frexp(np.abs(w).max())[1])
    v, c = np.ldexp(w, -scale), float(np.ldexp(b, -scale))
    if isinstance(X, CSR):
        position, values = csr_entries(X, "X")
        row, column = np.divmod(position, X.shape[1])
        n, products = X.shape[0], values * v[column]
        scores = np.asarray(X @ v, np.float64)
        sizes = np.bincount(row, np.abs(products), n)
        lengths = np.bincount(row, np.abs(values), n)
    else:
        scores, sizes, lengths = X @ v, np.abs(X) @ np.abs(v), np.abs(X).sum(axis=1)
    scores = scores + c
    # Twice the bound of k terms in any order (Higham, section 3.1), and what underflows.
    k = len(w) + 1
    error = 2.0 * (k + 4) * UNIT * (sizes + abs(c)) + TINY * (k + lengths)
    result: Floats = scores / np.sqrt(v @ v)
    unsure = np.flatnonzero(~(np.abs(scores) > error))
    if len(unsure):
        square = _dot(w, w)
        for i in unsure:
            x, u = (values[row == i], w[column[row == i]]) if isinstance(X, CSR) else (X[i], w)
            result[i] = _exact(_dot(x, u) + Fraction(b), square)
    return result


def _dot(x: Floats, w: Floats) -> Fraction:
    pairs = zip(x.tolist(), w.tolist(), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs if a and b), Fraction(0))


def _exact(score: Fraction, square: Fraction) -> float:
    value = over_root(Enclosure.of(score), Enclosure.of(square)).nearest()
    if value or not score:
        return value
    return SMALLEST if score > 0 else -SMALLEST


MAX_BITS = 4096
"""Largest integers of rows over a common denominator: twice what all floats together need."""


def over_common_denominator(X: ArrayLike, floats: Floats) -> tuple[list[int], int]:
    """Return the numbers of X times their common denominator, row by row, and this denominator.

    Parameters
    ----------
    X : array or list of shape (n, d)
        Floats of any type, integers, ``Fraction`` and ``Decimal``: none is rounded.
    floats : array of shape (n, d), float64
        The same numbers, rounded; taken where a number does not tell its ratio.

    Raises
    ------
    ValueError
        They take more than 4,096 bits.

    Examples
    --------
    >>> from decimal import Decimal
    >>> over_common_denominator([[Decimal("0.1"), 0.5]], np.array([[0.1, 0.5]]))
    ([1, 5], 10)
    """
    exact = [
        (int(number.numerator), int(number.denominator))
        if isinstance(number, Rational)
        else getattr(number, "as_integer_ratio", value.as_integer_ratio)()
        for number, value in zip(
            np.asarray(X, object).ravel().tolist(), floats.ravel().tolist(), strict=True
        )
    ]
    unit = 1
    for denominator in {denominator for _, denominator in exact}:
        unit = lcm(unit, denominator)
        if unit.bit_length() > MAX_BITS:
            break
    integers = [numerator * (unit // denominator) for numerator, denominator in exact]
    if max(unit, *map(abs, integers)).bit_length() > MAX_BITS:
        raise ValueError(
            f"X must have a common denominator of at most {MAX_BITS} bits, got more: take floats"
        )
    return integers, unit
