"""Running mean and standard deviation of every column, and rows scaled by them.

Centred columns are standardised, z = (x − mean)/std, by Welford's recurrence: all columns of dense
rows, and of sparse rows those that are named. The other columns are divided by the root mean square
of their values that are not zero, z = x/rms: zeros stay zeros, and a column of ones is unchanged.
Both are one recurrence, in which the mean of a column that is not centred stays 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt._core import matrices as _core
from rosenblatt.engine.rows import Rows
from rosenblatt.utils.arrays import Array


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


def joint_moments(first: Moments, second: Moments) -> Moments:
    """Return the moments of rows of which two parts are known (Chan, Golub and LeVeque 1979).

    Both have the same columns. Where one part has no value of a column, the bits are the other's.

    Examples
    --------
    >>> from rosenblatt.engine.rows import Dense
    >>> parts = []
    >>> for x in ([1.0, 3.0], [8.0]):
    ...     parts.append(empty_moments(1, dense=True))
    ...     scale(Dense(np.array(x)[:, None]), np.arange(len(x)), parts[-1], None)
    >>> joint = joint_moments(*parts)
    >>> joint.n_seen.tolist(), joint.mean.tolist(), joint.squares.tolist()
    ([3], [4.0], [26.0])
    """
    n = first.n_seen + second.n_seen
    share = second.n_seen / np.maximum(n, 1)
    distance = second.mean - first.mean
    mean = np.where(first.n_seen == 0, second.mean, first.mean + distance * share)
    squares = first.squares + second.squares + distance**2 * first.n_seen * share
    return Moments(n, mean, squares, first.centred | second.centred, first.dense)


def deviations(moments: Moments) -> Array:
    """Return the standard deviations, or root mean squares; 1 for a column without any spread.

    Examples
    --------
    >>> from rosenblatt.engine.rows import Dense
    >>> moments = empty_moments(2, dense=True)
    >>> scale(Dense(np.array([[1.0, 5.0], [3.0, 5.0]])), np.arange(2), moments, None)
    >>> deviations(moments).tolist()
    [1.0, 1.0]
    """
    variances = moments.squares / np.maximum(moments.n_seen, 1)
    spread: Array = np.sqrt(variances)
    spread[variances == 0.0] = 1.0
    return spread


def scale(rows: Rows, order: Array, moments: Moments, Z: Array | None) -> None:
    """Add rows to the moments, each scaled by the moments up to and including itself.

    Parameters
    ----------
    rows : Dense or CSR
        A sparse row stores its zeros of centred columns
        (:func:`~rosenblatt.engine.matrices.store_zeros`).
    order : ndarray of int64
        The rows to add, in this order.
    moments : Moments
        Changed in place.
    Z : ndarray like the rows' values, or None
        Its rows of ``order`` are overwritten; None only adds.
    """
    _core.scale(rows, order, moments, Z)


def scale_in_turn(
    rows: Rows, learned: Array, first: int, moments: Moments, P: Array, Z: Array
) -> None:
    """Scale each row once before, and once after another row is added to the moments.

    Parameters
    ----------
    rows : Dense or CSR
        As in :func:`scale`.
    learned : ndarray of shape (n − first,), int64
        The row to add after row first + k is scaled; negative for none.
    first : int
        The first row to scale before.
    moments : Moments
        Changed in place.
    P, Z : ndarrays like the rows' values
        P has row first + k by the moments before ``learned[k]`` is added, and Z has row
        ``learned[k]`` by the moments after.
    """
    _core.scale_in_turn(rows, learned, first, moments, P, Z)
