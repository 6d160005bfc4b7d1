"""What two rows have in common: Σ min(|x_j|, |x'_j|) over the features in which their signs agree.

The Laplace kernel and the intersection of histograms are formulas of it, as the others are of the
inner product; no library of linear algebra has it.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rosenblatt.jit import compiled

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
