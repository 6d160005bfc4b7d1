"""Epochs until it is enough: the driver between an estimator and the loops.

It shuffles, walks the epochs, mixes the shards, keeps the pocket, records the history and decides
when to stop. It knows nothing of labels' names, parameters' defaults or files.

Who wins, and how often that is right: what predictions and the stopping of a fit share.
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
from sklearn.utils.extmath import safe_sparse_dot

from rosenblatt.engine import shuffle
from rosenblatt.engine.scoring import predict_codes
from rosenblatt.engine.state import State, copy_state, mix_shards, weights
from rosenblatt.learning.problem import FitRun, LinearProblem, Problem
from rosenblatt.theory.penalties import ElasticNet

Array = NDArray[Any]


@dataclass(frozen=True)
class FitOptions:
    """How long and in which order.

    Attributes
    ----------
    max_iter : int
        Epochs at most.
    tol : float or None
        A criterion that does not fall by ``tol`` for ``patience`` epochs in a row ends the fit.
    patience : int
    seeds : list of int, or None
        One a shard, to shuffle by; None keeps the rows' order.
    shards : int
        Learners that walk a part of the rows each and are averaged after every epoch.
    threads : int
        How many of them run at once; it never changes the result.
    validate : callable or None
        ``validate(W, b)`` gives the score of every weight vector on rows held out (early
        stopping), shape (columns,) or (1,).
    judge : callable or None
        ``judge(W, b)`` gives the (weighted) number of training rows it gets wrong; keeps the
        pocket.
    report : callable
        Called with each row of the history.
    """

    max_iter: int
    tol: float | None
    patience: int
    seeds: list[int] | None
    shards: int = 1
    threads: int = 1
    validate: Callable[[Array, Array], Array] | None = None
    judge: Callable[[Array, Array], float] | None = None
    report: Callable[[tuple[Any, ...]], None] = lambda row: None


def train(problem: Problem, options: FitOptions, run: FitRun) -> None:
    """Walk epochs until nothing moves, the criterion stalls or ``max_iter`` is reached.

    The compiled loops cannot be interrupted, so ``run.state`` is whole whenever Python looks at
    it: an interrupt takes effect between epochs.

    Raises
    ------
    ValueError
        The weights ran out of the floating-point range.
    """
    stop = _StopTest(problem, options)
    if options.judge is not None and np.isfinite(run.state.pocket_errors[0]):
        run.state.pocket_errors[0] = options.judge(run.state.pocket_W, run.state.pocket_b)
    shards = [part.copy() for part in np.array_split(np.arange(len(problem.y)), options.shards)]
    try:
        for epoch in range(1, options.max_iter + 1):
            start = time.perf_counter()
            before = _counts(run.state)
            run.state.losses[:] = 0.0
            run.state.run[:] = 0
            interrupt = _run_epoch(problem, options, shards, run)
            with np.errstate(all="ignore"):  # checked next
                norm = problem.norm(run)
            _check_finite(run.state, norm, epoch)
            if options.judge is not None:
                _update_pocket(run.state, options.judge)
            mistakes, updates, errors = _counts_since(before, run.state)
            run.converged = stop.proves_separation(mistakes, updates)
            criterion = run.state.losses.sum() / problem.examples
            seconds = time.perf_counter() - start
            counts = epoch, mistakes.sum(), updates.sum(), errors
            run.history.append((*counts, criterion, norm, seconds))
            options.report(run.history[-1])
            if interrupt is not None:
                raise interrupt
            if stop.should_stop(run.state, updates):
                break
    finally:
        run.state.active[: problem.columns] = True


def _counts(state: State) -> tuple[Array, Array, int]:
    """Mistakes and updates by column, and the errors."""
    return state.mistakes.copy(), state.updates.copy(), int(state.errors[0])


def _counts_since(before: tuple[Array, Array, int], state: State) -> tuple[Array, Array, int]:
    mistakes, updates, errors = before
    return state.mistakes - mistakes, state.updates - updates, int(state.errors[0]) - errors


def _run_epoch(
    problem: Problem, options: FitOptions, shards: list[Array], run: FitRun
) -> KeyboardInterrupt | None:
    """One epoch; with several shards, each on a copy, averaged in their order.

    An interrupt that came while the rows were walked is handed back, to be raised when the books
    of the epoch are closed; one that came before they were is raised at once.
    """
    t = int(run.state.t[0])
    seeds: list[Any] = options.seeds or [None] * len(shards)
    try:
        if len(shards) == 1:
            problem.run_epoch(_shuffle(shards[0], seeds[0]), run)
        else:
            assert isinstance(problem, LinearProblem)
            run.state = _mix_shards(problem, shards, seeds, run.state, options.threads)
    except KeyboardInterrupt as interrupt:
        if run.state.t[0] == t:
            raise
        return interrupt
    return None


def _shuffle(order: Array, seed: int | None) -> Array:
    """The rows of one shard, in the order that its seed makes of the last."""
    if seed is not None:
        shuffle.shuffle(order, seed)
    return order


def _mix_shards(
    problem: LinearProblem,
    shards: list[Array],
    seeds: list[Any],
    state: State,
    threads: int,
) -> State:
    copies = [copy_state(state) for _ in shards]
    pending = iter(list(zip(shards, seeds, copies, strict=True)))

    # The caller takes its share: a thread that only waits gives its core away, and the system may
    # wake a helper on the core of another.
    def share() -> None:
        for shard, seed, copy in pending:
            problem.learn_rows(_shuffle(shard, seed), copy)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        helpers = [pool.submit(share) for _ in range(threads - 1)]
        try:
            share()
        finally:  # after a failure or an interrupt nobody takes what is left
            for _ in pending:
                pass
        for helper in helpers:
            helper.result()
    return mix_shards(state, copies)


class _StopTest:
    """scikit-learn's stopping test, for each weight vector on its own or for all at once."""

    def __init__(self, problem: Problem, options: FitOptions) -> None:
        self.problem, self.options = problem, options
        tests = 1 if problem.stops_jointly else problem.columns
        self.best = np.full(tests, np.inf)
        self.stalled = np.zeros(tests, dtype=np.int64)
        self.gave_up = False

    def proves_separation(self, mistakes: Array, updates: Array) -> bool:
        """Whether the weights stood still through an epoch, all of them, and were always right."""
        return not (mistakes.any() or updates.any() or self.problem.penalised or self.gave_up)

    def should_stop(self, state: State, moved: Array) -> bool:
        """Retire the weight vectors that are done; whether all are."""
        columns = self.problem.columns
        finished = (moved[:columns] == 0) & (
            not self.problem.penalised
        )  # a penalty moves the weights too
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
        """Whose cost did not fall for too long."""
        self.stalled = np.where(cost > self.best - tol, self.stalled + 1, 0)
        self.best = np.minimum(self.best, cost)
        return self.stalled >= self.options.patience

    def _cost(self, state: State) -> Array:
        """What should fall: minus the validation score, or the criterion with its penalty."""
        if self.options.validate is not None:
            return -self.options.validate(*weights(state, "last"))
        columns = self.problem.columns
        cost = state.losses[:columns] / self.problem.examples
        if isinstance(self.problem, LinearProblem) and isinstance(self.problem.penalty, ElasticNet):
            alpha, ratio, _ = self.problem.penalty
            W = weights(state, "last")[0][:, :columns].astype(np.float64)
            squares, magnitudes = np.sum(W * W, axis=0), np.sum(np.abs(W), axis=0)
            cost = cost + alpha * ((1.0 - ratio) * 0.5 * squares + ratio * magnitudes)
        return cost.sum(keepdims=True) if self.problem.stops_jointly else cost


def _check_finite(state: State, norm: float, epoch: int) -> None:
    in_range = math.isfinite(norm) or np.isfinite(state.W).all()
    if not (in_range and np.isfinite(state.b).all()):
        raise ValueError(
            f"The weights ran out of the floating-point range in epoch {epoch}. Scale the features "
            "(StandardScaler, MinMaxScaler) or choose a smaller eta0."
        )


def _update_pocket(state: State, judge: Callable[[Array, Array], float]) -> None:
    """Put this epoch's champion and its last weights to the test on all training rows."""
    candidates = [weights(state, "last")]
    if state.run[1] > 0:
        candidates.append((state.champion_W, state.champion_b))
    for W, b in candidates:
        errors = judge(W, b)
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
        """Shares of right rows, by weight: shape (columns,), or (1,) where one arg max decides."""
        columns = self.problem.columns
        scores = safe_sparse_dot(self.X, W[:, :columns], dense_output=True) + b[:columns]
        if self.problem.stops_jointly:
            right = (np.argmax(scores, axis=1) == self.y)[:, None]
        elif columns == 1:
            right = (scores > 0) == (self.y > 0)[:, None]
        else:
            right = (scores > 0) == (self.y[:, None] == np.arange(columns))
        return np.average(right, axis=0, weights=self.weight)


class TrainingErrors:
    """Weight of the rows that predict would get wrong."""

    def __init__(self, X: Any, codes: Array, weight: Array, columns: int, tie: float) -> None:
        self.X, self.codes, self.weight = X, codes, weight
        self.columns, self.tie = columns, tie

    def __call__(self, W: Array, b: Array) -> float:
        """Their number, or their weight."""
        scores = safe_sparse_dot(self.X, W[:, : self.columns], dense_output=True)
        scores = scores + b[: self.columns]
        predicted = predict_codes(scores.ravel() if self.columns == 1 else scores, self.tie)
        return float(self.weight[predicted != self.codes].sum())
