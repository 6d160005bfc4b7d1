"""Who wins, and how often that is right: what predictions and the stopping of a fit share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from rosenblatt.training import Problem

Array = NDArray[Any]


def winners(scores: Array, tie: float) -> Array:
    """The number of the class with the highest score.

    Parameters
    ----------
    scores : ndarray of shape (n,) for two classes, (n, K) for more
    tie : float
        +1 lets a single score of zero speak for the second class.

    Examples
    --------
    >>> winners(np.array([-1.0, 0.0, 2.0]), tie=0.0)
    array([0, 0, 1])
    """
    if scores.ndim == 1:
        positive = scores >= 0 if tie == 1 else scores > 0
        return positive.astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1))


class Accuracy:
    """Accuracy of each weight vector on its own two-class problem (joint: of the arg max)."""

    def __init__(self, X: Any, problem: Problem, index: Array) -> None:
        self.X, self.problem = X, problem
        self.y, self.weight = problem.y[index], problem.weight[index]

    def __call__(self, W: Array, b: Array) -> Array:
        """Shares of right rows, by weight: shape (columns,), or (1,) where one arg max decides."""
        columns = self.problem.columns
        scores = safe_sparse_dot(self.X, W[:, :columns], dense_output=True) + b[:columns]
        if self.problem.one_criterion:
            right = (np.argmax(scores, axis=1) == self.y)[:, None]
        elif columns == 1:
            right = (scores > 0) == (self.y > 0)[:, None]
        else:
            right = (scores > 0) == (self.y[:, None] == np.arange(columns))
        return np.average(right, axis=0, weights=self.weight)


class Errors:
    """Weight of the rows that predict would get wrong."""

    def __init__(self, X: Any, codes: Array, weight: Array, columns: int, tie: float) -> None:
        self.X, self.codes, self.weight = X, codes, weight
        self.columns, self.tie = columns, tie

    def __call__(self, W: Array, b: Array) -> float:
        """Their number, or their weight."""
        scores = safe_sparse_dot(self.X, W[:, : self.columns], dense_output=True)
        scores = scores + b[: self.columns]
        won = winners(scores.ravel() if self.columns == 1 else scores, self.tie)
        return float(self.weight[won != self.codes].sum())
