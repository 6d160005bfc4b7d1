"""CSV and TSV text with a header line as a stream of batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.jsonlines import Vocabulary
from rosenblatt.streams.labels import Labels
from rosenblatt.streams.lines import Block
from rosenblatt.streams.mixed import MixedRows, bits_of, is_sparse
from rosenblatt.streams.parsing import Part, parts
from rosenblatt.streams.records import DELIMITERS, Records, read_header
from rosenblatt.streams.schema import inferred, of_kind, settled
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.sources import Source

if TYPE_CHECKING:
    from rosenblatt.coding import Coded
    from rosenblatt.csvtext import Parsed


class TableStream(Stream):
    r"""Rows of a table: one column with labels, and columns of numbers, categories and texts.

    The first line names the columns. Blank lines, and blanks around names and cells, do not count.
    Rows of numbers are dense; with a category or a text among them, or with ``bits``, they are
    sparse: see :class:`rosenblatt.streams.mixed.MixedRows`. What the kind of a column is, where
    ``schema`` does not tell, the first rows do: see :func:`rosenblatt.streams.schema.inferred`. For
    the kind of the labels see :class:`rosenblatt.streams.labels.Labels`.

    Parameters
    ----------
    source : File or Pipe
    format : str
        "csv" or "tsv".
    head : Block
        The first lines of the source.
    settings : Settings
        ``target`` is the column with the labels; None: the first of ``target``, ``label``,
        ``class``, ``y`` that names a column, in any case of letters, else the last column. Not
        ``labelled``: the rows have no labels, and the column ``target`` is left out where there is
        one. ``schema`` has kinds of columns. Names are hashed to 2^bits columns; texts always,
        18 bits where they are not told.
    vocabulary : Vocabulary
        The names of columns known before, where rows are sparse and names are not hashed.

    Attributes
    ----------
    kinds : dict
        All columns with their kinds.

    Raises
    ------
    DataError
        The header has unnamed or repeated columns, or numbers, or no column ``target``.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> text = b"height,bark,kind\n1.5,rough,oak\n2,,elm\n"
    >>> source = Pipe("demo", iter([text]), 99)
    >>> stream = TableStream(source, "csv", source.head(), Settings(), Vocabulary())
    >>> [(batch.X.toarray().tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5, 1.0], [2.0, 0.0]], ['oak', 'elm'])]
    >>> stream.feature_names
    ['height', 'bark=rough']
    """

    def __init__(
        self,
        source: Source,
        format: str,
        head: Block,
        settings: Settings,
        vocabulary: Vocabulary,
    ) -> None:
        super().__init__(source.name, format)
        self.labelled = settings.labelled
        delimiter = DELIMITERS[format]
        header = read_header(self.name, head, delimiter)
        cells = dict(zip(header.names, zip(*header.rows, strict=True), strict=False))
        self.kinds = settled(
            self.name,
            header.line,
            header.names,
            settings,
            lambda name: inferred(cells.get(name, ())),
        )
        self.schema = {name: kind for name, kind in self.kinds.items() if kind != "label"}
        told = settings.schema or {}
        self.left_out = tuple(name for name in of_kind(self.kinds, "skip") if name not in told)
        self.target = next(iter(of_kind(self.kinds, "label")), None)
        self.vocabulary = vocabulary
        self.sparse, self.bits = is_sparse(self.kinds, settings), bits_of(self.kinds, settings)
        self.feature_names = None if self.bits is not None else of_kind(self.kinds, "number")
        self._mixed: MixedRows | None = None
        if self.sparse:
            self._mixed = MixedRows(self.kinds, settings, vocabulary)
            self.feature_names = None if self.bits is not None else vocabulary.names
        self._header, self._delimiter = header, delimiter
        self._records = Records(source, header.lines, delimiter)

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.csvtext import layout_of, parse

        numbers = of_kind(self.kinds, "number") + of_kind(self.kinds, "weight")
        words = of_kind(self.kinds, "category", "text", "id")
        target = self.target if self.labelled else None
        words += [] if target is None else [target]
        layout = layout_of(self._header.names, numbers, words, target, self._delimiter)
        labels = Labels(self.name, str(target))
        first_row = 0
        nothing = "no rows: found a header only."
        for part in parts(self._records, partial(parse, layout=layout), nothing):
            coded = dict(zip(words, part.parsed.words, strict=True))
            line_of = partial(_line_of, part)
            y = (
                None
                if target is None
                else labels.of(coded[target].words, part.parsed.labels, line_of)
            )
            X, weight = part.parsed.numbers, self._weight(part)
            X = X if weight is None else np.ascontiguousarray(X[:, :-1])
            if self._mixed is not None:
                X = self._mixed.rows(X, coded)
            yield Batch(X, y, first_row, weight, **self._ids(coded))
            first_row += len(part.parsed.labels)

    def _ids(self, coded: dict[str, Coded]) -> dict[str, Any]:
        """The ids of the rows, where batches have them."""
        column = of_kind(self.kinds, "id")
        if not column or "ids" not in Batch._fields:
            return {}
        codes, words = coded[column[0]]
        return {"ids": np.array(words)[codes]}

    def _weight(self, part: Part[Parsed]) -> Any:
        """The weights of the rows, which are the last of their numbers; None where none are."""
        column = of_kind(self.kinds, "weight")
        if not column:
            return None
        weight = part.parsed.numbers[:, -1].copy()
        if (weight < 0.0).any():
            row = int(np.argmax(weight < 0.0))
            problem = (
                f"column {column[0]!r}: found {weight[row]:g}, expected a weight of 0 or more."
            )
            raise DataError(self.name, _line_of(part, row), None, problem)
        return weight


def _line_of(part: Part[Parsed], row: int) -> int:
    return part.first_line + part.text().count(b"\n", 0, int(part.parsed.starts[row]))
