"""Encoding of named features as sparse rows; names are numbered in the order of first use."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain, compress, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import entry_point
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import next_capacity
from rosenblatt.engine.text.named_rows import (
    INDICES,
    SMALLEST_CAPACITY,
    VALUES,
    WORK_ROWS,
    arrange_row,
)
from rosenblatt.learning.online.features import Features, as_dict, one_hot

Array = NDArray[Any]
Names = tuple[Hashable, ...]
Row = dict[Hashable, Any]

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
        self._all_integral = True  # whether all values so far were integers
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
        self._values, self._looked_up = self._work[VALUES], self._work[INDICES]
        self._names: Names | None = None  # of the last row
        self._size = 0  # of the vocabulary, when their indices were looked up

    def _convert(self, features: Features) -> Row:
        """Convert a mapping or a text; a text that is predicted and then learned is read once."""
        if type(features) is not str:
            return as_dict(features)
        if features is not self._text:
            self._words, self._text = as_dict(features), features
        return self._words

    def _write(self, by_name: Row) -> int:
        """Write a row of numbers, sorted by feature index: the order in which the loops sum.

        Returns the number of values whose names have no index, or −1 if one is not finite.
        """
        names, vocabulary = tuple(by_name), self.vocabulary
        n, size = len(names), len(vocabulary)
        if n > len(self._values):
            self._allocate(next_capacity(len(self._values), n))
        pack_integers, pack_floats = _packers(n)
        try:
            if integral := self._all_integral:
                pack_integers(self._values, 0, *by_name.values())
        except _PACK_ERRORS:
            integral = self._all_integral = False
        if not integral:
            pack_floats(self._values, 0, *by_name.values())
        same_names = names == self._names and size == self._size
        if not same_names:
            self._names = None  # in case of an interrupt
            pack_integers(self._looked_up, 0, *_look_up(names, vocabulary))
        n_missing: int = self._arrange(n, integral, same_names)
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
        dicts = _map_rows(as_dict, batch)
        names, data, indices = self._pack_table(dicts) or self._pack(dicts)
        ends = np.append(0, np.cumsum([*map(len, names)], dtype=np.int64))
        if not np.isfinite(data).all():
            i = int(np.searchsorted(ends, np.argmin(np.isfinite(data)), "right")) - 1
            raise ValueError(f"row {i}: {_not_finite_message(names[i], data[ends[i] :])}")
        missing = indices < 0
        if missing.any() and add_names:
            new = [*compress(chain.from_iterable(names), missing.tobytes())]
            self._add(new)
            indices[missing] = [*_look_up(tuple(new), self.vocabulary)]
            missing = indices < 0
            self.ignored += int(np.count_nonzero(missing))
        if missing.any():
            present = ~missing
            return data[present], indices[present], np.append(0, np.cumsum(present))[ends]
        return data, indices, ends

    def _pack_table(
        self, dicts: list[Row]
    ) -> tuple[Sequence[Collection[Hashable]], Array, Array] | None:
        """Values and indices as from :meth:`_pack`; None unless all rows have the same names."""
        if len(set(map(len, dicts))) != 1:
            return None
        names = tuple(dicts[0])
        get_values, pack = _values_getter(names), _formats(len(names)).floats.pack
        try:
            data = np.frombuffer(b"".join([pack(*get_values(row)) for row in dicts]))
        except (KeyError, *_PACK_ERRORS):
            return None
        indices = np.array([*_look_up(names, self.vocabulary)], np.int32)
        return [names] * len(dicts), data, np.tile(indices, len(dicts))

    def _pack(self, dicts: list[Row]) -> tuple[Sequence[Collection[Hashable]], Array, Array]:
        """Names of every row, all values, and the index of each or −1."""
        names: list[Row] = []
        values: list[bytes] = []
        indices: list[bytes] = []
        integral = True  # integers are packed faster, up to the first row with other values
        for row in dicts:
            formats = _formats(len(row))
            try:
                packed = (formats.integers if integral else formats.floats).pack(*row.values())
            except _PACK_ERRORS:
                if integral:
                    values, integral = [_as_floats(values)], False
                row, packed = _pack_numbers(row, len(names))
                formats = _formats(len(row))
            values.append(packed)
            indices.append(formats.indices.pack(*_look_up(tuple(row), self.vocabulary)))
            names.append(row)
        data = np.frombuffer(_as_floats(values) if integral else b"".join(values))
        return names, data, np.frombuffer(bytearray().join(indices), np.int32)


def _map_rows(convert: Callable[[Any], Row], rows: Iterable[Any], first: int = 0) -> list[Row]:
    """Convert every row; an error names the row, counted from ``first``."""
    results: list[Row] = []
    try:
        results.extend(map(convert, rows))
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {first + len(results)}: {error}") from None
    return results


def _values_getter(names: Names) -> Callable[[Row], tuple[Any, ...]]:
    """Function that returns the values of these names."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


def _as_floats(integers: list[bytes]) -> bytes:
    """Convert packed integers to packed floats."""
    return np.frombuffer(b"".join(integers), np.int64).astype(np.float64).tobytes()


def _pack_numbers(row: Row, i: int) -> tuple[Row, bytes]:
    """Pack the values of row i as floats; return it with numbers alone."""
    try:
        return row, _formats(len(row)).floats.pack(*row.values())
    except _PACK_ERRORS:
        (row,) = _map_rows(one_hot, [row], i)
        return row, _formats(len(row)).floats.pack(*row.values())


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
    return _formats(n).integers.pack_into, _formats(n).floats.pack_into


class _Formats(NamedTuple):
    """Binary formats of a row's values, as int64 or float64, and of its indices, as int32."""

    integers: struct.Struct
    floats: struct.Struct
    indices: struct.Struct


@lru_cache(1024)
def _formats(n: int) -> _Formats:
    """Formats of a row of n values."""
    return _Formats(*(struct.Struct(f"{n}{kind}") for kind in "qdi"))
