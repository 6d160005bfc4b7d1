"""The fit of a two-class perceptron, with any rule, as a recorded run of the textbook."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.replay import OTHER_ROWS, signs, unfitted
from rosenblatt.theory.rule_kinds import chooses_row, is_plain, traits_of
from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.matrices import is_sparse

NEEDS = {"output": ("last",), "class_weight": (None,), "shards": (1,), "scale": (False,)}
"""Parameters with which a fit is a run of w alone, row after row."""


def replay(model: Any, X: Matrix, y: ArrayLike) -> Trace:
    """Fit a perceptron with the model's parameters again, and return the updates as a run.

    :meth:`rosenblatt.Perceptron.trace` describes it.
    """
    again = unfitted(model, NEEDS)
    rule = interface.rule(model)
    if traits_of(type(rule)).blended or chooses_row(rule):
        raise ValueError(f"trace needs a rule that learns row after row; {rule!r} does not.")
    exact = is_plain(rule) and model.coef_.dtype == np.float64  # w + τ x: float32 rounds it
    record = _record_steps if exact else _record_rows
    run = record(again, model, X, np.asarray(y).ravel())
    b = run.b if run.offset is not None else 0.0
    if not (np.array_equal(run.w, model.coef_[0]) and b == model.intercept_[0]):
        raise ValueError(OTHER_ROWS)
    return run


def _log(model: Any, X: Matrix, y: Array, eta: float = 1.0) -> Log:
    rows = X.toarray() if is_sparse(X) else np.asarray(X)
    offset = -1 if model.fit_intercept else None
    name = type(interface.rule(model)).__name__
    floats = np.asarray(rows, np.float64)
    return Log(name, floats, signs(model, y), eta=eta, tie=model.tie, offset=offset)


def _record_steps(again: Any, model: Any, X: Matrix, y: Array) -> Trace:
    """Record a rule that moves w along each row, from the steps of another fit."""
    again.expansion = True
    moves = again.fit(X, y).moves_
    order = np.concatenate(interface.epoch_orders(again, y))
    rows, taus = order[moves["t"]], moves["tau"]
    rates = taus * signs(model, y)[rows]
    eta = next(iter(rates[rates > 0.0]), 1.0)
    log = _log(model, X, y, float(eta))
    for i, tau, rate in zip(rows.tolist(), taus, rates.tolist(), strict=True):
        log.predict(i)
        log.record_update(log.w + tau * log.X[i], rate)
    return log.trace(again.n_iter_, again.converged_)


def _record_rows(again: Any, model: Any, X: Matrix, y: Array) -> Trace:
    """Record another rule, learning a row at a time: the same bits."""
    log, again.early_stopping, mistakes = _log(model, X, y), False, 0
    for i in np.concatenate(interface.epoch_orders(model, y)).tolist():
        again.partial_fit(X[i : i + 1], y[i : i + 1], classes=model.classes_)
        w = again.coef_[0].astype(np.float64)
        w = w if log.offset is None else np.append(w, again.intercept_)
        score, label = float(dot(log.X[i], log.w)), int(log.y[i])
        is_mistake, mistakes = again.mistakes_ > mistakes, again.mistakes_
        if not np.array_equal(w, log.w) or is_mistake:
            predicted = int(sgn(score, log.tie))
            if is_mistake != (predicted != label):  # the rule has seen x before it scores it
                predicted = -label if is_mistake else label
            log.record_step(i, score, predicted, label, is_mistake)
            log.record_update(w)
    return log.trace(model.n_iter_, model.converged_)
