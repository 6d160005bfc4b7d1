"""Running mean and standard deviation of every column, and rows scaled by them.

Centred columns are standardised, z = (x − mean)/std, by Welford's recurrence: all columns of dense
rows, and of sparse rows those that are named. The other columns are divided by the root mean square
of their values that are not zero, z = x/rms: zeros stay zeros, and a column of ones is unchanged.
Both are one recurrence, in which the mean of a column that is not centred stays 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import compiled, subroutine

Array = NDArray[Any]


class Moments(NamedTuple):
    """Number, mean and sum of squares of every column.

    The field names are names of arrays in a model file.

    Attributes
    ----------
    n_seen : ndarray of shape (d,), int64
        Number of values so far; zeros count in centred columns.
    mean : ndarray of shape (d,), float64
        Their mean; 0 where a column is not centred.
    squares : ndarray of shape (d,), float64
        Sum of the squared distances from the mean.
    centred : ndarray of shape (d,), bool
        True: zeros are values of the column. False: zeros are left alone.
    dense : ndarray of shape (1,), bool
        True: the first rows were dense, and all columns are centred, later ones too.
    """

    n_seen: Array
    mean: Array
    squares: Array
    centred: Array
    dense: Array


def empty_moments(d: int, *, dense: bool, centred: Sequence[int] | Array = ()) -> Moments:
    """Return the moments before the first row.

    Parameters
    ----------
    d : int
        Number of columns.
    dense : bool
        Whether rows are dense: all columns are centred.
    centred : sequence of int
        Columns of sparse rows that are centred.

    Examples
    --------
    >>> empty_moments(3, dense=False, centred=[1]).centred.tolist()
    [False, True, False]
    """
    mask = np.full(d, dense)
    mask[np.asarray(centred, np.int64)] = True
    return Moments(np.zeros(d, np.int64), np.zeros(d), np.zeros(d), mask, np.array([dense]))


def widened_moments(moments: Moments, d: int) -> Moments:
    """Return the moments with ``d`` columns, which is at least as many as there are.

    Examples
    --------
    >>> widened_moments(empty_moments(2, dense=True), 3).n_seen.tolist()
    [0, 0, 0]
    """
    wider = empty_moments(d, dense=bool(moments.dense[0]))
    for array, before in zip(wider[:4], moments[:4], strict=True):
        array[: len(before)] = before
    return wider


def deviations(moments: Moments) -> Array:
    """Return the standard deviations, or root mean squares; 1 for a column without any spread.

    Examples
    --------
    >>> moments = empty_moments(2, dense=True)
    >>> scale_dense(np.array([[1.0, 5.0], [3.0, 5.0]]), np.arange(2), moments, None)
    >>> deviations(moments).tolist()
    [1.0, 1.0]
    """
    variances = moments.squares / np.maximum(moments.n_seen, 1)
    spread: Array = np.sqrt(variances)
    spread[variances == 0.0] = 1.0
    return spread


def _dense_steps(X: Array, order: Array, *_: Any) -> float:
    return float(10 * len(order) * X.shape[1])


def _sparse_steps(data: Array, *_: Any) -> float:
    return 10.0 * len(data)


@compiled(work=_dense_steps)
def scale_dense(X: Array, order: Array, moments: Moments, Z: Array | None) -> None:
    """Add dense rows to the moments, each scaled by the moments up to and including itself.

    Parameters
    ----------
    X : ndarray of shape (n, d), float32 or float64
    order : ndarray of int64
        The rows to add, in this order.
    moments : Moments
        Changed in place.
    Z : ndarray like X, or None
        Its rows of ``order`` are overwritten; None only adds.
    """
    for n in range(order.shape[0]):
        i = order[n]
        for j in range(X.shape[1]):
            x, centred = np.float64(X[i, j]), moments.centred[j]
            if centred or x != 0.0:
                z = scale_value(x, j, moments.n_seen, moments.mean, moments.squares, centred)
                if Z is not None:
                    Z[i, j] = z


@compiled(work=_sparse_steps)
def scale_sparse(
    data: Array, indices: Array, indptr: Array, order: Array, moments: Moments, Z: Array | None
) -> None:
    """Add sparse rows to the moments as :func:`scale_dense` does.

    Every row stores its zeros of centred columns (:func:`~rosenblatt.engine.matrices.store_zeros`).

    Parameters
    ----------
    data, indices, indptr : ndarrays
        As in :class:`rosenblatt.engine.rows.CSR`.
    order, moments
        As in :func:`scale_dense`.
    Z : ndarray like data, or None
        Overwritten in the rows of ``order``.
    """
    for n in range(order.shape[0]):
        i = order[n]
        for p in range(at(indptr, i), at(indptr, i + 1)):
            x, j = np.float64(at(data, p)), at(indices, p)
            centred = moments.centred[j]
            if centred or x != 0.0:
                z = scale_value(x, j, moments.n_seen, moments.mean, moments.squares, centred)
                if Z is not None:
                    Z[p] = z


@compiled(work=_dense_steps)
def scale_dense_in_turn(
    X: Array, learned: Array, first: int, moments: Moments, P: Array, Z: Array
) -> None:
    """Scale each dense row once before, and once after another row is added to the moments.

    Parameters
    ----------
    X : ndarray of shape (n, d), float32 or float64
    learned : ndarray of shape (n − first,), int64
        The row to add after row first + k is scaled; negative for none.
    first : int
        The first row to scale before.
    moments : Moments
        Changed in place.
    P, Z : ndarrays like X
        P[first + k] is row first + k by the moments before ``learned[k]`` is added, and
        Z[learned[k]] that row by the moments after.
    """
    d = X.shape[1]
    for k in range(learned.shape[0]):
        for j in range(d):
            x = np.float64(X[first + k, j])
            if moments.centred[j] or x != 0.0:
                P[first + k, j] = scaled_value(x, j, moments.n_seen, moments.mean, moments.squares)
        i = learned[k]
        if i >= 0:
            for j in range(d):
                x, centred = np.float64(X[i, j]), moments.centred[j]
                if centred or x != 0.0:
                    z = scale_value(x, j, moments.n_seen, moments.mean, moments.squares, centred)
                    Z[i, j] = z


@compiled(work=_sparse_steps)
def scale_sparse_in_turn(
    data: Array,
    indices: Array,
    indptr: Array,
    learned: Array,
    first: int,
    moments: Moments,
    P: Array,
    Z: Array,
) -> None:
    """Scale sparse rows as :func:`scale_dense_in_turn` does; P and Z are like data."""
    n_seen, mean, squares = moments.n_seen, moments.mean, moments.squares
    for k in range(learned.shape[0]):
        for p in range(at(indptr, first + k), at(indptr, first + k + 1)):
            P[p] = scaled_value(np.float64(at(data, p)), at(indices, p), n_seen, mean, squares)
        i = learned[k]
        if i >= 0:
            for p in range(at(indptr, i), at(indptr, i + 1)):
                x, j = np.float64(at(data, p)), at(indices, p)
                centred = moments.centred[j]
                if centred or x != 0.0:
                    Z[p] = scale_value(x, j, n_seen, mean, squares, centred)


@subroutine
def scale_value(
    x: float, j: int, n_seen: Array, mean: Array, squares: Array, centred: bool
) -> float:
    """Add a value to the moments of column j; return it scaled."""
    n_seen[j] += 1
    distance = x - mean[j]
    if centred:
        mean[j] += distance / n_seen[j]
    squares[j] += distance * (x - mean[j])
    return scaled_value(x, j, n_seen, mean, squares)


@subroutine
def scaled_value(x: float, j: int, n_seen: Array, mean: Array, squares: Array) -> float:
    """Return a value of column j, scaled by the moments so far."""
    distance: float = x - mean[j]
    if squares[j] > 0.0:
        variance = squares[j] / n_seen[j]
        if variance > 0.0:  # it may underflow
            return distance / math.sqrt(variance)
    return distance
