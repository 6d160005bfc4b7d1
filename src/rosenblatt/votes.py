"""The weight vectors of a run as voters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.inputs import Floats, Ints, array, vector
from rosenblatt.scores import dot, sgn
from rosenblatt.trace import Trace


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
        rows = array(X, "X", "(n, d)", 2)
        vector(rows[0], "a row of X", self.run.weights.shape[1])
        return rows
