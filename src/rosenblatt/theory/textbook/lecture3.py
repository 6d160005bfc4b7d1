"""L3 · ECE M146: any misclassified point, one class against the rest, and a committee.

The weight vectors of a run as voters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Log, Trace
from rosenblatt.utils.checks import (
    Floats,
    Ints,
    check_array,
    check_float,
    check_int,
    check_one_of,
    check_vector,
    check_X_y,
)


class Votes(NamedTuple):
    """Every weight vector of a run as a voter, with as many votes as steps that it survived.

    Attributes
    ----------
    run : Trace
        The run, without an offset.
    survived : array of shape (k + 1,)
        c, one for each of ``run.weights``; their sum is the number of steps.
    tie : int
        sign(0).

    Examples
    --------
    >>> from rosenblatt.textbook import voted_perceptron
    >>> votes = voted_perceptron([[0.0, 2.0], [2.0, 1.0]], [-1, 1], epochs=2)
    >>> votes.survived, votes.w
    (array([0, 1, 3]), array([ 1.5 , -1.25]))
    >>> votes.vote([[3.0, 1.0], [1.0, 3.0]])
    array([ 1, -1])
    """

    run: Trace
    survived: Ints
    tie: int

    @property
    def w(self) -> Floats:
        """The average Σ c w / Σ c, shape (d,): the mean of the vectors after each step."""
        mean: Floats = dot(self.run.weights.T, self.survived) / self.survived.sum()
        return mean

    def vote(self, X: ArrayLike) -> Ints:
        """Predict sign(Σ c sign(w·x)) for rows of shape (n, d): shape (n,); others: ValueError."""
        rows, total = self._rows(X), np.zeros(len(np.asarray(X)), np.int64)
        for w, c in zip(self.run.weights, self.survived, strict=True):
            total += c * sgn(dot(rows, w), self.tie)
        return sgn(total, self.tie)

    def average(self, X: ArrayLike) -> Ints:
        """Predict sign(w·x), w the average, for rows of shape (n, d): as `vote`."""
        return sgn(dot(self._rows(X), self.w), self.tie)

    def _rows(self, X: ArrayLike) -> Floats:
        rows = check_array(X, "X", "(n, d)", 2)
        check_vector(rows[0], "a row of X", self.run.weights.shape[1])
        return rows


Pick: TypeAlias = Literal["first", "last", "cyclic", "random", "worst"]


def prepend_one(X: ArrayLike) -> Floats:
    """Augment rows of shape (n, D) by a leading constant: x ↦ (1, x), shape (n, D + 1).

    ValueError if the shape does not fit or a number is not finite. Lecture rows L3.1, L4.2.

    Examples
    --------
    >>> prepend_one([[2.0, 3.0]])
    array([[1., 2., 3.]])
    """
    rows = check_array(X, "X", "(n, D)", 2)
    return np.column_stack([np.ones(len(rows)), rows])


def augmented_perceptron(
    X: ArrayLike,
    y: ArrayLike,
    eta: float = 1.0,
    *,
    pick: Pick = "first",
    tie: int = 1,
    start: ArrayLike | None = None,
    seed: int = 0,
    max_updates: int = 10_000,
) -> Trace:
    """While a misclassified point exists, update with one of them: w ← w + η y x.

    The rows are augmented to (1, x1, …, xD), so the first weight is the offset.

    Parameters
    ----------
    X, y : array of shape (n, D), array of shape (n,)
        The points; labels -1 and +1 (or 0 and 1), both.
    eta : float, default 1.0
        Learning rate, η > 0; the lecture has none, which is 1.
    pick : {"first", "last", "cyclic", "random", "worst"}, default "first"
        Which misclassified row: the first, the last, the next after the one picked before (in a
        circle), any with equal chance, or the one with the least y w·x (the first of equals).
    tie : {-1, 0, +1}, default +1
        sign(0); the worked example has +1. 0 makes a score of 0 misclassified on any label. (The
        slide's "y w·x < 0" would make it right on any, and the loop would never begin.)
    start : array of shape (D + 1,), default None
        The first w; None is the lecture's 0.
    seed : int, default 0
        Where the random numbers start, for ``pick="random"``.
    max_updates : int, default 10000
        How many updates at most, >= 1.

    Returns
    -------
    Trace
        One step an update, every one a mistake: `order` has the picks, `epochs` the number of
        searches for a misclassified point. A stored vector is (w0, w1, …): `offset` is 0.

    Notes
    -----
    Lecture rows L3.1, L3.2. At most R²/γ² updates, R and γ of the augmented rows (L3.4).

    Examples
    --------
    >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1], pick="worst")
    >>> run.order, run.weights[-1]
    (array([1, 0]), array([ 0., -1.,  1.]))
    """
    X, y = check_X_y(X, y)
    eta = check_float(eta, "eta", above=0.0)
    pick, tie = check_one_of(pick, "pick", get_args(Pick)), check_one_of(tie, "tie", (-1, 0, 1))
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    max_updates = check_int(max_updates, "max_updates", minimum=1)
    X, D, j = prepend_one(X), X.shape[1], -1
    w = np.zeros(D + 1) if start is None else check_vector(start, "start", D + 1)
    log = Log("augmented_perceptron", X, y, w, eta=eta, tie=tie, offset=0)
    for updates in range(max_updates + 1):
        scores = dot(X, w)
        predicted = sgn(scores, tie)
        wrong = np.flatnonzero(predicted != y)
        if len(wrong) == 0 or updates == max_updates:
            break
        j = _PICKS[pick](wrong, y * scores, j, rng)
        log.record_step(j, scores[j], predicted[j], y[j], True)
        w = w + eta * y[j] * X[j]
        log.record_update(w)
    return log.trace(epochs=updates + 1, converged=len(wrong) == 0)


_PICKS: dict[Pick, Callable[[Ints, Floats, int, np.random.Generator], int]] = {
    "first": lambda wrong, margins, j, rng: int(wrong[0]),
    "last": lambda wrong, margins, j, rng: int(wrong[-1]),
    "cyclic": lambda wrong, margins, j, rng: int([*wrong[wrong > j], *wrong][0]),
    "random": lambda wrong, margins, j, rng: int(rng.choice(wrong)),
    "worst": lambda wrong, margins, j, rng: int(wrong[np.argmin(margins[wrong])]),
}


def one_against_rest(
    X: ArrayLike, labels: ArrayLike, learn: Callable[..., Trace] = augmented_perceptron
) -> OneAgainstRest:
    """For every class e train on e against not(e); then the class is arg max over e of w_e·x.

    Parameters
    ----------
    X : array of shape (n, D)
        The points.
    labels : array of shape (n,)
        Two classes or more: numbers or strings.
    learn : callable, default `augmented_perceptron`
        Called as ``learn(X, y)`` with y = +1 for the class and -1 for the rest.

    Returns
    -------
    OneAgainstRest
        The classes in sorted order, a trace for each, and `predict`.

    Raises
    ------
    ValueError
        If there is one class only, or as `learn` does.

    Notes
    -----
    Lecture row L3.5.

    Examples
    --------
    >>> model = one_against_rest([[0.0, 2.0], [2.0, 0.0], [-2.0, -2.0]], ["up", "right", "down"])
    >>> model.predict([[0.5, 3.0], [-1.0, -1.0]])
    array(['up', 'down'], dtype='<U5')
    """
    label_array = np.asarray(labels)
    rows = check_array(X, "X", "(n, D)", 2)
    if label_array.shape != (len(rows),):
        raise ValueError(f"labels must have shape ({len(rows)},), got {label_array.shape}")
    classes = np.unique(label_array)
    if len(classes) < 2:
        raise ValueError(f"labels must hold two classes or more, got {len(classes)}")
    runs = [learn(rows, np.where(label_array == e, 1, -1)) for e in classes]
    return OneAgainstRest(classes, runs)


class OneAgainstRest(NamedTuple):
    """A run for each class against the rest, and the arg max of their scores (lecture row L3.5).

    Attributes
    ----------
    classes : array of shape (L,)
        The labels, sorted.
    runs : list of Trace
        One for each.
    """

    classes: NDArray[Any]
    runs: list[Trace]

    def scores(self, X: ArrayLike) -> Floats:
        """w_e·x + b_e for rows of shape (n, D): shape (n, L)."""
        rows = check_array(X, "X", "(n, D)", 2)
        check_vector(rows[0], "a row of X", len(self.runs[0].w))
        return np.column_stack([dot(rows, run.w) + run.b for run in self.runs])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class with the largest score, the first of equals."""
        best: NDArray[Any] = self.classes[self.scores(X).argmax(axis=1)]
        return best


def voted_perceptron(X: ArrayLike, y: ArrayLike, *, epochs: int = 1, tie: int = 1) -> Votes:
    """Perceptron that keeps every w and how many steps it survived: c ← c + 1 while it is right.

    On a mistake w ← w + y x, from w = 0, and the new w starts with c = 1; the first with c = 0.
    So c counts the steps that made w or left it, and all c together are the number of steps.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 or +1 (or 0 and 1), one is enough. For an offset:
        `append_one`.
    epochs : int, default 1
        How many passes, >= 1; all of them are made.
    tie : {-1, 0, +1}, default +1
        sign(0), of a score and of a vote. 0 is a mistake on any label.

    Returns
    -------
    Votes
        The trace of n steps an epoch, the c of each of its `weights`, `vote` and `average`.

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
    X, y = check_X_y(X, y, require_both=False)
    epochs, tie = check_int(epochs, "epochs", minimum=1), check_one_of(tie, "tie", (-1, 0, 1))
    w, c = np.zeros(X.shape[1]), [0]
    log = Log("voted_perceptron", X, y, w, tie=tie)
    for i in [*range(len(X))] * epochs:
        score = float(dot(X[i], w))
        predicted = int(sgn(score, tie))
        log.record_step(i, score, predicted, y[i], predicted != y[i])
        if predicted == y[i]:
            c[-1] += 1
        else:
            w = w + y[i] * X[i]
            c.append(1)
            log.record_update(w)
    run = log.trace(epochs, converged=np.array_equal(sgn(dot(X, w), tie), y))
    return Votes(run, np.array(c), tie)
