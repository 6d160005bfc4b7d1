"""The minimal face in rational arithmetic, for data on which floats are not precise enough.

Lawson and Hanson's NNLS (1974, chapter 23) over the integers; in exact arithmetic every step
shortens w, and no set of rows comes twice, so it ends.
"""

from __future__ import annotations

import math

import flint
import numpy as np

from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.faces import MinimalFace, UnresolvedError
from rosenblatt.proofs.search.nearest import Deadline, Task
from rosenblatt.utils.arrays import Array

_RELATION_COST = 5.0  # operations per cubed number of rows, for a deadline


def exact_minimal_face(task: Task) -> tuple[MinimalFace, Array, list[int]]:
    """Return the minimal face of any data, with rows and weights that prove inseparability.

    Every round projects the sum of the rows left on the cone of directions with Zδ >= 0 (Moreau
    1962): rows that it moves are off the face. The round that moves none proves by its weights that
    all rows left are on it (Stiemke 1915).

    On separable data the face, the rows and the weights are empty.

    Raises
    ------
    UnresolvedError
        The data is too large for rationals.
    TimeLimitError
        The time limit is exceeded.
    """
    (n, d), deadline = task.data.shape, task.deadline
    if n * (d + 1) > integers.MAX_NUMBERS:
        raise UnresolvedError
    Z, columns = integers.augmented_rows(task.data, np.arange(n), task.intercept)
    order = np.argsort(np.where(columns == d, -1, columns))
    deadline.check(float(n) * len(columns) * min(n, len(columns)))
    rows, shifts = integers.scale_to_integers(Z[:, order])
    pivots = integers.pivot_columns(rows)
    columns, shifts = columns[order[pivots]], [shifts[j] for j in pivots]
    M = flint.fmpz_mat([[row[j] for j in pivots] for row in rows])
    fixed, direction = np.arange(n), flint.fmpz_mat(len(pivots), 1)
    while True:
        w, balancing, weights, unit = _cone_projection(M, fixed, _sum_of_rows(M, fixed), deadline)
        along = _dots(M, w)
        moved = np.array([along[i] > 0 for i in fixed], bool)
        if not moved.any():
            break
        direction = _combined_direction(M, direction, w)
        fixed = fixed[~moved]
        if len(fixed) == 0:
            break
    exact = _integer_direction(direction, columns, shifts, d) if len(fixed) < n else None
    total = dict.fromkeys(balancing, unit)
    for i, weight in zip(balancing, weights, strict=True):
        total[i] += weight
    face = MinimalFace(integers.make_overlap(total, unit), exact)
    return (face, fixed, []) if len(fixed) == 0 else (face, *_infeasible_rows(M, fixed, deadline))


def _sum_of_rows(M: flint.fmpz_mat, rows: Array) -> flint.fmpz_mat:
    """Return the sum of rows, as a column."""
    chosen = flint.fmpz_mat(1, M.nrows())
    for i in rows:
        chosen[0, int(i)] = 1
    return (chosen * M).transpose()


def _dots(M: flint.fmpz_mat, w: flint.fmpz_mat) -> list[flint.fmpz]:
    """Return z_i·w for all rows."""
    return (M * w).entries()


def _cone_projection(
    M: flint.fmpz_mat, candidates: Array, z0: flint.fmpz_mat, deadline: Deadline
) -> tuple[flint.fmpz_mat, list[int], list[int], int]:
    """Return the shortest w = D z0 + Σ ν z with ν >= 0, in integers: w, rows, their ν, and D."""
    rows: list[int] = []
    numbers: list[int] = []
    nu: list[flint.fmpq] = []
    w, unit = z0, 1

    def least_squares(rows: list[int]) -> list[flint.fmpq]:
        """Return the ν, of any sign, that minimise ‖z0 + Σ ν z‖."""
        deadline.check(_RELATION_COST * float(len(rows)) ** 3)
        B = integers.flint_rows(M, rows)
        return (B * B.transpose()).solve(-(B * z0)).entries()

    while True:
        deadline.check()
        along = _dots(M, w)
        worst = min(candidates.tolist(), key=lambda i: along[i])
        if along[worst] >= 0:
            return w, rows, numbers, unit
        rows, nu = integers.move_to_minimum([*rows, worst], [*nu, flint.fmpq(0)], least_squares)
        unit = math.lcm(*(int(value.q) for value in nu))
        numbers = [int(value * unit) for value in nu]
        w = z0 * unit + (flint.fmpz_mat([numbers]) * integers.flint_rows(M, rows)).transpose()


def _combined_direction(
    M: flint.fmpz_mat, first: flint.fmpz_mat, second: flint.fmpz_mat
) -> flint.fmpz_mat:
    """Return k · first + second, with k so large that no positive product becomes negative."""
    before, after = _dots(M, first), _dots(M, second)
    times = 1
    for b, a in zip(before, after, strict=True):
        if b > 0 > a:
            times = max(times, int(-a // b) + 1)
    return first * times + second


def _integer_direction(
    direction: flint.fmpz_mat, columns: Array, shifts: list[int], d: int
) -> tuple[int, ...]:
    """Return the direction in the features' own units, without a common divisor."""
    values = [0] * (d + 1)
    for j, shift, value in zip(columns.tolist(), shifts, direction.entries(), strict=True):
        values[j] = int(value) << shift
    return tuple(integers.primitive(values))


def _infeasible_rows(
    M: flint.fmpz_mat, fixed: Array, deadline: Deadline
) -> tuple[Array, list[int]]:
    """Return few rows of the face with weights of sum 0: one row, and rows that balance it."""
    best: tuple[list[int], list[int]] | None = None
    for start in fixed[:: max(1, len(fixed) // 8)].tolist():
        _, rows, weights, unit = _cone_projection(
            M, fixed, _sum_of_rows(M, np.array([start])), deadline
        )
        if best is None or len(rows) + 1 < len(best[0]):
            best = [start, *rows], [unit, *weights]
    assert best is not None
    merged: dict[int, int] = {}
    for i, weight in zip(*best, strict=True):
        merged[i] = merged.get(i, 0) + weight
    listed = sorted(merged)
    return np.array(listed, np.int64), integers.primitive([merged[i] for i in listed])
