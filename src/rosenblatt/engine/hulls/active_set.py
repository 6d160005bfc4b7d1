"""The rows that bear weight: their factor, their weights, and the step to their minimum.

Nothing here looks at a row: :mod:`rosenblatt.engine.hulls.min_norm` does, and tells what it saw.
Wolfe (1976) calls these rows a corral.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled
from rosenblatt.engine.rows import FEW

Array = NDArray[Any]

FREE = 2
"""The group of rows whose weights add up to whatever they like."""

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
    ones : ndarray of shape (2, room), float64
        L⁻¹ c for the groups 0 and 1, where c is 1 for the rows of the group and 0 for others.
    column, dots, levels : ndarray, float64
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


def can_be_sharpened(state: Corral) -> bool:
    """Whether there is room for Q, and none yet."""
    return not state.Q.size and len(state.rows) * (len(state.w) + 2) <= _MOST


def dot(a: Array, b: Array, k: int) -> float:
    """Σ a_j b_j over the first k, in any order."""
    total = 0.0
    for j in range(k):
        total += a[j] * b[j]
    return total


# These sums may be taken in any order: the next residual mends the solver's steps, and what is
# found is proved in exact arithmetic.
dot = compiled(dot, fastmath={"reassoc", "contract"})


@compiled
def forward(L: Array, v: Array, k: int) -> None:
    """Solve: v ← L⁻¹ v."""
    for i in range(k):
        v[i] = (v[i] - dot(L[i], v, i)) / L[i, i]


@compiled
def backward(L: Array, v: Array, k: int) -> None:
    """Solve: v ← L⁻ᵀ v."""
    for i in range(k - 1, -1, -1):
        v[i] /= L[i, i]
        for j in range(i):
            v[j] -= L[i, j] * v[i]


@compiled
def sharpened(state: Corral, g: int) -> float:
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
            along = dot(Q[q], Q[k], d)
            v[q] += along
            for j in range(d):
                Q[k, j] -= along * Q[q, j]
    square = dot(Q[k], Q[k], d)
    if square > 0.0:
        length = np.sqrt(square)
        for j in range(d):
            Q[k, j] /= length
    return square


@compiled
def leave(state: Corral, q: int) -> None:
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
        for g in range(2):
            left, right = state.ones[g, i], state.ones[g, i + 1]
            state.ones[g, i], state.ones[g, i + 1] = c * left + s * right, c * right - s * left
        if state.Q.shape[0] > 0:
            for j in range(state.Q.shape[1]):
                left, right = state.Q[i, j], state.Q[i + 1, j]
                state.Q[i, j], state.Q[i + 1, j] = c * left + s * right, c * right - s * left
    state.size[0] = k - 1


@compiled
def aim(state: Corral) -> None:
    """``move`` ← the step of α to the minimum over the corral's affine hull.

    Without Q it solves H Δ = r + C ν with CᵀΔ = 0: H is factored, r = −z·w, C tells the groups.
    With Q, u = Lᵀα is the minimum's place in Q's coordinates, and no digits of it cancel.
    """
    k, move, zeros, ones = state.size[0], state.move, state.ones[0], state.ones[1]
    sharp = state.Q.shape[0] > 0
    for q in range(k):
        if sharp:
            move[q] = -dot(state.Q[q], state.offset, state.offset.shape[0])
        else:
            move[q] = state.residual[q]
    if not sharp:
        forward(state.L, move, k)
    a, b, c = dot(zeros, zeros, k), dot(zeros, ones, k), dot(ones, ones, k)
    total = 1.0 if sharp else 0.0  # of each group's weights, or of their change
    e, f = total - dot(zeros, move, k), total - dot(ones, move, k)
    a = a if a > 0.0 else 1.0  # no row of this group: its column of C is not there
    c = c if c > 0.0 else 1.0
    det = a * c - b * b
    nu, mu = (e * c - f * b) / det, (a * f - b * e) / det
    for q in range(k):
        move[q] += nu * zeros[q] + mu * ones[q]
        state.place[q] = move[q]
    backward(state.L, move, k)
    if sharp:
        for q in range(k):
            move[q] -= state.alpha[q]


@compiled
def arrive(state: Corral) -> None:
    """Take w ← o + Qᵀu, of all digits."""
    d = state.w.shape[0]
    for j in range(d):
        state.w[j] = state.offset[j]
    for q in range(state.size[0]):
        for j in range(d):
            state.w[j] += state.place[q] * state.Q[q, j]


@compiled
def stop(state: Corral) -> int:
    """The corral's row whose weight reaches zero first on the way, −1 if none does."""
    first, share = -1, 2.0
    for q in range(state.size[0]):
        if state.alpha[q] + state.move[q] <= 0.0:
            reach = share_of(state, q)
            if reach < share:
                first, share = q, reach
    return first


@compiled
def share_of(state: Corral, q: int) -> float:
    """How much of the step takes the q-th weight to zero."""
    return state.alpha[q] / -state.move[q] if state.move[q] < 0.0 else 0.0


@compiled
def level_of(state: Corral, group: Array, g: int) -> float:
    """Σ α_i z_i·w over group g: what z_i·w should be for each of its rows. 0 if it is free."""
    level = 0.0
    for q in range(state.size[0]):
        if group[state.rows[q]] == g and g != FREE:
            level -= state.alpha[q] * state.residual[q]
    return level


@compiled
def spread(state: Corral, group: Array) -> float:
    """How far the corral's rows are from their groups' levels, at most."""
    zero, one, worst = level_of(state, group, 0), level_of(state, group, 1), 0.0
    for q in range(state.size[0]):
        g = group[state.rows[q]]
        level = zero if g == 0 else (one if g == 1 else 0.0)
        worst = max(worst, abs(state.residual[q] + level))
    return worst


@compiled
def slack_of(state: Corral, tol: float, scale: float) -> float:
    """How far below its group's level a row may lie."""
    length: float = np.sqrt(dot(state.w, state.w, state.w.shape[0]))
    return tol * length * max(length, scale)
