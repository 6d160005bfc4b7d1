"""The kernel expansion: w as a sum of examples, and the loop that learns a block of them.

A kernel learner holds w = Σ_s c_s Φ(x_s) (lecture row L2.10). The rows x_s that moved w are its
support rows, each in a *slot*; a :class:`rosenblatt.engine.state.State` whose features are the
slots holds the coefficients, and with them the averages, intercepts and counters of any learner.

The loop is exact and learns a block of rows at a time. The scores of all of them by the support
rows so far are sums over one matrix of kernel values; inside the block, each row that moves w adds
its step to the scores of the rows after it. A row that would move w, and whose kernel values are
not computed yet, stops the loop until they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._core import kernel as _core
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.state import State
from rosenblatt.engine.steps import StepLog
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import is_library_class


class Slots(NamedTuple):
    """The slots of a learner, besides their coefficients and rows.

    The fields ``rows`` and ``squares`` are arrays of a model file, by these names.

    Attributes
    ----------
    size : ndarray of shape (1,), int64
        Number of slots in use; the arrays may have a larger capacity.
    rows : ndarray of shape (capacity,), int64
        Index of the example in each slot.
    squares : ndarray of shape (P,), float64
        ‖w‖² of every weight vector, updated at every step.
    """

    size: Array
    rows: Array
    squares: Array


class Block(NamedTuple):
    """A block of n rows that is being learned.

    Attributes
    ----------
    y : ndarray of shape (n,), int64
        Classes.
    weight : ndarray of shape (n,), float64
    example : ndarray of shape (n,), int64
        Index of each row's example, as in :class:`Slots`.
    scores : ndarray of shape (K, n), float64
        Scores by the current weights, without the intercept.
    diagonal : ndarray of shape (n,), float64
        k(x, x).
    gram_rows : ndarray of shape (m, n)
        The rows of the block's Gram matrix computed so far, in an array of larger capacity.
    gram_row : ndarray of shape (n,), int64
        Index into ``gram_rows``, −1 if not computed.
    first_equal : ndarray of shape (n,), int64
        The first row of the block that equals this one.
    slot : ndarray of shape (n,), int64
        The slot of a row, −1 if it has none; valid at ``first_equal``.
    pending : ndarray of shape (n,), bool
        Rows whose update waits for their Gram row; see :func:`block_learner`.
    """

    y: Array
    weight: Array
    example: Array
    scores: Array
    diagonal: Array
    gram_rows: Array
    gram_row: Array
    first_equal: Array
    slot: Array
    pending: Array


def empty_slots(P: int) -> Slots:
    """Return no slots, for P columns."""
    return Slots(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(P))


def updates_of(spec: UpdateSpec, K: int) -> _core.Updates:
    """Return what the loops know of rule, scheme and options, for K weight vectors.

    A rule of the library is the core's own. The methods of a user's rule are called, once an
    example and weight vector.
    """
    rule: Any = spec.rule
    ours = is_library_class(type(rule))
    return _core.Updates(
        type(rule).__name__ if ours else "",
        tuple(rule) if ours else (),
        rule,
        type(spec.scheme).__name__,
        spec.class_weight,
        spec.tie,
        spec.bias_sqnorm,
        K,
    )


def block_learner(
    spec: UpdateSpec, columns: int
) -> Callable[[int, Block, State, Slots, StepLog], int]:
    """Return ``learn(start, block, state, slots, log)`` for blocks of so many weight vectors.

    It learns the rows of a block from ``start`` on, as long as the Gram rows of those that move w
    are computed, and returns the first row whose Gram row must be computed before it can be
    learned, or the number of rows. That row, and all later ones that would move w by the scores at
    that moment and have no Gram row, are marked in ``block.pending``.

    The state is over the slots, with capacity for one more per row, as the slots have; both are
    changed in place. The log records the steps, one per row and column, if it has a capacity.
    """
    updates = updates_of(spec, columns)

    def learn(start: int, block: Block, state: State, slots: Slots, log: StepLog) -> int:
        with np.errstate(all="ignore"):  # in a rule of a user's
            return _core.learn_block(start, block, updates, state, slots, log)

    return learn
