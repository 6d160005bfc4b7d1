"""The maximal margin over the rationals: Wolfe's method on the hulls, with no rounding.

The nearest points of two hulls (without an intercept: of one hull and the origin) are found by an
active set: the minimum over the affine hull of a few rows solves a linear system, a row of weight
<= 0 leaves, the row that violates optimality most enters. Every step shortens w, so that it ends;
from the rows that the floats suggest, one or two steps suffice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint

from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import Deadline, TimeLimitError

MAX_NUMBERS = 1 << 20
"""Numbers of the rows up to which the margin is sought in rationals."""
MAX_OPERATIONS = 4e9
"""Operations, as estimated, up to which it is sought: some seconds."""
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
        Their weights λ > 0, without a common divisor; with an intercept Σ λ y = 0.
    w : list of Fraction
        The separator of smallest norm with y (w·x + b) >= 1 on every row; = 1 on ``rows``. It is a
        multiple of Σ λ y x.
    b : Fraction
        Its offset; 0 without an intercept.
    sqmargin : Fraction
        1/‖w‖², the square of the maximal margin.
    """

    rows: list[int]
    weights: list[int]
    w: list[Fraction]
    b: Fraction
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
        the work is too much: more than `MAX_NUMBERS` numbers, ``most`` operations, or the deadline.
        From the right candidates, 20 of 200 rows of floats take 0.02 seconds, 50 of 1,000 take 0.2;
        without any, ten and forty times as long.

    Examples
    --------
    >>> exact_nearest([[0], [1], [4]], [-1, -1, 1], [1, 2], intercept=True)
    ... # doctest: +NORMALIZE_WHITESPACE
    ExactNearest(rows=[1, 2], weights=[1, 1], w=[Fraction(2, 3)], b=Fraction(-5, 3),
    sqmargin=Fraction(9, 4))
    """
    if not rows or not rows[0] or len(rows) * len(rows[0]) > MAX_NUMBERS:
        return None
    if intercept and len(set(signs)) < 2:
        return None
    try:
        return _Search(rows, signs, intercept, most, deadline).solve(candidates)
    except TimeLimitError:
        return None


def solution_cost(size: int, bits: int) -> float:
    """Return the operations to solve for so many rows of numbers of so many bits."""
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
        self.origin = rows[0] if intercept else [0] * len(rows[0])
        signed = [
            [sign * (value - start) for value, start in zip(row, self.origin, strict=True)]
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
            w = flint.fmpz_mat([weights]) * self._rows(chosen)
            along = self._along(w)
            levels = {self.group[i]: along[i] for i in chosen}
            if sum(levels.values()) <= 0:  # ‖w‖² times a positive number
                return None
            depths = [levels[g] - value for g, value in zip(self.group, along, strict=True)]
            entering = max(range(len(depths)), key=depths.__getitem__)
            if depths[entering] <= 0:
                return self._result(chosen, weights, w, levels)
            chosen, alpha = self._enter(chosen, alpha, entering)
        return None

    def _independent(self, candidates: Sequence[int]) -> list[int]:
        """Return candidates of which none is an affine combination; a row, if a class has none."""
        chosen = list(dict.fromkeys(map(int, candidates)))
        chosen += [self.group.index(g) for g in {*self.group} - {self.group[i] for i in chosen}]
        columns = [*self._rows(chosen).transpose().tolist()]
        for g in sorted(set(self.group)):
            columns.insert(0, [int(self.group[i] == g) for i in chosen])
        self.spend(float(len(columns)) * len(chosen) * min(len(columns), len(chosen)))
        return [chosen[q] for q in integers.pivot_columns(columns)]

    def _rows(self, chosen: list[int]) -> Any:
        """Return some of the rows z."""
        return flint.fmpz_mat([[self.Z[i, j] for j in range(self.Z.ncols())] for i in chosen])

    def _minimum(self, chosen: list[int]) -> list[Any]:
        """Return the α, of any sign, of the shortest Σ α z, if those of each group sum to 1."""
        k, groups = len(chosen), sorted(set(self.group))
        size = k + len(groups)
        self.spend(solution_cost(size, self.bits))
        Z = self._rows(chosen)
        gram = (Z * Z.transpose()).tolist()
        members = [[int(self.group[i] == g) for i in chosen] for g in groups]
        system = [[*gram[q], *(row[q] for row in members)] for q in range(k)]
        system += [row + [0] * len(groups) for row in members]
        right = flint.fmpz_mat([[0]] * k + [[1]] * len(groups))
        solution: Any = flint.fmpz_mat(system).solve(right)
        entries: list[Any] = solution.entries()[:k]
        return entries

    def _along(self, w: Any) -> list[int]:
        """Return z_i·w of every row."""
        longest = max(int(value).bit_length() for value in w.entries())
        self.spend(_LONG_COST * self.Z.nrows() * self.Z.ncols() * (1.0 + longest / _WORD))
        return [int(value) for value in (self.Z * w.transpose()).entries()]

    def _enter(self, chosen: list[int], alpha: list[Any], i: int) -> tuple[list[int], list[Any]]:
        """Return the set with row i, without the rows whose weight then reaches 0, and weights."""
        chosen, alpha = [*chosen, i], [*alpha, flint.fmpq(0)]
        while True:
            target = self._minimum(chosen)
            if min(target) > 0:
                return chosen, target
            share, leaving = min(
                (before / (before - after) if before else before, q)
                for q, (before, after) in enumerate(zip(alpha, target, strict=True))
                if after <= 0
            )
            alpha = [b + share * (a - b) for b, a in zip(alpha, target, strict=True)]
            del chosen[leaving], alpha[leaving]

    def _result(
        self, chosen: list[int], weights: list[int], w: Any, levels: dict[int, int]
    ) -> ExactNearest:
        """Return the nearest points with y (w·x + b) = 1 on the chosen rows."""
        direction, share = [int(value) for value in w.entries()], 2 if self.intercept else 1
        level = sum(levels.values())  # share · y (w·x + b) of the chosen rows
        b = Fraction(0)
        if self.intercept:
            along = sum(v * x for v, x in zip(direction, self.origin, strict=True))
            b = Fraction(levels[1] - levels[0] - 2 * along, level)
        order = sorted(range(len(chosen)), key=chosen.__getitem__)
        listed = integers.primitive([weights[q] for q in order])
        sqmargin = Fraction(level**2, share**2 * sum(v * v for v in direction))
        scaled = [Fraction(share * value, level) for value in direction]
        return ExactNearest([chosen[q] for q in order], listed, scaled, b, sqmargin)
