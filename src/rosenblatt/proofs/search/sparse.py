"""Rows of sparse data that few features decide, and few rows that prove it inseparable.

If a feature has one sign in all rows z, the direction along it has z·δ >= 0 on all of them, and > 0
where the feature is not zero: these rows are not on the minimal face. Without them, other features
have one sign, and so on. Of text, whose rare words occur in one class only, few rows remain: they
are removed before the search for the minimal face.

By Carathéodory's theorem (Schrijver 1986, chapter 7), as many rows with Σ λ z = 0 suffice as they
have nonzero features, plus two. So that a person can read them, a bisection over the number k of
most common features looks for such rows among those that have only these k features.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.faces import MinimalFace, minimal_face
from rosenblatt.proofs.search.nearest import (
    EPOCHS,
    HullProblem,
    Task,
    hull_problem,
    nearest_points,
)
from rosenblatt.utils.arrays import Array, Matrix

PEELED_FROM = 200
"""Rows and columns from which on rows are removed first: a factorisation takes longer."""
_MAX_DENSITY = 0.1  # share of nonzeros up to which dense data is made sparse
_SAMPLE = 1000  # rows that show it


class Peeled(NamedTuple):
    """The rows that remain, and the stages in which the others were removed.

    Attributes
    ----------
    rows : ndarray of shape (k,), int64
        The rows that remain.
    columns : ndarray of shape (c,), int64
        The features that are nonzero in them.
    stages : list of (rows, features, signs)
        The rows that each stage removed, and the features that decide them, with their signs −1 or
        +1. With an intercept, it is the last feature.
    """

    rows: Array
    columns: Array
    stages: list[tuple[Array, Array, Array]]

    @property
    def cost(self) -> int:
        """Rows or columns that remain, whichever are fewer: the size of a factorisation."""
        return min(len(self.rows), len(self.columns))

    def rest(self, data: LabelledData) -> LabelledData:
        """Return what remains of the data."""
        columns = self.columns if len(self.columns) else np.zeros(1, np.int64)
        head, *tail = (part[self.rows][:, columns] for part in data.parts)
        return LabelledData(head, data.y[self.rows], tuple(tail))


def worth_peeling(data: LabelledData) -> LabelledData | None:
    """Return the data as a sparse matrix if it is large and sparse enough to try, else None."""
    if min(data.shape) <= PEELED_FROM:
        return None
    if sp.issparse(data.X):
        return data
    filled = np.count_nonzero(data.X[:_SAMPLE])
    if filled > _MAX_DENSITY * data.X[:_SAMPLE].size:
        return None
    return as_sparse(data)


def as_sparse(data: LabelledData) -> LabelledData:
    """Return the data with sparse rows."""
    head, *tail = (sp.csr_array(part) for part in data.parts)
    return LabelledData(head, data.y, tuple(tail))


def peeled_face(task: Task, peeled: Peeled, rows: Array, weights: list[int]) -> MinimalFace:
    """Return the minimal face, as `minimal_face` does, of peeled data.

    Features of the removed rows that are linear combinations of others are not told apart: all of
    them have a direction.
    """
    columns = peeled.columns if len(peeled.columns) else np.zeros(1, np.int64)
    inner = np.searchsorted(peeled.rows, rows)
    face = minimal_face(task._replace(data=peeled.rest(task.data)), inner, weights)
    overlap, direction = replace(face.overlap, rows=peeled.rows[face.overlap.rows]), face.direction
    if not peeled.stages:
        return MinimalFace(overlap, direction)
    total = [0] * (task.data.shape[1] + 1)
    if direction is not None:
        for j, value in zip([*columns.tolist(), -1], direction, strict=True):
            total[j] = value
    return MinimalFace(overlap, _combined_direction(task, peeled, total))


def peel(task: Task) -> Peeled:
    """Remove rows with a feature of one sign, as long as there are such rows.

    Examples
    --------
    >>> X = sp.csr_array([[1.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    >>> from rosenblatt.proofs.search.nearest import Deadline
    >>> data = LabelledData(X, np.array([1.0, -1.0, 1.0]))
    >>> peel(Task(data, True, Deadline(60.0))).rows
    array([0, 1])
    """
    Z = _signed_rows(task)
    positive, negative = sp.csr_array(Z > 0.0), sp.csr_array(Z < 0.0)
    active, stages = np.ones(Z.shape[0], bool), []
    while True:
        task.deadline.check()
        up, down = (active.astype(np.int64) @ side > 0 for side in (positive, negative))
        signs = up.astype(np.int64) - down
        moved = active & ((positive + negative) @ (signs != 0))
        if not moved.any():
            break
        features = np.flatnonzero(signs)
        stages.append((np.flatnonzero(moved), features, signs[features]))
        active &= ~moved
    rows = np.flatnonzero(active)
    return Peeled(rows, np.unique(task.data.X[rows].indices).astype(np.int64), stages)


def _combined_direction(task: Task, peeled: Peeled, total: list[int]) -> tuple[int, ...]:
    """Return one direction from that of the remaining rows, `total`, and those of all stages.

    A stage is zero on all rows that later stages remove, and on the remaining rows, but later ones
    may be negative on its own rows, so that it is multiplied by a power of two that is large
    enough. A feature that no stage uses gets the sign of the sum of its column.
    """
    Z = _signed_rows(task)
    used = np.zeros(Z.shape[1], bool)
    used[peeled.columns] = used[task.data.shape[1] :] = True
    used[np.concatenate([features for _, features, _ in peeled.stages])] = True
    sums = Z.sum(axis=0)
    for j in np.flatnonzero(~used & (abs(Z).sum(axis=0) > 0.0)).tolist():
        total[j] = 1 if sums[j] >= 0.0 else -1
    for rows, features, signs in reversed(peeled.stages):
        task.deadline.check()
        shift = max(0, max(map(abs, total)).bit_length() - 60)
        others = np.array([float((abs(value) >> shift) + 1) for value in total[: Z.shape[1]]])
        part = abs(Z[rows])
        most = float(((part @ others) / part[:, features].sum(axis=1)).max())
        factor = 1 << (shift + int(np.frexp(most)[1]) + 1)
        for j, sign in zip(features.tolist(), signs.tolist(), strict=True):
            total[j] += factor * sign
    return tuple(integers.primitive(total))


def _signed_rows(task: Task) -> Matrix:
    """Return the rows z_i = y_i (x_i, 1), or y_i x_i."""
    X = task.data.X.astype(np.float64)
    if task.intercept:
        X = sp.hstack([X, np.ones((X.shape[0], 1))], format="csr")
    return sp.csr_array(sp.diags_array(task.data.y) @ X)


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


def _matrix(rows: CSR, shape: tuple[int, int]) -> Matrix:
    """Return the rows as a SciPy matrix."""
    width = np.int32 if max(shape[1], len(rows.data)) < 2**31 else np.int64
    indices, indptr = rows.indices.astype(width), rows.indptr.astype(width)
    return sp.csr_array((rows.data, indices, indptr), shape)


def _features_needed(X: Matrix) -> Array:
    """Return, for each row, the rank of its rarest feature by frequency, from 1."""
    common = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")
    rank = np.empty(X.shape[1], np.int64)
    rank[common] = np.arange(1, X.shape[1] + 1)
    needed = np.zeros(X.shape[0], np.int64)
    nonempty = np.flatnonzero(np.diff(X.indptr))
    needed[nonempty] = np.maximum.reduceat(rank[X.indices], X.indptr[nonempty])
    return needed


def _infeasible_among(task: Task, X: Matrix, candidates: Array) -> tuple[Array, list[int]] | None:
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
