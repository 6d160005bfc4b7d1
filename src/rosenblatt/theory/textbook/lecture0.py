"""L0 · Lecture 25: the perceptron through the origin, one pass over a sequence of examples."""

from __future__ import annotations

import numpy as np

from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, check_array, check_X_y


def origin_perceptron(
    X: ArrayLike, y: ArrayLike, eta: float = 1.0, *, tie: int = -1, start: ArrayLike | None = None
) -> Trace:
    """Perceptron through the origin, one pass: on a mistake w ← w + η y x.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The sequence of examples; labels -1 or +1 (or 0 and 1), possibly of one class.
    eta : float, default 1.0
        Learning rate, 0 < η <= 1.
    tie : {-1, 0, +1}, default -1
        The prediction for a score of 0: the lecture's sgn(0). 0 is a mistake for any label.
    start : array of shape (d,), default None
        The first w; None is the lecture's 0.

    Returns
    -------
    Trace
        n steps; `weights` are the lecture's w_0, w_1, …, counted in mistakes.

    Raises
    ------
    ValueError
        ``eta`` is not above 0 and at most 1, or X and y do not fit each other.

    Notes
    -----
    Lecture row L0.1. At most (R/γ)² mistakes: `rosenblatt.theory.mistake_bound`.

    Examples
    --------
    >>> run = origin_perceptron([[2.0, 0.0], [0.0, 2.0], [1.0, 2.0]], [1, -1, -1], eta=0.5)
    >>> run.score, run.w, run.mistakes
    (array([0., 0., 1.]), array([ 0.5, -1. ]), 2)
    """
    X, y = check_X_y(X, y, require_both=False)
    log = Log("origin_perceptron", X, y, start, eta=eta, tie=tie)
    if log.eta > 1.0:
        raise ValueError(f"eta must be at most 1, got {log.eta!r}")
    for i in range(len(X)):
        if log.predict(i) != y[i]:
            log.record_update(log.w + log.eta * y[i] * X[i])
    return log.trace(epochs=1, converged=log.all_right())


def radial_lift(X: ArrayLike) -> Floats:
    """Lift rows of shape (n, d) onto a paraboloid: x ↦ (x, ‖x‖²), in the plane (x, y, x² + y²).

    The intersection of a plane with the paraboloid is a circle, seen from above. Lecture row L0.6;
    as an estimator, `rosenblatt.RadialLift`.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows.

    Returns
    -------
    ndarray of shape (n, d + 1)

    Examples
    --------
    >>> radial_lift([[1.0, 2.0]])
    array([[1., 2., 5.]])
    """
    rows = check_array(X, "X", "(n, d)", 2)
    return np.column_stack([rows, dot(rows, rows)])
