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
    Corral,
    aim,
    arrive,
    can_be_sharpened,
    dot,
    forward,
    leave,
    level_of,
    share_of,
    sharpened,
    slack_of,
    spread,
    stop,
)
from rosenblatt.engine.jit import compiled, compiled_for, fingerprint
from rosenblatt.engine.rows import FEW, Rows

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])

OPTIMAL, ZERO, STALLED, FULL, LATE = range(5)
"""How :func:`descend` ends: no row asks in; w is zero to rounding; products of rows have too few
digits (then :func:`refactored` helps); the corral is full; the steps are at their end."""

CORRECTIONS = 3
"""How often a step is mended, at most, before the next row enters."""

_PIVOT = 1e-14  # of ‖z‖²: a row this near to the corral's span cannot be told from it by products
_SHARP = 1e-26  # the same by Q


def join(rows: Rows, y: Array, group: Array, state: Corral, i: int) -> bool:
    """Let row i into the corral, with weight 0; whether it could be told from the others."""
    joined: bool = _loops((type(rows),)).join(rows, y, group, state, int(i))
    return joined


def descend(
    rows: Rows,
    y: Array,
    group: Array,
    among: Array,
    barred: Array,
    state: Corral,
    tol: float,
    scale: float,
    zero: float,
    steps: int,
    patient: bool,
) -> int:
    """Shorten w until no row of ``among`` asks into the corral.

    Parameters
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,), float64
        −1 and +1: z_i = y_i x_i.
    group : ndarray of shape (n,), int64
        0, 1 or :data:`FREE`.
    among : ndarray of int64
        The rows that may enter.
    barred : ndarray of shape (n,), bool
        Rows that may not enter. Those of the corral are added; so are, of a patient descent, those
        that cannot be told from its span: what they ask for is rounding.
    state : Corral
        Changed in place; every group that is not free must have a row in it.
    tol, scale : float
        A row asks in where z_i·w lies ``tol`` · ‖w‖ · max(‖w‖, ``scale``) below its group's level.
    zero : float
        A ‖w‖² not above it is a zero that was rounded.
    steps : int
        At most so many rows enter.
    patient : bool
        Whether to go on with what digits there are: nothing can sharpen the factor.

    Returns
    -------
    int
        :data:`OPTIMAL`, :data:`ZERO`, :data:`STALLED`, :data:`FULL` or :data:`LATE`.
    """
    loop = _loops((type(rows),)).descend
    return loop(rows, y, group, among, barred, state, tol, scale, zero, steps, patient)


def refactored(rows: Rows, y: Array, group: Array, state: Corral) -> Corral:
    """The corral with its factor made afresh, of all digits where there is room for Q."""
    room, d, k = len(state.rows), len(state.w), state.size[0]
    members, weights = state.rows[:k].copy(), state.alpha[:k].copy()
    if can_be_sharpened(state):
        lift = state.lift * 1e-14  # by Q, little is enough; and what is little cancels little
        state = state._replace(Q=np.zeros((room, d + 2)), lift=lift)
    state.size[0] = 0
    for i, weight in zip(members, weights, strict=True):
        if join(rows, y, group, state, i):
            state.alpha[state.size[0] - 1] = weight
    resum(rows, y, state)
    return state


def resum(rows: Rows, y: Array, state: Corral) -> None:
    """Take w ← o + Σ α_i z_i."""
    _loops((type(rows),)).resum(rows, y, state)


def scores(rows: Rows, n: int, w: Array) -> Array:
    """⟨w, x_i⟩ of the first ``n`` rows."""
    out = np.empty(n)
    _loops((type(rows),)).scores(rows, np.arange(n), w, np.empty(FEW), out)
    return out


class Run(NamedTuple):
    """What a run of the perceptron made: mistakes by row, epochs, whether the last was clean, w."""

    missed: Array
    epochs: int
    converged: bool
    w: Array


def run(rows: Rows, y: Array, d: int, intercept: bool, epochs: int) -> Run:
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
    w, missed, told = np.zeros(d), np.zeros(len(y), np.int64), np.zeros(2, np.int64)
    _loops((type(rows),)).run(rows, y, intercept, epochs, w, missed, told)
    return Run(missed, int(told[0]), bool(told[1]), w)


class _Loops(NamedTuple):
    join: Callable[..., bool]
    descend: Callable[..., int]
    resum: Callable[..., None]
    scores: Callable[..., None]
    run: Callable[..., None]


# --- the loops over the rows ---------------------------------------------------------------------
# Calls, not methods: numba 0.68 loses variables where one loop inlines several methods. What is
# called is cached as a part of its caller, whose key tells when the rows' code has changed.


def _called(function: F) -> F:
    return compiled(function, cache=False, _nrt=False)


@_called
def _scores(rows, order, w, dots, out):
    scored, r = 0, 0
    for n in range(order.shape[0]):
        rows.ahead(order, n)
        r += 1
        if r >= scored:
            r, scored = 0, rows.see_few(order, n, w, dots)
        out[n] = dots[r]


@_called
def _along(rows, i, w):
    return rows.see(i, w)[0]


@_called
def _plus(rows, i, tau, w):
    rows.add(i, tau, w)


@_called
def _sqnorm(rows, i):
    return rows.sqnorm(i)


@_called
def _few(rows, order, n, w, dots):
    return rows.see_few(order, n, w, dots)


@_called
def _run(rows, y, intercept, epochs, w, missed, told):
    b = 0.0
    for _ in range(epochs):
        clean = True
        for i in range(y.shape[0]):
            if not y[i] * (_along(rows, i, w) + b) > 0.0:
                clean = False
                missed[i] += 1
                _plus(rows, i, y[i], w)
                if intercept:
                    b += y[i]
        told[0] += 1
        if clean:
            told[1] = 1
            return


@_called
def _look(rows, y, state):
    for q in range(state.size[0]):
        i = state.rows[q]
        state.residual[q] = -y[i] * _along(rows, i, state.w)


@_called
def _resum(rows, y, state):
    w, members = state.w, state.rows
    for j in range(w.shape[0]):
        w[j] = state.offset[j]
    for q in range(state.size[0]):
        _plus(rows, members[q], state.alpha[q] * y[members[q]], w)
    _look(rows, y, state)


@_called
def _join(rows, y, group, state, i):
    k, v, L, g = state.size[0], state.move, state.L, group[i]
    _plus(rows, i, y[i], state.column)
    for q in range(k):
        j = state.rows[q]
        v[q] = y[j] * _along(rows, j, state.column)
        if g == group[j] and g != FREE:
            v[q] += state.lift[0]
    own = _sqnorm(rows, i)
    if g != FREE:
        own += state.lift[0]
    if state.Q.shape[0] > 0:
        pivot, least = sharpened(state, g), _SHARP * own
    else:
        forward(L, v, k)
        pivot, least = own - dot(v, v, k), _PIVOT * own
    for j in range(state.column.shape[0]):
        state.column[j] = 0.0
    if not pivot > least:
        return False
    for q in range(k):
        L[k, q] = v[q]
    L[k, k] = np.sqrt(pivot)
    for h in range(2):
        own = 1.0 if g == h else 0.0
        state.ones[h, k] = (own - dot(L[k], state.ones[h], k)) / L[k, k]
    state.rows[k], state.alpha[k] = i, 0.0
    state.residual[k] = -y[i] * _along(rows, i, state.w)
    state.size[0] = k + 1
    return True


@_called
def _settle(rows, y, group, barred, state, tol, scale, patient):
    """Go to the minimum over the corral's hull; whether products had the digits for it."""
    corrections = 0
    while corrections < CORRECTIONS:
        aim(state)
        q = stop(state)
        if q >= 0:
            share = share_of(state, q)
            for p in range(state.size[0]):
                state.alpha[p] += share * state.move[p]
                state.residual[p] *= 1.0 - share  # but for a constant in each group
            barred[state.rows[q]] = False
            leave(state, q)
            corrections = 0
        else:
            for p in range(state.size[0]):
                state.alpha[p] += state.move[p]
            if state.Q.shape[0] > 0:
                arrive(state)
                _look(rows, y, state)
                return True
            _resum(rows, y, state)
            if spread(state, group) <= 0.1 * slack_of(state, tol, scale):
                return True
            corrections += 1
    return patient


@_called
def _descend(rows, y, group, among, barred, state, tol, scale, zero, steps, patient):
    levels = state.levels
    for q in range(state.size[0]):
        barred[state.rows[q]] = True
    for _ in range(steps):
        if not _settle(rows, y, group, barred, state, tol, scale, patient):
            return STALLED
        if dot(state.w, state.w, state.w.shape[0]) <= zero:
            return ZERO
        levels[0], levels[1] = level_of(state, group, 0), level_of(state, group, 1)
        entering, depth, scored, r = -1, slack_of(state, tol, scale), 0, 0
        for n in range(among.shape[0]):
            r += 1
            if r >= scored:
                r, scored = 0, _few(rows, among, n, state.w, state.dots)
            i = among[n]
            below = levels[group[i]] - y[i] * state.dots[r]
            if below > depth and not barred[i]:
                entering, depth = i, below
        if entering < 0:
            return OPTIMAL
        if state.size[0] == state.rows.shape[0]:
            return FULL
        barred[entering] = True
        if not _join(rows, y, group, state, entering) and not patient:
            return STALLED
    return LATE


@cache
def _loops(kinds: tuple[type, ...]) -> _Loops:
    """The loops, compiled for a kind of rows."""
    stamp = fingerprint(*kinds, Corral)

    def scores(rows, order, w, dots, out):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        _scores(rows, order, w, dots, out)

    def run(rows, y, intercept, epochs, w, missed, told):
        stamp  # noqa: B018
        _run(rows, y, intercept, epochs, w, missed, told)

    def resum(rows, y, state):
        stamp  # noqa: B018
        _resum(rows, y, state)

    def join(rows, y, group, state, i):
        stamp  # noqa: B018
        return _join(rows, y, group, state, i)

    def descend(rows, y, group, among, barred, state, tol, scale, zero, steps, patient):
        stamp  # noqa: B018
        return _descend(rows, y, group, among, barred, state, tol, scale, zero, steps, patient)

    loops = (join, descend, resum, scores, run)
    return _Loops(*(_timed(compiled_for(loop, kinds)) for loop in loops))


compiling = [0.0]
"""Seconds that this process has spent on compiling these loops: no part of a search."""


def _timed(loop: Any) -> Callable[..., Any]:
    """A compiled loop whose first call of a kind, which compiles it, is put down as that."""
    if not hasattr(loop, "signatures"):  # nothing is compiled
        return loop  # type: ignore[no-any-return]

    def call(*args: Any) -> Any:
        known, start = len(loop.signatures), time.perf_counter()
        result = loop(*args)
        if len(loop.signatures) > known:
            compiling[0] += time.perf_counter() - start
        return result

    return call
