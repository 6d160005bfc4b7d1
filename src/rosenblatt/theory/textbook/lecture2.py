"""L2 · Perceptrons and kernels: an offset, features by their kernel, and the adaptive filter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.theory.datasets.signals import delay_line
from rosenblatt.theory.textbook.lecture1 import append_one
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Log, Trace
from rosenblatt.utils.checks import (
    Floats,
    check_array,
    check_float,
    check_int,
    check_one_of,
    check_vector,
    check_X_y,
)


def perceptron(
    X: ArrayLike,
    y: ArrayLike,
    eta: float = 1.0,
    *,
    tie: int = -1,
    start: ArrayLike | None = None,
    max_epochs: int = 1000,
) -> Trace:
    """Perceptron(X, Y, η): w ← w + (η/2)(y - g(x)) x, b ← b + (η/2)(y - g(x)), until all right.

    Here g(x) = sgn(⟨w, x⟩ + b). After every pass all rows are checked.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 and +1 (or 0 and 1), both.
    eta : float, default 1.0
        Learning rate, η > 0. From 0 it scales w and b and, but for rounding, does nothing else.
    tie : {-1, +1}, default -1
        sgn(0), which the lecture leaves open. (With 0 the formula would take half a step.)
    start : array of shape (d + 1,), default None
        The first (w, b); None is the lecture's 0.
    max_epochs : int, default 1000
        How many passes at most, >= 1.

    Returns
    -------
    Trace
        n steps an epoch. A stored vector is (w, b): `offset` is -1.

    Notes
    -----
    Lecture row L2.2. At most (b*² + 1)(R² + 1)/ρ² updates: `rosenblatt.theory.offset_bound`.

    Examples
    --------
    >>> run = perceptron([[0.0], [1.0], [2.0]], [-1, -1, 1])
    >>> run.w, run.b, run.epochs, run.converged
    (array([1.]), -1.0, 2, True)
    """
    X, y = check_X_y(X, y)
    eta, tie = check_float(eta, "eta", above=0.0), check_one_of(tie, "tie", (-1, 1))
    max_epochs = check_int(max_epochs, "max_epochs", minimum=1)
    d = X.shape[1]
    w_b = np.zeros(d + 1) if start is None else check_vector(start, "start", d + 1)
    log = Log("perceptron", append_one(X), y, w_b, eta=eta, tie=tie, offset=-1)
    w, b = w_b[:-1], float(w_b[-1])
    epochs, all_right = 0, False
    while not all_right and epochs < max_epochs:
        for i in range(len(X)):
            score = float(dot(X[i], w)) + b
            g = int(sgn(score, tie))
            log.record_step(i, score, g, y[i], g != y[i])
            if g != y[i]:
                w = w + eta / 2 * (y[i] - g) * X[i]
                b = b + eta / 2 * float(y[i] - g)
                log.record_update(np.append(w, b))
        epochs += 1
        all_right = np.array_equal(sgn(dot(X, w) + b, tie), y)
    return log.trace(epochs, converged=all_right)


def quadratic_features(X: ArrayLike) -> Floats:
    """Quadratic features in the plane: Φ(x) = (x1², √2 x1 x2, x2²), so ⟨Φ(x), Φ(x')⟩ = ⟨x, x'⟩².

    For rows of shape (n, 2): shape (n, 3). ValueError if the shape does not fit or a number is not
    finite. Lecture row L2.8; for any degree and dimension, `rosenblatt.PolynomialLift`.

    Examples
    --------
    >>> quadratic_features([[1.0, 0.0], [2.0, 3.0]]).round(3)
    array([[1.   , 0.   , 0.   ],
           [4.   , 8.485, 9.   ]])
    """
    rows = check_array(X, "X", "(n, 2)", 2)
    check_vector(rows[0], "a row of X", 2)
    x1, x2 = rows.T
    return np.column_stack([x1 * x1, math.sqrt(2.0) * x1 * x2, x2 * x2])


def kernel_perceptron(
    k: Callable[[Floats, Floats], float],
    X: ArrayLike,
    y: ArrayLike,
    *,
    eta: float = 1.0,
    tie: int = -1,
    max_epochs: int = 1000,
) -> Trace:
    """`perceptron` on features, by their kernel: α_i ← α_i + (η/2)(y_i - g(x_i)), b alike.

    Here g(x) = sgn(Σ_l α_l k(x_l, x) + b). For k(x, x') = ⟨Φ(x), Φ(x')⟩ it looks, scores and
    corrects as ``perceptron(Φ(X), y, eta)`` does, and w = Σ_l α_l Φ(x_l).

    Parameters
    ----------
    k : callable
        Any function of two rows of shape (d,) to a finite number, asked once for every pair.
    X, y, eta, tie, max_epochs
        As in `perceptron`.

    Returns
    -------
    Trace
        n steps an epoch. A stored vector is (α_1, …, α_n, b): `w` is α, and `offset` is -1.
        A row of `X` is (k(x_1, x), …, k(x_n, x), 1): the scores are its products with the stored
        vectors, but these move along a coordinate, not along the row.

    Raises
    ------
    ValueError
        As in `perceptron`, or if a value of k is not a finite number.

    Notes
    -----
    Lecture rows L2.9, L2.10. (There η/2 stands beside α_i; here it is in it.)

    Examples
    --------
    >>> xor = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> run = kernel_perceptron(lambda x, z: (x @ z + 1.0) ** 2, xor, [-1, 1, 1, -1])
    >>> run.w, run.b, run.epochs, run.converged
    (array([-1.,  1.,  1., -1.]), 0.0, 3, True)
    """
    X, y = check_X_y(X, y)
    eta, tie = check_float(eta, "eta", above=0.0), check_one_of(tie, "tie", (-1, 1))
    max_epochs = check_int(max_epochs, "max_epochs", minimum=1)
    K = check_array([[k(z, x) for z in X] for x in X], "k", "(n, n)", 2)
    alpha, b, e = np.zeros(len(X)), 0.0, np.eye(len(X))
    start = np.append(alpha, b)
    log = Log("kernel_perceptron", append_one(K), y, start, eta=eta, tie=tie, offset=-1)
    epochs, all_right = 0, False
    while not all_right and epochs < max_epochs:
        for i in range(len(X)):
            score = float(dot(K[i], alpha)) + b
            g = int(sgn(score, tie))
            log.record_step(i, score, g, y[i], g != y[i])
            if g != y[i]:
                alpha = alpha + eta / 2 * (y[i] - g) * e[i]
                b = b + eta / 2 * float(y[i] - g)
                log.record_update(np.append(alpha, b))
        epochs += 1
        all_right = np.array_equal(sgn(dot(K, alpha) + b, tie), y)
    return log.trace(epochs, converged=all_right)


class Filtered(NamedTuple):
    """What an adaptive filter left of a signal, and what it had learned at the end.

    Attributes
    ----------
    errors : array of shape (n,)
        e[t] = d[t] - w_t·x_t, by the weights before they learned from it.
    weights : array of shape (taps,)
        The last w.
    """

    errors: Floats
    weights: Floats


def adaptive_filter(
    x: ArrayLike,
    d: ArrayLike,
    taps: int,
    mu: float,
    *,
    normalised: bool = True,
    eps: float = 0.0,
    held: ArrayLike | None = None,
) -> Filtered:
    """Least mean squares on a signal: e = d[t] - w·x_t, then w ← w + μ e x_t, from w = 0.

    Here x_t = (x[t], x[t - 1], …, x[t - taps + 1]), zeros before the start. Normalised, the step
    is divided by ε + ‖x_t‖², and a row of zeros moves nothing.

    Parameters
    ----------
    x, d : array of shape (n,)
        What goes into the filter, and what should come out.
    taps : int
        Length of the filter, >= 1.
    mu : float
        Step size, > 0. Where d is the echo of a filter and nothing else, no step leads away from
        that filter for μ <= 2 (plain: μ <= 2/max ‖x_t‖²). Noise, in a pause above all, can: see ε.
    normalised : bool, default True
        Whether the step is divided.
    eps : float, default 0.0
        ε >= 0, which keeps the step small in a pause. It has no part in the plain form.
    held : array of bool of shape (n,), optional
        Where the weights rest: `rosenblatt.signals.double_talk`.

    Returns
    -------
    Filtered

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite or out of range, or the weights run off to
        infinity because μ is too large.

    Notes
    -----
    Lecture row L2.11. Widrow and Hoff 1960; normalised: Nagumo and Noda 1967. The perceptron's
    sum and the perceptron's step along x, for an error that is a number and not a sign. The
    compiled form is `rosenblatt.LMSRegressor` on the rows of `delay_line`.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal(500)
    >>> d = 0.5 * x + 0.25 * np.append(0.0, x[:-1])
    >>> adaptive_filter(x, d, taps=2, mu=0.5).weights.round(6)
    array([0.5 , 0.25])
    """
    line, mu, eps = (
        delay_line(x, taps),
        check_float(mu, "mu", above=0.0),
        check_float(eps, "eps", minimum=0.0),
    )
    d = check_vector(d, "d", len(line))
    resting = np.zeros(len(d)) if held is None else check_vector(held, "held", len(d))
    w, e = np.zeros(taps), np.zeros(len(d))
    with np.errstate(over="ignore", invalid="ignore"):
        for t, row in enumerate(line):
            e[t] = d[t] - dot(row, w)
            size = eps + dot(row, row) if normalised else 1.0
            if size > 0.0 and not resting[t]:
                w = w + mu * e[t] / size * row
    if not np.isfinite(e).all():
        raise ValueError(f"the weights ran off to infinity: take mu < {mu!r}, or a larger eps")
    return Filtered(e, w)
