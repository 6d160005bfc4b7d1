"""L4 · The notebook: single-sample correction, and gradient descent on a criterion."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from rosenblatt.theory.textbook.criteria import Criterion, PerceptronCriterion, check_criterion
from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, check_array, check_float, check_int, check_X_y
from rosenblatt.utils.renamed import renamed
from rosenblatt.utils.words import count

Rate: TypeAlias = float | list[float] | tuple[float, ...] | Floats | Callable[[int], float]
"""A rate for all updates; a list, tuple or array of η_1, η_2, …; or η as a function of t."""


def sample_correction(
    X: ArrayLike,
    c: ArrayLike,
    eps: Rate = 1.0,
    *,
    start: ArrayLike | None = None,
    seed: int = 0,
    max_epochs: int = 100,
) -> Trace:
    """Single-sample correction: a ← a + ε x where a·x <= 0, until an epoch changes nothing.

    The rows are augmented to (1, x), and those of class 0 negated; the goal is a·x > 0 for all.

    Parameters
    ----------
    X, c : array of shape (n, d), array of shape (n,)
        The samples and their classes, 0 and 1 (or -1 and +1), both.
    eps : float, sequence of float or callable, default 1.0
        Step, ε > 0; or a sequence of steps: a list, tuple or array, as long as the corrections
        need it, or a function of the number t = 1, 2, … of the correction, ``lambda t: 1 / t``. The
        notebook proves convergence for "all 1s" (lecture row L4.9).
    start : array of shape (d + 1,), default None
        The initial a; None draws it uniformly from [0, 1), as the notebook does.
    seed : int, default 0
        Random seed for ``start=None``.
    max_epochs : int, default 100
        Largest number of epochs, >= 1; the notebook's 100.

    Returns
    -------
    Trace
        n steps per epoch. A stored vector is (d, a0, a1, …), where the notebook's d is the offset:
        `offset` is 0. Predictions and labels are classes; a score > 0 predicts class 1. A score
        of 0 is a mistake even for class 0, although the prediction is right.

    Notes
    -----
    Lecture rows L4.2 and L4.9. Corrections from any start: `rosenblatt.theory.start_bound`.

    Examples
    --------
    >>> run = sample_correction([[0.0], [1.0]], [0, 1], start=[0.0, 0.0])
    >>> run.weights[-1], run.epochs, run.converged
    (array([-1.,  2.]), 4, True)
    """
    X, c = check_X_y(X, c, (0, 1), "c")
    rate, max_epochs = rate_schedule(eps, "eps"), check_int(max_epochs, "max_epochs", minimum=1)
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    start = rng.random(X.shape[1] + 1) if start is None else start
    log = Log("sample_correction", X, 2 * c - 1, start, eta=rate(1), offset=0)
    flipped = log.y[:, np.newaxis] * log.X
    epochs, updates, changed = 0, 0, True
    while changed and epochs < max_epochs:
        changed = False
        for i, x in enumerate(flipped):
            score = float(dot(log.X[i], log.w))
            right = bool(dot(x, log.w) > 0.0)
            log.record_step(i, score, int(score > 0.0), c[i], not right)
            if not right:
                updates, changed = updates + 1, True
                log.record_update(log.w + rate(updates) * x, rate(updates))
        epochs += 1
    return log.trace(epochs, converged=not changed)


def intercepts(w: ArrayLike, b: float) -> Floats:
    """Intercepts of the line w·x + b = 0 with the axes: -b / w_i, shape (d,); nan where w_i = 0.

    For the notebook's a0 x + a1 y + d = 0 these are x = -d/a0 and y = -d/a1. Lecture row L4.3.

    Parameters
    ----------
    w : array of shape (d,)
    b : float
        The line w·x + b = 0.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> intercepts([0.7, 0.4], b=-0.5).round(3)
    array([0.714, 1.25 ])
    """
    normal, b = check_array(w, "w", "(d,)", 1), check_float(b, "b")
    return np.array([-b / a + 0.0 if a else math.nan for a in normal.tolist()])


@renamed(max_steps="max_updates")
@np.errstate(over="ignore", invalid="ignore")  # the recorder raises one error on overflow
def batch_descent(
    X: ArrayLike,
    c: ArrayLike,
    criterion: Criterion = PerceptronCriterion(),  # noqa: B008 (a value, never changed)
    eta: Rate = 1.0,
    *,
    start: ArrayLike | None = None,
    max_updates: int = 100,
) -> Trace:
    """Batch gradient descent, w ← w - η ∇J(w): one update per pass over all rows.

    For the perceptron criterion that is w ← w + η Σ y x over the misclassified rows. The rows are
    augmented to (1, x). The run ends where the gradient is 0.

    Parameters
    ----------
    X, c : array of shape (n, d), array of shape (n,)
        The samples and their classes, 0 and 1 or -1 and +1, both.
    criterion : Criterion, default ``PerceptronCriterion()``
        J(w), a sum of one term per row: `rosenblatt.criteria`.
    eta : float, sequence of float or callable, default 1.0
        Learning rate, η > 0; or a sequence η_t: a list, tuple or array, as long as the updates need
        it, or a function of the number t = 1, 2, … of the update.
    start : array of shape (d + 1,), default None
        The initial w; None is 0.
    max_updates : int, default 100
        Largest number of updates, >= 1.

    Returns
    -------
    Trace
        n steps per update; `mistake` marks the misclassified rows, `epochs` counts the passes. A
        stored vector is (w0, w1, …): `offset` is 0. Predictions and labels are signs.

    Raises
    ------
    ValueError
        If w overflows: choose a smaller η; or if a sequence of rates has fewer than the run takes.

    Notes
    -----
    Lecture rows L4.5, L4.7 and L4.9.

    Examples
    --------
    >>> run = batch_descent([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> run.weights[1], run.line(-1), run.converged
    (array([-1.,  2.]), (array([1.]), -2.0), True)
    """
    check_criterion(criterion)
    X, y = check_X_y(X, c, name="c")
    rate, max_updates = rate_schedule(eta, "eta"), check_int(max_updates, "max_updates", minimum=1)
    log = Log("batch_descent", X, y, start, eta=rate(1), offset=0)
    updates, gradient = 0, _gradient(log, criterion)
    while gradient.any() and updates < max_updates:
        updates += 1
        log.record_update(log.w - rate(updates) * gradient, rate(updates))
        gradient = _gradient(log, criterion)
    return log.trace(updates + 1, converged=log.all_right())


def _gradient(log: Log, criterion: Criterion) -> Floats:
    """Record a step for each row, and return ∇J(w)."""
    scores = log.scores()
    for i, score in enumerate(scores):
        log.predict(i, score)
    return dot(log.X.T, criterion.slope(scores, log.y))


@np.errstate(over="ignore", invalid="ignore")  # the recorder raises one error on overflow
def sample_descent(
    X: ArrayLike,
    c: ArrayLike,
    criterion: Criterion = PerceptronCriterion(),  # noqa: B008 (a value, never changed)
    eta: Rate = 1.0,
    *,
    start: ArrayLike | None = None,
    max_epochs: int = 100,
) -> Trace:
    """Stochastic gradient descent: for each row in turn w ← w - η ∇ of the row's term of J.

    For the perceptron criterion that is w ← w + η y x where the row is misclassified: the
    single-sample correction, and the perceptron of L2.7. The run ends with an epoch without an
    update.

    Parameters
    ----------
    X, c, criterion, eta, start
        As in `batch_descent`.
    max_epochs : int, default 100
        Largest number of epochs, >= 1.

    Returns
    -------
    Trace
        n steps per epoch, as in `batch_descent`; w changes where the term's slope is not 0.

    Notes
    -----
    Lecture rows L2.7 and L4.5.

    Examples
    --------
    >>> run = sample_descent([[0.0], [1.0]], [0, 1])
    >>> run.line(-1), run.epochs, run.converged
    ((array([2.]), -1.0), 4, True)
    """
    check_criterion(criterion)
    X, y = check_X_y(X, c, name="c")
    rate, max_epochs = rate_schedule(eta, "eta"), check_int(max_epochs, "max_epochs", minimum=1)
    log = Log("sample_descent", X, y, start, eta=rate(1), offset=0)
    epochs, updates, moved = 0, 0, True
    while moved and epochs < max_epochs:
        moved = False
        for i, x in enumerate(log.X):
            score = dot(x, log.w)
            log.predict(i, float(score))
            slope = float(criterion.slope(score, y[i]))
            if slope != 0.0:
                updates, moved = updates + 1, True
                log.record_update(log.w - rate(updates) * slope * x, rate(updates))
        epochs += 1
    return log.trace(epochs, converged=log.all_right())


def rate_schedule(eta: Rate, name: str) -> Callable[[int], float]:
    """Return η_t as a function of the number t of the update, from 1; it checks, and asks once.

    A sequence that is shorter than the run is a ValueError at the first update without a rate.

    Examples
    --------
    >>> rate_schedule([1.0, 0.5], "eta")(2)
    0.5
    >>> rate_schedule([1.0, 0.5], "eta")(3)
    Traceback (most recent call last):
    ValueError: eta has 2 rates, and update 3 needs one: take more, or a function of t
    """
    if callable(eta):
        return cache(lambda t: check_float(eta(t), f"{name}({t})", above=0.0))
    if not isinstance(eta, list | tuple | np.ndarray):
        constant = check_float(eta, name, above=0.0)
        return lambda t: constant
    rates: list[float] = check_array(eta, name, "(k,)", 1).tolist()
    for t, rate in enumerate(rates, start=1):
        check_float(rate, f"rate {t} of {name}", above=0.0)

    def rate_of(t: int) -> float:
        if t > len(rates):
            raise ValueError(
                f"{name} has {count(len(rates), 'rate')}, and update {t} needs one: take more, or "
                "a function of t"
            )
        return rates[t - 1]

    return rate_of
