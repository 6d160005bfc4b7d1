"""The step log: which row moved which weight vector, when, and by how much (lecture row L2.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.utils.arrays import Array


class StepLog(NamedTuple):
    """All steps in order; they determine every intermediate weight vector.

    All fields but ``size`` are arrays of a model file, by these names.

    Attributes
    ----------
    slot, column : ndarray of shape (capacity,), int64
        The row and the weight vector of each step.
    tau : ndarray of shape (capacity,), float64
        The factor τ of the row.
    t : ndarray of shape (capacity,), int64
        Number of examples learned before the step.
    size : ndarray of shape (1,), int64
        Number of steps. A log without capacity records none.
    """

    slot: Array
    column: Array
    tau: Array
    t: Array
    size: Array


def empty_log() -> StepLog:
    """Return a log without steps and without capacity."""
    integers = np.zeros(0, np.int64)
    return StepLog(integers, integers, np.zeros(0), integers, np.zeros(1, np.int64))


def steps_from(log: StepLog, first: int = 0) -> StepLog:
    """Return the steps from ``first`` on, as views without unused capacity.

    Examples
    --------
    >>> steps_from(with_capacity(empty_log(), 10)).tau
    array([], dtype=float64)
    """
    n = int(log.size[0])
    slot, column, tau, t = (array[first:n] for array in log[:-1])
    return StepLog(slot, column, tau, t, np.array([n - first]))


def with_capacity(arrays: Any, needed: int) -> Any:
    """Return a record of arrays that grow together, such as :class:`StepLog`.

    Each has a capacity of at least ``needed``, doubled if it grows; ``size`` and ``squares`` keep
    their lengths.

    Examples
    --------
    >>> with_capacity(empty_log(), 10).tau.shape
    (16,)
    """
    growing = arrays._asdict().keys() - {"size", "squares"}
    return arrays._replace(
        **{name: ensure_capacity(getattr(arrays, name), needed) for name in growing}
    )


def ensure_capacity(array: Array, needed: int) -> Array:
    """Return ``array`` with a capacity of at least ``needed`` rows, doubled if it grows.

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
    """Return the larger of twice the capacity and the next power of two.

    Examples
    --------
    >>> next_capacity(16, 17), next_capacity(0, 100)
    (32, 128)
    """
    return max(2 * capacity, 1 << (int(needed) - 1).bit_length())
