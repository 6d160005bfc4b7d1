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
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.interrupts import uninterrupted
from rosenblatt.engine.linear.epochs import (
    EpochRecords,
    empty_records,
    filled,
    one_record,
    should_stop,
    stop_test,
)
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import predict_codes, products
from rosenblatt.engine.shuffle import shuffled
from rosenblatt.engine.state import State, weights
from rosenblatt.learning.problem import EpochsRunner, FitRun, LinearProblem, Problem
from rosenblatt.utils.arrays import Array

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
        Called with the :class:`Checkpoint` after each epoch, or call of several.
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
    report: Callable[[tuple[Any, ...]], None] | None = None
    checkpoint: Callable[[Checkpoint], None] | None = None
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
    history: list[tuple[Any, ...]]
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
        while not training.finished and len(run.history) < options.max_iter:
            training.advance()
    except KeyboardInterrupt as interrupt:
        run.interrupt = interrupt
    finally:
        run.state.active[: problem.columns] = True
    return run


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
        self.count = 1  # epochs of the next call
        self.examples = problem.examples  # learned in an epoch
        if options.resume is not None:
            self._resume(options.resume)

    def advance(self) -> None:
        """Run and record one epoch, or several in one call.

        An interrupt during a call is stored in the run, so that its epochs are counted before the
        fit ends; an interrupt before the first row is raised.
        """
        began, run = time.perf_counter(), self.run
        state = run.state
        updates_before = state.updates.copy()
        before = int(state.mistakes.sum()), int(state.updates.sum()), int(state.errors[0])
        after = self._run_epoch() if self.runner is None else self._run_epochs(self.runner)
        norms = after.norms.tolist()
        _check_finite(run, after, norms, self.options.smaller_steps)
        if self.runner is None:
            self._end_epoch(after.updates[0] - updates_before)
        seconds = (time.perf_counter() - began) / len(norms)
        totals = after.mistakes.sum(axis=1), after.updates.sum(axis=1), after.errors[:, 0]
        counts = zip(*(total.tolist() for total in totals), strict=True)
        for norm, losses, now in zip(norms, after.losses, counts, strict=True):
            mistakes, updates, errors = (int(b - a) for a, b in zip(before, now, strict=True))
            criterion, before = losses.sum() / self.examples, now
            row = len(run.history) + 1, mistakes, updates, errors, criterion, norm, seconds
            run.history.append(row)
            if self.options.report is not None:
                self.options.report(row)
        moved = mistakes or updates or self.problem.always_moves
        run.converged = not (moved or self.stop.gave_up[0])
        if self.options.checkpoint is not None and run.interrupt is None:
            self.options.checkpoint(self._checkpoint())
        self.finished = self.finished or run.interrupt is not None
        self.count = _next_count(seconds)

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

    # --- several epochs in one call --------------------------------------------------------------

    def _run_epochs(self, runner: EpochsRunner) -> EpochRecords:
        """Run epochs until the stopping test ends the fit, or the records are full."""
        run = self.run
        capacity = min(self.count, self.options.max_iter - len(run.history))
        records = empty_records(run.state, capacity)
        try:
            self.finished = runner(self.order, self.options.seed, self.stop, records)
        except KeyboardInterrupt as interrupt:
            if records.size[0] == 0:
                raise
            run.interrupt = interrupt
        return filled(records)

    # --- one epoch -------------------------------------------------------------------------------

    def _run_epoch(self) -> EpochRecords:
        """Run one epoch, of all shards if there are several."""
        run, t = self.run, int(self.run.state.t[0])
        run.state.losses[:] = 0.0
        run.state.run[:] = 0
        try:
            if self.options.learn_shards is None:
                self._learn_rows()
            else:
                run.state = self.options.learn_shards(len(run.history) + 1, run.state)
                self.examples = int(run.state.t[0]) - t
        except KeyboardInterrupt as interrupt:
            if run.state.t[0] == t:
                raise
            run.interrupt = interrupt
        with np.errstate(all="ignore"):  # checked next
            return one_record(run.state, run.bad, self.problem.norm(run.state))

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
        before = state.updates.sum()
        with uninterrupted():
            for i in order.tolist():
                self.run.note(learn(i))
                after = state.updates.sum()
                if after > before:
                    _put_in_pocket(state, *weights(state, "last"), train_errors)
                before = after

    def _end_epoch(self, updates: Array) -> None:
        """Update the pocket, and apply the stopping test."""
        problem, options, state = self.problem, self.options, self.run.state
        if options.train_errors is not None:
            _update_pocket(state, options.train_errors)
        updates = updates[: problem.columns]
        self.stop.moves[:] = updates.sum() if problem.stops_jointly else updates
        if options.tol is not None:
            self.stop.costs[:] = self._cost()
        self.finished = should_stop(self.stop, state.active)

    def _cost(self) -> Array:
        """Return minus the validation score, or the criterion with its penalty."""
        problem, state = self.problem, self.run.state
        if self.options.val_score is not None:
            return -self.options.val_score(*weights(state, "last"))
        losses = state.losses[: problem.columns]
        cost: Array = losses / self.examples + problem.penalty_cost(state)
        return cost.sum(keepdims=True) if problem.stops_jointly else cost


def _next_count(seconds: float) -> int:
    """Return how many epochs, each of so many seconds, the next call is to run."""
    return max(1, int(min(SLICE_EPOCHS, SLICE_SECONDS / max(seconds, 1e-9))))


def _check_finite(
    run: FitRun, after: EpochRecords, norms: list[float], smaller_steps: Callable[[], str]
) -> None:
    """Refuse weights that are not finite; a norm may overflow before its weights do."""
    for e, norm in enumerate(norms):
        is_last = e == len(norms) - 1  # of a kernel learner, too, whose norm has products
        in_range = math.isfinite(norm) or (
            np.isfinite(run.state.W).all() if is_last else not math.isnan(norm)
        )
        if not (in_range and np.isfinite(after.b[e]).all()):
            bad = int(after.bad[0])
            raise ValueError(
                f"The weights left the floating-point range in epoch {len(run.history) + e + 1}"
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

    def __init__(self, X: Any, problem: LinearProblem, index: Array) -> None:
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

    def __init__(self, X: Any, codes: Array, weight: Array, problem: LinearProblem) -> None:
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
