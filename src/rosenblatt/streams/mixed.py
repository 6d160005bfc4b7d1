"""Numbers, categories and texts side by side become sparse rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.holding import csr
from rosenblatt.streams.jsonlines import Vocabulary
from rosenblatt.streams.schema import of_kind
from rosenblatt.streams.settings import BITS, Settings

if TYPE_CHECKING:
    from rosenblatt.coding import Coded
    from rosenblatt.hashing import Entries


def is_sparse(kinds: dict[str, str], settings: Settings) -> bool:
    """Whether columns of these kinds become sparse rows: one is no number, or names are hashed.

    Examples
    --------
    >>> is_sparse({"x": "number", "kind": "label"}, Settings())
    False
    """
    return settings.bits is not None or bool(of_kind(kinds, "category", "text"))


def bits_of(kinds: dict[str, str], settings: Settings) -> int | None:
    """To how many bits names are hashed; None where they are not. Texts always are.

    Examples
    --------
    >>> bits_of({"body": "text"}, Settings()), bits_of({"colour": "category"}, Settings())
    (18, None)
    """
    return BITS if settings.bits is None and of_kind(kinds, "text") else settings.bits


class MixedRows:
    """Sparse rows of a table.

    A number is a feature of its column's name; a category is a feature ``column=value`` of value
    1; a text's n-grams are features. Zeros and empty cells are left out. Names get columns in the
    order of their first appearance; or, hashed, those that scikit-learn's ``FeatureHasher`` gives
    them.

    Parameters
    ----------
    kinds : dict
        Columns with their kinds.
    settings : Settings
    vocabulary : Vocabulary
        The names known before; it grows, where they are not hashed.

    Examples
    --------
    >>> from rosenblatt.coding import Coded
    >>> vocabulary = Vocabulary()
    >>> mixed = MixedRows({"x": "number", "colour": "category"}, Settings(), vocabulary)
    >>> colours = Coded(np.array([0, 1, 2], np.int32), ["red", "", "blue"])
    >>> mixed.rows(np.array([[0.5], [2.0], [0.0]]), {"colour": colours}).toarray().tolist()
    [[0.5, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> vocabulary.names
    ['x', 'colour=red', 'colour=blue']
    """

    def __init__(self, kinds: dict[str, str], settings: Settings, vocabulary: Vocabulary) -> None:
        self._bits = bits_of(kinds, settings)
        self._vocabulary = vocabulary
        self._categories = of_kind(kinds, "category")
        self._texts = of_kind(kinds, "text")
        self._numbers = self._places(of_kind(kinds, "number"))
        self._grams = self._reader(settings)

    def _reader(self, settings: Settings) -> Any:
        """What makes rows of texts."""
        if self._bits is None or not self._texts:
            return None
        from rosenblatt.streams.grams import DEFAULT, Grams

        return Grams(getattr(settings, "text", ()) or DEFAULT, self._bits)

    def rows(self, numbers: NDArray[np.float64], words: dict[str, Coded]) -> Any:
        """The rows of one batch.

        Parameters
        ----------
        numbers : float64 array of shape (rows, numbers)
        words : dict
            The categories and texts by their columns' names.

        Returns
        -------
        csr_array
        """
        from rosenblatt.coding import Places, side_by_side

        columns = [words[name] for name in self._categories]
        names = [self._names(name, words[name].words) for name in self._categories]
        every = list(chain.from_iterable(names))
        places = Places(
            self._numbers,
            self._places(every),
            np.array([name != "" for name in every], np.float64),
            np.cumsum([0, *map(len, names)])[:-1],
        )
        codes = np.array([codes for codes, _ in columns], np.int32).reshape(-1, len(numbers))
        X = self._in_order(side_by_side(numbers, codes, places))
        for name in self._texts:
            found = words[name]
            X = X + self._grams.rows(found.words)[found.codes]
        return X

    @staticmethod
    def _names(column: str, words: list[str]) -> list[str]:
        """The names of a column's features; none for an empty cell."""
        return [f"{column}={word}" if word else "" for word in words]

    def _places(self, names: list[str]) -> NDArray[np.int32]:
        """The columns of names; hashed, their hashes. Of no name it is any."""
        if self._bits is None:
            return np.array(
                [self._vocabulary.place(name) if name else 0 for name in names], np.int32
            )
        from rosenblatt.hashing import murmur3

        return np.array([murmur3(name.encode()) for name in names], np.int32)

    def _in_order(self, rows: Entries) -> Any:
        """The rows in the order of their columns."""
        from rosenblatt.hashing import in_order

        columns, data, indptr = rows
        width = len(self._vocabulary.names)
        if self._bits is not None:
            width = 1 << self._bits
            data[columns < 0] *= -1.0
            columns = np.abs(columns) & np.int32(width - 1)
        bits = max(1, (width - 1).bit_length())
        columns, data, indptr = in_order(rows._replace(columns=columns), bits)
        return csr(data, columns, indptr, width)
