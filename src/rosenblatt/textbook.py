"""The lectures' algorithms as they are written, every step recorded.

This is the oracle for the compiled engine and the teacher for the reader: NumPy only, a dozen
lines an algorithm. Where the lectures disagree (the sign of zero, the labels, the start, the place
of the learning rate), each function has its own lecture's choice as the default of an option.

All learners return a `Trace`, or its `Votes`. Rows are finite arrays of shape (n, d), n >= 1,
d >= 1; labels have shape (n,). Anything else, and a number out of its range, is a ValueError that
names the argument, what was expected and what was got. Data that cannot be separated is no error:
the run ends at its limit with ``converged=False``. Inner products are summed from left to right,
so that a run is the same to the bit on every machine.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.inputs import Floats, Ints, array, choice, examples, number, vector, whole
from rosenblatt.scores import dot, sgn
from rosenblatt.trace import Log, Step, Trace, Votes

__all__ = [
    "Step",
    "Trace",
    "Votes",
    "append_one",
    "augmented_perceptron",
    "kernel_perceptron",
    "lift_threshold",
    "lower_threshold",
    "online_perceptron",
    "origin_perceptron",
    "perceptron",
    "sample_correction",
    "threshold",
    "voted_perceptron",
]

Pick: TypeAlias = Literal["first", "last", "cyclic", "random", "worst"]


def origin_perceptron(X: ArrayLike, y: ArrayLike, eta: float = 1.0, *, tie: int = -1) -> Trace:
    """Perceptron through the origin, one pass: on a mistake w ← w + η y x, from w = 0.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The sequence of examples; labels -1 or +1, one of them is enough.
    eta : float, default 1.0
        Learning rate, 0 < η <= 1.
    tie : {-1, 0, +1}, default -1
        The prediction for a score of 0: the lecture's sgn(0). 0 is a mistake on any label.

    Returns
    -------
    Trace
        n steps; `weights` are the lecture's w_0, w_1, …, counted in mistakes.

    Raises
    ------
    ValueError
        If a shape, a number, a label or an option is not as above.

    Notes
    -----
    Lecture row L0.1. At most (R/γ)² mistakes: `rosenblatt.theory.mistake_bound`.

    Examples
    --------
    >>> run = origin_perceptron([[2.0, 0.0], [0.0, 2.0], [1.0, 2.0]], [1, -1, -1], eta=0.5)
    >>> run.score, run.w, run.mistakes
    (array([0., 0., 1.]), array([ 0.5, -1. ]), 2)
    """
    X, y = examples(X, y, both=False)
    eta, tie = number(eta, "eta", above=0.0), choice(tie, "tie", (-1, 0, 1))
    if eta > 1.0:
        raise ValueError(f"eta must be at most 1, got {eta!r}")
    w = np.zeros(X.shape[1])
    log = Log(w)
    for i in range(len(X)):
        score = float(dot(X[i], w))
        predicted = int(sgn(score, tie))
        log.look(i, score, predicted, y[i], predicted != y[i])
        if predicted != y[i]:
            w = w + eta * y[i] * X[i]
            log.move(w)
    return log.trace(epochs=1, converged=np.array_equal(sgn(dot(X, w), tie), y))


def threshold(w: ArrayLike, b: float = 0.0) -> Callable[[ArrayLike], Ints]:
    """Threshold function f: +1 if w·x >= b, else -1; for `w` of shape (d,) and finite `b`.

    It takes rows of shape (n, d) to an array of shape (n,), and raises ValueError for others. Mind
    the sign: here b is a threshold; elsewhere it is an offset, w·x + b. Lecture row L1.1.

    Examples
    --------
    >>> f = threshold([1.0, 1.0], b=2.0)
    >>> f([[1.0, 1.0], [0.0, 1.0]])
    array([ 1, -1])
    """
    normal, b = array(w, "w", "(d,)", 1), number(b, "b")

    def f(X: ArrayLike) -> Ints:
        rows = array(X, "X", "(n, d)", 2)
        vector(rows[0], "a row of X", len(normal))
        return np.where(dot(rows, normal) >= b, 1, -1)

    return f


def append_one(X: ArrayLike) -> Floats:
    """Lengthen rows of shape (n, d) by a constant feature: x ↦ (x, 1), shape (n, d + 1).

    ValueError if the shape does not fit or a number is not finite. Lecture row L1.1.

    Examples
    --------
    >>> append_one([[2.0, 3.0]])
    array([[2., 3., 1.]])
    """
    rows = array(X, "X", "(n, d)", 2)
    return np.column_stack([rows, np.ones(len(rows))])


def lift_threshold(w: ArrayLike, b: float) -> Floats:
    """Turn a threshold into one more weight: (w, b) ↦ (w, -b), shapes (d,) and (d + 1,).

    ``threshold(w, b)`` on x and ``threshold(lift_threshold(w, b))`` on (x, 1) agree on every row,
    rounding included: the constant feature is added last, and s - b >= 0 exactly where s >= b.
    ValueError if the shape does not fit or a number is not finite. Lecture row L1.1.

    Examples
    --------
    >>> lift_threshold([1.0, 1.0], b=2.0)
    array([ 1.,  1., -2.])
    """
    return np.append(array(w, "w", "(d,)", 1), -number(b, "b"))


def lower_threshold(w: ArrayLike) -> tuple[Floats, float]:
    """Read the last weight as a threshold again: (w, -b) ↦ (w, b), the inverse of `lift_threshold`.

    ValueError if the shape is not (d + 1,), d >= 1, or a number is not finite. Lecture row L1.1.

    Examples
    --------
    >>> lower_threshold([1.0, 1.0, -2.0])
    (array([1., 1.]), 2.0)
    """
    lifted = array(w, "w", "(d + 1,)", 1)
    if len(lifted) < 2:
        raise ValueError(f"w must have shape (d + 1,) with d >= 1, got {lifted.shape}")
    return lifted[:-1].copy(), -float(lifted[-1])


def online_perceptron(X: ArrayLike, y: ArrayLike, *, tie: int = 1) -> Trace:
    """Play the online protocol: obtain x_t, predict, then the label is revealed, then update.

    A mistake is counted when it happens, and then w ← w + y x, from w = 0.

    Parameters
    ----------
    X, y : array of shape (T, d), array of shape (T,)
        The rounds; labels -1 or +1, one of them is enough.
    tie : {-1, 0, +1}, default +1
        The prediction for a score of 0; the lecture's is +1. 0 is a mistake on any label.

    Returns
    -------
    Trace
        T steps, one a round; `used` is the lecture's m_t.

    Raises
    ------
    ValueError
        If a shape, a number, a label or an option is not as above.

    Notes
    -----
    Lecture row L1.2. At most (D/γ)² mistakes: `rosenblatt.theory.mistake_bound`.

    Examples
    --------
    >>> run = online_perceptron([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], [1, -1, -1])
    >>> run.prediction, run.used, run.mistakes
    (array([ 1,  1, -1]), array([0, 0, 1]), 1)
    """
    X, y = examples(X, y, both=False)
    tie = choice(tie, "tie", (-1, 0, 1))
    w = np.zeros(X.shape[1])
    log = Log(w)
    for t in range(len(X)):
        score = float(dot(X[t], w))
        predicted = int(sgn(score, tie))
        revealed = y[t]
        log.look(t, score, predicted, revealed, predicted != revealed)
        if predicted != revealed:
            w = w + revealed * X[t]
            log.move(w)
    return log.trace(epochs=1, converged=np.array_equal(sgn(dot(X, w), tie), y))


def perceptron(
    X: ArrayLike, y: ArrayLike, eta: float = 1.0, *, tie: int = -1, max_epochs: int = 1000
) -> Trace:
    """Perceptron(X, Y, η): w ← w + (η/2)(y - g(x)) x, b ← b + (η/2)(y - g(x)), until all right.

    Here g(x) = sgn(⟨w, x⟩ + b). w and b start at 0; after every pass all rows are checked.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 and +1, both.
    eta : float, default 1.0
        Learning rate, η > 0. It scales w and b and, but for rounding, changes nothing else.
    tie : {-1, +1}, default -1
        sgn(0), which the lecture leaves open. (With 0 the formula would take half a step.)
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
    w, b = np.zeros(X.shape[1]), 0.0
    log = Log(np.append(w, b), offset=-1)
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
    log = Log(np.append(alpha, b), offset=-1)
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


def augmented_perceptron(
    X: ArrayLike,
    y: ArrayLike,
    *,
    pick: Pick = "first",
    tie: int = 1,
    seed: int = 0,
    max_updates: int = 10_000,
) -> Trace:
    """While a misclassified point exists, update with one of them: w ← w + y x, from w = 0.

    The rows are augmented to (1, x1, …, xD), so the first weight is the offset.

    Parameters
    ----------
    X, y : array of shape (n, D), array of shape (n,)
        The points; labels -1 and +1, both.
    pick : {"first", "last", "cyclic", "random", "worst"}, default "first"
        Which misclassified row: the first, the last, the next after the one picked before (in a
        circle), any with equal chance, or the one with the least y w·x (the first of equals).
    tie : {-1, 0, +1}, default +1
        sign(0); the worked example has +1. 0 makes a score of 0 misclassified on any label. (The
        slide's "y w·x < 0" would make it right on any, and the loop would never begin.)
    seed : int, default 0
        Where the random numbers start, for ``pick="random"``.
    max_updates : int, default 10000
        How many updates at most, >= 1.

    Returns
    -------
    Trace
        One step an update, every one a mistake: `order` has the picks, `epochs` the number of
        searches for a misclassified point. A stored vector is (w0, w1, …): `offset` is 0.

    Raises
    ------
    ValueError
        If a shape, a number, a label or an option is not as above, or one class is missing.

    Notes
    -----
    Lecture rows L3.1, L3.2. At most R²/γ² updates, R and γ of the augmented rows (L3.4).

    Examples
    --------
    >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1], pick="worst")
    >>> run.order, run.weights[-1]
    (array([1, 0]), array([ 0., -1.,  1.]))
    """
    X, y = examples(X, y)
    pick, tie = choice(pick, "pick", get_args(Pick)), choice(tie, "tie", (-1, 0, 1))
    rng = np.random.default_rng(whole(seed, "seed", least=0))
    max_updates = whole(max_updates, "max_updates", least=1)
    X = np.column_stack([np.ones(len(X)), X])
    w, j = np.zeros(X.shape[1]), -1
    log = Log(w, offset=0)
    for updates in range(max_updates + 1):
        scores = dot(X, w)
        predicted = sgn(scores, tie)
        wrong = np.flatnonzero(predicted != y)
        if len(wrong) == 0 or updates == max_updates:
            break
        j = _PICKS[pick](wrong, y * scores, j, rng)
        log.look(j, scores[j], predicted[j], y[j], True)
        w = w + y[j] * X[j]
        log.move(w)
    return log.trace(epochs=updates + 1, converged=len(wrong) == 0)


_PICKS: dict[Pick, Callable[[Ints, Floats, int, np.random.Generator], int]] = {
    "first": lambda wrong, margins, j, rng: int(wrong[0]),
    "last": lambda wrong, margins, j, rng: int(wrong[-1]),
    "cyclic": lambda wrong, margins, j, rng: int([*wrong[wrong > j], *wrong][0]),
    "random": lambda wrong, margins, j, rng: int(rng.choice(wrong)),
    "worst": lambda wrong, margins, j, rng: int(wrong[np.argmin(margins[wrong])]),
}


def voted_perceptron(X: ArrayLike, y: ArrayLike, *, epochs: int = 1, tie: int = 1) -> Votes:
    """Perceptron that keeps every w and how many steps it survived: c ← c + 1 while it is right.

    On a mistake w ← w + y x, from w = 0, and the new w starts with c = 1; the first with c = 0.
    So c counts the steps that made w or left it, and all c together are the number of steps.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 or +1, one of them is enough. For an offset: `append_one`.
    epochs : int, default 1
        How many passes, >= 1; all of them are made.
    tie : {-1, 0, +1}, default +1
        sign(0), of a score and of a vote. 0 is a mistake on any label.

    Returns
    -------
    Votes
        The trace of n steps an epoch, the c of each of its `weights`, `vote` and `average`.

    Raises
    ------
    ValueError
        If a shape, a number, a label or an option is not as above.

    Notes
    -----
    Lecture row L3.7; Freund and Schapire 1999, figure 1, whose k, v_k, c_k these are.

    Examples
    --------
    >>> votes = voted_perceptron([[1.0], [1.0], [1.0], [9.0]], [-1, -1, -1, 1])
    >>> votes.run.weights.ravel(), votes.survived, votes.w
    (array([ 0., -1.,  8.]), array([0, 3, 1]), array([1.25]))
    >>> votes.vote([[1.0]]), votes.average([[1.0]])
    (array([-1]), array([1]))
    """
    X, y = examples(X, y, both=False)
    epochs, tie = whole(epochs, "epochs", least=1), choice(tie, "tie", (-1, 0, 1))
    w, c = np.zeros(X.shape[1]), [0]
    log = Log(w)
    for i in [*range(len(X))] * epochs:
        score = float(dot(X[i], w))
        predicted = int(sgn(score, tie))
        log.look(i, score, predicted, y[i], predicted != y[i])
        if predicted == y[i]:
            c[-1] += 1
        else:
            w = w + y[i] * X[i]
            c.append(1)
            log.move(w)
    run = log.trace(epochs, converged=np.array_equal(sgn(dot(X, w), tie), y))
    return Votes(run, np.array(c), tie)


def sample_correction(
    X: ArrayLike,
    c: ArrayLike,
    eps: float = 1.0,
    *,
    start: ArrayLike | None = None,
    seed: int = 0,
    max_epochs: int = 100,
) -> Trace:
    """Single-sample correction: a ← a + ε x where a·x <= 0, until an epoch changes nothing.

    The rows are augmented to (1, x), and those of class 0 negated: then a·x > 0 is wanted of all.

    Parameters
    ----------
    X, c : array of shape (n, d), array of shape (n,)
        The samples and their classes, 0 and 1, both.
    eps : float, default 1.0
        Step, ε > 0.
    start : array of shape (d + 1,), default None
        The first a; None draws it uniformly from [0, 1), as the notebook does.
    seed : int, default 0
        Where the random numbers start, for ``start=None``.
    max_epochs : int, default 100
        How many epochs at most, >= 1; the notebook's 100.

    Returns
    -------
    Trace
        n steps an epoch. A stored vector is (d, a0, a1, …), the notebook's d being the offset:
        `offset` is 0. Predictions and labels are classes; a score > 0 predicts class 1. A score
        of 0 is a mistake even on class 0, where the prediction is right.

    Raises
    ------
    ValueError
        If a shape, a number, a class or an option is not as above, or one class is missing.

    Notes
    -----
    Lecture row L4.2. Corrections from any start: `rosenblatt.theory.start_bound`.

    Examples
    --------
    >>> run = sample_correction([[0.0], [1.0]], [0, 1], start=[0.0, 0.0])
    >>> run.weights[-1], run.epochs, run.converged
    (array([-1.,  2.]), 4, True)
    """
    X, c = examples(X, c, (0, 1), "c")
    eps, max_epochs = number(eps, "eps", above=0.0), whole(max_epochs, "max_epochs", least=1)
    rng = np.random.default_rng(whole(seed, "seed", least=0))
    X = np.column_stack([np.ones(len(X)), X])
    sign = 2 * c - 1
    flipped = sign[:, np.newaxis] * X
    a = rng.random((X.shape[1],)) if start is None else vector(start, "start", X.shape[1])
    log = Log(a, offset=0)
    epochs, changed = 0, True
    while changed and epochs < max_epochs:
        changed = False
        for i, x in enumerate(flipped):
            right = bool(dot(x, a) > 0.0)
            score = float(dot(X[i], a))
            log.look(i, score, int(score > 0.0), c[i], not right)
            if right:
                continue
            a = a + eps * x
            log.move(a)
            changed = True
        epochs += 1
    return log.trace(epochs, converged=not changed)
