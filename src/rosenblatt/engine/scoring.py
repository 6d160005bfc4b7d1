"""Scores and predictions: of one row without any allocation, of many rows, and of their scores.

Every score is summed in the order that :mod:`rosenblatt.engine.rows` states, and never by BLAS,
whose order depends on the shape of the batch and on the processor. So a row has the same score, to
the last bit, alone and in any batch, and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rosenblatt._core import matrices as _core
from rosenblatt.engine import blend
from rosenblatt.engine.rows import CSR, Rows
from rosenblatt.engine.state import State, aligned_zeros, padded_columns
from rosenblatt.engine.text.named_rows import Encoder
from rosenblatt.utils.arrays import Array


def products(rows: Rows, W: Array, columns: int) -> Array:
    """Return ⟨W[:, k], x⟩ of every row x, in the order of the rows' dot products.

    One weight vector: dense rows from left to right, sparse ones in four partial
    sums. Several: from left to right. The products are of the wider of the two
    types, the sums float64.

    Parameters
    ----------
    rows : CSR or Dense
    W : ndarray of shape (d, at least columns), float32 or float64
        Read without a copy if it is laid out as that of a state.
    columns : int ≥ 1

    Returns
    -------
    ndarray of shape (n, columns), float64

    Examples
    --------
    >>> from rosenblatt.engine.rows import Dense
    >>> products(Dense(np.array([[3.0, 4.0]])), np.eye(2), 2).tolist()
    [[3.0, 4.0]]
    """
    values, n = rows[0], len(rows.indptr) - 1 if isinstance(rows, CSR) else len(rows.X)
    W = _laid_out(W, columns, np.promote_types(values.dtype, W.dtype))
    out = np.empty((n, columns))
    _core.products(rows, W, out)
    return out


def _laid_out(W: Array, columns: int, dtype: np.dtype[np.generic]) -> Array:
    """Return the weights as a state has them."""
    P = padded_columns(columns)
    if W.dtype == dtype and W.shape[1] == P and W.flags.c_contiguous and W.flags.aligned:
        return W
    padded = aligned_zeros((len(W), P), dtype)
    padded[:, :columns] = W[:, :columns]
    return padded


def state_scores(rows: Rows, state: State, columns: int, *, average: bool) -> Array:
    """Return the scores that :class:`RowScorer` gives of every row, shape (n, columns), same bits.

    Examples
    --------
    >>> from rosenblatt.engine.rows import Dense
    >>> from rosenblatt.engine.state import empty
    >>> state = empty(2, 1)
    >>> state.W[:, 0], state.b[0] = [1.0, 2.0], 0.5
    >>> state_scores(Dense(np.array([[3.0, 4.0]])), state, 1, average=False)
    array([[11.5]])
    """
    blend.refresh(state.W, state.b, state.own)
    t, area, scale = state.t[0], state.area[:columns], state.scale[:columns]
    b, ub = state.b[:columns], state.ub[:columns]
    dots_W = products(rows, state.W, columns)
    if average and t > 0:
        averaged = (area * dots_W - products(rows, state.U, columns)) / t
        return np.asarray(averaged + b - ub / t)
    return dots_W * scale + b


class RowScorer:
    """Scores and predictions of single rows, by the state's last or averaged weights.

    Parameters
    ----------
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
        ``predict(row)`` is the code of the class with the highest score. A row is of
        :mod:`rosenblatt.engine.rows`, or of :mod:`rosenblatt.engine.text.named_rows`.
    row_index : ndarray of shape (1,), int64
        Index of the row to score (default 0); written in place.
    latest : ndarray of shape (columns,)
        Scores of the latest row; the next overwrites them.
    core
        The scorer of the core, for :mod:`rosenblatt.engine.text.named_rows`.

    Examples
    --------
    >>> from rosenblatt.engine.rows import CSR
    >>> from rosenblatt.engine.state import empty
    >>> state = empty(3, 1)
    >>> state.W[:, 0] = [1.0, 2.0, 4.0]
    >>> row = CSR(np.array([3.0, 0.5]), np.array([0, 2], np.uint32), np.array([0, 2]))
    >>> scorer = RowScorer(state, 1, average=False, tie=0.0)
    >>> scorer.scores(row).tolist(), scorer.predict(row)
    ([5.0], 1)
    """

    def __init__(self, state: State, columns: int, *, average: bool, tie: float) -> None:
        self.row_index, self.latest = np.zeros(1, np.int64), np.zeros(columns)
        self.core = _core.RowScorer(state, average, tie, self.row_index, self.latest)
        self.predict: Callable[[Rows | Encoder], int] = self.core.predict

    def scores(self, row: Rows | Encoder) -> Array:
        """Return the score of every weight vector, shape (columns,)."""
        self.core.score(row)
        return self.latest.copy()


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
