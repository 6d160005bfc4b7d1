"""Numbers, categories and texts side by side become sparse rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.base import Stream
from rosenblatt.streams.grams import DEFAULT, Grams
from rosenblatt.streams.holding import csr
from rosenblatt.streams.jsonlines import Vocabulary
from rosenblatt.streams.schema import of_kind
from rosenblatt.streams.settings import BITS, Settings

if TYPE_CHECKING:
    from rosenblatt.coding import Coded
    from rosenblatt.hashing import Entries


def understood(
    stream: Stream, kinds: dict[str, str], settings: Settings, vocabulary: Vocabulary
) -> MixedRows | None:
    """Settle on a stream what the columns of its table hold, and how their names are hashed.

    Parameters
    ----------
    stream : Stream
        Its attributes are set, ``schema`` and ``feature_names`` among them.
    kinds : dict
        All columns with their kinds.
    settings : Settings
        Names are hashed to 2^bits columns; where there are texts always, 18 bits by default.
    vocabulary : Vocabulary
        As in :class:`MixedRows`.

    Returns
    -------
    MixedRows or None
        None where rows are dense: all features are numbers, and no names are hashed.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> mixed = understood(stream, {"body": "text", "y": "label"}, Settings(), Vocabulary())
    >>> stream.sparse, stream.bits, stream.text, stream.schema, stream.target
    (True, 18, ('word:1-2',), {'body': 'text'}, 'y')
    """
    texts = of_kind(kinds, "text")
    told = settings.schema or {}
    stream.schema = {name: kind for name, kind in kinds.items() if kind != "label"}
    stream.left_out = tuple(name for name in of_kind(kinds, "skip") if name not in told)
    stream.target, stream.weight_column, stream.id_column = (
        next(iter(of_kind(kinds, kind)), None) for kind in ("label", "weight", "id")
    )
    stream.text = (settings.text or DEFAULT) if texts else ()
    stream.bits = BITS if settings.bits is None and texts else settings.bits
    stream.sparse = stream.bits is not None or bool(texts or of_kind(kinds, "category"))
    if not stream.sparse:
        stream.feature_names = of_kind(kinds, "number")
        return None
    stream.feature_names = vocabulary.names if stream.bits is None else None
    return MixedRows(kinds, stream.bits, stream.text, vocabulary)


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
    bits : int or None
        Names are hashed to 2^bits columns; None: they are not, and no column holds texts.
    text : tuple of str
        The n-grams of texts.
    vocabulary : Vocabulary
        The names known before; it grows, where they are not hashed.

    Examples
    --------
    >>> from rosenblatt.coding import Coded
    >>> vocabulary = Vocabulary()
    >>> mixed = MixedRows({"x": "number", "colour": "category"}, None, (), vocabulary)
    >>> colours = Coded(np.array([0, 1, 2], np.int32), ["red", "", "blue"])
    >>> mixed.rows(np.array([[0.5], [2.0], [0.0]]), {"colour": colours}).toarray().tolist()
    [[0.5, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> vocabulary.names
    ['x', 'colour=red', 'colour=blue']
    """

    def __init__(
        self, kinds: dict[str, str], bits: int | None, text: tuple[str, ...], vocabulary: Vocabulary
    ) -> None:
        self._bits, self._vocabulary = bits, vocabulary
        self._categories = of_kind(kinds, "category")
        self._texts = of_kind(kinds, "text")
        self._numbers = self._places(of_kind(kinds, "number"))
        self._grams = Grams(text, bits) if bits is not None and self._texts else None

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
        if self._grams is None:
            return X
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
