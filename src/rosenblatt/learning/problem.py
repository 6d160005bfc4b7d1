"""The problem of a fit, and the record of a fit while it runs.

:class:`Problem` is all that :func:`rosenblatt.learning.training.train` knows of a learner.
:class:`LinearProblem` learns weights over the features;
:class:`rosenblatt.learning.kernel.training.KernelProblem` learns them as a sum of examples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine import blend
from rosenblatt.engine.linear import chosen, core, epochs, loops
from rosenblatt.engine.linear.epochs import EpochRecords, StopTest
from rosenblatt.engine.linear.loops import FINITE, Examples
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.multiclass import Joint, UpdateSpec
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.scoring import RowScorer
from rosenblatt.engine.state import State, frobenius_norm, padded_columns, weights
from rosenblatt.learning.dual import StepRecorder
from rosenblatt.theory import calibration
from rosenblatt.theory.penalties import ElasticNet
from rosenblatt.theory.rule_kinds import always_moves, own_fields, traits_of
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.tables import Columns
from rosenblatt.utils.words import count

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
"""Columns of the history, one row per epoch.

``mistakes`` and ``updates`` are sums over all weight vectors; ``errors`` counts the examples whose
class was predicted wrong just before they were learned; ``criterion`` is the mean of the rule's
loss; ``norm`` is ‖w‖ at the end of the epoch; ``seconds`` is the mean of several epochs where these
were learned in one call.
"""


@dataclass
class FitRun:
    """A fit in progress; consistent after every epoch.

    Attributes
    ----------
    state : State
    history : list
        Rows of :data:`HISTORY`.
    converged : bool
        True where the last epoch made no mistake and no update: the weights separate the rows.
    interrupt : KeyboardInterrupt or None
        The interrupt that ended the run.
    bad : int
        The first row whose step made a weight infinite; negative if there is none.
    """

    state: State
    history: list[tuple[float, ...]] = field(default_factory=list)
    converged: bool = False
    interrupt: KeyboardInterrupt | None = None
    bad: int = FINITE

    def note(self, bad: int) -> None:
        """Keep a row whose step made a weight infinite, if it is one and the first."""
        if self.bad < 0 <= bad:
            self.bad = bad

    def table(self) -> Array:
        """Return the history as a structured array."""
        return np.array(self.history, dtype=HISTORY).view(Columns)


EpochsRunner = Callable[[Array, int | None, StopTest, EpochRecords], bool]
"""``run(order, seed, test, records)`` learns epoch after epoch, in place, until the records are
full or the test ends the fit, which is True. The seed, if there is one, shuffles ``order`` before
each.
"""


class Problem:
    """The interface between the training loop and a learner.

    Attributes
    ----------
    y : ndarray of shape (n,)
        Labels of the rows.
    spec : UpdateSpec
        Rule and options of the updates.
    columns : int
        Number of weight vectors.
    examples : int
        Number of rows that an epoch learns.
    stops_jointly : bool
        True where one stopping test serves all weight vectors.
    always_moves : bool
        True where the weights change in every step, by a penalty or the rule.
    chooses_row : bool
        True where an epoch learns one row, which the rule chooses.
    """

    y: Array
    spec: UpdateSpec
    columns: int
    examples: int
    stops_jointly: bool
    always_moves: bool
    chooses_row: bool

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """Learn the rows of ``order`` once; after an interrupt the run has all steps so far."""
        raise NotImplementedError

    def epochs_runner(self, state: State) -> EpochsRunner | None:
        """Return what runs several epochs in one call; None where each needs a call of its own."""
        return None

    def norm(self, state: State) -> float:
        """Return ‖w‖."""
        raise NotImplementedError

    def penalty_cost(self, state: State) -> Array:
        """Return the penalty of every weight vector, shape (columns,)."""
        return np.zeros(self.columns)


class FitSetup(NamedTuple):
    """The input of a fit's training.

    Attributes
    ----------
    problem : Problem
    start : State
        The state to start from.
    fitted : dict
        Attributes to set when the state is published.
    scorers : dict
        ``val_score`` and ``train_errors`` of :class:`rosenblatt.learning.training.FitOptions`,
        where the fit needs them.
    """

    problem: Problem
    start: State
    fitted: dict[str, object]
    scorers: dict[str, Any]


@dataclass(eq=False)
class LinearProblem(Problem):
    """Rows, labels and update rule of a learner with weights over the features.

    Attributes besides those of :class:`Problem`
    ----------
    rows : Dense or CSR
    features : int
        Their width d.
    weight : ndarray of shape (n,), float64
    held_out : ndarray of shape (n,), bool, or None
        Rows that are not learned.
    recorder : StepRecorder, optional
        Records every step.
    offsets : ndarray of shape (columns,), optional
        What the weights of the classes add to the scores of a blended rule.
    """

    rows: Rows
    features: int
    y: Array
    weight: Array
    held_out: Array | None
    spec: UpdateSpec
    columns: int
    recorder: StepRecorder | None = None
    offsets: Array | None = None

    def __post_init__(self) -> None:
        rule, traits = self.spec.rule, traits_of(type(self.spec.rule))
        held_out = 0 if self.held_out is None else int(self.held_out.sum())
        self.examples = 1 if traits.chooses_row else len(self.y) - held_out
        self.stops_jointly = isinstance(self.spec.scheme, Joint)
        self.chooses_row = traits.chooses_row
        self.always_moves = isinstance(self.spec.penalty, ElasticNet) or (
            traits.rescales and always_moves(rule)
        )

    def norm(self, state: State) -> float:
        """Return ‖w‖."""
        return frobenius_norm(weights(state, "last")[0])

    def penalty_cost(self, state: State) -> Array:
        """Return α ((1 − ρ) ‖w‖²/2 + ρ ‖w‖₁) of every weight vector, with ρ the share of L1."""
        if not isinstance(self.spec.penalty, ElasticNet):
            return super().penalty_cost(state)
        alpha, ratio, _ = self.spec.penalty
        W = weights(state, "last")[0][:, : self.columns].astype(np.float64)
        squares, magnitudes = np.sum(W * W, axis=0), np.sum(np.abs(W), axis=0)
        cost: Array = alpha * ((1.0 - ratio) * 0.5 * squares + ratio * magnitudes)
        return cost

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """Learn the rows of ``order`` once, except those held out, or what the rule chooses."""
        examples, spec = self._bound(run.state)
        if self.held_out is not None:
            order = order[~self.held_out[order]]
        if self.recorder is None:
            learn = chosen.epoch if self.chooses_row else loops.epoch
            run.bad = learn(examples, order, run.state, spec)
            return
        with self.recorder.recording(len(order) * self.columns) as log:
            run.bad = loops.epoch(examples, order, run.state, spec, log)

    def epochs_runner(self, state: State) -> EpochsRunner | None:
        """Return what runs several epochs in one call, valid while the state's arrays stay.

        None where epochs are long, where the weights have a scale, or where the stopping test, the
        record of steps, the choice of a row or a rule of the user's needs Python.
        """
        traits = traits_of(type(self.spec.rule))
        compiled = self.recorder is None and self.held_out is None and traits.ours
        moved = self.always_moves or traits.rescales
        compiled = compiled and not (self.stops_jointly or moved or self.chooses_row)
        if not (compiled and (state.scale == 1.0).all()):
            return None
        examples, spec = self._bound(state)
        if not epochs.are_short(examples, self.y, state, spec):
            return None
        labels = readonly(examples.y), readonly(examples.weight)
        return partial(core.learner(state, spec).epochs, examples.rows, *labels)

    def indexed_learner(self, state: State) -> Callable[[int], int]:
        """Return ``learn(i)``, an epoch of row i, valid while the arrays stay; it records nothing.

        Rows held out are not learned. It returns i if the step made a weight infinite.
        """
        (examples, spec), held_out = self._bound(state), self.held_out
        learn = loops.indexed_learner(examples, state, spec)
        return learn if held_out is None else lambda i: FINITE if held_out[i] else learn(i)

    def order_learner(self, state: State) -> Callable[[Array], int]:
        """Return ``learn(order)``, an epoch of these rows, valid while the arrays stay.

        For a rule of the library, all rows and no record; it returns what :func:`loops.epoch` does.
        """
        examples, spec = self._bound(state)
        labels = readonly(examples.y), readonly(examples.weight)
        run_epoch = core.learner(state, spec).epoch
        return lambda order: run_epoch(examples.rows, *labels, order, None)

    def row_learner(self, state: State) -> core.Learner | None:
        """Return the core's learner, whose ``row`` learns one row, valid while the arrays stay.

        None where the rule is one of a user's, which may raise.
        """
        _, spec = self._bound(state)
        return None if core.is_of_user(spec) else core.learner(state, spec)

    def predict_then_learn(
        self, run: FitRun, first: int, lag: int, predicted_rows: Rows | None = None
    ) -> tuple[Array, Array, Array | None]:
        """Predict the class of every row from ``first`` on, each before it is learned.

        After row i is predicted, row i + 1 − ``lag`` is learned, if there is one. The weights of
        each prediction are those of that moment. Return the classes and the scores of these rows,
        and their logits, if the problem calibrates. ``predicted_rows`` take the place of the rows
        in predictions.
        """
        state = run.state
        learn = self.indexed_learner(state)
        average, tie = self.spec.average, self.spec.tie
        rows = self.rows if predicted_rows is None else predicted_rows
        scorer = RowScorer(state, self.columns, average=average, tie=tie)
        predicted = np.empty(len(self.y) - first, np.int64)
        scores = np.empty((len(predicted), self.columns))
        logits = None if self.spec.calibrates is None else np.empty_like(scores)
        for i in range(first, len(self.y)):
            scorer.row_index[0] = i
            predicted[i - first] = scorer.predict(rows)
            scores[i - first] = scorer.latest
            if logits is not None:
                logits[i - first] = calibration.logits(scorer.latest[None], state.own)
            if i + 1 >= lag:
                run.note(learn(i + 1 - lag))
        return predicted, scores, logits

    def _bound(self, state: State) -> tuple[Examples, UpdateSpec]:
        """Return what the loops learn on this state.

        Averages and the pocket are updated if the state has them, even if ``output`` does not. A
        state of another shape is refused: the message of the core names no cause.
        """
        rows, columns = state.W.shape
        if rows != self.features:
            raise ValueError(
                f"X has {count(self.features, 'feature')}, but the weights have {rows}."
            )
        if columns != padded_columns(self.columns):
            raise ValueError(
                f"There are {self.columns} weight vectors to learn, but the weights have {columns} "
                "columns: classes_ was changed by hand, or by another thread."
            )
        traits, penalty = traits_of(type(self.spec.rule)), self.spec.penalty
        truncated = isinstance(penalty, ElasticNet) and penalty.truncation() != 0.0
        is_missing = not own_fields(type(self.spec.rule)).keys() <= state.own.keys()
        for name, wanted, array in (
            ("output='average'", self.spec.average, state.U),
            ("output='pocket'", self.spec.pocket, state.champion_W),
            ("an L1 penalty", truncated, state.Q),
            ("a rule with a full covariance", traits.full and is_missing, ()),
            ("a rule with a confidence", traits.confident and is_missing, ()),
            ("a rule with numbers for each weight", is_missing, ()),
        ):
            if wanted and len(array) == 0:
                raise ValueError(
                    f"{name} was set after training without it, so the sums that it needs are "
                    "missing: start again with fit and warm_start=False."
                )
        if self.offsets is not None:
            blend.set_offsets(state.own, self.offsets)
        spec = self.spec._replace(average=len(state.U) > 0, pocket=len(state.champion_W) > 0)
        return Examples(self.rows, self.y, self.weight), spec
