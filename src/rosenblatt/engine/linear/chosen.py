"""The epoch of a rule that chooses its row: a scan of all rows, a step of each weight vector."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.linear import core, loops
from rosenblatt.engine.linear.loops import Examples
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.state import State
from rosenblatt.utils.arrays import Array


def epoch(examples: Examples, order: Array, state: State, spec: UpdateSpec) -> int:
    """Learn for each active weight vector the row that the rule chooses among those of ``order``.

    The steps of all weight vectors are one in time: the average is over epochs. Return the first
    row whose step made a weight infinite, as :func:`rosenblatt.engine.linear.loops.epoch` does.

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
            learned = loops.epoch(examples, chosen[k : k + 1], state, spec)
            bad = learned if bad < 0 <= learned else bad
    finally:
        state.active[:] = active
    return bad


def least_overlaps(examples: Examples, order: Array, state: State, spec: UpdateSpec) -> Array:
    """Return the row of ``order`` with the least overlap with each weight vector, the first of all.

    −1 for a weight vector that is not active, or where all rows have weight zero.
    """
    rows, y, weight = examples
    columns = 1 if spec.scheme is None else len(spec.class_weight)
    chosen = np.full(columns, -1)
    run, labels = core.learner(state, spec).choose, (readonly(y), readonly(weight))
    with np.errstate(all="ignore"):  # in a rule of a user's
        run(rows, *labels, order, chosen)
    return chosen
