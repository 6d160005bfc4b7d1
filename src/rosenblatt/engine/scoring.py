"""Scores and predictions: of one row without any allocation, and of a matrix of scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, element_count, entry_point, subroutine
from rosenblatt.engine.rows import BLOCK_ROWS, Rows
from rosenblatt.engine.state import State

Array = NDArray[Any]

_compiled = partial(compiled, _nrt=False)  # nothing is allocated: no references to count
_subroutine = partial(subroutine, _nrt=False)


class RowScorer:
    """Scores and predictions of single rows, by the state's last or averaged weights.

    Parameters
    ----------
    row : CSR or Dense
        A row of the types that will be scored.
    state : State
        Its arrays must stay the same while the scorer is in use.
    columns : int
        Number of weight vectors.
    average : bool
        Whether to use the averaged weights.
    tie : float
        As in :func:`predict_codes`.

    Attributes
    ----------
    predict : callable
        ``predict(row)`` is the code of the class with the highest score.
    row_index : ndarray of shape (1,), int64
        Index of the row to score (default 0); written in place.
    latest : ndarray of shape (columns,)
        Scores of the latest row; the next overwrites them.

    Examples
    --------
    >>> from rosenblatt.engine.rows import CSR
    >>> from rosenblatt.engine.state import empty
    >>> state = empty(3, 1)
    >>> state.W[:, 0] = [1.0, 2.0, 4.0]
    >>> row = CSR(np.array([3.0, 0.5]), np.array([0, 2], np.uint32), np.array([0, 2]))
    >>> scorer = RowScorer(row, state, 1, average=False, tie=0.0)
    >>> scorer.scores(row).tolist(), scorer.predict(row)
    ([5.0], 1)
    """

    def __init__(self, row: Rows, state: State, columns: int, *, average: bool, tie: float) -> None:
        P = state.W.shape[1]
        weights = _Weights(state.W, state.U, state.b, state.ub, state.scale, state.area, state.t)
        self.row_index, self.latest = np.zeros(1, np.int64), np.zeros(columns)
        dots_W, dots_U = np.zeros((2, BLOCK_ROWS, P))
        arguments = weights, _Buffers(self.row_index, dots_W, dots_U), average, tie, self.latest
        steps = columns * (10 + element_count(row))
        self._score = partial(entry_point(_write_scores, (*arguments, row), steps), *arguments)
        predict = entry_point(_predict, (*arguments, row), steps)
        self.predict: Callable[[Rows], int] = partial(predict, *arguments)

    def scores(self, row: Rows) -> Array:
        """Return the score of every weight vector, shape (columns,)."""
        self._score(row)
        return self.latest.copy()


class _Weights(NamedTuple):
    """The fields of a state that scores depend on: every argument of a call costs time."""

    W: Array
    U: Array
    b: Array
    ub: Array
    scale: Array
    area: Array
    t: Array


class _Buffers(NamedTuple):
    """The index of the row, and arrays for its dot products with W and U."""

    row_index: Array
    dots_W: Array
    dots_U: Array


@_compiled
def _predict(
    weights: _Weights, buffers: _Buffers, average: bool, tie: float, scores: Array, row: Rows
) -> int:
    """Return the code that :func:`predict_codes` gives."""
    _score(weights, buffers, average, tie, scores, row)
    if scores.shape[0] == 1:
        return int(scores[0] > 0.0 or (tie == 1.0 and scores[0] == 0.0))
    best = 0
    for k in range(1, scores.shape[0]):
        if scores[k] > scores[best]:
            best = k
    return best


@_subroutine
def _score(
    weights: _Weights, buffers: _Buffers, average: bool, tie: float, scores: Array, row: Rows
) -> None:
    """Write the scores, by the weights of :func:`rosenblatt.engine.state.weights`."""
    t = weights.t[0]
    _dots(row, buffers.row_index, weights.W, buffers.dots_W)
    if average and t > 0:
        _dots(row, buffers.row_index, weights.U, buffers.dots_U)
        for k in range(scores.shape[0]):
            averaged = (weights.area[k] * buffers.dots_W[0, k] - buffers.dots_U[0, k]) / t
            scores[k] = averaged + weights.b[k] - weights.ub[k] / t
    else:
        for k in range(scores.shape[0]):
            scores[k] = buffers.dots_W[0, k] * weights.scale[k] + weights.b[k]


@_subroutine
def _dots(row: Rows, row_index: Array, W: Array, dots: Array) -> None:
    """Write ⟨W[:, k], x⟩ for every k."""
    if W.shape[1] == 1:
        dots[0, 0] = row.dot_sqnorm(row_index[0], W.reshape(W.size))[0]
    else:
        row.dot_block_multi(row_index, 0, W, dots)


_write_scores = _compiled(_score)


def predict_codes(scores: Array, tie: float) -> Array:
    """Return the codes of the classes with the highest scores.

    Parameters
    ----------
    scores : ndarray of shape (n,) for two classes, (n, K) for more
    tie : float
        +1: a single score of zero means the second class; else the first.

    Examples
    --------
    >>> predict_codes(np.array([-1.0, 0.0, 2.0]), tie=0.0)
    array([0, 0, 1])
    """
    if scores.ndim == 1:
        positive = scores >= 0 if tie == 1 else scores > 0
        return positive.astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1))
