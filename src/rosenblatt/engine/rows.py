"""Rows: storage of examples, as the loops of the core take it.

Sums over a row run in a fixed order (dense: from left to right, like scikit-learn's; sparse rows
and one weight vector: four partial sums), so every machine gives the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt._core import matrices as _core
from rosenblatt.utils.arrays import Array


class Dense(NamedTuple):
    """Rows of a C-ordered matrix.

    Attributes
    ----------
    X : ndarray of shape (n, d), float32 or float64
    """

    X: Array


class CSR(NamedTuple):
    """Rows of a compressed sparse matrix: only the values that are not zero.

    Attributes
    ----------
    data : ndarray of shape (nnz,), float32 or float64
    indices : ndarray of shape (nnz,), uint32
        The feature of each value.
    indptr : ndarray of shape (n + 1,), int64
        Row i is ``data[indptr[i]:indptr[i + 1]]``.
    """

    data: Array
    indices: Array
    indptr: Array


Rows = Dense | CSR


def largest_sqnorm(rows: Rows, n: int) -> float:
    """Return max ‖x_i‖² over the first ``n`` rows, 0 for none: the lectures' R² (L0.5)."""
    return _core.largest_sqnorm(rows, n)
