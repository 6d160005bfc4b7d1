"""Rows of a stream as an Arrow file, which readers memory-map, a Parquet file, or CSV or TSV."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from rosenblatt.streams.arrow.columns import SPARSE_COLUMNS
from rosenblatt.streams.arrow.metadata import ID, TARGET, WEIGHT, source_metadata
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.formats.records import number_in_header
from rosenblatt.streams.writers.output import DenseStream, compressed
from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.atomic import atomic_write

LABEL = "label"
"""The column of labels if the source has no name for it."""


def write_batches(
    stream: Stream,
    path: str | os.PathLike[str],
    kind: str,
    open_writer: Callable[[BinaryIO, pa.Schema], AbstractContextManager[Any]],
    has_header: bool = False,
) -> int:
    """Write the rows of a stream as record batches to a file that replaces ``path`` at the end.

    Parameters
    ----------
    stream : Stream
    path : str or path
    kind : str
        Kind of file, for the error message.
    open_writer : callable
        Function of the file and the schema that returns a writer of pyarrow.
    has_header : bool, default False
        Whether the file has a header line, whose names must not look like a row.

    Returns
    -------
    int
        The number of rows.
    """
    if stream.imputer is not None or (stream.sparse and stream.feature_names is not None):
        for _ in stream:  # all names and means are known after the first pass
            pass
    batches, rows = iter(stream), 0
    first = next(batches)  # a stream without rows is a DataError
    schema = _schema(stream, first, has_header)
    with atomic_write(path, kind) as file, open_writer(file, schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(_record_batch(stream.name, schema, batch))
            rows += len(batch.y)
    return rows


write_arrow = partial(write_batches, kind="Arrow file", open_writer=pa.ipc.new_file)
"""Write the rows as :func:`rosenblatt.streams.write_arrow` says."""

write_parquet = partial(write_batches, kind="Parquet file", open_writer=parquet.ParquetWriter)
"""Write the rows with the same columns, compressed."""


def write_table(stream: Stream, path: str | os.PathLike[str], *, kind: str, delimiter: str) -> int:
    """Write the rows as delimited text, below a line of names; sparse rows become dense.

    Parameters
    ----------
    stream : Stream
    path : str or path
    kind : str
        Kind of file, for messages.
    delimiter : str
    """
    options = csv.WriteOptions(delimiter=delimiter)

    @contextmanager
    def open_writer(file: BinaryIO, schema: pa.Schema) -> Iterator[Any]:
        with (
            compressed(path, file) as text,
            csv.CSVWriter(text, schema, write_options=options) as writer,
        ):
            yield writer

    dense = DenseStream(stream) if stream.sparse else stream
    return write_batches(dense, path, kind, open_writer, has_header=True)


def _schema(stream: Stream, first: Batch, has_header: bool) -> pa.Schema:
    if stream.sparse:
        types = [pa.list_(pa.int32()), pa.list_(pa.float64())]
        fields = list(zip(SPARSE_COLUMNS, types, strict=True))
    else:
        names = stream.feature_names or [f"x{j}" for j in range(first.X.shape[1])]
        fields = [(name, pa.float64()) for name in names]

    def column_name(column: str | None, default: str) -> str:
        return column if column is not None and column not in SPARSE_COLUMNS else default

    metadata = source_metadata(stream)
    if stream.id_column is not None or first.ids is not None:
        fields.append((column_name(stream.id_column, "id"), _id_type(first)))
        metadata[ID] = fields[-1][0]
    if stream.weight_column is not None or first.weight is not None:
        fields.append((column_name(stream.weight_column, "weight"), pa.float64()))
        metadata[WEIGHT] = fields[-1][0]
    target = column_name(stream.target, LABEL)
    if has_header and number_in_header([*(name for name, _ in fields), target]) is not None:
        target = LABEL  # of an array: the number of a column
    fields.append((target, pa.array(first.y[:0]).type))
    metadata[TARGET] = target
    return pa.schema(fields, metadata)


def _record_batch(name: str, schema: pa.Schema, batch: Batch) -> pa.RecordBatch:
    X = batch.X
    columns = (
        _list_columns(X) if hasattr(X, "indptr") else [pa.array(X[:, j]) for j in range(X.shape[1])]
    )
    columns += _id_and_weight_columns(name, schema, batch)
    try:
        columns.append(pa.array(batch.y).cast(schema.types[-1]))
    except pa.ArrowInvalid as error:
        problem = (
            f"the labels are whole numbers before row {batch.first_row:,} (from 0), fractions "
            "after it: a column has one type. Write the first label with a point."
        )
        raise DataError(name, problem) from error
    return pa.record_batch(columns, schema=schema)


def _id_and_weight_columns(name: str, schema: pa.Schema, batch: Batch) -> list[pa.Array]:
    """Return the columns of ids and of weights, if the file has them."""
    metadata, position = schema.metadata, f"row {batch.first_row:,} (from 0)"
    for key, plural, values in ((ID, "ids", batch.ids), (WEIGHT, "weights", batch.weight)):
        if values is not None and key not in metadata:
            problem = f"the rows have {plural} from {position} on, and none before"
            raise DataError(name, f"{problem}: convert them separately.")
    columns = []
    if ID in metadata:
        type = schema.field(metadata[ID].decode()).type
        try:
            columns.append(pa.array(_ids(batch), type))
        except (pa.ArrowException, OverflowError) as error:
            problem = (
                f"the ids from {position} on are not all {type} ({error}): make all of them text."
            )
            raise DataError(name, problem) from error
    if WEIGHT in metadata:
        columns.append(pa.array(np.ones(len(batch.y)) if batch.weight is None else batch.weight))
    return columns


def _id_type(first: Batch) -> pa.DataType:
    first_id = next((value for value in _ids(first) if value is not None), "")
    return pa.int64() if isinstance(first_id, int) else pa.string()


def _ids(batch: Batch) -> list[Any]:
    """Return the ids, None for a row without one."""
    if batch.ids is None:
        return [None] * len(batch.y)
    return [None if value == "" else value for value in batch.ids.tolist()]


def _list_columns(X: Matrix) -> list[pa.Array]:
    """Return sparse rows as two columns of lists."""
    offsets = pa.array(X.indptr, pa.int32())
    return [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (X.indices, X.data)]
