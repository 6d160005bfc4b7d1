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

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.jit import compiled, compiled_for, fingerprint
from rosenblatt.rows import FEW, Rows

Array = NDArray[Any]

OPTIMAL, ZERO, STALLED, FULL, LATE = range(5)
"""How :func:`descend` ends: no row asks in; w is zero to rounding; the factor's digits are spent;
the corral is full; the steps are."""

FREE = 2
"""The group of rows whose weights add up to whatever they like."""

CORRECTIONS = 3
"""How often a step is mended, at most, before the next row enters."""

_PIVOT = 1e-14  # of ‖z‖²: a row this near to the corral's span cannot be told from it by products
_SHARP = 1e-26  # the same by Q
_MOST = 1 << 24  # numbers in Q


class Corral(NamedTuple):
    """The rows that bear weight, and room to work.

    Attributes
    ----------
    size : ndarray of shape (1,), int64
        k, how many rows the corral has.
    rows : ndarray of shape (room,), int64
        The first k are its rows.
    alpha : ndarray of shape (room,), float64
        Their weights.
    w : ndarray of shape (d,), float64
    offset : ndarray of shape (d,), float64
    L : ndarray of shape (room, room), float64
        Cholesky factor of z_i·z_j + ``lift`` [same group, not free] over the corral.
    lift : ndarray of shape (1,), float64
        Added within a group: it tells rows apart that only the sum of the weights holds apart,
        and moves no minimum, since that sum is fixed.
    Q : ndarray of shape (room, d + 2), float64, or (0, 0)
        Where it has rows, the orthonormal rows with L Q = (z_i, lift in the group's column): they
        give the factor all digits of the rows, where the Gram matrix has half as many.
    residual, move, place : ndarray of shape (room,), float64
        −z_i·w; the step that α is about to make; the minimum's coordinates u in Q.
    ones, column, dots, levels : ndarray, float64
        Room to work; ``levels[g]`` is where z_i·w should be in group g, 0 in the free one.
    """

    size: Array
    rows: Array
    alpha: Array
    w: Array
    offset: Array
    L: Array
    Q: Array
    lift: Array
    residual: Array
    move: Array
    place: Array
    ones: Array
    column: Array
    dots: Array
    levels: Array


def corral(room: int, d: int, lift: float, offset: Array | None = None) -> Corral:
    """An empty corral with room for ``room`` rows of ``d`` features."""
    start = np.zeros(d) if offset is None else np.array(offset, np.float64)
    return Corral(
        size=np.zeros(1, np.int64),
        rows=np.zeros(room, np.int64),
        alpha=np.zeros(room),
        w=start.copy(),
        offset=start,
        L=np.zeros((room, room)),
        Q=np.zeros((0, 0)),
        lift=np.array([lift]),
        residual=np.zeros(room),
        move=np.zeros(room),
        place=np.zeros(room),
        ones=np.zeros((2, room)),
        column=np.zeros(d + 2),
        dots=np.zeros(FEW),
        levels=np.zeros(3),
    )


def join(rows: Rows, y: Array, group: Array, state: Corral, i: int) -> bool:
    """Let row i into the corral, with weight 0; whether it could be told from the others."""
    joined: bool = _loops((type(rows),)).join(rows, y, group, state, i)
    return joined


def descend(
    rows: Rows,
    y: Array,
    group: Array,
    among: Array,
    state: Corral,
    tol: float,
    scale: float,
    zero: float,
    steps: int,
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
    state : Corral
        Changed in place; every group that is not free must have a row in it.
    tol, scale : float
        A row asks in where z_i·w lies ``tol`` · ‖w‖ · max(‖w‖, ``scale``) below its group's level.
    zero : float
        A ‖w‖² not above it is a zero that was rounded.
    steps : int
        At most so many rows enter.

    Returns
    -------
    int
        :data:`OPTIMAL`, :data:`ZERO`, :data:`STALLED`, :data:`FULL` or :data:`LATE`.
    """
    loop = _loops((type(rows),)).descend
    return loop(rows, y, group, among, state, tol, scale, zero, steps)


def refactored(rows: Rows, y: Array, group: Array, state: Corral) -> Corral:
    """The corral with its factor made afresh, of all digits where there is room for Q."""
    room, d, k = len(state.rows), len(state.w), state.size[0]
    members, weights = state.rows[:k].copy(), state.alpha[:k].copy()
    if room * (d + 2) <= _MOST and not state.Q.size:
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
    """What a run of the perceptron made: mistakes by row, epochs, whether the last was clean."""

    missed: Array
    epochs: int
    converged: bool


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
    return Run(missed, int(told[0]), bool(told[1]))


class _Loops(NamedTuple):
    join: Callable[..., bool]
    descend: Callable[..., int]
    resum: Callable[..., None]
    scores: Callable[..., None]
    run: Callable[..., None]


# --- the corral's factor -------------------------------------------------------------------------


def _dot(a: Array, b: Array, k: int) -> float:
    total = 0.0
    for j in range(k):
        total += a[j] * b[j]
    return total


# These sums may be taken in any order: the next residual mends the solver's steps, and what is
# found is proved in exact arithmetic.
_dot = compiled(_dot, fastmath={"reassoc", "contract"})


@compiled
def _forward(L: Array, v: Array, k: int) -> None:
    """Solve: v ← L⁻¹ v."""
    for i in range(k):
        v[i] = (v[i] - _dot(L[i], v, i)) / L[i, i]


@compiled
def _backward(L: Array, v: Array, k: int) -> None:
    """Solve: v ← L⁻ᵀ v."""
    for i in range(k - 1, -1, -1):
        v[i] /= L[i, i]
        for j in range(i):
            v[j] -= L[i, j] * v[i]


@compiled
def _sharpened(state: Corral, g: int) -> float:
    """Orthogonalize ``column``: its place in L to ``move``, its new direction to Q.

    What is returned is the square of what was orthogonal.
    """
    Q, k, v, z = state.Q, state.size[0], state.move, state.column
    d = z.shape[0]
    if g != FREE:
        z[d - 2 + g] = np.sqrt(state.lift[0])
    for j in range(d):
        Q[k, j] = z[j]
    for q in range(k):
        v[q] = 0.0
    for _ in range(2):  # twice is enough (Kahan; Parlett 1980, section 6-9)
        for q in range(k):
            along = _dot(Q[q], Q[k], d)
            v[q] += along
            for j in range(d):
                Q[k, j] -= along * Q[q, j]
    square = _dot(Q[k], Q[k], d)
    if square > 0.0:
        length = np.sqrt(square)
        for j in range(d):
            Q[k, j] /= length
    return square


@compiled
def _leave(state: Corral, q: int) -> None:
    """Take the q-th row out of the corral; rotations restore the factor."""
    L, k = state.L, state.size[0]
    for i in range(q, k - 1):
        state.rows[i], state.alpha[i] = state.rows[i + 1], state.alpha[i + 1]
        state.residual[i] = state.residual[i + 1]
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for i in range(q, k - 1):
        length = np.hypot(L[i, i], L[i, i + 1])
        c, s = L[i, i] / length, L[i, i + 1] / length
        L[i, i], L[i, i + 1] = length, 0.0
        for m in range(i + 1, k - 1):
            left, right = L[m, i], L[m, i + 1]
            L[m, i], L[m, i + 1] = c * left + s * right, c * right - s * left
        if state.Q.shape[0] > 0:
            for j in range(state.Q.shape[1]):
                left, right = state.Q[i, j], state.Q[i + 1, j]
                state.Q[i, j], state.Q[i + 1, j] = c * left + s * right, c * right - s * left
    state.size[0] = k - 1


@compiled
def _aim(state: Corral, group: Array) -> None:
    """``move`` ← the step of α to the minimum over the corral's affine hull.

    Without Q it solves H Δ = r + C ν with CᵀΔ = 0: H is factored, r = −z·w, C tells the groups.
    With Q, u = Lᵀα is the minimum's place in Q's coordinates, and no digits of it cancel.
    """
    k, move, zeros, ones = state.size[0], state.move, state.ones[0], state.ones[1]
    sharp = state.Q.shape[0] > 0
    for q in range(k):
        g = group[state.rows[q]]
        if sharp:
            move[q] = -_dot(state.Q[q], state.offset, state.offset.shape[0])
        else:
            move[q] = state.residual[q]
        zeros[q] = 1.0 if g == 0 else 0.0
        ones[q] = 1.0 if g == 1 else 0.0
    if not sharp:
        _forward(state.L, move, k)
    _forward(state.L, zeros, k)
    _forward(state.L, ones, k)
    a, b, c = _dot(zeros, zeros, k), _dot(zeros, ones, k), _dot(ones, ones, k)
    total = 1.0 if sharp else 0.0  # of each group's weights, or of their change
    e, f = total - _dot(zeros, move, k), total - _dot(ones, move, k)
    a = a if a > 0.0 else 1.0  # no row of this group: its column of C is not there
    c = c if c > 0.0 else 1.0
    det = a * c - b * b
    nu, mu = (e * c - f * b) / det, (a * f - b * e) / det
    for q in range(k):
        move[q] += nu * zeros[q] + mu * ones[q]
        state.place[q] = move[q]
    _backward(state.L, move, k)
    if sharp:
        for q in range(k):
            move[q] -= state.alpha[q]


@compiled
def _arrive(state: Corral) -> None:
    """Take w ← o + Qᵀu, of all digits."""
    d = state.w.shape[0]
    for j in range(d):
        state.w[j] = state.offset[j]
    for q in range(state.size[0]):
        for j in range(d):
            state.w[j] += state.place[q] * state.Q[q, j]


@compiled
def _stop(state: Corral) -> int:
    """The corral's row whose weight reaches zero first on the way, −1 if none does."""
    first, share = -1, 2.0
    for q in range(state.size[0]):
        if state.alpha[q] + state.move[q] <= 0.0:
            reach = _share(state, q)
            if reach < share:
                first, share = q, reach
    return first


@compiled
def _share(state: Corral, q: int) -> float:
    """How much of the step takes the q-th weight to zero."""
    return state.alpha[q] / -state.move[q] if state.move[q] < 0.0 else 0.0


@compiled
def _level(state: Corral, group: Array, g: int) -> float:
    """Σ α_i z_i·w over group g: what z_i·w should be for each of its rows. 0 if it is free."""
    level = 0.0
    for q in range(state.size[0]):
        if group[state.rows[q]] == g and g != FREE:
            level -= state.alpha[q] * state.residual[q]
    return level


@compiled
def _spread(state: Corral, group: Array) -> float:
    """How far the corral's rows are from their groups' levels, at most."""
    zero, one, worst = _level(state, group, 0), _level(state, group, 1), 0.0
    for q in range(state.size[0]):
        g = group[state.rows[q]]
        level = zero if g == 0 else (one if g == 1 else 0.0)
        worst = max(worst, abs(state.residual[q] + level))
    return worst


# --- the loops over the rows ---------------------------------------------------------------------


@cache
def _loops(kinds: tuple[type, ...]) -> _Loops:
    """The loops, compiled for a kind of rows."""
    stamp = fingerprint(*kinds)

    def scores(rows, order, w, dots, out):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        scored, r = 0, 0
        for n in range(order.shape[0]):
            rows.ahead(order, n)
            r += 1
            if r >= scored:
                r, scored = 0, rows.see_few(order, n, w, dots)
            out[n] = dots[r]

    # Calls, not methods: numba 0.68 loses variables where one loop inlines several methods.
    def along(rows, i, w):
        stamp  # noqa: B018
        return rows.see(i, w)[0]

    def plus(rows, i, tau, w):
        stamp  # noqa: B018
        rows.add(i, tau, w)

    def sqnorm(rows, i):
        stamp  # noqa: B018
        return rows.sqnorm(i)

    def few(rows, order, n, w, dots):
        stamp  # noqa: B018
        return rows.see_few(order, n, w, dots)

    along, plus = compiled_for(along, kinds), compiled_for(plus, kinds)
    sqnorm, few = compiled_for(sqnorm, kinds), compiled_for(few, kinds)

    def run(rows, y, intercept, epochs, w, missed, told):
        stamp  # noqa: B018
        b = 0.0
        for _ in range(epochs):
            clean = True
            for i in range(y.shape[0]):
                if not y[i] * (along(rows, i, w) + b) > 0.0:
                    clean = False
                    missed[i] += 1
                    plus(rows, i, y[i], w)
                    if intercept:
                        b += y[i]
            told[0] += 1
            if clean:
                told[1] = 1
                return

    def look(rows, y, state):
        stamp  # noqa: B018
        for q in range(state.size[0]):
            i = state.rows[q]
            state.residual[q] = -y[i] * along(rows, i, state.w)

    look = compiled_for(look, kinds)

    def resum(rows, y, state):
        stamp  # noqa: B018
        w, members = state.w, state.rows
        for j in range(w.shape[0]):
            w[j] = state.offset[j]
        for q in range(state.size[0]):
            plus(rows, members[q], state.alpha[q] * y[members[q]], w)
        look(rows, y, state)

    def join(rows, y, group, state, i):
        stamp  # noqa: B018
        k, v, L, g = state.size[0], state.move, state.L, group[i]
        plus(rows, i, y[i], state.column)
        for q in range(k):
            j = state.rows[q]
            v[q] = y[j] * along(rows, j, state.column)
            if g == group[j] and g != FREE:
                v[q] += state.lift[0]
        own = sqnorm(rows, i)
        if g != FREE:
            own += state.lift[0]
        if state.Q.shape[0] > 0:
            pivot, least = _sharpened(state, g), _SHARP * own
        else:
            _forward(L, v, k)
            pivot, least = own - _dot(v, v, k), _PIVOT * own
        for j in range(state.column.shape[0]):
            state.column[j] = 0.0
        if not pivot > least:
            return False
        for q in range(k):
            L[k, q] = v[q]
        L[k, k] = np.sqrt(pivot)
        state.rows[k], state.alpha[k] = i, 0.0
        state.residual[k] = -y[i] * along(rows, i, state.w)
        state.size[0] = k + 1
        return True

    resum, join = compiled_for(resum, kinds), compiled_for(join, kinds)

    def descend(rows, y, group, among, state, tol, scale, zero, steps):
        stamp  # noqa: B018
        levels, d = state.levels, state.w.shape[0]
        for _ in range(steps):
            square = _dot(state.w, state.w, d)
            if square <= zero:
                return ZERO
            slack = tol * np.sqrt(square) * max(np.sqrt(square), scale)
            levels[0], levels[1] = _level(state, group, 0), _level(state, group, 1)
            entering, depth, scored, r = -1, slack, 0, 0
            for n in range(among.shape[0]):
                r += 1
                if r >= scored:
                    r, scored = 0, few(rows, among, n, state.w, state.dots)
                i = among[n]
                below = levels[group[i]] - y[i] * state.dots[r]
                if below > depth:
                    entering, depth = i, below
            if entering < 0:
                return OPTIMAL
            if state.size[0] == state.rows.shape[0]:
                return FULL
            for q in range(state.size[0]):
                if state.rows[q] == entering:
                    return STALLED
            if not join(rows, y, group, state, entering):
                return STALLED
            corrections = 0
            while corrections < CORRECTIONS:
                _aim(state, group)
                q = _stop(state)
                if q >= 0:
                    share = _share(state, q)
                    for p in range(state.size[0]):
                        state.alpha[p] += share * state.move[p]
                        state.residual[p] *= 1.0 - share  # but for a constant in each group
                    _leave(state, q)
                    corrections = 0
                else:
                    for p in range(state.size[0]):
                        state.alpha[p] += state.move[p]
                    if state.Q.shape[0] > 0:
                        _arrive(state)
                        look(rows, y, state)
                        break
                    resum(rows, y, state)
                    corrections += 1
                    if _spread(state, group) <= 0.1 * slack:
                        break
        return LATE

    return _Loops(
        join=join,
        descend=compiled_for(descend, kinds),
        resum=resum,
        scores=compiled_for(scores, kinds),
        run=compiled_for(run, kinds),
    )
