"""The active set: the rows of positive weight, and their Cholesky factor.

Wolfe (1976) calls these rows a corral. :mod:`rosenblatt.engine.hulls.min_norm` works on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.utils.arrays import Array

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
    new_row, levels : ndarray, float64
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
        levels=np.zeros(3),
    )


def can_orthogonalise(active: ActiveSet) -> bool:
    """Return True if Q is not computed yet, and not too large."""
    return not active.Q.size and len(active.rows) * (len(active.w) + 2) <= _MAX_Q_SIZE
