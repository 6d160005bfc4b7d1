"""The training loop: epochs over a :class:`rosenblatt.learning.problem.Problem` until it stops.

:func:`train` shuffles the rows, runs the epochs, keeps the pocket, records the history and applies
the stopping test. Labels, default parameters and files are not its business, nor where shards are
learned (:mod:`rosenblatt.learning.shards`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.interrupts import uninterrupted
from rosenblatt.engine.linear.epochs import (
    EpochRecords,
    empty_records,
    one_record,
    should_stop,
    stop_test,
)
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import predict_codes, products
from rosenblatt.engine.shuffle import shuffled
from rosenblatt.engine.state import State, weights
from rosenblatt.learning.problem import FitRun, LinearProblem, Problem
from rosenblatt.utils.arrays import Array, Matrix

SLICE_SECONDS = 0.05
"""Seconds after which a call of several epochs is to end: an interrupt waits for it."""

SLICE_EPOCHS = 100
"""Largest number of epochs in a call."""

JUDGED_PRODUCTS = 2**21
"""Products up to which the pocket counts the training errors after every update of an epoch."""


@dataclass(frozen=True)
class FitOptions:
    """Number of epochs, order of the rows, and stopping test.

    Attributes
    ----------
    max_iter : int
        Largest number of epochs.
    tol : float or None
        The fit ends when the criterion does not fall by ``tol`` for ``patience`` epochs in a row.
    patience : int
    smaller_steps : callable
        Returns the advice of smaller steps, for a message; "" without a step size.
    seed : int or None
        Seed of the shuffles of a fit without shards; None keeps the order of the rows.
    learn_shards : callable or None
        ``learn_shards(epoch, state)`` learns epoch 1, 2, … of every shard, each on a copy of the
        state, and returns their mixture. None: the rows of the problem are learned in place.
    val_score : callable or None
        ``val_score(W, b)`` returns the score of every weight vector on the validation rows (early
        stopping), shape (columns,) or (1,).
    train_errors : TrainingErrors or None
        The pocket's test.
    report : callable or None
        Called with each row of the history.
    checkpoint : callable or None
        Called with the :class:`Checkpoint` after each epoch, or call of several; True ends the fit.
    resume : Checkpoint or None
        The epochs so far; their state is the start.
    """

    max_iter: int
    tol: float | None
    patience: int
    smaller_steps: Callable[[], str]
    seed: int | None = None
    learn_shards: Callable[[int, State], State] | None = None
    val_score: Callable[[Array, Array], Array] | None = None
    train_errors: TrainingErrors | None = None
    report: Callable[[tuple[float, ...]], None] | None = None
    checkpoint: Callable[[Checkpoint], bool] | None = None
    resume: Checkpoint | None = None


class Checkpoint(NamedTuple):
    """A fit between two epochs: all that it needs to continue with the same bits.

    Attributes
    ----------
    state : State
    history : list
        Rows of :data:`rosenblatt.learning.problem.HISTORY`.
    best, stalled, gave_up : ndarray
        As in :class:`rosenblatt.engine.linear.epochs.StopTest`.
    finished, converged : bool
        Whether the fit has ended, and whether it ended without a mistake.
    """

    state: State
    history: list[tuple[float, ...]]
    best: Array
    stalled: Array
    gave_up: Array
    finished: bool
    converged: bool


def train(problem: Problem, options: FitOptions, start: State) -> FitRun:
    """Run epochs until nothing moves, the criterion stalls or ``max_iter`` is reached.

    Compiled loops cannot be interrupted: an interrupt takes effect between epochs, or between calls
    of several short ones (of a kernel learner, or with a rule of a user's, between blocks of rows).
    It ends the run and is stored in it; the caller publishes the state, then raises it.

    Parameters
    ----------
    problem : Problem
    options : FitOptions
    start : State
        Changed in place.

    Raises
    ------
    ValueError
        The weights left the floating-point range.
    """
    if options.train_errors is not None and np.isfinite(start.pocket_errors[0]):
        start.pocket_errors[0] = options.train_errors(start.pocket_W, start.pocket_b)
    training = _Training(problem, options, start)
    run = training.run
    try:
        while not (training.finished or run.interrupt) and len(run.history) < options.max_iter:
            training.advance()
    except KeyboardInterrupt as interrupt:
        run.interrupt = interrupt
    finally:
        run.state.active[: problem.columns] = True
    return run


class _CallStart(NamedTuple):
    """Where a call of one or several epochs began.

    Attributes
    ----------
    epochs : int
        Epochs in the history.
    t : int
        The step counter.
    totals : tuple of int
        Mistakes, updates and errors.
    updates : ndarray of int64
        Updates of each weight vector.
    records : EpochRecords
        To be filled by a call of several epochs.
    seconds : float
        The time.
    """

    epochs: int
    t: int
    totals: tuple[int, ...]
    updates: Array
    records: EpochRecords
    seconds: float


class _Training:
    """A fit in progress: epochs one by one, or several in one call."""

    def __init__(self, problem: Problem, options: FitOptions, start: State) -> None:
        self.problem, self.options, self.run = problem, options, FitRun(start)
        tests = 1 if problem.stops_jointly else problem.columns
        self.stop = stop_test(
            tests, options.tol, options.patience, always_moves=problem.always_moves
        )
        self.finished = False
        self.order = np.arange(len(problem.y))
        between = options.learn_shards, options.val_score, options.train_errors, options.checkpoint
        only_stops = between == (None, None, None, None)
        self.runner = problem.epochs_runner(start) if only_stops else None
        self.count = 1  # epochs of the next call: as many as end within SLICE_SECONDS
        if options.resume is not None:
            self._resume(options.resume)

    def advance(self) -> None:
        """Run and record one epoch, or several in one call.

        An interrupt ends the fit after all epochs learned are in the history, wherever it comes.
        """
        run, state, options = self.run, self.run.state, self.options
        capacity = min(self.count, options.max_iter - len(run.history))
        start = _CallStart(
            epochs=len(run.history),
            t=int(state.t[0]),
            totals=(int(state.mistakes.sum()), int(state.updates.sum()), int(state.errors[0])),
            updates=state.updates.copy(),
            records=empty_records(state, capacity if self.runner is not None else 0),
            seconds=time.perf_counter(),
        )
        try:
            if self.runner is None:
                self._run_epoch()
            else:
                self.finished = self.runner(self.order, options.seed, self.stop, start.records)
            self._record(start)
            if options.checkpoint is not None and options.checkpoint(self._checkpoint()):
                self.finished = True
        except KeyboardInterrupt as interrupt:
            run.interrupt = interrupt
            self._record(start)

    def _record(self, start: _CallStart) -> None:
        """Put the epochs of this call into the history that are not there yet."""
        run, problem, examples = self.run, self.problem, self.problem.examples
        records, size = start.records, int(start.records.size[0])
        if self.runner is None and run.state.t[0] != start.t:
            with np.errstate(all="ignore"):  # checked next
                records, size = one_record(run.state, run.bad, problem.norm(run.state)), 1
            if self.options.learn_shards is not None:
                examples = int(run.state.t[0]) - start.t
        if size == 0:
            return
        norms = records.norms[:size].tolist()
        _check_finite(run.state.W, records, norms, start.epochs, self.options.smaller_steps)
        if self.runner is None:
            self._end_epoch(run.state.updates - start.updates, examples)
        seconds = (time.perf_counter() - start.seconds) / size
        sums = records.mistakes.sum(axis=1), records.updates.sum(axis=1), records.errors[:, 0]
        totals = [start.totals, *zip(*(array[:size].tolist() for array in sums), strict=True)]
        for e in range(len(run.history) - start.epochs, size):
            mistakes, updates, errors = (b - a for a, b in zip(*totals[e : e + 2], strict=True))
            criterion = records.losses[e].sum() / examples
            epoch = start.epochs + e + 1
            row = epoch, mistakes, updates, errors, criterion, norms[e], seconds
            moved = mistakes or updates or problem.always_moves
            run.converged = not (moved or self.stop.gave_up[0])
            run.history.append(row)
            if self.options.report is not None:
                self.options.report(row)
        self.count = max(1, int(min(SLICE_EPOCHS, SLICE_SECONDS / max(seconds, 1e-9))))

    def _checkpoint(self) -> Checkpoint:
        run, stop = self.run, self.stop
        limits = stop.best, stop.stalled, stop.gave_up
        return Checkpoint(run.state, run.history, *limits, self.finished, run.converged)

    def _resume(self, resume: Checkpoint) -> None:
        """Continue after the epochs of a checkpoint."""
        self.run.history.extend(resume.history)
        self.run.converged, self.finished = resume.converged, resume.finished
        for name in ("best", "stalled", "gave_up"):
            getattr(self.stop, name)[:] = getattr(resume, name)

    def _run_epoch(self) -> None:
        """Run one epoch, of all shards if there are several."""
        run = self.run
        run.state.losses[:] = 0.0
        run.state.run[:] = 0
        if self.options.learn_shards is None:
            self._learn_rows()
        else:
            run.state = self.options.learn_shards(len(run.history) + 1, run.state)

    def _learn_rows(self) -> None:
        """Learn the rows of the problem once, in place."""
        order, errors = shuffled(self.order, self.options.seed), self.options.train_errors
        if errors is not None and errors.is_cheap and not self.problem.chooses_row:
            self._learn_and_judge(order, errors)
        else:
            self.problem.run_epoch(order, self.run)

    def _learn_and_judge(self, order: Array, train_errors: TrainingErrors) -> None:
        """Learn the rows of an epoch one by one; the pocket judges the weights after an update."""
        state, learn = self.run.state, train_errors.problem.indexed_learner(self.run.state)
        before = state.updates.tobytes()  # takes less than a sum
        with uninterrupted():
            for i in order.tolist():
                self.run.note(learn(i))
                after = state.updates.tobytes()
                if after != before:
                    _put_in_pocket(state, *weights(state, "last"), train_errors)
                before = after

    def _end_epoch(self, updates: Array, examples: int) -> None:
        """Update the pocket, and apply the stopping test."""
        problem, options, state = self.problem, self.options, self.run.state
        if options.train_errors is not None:
            _update_pocket(state, options.train_errors)
        updates = updates[: problem.columns]
        self.stop.moves[:] = updates.sum() if problem.stops_jointly else updates
        if options.tol is not None:
            self.stop.costs[:] = self._cost(examples)
        self.finished = should_stop(self.stop, state.active)

    def _cost(self, examples: int) -> Array:
        """Return minus the validation score, or the criterion with its penalty."""
        problem, state = self.problem, self.run.state
        if self.options.val_score is not None:
            return -self.options.val_score(*weights(state, "last"))
        losses = state.losses[: problem.columns]
        cost: Array = losses / examples + problem.penalty_cost(state)
        return cost.sum(keepdims=True) if problem.stops_jointly else cost


def _check_finite(
    W: Array,
    records: EpochRecords,
    norms: list[float],
    epochs: int,
    smaller_steps: Callable[[], str],
) -> None:
    """Refuse weights that are not finite; a norm may overflow before its weights do."""
    for e, norm in enumerate(norms):
        is_last = e == len(norms) - 1  # of a kernel learner, too, whose norm has products
        in_range = math.isfinite(norm) or (
            np.isfinite(W).all() if is_last else not math.isnan(norm)
        )
        if not (in_range and np.isfinite(records.b[e]).all()):
            bad = int(records.bad[0])
            raise ValueError(
                f"The weights left the floating-point range in epoch {epochs + e + 1}"
                f"{f', at row {bad}' if bad >= 0 else ''}. Scale the features (StandardScaler, "
                f"MinMaxScaler){smaller_steps()}."
            )


def _update_pocket(state: State, train_errors: TrainingErrors) -> None:
    """Judge this epoch's last weights, and those with its longest run of right predictions.

    Gallant's ratchet (1990) counts the errors whenever a run of right predictions becomes the
    longest.
    """
    _put_in_pocket(state, *weights(state, "last"), train_errors)
    if state.run[1] > 0:
        _put_in_pocket(state, state.champion_W, state.champion_b, train_errors)


def _put_in_pocket(state: State, W: Array, b: Array, train_errors: TrainingErrors) -> None:
    """Replace the pocket by these weights if they make fewer errors."""
    errors = train_errors(W, b)
    if errors < state.pocket_errors[0]:
        state.pocket_W[:] = W
        state.pocket_b[:] = b
        state.pocket_errors[0] = errors


class ValidationAccuracy:
    """Accuracy of each weight vector on its own two-class problem (joint: of the arg max)."""

    def __init__(self, X: Matrix, problem: LinearProblem, index: Array) -> None:
        self.rows, self.problem = as_rows(X), problem
        self.y, self.weight = problem.y[index], problem.weight[index]

    def __call__(self, W: Array, b: Array) -> Array:
        """Return weighted accuracies, shape (columns,), or (1,) for one joint arg max."""
        columns = self.problem.columns
        scores = products(self.rows, W, columns) + b[:columns]
        if self.problem.stops_jointly:
            right = (np.argmax(scores, axis=1) == self.y)[:, None]
        elif columns == 1:
            right = (scores > 0) == (self.y > 0)[:, None]
        else:
            right = (scores > 0) == (self.y[:, None] == np.arange(columns))
        return np.average(right, axis=0, weights=self.weight)


class TrainingErrors:
    """Number, or total weight, of the rows whose predicted class is wrong."""

    def __init__(self, X: Matrix, codes: Array, weight: Array, problem: LinearProblem) -> None:
        self.rows, self.size = as_rows(X), X.size
        self.codes, self.weight, self.problem = codes, weight, problem

    @property
    def is_cheap(self) -> bool:
        """True where counting the errors after every update takes at most some 0.03 s an epoch."""
        return bool(len(self.codes) * self.size * self.problem.columns <= JUDGED_PRODUCTS)

    def __call__(self, W: Array, b: Array) -> float:
        """Return the total weight of the errors."""
        columns, tie = self.problem.columns, self.problem.spec.tie
        scores = products(self.rows, W, columns) + b[:columns]
        predicted = predict_codes(scores.ravel() if columns == 1 else scores, tie)
        return float(self.weight[predicted != self.codes].sum())
