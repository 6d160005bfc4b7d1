"""Nearest points: of two convex hulls, of one hull and the origin, of a cone and a point.

One loop serves the three. Rows z_i = y_i x_i carry a group: the weights α of group 0 add up to 1,
so do those of group 1; those of group 2 are free. With an offset o the loop finds

    min ‖w‖,    w = o + Σ α_i z_i,    α >= 0,    Σ_{group g} α_i = 1 for g = 0, 1

- groups 0 and 1 by class, o = 0: the two hulls' nearest points, twice the widest margin apart;
- all rows in group 0, o = 0: the hull's point nearest to the origin, the margin through it;
- all rows in group 2: the point nearest to −o in the cone of the rows.

The method is Wolfe's (1976, "Finding the nearest point in a polytope", Mathematical Programming
11), which for free weights is Lawson and Hanson's NNLS (1974, chapter 23): the worst row joins the
*corral*, the rows that bear weight; the corral's affine minimum follows from a Cholesky factor of
its Gram matrix; where a weight would turn negative, the step ends there and the row leaves. It
ends after finitely many steps, with at most d + 2 rows.

The residual is taken anew from the rows before every step, so a step also mends the rounding of
the one before it, and the factor need only be roughly right.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.hulls.active_set import (
    FREE,
    ActiveSet,
    blocking_row,
    can_orthogonalise,
    compute_direction,
    dot,
    forward,
    group_level,
    max_violation,
    orthogonalise,
    recompute_w_from_q,
    remove_row,
    slack_tolerance,
    step_fraction,
)
from rosenblatt.engine.jit import compiled, compiled_for, fingerprint
from rosenblatt.engine.rows import BLOCK_ROWS, Rows

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])

OPTIMAL, ZERO, STALLED, FULL, STEP_LIMIT = range(5)
"""How :func:`descend` ends: no row asks in; w is zero to rounding; products of rows have too few
digits (then :func:`refactorise` helps); the corral is full; the steps are at their end."""

MAX_CORRECTIONS = 3
"""How often a step is mended, at most, before the next row enters."""

_PIVOT = 1e-14  # of ‖z‖²: a row this near to the corral's span cannot be told from it by products
_PIVOT_Q = 1e-26  # the same by Q


def add_row(rows: Rows, y: Array, group: Array, active: ActiveSet, i: int) -> bool:
    """Let row i into the corral, with weight 0; whether it could be told from the others."""
    joined: bool = _loops((type(rows),)).join(rows, y, group, active, int(i))
    return joined


def descend(
    rows: Rows,
    y: Array,
    group: Array,
    candidates: Array,
    excluded: Array,
    active: ActiveSet,
    tol: float,
    scale: float,
    zero: float,
    steps: int,
    keep_going: bool,
) -> int:
    """Shorten w until no row of ``candidates`` asks into the corral.

    Parameters
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,), float64
        −1 and +1: z_i = y_i x_i.
    group : ndarray of shape (n,), int64
        0, 1 or :data:`FREE`.
    candidates : ndarray of int64
        The rows that may enter.
    excluded : ndarray of shape (n,), bool
        Rows that may not enter. Those of the corral are added; so are, of a patient descent, those
        that cannot be told from its span: what they ask for is rounding.
    active : Corral
        Changed in place; every group that is not free must have a row in it.
    tol, scale : float
        A row asks in where z_i·w lies ``tol`` · ‖w‖ · max(‖w‖, ``scale``) below its group's level.
    zero : float
        A ‖w‖² not above it is a zero that was rounded.
    steps : int
        At most so many rows enter.
    keep_going : bool
        Whether to go on with what digits there are: nothing can sharpen the factor.

    Returns
    -------
    int
        :data:`OPTIMAL`, :data:`ZERO`, :data:`STALLED`, :data:`FULL` or :data:`STEP_LIMIT`.
    """
    loop = _loops((type(rows),)).descend
    return loop(rows, y, group, candidates, excluded, active, tol, scale, zero, steps, keep_going)


def refactorise(rows: Rows, y: Array, group: Array, active: ActiveSet) -> ActiveSet:
    """The corral with its factor made afresh, of all digits where there is room for Q."""
    capacity, d, k = len(active.rows), len(active.w), active.size[0]
    members, weights = active.rows[:k].copy(), active.alpha[:k].copy()
    if can_orthogonalise(active):
        group_shift = (
            active.group_shift * 1e-14
        )  # by Q, little is enough; and what is little cancels little
        active = active._replace(Q=np.zeros((capacity, d + 2)), group_shift=group_shift)
    active.size[0] = 0
    for i, weight in zip(members, weights, strict=True):
        if add_row(rows, y, group, active, i):
            active.alpha[active.size[0] - 1] = weight
    recompute_w(rows, y, active)
    return active


def recompute_w(rows: Rows, y: Array, active: ActiveSet) -> None:
    """Take w ← o + Σ α_i z_i."""
    _loops((type(rows),)).resum(rows, y, active)


def scores(rows: Rows, n: int, w: Array) -> Array:
    """⟨w, x_i⟩ of the first ``n`` rows."""
    out = np.empty(n)
    _loops((type(rows),)).scores(rows, np.arange(n), w, np.empty(BLOCK_ROWS), out)
    return out


class PerceptronRun(NamedTuple):
    """What a run of the perceptron made: mistakes by row, epochs, whether the last was clean, w."""

    mistakes: Array
    epochs: int
    converged: bool
    w: Array


def run_perceptron(rows: Rows, y: Array, d: int, intercept: bool, epochs: int) -> PerceptronRun:
    """The perceptron through the rows in their order, from w = 0, until an epoch is clean.

    Parameters
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,), float64
    d : int
        How many features.
    intercept : bool
        Whether every row carries one more coordinate, a 1.
    epochs : int
        At most so many.
    """
    w, mistakes, outcome = np.zeros(d), np.zeros(len(y), np.int64), np.zeros(2, np.int64)
    _loops((type(rows),)).run(rows, y, intercept, epochs, w, mistakes, outcome)
    return PerceptronRun(mistakes, int(outcome[0]), bool(outcome[1]), w)


class _Loops(NamedTuple):
    join: Callable[..., bool]
    descend: Callable[..., int]
    resum: Callable[..., None]
    scores: Callable[..., None]
    run: Callable[..., None]


# --- the loops over the rows ---------------------------------------------------------------------
# Calls, not methods: numba 0.68 loses variables where one loop inlines several methods. What is
# called is cached as a part of its caller, whose key tells when the rows' code has changed.


def _callee(function: F) -> F:
    return compiled(function, cache=False, _nrt=False)


@_callee
def _scores(rows, order, w, dots, out):
    scored, r = 0, 0
    for n in range(order.shape[0]):
        rows.prefetch(order, n)
        r += 1
        if r >= scored:
            r, scored = 0, rows.dot_block(order, n, w, dots)
        out[n] = dots[r]


@_callee
def _dot(rows, i, w):
    return rows.dot_sqnorm(i, w)[0]


@_callee
def _axpy(rows, i, tau, w):
    rows.axpy(i, tau, w)


@_callee
def _sqnorm(rows, i):
    return rows.sqnorm(i)


@_callee
def _dot_block(rows, order, n, w, dots):
    return rows.dot_block(order, n, w, dots)


@_callee
def _run_perceptron(rows, y, intercept, epochs, w, mistakes, outcome):
    b = 0.0
    for _ in range(epochs):
        clean = True
        for i in range(y.shape[0]):
            if not y[i] * (_dot(rows, i, w) + b) > 0.0:
                clean = False
                mistakes[i] += 1
                _axpy(rows, i, y[i], w)
                if intercept:
                    b += y[i]
        outcome[0] += 1
        if clean:
            outcome[1] = 1
            return


@_callee
def _update_residuals(rows, y, active):
    for q in range(active.size[0]):
        i = active.rows[q]
        active.residual[q] = -y[i] * _dot(rows, i, active.w)


@_callee
def _recompute_w(rows, y, active):
    w, members = active.w, active.rows
    for j in range(w.shape[0]):
        w[j] = active.offset[j]
    for q in range(active.size[0]):
        _axpy(rows, members[q], active.alpha[q] * y[members[q]], w)
    _update_residuals(rows, y, active)


@_callee
def _add_row(rows, y, group, active, i):
    k, v, L, g = active.size[0], active.direction, active.L, group[i]
    _axpy(rows, i, y[i], active.new_row)
    for q in range(k):
        j = active.rows[q]
        v[q] = y[j] * _dot(rows, j, active.new_row)
        if g == group[j] and g != FREE:
            v[q] += active.group_shift[0]
    own = _sqnorm(rows, i)
    if g != FREE:
        own += active.group_shift[0]
    if active.Q.shape[0] > 0:
        pivot, least = orthogonalise(active, g), _PIVOT_Q * own
    else:
        forward(L, v, k)
        pivot, least = own - dot(v, v, k), _PIVOT * own
    for j in range(active.new_row.shape[0]):
        active.new_row[j] = 0.0
    if not pivot > least:
        return False
    for q in range(k):
        L[k, q] = v[q]
    L[k, k] = np.sqrt(pivot)
    for h in range(2):
        own = 1.0 if g == h else 0.0
        active.ones[h, k] = (own - dot(L[k], active.ones[h], k)) / L[k, k]
    active.rows[k], active.alpha[k] = i, 0.0
    active.residual[k] = -y[i] * _dot(rows, i, active.w)
    active.size[0] = k + 1
    return True


@_callee
def _move_to_minimum(rows, y, group, excluded, active, tol, scale, keep_going):
    """Go to the minimum over the corral's hull; whether products had the digits for it."""
    corrections = 0
    while corrections < MAX_CORRECTIONS:
        compute_direction(active)
        q = blocking_row(active)
        if q >= 0:
            share = step_fraction(active, q)
            for p in range(active.size[0]):
                active.alpha[p] += share * active.direction[p]
                active.residual[p] *= 1.0 - share  # but for a constant in each group
            excluded[active.rows[q]] = False
            remove_row(active, q)
            corrections = 0
        else:
            for p in range(active.size[0]):
                active.alpha[p] += active.direction[p]
            if active.Q.shape[0] > 0:
                recompute_w_from_q(active)
                _update_residuals(rows, y, active)
                return True
            _recompute_w(rows, y, active)
            if max_violation(active, group) <= 0.1 * slack_tolerance(active, tol, scale):
                return True
            corrections += 1
    return keep_going


@_callee
def _descend(rows, y, group, candidates, excluded, active, tol, scale, zero, steps, keep_going):
    levels = active.levels
    for q in range(active.size[0]):
        excluded[active.rows[q]] = True
    for _ in range(steps):
        if not _move_to_minimum(rows, y, group, excluded, active, tol, scale, keep_going):
            return STALLED
        if dot(active.w, active.w, active.w.shape[0]) <= zero:
            return ZERO
        levels[0], levels[1] = group_level(active, group, 0), group_level(active, group, 1)
        entering, depth, scored, r = -1, slack_tolerance(active, tol, scale), 0, 0
        for n in range(candidates.shape[0]):
            r += 1
            if r >= scored:
                r, scored = 0, _dot_block(rows, candidates, n, active.w, active.dots)
            i = candidates[n]
            below = levels[group[i]] - y[i] * active.dots[r]
            if below > depth and not excluded[i]:
                entering, depth = i, below
        if entering < 0:
            return OPTIMAL
        if active.size[0] == active.rows.shape[0]:
            return FULL
        excluded[entering] = True
        if not _add_row(rows, y, group, active, entering) and not keep_going:
            return STALLED
    return STEP_LIMIT


@cache
def _loops(kinds: tuple[type, ...]) -> _Loops:
    """The loops, compiled for a kind of rows."""
    stamp = fingerprint(*kinds, ActiveSet)

    def scores(rows, order, w, dots, out):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        _scores(rows, order, w, dots, out)

    def run(rows, y, intercept, epochs, w, mistakes, outcome):
        stamp  # noqa: B018
        _run_perceptron(rows, y, intercept, epochs, w, mistakes, outcome)

    def resum(rows, y, active):
        stamp  # noqa: B018
        _recompute_w(rows, y, active)

    def join(rows, y, group, active, i):
        stamp  # noqa: B018
        return _add_row(rows, y, group, active, i)

    def descend(rows, y, group, candidates, excluded, active, tol, scale, zero, steps, keep_going):
        stamp  # noqa: B018
        return _descend(
            rows, y, group, candidates, excluded, active, tol, scale, zero, steps, keep_going
        )

    loops = (join, descend, resum, scores, run)
    return _Loops(*(_timed(compiled_for(loop, kinds)) for loop in loops))


compile_seconds = [0.0]
"""Seconds that this process has spent on compiling these loops: no part of a search."""


def _timed(loop: Any) -> Callable[..., Any]:
    """A compiled loop whose first call of a kind, which compiles it, is put down as that."""
    if not hasattr(loop, "signatures"):  # nothing is compiled
        return loop  # type: ignore[no-any-return]

    def call(*args: Any) -> Any:
        signatures, start = len(loop.signatures), time.perf_counter()
        result = loop(*args)
        if len(loop.signatures) > signatures:
            compile_seconds[0] += time.perf_counter() - start
        return result

    return call
