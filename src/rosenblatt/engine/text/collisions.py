r"""Which hashes were seen in each column: the first, and one that is not the first.

The table has two places a column: the first hash that fell into it, and the first other one. A scan
tells the hashes that would change it. What it told goes into the table later, in the order of the
text, by the one thread that collects it: places are filled once and for good, so a scan that reads
an old table tells too much, never too little, and what is collected does not depend on timing.

0 means an empty place; the hash 0 itself is kept as −2³¹, which falls into the same column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.text.murmur import column_of
from rosenblatt.engine.text.scanning import scanner

Hashes = NDArray[np.int32]

MAX_NAME_BYTES = 100
"""Bytes of a name that are told."""

_MIN_INT32 = -(2**31)
_RECENT_SIZE = 1 << 14  # hashes that are remembered to have been told


class NewHashes(NamedTuple):
    """Hashes that are new, with what they are hashes of; some may be there twice.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    names : bytes
        Their names in UTF-8, one behind the other.
    ends : int64 array of shape (n,)
        Where each name ends.
    parents : int32 array of shape (n, 2)
        Of a pair, which has no name: the hashes of both; else zeros.
    """

    hashes: Hashes
    names: bytes
    ends: NDArray[np.int64]
    parents: NDArray[np.int32]


def new_hashes(hashes: Hashes, table: Hashes, bits: int) -> NDArray[np.int64]:
    """Where hashes stand that would change the table; a hash may be told more than once.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    table : int32 array of 2 · 2^bits places
        The table.
    bits : int

    Examples
    --------
    >>> new_hashes(np.array([5, 5, 3], np.int32), np.zeros(8, np.int32), 2).tolist()
    [0, 2]
    """
    positions = np.empty(len(hashes), np.int64)
    n = _new_hashes(hashes, table, bits, np.zeros(_RECENT_SIZE, np.int32), positions)
    return positions[:n]


@scanner
def _new_hashes(
    hashes: Hashes, table: Hashes, bits: int, recent: Hashes, positions: NDArray[np.int64]
) -> int:
    """Fill the places; how many there are. ``recent`` has the last hash told of each place."""
    n = 0
    for i in range(len(hashes)):
        h = int(at(hashes, i))
        h = h if h != 0 else _MIN_INT32
        cell = 2 * column_of(h, bits)
        if at(table, cell) != h and at(table, cell + 1) == 0:
            cell = h & len(recent) - 1
            if at(recent, cell) != h:
                recent[cell] = h
                positions[n] = i
                n += 1
    return n


@scanner
def insert_hashes(table: Hashes, bits: int, hashes: Hashes, new: NDArray[np.bool_]) -> None:
    """Put hashes into the table.

    Parameters
    ----------
    table : int32 array of 2 · 2^bits places
    bits : int
    hashes : int32 array of shape (n,)
    new : bool array of shape (n,)
        Told of each hash: whether it was put into a place.

    Examples
    --------
    >>> known, new = np.zeros(4, np.int32), np.zeros(5, np.bool_)
    >>> insert_hashes(known, 1, np.array([7, 7, 0, 5, 3], np.int32), new)
    >>> known.tolist(), new.tolist()
    ([-2147483648, 0, 7, 5], [True, False, True, True, False])
    """
    for i in range(len(hashes)):
        h = int(at(hashes, i))
        h = h if h != 0 else _MIN_INT32
        cell = 2 * column_of(h, bits)
        first, other = at(table, cell), at(table, cell + 1)
        new[i] = first == 0 or (first != h and other == 0)
        if new[i]:
            table[cell if first == 0 else cell + 1] = h
