"""Named features become numbered ones, in the order in which their names are first learned."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import entry
from rosenblatt.engine.matrices import sealed
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.scoring import all_finite
from rosenblatt.engine.steps import doubled
from rosenblatt.learning.online.features import Features, as_dict, flattened

Array = NDArray[Any]
Names = tuple[Hashable, ...]

_UNPACKABLE = (struct.error, TypeError, OverflowError)


class Encoder:
    """Names and their numbers; rows as the loops take them.

    One row is written into the same arrays again and again, and what the last row has in common
    with it is not looked up anew: the rows of a table have the same names, and a row is mostly
    learned just after it was predicted.

    Parameters
    ----------
    limit : int or None
        Names beyond so many are left out.
    names : iterable, optional
        The first, in order.
    ignored : int, default=0
        Where to count on from.

    Attributes
    ----------
    numbers : dict
        Of every name.
    ignored : int
        Values that were left out of the rows learned.

    Examples
    --------
    >>> encoder = Encoder(limit=None)
    >>> row = encoder.row({"size": 3, "colour": "red"}, learned=True)
    >>> row.data[:2].tolist(), row.indices[:2].tolist(), row.indptr.tolist()
    ([3.0, 1.0], [0, 1], [0, 2])
    >>> encoder.numbers
    {'size': 0, 'colour=red': 1}
    """

    _pick: Callable[[dict[Hashable, Any]], tuple[Any, ...]]  # of rows of those names: the values
    _pack: Callable[..., None]
    _values: tuple[Any, ...] | None

    def __init__(self, limit: int | None, names: Iterable[Hashable] = (), ignored: int = 0) -> None:
        self.limit, self.ignored = limit, ignored
        self.numbers: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._make_room(64)

    def __reduce__(self) -> tuple[Any, ...]:  # the row shares its memory: it is made anew
        return Encoder, (self.limit, tuple(self.numbers), self.ignored)

    # --- one row ---------------------------------------------------------------------------------

    def row(self, features: Features, *, learned: bool) -> CSR:
        """One row, in arrays that the next call writes again.

        Parameters
        ----------
        features : mapping or str
        learned : bool
            Whether names that are new get a number, up to the limit; else they are left out.

        Raises
        ------
        TypeError
            A value that is neither a number, a bool, a string nor None.
        ValueError
            A number that is not finite.
        """
        given = features if type(features) is dict else as_dict(features)
        if len(given) != self._size:
            return self._anew(given, learned)
        try:
            values = self._pick(given)
            if values != self._values:
                self._values = None  # until all has gone well
                self._pack(self._data, 0, *values)
                if not self._are_finite(self._data, self._size):
                    return self._anew(given, learned)
                self._values = values
        except (KeyError, *_UNPACKABLE):
            return self._anew(given, learned)
        return self._row

    def _make_room(self, room: int) -> None:
        """A row of up to so many values."""
        self._data, self._indices = np.zeros(room), np.zeros(room, np.uint32)
        self._ends = np.zeros(2, np.int64)
        self._row = CSR(sealed(self._data), sealed(self._indices), sealed(self._ends))
        self._are_finite = entry(all_finite, (self._data, 0))
        self._given: tuple[Names, Any] = (), None  # the last row that came anew
        self._is_whole = False  # whether all of its names have numbers
        self._size = -1  # of rows that have its names, once it was not the only one

    def _anew(self, given: dict[Hashable, Any], learned: bool) -> CSR:
        """A row that has not the last one's names, or not only numbers."""
        names, values = tuple(given), tuple(given.values())
        again = names == self._given[0]
        if again and values == self._given[1] and (self._is_whole or not learned):
            return self._row
        self._given = (), None  # until all has gone well
        self._size, self._values = -1, None
        if self._write(names, values):
            order = self._place(names, learned)
            if again and self._is_whole:  # it may be the same names from now on
                self._size, self._pack = len(names), _doubles(len(names))
                self._pick = _picker(tuple(names[i] for i in order))
        else:
            numbers = flattened(given)
            self._write(tuple(numbers), tuple(numbers.values()))
            self._place(tuple(numbers), learned)
        self._given = names, values
        return self._row

    def _write(self, names: Names, values: tuple[Any, ...]) -> bool:
        """Write the values; whether they are numbers, all."""
        if len(values) > len(self._data):
            self._make_room(doubled(len(self._data), len(values)))
        try:
            _doubles(len(values))(self._data, 0, *values)
        except _UNPACKABLE:
            return False
        if not self._are_finite(self._data, len(values)):
            raise ValueError(_not_finite(names, self._data[: len(values)]))
        return True

    def _place(self, names: Names, learned: bool) -> Array:
        """Bring the values into the order of the names' numbers, in which the loops' sums run."""
        found = np.array(self._found(names, learned), np.int64)
        lacking = int(np.count_nonzero(found < 0))
        order = found.argsort()[lacking:]
        self._is_whole = not lacking
        if learned:
            self.ignored += lacking
        self._data[: len(order)] = self._data.take(order)
        self._indices[: len(order)] = found.take(order)
        self._ends[1] = len(order)
        return order

    def _found(self, names: Iterable[Hashable], learned: bool) -> list[int]:
        """The number of every name, −1 where it has none."""
        numbers = self.numbers
        try:
            return [*map(numbers.__getitem__, names)]
        except KeyError:
            if learned:
                for name in names:
                    if name not in numbers and (self.limit is None or len(numbers) < self.limit):
                        numbers[name] = len(numbers)
            return [numbers.get(name, -1) for name in names]

    # --- many rows -------------------------------------------------------------------------------

    def rows(self, batch: Iterable[Features], *, learned: bool) -> tuple[Array, Array, Array]:
        """Many rows: the data, indices and indptr of a CSR matrix, each row in its own order.

        Parameters, errors
            As for :meth:`row`; an error names the row, counted from 0.

        Examples
        --------
        >>> Encoder(limit=None).rows([{"a": 1.0, "b": 2.0}, {"c": 3.0}], learned=True)
        (array([1., 2., 3.]), array([0, 1, 2], dtype=int32), array([0, 2, 3]))
        """
        given = _each(as_dict, batch)
        try:
            names, data = _packed(given)
        except _UNPACKABLE:
            given = _each(flattened, given)
            names, data = _packed(given)
        ends = np.append(0, np.cumsum([*map(len, given)], dtype=np.int64))
        if not np.isfinite(data).all():
            i = int(np.searchsorted(ends, np.argmin(np.isfinite(data)), "right")) - 1
            raise ValueError(f"row {i}: {_not_finite(*_packed(given[i : i + 1]))}")
        found = np.array(self._found(names, learned), np.int32)
        indices = found if len(found) == len(data) else np.tile(found, len(given))
        known = indices >= 0
        if known.all():
            return data, indices, ends
        if learned:
            self.ignored += len(known) - int(np.count_nonzero(known))
        return data[known], indices[known], np.append(0, np.cumsum(known))[ends]


def _each(made: Callable[[Any], dict[Hashable, Any]], rows: Iterable[Any]) -> list[Any]:
    """What is made of every row; an error names it."""
    results: list[Any] = []
    try:
        results.extend(map(made, rows))
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {len(results)}: {error}") from None
    return results


def _packed(given: list[dict[Hashable, Any]]) -> tuple[Names, Array]:
    """The names and values of all rows in turn; names that they have in common only once.

    Numbers and bools are values, and nothing else: to NumPy the text "1" is a number, too.
    """
    if len(set(map(len, given))) == 1:
        names = tuple(given[0])
        pick, pack = _picker(names), struct.Struct(f"{len(names)}d").pack
        try:
            return names, np.frombuffer(b"".join([pack(*pick(row)) for row in given]))
        except KeyError:
            pass
    values = [struct.pack(f"{len(row)}d", *row.values()) for row in given]
    return tuple(chain.from_iterable(given)), np.frombuffer(b"".join(values))


def _picker(names: Names) -> Callable[[dict[Hashable, Any]], tuple[Any, ...]]:
    """What takes the values of these names."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


def _not_finite(names: Names, values: Array) -> str:
    place = int(np.argmin(np.isfinite(values)))
    return (
        f"feature {names[place]!r} is {values[place]}: use finite numbers, and None for what is "
        "absent."
    )


@lru_cache(1024)
def _doubles(n: int) -> Callable[..., None]:
    return struct.Struct(f"{n}d").pack_into
