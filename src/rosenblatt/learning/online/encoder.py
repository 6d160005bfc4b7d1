"""Encoding of named features as sparse rows; names are numbered in the order of first use."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import entry_point
from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.scoring import all_finite
from rosenblatt.engine.steps import next_capacity
from rosenblatt.learning.online.features import Features, as_dict, one_hot

Array = NDArray[Any]
Names = tuple[Hashable, ...]

_PACK_ERRORS = (struct.error, TypeError, OverflowError)


class FeatureEncoder:
    """Vocabulary of feature names, and encoder of rows for the compiled loops.

    Single rows are written to the same arrays again and again. Lookups are skipped where a row has
    the names, or the names and values, of the previous one: the rows of a table share their names,
    and most rows are predicted and then learned.

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

    _get_values: Callable[[dict[Hashable, Any]], tuple[Any, ...]]  # in the order of the indices
    _pack_values: Callable[..., None]
    _values: tuple[Any, ...] | None

    def __init__(self, limit: int | None, names: Iterable[Hashable] = (), ignored: int = 0) -> None:
        self.limit, self.ignored = limit, ignored
        self.vocabulary: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._allocate(64)

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
        by_name = features if type(features) is dict else as_dict(features)
        if len(by_name) != self._repeat_size:
            return self._encode(by_name, add_names)
        try:
            values = self._get_values(by_name)
            if values != self._values:
                self._values = None  # in case of an error below
                self._pack_values(self._data, 0, *values)
                if not self._are_finite(self._data, self._repeat_size):
                    return self._encode(by_name, add_names)
                self._values = values
        except (KeyError, *_PACK_ERRORS):
            return self._encode(by_name, add_names)
        return self._row

    def _allocate(self, capacity: int) -> None:
        """Allocate the row's arrays."""
        self._data, self._indices = np.zeros(capacity), np.zeros(capacity, np.uint32)
        self._ends = np.zeros(2, np.int64)
        self._row = CSR(readonly(self._data), readonly(self._indices), readonly(self._ends))
        self._are_finite = entry_point(all_finite, (self._data, 0), capacity)
        self._last: tuple[Names, Any] = (), None  # names and values of the last slow row
        self._all_indexed = False  # whether the vocabulary has all its names
        self._repeat_size = -1  # length of rows on the fast path; −1: none

    def _encode(self, by_name: dict[Hashable, Any], add_names: bool) -> CSR:
        """Encode a row whose names differ from the previous row, or with values to expand."""
        names, values = tuple(by_name), tuple(by_name.values())
        same_names = names == self._last[0]
        if same_names and values == self._last[1] and (self._all_indexed or not add_names):
            return self._row
        self._last = (), None  # in case of an error below
        self._repeat_size, self._values = -1, None
        if self._write(names, values):
            order = self._sort(names, add_names)
            if same_names and self._all_indexed:  # second row with these names: fast from now on
                self._repeat_size, self._pack_values = len(names), _double_packer(len(names))
                self._get_values = _values_getter(tuple(names[i] for i in order))
        else:
            flat = one_hot(by_name)
            self._write(tuple(flat), tuple(flat.values()))
            self._sort(tuple(flat), add_names)
        self._last = names, values
        return self._row

    def _write(self, names: Names, values: tuple[Any, ...]) -> bool:
        """Write the values; return False if one is not a number."""
        if len(values) > len(self._data):
            self._allocate(next_capacity(len(self._data), len(values)))
        try:
            _double_packer(len(values))(self._data, 0, *values)
        except _PACK_ERRORS:
            return False
        if not self._are_finite(self._data, len(values)):
            raise ValueError(_not_finite_message(names, self._data[: len(values)]))
        return True

    def _sort(self, names: Names, add_names: bool) -> Array:
        """Sort the values by feature index, the order in which the loops sum."""
        indices = np.array(self._lookup(names, add_names), np.int64)
        n_missing = int(np.count_nonzero(indices < 0))
        order = indices.argsort()[n_missing:]
        self._all_indexed = not n_missing
        if add_names:
            self.ignored += n_missing
        self._data[: len(order)] = self._data.take(order)
        self._indices[: len(order)] = indices.take(order)
        self._ends[1] = len(order)
        return order

    def _lookup(self, names: Iterable[Hashable], add_names: bool) -> list[int]:
        """Index of each name, −1 if it has none."""
        vocabulary = self.vocabulary
        try:
            return [*map(vocabulary.__getitem__, names)]
        except KeyError:
            if add_names:
                for name in names:
                    if name not in vocabulary and (
                        self.limit is None or len(vocabulary) < self.limit
                    ):
                        vocabulary[name] = len(vocabulary)
            return [vocabulary.get(name, -1) for name in names]

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
        try:
            names, data = _concatenate(dicts)
        except _PACK_ERRORS:
            dicts = _map_rows(one_hot, dicts)
            names, data = _concatenate(dicts)
        ends = np.append(0, np.cumsum([*map(len, dicts)], dtype=np.int64))
        if not np.isfinite(data).all():
            i = int(np.searchsorted(ends, np.argmin(np.isfinite(data)), "right")) - 1
            raise ValueError(f"row {i}: {_not_finite_message(*_concatenate(dicts[i : i + 1]))}")
        looked_up = np.array(self._lookup(names, add_names), np.int32)
        indices = looked_up if len(looked_up) == len(data) else np.tile(looked_up, len(dicts))
        has_index = indices >= 0
        if has_index.all():
            return data, indices, ends
        if add_names:
            self.ignored += len(has_index) - int(np.count_nonzero(has_index))
        return data[has_index], indices[has_index], np.append(0, np.cumsum(has_index))[ends]


def _map_rows(convert: Callable[[Any], dict[Hashable, Any]], rows: Iterable[Any]) -> list[Any]:
    """Convert every row; an error names the row."""
    results: list[Any] = []
    try:
        results.extend(map(convert, rows))
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {len(results)}: {error}") from None
    return results


def _concatenate(rows: list[dict[Hashable, Any]]) -> tuple[Names, Array]:
    """Names and values of all rows, one after the other; names only once if all rows share them.

    struct packs numbers and bools alone, where NumPy would also convert the text "1".
    """
    if len(set(map(len, rows))) == 1:
        names = tuple(rows[0])
        get_values, pack = _values_getter(names), struct.Struct(f"{len(names)}d").pack
        try:
            return names, np.frombuffer(b"".join([pack(*get_values(row)) for row in rows]))
        except KeyError:
            pass
    values = [struct.pack(f"{len(row)}d", *row.values()) for row in rows]
    return tuple(chain.from_iterable(rows)), np.frombuffer(b"".join(values))


def _values_getter(names: Names) -> Callable[[dict[Hashable, Any]], tuple[Any, ...]]:
    """Function that returns the values of these names."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


def _not_finite_message(names: Names, values: Array) -> str:
    j = int(np.argmin(np.isfinite(values)))
    return f"feature {names[j]!r} is {values[j]}: use finite numbers, and None for a missing value."


@lru_cache(1024)
def _double_packer(n: int) -> Callable[..., None]:
    return struct.Struct(f"{n}d").pack_into
