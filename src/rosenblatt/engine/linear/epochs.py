"""Several epochs in one call of the core, what they record, and the stopping test.

An epoch of a small set takes microseconds, less than one call from Python: so shuffling, learning,
counting and the stopping test of several epochs run in one call. Its test has the losses per
example as its cost: one test for each weight vector, without a penalty and without the pocket.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.linear import loops
from rosenblatt.engine.linear.loops import Examples
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.state import LANES, State
from rosenblatt.theory.rule_kinds import traits_of
from rosenblatt.utils.arrays import Array

SHORT_EPOCH = 2e5
"""Elementary steps of an epoch, some operations on numbers each, up to which a call of several
epochs pays: longer ones take a call each, after which an interrupt takes effect."""


class StopTest(NamedTuple):
    """scikit-learn's stopping test, for each weight vector on its own or for all at once.

    Attributes
    ----------
    tol : float
        A test stalls when its cost does not fall by ``tol``; −inf: it never does.
    patience : int
        Epochs in a row that a test may stall.
    always_moves : bool
        Whether the weights change without an update, so that an epoch without one proves nothing.
    costs : ndarray of shape (tests,), float64
        The cost in this epoch; written before :func:`should_stop`.
    moves : ndarray of shape (tests,), int64
        The number of updates in this epoch; written before :func:`should_stop`.
    best : ndarray of shape (tests,), float64
        The least cost so far.
    stalled : ndarray of shape (tests,), int64
        Epochs in a row that the test has stalled.
    gave_up : ndarray of shape (1,), bool
        Whether a weight vector was ended by its cost.
    """

    tol: float
    patience: int
    always_moves: bool
    costs: Array
    moves: Array
    best: Array
    stalled: Array
    gave_up: Array


def stop_test(tests: int, tol: float | None, patience: int, *, always_moves: bool) -> StopTest:
    """Return the stopping test before the first epoch; without ``tol`` no test stalls.

    Examples
    --------
    >>> test = stop_test(1, 1e-3, 1, always_moves=False)
    >>> test.costs[0], test.moves[0] = 0.5, 3
    >>> [bool(should_stop(test, np.ones(1, bool))) for _ in range(2)]
    [False, True]
    """
    return StopTest(
        tol=-math.inf if tol is None else float(tol),
        patience=patience,
        always_moves=always_moves,
        costs=np.zeros(tests),
        moves=np.zeros(tests, np.int64),
        best=np.full(tests, np.inf),
        stalled=np.zeros(tests, np.int64),
        gave_up=np.zeros(1, np.bool_),
    )


def should_stop(test: StopTest, active: Array) -> bool:
    """Deactivate the weight vectors that are finished; return whether none is left.

    A single test ends all of them.
    """
    tests = test.costs.shape[0]
    for k in range(tests):
        cost, best = test.costs[k], test.best[k]
        if cost > best - test.tol:
            test.stalled[k] += 1
        else:
            test.stalled[k] = 0
        if cost < best or cost != cost:  # NaN stays
            test.best[k] = cost
        finished = test.moves[k] == 0 and not test.always_moves
        if test.stalled[k] >= test.patience and not finished:
            test.gave_up[0] = True
            finished = True
        if finished:
            first, last = (k, k + 1) if tests > 1 else (0, active.shape[0])
            for column in range(first, last):
                active[column] = False
    remaining = 0
    for column in range(active.shape[0]):
        remaining += active[column]
    return remaining == 0


RECORDED = "errors", "mistakes", "updates", "losses", "b"
"""The arrays of a state that are recorded, in the order of :class:`EpochRecords`."""


class EpochRecords(NamedTuple):
    """Counters, sums and norms of a state at the end of each epoch.

    Attributes
    ----------
    size : ndarray of shape (1,), int64
        Number of epochs recorded.
    bad : ndarray of shape (1,), int64
        The first row whose step made a weight infinite; negative if there is none.
    errors : ndarray of shape (capacity, 1), int64
    mistakes, updates : ndarray of shape (capacity, P), int64
    losses, b : ndarray of shape (capacity, P), float64
    norms : ndarray of shape (capacity,), float64
        ‖w‖, see :func:`rosenblatt.engine.state.frobenius_norm`.
    """

    size: Array
    bad: Array
    errors: Array
    mistakes: Array
    updates: Array
    losses: Array
    b: Array
    norms: Array


def empty_records(state: State, capacity: int) -> EpochRecords:
    """Return records of so many epochs.

    Examples
    --------
    >>> from rosenblatt.engine import state
    >>> empty_records(state.empty(4, 1), 10).norms.shape
    (10,)
    """
    arrays = (getattr(state, name) for name in RECORDED)
    recorded = (np.empty((capacity, len(array)), array.dtype) for array in arrays)
    size, bad, norms = np.zeros(1, np.int64), np.full(1, loops.FINITE), np.empty(capacity)
    return EpochRecords._make([size, bad, *recorded, norms])


def one_record(state: State, bad: int, norm: float) -> EpochRecords:
    """Return the records of one epoch, at the end of which the state is this one."""
    recorded = (getattr(state, name)[None].copy() for name in RECORDED)
    return EpochRecords._make([np.ones(1, np.int64), np.array([bad]), *recorded, np.array([norm])])


def are_short(examples: Examples, order: Array, state: State, spec: UpdateSpec) -> bool:
    """Return True if epochs are so short that several are to run in one call."""
    columns = state.W.shape[1]
    # Of a row: 20 for itself, 4 for the score and step of a class, and 1 for a number, with another
    # for every vector of classes. With confidences a number has a variance and a rate, too, and
    # moves of both: about 5. A full covariance is read for the variance and again for the step.
    entries = sum(array.size for array in examples.rows) / max(len(examples.y), 1)
    if traits_of(type(spec.rule)).keeps_numbers:
        entries = 5.0 * entries + 2.0 * len(state.own.get("S", ()))
    steps = len(order) * (20.0 + 4 * columns + entries * (1 + columns // LANES))
    return bool(steps < SHORT_EPOCH)
