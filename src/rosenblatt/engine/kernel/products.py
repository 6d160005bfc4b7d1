"""Products of the kernel path: min-sums of rows, scores from kernel values, and votes.

The min-sum of two rows is Σ min(|x_j|, |x'_j|) over the features in which their signs agree. The
Laplace kernel and the histogram intersection are functions of it, as the other kernels are of the
inner product; no library of linear algebra has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, subroutine
from rosenblatt.engine.rows import BLOCK_ROWS, Dense

Array = NDArray[Any]


@subroutine
def signed_min(a: float, b: float) -> float:
    """Return min(|a|, |b|) if a and b have the same sign, else 0."""
    return max(min(a, b), 0.0) - min(max(a, b), 0.0)


def dense_min_sums(A: Array, B: Array, sums: Array) -> None:
    """Write the min-sums of all rows of A with all rows of B.

    Parameters
    ----------
    A : ndarray of shape (n, d)
    B : ndarray of shape (m, d)
    sums : ndarray of shape (n, m), of the same type
        Written.

    Examples
    --------
    >>> import numpy as np
    >>> sums = np.empty((1, 1))
    >>> dense_min_sums(np.array([[1.0, -2.0, 3.0]]), np.array([[2.0, -1.0, -1.0]]), sums)
    >>> sums
    array([[2.]])
    """
    _dense_min_sums(A, np.ascontiguousarray(B.T), np.empty(len(B)), sums)


@compiled(work=lambda A, B_t, *_: A.size * B_t.shape[1])
def _dense_min_sums(A: Array, B_t: Array, row: Array, sums: Array) -> None:
    """Write the sums row by row: those of one row are independent, and vectorised."""
    for i in range(A.shape[0]):
        for k in range(B_t.shape[1]):
            row[k] = 0.0
        for j in range(A.shape[1]):
            if A[i, j] != 0.0:
                for k in range(B_t.shape[1]):
                    row[k] += np.float64(signed_min(A[i, j], B_t[j, k]))
        for k in range(B_t.shape[1]):
            sums[i, k] = row[k]


def _min_steps(indices: Array, indptr_t: Array) -> float:
    """Return the elementary steps of :func:`sparse_min_sums`: pairs of values in one column."""
    return 3.0 * float(np.diff(indptr_t)[indices].sum())


@compiled(work=lambda *arrays: _min_steps(arrays[1], arrays[5]))
def sparse_min_sums(
    data: Array,
    indices: Array,
    indptr: Array,
    data_t: Array,
    indices_t: Array,
    indptr_t: Array,
    sums: Array,
) -> None:
    """Add the min-sums of the rows of a CSR matrix A with those of B, given as Bᵀ.

    Parameters
    ----------
    data, indices, indptr : ndarrays
        A, CSR of shape (n, d).
    data_t, indices_t, indptr_t : ndarrays
        Bᵀ, CSR of shape (d, m).
    sums : ndarray of shape (n, m)
        Zeros; written.
    """
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for q in range(indptr_t[j], indptr_t[j + 1]):
                sums[i, indices_t[q]] += signed_min(data[p], data_t[q])


def add_products(values: Array, W: Array, scores: Array) -> None:
    """Add Σ_s values[r, s] · W[s] to scores[r], in float64 and in the order of the slots.

    The loops over dense rows do it: the rows are kernel values, and W their weights.

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
    rows, order, P = Dense(values), np.arange(len(values)), W.shape[1]
    if P == 1:
        _add_products_binary(
            rows, order, W.reshape(len(W)), np.empty(BLOCK_ROWS), scores.reshape(len(scores))
        )
    else:
        _add_products_multi(rows, order, W, np.empty((BLOCK_ROWS, P)), scores)


@compiled
def _add_products_binary(rows: Dense, order: Array, w: Array, dots: Array, scores: Array) -> None:
    r = 0
    while r < order.shape[0]:
        count = rows.dot_block(order, r, w, dots)
        for q in range(count):
            scores[r + q] += dots[q]
        r += count


@compiled(work=lambda rows, order, W, *_: rows.X.size * W.shape[1])
def _add_products_multi(rows: Dense, order: Array, W: Array, dots: Array, scores: Array) -> None:
    r = 0
    while r < order.shape[0]:
        count = rows.dot_block_multi(order, r, W, dots)
        for q in range(count):
            for k in range(W.shape[1]):
                scores[r + q, k] += dots[q, k]
        r += count


@compiled(work=lambda values, slot, *_: values.shape[1] * len(slot))
def apply_steps(
    values: Array, slot: Array, column: Array, tau: Array, count: Array, scores: Array
) -> None:
    """Add recorded steps to old scores.

    scores[column[m], r] += tau[m] · values[slot[m], r] for the first count[m] rows r.

    Parameters
    ----------
    values : ndarray of shape (S, n)
    slot, column, tau : ndarray of shape (M,)
        The steps: a row of ``values``, the weight vector, and τ.
    count : ndarray of shape (M,), int64
        Number of rows whose scores do not include the step yet.
    scores : ndarray of shape (K, n), float64
    """
    for m in range(tau.shape[0]):
        row, moved, step = values[slot[m]], scores[column[m]], tau[m]
        for r in range(count[m]):
            moved[r] += step * row[r]


@compiled(work=lambda values, slot, *_: len(values) * len(slot))
def add_votes(
    values: Array, slot: Array, tau: Array, survival: Array, tie: float, bias: float, votes: Array
) -> None:
    """Add the votes of all intermediate vectors of one weight vector, weighted by survival.

    votes[r] += Σ_m survival[m] · sign(score of row r after m steps), with sign(0) = tie.

    Parameters
    ----------
    values : ndarray of shape (n, S)
        Kernel values of n rows with all slots.
    slot, tau : ndarray of shape (M,)
        The steps, in order.
    survival : ndarray of shape (M + 1,), float64
        Number of examples that w survived before the first step, between the first and the
        second, …
    tie, bias : float
    votes : ndarray of shape (n,), float64
    """
    for r in range(values.shape[0]):
        score, vote = 0.0, tie * survival[0]
        for m in range(slot.shape[0]):
            score += tau[m] * (values[r, slot[m]] + bias)
            if score > 0.0:
                vote += survival[m + 1]
            elif score < 0.0:
                vote -= survival[m + 1]
            else:
                vote += tie * survival[m + 1]
        votes[r] += vote


@compiled(work=lambda values, slot, *_: 3 * len(values) * len(slot))
def add_votes_jointly(
    values: Array,
    slot: Array,
    column: Array,
    tau: Array,
    survival: Array,
    bias: float,
    votes: Array,
) -> None:
    """Add votes as :func:`add_votes` does, each for the class with the highest score.

    Parameters
    ----------
    values, slot, tau, bias
        As in :func:`add_votes`.
    column : ndarray of shape (M,), int64
        The weight vector of each step.
    survival : ndarray of shape (M,), float64
        Number of examples between a step and the next; 0 between the two steps of one example.
    votes : ndarray of shape (n, K), float64
    """
    n, K = votes.shape
    scores = np.zeros(K)
    for r in range(n):
        scores[:] = 0.0
        for m in range(slot.shape[0]):
            scores[column[m]] += tau[m] * (values[r, slot[m]] + bias)
            if survival[m] > 0.0:
                votes[r, np.argmax(scores)] += survival[m]
