"""How separability is found: the perceptron first, then nearest points, then faces.

The perceptron often separates at once, and where it does not, the rows it misses most are those
that matter. The hulls' nearest points then give the widest margin, or meet: where they meet, the
rows that bear weight there cancel, and rationals make that exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.hulls import min_norm
from rosenblatt.engine.matrices import thinned
from rosenblatt.proofs.check.data import Labelled
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.faces import Faces, UnresolvedError, faces
from rosenblatt.proofs.search.nearest import (
    EPOCHS,
    Clock,
    LateError,
    Nearest,
    Task,
    classes_apart,
    foremost,
    of_hulls,
)
from rosenblatt.proofs.search.rational import exact_faces
from rosenblatt.proofs.search.reduce import fewer
from rosenblatt.theory import bounds

Array = NDArray[Any]

_UNIT = 2.0**-53
_TINY = 2.0**-1060  # more than dividing by four takes from any float
_LARGE = 2.0**200
_LEAST = 1e-290  # margins that floats hold with all their digits
_LOOSE = 0.01  # intervals that the perceptron itself may reach
_TRIES = 3
_CLOSE = 256  # rows whose distance is worth the rationals
_ALIKE = 16  # powers of two between features that floats bear without being scaled


@dataclass(frozen=True)
class Found:
    """What a certificate states, as it was found."""

    status: str
    margin: tuple[float, float]
    radius: float
    run: min_norm.Run
    rows: Array
    weights: list[int]
    coef: Array | None = None
    intercept: float = 0.0
    direction: tuple[int, ...] | None = None
    overlap: Overlap | None = None


def find(data: Labelled, intercept: bool, tol: float, clock: Clock) -> Found:
    """Decide ``data``, to a relative gap of ``tol`` in the margin, while the clock allows."""
    with np.errstate(all="ignore"):  # what overflows or vanishes is left to the rationals
        return _Finder(data, intercept, tol, clock).find()


def find_exactly(data: Labelled, intercept: bool, clock: Clock) -> Found:
    """Decide ``data`` in rationals, where they are few enough: floats were wrong."""
    with np.errstate(all="ignore"):
        finder = _Finder(data, intercept, 0.5, clock)
        return finder.exactly(finder.nearest())


class _Finder:
    def __init__(self, data: Labelled, intercept: bool, tol: float, clock: Clock) -> None:
        self.data, self.intercept, self.tol, self.clock = data, intercept, tol, clock
        d = data.shape[1]
        rows, self.shift = _in_range(thinned(data.X), data.X)
        self.task = classes_apart(rows, data.y, d, intercept)
        radius = float(np.ldexp(math.sqrt(self.task.largest), self.shift))
        self.radius = _rounded_up(data.X, radius, d)
        self.run = min_norm.run(rows, data.y, d, intercept, EPOCHS)

    def find(self) -> Found:
        if not self.run.converged:
            rows = _meeting(self.task, self.data, self.intercept)
            if len(rows):
                return self._overlapping(rows, [1] * len(rows))
        if self.run.converged and self.tol >= _LOOSE:
            quick = self._separated(self._of_run())
            if quick and quick.margin[0] >= (1.0 - self.tol) * quick.margin[1]:
                return quick
        near = self.nearest()
        if separated := self._separated(near):
            return separated
        if near.code == min_norm.LATE and self.clock.is_over:
            return self._bounding(near)
        found = self._cancelling(near)
        if found is None and not self.shift:
            near = self._nearest_alike(near)
            if separated := self._separated(near):
                return separated
            found = self._cancelling(near)
        for seed in range(_TRIES):  # other rows first may end at rows that cancel exactly
            if found is None and not self.clock.is_over:
                rank = np.random.default_rng(seed).random(len(self.data.y))
                found = self._cancelling(of_hulls(self.task, rank, self.tol / 4, self.clock))
        return self.exactly(near) if found is None else self._overlapping(*found)

    # --- the widest margin -----------------------------------------------------------------------

    def nearest(self) -> Nearest:
        """Where the hulls come nearest."""
        return of_hulls(self.task, self.run.missed + 0.0, self.tol / 4, self.clock)

    def _of_run(self) -> Nearest:
        """The perceptron's own separator, and its mistakes as weights."""
        missed = self.run.missed.copy()
        missed[foremost(self.task.group, missed)] += missed.max() == 0
        rows = np.flatnonzero(missed)
        return Nearest(min_norm.OPTIMAL, rows, missed[rows] + 0.0, self.run.w)

    def _interval(self, near: Nearest) -> tuple[float, float]:
        """Bounds of the margin in the task's units, and the offset of the separator."""
        length = float(np.linalg.norm(near.w))
        if length == 0.0 or near.is_zero:
            return 0.0, 0.0
        along = min_norm.scores(self.task.rows, len(self.task.y), near.w / length) * self.task.y
        if not self.intercept:
            low, b = float(along.min()), 0.0
        else:
            left = float(along[self.task.group == 0].min())
            right = float(along[self.task.group == 1].min())
            low, b = (left + right) / 2, (right - left) / 2
        doubt = 4 * (self.task.d + 8) * _UNIT * (math.sqrt(self.task.largest) + abs(b))
        if doubt <= self.tol / 16 * low or self.shift:
            return low - doubt, b
        w = near.w / length
        sizes = np.asarray(abs(self.data.X) @ np.abs(w)).reshape(-1) + abs(b)
        doubts = 4 * (self.task.d + 8) * _UNIT * sizes
        along += b * self.data.y
        close = np.flatnonzero(along - doubts <= (along + doubts).min())
        if len(close) > _CLOSE:
            return float((along - doubts).min()), b
        return integers.least(self.data, close, w, b), b

    def _separated(self, near: Nearest) -> Found | None:
        """What a separator shows, where w is one."""
        low, b = self._interval(near)
        if low <= 0.0:
            return None
        plain = near._replace(w=self._without_noise(near.w))
        other = self._interval(plain)
        if other[0] >= (1.0 - 1e-9) * low:
            near, (low, b) = plain, other
        low, bounding = self._scaled(low), self._bounding(near)
        return replace(
            bounding,
            status="separable",
            margin=(low, max(bounding.margin[1], low)),
            coef=near.w / np.linalg.norm(near.w),
            intercept=self._scaled(b),
        )

    def _scaled(self, margin: float) -> float:
        """The task's units, made the data's."""
        return float(np.ldexp(margin, self.shift))

    def _without_noise(self, w: Array) -> Array:
        """The separator without weights that rounding made of zeros: of constant features."""
        part = np.abs(w) <= 1e-13 * np.abs(w).max()
        return np.where(part, 0.0, w)

    def _high(self, rows: Array, weights: list[int]) -> float:
        """The distance of the points that the weights stand for, rounded up."""
        far = 4.0 if self.shift > 0 else 1.0  # differences of the largest floats overflow
        part = self.data.X[rows].astype(np.float64) / far
        share = np.array([float(weight) for weight in weights])
        signs, groups = self.data.y[rows], self.task.group[rows]
        for g in np.unique(groups):
            share[groups == g] /= share[groups == g].sum()
        point, size = (share * signs) @ part, share @ abs(part)
        doubt = (len(rows) + 8) * 2 * _UNIT * _length(size)
        length = _length(point) * (1.0 + (self.task.d + 8) * _UNIT) + doubt
        return far * (length / 2 if self.intercept else length) + (far - 1.0) * _TINY

    def _nearest_alike(self, near: Nearest) -> Nearest:
        """Where the hulls come nearest once all features have like sizes.

        Where the hulls are apart, its w separates, and the first corral still bounds the margin.
        """
        data, powers = self._alike
        if not powers.any():
            return near
        rows = thinned(data.X)
        task = classes_apart(rows, data.y, self.task.d, self.intercept)
        other = of_hulls(task, self.run.missed + 0.0, 1e-3, self.clock)
        if other.is_zero:
            return other
        return near._replace(code=other.code, w=np.ldexp(other.w, -powers))

    # --- no separator ----------------------------------------------------------------------------

    def _cancelling(self, near: Nearest) -> tuple[Array, list[int]] | None:
        """Rows that cancel with exact weights, where the corral's do."""
        return integers.cancelling_rows(self.data, near.bearing, self.intercept)

    def _overlapping(self, rows: Array, weights: list[int]) -> Found:
        try:
            if self.shift:
                raise UnresolvedError
            found = self._faces(rows, weights)
        except UnresolvedError:
            try:
                found = exact_faces(self.data, self.intercept, self.clock)[0]
            except (UnresolvedError, LateError):
                return self._unplaced(rows, weights)
        except LateError:
            return self._unplaced(rows, weights)
        if not self.shift:
            task = self.task
            rows, weights = fewer(self.data, self.intercept, task, rows, weights, self.clock)
        return self._placed(found, rows, weights)

    def _faces(self, rows: Array, weights: list[int]) -> Faces:
        """The faces, with features of like size: held rows and their weights remain the same."""
        data, powers = self._alike
        found = faces(data, self.intercept, rows, weights, self.clock)
        if found.direction is None or not powers.any():
            return found
        least = min(0, *(-int(power) for power in powers))
        shifts = [-int(power) - least for power in powers] + [-least]
        whole = [value << shift for value, shift in zip(found.direction, shifts, strict=True)]
        return replace(found, direction=tuple(integers.primitive(whole)))

    @cached_property
    def _alike(self) -> tuple[Labelled, Array]:
        """The data with features of like size, and the powers of two they were divided by."""
        X = self.data.X
        largest = abs(X).max(axis=0)
        largest = (largest.toarray() if sp.issparse(largest) else largest).reshape(-1)
        powers = np.where(largest > 0.0, np.frexp(largest)[1], 0)
        some = powers[largest > 0.0]
        if len(some) == 0 or some.max() - some.min() <= _ALIKE:
            return self.data, np.zeros(X.shape[1], np.int64)
        scales = np.ldexp(1.0, -powers)
        if sp.issparse(X):
            return Labelled(sp.csr_array(X @ sp.diags_array(scales)), self.data.y), powers
        return Labelled(X * scales, self.data.y), powers

    def _placed(self, found: Faces, rows: Array, weights: list[int]) -> Found:
        coef, b = None, 0.0
        if found.direction is not None:
            coef, b = _as_floats(found.direction)
        return Found(
            "inseparable" if found.direction is None else "quasi-separable",
            (0.0, 0.0),
            self.radius,
            self.run,
            rows,
            weights,
            coef,
            b,
            found.direction,
            found.overlap,
        )

    def exactly(self, near: Nearest) -> Found:
        """What floats could not see."""
        try:
            found, rows, weights = exact_faces(self.data, self.intercept, self.clock)
        except (UnresolvedError, LateError):
            return self._bounding(near)
        if len(rows):
            return self._placed(found, rows, weights)
        assert found.direction is not None
        coef, b = _as_floats(found.direction)
        bounding = self._bounding(near)
        high, length = bounding.margin[1], _length(coef)
        w, offset, low = coef / length, b / length, 0.0
        if len(self.data.y) <= _CLOSE and np.isfinite(w).all() and np.isfinite(offset):
            low = integers.least(self.data, np.arange(len(self.data.y)), w, offset)
        if low > _LEAST:
            return replace(
                bounding, status="separable", margin=(low, max(high, low)), coef=w, intercept=offset
            )
        return replace(
            bounding,
            status="separable",
            margin=(0.0, float(np.nextafter(high, math.inf))),
            coef=coef,
            intercept=b,
            direction=found.direction,
        )

    def _unplaced(self, rows: Array, weights: list[int]) -> Found:
        """Not separable; whether a direction moves some rows is open."""
        return Found("undecided", (0.0, 0.0), self.radius, self.run, rows, weights)

    def _bounding(self, near: Nearest) -> Found:
        """What the corral alone shows: an upper end of the margin, and the rows that prove it."""
        bear = np.flatnonzero(near.alpha > 0.0)
        bear = bear[np.argsort(near.rows[bear])]
        rows, weights = near.rows[bear], _whole_weights(near.alpha[bear])
        margin = 0.0, self._high(rows, weights)
        return Found("undecided", margin, self.radius, self.run, rows, weights)


def _length(v: Array) -> float:
    """‖v‖, however small or large its numbers are."""
    largest = float(np.abs(v).max())
    return largest * float(np.linalg.norm(v / largest)) if largest > 0.0 else 0.0


def _in_range(rows: Any, X: Any) -> tuple[Any, int]:
    """Rows whose squares neither overflow nor vanish, and the power of two that was divided out.

    The power is 0 where no number needs it.
    """
    values = np.abs(rows.X if hasattr(rows, "X") else rows.data)
    largest, least = float(values.max(initial=0.0)), float(values[values > 0.0].min(initial=1.0))
    if largest <= _LARGE and least >= 1.0 / _LARGE:
        return rows, 0
    shift = int(np.frexp(largest)[1]) or 1
    scaled = X.astype(np.float64)
    if sp.issparse(scaled):
        scaled.data = np.ldexp(scaled.data, -shift)
    else:
        scaled = np.ldexp(scaled, -shift)
    return thinned(scaled), shift


def _rounded_up(X: Any, radius: float, d: int) -> float:
    """At least the true radius."""
    if not 1.0 / _LARGE < radius < _LARGE:
        try:
            radius = bounds.radius(X)
        except ValueError:  # longer than the largest float
            return math.inf
    # 1e-12, since a checker may round, too; the rest where denormals have no such digits
    return radius * (1.0 + 1e-12 + 2 * (d + 8) * _UNIT) + (d + 8) * 5e-324


def _meeting(task: Task, data: Labelled, intercept: bool) -> Array:
    """Two equal rows with opposite labels, or a zero that no line through the origin can take."""
    if not intercept:
        size = abs(data.X).sum(axis=1)
        zeros = np.flatnonzero(np.asarray(size).reshape(-1) == 0.0)
        if len(zeros):
            return zeros[:1]
    rng = np.random.default_rng(0)
    keys = min_norm.scores(task.rows, len(task.y), rng.standard_normal(task.d))
    order = np.lexsort((task.y, keys))
    twins = (np.diff(keys[order]) == 0.0) & (np.diff(task.y[order]) != 0.0)
    for place in np.flatnonzero(twins):
        i, j = order[place], order[place + 1]
        if abs(data.X[[i]] - data.X[[j]]).sum() == 0.0:
            return np.sort(np.array([i, j]))
    return np.zeros(0, np.int64)


def _whole_weights(alpha: Array) -> list[int]:
    """Weights as whole numbers, to 60 bits of the largest."""
    shares = np.ldexp(alpha / alpha.max(), 60).tolist()
    return integers.primitive([max(1, int(share)) for share in shares])


def _as_floats(direction: tuple[int, ...]) -> tuple[Array, float]:
    """A whole direction as floats, divided by a power of two where they need it."""
    shift = max(0, max(map(abs, direction)).bit_length() - 900)
    floats = np.array([value / (1 << shift) for value in direction])  # rounded once
    return floats[:-1], float(floats[-1])
