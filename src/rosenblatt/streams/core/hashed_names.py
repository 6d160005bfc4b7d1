"""Names of hashed columns: the first two of each column, and the number of collisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.text.hashing import MAX_NAME_BYTES, Hashes, NewHashes, insert_hashes
from rosenblatt.utils.arrays import NDArray

MAX_BITS = 24
"""With more bits, names are not recorded."""

MAX_NAMES = 1 << 21
"""Limit of the number of names."""

MAX_BYTES = 1 << 25
"""Limit of the bytes of all names."""


class Collisions(NamedTuple):
    """Counts of the hashed columns in use, and of those that several names share.

    Parameters
    ----------
    bits : int
        There are 2^bits columns.
    used : int
        Columns of at least one name.
    shared : int
        Columns of two or more names.
    pairs : int
        Interactions among the first two names of each column.

    Examples
    --------
    >>> Collisions(10, 200, 3, 0).share
    0.015
    """

    bits: int
    used: int
    shared: int
    pairs: int

    @property
    def share(self) -> float:
        """The fraction of the columns in use that are shared."""
        return self.shared / max(1, self.used)


class HashedNames:
    """Record of the first two names of each hashed column.

    Names are distinguished by all 32 bits of their hashes: of a million names, about a hundred
    share their hash with another, and count as one with it. Names are recorded for up to 2^24
    columns, at eight bytes a column; the first 2,097,152 names are kept, in 42 MB at most, with up
    to 100 bytes of each, and 32 MB of all.

    Attributes
    ----------
    bits : int
        There are 2^bits columns; 0 before the first use.

    Examples
    --------
    >>> from rosenblatt.engine.text.hashing import murmur3
    >>> names, words = HashedNames(), ["offer", "spam", "offer", "hello"]
    >>> names.note([murmur3(word.encode()) for word in words], words, bits=1)
    >>> names.collisions()
    Collisions(bits=1, used=2, shared=1, pairs=0)
    >>> names.of([0, 1])
    {1: (1, 'offer or hello'), 0: (-1, 'spam')}
    """

    def __init__(self) -> None:
        self.bits = 0
        self._table = np.empty(0, np.int32)
        self._chunks: list[NewHashes] = []
        self._names = self._bytes = self._pairs = 0

    def known(self, bits: int) -> Hashes | None:
        """Return the table of recorded hashes, for scans; None where there are too many columns."""
        if bits > MAX_BITS:
            return None
        if self.bits == 0:
            self.bits, self._table = bits, np.zeros(2 << bits, np.int32)
        return self._table

    def note(self, hashes: Sequence[int] | Hashes, names: Iterable[str], bits: int) -> None:
        """Record new names.

        Parameters
        ----------
        hashes : int32 array-like of shape (n,)
            MurmurHash3 of the names, signed: ``rosenblatt.engine.text.hashing.murmur3``.
        names : iterable of n str
        bits : int
            There are 2^bits columns, the same number in every call.
        """
        if self.known(bits) is None:
            return
        signed = np.asarray(hashes, np.int32)
        new = self._insert(signed)
        spelled = [name.encode()[:MAX_NAME_BYTES] for name in compress(names, new.tolist())]
        ends = np.cumsum([len(name) for name in spelled], dtype=np.int64)
        parents = np.zeros((len(ends), 2), np.int32)
        self._append(NewHashes(signed[new], b"".join(spelled), ends, parents))

    def add(self, *batches: NewHashes) -> None:
        """Record the new hashes that scans reported, in their order; known ones are dropped.

        Parameters
        ----------
        *batches : NewHashes
            One for each scan.
        """
        for fresh in batches:
            self._append(_select(fresh, self._insert(fresh.hashes)))

    def _insert(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Insert hashes into the table; return a mask of the new ones."""
        new = np.zeros(len(hashes), np.bool_)
        insert_hashes(self._table, self.bits, hashes, new)
        return new

    def _append(self, fresh: NewHashes) -> None:
        if not len(fresh.hashes):
            return
        self._pairs += int(np.count_nonzero(fresh.parents.any(axis=1)))
        if self._names + len(fresh.hashes) > MAX_NAMES:
            return
        if self._bytes + len(fresh.names) > MAX_BYTES:
            fresh = fresh._replace(names=b"", ends=np.zeros_like(fresh.ends))
        self._names += len(fresh.hashes)
        self._bytes += len(fresh.names)
        self._chunks.append(fresh)

    def collisions(self) -> Collisions | None:
        """Count the shared columns; None before the first use."""
        if self.bits == 0:
            return None
        used = int(np.count_nonzero(self._table.view(np.int64)))  # two slots of a column at once
        shared = int(np.count_nonzero(self._table)) - used
        return Collisions(self.bits, used, shared, self._pairs)

    def of(self, columns: Sequence[int] | NDArray[np.int64]) -> dict[int, tuple[int, str]]:
        """Return the names of columns, where they are recorded.

        Parameters
        ----------
        columns : sequence of int

        Returns
        -------
        dict
            For each column the sign of its first name's hash, and the name. Of several names the
            first two, with "or" between, and a minus before the second where its sign differs. The
            name of an interaction is ``a*b``.
        """
        if not self._chunks:
            return {}
        reader = _NameReader(self._chunks)
        entry_columns = np.abs(reader.hashes.astype(np.int64)) & len(self._table) // 2 - 1
        wanted = np.zeros(len(self._table) // 2, np.bool_)
        wanted[np.asarray(columns, np.int64)] = True
        names: dict[int, tuple[int, str]] = {}
        for entry in np.flatnonzero(wanted[entry_columns]).tolist():
            name, column = reader.name(entry), int(entry_columns[entry])
            sign = 1 if reader.hashes[entry] >= 0 else -1
            if name is not None and column not in names:
                names[column] = sign, name
            elif name is not None:
                first, earlier = names[column]
                names[column] = first, f"{earlier} or {'' if sign == first else '−'}{name}"
        return names


def _select(fresh: NewHashes, new: NDArray[np.bool_]) -> NewHashes:
    """Return the entries that a mask selects."""
    if new.all():
        return fresh
    sizes = np.diff(fresh.ends, prepend=0)
    letters = np.frombuffer(fresh.names, np.uint8)[np.repeat(new, sizes)]
    ends = np.cumsum(sizes[new])
    return NewHashes(fresh.hashes[new], letters.tobytes(), ends, fresh.parents[new])


class _NameReader:
    """Lookup of the name of an entry; that of an interaction comes from its two parents."""

    def __init__(self, chunks: list[NewHashes]) -> None:
        self.hashes = np.concatenate([fresh.hashes for fresh in chunks])
        self._chunks = chunks
        self._starts = np.cumsum([0, *(len(fresh.hashes) for fresh in chunks)])
        self._order = np.argsort(self.hashes, kind="stable")
        self._sorted = self.hashes[self._order]

    def name(self, entry: int) -> str | None:
        """Return the name of an entry; None where it is not recorded."""
        chunk = int(np.searchsorted(self._starts, entry, side="right")) - 1
        fresh, k = self._chunks[chunk], entry - int(self._starts[chunk])
        if fresh.parents[k].any():
            parents = [self._of_hash(h) for h in fresh.parents[k]]
            return None if None in parents else "*".join(map(str, parents))
        start = int(fresh.ends[k - 1]) if k else 0
        name = fresh.names[start : int(fresh.ends[k])]
        return name.decode("utf-8", "ignore") or None  # the last letter may be cut

    def _of_hash(self, h: np.int32) -> str | None:
        index = int(np.searchsorted(self._sorted, h))
        is_present = index < len(self._sorted) and self._sorted[index] == h
        return self.name(int(self._order[index])) if is_present else None
