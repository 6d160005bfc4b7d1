"""Sparse rows with hashed columns: sorted, with the values of equal columns summed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.utils.arrays import NDArray


class SparseRows(NamedTuple):
    """Rows of columns and values, as the arrays of a CSR matrix.

    Parameters
    ----------
    columns : int32 array of shape (entries,)
    data : float64 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)

    Examples
    --------
    >>> rows = SparseRows(np.array([2], np.int32), np.array([0.5]), np.array([0, 1]))
    >>> rows.columns.tolist()
    [2]
    """

    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]


def sort_and_sum(rows: SparseRows, bits: int) -> SparseRows:
    """Sort the columns of each row and sum the values of equal columns, in place.

    Hashes are replaced by their columns, and values get the signs of their hashes. Equal columns
    are summed in their order in the row. The result shares the arrays of ``rows``. Short rows are
    sorted by counting the smaller columns of each; longer rows by a radix sort of six bits at a
    time.

    Parameters
    ----------
    rows : SparseRows
        With hashes, or with columns below 2^bits, as ``columns``.
    bits : int

    Examples
    --------
    >>> columns, data = np.array([5, 0, 5], np.int32), np.array([1.0, 2.0, 3.0])
    >>> rows = sort_and_sum(SparseRows(columns, data, np.array([0, 3])), 3)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 5], [2.0, 4.0], [0, 2])
    """
    entries = core.sort_and_sum(*rows, bits)
    return rows._replace(columns=rows.columns[:entries], data=rows.data[:entries])
