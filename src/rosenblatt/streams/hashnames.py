"""The names behind hashed columns: kept while there is room, and which of them share a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.seen import LONGEST, Fresh, Hashes, enter

MOST_NAMES = 1 << 21
"""The most names that are kept; no less than half the places of the first table."""

MOST_BYTES = 1 << 25
"""The most bytes of all their letters."""

_SHOWN = 2  # names of one column


class Collisions(NamedTuple):
    """How many names share a column with another.

    Parameters
    ----------
    names : int
        Distinct names, told by all 32 bits of their hashes.
    collided : int
        Those of them whose column is another's, too.
    bits : int
        There are 2^bits columns.
    pairs : int
        Those of the names that are pairs: interactions.
    complete : bool
        False: there were more names than were kept, and only those that were are counted.

    Examples
    --------
    >>> Collisions(200, 3, 10, 0, True).share
    0.015
    """

    names: int
    collided: int
    bits: int
    pairs: int
    complete: bool

    @property
    def share(self) -> float:
        """Of the names, those that share a column."""
        return self.collided / max(1, self.names)


class HashedNames:
    """Distinct names by their hashes, in the order in which they were met.

    Names with the same 32 bits count as one: of a million names, about a hundred do.

    The first 2,097,152 are kept, in 70 MB at most, and 32 MB of their letters: 100 bytes of a name,
    and none of one for which there is no room.

    Attributes
    ----------
    complete : bool
        Whether there was room for all names that were met.

    Examples
    --------
    >>> from rosenblatt.hashing import murmur3
    >>> names = HashedNames()
    >>> words = ["offer", "spam", "offer", "hello"]
    >>> names.note([murmur3(word.encode()) for word in words], words)
    >>> names.collisions(1)
    Collisions(names=3, collided=2, bits=1, pairs=0, complete=True)
    >>> names.of([0, 1], 1)
    {1: 'offer or hello', 0: 'spam'}
    """

    def __init__(self) -> None:
        self.complete = True
        self._table = np.zeros(1 << 10, np.int32)
        self._size = 0
        self._kept: list[Fresh] = []
        self._bytes = 0

    @property
    def known(self) -> Hashes | None:
        """The table that a scan looks hashes up in; None when there is no room for more."""
        return self._table if self.complete else None

    def note(self, hashes: Sequence[int] | Hashes, names: Iterable[str]) -> None:
        """Keep names that are new.

        Parameters
        ----------
        hashes : int32 array-like of shape (n,)
            MurmurHash3 of the names, signed, as :func:`rosenblatt.hashing.murmur3` gives it.
        names : iterable of n str
        """
        spelled = [name.encode()[:LONGEST] for name in names]
        ends = np.cumsum([len(name) for name in spelled], dtype=np.int64)
        parents = np.zeros((len(ends), 2), np.int32)
        self.add(Fresh(np.asarray(hashes, np.int32), b"".join(spelled), ends, parents))

    def add(self, fresh: Fresh) -> None:
        """Keep what a scan told, where it is new."""
        new = np.zeros(len(fresh.hashes), np.bool_)
        begin = 0
        while self.complete and begin < len(new):
            entered, self._size = enter(self._table, fresh.hashes[begin:], self._size, new[begin:])
            begin += entered
            if begin < len(new):
                self._grow()
        if new.any():
            self._keep(_only(fresh, new))

    def _grow(self) -> None:
        """Twice the places, until there are as many names as may be kept."""
        if self._size >= MOST_NAMES:
            self.complete = False
            return
        table = np.zeros(2 * len(self._table), np.int32)
        held = self._table[self._table != 0]
        enter(table, held, 0, np.empty(len(held), np.bool_))
        self._table = table

    def _keep(self, fresh: Fresh) -> None:
        if self._bytes + len(fresh.spelled) > MOST_BYTES:
            fresh = fresh._replace(spelled=b"", ends=np.zeros_like(fresh.ends))
        self._bytes += len(fresh.spelled)
        self._kept.append(fresh)

    def _hashes(self) -> Hashes:
        kept = [fresh.hashes for fresh in self._kept]
        return np.concatenate(kept) if kept else np.empty(0, np.int32)

    def collisions(self, bits: int) -> Collisions:
        """How many of the names share one of 2^bits columns with another."""
        columns = _columns(self._hashes(), bits)
        _, counts = np.unique(columns, return_counts=True)
        collided = int(counts[counts > 1].sum())
        pairs = sum(int(np.count_nonzero(fresh.parents.any(axis=1))) for fresh in self._kept)
        return Collisions(self._size, collided, bits, pairs, self.complete)

    def of(self, columns: Sequence[int] | NDArray[np.int64], bits: int) -> dict[int, str]:
        """The names of columns, where they are known.

        Parameters
        ----------
        columns : sequence of int
        bits : int

        Returns
        -------
        dict
            Two names that share a column stand both, with "or" between; of more, the first two,
            and how many others there are. The name of a pair is ``a*b``.
        """
        hashes = self._hashes()
        places = _columns(hashes, bits)
        wanted = np.flatnonzero(np.isin(places, np.asarray(columns, np.int64)))
        found: dict[int, list[str | None]] = {}
        spell = _Speller(self._kept, hashes)
        for entry in wanted.tolist():
            found.setdefault(int(places[entry]), []).append(spell.name(entry))
        return {column: _either(names) for column, names in found.items() if any(names)}


def _columns(hashes: Hashes, bits: int) -> NDArray[np.int64]:
    return np.abs(hashes.astype(np.int64)) & (1 << bits) - 1


def _only(fresh: Fresh, new: NDArray[np.bool_]) -> Fresh:
    """The part of it that is new."""
    if new.all():
        return fresh
    sizes = np.diff(fresh.ends, prepend=0)
    letters = np.frombuffer(fresh.spelled, np.uint8)[np.repeat(new, sizes)]
    ends = np.cumsum(sizes[new])
    return Fresh(fresh.hashes[new], letters.tobytes(), ends, fresh.parents[new])


class _Speller:
    """Finds the name of an entry, and through its parents that of a pair."""

    def __init__(self, kept: list[Fresh], hashes: Hashes) -> None:
        self._kept = kept
        self._starts = np.cumsum([0, *(len(fresh.hashes) for fresh in kept)])
        self._order = np.argsort(hashes, kind="stable")
        self._sorted = hashes[self._order]

    def name(self, entry: int) -> str | None:
        """The name, None where it is not known."""
        chunk = int(np.searchsorted(self._starts, entry, side="right")) - 1
        fresh, k = self._kept[chunk], entry - int(self._starts[chunk])
        if fresh.parents[k].any():
            both = [self._of_hash(h) for h in fresh.parents[k]]
            return None if None in both else "*".join(map(str, both))
        start = int(fresh.ends[k - 1]) if k else 0
        name = fresh.spelled[start : int(fresh.ends[k])]
        return name.decode("utf-8", "ignore") or None  # the last letter may be cut

    def _of_hash(self, h: np.int32) -> str | None:
        place = int(np.searchsorted(self._sorted, h))
        known = place < len(self._sorted) and self._sorted[place] == h
        return self.name(int(self._order[place])) if known else None


def _either(names: list[str | None]) -> str:
    """The names of one column in words."""
    known = [name for name in names if name is not None][:_SHOWN]
    others = len(names) - len(known)
    return " or ".join([*known, f"{others:,} more"] if others else known)
