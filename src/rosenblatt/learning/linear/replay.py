"""The fit of a two-class perceptron as a recorded run of the textbook."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.theory import rules
from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike, Matrix
from rosenblatt.utils.matrices import is_sparse


def replay(model: Any, X: Matrix, y: ArrayLike) -> Trace:
    """Fit a perceptron with the model's parameters again, and return the corrections as a run.

    :meth:`rosenblatt.Perceptron.trace` describes it.
    """
    interface.require_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(f"trace needs a model of two classes; this one has {len(model.classes_)}.")
    rule = interface.rule(model)
    if type(rule) is not rules.Perceptron or model.output != "last" or model.class_weight:
        raise ValueError(
            "trace needs rule='perceptron', output='last' and class_weight=None, so that w changes "
            "by η y x at mistakes only."
        )
    params = {field.name: getattr(model, field.name) for field in fields(model) if field.init}
    again = type(model)(**params | {"expansion": True, "warm_start": False}).fit(X, y)
    if not np.array_equal(again.coef_, model.coef_):
        raise ValueError(
            "X and y are not the rows of the model's only fit: fit(X, y) with the same parameters, "
            "and random_state an integer, gives other weights."
        )
    rows = X.toarray() if is_sparse(X) else np.asarray(X)
    signs = np.where(np.asarray(y) == model.classes_[1], 1, -1)
    options = {"tie": model.tie, "offset": -1 if model.fit_intercept else None}
    log = Log("Perceptron", np.asarray(rows, np.float64), signs, eta=rule.eta, **options)
    rows = log.X
    for i, tau in zip(again.moves_["row"], again.moves_["tau"], strict=True):
        sign = 1 if tau > 0.0 else -1
        if signs[i] != sign:  # equal rows are recorded as one
            i = np.flatnonzero((rows == rows[i]).all(axis=1) & (signs == sign))[0]
        score = float(dot(rows[i], log.w))
        log.record_step(int(i), score, int(sgn(score, model.tie)), sign, True)
        log.record_update(log.w + tau * rows[i])
    return log.trace(again.n_iter_, again.converged_)
