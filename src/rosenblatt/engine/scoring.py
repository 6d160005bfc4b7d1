"""Scores and predictions: of one row without any allocation, of many rows, and of their scores.

Every score is summed in the order that :mod:`rosenblatt.engine.rows` states, and never by BLAS,
whose order depends on the shape of the batch and on the processor. So a row has the same score, to
the last bit, alone and in any batch, as plain Python and compiled, and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, element_count, entry_point, subroutine
from rosenblatt.engine.rows import BLOCK_ROWS, CSR, Rows
from rosenblatt.engine.state import State, aligned_zeros, padded_columns

Array = NDArray[Any]

_compiled = partial(compiled, _nrt=False)  # nothing is allocated: no references to count
_subroutine = partial(subroutine, _nrt=False)

_PLAIN_STEPS = 0.01
"""Elementary steps, of a microsecond each, that NumPy needs for one product of a dot product."""

_CHUNK_TERMS = 2**16
"""Products that NumPy holds at a time: they stay in the cache."""


def products(rows: Rows, W: Array, columns: int) -> Array:
    """Return ⟨W[:, k], x⟩ of every row x, in the order of the rows' dot products.

    One weight vector: ``dot_sqnorm``, dense rows from left to right, sparse ones in four partial
    sums. Several: ``dot_block_multi``, from left to right. The products are of the wider of the two
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
    order, out = np.arange(n), np.empty((n, columns))
    dots = np.empty((BLOCK_ROWS, W.shape[1]))
    if columns == 1:
        _write_dots(rows, order, W.reshape(W.size), dots.reshape(dots.size), out.reshape(n))
    else:
        _write_dots_multi(rows, order, W, dots, out)
    return out


def _laid_out(W: Array, columns: int, dtype: Any) -> Array:
    """Return the weights as a state has them, so that one type of arrays is compiled."""
    P = padded_columns(columns)
    flags = W.flags
    if W.dtype == dtype and W.shape[1] == P and flags.c_contiguous and flags.writeable:
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
    t, area, scale = state.t[0], state.area[:columns], state.scale[:columns]
    b, ub = state.b[:columns], state.ub[:columns]
    dots_W = products(rows, state.W, columns)
    if average and t > 0:
        averaged = (area * dots_W - products(rows, state.U, columns)) / t
        return np.asarray(averaged + b - ub / t)
    return dots_W * scale + b


def _plain_dots(rows: Rows, order: Array, w: Array, dots: Array, out: Array) -> None:
    """Write the dot products in NumPy: sums of the same terms in the same order."""
    if isinstance(rows, CSR):
        out[:] = _sparse_dots(rows, w, parts=4)
    else:
        _write_dense_dots(rows.X, w[np.newaxis], out[:, np.newaxis])


def _plain_dots_multi(rows: Rows, order: Array, W: Array, dots: Array, out: Array) -> None:
    """Write the dot products of every class in NumPy."""
    if isinstance(rows, CSR):
        for k in range(out.shape[1]):
            out[:, k] = _sparse_dots(rows, W[:, k], parts=1)
    else:
        _write_dense_dots(rows.X, np.ascontiguousarray(W.T[: out.shape[1]]), out)


def _write_dense_dots(X: Array, vectors: Array, out: Array) -> None:
    """Write ⟨vector, x⟩, from left to right: ``accumulate`` adds in this order by definition."""
    step = max(1, _CHUNK_TERMS // vectors.size)
    for first in range(0, len(X), step):
        part = X[first : first + step, np.newaxis, :].astype(vectors.dtype, copy=False)
        terms = (part * vectors).astype(np.float64, copy=False)
        out[first : first + step] = np.add.accumulate(terms, axis=2, out=terms)[:, :, -1]
    out += 0.0  # the sum of the loops starts at 0, so it is never −0


def _sparse_dots(rows: CSR, w: Array, parts: int) -> Array:
    """Return ⟨w, x⟩ in 1 or 4 partial sums: ``bincount`` adds in the order of the entries."""
    n, start = len(rows.indptr) - 1, rows.indptr[0]
    sizes, entries = np.diff(rows.indptr), slice(start, rows.indptr[-1])
    terms = w[rows.indices[entries]] * rows.data[entries].astype(w.dtype, copy=False)
    row = np.repeat(np.arange(n), sizes)
    if parts == 1:
        return np.bincount(row, terms, n)
    position = np.arange(len(terms)) - np.repeat(rows.indptr[:-1] - start, sizes)
    part = np.where(position < np.repeat(sizes - sizes % 4, sizes), position % 4, 0)
    a, b, c, e = np.bincount(4 * row + part, terms, 4 * n).reshape(n, 4).T
    return np.asarray((a + b) + (c + e))


def _dots_steps(rows: Rows, order: Array, W: Array, dots: Array, out: Array) -> float:
    """Elementary steps, see :class:`rosenblatt.engine.jit.Compiled`."""
    return _PLAIN_STEPS * element_count(rows) * (out.size / max(1, len(order)))


@_compiled(plain=_plain_dots, work=_dots_steps)
def _write_dots(rows: Rows, order: Array, w: Array, dots: Array, out: Array) -> None:
    """Write ⟨w, x⟩ of the rows of ``order``."""
    n = 0
    while n < order.shape[0]:
        count = rows.dot_block(order, n, w, dots)
        for r in range(count):
            out[n + r] = dots[r]
        n += count


@_compiled(plain=_plain_dots_multi, work=_dots_steps)
def _write_dots_multi(rows: Rows, order: Array, W: Array, dots: Array, out: Array) -> None:
    """Write ⟨W[:, k], x⟩ of the rows of ``order`` for every class k."""
    n = 0
    while n < order.shape[0]:
        count = rows.dot_block_multi(order, n, W, dots)
        for r in range(count):
            for k in range(out.shape[1]):
                out[n + r, k] = dots[r, k]
        n += count


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
