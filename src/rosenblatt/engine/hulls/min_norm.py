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

from typing import Any, NamedTuple

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
from rosenblatt.engine.jit import called, element_count, specialised
from rosenblatt.engine.rows import BLOCK_ROWS, Rows

Array = NDArray[Any]

OPTIMAL, ZERO, STALLED, FULL, STEP_LIMIT = range(5)
"""Results of :func:`descend`: no row violates optimality; w is zero up to rounding; the factor has
too few digits (then :func:`refactorise` helps); the active set is full; the steps are used up."""

MAX_CORRECTIONS = 3
"""Largest number of corrections of a step before the next row enters."""

_PIVOT = 1e-14  # least squared distance of an entering row from the span, over ‖z‖²
_PIVOT_Q = 1e-26  # the same if Q is computed


def add_row(rows: Rows, y: Array, group: Array, active: ActiveSet, i: int) -> bool:
    """Add row i to the active set, with weight 0; return False if it is in the rows' span.

    The span is judged to the precision of the factor.
    """
    added: bool = specialised(_add_row, (type(rows),))(rows, y, group, active, int(i))
    return added


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
    loop = specialised(_descend, (type(rows),), _descend_steps)
    how = tol, scale, zero, steps, keep_going
    return int(loop(rows, y, group, candidates, excluded, active, *how))


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
    specialised(_recompute_w, (type(rows),))(rows, y, active)


def scores(rows: Rows, n: int, w: Array) -> Array:
    """Return ⟨w, x_i⟩ of the first ``n`` rows."""
    out = np.empty(n)
    specialised(_scores, (type(rows),))(rows, np.arange(n), w, np.empty(BLOCK_ROWS), out)
    return out


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
    specialised(_run_perceptron, (type(rows),), _perceptron_steps)(
        rows, y, float(constant), epochs, w, mistakes, outcome
    )
    return PerceptronRun(mistakes, int(outcome[0]), bool(outcome[1]), w)


def _descend_steps(
    rows: Rows,
    y: Array,
    group: Array,
    candidates: Array,
    excluded: Array,
    active: Any,
    *options: Any,
) -> float:
    """Elementary steps, see :class:`rosenblatt.engine.jit.Compiled`: about d rows enter."""
    d, steps = len(active.w), options[3]
    entries = element_count(rows) * len(candidates) / max(len(y), 1) + len(active.rows) * d
    return float(min(steps, d + 2) * entries)


def _perceptron_steps(rows: Rows, y: Array, constant: float, epochs: int, *_: Any) -> float:
    """Elementary steps, see :class:`rosenblatt.engine.jit.Compiled`."""
    return epochs * (10 * len(y) + element_count(rows))


# --- the loops over the rows ---------------------------------------------------------------------
# Functions, not methods, are called inside: numba 0.68 loses variables where one loop inlines
# several methods. A callee is not cached alone, but as a part of its caller.


def _scores(rows, order, w, dots, out):
    scored, r = 0, 0
    for n in range(order.shape[0]):
        rows.prefetch(order, n)
        r += 1
        if r >= scored:
            r, scored = 0, rows.dot_block(order, n, w, dots)
        out[n] = dots[r]


@called
def _dot(rows, i, w):
    return rows.dot_sqnorm(i, w)[0]


@called
def _axpy(rows, i, tau, w):
    rows.axpy(i, tau, w)


@called
def _sqnorm(rows, i):
    return rows.sqnorm(i)


@called
def _dot_block(rows, order, n, w, dots):
    return rows.dot_block(order, n, w, dots)


def _run_perceptron(rows, y, constant, epochs, w, mistakes, outcome):
    b = 0.0
    for _ in range(epochs):
        no_mistake = True
        for i in range(y.shape[0]):
            if not y[i] * (_dot(rows, i, w) + b * constant) > 0.0:
                no_mistake = False
                mistakes[i] += 1
                _axpy(rows, i, y[i], w)
                b += y[i]
        outcome[0] += 1
        if no_mistake:
            outcome[1] = 1
            return


@called
def _update_residuals(rows, y, active):
    for q in range(active.size[0]):
        i = active.rows[q]
        active.residual[q] = -y[i] * _dot(rows, i, active.w)


@called
def _recompute_w(rows, y, active):
    w, members = active.w, active.rows
    for j in range(w.shape[0]):
        w[j] = active.offset[j]
    for q in range(active.size[0]):
        _axpy(rows, members[q], active.alpha[q] * y[members[q]], w)
    _update_residuals(rows, y, active)


@called
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


@called
def _move_to_minimum(rows, y, group, excluded, active, tol, scale, keep_going):
    """Move to the minimum over the hull of the active set; return False if the factor fails."""
    corrections = 0
    while corrections < MAX_CORRECTIONS:
        compute_direction(active)
        q = blocking_row(active)
        if q >= 0:
            share = step_fraction(active, q)
            for p in range(active.size[0]):
                active.alpha[p] += share * active.direction[p]
                active.residual[p] *= 1.0 - share  # up to a constant in each group
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
