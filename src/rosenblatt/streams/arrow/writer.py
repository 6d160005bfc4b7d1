"""Conversion of a stream to an Arrow file, which readers memory-map, or to a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from rosenblatt.streams.arrow.columns import SPARSE_COLUMNS
from rosenblatt.streams.arrow.metadata import ID, TARGET, WEIGHT, source_metadata
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.utils.atomic import atomic_write

if TYPE_CHECKING:
    import pyarrow as pa


LABEL = "label"
"""The column of labels if the source has no name for it."""


def write_arrow(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows of a stream as an Arrow file (IPC), which reads back bit for bit.

    Sparse rows are two columns of lists, ``indices`` and ``values``; dense rows have one column per
    feature, with its name, or ``x0``, ``x1``, … without names. Ids, weights and labels are the last
    columns. The metadata of the file describe the source (:meth:`Stream.noted`), so that a model
    trained on one accepts the other. JSON lines are read twice, as the metadata at the beginning of
    the file have the names of all columns. The file is written under a temporary name beside
    ``path``, flushed to disk, then renamed.

    Parameters
    ----------
    stream : Stream
        A stream with labels.
    path : str or path
        Should end in ``.arrow``, so that :func:`rosenblatt.streams.open_stream` detects it.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    DataError
        The stream cannot be read, pyarrow is not installed, or labels or ids change from integers
        to another type.
    ValueError
        The stream has no labels.
    OSError
        The file cannot be written; an old file at ``path`` stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = write_arrow(open_stream("sklearn:iris"), f"{folder}/iris.arrow")
    ...     X, y = open_stream(f"{folder}/iris.arrow").read()
    >>> rows, X.shape, str(y[0])
    (150, (150, 4), 'setosa')
    """
    check_writable(stream, path, "Arrow")
    import pyarrow as pa

    return write_batches(stream, path, "Arrow file", pa.ipc.new_file)


def write_parquet(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows of a stream as a Parquet file, with the columns of :func:`write_arrow`.

    The parameters, the result and the errors are those of :func:`write_arrow`, too.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = write_parquet(open_stream("sklearn:iris"), f"{folder}/iris.parquet")
    ...     X, y = open_stream(f"{folder}/iris.parquet").read()
    >>> rows, X.shape, str(y[0])
    (150, (150, 4), 'setosa')
    """
    check_writable(stream, path, "Parquet")
    from pyarrow import parquet

    return write_batches(stream, path, "Parquet file", parquet.ParquetWriter)


def check_writable(stream: Stream, path: str | os.PathLike[str], title: str) -> None:
    """Refuse a stream without labels, and a missing pyarrow.

    Raises
    ------
    DataError, ValueError
    """
    if not stream.labelled:
        raise ValueError(f"the stream {stream.name} has no labels: open it with labelled=True.")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        problem = (
            f"{title} is written by pyarrow, which is missing: pip install 'rosenblatt[data]'."
        )
        raise DataError(os.fspath(path), problem) from None


def write_batches(
    stream: Stream,
    path: str | os.PathLike[str],
    kind: str,
    open_writer: Callable[[BinaryIO, pa.Schema], AbstractContextManager[Any]],
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
    schema = _schema(stream, first)
    with atomic_write(path, kind) as file, open_writer(file, schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(_record_batch(stream.name, schema, batch))
            rows += len(batch.y)
    return rows


def _schema(stream: Stream, first: Batch) -> pa.Schema:
    import pyarrow as pa

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
    fields.append((column_name(stream.target, LABEL), pa.array(first.y[:0]).type))
    metadata[TARGET] = fields[-1][0]
    return pa.schema(fields, metadata)


def _record_batch(name: str, schema: pa.Schema, batch: Batch) -> pa.RecordBatch:
    import pyarrow as pa

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
    import pyarrow as pa

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
    import pyarrow as pa

    first_id = next((value for value in _ids(first) if value is not None), "")
    return pa.int64() if isinstance(first_id, int) else pa.string()


def _ids(batch: Batch) -> list[Any]:
    """Return the ids, None for a row without one."""
    if batch.ids is None:
        return [None] * len(batch.y)
    return [None if value == "" else value for value in batch.ids.tolist()]


def _list_columns(X: Any) -> list[pa.Array]:
    """Return sparse rows as two columns of lists."""
    import pyarrow as pa

    offsets = pa.array(X.indptr, pa.int32())
    return [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (X.indices, X.data)]
