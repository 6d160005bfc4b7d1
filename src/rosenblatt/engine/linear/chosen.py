"""The epoch of a rule that chooses its row: a scan of all rows, a step of each weight vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import specialised
from rosenblatt.engine.linear import core, loops
from rosenblatt.engine.linear.loops import Examples
from rosenblatt.engine.linear.scales import rounded
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.rows import BLOCK_ROWS
from rosenblatt.engine.state import State

Array = NDArray[Any]


def epoch(examples: Examples, order: Array, state: State, spec: UpdateSpec) -> int:
    """Learn for each active weight vector the row that the rule chooses among those of ``order``.

    The steps of all weight vectors are one in time: the average is over epochs. Return a row whose
    step made a weight infinite, as :func:`rosenblatt.engine.linear.loops.epoch` does.

    Parameters
    ----------
    examples : Examples
    order : ndarray of int64
        The rows to choose from.
    state : State
        Changed in place.
    spec : UpdateSpec
        One weight vector, or one-vs-rest.
    """
    chosen = least_overlaps(examples, order, state, spec)
    active, t, area = state.active.copy(), state.t.copy(), state.area.copy()
    bad = loops.FINITE
    try:
        for k in np.flatnonzero(chosen >= 0):
            state.active[:] = False
            state.active[k] = True
            state.t[:], state.area[:] = t, area
            bad = max(bad, loops.epoch(examples, chosen[k : k + 1], state, spec))
    finally:
        state.active[:] = active
    return bad


def least_overlaps(examples: Examples, order: Array, state: State, spec: UpdateSpec) -> Array:
    """Return the row of ``order`` with the least overlap with each weight vector, the first of all.

    −1 for a weight vector that is not active, or where all rows have weight zero.
    """
    rows, y, weight = examples
    class_weight = None if spec.scheme is None else spec.class_weight
    columns = 1 if class_weight is None else len(class_weight)
    chosen, least = np.full(columns, -1), np.zeros(columns)
    if core.learns(rows, state, spec):
        labels = readonly(y), readonly(weight)
        core.learner(state, spec).choose(rows, *labels, order, chosen)
        return chosen
    scan = specialised(_scan, (type(rows), type(spec.rule)), _count_steps)
    labels, dots = (readonly(y), readonly(weight)), np.empty((BLOCK_ROWS, state.W.shape[1]))
    scan(rows, *labels, order, state, spec, class_weight, dots, chosen, least)
    return chosen


def _count_steps(*arguments: Any) -> float:
    """Return the elementary steps of a scan, see :class:`rosenblatt.engine.jit.Compiled`."""
    return loops.count_steps(*arguments[:6], None, None, None, None)


def _scan(rows, y, weight, order, state, spec, class_weight, dots, chosen, least):
    """Write the least overlaps and their rows; ``class_weight`` is None for one weight vector."""
    rule, w, flat = spec.rule, state.W.reshape(state.W.size), dots.reshape(dots.size)
    scored, r = 0, 0
    for n in range(order.shape[0]):
        rows.prefetch(order, n)
        r += 1
        if r >= scored:
            r = 0
            if class_weight is None:
                scored = rows.dot_block(order, n, w, flat)
            else:
                scored = rows.dot_block_multi(order, n, state.W, dots)
        i = order[n]
        for k in range(chosen.shape[0]):
            factor, sign = at(weight, i), 1.0
            if class_weight is None:
                sign = at(y, i)
            elif at(y, i) == k:
                factor *= class_weight[k]
            else:
                sign = -1.0
            if state.active[k] and factor != 0.0:
                score = rounded(dots[r, k] * state.scale[k], state.W) + state.b[k]
                overlap = rule.overlap(score, sign)
                if chosen[k] < 0 or overlap < least[k]:
                    chosen[k], least[k] = i, overlap
