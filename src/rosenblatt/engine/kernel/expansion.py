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
from numpy.typing import NDArray

from rosenblatt.engine.jit import entry_point, specialised, subroutine
from rosenblatt.engine.multiclass import Example, StepBuffers, UpdateSpec
from rosenblatt.engine.state import State
from rosenblatt.engine.steppers import PlainStepper
from rosenblatt.engine.steps import StepLog, record_step

Array = NDArray[Any]


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


def step_buffers(K: int) -> StepBuffers:
    """Return buffers for one example of K weight vectors."""
    return StepBuffers(np.empty(K), np.empty(K), np.empty(K), np.empty(K, np.int64))


def block_learner(
    block: Block, spec: UpdateSpec, state: State, slots: Slots, log: StepLog
) -> Callable[[int, Block, State, Slots, StepLog], int]:
    """Return ``learn(start, block, state, slots, log)`` for arguments of exactly these types.

    It learns the rows of a block from ``start`` on, as long as the Gram rows of those that move w
    are computed, and returns the first row whose Gram row must be computed before it can be
    learned, or the number of rows. That row, and all later ones that would move w by the scores at
    that moment and have no Gram row, are marked in ``block.pending``.

    Parameters
    ----------
    block : Block
    spec : UpdateSpec
    state : State
        Over the slots, with capacity for one more per row; changed in place.
    slots : Slots
        With the same capacity; changed in place.
    log : StepLog
        Where the steps are recorded, if it has a capacity: one step per row and column.
    """
    loop = specialised(_learn_rows, (type(spec.rule), type(spec.scheme)))
    K, n = block.scores.shape
    buffers = step_buffers(K)
    steps = float(n * (20 + 8 * K + n))  # an update is O(n)
    run = entry_point(loop, (0, block, spec, state, slots, log, buffers), steps)

    def learn(start: int, block: Block, state: State, slots: Slots, log: StepLog) -> int:
        return int(run(start, block, spec, state, slots, log, buffers))

    return learn


def _learn_rows(start, block, spec, state, slots, log, buffers):
    scheme, class_weight = spec.scheme, spec.class_weight
    K, n = block.scores.shape
    first_pending = n
    for r in range(start, n):
        label = block.y[r]
        for k in range(K):
            buffers.scores[k] = block.scores[k, r] + state.b[k]
            buffers.losses[k] = 0.0
            buffers.mistakes[k] = 0
        sqnorm, weight = block.diagonal[r] + spec.bias_sqnorm, block.weight[r]
        example = Example(label, sqnorm, class_weight[label] * weight, weight, r)
        moved = scheme.compute_steps(example, spec, state.active, buffers, PlainStepper(), None)
        if moved and block.gram_row[r] < 0:
            block.pending[r] = True
            first_pending = min(first_pending, r)
        if first_pending < n:
            continue
        if moved:
            s = support_slot(slots, block, r)
            for k in range(K):
                if buffers.taus[k] != 0.0:
                    apply_step(r, k, s, buffers.taus[k], spec.bias_sqnorm, block, state, slots, log)
        count_example(label, buffers, state)
    return first_pending


@subroutine
def count_example(label: int, buffers: StepBuffers, state: State) -> None:
    """Count one example: its losses and mistakes, and an error if its class was predicted wrong."""
    scores, losses, mistakes = buffers.scores, buffers.losses, buffers.mistakes
    K = scores.shape[0]
    state.errors[0] += np.argmax(scores) != label if K > 1 else mistakes[0] > 0
    state.t[0] += 1
    for k in range(K):
        state.losses[k] += losses[k]
        state.mistakes[k] += mistakes[k]
        state.area[k] += 1.0


@subroutine
def support_slot(slots: Slots, block: Block, r: int) -> int:
    """Return the slot of row r; assign the next one if it has none."""
    first = block.first_equal[r]
    if block.slot[first] < 0:
        block.slot[first] = slots.size[0]
        slots.rows[slots.size[0]] = block.example[r]
        slots.size[0] += 1
    return block.slot[first]  # type: ignore[no-any-return]


@subroutine
def apply_step(
    r: int,
    k: int,
    s: int,
    tau: float,
    bias_sqnorm: float,
    block: Block,
    state: State,
    slots: Slots,
    log: StepLog,
) -> None:
    """Move weight vector k by tau along row r, which has slot s; update the scores after r."""
    state.updates[k] += 1
    slots.squares[k] += tau * (2.0 * block.scores[k, r] + tau * block.diagonal[r])
    state.W[s, k] += tau
    if state.U.shape[0] > 0:
        state.U[s, k] += state.t[0] * tau
    state.b[k] += tau * bias_sqnorm
    state.ub[k] += state.t[0] * tau * bias_sqnorm
    if log.tau.shape[0] > 0:
        record_step(log, s, k, tau, state.t[0])
    gram_row = block.gram_row[r]
    for q in range(r + 1, block.scores.shape[1]):
        block.scores[k, q] += tau * block.gram_rows[gram_row, q]
