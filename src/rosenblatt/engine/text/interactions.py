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
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.collisions import Hashes, NewHashes, new_hashes
from rosenblatt.engine.text.decimals import Bytes
from rosenblatt.engine.text.hashed_rows import SparseRows
from rosenblatt.engine.text.scanning import scanner

MAX_ENTRIES = 1 << 24
"""Largest number of entries of a row, pairs included."""

_PRIME = 16777619
_32_BITS = 0xFFFFFFFF


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
    """Encode interactions for compiled code.

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


@inlined
def find_group(text: Bytes, begin: int, stop: int, interactions: Interactions) -> int:
    """Return the group whose name is ``text[begin:stop]``; −1 if no group has it."""
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


@inlined
def pair_hash(h: int, k: int) -> int:
    """Return the hash of a pair, −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> pair_hash(3, 5)
    50332860
    """
    bits = (h * _PRIME ^ k) & _32_BITS
    return bits - (bits >> 31 << 32)


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
    """Return the pairs that may be new to the table."""
    new = np.empty(0, np.int64) if table is None else new_hashes(hashes, table, bits)
    new = new[parents[new].any(axis=1)]  # the other entries have names
    return NewHashes(hashes[new], b"", np.zeros(len(new), np.int64), parents[new])


@scanner
def _count_entries(
    indptr: NDArray[np.int64],
    groups: NDArray[np.int16],
    pairs: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[int, int]:
    """Count the entries of all rows with pairs; also return the first row with too many, or −1."""
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
    """Write each row and its pairs; return the first row with an infinite product, or −1.

    ``first`` and ``second`` are buffers for the two groups of a row. ``parents`` gets the hashes of
    both parts of a pair, zeros for other entries; it may be empty.
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


@inlined
def _copy_group(
    rows: SparseRows, groups: NDArray[np.int16], start: int, stop: int, group: int, out: SparseRows
) -> int:
    """Copy the entries of one group; return their number."""
    n = 0
    for p in range(start, stop):
        if at(groups, p) == group:
            out.columns[n], out.data[n] = at(rows.columns, p), at(rows.data, p)
            n += 1
    return n
