"""The rows that determine the maximal margin, proved in rationals, and a separator that attains it.

Floats suggest few rows near the margin; `exact_nearest` solves these, and a pass in floats over all
others shows that none of them is nearer.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.exact_nearest import (
    MAX_NUMBERS,
    ExactNearest,
    exact_nearest,
    solution_cost,
)
from rosenblatt.proofs.search.nearest import Deadline
from rosenblatt.utils.arrays import Array

MAX_DATA = 1 << 22
"""Numbers of the data beyond which it is not sought where floats attain the tolerance: every row is
verified for it."""
CHEAP_OPERATIONS = 3e7
"""Operations, as estimated, that this proof may add where floats attain the tolerance: some 0.05
seconds, for about 60 support rows of floats, or 150 of pixels."""
_ALL_NUMBERS = 1 << 10  # numbers up to which all rows are solved together
_NEAR_ROWS = 16  # rows beside those of positive weight, of larger data
_SAMPLE = 16  # rows whose numbers show how many bits the numbers of all rows have
_ROUNDS = 4  # times that rows which turn out to be nearer are added
_UNIT = 2.0**-53
_MAX_BITS = 1 << 13  # of the numbers of a separator


class Determined(NamedTuple):
    """The maximal margin, the rows and weights that determine it, and its separator.

    Attributes
    ----------
    rows : ndarray of int64
    weights : list of int
    sqmargin : Fraction
        The square of the maximal margin.
    near : NearRows
        The rows of which some have the smallest margin of every separator close to the best one.
    direction : list of int
        A multiple of the best separator's w, over the columns of ``near``.
    """

    rows: Array
    weights: list[int]
    sqmargin: Fraction
    near: NearRows
    direction: list[int]


class NearRows:
    """Rows as integers times one power of two, and the exact margins of a w on them."""

    def __init__(self, data: LabelledData, rows: Array, intercept: bool) -> None:
        self.rows, self.intercept = rows, intercept
        Z, self.columns = integers.augmented_rows(
            replace(data, y=np.ones(data.shape[0])), rows, False
        )
        self.numbers, self.power = integers.scale_uniformly(Z)
        self.signs = [int(sign) for sign in data.y[rows]]
        self.matrix = flint.fmpz_mat(self.numbers)

    def weighted_sum(self, rows: list[int], weights: list[int]) -> list[int]:
        """Return Σ λ y x over rows at these positions, divided by the rows' power of two."""
        chosen = [0] * len(self.numbers)
        for row, weight in zip(rows, weights, strict=True):
            chosen[row] = weight * self.signs[row]
        return [int(value) for value in (flint.fmpz_mat([chosen]) * self.matrix).entries()]

    def offset(self, w: list[int], bits: int) -> Fraction:
        """Return the offset with which w 2**-bits has the same smallest margin in both classes."""
        if not self.intercept:
            return Fraction(0)
        above, below = self._nearest(w, bits)
        return (below - above) / 2

    def least(self, w: list[int], bits: int, b: Fraction) -> Fraction:
        """Return the smallest y (w·x + b), for w 2**-bits."""
        above, below = self._nearest(w, bits)
        return min(above + b, below - b)

    def _nearest(self, w: list[int], bits: int) -> tuple[Fraction, Fraction]:
        """Return the smallest y w·x of each class; without an intercept, that of all rows twice."""
        along = (self.matrix * flint.fmpz_mat([[value] for value in w])).entries()
        signed = [int(value) * s for value, s in zip(along, self.signs, strict=True)]
        unit = Fraction(2) ** (self.power - bits)
        if not self.intercept:
            return min(signed) * unit, min(signed) * unit
        above = min(v for v, s in zip(signed, self.signs, strict=True) if s > 0)
        below = min(v for v, s in zip(signed, self.signs, strict=True) if s < 0)
        return above * unit, below * unit


def determine(
    data: LabelledData,
    intercept: bool,
    active: Array,
    w: Array,
    deadline: Deadline,
    most: float,
) -> Determined | None:
    """Return the exact maximal margin of separable data; None if the proof costs too much.

    Parameters
    ----------
    data : LabelledData
    intercept : bool
    active : ndarray of int64
        Rows that seem to determine the margin.
    w : ndarray of shape (d,)
        A w that seems to have the maximal margin.
    deadline : Deadline
    most : float
        Operations, as estimated, at which the search ends.
    """
    few = integers.augmented_rows(data, active[:_SAMPLE], False)[0]
    if few.size == 0 or solution_cost(len(active), integers.most_bits(few)) > most:
        return None
    rows = _near_rows(data, intercept, active, w)
    for _ in range(_ROUNDS):
        part = data.X[rows]
        width = len(np.unique(part.indices)) if sp.issparse(part) else part.shape[1]
        if len(rows) * width > MAX_NUMBERS or width == 0:
            return None
        near = NearRows(data, rows, intercept)
        solution = exact_nearest(
            near.numbers,
            near.signs,
            np.searchsorted(rows, active).tolist(),
            intercept=intercept,
            most=most,
            deadline=deadline,
        )
        if solution is None:
            return None
        direction = near.weighted_sum(solution.rows, solution.weights)
        nearer = _nearer_rows(data, intercept, near, solution, direction)
        if not len(nearer):
            sqmargin = solution.sqmargin * Fraction(4) ** near.power
            return Determined(rows[solution.rows], solution.weights, sqmargin, near, direction)
        active, rows = rows[solution.rows], np.union1d(rows, nearer)
    return None


def _near_rows(data: LabelledData, intercept: bool, active: Array, w: Array) -> Array:
    """Return all rows of small data, else the active ones and some with the smallest margins."""
    n, d = data.shape
    if n * d <= _ALL_NUMBERS:
        return np.arange(n)
    along = data.y * np.asarray(data.X @ w).reshape(-1)
    if intercept:
        along[data.y > 0] -= along[data.y > 0].min()
        along[data.y < 0] -= along[data.y < 0].min()
    count = min(n, _NEAR_ROWS)
    return np.union1d(active, np.argpartition(along, count - 1)[:count])


def _nearer_rows(
    data: LabelledData,
    intercept: bool,
    near: NearRows,
    solution: ExactNearest,
    direction: list[int],
) -> Array:
    """Return other rows that may be nearer than the solution margin, the nearest first."""
    n, d = data.shape
    if len(near.rows) == n:
        return np.zeros(0, np.int64)
    longest = max(map(abs, direction))
    w = np.zeros(d)
    w[near.columns] = [value / longest for value in direction]
    along = data.y * np.asarray(data.X @ w).reshape(-1)
    doubt = 4.0 * (d + 8) * _UNIT * np.asarray(abs(data.X) @ np.abs(w)).reshape(-1)
    for part in data.tail:  # what the floats lack of the numbers
        doubt += 2.0 * np.asarray(abs(part) @ np.abs(w)).reshape(-1)
    group = (data.y < 0) if intercept else np.zeros(n, bool)
    listed = near.rows[solution.rows]
    level = np.array([along[listed[group[listed] == g]].max(initial=-np.inf) for g in (0, 1)])
    slack = along - level[group.astype(np.int64)]
    slack[near.rows] = np.inf
    nearer = np.flatnonzero(~(slack > doubt + doubt[listed].max()))
    return nearer[np.argsort(slack[nearer])][:_NEAR_ROWS]


def float_direction(exact: Determined) -> Array:
    """Return the best w, of length 1, rounded to floats."""
    bits = 128
    length = math.isqrt(sum(value * value for value in exact.direction) << 2 * bits)
    return np.array([(value << bits) / length for value in exact.direction])


def precise_direction(exact: Determined, least: float) -> tuple[list[int], int] | None:
    """Return the best w, of length 1 and rounded to multiples of 2**-bits, and the bits.

    So many that its margin is at least ``least``; None if too many are needed.
    """
    bits, square = 64, sum(value * value for value in exact.direction)
    while bits <= _MAX_BITS:
        length = math.isqrt(square << 2 * bits)
        w = [(value << 2 * bits) // length for value in exact.direction]
        low = exact.near.least(w, bits, exact.near.offset(w, bits))
        if low > 0 and (low * 2**bits) ** 2 >= Fraction(least) ** 2 * sum(v * v for v in w):
            return w, bits
        bits *= 2
    return None


def root_below(square: Fraction) -> float:
    """Return the largest float that is at most √square; 0.0 below the floats.

    Examples
    --------
    >>> root_below(Fraction(9, 4)), root_below(Fraction(2)) ** 2 < 2
    (1.5, True)
    """
    value = _root(square)
    return value if Fraction(value) ** 2 <= square else math.nextafter(value, 0.0)


def root_above(square: Fraction) -> float:
    """Return the smallest float that is at least √square; infinity beyond the floats.

    Examples
    --------
    >>> root_above(Fraction(9, 4)), root_above(Fraction(2)) ** 2 > 2
    (1.5, True)
    """
    value = _root(square)
    return value if Fraction(value) ** 2 >= square else math.nextafter(value, math.inf)


def _root(square: Fraction) -> float:
    """Return a float that neighbours √square, the largest float at most."""
    shift = max(0, 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    shift = min(shift, 1200)  # beyond, the root is below the smallest float
    root = Fraction(math.isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)
    try:
        return float(root)
    except OverflowError:
        return math.nextafter(math.inf, 0.0)
