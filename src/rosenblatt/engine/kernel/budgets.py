"""Budgets: kernel learners whose w is a sum of at most B examples, the support rows.

A scheme (:mod:`rosenblatt.theory.budgets`) removes a row from a full budget for a row that moves w,
or projects its step onto the support rows; it may move w where the rule does not. The core has the
schemes by the names of their classes. The kernel values contain the intercept (k + 1), so it
shrinks and is projected with w.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core import kernel as _core
from rosenblatt.engine.kernel.expansion import Slots, updates_of
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.state import State
from rosenblatt.theory.budgets import BudgetScheme
from rosenblatt.theory.declaration import declaration_of
from rosenblatt.utils.arrays import Array


class BudgetState(NamedTuple):
    """The state of a budget scheme, for at most B support rows.

    The field names are names of arrays in a model file.

    Attributes
    ----------
    entered : ndarray of shape (B,), int64
        Number of examples learned before each row came in.
    gram : ndarray of shape (B, B) or (0, 0), float64
        Gram matrix of the support rows of a scheme that keeps it.
    inverse : ndarray of shape (B, B) or (0, 0), float64
        Its inverse, of a scheme that keeps it.
    spent, wrong : ndarray of shape (P,), float64
        Damage of the Forgetron so far, Q, and the mistakes that allow it.
    random : ndarray of shape (1,), int64
        State of the random number generator.
    """

    entered: Array
    gram: Array
    inverse: Array
    spent: Array
    wrong: Array
    random: Array


class BudgetBlock(NamedTuple):
    """A block of n rows that is being learned on a budget.

    Attributes
    ----------
    y, weight, example, first_equal, slot, diagonal
        As in :class:`rosenblatt.engine.kernel.expansion.Block`.
    support_gram : ndarray of shape (n, B), float64
        Kernel values with the support rows, updated when a slot gets another row.
    block_gram : ndarray of shape (n, n), float64
        Kernel values inside the block.
    slot_owner : ndarray of shape (B,), int64
        The row of the block that was put into each slot, or −1.
    projection : ndarray of shape (B,), float64
        Coefficients of a row's projection; written.
    """

    y: Array
    weight: Array
    example: Array
    first_equal: Array
    slot: Array
    diagonal: Array
    support_gram: Array
    block_gram: Array
    slot_owner: Array
    projection: Array


def empty_budget_state(scheme: BudgetScheme, B: int, P: int, seed: int) -> BudgetState:
    """Return the state of a scheme without support rows.

    Examples
    --------
    >>> from rosenblatt.theory.budgets.forgetron import Forgetron
    >>> empty_budget_state(Forgetron(), 10, 1, 1).gram.shape
    (10, 10)
    """
    keeps = declaration_of(type(scheme)).keeps
    square, inverse = B if keeps == "gram" else 0, B if keeps == "inverse" else 0
    return BudgetState(
        entered=np.zeros(B, np.int64),
        gram=np.zeros((square, square)),
        inverse=np.zeros((inverse, inverse)),
        spent=np.zeros(P),
        wrong=np.zeros(P),
        random=np.array([max(1, seed)]),
    )


def learn_block_on_budget(
    block: BudgetBlock,
    spec: UpdateSpec,
    budget: BudgetScheme,
    state: State,
    slots: Slots,
    budget_state: BudgetState,
    K: int,
) -> None:
    """Learn the rows of a block on a budget.

    Parameters
    ----------
    block : BudgetBlock
        Its kernel values contain the intercept, ``spec.bias_sqnorm``.
    spec : UpdateSpec
    budget
        A scheme of :mod:`rosenblatt.theory.budgets`.
    state : State
        Over B slots; changed in place.
    slots, budget_state
        Changed in place.
    K : int
        Number of weight vectors.
    """
    eta = getattr(budget, "eta", 0.0)
    name, updates = type(budget).__name__, updates_of(spec, K)
    with np.errstate(all="ignore"):  # in a rule of a user's
        _core.learn_on_budget(block, updates, name, eta, state, slots, budget_state)
