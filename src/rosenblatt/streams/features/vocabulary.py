"""Columns by name, in the order in which names appear."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from rosenblatt.engine.json.lines import Block
from rosenblatt.engine.text.named_rows import Encoder


class Vocabulary:
    """Columns by name, created in the order in which the names appear.

    Parameters
    ----------
    names : iterable of str, default none
        The first columns.

    Attributes
    ----------
    names : list of str

    Examples
    --------
    >>> vocabulary = Vocabulary(["b"])
    >>> [vocabulary.column_of(name) for name in ("b", "a", "b")], vocabulary.names
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._columns: dict[Any, int] = {}
        for name in names:
            self.column_of(name)

    def column_of(self, name: str) -> int:
        """Return the column of a name; create it if the name is new.

        Raises
        ------
        ValueError
            The name is not text: it has an unpaired surrogate.
        """
        column = self._columns.get(name)
        if column is None:
            name.encode()
            column = self._columns[name] = len(self.names)
            self.names.append(name)
        return column

    def shorten(self, size: int) -> None:
        """Forget all columns but the first ones."""
        for name in self.names[size:]:
            del self._columns[name]
        del self.names[size:]

    def entries_of(self, block: Block) -> tuple[Any, Any, Any]:
        """Return data, indices and indptr of rows that the core has parsed; add their names."""
        entries = Encoder(self._columns, None, lambda row, i: row, 0).encode_block(block)
        if len(self._columns) > len(self.names):
            new = islice(reversed(self._columns), len(self._columns) - len(self.names))
            self.names += reversed(list(new))
        return entries


class FixedVocabulary(Vocabulary):
    """Columns of another vocabulary, as they are: no name is added.

    Parameters
    ----------
    vocabulary : Vocabulary
        Its columns are shared, later ones, too.

    Examples
    --------
    >>> [FixedVocabulary(Vocabulary(["b", "a"])).column_of(name) for name in ("a", "c")]
    [1, -1]
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.names, self._columns = vocabulary.names, vocabulary._columns

    def column_of(self, name: str) -> int:
        """Return the column of a name; −1 for a new name."""
        return self._columns.get(name, -1)
