"""Exact signs of affine functions of the rows: in floats where their error bound suffices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.exact_sums import (
    dense_block,
    exact_dots,
    is_at_most,
    row_chunks,
    to_integers,
)
from rosenblatt.utils.arrays import Array

# An inner product of k terms, computed in floats in any order, with or without fused operations,
# has an error of at most γ_k |x|·|v|, γ_k = k u/(1 − k u), u = 2**-53, without overflow, plus
# 2**-1074 per term with underflow (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
# section 3.1). Twice (k + 6) u exceeds γ_k plus the rounding of v, of x and of the constant to
# floats and of the sum |x|·|v|, up to k = 2**40. Rows close to an overflow are decided in integers.
UNIT = 2.0**-53
TINY = 2.0**-1073
_HUGE = 2.0**1000
_MAX_NUMBERS = 2**18  # exact numbers in memory at a time


def exact_signs(
    data: LabelledData, v: Array | tuple[int, ...], level: tuple[int, int], upper_level: float
) -> Array:
    """Return the exact sign of z_i·v − L for every row, v = (w, b).

    With rows in a unit, z is a multiple of y (x, 1), the same for all rows, and so is L.

    Parameters
    ----------
    v : ndarray of float64, or tuple of int
    level : (int, int)
        L², as an integer and its exponent; L >= 0.
    upper_level : float
        At least L; 0.0 if L is 0.

    Returns
    -------
    ndarray of shape (n,), int8
        −1, 0 or +1.

    Examples
    --------
    >>> data = LabelledData(np.array([[0.1], [0.3], [0.5]]), np.array([-1.0, 1.0, 1.0]))
    >>> exact_signs(data, (10, -3), (0, 0), 0.0)
    array([ 1, -1,  1], dtype=int8)
    """
    n, d = data.shape
    rounded, is_integral = _as_floats(v)
    used = np.flatnonzero(rounded[:d])
    narrow = not sp.issparse(data.X) and 2 * len(used) <= d
    constant = math.ldexp(float(data.unit[0]), data.unit[1])
    w, b = (rounded[used] if narrow else rounded[:d]), rounded[d] * constant
    size, k = np.abs(w), len(w) + 1
    signs = np.zeros(n, dtype=np.int8)
    for rows, part in row_chunks(data.X[:, used] if narrow and len(used) else data.X):
        if narrow and not len(used):
            part = part[:, :0]
        dot = (part @ w + b) * data.y[rows]
        length = abs(part) @ size + abs(b)
        error = np.where(length < _HUGE, 2.0 * (k + 6) * UNIT * length + k * TINY, np.nan)
        side = signs[rows]
        side[dot >= (error + upper_level) * (1.0 + 4.0 * UNIT) + TINY] = 1
        side[dot <= -error] = -1
        unknown = side == 0
        if unknown.any() and is_integral and not upper_level and data.scale == 1 and not data.tail:
            is_exact = unknown & (length < 2.0**53) & _is_integral(part)
            side[is_exact] = np.sign(dot[is_exact])
            unknown &= ~is_exact
        if unknown.any() and not b and not upper_level:
            unknown &= part.astype(bool) @ (w != 0)  # a row of zeros has the product 0
        if unknown.any():
            unresolved = rows.start + np.flatnonzero(unknown)
            signs[unresolved] = _signs_by_integers(data, v, level, unresolved)
    return signs


def _as_floats(v: Array | tuple[int, ...]) -> tuple[Array, bool]:
    """Return v as floats with a relative error of u at most, and True if they are exact integers.

    A tuple with numbers beyond 2**53 is scaled by a power of two, which keeps the signs.
    """
    if isinstance(v, np.ndarray):
        return v, False
    bits = max(abs(value) for value in v).bit_length()
    if bits <= 53:
        return np.array(v, dtype=np.float64), True
    small = [round_scaled(value, 60 - bits) for value in v]
    if any(value and abs(s) < 2.0**-900 for s, value in zip(small, v, strict=True)):
        small = [math.nan if value else 0.0 for value in v]  # too small for floats: undecided
    return np.array(small), False


def round_scaled(value: int, power: int) -> float:
    """Round an integer of any size, times 2**power, to 53 bits (fewer for subnormal results).

    Examples
    --------
    >>> round_scaled(3 * 2**2000, -2001)
    1.5
    """
    spare = max(abs(value).bit_length() - 64, 0)
    top = abs(value) >> spare
    top |= (top << spare) != abs(value)  # a sticky bit against double rounding
    return math.ldexp(float(top if value > 0 else -top), spare + power)


def _is_integral(part: Any) -> bool:
    values = part.data if sp.issparse(part) else part
    return bool((values == np.rint(values)).all())


def _signs_by_integers(
    data: LabelledData, v: Array | tuple[int, ...], level: tuple[int, int], rows: Array
) -> Array:
    numbers, exponents = vector_to_integers(v)
    constant, shift = data.unit
    b = numbers[-1] * constant, exponents[-1] + shift
    k = len(data.parts)
    used = np.array([j for j, value in enumerate(numbers[:-1]) if value], dtype=np.int64)
    step = max(1, _MAX_NUMBERS // (len(used) + 1))
    if sp.issparse(data.X):
        step = min(step, 64)  # few rows at a time have few columns
    signs: list[int] = []
    for start in range(0, len(rows), step):
        chosen = rows[start : start + step]
        columns = used
        if sp.issparse(data.X):
            columns = np.intersect1d(used, data.X[chosen].indices)
        blocks = (dense_block(part, chosen, columns) for part in data.parts)
        A = np.column_stack([*blocks, np.ones(len(chosen))])
        indices = columns.tolist() * k
        values, power = exact_dots(
            A, [*(numbers[j] for j in indices), b[0]], [*(exponents[j] for j in indices), b[1]]
        )
        for value, sign in zip(values, data.y[chosen], strict=True):
            signs.append(_sign_above(value if sign > 0 else -value, power, level))
    return np.array(signs, dtype=np.int8)


def vector_to_integers(v: Array | tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Return floats, or integers, as integers and exponents.

    Examples
    --------
    >>> vector_to_integers(np.array([0.75, 2.0])), vector_to_integers((3, 4))
    (([3, 1], [-2, 1]), ([3, 4], [0, 0]))
    """
    if isinstance(v, tuple):
        return list(v), [0] * len(v)
    matrix, exponents = to_integers(v[None, :])
    return [int(value) for value in matrix[0]], exponents.tolist()


def _sign_above(value: int, power: int, level: tuple[int, int]) -> int:
    """Return the sign of value · 2**power − L."""
    square_level, exponent = level
    if not square_level or value <= 0:
        return (value > 0) - (value < 0) if not square_level else -1
    square = value * value
    if is_at_most(square, 2 * power, square_level, exponent):
        return 0 if is_at_most(square_level, exponent, square, 2 * power) else -1
    return 1
