"""Sparse rows as three arrays, where SciPy need not be imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.utils.arrays import NDArray


class CSRArrays:
    """A matrix in compressed rows (CSR), with the attributes of SciPy's ``csr_array``.

    Readers and learners hand such rows on; the import of SciPy would take longer than they do with
    a small file. What a user receives is SciPy's: :meth:`tocsr`.

    Parameters
    ----------
    arrays : tuple of ndarray
        Values, columns and the start of each row, as ``csr_array`` takes them; not copied.
    shape : (int, int)

    Examples
    --------
    >>> X = CSRArrays((np.ones(3), np.array([0, 2, 1]), np.array([0, 2, 3])), (2, 5))
    >>> X.nnz, X.tocsr().toarray().tolist()
    (3, [[1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    """

    __slots__ = ("data", "indices", "indptr", "shape")
    format, ndim = "csr", 2

    def __init__(
        self, arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], shape: tuple[int, int]
    ) -> None:
        self.data, self.indices, self.indptr = arrays
        self.shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """The number of stored values."""
        return int(self.indptr[-1])

    def astype(self, dtype: Any) -> CSRArrays:
        """Return the rows with values of another type; the other arrays are shared."""
        return CSRArrays((self.data.astype(dtype), self.indices, self.indptr), self.shape)

    def tocsr(self) -> Any:
        """Return a ``csr_array`` over the same arrays."""
        import scipy.sparse as sp

        return sp.csr_array((self.data, self.indices, self.indptr), shape=self.shape)


def as_scipy(X: Any) -> Any:
    """Return rows as a user receives them: CSRArrays become a ``csr_array``, others stay.

    Examples
    --------
    >>> as_scipy(np.eye(1)).tolist()
    [[1.0]]
    """
    return X.tocsr() if isinstance(X, CSRArrays) else X
