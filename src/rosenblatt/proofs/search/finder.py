"""Search for a certificate: the perceptron, then nearest points of hulls, then minimal faces.

The perceptron often separates the data at once; otherwise its most frequent mistakes rank the rows.
The nearest points of the convex hulls then give the maximal margin. If the hulls intersect, the
rows with positive weight there prove inseparability, after a solution in rationals.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.determined import (
    CHEAP_OPERATIONS,
    MAX_DATA,
    MAX_OPERATIONS,
    determine,
)
from rosenblatt.proofs.search.faces import MAX_DENSE, MinimalFace, UnresolvedError, minimal_face
from rosenblatt.proofs.search.nearest import (
    EPOCHS,
    MAX_VALUE,
    HullProblem,
    NearestPoints,
    Task,
    TimeLimitError,
    hull_problem,
    loop_rows,
    nearest_points,
    rows_in_range,
    top_row_per_group,
)
from rosenblatt.proofs.search.rational import exact_minimal_face
from rosenblatt.proofs.search.separators import (
    MIN_FLOAT_MARGIN,
    SearchResult,
    as_floats,
    as_integers,
    determined_result,
    moved_back,
    translated,
    with_separator,
)
from rosenblatt.proofs.search.sparse import (
    Peeled,
    as_sparse,
    peel,
    peeled_face,
    reduce_rows,
    worth_peeling,
)
from rosenblatt.theory import bounds
from rosenblatt.utils.arrays import Array, Matrix

_UNIT = 2.0**-53  # the relative error of a rounding
_TINY = 2.0**-1060  # more than the rounding error of a division by four
_LOOSE_TOL = 0.01  # from this tolerance on, the perceptron's own separator may suffice
_TRIES = 3  # other first rows, before rationals
_MAX_EXACT_ROWS = 256  # rows whose distances are computed in rationals
_EXACT_COST = 1e4  # operations per number of such a row, for a deadline
_MAX_REST = 0.25  # share of rows or columns left by peeling up to which it is worth while
_MAX_SPREAD = 16  # difference of the features' exponents from which on features are scaled


def find(task: Task, tol: float) -> SearchResult:
    """Decide the data, with a relative gap of ``tol`` in the margin, until the deadline."""
    with np.errstate(all="ignore"):  # overflow and underflow lead to the rationals
        return _Finder(task, tol).find()


def find_exactly(task: Task, tol: float) -> SearchResult:
    """Decide the data in rationals, if it is small enough, after a wrong result in floats."""
    with np.errstate(all="ignore"):
        finder = _Finder(task, tol)
        return finder.solve_exactly(finder.nearest())


class _Finder:
    def __init__(self, task: Task, tol: float) -> None:
        (data, intercept, deadline), d = task, task.data.shape[1]
        self.intercept, self.tol, self.deadline = intercept, tol, deadline
        rows, self.shift = rows_in_range(data.X)
        self.problem = hull_problem(rows, data.y, d, intercept)
        radius = float(np.ldexp(math.sqrt(self.problem.largest), self.shift))
        self.radius = _radius_rounded_up(data.X, radius, d)
        epochs = deadline.steps_in_time(EPOCHS, sum(array.size for array in rows))
        run_rows, shift = rows, self.shift
        if data.scale != 1:  # the run is on (x, 1), not on (unit · x, 1)
            run_rows, shift = rows_in_range(data.rows.floats)
        constant = _scaled_constant(shift) if intercept else 0.0
        self.run = hulls.run_perceptron(run_rows, data.y, d, constant, epochs)
        self.data, self.origin = translated(data) if intercept else (data, None)
        self.task = task._replace(data=self.data)
        if self.origin is not None:  # from here on, all is about the moved rows
            rows, self.shift = rows_in_range(self.data.X)
            self.problem = hull_problem(rows, data.y, d, intercept)

    def find(self) -> SearchResult:
        if not self.run.converged:
            rows = _opposite_twins(self.problem, self.data, self.intercept)
            if len(rows):
                return self._not_separable_result(rows, [1] * len(rows))
            if (infeasible := self._infeasible_rest()) is not None:
                return self._not_separable_result(*infeasible)
        if self.run.converged and self.tol >= _LOOSE_TOL:
            early = self._separable_result(self._perceptron_points())
            if early and early.margin[0] >= (1.0 - self.tol) * early.margin[1]:
                return early
        near = self.nearest()
        if separated := self._separable_result(near):
            return self._determined(separated, near)
        if near.code == hulls.STEP_LIMIT and self.deadline.is_past:
            return self._bound_result(near)
        infeasible = self._infeasible_rows(near)
        if infeasible is None and not self.shift:
            near = self._nearest_equilibrated(near)
            if separated := self._separable_result(near):
                return self._determined(separated, near)
            infeasible = self._infeasible_rows(near)
        for seed in range(_TRIES):  # other first rows may lead to exactly dependent rows
            if infeasible is None and not self.deadline.is_past:
                rank = np.random.default_rng(seed).random(len(self.data.y))
                infeasible = self._infeasible_rows(
                    nearest_points(self.problem, rank, self.tol / 4, self.deadline)
                )
        if infeasible is None:
            return self.solve_exactly(near)
        return self._not_separable_result(*infeasible)

    # --- the maximal margin ----------------------------------------------------------------------

    def nearest(self) -> NearestPoints:
        """Return the nearest points of the hulls."""
        # a quarter of the gap: the offset, rounding and the upper bound have the rest
        return nearest_points(self.problem, self.run.mistakes + 0.0, self.tol / 4, self.deadline)

    def _perceptron_points(self) -> NearestPoints:
        """Return the perceptron's separator, and its mistakes as weights."""
        missed = self.run.mistakes.copy()
        missed[top_row_per_group(self.problem.group, missed)] += missed.max() == 0
        rows = np.flatnonzero(missed)
        return NearestPoints(hulls.OPTIMAL, rows, missed[rows] + 0.0, self.run.w)

    def _margin_interval(self, near: NearestPoints) -> tuple[float, float]:
        """Return a lower bound of the margin in the problem's units, and the separator's offset.

        Scores of k terms have an error of about k units of rounding of Σ |w_j x_j| (Higham 2002,
        section 3.1), first bounded by the longest row; where that costs too much, row by row, and
        of the few rows that may be nearest in rationals.
        """
        length = float(np.linalg.norm(near.w))
        if length == 0.0 or near.is_zero:
            return 0.0, 0.0
        along = (
            hulls.scores(self.problem.rows, len(self.problem.y), near.w / length) * self.problem.y
        )
        if not self.intercept:
            low, b = float(along.min()), 0.0
        else:
            left = float(along[self.problem.group == 0].min())
            right = float(along[self.problem.group == 1].min())
            low, b = (left + right) / 2, (right - left) / 2
        doubt = 4 * (self.problem.d + 8) * _UNIT * (math.sqrt(self.problem.largest) + abs(b))
        if doubt <= self.tol / 16 * low or low <= -doubt or self.shift:
            return low - doubt, b
        w = near.w / length
        sizes = np.asarray(abs(self.data.X) @ np.abs(w)).reshape(-1) + abs(b)
        doubts = 4 * (self.problem.d + 8) * _UNIT * sizes
        along += b * self.data.y
        close = np.flatnonzero(along - doubts <= (along + doubts).min())
        exact = _EXACT_COST * (1.0 + len(close)) * self.problem.d
        if len(close) > _MAX_EXACT_ROWS or not self.deadline.allows(exact):
            return float((along - doubts).min()), b
        return integers.min_margin(self.data, close, w, b), b

    def _separable_result(self, near: NearestPoints) -> SearchResult | None:
        """Return the result if w is a separator, else None."""
        low, b = self._margin_interval(near)
        if low <= 0.0:
            return None
        plain = near._replace(w=self._without_noise(near.w))
        other = self._margin_interval(plain)
        if other[0] >= (1.0 - 1e-9) * low:  # zeros that cost no digit of the report are easier read
            near, (low, b) = plain, other
        w, b = near.w / np.linalg.norm(near.w), self._in_data_units(b)
        low = self._in_data_units(low)
        return with_separator(self._bound_result(near), low, w, b, self.origin, self.tol)

    def _determined(self, separated: SearchResult, near: NearestPoints) -> SearchResult:
        """Return the result with the exact maximal margin, if its proof is cheap.

        Where floats miss the tolerance, it may take some seconds.
        """
        assert separated.coef is not None
        low, high = separated.margin
        is_precise = low >= (1.0 - self.tol) * high
        if is_precise and separated.direction is None and self.data.X.size > MAX_DATA:
            return separated
        most = CHEAP_OPERATIONS if is_precise else MAX_OPERATIONS
        exact = self._determined_result(separated, near.active_rows, separated.coef, most)
        return exact or separated

    def _determined_result(
        self, bounding: SearchResult, active: Array, w: Array, most: float
    ) -> SearchResult | None:
        """Return a result with the exact maximal margin; None if its proof costs too much."""
        exact = determine(self.task, active, w, most)
        if exact is None:
            return None
        return determined_result(bounding, exact, self.problem.d, self.origin, self.tol)

    def _in_data_units(self, margin: float) -> float:
        """Convert a margin from the problem's units to those of the data."""
        return float(np.ldexp(margin, self.shift))

    def _without_noise(self, w: Array) -> Array:
        """Return the separator with 0 for weights that are only rounding errors."""
        part = np.abs(w) <= 1e-13 * np.abs(w).max()  # a thousand units of rounding
        return np.where(part, 0.0, w)

    def _upper_bound(self, rows: Array, weights: list[int]) -> float:
        """Return the distance of the two weighted means, rounded up: the margin's upper bound.

        Weak duality: no margin is larger than half the distance of any two points of the hulls
        (Bennett and Bredensteiner 2000). Its error: Higham 2002, section 3.1.
        """
        divisor = 4.0 if self.shift > 0 else 1.0  # differences of the largest floats overflow
        part = self.data.X[rows].astype(np.float64) / divisor
        share = np.array([float(weight) for weight in weights])
        signs, groups = self.data.y[rows], self.problem.group[rows]
        for g in np.unique(groups):
            share[groups == g] /= share[groups == g].sum()
        point, size = (share * signs) @ part, share @ abs(part)
        doubt = (len(rows) + 8) * 2 * _UNIT * _norm(size)
        doubt += (len(rows) + 4) * math.ceil(math.sqrt(self.problem.d)) * 5e-324  # underflow
        length = _norm(point) * (1.0 + (self.problem.d + 8) * _UNIT) + doubt
        return divisor * (length / 2 if self.intercept else length) + (divisor - 1.0) * _TINY

    def _nearest_equilibrated(self, near: NearestPoints) -> NearestPoints:
        """Return the nearest points of the hulls with all features scaled to similar sizes.

        If the hulls are disjoint, the new w separates, and the weights of ``near`` still bound the
        margin.
        """
        data, powers = self._equilibrated
        if not powers.any():
            return near
        rows = loop_rows(data.X)
        problem = hull_problem(rows, data.y, self.problem.d, self.intercept)
        # 1e-3: any separator will do, whatever its margin
        other = nearest_points(problem, self.run.mistakes + 0.0, 1e-3, self.deadline)
        if other.is_zero:
            return other
        return near._replace(code=other.code, w=np.ldexp(other.w, -powers))

    # --- no separator ----------------------------------------------------------------------------

    def _infeasible_rows(self, near: NearestPoints) -> tuple[Array, list[int]] | None:
        """Return the active rows with exact weights of sum 0, or None; None without time, too."""
        return integers.infeasible_rows(self.task, near.active_rows)

    @cached_property
    def _peeled(self) -> Peeled | None:
        """What features of one sign leave of large sparse data, if they decide most of it."""
        data = worth_peeling(self.data)
        if data is None:
            return None
        try:
            peeled, size = peel(self.task._replace(data=data)), min(data.shape)
        except TimeLimitError:
            return None
        return peeled if size > MAX_DENSE or peeled.cost <= _MAX_REST * size else None

    def _infeasible_rest(self) -> tuple[Array, list[int]] | None:
        """Return rows with exact weights of sum 0 among those that peeling leaves, or None."""
        peeled = self._peeled
        if self.shift or peeled is None or not 0 < peeled.cost <= _MAX_REST * len(self.data.y):
            return None
        rest = peeled.rest(self.data)
        d = rest.shape[1]
        problem = hull_problem(loop_rows(rest.X), rest.y, d, self.intercept)
        rank = self.run.mistakes[peeled.rows] + 0.0
        near = nearest_points(problem, rank, self.tol / 4, self.deadline)
        if not near.is_zero:
            return None
        relation = integers.infeasible_rows(self.task._replace(data=rest), near.active_rows)
        return None if relation is None else (peeled.rows[relation[0]], relation[1])

    def _not_separable_result(self, rows: Array, weights: list[int]) -> SearchResult:
        try:
            face = self._face(rows, weights)
        except (UnresolvedError, TimeLimitError):  # quasi-separable or not remains open
            return SearchResult("undecided", (0.0, 0.0), self.radius, self.run, rows, weights)
        if not self.shift:
            rows, weights = reduce_rows(self.task, self.problem, rows, weights)
        return self._face_result(face, rows, weights)

    def _face(self, rows: Array, weights: list[int]) -> MinimalFace:
        """Return the minimal face: by floats if their squares are in range, else in rationals."""
        if not self.shift:
            try:
                return self._minimal_face(rows, weights)
            except UnresolvedError:
                pass
        return exact_minimal_face(self.task)[0]

    def _minimal_face(self, rows: Array, weights: list[int]) -> MinimalFace:
        """Return the minimal face, computed with scaled features; rows and weights are the same."""
        data, powers = self._equilibrated
        if self._peeled is not None:
            sparse = self.task._replace(data=as_sparse(data))
            face = peeled_face(sparse, self._peeled, rows, weights)
        else:
            face = minimal_face(self.task._replace(data=data), rows, weights)
        if face.direction is None or not powers.any():
            return face
        least = min(0, *(-int(power) for power in powers))
        shifts = [-int(power) - least for power in powers] + [-least]
        unscaled = [value << shift for value, shift in zip(face.direction, shifts, strict=True)]
        return replace(face, direction=tuple(integers.primitive(unscaled)))

    @cached_property
    def _equilibrated(self) -> tuple[LabelledData, Array]:
        """The data with features of similar size, and the exponents of the divisors."""
        X = self.data.X
        largest = abs(X).max(axis=0)
        largest = (largest.toarray() if sp.issparse(largest) else largest).reshape(-1)
        powers = np.where(largest > 0.0, np.frexp(largest)[1], 0)
        exponents = powers[largest > 0.0]
        if len(exponents) == 0 or exponents.max() - exponents.min() <= _MAX_SPREAD:
            return self.data, np.zeros(X.shape[1], np.int64)
        scales = np.ldexp(1.0, -powers)
        times = sp.diags_array(scales)
        head, *tail = (
            sp.csr_array(part @ times) if sp.issparse(part) else part * scales
            for part in self.data.parts
        )
        return LabelledData(head, self.data.y, tuple(tail)), powers

    def _face_result(self, face: MinimalFace, rows: Array, weights: list[int]) -> SearchResult:
        direction = self._direction_as_given(face)
        status = "inseparable" if direction is None else "quasi-separable"
        coef, b = (None, 0.0) if direction is None else as_floats(direction)
        proof = SearchResult(status, (0.0, 0.0), self.radius, self.run, rows, weights)
        return replace(proof, coef=coef, intercept=b, direction=direction, overlap=face.overlap)

    def _direction_as_given(self, face: MinimalFace) -> tuple[int, ...] | None:
        """Return the direction for the rows as given."""
        if face.direction is None or self.origin is None:
            return face.direction
        *w, b = [Fraction(value) for value in face.direction]
        return tuple(integers.primitive([*as_integers(w, moved_back(w, b, self.origin))]))

    def solve_exactly(self, near: NearestPoints) -> SearchResult:
        """Decide in rationals."""
        try:
            face, rows, weights = exact_minimal_face(self.task)
        except (UnresolvedError, TimeLimitError):
            return self._bound_result(near)
        if len(rows):
            return self._face_result(face, rows, weights)
        assert face.direction is not None
        bounding = self._bound_result(near)
        high, (coef, b) = bounding.margin[1], as_floats(face.direction)
        length = _norm(coef)
        w, offset, low = coef / length, b / length, 0.0
        if exact := self._determined_result(bounding, near.active_rows, w, MAX_OPERATIONS):
            return exact
        if len(self.data.y) <= _MAX_EXACT_ROWS and np.isfinite(w).all() and np.isfinite(offset):
            low = integers.min_margin(self.data, np.arange(len(self.data.y)), w, offset)
        if low > MIN_FLOAT_MARGIN and (
            rounded := with_separator(bounding, low, w, offset, self.origin, self.tol)
        ):
            return rounded
        direction = self._direction_as_given(face)
        assert direction is not None
        coef, b = as_floats(direction)
        return replace(
            bounding,
            status="separable",
            margin=(0.0, float(np.nextafter(high, math.inf))),
            coef=coef,
            intercept=b,
            direction=direction,
        )

    def _bound_result(self, near: NearestPoints) -> SearchResult:
        """Return the margin's upper bound, with the rows and weights that prove it."""
        active = np.flatnonzero(near.alpha > 0.0)
        active = active[np.argsort(near.rows[active])]
        rows, weights = near.rows[active], _integer_weights(near.alpha[active])
        margin = 0.0, self._upper_bound(rows, weights)
        return SearchResult("undecided", margin, self.radius, self.run, rows, weights)


def _norm(v: Array) -> float:
    """Return ‖v‖ without overflow or underflow."""
    largest = float(np.abs(v).max())
    return largest * float(np.linalg.norm(v / largest)) if largest > 0.0 else 0.0


def _scaled_constant(shift: int) -> float:
    """Return the square of the constant 1 of rows that are divided by 2**shift.

    Within limits, beyond which the constant decides every score, or only those that are 0 without.
    """
    return math.ldexp(1.0, min(1000, max(-1074, -2 * shift)))


def _radius_rounded_up(X: Matrix, radius: float, d: int) -> float:
    """Return an upper bound of the true radius; 0.0 if all rows are 0."""
    if radius == 0.0 and not abs(X).max():
        return 0.0
    if not 1.0 / MAX_VALUE < radius < MAX_VALUE:
        try:
            radius = bounds.radius(X)
        except ValueError:  # overflow
            return math.inf
    # 1e-12 for the rounding of another verifier; the last term is for subnormal numbers
    return radius * (1.0 + 1e-12 + 2 * (d + 8) * _UNIT) + (d + 8) * 5e-324


def _opposite_twins(problem: HullProblem, data: LabelledData, intercept: bool) -> Array:
    """Return two equal rows with opposite labels, or a zero row without an intercept, or none.

    Equal rows have equal products with a random vector, which are sorted; other rows rarely have.
    """
    if not intercept:
        size = abs(data.X).sum(axis=1)
        zeros = np.flatnonzero(np.asarray(size).reshape(-1) == 0.0)
        if len(zeros):
            return zeros[:1]
    rng = np.random.default_rng(0)
    keys = hulls.scores(problem.rows, len(problem.y), rng.standard_normal(problem.d))
    order = np.lexsort((problem.y, keys))
    twins = (np.diff(keys[order]) == 0.0) & (np.diff(problem.y[order]) != 0.0)
    for k in np.flatnonzero(twins):
        i, j = order[k], order[k + 1]
        if all(abs(part[[i]] - part[[j]]).sum() == 0.0 for part in data.parts):
            return np.sort(np.array([i, j]))
    return np.zeros(0, np.int64)


def _integer_weights(alpha: Array) -> list[int]:
    """Return the weights as integers, with 60 bits for the largest: seven more than floats have."""
    shares = np.ldexp(alpha / alpha.max(), 60).tolist()
    return integers.primitive([max(1, int(share)) for share in shares])
