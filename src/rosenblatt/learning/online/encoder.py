"""Encoding of named features as sparse rows; names are numbered in the order of first use."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, partial
from itertools import chain, compress, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import entry_point
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.named_rows import (
    FOUND,
    SMALLEST_CAPACITY,
    VALUES,
    WORK_ROWS,
    arrange_row,
)
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import next_capacity
from rosenblatt.learning.online.features import Features, as_dict, one_hot

Array = NDArray[Any]
Names = tuple[Hashable, ...]

_PACK_ERRORS = (struct.error, TypeError, OverflowError)
_UNKNOWN = repeat(-1)  # the index of a name that the vocabulary lacks


class FeatureEncoder:
    """Vocabulary of feature names, and encoder of rows for the compiled loops.

    Single rows are written to the same arrays again and again. A row with the names of the previous
    one keeps their indices and order: the rows of a table share their names, and most rows are
    predicted and then learned. Its values are read anew, as they may have been changed in place.

    Parameters
    ----------
    limit : int or None
        Maximal number of names; further names are ignored.
    names : iterable, optional
        First names, in order.
    ignored : int, default=0
        Initial value of ``ignored``.

    Attributes
    ----------
    vocabulary : dict
        Index of each name.
    ignored : int
        Number of values left out of learned rows.

    Examples
    --------
    >>> encoder = FeatureEncoder(limit=None)
    >>> row = encoder.row({"size": 3, "colour": "red"}, add_names=True)
    >>> row.data[:2].tolist(), row.indices[:2].tolist(), row.indptr.tolist()
    ([3.0, 1.0], [0, 1], [0, 2])
    >>> encoder.vocabulary
    {'size': 0, 'colour=red': 1}
    """

    def __init__(self, limit: int | None, names: Iterable[Hashable] = (), ignored: int = 0) -> None:
        self.limit, self.ignored = limit, ignored
        self.vocabulary: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._text, self._words = "", as_dict("")  # the last text, as a dict
        self._all_whole = True  # whether all values so far were integers
        self._allocate(SMALLEST_CAPACITY)

    def __reduce__(self) -> tuple[Any, ...]:  # without the row, which is written in place
        return FeatureEncoder, (self.limit, tuple(self.vocabulary), self.ignored)

    # --- one row ---------------------------------------------------------------------------------

    def row(self, features: Features, *, add_names: bool) -> CSR:
        """Encode one row, in arrays that the next call overwrites.

        Parameters
        ----------
        features : mapping or str
        add_names : bool
            Whether to add new names to the vocabulary, up to the limit; otherwise they are ignored.

        Raises
        ------
        TypeError
            A value that is neither a number, a bool, a string nor None.
        ValueError
            A number that is not finite.
        """
        by_name = features if type(features) is dict else self._convert(features)
        try:
            n_missing = self._write(by_name)
        except _PACK_ERRORS:
            by_name = one_hot(by_name)
            n_missing = self._write(by_name)
        if n_missing < 0:
            raise ValueError(_not_finite_message(by_name, self._work[VALUES].view(np.float64)))
        if n_missing and add_names:
            if self._add(by_name):
                n_missing = self._write(by_name)
            self.ignored += n_missing
        return self._row

    def _allocate(self, capacity: int) -> None:
        """Allocate the row's arrays."""
        self._work = np.zeros((WORK_ROWS, capacity), np.int64)
        row = CSR(np.zeros(capacity), np.zeros(capacity, np.uint32), np.zeros(2, np.int64))
        self._row = CSR(*map(readonly, row))
        arrange = entry_point(arrange_row, (*row, self._work, 0, True, True), capacity)
        self._arrange = partial(arrange, *row, self._work)
        self._values, self._found = self._work[VALUES], self._work[FOUND]
        self._names: Names | None = None  # of the last row
        self._size = 0  # of the vocabulary, when their indices were looked up

    def _convert(self, features: Features) -> dict[Hashable, Any]:
        """Convert a mapping or a text; a text that is predicted and then learned is read once."""
        if type(features) is not str:
            return as_dict(features)
        if features is not self._text:
            self._words, self._text = as_dict(features), features
        return self._words

    def _write(self, by_name: dict[Hashable, Any]) -> int:
        """Write a row of numbers, sorted by feature index: the order in which the loops sum.

        Returns the number of values whose names have no index, or −1 if one is not finite.
        """
        names, vocabulary = tuple(by_name), self.vocabulary
        n, size = len(names), len(vocabulary)
        if n > len(self._values):
            self._allocate(next_capacity(len(self._values), n))
        pack_integers, pack_floats = _packers(n)
        try:
            if whole := self._all_whole:
                pack_integers(self._values, 0, *by_name.values())
        except _PACK_ERRORS:
            whole = self._all_whole = False
        if not whole:
            pack_floats(self._values, 0, *by_name.values())
        same_names = names == self._names and size == self._size
        if not same_names:
            self._names = None  # in case of an interrupt
            pack_integers(self._found, 0, *_look_up(names, vocabulary))
        n_missing: int = self._arrange(n, whole, same_names)
        self._names, self._size = names, size
        return n_missing

    def _add(self, names: Iterable[Hashable]) -> bool:
        """Add new names to the vocabulary, up to the limit; return True if it grew."""
        vocabulary, limit = self.vocabulary, self.limit
        size = len(vocabulary)
        for name in names:
            if name not in vocabulary and (limit is None or len(vocabulary) < limit):
                vocabulary[name] = len(vocabulary)
        return len(vocabulary) > size

    # --- many rows -------------------------------------------------------------------------------

    def rows(self, batch: Iterable[Features], *, add_names: bool) -> tuple[Array, Array, Array]:
        """Encode many rows as data, indices and indptr of a CSR matrix, indices in row order.

        Parameters and errors as for :meth:`row`; an error names the row, counted from 0.

        Examples
        --------
        >>> FeatureEncoder(limit=None).rows([{"a": 1.0, "b": 2.0}, {"c": 3.0}], add_names=True)
        (array([1., 2., 3.]), array([0, 1, 2], dtype=int32), array([0, 2, 3]))
        """
        dicts, data, indices = self._pack(batch)
        ends = np.append(0, np.cumsum([*map(len, dicts)], dtype=np.int64))
        if not np.isfinite(data).all():
            i = int(np.searchsorted(ends, np.argmin(np.isfinite(data)), "right")) - 1
            raise ValueError(f"row {i}: {_not_finite_message(dicts[i], data[ends[i] :])}")
        missing = indices < 0
        if missing.any() and add_names:
            new = [*compress(chain.from_iterable(dicts), missing.tobytes())]
            self._add(new)
            indices[missing] = [*_look_up(tuple(new), self.vocabulary)]
            missing = indices < 0
            self.ignored += int(np.count_nonzero(missing))
        if missing.any():
            present = ~missing
            return data[present], indices[present], np.append(0, np.cumsum(present))[ends]
        return data, indices, ends

    def _pack(self, batch: Iterable[Features]) -> tuple[list[dict[Hashable, Any]], Array, Array]:
        """Rows as dicts of numbers, all their values, and the index of each name or −1.

        Each row is read once, while it is in the cache.
        """
        dicts: list[dict[Hashable, Any]] = []
        values: list[bytes] = []
        indices: list[bytes] = []
        names: Names | None = None
        kind = "q"  # integers, which are packed faster, up to the first row with other values
        try:
            for features in batch:
                row = features if type(features) is dict else as_dict(features)
                try:
                    packed = struct.pack(f"{len(row)}{kind}", *row.values())
                except _PACK_ERRORS:
                    if kind == "q":
                        values, kind = [_as_floats(values)], "d"
                    row, packed = _pack_numbers(row)
                if (names_here := tuple(row)) != names:
                    names = names_here
                    found = struct.pack(f"{len(row)}i", *_look_up(names, self.vocabulary))
                values.append(packed)
                indices.append(found)
                dicts.append(row)
        except (TypeError, ValueError) as error:
            raise type(error)(f"row {len(dicts)}: {error}") from None
        data = np.frombuffer(_as_floats(values) if kind == "q" else b"".join(values))
        return dicts, data, np.frombuffer(bytearray().join(indices), np.int32)


def _as_floats(integers: list[bytes]) -> bytes:
    """Convert packed integers to packed floats."""
    return np.frombuffer(b"".join(integers), np.int64).astype(np.float64).tobytes()


def _pack_numbers(row: dict[Hashable, Any]) -> tuple[dict[Hashable, Any], bytes]:
    """Pack the values of a row as floats; return it with numbers alone."""
    try:
        return row, struct.pack(f"{len(row)}d", *row.values())
    except _PACK_ERRORS:
        row = one_hot(row)
        return row, struct.pack(f"{len(row)}d", *row.values())


def _look_up(names: Names, vocabulary: dict[Hashable, int]) -> Iterable[int]:
    """Index of each name, −1 if it has none."""
    with_gaps = map(vocabulary.get, names, _UNKNOWN)
    try:
        return itemgetter(*names)(vocabulary) if len(names) > 1 else with_gaps
    except KeyError:
        return with_gaps


def _not_finite_message(names: Iterable[Hashable], values: Array) -> str:
    j = int(np.argmin(np.isfinite(values)))
    return (
        f"feature {[*names][j]!r} is {values[j]}: use finite numbers, and None for a missing value."
    )


@lru_cache(1024)
def _packers(n: int) -> tuple[Callable[..., None], Callable[..., None]]:
    """Functions that write n integers, or n floats, to a buffer."""
    return struct.Struct(f"{n}q").pack_into, struct.Struct(f"{n}d").pack_into
