"""The record of every step: which row moved w, when, and by how much (lecture row L2.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.jit import compiled

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
    named = arrays._asdict()
    fixed = {"size", "squares", "made"}
    room = min(len(array) for name, array in named.items() if name not in fixed)
    if needed <= room:
        return arrays
    longer = {
        name: np.concatenate([array, np.zeros(doubled(room, needed) - len(array), array.dtype)])
        for name, array in named.items()
        if name not in fixed
    }
    return arrays._replace(**longer)


def doubled(room: int, needed: int) -> int:
    """The next power of two, or twice what there was.

    Examples
    --------
    >>> doubled(16, 17), doubled(0, 100)
    (32, 128)
    """
    return max(2 * room, 1 << (int(needed) - 1).bit_length())
