"""Learning the expansion block by block: the scores of many rows by one matrix product.

For every block of rows the kernel values with the slots so far, or with those that have moved since
the rows were last met, are computed and summed up; then
:func:`rosenblatt.engine.kernel.expansion.walk` learns the rows one by one, and asks for the kernel
values inside the block of those only that may move.

Learning the expansion on a budget: at most B rows are ever held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine import state
from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.budgets import Held, Stretch
from rosenblatt.engine.kernel.expansion import Block, Terms, walk
from rosenblatt.engine.kernel.products import add_products, follow
from rosenblatt.engine.multiclass import Joint
from rosenblatt.engine.steps import Moves, since, with_room
from rosenblatt.learning.dual import Memory
from rosenblatt.learning.kernel.gram import Gram, check_finite
from rosenblatt.learning.problem import Run
from rosenblatt.learning.support import Side
from rosenblatt.theory import rules

Array = NDArray[Any]

BLOCK = 1024
"""Rows of a block: enough for a matrix product at full speed, and for few rows to wait."""

CHUNK = 512
"""Slots whose kernel values with a block are computed at a time; sums are taken in such pieces."""


class Standings:
    """What every row of a fit scored when it was last met: only what has moved since is added.

    The scores of an epoch are those of the last plus the moves since then, and the more a learner
    has learned the fewer they are. Kept kernel values would spare the same products, but take as
    many numbers for a row as there are slots, not as there are classes.

    Parameters
    ----------
    n, columns : int
        Rows, and weight vectors.

    Attributes
    ----------
    scores : ndarray of shape (n, columns), float64
        Without the intercept.
    since : ndarray of shape (n,), int64
        How many moves there had been; −1 before a row is met.
    """

    def __init__(self, n: int, columns: int) -> None:
        self.scores = np.zeros((n, columns))
        self.since = np.full(n, -1)

    def put(self, lines: Array, scores: Array, count: int) -> None:
        """Keep the scores of rows after ``count`` moves."""
        self.scores[lines], self.since[lines] = scores, count

    def let_go(self, moves: Moves) -> Moves:
        """``moves`` without those that all rows have seen."""
        past = max(0, int(self.since.min()))
        self.since -= past
        return since(moves, past)


@dataclass
class Unfolding:
    """What a kernel learner learns: a :class:`rosenblatt.learning.problem.Task`.

    Attributes
    ----------
    X : ndarray or CSR array of shape (n, d)
    y : ndarray of shape (n,), int64
        Classes.
    weight : ndarray of shape (n,), float64
    numbers : ndarray of shape (n,), int64
        What the examples are called.
    gram : Gram
    terms : Terms
    memory : Memory
    columns : int
        Weight vectors.
    standings : Standings or None
        Where there will be more than one epoch.
    """

    X: Any
    y: Array
    weight: Array
    numbers: Array
    gram: Gram
    terms: Terms
    memory: Memory
    columns: int
    standings: Standings | None = None
    dtype: Any = field(init=False)
    sizes: Array = field(init=False)
    diagonal: Array = field(init=False)

    def __post_init__(self) -> None:
        self.dtype = self.gram.dtype(self.X)
        self.sizes = self.gram.sizes(self.X)
        self.diagonal = self.gram.diagonal(self.X, self.sizes)

    @property
    def penalised(self) -> bool:
        """No penalty moves the weights."""
        return False

    @property
    def examples(self) -> int:
        """How many rows are learned from."""
        return len(self.y)

    @property
    def one_criterion(self) -> bool:
        """Whether the weight vectors stop together."""
        return isinstance(self.terms.scheme, Joint)

    def norm(self, run: Run) -> float:
        """‖w‖ in the kernel's space."""
        return self.memory.norm

    def learn(self, order: Array, run: Run) -> None:
        """One epoch, block by block."""
        for first in range(0, len(order), BLOCK):
            self._learn_block(order[first : first + BLOCK], run)
        if self.standings is not None and not self.memory.votes:
            self.memory.moves = self.standings.let_go(self.memory.moves)

    # --- one block -------------------------------------------------------------------------------

    def _learn_block(self, lines: Array, run: Run) -> None:
        block = self._block(lines, self._scores(lines, run.state))
        moves = self.memory.votes or self.standings is not None
        run.state = self.memory.make_room(run.state, len(lines), moves)
        row, first_of = 0, dict[bytes, int]()
        try:
            while row < len(lines):
                row = self._walk(row, block, run, look=False)
                if row < len(lines):
                    self._walk(row, block, run, look=True)
                    block = self._prepared(block, lines, first_of)
        finally:  # also where it is interrupted: what has moved is kept
            self._take_in(block, lines)

    def _walk(self, row: int, block: Block, run: Run, *, look: bool) -> int:
        memory = self.memory
        return walk(row, block, self.terms, run.state, memory.slots, memory.moves, look)

    def _block(self, lines: Array, scores: Array) -> Block:
        n = len(lines)
        return Block(
            y=self.y[lines],
            weight=self.weight[lines],
            number=self.numbers[lines],
            scores=scores,
            diagonal=self.diagonal[lines],
            near=np.zeros((0, n), self.dtype),
            place=np.full(n, -1),
            twin=np.arange(n),
            slot=np.full(n, -1),
            wanted=np.zeros(n, np.bool_),
        )

    def _prepared(self, block: Block, lines: Array, first_of: dict[bytes, int]) -> Block:
        """With the kernel values, twins and slots of the rows that want to move.

        ``first_of`` has the first row of the block for every key that was looked up.
        """
        wanted = np.flatnonzero(block.wanted)
        block.wanted[:] = False
        self.memory.support.recognise(self.X, lines, wanted, first_of, block)
        block.place[wanted] = len(block.near) + np.arange(len(wanted))
        values = self.gram.values(self._left(lines[wanted]), self._right(lines))
        check_finite(values, self.dtype)
        return block._replace(near=np.concatenate([block.near, values]))

    def _take_in(self, block: Block, lines: Array) -> None:
        """Keep the rows that got a slot."""
        support = self.memory.support
        new = np.flatnonzero(block.slot >= support.size)
        new = lines[new[np.argsort(block.slot[new])]]
        support.add(self.X, new, self.sizes[new])

    # --- kernel values ---------------------------------------------------------------------------

    def _left(self, lines: Array) -> Side:
        return Side(self.X[lines], self.sizes[lines])

    def _right(self, lines: Array) -> Side:
        return Side(lines if self.gram.numbered else self.X[lines], self.sizes[lines])

    def _scores(self, lines: Array, now: state.State) -> Array:
        """Scores of rows by the slots so far, without the intercept, shape (columns, n)."""
        if self._few_moves_since(lines):
            scores = self._followed(lines)
        else:
            left, support = self._left(lines), self.memory.support
            scores = summed(
                lambda first, stop: self.gram.values(left, support.side(slice(first, stop))),
                now.W,
                self.memory.size,
                len(lines),
            )[:, : self.columns]
        check_finite(scores, self.dtype)
        if self.standings is not None:
            self.standings.put(lines, scores, int(self.memory.moves.made[0]))
        return scores.T.copy()

    def _few_moves_since(self, lines: Array) -> bool:
        """Whether all these rows were met before, fewer moves ago than there are slots."""
        if self.standings is None:
            return False
        oldest = int(self.standings.since[lines].min())
        return oldest >= 0 and int(self.memory.moves.made[0]) - oldest < self.memory.size

    def _followed(self, lines: Array) -> Array:
        """The scores that rows had, and what was moved since then."""
        assert self.standings is not None
        scores, seen = self.standings.scores[lines], self.standings.since[lines]
        oldest = int(seen.min())
        moves = since(self.memory.moves, oldest)
        slots, places = np.unique(moves.slot, return_inverse=True)
        values = self.gram.values(self._left(lines), self.memory.support.side(slots))
        follow(values, places, moves.column, moves.tau, seen - oldest, scores)
        return scores


def summed(values: Callable[[int, int], Array], W: Array, S: int, n: int) -> Array:
    """Σ_s W[s] · k(x_s, x) for n rows x, in float64.

    Parameters
    ----------
    values : callable
        ``values(first, stop)`` gives the kernel values of the rows with some slots.
    W : ndarray of shape (at least S, P)
    S, n : int

    Returns
    -------
    ndarray of shape (n, P)
    """
    scores = np.zeros((n, W.shape[1]))
    for first in range(0, S, CHUNK):
        stop = min(first + CHUNK, S)
        add_products(values(first, stop), W[first:stop], scores)
    return scores


BUDGET_BLOCK = 256
"""Rows of a block: all its kernel values with itself are computed."""


@dataclass
class Budgeted(Unfolding):
    """What a kernel learner learns on a budget: a :class:`rosenblatt.learning.problem.Task`.

    Attributes
    ----------
    budget : Scheme
        See :mod:`rosenblatt.engine.kernel.budgets`.
    """

    budget: budgets.Scheme = field(default_factory=budgets.RandomRemoval)

    @property
    def _held(self) -> Held:
        assert self.memory.held is not None
        return self.memory.held

    def learn(self, order: Array, run: Run) -> None:
        """One epoch, block by block."""
        B = len(self._held.entered)
        self.memory.slots = with_room(self.memory.slots, B)
        if run.state.W.shape[0] < B:
            run.state = state.widened(run.state, B)
        for first in range(0, len(order), BUDGET_BLOCK):
            self._learn_within(order[first : first + BUDGET_BLOCK], run)
        self.memory.slots.squares[:] = self._squares(run.state.W[: self.memory.size])

    def _squares(self, W: Array) -> Array:
        """‖w‖² of every weight vector, from the rows that are held."""
        side = self.memory.support.side()
        left = Side(self.X[side.rows], side.sizes) if self.gram.numbered else side
        values = self.gram.values(left, side).astype(np.float64)
        return np.asarray(np.sum(W * (values @ W), axis=0))

    def _learn_within(self, lines: Array, run: Run) -> None:
        stretch, memory = self._stretch(lines), self.memory
        try:
            given = run.state, memory.slots, self._held, self.columns
            budgets.walk(stretch, self.terms, self.budget, *given)
        finally:
            places = np.flatnonzero(stretch.owner >= 0)
            new = lines[stretch.owner[places]]
            memory.support.put(places, self.X, new, self.sizes[new])
            run.state.b[:] = self.terms.one * run.state.W.sum(axis=0)

    def _stretch(self, lines: Array) -> Stretch:
        n, B = len(lines), len(self._held.entered)
        left, support, one = self._left(lines), self.memory.support, self.terms.one
        held = np.zeros((n, B))
        held[:, : support.size] = self.gram.values(left, support.side()) + one
        inside = self.gram.values(left, self._right(lines)).astype(np.float64) + one
        check_finite(held, self.dtype)
        check_finite(inside, self.dtype)
        stretch = Stretch(
            y=self.y[lines],
            weight=self.weight[lines],
            number=self.numbers[lines],
            twin=np.arange(n),
            slot=np.full(n, -1),
            diagonal=self.diagonal[lines] + one,
            held=held,
            inside=inside,
            owner=np.full(B, -1),
            projection=np.zeros(B),
        )
        support.recognise(self.X, lines, np.arange(n), {}, stretch)
        return stretch


def check_budget(name: str, output: str, rule: rules.Rule, multi_class: str, classes: int) -> None:
    """Refuse a scheme that does not go with an estimator's other parameters.

    Raises
    ------
    ValueError
        Naming the two.

    Examples
    --------
    >>> check_budget("random", "vote", rules.Perceptron(), "ovr", 2)
    Traceback (most recent call last):
        ...
    ValueError: A budget forgets rows that output='vote' would need: use output='last'.
    """
    if output != "last":
        raise ValueError(
            f"A budget forgets rows that output={output!r} would need: use output='last'."
        )
    if name not in ("forgetron", "projectron++"):
        return
    for fine, told in (
        (isinstance(rule, rules.Perceptron), "rule='perceptron'"),
        (getattr(rule, "eta", 1.0) == 1.0, "eta0=1"),
        (classes <= 2 or multi_class == "ovr", "two classes or multi_class='ovr'"),
    ):
        if not fine:
            raise ValueError(f"budget_scheme={name!r} is for {told}.")
