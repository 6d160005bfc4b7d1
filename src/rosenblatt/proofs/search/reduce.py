"""Fewer rows that cancel, so that a person can look at them.

Rows that cancel are at most as many as the features they touch, and two. Where rows are mostly
zeros, those that only touch the most common features are asked whether they meet already; how many
features that takes is found by bisection.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.hulls import min_norm
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.proofs.check.data import Labelled
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import EPOCHS, Clock, Task, classes_apart, of_hulls

Array = NDArray[Any]

_ENOUGH = 16  # rows that a person can look at


def fewer(
    data: Labelled, intercept: bool, task: Task, rows: Array, weights: list[int], clock: Clock
) -> tuple[Array, list[int]]:
    """Rows that cancel with their weights: those given, or fewer."""
    if len(rows) <= _ENOUGH or not isinstance(task.rows, CSR):
        return rows, weights
    X = _matrix(task.rows, data.shape)
    needed = _needed(X)
    low, high = 0, int(needed[rows].max())
    while high - low > 1 + high // 64 and not clock.is_over:
        most = (low + high) // 2
        found = _meeting(data, X, intercept, np.flatnonzero(needed <= most), clock)
        if found is None:
            low = most
        else:
            rows, weights = found
            high = int(needed[rows].max())
    return rows, weights


def _matrix(rows: CSR, shape: tuple[int, int]) -> Any:
    """The rows as scipy's matrix, with indices as narrow as they are: no loop is compiled anew."""
    width = np.int32 if rows.indices.itemsize == 4 and len(rows.data) < 2**31 else np.int64
    indices, indptr = rows.indices.astype(width), rows.indptr.astype(width)
    return sp.csr_array((rows.data, indices, indptr), shape)


def _needed(X: Any) -> Array:
    """How many of the most common features each row needs."""
    common = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")
    place = np.empty(X.shape[1], np.int64)
    place[common] = np.arange(1, X.shape[1] + 1)
    needed = np.zeros(X.shape[0], np.int64)
    some = np.flatnonzero(np.diff(X.indptr))
    needed[some] = np.maximum.reduceat(place[X.indices], X.indptr[some])
    return needed


def _meeting(
    data: Labelled, X: Any, intercept: bool, among: Array, clock: Clock
) -> tuple[Array, list[int]] | None:
    """Rows among some that cancel, with their weights; None where these are apart."""
    y = data.y[among]
    if intercept and (len(y) == 0 or (y == y[0]).all()):
        return None
    rows = as_rows(X[among])
    run = min_norm.run(rows, y, X.shape[1], intercept, EPOCHS)
    if run.converged:
        return None
    task = classes_apart(rows, y, X.shape[1], intercept)
    near = of_hulls(task, run.missed + 0.0, 1e-3, clock)
    return integers.cancelling_rows(data, among[near.rows], intercept) if near.is_zero else None
