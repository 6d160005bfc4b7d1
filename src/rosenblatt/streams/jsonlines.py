"""JSON lines, an object a row, as a stream of sparse batches whose columns have names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.streams.badrows import BadRow
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.beside import column_of, ids_of, weights_of
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.holding import csr
from rosenblatt.streams.labels import Labels
from rosenblatt.streams.lines import Block, blocks
from rosenblatt.streams.names import TARGET_NAMES
from rosenblatt.streams.objects import Keys, Row, lines_of, object_of
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.sources import Source


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


def _no_rows(name: str) -> DataError:
    return DataError(name, None, None, "no rows.")


class JsonLinesStream(Stream):
    r"""Rows of JSON lines: an object a line, flattened, one of its keys the label.

    A number is a feature of its key's name, true is 1 and false 0; text is a feature ``key=text``
    of value 1; null is none. Objects within are flattened with dots, ``key.inner``; a list's
    entries are named by their place, ``key.0``, texts in it by themselves, ``key=text``, and
    counted. Columns are the names in order of their first appearance, so batches may widen. For
    the kind of the labels see :class:`rosenblatt.streams.labels.Labels`.

    Parameters
    ----------
    source : File or Pipe
    head : Block
        The first lines of the source.
    settings : Settings
        ``target`` is the key with the labels; None: the first of ``target``, ``label``, ``class``,
        ``y`` that is a key of the first object, in any case of letters. Not ``labelled``: the rows
        have no labels, and the key ``target`` is left out where there is one.
    vocabulary : Vocabulary
        The columns known before.

    Raises
    ------
    DataError
        The first line is no object, or has no key that could be the label.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> text = b'{"y": 1, "n": 2.5, "in": {"a": true}}\n{"y": 2, "n": 1, "kind": "oak"}\n'
    >>> source = Pipe("demo", iter([text]), 99)
    >>> stream = JsonLinesStream(source, source.head(), Settings(), Vocabulary())
    >>> [(batch.X.toarray().tolist(), batch.y.tolist()) for batch in stream]
    [([[2.5, 1.0, 0.0], [1.0, 0.0, 1.0]], [1, 2])]
    >>> stream.feature_names
    ['n', 'in.a', 'kind=oak']
    """

    sparse = True

    def __init__(
        self,
        source: Source,
        head: Block,
        settings: Settings,
        vocabulary: Vocabulary,
    ) -> None:
        super().__init__(source.name, "jsonl", settings.on_bad_row)
        self.labelled, target = settings.labelled, settings.target
        self.weight_column = column_of(settings, "weight")
        self.id_column = column_of(settings, "id")
        self.vocabulary = vocabulary
        self.feature_names = vocabulary.names
        self._source = source
        self.target = target if target is not None or not self.labelled else self._guessed(head)

    def _guessed(self, head: Block) -> str:
        line, row = self._first(head)
        keys = {key.lower(): key for key in reversed(row)}
        for name in TARGET_NAMES:
            if name in keys:
                return keys[name]
        problem = (
            f"found none of the keys {', '.join(TARGET_NAMES)}: set target to the label's key."
        )
        raise DataError(self.name, line, None, problem)

    def _first(self, head: Block) -> tuple[int, dict[str, Any]]:
        """The first object that can be read, and its line."""
        faults = [self._bad.of(bad, head.first_line).error for bad in head.bad]
        for line, text in lines_of(head):
            try:
                return line, object_of(self.name, line, text)
            except DataError as error:
                faults.append(error)
                if not self._bad.skips:
                    break
        raise min(faults, key=lambda fault: fault.line or 0, default=_no_rows(self.name))

    def __iter__(self) -> Iterator[Batch]:
        labels = Labels(self.name, str(self.target))
        keys = Keys(self.name, self.target, self.weight_column, self.id_column, (), self.labelled)
        self._bad.begin()
        first_row = 0
        for block in blocks(self.name, self._source.texts(), self._bad.skips):
            rows: list[Row] = []
            lines: list[int] = []
            faults = [self._bad.of(bad, block.first_line) for bad in block.bad]
            for line, text in lines_of(block):
                try:
                    row = keys.row(line, text)
                    if self.labelled:
                        labels.check(row.label, line)
                except DataError as error:  # told behind the rows before it
                    faults.append(BadRow(error, text, line))
                    if self._bad.skips:
                        continue
                    break
                rows.append(row)
                lines.append(line)
            if rows:
                y = labels.read([row.label for row in rows], lines) if self.labelled else None
                weight = weights_of(np.array([row.weight for row in rows]))
                ids = ids_of([row.id for row in rows])
                yield Batch(self._matrix(rows), y, first_row, weight=weight, ids=ids)
                first_row += len(rows)
            for fault in sorted(faults, key=lambda bad: bad.number):
                self._bad.leave_out(fault)
        self._bad.end(first_row)

    def _matrix(self, rows: list[Row]) -> Any:
        """The features of rows, their columns in the order in which names appear."""
        indices: list[int] = []
        values: list[float] = []
        starts = [0]
        for row in rows:
            entries = {self.vocabulary.place(name): x for name, x in row.features.items()}
            indices += (places := sorted(entries))
            values += [entries[place] for place in places]
            starts.append(len(indices))
        columns = np.array(indices, np.int32)
        width = len(self.vocabulary.names)
        return csr(np.array(values, np.float64), columns, np.array(starts), width)
