"""The training loop: epochs over a :class:`rosenblatt.learning.problem.Problem` until it stops.

:func:`train` shuffles the rows, runs the epochs, averages the shards, keeps the pocket, records the
history and applies the stopping test. Labels, default parameters and files are not its business.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine import shuffle
from rosenblatt.engine.scoring import predict_codes
from rosenblatt.engine.state import State, copy_state, mix_shards, weights
from rosenblatt.learning.problem import FitRun, LinearProblem, Problem
from rosenblatt.utils.matrices import dense_product

Array = NDArray[Any]


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
    seeds : list of int, or None
        One per shard, to shuffle by; None keeps the order of the rows.
    shards : int
        Iterative parameter mixing: each shard learns its own rows, and the weights are averaged
        after every epoch.
    threads : int
        Shards that run at the same time; the result does not depend on it.
    val_score : callable or None
        ``val_score(W, b)`` returns the score of every weight vector on the validation rows (early
        stopping), shape (columns,) or (1,).
    train_errors : callable or None
        ``train_errors(W, b)`` returns the (weighted) number of training errors: the pocket's test.
    report : callable
        Called with each row of the history.
    """

    max_iter: int
    tol: float | None
    patience: int
    seeds: list[int] | None
    shards: int = 1
    threads: int = 1
    val_score: Callable[[Array, Array], Array] | None = None
    train_errors: Callable[[Array, Array], float] | None = None
    report: Callable[[tuple[Any, ...]], None] = lambda row: None


def train(problem: Problem, options: FitOptions, start: State) -> FitRun:
    """Run epochs until nothing moves, the criterion stalls or ``max_iter`` is reached.

    Compiled loops cannot be interrupted: an interrupt takes effect between epochs (of a kernel
    learner, between blocks of rows). It ends the run and is stored in it; the caller publishes the
    state, then raises it.

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
    run = FitRun(start)
    stop = _StopTest(problem, options)
    if options.train_errors is not None and np.isfinite(start.pocket_errors[0]):
        start.pocket_errors[0] = options.train_errors(start.pocket_W, start.pocket_b)
    shards = [part.copy() for part in np.array_split(np.arange(len(problem.y)), options.shards)]
    try:
        for epoch in range(1, options.max_iter + 1):
            began = time.perf_counter()
            before = _counts(run.state)
            run.state.losses[:] = 0.0
            run.state.run[:] = 0
            run.interrupt = _run_epoch(problem, options, shards, run)
            with np.errstate(all="ignore"):  # checked next
                norm = problem.norm(run.state)
            _check_finite(run.state, norm, epoch)
            if options.train_errors is not None:
                _update_pocket(run.state, options.train_errors)
            mistakes, updates, errors = _counts_since(before, run.state)
            run.converged = stop.proves_separation(mistakes, updates)
            criterion = run.state.losses.sum() / problem.examples
            seconds = time.perf_counter() - began
            counts = epoch, mistakes.sum(), updates.sum(), errors
            run.history.append((*counts, criterion, norm, seconds))
            options.report(run.history[-1])
            if run.interrupt is not None or stop.should_stop(run.state, updates):
                break
    except KeyboardInterrupt as interrupt:
        run.interrupt = interrupt
    finally:
        run.state.active[: problem.columns] = True
    return run


def _counts(state: State) -> tuple[Array, Array, int]:
    """Return mistakes and updates by column, and the errors."""
    return state.mistakes.copy(), state.updates.copy(), int(state.errors[0])


def _counts_since(before: tuple[Array, Array, int], state: State) -> tuple[Array, Array, int]:
    mistakes, updates, errors = before
    return state.mistakes - mistakes, state.updates - updates, int(state.errors[0]) - errors


def _run_epoch(
    problem: Problem, options: FitOptions, shards: list[Array], run: FitRun
) -> KeyboardInterrupt | None:
    """Run one epoch; with several shards, each on a copy, averaged in their order.

    An interrupt during the epoch is returned, so that the epoch is counted before the fit ends; an
    interrupt before the first row is raised.
    """
    t = int(run.state.t[0])
    seeds: list[Any] = options.seeds or [None] * len(shards)
    try:
        if len(shards) == 1:
            problem.run_epoch(_shuffle(shards[0], seeds[0]), run)
        else:
            run.state = _mix_shards(problem, shards, seeds, run.state, options.threads)
    except KeyboardInterrupt as interrupt:
        if run.state.t[0] == t:
            raise
        return interrupt
    return None


def _shuffle(order: Array, seed: int | None) -> Array:
    """Shuffle the order of the last epoch in place."""
    if seed is not None:
        shuffle.shuffle(order, seed)
    return order


def _mix_shards(
    problem: Problem, shards: list[Array], seeds: list[Any], state: State, threads: int
) -> State:
    """Run one epoch of every shard on a copy of the state, in threads; return their average."""
    runs = [FitRun(copy_state(state)) for _ in shards]
    pending = iter(list(zip(shards, seeds, runs, strict=True)))

    # The calling thread works, too: a thread that only waits gives its core away, and the system
    # may wake another thread on the core of a third.
    def work() -> None:
        for shard, seed, run in pending:
            problem.run_epoch(_shuffle(shard, seed), run)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        workers = [pool.submit(work) for _ in range(threads - 1)]
        try:
            work()
        finally:  # after an error or an interrupt no thread starts another shard
            for _ in pending:
                pass
        for worker in workers:
            worker.result()
    return mix_shards(state, [run.state for run in runs])


class _StopTest:
    """scikit-learn's stopping test, for each weight vector on its own or for all at once."""

    def __init__(self, problem: Problem, options: FitOptions) -> None:
        self.problem, self.options = problem, options
        tests = 1 if problem.stops_jointly else problem.columns
        self.best = np.full(tests, np.inf)
        self.stalled = np.zeros(tests, dtype=np.int64)
        self.gave_up = False

    def proves_separation(self, mistakes: Array, updates: Array) -> bool:
        """Return True if no weight vector made a mistake or an update in a whole epoch."""
        return not (mistakes.any() or updates.any() or self.problem.penalised or self.gave_up)

    def should_stop(self, state: State, updates: Array) -> bool:
        """Deactivate the weight vectors that are finished; return True if all are."""
        columns = self.problem.columns
        finished = (updates[:columns] == 0) & (not self.problem.penalised)
        if self.problem.stops_jointly:
            finished = finished.all(keepdims=True)
        if self.options.tol is not None:
            stalled = self._has_stalled(self.options.tol, self._cost(state))
            self.gave_up = self.gave_up or bool((stalled & ~finished).any())
            finished = finished | stalled
        if not finished.any():
            return False
        state.active[:columns] &= ~np.broadcast_to(finished, (columns,))
        return not state.active.any()

    def _has_stalled(self, tol: float, cost: Array) -> Array:
        """Return, for each test, whether the cost has not fallen for ``patience`` epochs."""
        self.stalled = np.where(cost > self.best - tol, self.stalled + 1, 0)
        self.best = np.minimum(self.best, cost)
        return self.stalled >= self.options.patience

    def _cost(self, state: State) -> Array:
        """Return minus the validation score, or the criterion with its penalty."""
        if self.options.val_score is not None:
            return -self.options.val_score(*weights(state, "last"))
        losses = state.losses[: self.problem.columns]
        cost: Array = losses / self.problem.examples + self.problem.penalty_cost(state)
        return cost.sum(keepdims=True) if self.problem.stops_jointly else cost


def _check_finite(state: State, norm: float, epoch: int) -> None:
    in_range = math.isfinite(norm) or np.isfinite(state.W).all()
    if not (in_range and np.isfinite(state.b).all()):
        raise ValueError(
            f"The weights left the floating-point range in epoch {epoch}. Scale the features "
            "(StandardScaler, MinMaxScaler) or choose a smaller eta0."
        )


def _update_pocket(state: State, train_errors: Callable[[Array, Array], float]) -> None:
    """Replace the pocket by this epoch's candidate or its last weights, if they make fewer errors.

    The candidate is the weight vector with the epoch's longest run of right predictions.
    """
    candidates = [weights(state, "last")]
    if state.run[1] > 0:
        candidates.append((state.champion_W, state.champion_b))
    for W, b in candidates:
        errors = train_errors(W, b)
        if errors < state.pocket_errors[0]:
            state.pocket_W[:] = W
            state.pocket_b[:] = b
            state.pocket_errors[0] = errors


class ValidationAccuracy:
    """Accuracy of each weight vector on its own two-class problem (joint: of the arg max)."""

    def __init__(self, X: Any, problem: LinearProblem, index: Array) -> None:
        self.X, self.problem = X, problem
        self.y, self.weight = problem.y[index], problem.weight[index]

    def __call__(self, W: Array, b: Array) -> Array:
        """Return weighted accuracies, shape (columns,), or (1,) for one joint arg max."""
        columns = self.problem.columns
        scores = dense_product(self.X, W[:, :columns]) + b[:columns]
        if self.problem.stops_jointly:
            right = (np.argmax(scores, axis=1) == self.y)[:, None]
        elif columns == 1:
            right = (scores > 0) == (self.y > 0)[:, None]
        else:
            right = (scores > 0) == (self.y[:, None] == np.arange(columns))
        return np.average(right, axis=0, weights=self.weight)


class TrainingErrors:
    """Number, or total weight, of the rows whose predicted class is wrong."""

    def __init__(self, X: Any, codes: Array, weight: Array, columns: int, tie: float) -> None:
        self.X, self.codes, self.weight = X, codes, weight
        self.columns, self.tie = columns, tie

    def __call__(self, W: Array, b: Array) -> float:
        """Return the total weight of the errors."""
        scores = dense_product(self.X, W[:, : self.columns])
        scores = scores + b[: self.columns]
        predicted = predict_codes(scores.ravel() if self.columns == 1 else scores, self.tie)
        return float(self.weight[predicted != self.codes].sum())
