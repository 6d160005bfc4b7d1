"""The record of every step: which row moved w, when, and by how much (lecture row L2.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled

Array = NDArray[Any]


class StepLog(NamedTuple):
    """Every step that was taken, in turn: the older selves can be had again from it.

    Attributes
    ----------
    slot, column : ndarray of shape (room,), int64
        Which row moved which weight vector.
    tau : ndarray of shape (room,), float64
        How far.
    t : ndarray of shape (room,), int64
        Examples seen before it.
    size : ndarray of shape (1,), int64
        How many there are. Without room none are kept.
    """

    slot: Array
    column: Array
    tau: Array
    t: Array
    size: Array


def empty_log() -> StepLog:
    """No moves."""
    integers = np.zeros(0, np.int64)
    return StepLog(integers, integers, np.zeros(0), integers, np.zeros(1, np.int64))


def steps_from(log: StepLog, first: int = 0) -> StepLog:
    """The moves from one on, views without the room that is left over.

    Examples
    --------
    >>> steps_from(with_capacity(empty_log(), 10)).tau
    array([], dtype=float64)
    """
    n = int(log.size[0])
    slot, column, tau, t = (array[first:n] for array in log[:-1])
    return StepLog(slot, column, tau, t, np.array([n - first]))


@compiled
def record_step(log: StepLog, slot: int, column: int, tau: float, t: int) -> None:
    """Write down one more step; there must be room."""
    n = log.size[0]
    log.slot[n] = slot
    log.column[n] = column
    log.tau[n] = tau
    log.t[n] = t
    log.size[0] += 1


def with_capacity(arrays: Any, needed: int) -> Any:
    """Arrays that grow together, such as :class:`StepLog`, with room for at least ``needed``.

    Their room is doubled where it grows; arrays named size, squares or made are none of them.

    Examples
    --------
    >>> with_capacity(empty_log(), 10).tau.shape
    (16,)
    """
    fixed = {"size", "squares", "made"}
    growing = {name: array for name, array in arrays._asdict().items() if name not in fixed}
    return arrays._replace(
        **{name: ensure_capacity(array, needed) for name, array in growing.items()}
    )


def ensure_capacity(array: Array, needed: int) -> Array:
    """``array`` with room for ``needed`` rows, doubled where it grows.

    Examples
    --------
    >>> ensure_capacity(np.ones(2), 3)
    array([1., 1., 0., 0.])
    """
    if needed <= len(array):
        return array
    longer = np.zeros((next_capacity(len(array), needed), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def next_capacity(capacity: int, needed: int) -> int:
    """The next power of two, or twice what there was.

    Examples
    --------
    >>> next_capacity(16, 17), next_capacity(0, 100)
    (32, 128)
    """
    return max(2 * capacity, 1 << (int(needed) - 1).bit_length())
