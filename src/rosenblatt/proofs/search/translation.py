"""Rows moved by an exact shift per column, so that floats have digits for their differences.

Dates as 20260101 and 20260105 differ in their last digits: products of such rows lose as many as
they share. A hyperplane with an offset moves with the rows, so that the search may move them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.rows import two_sum
from rosenblatt.utils.arrays import Array

_LEAST_SHARE = 0.875
"""Smallest over largest size from which on a column moves: it gains three bits or more. Above 1/2
the difference of two numbers of one sign is exact (Sterbenz 1974)."""


def translated(data: LabelledData) -> tuple[LabelledData, Array | None]:
    """Return the rows less the floats of their first, in columns far from 0, and these floats.

    Every difference is exact. A sparse column moves only if it has no zeros, and no number that
    is 0 changes; without a column that gains, the data is returned as it is.

    Returns
    -------
    data : LabelledData
    origin : ndarray of shape (d,), float64, or None
        What was subtracted from every row; None if nothing.

    Examples
    --------
    >>> dates = np.array([[20260101.0, 1.0], [20260105.0, 0.0]])
    >>> moved, origin = translated(LabelledData(dates, np.array([-1.0, 1.0])))
    >>> moved.X.tolist(), origin.tolist()
    ([[0.0, 1.0], [4.0, 0.0]], [20260101.0, 0.0])
    """
    X = data.X
    if sp.issparse(X):
        if data.tail:  # its parts have their numbers in different places
            return data, None
        columns = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0])
        if not len(columns):
            return data, None
        part = X[:, columns].toarray()
    else:
        columns, part = np.arange(X.shape[1]), X
    lowest, highest = part.min(axis=0), part.max(axis=0)
    sizes = np.sort(np.abs([lowest, highest]), axis=0)
    far = ((lowest > 0.0) | (highest < 0.0)) & (sizes[0] >= _LEAST_SHARE * sizes[1])
    if not far.any():
        return data, None
    origin = np.zeros(X.shape[1], X.dtype)
    origin[columns[far]] = part[0, far]
    if sp.issparse(X):
        moved = X.copy()
        moved.data -= origin[moved.indices]
        moved.eliminate_zeros()
        return replace(data, X=moved), origin.astype(np.float64)
    moved, tail = X - origin, data.tail
    if tail:  # closer to 0 a float may hold what took two
        moved, rest = two_sum(moved, tail[0])
        tail = tuple(part for part in (rest, *tail[1:]) if part.any())
    return replace(data, X=moved, tail=tail), origin.astype(np.float64)


def moved_back(w: list[Fraction], b: Fraction, origin: Array) -> Fraction:
    """Return the offset, for the rows as they were, of the hyperplane w·x + b of the moved rows.

    Examples
    --------
    >>> moved_back([Fraction(1, 2)], Fraction(3), np.array([10.0]))
    Fraction(-2, 1)
    """
    used = np.flatnonzero(origin).tolist()
    return b - sum((w[j] * Fraction(float(origin[j])) for j in used), Fraction(0))
