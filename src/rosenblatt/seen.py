r"""Which hashes were seen: an open table that scans read while their caller writes it.

A scan asks of each hash whether it is in the table, and tells those that are not. What it told goes
into the table later, in the order of the text, by the one thread that collects it: a hash that is
there is there for good, so a scan that reads an old table tells too much, never too little, and
what is collected does not depend on timing.

The table has 2^k places, at most half of them taken. A hash is looked for from its lowest k bits
on, place by place, until an empty one (linear probing). 0 means an empty place; the hash 0 itself
is kept as −2³¹, which falls into the same column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.decimals import part
from rosenblatt.lanes import at
from rosenblatt.scanning import scanner

Hashes = NDArray[np.int32]

LONGEST = 100
"""Bytes of a name that are told."""

_LEAST = -(2**31)
_TOLD = 1 << 14  # hashes that a scan remembers to have told


class Watch(NamedTuple):
    """How a scan tells what is new.

    Parameters
    ----------
    known : int32 array of 2^k places
        The table; without places nothing is watched.
    told : int32 array of 2^m places
        What the scan told itself, the last of each place.

    Examples
    --------
    >>> watch = watching(np.zeros(8, np.int32))
    >>> is_new(5, watch), is_new(5, watch)
    (True, False)
    """

    known: Hashes
    told: Hashes


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


def watching(known: Hashes | None) -> Watch:
    """The watch of one scan over a table; over none it tells nothing."""
    if known is None:
        return Watch(np.empty(0, np.int32), np.empty(0, np.int32))
    return Watch(known, np.zeros(_TOLD, np.int32))


@part
def is_new(h: int, watch: Watch) -> bool:
    """Whether a hash is neither in the table nor told lately; it is told now."""
    h = h if h != 0 else _LEAST
    if at(watch.known, _place(h, watch.known)) == h:
        return False
    place = h & len(watch.told) - 1
    if at(watch.told, place) == h:
        return False
    watch.told[place] = h
    return True


@part
def _place(h: int, table: Hashes) -> int:
    """Where a hash is in the table, or where it would go."""
    last = len(table) - 1
    place = h & last
    while at(table, place) != 0 and at(table, place) != h:
        place = place + 1 & last
    return place


@scanner
def enter(table: Hashes, hashes: Hashes, size: int, new: NDArray[np.bool_]) -> tuple[int, int]:
    """Put hashes into the table until it is half full.

    Parameters
    ----------
    table : int32 array of 2^k places
    hashes : int32 array of shape (n,)
    size : int
        How many are in the table.
    new : bool array of shape (n,)
        Told of each hash that was entered: whether it was not there before.

    Returns
    -------
    entered : int
        How many of the hashes were taken, from the first on.
    size : int

    Examples
    --------
    >>> table, new = np.zeros(4, np.int32), np.zeros(4, np.bool_)
    >>> enter(table, np.array([7, 7, 0, 5], np.int32), 0, new), new.tolist()
    ((3, 2), [True, False, True, False])
    """
    for i in range(len(hashes)):
        if 2 * size >= len(table):
            return i, size
        h = int(at(hashes, i))
        h = h if h != 0 else _LEAST
        place = _place(h, table)
        new[i] = at(table, place) != h
        table[place] = h
        size += new[i]
    return len(hashes), size
