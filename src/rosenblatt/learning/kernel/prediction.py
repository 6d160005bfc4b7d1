"""What an expansion says of new rows: sums over the slots, or the votes of its older selves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.engine.kernel.products import poll, poll_jointly
from rosenblatt.learning.dual import Memory
from rosenblatt.learning.kernel.gram import Gram, check_finite
from rosenblatt.learning.kernel.training import BLOCK, Array, summed
from rosenblatt.learning.support import Side

_TILE = 2**23  # kernel values that a vote holds at a time


def sums(gram: Gram, memory: Memory, W: Array, left: Side) -> Array:
    """Σ_s W[s] · k(x_s, x) for all rows x, without the intercept.

    Parameters
    ----------
    gram : Gram
    memory : Memory
    W : ndarray of shape (at least S, P)
    left : Side
        n rows.

    Returns
    -------
    ndarray of shape (n, P)
    """
    scores = np.concatenate([_sums(gram, memory, W, tile) for tile in _tiles(left, BLOCK)])
    check_finite(scores, left.sizes.dtype)
    return scores


def _sums(gram: Gram, memory: Memory, W: Array, left: Side) -> Array:
    return summed(
        lambda first, stop: gram.values(left, memory.support.side(slice(first, stop))),
        W,
        memory.size,
        left.rows.shape[0],
    )


def votes(
    gram: Gram,
    memory: Memory,
    left: Side,
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
        As in :func:`sums`; the memory has every move.
    columns : int
        Weight vectors.
    joint : bool
        Whether one arg max decides, so that each self votes for one class; else each weight vector
        votes by its sign.
    tie, one : float
        As in :class:`rosenblatt.engine.kernel.expansion.Terms`.
    t : int
        Examples seen.

    Returns
    -------
    ndarray of shape (n, columns)
        Of a vector that stands alone, the share of its class less that of the others.
    """
    rows = max(16, _TILE // max(1, memory.size))
    jointly = joint and columns > 1
    return np.concatenate(
        [
            _joint_votes(gram, memory, tile, columns, one, t)
            if jointly
            else _votes(gram, memory, tile, columns, tie, one, t)
            for tile in _tiles(left, rows)
        ]
    )


def _votes(
    gram: Gram, memory: Memory, left: Side, columns: int, tie: float, one: float, t: int
) -> Array:
    values, moves = _values(gram, memory, left), memory.moves
    shares = np.zeros((len(values), columns))
    for k in range(columns):
        mine = np.flatnonzero(moves.column == k)
        survival = np.diff(moves.t[mine], prepend=0, append=t).astype(np.float64)
        found = np.zeros(len(values))
        poll(values, moves.slot[mine], moves.tau[mine], survival, tie, one, found)
        shares[:, k] = found / t
    return shares


def _joint_votes(gram: Gram, memory: Memory, left: Side, columns: int, one: float, t: int) -> Array:
    values, moves = _values(gram, memory, left), memory.moves
    found = np.zeros((len(values), columns))
    survival = np.diff(moves.t, append=t).astype(np.float64)
    poll_jointly(values, moves.slot, moves.column, moves.tau, survival, one, found)
    return found / t


def _values(gram: Gram, memory: Memory, left: Side) -> Array:
    values = gram.values(left, memory.support.side())
    check_finite(values, values.dtype)
    return values


def _tiles(left: Side, rows: int) -> Iterator[Side]:
    """Rows of a side, some at a time."""
    for first in range(0, left.rows.shape[0], rows):
        part = slice(first, first + rows)
        yield Side(left.rows[part], left.sizes[part])
