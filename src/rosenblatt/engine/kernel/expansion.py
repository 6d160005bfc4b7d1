"""The expansion: w as a sum of examples, and the loop that walks a block of them.

A learner that knows its examples by a kernel alone holds w = Σ_s c_s Φ(x_s) (lecture row L2.10).
The rows x_s that moved w are its *slots*; a :class:`rosenblatt.engine.state.State` whose features
are the slots holds the coefficients, and with them the averages, intercepts and counters of any
learner.

The walk is exact and takes a block of rows at a time. The scores of all of them by the slots so far
are sums over one matrix of kernel values; inside the block, each row that moves w adds its step to
the scores of the rows after it. A row that wants to move and whose kernel values are not there yet
stops the walk until they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, compiled_for, fingerprint
from rosenblatt.engine.multiclass import Scheme
from rosenblatt.engine.state import State
from rosenblatt.engine.steps import StepLog, record_step
from rosenblatt.theory.rules import Rule

Array = NDArray[Any]


class Slots(NamedTuple):
    """What a learner remembers of its slots besides their coefficients and their rows.

    Attributes
    ----------
    size : ndarray of shape (1,), int64
        How many there are; the arrays may have room for more.
    rows : ndarray of shape (room,), int64
        The number of the example that each came from.
    squares : ndarray of shape (P,), float64
        ‖w‖² of every weight vector, kept up to date move by move.
    """

    size: Array
    rows: Array
    squares: Array


class Block(NamedTuple):
    """A block of n rows while it is walked.

    Attributes
    ----------
    y : ndarray of shape (n,), int64
        Their classes.
    weight : ndarray of shape (n,), float64
    example : ndarray of shape (n,), int64
        What the examples are called in :class:`Slots`.
    scores : ndarray of shape (K, n), float64
        Their scores by the weights of the moment, without the intercept.
    diagonal : ndarray of shape (n,), float64
        k(x, x).
    gram_rows : ndarray of shape (m, n)
        Kernel values of some rows of the block with all of it.
    gram_row : ndarray of shape (n,), int64
        In which line of ``gram_rows`` a row's are, or −1.
    first_equal : ndarray of shape (n,), int64
        The first row of the block that is equal to a row.
    slot : ndarray of shape (n,), int64
        The slot of a row, where it has one, else −1; to be looked up for its twin.
    pending : ndarray of shape (n,), bool
        The rows that would move now; see :func:`learn_block`.
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


class UpdateSpec(NamedTuple):
    """How rows move the weights.

    Attributes
    ----------
    rule, scheme
        See :mod:`rosenblatt.rules` and :mod:`rosenblatt.engine.multiclass`.
    class_weight : ndarray of shape (classes,), float64
        Multiplies the steps of a class on its own examples.
    tie : float
        What a score of zero counts as.
    bias : float
        1 where there is an intercept, else 0: an intercept is the kernel k + 1.
    """

    rule: Rule
    scheme: Scheme
    class_weight: Array
    tie: float
    bias: float


class Scratch(NamedTuple):
    """What the loop writes on."""

    scores: Array
    taus: Array
    losses: Array
    mistakes: Array


def empty_slots(P: int) -> Slots:
    """No slots, for P columns."""
    return Slots(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(P))


def learn_block(
    start: int,
    block: Block,
    spec: UpdateSpec,
    state: State,
    slots: Slots,
    log: StepLog,
    dry_run: bool,
) -> int:
    """Walk the rows of a block from ``start`` on, and move the weights.

    Parameters
    ----------
    start : int
    block : Block
    spec : Terms
    state : State
        Over the slots, with room for as many more as there are rows; changed in place.
    slots, moves
        The same room, for moves as often as there are columns.
    dry_run : bool
        Change nothing, but mark in ``block.wanted`` the rows that would move by the scores of the
        moment and whose kernel values are not there.

    Returns
    -------
    int
        The row that cannot be learned before its kernel values are there, or the number of rows.
    """
    K = block.scores.shape[0]
    scratch = Scratch(np.empty(K), np.empty(K), np.empty(K), np.empty(K, np.int64))
    rule, scheme, class_weight, tie, bias = spec
    loop = _block_loop((type(rule), type(scheme)))
    arguments = block, rule, scheme, class_weight, tie, bias, state, slots, log
    return int(loop(start, *arguments, scratch, dry_run))


@cache
def _block_loop(kinds: tuple[type, ...]) -> Callable[..., int]:
    stamp = fingerprint(*kinds, State, Slots, StepLog, Block)

    def expanding(
        start, block, rule, scheme, class_weight, tie, bias, state, slots, log, scratch, dry_run
    ):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        K, n = block.scores.shape
        scores, taus, losses, mistakes = scratch
        for r in range(start, n):
            label = block.y[r]
            for k in range(K):
                scores[k] = block.scores[k, r] + state.b[k]
                losses[k] = 0.0
                mistakes[k] = 0
            moved = scheme.compute_steps(
                scores,
                label,
                block.diagonal[r] + bias,
                rule,
                tie,
                state.active,
                class_weight[label] * block.weight[r],
                block.weight[r],
                taus,
                losses,
                mistakes,
            )
            ready = block.gram_row[r] >= 0 or not moved
            if dry_run:
                block.pending[r] = not ready
                continue
            if not ready:
                return r
            if moved:
                s = support_slot(slots, block, r)
                for k in range(K):
                    if taus[k] != 0.0:
                        apply_step(r, k, s, taus[k], bias, block, state, slots, log)
            count_example(scores, label, losses, mistakes, state)
        return n

    return compiled_for(expanding, kinds)


@compiled
def count_example(scores: Array, label: int, losses: Array, mistakes: Array, state: State) -> None:
    """Enter one example: its losses and mistakes, and whether its class was predicted wrong."""
    K = scores.shape[0]
    state.errors[0] += np.argmax(scores) != label if K > 1 else mistakes[0] > 0
    state.t[0] += 1
    for k in range(K):
        state.losses[k] += losses[k]
        state.mistakes[k] += mistakes[k]
        state.area[k] += 1.0


@compiled
def support_slot(slots: Slots, block: Block, r: int) -> int:
    """The slot of row r; it gets one where it has none."""
    first = block.first_equal[r]
    if block.slot[first] < 0:
        block.slot[first] = slots.size[0]
        slots.rows[slots.size[0]] = block.example[r]
        slots.size[0] += 1
    return block.slot[first]  # type: ignore[no-any-return]


@compiled
def apply_step(
    r: int,
    k: int,
    s: int,
    tau: float,
    bias: float,
    block: Block,
    state: State,
    slots: Slots,
    log: StepLog,
) -> None:
    """Move weight vector k along row r, whose slot is s, by tau, and all scores after it."""
    state.updates[k] += 1
    slots.squares[k] += tau * (2.0 * block.scores[k, r] + tau * block.diagonal[r])
    state.W[s, k] += tau
    if state.U.shape[0] > 0:
        state.U[s, k] += state.t[0] * tau
    state.b[k] += tau * bias
    state.ub[k] += state.t[0] * tau * bias
    if log.tau.shape[0] > 0:
        record_step(log, s, k, tau, state.t[0])
    gram_row = block.gram_row[r]
    for q in range(r + 1, block.scores.shape[1]):
        block.scores[k, q] += tau * block.gram_rows[gram_row, q]
