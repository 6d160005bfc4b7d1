"""The question in rationals from the start, for the few sets whose answer floats cannot see.

Lawson and Hanson's NNLS over whole numbers: in exact arithmetic every step shortens w, so it ends.
"""

from __future__ import annotations

import math
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.proofs.check.data import Labelled
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.faces import Faces, UnresolvedError
from rosenblatt.proofs.search.nearest import Clock

Array = NDArray[Any]

_MOST = 1 << 20  # numbers that are looked at exactly, again and again


def exact_faces(data: Labelled, intercept: bool, clock: Clock) -> tuple[Faces, Array, list[int]]:
    """The faces of any data, with rows that cancel and their weights.

    No row is held, and no rows cancel, where the data is separable.

    Raises
    ------
    UnresolvedError
        The data is too large to be looked at in rationals.
    LateError
    """
    n, d = data.X.shape
    if n * (d + 1) > _MOST:
        raise UnresolvedError
    Z, columns = integers.augmented(data.X, data.y, np.arange(n), intercept)
    order = np.argsort(np.where(columns == d, -1, columns))
    rows, shifts = integers.integers(Z[:, order])
    pivots = integers.pivot_columns(rows)
    columns, shifts = columns[order[pivots]], [shifts[j] for j in pivots]
    M = flint.fmpz_mat([[row[j] for j in pivots] for row in rows])
    held, direction = np.arange(n), flint.fmpz_mat(len(pivots), 1)
    while True:
        w, bearing, weights, unit = _projected(M, held, _total(M, held), clock)
        along = _along(M, w)
        moved = np.array([along[i] > 0 for i in held], bool)
        if not moved.any():
            break
        direction = _mixed(M, direction, w)
        held = held[~moved]
        if len(held) == 0:
            break
    whole = _whole(direction, columns, shifts, d) if len(held) < n else None
    total = dict.fromkeys(bearing, unit)
    for i, weight in zip(bearing, weights, strict=True):
        total[i] += weight
    found = Faces(integers.overlap(total, unit), whole)
    return (found, held, []) if len(held) == 0 else (found, *_cancelling(M, held, clock))


def _total(M: Any, rows: Array) -> Any:
    """The sum of rows, as a column."""
    chosen = flint.fmpz_mat(1, M.nrows())
    for i in rows:
        chosen[0, int(i)] = 1
    return (chosen * M).transpose()


def _along(M: Any, w: Any) -> list[Any]:
    """z_i·w for all rows."""
    entries: list[Any] = (M * w).entries()
    return entries


def _projected(
    M: Any, among: Array, z0: Any, clock: Clock
) -> tuple[Any, list[int], list[int], int]:
    """Multiples of w = D z0 + Σ ν z, the shortest for ν >= 0: w, the rows, their ν, and D."""
    rows: list[int] = []
    nu: list[Any] = []
    w, unit = z0, 1
    while True:
        clock.check()
        along = _along(M, w)
        worst = min(among.tolist(), key=lambda i: along[i])
        if along[worst] >= 0:
            return w, rows, [int(value * unit) for value in nu], unit
        rows, nu = [*rows, worst], [*nu, flint.fmpq(0)]
        while True:
            aim = _minimum(M, rows, z0)
            if all(value > 0 for value in aim):
                nu = aim
                break
            share, leaving = min(
                (before / (before - after) if before else before, q)
                for q, (before, after) in enumerate(zip(nu, aim, strict=True))
                if after <= 0
            )
            nu = [b + share * (a - b) for b, a in zip(nu, aim, strict=True)]
            del rows[leaving], nu[leaving]
        unit = math.lcm(*(int(value.q) for value in nu))
        w = z0 * unit
        for i, value in zip(rows, nu, strict=True):
            scaled = value * unit
            w += flint.fmpz_mat([[M[i, j]] for j in range(M.ncols())]) * scaled.p


def _minimum(M: Any, rows: list[int], z0: Any) -> list[Any]:
    """The ν of any sign for which z0 + Σ ν z is shortest."""
    B = flint.fmpz_mat([[M[i, j] for j in range(M.ncols())] for i in rows])
    return (B * B.transpose()).solve(-(B * z0)).entries()


def _mixed(M: Any, first: Any, second: Any) -> Any:
    """So much of the first direction with the second that no row of the first turns back."""
    before, after = _along(M, first), _along(M, second)
    times = 1
    for b, a in zip(before, after, strict=True):
        if b > 0 > a:
            times = max(times, int(-a // b) + 1)
    return first * times + second


def _whole(direction: Any, columns: Array, shifts: list[int], d: int) -> tuple[int, ...]:
    """The direction in the features' own units, without a common divisor."""
    whole = [0] * (d + 1)
    for j, shift, value in zip(columns.tolist(), shifts, direction.entries(), strict=True):
        whole[j] = int(value) << shift
    return tuple(integers.primitive(whole))


def _cancelling(M: Any, held: Array, clock: Clock) -> tuple[Array, list[int]]:
    """Few of the held rows that cancel: one, and those that balance it."""
    best: tuple[list[int], list[int]] | None = None
    for start in held[:: max(1, len(held) // 8)].tolist():
        _, rows, weights, unit = _projected(M, held, _total(M, np.array([start])), clock)
        if best is None or len(rows) + 1 < len(best[0]):
            best = [start, *rows], [unit, *weights]
    assert best is not None
    merged: dict[int, int] = {}
    for i, weight in zip(*best, strict=True):
        merged[i] = merged.get(i, 0) + weight
    listed = sorted(merged)
    return np.array(listed, np.int64), integers.primitive([merged[i] for i in listed])
