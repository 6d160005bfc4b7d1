"""What an expansion says of new rows: sums over the slots, or the votes of its older selves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.engine.kernel.products import add_votes, add_votes_jointly
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.kernel.gram import KernelFunction, check_finite
from rosenblatt.learning.kernel.training import BLOCK, Array, accumulate_scores
from rosenblatt.learning.support import KernelRows

_CHUNK_VALUES = 2**23  # kernel values that a vote holds at a time


def decision_scores(kernel: KernelFunction, dual: DualState, W: Array, left: KernelRows) -> Array:
    """Σ_s W[s] · k(x_s, x) for all rows x, without the intercept.

    Parameters
    ----------
    kernel : Gram
    dual : Memory
    W : ndarray of shape (at least S, P)
    left : Side
        n rows.

    Returns
    -------
    ndarray of shape (n, P)
    """
    scores = np.concatenate(
        [_chunk_scores(kernel, dual, W, chunk) for chunk in _chunks(left, BLOCK)]
    )
    check_finite(scores, left.norms.dtype)
    return scores


def _chunk_scores(kernel: KernelFunction, dual: DualState, W: Array, left: KernelRows) -> Array:
    return accumulate_scores(
        lambda first, stop: kernel.values(left, dual.support.kernel_rows(slice(first, stop))),
        W,
        dual.size,
        left.rows.shape[0],
    )


def vote_shares(
    kernel: KernelFunction,
    dual: DualState,
    left: KernelRows,
    columns: int,
    joint: bool,
    tie: float,
    one: float,
    t: int,
) -> Array:
    """Shares of the votes of all older selves, each with as many as it survived steps.

    Parameters
    ----------
    gram, memory, left
        As in :func:`decision_scores`; the memory has every move.
    columns : int
        Weight vectors.
    joint : bool
        Whether one arg max decides, so that each self votes for one class; else each weight vector
        votes by its sign.
    tie, one : float
        As in :class:`rosenblatt.engine.kernel.expansion.UpdateSpec`.
    t : int
        Examples seen.

    Returns
    -------
    ndarray of shape (n, columns)
        Of a vector that stands alone, the share of its class less that of the others.
    """
    rows = max(16, _CHUNK_VALUES // max(1, dual.size))
    jointly = joint and columns > 1
    return np.concatenate(
        [
            _class_votes(kernel, dual, chunk, columns, one, t)
            if jointly
            else _vector_votes(kernel, dual, chunk, columns, tie, one, t)
            for chunk in _chunks(left, rows)
        ]
    )


def _vector_votes(
    kernel: KernelFunction,
    dual: DualState,
    left: KernelRows,
    columns: int,
    tie: float,
    one: float,
    t: int,
) -> Array:
    values, steps = _kernel_values(kernel, dual, left), dual.steps
    shares = np.zeros((len(values), columns))
    for k in range(columns):
        own = np.flatnonzero(steps.column == k)
        survival = np.diff(steps.t[own], prepend=0, append=t).astype(np.float64)
        votes = np.zeros(len(values))
        add_votes(values, steps.slot[own], steps.tau[own], survival, tie, one, votes)
        shares[:, k] = votes / t
    return shares


def _class_votes(
    kernel: KernelFunction, dual: DualState, left: KernelRows, columns: int, one: float, t: int
) -> Array:
    values, steps = _kernel_values(kernel, dual, left), dual.steps
    votes = np.zeros((len(values), columns))
    survival = np.diff(steps.t, append=t).astype(np.float64)
    add_votes_jointly(values, steps.slot, steps.column, steps.tau, survival, one, votes)
    return votes / t


def _kernel_values(kernel: KernelFunction, dual: DualState, left: KernelRows) -> Array:
    values = kernel.values(left, dual.support.kernel_rows())
    check_finite(values, values.dtype)
    return values


def _chunks(left: KernelRows, rows: int) -> Iterator[KernelRows]:
    """Rows of a side, some at a time."""
    for first in range(0, left.rows.shape[0], rows):
        part = slice(first, first + rows)
        yield KernelRows(left.rows[part], left.norms[part])
