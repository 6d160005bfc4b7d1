"""Exact arithmetic of the search: linear relations that floats suggest, solved over the rationals.

A solution modulo a prime first selects independent rows and columns: rows that are independent
modulo a prime are independent. p-adic lifting and continued fractions (Dixon 1982), in flint, then
solve over the rationals: 500 rows of MNIST take a quarter of a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData, dense_block
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.search.nearest import Task
from rosenblatt.utils.arrays import Array, Matrix

MAX_NUMBERS = 1 << 20
"""Numbers of the rows up to which a search in rationals begins."""

_PRIME = (1 << 61) - 1  # the largest Mersenne prime in a word of flint
_SAMPLE = 16  # rows whose numbers show how many bits the numbers of all rows have


def relation_cost(data: LabelledData, rows: Array) -> float:
    """Return the operations of `integer_relation` or `project_out` on some rows, for a deadline.

    They grow with the cube of the number of rows, and with the bits of the numbers: 500 rows of
    pixels take half a second, 500 rows of floats of all digits ten times as long.
    """
    # a part for the solution modulo a prime, and one for each bit of the numbers, which are lifted
    return (2.0 + 0.7 * most_bits(data, rows)) * float(len(rows)) ** 3


def most_bits(data: LabelledData, rows: Array) -> int:
    """Return the bits of the largest number of the first rows, in `scale_to_integers`.

    Examples
    --------
    >>> data = LabelledData(np.array([[0.5, 3.0], [-0.25, 0.0]]), np.ones(2))
    >>> most_bits(data, np.arange(2))
    2
    """
    integers = scale_to_integers(augmented_rows(data, rows[:_SAMPLE], False)[0])[0]
    return max((abs(value).bit_length() for row in integers for value in row), default=0)


def augmented_rows(data: LabelledData, rows: Array, intercept: bool) -> tuple[Array, Array]:
    """Return rows z_i = y_i (x_i, 1), without columns of zeros, x in the unit of the data.

    Returns
    -------
    Z : ndarray of shape (k, c), float64, or of ``Fraction`` where floats would round
    columns : ndarray of shape (c,), int64
        Indices of the columns among the d features; d for the intercept.
    """
    part, d = data.X[rows], data.X.shape[1]
    if sp.issparse(part):
        columns = np.unique(part.indices).astype(np.int64)
    else:
        columns = np.flatnonzero(part.any(axis=0))
    Z = dense_block(data.X, rows, columns)
    for part in data.tail:
        rest = dense_block(part, rows, columns)
        if rest.any():
            Z = as_fractions(Z) + as_fractions(rest)
    if intercept:
        Z, columns = np.column_stack([Z, np.ones(len(rows), int)]), np.append(columns, d)
    return Z * data.y[rows, None].astype(int), columns


def as_fractions(Z: Array) -> Array:
    """Return an array of ``Fraction``."""
    exact = [Fraction(value) for value in Z.ravel().tolist()]
    return np.array([*exact, None], object)[:-1].reshape(Z.shape)


def scale_to_integers(Z: Array) -> tuple[list[list[int]], list[int]]:
    """Return Z in integers, and shifts: column j is multiplied by 2**shifts[j], exactly.

    Examples
    --------
    >>> scale_to_integers(np.array([[0.5, 3.0], [-0.25, 0.0]]))
    ([[2, 3], [-1, 0]], [2, 0])
    """
    if Z.dtype != object and (np.abs(Z) < 2.0**53).all() and (np.rint(Z) == Z).all():
        return Z.astype(np.int64).tolist(), [0] * Z.shape[1]
    columns, shifts = [], []
    for column in Z.T.tolist():
        ratios = [value.as_integer_ratio() for value in column]  # denominators are powers of two
        shift = max(denominator for _, denominator in ratios).bit_length() - 1
        shifts.append(shift)
        columns.append([n << shift - d.bit_length() + 1 for n, d in ratios])
    return [list(row) for row in zip(*columns, strict=True)], shifts


def scale_uniformly(Z: Array) -> tuple[list[list[int]], int]:
    """Return Z as integers times one power of two, and its exponent: lengths keep their ratios.

    Examples
    --------
    >>> scale_uniformly(np.array([[0.5, 3.0], [-0.25, 0.0]]))
    ([[2, 12], [-1, 0]], -2)
    """
    rows, shifts = scale_to_integers(Z)
    most = max(shifts, default=0)
    lifts = [most - shift for shift in shifts]
    return [[v << lift for v, lift in zip(row, lifts, strict=True)] for row in rows], -most


def integer_relation(rows: list[list[int]]) -> list[int] | None:
    """Return the primitive integers v with Σ v_i rows_i = 0, if they are unique up to a factor.

    None if there are no such integers, or if they are not unique. Rows may be dependent
    modulo the prime alone; the product with the relation shows it.

    Examples
    --------
    >>> integer_relation([[1, 2], [3, 0], [5, 4]])
    [-2, -1, 1]
    """
    if not rows[0]:
        return [1] if len(rows) == 1 else None
    M = flint.fmpz_mat(rows)
    k = M.nrows()
    reduced, rank = flint.nmod_mat(M.transpose(), _PRIME).rref()
    if rank != k - 1:
        return None
    independent = _pivots(reduced, rank)
    (free,) = set(range(k)) - set(independent)
    if rank == 0:
        return [1]
    columns = pivot_columns(rows)
    entries = M.tolist()
    A = flint.fmpz_mat([[entries[i][j] for i in independent] for j in columns])
    b = flint.fmpz_mat([[-entries[free][j]] for j in columns])
    solution: Any = A.solve(b)
    numerators, unit = solution.numer_denom()
    vector = [0] * k
    for i, value in zip(independent, numerators.entries(), strict=True):
        vector[i] = int(value)
    vector[free] = int(unit)
    product = flint.fmpz_mat([vector]) * M
    if any(value != 0 for value in product.entries()):  # dependent only modulo p
        return None
    return primitive(vector)


def _pivots(reduced: Any, rank: int) -> list[int]:
    """Return the pivot columns of a matrix in reduced row echelon form."""
    pivots, j = [], 0
    for i in range(rank):
        while reduced[i, j] == 0:
            j += 1
        pivots.append(j)
        j += 1
    return pivots


def primitive(vector: list[int]) -> list[int]:
    """Return the integers, not all zero, divided by their greatest common divisor.

    Examples
    --------
    >>> primitive([4, -6, 0])
    [2, -3, 0]
    """
    divisor = math.gcd(*vector)
    return [value // divisor for value in vector]


def make_overlap(total: dict[int, int], rest: int) -> Overlap:
    """Return the overlap with these weights by row, and ``rest`` for every other row."""
    rows = sorted(total)
    *weights, rest = primitive([*(total[i] for i in rows), rest])
    return Overlap(np.array(rows, np.int64), tuple(weights), rest)


def min_margin(data: LabelledData, rows: Array, w: Array, b: float) -> float:
    """Return the minimum of y_i (w·x_i + b)/‖w‖ over the rows, rounded down.

    Examples
    --------
    >>> data = LabelledData(np.array([[3.0, 0.0], [-2.0, 1.0]]), np.array([1.0, -1.0]))
    >>> 1.9999 < min_margin(data, np.array([0, 1]), np.array([2.0, 0.0]), -2.0) < 2.0
    True
    """
    v = [Fraction(value) for value in (*w.tolist(), b)]
    squares = sum(value * value for value in v[:-1])
    lowest: Fraction | None = None
    for i in rows:
        product = v[-1]
        for part in data.parts:
            row = part[[i]]
            where, values = (row.indices, row.data) if sp.issparse(row) else (range(len(w)), row[0])
            product += sum(
                v[j] * Fraction(float(x)) for j, x in zip(where, values, strict=True) if x and v[j]
            )
        distance = product if data.y[i] > 0 else -product
        lowest = distance if lowest is None or distance < lowest else lowest
    assert lowest is not None
    length = math.sqrt(float(squares))  # relative error at most 2 u
    return float(lowest) / length * (1.0 - math.copysign(2.0**-50, lowest))


def pivot_columns(rows: Sequence[Sequence[int | flint.fmpz]]) -> list[int]:
    """Return the columns that are linearly independent of earlier columns, modulo a prime.

    Examples
    --------
    >>> pivot_columns([[1, 2, 0], [1, 2, 1]])
    [0, 2]
    """
    if not rows or not rows[0]:
        return []
    reduced, rank = flint.nmod_mat(flint.fmpz_mat(rows), _PRIME).rref()
    return _pivots(reduced, rank)


def infeasible_rows(task: Task, rows: Array) -> tuple[Array, list[int]] | None:
    """Return rows with exact weights λ > 0 and Σ λ z = 0, and the weights; None without such.

    By Gordan's theorem (1873) they prove that no hyperplane separates the data. The rows of
    positive weight of a point of least norm are affinely independent, so that the relation is
    unique.

    None, too, where their computation ends too late.
    """
    if not task.deadline.allows(relation_cost(task.data, rows)):
        return None
    rows = np.sort(rows)
    Z = augmented_rows(task.data, rows, task.intercept)[0]
    weights = integer_relation(scale_to_integers(Z)[0])
    if weights is None or min(weights) < 0 < max(weights):
        return None
    active = [q for q, weight in enumerate(weights) if weight]
    return rows[active], [abs(weights[q]) for q in active]


def project_out(Z: Array, columns: Array, direction: list[int]) -> list[int] | None:
    """Project a direction on the orthogonal complement of the rows of Z, in these columns.

    The result is a multiple of δ − Zᵀ (Z Zᵀ)⁻¹ Z δ, by the normal equations, in integers: its
    product with Z is exactly zero, so that no rounding is left of a direction that floats have
    found. The rows must be independent.
    """
    rows, shifts = scale_to_integers(Z)
    M = flint.fmpz_mat(rows)
    most = max(shifts)  # column j of M is 2**shifts[j] times that of Z
    inside = [direction[j] << (most - shift) for j, shift in zip(columns, shifts, strict=True)]
    column = flint.fmpz_mat([[value] for value in inside])
    try:
        solution: Any = (M * M.transpose()).solve(M * column)
    except ZeroDivisionError:
        return None
    along, unit = solution.numer_denom()
    times = int(unit)
    result = [times * value << most for value in direction]
    parts = (M.transpose() * along).entries()
    for j, value, part, shift in zip(columns, inside, parts, shifts, strict=True):
        result[j] = (times * value - int(part)) << shift
    return primitive(result) if any(result) else None


def added(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return the sum of two pairs (m, e), m · 2**e.

    Examples
    --------
    >>> added((3, -1), (1, 0))
    (5, -1)
    """
    least = min(a[1], b[1])
    return (a[0] << (a[1] - least)) + (b[0] << (b[1] - least)), least


def signed_sum(X: Matrix, y: Array) -> list[tuple[int, int]]:
    """Return Σ y_i x_i for y_i in {−1, 0, 1}, exactly: a pair (m, e), m · 2**e, per column.

    Numbers of similar exponents are added in one integer of 64 bits (Malcolm 1971), whose sums are
    added in Python's.

    Examples
    --------
    >>> sums = signed_sum(np.array([[0.5, 3.0], [0.25, 1.0]]), np.array([1.0, -1.0]))
    >>> [m * 2.0**e for m, e in sums]
    [0.25, 2.0]
    """
    values = X.data if sp.issparse(X) else X
    if (values == np.rint(values)).all() and float(np.abs(values).max(initial=0.0)) * len(
        y
    ) < 2**53:
        return [(int(total), 0) for total in np.asarray(y @ X).reshape(-1).tolist()]
    totals = [0] * X.shape[1]
    if not values.any():
        return [(0, 0)] * X.shape[1]
    lowest = int(np.frexp(np.abs(values[values != 0.0]).min())[1]) // _BIN * _BIN - 2 * _BIN - 53
    for start in range(0, len(y), _CHUNK):
        part = X[start : start + _CHUNK]
        part = part.toarray() if sp.issparse(part) else part
        _add_bins(totals, part.astype(np.float64), y[start : start + _CHUNK, None], lowest)
    return [(total, lowest) if total else (0, 0) for total in totals]


_BIN = 16  # exponents summed together: 27 + 16 + 14 bits fit in 63
_CHUNK = 1 << 14  # rows


def _add_bins(totals: list[int], part: Array, y: Array, lowest: int) -> None:
    """Add a chunk's signed columns to the totals, in units of 2**lowest."""
    mantissas, exponents = np.frexp(part)
    integers = np.ldexp(mantissas, 53).astype(np.int64)
    integers[y.reshape(-1) == 0.0] = 0
    lift = exponents - 53 - lowest
    for number in np.unique(lift[integers != 0] // _BIN).tolist():
        here = (integers != 0) & (lift // _BIN == number)
        shift = np.where(here, lift % _BIN, 0)
        chosen = np.where(here, integers, 0) * y.astype(np.int64)
        high = ((chosen >> 26) << shift).sum(axis=0).tolist()
        low = ((chosen & (2**26 - 1)) << shift).sum(axis=0).tolist()
        for j, (upper, lower) in enumerate(zip(high, low, strict=True)):
            totals[j] += ((upper << 26) + lower) << (number * _BIN)


def flint_rows(M: flint.fmpz_mat, rows: list[int]) -> flint.fmpz_mat:
    """Return some rows of a matrix of flint."""
    return flint.fmpz_mat([[M[i, j] for j in range(M.ncols())] for i in rows])


def move_to_minimum(
    rows: list[int],
    weights: list[flint.fmpq],
    minimum: Callable[[list[int]], list[flint.fmpq]],
) -> tuple[list[int], list[flint.fmpq]]:
    """Return the rows and weights > 0 at which the way to the minimum over the rows ends.

    ``minimum`` returns the weights, of any sign, of the point of least norm in the affine hull, or
    the span, of rows. Where a weight would pass 0, the step ends, and its row leaves: Wolfe (1976),
    step 3 of the algorithm, and Lawson and Hanson (1974), chapter 23, steps 6 to 11 of NNLS.
    """
    while True:
        target = minimum(rows)
        if all(value > 0 for value in target):
            return rows, target
        share, leaving = min(
            (before / (before - after) if before else before, q)
            for q, (before, after) in enumerate(zip(weights, target, strict=True))
            if after <= 0
        )
        weights = [b + share * (a - b) for b, a in zip(weights, target, strict=True)]
        rows, weights = [[*v[:leaving], *v[leaving + 1 :]] for v in (rows, weights)]


def solve_balance(Z: Array, sums: list[tuple[int, int]]) -> tuple[int, list[int]] | None:
    """Return integers D > 0 and μ with D · sums + Σ μ_i z_i = 0, or None if there are none."""
    rows, shifts = scale_to_integers(Z)
    needed = [max(0, -e - shift) for (_, e), shift in zip(sums, shifts, strict=True)]
    rows = [[value << more for value, more in zip(row, needed, strict=True)] for row in rows]
    target = [
        m << (e + shift + more) for (m, e), shift, more in zip(sums, shifts, needed, strict=True)
    ]
    vector = integer_relation([*rows, target])
    if vector is None or vector[-1] == 0:
        return None
    sign = 1 if vector[-1] > 0 else -1
    return sign * vector[-1], [sign * value for value in vector[:-1]]
