r"""Pairs of features, made on the fly from the hashes of both.

The pair of x with hash h and y with hash k is a feature of value x·y, whose hash is
h · 16777619 xor k, modulo 2³² and signed: what Vowpal Wabbit makes of two hashes, with the prime of
Fowler, Noll and Vo's hash. Which of the two comes first matters. A group with itself gives each
pair once, the lower hash first, and each feature with itself, as Vowpal Wabbit's ``-q aa`` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.text.collisions import Hashes, NewHashes, new_hashes
from rosenblatt.engine.text.decimals import Bytes, subroutine
from rosenblatt.engine.text.hashed_rows import SparseRows
from rosenblatt.engine.text.scanning import scanner

MAX_ENTRIES = 1 << 24
"""The most entries of a row with its pairs."""

_PRIME = 16777619
_32_BITS = 0xFFFFFFFF


class Interactions(NamedTuple):
    """Which groups of features are crossed.

    Parameters
    ----------
    names : uint8 array
        The groups' names in UTF-8, one behind the other.
    ends : int64 array of shape (groups,)
        Where each name ends.
    pairs : int64 array of shape (crossings, 2)
        Places of groups.

    Examples
    --------
    >>> encode_interactions(["user*ad", "ad*ad"]).pairs.tolist()
    [[0, 1], [1, 1]]
    """

    names: Bytes
    ends: NDArray[np.int64]
    pairs: NDArray[np.int64]


def encode_interactions(interactions: Sequence[str]) -> Interactions:
    """Interactions as compiled code takes them.

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


@subroutine
def find_group(text: Bytes, begin: int, stop: int, interactions: Interactions) -> int:
    """The group whose name stands from ``begin`` to ``stop``; −1 if it is crossed with none."""
    start = 0
    for group in range(len(interactions.ends)):
        end = at(interactions.ends, group)
        if end - start == stop - begin:
            k = 0
            while k < end - start and at(text, begin + k) == at(interactions.names, start + k):
                k += 1
            if k == end - start:
                return group
        start = end
    return -1


@subroutine
def pair_hash(h: int, k: int) -> int:
    """The hash of a pair, −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> pair_hash(3, 5)
    50332860
    """
    bits = (h * _PRIME ^ k) & _32_BITS
    return bits - (bits >> 31 << 32)


class RowError(ValueError):
    """A row whose pairs cannot be made.

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
    """The rows with the pairs of crossed groups behind each, and those pairs that are new.

    Parameters
    ----------
    rows : Entries
        With hashes in the place of columns.
    groups : int16 array of shape (entries,)
        The group of each entry, −1 for none.
    interactions : Crossings
    bits : int
        There will be 2^bits columns.
    table : int32 array, optional
        The table of :mod:`rosenblatt.engine.text.collisions`; None: no pair is told.

    Raises
    ------
    RowError
        A row has more than ``MAX_ENTRIES``, or a product fits no float64.

    Examples
    --------
    >>> rows = Entries(np.array([3, 5], np.int32), np.array([2.0, 4.0]), np.array([0, 2]))
    >>> both, _ = add_pairs(rows, np.array([0, 1], np.int16), encode_interactions(["a*b"]), 18)
    >>> both.columns.tolist(), both.data.tolist(), both.indptr.tolist()
    ([3, 5, 50332860], [2.0, 4.0, 8.0], [0, 3])
    """
    entries, row = _count_entries(
        rows.indptr, groups, interactions.pairs, np.empty(len(interactions.ends), int)
    )
    if row >= 0:
        problem = f"its pairs make more than {MAX_ENTRIES:,} features:"
        raise RowError(row, f"{problem} cross fewer features, or cut the row.")
    longest = int(np.diff(rows.indptr).max(initial=0))
    out, first, second = (
        SparseRows(np.empty(n, np.int32), np.empty(n), np.empty(len(rows.indptr), np.int64))
        for n in (entries, longest, longest)
    )
    parents = np.empty((0 if table is None else entries, 2), np.int32)
    row = _write_pairs(rows, groups, interactions.pairs, out, first, second, parents)
    if row >= 0:
        raise RowError(row, "the product of two crossed features fits no float64: scale them down.")
    entries = int(out.indptr[-1])
    out = out._replace(columns=out.columns[:entries], data=out.data[:entries])
    return out, _new_pairs(out.columns, parents, table, bits)


def _new_pairs(
    hashes: Hashes, parents: NDArray[np.int32], table: Hashes | None, bits: int
) -> NewHashes:
    """The pairs that are new."""
    new = np.empty(0, np.int64) if table is None else new_hashes(hashes, table, bits)
    new = new[parents[new].any(axis=1)]  # the others have names of their own
    return NewHashes(hashes[new], b"", np.zeros(len(new), np.int64), parents[new])


@scanner
def _count_entries(
    indptr: NDArray[np.int64],
    groups: NDArray[np.int16],
    pairs: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[int, int]:
    """How many entries the rows have with their pairs; the first row with too many, or −1."""
    total = 0
    for i in range(len(indptr) - 1):
        start, stop = at(indptr, i), at(indptr, i + 1)
        for group in range(len(sizes)):
            sizes[group] = 0
        for p in range(start, stop):
            if at(groups, p) >= 0:
                sizes[at(groups, p)] += 1
        entries = stop - start
        for pair in range(len(pairs)):
            n, m = at(sizes, pairs[pair, 0]), at(sizes, pairs[pair, 1])
            entries += n * (n + 1) // 2 if pairs[pair, 0] == pairs[pair, 1] else n * m
        if entries > MAX_ENTRIES:
            return total, i
        total += entries
    return total, -1


@scanner
def _write_pairs(
    rows: SparseRows,
    groups: NDArray[np.int16],
    pairs: NDArray[np.int64],
    out: SparseRows,
    first: SparseRows,
    second: SparseRows,
    parents: NDArray[np.int32],
) -> int:
    """Write each row and its pairs; the first row with a product that is too large, or −1.

    ``first`` and ``second`` hold the two groups of a row meanwhile. ``parents`` are the hashes of
    both parts of a pair, zeros of other entries; without room they are not written.
    """
    hashes, data, indptr = rows
    out.indptr[0] = end = 0
    with_parents = len(parents) > 0
    for i in range(len(indptr) - 1):
        start, stop = at(indptr, i), at(indptr, i + 1)
        for p in range(start, stop):
            out.columns[end], out.data[end] = at(hashes, p), at(data, p)
            if with_parents:
                parents[end, 0] = parents[end, 1] = 0
            end += 1
        for pair in range(len(pairs)):
            same = pairs[pair, 0] == pairs[pair, 1]
            n = _copy_group(rows, groups, start, stop, pairs[pair, 0], first)
            m = _copy_group(rows, groups, start, stop, pairs[pair, 1], second)
            for a in range(n):
                h, x = int(at(first.columns, a)), float(at(first.data, a))
                for b in range(a if same else 0, m):
                    k, value = int(at(second.columns, b)), x * float(at(second.data, b))
                    if abs(value) == np.inf:
                        return i
                    one, other = (k, h) if same and k < h else (h, k)
                    out.columns[end], out.data[end] = pair_hash(one, other), value
                    if with_parents:
                        parents[end, 0], parents[end, 1] = one, other
                    end += value != 0.0
        out.indptr[i + 1] = end
    return -1


@subroutine
def _copy_group(
    rows: SparseRows, groups: NDArray[np.int16], start: int, stop: int, group: int, out: SparseRows
) -> int:
    """Copy the entries of one group; how many there are."""
    n = 0
    for p in range(start, stop):
        if at(groups, p) == group:
            out.columns[n], out.data[n] = at(rows.columns, p), at(rows.data, p)
            n += 1
    return n
