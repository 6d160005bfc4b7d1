"""Encoding of named features as sparse rows; names are numbered in the order of first use."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from rosenblatt.engine.serving.examples import Block
from rosenblatt.engine.text.named_rows import Encoder
from rosenblatt.learning.online.features import Features, as_dict, one_hot
from rosenblatt.utils.arrays import Array

Row = dict[Hashable, Any]


class FeatureEncoder:
    """Vocabulary of feature names, and encoder of rows for the compiled loops.

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

    Examples
    --------
    >>> encoder = FeatureEncoder(limit=None)
    >>> row = encoder.row({"size": 3, "colour": "red"}, add_names=True)
    >>> [array.tolist() for array in row.arrays()]
    [[3.0, 1.0], [0, 1], [0, 2]]
    >>> encoder.vocabulary
    {'size': 0, 'colour=red': 1}
    """

    def __init__(self, limit: int | None, names: Iterable[Hashable] = (), ignored: int = 0) -> None:
        self.limit = limit
        self.vocabulary: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._rows = Encoder(self.vocabulary, limit, _as_numbers, ignored)
        self._text, self._words = "", as_dict("")  # the last text, as a dict

    def __reduce__(self) -> tuple[Any, ...]:  # without the row, which is written in place
        return FeatureEncoder, (self.limit, tuple(self.vocabulary), self.ignored)

    @property
    def ignored(self) -> int:
        """Number of values left out of learned rows."""
        return self._rows.ignored

    def row(self, features: Features, *, add_names: bool) -> Encoder:
        """Encode one row, which the next call overwrites.

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
        self._rows.encode(
            features if type(features) is dict else self._convert(features), add_names
        )
        return self._rows

    def row_of(self, block: Block, i: int, *, add_names: bool) -> Encoder:
        """Encode a row that the core has parsed, as :meth:`row` does."""
        self._rows.encode_row(block, i, add_names)
        return self._rows

    @property
    def latest(self) -> Encoder:
        """The row that was encoded last."""
        return self._rows

    def _convert(self, features: Features) -> Row:
        """Convert a mapping or a text; a text that is predicted and then learned is read once."""
        if type(features) is not str:
            return as_dict(features)
        if features is not self._text:
            self._words, self._text = as_dict(features), features
        return self._words

    def rows(self, batch: Iterable[Features], *, add_names: bool) -> tuple[Array, Array, Array]:
        """Encode many rows as data, indices and indptr of a CSR matrix.

        Parameters and errors as for :meth:`row`; an error names the row, counted from 0.

        Examples
        --------
        >>> rows = FeatureEncoder(limit=None).rows([{"a": 1, "b": 2}, {"c": 3}], add_names=True)
        >>> [array.tolist() for array in rows]
        [[1.0, 2.0, 3.0], [0, 1, 2], [0, 2, 3]]
        """
        return self._rows.encode_many(_map_rows(as_dict, batch), add_names)


def _as_numbers(row: Row, i: int | None) -> Row:
    """Convert strings, bools and None of row i of a list, or of a row alone."""
    return one_hot(row) if i is None else _map_rows(one_hot, [row], i)[0]


def _map_rows(convert: Callable[[Any], Row], rows: Iterable[Any], first: int = 0) -> list[Row]:
    """Convert every row; an error names the row, counted from ``first``."""
    results: list[Row] = []
    try:
        results.extend(map(convert, rows))
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {first + len(results)}: {error}") from None
    return results
