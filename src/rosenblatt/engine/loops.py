"""The loops: one epoch over the rows, asking the rule, moving the state.

The rule knows no geometry, the loops know no rule, the rows know how an example is stored; numba
specialises each loop on the three types and on the penalty's. A loop holds no lock of Python's
(several may run in threads) and cannot be interrupted; between epochs the state is whole.

Averaging, the pocket and the penalties live here, written once:

- the average is lazy: a move τ x at step t adds (Σ scale before t) τ x to ``U``, nothing else;
- the pocket's champion is the weight vector with the longest run of right predictions;
- the L2 penalty shrinks one number, ``scale``; it is folded into the weights when it gets tiny.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import (
    compiled,
    compiled_for,
    entry_point,
    fingerprint,
    is_mistake,
    rounded,
)
from rosenblatt.engine.multiclass import Scheme
from rosenblatt.engine.rows import BLOCK_ROWS, Rows
from rosenblatt.engine.state import State
from rosenblatt.engine.steps import StepLog, empty_log, record_step
from rosenblatt.theory.penalties import Penalty
from rosenblatt.theory.rules import Rule

Array = NDArray[Any]


class Options(NamedTuple):
    """What a loop is told besides the rule.

    Attributes
    ----------
    tie : float
        What a score of zero counts as: 0 a mistake, −1 or +1 a prediction.
    intercept : bool
        Whether b moves: every row carries one more coordinate, a 1.
    bias_sqnorm : float
        What that coordinate adds to ‖x‖² where a rule asks for it.
    average, pocket : bool
        Which books are kept.
    """

    tie: float
    intercept: bool
    bias_sqnorm: float
    average: bool
    pocket: bool


def epoch(
    rows: Rows,
    y: Array,
    weight: Array,
    order: Array,
    state: State,
    rule: Rule,
    penalty: Penalty,
    options: Options,
    scheme: Scheme | None = None,
    class_weight: Array | None = None,
    log: StepLog | None = None,
) -> None:
    """Walk ``rows`` once in ``order`` and move ``state``.

    Parameters
    ----------
    rows : Dense or CSR
    y : ndarray of shape (n,)
        float64 labels −1 and +1 (or real targets) for one weight vector; int64 classes for many.
    weight : ndarray of shape (n,), float64
        Each example's step is multiplied by its weight.
    order : ndarray of int64
        The rows to visit.
    state : State
        Changed in place.
    rule, penalty, options
        See :mod:`rosenblatt.rules`, :mod:`rosenblatt.theory.penalties` and :class:`Options`.
    scheme : OneVsRest or Joint, optional
        How several classes learn; None for one weight vector.
    class_weight : ndarray of shape (P,), float64, optional
        With a scheme: multiplies the steps of a class on its own examples.
    log : Moves, optional
        Where every step is written down, with room for as many as there can be.
    """
    loop, arguments = _bind(
        rows, y, weight, order, state, rule, penalty, options, scheme, class_weight, log
    )
    loop(*arguments)


def row_learner(
    rows: Rows,
    state: State,
    rule: Rule,
    penalty: Penalty,
    options: Options,
    scheme: Scheme | None = None,
    class_weight: Array | None = None,
) -> Callable[[Rows, float], None]:
    """:func:`epoch` of one row, called again and again: what can be done before is done here.

    Parameters
    ----------
    rows : Dense or CSR
        Rows of the types that will be learned.
    state : State
        Its arrays must stay the same while the result is in use.
    rule, penalty, options, scheme, class_weight
        As in :func:`epoch`.

    Returns
    -------
    learn : callable
        ``learn(rows, y)`` learns the first of ``rows``, whose label, as :func:`epoch` takes it, is
        ``y``.
    """
    label = np.zeros(1, np.float64 if scheme is None else np.int64)
    first, one = np.zeros(1, np.int64), np.ones(1)
    loop, (_, _, *rest) = _bind(
        rows, label, one, first, state, rule, penalty, options, scheme, class_weight, None
    )
    loop = entry_point(loop, (rows, label, *rest))

    def learn(rows: Rows, y: float) -> None:
        label[0] = y
        loop(rows, label, *rest)

    return learn


def indexed_learner(
    rows: Rows,
    y: Array,
    weight: Array,
    state: State,
    rule: Rule,
    penalty: Penalty,
    options: Options,
    scheme: Scheme | None = None,
    class_weight: Array | None = None,
) -> Callable[[int], None]:
    """:func:`epoch` in steps of one row, between which something else may happen.

    Parameters
    ----------
    rows, y, weight, state, rule, penalty, options, scheme, class_weight
        As in :func:`epoch`; the arrays of the state must stay the same.

    Returns
    -------
    learn : callable
        ``learn(i)`` learns row i.
    """
    first, label, own = np.zeros(1, np.int64), y[:1].copy(), weight[:1].copy()
    loop, (_, _, _, _, *rest) = _bind(
        rows, label, own, first, state, rule, penalty, options, scheme, class_weight, None
    )
    arguments = rows, label, own, first, *rest
    loop = entry_point(loop, arguments)

    def learn(i: int) -> None:
        first[0], label[0], own[0] = i, y[i], weight[i]
        loop(*arguments)

    return learn


def _bind(
    rows: Rows,
    y: Array,
    weight: Array,
    order: Array,
    state: State,
    rule: Rule,
    penalty: Penalty,
    options: Options,
    scheme: Scheme | None,
    class_weight: Array | None,
    log: StepLog | None,
) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The loop, and what to call it with."""
    if log is None:
        log = empty_log()
    if scheme is None:
        loop = _binary_loop((type(rows), type(rule), type(penalty)))
        extra: tuple[Any, ...] = (np.empty(BLOCK_ROWS),)
    else:
        loop = _multi_loop((type(rows), type(rule), type(penalty), type(scheme)))
        assert class_weight is not None
        extra = scheme, class_weight, _scratch(state, len(class_weight))
    labels, weights = y[order], weight[order]
    return loop, (rows, labels, weights, order, state, rule, penalty, options, log, *extra)


class _Scratch(NamedTuple):
    """What the multi-class loop writes on: a loop that allocates nothing counts no references."""

    dots: Array
    scores: Array
    taus: Array
    steps: Array


def _scratch(state: State, K: int) -> _Scratch:
    P = state.W.shape[1]
    return _Scratch(np.empty((BLOCK_ROWS, P)), np.empty(K), np.empty(K), np.zeros(P))


@cache
def _binary_loop(kinds: tuple[type, ...]) -> Callable[..., None]:
    stamp = fingerprint(*kinds, State, StepLog)

    def binary(rows, y, weight, order, state, rule, penalty, options, log, dots):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        w = state.W.reshape(state.W.size)
        u = state.U.reshape(state.U.size)
        b, scale, area, owed = state.b[0], state.scale[0], state.area[0], state.owed[0]
        t, loss = state.t[0], state.losses[0]
        mistakes, updates = 0, 0
        # A few rows are scored at once. Whatever moves the weights ends that, so every score is
        # that of the weights of its moment.
        scored, r = 0, 0
        for n in range(order.shape[0]):
            rows.prefetch(order, n)
            r += 1
            if r >= scored:
                r, scored = 0, rows.dot_block(order, n, w, dots)
            i, label = order[n], y[n]
            score = rounded(dots[r] * scale, w) + b
            loss += rule.loss(score, label)
            tau = rule.step(score, label, rows.sqnorm(i) + options.bias_sqnorm) * weight[n]
            wrong = is_mistake(score, label, options.tie)
            if wrong:
                mistakes += 1
            if options.pocket:
                state.b[0], state.scale[0] = b, scale
                count_streak(state, wrong)
            if penalty.decay() != 1.0:
                scale = rounded(scale * rounded(penalty.decay(), w), w)
                if scale < smallest_scale(w):
                    fold_scale(state, 0, scale, area)
                    scale, area, scored = 1.0, 0.0, 0
            if tau != 0.0:
                scored = 0
                updates += 1
                step = rounded(rounded(tau, w) / scale, w)
                rows.axpy(i, step, w)
                if log.tau.shape[0] > 0:
                    record_step(log, i, 0, step, t)
                if options.average:
                    rows.axpy(i, area * step, u)
                if options.intercept:
                    b += tau
                    state.ub[0] += t * tau
            if penalty.truncation() != 0.0:
                scored = 0
                owed += penalty.truncation()
                rows.truncate(i, state.W, state.Q, 0, owed, scale, state.U, area)
            area += scale
            t += 1
        state.b[0], state.scale[0], state.area[0], state.owed[0] = b, scale, area, owed
        state.t[0], state.losses[0] = t, loss
        state.errors[0] += mistakes
        state.mistakes[0] += mistakes
        state.updates[0] += updates

    return compiled_for(binary, kinds)


@cache
def _multi_loop(kinds: tuple[type, ...]) -> Callable[..., None]:
    stamp = fingerprint(*kinds, State, StepLog)

    def multi(
        rows, y, weight, order, state, rule, penalty, options, log, scheme, class_weight, scratch
    ):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        K = class_weight.shape[0]
        dots, scores, taus, steps = scratch
        scored, r = 0, 0  # as in the binary loop
        for n in range(order.shape[0]):
            rows.prefetch(order, n)
            r += 1
            if r >= scored:
                r, scored = 0, rows.dot_block_multi(order, n, state.W, dots)
            i, label = order[n], y[n]
            best, highest = 0, -np.inf
            for k in range(K):
                score = rounded(dots[r, k] * state.scale[k], state.W) + state.b[k]
                scores[k] = score
                if score > highest:
                    best, highest = k, score
            if best != label:
                state.errors[0] += 1
            if options.pocket:
                count_streak(state, best != label)
            moved = scheme.compute_steps(
                scores,
                label,
                rows.sqnorm(i) + options.bias_sqnorm,
                rule,
                options.tie,
                state.active,
                rounded(class_weight[label] * weight[n], state.W),
                weight[n],
                taus,
                state.losses,
                state.mistakes,
            )
            if penalty.decay() != 1.0:
                moved = shrink_scales(state, K, rounded(penalty.decay(), state.W)) or moved
            if moved:
                for k in range(K):
                    steps[k] = 0.0
                    if taus[k] != 0.0:
                        state.updates[k] += 1
                        steps[k] = rounded(rounded(taus[k], state.W) / state.scale[k], state.W)
                        if log.tau.shape[0] > 0:
                            record_step(log, i, k, steps[k], state.t[0])
                rows.axpy_multi(i, steps, state.W)
                if options.average:
                    for k in range(K):
                        state.ub[k] += state.t[0] * taus[k] * options.intercept
                        steps[k] *= state.area[k]
                    rows.axpy_multi(i, steps, state.U)
                if options.intercept:
                    for k in range(K):
                        state.b[k] += taus[k]
                scored = 0
            for k in range(K):
                if penalty.truncation() != 0.0 and state.active[k]:
                    scored = 0
                    state.owed[k] += penalty.truncation()
                    rows.truncate(
                        i,
                        state.W,
                        state.Q,
                        k,
                        state.owed[k],
                        state.scale[k],
                        state.U,
                        state.area[k],
                    )
                state.area[k] += state.scale[k]
            state.t[0] += 1

    return compiled_for(multi, kinds)


@compiled
def count_streak(state: State, wrong: bool) -> None:
    """Count right predictions in a row; the weights of the longest run become the champion."""
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


@compiled
def shrink_scales(state: State, K: int, decay: float) -> bool:
    """Shrink the scale of every column that learns; whether one had to be folded."""
    folded = False
    for k in range(K):
        if state.active[k]:
            state.scale[k] = rounded(state.scale[k] * decay, state.W)
            if state.scale[k] < smallest_scale(state.W):
                fold_scale(state, k, state.scale[k], state.area[k])
                state.scale[k], state.area[k] = 1.0, 0.0
                folded = True
    return folded


@compiled
def fold_scale(state: State, k: int, scale: float, area: float) -> None:
    """Multiply ``scale`` into column k; the average goes on as if its area began at zero."""
    for j in range(state.W.shape[0]):
        if state.U.shape[0] > 0:
            state.U[j, k] -= area * state.W[j, k]
        state.W[j, k] *= scale


@compiled
def smallest_scale(w: Array) -> float:
    """Below this the scale is folded into the weights: 1e-9 in float64, 1e-6 in float32."""
    return 1e-9 if w.itemsize == 8 else 1e-6
