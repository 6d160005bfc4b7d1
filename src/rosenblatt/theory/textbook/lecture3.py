"""L3 · ECE M146: the augmented perceptron, one class against the rest, and the voted perceptron."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rosenblatt.theory.textbook.recorder import Log
from rosenblatt.theory.textbook.step import dot, format_vector, rows_of_width, sgn, shown_rows
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_array, check_choice, check_int, check_X_y
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import abridged, text_table
from rosenblatt.utils.words import count, label, listing


class Votes(NamedTuple):
    """The voted perceptron: each weight vector of a run votes, weighted by its survival count.

    Attributes
    ----------
    run : Trace
        The run, without an offset.
    survived : array of shape (k + 1,)
        Survival counts c, one for each of ``run.weights``; their sum is the number of steps.
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

    def __repr__(self) -> str:
        """Return a summary in one line."""
        voters = count(int(np.count_nonzero(self.survived)), "weight vector")
        steps = count(len(self.run), "step")
        return f"<Votes of {voters}, {steps}: w = {format_vector(self.w)}>"

    def _repr_html_(self) -> str:
        survived, weights = self.survived, self.run.weights
        shown = shown_rows(len(weights))
        rows = [[f"{j}", f"{survived[j]}", format_vector(weights[j])] for j in shown]
        table = text_table(["after mistake", "votes", "w"], abridged(rows))
        return to_html(join([repr(self).strip("<>"), table]))

    @property
    def w(self) -> Floats:
        """The average Σ c w / Σ c, shape (d,): the mean of the vectors after all steps."""
        mean: Floats = dot(self.run.weights.T, self.survived) / self.survived.sum()
        return mean

    def vote(self, X: ArrayLike) -> Ints:
        """Predict sign(Σ c sign(w·x)) for rows of shape (n, d): shape (n,).

        Parameters
        ----------
        X : array of shape (n, d)
        """
        rows, total = self._rows(X), np.zeros(len(np.asarray(X)), np.int64)
        for w, c in zip(self.run.weights, self.survived, strict=True):
            total += c * sgn(dot(rows, w), self.tie)
        return sgn(total, self.tie)

    def average(self, X: ArrayLike) -> Ints:
        """Predict sign(w·x) with the average w, for rows of shape (n, d): shape (n,).

        Parameters
        ----------
        X : array of shape (n, d)
        """
        return sgn(dot(self._rows(X), self.w), self.tie)

    def _rows(self, X: ArrayLike) -> Floats:
        return rows_of_width(X, self.run.weights.shape[1])


Pick: TypeAlias = Literal["first", "last", "cyclic", "random", "worst"]


def prepend_one(X: ArrayLike) -> Floats:
    """Prepend a constant feature to rows of shape (n, D): x ↦ (1, x), shape (n, D + 1).

    Lecture rows L3.1, L4.2.

    Parameters
    ----------
    X : array of shape (n, D)
        The rows.

    Returns
    -------
    ndarray of shape (n, D + 1)

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
    """Update with a misclassified point, w ← w + η y x, until none exists.

    The rows are augmented to (1, x1, …, xD), so the first weight is the offset.

    Parameters
    ----------
    X, y : array of shape (n, D), array of shape (n,)
        The points; labels -1 and +1 (or 0 and 1), both.
    eta : float, default 1.0
        Learning rate, η > 0; not in the lecture, which is equivalent to 1.
    pick : {"first", "last", "cyclic", "random", "worst"}, default "first"
        Choice of the misclassified row: the first, the last, the next in cyclic order after the
        previous pick, a uniformly random one, or the first with the smallest y w·x.
    tie : {-1, 0, +1}, default +1
        sign(0); the worked example has +1. With 0, a score of 0 is misclassified for any label.
        (By the slide's "y w·x < 0" it would be right for any, and the loop would not start.)
    start : array of shape (D + 1,), default None
        The initial w; None is the lecture's 0.
    seed : int, default 0
        Random seed for ``pick="random"``.
    max_updates : int, default 10000
        Largest number of updates, >= 1.

    Returns
    -------
    Trace
        One step per update, all of them mistakes: `order` has the picks, `epochs` the number of
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
    log = Log("augmented_perceptron", X, y, start, eta=eta, tie=tie, offset=0)
    choose = _PICKS[check_choice(pick, "pick", get_args(Pick))]
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    max_updates = check_int(max_updates, "max_updates", minimum=1)
    updates, j, scores = 0, -1, log.scores()
    while len(wrong := np.flatnonzero(sgn(scores, log.tie) != y)) and updates < max_updates:
        j = choose(wrong, y * scores, j, rng)
        log.predict(j, scores[j])
        log.record_update(log.w + log.eta * y[j] * log.X[j])
        updates, scores = updates + 1, log.scores()
    return log.trace(epochs=updates + 1, converged=not len(wrong))


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
    """Train one classifier per class e against the rest; predict the arg max over e of w_e·x.

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
        The labels are not one a row, or all equal, or one is missing.

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
    for row, name in enumerate(label_array.tolist()):
        if name is None or name != name:
            raise ValueError(f"labels must be numbers or strings, got {name} in row {row}")
    classes = np.unique(label_array)
    if len(classes) < 2:
        raise ValueError(f"labels must hold two classes or more, got {len(classes)}")
    runs = [learn(rows, np.where(label_array == e, 1, -1)) for e in classes]
    return OneAgainstRest(classes, runs)


class OneAgainstRest(NamedTuple):
    """One run per class against the rest, and the arg max of their scores (lecture row L3.5).

    Attributes
    ----------
    classes : array of shape (L,)
        The labels, sorted.
    runs : list of Trace
        One run per class.

    Examples
    --------
    >>> run = one_against_rest([[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]], ["a", "b", "c"])
    >>> run.predict([[0.0, 3.0]]).tolist(), len(run.runs)
    (['b'], 3)
    """

    classes: Array
    runs: list[Trace]

    def __repr__(self) -> str:
        """Return a summary in one line."""
        counts = f"{count(len(self.runs), 'class')}, {count(len(self.runs[0].X), 'row')}"
        return f"<OneAgainstRest of {counts}: {listing(self.classes.tolist())}>"

    def _repr_html_(self) -> str:
        lines = [
            [label(e), len(run), run.mistakes, ["no", "yes"][run.converged], format_vector(run.w)]
            for e, run in zip(self.classes.tolist(), self.runs, strict=True)
        ]
        heads = ["class", "steps", "mistakes", "converged", "w"]
        return to_html(join([repr(self).strip("<>"), text_table(heads, abridged(lines))]))

    def scores(self, X: ArrayLike) -> Floats:
        """w_e·x + b_e for rows of shape (n, D): shape (n, L).

        Parameters
        ----------
        X : array of shape (n, D)
        """
        rows = rows_of_width(X, len(self.runs[0].w))
        return np.column_stack([dot(rows, run.w) + run.b for run in self.runs])

    def predict(self, X: ArrayLike) -> Array:
        """Predict the class with the largest score, the first of equals."""
        best: Array = self.classes[self.scores(X).argmax(axis=1)]
        return best


def voted_perceptron(X: ArrayLike, y: ArrayLike, *, epochs: int = 1, tie: int = 1) -> Votes:
    """Voted perceptron: keep every w with its survival count, c ← c + 1 for each right prediction.

    On a mistake w ← w + y x, from w = 0, and the new w starts with c = 1; the first with c = 0.
    So c counts the step that created w and the steps without an update, and Σ c is the number of
    steps.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The training sample; labels -1 or +1 (or 0 and 1), possibly of one class. For an offset:
        `append_one`.
    epochs : int, default 1
        Exact number of epochs, >= 1.
    tie : {-1, 0, +1}, default +1
        sign(0), of a score and of a vote. 0 is a mistake for any label.

    Returns
    -------
    Votes
        The trace of n steps per epoch, the c of each of its `weights`, `vote` and `average`.

    Notes
    -----
    Lecture row L3.7; Freund and Schapire 1999, figure 1 (there k, v_k, c_k).

    Examples
    --------
    >>> votes = voted_perceptron([[1.0], [1.0], [1.0], [9.0]], [-1, -1, -1, 1])
    >>> votes.run.weights.ravel(), votes.survived, votes.w
    (array([ 0., -1.,  8.]), array([0, 3, 1]), array([1.25]))
    >>> votes.vote([[1.0]]), votes.average([[1.0]])
    (array([-1]), array([1]))
    """
    X, y = check_X_y(X, y, require_both=False)
    epochs, c = check_int(epochs, "epochs", minimum=1), [0]
    log = Log("voted_perceptron", X, y, tie=tie)
    for i in [*range(len(X))] * epochs:
        if log.predict(i) == y[i]:
            c[-1] += 1
        else:
            log.record_update(log.w + y[i] * X[i])
            c.append(1)
    return Votes(log.trace(epochs, converged=log.all_right()), np.array(c), log.tie)
