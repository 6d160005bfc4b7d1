"""Products of the kernel path: min-sums of rows, scores from kernel values, and votes.

The min-sum of two rows is Σ min(|x_j|, |x'_j|) over the features in which their signs agree. The
Laplace kernel and the histogram intersection are functions of it, as the other kernels are of the
inner product; no library of linear algebra has it.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._core import kernel as _core
from rosenblatt._core import matrices
from rosenblatt.utils.arrays import Array


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
    _core.dense_min_sums(A, np.ascontiguousarray(B.T), sums)


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
    left, right = (_wide(indices), _wide(indptr)), (_wide(indices_t), _wide(indptr_t))
    _core.sparse_min_sums(data, *left, data_t, *right, sums)


def _wide(indices: Array) -> Array:
    """Return indices as int64."""
    return indices.astype(np.int64, copy=False)


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
    matrices.products((_floats(values),), W, scores, adds=True)


def _floats(values: Array) -> Array:
    """Return kernel values in C order, as float32 or float64, whatever a user's kernel gives."""
    kind = values.dtype if values.dtype in (np.float32, np.float64) else np.float64
    return np.ascontiguousarray(values, kind)


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
    _core.apply_steps(_floats(values), slot, column, tau, count, scores)


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
    _core.add_votes(_floats(values), slot, tau, survival, tie, bias, votes)


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
    _core.add_votes_jointly(_floats(values), slot, column, tau, survival, bias, votes)
