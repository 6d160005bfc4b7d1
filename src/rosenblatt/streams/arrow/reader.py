"""Parquet and Arrow files as a stream of batches, through pyarrow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.streams.arrow.columns import (
    ArrowLayout,
    has_sparse_rows,
    sparse_layout,
    table_layout,
)
from rosenblatt.streams.arrow.files import ColumnarFile, data_errors
from rosenblatt.streams.arrow.metadata import read_metadata
from rosenblatt.streams.arrow.partitions import added_types, with_partition
from rosenblatt.streams.core.bad_rows import BadRow
from rosenblatt.streams.core.batch import Batch, take_rows, with_width
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.core.options import FIRST_ROWS, MAX_SPARSE_COLUMNS
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.encoding import TableEncoder
from rosenblatt.streams.features.partitions import Partition
from rosenblatt.streams.features.schema import column_of_kind
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.streams.io.files import NamedFile
from rosenblatt.streams.io.prefetch import prefetch_map
from rosenblatt.utils.words import count


class ValidRows(NamedTuple):
    """Valid rows of a record batch, None if there are none; words; numbers; and the bad rows."""

    batch: Batch | None
    words: dict[str, CategoryColumn]
    numbers: Sequence[int]
    bad: list[BadRow]


def valid_rows(
    layout: ArrowLayout, batch: pa.RecordBatch, first_row: int, skips: bool
) -> ValidRows:
    """Read a record batch, and skip its bad rows if ``skips``.

    Parameters
    ----------
    layout : ArrowLayout
    batch : pyarrow.RecordBatch
        Not empty.
    first_row : int
        The number of its first row, from 0, for error messages.
    skips : bool

    Raises
    ------
    DataError
        As :meth:`rosenblatt.streams.arrow.columns.ArrowLayout.rows`, unless ``skips``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"x": [1.5, None], "y": [1, 2]})
    >>> layout = ArrowLayout("a.arrow", {"x": "number", "y": "label"}, True)
    >>> read = valid_rows(layout, batch, 0, True)
    >>> read.batch.X.tolist(), read.batch.y.tolist(), [bad.row for bad in read.bad]
    ([[1.5]], [1], ['{"x": null, "y": 2}'])
    """
    numbers = range(first_row, first_row + len(batch))
    try:
        return ValidRows(layout.rows(batch, first_row), layout.words(batch), numbers, [])
    except DataError:
        if not skips:
            raise
    errors = dict(_bad_rows(layout, batch, first_row))
    bad_rows = [
        BadRow(error, _row_as_json(batch, row - first_row), row) for row, error in errors.items()
    ]
    if len(errors) == len(batch):
        return ValidRows(None, {}, [], bad_rows)
    good = batch.filter(pa.array([row not in errors for row in numbers]))
    kept = [row for row in numbers if row not in errors]
    return ValidRows(layout.rows(good, first_row), layout.words(good), kept, bad_rows)


def _bad_rows(
    layout: ArrowLayout, batch: pa.RecordBatch, first_row: int
) -> Iterator[tuple[int, DataError]]:
    """Yield the numbers and errors of the bad rows, by bisection of the batch."""
    try:
        layout.rows(batch, first_row)
    except DataError as error:
        if len(batch) == 1:
            yield first_row, error
            return
        half = len(batch) // 2
        yield from _bad_rows(layout, batch.slice(0, half), first_row)
        yield from _bad_rows(layout, batch.slice(half), first_row + half)


def _row_as_json(batch: pa.RecordBatch, row: int) -> str:
    cells: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.slice(row, 1).columns, strict=True):
        try:
            cells[name] = column.to_pylist()[0]
        except (OverflowError, ValueError):  # a date outside the years of Python
            shown: str = column.to_string(skip_new_lines=True)
            cells[name] = shown.removeprefix("[").removesuffix("]")
    return json.dumps(cells, ensure_ascii=False, default=str)


_BATCHES_PER_READ = 4  # batches of Parquet decoded at a time, faster than one by one


class ArrowStream(Stream):
    """Rows of a Parquet file, or of an Arrow file or stream (IPC), which is memory-mapped.

    Record batches are validated in full before a row is read. A mapped file must not become shorter
    while its rows are in use: the operating system would end the process.

    Rows of a table equal those of the same table as CSV: see
    :class:`rosenblatt.streams.formats.delimited.TableStream`. Columns of numbers, decimals and
    booleans are numbers; columns of text, or dictionaries of words, are texts or categories, which
    is inferred from the first rows. Two columns of lists are sparse rows: ``indices``, the columns
    from 0, and ``values``; float64 values of an uncompressed Arrow file are not copied. Labels are
    numbers, text or a dictionary of either.

    Parameters
    ----------
    named : NamedFile
        Its format is "parquet" or "arrow". Of its options, ``target`` is the column of labels;
        None: the one in the metadata that ``rosenblatt convert`` writes; else the first of
        ``target``, ``label``, ``class``, ``y`` that names a column, in upper or lower case, else
        the last column. Without ``labelled``, rows have no labels, and the column ``target`` is
        skipped if present; beside sparse rows, any label is. Columns of the kinds ``weight`` and
        ``id``, in the schema or the metadata, have the sample weights and the ids. For sparse rows
        ``bits``, ``text``, ``interactions`` and ``schema`` must agree with the metadata. A batch
        has at most ``batch_bytes``.
    file : ColumnarFile
        The file, or its copy.

    Raises
    ------
    DataError
        The file has another format, or the type of a column does not
        suit its kind.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.streams import open_stream
    >>> from pyarrow import parquet
    >>> rows = pa.table({"a": [1.5, 2.0], "b": [True, False], "kind": ["oak", "elm"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parquet.write_table(rows, f"{folder}/trees.parquet")
    ...     stream = open_stream(f"{folder}/trees.parquet")
    ...     [(batch.X.tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5, 1.0], [2.0, 0.0]], ['oak', 'elm'])]
    """

    def __init__(self, named: NamedFile, file: ColumnarFile) -> None:
        format, name, options, vocabulary = named
        super().__init__(name, format, options.on_bad_row)
        self.labelled, self.vocabulary = options.labelled, vocabulary or Vocabulary()
        self._batch_bytes = options.batch_bytes
        self._file = file
        self._encoder: TableEncoder | None = None
        with data_errors(name, format):
            schema = _read_schema(file)
            metadata = read_metadata(schema.metadata)
            metadata.check_interactions(name, options)
            self.index_base, self.origin = (
                metadata.source.get(k) for k in ("index_base", "format")
            )
            self.interactions = tuple(metadata.source.get("interactions") or ())
            options = metadata.completed(options)
            self.imputer = options.new_imputer()
            options = options._replace(imputer=self.imputer)
            self.partitions = options.partitions
            self._partition = Partition.of(name, options, schema.names)
            for column, type in reversed(added_types(self._partition).items()):
                schema = schema.insert(0, pa.field(column, type))
            if has_sparse_rows(schema):
                self._layout = sparse_layout(name, schema, options)
                metadata.validate(name, options)
                metadata.apply_to(self)
                self.sparse = True
                self.target, self.weight_column, self.id_column = (
                    column_of_kind(self._layout.kinds, kind) for kind in ("label", "weight", "id")
                )
            else:
                products = metadata.products(schema.names)
                kinds = dict.fromkeys(products, "number") | (options.schema or {})
                options = options._replace(schema=kinds)
                self._layout = table_layout(
                    name, schema, options, self._first_rows, self._partition.kinds
                )
                self.remarks = self._layout.remarks
                self._encoder = TableEncoder(self, self._layout.kinds, options, self.vocabulary)
                self.schema = {k: v for k, v in (self.schema or {}).items() if k not in products}

    def __iter__(self) -> Iterator[Batch]:
        self._begin()
        first_row, width = 0, self._width()
        for batch, words, numbers, bad in self._read():
            if batch is None:
                self._bad.report_all(bad)
                continue
            X = batch.rows
            if self._encoder is not None:
                X = self._encoder.rows(X, words, first_row)
            self._check_width(X.shape[1])
            width = max(width, X.shape[1])
            X = with_width(X, width) if self.sparse else X
            batch = batch.replace(X=X)
            for part, bad_rows in self._bad.cut(numbers, bad):
                if part.start < part.stop:
                    rows = take_rows(batch, part, first_row) if bad else batch
                    yield rows.replace(first_row=first_row)
                    first_row += rows.rows.shape[0]
                self._bad.report_all(bad_rows)
        self._bad.end(first_row)

    def _width(self) -> int:
        """Return the width of the first rows."""
        return len(self.feature_names or ()) if self.bits is None else 1 << self.bits

    def _check_width(self, width: int) -> None:
        """Refuse sparse rows with columns beyond those of the metadata, or beyond the limit."""
        if self.bits is None and width > MAX_SPARSE_COLUMNS + 1:
            expected = f"expected {MAX_SPARSE_COLUMNS:,} at most: number the features without gaps"
            raise DataError(self.name, f"found the column {width - 1}, {expected}.")
        if (self.feature_names is not None or self.bits is not None) and width > self._width():
            problem = (
                f"found the column {width - 1}, expected {count(self._width(), 'column')}, from 0."
            )
            raise DataError(self.name, f"{problem} Convert the rows again.")

    def _first_rows(self) -> pa.Table:
        """Return the first rows, to infer the kinds of columns: of several small batches, too."""
        first: list[pa.RecordBatch] = []
        missing = FIRST_ROWS
        for batch in self._batches(None):
            first.append(batch.slice(0, missing))
            first[-1].validate(full=True)
            missing -= len(first[-1])
            if not missing:
                break
        if missing == FIRST_ROWS:
            raise NoRowsError(self.name, "no rows.")
        return pa.Table.from_batches(first)

    def _batches(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Yield record batches whose buffers have the sizes that their types need.

        Offsets and codes are only safe after a full validation, which the threads do.
        """
        read = _parquet_batches if self.format == "parquet" else _arrow_batches
        added = self._partition.added
        columns = columns and [name for name in columns if name not in added]
        for batch in read(self._file, self._batch_bytes, columns):
            batch.validate()
            yield with_partition(batch, self._partition)

    def _read(self) -> Iterator[ValidRows]:
        with data_errors(self.name, self.format):
            yield from prefetch_map(self._valid_rows, self._pieces())

    def _valid_rows(self, numbered: tuple[int, pa.RecordBatch]) -> ValidRows:
        first_row, piece = numbered
        return valid_rows(self._layout, piece, first_row, self._bad.skips)

    def _pieces(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield slices of record batches, of the size of a batch, and their first rows."""
        first_row = 0
        for batch in self._batches(self._layout.columns):
            size = max(_size(batch), 8 * batch.num_columns * batch.num_rows, 1)
            rows = max(1, batch.num_rows * self._batch_bytes // size)
            for start in range(0, batch.num_rows, rows):
                piece = batch.slice(start, rows)
                yield first_row, piece
                first_row += len(piece)


def _size(batch: pa.RecordBatch) -> int:
    """Return the bytes of a record batch; in old versions of pyarrow those of all its buffers."""
    try:
        return int(batch.nbytes)
    except pa.ArrowTypeError:  # of texts as polars writes them
        return int(batch.get_total_buffer_size())


def _read_schema(file: ColumnarFile) -> pa.Schema:
    if file.format == "parquet":
        with file.open_parquet() as opened:
            return opened.schema.to_arrow_schema()
    with file.open_arrow() as reader:
        return reader.schema


def _parquet_batches(
    file: ColumnarFile, batch_bytes: int, columns: list[str] | None
) -> Iterator[pa.RecordBatch]:
    """Yield record batches of about the size of a few batches, which may span row groups.

    At a URL each row group is fetched at once: it must fit the memory.
    """
    with file.open_parquet() as opened:
        metadata = opened.metadata
        size = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
        row = max(size // max(1, metadata.num_rows), 8 * metadata.num_columns, 1)
        size = max(1, _BATCHES_PER_READ * batch_bytes // row)
        numbers = [*file.group_numbers(metadata.num_row_groups)]
        for groups in [numbers] if file.version is None else [[group] for group in numbers]:
            yield from opened.iter_batches(batch_size=size, row_groups=groups, columns=columns)


def _arrow_batches(
    file: ColumnarFile, batch_bytes: int, columns: list[str] | None
) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of a file."""
    with file.open_arrow() as reader:
        batches = iter(reader) if not hasattr(reader, "num_record_batches") else None
        if batches is None or file.groups is not None:
            numbers = file.group_numbers(getattr(reader, "num_record_batches", 0))
            batches = (reader.get_batch(k) for k in numbers)
        for batch in batches:
            yield batch if columns is None else batch.select(columns)
