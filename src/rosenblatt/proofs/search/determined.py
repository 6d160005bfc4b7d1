"""The maximal margin and the rows that determine it, in rationals: Wolfe's method on the hulls.

Floats suggest few rows near the margin; `exact_nearest` solves these with no rounding, and a pass
in floats over all others shows that none of them is nearer.

The nearest points of two hulls (without an intercept: of one hull and the origin) are found by an
active set (Wolfe 1976): the minimum over the affine hull of a few rows solves a linear system, a
row of weight <= 0 leaves, the row that violates optimality most enters. Every step shortens w, so
that it ends; from the rows that the floats suggest, one or two steps suffice. That half the
distance of the nearest points is the maximal margin: Bennett and Bredensteiner 2000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import Deadline, Task, TimeLimitError
from rosenblatt.utils.arrays import Array

MAX_OPERATIONS = 4e9
"""Operations, as estimated, up to which the margin is sought in rationals: some seconds."""
MAX_DATA = 1 << 22
"""Numbers of the data beyond which it is not sought where floats attain the tolerance: every row is
verified for it."""
CHEAP_OPERATIONS = 3e7
"""Operations, as estimated, that this proof may add where floats attain the tolerance: some 0.05
seconds, for about 60 support rows of floats, or 150 of pixels."""
_ALL_NUMBERS = 1 << 10  # numbers up to which all rows are solved together
_NEAR_ROWS = 16  # rows beside those of positive weight, of larger data
_ROUNDS = 4  # times that rows which turn out to be nearer are added
_UNIT = 2.0**-53  # the relative error of a rounding
_MAX_STEPS = 1000  # rows that enter
_ENTRY_COST = 20.0  # operations to make an integer of flint from one of Python's
_LIFT_COST = 5.0  # operations per word of a p-adic step
_LONG_COST = 3.0  # operations per word of a product of integers
_WORD = 64.0  # bits


class ExactNearest(NamedTuple):
    """The maximal margin, and the rows that determine it.

    Attributes
    ----------
    rows : list of int
        Rows with a positive weight, ascending.
    weights : list of int
        Their weights λ > 0, without a common divisor; with an intercept Σ λ y = 0. The best
        separator has w along Σ λ y x.
    sqmargin : Fraction
        The square of the maximal margin.
    """

    rows: list[int]
    weights: list[int]
    sqmargin: Fraction


def exact_nearest(
    rows: list[list[int]],
    signs: list[int],
    candidates: Sequence[int],
    *,
    intercept: bool,
    most: float = MAX_OPERATIONS,
    deadline: Deadline | None = None,
) -> ExactNearest | None:
    """Return the maximal margin of integer rows, proved; None if it is not found.

    Parameters
    ----------
    rows : list of lists of int
        n rows of d numbers each.
    signs : list of int
        −1 or +1 for every row.
    candidates : sequence of int
        Rows that are believed to determine the margin, most believed first. If others do, they
        are found as well, after more steps.
    intercept : bool
        Whether the hyperplane has an offset.
    most : float, default 4e9
        Operations, as estimated, at which the search ends: at most some seconds.
    deadline : Deadline, optional
        Ends the search, too.

    Returns
    -------
    ExactNearest or None
        None if no hyperplane separates the rows, if with an intercept all are of one class, or if
        the work is too much: more than `integers.MAX_NUMBERS` numbers, ``most`` operations, or the
        deadline. From the right candidates, 20 of 200 rows of floats take 0.02 seconds, 50 of 1,000
        take 0.2; without any, ten and forty times as long.

    Examples
    --------
    >>> exact_nearest([[0], [1], [4]], [-1, -1, 1], [1, 2], intercept=True)
    ExactNearest(rows=[1, 2], weights=[1, 1], sqmargin=Fraction(9, 4))
    """
    if not rows or not rows[0] or len(rows) * len(rows[0]) > integers.MAX_NUMBERS:
        return None
    if intercept and len(set(signs)) < 2:
        return None
    try:
        return _Search(rows, signs, intercept, most, deadline).solve(candidates)
    except TimeLimitError:
        return None


def solution_cost(size: int, bits: int) -> float:
    """Return the operations to solve for so many rows of numbers of so many bits.

    By Dixon's method (1982): an inverse modulo a prime, a step of lifting for each word of the
    solution and its reconstruction, quadratic in the words of every number.
    """
    products = 2 * bits + math.log2(size)  # bits of the numbers z·z
    words = 2 * size * products / _WORD  # of a solution modulo powers of a prime
    lifting = _LIFT_COST * words * size**2 * (1.0 + products / _WORD)
    return float(size) ** 3 + lifting + 2 * size * words**2


class _Search:
    """The rows z_i = y_i (x_i − x_0), their groups, and the cost so far.

    With an intercept the rows are those relative to row 0, which have fewer digits, in one group
    for each class; without, they are in one group and x_0 is 0.
    """

    def __init__(
        self,
        rows: list[list[int]],
        signs: list[int],
        intercept: bool,
        most: float,
        deadline: Deadline | None,
    ) -> None:
        self.intercept, self.deadline, self.left = intercept, deadline, most
        origin = rows[0] if intercept else [0] * len(rows[0])
        signed = [
            [sign * (value - start) for value, start in zip(row, origin, strict=True)]
            for row, sign in zip(rows, signs, strict=True)
        ]
        self.bits = max(max(map(abs, row)) for row in signed).bit_length()
        self.group = [int(intercept and sign < 0) for sign in signs]
        self.spend(_ENTRY_COST * len(rows) * len(rows[0]))
        self.Z = flint.fmpz_mat(signed)

    def spend(self, operations: float) -> None:
        """Count operations; raise TimeLimitError beyond the limit or the deadline."""
        self.left -= operations
        if self.left < 0.0:
            raise TimeLimitError
        if self.deadline is not None:
            self.deadline.check(operations)

    def solve(self, candidates: Sequence[int]) -> ExactNearest | None:
        """Return the nearest points, from the candidates on."""
        chosen = self._independent(candidates)
        while min(alpha := self._minimum(chosen)) <= 0:  # each group keeps a row: its sum is 1
            chosen = [i for i, value in zip(chosen, alpha, strict=True) if value > 0]
        for _ in range(_MAX_STEPS):
            unit = math.lcm(*(int(value.q) for value in alpha))
            weights = [int(value.p) * (unit // int(value.q)) for value in alpha]
            w = flint.fmpz_mat([weights]) * integers.flint_rows(self.Z, chosen)
            along = self._along(w)
            levels = {self.group[i]: along[i] for i in chosen}
            if sum(levels.values()) <= 0:  # ‖w‖² times a positive number
                return None
            depths = [levels[g] - value for g, value in zip(self.group, along, strict=True)]
            entering = max(range(len(depths)), key=depths.__getitem__)
            if depths[entering] <= 0:
                return self._result(chosen, weights, w, sum(levels.values()))
            chosen, alpha = integers.move_to_minimum(
                [*chosen, entering], [*alpha, flint.fmpq(0)], self._minimum
            )
        return None

    def _independent(self, candidates: Sequence[int]) -> list[int]:
        """Return candidates of which none is an affine combination; a row, if a class has none."""
        chosen = list(dict.fromkeys(map(int, candidates)))
        chosen += [self.group.index(g) for g in {*self.group} - {self.group[i] for i in chosen}]
        columns: list[list[Any]] = [
            [int(self.group[i] == g) for i in chosen] for g in sorted(set(self.group))
        ]
        columns += integers.flint_rows(self.Z, chosen).transpose().tolist()
        self.spend(float(len(columns)) * len(chosen) * min(len(columns), len(chosen)))
        return [chosen[q] for q in integers.pivot_columns(columns)]

    def _minimum(self, chosen: list[int]) -> list[flint.fmpq]:
        """Return the α, of any sign, of the shortest Σ α z, if those of each group sum to 1.

        Lagrange's conditions: Z Zᵀ α equals a multiplier in each group, and the sums are 1.
        """
        k, groups = len(chosen), sorted(set(self.group))
        size = k + len(groups)
        self.spend(solution_cost(size, self.bits))
        Z = integers.flint_rows(self.Z, chosen)
        gram: list[list[Any]] = (Z * Z.transpose()).tolist()
        members = [[int(self.group[i] == g) for i in chosen] for g in groups]
        system = [[*gram[q], *(row[q] for row in members)] for q in range(k)]
        system += [row + [0] * len(groups) for row in members]
        right = flint.fmpz_mat([[0]] * k + [[1]] * len(groups))
        return flint.fmpz_mat(system).solve(right).entries()[:k]

    def _along(self, w: flint.fmpz_mat) -> list[int]:
        """Return z_i·w of every row."""
        longest = max(int(value).bit_length() for value in w.entries())
        self.spend(_LONG_COST * self.Z.nrows() * self.Z.ncols() * (1.0 + longest / _WORD))
        return [int(value) for value in (self.Z * w.transpose()).entries()]

    def _result(
        self, chosen: list[int], weights: list[int], w: flint.fmpz_mat, level: int
    ) -> ExactNearest:
        """Return the nearest points, of which w is the difference, or twice the level with b."""
        share = 2 if self.intercept else 1  # level is share · y (w·x + b) of the chosen rows
        sqmargin = Fraction(level**2, share**2 * sum(int(v) ** 2 for v in w.entries()))
        by_row = dict(sorted(zip(chosen, weights, strict=True)))
        return ExactNearest([*by_row], integers.primitive([*by_row.values()]), sqmargin)


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


def determine(task: Task, active: Array, w: Array, most: float) -> Determined | None:
    """Return the exact maximal margin of separable data; None if the proof costs too much.

    Parameters
    ----------
    task : Task
        The data, an intercept or not, and a deadline.
    active : ndarray of int64
        Rows that seem to determine the margin.
    w : ndarray of shape (d,)
        A w that seems to have the maximal margin.
    most : float
        Operations, as estimated, at which the search ends.
    """
    bits = integers.most_bits(task.data, active)
    if not bits or solution_cost(len(active), bits) > most:
        return None
    data, rows = task.data, _near_rows(task, active, w)
    for _ in range(_ROUNDS):
        part = data.X[rows]
        width = len(np.unique(part.indices)) if sp.issparse(part) else part.shape[1]
        if len(rows) * width > integers.MAX_NUMBERS or width == 0:
            return None
        near = NearRows(data, rows, task.intercept)
        solution = exact_nearest(
            near.numbers,
            near.signs,
            np.searchsorted(rows, active).tolist(),
            intercept=task.intercept,
            most=most,
            deadline=task.deadline,
        )
        if solution is None:
            return None
        direction = near.weighted_sum(solution.rows, solution.weights)
        nearer = _nearer_rows(task, near, solution, direction)
        if not len(nearer):
            sqmargin = solution.sqmargin * Fraction(4) ** near.power
            return Determined(rows[solution.rows], solution.weights, sqmargin, near, direction)
        active, rows = rows[solution.rows], np.union1d(rows, nearer)
    return None


def _near_rows(task: Task, active: Array, w: Array) -> Array:
    """Return all rows of small data, else the active ones and some with the smallest margins."""
    data, (n, d) = task.data, task.data.shape
    if n * d <= _ALL_NUMBERS:
        return np.arange(n)
    along = data.y * np.asarray(data.X @ w).reshape(-1)
    if task.intercept:
        along[data.y > 0] -= along[data.y > 0].min()
        along[data.y < 0] -= along[data.y < 0].min()
    count = min(n, _NEAR_ROWS)
    return np.union1d(active, np.argpartition(along, count - 1)[:count])


def _nearer_rows(task: Task, near: NearRows, solution: ExactNearest, direction: list[int]) -> Array:
    """Return other rows that may be nearer than the solution margin, the nearest first."""
    data, (n, d) = task.data, task.data.shape
    if len(near.rows) == n:
        return np.zeros(0, np.int64)
    longest = max(map(abs, direction))
    w = np.zeros(d)
    w[near.columns] = [value / longest for value in direction]
    along = data.y * np.asarray(data.X @ w).reshape(-1)
    doubt = 4.0 * (d + 8) * _UNIT * np.asarray(abs(data.X) @ np.abs(w)).reshape(-1)
    for part in data.tail:  # what the floats lack of the numbers
        doubt += 2.0 * np.asarray(abs(part) @ np.abs(w)).reshape(-1)
    group = (data.y < 0) if task.intercept else np.zeros(n, bool)
    listed = near.rows[solution.rows]
    level = np.array([along[listed[group[listed] == g]].max(initial=-np.inf) for g in (0, 1)])
    slack = along - level[group.astype(np.int64)]
    slack[near.rows] = np.inf
    nearer = np.flatnonzero(~(slack > doubt + doubt[listed].max()))
    return nearer[np.argsort(slack[nearer])][:_NEAR_ROWS]
