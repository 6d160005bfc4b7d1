"""A smaller infeasible subset of sparse rows, so that a person can read it.

By Carathéodory's theorem (Schrijver 1986, chapter 7), as many rows with Σ λ z = 0 suffice as they
have nonzero features, plus two. A bisection over the number k of most common features looks for
such rows among those that have only these k features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import (
    EPOCHS,
    HullProblem,
    Task,
    hull_problem,
    nearest_points,
)
from rosenblatt.utils.arrays import Array

_FEW_ROWS = 16  # rows that a person can read


def reduce_rows(
    task: Task, problem: HullProblem, rows: Array, weights: list[int]
) -> tuple[Array, list[int]]:
    """Return rows and weights with Σ λ z = 0: the arguments, or fewer rows."""
    if len(rows) <= _FEW_ROWS or not isinstance(problem.rows, CSR):
        return rows, weights
    X = _matrix(problem.rows, task.data.shape)
    needed = _features_needed(X)
    low, high = 0, int(needed[rows].max())
    while high - low > 1 + high // 64 and not task.deadline.is_past:
        most = (low + high) // 2
        smaller = _infeasible_among(task, X, np.flatnonzero(needed <= most))
        if smaller is None:
            low = most
        else:
            rows, weights = smaller
            high = int(needed[rows].max())
    return rows, weights


def _matrix(rows: CSR, shape: tuple[int, int]) -> Any:
    """Return the rows as a SciPy matrix."""
    width = np.int32 if max(shape[1], len(rows.data)) < 2**31 else np.int64
    indices, indptr = rows.indices.astype(width), rows.indptr.astype(width)
    return sp.csr_array((rows.data, indices, indptr), shape)


def _features_needed(X: Any) -> Array:
    """Return, for each row, the rank of its rarest feature by frequency, from 1."""
    common = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")
    rank = np.empty(X.shape[1], np.int64)
    rank[common] = np.arange(1, X.shape[1] + 1)
    needed = np.zeros(X.shape[0], np.int64)
    nonempty = np.flatnonzero(np.diff(X.indptr))
    needed[nonempty] = np.maximum.reduceat(rank[X.indices], X.indptr[nonempty])
    return needed


def _infeasible_among(task: Task, X: Any, candidates: Array) -> tuple[Array, list[int]] | None:
    """Return rows among the candidates with Σ λ z = 0, and weights; None if they are separable."""
    y = task.data.y[candidates]
    if task.intercept and (len(y) == 0 or (y == y[0]).all()):
        return None
    rows = as_rows(X[candidates])
    run = hulls.run_perceptron(rows, y, X.shape[1], task.intercept, EPOCHS)
    if run.converged:
        return None
    problem = hull_problem(rows, y, X.shape[1], task.intercept)
    near = nearest_points(problem, run.mistakes + 0.0, 1e-3, task.deadline)
    return integers.infeasible_rows(task, candidates[near.rows]) if near.is_zero else None
