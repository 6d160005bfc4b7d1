"""Several passes of the rule without a choice, in which a tenth of the rows is held back.

A row that was learned is predicted too well ever after. So by the rows that are held back the blend
is learned, which makes the probabilities honest; they are learned in the end. In a fit they also
judge the passes, which end where they gain nothing by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.shuffle import shuffled
from rosenblatt.engine.state import State, copy_state
from rosenblatt.learning.problem import FitRun, LinearProblem
from rosenblatt.theory.rules.auto import Auto
from rosenblatt.utils.arrays import Array

TENTH = 10
"""Of so many rows one is held back: at a fifth, small sets lose more than the judgement gains."""

PATIENCE = 2
"""Passes in a row without a gain that end a fit: the judges are few, and err by chance."""

FEWEST_ROWS = 20
"""With fewer rows none is held back: one or none would be the judge."""

LEARNERS, BLEND, BOTH = Auto(1.0, 0.0), Auto(0.0, 1.0), Auto(1.0, 1.0)


class PassOptions(NamedTuple):
    """Options of :func:`learn_in_passes`.

    Attributes
    ----------
    max_iter : int
        Largest number of passes.
    tol : float ≥ 0
        What a pass must gain, at least.
    seed : int or None
        Seed of the shuffles; None keeps the order of the rows.
    report : callable or None
        Called with each row of the history.
    """

    max_iter: int
    tol: float
    seed: int | None
    report: Callable[[tuple[float, ...]], None] | None


def learn_in_passes(problem: LinearProblem, options: PassOptions, start: State) -> FitRun:
    """Learn the rows in passes; keep the state after the best one, and learn what was held back.

    The first pass learns all rows but those held back, and the blend. A later one learns these rows
    again, without the blend, which is then learned anew from where the first pass left it, by the
    rows held back. The fit ends where their mean loss has not fallen in :data:`PATIENCE` passes, or
    after ``max_iter`` passes; a last step learns them. With one pass, or fewer than
    :data:`FEWEST_ROWS` rows, nothing is held back, and the blend is learned in the first pass only.
    After examples that were learned before, all passes are later ones. Rows of weight 0 judge none.

    Parameters
    ----------
    problem : LinearProblem
        With the rule :class:`rosenblatt.rules.Auto`.
    options : PassOptions
    start : State
        Changed in place.
    """
    run = FitRun(start)
    passes = _Passes(problem, run, options)
    order = shuffled(np.arange(len(problem.y)), options.seed)
    try:
        if options.max_iter == 1 or len(order) < FEWEST_ROWS:
            for number in range(1, options.max_iter + 1):
                passes.learn(order, BOTH if number == 1 and passes.is_new else LEARNERS)
                passes.record()
                order = shuffled(order, options.seed)
            return run
        counts = problem.weight[order] > 0.0
        judges = counts & (np.cumsum(counts) % TENTH == 0)
        passes.until_no_gain(order[~judges], order[judges])
    except KeyboardInterrupt as interrupt:
        run.interrupt = interrupt
    return run


class _Passes:
    """Passes over the rows of a problem, on the state of a run."""

    def __init__(self, problem: LinearProblem, run: FitRun, options: PassOptions) -> None:
        self.problem, self.run, self.options = problem, run, options
        self.loss = np.inf  # mean loss of the rows that were learned last, before each was
        self.is_new = not run.state.own["blend.totals"].any()
        self.weight, scheme = problem.weight, problem.spec.scheme  # those of the losses
        if scheme is not None:
            self.weight = self.weight * problem.spec.class_weight[problem.y]
        self.seconds, self.totals = time.perf_counter(), _totals(run.state)

    def until_no_gain(self, rows: Array, judges: Array) -> None:
        """Learn the rows in passes judged by others, which are learned last."""
        run, best, least, vain = self.run, None, np.inf, 0
        blend = run.state.own["blend.terms"].copy()
        while len(run.history) < self.options.max_iter:
            first = best is None and self.is_new
            self.learn(rows, BOTH if first else LEARNERS)
            if first:
                blend = run.state.own["blend.terms"].copy()
            run.state.own["blend.terms"][:] = blend
            self.learn(judges, BLEND)
            self.record()
            vain = 0 if self.loss < least - self.options.tol else vain + 1
            if vain == PATIENCE:
                run.converged = True
                break
            if vain == 0:
                best, least = copy_state(run.state), self.loss
            rows = shuffled(rows, self.options.seed)
        if best is not None:
            run.state = best
        self.learn(judges, BOTH)

    def learn(self, order: Array, rule: Auto) -> None:
        """Learn rows once, by the learners, the blend, or both."""
        self.run.state.losses[:] = 0.0
        _with_rule(self.problem, rule).run_epoch(order, self.run)
        total = float(self.weight[order].sum())
        self.loss = float(self.run.state.losses.sum()) / total if total > 0.0 else 0.0

    def record(self) -> None:
        """Put a pass into the history, with what was counted since the one before."""
        state, history, now = self.run.state, self.run.history, time.perf_counter()
        totals = _totals(state)
        mistakes, updates, errors = (b - a for a, b in zip(self.totals, totals, strict=True))
        norm, seconds = self.problem.norm(state), now - self.seconds
        row = len(history) + 1, mistakes, updates, errors, self.loss, norm, seconds
        self.totals, self.seconds = totals, now
        history.append(row)
        if self.options.report is not None:
            self.options.report(row)


class StreamPass(NamedTuple):
    """One of several passes over a stream, of which no row but the current ones is in memory.

    The blend learns the rows held back in each pass, and the learners in the last one alone. The
    others are learned by the learners in each pass, and by the blend in the first one alone.

    Attributes
    ----------
    held_back : bool array of shape (n,)
        Of the rows of a batch.
    first, last : bool
    """

    held_back: Array
    first: bool
    last: bool

    def of(self, rows: slice) -> StreamPass:
        """Return the same for some of the rows."""
        return self._replace(held_back=self.held_back[rows])

    def of_problem(self, problem: LinearProblem) -> PassProblem:
        """Return the problem whose epoch learns the rows as this pass does."""
        arguments = {
            each.name: getattr(problem, each.name) for each in fields(problem) if each.init
        }
        return PassProblem(**arguments, stream_pass=self)


@dataclass(eq=False)
class PassProblem(LinearProblem):
    """The rows of a batch in a pass over a stream."""

    stream_pass: StreamPass = field(kw_only=True)

    def run_epoch(self, order: Array, run: FitRun) -> None:
        """Learn the rows of ``order`` once, those held back and the others each in their way.

        Runs of rows that are learned alike are short, so the loops are bound once for all of them.
        """
        held_back, first, last = self.stream_pass
        learn_held_back = _with_rule(self, BOTH if last else BLEND).order_learner(run.state)
        learn_others = _with_rule(self, BOTH if first else LEARNERS).order_learner(run.state)
        is_held_back = held_back[order]
        for rows in np.split(order, np.flatnonzero(np.diff(is_held_back)) + 1):
            run.note((learn_held_back if held_back[rows[:1]].any() else learn_others)(rows))


def _with_rule(problem: LinearProblem, rule: Any) -> LinearProblem:
    """Return the problem with a rule that learns a part of what its own learns."""
    return replace(problem, spec=problem.spec._replace(rule=rule))


def _totals(state: State) -> tuple[int, int, int]:
    """Return the mistakes, updates and errors so far."""
    return int(state.mistakes.sum()), int(state.updates.sum()), int(state.errors[0])
