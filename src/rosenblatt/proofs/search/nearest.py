"""Nearest points of convex hulls: the loops of :mod:`rosenblatt.engine.hulls` on a working set.

Few rows determine the nearest points (Wolfe 1976). The loops run on a working set; one pass over
all rows then checks optimality and selects the rows to add. Early solutions may be inexact, since
they only select rows.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_compact_rows
from rosenblatt.engine.rows import Dense, Rows, largest_sqnorm
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.utils.arrays import Array, Matrix

MAX_VALUE = 2.0**200  # squares, and their sums and products, are far from overflow
_CHUNK = 1 << 16  # numbers at a time, which stay in the processor's cache
_INITIAL_ROWS = 1000  # up to this size, the working set is all rows
_MAX_BATCH = 1600  # largest number of rows added at a time
_MEASURED_SIZE = 250  # rows and columns of the factorisation that measures the speed
_MEASURED_OPERATIONS = 1e8  # a factorisation of fewer is quick on any machine
_MEASURED_SECONDS = 0.1  # on a busy machine two factorisations take longer, and suffice
_STEPS_PER_ROUND = 100  # most steps between two checks of the deadline
_ACTIVE_PASSES = 4  # over the active rows in a step, on average
_PROOF_COST = 600.0  # operations of the exact verification per number of an active row
_ROUNDS_PER_BATCH = 4  # rounds before more rows are added: few rows may be harder than many
_ZERO = 1e-24
"""A ‖w‖² up to this share of max ‖z‖² is zero, ‖w‖ up to 1e-12 of the longest row: rounding of the
sum of thousands of rows. Exact arithmetic then decides."""
_TIGHTER = 30.0  # from 0.3 to a tolerance of 1e-7 in five rounds
_MIN_PROGRESS = 1e-9  # relative decrease of ‖w‖² per round, against cycles by rounding


class TimeLimitError(Exception):
    """The time limit is exceeded."""


class Deadline:
    """A time limit.

    Attributes
    ----------
    start : float
        Its start.
    limit : float
        Seconds.
    reserve : float
        Seconds that follow the search, to read the data again: no step may use them.
    proof : float
        Seconds that follow the search, to verify the weights of the active rows exactly.
    """

    def __init__(self, limit: float) -> None:
        self.start = time.perf_counter()
        self.limit = limit
        self.reserve = 0.0
        self.proof = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    @property
    def is_past(self) -> bool:
        """True once the limit is exceeded, or the verification would exceed it."""
        return self.elapsed > max(0.0, self.limit - self.reserve - self.proof)

    def steps_in_time(self, most: int, operations: float) -> int:
        """Return how many steps of so many operations end in a quarter of the time left.

        Between 1 and ``most``. A quarter, since the estimate is rough: more steps may follow.
        """
        left = self.limit - self.reserve - self.proof - self.elapsed
        return max(1, int(min(most, left / 4 * 1e9 / max(operations, 1.0))))

    def allows(self, operations: float) -> bool:
        """Return True if so many operations end in time, a billion in a second.

        The estimate is rough, so that a second, or a tenth of the limit, is granted, less what
        the verification takes.
        """
        grace = max(0.0, max(1.0, self.limit / 10) - self.reserve - self.proof)
        return self.elapsed + operations / 1e9 <= self.limit + grace

    def check_factorization(self, operations: float) -> None:
        """Raise :class:`TimeLimitError` if a factorisation of so many operations ends too late.

        The speed of this machine, which other work may share, is measured on a small one, unless
        it ends too late at full speed.
        """
        self.check(operations)
        if operations > _MEASURED_OPERATIONS:
            operations *= 1e9 / _factorization_speed()
        self.check(operations)

    def check(self, operations: float = 0.0) -> None:
        """Raise :class:`TimeLimitError` once the limit is exceeded, or by so many operations."""
        if self.is_past or not self.allows(operations):
            raise TimeLimitError


def _factorization_speed() -> float:
    """Return the operations per second of a pivoted QR factorisation, at most a billion."""
    matrix = np.random.default_rng(0).normal(size=(_MEASURED_SIZE, _MEASURED_SIZE))
    seconds, end = math.inf, time.perf_counter() + _MEASURED_SECONDS
    for k in range(3):
        start = time.perf_counter()
        if k > 1 and start > end:  # the first call, which starts the threads, does not count
            break
        scipy.linalg.qr(matrix, mode="economic", pivoting=True)
        seconds = min(seconds, time.perf_counter() - start)
    return min(1e9, _MEASURED_SIZE**3 / seconds)


class Task(NamedTuple):
    """What is asked: whether a hyperplane, with an intercept or without, separates the data."""

    data: LabelledData
    intercept: bool
    deadline: Deadline


class HullProblem(NamedTuple):
    """Rows z_i = y_i x_i in groups, as :func:`rosenblatt.engine.hulls.descend` takes them.

    ``largest`` is max ‖x_i‖².
    """

    rows: Rows
    y: Array
    group: Array
    d: int
    largest: float


class NearestPoints(NamedTuple):
    """Result of the descent: a code of ``engine.hulls``, the active set, and w."""

    code: int
    rows: Array
    alpha: Array
    w: Array

    @property
    def is_zero(self) -> bool:
        """True if w is zero, up to rounding."""
        return self.code == hulls.ZERO

    @property
    def active_rows(self) -> Array:
        """The rows with positive weight."""
        rows: Array = self.rows[self.alpha > 0.0]
        return rows


EPOCHS = 20
"""Largest number of epochs of the perceptron before the search for nearest points."""


def loop_rows(X: Matrix) -> Rows:
    """Return rows of float64: the loops are compiled for one type."""
    return as_compact_rows(X.astype(np.float64, copy=False))


def rows_in_range(X: Matrix) -> tuple[Rows, int]:
    """Return rows whose squares neither overflow nor underflow, and the exponent of the divisor.

    The exponent is 0 if no number requires a division.
    """
    rows = loop_rows(X)
    values = rows.X if isinstance(rows, Dense) else rows.data
    if _are_in_range(values):
        return rows, 0
    shift = int(np.frexp(np.abs(values).max())[1]) or 1
    scaled = X.astype(np.float64)
    if sp.issparse(scaled):
        scaled.data = np.ldexp(scaled.data, -shift)
    else:
        scaled = np.ldexp(scaled, -shift)
    return as_compact_rows(scaled), shift


def _are_in_range(values: Array) -> bool:
    """Return True if the square of no number overflows or underflows."""
    flat = values.reshape(-1)
    for start in range(0, len(flat), _CHUNK):
        sizes = np.abs(flat[start : start + _CHUNK])
        if sizes.max() > MAX_VALUE or sizes[sizes < 1.0 / MAX_VALUE].any():
            return False
    return True


def hull_problem(rows: Rows, y: Array, d: int, intercept: bool) -> HullProblem:
    """Return the problem of two hulls, one per class; without an intercept, one hull and 0."""
    group = (y < 0).astype(np.int64) if intercept else np.zeros(len(y), np.int64)
    return HullProblem(rows, y, group, d, float(largest_sqnorm(rows, len(y))))


def top_row_per_group(group: Array, rank: Array) -> Array:
    """Return the row of highest rank in each group."""
    members = (np.flatnonzero(group == g) for g in range(int(group.max()) + 1))
    return np.array([group_rows[np.argmax(rank[group_rows])] for group_rows in members])


def nearest_points(
    problem: HullProblem, rank: Array, tol: float, deadline: Deadline
) -> NearestPoints:
    """Return the nearest points of two hulls, or of one hull and the origin (Wolfe 1976).

    Parameters
    ----------
    problem : HullProblem
    rank : ndarray of shape (n,)
        Rows of high rank enter the working set first: for instance the perceptron's mistakes.
    tol : float
        Tolerance: a row may be ``tol`` · ‖w‖² below its group's level.
    deadline : Deadline
        The descent ends at the deadline.
    """
    state = hulls.empty_active_set(min(len(problem.y), problem.d + 2), problem.d, problem.largest)
    starts = top_row_per_group(problem.group, rank)
    for i in starts:
        hulls.add_row(problem.rows, problem.y, problem.group, state, i)
        state.alpha[state.size[0] - 1] = 1.0
    hulls.recompute_w(problem.rows, problem.y, state)
    candidates = _initial_rows(rank, starts)
    return _descend(problem, state, candidates, tol, 0.3, 0.0, _ZERO * problem.largest, deadline)


def project_on_cone(
    problem: HullProblem, offset: Array, tol: float, deadline: Deadline
) -> NearestPoints:
    """Return the shortest o + Σ ν_i z_i with ν >= 0: the projection of o on the rows' dual cone.

    Nonnegative least squares (Lawson and Hanson 1974, chapter 23); a projection on the dual cone by
    Moreau's decomposition (1962).

    The tolerance: a row may be ``tol`` · ‖w‖ · max ‖z‖ below zero.
    """
    state = hulls.empty_active_set(min(len(problem.y), problem.d), problem.d, 0.0, offset)
    scale = float(np.sqrt(problem.largest))
    along = problem.y * hulls.scores(problem.rows, len(problem.y), state.w)
    candidates = _initial_rows(-along, np.zeros(0, np.int64))
    zero = _ZERO * float(offset @ offset)
    return _descend(problem, state, candidates, tol, 1e-3, scale, zero, deadline)


def _initial_rows(rank: Array, starts: Array) -> Array:
    """Return the initial working set."""
    if len(rank) <= _INITIAL_ROWS:
        return np.arange(len(rank))
    return np.union1d(np.argpartition(-rank, _INITIAL_ROWS // 2)[: _INITIAL_ROWS // 2], starts)


def _descend(
    problem: HullProblem,
    state: hulls.ActiveSet,
    candidates: Array,
    tol: float,
    first_tol: float,
    scale: float,
    zero: float,
    deadline: Deadline,
) -> NearestPoints:
    rows, y, group = problem.rows, problem.y, problem.group
    # Half of the tolerance, so that no row of the working set violates the whole by rounding.
    inner_tol = tol / 2 if len(candidates) == len(y) else first_tol
    batch, rounds_left = _INITIAL_ROWS // 4, _ROUNDS_PER_BATCH
    row_cost = sum(array.size for array in rows) / len(y)
    while True:
        members = min(state.size[0] + _STEPS_PER_ROUND, len(state.rows))
        step_cost = row_cost * (len(candidates) + _ACTIVE_PASSES * members)
        before, excluded = float(state.w @ state.w), np.zeros(len(y), bool)
        no_refactor = not hulls.can_orthogonalise(state)
        code = hulls.descend(
            rows,
            y,
            group,
            candidates,
            excluded,
            state,
            inner_tol,
            scale,
            zero,
            deadline.steps_in_time(_STEPS_PER_ROUND, step_cost),
            no_refactor,
        )
        deadline.proof = _PROOF_COST * row_cost * state.size[0] / 1e9
        square = float(state.w @ state.w)
        if code in (hulls.ZERO, hulls.FULL) or deadline.is_past:
            break
        if code == hulls.STALLED:
            if not deadline.allows(row_cost * state.size[0] ** 2):
                code = hulls.STEP_LIMIT
                break
            state = hulls.refactorise(rows, y, group, state)
            continue
        rounds_left -= 1
        progressing = code == hulls.STEP_LIMIT and square < (1.0 - _MIN_PROGRESS) * before
        if progressing and rounds_left > 0:
            continue
        violation = state.levels[group] - y * hulls.scores(rows, len(y), state.w)
        violation[excluded] = 0.0
        unit = max(square, np.sqrt(square) * scale)
        if violation.max() <= tol * unit:
            break
        joining = _most_violated(violation, candidates, batch)
        if len(joining) == 0 and inner_tol == tol / 2 and not progressing:
            break
        # rows outside are hardly worse than those inside may be: solve for these better
        if len(joining) == 0 or violation[joining[0]] <= 3.0 * inner_tol * unit:
            inner_tol = max(tol / 2, inner_tol / _TIGHTER)
        candidates, batch, rounds_left = (
            np.concatenate([candidates, joining]),
            min(2 * batch, _MAX_BATCH),
            _ROUNDS_PER_BATCH,
        )
    k = state.size[0]
    return NearestPoints(code, state.rows[:k].copy(), state.alpha[:k].copy(), state.w)


def _most_violated(violation: Array, candidates: Array, count: int) -> Array:
    """Return the rows outside ``candidates`` with the largest violations, in descending order."""
    outside = violation.copy()
    outside[candidates] = 0.0
    count = min(count, len(outside))
    order = np.argpartition(-outside, count - 1)[:count]
    order = order[outside[order] > 0.0]
    return order[np.argsort(-outside[order])]
