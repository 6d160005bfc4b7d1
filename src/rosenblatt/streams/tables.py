"""CSV and TSV text with a header line as a stream of batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.streams.badrows import BadRow
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.beside import A_WEIGHT, ids_of, weights_of
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.jsonlines import Vocabulary
from rosenblatt.streams.labels import Labels
from rosenblatt.streams.lines import Block
from rosenblatt.streams.mixed import understood
from rosenblatt.streams.parsing import Part, parts
from rosenblatt.streams.records import DELIMITERS, Header, Records, read_header
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
        18 bits where they are not told. Where they are hashed, ``interactions`` are crossed and
        ``names`` takes them, too.
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
        super().__init__(source.name, format, settings.on_bad_row)
        self.labelled = settings.labelled
        delimiter = DELIMITERS[format]
        header = self._read_header(head, delimiter)
        cells = dict(zip(header.names, zip(*header.rows, strict=True), strict=False))
        self.kinds = settled(
            self.name,
            header.line,
            header.names,
            settings,
            lambda name: inferred(cells.get(name, ())),
        )
        self.vocabulary = vocabulary
        self._mixed = understood(self, self.kinds, settings, vocabulary)
        self._header, self._delimiter = header, delimiter
        self._records = Records(source, header.lines, delimiter)

    def _read_header(self, head: Block, delimiter: str) -> Header:
        """The names of the columns; without them no row can be read, whatever is left out."""
        bad = [self._bad.of(line, head.first_line) for line in head.bad]
        try:
            header = read_header(self.name, head, delimiter)
        except DataError as error:
            raise (bad[0].error if bad else error) from None
        if bad and bad[0].number <= header.line:
            raise bad[0].error
        return header

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.csvtext import layout_of, parse

        numbers = of_kind(self.kinds, "number")
        numbers += of_kind(self.kinds, "weight") if self.labelled else []
        words = of_kind(self.kinds, "category", "text", "id")
        target = self.target if self.labelled else None
        words += [] if target is None else [target]
        layout = layout_of(self._header.names, numbers, words, target, self._delimiter)
        labels = Labels(self.name, str(target))
        read = partial(parse, layout=layout)
        first_row = 0
        nothing = "no rows: found a header only."
        for part in parts(self._records, read, self._bad, nothing):
            faults = self._faults(part, labels)
            parsed = read(self._without(part, sorted(faults))) if faults else part.parsed
            for bad in faults.values():
                self._bad.wait(bad)
            if len(parsed.labels):
                coded = dict(zip(words, parsed.words, strict=True))
                yield self._batch(parsed.numbers, coded, labels, first_row)
                first_row += len(parsed.labels)
        self._bad.end(first_row, nothing)

    def _batch(
        self, numbers: Any, coded: dict[str, Coded], labels: Labels, first_row: int
    ) -> Batch:
        y = weight = ids = None
        if self.labelled and self.target is not None:
            codes, words = coded[self.target]
            y = labels.of(words, codes)
        if self.labelled and self.weight_column is not None:  # the last of the numbers
            weight = weights_of(numbers[:, -1].copy())
            numbers = np.ascontiguousarray(numbers[:, :-1])
        if self.id_column is not None:
            codes, words = coded[self.id_column]
            ids = ids_of([words[code] for code in codes.tolist()])
        X = numbers if self._mixed is None else self._mixed.rows(numbers, coded, first_row)
        return Batch(X, y, first_row, weight=weight, ids=ids)

    def _faults(self, part: Part[Parsed], labels: Labels) -> dict[int, BadRow]:
        """The rows whose label or weight is none."""
        faults: dict[int, str] = {}
        if self.labelled and self.target is not None:
            codes, words = part.parsed.words[-1]
            for place, word in enumerate(words):
                if (problem := labels.problem(word)) is not None:
                    faults |= dict.fromkeys(np.flatnonzero(codes == place).tolist(), problem)
        if self.labelled and self.weight_column is not None:
            weights = part.parsed.numbers[:, -1]
            for row in np.flatnonzero(weights < 0.0).tolist():
                faults[row] = f"column {self.weight_column!r}: found {weights[row]:g}, {A_WEIGHT}"
        return {row: self._bad_row(part, row, problem) for row, problem in faults.items()}

    def _bad_row(self, part: Part[Parsed], row: int, problem: str) -> BadRow:
        begin, end = _span(part, row)
        line = part.first_line + part.text().count(b"\n", 0, begin)
        text = part.text()[begin:end].removesuffix(b"\n").removesuffix(b"\r")
        error = DataError(self.name, line, None, problem)
        return BadRow(error, text.decode(errors="surrogateescape"), line)

    def _without(self, part: Part[Parsed], rows: list[int]) -> bytes:
        """The text with blank lines for some rows; or the one before the first, if none is left."""
        text, place = part.text(), 0
        if not self._bad.skips:
            return text[: _span(part, rows[0])[0]]
        pieces = []
        for row in rows:
            begin, end = _span(part, row)
            pieces += [text[place:begin], b"\n" * text.count(b"\n", begin, end)]
            place = end
        return b"".join([*pieces, text[place:]])


def _span(part: Part[Parsed], row: int) -> tuple[int, int]:
    """Where a record begins in its text, and where the next one does."""
    starts = part.parsed.starts
    end = int(starts[row + 1]) if row + 1 < len(starts) else len(part.text())
    return int(starts[row]), end
