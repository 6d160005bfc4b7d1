"""The dual state: the support rows of w as a sum of examples, and the log of all steps.

A kernel learner learns this sum; a linear learner with ``expansion=True`` records it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from rosenblatt.engine import state
from rosenblatt.engine.kernel.budgets import BudgetState
from rosenblatt.engine.kernel.expansion import Slots, empty_slots
from rosenblatt.engine.matrices import canonical
from rosenblatt.engine.steps import StepLog, empty_log, next_capacity, steps_from, with_capacity
from rosenblatt.learning.support import Support
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.matrices import is_sparse


class DualState:
    """Support rows and steps; the coefficients are in :class:`rosenblatt.engine.state.State`.

    Parameters
    ----------
    support : Support
    columns : int
        Columns of the state.
    keep_steps : bool
        True keeps every step after training, too.

    Attributes
    ----------
    support : Support
    slots : Slots
    steps : StepLog
    keep_steps : bool
    budget : BudgetState or None
        The state of the budget scheme, if there is one.
    """

    def __init__(self, support: Support, columns: int, keep_steps: bool) -> None:
        self.support, self.keep_steps = support, keep_steps
        self.slots, self.steps = empty_slots(columns), empty_log()
        self.budget: BudgetState | None = None

    @property
    def size(self) -> int:
        """Number of slots in use."""
        return int(self.slots.size[0])

    @property
    def norm(self) -> float:
        """‖w‖ in the kernel's feature space, over all weight vectors."""
        return math.sqrt(max(0.0, float(self.slots.squares.sum())))

    def reserve(self, current: state.State, rows: int, with_steps: bool) -> state.State:
        """Reserve a slot per row, and a step per row and column; return the extended state."""
        self.slots = with_capacity(self.slots, self.size + rows)
        if with_steps:
            n_steps = rows * len(self.slots.squares)
            self.steps = with_capacity(self.steps, int(self.steps.size[0]) + n_steps)
        capacity = current.W.shape[0]
        if self.size + rows <= capacity:
            return current
        return state.resize_features(current, next_capacity(capacity, self.size + rows))

    def trim(self) -> None:
        """Release unused capacity, and the steps unless ``keep_steps``."""
        if not self.keep_steps:
            self.steps = empty_log()
        self.slots = self.slots._replace(rows=self.slots.rows[: self.size].copy())
        self.steps = StepLog(*(array.copy() for array in steps_from(self.steps)))

    def trim_state(self, current: state.State) -> state.State:
        """As :meth:`trim`, and return the state without unused rows."""
        self.trim()
        # An average over no rows would count as none.
        return state.resize_features(current, max(1, self.size))

    def copied(self, *, with_support: bool = False) -> DualState:
        """Return a copy that shares the support rows, or one that shares nothing.

        Without a budget rows are only appended, so two copies can share them.
        """
        alone = self.budget is not None or with_support
        support = self.support.copied() if alone else self.support.shared()
        copy = DualState(support, 0, self.keep_steps)
        copy.slots = Slots(*(array.copy() for array in self.slots))
        copy.steps = StepLog(*(array.copy() for array in self.steps))
        if self.budget is not None:
            copy.budget = BudgetState(*(array.copy() for array in self.budget))
        return copy

    def drop_later_rows(self) -> None:
        """Drop the support rows that a copy of this dual state has stored since."""
        self.support.truncate_to(self.size)

    def insert_column(self, columns: int, position: int) -> None:
        """Insert a weight vector, as :func:`rosenblatt.engine.state.insert_column` does."""
        old = list(range(columns)) if columns > 1 else [0, 0]
        targets = np.array([k if k < position else k + 1 for k in range(len(old))])
        if self.budget is not None:
            spent, wrong = np.zeros((2, state.padded_columns(len(old) + 1)))
            spent[targets], wrong[targets] = self.budget.spent[old], self.budget.wrong[old]
            self.budget = self.budget._replace(spent=spent, wrong=wrong)
        squares = np.zeros(state.padded_columns(len(old) + 1))
        squares[targets] = self.slots.squares[old]
        self.slots = self.slots._replace(squares=squares)
        slot, column, tau, t, count = self.steps
        n = int(count[0])
        if columns > 1:
            column[:n] = targets[column[:n]]
        elif n:
            twice = np.repeat(np.arange(n), 2)
            signs, both = np.tile([-1.0, 1.0], n), np.tile(targets, n)
            self.steps = StepLog(slot[twice], both, signs * tau[twice], t[twice], 2 * count)


class StepRecorder:
    """Record the steps of a linear learner in a :class:`DualState`, with their rows.

    Parameters
    ----------
    dual : DualState
    X : ndarray or CSR array of shape (n, d)
    example_ids : ndarray of shape (n,), int64
        Numbers of the examples, as in ``support_``.
    """

    def __init__(self, dual: DualState, X: Matrix, example_ids: Array) -> None:
        X = dual.support.as_stored(canonical(X) if is_sparse(X) else X)
        self.dual, self.X, self.example_ids = dual, X, example_ids
        self._slot_of = np.full(len(example_ids), -1)

    @contextmanager
    def recording(self, capacity: int) -> Iterator[StepLog]:
        """Yield a log with room for ``capacity`` steps; then replace rows of X by their slots."""
        count = int(self.dual.steps.size[0])
        self.dual.steps = with_capacity(self.dual.steps, count + capacity)
        try:
            yield self.dual.steps
        finally:
            self._store_rows(count)

    def _store_rows(self, first_step: int) -> None:
        steps = self.dual.steps
        index = steps.slot[first_step : steps.size[0]]
        new, positions = np.unique(index[self._slot_of[index] < 0], return_index=True)
        new_rows = new[np.argsort(positions)]  # in the order of their first steps
        support = self.dual.support
        slot_of: dict[bytes, int] = {}
        firsts: list[int] = []
        for i, key in zip(new_rows.tolist(), support.keys(self.X, new_rows), strict=True):
            slot = slot_of.setdefault(key, support.find(key))
            if slot < 0:
                slot = slot_of[key] = support.size + len(firsts)
                firsts.append(i)
            self._slot_of[i] = slot
        slots = with_capacity(self.dual.slots, support.size + len(firsts))
        slots.rows[support.size : support.size + len(firsts)] = self.example_ids[firsts]
        slots.size[0] = support.size + len(firsts)
        support.add(self.X, np.array(firsts, np.int64), np.zeros(len(firsts)))
        self.dual.slots = slots
        index[:] = self._slot_of[index]
