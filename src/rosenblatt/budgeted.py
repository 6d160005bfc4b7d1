"""Learning the expansion on a budget: at most B rows are ever held."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, rules, state
from rosenblatt.budgets import Held, Stretch
from rosenblatt.grams import check_finite
from rosenblatt.moves import with_room
from rosenblatt.support import Side
from rosenblatt.training import Run
from rosenblatt.unfolding import Unfolding

Array = NDArray[Any]

BLOCK = 256
"""Rows of a block: all its kernel values with itself are computed."""


@dataclass
class Budgeted(Unfolding):
    """What a kernel learner learns on a budget: a :class:`rosenblatt.training.Task`.

    Attributes
    ----------
    budget : Scheme
        See :mod:`rosenblatt.budgets`.
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
        for first in range(0, len(order), BLOCK):
            self._learn_within(order[first : first + BLOCK], run)
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
