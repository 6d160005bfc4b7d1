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

LONGEST = 100
"""Bytes of a name that are told."""

_LEAST = -(2**31)
_TOLD = 1 << 14  # hashes that are remembered to have been told


class Fresh(NamedTuple):
    """Hashes that are new, with what they are hashes of; some may be there twice.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    spelled : bytes
        Their names in UTF-8, one behind the other.
    ends : int64 array of shape (n,)
        Where each name ends.
    parents : int32 array of shape (n, 2)
        Of a pair, which has no name: the hashes of both; else zeros.
    """

    hashes: Hashes
    spelled: bytes
    ends: NDArray[np.int64]
    parents: NDArray[np.int32]


def news(hashes: Hashes, known: Hashes, bits: int) -> NDArray[np.int64]:
    """Where hashes stand that would change the table; a hash may be told more than once.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    known : int32 array of 2 · 2^bits places
        The table.
    bits : int

    Examples
    --------
    >>> news(np.array([5, 5, 3], np.int32), np.zeros(8, np.int32), 2).tolist()
    [0, 2]
    """
    places = np.empty(len(hashes), np.int64)
    n = _news(hashes, known, bits, np.zeros(_TOLD, np.int32), places)
    return places[:n]


@scanner
def _news(hashes: Hashes, known: Hashes, bits: int, told: Hashes, places: NDArray[np.int64]) -> int:
    """Fill the places; how many there are. ``told`` has the last hash told of each place."""
    n = 0
    for i in range(len(hashes)):
        h = int(at(hashes, i))
        h = h if h != 0 else _LEAST
        place = 2 * column_of(h, bits)
        if at(known, place) != h and at(known, place + 1) == 0:
            place = h & len(told) - 1
            if at(told, place) != h:
                told[place] = h
                places[n] = i
                n += 1
    return n


@scanner
def enter(known: Hashes, bits: int, hashes: Hashes, new: NDArray[np.bool_]) -> None:
    """Put hashes into the table.

    Parameters
    ----------
    known : int32 array of 2 · 2^bits places
    bits : int
    hashes : int32 array of shape (n,)
    new : bool array of shape (n,)
        Told of each hash: whether it was put into a place.

    Examples
    --------
    >>> known, new = np.zeros(4, np.int32), np.zeros(5, np.bool_)
    >>> enter(known, 1, np.array([7, 7, 0, 5, 3], np.int32), new)
    >>> known.tolist(), new.tolist()
    ([-2147483648, 0, 7, 5], [True, False, True, True, False])
    """
    for i in range(len(hashes)):
        h = int(at(hashes, i))
        h = h if h != 0 else _LEAST
        place = 2 * column_of(h, bits)
        first, other = at(known, place), at(known, place + 1)
        new[i] = first == 0 or (first != h and other == 0)
        if new[i]:
            known[place if first == 0 else place + 1] = h
