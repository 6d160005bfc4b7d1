"""The linear loops: one epoch over the rows, one weight vector or several.

A loop knows neither the formula of the rule nor how an example is stored: numba specialises it on
the types of the rule, the rows, the penalty and the multi-class scheme. A loop releases the GIL
(several may run in threads) and cannot be interrupted; between epochs the state is consistent.

Averaging, the pocket and the penalties are written here, once:

- the average is lazy: an update τ x at step t adds (Σ scale before t) τ x to ``U``, nothing else;
- the pocket's candidate is the weight vector with the longest run of right predictions;
- the L2 penalty, and rules that rescale the weights, shrink one number, ``scale``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import LANES, at
from rosenblatt.engine.jit import (
    Compiled,
    element_count,
    entry_point,
    specialised,
    subroutine,
)
from rosenblatt.engine.linear import core
from rosenblatt.engine.linear.scales import (
    fold_scale,
    overflows,
    rescale_column,
    rounded,
    shrink_scales,
    smallest_scale,
)
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.multiclass import Example, StepBuffers, UpdateSpec, is_beaten, is_mistake
from rosenblatt.engine.rows import BLOCK_ROWS, Dense, Rows, prefetch_example
from rosenblatt.engine.state import State
from rosenblatt.engine.steppers import stepper_of
from rosenblatt.engine.steps import StepLog, record_step
from rosenblatt.theory.penalties import ElasticNet, NoPenalty
from rosenblatt.theory.rule_kinds import has_confidence, has_rescaling

Array = NDArray[Any]


FINITE, BEYOND = -1, -2
"""What a loop returns if no step made a weight infinite: whether what its last row sees is finite,
or the weights had left the range before."""


class Examples(NamedTuple):
    """Labelled, weighted rows.

    Attributes
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,)
        float64 labels −1 and +1 (or real targets) without a scheme; with one, int64 classes.
    weight : ndarray of shape (n,), float64
        Factors of the steps.
    """

    rows: Rows
    y: Array
    weight: Array


def epoch(
    examples: Examples,
    order: Array,
    state: State,
    spec: UpdateSpec,
    log: StepLog | None = None,
) -> int:
    """Learn the examples once, in ``order``.

    Return the first row whose step made a weight infinite, or no number; negative if there is none.

    Parameters
    ----------
    examples : Examples
    order : ndarray of int64
        The rows to learn.
    state : State
        Changed in place.
    spec : UpdateSpec
    log : StepLog, optional
        Where every step is recorded, with capacity for as many as there can be.
    """
    if core.learns(examples.rows, state, spec):
        labels = np.ascontiguousarray(examples.y), np.ascontiguousarray(examples.weight)
        return core.learner(state, spec).epoch(examples.rows, *labels, order, log)
    loop, arguments = _bind(examples, order, state, spec, log)
    return int(loop(*arguments))


def indexed_learner(examples: Examples, state: State, spec: UpdateSpec) -> Callable[[int], int]:
    """Return :func:`epoch` in steps of one row, between which other work may be done.

    Parameters
    ----------
    examples : Examples
    state : State
        Its arrays must stay the same while the result is in use.
    spec : UpdateSpec

    Returns
    -------
    learn : callable
        ``learn(i)`` learns row i; what it returns is that of :func:`epoch`.
    """
    index = np.zeros(1, np.int64)
    if core.learns(examples.rows, state, spec):
        run_epoch = core.learner(state, spec).epoch
        labels = readonly(examples.y), readonly(examples.weight)

        def learn_row(i: int) -> int:
            index[0] = i
            return run_epoch(examples.rows, *labels, index, None)

        return learn_row
    loop, arguments = _bind(examples, index, state, spec)
    run = entry_point(loop, arguments, call_steps(*arguments))

    def learn(i: int) -> int:
        index[0] = i
        return int(run(*arguments))

    return learn


def _bind(
    examples: Examples, order: Array, state: State, spec: UpdateSpec, log: StepLog | None = None
) -> tuple[Compiled, tuple[Any, ...]]:
    """Return the epoch for these types, and its arguments."""
    rows, loop = examples.rows, loop_of(state, spec)
    labels = readonly(examples.y), readonly(examples.weight)
    arguments = loop, rows, *labels, order, state, spec, *options(spec), log
    return specialised(type(loop).learn_rows, kinds(loop, rows, spec), call_steps), arguments


def loop_of(state: State, spec: UpdateSpec) -> BinaryLoop | MultiLoop:
    """Return the loop of a scheme, with its work arrays."""
    stepper = stepper_of(state, spec.rule, intercept=spec.intercept)
    if spec.scheme is None:
        return BinaryLoop(np.empty(BLOCK_ROWS), stepper)
    K, P = len(spec.class_weight), state.W.shape[1]
    buffers = StepBuffers(np.empty(K), np.empty(K), state.losses, state.mistakes)
    return MultiLoop(np.empty((BLOCK_ROWS, P)), np.zeros(P), buffers, stepper)


def kinds(loop: BinaryLoop | MultiLoop, rows: Rows, spec: UpdateSpec) -> tuple[type, ...]:
    """Return the classes whose methods a loop inlines."""
    methods = loop, rows, spec.rule, spec.penalty
    return *map(type, methods), *([] if spec.scheme is None else [type(spec.scheme)])


Options = tuple[ElasticNet | None, bool | None, bool | None, bool | None, bool | None]


def options(spec: UpdateSpec) -> Options:
    """Return the options of a loop, of which those that are not wanted are None.

    They are the penalty, average and pocket, and whether the rule has a confidence or a rescaling.
    """
    penalty = None if isinstance(spec.penalty, NoPenalty) else spec.penalty
    kinds = has_confidence(spec.rule) or None, has_rescaling(spec.rule) or None
    return penalty, spec.average or None, spec.pocket or None, *kinds


def call_steps(loop: BinaryLoop | MultiLoop, *arguments: Any) -> float:
    """Return the elementary steps of a call of a loop."""
    return count_steps(*arguments)


def count_steps(
    rows: Rows,
    y: Array,
    weight: Array,
    order: Array,
    state: State,
    spec: UpdateSpec,
    penalty: ElasticNet | None,
    average: bool | None,
    pocket: bool | None,
    confidence: bool | None,
    *_: Any,
) -> float:
    """Return the elementary steps of an epoch, see :class:`rosenblatt.engine.jit.Compiled`."""
    n = len(rows.X) if isinstance(rows, Dense) else len(rows.indptr) - 1
    entries, columns = element_count(rows) / max(n, 1), state.W.shape[1]
    copies = 0.0  # of all weights
    if pocket is not None:
        copies += 1.0 + math.log2(1.0 + len(order))
    if penalty is not None:
        entries *= columns
        copies += len(order) * min(1.0, math.log(max(penalty.decay(), 1e-9)) / math.log(1e-9))
    if confidence is not None:
        entries = 5.0 * entries + 2.0 * len(state.S)
    steps = len(order) * (20.0 + 4 * columns + entries * (1 + columns // LANES))
    return float(steps + 2.0 * copies * state.W.size)


# A loop that allocates nothing counts no references: its work arrays are arguments. Nested records
# are not unpacked in a loop: numba 0.68 loses variables there. An option that is not wanted is
# None: numba leaves its code out, and compiles faster.


class BinaryLoop(NamedTuple):
    """The loop of one weight vector.

    Attributes
    ----------
    dots : ndarray of shape (BLOCK_ROWS,), float64
        Scores of a few rows; overwritten.
    stepper : Stepper
    """

    dots: Array
    stepper: Any  # Stepper

    def learn_rows(
        self,
        rows,
        y,
        weight,
        order,
        state,
        spec,
        penalty,
        average,
        pocket,
        confidence,
        rescaling,
        log,
    ):
        """Learn the rows of ``order``, see :func:`epoch`."""
        rule, dots, stepper = spec.rule, self.dots, self.stepper
        w = state.W.reshape(state.W.size)
        u = state.U.reshape(state.U.size)
        b, scale, area, owed = state.b[0], state.scale[0], state.area[0], state.owed[0]
        t, loss = state.t[0], state.losses[0]
        earlier = state.updates[0]
        mistakes, updates, bad = 0, 0, FINITE
        # A few rows are scored at once. An update of the weights discards the scores left, so every
        # score is that of the current weights.
        scored, r = 0, 0
        for n in range(order.shape[0]):
            rows.prefetch(order, n)
            prefetch_example(y, weight, order, n)
            r += 1
            if r >= scored:
                r, scored = 0, rows.dot_block(order, n, w, dots)
            i = order[n]
            label = at(y, i)
            score = rounded(dots[r] * scale, w) + b
            loss += rule.loss(score, label)
            sqnorm = rows.sqnorm(i) + spec.bias_sqnorm
            if rescaling is not None:
                state.t[0], state.updates[0] = t, earlier + updates
                state.b[0], state.scale[0] = b, scale
            tau = stepper.step(rule, score, label, sqnorm, at(weight, i), rows, i, 0, -1)
            wrong = is_mistake(score, label, spec.tie)
            if wrong:
                mistakes += 1
            if pocket is not None:
                state.b[0], state.scale[0] = b, scale
                count_streak(state, wrong)
            if penalty is not None:
                scale = rounded(scale * rounded(penalty.decay(), w), w)
                if scale < smallest_scale(w):
                    fold_scale(state, 0, scale, area)
                    scale, area, scored = 1.0, 0.0, 0
            if rescaling is not None:
                state.area[0] = area
                if rescale_column(state, 0, stepper.factors[0], tau, score, sqnorm):
                    scored = 0
                b, scale, area = state.b[0], state.scale[0], state.area[0]
            if tau != 0.0:
                scored = 0
                updates += 1
                if confidence is not None:
                    tau = stepper.move(rule, rows, i, 0, tau, state.W, b, state.U, area)
                else:
                    step = rounded(rounded(tau, w) / scale, w)
                    rows.axpy(i, step, w)
                    if log is not None:
                        record_step(log, i, 0, step, t)
                    if average is not None:
                        rows.axpy(i, area * step, u)
                    if bad < 0 and overflows(tau, rows, i, state, 0):
                        bad = i
                if spec.intercept:
                    b += tau
                    state.ub[0] += t * tau
            if penalty is not None and penalty.truncation() != 0.0:
                scored = 0
                owed += penalty.truncation()
                rows.truncate(i, state.W, state.Q, 0, owed, scale, state.U, area)
            area += scale
            t += 1
        state.b[0], state.scale[0], state.area[0], state.owed[0] = b, scale, area, owed
        state.t[0], state.losses[0] = t, loss
        state.errors[0] += mistakes
        state.mistakes[0] += mistakes
        state.updates[0] = earlier + updates
        total = b if spec.intercept else loss
        if order.shape[0] > 0:
            rows.dot_block(order, order.shape[0] - 1, w, dots)
            total += 0.0 * dots[0]
        return bad if bad >= 0 or math.isfinite(total) else BEYOND


class MultiLoop(NamedTuple):
    """The loop of several weight vectors.

    Attributes
    ----------
    dots : ndarray of shape (BLOCK_ROWS, P), float64
        Scores of a few rows; overwritten.
    steps : ndarray of shape (P,), float64
        The steps of one row; overwritten. Zero in the padding.
    buffers : StepBuffers
    stepper : Stepper
    """

    dots: Array
    steps: Array
    buffers: StepBuffers
    stepper: Any  # Stepper

    def learn_rows(
        self,
        rows,
        y,
        weight,
        order,
        state,
        spec,
        penalty,
        average,
        pocket,
        confidence,
        rescaling,
        log,
    ):
        """Learn the rows of ``order``, see :func:`epoch`."""
        scheme, class_weight = spec.scheme, spec.class_weight
        K = class_weight.shape[0]
        dots, steps, buffers = self.dots, self.steps, self.buffers
        stepper = self.stepper
        scores, taus = buffers.scores, buffers.taus
        scored, r, bad = 0, 0, FINITE  # as in the binary loop
        for n in range(order.shape[0]):
            rows.prefetch(order, n)
            prefetch_example(y, weight, order, n)
            r += 1
            if r >= scored:
                r, scored = 0, rows.dot_block_multi(order, n, state.W, dots)
            i = order[n]
            label = at(y, i)
            for k in range(K):
                scores[k] = rounded(dots[r, k] * state.scale[k], state.W) + state.b[k]
            wrong = is_beaten(scores, label)
            if wrong:
                state.errors[0] += 1
            if pocket is not None:
                count_streak(state, wrong)
            example = Example(
                label,
                rows.sqnorm(i) + spec.bias_sqnorm,
                rounded(class_weight[label] * at(weight, i), state.W),
                at(weight, i),
                i,
            )
            moved = scheme.compute_steps(example, spec, state.active, buffers, stepper, rows)
            if penalty is not None:
                moved = shrink_scales(state, K, rounded(penalty.decay(), state.W)) or moved
            if rescaling is not None:
                for k in range(K):
                    if state.active[k]:
                        factor, tau, sqnorm = stepper.factors[k], taus[k], example.squared_norm
                        moved = rescale_column(state, k, factor, tau, scores[k], sqnorm) or moved
            if moved:
                if confidence is not None:
                    scored = 0
                    for k in range(K):
                        if taus[k] != 0.0:
                            tau, area = taus[k], state.area[k]
                            step = stepper.move(
                                spec.rule, rows, i, k, tau, state.W, state.b[k], state.U, area
                            )
                            state.updates[k] += 1
                            state.b[k] += step
                            if average is not None:
                                state.ub[k] += state.t[0] * step
                else:
                    for k in range(K):
                        step = rounded(rounded(taus[k], state.W) / state.scale[k], state.W)
                        steps[k] = step if taus[k] != 0.0 else 0.0
                        state.updates[k] += taus[k] != 0.0
                    if log is not None:
                        for k in range(K):
                            if taus[k] != 0.0:
                                record_step(log, i, k, steps[k], state.t[0])
                    r, scored = -1, rows.axpy_dot_multi(order, n, steps, state.W, dots)
                    for k in range(K):
                        if bad < 0 and taus[k] != 0.0:
                            bad = i if overflows(taus[k], rows, i, state, k) else bad
                    if average is not None:
                        for k in range(K):
                            state.ub[k] += state.t[0] * taus[k] * spec.intercept
                            steps[k] *= state.area[k]
                        rows.axpy_multi(i, steps, state.U)
                    if spec.intercept:
                        for k in range(K):
                            state.b[k] += taus[k]
            if penalty is not None and penalty.truncation() != 0.0:
                truncate_active(rows, i, K, penalty.truncation(), state)
                scored = 0
            for k in range(K):
                state.area[k] += state.scale[k]
            state.t[0] += 1
        total = 0.0
        for k in range(K):
            total += 0.0 * (state.b[k] if spec.intercept else state.losses[k])
        if order.shape[0] > 0:
            rows.dot_block_multi(order, order.shape[0] - 1, state.W, dots)
            for k in range(K):
                total += 0.0 * dots[0, k]
        return bad if bad >= 0 or total == 0.0 else BEYOND


@subroutine
def count_streak(state: State, wrong: bool) -> None:
    """Count consecutive right predictions; keep the weights of the longest run as the candidate."""
    if not wrong:
        state.run[0] += 1
        return
    if state.run[0] > state.run[1]:
        state.run[1] = state.run[0]
        for k in range(state.W.shape[1]):
            state.champion_b[k] = state.b[k]
            for j in range(state.W.shape[0]):
                state.champion_W[j, k] = state.W[j, k] * state.scale[k]
    state.run[0] = 0


@subroutine
def truncate_active(rows: Rows, i: int, K: int, truncation: float, state: State) -> None:
    """Truncate the weights of row i's features in every active column."""
    for k in range(K):
        if state.active[k]:
            state.owed[k] += truncation
            owed, scale, area = state.owed[k], state.scale[k], state.area[k]
            rows.truncate(i, state.W, state.Q, k, owed, scale, state.U, area)
