"""What two rows have in common: Σ min(|x_j|, |x'_j|) over the features in which their signs agree.

The Laplace kernel and the intersection of histograms are formulas of it, as the others are of the
inner product; no library of linear algebra has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled
from rosenblatt.engine.rows import FEW, Dense

Array = NDArray[Any]


@compiled
def common(a: float, b: float) -> float:
    """min(|a|, |b|) where a and b have the same sign, else 0."""
    return max(min(a, b), 0.0) - min(max(a, b), 0.0)


def dense_overlaps(A: Array, B: Array, overlaps: Array) -> None:
    """Overlaps of all rows of A with all rows of B, as an (n, m) matrix of the same type.

    Parameters
    ----------
    A : ndarray of shape (n, d)
    B : ndarray of shape (m, d)
    overlaps : ndarray of shape (n, m)
        Written.

    Examples
    --------
    >>> import numpy as np
    >>> found = np.empty((1, 1))
    >>> dense_overlaps(np.array([[1.0, -2.0, 3.0]]), np.array([[2.0, -1.0, -1.0]]), found)
    >>> found
    array([[2.]])
    """
    _dense(A, B, overlaps)


def _dense_loop(A: Array, B: Array, overlaps: Array) -> None:
    for i in range(A.shape[0]):
        for k in range(B.shape[0]):
            total = 0.0
            for j in range(A.shape[1]):
                total += common(A[i, j], B[k, j])
            overlaps[i, k] = total


# The sum may run in any order, as in a matrix product: only then it uses the whole width of a core.
_dense = compiled(_dense_loop, fastmath={"reassoc", "contract"})


@compiled
def sparse_overlaps(
    data: Array,
    indices: Array,
    indptr: Array,
    features: Array,
    rows: Array,
    starts: Array,
    overlaps: Array,
) -> None:
    """As :func:`dense_overlaps`, of the rows of a CSR matrix with the columns of another.

    Parameters
    ----------
    data, indices, indptr : ndarrays
        A, CSR of shape (n, d).
    features, rows, starts : ndarrays
        data, indices and indptr of Bᵀ, CSR of shape (d, m).
    overlaps : ndarray of shape (n, m)
        Zeros, written.
    """
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for q in range(starts[j], starts[j + 1]):
                overlaps[i, rows[q]] += common(data[p], features[q])


def add_products(values: Array, W: Array, scores: Array) -> None:
    """scores[r] += Σ_s values[r, s] · W[s], in float64 and in the order of the slots.

    The rows of kernel values are dense rows like any others, and W their weights.

    Parameters
    ----------
    values : ndarray of shape (n, S), float32 or float64
    W : ndarray of shape (S, P), float64
    scores : ndarray of shape (n, P), float64

    Examples
    --------
    >>> scores = np.zeros((1, 1))
    >>> add_products(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), scores)
    >>> scores
    array([[11.]])
    """
    rows, lines, P = Dense(values), np.arange(len(values)), W.shape[1]
    if P == 1:
        _add_one(rows, lines, W.reshape(len(W)), np.empty(FEW), scores.reshape(len(scores)))
    else:
        _add_many(rows, lines, W, np.empty((FEW, P)), scores)


@compiled
def _add_one(rows: Dense, lines: Array, w: Array, dots: Array, scores: Array) -> None:
    r = 0
    while r < lines.shape[0]:
        few = rows.see_few(lines, r, w, dots)
        for q in range(few):
            scores[r + q] += dots[q]
        r += few


@compiled
def _add_many(rows: Dense, lines: Array, W: Array, dots: Array, scores: Array) -> None:
    r = 0
    while r < lines.shape[0]:
        few = rows.see_all(lines, r, W, dots)
        for q in range(few):
            for k in range(W.shape[1]):
                scores[r + q, k] += dots[q, k]
        r += few


@compiled
def follow(
    values: Array, place: Array, column: Array, tau: Array, since: Array, scores: Array
) -> None:
    """Bring scores up to date: scores[r, column[m]] += tau[m] · values[r, place[m]], m ≥ since[r].

    Parameters
    ----------
    values : ndarray of shape (n, S)
    place, column, tau : ndarray of shape (M,)
        Moves: the column of ``values`` that has their slot, the weight vector, how far.
    since : ndarray of shape (n,), int64
        The first move that a row has not seen.
    scores : ndarray of shape (n, K), float64
    """
    for r in range(scores.shape[0]):
        for m in range(since[r], tau.shape[0]):
            scores[r, column[m]] += tau[m] * values[r, place[m]]


@compiled
def poll(
    values: Array, slot: Array, tau: Array, survival: Array, tie: float, one: float, votes: Array
) -> None:
    """Let the older selves of one weight vector vote, each as often as it survived steps.

    votes[r] += Σ_m survival[m] · sign(score of row r after m moves), with sign(0) = tie.

    Parameters
    ----------
    values : ndarray of shape (n, S)
        Kernel values of n rows with all slots.
    slot, tau : ndarray of shape (M,)
        The moves, in turn.
    survival : ndarray of shape (M + 1,), float64
        Steps that w survived before the first move, between the first and the second, …
    tie, one : float
    votes : ndarray of shape (n,), float64
    """
    for r in range(values.shape[0]):
        score, vote = 0.0, tie * survival[0]
        for m in range(slot.shape[0]):
            score += tau[m] * (values[r, slot[m]] + one)
            if score > 0.0:
                vote += survival[m + 1]
            elif score < 0.0:
                vote -= survival[m + 1]
            else:
                vote += tie * survival[m + 1]
        votes[r] += vote


@compiled
def poll_jointly(
    values: Array, slot: Array, column: Array, tau: Array, survival: Array, one: float, votes: Array
) -> None:
    """As :func:`poll`, for classes with one arg max: each older self votes for one class.

    Parameters
    ----------
    values, slot, tau, one
        As there.
    column : ndarray of shape (M,), int64
    survival : ndarray of shape (M,), float64
        Steps between a move and the next; 0 between the two moves of one example.
    votes : ndarray of shape (n, K), float64
    """
    n, K = votes.shape
    scores = np.zeros(K)
    for r in range(n):
        scores[:] = 0.0
        for m in range(slot.shape[0]):
            scores[column[m]] += tau[m] * (values[r, slot[m]] + one)
            if survival[m] > 0.0:
                votes[r, np.argmax(scores)] += survival[m]
