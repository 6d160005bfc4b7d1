"""Notes on a certificate beside its claims: its verification, names, equal rows, main columns.

They are not in a proof file, and nothing is proved with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.record import Verification
from rosenblatt.utils.arrays import Matrix, NDArray

_MAX_EFFECTS = 5

MAX_VALUES = 2**24
"""Values of the rows up to which equal rows are sought: a few seconds."""
MAX_PAIRS = 10
"""Pairs of equal rows that are kept; all are counted."""


@dataclass(frozen=True)
class RowIndex:
    """Labels of all rows, from the index of a table or from a column of ids.

    Attributes
    ----------
    name : str
    labels : sequence
    """

    name: str
    labels: Any


@dataclass(frozen=True)
class EqualRows:
    """Pairs of equal rows with opposite labels: no function of the features tells them apart.

    Attributes
    ----------
    count : int
        Number of pairs.
    pairs : tuple of (int, int)
        The first ``MAX_PAIRS`` of them, from 0; in each the row that comes first.
    """

    count: int
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class MainColumns:
    """Columns that decide a separating hyperplane.

    Attributes
    ----------
    effects : tuple of (int, float)
        Columns with the largest |w_j| · standard deviation, the largest first.
    alone : tuple of int
        Columns that separate the classes without the others.
    """

    effects: tuple[tuple[int, float], ...]
    alone: tuple[int, ...]


@dataclass(frozen=True)
class DecimalVerdict:
    """The status of the shortest decimals of floats, which is another than that of the floats.

    Attributes
    ----------
    status : str
    examples : tuple of str
        Some of the decimals.
    """

    status: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Notes:
    """Notes on a certificate; None for what is not known."""

    verification: Verification | None = None
    index: RowIndex | None = None
    equal_rows: EqualRows | None = None
    main_columns: MainColumns | None = None
    decimals: DecimalVerdict | None = None


def index_of(X: Matrix) -> RowIndex | None:
    """Return the index of a pandas table; None without one, or if it counts the rows from 0."""
    index: Any = getattr(X, "index", None)
    if not hasattr(X, "columns") or not hasattr(index, "tolist"):
        return None
    labels = index.tolist()
    if labels == list(range(len(labels))):
        return None
    return RowIndex("index" if index.name is None else str(index.name), labels)


def find_equal_rows(data: LabelledData) -> EqualRows | None:
    """Find the pairs of equal rows with opposite labels; None for more than ``MAX_VALUES`` values.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [1.0], [1.0]])
    >>> find_equal_rows(LabelledData(X, np.array([1.0, 1.0, -1.0, -1.0])))
    EqualRows(count=2, pairs=((0, 2), (0, 3)))
    """
    if (data.X.nnz if hasattr(data.X, "indptr") else data.X.size) > MAX_VALUES:
        return None
    groups: dict[tuple[bytes, ...], tuple[list[int], list[int]]] = {}
    parts = zip(*map(_keys, data.parts), strict=True)
    for row, (key, sign) in enumerate(zip(parts, data.y.tolist(), strict=True)):
        groups.setdefault(key, ([], []))[sign > 0.0].append(row)
    mixed = [group for group in groups.values() if group[0] and group[1]]
    count = sum(len(negative) * len(positive) for negative, positive in mixed)
    pairs = (tuple(sorted(pair)) for group in mixed for pair in product(*group))
    return EqualRows(count, tuple((first, second) for first, second in islice(pairs, MAX_PAIRS)))


def find_main_columns(
    data: LabelledData, coef: NDArray[np.float64], *, fit_intercept: bool
) -> MainColumns:
    """Find the columns that decide a separating hyperplane with the weights ``coef``.

    Examples
    --------
    >>> data = LabelledData(np.array([[5.0, 1.0], [4.0, 2.0], [5.0, 3.0]]), np.array([-1, -1, 1.0]))
    >>> find_main_columns(data, np.array([0.0, 1.0]), fit_intercept=True).alone
    (1,)
    """
    X, positive = data.rows.floats, data.y > 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        effects = np.abs(coef) * _standard_deviations(X)
    largest = np.argsort(-effects, kind="stable")[:_MAX_EFFECTS].tolist()
    low, high = (_extremes(X[rows]) for rows in (~positive, positive))
    if fit_intercept:
        alone = (low[1] < high[0]) | (high[1] < low[0])
    else:
        alone = (low[1] < 0.0) & (high[0] > 0.0) | (high[1] < 0.0) & (low[0] > 0.0)
    return MainColumns(
        tuple((j, float(effects[j])) for j in largest if 0.0 < effects[j] < np.inf),
        tuple(np.flatnonzero(alone).tolist()),
    )


def _standard_deviations(X: Matrix) -> NDArray[np.float64]:
    """Return the standard deviation of each column, in float64 and from the mean."""
    if not hasattr(X, "indptr"):
        return np.asarray(np.std(X, axis=0, dtype=np.float64))
    n, d = X.shape
    columns, values = X.indices, X.data.astype(np.float64)
    means = np.bincount(columns, values, d) / n
    stored = np.bincount(columns, minlength=d)
    squares = np.bincount(columns, (values - means[columns]) ** 2, d)
    return np.asarray(np.sqrt((squares + (n - stored) * means**2) / n))


def _extremes(X: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest number of each column."""
    if hasattr(X, "indptr"):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def _keys(X: Matrix) -> Iterator[bytes]:
    """Yield bytes of each row that are equal for equal rows."""
    if not hasattr(X, "indptr"):
        yield from (row.tobytes() for row in X + 0.0)  # no −0.0
        return
    for start, stop in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        yield X.indices[start:stop].tobytes() + X.data[start:stop].tobytes()
