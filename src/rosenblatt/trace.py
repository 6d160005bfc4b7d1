"""The record of a run: every weight vector, every look at a row, and the vectors as voters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.inputs import Floats, Ints, array, vector
from rosenblatt.scores import dot, sgn


class Step(NamedTuple):
    """One look at one row: what was seen, what was said, what was changed.

    Attributes
    ----------
    row : int
        Which row, from 0.
    score : float
        w·x, plus b if there is one, of the row as given (never of its negated form).
    prediction, label : int
        What the score says, and the truth.
    mistake : bool
        Whether the algorithm counts a mistake here.
    before, after : array of shape (D,)
        The stored vector that scored this row, and the one that scores the next.

    Examples
    --------
    >>> from rosenblatt.textbook import origin_perceptron
    >>> step = origin_perceptron([[3.0, 4.0]], [1])[0]
    >>> step.score, step.prediction, step.label, step.mistake, step.after
    (0.0, -1, 1, True, array([3., 4.]))
    """

    row: int
    score: float
    prediction: int
    label: int
    mistake: bool
    before: Floats
    after: Floats


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded run: every weight vector it had, and every look it took at a row.

    Iterate over it, or index it, for one `Step` at a time. All arrays are read-only.

    Attributes
    ----------
    weights : array of shape (k + 1, D)
        The start, and the vector after each of the k corrections, as the lecture stores it.
    order, score, prediction, label, mistake : array of shape (T,)
        The row looked at, step by step, and the rest of its `Step`.
    used : array of shape (T,)
        Which of `weights` scored the step. Where every mistake is corrected at once, this is
        L1.4's m_t, the number of mistakes before the step.
    epochs : int
        How often the run went over all the rows.
    converged : bool
        Whether the last vector gets every row right, as the lecture defines right.
    offset : int or None
        Where a stored vector keeps b: 0, the first place; -1, the last; None, there is no b.

    Examples
    --------
    >>> from rosenblatt.textbook import augmented_perceptron
    >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    >>> run.weights
    array([[ 0.,  0.,  0.],
           [-1., -2., -1.],
           [ 0., -1.,  1.]])
    >>> run.w, run.b, run.mistakes, run.corrected, run.converged
    (array([-1.,  1.]), 0.0, 2, array([1, 0]), True)
    """

    weights: Floats
    order: Ints
    used: Ints
    score: Floats
    prediction: Ints
    label: Ints
    mistake: NDArray[np.bool_]
    epochs: int
    converged: bool
    offset: int | None

    @property
    def w(self) -> Floats:
        """The last normal vector, shape (d,): the last of `weights`, without b."""
        last = self.weights[-1]
        return last if self.offset is None else np.delete(last, self.offset)

    @property
    def b(self) -> float:
        """The last offset, as in w·x + b; 0 if the algorithm has none."""
        return 0.0 if self.offset is None else float(self.weights[-1, self.offset])

    @property
    def mistakes(self) -> int:
        """The number of mistakes."""
        return int(self.mistake.sum())

    @property
    def corrected(self) -> Ints:
        """The rows of the mistakes, in turn: w is the start and one step along each of them."""
        return self.order[self.mistake]

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, t: int) -> Step:
        t = range(len(self))[t]
        before, after = [*self.used[t : t + 2], -1][:2]
        return Step(
            int(self.order[t]),
            float(self.score[t]),
            int(self.prediction[t]),
            int(self.label[t]),
            bool(self.mistake[t]),
            self.weights[before],
            self.weights[after],
        )

    def __iter__(self) -> Iterator[Step]:
        return (self[t] for t in range(len(self)))


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
        said = sgn(dot(self._rows(X)[:, np.newaxis], self.run.weights), self.tie)
        return sgn(said @ self.survived, self.tie)

    def average(self, X: ArrayLike) -> Ints:
        """Predict sign(w·x), w the average, for rows of shape (n, d): as `vote`."""
        return sgn(dot(self._rows(X), self.w), self.tie)

    def _rows(self, X: ArrayLike) -> Floats:
        rows = array(X, "X", "(n, d)", 2)
        vector(rows[0], "a row of X", self.run.weights.shape[1])
        return rows


class Log:
    """Writes the `Trace` while the run goes on."""

    def __init__(self, start: Floats, offset: int | None = None) -> None:
        self.weights, self.offset = [start], offset
        self.looks: list[tuple[object, ...]] = []

    def look(self, row: int, score: float, said: int, label: int, mistake: bool) -> None:
        """Record a look at a row with the weights of the moment."""
        self.looks.append((row, len(self.weights) - 1, score, said, label, mistake))

    def move(self, w: Floats) -> None:
        """Record a correction: the weights from now on."""
        self.weights.append(w)

    def trace(self, epochs: int, converged: bool) -> Trace:
        """Close the record."""
        weights, looks = np.array(self.weights), np.array(self.looks, "i8, i8, f8, i8, i8, ?")
        weights.setflags(write=False)
        looks.setflags(write=False)
        a, b, c, d, e, f = (looks[name] for name in looks.dtype.names or ())
        return Trace(weights, a, b, c, d, e, f, epochs, converged, self.offset)
