"""The active set: the rows of positive weight, their Cholesky factor, and the step to the minimum.

Wolfe (1976) calls these rows a corral. Only :mod:`rosenblatt.engine.hulls.min_norm` reads rows;
this module takes its results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import LANES, at, muladd_pairs, sum_lanes, zeros_x4
from rosenblatt.engine.jit import subroutine
from rosenblatt.engine.rows import BLOCK_ROWS

Array = NDArray[Any]

FREE = 2
"""The group of rows whose weights have no prescribed sum."""

_MAX_Q_SIZE = 1 << 24  # numbers in Q


class ActiveSet(NamedTuple):
    """The rows of positive weight, and work arrays.

    Attributes
    ----------
    size : ndarray of shape (1,), int64
        k, the number of rows in the set.
    rows : ndarray of shape (capacity,), int64
        The first k are indices of its rows.
    alpha : ndarray of shape (capacity,), float64
        Their weights.
    w : ndarray of shape (d,), float64
    offset : ndarray of shape (d,), float64
    L : ndarray of shape (capacity, capacity), float64
        Cholesky factor of z_i·z_j + ``group_shift`` [same group, not free] over the set.
    group_shift : ndarray of shape (1,), float64
        Added within a group, so that rows are independent which depend on each other only through
        the sum of the weights. The minimum is the same, since that sum is fixed.
    Q : ndarray of shape (capacity, d + 2), float64, or (0, 0)
        Orthonormal rows with L Q = (z_i, √group_shift in the group's column), if computed: they
        give the factor the full accuracy of the rows; the Gram matrix has half of it.
    residual, direction, coordinates : ndarray of shape (capacity,), float64
        −z_i·w; the step of α to the minimum; the minimum's coordinates u in Q.
    ones : ndarray of shape (2, capacity), float64
        L⁻¹ c for the groups 0 and 1, where c is 1 for the rows of the group and 0 for others.
    new_row, dots, levels : ndarray, float64
        Work arrays; ``levels[g]`` is the value of z_i·w in group g at the minimum, 0 if free.
    """

    size: Array
    rows: Array
    alpha: Array
    w: Array
    offset: Array
    L: Array
    Q: Array
    group_shift: Array
    residual: Array
    direction: Array
    coordinates: Array
    ones: Array
    new_row: Array
    dots: Array
    levels: Array


def empty_active_set(
    capacity: int, d: int, group_shift: float, offset: Array | None = None
) -> ActiveSet:
    """Return an empty set with a capacity of rows of ``d`` features."""
    start = np.zeros(d) if offset is None else np.array(offset, np.float64)
    return ActiveSet(
        size=np.zeros(1, np.int64),
        rows=np.zeros(capacity, np.int64),
        alpha=np.zeros(capacity),
        w=start.copy(),
        offset=start,
        L=np.zeros((capacity, capacity)),
        Q=np.zeros((0, 0)),
        group_shift=np.array([group_shift]),
        residual=np.zeros(capacity),
        direction=np.zeros(capacity),
        coordinates=np.zeros(capacity),
        ones=np.zeros((2, capacity)),
        new_row=np.zeros(d + 2),
        dots=np.zeros(BLOCK_ROWS),
        levels=np.zeros(3),
    )


def can_orthogonalise(active: ActiveSet) -> bool:
    """Return True if Q is not computed yet, and not too large."""
    return not active.Q.size and len(active.rows) * (len(active.w) + 2) <= _MAX_Q_SIZE


@subroutine
def dot(a: Array, b: Array, k: int) -> float:
    """Return Σ a_j b_j over the first k, in ``4 * LANES`` partial sums."""
    total, j = 0.0, 0
    if k >= 4 * LANES:
        sums = zeros_x4()
        while j + 4 * LANES <= k:
            sums = muladd_pairs(sums, a, b, j)
            j += 4 * LANES
        total = sum_lanes(sums)
    while j < k:
        total += at(a, j) * at(b, j)
        j += 1
    return total


@subroutine
def forward(L: Array, v: Array, k: int) -> None:
    """Solve L v' = v in place."""
    for i in range(k):
        v[i] = (v[i] - dot(L[i], v, i)) / L[i, i]


@subroutine
def backward(L: Array, v: Array, k: int) -> None:
    """Solve Lᵀ v' = v in place."""
    for i in range(k - 1, -1, -1):
        v[i] /= L[i, i]
        for j in range(i):
            v[j] -= L[i, j] * v[i]


@subroutine
def orthogonalise(active: ActiveSet, g: int) -> float:
    """Orthogonalise ``new_row``: write its row of L to ``direction``, its new direction to Q.

    Return the squared norm of the orthogonal part.
    """
    Q, k, v, z = active.Q, active.size[0], active.direction, active.new_row
    d = z.shape[0]
    if g != FREE:
        z[d - 2 + g] = np.sqrt(active.group_shift[0])
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


@subroutine
def remove_row(active: ActiveSet, q: int) -> None:
    """Remove the q-th row; Givens rotations restore the factor."""
    L, k = active.L, active.size[0]
    for i in range(q, k - 1):
        active.rows[i], active.alpha[i] = active.rows[i + 1], active.alpha[i + 1]
        active.residual[i] = active.residual[i + 1]
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
            left, right = active.ones[g, i], active.ones[g, i + 1]
            active.ones[g, i], active.ones[g, i + 1] = c * left + s * right, c * right - s * left
        if active.Q.shape[0] > 0:
            for j in range(active.Q.shape[1]):
                left, right = active.Q[i, j], active.Q[i + 1, j]
                active.Q[i, j], active.Q[i + 1, j] = c * left + s * right, c * right - s * left
    active.size[0] = k - 1


@subroutine
def compute_direction(active: ActiveSet) -> None:
    """Write the step of α to the minimum over the affine hull of the rows to ``direction``.

    Without Q, it solves H Δ = r + C ν with CᵀΔ = 0: H is the Gram matrix, r = −z·w, and C has a
    column of zeros and ones for each group. With Q, u = Lᵀα are the coordinates of the minimum in
    Q, and none of their digits cancel.
    """
    k, direction, zeros, ones = active.size[0], active.direction, active.ones[0], active.ones[1]
    sharp = active.Q.shape[0] > 0
    for q in range(k):
        if sharp:
            direction[q] = -dot(active.Q[q], active.offset, active.offset.shape[0])
        else:
            direction[q] = active.residual[q]
    if not sharp:
        forward(active.L, direction, k)
    a, b, c = dot(zeros, zeros, k), dot(zeros, ones, k), dot(ones, ones, k)
    total = 1.0 if sharp else 0.0  # the sum of each group's weights, or of their changes
    e, f = total - dot(zeros, direction, k), total - dot(ones, direction, k)
    a = a if a > 0.0 else 1.0  # no row of this group: its column of C is zero
    c = c if c > 0.0 else 1.0
    det = a * c - b * b
    nu, mu = (e * c - f * b) / det, (a * f - b * e) / det
    for q in range(k):
        direction[q] += nu * zeros[q] + mu * ones[q]
        active.coordinates[q] = direction[q]
    backward(active.L, direction, k)
    if sharp:
        for q in range(k):
            direction[q] -= active.alpha[q]


@subroutine
def recompute_w_from_q(active: ActiveSet) -> None:
    """Set w to o + Qᵀu, in full accuracy."""
    d = active.w.shape[0]
    for j in range(d):
        active.w[j] = active.offset[j]
    for q in range(active.size[0]):
        for j in range(d):
            active.w[j] += active.coordinates[q] * active.Q[q, j]


@subroutine
def blocking_row(active: ActiveSet) -> int:
    """Return the row whose weight reaches zero first on the step, −1 if none does."""
    first, share = -1, 2.0
    for q in range(active.size[0]):
        if active.alpha[q] + active.direction[q] <= 0.0:
            reach = step_fraction(active, q)
            if reach < share:
                first, share = q, reach
    return first


@subroutine
def step_fraction(active: ActiveSet, q: int) -> float:
    """Return the fraction of the step at which the q-th weight is zero."""
    return active.alpha[q] / -active.direction[q] if active.direction[q] < 0.0 else 0.0


@subroutine
def group_level(active: ActiveSet, group: Array, g: int) -> float:
    """Return Σ α_i z_i·w over group g: at the minimum, z_i·w of each of its rows; 0 if free."""
    level = 0.0
    for q in range(active.size[0]):
        if group[active.rows[q]] == g and g != FREE:
            level -= active.alpha[q] * active.residual[q]
    return level


@subroutine
def max_violation(active: ActiveSet, group: Array) -> float:
    """Return the largest distance of a row's z_i·w from the level of its group."""
    zero, one, worst = group_level(active, group, 0), group_level(active, group, 1), 0.0
    for q in range(active.size[0]):
        g = group[active.rows[q]]
        level = zero if g == 0 else (one if g == 1 else 0.0)
        worst = max(worst, abs(active.residual[q] + level))
    return worst


@subroutine
def slack_tolerance(active: ActiveSet, tol: float, scale: float) -> float:
    """Return how far below the level of its group z_i·w of a row may lie."""
    length: float = np.sqrt(dot(active.w, active.w, active.w.shape[0]))
    return tol * length * max(length, scale)
