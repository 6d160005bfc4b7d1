"""Prediction by a sum of examples: kernel scores, and the votes of the voted perceptron."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.engine.kernel.products import add_votes, add_votes_jointly
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.kernel.gram import KernelFunction, check_finite
from rosenblatt.learning.kernel.training import BLOCK, accumulate_scores
from rosenblatt.learning.support import KernelRows
from rosenblatt.utils.arrays import Array

_CHUNK_VALUES = 2**23  # kernel values in memory at a time while voting


def decision_scores(kernel: KernelFunction, dual: DualState, W: Array, left: KernelRows) -> Array:
    """Return Σ_s W[s] · k(x_s, x) for n rows x, without the intercept.

    Parameters
    ----------
    kernel : KernelFunction
    dual : DualState
    W : ndarray of shape (at least S, P)
    left : KernelRows

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
    bias: float,
    t: int,
) -> Array:
    """Return the shares of votes of all earlier weights, each weighted by the steps it survived.

    Parameters
    ----------
    kernel, dual, left
        As in :func:`decision_scores`; the dual state has all steps.
    columns : int
        Number of weight vectors.
    joint : bool
        True if the votes of one step go to one class, the arg max; else each weight vector votes
        by its sign.
    tie, bias : float
        As in :class:`rosenblatt.engine.multiclass.UpdateSpec`.
    t : int
        Examples learned so far.

    Returns
    -------
    ndarray of shape (n, columns)
        For a joint model, shares of votes; else the share of votes for the class minus the share
        against it.
    """
    rows = max(16, _CHUNK_VALUES // max(1, dual.size))
    jointly = joint and columns > 1
    return np.concatenate(
        [
            _class_votes(kernel, dual, chunk, columns, bias, t)
            if jointly
            else _vector_votes(kernel, dual, chunk, columns, tie, bias, t)
            for chunk in _chunks(left, rows)
        ]
    )


def _vector_votes(
    kernel: KernelFunction,
    dual: DualState,
    left: KernelRows,
    columns: int,
    tie: float,
    bias: float,
    t: int,
) -> Array:
    values, steps = _kernel_values(kernel, dual, left), dual.steps
    shares = np.zeros((len(values), columns))
    for k in range(columns):
        own = np.flatnonzero(steps.column == k)
        survival = np.diff(steps.t[own], prepend=0, append=t).astype(np.float64)
        votes = np.zeros(len(values))
        add_votes(values, steps.slot[own], steps.tau[own], survival, tie, bias, votes)
        shares[:, k] = votes / t
    return shares


def _class_votes(
    kernel: KernelFunction, dual: DualState, left: KernelRows, columns: int, bias: float, t: int
) -> Array:
    values, steps = _kernel_values(kernel, dual, left), dual.steps
    votes = np.zeros((len(values), columns))
    survival = np.diff(steps.t, append=t).astype(np.float64)
    add_votes_jointly(values, steps.slot, steps.column, steps.tau, survival, bias, votes)
    return votes / t


def _kernel_values(kernel: KernelFunction, dual: DualState, left: KernelRows) -> Array:
    values = kernel.values(left, dual.support.kernel_rows())
    check_finite(values, values.dtype)
    return values


def _chunks(left: KernelRows, rows: int) -> Iterator[KernelRows]:
    """Yield the rows in chunks."""
    for first in range(0, left.rows.shape[0], rows):
        part = slice(first, first + rows)
        yield KernelRows(left.rows[part], left.norms[part])
