"""Exact sums, products and signs of floats, for the verification of proofs.

A float is an integer times a power of two, so exact arithmetic needs only integers. Every column of
a matrix has its own power of two, so that a column with 1e300 and 1e-300 does not slow down others.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from flint import fmpz_mat

from rosenblatt.proofs.check.data import LabelledData, dense_block, row_chunks
from rosenblatt.utils.arrays import Array, Matrix

_MAX_INTEGERS = 2**18  # integers at a time: about 20 MB
_MAX_EXPONENT = 2**14  # larger than every exponent of a float


def to_integers(A: Array) -> tuple[Array, Array]:
    """Return integers I and exponents e with A[i, j] = I[i, j] 2**e[j].

    Parameters
    ----------
    A : ndarray of shape (r, k), float64, finite

    Returns
    -------
    I : ndarray of shape (r, k), int64, or Python's integers if int64 is too narrow
    e : ndarray of shape (k,), int64

    Examples
    --------
    >>> to_integers(np.array([[0.5, 3.0], [-0.75, 1.0]]))
    (array([[ 2,  3],
           [-3,  1]]), array([-2,  0]))
    """
    mantissa, exponent = _mantissas(A)
    lowest_bit = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1
    nonzero = mantissa != 0
    lowest = np.where(nonzero, exponent + lowest_bit, _MAX_EXPONENT).min(
        axis=0, initial=_MAX_EXPONENT
    )
    lowest[lowest == _MAX_EXPONENT] = 0
    if np.where(nonzero, exponent + 53 - lowest, 0).max(initial=0) <= 62:
        return np.ldexp(A, -lowest).astype(np.int64), lowest
    shift = np.where(nonzero, exponent - lowest, 0)
    wide = mantissa.astype(object) << np.maximum(shift, 0)
    return wide >> np.maximum(-shift, 0), lowest


def weighted_sum(A: Array, weights: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return Σ_i weights_i A[i], exactly: an integer and an exponent per column.

    Examples
    --------
    >>> weighted_sum(np.array([[0.5, 3.0], [-0.75, 1.0]]), [3, 2])
    ([0, 11], [-2, 0])
    """
    numbers: list[int] = []
    exponents: list[int] = []
    step = max(1, _MAX_INTEGERS // max(1, len(A)))
    for start in range(0, A.shape[1], step):
        matrix, column_exponents = to_integers(A[:, start : start + step])
        exponents += column_exponents.tolist()
        if A.size:
            product = fmpz_mat(1, len(weights), list(weights)) * _flint_matrix(matrix)
            numbers += map(int, product.entries())
    return numbers or [0] * A.shape[1], exponents


def weighted_row_sum(
    parts: Sequence[Matrix], rows: Array, weights: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return Σ_i weights_i X[rows_i], exactly: columns, integers, exponents; 0 in other columns.

    X is the sum of the parts.

    Examples
    --------
    >>> X = sp.csr_array([[0.0, 1.5], [2.0, 0.0], [0.0, 1.0]])
    >>> columns, (number,), (exponent,) = weighted_row_sum((X,), np.array([0, 2]), [1, 2])
    >>> columns, number * 2.0**exponent
    ([1], 3.5)
    """
    first, *others = (_sum_of_rows(part, rows, weights) for part in parts)
    if not others:
        return first
    sums: dict[int, tuple[int, int]] = {}
    for entries in (first, *others):
        for j, number, exponent in zip(*entries, strict=True):
            sums[j] = added((number, exponent), sums.get(j, (0, 0)))
    columns = sorted(sums)
    return columns, [sums[j][0] for j in columns], [sums[j][1] for j in columns]


def added(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return the sum of two integers with exponents, exactly.

    Examples
    --------
    >>> added((3, -1), (1, 0))
    (5, -1)
    """
    if not (a[0] and b[0]):
        return a if a[0] else b
    least = min(a[1], b[1])
    return (a[0] << (a[1] - least)) + (b[0] << (b[1] - least)), least


def _sum_of_rows(
    X: Matrix, rows: Array, weights: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return Σ_i weights_i X[rows_i], as :func:`weighted_row_sum` does, of one matrix."""
    if not sp.issparse(X):
        return list(range(X.shape[1])), *weighted_sum(dense_block(X, rows), weights)
    part = X[rows].tocsc()
    columns = np.flatnonzero(np.diff(part.indptr))
    mantissas, powers = _mantissas(part.data.astype(np.float64))
    least = np.minimum.reduceat(powers, part.indptr[columns]) if len(columns) else powers
    numbers = [0] * len(columns)
    column_of = np.repeat(np.arange(len(columns)), np.diff(part.indptr)[columns])
    entries = (column_of, part.indices, mantissas, powers - least[column_of])
    for j, i, mantissa, shift in zip(*(array.tolist() for array in entries), strict=True):
        numbers[j] += weights[i] * mantissa << shift
    return columns.tolist(), numbers, least.tolist()


def _mantissas(values: Array) -> tuple[Array, Array]:
    """Return the floats as integers of at most 53 bits, and exponents."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(fraction, 53).astype(np.int64), exponent.astype(np.int64) - 53


def exact_dots(A: Array, numbers: Sequence[int], exponents: Sequence[int]) -> tuple[list[int], int]:
    """Return A v, exactly, for v_j = numbers_j 2**exponents_j: integers and one exponent.

    Examples
    --------
    >>> exact_dots(np.array([[0.5, 3.0], [-0.75, 1.0]]), [1, 1], [0, -1])
    ([8, -1], -2)
    """
    if not A.size:
        return [0] * len(A), 0
    matrix, column_exponents = to_integers(A)
    powers = [int(e) + int(f) for e, f in zip(column_exponents, exponents, strict=True)]
    least = min(powers)
    column = [int(v) << (p - least) for v, p in zip(numbers, powers, strict=True)]
    product = _flint_matrix(matrix) * fmpz_mat(len(column), 1, column)
    return list(map(int, product.entries())), least


def _flint_matrix(matrix: Array) -> fmpz_mat:
    return fmpz_mat(matrix.shape[0], matrix.shape[1], matrix.ravel().tolist())


def sqnorm(numbers: Sequence[int], exponents: Sequence[int]) -> tuple[int, int]:
    """Return Σ_j (numbers_j 2**exponents_j)², exactly: an integer and its exponent.

    Examples
    --------
    >>> sqnorm([3, 1], [0, 1])
    (13, 0)
    """
    least = min(exponents, default=0)
    terms = (v << (e - least) for v, e in zip(numbers, exponents, strict=True) if v)
    return sum(v * v for v in terms), 2 * least


def is_at_most(a: int, e: int, b: int, f: int) -> bool:
    """Return True if a 2**e <= b 2**f.

    Examples
    --------
    >>> is_at_most(3, 1, 13, -1), is_at_most(13, -1, 3, 1)
    (True, False)
    """
    return a << max(e - f, 0) <= b << max(f - e, 0)


def column_sums(parts: Sequence[Matrix], signs: Array) -> tuple[list[int], list[int]]:
    """Return Σ_i signs_i x_i, exactly: an integer and an exponent per column.

    X is the sum of the parts. Each is summed by itself, without an error.

    For each column, σ is a power of two so large that (x + σ) − σ rounds every x to a grid on which
    53 bits suffice for the sum of all; the remainder x − ((x + σ) − σ) is exact, too. Passes with
    smaller σ sum the remainders until all are 0: one pass for pixels, two or three in most cases.

    Parameters
    ----------
    parts : sequence of ndarray or csr_array of shape (n, d), n < 2**50
    signs : ndarray of shape (n,), float64
        −1.0, 0.0 or +1.0.

    Notes
    -----
    Rump, Ogita and Oishi, "Accurate floating-point summation part I: faithful rounding", SIAM J.
    Sci. Comput. 31 (2008), section 3: ExtractVector.

    Examples
    --------
    >>> column_sums((np.array([[1.0, 1e16], [1.0, 1.0], [1.0, -1e16]]),), np.ones(3))
    ([3, 1], [0, 0])
    """
    sums = [list(zip(*_sums_of_columns(X, signs), strict=True)) for X in parts]
    total = [functools.reduce(added, column) for column in zip(*sums, strict=True)]
    return [number for number, _ in total], [exponent for _, exponent in total]


def _sums_of_columns(X: Matrix, signs: Array) -> tuple[list[int], list[int]]:
    """Return Σ_i signs_i x_i, as :func:`column_sums` does, of one matrix."""
    n, d = X.shape
    largest = np.zeros(d)
    for _, part in row_chunks(X):
        if sp.issparse(part):
            np.maximum.at(largest, part.indices, np.abs(part.data))
        else:
            np.maximum(largest, np.abs(part).max(axis=0), out=largest)
    bits = n.bit_length()
    powers = np.frexp(largest)[1] + bits + 1
    huge = np.flatnonzero(powers > 1023)  # σ would overflow
    passes: list[Array] = []
    for rows, part in row_chunks(X):
        _add_pass_sums(part, signs[rows], powers, 52 - bits, passes)
    sums = np.array(passes).reshape(-1, d)
    sums[:, huge] = 0.0
    numbers, exponents = weighted_sum(sums, [1] * len(sums))
    all_rows, weights = np.arange(n), signs.astype(np.int64).tolist()
    for j in huge:
        (numbers[j],), (exponents[j],) = weighted_sum(
            dense_block(X, all_rows, np.array([j])), weights
        )
    return numbers, exponents


def _add_pass_sums(
    part: Matrix, signs: Array, powers: Array, bits: int, passes: list[Array]
) -> None:
    """Add to ``passes[k]`` the column sums of the leading parts that pass k extracts."""
    columns = np.flatnonzero(powers <= 1023)
    sparse = sp.issparse(part)
    if sparse:
        of_row = np.repeat(signs, np.diff(part.indptr))
        fits = powers[part.indices] <= 1023
        rest, columns, of_row = part.data[fits], part.indices[fits], of_row[fits]
    else:
        rest = part if len(columns) == part.shape[1] else part[:, columns]
    k = 0
    while rest.size:
        if k == len(passes):
            passes.append(np.zeros(len(powers)))
        sigma = np.ldexp(1.0, powers[columns] - k * bits)
        rounded = (rest + sigma) - sigma
        rest = rest - rounded
        if sparse:
            passes[k] += np.bincount(columns, of_row * rounded, minlength=len(powers))
            left = rest != 0
            rest, columns, of_row = rest[left], columns[left], of_row[left]
        else:
            passes[k][columns] += signs @ rounded
            left = rest.any(axis=0)
            rest, columns = rest[:, left], columns[left]
        k += 1


# An inner product of k terms, computed in floats in any order, with or without fused operations,
# has an error of at most γ_k |x|·|v|, γ_k = k u/(1 − k u), u = 2**-53, without overflow, plus
# 2**-1074 per term with underflow (Higham 2002, Accuracy and Stability of Numerical Algorithms,
# section 3.1). Twice (k + 6) u exceeds γ_k plus the rounding of v, of x and of the constant to
# floats and of the sum |x|·|v|, up to k = 2**40. Rows close to an overflow are decided in integers.
UNIT = 2.0**-53
TINY = 2.0**-1073  # twice the error of a product that underflows
_HUGE = 2.0**1000  # a sum below it has overflowed nowhere
_MAX_NUMBERS = 2**18  # exact numbers in memory at a time


def exact_signs(
    data: LabelledData, v: Array | tuple[int, ...], level: tuple[int, int] = (0, 0)
) -> Array:
    """Return the exact sign of z_i·v − L for every row, v = (w, b).

    With rows in a unit, z is a multiple of y (x, 1), the same for all rows, and so is L.

    Parameters
    ----------
    v : ndarray of float64, or tuple of int
    level : (int, int)
        L², as an integer and its exponent; L >= 0.

    Returns
    -------
    ndarray of shape (n,), int8
        −1, 0 or +1.

    Examples
    --------
    >>> data = LabelledData(np.array([[0.1], [0.3], [0.5]]), np.array([-1.0, 1.0, 1.0]))
    >>> exact_signs(data, (10, -3))
    array([ 1, -1,  1], dtype=int8)
    """
    n, d = data.shape
    rounded, is_integral, scale = _as_floats(v)
    upper_level = _root_above(*level, scale)
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


def _as_floats(v: Array | tuple[int, ...]) -> tuple[Array, bool, int]:
    """Return v 2**s as floats, with a relative error of u at most; True if exact integers; and s.

    Only a tuple with numbers beyond 2**53 is scaled, which keeps the signs.
    """
    if isinstance(v, np.ndarray):
        return v, False, 0
    bits = max(abs(value) for value in v).bit_length()
    if bits <= 53:
        return np.array(v, dtype=np.float64), True, 0
    small = [round_scaled(value, 60 - bits) for value in v]
    if any(value and abs(s) < 2.0**-900 for s, value in zip(small, v, strict=True)):
        small = [math.nan if value else 0.0 for value in v]  # too small for floats: undecided
    return np.array(small), False, 60 - bits


def _root_above(square: int, exponent: int, scale: int) -> float:
    """Return a float that is at least √(square · 2**exponent) · 2**scale; 0.0 for 0."""
    if not square:
        return 0.0
    more = max(0, 128 - square.bit_length())  # bits, so that the root has 64
    more += (exponent - more) % 2
    root = math.isqrt(square << more) + 1
    try:
        above = round_scaled(root, (exponent - more) // 2 + scale)
    except OverflowError:
        return math.inf
    return above * (1.0 + 4.0 * UNIT) + TINY


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


def _is_integral(part: Matrix) -> bool:
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
