"""L2 · Perceptrons and kernels: an offset, features by their kernel, and the adaptive filter."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.inputs import Floats, array, choice, examples, number, vector, whole
from rosenblatt.scores import dot, sgn
from rosenblatt.textbook.lecture1 import append_one
from rosenblatt.trace import Log, Trace


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

    Raises
    ------
    ValueError
        If a shape, a number, a label or an option is not as above, or one class is missing.

    Notes
    -----
    Lecture row L2.2. At most (b*² + 1)(R² + 1)/ρ² updates: `rosenblatt.theory.offset_bound`.

    Examples
    --------
    >>> run = perceptron([[0.0], [1.0], [2.0]], [-1, -1, 1])
    >>> run.w, run.b, run.epochs, run.converged
    (array([1.]), -1.0, 2, True)
    """
    X, y = examples(X, y)
    eta, tie = number(eta, "eta", above=0.0), choice(tie, "tie", (-1, 1))
    max_epochs = whole(max_epochs, "max_epochs", least=1)
    d = X.shape[1]
    w_b = np.zeros(d + 1) if start is None else vector(start, "start", d + 1)
    log = Log("perceptron", append_one(X), y, w_b, eta=eta, tie=tie, offset=-1)
    w, b = w_b[:-1], float(w_b[-1])
    epochs, all_right = 0, False
    while not all_right and epochs < max_epochs:
        for i in range(len(X)):
            score = float(dot(X[i], w)) + b
            g = int(sgn(score, tie))
            log.look(i, score, g, y[i], g != y[i])
            if g != y[i]:
                w = w + eta / 2 * (y[i] - g) * X[i]
                b = b + eta / 2 * float(y[i] - g)
                log.move(np.append(w, b))
        epochs += 1
        all_right = np.array_equal(sgn(dot(X, w) + b, tie), y)
    return log.trace(epochs, converged=all_right)


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
    X, y = examples(X, y)
    eta, tie = number(eta, "eta", above=0.0), choice(tie, "tie", (-1, 1))
    max_epochs = whole(max_epochs, "max_epochs", least=1)
    K = array([[k(z, x) for z in X] for x in X], "k", "(n, n)", 2)
    alpha, b, e = np.zeros(len(X)), 0.0, np.eye(len(X))
    start = np.append(alpha, b)
    log = Log("kernel_perceptron", append_one(K), y, start, eta=eta, tie=tie, offset=-1)
    epochs, all_right = 0, False
    while not all_right and epochs < max_epochs:
        for i in range(len(X)):
            score = float(dot(K[i], alpha)) + b
            g = int(sgn(score, tie))
            log.look(i, score, g, y[i], g != y[i])
            if g != y[i]:
                alpha = alpha + eta / 2 * (y[i] - g) * e[i]
                b = b + eta / 2 * float(y[i] - g)
                log.move(np.append(alpha, b))
        epochs += 1
        all_right = np.array_equal(sgn(dot(K, alpha) + b, tie), y)
    return log.trace(epochs, converged=all_right)
