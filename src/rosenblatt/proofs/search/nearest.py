"""Nearest points among many rows: the loops of ``engine.hulls.min_norm`` on a growing working set.

Few rows matter. The loops walk those that matter so far; one look at all rows then tells whether
the answer holds, and which rows must join. The first answers need not be sharp: they only say
where to look.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.hulls import active_set, min_norm
from rosenblatt.engine.rows import Rows, largest_sqnorm

Array = NDArray[Any]

_INITIAL_ROWS = 1000  # rows that are all walked from the start
_MAX_BATCH = 1600  # rows that join at once, at most
_STEPS_PER_ROUND = 100  # between two looks at the clock
_ROUNDS_PER_BATCH = 4  # looks at the clock before more rows join: few rows may be harder than many
_MIN_PROGRESS = 1e-9  # what they must take off ‖w‖², or rounding leads them in circles


class TimeLimitError(Exception):
    """The time is up."""


class Deadline:
    """Time that is spent, and its limit; what the machine takes to compile the loops is free."""

    def __init__(self, limit: float) -> None:
        self.start = time.perf_counter() - min_norm.compile_seconds[0]
        self.limit = limit

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - min_norm.compile_seconds[0] - self.start

    @property
    def is_past(self) -> bool:
        """Whether the limit is passed."""
        return self.elapsed > self.limit

    def check(self) -> None:
        """Raise :class:`TimeLimitError` once the limit is passed."""
        if self.is_past:
            raise TimeLimitError


class HullProblem(NamedTuple):
    """Rows z_i = y_i x_i in groups, as :func:`rosenblatt.engine.hulls.min_norm.descend` takes them.

    ``largest`` is max ‖x_i‖².
    """

    rows: Rows
    y: Array
    group: Array
    d: int
    largest: float


class NearestPoints(NamedTuple):
    """Where the descent ended: how (a code of ``engine.hulls.min_norm``), and with which corral."""

    code: int
    rows: Array
    alpha: Array
    w: Array

    @property
    def is_zero(self) -> bool:
        """Whether w is zero to rounding."""
        return self.code == min_norm.ZERO

    @property
    def active_rows(self) -> Array:
        """The rows that bear weight."""
        rows: Array = self.rows[self.alpha > 0.0]
        return rows


EPOCHS = 20
"""Of the perceptron before the hulls, at most: where it has not separated, they must."""


def hull_problem(rows: Rows, y: Array, d: int, intercept: bool) -> HullProblem:
    """Rows in the hulls of their classes; without an intercept, all in one beside the origin."""
    group = (y < 0).astype(np.int64) if intercept else np.zeros(len(y), np.int64)
    return HullProblem(rows, y, group, d, float(largest_sqnorm(rows, len(y))))


def top_row_per_group(group: Array, rank: Array) -> Array:
    """The row of each group that has the highest rank."""
    members = (np.flatnonzero(group == g) for g in range(int(group.max()) + 1))
    return np.array([group_rows[np.argmax(rank[group_rows])] for group_rows in members])


def nearest_points(
    problem: HullProblem, rank: Array, tol: float, deadline: Deadline
) -> NearestPoints:
    """The nearest points of two hulls, or of one and the origin.

    Parameters
    ----------
    problem : Task
    rank : ndarray of shape (n,)
        Rows of high rank are looked at first: how often the perceptron missed them, say.
    tol : float
        A row may lie ``tol`` · ‖w‖² below its group's level.
    deadline : Clock
        Once it is over, the descent ends where it is.
    """
    state = active_set.empty_active_set(
        min(len(problem.y), problem.d + 2), problem.d, problem.largest
    )
    starts = top_row_per_group(problem.group, rank)
    for i in starts:
        min_norm.add_row(problem.rows, problem.y, problem.group, state, i)
        state.alpha[state.size[0] - 1] = 1.0
    min_norm.recompute_w(problem.rows, problem.y, state)
    candidates = _initial_rows(rank, starts)
    return _descend(problem, state, candidates, tol, 0.3, 0.0, 1e-24 * problem.largest, deadline)


def project_on_cone(
    problem: HullProblem, offset: Array, tol: float, deadline: Deadline
) -> NearestPoints:
    """The shortest o + Σ ν_i z_i with ν >= 0: the projection of o on the rows' dual cone.

    A row may lie ``tol`` · ‖w‖ · max ‖z‖ below zero.
    """
    state = active_set.empty_active_set(min(len(problem.y), problem.d), problem.d, 0.0, offset)
    scale = float(np.sqrt(problem.largest))
    along = problem.y * min_norm.scores(problem.rows, len(problem.y), state.w)
    candidates = _initial_rows(-along, np.zeros(0, np.int64))
    zero = 1e-24 * float(offset @ offset)
    return _descend(problem, state, candidates, tol, 1e-3, scale, zero, deadline)


def _initial_rows(rank: Array, starts: Array) -> Array:
    """The rows that are walked from the start."""
    if len(rank) <= _INITIAL_ROWS:
        return np.arange(len(rank))
    return np.union1d(np.argpartition(-rank, _INITIAL_ROWS // 2)[: _INITIAL_ROWS // 2], starts)


def _descend(
    problem: HullProblem,
    state: active_set.ActiveSet,
    candidates: Array,
    tol: float,
    first_tol: float,
    scale: float,
    zero: float,
    deadline: Deadline,
) -> NearestPoints:
    rows, y, group = problem.rows, problem.y, problem.group
    inner_tol = tol / 2 if len(candidates) == len(y) else first_tol
    batch, rounds_left = _INITIAL_ROWS // 4, _ROUNDS_PER_BATCH
    while True:
        before, excluded = float(state.w @ state.w), np.zeros(len(y), bool)
        no_refactor = not active_set.can_orthogonalise(state)
        code = min_norm.descend(
            rows,
            y,
            group,
            candidates,
            excluded,
            state,
            inner_tol,
            scale,
            zero,
            _STEPS_PER_ROUND,
            no_refactor,
        )
        square = float(state.w @ state.w)
        if code in (min_norm.ZERO, min_norm.FULL) or deadline.is_past:
            break
        if code == min_norm.STALLED:
            state = min_norm.refactorise(rows, y, group, state)
            continue
        rounds_left -= 1
        progressing = code == min_norm.STEP_LIMIT and square < (1.0 - _MIN_PROGRESS) * before
        if progressing and rounds_left > 0:
            continue
        violation = state.levels[group] - y * min_norm.scores(rows, len(y), state.w)
        violation[excluded] = 0.0
        unit = max(square, np.sqrt(square) * scale)
        if violation.max() <= tol * unit:
            break
        joining = _most_violated(violation, candidates, batch)
        if len(joining) == 0 and inner_tol == tol / 2 and not progressing:
            break
        if len(joining) == 0 or violation[joining[0]] <= 3.0 * inner_tol * unit:
            inner_tol = max(tol / 2, inner_tol / 30.0)
        candidates, batch, rounds_left = (
            np.concatenate([candidates, joining]),
            min(2 * batch, _MAX_BATCH),
            _ROUNDS_PER_BATCH,
        )
    k = state.size[0]
    return NearestPoints(code, state.rows[:k].copy(), state.alpha[:k].copy(), state.w)


def _most_violated(violation: Array, candidates: Array, count: int) -> Array:
    """The rows outside ``candidates`` that lie deepest below their level, the deepest first."""
    outside = violation.copy()
    outside[candidates] = 0.0
    count = min(count, len(outside))
    order = np.argpartition(-outside, count - 1)[:count]
    order = order[outside[order] > 0.0]
    return order[np.argsort(-outside[order])]
