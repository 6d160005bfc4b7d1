"""Numbers, categories and texts side by side become sparse rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.batch import csr
from rosenblatt.streams.core.options import BITS, FEATURES, Settings
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.hashed import HashedRows
from rosenblatt.streams.features.ngrams import DEFAULT, Grams
from rosenblatt.streams.features.schema import of_kind

if TYPE_CHECKING:
    from rosenblatt.engine.text.categories import Coded
    from rosenblatt.engine.text.hashed_rows import Entries


class Vocabulary:
    """Names of columns, in the order in which they appear.

    Attributes
    ----------
    names : list of str

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> [vocabulary.place(name) for name in ("b", "a", "b")], vocabulary.names
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, name: str) -> int:
        """The column of a name, a new one where it has none.

        Raises
        ------
        ValueError
            The name is no text: it has half of a pair of surrogates.
        """
        place = self._places.get(name)
        if place is None:
            name.encode()
            place = self._places[name] = len(self.names)
            self.names.append(name)
        return place


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
    if stream.bits is not None:
        stream.interactions = settings.interactions
    how = settings._replace(bits=stream.bits, text=stream.text)
    return MixedRows(stream.name, kinds, how, vocabulary)


class MixedRows:
    """Sparse rows of a table.

    A number is a feature of its column's name; a category is a feature ``column=value`` of value
    1; a text's n-grams are features. Zeros and empty cells are left out. Names get columns in the
    order of their first appearance; or they are hashed, as
    :class:`rosenblatt.streams.features.hashed.HashedRows` tells.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    kinds : dict
        Columns with their kinds.
    settings : Settings
        With ``bits``, names are hashed to 2^bits columns; without, no column holds texts. ``text``
        are the n-grams of texts.
    vocabulary : Vocabulary
        The names known before; it grows, where they are not hashed.

    Examples
    --------
    >>> from rosenblatt.engine.text.categories import Coded
    >>> vocabulary = Vocabulary()
    >>> kinds = {"x": "number", "colour": "category"}
    >>> mixed = MixedRows("demo", kinds, Settings(), vocabulary)
    >>> colours = Coded(np.array([0, 1, 2], np.int32), ["red", "", "blue"])
    >>> mixed.rows(np.array([[0.5], [2.0], [0.0]]), {"colour": colours}, 0).toarray().tolist()
    [[0.5, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> vocabulary.names
    ['x', 'colour=red', 'colour=blue']
    """

    def __init__(
        self, source: str, kinds: dict[str, str], settings: Settings, vocabulary: Vocabulary
    ) -> None:
        self._vocabulary = vocabulary
        self._numbers, self._categories, self._texts = (of_kind(kinds, kind) for kind in FEATURES)
        self._hashed: HashedRows | None = None
        if settings.bits is not None:
            self._hashed = HashedRows(source, settings, settings.bits, self._texts)
            self._grams = Grams(settings.text if self._texts else (), settings.bits, settings.names)
        self._places(self._numbers, np.zeros(len(self._numbers)))  # they come first

    def rows(self, numbers: NDArray[np.float64], words: dict[str, Coded], first_row: int) -> Any:
        """The rows of one batch.

        Parameters
        ----------
        numbers : float64 array of shape (rows, numbers)
        words : dict
            The categories and texts by their columns' names.
        first_row : int
            The number of the first row, from 0, for error messages.

        Returns
        -------
        csr_array
        """
        from rosenblatt.engine.text.categories import Places, side_by_side

        columns = [words[name] for name in self._categories]
        cells = [_features(name, words[name].words) for name in self._categories]
        names = [*self._numbers, *chain.from_iterable(cells)]
        first = len(self._numbers)
        begins = [_first_rows(words[name]) for name in self._categories]
        place = self._places(names, np.concatenate([np.zeros(first, np.int64), *begins]))
        places = Places(
            place[:first],
            place[first:],
            np.array([name != "" for name in names[first:]], np.float64),
            np.cumsum([0, *map(len, cells)])[:-1],
        )
        codes = np.array([codes for codes, _ in columns], np.int32).reshape(-1, len(numbers))
        rows = side_by_side(numbers, codes, places)
        if self._hashed is None:
            return self._in_order(rows)
        X = self._hashed.rows(rows, names, first_row)
        for name in self._texts:
            found = words[name]
            X = X + self._grams.rows(found.words)[found.codes]
        return X

    def _places(self, names: list[str], rows: NDArray[Any]) -> NDArray[np.int32]:
        """The columns of names, of no name any; where they are hashed, each has its own as yet.

        New ones are in the order of the rows that have them first, however rows come in batches.
        """
        places = np.arange(len(names), dtype=np.int32)
        if self._hashed is None:
            for i in np.argsort(rows, kind="stable").tolist():
                places[i] = self._vocabulary.place(names[i]) if names[i] else 0
        return places

    def _in_order(self, rows: Entries) -> Any:
        """The rows in the order of their columns."""
        from rosenblatt.engine.text.hashed_rows import in_order

        width = len(self._vocabulary.names)
        columns, data, indptr = in_order(rows, max(1, (width - 1).bit_length()))
        return csr(data, columns, indptr, width)


def _first_rows(column: Coded) -> NDArray[np.int64]:
    """The row that has each word first."""
    codes, words = column
    rows = np.full(len(words), len(codes))
    rows[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal codes the last that is written stays
    return rows


def _features(column: str, words: list[str]) -> list[str]:
    """The names of a column's features; none for an empty cell."""
    return [f"{column}={word}" if word else "" for word in words]
