r"""Interactions: products of two features, hashed from the hashes of both.

The pair of x with hash h and y with hash k is a feature of value x·y with the hash
h · 16777619 xor k, modulo 2³² and signed: Vowpal Wabbit's combination of two hashes, with the prime
of the Fowler–Noll–Vo hash. The order of the two matters. A group crossed with itself gives each
pair once, the lower hash first, and each feature with itself, like Vowpal Wabbit's ``-q aa``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.collisions import Hashes, NewHashes, new_hashes
from rosenblatt.engine.text.hashed_rows import SparseRows
from rosenblatt.engine.text.scanning import Bytes
from rosenblatt.utils.arrays import NDArray

MAX_ENTRIES = 1 << 24
"""Largest number of entries of a row, pairs included: that of ``src/core/text/hashed.h``."""


class Interactions(NamedTuple):
    """Groups of features, and the pairs of groups to cross.

    Parameters
    ----------
    names : uint8 array
        The groups' names in UTF-8, concatenated.
    ends : int64 array of shape (groups,)
        End of each name in ``names``.
    pairs : int64 array of shape (pairs, 2)
        Indices of groups.

    Examples
    --------
    >>> encode_interactions(["user*ad", "ad*ad"]).pairs.tolist()
    [[0, 1], [1, 1]]
    """

    names: Bytes
    ends: NDArray[np.int64]
    pairs: NDArray[np.int64]


def encode_interactions(interactions: Sequence[str]) -> Interactions:
    """Encode interactions for the core.

    Parameters
    ----------
    interactions : sequence of str
        Each ``"a*b"``.
    """
    both = [interaction.split("*") for interaction in interactions]
    groups = list(dict.fromkeys(name for pair in both for name in pair))
    names = [name.encode() for name in groups]
    indices = [[groups.index(name) for name in pair] for pair in both]
    return Interactions(
        np.frombuffer(b"".join(names), np.uint8),
        np.cumsum([len(name) for name in names], dtype=np.int64),
        np.array(indices, np.int64).reshape(-1, 2),
    )


class RowError(ValueError):
    """A row whose pairs cannot be computed.

    Parameters
    ----------
    row : int
    reason : str
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)
        self.row, self.reason = row, reason


def add_pairs(
    rows: SparseRows,
    groups: NDArray[np.int16],
    interactions: Interactions,
    bits: int,
    table: Hashes | None = None,
) -> tuple[SparseRows, NewHashes]:
    """Append the pairs of crossed groups to each row; also return the pairs that may be new.

    Parameters
    ----------
    rows : SparseRows
        With hashes as ``columns``.
    groups : int16 array of shape (entries,)
        The group of each entry, −1 for none.
    interactions : Interactions
    bits : int
        The rows will have 2^bits columns.
    table : int32 array, optional
        The table of :mod:`rosenblatt.engine.text.collisions`; None: no pair is reported.

    Raises
    ------
    RowError
        A row has more than ``MAX_ENTRIES``, or a product fits no float64.

    Examples
    --------
    >>> rows = SparseRows(np.array([3, 5], np.int32), np.array([2.0, 4.0]), np.array([0, 2]))
    >>> both, _ = add_pairs(rows, np.array([0, 1], np.int16), encode_interactions(["a*b"]), 18)
    >>> both.columns.tolist(), both.data.tolist(), both.indptr.tolist()
    ([3, 5, 50332860], [2.0, 4.0, 8.0], [0, 3])
    """
    arrays, parents, too_many, too_large = core.add_pairs(
        *rows, groups, interactions.pairs, len(interactions.ends), table is not None
    )
    if too_many >= 0:
        problem = f"its pairs make more than {MAX_ENTRIES:,} features:"
        raise RowError(too_many, f"{problem} cross fewer features, or cut the row.")
    if too_large >= 0:
        reason = "the product of two crossed features fits no float64: scale them down."
        raise RowError(too_large, reason)
    out = SparseRows(*arrays)
    return out, _new_pairs(out.columns, parents, table, bits)


def _new_pairs(
    hashes: Hashes, parents: NDArray[np.int32], table: Hashes | None, bits: int
) -> NewHashes:
    """Return the pairs that may be new to the table."""
    new = np.empty(0, np.int64) if table is None else new_hashes(hashes, table, bits)
    new = new[parents[new].any(axis=1)]  # the other entries have names
    return NewHashes(hashes[new], b"", np.zeros(len(new), np.int64), parents[new])
