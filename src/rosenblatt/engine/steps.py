"""The record of every step: which row moved w, when, and by how much (lecture row L2.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled

Array = NDArray[Any]


class Moves(NamedTuple):
    """Every step that was taken, in turn: the older selves can be had again from it.

    Attributes
    ----------
    slot, column : ndarray of shape (room,), int64
        Which row moved which weight vector.
    tau : ndarray of shape (room,), float64
        How far.
    t : ndarray of shape (room,), int64
        Examples seen before it.
    made : ndarray of shape (1,), int64
        How many there are. Without room none are kept.
    """

    slot: Array
    column: Array
    tau: Array
    t: Array
    made: Array


def empty_moves() -> Moves:
    """No moves."""
    whole = np.zeros(0, np.int64)
    return Moves(whole, whole, np.zeros(0), whole, np.zeros(1, np.int64))


def since(moves: Moves, first: int = 0) -> Moves:
    """The moves from one on, views without the room that is left over.

    Examples
    --------
    >>> since(with_room(empty_moves(), 10)).tau
    array([], dtype=float64)
    """
    n = int(moves.made[0])
    slot, column, tau, t = (array[first:n] for array in moves[:-1])
    return Moves(slot, column, tau, t, np.array([n - first]))


@compiled
def record(moves: Moves, slot: int, column: int, tau: float, t: int) -> None:
    """Write down one more step; there must be room."""
    m = moves.made[0]
    moves.slot[m] = slot
    moves.column[m] = column
    moves.tau[m] = tau
    moves.t[m] = t
    moves.made[0] += 1


def with_room(arrays: Any, needed: int) -> Any:
    """Arrays that grow together, such as :class:`Moves`, with room for at least ``needed``.

    Their room is doubled where it grows; arrays named size, squares or made are none of them.

    Examples
    --------
    >>> with_room(empty_moves(), 10).tau.shape
    (16,)
    """
    fixed = {"size", "squares", "made"}
    growing = {name: array for name, array in arrays._asdict().items() if name not in fixed}
    return arrays._replace(**{name: grown(array, needed) for name, array in growing.items()})


def grown(array: Array, needed: int) -> Array:
    """``array`` with room for ``needed`` rows, doubled where it grows.

    Examples
    --------
    >>> grown(np.ones(2), 3)
    array([1., 1., 0., 0.])
    """
    if needed <= len(array):
        return array
    longer = np.zeros((doubled(len(array), needed), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def doubled(room: int, needed: int) -> int:
    """The next power of two, or twice what there was.

    Examples
    --------
    >>> doubled(16, 17), doubled(0, 100)
    (32, 128)
    """
    return max(2 * room, 1 << (int(needed) - 1).bit_length())
