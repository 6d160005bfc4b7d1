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

_SMALL = 1000  # rows that are all walked from the start
_MOST = 1600  # rows that join at once, at most
_STEPS = 100  # between two looks at the clock
_PATIENCE = 4  # looks at the clock before more rows join: few rows may be harder than many
_PROGRESS = 1e-9  # what they must take off ‖w‖², or rounding leads them in circles


class LateError(Exception):
    """The time is up."""


class Clock:
    """Time that is spent, and its limit; what the machine takes to compile the loops is free."""

    def __init__(self, limit: float) -> None:
        self.start = time.perf_counter() - min_norm.compiling[0]
        self.limit = limit

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - min_norm.compiling[0] - self.start

    @property
    def is_over(self) -> bool:
        """Whether the limit is passed."""
        return self.spent > self.limit

    def check(self) -> None:
        """Raise :class:`LateError` once the limit is passed."""
        if self.is_over:
            raise LateError


class Task(NamedTuple):
    """Rows z_i = y_i x_i in groups, as :func:`rosenblatt.engine.hulls.min_norm.descend` takes them.

    ``largest`` is max ‖x_i‖².
    """

    rows: Rows
    y: Array
    group: Array
    d: int
    largest: float


class Nearest(NamedTuple):
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
    def bearing(self) -> Array:
        """The rows that bear weight."""
        rows: Array = self.rows[self.alpha > 0.0]
        return rows


EPOCHS = 20
"""Of the perceptron before the hulls, at most: where it has not separated, they must."""


def classes_apart(rows: Rows, y: Array, d: int, intercept: bool) -> Task:
    """Rows in the hulls of their classes; without an intercept, all in one beside the origin."""
    group = (y < 0).astype(np.int64) if intercept else np.zeros(len(y), np.int64)
    return Task(rows, y, group, d, float(largest_sqnorm(rows, len(y))))


def foremost(group: Array, rank: Array) -> Array:
    """The row of each group that has the highest rank."""
    members = (np.flatnonzero(group == g) for g in range(int(group.max()) + 1))
    return np.array([some[np.argmax(rank[some])] for some in members])


def of_hulls(task: Task, rank: Array, tol: float, clock: Clock) -> Nearest:
    """The nearest points of two hulls, or of one and the origin.

    Parameters
    ----------
    task : Task
    rank : ndarray of shape (n,)
        Rows of high rank are looked at first: how often the perceptron missed them, say.
    tol : float
        A row may lie ``tol`` · ‖w‖² below its group's level.
    clock : Clock
        Once it is over, the descent ends where it is.
    """
    state = active_set.corral(min(len(task.y), task.d + 2), task.d, task.largest)
    first = foremost(task.group, rank)
    for i in first:
        min_norm.join(task.rows, task.y, task.group, state, i)
        state.alpha[state.size[0] - 1] = 1.0
    min_norm.resum(task.rows, task.y, state)
    among = _watched(rank, first)
    return _descent(task, state, among, tol, 0.3, 0.0, 1e-24 * task.largest, clock)


def of_cone(task: Task, offset: Array, tol: float, clock: Clock) -> Nearest:
    """The shortest o + Σ ν_i z_i with ν >= 0: the projection of o on the rows' dual cone.

    A row may lie ``tol`` · ‖w‖ · max ‖z‖ below zero.
    """
    state = active_set.corral(min(len(task.y), task.d), task.d, 0.0, offset)
    scale = float(np.sqrt(task.largest))
    along = task.y * min_norm.scores(task.rows, len(task.y), state.w)
    among = _watched(-along, np.zeros(0, np.int64))
    zero = 1e-24 * float(offset @ offset)
    return _descent(task, state, among, tol, 1e-3, scale, zero, clock)


def _watched(rank: Array, first: Array) -> Array:
    """The rows that are walked from the start."""
    if len(rank) <= _SMALL:
        return np.arange(len(rank))
    return np.union1d(np.argpartition(-rank, _SMALL // 2)[: _SMALL // 2], first)


def _descent(
    task: Task,
    state: active_set.Corral,
    among: Array,
    tol: float,
    loose: float,
    scale: float,
    zero: float,
    clock: Clock,
) -> Nearest:
    rows, y, group = task.rows, task.y, task.group
    inner = tol / 2 if len(among) == len(y) else loose
    batch, patience = _SMALL // 4, _PATIENCE
    while True:
        before, barred = float(state.w @ state.w), np.zeros(len(y), bool)
        patient = not active_set.can_be_sharpened(state)
        code = min_norm.descend(
            rows, y, group, among, barred, state, inner, scale, zero, _STEPS, patient
        )
        square = float(state.w @ state.w)
        if code in (min_norm.ZERO, min_norm.FULL) or clock.is_over:
            break
        if code == min_norm.STALLED:
            state = min_norm.refactored(rows, y, group, state)
            continue
        patience -= 1
        moving = code == min_norm.LATE and square < (1.0 - _PROGRESS) * before
        if moving and patience > 0:
            continue
        depth = state.levels[group] - y * min_norm.scores(rows, len(y), state.w)
        depth[barred] = 0.0
        unit = max(square, np.sqrt(square) * scale)
        if depth.max() <= tol * unit:
            break
        joining = _deepest(depth, among, batch)
        if len(joining) == 0 and inner == tol / 2 and not moving:
            break
        if len(joining) == 0 or depth[joining[0]] <= 3.0 * inner * unit:
            inner = max(tol / 2, inner / 30.0)
        among, batch, patience = np.concatenate([among, joining]), min(2 * batch, _MOST), _PATIENCE
    k = state.size[0]
    return Nearest(code, state.rows[:k].copy(), state.alpha[:k].copy(), state.w)


def _deepest(depth: Array, among: Array, most: int) -> Array:
    """The rows outside ``among`` that lie deepest below their level, the deepest first."""
    outside = depth.copy()
    outside[among] = 0.0
    most = min(most, len(outside))
    deep = np.argpartition(-outside, most - 1)[:most]
    deep = deep[outside[deep] > 0.0]
    return deep[np.argsort(-outside[deep])]
