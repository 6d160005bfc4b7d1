"""L2 · Perceptrons and kernels: an offset, the kernel form, and the adaptive filter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.theory.datasets.signals import delay_line
from rosenblatt.theory.textbook.lecture1 import append_one
from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, rows_of_width
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.theory.textbook.traces.kernel import KernelTrace, values
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import (
    Floats,
    check_array,
    check_choice,
    check_float,
    check_int,
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

    Here g(x) = sgn(⟨w, x⟩ + b). After every epoch the end condition is tested on all rows.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 and +1 (or 0 and 1), both.
    eta : float, default 1.0
        Learning rate, η > 0. From the start 0 it only scales w and b, apart from rounding.
    tie : {-1, 0, +1}, default -1
        sgn(0), which the lecture does not define. With 0, a score of 0 is a mistake for any label,
        and corrected as any other: by η y x, where the formula with g = 0 would take half of it.
    start : array of shape (d + 1,), default None
        The initial (w, b); None is the lecture's 0.
    max_epochs : int, default 1000
        Largest number of epochs, >= 1.

    Returns
    -------
    Trace
        n steps per epoch. A stored vector is (w, b): `offset` is -1.

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
    log = Log("perceptron", X, y, start, eta=eta, tie=tie, offset=-1)
    return _until_right(log, log.X, check_int(max_epochs, "max_epochs", minimum=1))


def _until_right(log: Log, moves: Floats, max_epochs: int) -> Trace:
    """Run epochs until all rows are right: a mistake at row i adds (η/2)(y - g) times move i."""
    epochs, all_right = 0, False
    while not all_right and epochs < max_epochs:
        for i, y in enumerate(log.y.tolist()):
            g = log.predict(i)
            if g != y:
                step = log.eta / 2 * (y - (g or -y))  # a tie is wrong for both labels
                log.record_update(log.w + step * moves[i])
        epochs += 1
        all_right = log.all_right()
    return log.trace(epochs, converged=all_right)


def quadratic_features(X: ArrayLike) -> Floats:
    """Quadratic features in the plane: Φ(x) = (x1², √2 x1 x2, x2²), so ⟨Φ(x), Φ(x')⟩ = ⟨x, x'⟩².

    Rows of shape (n, 2) become rows of shape (n, 3). Lecture row L2.8; for any degree and
    dimension, `rosenblatt.PolynomialLift`.

    Parameters
    ----------
    X : array of shape (n, 2)
        The rows.

    Returns
    -------
    ndarray of shape (n, 3)

    Examples
    --------
    >>> quadratic_features([[1.0, 0.0], [2.0, 3.0]]).round(3)
    array([[1.   , 0.   , 0.   ],
           [4.   , 8.485, 9.   ]])
    """
    x1, x2 = rows_of_width(X, 2).T
    return np.column_stack([x1 * x1, math.sqrt(2.0) * x1 * x2, x2 * x2])


def kernel_perceptron(
    X: ArrayLike,
    y: ArrayLike,
    k: Callable[[Floats, Floats], float],
    *,
    eta: float = 1.0,
    tie: int = -1,
    max_epochs: int = 1000,
) -> KernelTrace:
    """Kernel form of `perceptron`: α_i ← α_i + (η/2)(y_i - g(x_i)), b ← b + (η/2)(y_i - g(x_i)).

    Here g(x) = sgn(Σ_l α_l k(x_l, x) + b). For k(x, x') = ⟨Φ(x), Φ(x')⟩ the steps, scores and
    corrections are those of ``perceptron(Φ(X), y, eta)``, with w = Σ_l α_l Φ(x_l).

    Parameters
    ----------
    X, y
        As in `perceptron`.
    k : callable
        Any function of two rows of shape (d,) with a finite value, called once for every pair. In
        an old position, the first, it is a TypeError.
    eta, tie, max_epochs
        As in `perceptron`.

    Returns
    -------
    KernelTrace
        n steps per epoch. A stored vector is (α_1, …, α_n, b): `w` is α, and `offset` is -1.
        A row of `X` is (k(x_1, x), …, k(x_n, x), 1): the scores are its products with the stored
        vectors, but an update changes one coordinate, not the vector along the row.

    Notes
    -----
    Lecture rows L2.9, L2.10. (There η/2 is a factor beside α_i; here it is part of α_i.)

    Examples
    --------
    >>> xor = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> run = kernel_perceptron(xor, [-1, 1, 1, -1], lambda x, z: (x @ z + 1.0) ** 2)
    >>> run.w, run.b, run.epochs, run.converged
    (array([-1.,  1.,  1., -1.]), 0.0, 3, True)
    """
    if callable(X):
        raise TypeError("the kernel comes last: kernel_perceptron(X, y, k), not (k, X, y)")
    if not callable(k):
        raise TypeError(f"k must be a function of two rows, got {type(k).__name__}")
    X, y = check_X_y(X, y)
    eta, tie = check_float(eta, "eta", above=0.0), check_choice(tie, "tie", (-1, 0, 1))
    max_epochs = check_int(max_epochs, "max_epochs", minimum=1)
    K = check_array(values(k, X, X), "k", "(n, n)", 2)
    log = Log("kernel_perceptron", K, y, eta=eta, tie=tie, offset=-1)
    run = _until_right(log, append_one(np.eye(len(X))), max_epochs)  # α_i, and b
    return KernelTrace.of(run, X, k)


class Filtered(NamedTuple):
    """Errors of an adaptive filter, and its final weights.

    Attributes
    ----------
    errors : array of shape (n,)
        e[t] = d[t] - w_t·x_t, with the weights before the update of step t.
    weights : array of shape (taps,)
        The final w.

    Examples
    --------
    >>> found = adaptive_filter([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], taps=1, mu=1.0)
    >>> found.errors.shape, found.weights.shape
    ((3,), (1,))
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

    Here x_t = (x[t], x[t - 1], …, x[t - taps + 1]), zeros before the start. In the normalised form
    the step is divided by ε + ‖x_t‖², and a row of zeros changes nothing.

    Parameters
    ----------
    x, d : array of shape (n,)
        Input of the filter, and its desired output.
    taps : int
        Length of the filter, >= 1.
    mu : float
        Step size, > 0. If d is exactly the output of a filter, no step increases the distance to
        that filter for μ <= 2 (plain form: μ <= 2/max ‖x_t‖²). Noise can, above all in a pause: see
        ε.
    normalised : bool, default True
        True for the normalised form, False for the plain form.
    eps : float, default 0.0
        Regularisation ε >= 0, which limits the step in a pause; the plain form ignores it.
    held : array of bool of shape (n,), optional
        Samples at which the weights do not change: `rosenblatt.signals.double_talk`.

    Returns
    -------
    Filtered

    Raises
    ------
    ValueError
        If the weights diverge because μ is too large.

    Notes
    -----
    Lecture row L2.11. Widrow and Hoff 1960; normalised: Nagumo and Noda 1967. The score and the
    direction of the update are the perceptron's; the error is a number, not a sign. The compiled
    form is `rosenblatt.LMSRegressor` on the rows of `delay_line`.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal(500)
    >>> d = 0.5 * x + 0.25 * np.append(0.0, x[:-1])
    >>> adaptive_filter(x, d, taps=2, mu=0.5).weights.round(6)
    array([0.5 , 0.25])
    """
    line, mu = delay_line(x, taps), check_float(mu, "mu", above=0.0)
    eps = check_float(eps, "eps", minimum=0.0)
    d = check_vector(d, "d", len(line))
    resting = np.zeros(len(d)) if held is None else check_vector(held, "held", len(d))
    w, e = np.zeros(taps), np.zeros(len(d))
    with np.errstate(over="ignore", invalid="ignore"):
        for t, row in enumerate(line):
            e[t] = d[t] - dot(row, w)
            size = eps + dot(row, row) if normalised else 1.0
            if size > 0.0 and not resting[t]:
                w = w + mu * e[t] / size * row
    if not (np.isfinite(e).all() and np.isfinite(w).all()):
        remedy = ", or a larger eps" if normalised else ""
        raise ValueError(f"the weights diverged: choose mu < {mu!r}{remedy}")
    return Filtered(e, w)
