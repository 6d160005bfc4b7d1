"""CSV and TSV text with a header line as a stream of batches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.delimited import Layout, Parsed, make_layout, parse
from rosenblatt.streams.core.bad_rows import BadRow
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import DELIMITERS
from rosenblatt.streams.core.options import DATE_KINDS, WORD_KINDS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.dates import date_fault, parse_date
from rosenblatt.streams.features.encoding import TableEncoder, year_columns
from rosenblatt.streams.features.inference import Inference
from rosenblatt.streams.features.labels import (
    EXPECTED_WEIGHT,
    LabelReader,
    ids_or_none,
    weights_or_none,
)
from rosenblatt.streams.features.partitions import Partition
from rosenblatt.streams.features.remarks import (
    QUOTES_ARE_CHARACTERS,
    remark_on_header,
    remark_on_labels,
)
from rosenblatt.streams.features.schema import columns_of_kind, resolve_kinds, separator_hint
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.streams.formats.records import (
    BLANKS,
    Header,
    has_numbered_names,
    has_quoted_cells,
    read_header,
    record_chunks,
    with_tabs,
)
from rosenblatt.streams.io.files import Text, preloaded
from rosenblatt.streams.io.lines import LineBlock
from rosenblatt.streams.io.parsing import ParsedChunk, line_of_row, parse_ahead
from rosenblatt.utils.long_numbers import NONE, LongNumbers

_DECIMAL_COMMA = re.compile(rb"(?m)(?:^|;)[+-]?\d+,\d+(?:;|\r?$)")
_WITH_COMMAS = (
    " If ';' separates the columns, and numbers have decimal commas: --separator ';' --decimal ,."
)


class TableStream(Stream):
    r"""Rows of a table: one column of labels, and columns of numbers, categories and texts.

    The first line names the columns. Blank lines, and blanks around names and cells, are ignored.
    Rows of numbers alone are dense; with a category, a text or ``bits`` they are sparse: see
    :class:`rosenblatt.streams.features.encoding.TableEncoder`. Kinds of columns that ``schema``
    does not fix are inferred from the first rows: see
    :func:`rosenblatt.streams.features.schema.infer_kind`. For the type of the labels see
    :class:`rosenblatt.streams.features.labels.LabelReader`.

    Parameters
    ----------
    text : Text
        Its format is "csv", "tsv", or one whose first lines a reader has understood. Of its
        options, ``target`` is the column of labels; None: the first of ``target``, ``label``,
        ``class``, ``y`` that names a column, in upper or lower case, else the last column. Without
        ``labelled``, rows have no labels, and the column ``target`` is skipped if present.
        ``separator`` stands between the cells (a blank: any number of them), ``decimal`` before
        the decimals of numbers. With ``header=False`` or ``column_names``, the first line is a row.
        ``quotes`` says whether cells may be in quotes. ``impute`` fills in missing
        numbers (:class:`rosenblatt.streams.core.missing.Imputer`). ``schema`` has kinds of columns.
        Names are hashed to 2^bits columns; texts always, by default to 2^18. If names are hashed,
        so are ``interactions``, and ``names`` records both.

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
    >>> from rosenblatt.streams.io.files import Pipe
    >>> source = Pipe("demo", iter([b"height,bark,kind\n1.5,rough,oak\n2,,elm\n"]), 99)
    >>> stream = TableStream(Text("csv", source, source.head(), ReadOptions()))
    >>> [(batch.X.toarray().tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5, 1.0], [2.0, 0.0]], ['oak', 'elm'])]
    >>> stream.feature_names
    ['height', 'bark=rough']
    """

    has_declared_columns = False  # with their kinds, before the rows

    def __init__(self, text: Text) -> None:
        format, source, head, options, vocabulary = text
        super().__init__(source.name, format, options.on_bad_row)
        self.labelled, self.separator = options.labelled, options.separator
        self._source, self._written = source, options.written
        self.decimal, self.quotes = options.decimal, options.quotes
        self._delimiter = cell_separator(format, options)
        if self.separator == BLANKS:
            head = head._replace(text=with_tabs(head.text))
        self._quoted = options.quotes is not False
        if options.quotes is None and format == "tsv" and b'"' in head.text:
            self._quoted = has_quoted_cells(head, self._delimiter)
            self.quotes = None if self._quoted else False
        self._header = header = self._read_header(head, options)
        if not options.has_header:
            self.header, self.column_names = False, tuple(header.names)
        self.imputer = options.new_imputer()
        self._missing = () if self.imputer is None else self.imputer.spellings
        self.partitions = options.partitions
        options = options._replace(imputer=self.imputer)
        self._partition = Partition.of(self.name, options, header.names)
        names = [*self._partition.added, *header.names]
        if options.labelled and len(names) == 1:
            first = header.rows[0] if header.rows and not options.has_header else header.names
            problem = "found a single column, expected features and a label."
            hint = separator_hint(first[0])
            if "';'" in hint and _DECIMAL_COMMA.search(head.text):
                hint = _WITH_COMMAS
            raise DataError(self.name, problem + hint, header.line)
        cells = dict(zip(header.names, zip(*header.rows, strict=True), strict=False))
        inference = Inference(options, self._missing)
        self.kinds = resolve_kinds(
            self.name,
            header.line,
            names,
            options,
            lambda name: (
                self._partition.kinds[name]
                if name in self._partition.added
                else self._kind_of(name, cells.get(name, ()), inference)
            ),
        )
        self.kinds, text_remark = inference.decide(self.kinds, cells)
        self.vocabulary = vocabulary or Vocabulary()
        self._encoder = TableEncoder(self, self.kinds, options, self.vocabulary)
        doubts = self._doubts(cells, options, text_remark)
        self.remarks = (*doubts, *inference.remarks(self.kinds))

    def _read_header(self, head: LineBlock, options: ReadOptions) -> Header:
        """Read the header; a fault before its end is an error under every policy for bad rows."""
        bad = [self._bad.bad_row(line, head.first_line) for line in head.bad]
        try:
            header = read_header(self.name, head, self._delimiter, options, self._quoted)
        except DataError as error:
            raise (bad[0].error if bad else error) from None
        if bad and bad[0].number <= header.lines:
            raise bad[0].error
        return header

    def _kind_of(self, name: str, cells: tuple[str, ...], inference: Inference) -> str:
        """Return the kind of a column that no option decides."""
        return inference.kind_of(name, cells)

    def _doubts(
        self, cells: dict[str, Any], options: ReadOptions, text_remark: str | None
    ) -> list[str]:
        """Return doubts on how quotes, texts, header and labels are read."""
        schema = options.schema or {}
        reads_quotes = self._quoted or options.quotes is not None
        doubts = [None if reads_quotes else QUOTES_ARE_CHARACTERS, text_remark]
        if options.has_header and cells and not self.has_declared_columns:
            doubts.append(remark_on_header(cells, self._missing))
        has_target = options.target is not None or "label" in schema.values()
        if self.labelled and cells and self.target is not None and not has_target:
            doubts.append(remark_on_labels(self.target, cells, self._missing))
        return [doubt for doubt in doubts if doubt]

    def __iter__(self) -> Iterator[Batch]:
        numbers = columns_of_kind(self.kinds, "number")
        numbers += columns_of_kind(self.kinds, "weight") if self.labelled else []
        words = columns_of_kind(self.kinds, *WORD_KINDS, "id")
        target, added = self.target if self.labelled else None, self._partition.added
        words += [] if target is None else [target]
        layout = make_layout(
            self._header.names,
            [name for name in numbers if name not in added],
            [name for name in words if name not in added],
            None if target in added else target,
            self._delimiter,
            self._missing,
            decimal_comma=self.decimal == ",",
            quoted=self._quoted,
        )._replace(written=self._written)
        layout = layout._replace(origin=self._origin())
        self._begin()
        labels = LabelReader(self.name, str(target), self._missing)

        def read(text: bytes) -> Parsed:
            return self._partition.complete(self._parse(text, layout), numbers, words)

        lines = max(0, self._header.lines - self._source.lines_before)
        texts: Iterator[bytes] = (load() for load in self._source.chunks())
        if self.separator == BLANKS:
            texts = map(with_tabs, texts)
        has_quotes = self._quoted and not self.has_declared_columns  # around ends of lines
        chunks = record_chunks(self.name, texts, lines, self._delimiter, has_quotes)
        first_row = 0
        for chunk in parse_ahead(self._source, read, self._bad, chunks):
            self._partition.check(chunk.parsed, numbers, words)
            if problems := self._problems(chunk.parsed, labels, words):
                good, bad = self._without_bad_rows(chunk, problems)
                chunk = ParsedChunk(read(good), preloaded(good), chunk.first_line)
                self._bad.defer(bad)
            self._line_of, parsed = partial(line_of_row, chunk), chunk.parsed
            if len(parsed.labels):
                categories = dict(zip(words, parsed.words, strict=True))
                yield self._batch(parsed, categories, labels, first_row)
                first_row += len(parsed.labels)
        self._bad.end(first_row, "no rows: found a header only.")

    def _parse(self, text: bytes, layout: Layout) -> Parsed:
        """Parse whole records."""
        return parse(text, layout)

    def _origin(self) -> str:
        """Return the origin of the number of columns, for messages."""
        return "of the header" if self.header is None else _origin_of_columns(self.column_names)

    def _batch(
        self,
        parsed: Parsed,
        categories: dict[str, CategoryColumn],
        labels: LabelReader,
        first_row: int,
    ) -> Batch:
        y = weight = ids = None
        long = self._long(parsed) if parsed.long else NONE
        numbers = parsed.numbers
        if self.labelled and self.target is not None:
            codes, words = categories[self.target]
            y = labels.decode(words, codes)
        if self.labelled and self.weight_column is not None:  # the last column of numbers
            weight = weights_or_none(numbers[:, -1].copy())
            numbers = np.ascontiguousarray(numbers[:, :-1])
        if self.id_column is not None:
            codes, words = categories[self.id_column]
            ids = ids_or_none([words[code] for code in codes.tolist()])
        X = self._encoder.rows(numbers, categories, first_row)
        computed = self.bits is not None or bool(year_columns(self.kinds))
        return Batch(X, y, first_row, weight, ids, long, computed=computed)

    def _long(self, parsed: Parsed) -> LongNumbers:
        """Return the features that their float does not tell, in the columns of the rows."""
        names, long = columns_of_kind(self.kinds, "number"), parsed.long
        kept = long.columns < len(names)  # a weight is the last number
        if self.imputer is not None:  # a spelling of a missing cell may be a number
            kept &= ~self.imputer.is_missing(parsed.numbers[long.rows, long.columns])
        columns = np.arange(len(names) + 1)
        if self.sparse and self.bits is None:
            columns = np.array([*map(self.vocabulary.column_of, names), 0])
        chosen = long._replace(columns=columns[long.columns])
        return LongNumbers(*(array[kept] for array in chosen))

    def _problems(self, parsed: Parsed, labels: LabelReader, words: list[str]) -> dict[int, str]:
        """Return the rows with an invalid date, label or weight, and the problem of each."""
        problems: dict[int, str] = {}
        columns = dict(zip(words, parsed.words, strict=True))
        for name in columns_of_kind(self.kinds, *DATE_KINDS):
            problems |= _problems_of_rows(columns[name], partial(self._date_problem, name))
        if self.labelled and self.target is not None:
            problems |= _problems_of_rows(parsed.words[-1], labels.problem)
        if self.labelled and self.weight_column is not None:
            weights = parsed.numbers[:, -1]
            for row in np.flatnonzero(~(weights >= 0.0)).tolist():
                word = "nothing" if np.isnan(weights[row]) else f"{weights[row]:g}"
                problems[row] = f"column {self.weight_column!r}: found {word}, {EXPECTED_WEIGHT}"
        return problems

    def _date_problem(self, name: str, word: str) -> str | None:
        kind = self.kinds[name]
        is_fine = word in self._missing or parse_date(word, kind) is not None
        return None if is_fine else date_fault(name, word, kind)

    def _without_bad_rows(
        self, chunk: ParsedChunk[Parsed], problems: dict[int, str]
    ) -> tuple[bytes, list[BadRow]]:
        """Return the text with the bad rows blanked, and these rows.

        If bad rows are not skipped, the text ends before the first.
        """
        text, line = chunk.load(), chunk.first_line
        ends = [*chunk.parsed.starts[1:].tolist(), len(text)]
        pieces, bad, position = [], [], 0
        for row in sorted(problems):
            start, end = int(chunk.parsed.starts[row]), ends[row]
            line += text.count(b"\n", position, start)
            record = text[start:end].removesuffix(b"\n").removesuffix(b"\r")
            error = DataError(self.name, problems[row], line)
            bad.append(BadRow(error, record.decode(errors="surrogateescape"), line))
            if not self._bad.skips:
                return text[:start], bad
            lines = text.count(b"\n", start, end)
            pieces += [text[position:start], b"\n" * lines]
            line, position = line + lines, end
        return b"".join([*pieces, text[position:]]), bad


def _problems_of_rows(
    column: CategoryColumn, problem_of: Callable[[str], str | None]
) -> dict[int, str]:
    """Return the rows whose words have a problem, and the problem of each."""
    problems = {
        code: problem
        for code, word in enumerate(column.words)
        if (problem := problem_of(word)) is not None
    }
    if not problems:
        return {}
    codes = column.codes.tolist()
    return {row: problems[code] for row, code in enumerate(codes) if code in problems}


def _origin_of_columns(names: tuple[str, ...]) -> str:
    """Return the origin of the columns of a table without a header line, for messages.

    Examples
    --------
    >>> _origin_of_columns(("a", "b"))
    'of --names: complete the row, or name the columns of this data with --names'
    """
    if has_numbered_names(names):
        columns = f"columns c1 to {names[-1]} of --no-header"
        return f"{columns}: complete the row, or leave it out with --on-bad-row skip"
    return "of --names: complete the row, or name the columns of this data with --names"


def cell_separator(format: str, options: ReadOptions) -> str:
    """Return the separator of the columns; with decimal commas it is a semicolon by default."""
    semicolon = format == "csv" and options.decimal == ","
    if options.separator == BLANKS:
        return DELIMITERS["tsv"]
    delimiter = options.separator or (";" if semicolon else DELIMITERS.get(format, ","))
    if delimiter == options.decimal:
        raise ValueError(f"decimal must be no separator of the columns; got {delimiter!r}.")
    return delimiter
