r"""Collision table of hashed names: the first hash in each column, and one other.

The table has two cells per column: the first hash that fell into it, and the first different one.
Scans report candidate hashes against a table that may be out of date; one thread inserts them later
in the order of the text. Cells are filled once and never change, so an old table gives duplicates,
never misses, and the result does not depend on timing.

0 means an empty cell; the hash 0 itself is stored as −2³¹, which falls into the same column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.utils.arrays import NDArray

Hashes = NDArray[np.int32]

MAX_NAME_BYTES = 100
"""Largest number of bytes stored of a name."""


class NewHashes(NamedTuple):
    """Hashes that may be new to a table, with their names; there may be duplicates.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    names : bytes
        Their names in UTF-8, concatenated.
    ends : int64 array of shape (n,)
        End of each name in ``names``.
    parents : int32 array of shape (n, 2)
        For a pair, which has no name, the hashes of both parts; else zeros.
    """

    hashes: Hashes
    names: bytes
    ends: NDArray[np.int64]
    parents: NDArray[np.int32]


def new_hashes(hashes: Hashes, table: Hashes, bits: int) -> NDArray[np.int64]:
    """Return the positions of hashes that would change the table; a hash may occur several times.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    table : int32 array of 2 · 2^bits cells
    bits : int

    Examples
    --------
    >>> new_hashes(np.array([5, 5, 3], np.int32), np.zeros(8, np.int32), 2).tolist()
    [0, 2]
    """
    return core.new_hashes(hashes, table, bits)


def insert_hashes(table: Hashes, bits: int, hashes: Hashes, new: NDArray[np.bool_]) -> None:
    """Insert hashes into the table.

    Parameters
    ----------
    table : int32 array of 2 · 2^bits cells
    bits : int
    hashes : int32 array of shape (n,)
    new : bool array of shape (n,)
        Written: whether each hash was inserted.

    Examples
    --------
    >>> table, new = np.zeros(4, np.int32), np.zeros(5, np.bool_)
    >>> insert_hashes(table, 1, np.array([7, 7, 0, 5, 3], np.int32), new)
    >>> table.tolist(), new.tolist()
    ([-2147483648, 0, 7, 5], [True, False, True, True, False])
    """
    core.insert_hashes(table, bits, hashes, new)
