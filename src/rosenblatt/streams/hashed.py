"""Rows whose columns have names, with the names hashed."""

from __future__ import annotations

from typing import Any

from rosenblatt.streams.holding import csr


def hashed(X: Any, names: list[str], bits: int) -> Any:
    """Rows of named columns with their names hashed, as scikit-learn's ``FeatureHasher`` does.

    Parameters
    ----------
    X : csr_array of shape (rows, len(names))
    names : list of str
    bits : int

    Returns
    -------
    csr_array of shape (rows, 2**bits)
        Values of names that share a column are added up, with their signs.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = hashed(csr_array([[3.0, 0.0], [0.0, 1.0]]), ["size", "colour=red"], 4)
    >>> rows.shape, rows.indices.tolist(), rows.data.tolist()
    ((2, 16), [6, 1], [-3.0, 1.0])
    """
    from sklearn.feature_extraction import FeatureHasher

    if not names:
        return csr(X.data, X.indices, X.indptr, 1 << bits)
    hasher = FeatureHasher(1 << bits, input_type="string")
    found = hasher.transform([name] for name in names)  # a row a name: its column and its sign
    rows = csr(X.data * found.data[X.indices], found.indices[X.indices], X.indptr, 1 << bits)
    rows.sum_duplicates()
    return rows
