r"""Hashed names: MurmurHash3, collisions of columns, rows of hashes, and interactions.

The column of a name is \|h\| modulo 2^bits, and its value has the sign of h, where h is the signed
32-bit MurmurHash3 of the name's bytes with seed 0. Two names that share a column cancel as often as
they add up, so inner products are right on average (Weinberger, Dasgupta, Langford, Smola and
Attenberg 2009, "Feature hashing for large scale multitask learning"). MurmurHash3_x86_32 is
Appleby's; ``FeatureHasher`` and ``HashingVectorizer`` of scikit-learn, with
``n_features=2**bits``, give the same columns and signs.

A collision table has two cells per column: the first hash that fell into it, and the first
different one. Scans report candidate hashes against a table that may be out of date; one thread
inserts them later in the order of the text. Cells are filled once and never change, so an old table
gives duplicates, never misses, and the result does not depend on timing. 0 means an empty cell; the
hash 0 itself is stored as −2³¹, which falls into the same column.

An interaction is a product of two features: the pair of x with hash h and y with hash k is a
feature of value x·y with the hash h · 16777619 xor k, modulo 2³² and signed: Vowpal Wabbit's
combination of two hashes, with the prime of the Fowler–Noll–Vo hash. The order of the two matters.
A group crossed with itself gives each pair once, the lower hash first, and each feature with
itself, like Vowpal Wabbit's ``-q aa``. Three groups make products of three features alike, like its
``--cubic``: :mod:`rosenblatt.engine.text.crossing` has their hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.crossing import cross, hash_triples, runs_of, split_interaction
from rosenblatt.engine.text.scanning import Bytes
from rosenblatt.utils.arrays import NDArray

Hashes = NDArray[np.int32]

MAX_NAME_BYTES = 100
"""Largest number of bytes stored of a name."""

MAX_ENTRIES = 1 << 24
"""Largest number of entries of a row, pairs included: as in ``src/core/text/hashing/hashed.h``."""


def murmur3(name: bytes) -> int:
    """Hash a name by MurmurHash3_x86_32 with seed 0, as ``sklearn.utils.murmurhash3_32`` does.

    Parameters
    ----------
    name : bytes

    Returns
    -------
    int
        −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> murmur3(b"foo")
    -156908512
    """
    return int(murmur3_many([name])[0])


def murmur3_many(names: Sequence[bytes]) -> NDArray[np.int32]:
    """Hash many names, each as :func:`murmur3` does.

    Parameters
    ----------
    names : sequence of bytes

    Examples
    --------
    >>> murmur3_many([b"foo", b""]).tolist()
    [-156908512, 0]
    """
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    return core.hash_names(np.frombuffer(b"".join(names), np.uint8), ends)


# --- collisions -----------------------------------------------------------------------------------


class NewHashes(NamedTuple):
    """Hashes that may be new to a table, with their names; there may be duplicates.

    Parameters
    ----------
    hashes : int32 array of shape (n,)
    names : bytes
        Their names in UTF-8, concatenated.
    ends : int64 array of shape (n,)
        End of each name in ``names``.
    parents : int32 array of shape (n, 2) or (n, 3)
        For a product, which has no name, the hashes of its factors; else zeros.
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


# --- rows -----------------------------------------------------------------------------------------


class SparseRows(NamedTuple):
    """Rows of columns and values, as the arrays of a CSR matrix.

    Parameters
    ----------
    columns : int32 array of shape (entries,)
    data : float64 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)

    Examples
    --------
    >>> rows = SparseRows(np.array([2], np.int32), np.array([0.5]), np.array([0, 1]))
    >>> rows.columns.tolist()
    [2]
    """

    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]


def sort_and_sum(rows: SparseRows, bits: int) -> SparseRows:
    """Sort the columns of each row and sum the values of equal columns, in place.

    Hashes are replaced by their columns, and values get the signs of their hashes. Equal columns
    are summed in their order in the row. The result shares the arrays of ``rows``. Short rows are
    sorted by counting the smaller columns of each; longer rows by a radix sort of six bits at a
    time.

    Parameters
    ----------
    rows : SparseRows
        With hashes, or with columns below 2^bits, as ``columns``.
    bits : int

    Examples
    --------
    >>> columns, data = np.array([5, 0, 5], np.int32), np.array([1.0, 2.0, 3.0])
    >>> rows = sort_and_sum(SparseRows(columns, data, np.array([0, 3])), 3)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 5], [2.0, 4.0], [0, 2])
    """
    entries = core.sort_and_sum(*rows, bits)
    return rows._replace(columns=rows.columns[:entries], data=rows.data[:entries])


# --- interactions ---------------------------------------------------------------------------------


class Interactions(NamedTuple):
    """Groups of features, the pairs and triples of groups to cross, and the groups that count.

    Parameters
    ----------
    names : uint8 array
        The groups' names in UTF-8, concatenated.
    ends : int64 array of shape (groups,)
        End of each name in ``names``.
    pairs : int64 array of shape (pairs, 2)
        Indices of groups.
    triples : int64 array of shape (triples, 3)
        The same of products of three.
    kept, ignored : tuple of int
        The groups whose features alone count, all of them if there is none; and those whose
        features do not count.

    Examples
    --------
    >>> interactions = encode_interactions(["user*ad", "ad*ad", "user*ad*user"], ignore=["tag"])
    >>> interactions.pairs.tolist(), interactions.triples.tolist(), interactions.ignored
    ([[0, 1], [1, 1]], [[0, 0, 1]], (2,))
    """

    names: Bytes
    ends: NDArray[np.int64]
    pairs: NDArray[np.int64]
    triples: NDArray[np.int64]
    kept: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()

    @property
    def crosses(self) -> bool:
        """Whether any groups are crossed."""
        return len(self.pairs) + len(self.triples) > 0

    def counts(self, groups: NDArray[np.int16]) -> NDArray[np.bool_] | None:
        """Return which entries count, by their groups; None if all do."""
        if not (self.kept or self.ignored):
            return None
        counts = ~np.isin(groups, self.ignored)
        return counts & np.isin(groups, self.kept) if self.kept else counts


def encode_interactions(
    interactions: Sequence[str], keep: Sequence[str] = (), ignore: Sequence[str] = ()
) -> Interactions:
    """Encode interactions for the core.

    Parameters
    ----------
    interactions : sequence of str
        Each ``"a*b"`` or ``"a*b*c"``.
    keep, ignore : sequence of str
        Groups.
    """
    products = [split_interaction(interaction) for interaction in interactions]
    groups = list(dict.fromkeys([*chain.from_iterable(products), *keep, *ignore]))
    names = [name.encode() for name in groups]
    indices = [[groups.index(name) for name in product] for product in products]
    pairs, triples = ([product for product in indices if len(product) == n] for n in (2, 3))
    return Interactions(
        np.frombuffer(b"".join(names), np.uint8),
        np.cumsum([len(name) for name in names], dtype=np.int64),
        np.array(pairs, np.int64).reshape(-1, 2),
        np.array(triples, np.int64).reshape(-1, 3),
        tuple(map(groups.index, keep)),
        tuple(map(groups.index, ignore)),
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


_TOO_MANY = (
    f"its pairs make more than {MAX_ENTRIES:,} features: cross fewer features, or cut the row."
)
_TOO_LARGE = "the product of two crossed features fits no float64: scale them down."


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
        The table of collisions; None: no pair is reported.

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
        raise RowError(too_many, _TOO_MANY)
    if too_large >= 0:
        raise RowError(too_large, _TOO_LARGE)
    out = SparseRows(*arrays)
    new = np.empty(0, np.int64) if table is None else new_hashes(out.columns, table, bits)
    new = new[parents[new].any(axis=1)]  # the other entries have names
    return out, NewHashes(out.columns[new], b"", np.zeros(len(new), np.int64), parents[new])


def add_products(
    rows: SparseRows,
    groups: NDArray[np.int16],
    interactions: Interactions,
    bits: int,
    table: Hashes | None = None,
) -> tuple[SparseRows, tuple[NewHashes, ...]]:
    """Append the pairs of :func:`add_pairs` to each row, and behind them products of three.

    Parameters, errors and results are its own; products of three that may be new come apart.

    Examples
    --------
    >>> columns, data = np.array([3, 5, 7], np.int32), np.array([2.0, 4.0, 0.5])
    >>> rows = SparseRows(columns, data, np.array([0, 3]))
    >>> interactions = encode_interactions(["a*b*c"])
    >>> both, _ = add_products(rows, np.array([0, 1, 2], np.int16), interactions, 18)
    >>> both.columns.tolist(), both.data.tolist()
    ([3, 5, 7, 1963422707], [2.0, 4.0, 0.5, 4.0])
    """
    out, pairs = add_pairs(rows, groups, interactions, bits, table)
    if not len(interactions.triples):
        return out, (pairs,)
    triples = _triples(rows, groups, interactions)
    new = np.empty(0, np.int64) if table is None else new_hashes(triples.rows.columns, table, bits)
    hashes, ends = triples.rows.columns[new], np.zeros(len(new), np.int64)
    return _joined(out, triples.rows), (pairs, NewHashes(hashes, b"", ends, triples.parents[new]))


class _Triples(NamedTuple):
    """Products of three, as rows, and the hashes of their factors."""

    rows: SparseRows
    parents: NDArray[np.int32]


def _triples(rows: SparseRows, groups: NDArray[np.int16], interactions: Interactions) -> _Triples:
    """Return the products of three features of each row.

    Raises
    ------
    RowError
    """
    n = len(rows.indptr) - 1
    row_of_entry = np.repeat(np.arange(n), np.diff(rows.indptr))
    hashes, parents, values, positions = [], [], [], []
    for triple in interactions.triples.tolist():
        members = [groups == group for group in triple]
        sizes = [
            np.bincount(row_of_entry[mask], minlength=n).astype(np.float64) for mask in members
        ]
        too_many = np.prod(sizes, axis=0) > MAX_ENTRIES
        if too_many.any():
            raise RowError(int(np.argmax(too_many)), _TOO_MANY)
        factors = np.stack(cross(rows.indptr, members, runs_of(triple)), axis=1)
        with np.errstate(over="ignore"):
            value = np.multiply.reduce(rows.data[factors], axis=1)
        own = row_of_entry[factors[:, 0]]
        if np.isinf(value).any():
            raise RowError(int(own[np.argmax(np.isinf(value))]), _TOO_LARGE)
        kept = value != 0.0
        parts = rows.columns[factors[kept]]
        hashes.append(hash_triples(parts, runs_of(triple)))
        parents.append(parts)
        values.append(value[kept])
        positions.append(own[kept])
    position = np.concatenate(positions)
    order = np.argsort(position, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(position, minlength=n))])
    columns, data = np.concatenate(hashes)[order], np.concatenate(values)[order]
    return _Triples(SparseRows(columns, data, starts), np.concatenate(parents)[order])


def _joined(rows: SparseRows, others: SparseRows) -> SparseRows:
    """Return rows with the entries of other rows behind their own."""
    n = len(rows.indptr) - 1
    positions = [np.repeat(np.arange(n), np.diff(one.indptr)) for one in (rows, others)]
    order = np.argsort(np.concatenate(positions), kind="stable")
    columns = np.concatenate([rows.columns, others.columns])[order]
    data = np.concatenate([rows.data, others.data])[order]
    return SparseRows(columns, data, rows.indptr + others.indptr)
