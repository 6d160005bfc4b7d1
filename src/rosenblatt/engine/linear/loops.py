"""The linear loops: one epoch over the rows, one weight vector or several.

The loops are those of the core (``src/core/arithmetic/``). They release the GIL (several may run in
threads) and cannot be interrupted; between epochs the state is consistent. A rule of a user's is
called by the loops, which then keep the GIL, or compiled: see
:mod:`rosenblatt.engine.linear.user_rules`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.linear import core
from rosenblatt.engine.linear.user_rules import in_blocks
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.state import State
from rosenblatt.engine.steps import StepLog
from rosenblatt.utils.arrays import Array

FINITE, BEYOND = -1, -2
"""What a loop returns if no step made a weight infinite: whether what its last row sees is finite,
or the weights had left the range before."""


class Examples(NamedTuple):
    """Labelled, weighted rows.

    Attributes
    ----------
    rows : Dense or CSR
        Of the type of the weights.
    y : ndarray of shape (n,)
        float64 labels −1 and +1 (or real targets) without a scheme; with one, int64 classes.
    weight : ndarray of shape (n,), float64
        Factors of the steps.
    """

    rows: Rows
    y: Array
    weight: Array


def epoch(
    examples: Examples,
    order: Array,
    state: State,
    spec: UpdateSpec,
    log: StepLog | None = None,
) -> int:
    """Learn the examples once, in ``order``.

    Return the first row whose step made a weight infinite, or no number; negative if there is none.

    Parameters
    ----------
    examples : Examples
    order : ndarray of int64
        The rows to learn.
    state : State
        Changed in place.
    spec : UpdateSpec
    log : StepLog, optional
        Where every step is recorded, with capacity for as many as there can be.
    """
    rows, labels = examples.rows, (readonly(examples.y), readonly(examples.weight))

    def learn(order: Array) -> int:  # from block to block the rule may become compiled
        return core.learner(state, spec).epoch(rows, *labels, order, log)

    return in_blocks(learn, order, spec.rule) if core.is_of_user(spec) else learn(order)


def indexed_learner(examples: Examples, state: State, spec: UpdateSpec) -> Callable[[int], int]:
    """Return :func:`epoch` in steps of one row, between which other work may be done.

    Parameters
    ----------
    examples : Examples
    state : State
        Its arrays must stay the same while the result is in use.
    spec : UpdateSpec

    Returns
    -------
    learn : callable
        ``learn(i)`` learns row i; what it returns is that of :func:`epoch`.
    """
    index, rows, run_epoch = np.zeros(1, np.int64), examples.rows, core.learner(state, spec).epoch
    labels = readonly(examples.y), readonly(examples.weight)

    def learn_row(i: int) -> int:
        index[0] = i
        return run_epoch(rows, *labels, index, None)

    def learn_row_of_user(i: int) -> int:
        index[0] = i
        return in_blocks(lambda block: run_epoch(rows, *labels, block, None), index, spec.rule)

    return learn_row_of_user if core.is_of_user(spec) else learn_row
