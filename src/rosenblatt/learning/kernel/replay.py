"""The fit of a kernel classifier of two classes, with any rule, as a recorded run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.replay import OTHER_ROWS, signs, unfitted
from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.theory.textbook.traces.kernel import KernelTrace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import Floats, check_array
from rosenblatt.utils.matrices import is_sparse

NEEDS = {"output": ("last", "vote"), "class_weight": (None,), "budget": (None,)}
"""Parameters with which a fit is a run of α, row after row; a vote is one of all its weights."""


@dataclass(frozen=True, eq=False, repr=False)
class FittedTrace(KernelTrace):
    """A recorded fit: its kernel gives the values of many pairs of rows at once."""

    k: FittedKernel = field(kw_only=True)

    def products(self, X: ArrayLike) -> Floats:
        """Return (k(x_1, x), …, k(x_n, x)) for rows x of shape (m, d): shape (m, n)."""
        return self.k.values(check_array(X, "X", "(m, d)", 2), self.rows)


class FittedKernel:
    """The kernel of a fitted model, with its γ, as a function of two rows."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, x: Array, z: Array) -> float:
        """Return the value of one pair."""
        return float(self.values(x[np.newaxis], z[np.newaxis])[0, 0])

    def values(self, A: Array, B: Array) -> Floats:
        """Return the values of all pairs of rows of two matrices."""
        return interface.kernel_values(self.model, A, B)


def replay(model: Any, X: Matrix, y: ArrayLike) -> KernelTrace:
    """Fit a kernel perceptron with the model's parameters again, and return the updates as a run.

    :meth:`rosenblatt.KernelPerceptron.trace` describes it.
    """
    again = unfitted(model, NEEDS)
    if model.kernel == "precomputed":
        raise ValueError("trace needs rows: give the kernel as a function, not 'precomputed'.")
    again.output, again.probabilities = "vote", False  # a vote keeps all steps
    moves, labels = again.fit(X, y).moves_, np.asarray(y).ravel()
    rows = np.asarray(X.toarray() if is_sparse(X) else X, np.float64)
    k = FittedKernel(again)
    run = FittedTrace.of(_record(again, moves, k.values(rows, rows), labels), rows, k)
    same = np.array_equal(again.support_, model.support_) and run.b == model.intercept_[0]
    if not (same and np.array_equal(run.alpha[model.support_], model.dual_coef_[0])):
        raise ValueError(OTHER_ROWS)
    return run


def _record(again: Any, moves: Array, K: Floats, y: Array) -> Trace:
    """Record the steps of a fit on the rows of its kernel matrix."""
    order = np.concatenate(interface.epoch_orders(again, y))[moves["t"]]
    labels, offset = signs(again, y), -1 if again.fit_intercept else None
    rates = moves["tau"] * labels[order]
    eta = float(next(iter(rates[rates > 0.0]), 1.0))
    name = type(interface.rule(again)).__name__
    log = Log(name, K, labels, eta=eta, tie=again.tie, offset=offset)
    at_mistakes = again.mistakes_ == len(moves)  # every step: then rounding here decides nothing
    for i, j, tau, rate in zip(order.tolist(), moves["row"], moves["tau"], rates, strict=True):
        score, label = float(dot(log.X[i], log.w)), int(labels[i])
        predicted = int(sgn(score, again.tie))
        if at_mistakes and predicted == label:
            predicted = -label
        log.record_step(i, score, predicted, label, predicted != label)
        w = log.w.copy()
        w[j] += tau
        if offset is not None:
            w[offset] += tau
        log.record_update(w, float(rate))
    return log.trace(again.n_iter_, again.converged_)
