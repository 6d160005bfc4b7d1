"""L1 · The online perceptron: threshold functions, and the protocol that counts mistakes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, rows_of_width
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_array, check_float, check_X_y


def threshold(w: ArrayLike, b: float = 0.0) -> Callable[[ArrayLike], Ints]:
    """Threshold function f: +1 if w·x >= b, else -1; for `w` of shape (d,) and finite `b`.

    f maps rows of shape (n, d) to an array of shape (n,). The sign convention: here b is a
    threshold; elsewhere b is an offset, w·x + b. Lecture row L1.1.

    Parameters
    ----------
    w : array of shape (d,)
    b : float, default 0
        The threshold, finite.

    Returns
    -------
    function of rows of shape (n, d) to ±1 of shape (n,)

    Examples
    --------
    >>> f = threshold([1.0, 1.0], b=2.0)
    >>> f([[1.0, 1.0], [0.0, 1.0]])
    array([ 1, -1])
    """
    normal, b = check_array(w, "w", "(d,)", 1), check_float(b, "b")

    def f(X: ArrayLike) -> Ints:
        return np.where(dot(rows_of_width(X, len(normal)), normal) >= b, 1, -1)

    return f


def append_one(X: ArrayLike) -> Floats:
    """Append a constant feature to rows of shape (n, d): x ↦ (x, 1), shape (n, d + 1).

    Lecture row L1.1.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows.

    Returns
    -------
    ndarray of shape (n, d + 1)

    Examples
    --------
    >>> append_one([[2.0, 3.0]])
    array([[2., 3., 1.]])
    """
    rows = check_array(X, "X", "(n, d)", 2)
    return np.column_stack([rows, np.ones(len(rows))])


def lift_threshold(w: ArrayLike, b: float) -> Floats:
    """Convert a threshold to one more weight: (w, b) ↦ (w, -b), shapes (d,) and (d + 1,).

    ``threshold(w, b)`` on x and ``threshold(lift_threshold(w, b))`` on (x, 1) agree on every row,
    rounding included: the constant feature is added last, and s - b >= 0 exactly where s >= b.
    Lecture row L1.1.

    Parameters
    ----------
    w : array of shape (d,)
    b : float
        The threshold.

    Returns
    -------
    ndarray of shape (d + 1,)

    Examples
    --------
    >>> lift_threshold([1.0, 1.0], b=2.0)
    array([ 1.,  1., -2.])
    """
    return np.append(check_array(w, "w", "(d,)", 1), -check_float(b, "b"))


def lower_threshold(w: ArrayLike) -> tuple[Floats, float]:
    """Convert the last weight to a threshold: (w, -b) ↦ (w, b), the inverse of `lift_threshold`.

    The shape is (d + 1,), d >= 1. Lecture row L1.1.

    Parameters
    ----------
    w : array of shape (d + 1,)
        Weights for rows (x, 1).

    Returns
    -------
    w, b : ndarray of shape (d,), float

    Raises
    ------
    ValueError
        ``w`` has less than two numbers.

    Examples
    --------
    >>> lower_threshold([1.0, 1.0, -2.0])
    (array([1., 1.]), 2.0)
    """
    lifted = check_array(w, "w", "(d + 1,)", 1)
    if len(lifted) < 2:
        raise ValueError(f"w must have shape (d + 1,) with d >= 1, got {lifted.shape}")
    return lifted[:-1].copy(), -float(lifted[-1])


def online_perceptron(
    X: ArrayLike, y: ArrayLike, eta: float = 1.0, *, tie: int = 1, start: ArrayLike | None = None
) -> Trace:
    """Run the online protocol: for each t receive x_t, predict, receive the label, update.

    Each wrong prediction counts as a mistake and is corrected: w ← w + η y x.

    Parameters
    ----------
    X, y : array of shape (T, d), array of shape (T,)
        The rounds; labels -1 or +1 (or 0 and 1), possibly of one class.
    eta : float, default 1.0
        Learning rate, η > 0; not in the lecture, which is equivalent to 1.
    tie : {-1, 0, +1}, default +1
        The prediction for a score of 0; the lecture's is +1. 0 is a mistake for any label.
    start : array of shape (d,), default None
        The first w; None is the lecture's 0.

    Returns
    -------
    Trace
        T steps, one per round; `used` is the lecture's m_t.

    Notes
    -----
    Lecture row L1.2. At most (D/γ)² mistakes: `rosenblatt.theory.mistake_bound`.

    Examples
    --------
    >>> run = online_perceptron([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], [1, -1, -1])
    >>> run.prediction, run.used, run.mistakes
    (array([ 1,  1, -1]), array([0, 0, 1]), 1)
    """
    X, y = check_X_y(X, y, require_both=False)
    log = Log("online_perceptron", X, y, start, eta=eta, tie=tie)
    for t in range(len(X)):
        predicted = log.predict(t)
        revealed = y[t]
        if predicted != revealed:
            log.record_update(log.w + log.eta * revealed * X[t])
    return log.trace(epochs=1, converged=log.all_right())
