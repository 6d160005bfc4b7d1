"""Minimum-norm points: of two convex hulls, of one hull and the origin, of a cone and a point.

One loop serves the three. Rows z_i = y_i x_i belong to groups: the weights α of group 0 sum to 1,
and so do those of group 1; the weights of group 2 are free. With an offset o the loop finds

    min ‖w‖,    w = o + Σ α_i z_i,    α >= 0,    Σ_{group g} α_i = 1 for g = 0, 1

- groups 0 and 1 by class, o = 0: the nearest points of two hulls, twice the widest margin apart;
- all rows in group 0, o = 0: the point of the hull nearest to the origin, the margin through it;
- all rows in group 2: the point of the cone of the rows nearest to −o.

The method is Wolfe's (1976, "Finding the nearest point in a polytope", Mathematical Programming
11), which for free weights is Lawson and Hanson's NNLS (1974, chapter 23). The row that violates
optimality most enters the *active set*, the rows of positive weight (Wolfe's corral). The minimum
over their affine hull follows from a Cholesky factor of their Gram matrix; if a weight would turn
negative, the step ends there and its row leaves. The method ends after finitely many steps, with
at most d + 2 rows.

The residual is computed from the rows before every step, so each step also corrects the rounding
errors of the step before it, and the factor may be inaccurate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core import hulls as _core
from rosenblatt._core import matrices
from rosenblatt.engine.rows import Rows
from rosenblatt.utils.arrays import Array

OPTIMAL, ZERO, STALLED, FULL, STEP_LIMIT = range(5)
"""Results of :func:`descend`: no row violates optimality; w is zero up to rounding; the factor has
too few digits (then :func:`refactorise` helps); the active set is full; the steps are used up."""

FREE = 2
"""The group of rows whose weights have no prescribed sum."""

_MAX_Q_SIZE = 1 << 24  # numbers in Q


class ActiveSet(NamedTuple):
    """The rows of positive weight, their Cholesky factor, and work arrays.

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


def add_row(rows: Rows, y: Array, group: Array, active: ActiveSet, i: int) -> bool:
    """Add row i to the active set, with weight 0; return False if it is in the rows' span.

    The span is judged to the precision of the factor.
    """
    return _core.add_row(rows, y, group, active, int(i))


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
    """Shorten w until no row of ``candidates`` violates optimality.

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
        Rows that may not enter. The loop adds those of the active set and, if it keeps going, those
        that are numerically in its span: their violation is a rounding error.
    active : ActiveSet
        Changed in place; every group that is not free must have a row in it.
    tol, scale : float
        A row violates optimality if z_i·w is more than ``tol`` · ‖w‖ · max(‖w‖, ``scale``) below
        the level of its group.
    zero : float
        A ‖w‖² up to this is zero up to rounding.
    steps : int
        Largest number of rows that enter.
    keep_going : bool
        Whether to continue with an inaccurate factor, because none is more accurate.

    Returns
    -------
    int
        :data:`OPTIMAL`, :data:`ZERO`, :data:`STALLED`, :data:`FULL` or :data:`STEP_LIMIT`.
    """
    how = tol, scale, zero, steps, keep_going
    return _core.descend(rows, y, group, candidates, excluded, active, *how)


def refactorise(rows: Rows, y: Array, group: Array, active: ActiveSet) -> ActiveSet:
    """Return the active set with a new factor, of full accuracy if Q is not too large."""
    capacity, d, k = len(active.rows), len(active.w), active.size[0]
    members, weights = active.rows[:k].copy(), active.alpha[:k].copy()
    if can_orthogonalise(active):
        shift = active.group_shift * 1e-14  # with Q, a small shift suffices, and it cancels little
        active = active._replace(Q=np.zeros((capacity, d + 2)), group_shift=shift)
    active.size[0] = 0
    for i, weight in zip(members, weights, strict=True):
        if add_row(rows, y, group, active, i):
            active.alpha[active.size[0] - 1] = weight
    recompute_w(rows, y, active)
    return active


def recompute_w(rows: Rows, y: Array, active: ActiveSet) -> None:
    """Set w to o + Σ α_i z_i."""
    _core.recompute_w(rows, y, active)


def scores(rows: Rows, n: int, w: Array) -> Array:
    """Return ⟨w, x_i⟩ of the ``n`` rows, as ``engine.scoring`` sums them."""
    out = np.empty((n, 1))
    matrices.products(rows, w[:, np.newaxis], out)
    return out[:, 0]


class PerceptronRun(NamedTuple):
    """The result of a run: mistakes by row, epochs, whether the last had no mistake, and w."""

    mistakes: Array
    epochs: int
    converged: bool
    w: Array


def run_perceptron(rows: Rows, y: Array, d: int, constant: float, epochs: int) -> PerceptronRun:
    """Run the perceptron over the rows in order, from w = 0, until an epoch has no mistake.

    Parameters
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,), float64
    d : int
        Number of features.
    constant : float
        The square of one more coordinate that every row has: 1 for an offset, another number if
        the rows are divided by a scale, 0 without an offset.
    epochs : int
        Largest number of epochs.
    """
    w, mistakes, outcome = np.zeros(d), np.zeros(len(y), np.int64), np.zeros(2, np.int64)
    _core.run_perceptron(rows, y, float(constant), epochs, w, mistakes, outcome)
    return PerceptronRun(mistakes, int(outcome[0]), bool(outcome[1]), w)
