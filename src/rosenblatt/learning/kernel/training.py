"""The problem of a kernel learner: w as a sum of examples, learned block by block.

For every block of rows, one matrix product gives the scores by all support rows (or by the steps
since the rows were last learned, if these are fewer). Then
:func:`rosenblatt.engine.kernel.expansion.block_learner` learns the rows one by one, and stops for
the kernel values inside the block of those rows only that will make a step. On a budget
(:class:`BudgetedProblem`) there are at most B support rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.interrupts import uninterrupted
from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.budgets import BudgetBlock, BudgetState
from rosenblatt.engine.kernel.expansion import Block, block_learner
from rosenblatt.engine.kernel.products import add_products, apply_steps
from rosenblatt.engine.multiclass import Joint, UpdateSpec
from rosenblatt.engine.state import State, resize_features
from rosenblatt.engine.steps import StepLog, ensure_capacity, steps_from, with_capacity
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.kernel.gram import KernelFunction, check_finite
from rosenblatt.learning.problem import FitRun, Problem
from rosenblatt.learning.support import KernelRows, Support
from rosenblatt.theory import rules
from rosenblatt.theory.budgets import DECLARATIONS, BudgetScheme
from rosenblatt.theory.budgets.random_removal import RandomRemoval
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.arrays import Array, Matrix

BLOCK = 1024
"""Rows of a block: enough for a matrix product at full speed, few enough to update one by one."""

CHUNK = 512
"""Slots per matrix product; scores are summed in such chunks."""

BUDGET_BLOCK = 256
"""Rows of a block on a budget: all kernel values inside the block are computed."""


class ScoreCache:
    """Scores of all rows, each with the number of steps it includes.

    A later epoch adds only the steps since then, which become fewer as the learner converges. A
    cache of kernel values would save the same products, but needs one number per row and slot, not
    one per row and class.

    Parameters
    ----------
    n, columns : int
        Number of rows and of weight vectors.

    Attributes
    ----------
    scores : ndarray of shape (n, columns), float64
        Without the intercept.
    steps_seen : ndarray of shape (n,), int64
        Number of steps in the log when the row was last scored; −1 before.
    """

    def __init__(self, n: int, columns: int) -> None:
        self.scores = np.zeros((n, columns))
        self.steps_seen = np.full(n, -1)

    def assign(self, index: Array, scores: Array, count: int) -> None:
        """Store the scores of the rows ``index`` after ``count`` steps."""
        self.scores[index], self.steps_seen[index] = scores, count

    def drop_seen(self, steps: StepLog) -> StepLog:
        """Return ``steps`` without those that are in the scores of all rows."""
        past = max(0, int(self.steps_seen.min()))
        self.steps_seen -= past
        return steps_from(steps, past)


@dataclass
class KernelProblem(Problem):
    """Rows, labels, kernel and dual state; a plain rule without a penalty learns every row.

    Attributes besides those of :class:`~rosenblatt.learning.problem.Problem`
    ----------
    X : ndarray or CSR array of shape (n, d)
    weight : ndarray of shape (n,), float64
    example_ids : ndarray of shape (n,), int64
        Numbers of the examples, as in ``support_``.
    kernel : KernelFunction
    dual : DualState
    score_cache : ScoreCache or None
        For more than one epoch.
    """

    X: Matrix
    y: Array
    weight: Array
    example_ids: Array
    kernel: KernelFunction
    spec: UpdateSpec
    dual: DualState
    columns: int
    score_cache: ScoreCache | None = None
    dtype: Any = field(init=False)
    norms: Array = field(init=False)
    diagonal: Array = field(init=False)
    _learn: Callable[..., int] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.dtype = self.kernel.dtype(self.X)
        self.norms = self.kernel.norms(self.X)
        self.diagonal = self.kernel.diagonal(self.X, self.norms)
        self.examples, self.stops_jointly = len(self.y), isinstance(self.spec.scheme, Joint)
        self.always_moves = self.chooses_row = False

    def norm(self, state: State) -> float:
        """Return ‖w‖ in the kernel's feature space."""
        return self.dual.norm

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """Learn the rows of ``order`` once, block by block."""
        for first in range(0, len(order), BLOCK):
            self._learn_block(order[first : first + BLOCK], run)
        if self.score_cache is not None and not self.dual.keep_steps:
            self.dual.steps = self.score_cache.drop_seen(self.dual.steps)

    # --- one block -------------------------------------------------------------------------------

    def _learn_block(self, index: Array, run: FitRun) -> None:
        block, right = self._new_block(index, self._scores(index, run.state)), self._right(index)
        with_steps = self.dual.keep_steps or self.score_cache is not None
        run.state = self.dual.reserve(run.state, len(index), with_steps)
        row, first_of, dual = 0, dict[bytes, int](), self.dual
        if self._learn is None:
            self._learn = block_learner(self.spec, len(block.scores))
        try:
            while (row := self._learn(row, block, run.state, dual.slots, dual.steps)) < len(index):
                block = self._with_gram_rows(block, index, right, first_of)
        finally:  # after an interrupt, too: the steps so far are kept, with all their rows
            with uninterrupted():
                self._store_rows(block, index)

    def _new_block(self, index: Array, scores: Array) -> Block:
        n = len(index)
        return Block(
            y=self.y[index],
            weight=self.weight[index],
            example=self.example_ids[index],
            scores=scores,
            diagonal=self.diagonal[index],
            gram_rows=np.zeros((0, n), self.dtype),
            gram_row=np.full(n, -1),
            first_equal=np.arange(n),
            slot=np.full(n, -1),
            pending=np.zeros(n, np.bool_),
        )

    def _with_gram_rows(
        self, block: Block, index: Array, right: KernelRows, first_of: dict[bytes, int]
    ) -> Block:
        """Return the block with the kernel values and slots of its pending rows.

        ``right`` are the rows of the block; ``first_of`` has the first of them for every key that
        was looked up.
        """
        pending = np.flatnonzero(block.pending)
        block.pending[:] = False
        self.dual.support.match(self.X, index, pending, first_of, block)
        first = int(block.gram_row.max()) + 1
        stop = first + len(pending)
        block.gram_row[pending] = np.arange(first, stop)
        values = self.kernel.values(self._left(index[pending]), right)
        check_finite(values, self.dtype)
        gram_rows = ensure_capacity(block.gram_rows, stop)
        gram_rows[first:stop] = values
        return block._replace(gram_rows=gram_rows)

    def _store_rows(self, block: Block, index: Array) -> None:
        """Store the rows that were assigned new slots."""
        support = self.dual.support
        new = np.flatnonzero(block.slot >= support.size)
        new = index[new[np.argsort(block.slot[new])]]
        support.add(self.X, new, self.norms[new])

    # --- kernel values ---------------------------------------------------------------------------

    def _left(self, index: Array) -> KernelRows:
        return KernelRows(self.X[index], self.norms[index])

    def _right(self, index: Array) -> KernelRows:
        return KernelRows(index if self.kernel.precomputed else self.X[index], self.norms[index])

    def _scores(self, index: Array, current: State) -> Array:
        """Return the scores of rows ``index``, without the intercept, shape (columns, n)."""
        if self._few_steps_since(index):
            scores = self._updated_scores(index)
        else:
            dual, left = self.dual, self._left(index)
            scores = sums_over_support(self.kernel, left, dual.support, current.W, dual.size)
            scores = scores[:, : self.columns]
        check_finite(scores, self.dtype)
        if self.score_cache is not None:
            self.score_cache.assign(index, scores, int(self.dual.steps.size[0]))
        return scores.T.copy()

    def _few_steps_since(self, index: Array) -> bool:
        """Return True if all rows have cached scores, fewer steps old than there are slots."""
        if self.score_cache is None:
            return False
        oldest = int(self.score_cache.steps_seen[index].min())
        return oldest >= 0 and int(self.dual.steps.size[0]) - oldest < self.dual.size

    def _updated_scores(self, index: Array) -> Array:
        """Return the cached scores plus the steps since then, slot by slot."""
        assert self.score_cache is not None
        seen = self.score_cache.steps_seen[index]
        by_age = np.argsort(seen, kind="stable")  # a step is new to the first rows of this order
        seen, rows = seen[by_age], self._left(index[by_age])
        steps = steps_from(self.dual.steps, int(seen[0]))
        count = np.searchsorted(seen, seen[0] + np.arange(len(steps.slot)), side="right")
        slots, positions = np.unique(steps.slot, return_inverse=True)
        by_slot = np.argsort(positions, kind="stable")
        scores = self.score_cache.scores[index[by_age]].T.copy()
        for first in range(0, len(slots), CHUNK):
            bounds = np.searchsorted(positions[by_slot], [first, first + CHUNK])
            m = by_slot[slice(*bounds)]
            values = self._values_of_slots(slots[first : first + CHUNK], rows)
            apply_steps(
                values, positions[m] - first, steps.column[m], steps.tau[m], count[m], scores
            )
        updated = np.empty((len(index), self.columns))
        updated[by_age] = scores.T
        return updated

    def _values_of_slots(self, slots: Array, rows: KernelRows) -> Array:
        """Return the kernel values of some slots with ``rows``, a line per slot."""
        support = self.dual.support.kernel_rows(slots)
        if self.kernel.precomputed:
            return np.ascontiguousarray(self.kernel.values(rows, support).T)
        return self.kernel.values(support, rows)


def sums_over_support(
    kernel: KernelFunction, left: KernelRows, support: Support, W: Array, size: int
) -> Array:
    """Return Σ_s W[s] · k(x_s, x) over the first ``size`` slots, for n rows x, in float64.

    Parameters
    ----------
    kernel : KernelFunction
    left : KernelRows
    support : Support
    W : ndarray of shape (at least ``size``, P)
    size : int

    Returns
    -------
    ndarray of shape (n, P)
    """
    scores = np.zeros((left.rows.shape[0], W.shape[1]))
    for first in range(0, size, CHUNK):
        part = slice(first, min(first + CHUNK, size))
        add_products(kernel.values(left, support.kernel_rows(part)), W[part], scores)
    return scores


@dataclass
class BudgetedProblem(KernelProblem):
    """A kernel problem with at most B support rows.

    Attributes
    ----------
    budget_scheme
        One of :mod:`rosenblatt.theory.budgets`.
    """

    budget_scheme: BudgetScheme = field(default_factory=RandomRemoval)

    @property
    def _budget_state(self) -> BudgetState:
        assert self.dual.budget is not None
        return self.dual.budget

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """Learn the rows of ``order`` once, block by block."""
        B = len(self._budget_state.entered)
        self.dual.slots = with_capacity(self.dual.slots, B)
        if run.state.W.shape[0] < B:
            run.state = resize_features(run.state, B)
        for first in range(0, len(order), BUDGET_BLOCK):
            self._learn_budget_block(order[first : first + BUDGET_BLOCK], run)
        self.dual.slots.squares[:] = self._sqnorms(run.state.W[: self.dual.size])

    def _sqnorms(self, W: Array) -> Array:
        """Return ‖w‖² of every weight vector, by the kernel values of the support rows."""
        right = self.dual.support.kernel_rows()
        left = KernelRows(self.X[right.rows], right.norms) if self.kernel.precomputed else right
        values = self.kernel.values(left, right).astype(np.float64)
        return np.asarray(np.sum(W * (values @ W), axis=0))

    def _learn_budget_block(self, index: Array, run: FitRun) -> None:
        block, dual = self._new_budget_block(index), self.dual
        try:
            arguments = run.state, dual.slots, self._budget_state, self.columns
            budgets.learn_block_on_budget(block, self.spec, self.budget_scheme, *arguments)
        finally:
            slots = np.flatnonzero(block.slot_owner >= 0)
            new = index[block.slot_owner[slots]]
            dual.support.assign(slots, self.X, new, self.norms[new])
            run.state.b[:] = self.spec.bias_sqnorm * run.state.W.sum(axis=0)

    def _new_budget_block(self, index: Array) -> BudgetBlock:
        n, B = len(index), len(self._budget_state.entered)
        left, support, bias = self._left(index), self.dual.support, self.spec.bias_sqnorm
        values = np.zeros((n, B))
        values[:, : support.size] = self.kernel.values(left, support.kernel_rows()) + bias
        block_gram = self.kernel.values(left, self._right(index)).astype(np.float64) + bias
        check_finite(values, self.dtype)
        check_finite(block_gram, self.dtype)
        block = BudgetBlock(
            y=self.y[index],
            weight=self.weight[index],
            example=self.example_ids[index],
            first_equal=np.arange(n),
            slot=np.full(n, -1),
            diagonal=self.diagonal[index] + bias,
            support_gram=values,
            block_gram=block_gram,
            slot_owner=np.full(B, -1),
            projection=np.zeros(B),
        )
        support.match(self.X, index, np.arange(n), {}, block)
        return block


def check_budget(name: str, output: str, rule: AnyRule, multi_class: str, classes: int) -> None:
    """Refuse a budget scheme that does not fit the other parameters.

    Raises
    ------
    ValueError
        With the names of both parameters.

    Examples
    --------
    >>> check_budget("random", "vote", rules.Perceptron(), "ovr", 2)
    Traceback (most recent call last):
        ...
    ValueError: A budget removes rows that output='vote' needs: use output='last'.
    """
    if output != "last":
        raise ValueError(f"A budget removes rows that output={output!r} needs: use output='last'.")
    if not DECLARATIONS[name].of_perceptron:
        return
    for ok, requirement in (
        (isinstance(rule, rules.Perceptron), "rule='perceptron'"),
        (getattr(rule, "eta", 1.0) == 1.0, "eta0=1"),
        (classes <= 2 or multi_class == "ovr", "two classes or multi_class='ovr'"),
    ):
        if not ok:
            raise ValueError(f"budget_scheme={name!r} is for {requirement}.")
