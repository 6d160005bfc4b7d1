"""Numbers, categories and texts side by side become sparse rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.holding import csr
from rosenblatt.streams.jsonlines import Vocabulary
from rosenblatt.streams.schema import of_kind
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.wabbit import BITS

if TYPE_CHECKING:
    from rosenblatt.coding import Coded


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
        count, width = numbers.shape
        places = np.empty((count, width + len(self._categories)), np.int32)
        values = np.empty(places.shape)
        places[:, :width], values[:, :width] = self._numbers, numbers
        for j, name in enumerate(self._categories, width):
            codes, found = words[name]
            there = [word != "" for word in found]
            names = [f"{name}={word}" for word in found if word]
            known = np.zeros(len(found), np.int32)
            known[there] = self._places(names)
            places[:, j], values[:, j] = known[codes], np.array(there, np.float64)[codes]
        X = self._in_order(places, values)
        for name in self._texts:
            codes, found = words[name]
            X = X + self._grams.rows(found)[codes]
        return X

    def _places(self, names: list[str]) -> NDArray[np.int32]:
        """The columns of names; hashed, their hashes."""
        if self._bits is None:
            return np.array([self._vocabulary.place(name) for name in names], np.int32)
        from rosenblatt.hashing import murmur3

        return np.array([murmur3(name.encode()) for name in names], np.int32)

    def _in_order(self, places: NDArray[np.int32], values: NDArray[np.float64]) -> Any:
        """The rows with what is not zero, in the order of the columns."""
        from rosenblatt.hashing import Entries, in_order

        there = values != 0.0
        indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        columns, data, width = places[there], values[there], len(self._vocabulary.names)
        if self._bits is not None:
            width = 1 << self._bits
            data[columns < 0] *= -1.0
            columns = np.abs(columns) & np.int32(width - 1)
        bits = max(1, (width - 1).bit_length())
        columns, data, indptr = in_order(Entries(columns, data, indptr), bits)
        return csr(data, columns, indptr, width)
