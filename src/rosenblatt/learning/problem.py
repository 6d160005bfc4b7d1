"""TODO."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine import loops
from rosenblatt.engine.multiclass import Joint, Scheme
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.scoring import RowScorer
from rosenblatt.engine.state import State, frobenius_norm, padded_columns, weights
from rosenblatt.learning.dual import StepRecorder
from rosenblatt.theory.penalties import ElasticNet, Penalty
from rosenblatt.theory.rules import Rule

Array = NDArray[Any]

HISTORY = np.dtype(
    [
        ("epoch", np.int64),
        ("mistakes", np.int64),
        ("updates", np.int64),
        ("errors", np.int64),
        ("criterion", np.float64),
        ("norm", np.float64),
        ("seconds", np.float64),
    ]
)
"""Columns of the history, one row an epoch.

``mistakes`` and ``updates`` count over all weight vectors; ``errors`` are the examples whose class
was predicted wrong when they were met; ``criterion`` is the mean of the rule's loss; ``norm`` is
‖w‖ at the end of the epoch.
"""


class Problem(Protocol):
    """What the driver asks of what is learned."""

    @property
    def y(self) -> Array:
        """The labels of the rows."""

    @property
    def examples(self) -> int:
        """How many rows are learned from."""

    @property
    def columns(self) -> int:
        """Weight vectors."""

    @property
    def stops_jointly(self) -> bool:
        """Whether the weight vectors stop together."""

    @property
    def penalised(self) -> bool:
        """Whether a penalty moves the weights."""

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """One epoch in ``order``; where it is interrupted, the run has what was learned so far."""

    def norm(self, run: FitRun) -> float:
        """‖w‖."""


@dataclass(frozen=True)
class LinearProblem:
    """What is learned: the rows, their labels, and how they move the weights.

    Attributes
    ----------
    rows : Dense or CSR
    features : int
        Their width d.
    y : ndarray of shape (n,)
        As :func:`rosenblatt.engine.loops.epoch` takes it.
    weight : ndarray of shape (n,), float64
    held_out : ndarray of shape (n,), bool, or None
        The rows not to learn from.
    rule, penalty, options, scheme, class_weight
        As :func:`rosenblatt.engine.loops.epoch` takes them.
    columns : int
        Weight vectors.
    recorder : Ledger, optional
        Where every step is written down.
    """

    rows: Rows
    features: int
    y: Array
    weight: Array
    held_out: Array | None
    rule: Rule
    penalty: Penalty
    options: loops.Options
    scheme: Scheme | None
    class_weight: Array
    columns: int
    recorder: StepRecorder | None = None

    @property
    def examples(self) -> int:
        """How many rows are learned from."""
        return len(self.y) - (0 if self.held_out is None else int(self.held_out.sum()))

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """One epoch in ``order`` of the run's state."""
        self.learn_rows(order, run.state)

    def norm(self, run: FitRun) -> float:
        """‖w‖."""
        return frobenius_norm(weights(run.state, "last")[0])

    @property
    def penalised(self) -> bool:
        """Whether a penalty moves the weights."""
        return isinstance(self.penalty, ElasticNet)

    def learn_rows(self, order: Array, state: State) -> None:
        """One epoch in ``order``, past the rows held out."""
        self._check_state(state)
        if self.held_out is not None:
            order = order[~self.held_out[order]]
        arguments = (
            self.rows,
            self.y,
            self.weight,
            order,
            state,
            self.rule,
            self.penalty,
            self._loop_options(state),
            self.scheme,
            self.class_weight,
        )
        if self.recorder is None:
            loops.epoch(*arguments)
            return
        with self.recorder.recording(len(order) * self.columns) as steps:
            loops.epoch(*arguments, steps)

    def row_learner(self, state: State) -> Callable[[Rows, float], None]:
        """A call that learns a row as ``walk`` would, for as long as the state's arrays stay."""
        self._check_state(state)
        settings = self._loop_options(state), self.scheme, self.class_weight
        return loops.row_learner(self.rows, state, self.rule, self.penalty, *settings)

    def predict_then_learn(self, state: State, first: int, lag: int) -> Array:
        """Answer every row from ``first`` on, and learn row i + 1 − lag after row i, if there is.

        Every answer, the number of a class, is that of the weights of its moment.
        """
        self._check_state(state)
        settings = self._loop_options(state), self.scheme, self.class_weight
        arguments = self.rows, self.y, self.weight, state, self.rule, self.penalty
        learn = loops.indexed_learner(*arguments, *settings)
        average, tie = self.options.average, self.options.tie
        scorer = RowScorer(self.rows, state, self.columns, average=average, tie=tie)
        predicted = np.empty(len(self.y) - first, np.int64)
        for i in range(first, len(self.y)):
            scorer.row_index[0] = i
            predicted[i - first] = scorer.predict(self.rows)
            if i + 1 >= lag:
                learn(i + 1 - lag)
        return predicted

    def _loop_options(self, state: State) -> loops.Options:
        """Books that are there are kept up to date, also while nobody asks for them."""
        return self.options._replace(
            average=state.U.shape[0] > 0, pocket=state.champion_W.shape[0] > 0
        )

    def _check_state(self, state: State) -> None:
        """Refuse a state that the loops would leave: they check no bounds."""
        rows, columns = state.W.shape
        if rows != self.features:
            raise ValueError(f"X has {self.features} features, but the weights have {rows}.")
        if columns != padded_columns(self.columns):
            raise ValueError(
                f"There are {self.columns} weight vectors to learn, but the weights have {columns} "
                "columns: classes_ was changed by hand, or by another thread."
            )
        for name, wanted, array in (
            ("output='average'", self.options.average, state.U),
            ("output='pocket'", self.options.pocket, state.champion_W),
            ("an L1 penalty", self.penalty.truncation() != 0.0, state.Q),
        ):
            if wanted and array.shape[0] != rows:
                raise ValueError(
                    f"{name} was set after training without it, so its books were not kept: "
                    "start again with fit and warm_start=False."
                )

    @property
    def stops_jointly(self) -> bool:
        """Whether the weight vectors stop together."""
        return isinstance(self.scheme, Joint)


@dataclass
class FitRun:
    """A fit while it goes on: what it has reached is whole after every epoch.

    Attributes
    ----------
    state : State
    history : list
        Rows of :data:`HISTORY`.
    converged : bool
        Whether the last epoch made no mistake and moved nothing: the weights separate the rows.
    """

    state: State
    history: list[tuple[Any, ...]] = field(default_factory=list)
    converged: bool = False

    def table(self) -> Array:
        """The history as a structured array."""
        return np.array(self.history, dtype=HISTORY)
