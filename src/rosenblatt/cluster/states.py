"""States of learners as they travel: only the weights of features that differ from a base.

Between two rounds a shard changes the weights of the features of its rows that cause updates. With
hashed or sparse features these are few, and the other weights stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.engine.state import State, aligned_copy, aligned_zeros, arrays_of, from_arrays
from rosenblatt.theory.declaration import Field
from rosenblatt.utils.arrays import Array

SPARSE_SHARE = 0.5
"""Share of the features below which their weights travel with their numbers."""


class PackedArray(NamedTuple):
    """An array of a state.

    Attributes
    ----------
    shape : tuple of int
    rows : ndarray or None
        Numbers of the rows that differ from the base; None: all rows are in ``values``.
    values : ndarray
    """

    shape: tuple[int, ...]
    rows: Array | None
    values: Array


class PackedState(NamedTuple):
    """A state, relative to a base."""

    arrays: dict[str, PackedArray]
    declared: dict[str, Field]

    @property
    def nbytes(self) -> int:
        """Bytes that travel."""
        parts = (part for array in self.arrays.values() for part in (array.rows, array.values))
        return sum(part.nbytes for part in parts if part is not None)


def pack(state: State, base: State | None = None) -> PackedState:
    """Return a state to be sent to where ``base`` is; without a base, relative to zeros.

    Examples
    --------
    >>> from rosenblatt.engine.state import empty
    >>> state = empty(1000, 1)
    >>> state.W[7] = 2.5
    >>> packed = pack(state)
    >>> packed.arrays["W"].rows.tolist(), unpack(packed).W[7].tolist()
    ([7], [2.5])
    """
    bases = {} if base is None else arrays_of(base)
    arrays = {name: _pack_array(array, bases.get(name)) for name, array in arrays_of(state).items()}
    return PackedState(arrays, state.declared)


def unpack(packed: PackedState, base: State | None = None) -> State:
    """Return a state as it was packed; ``base`` is not changed."""
    bases = {} if base is None else arrays_of(base)
    arrays = {name: _unpack_array(array, bases.get(name)) for name, array in packed.arrays.items()}
    return from_arrays(arrays, packed.declared)


def _pack_array(array: Array, base: Array | None) -> PackedArray:
    if array.ndim < 2 or len(array) == 0:
        return PackedArray(array.shape, None, array)
    bits = np.ascontiguousarray(array).view(f"u{array.itemsize}")  # a zero may have a sign
    other = 0 if base is None else np.ascontiguousarray(base).view(bits.dtype)
    (rows,) = np.nonzero((bits != other).any(axis=1))
    if len(rows) > SPARSE_SHARE * len(array):
        return PackedArray(array.shape, None, array)
    return PackedArray(array.shape, rows, array[rows])


def _unpack_array(packed: PackedArray, base: Array | None) -> Array:
    if packed.rows is None:
        return aligned_copy(packed.values)  # what arrives may be read-only
    dtype = packed.values.dtype
    array = aligned_zeros(packed.shape, dtype) if base is None else aligned_copy(base)
    array[packed.rows] = packed.values
    return array
