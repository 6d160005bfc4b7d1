"""A stream written as one Arrow file, which is memory-mapped when it is read."""

from __future__ import annotations

import json
import os
from itertools import chain
from typing import TYPE_CHECKING, Any

from rosenblatt.disk import replacing
from rosenblatt.streams.arrow import INDEX_BASE, NAMES, TARGET
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.columns import PAIR
from rosenblatt.streams.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

LABEL = "label"
"""The column of the labels where their source gives it no name."""


def write_arrow(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows of a stream as an Arrow file (IPC), from which they come back bit for bit.

    Sparse rows are two columns of lists, ``indices`` and ``values``; dense rows a column a feature,
    by its name, or ``x0``, ``x1``, … without names. The labels are the last column. JSON lines are
    read twice: the file's first part has the names of all columns. The file is written beside
    ``path``, brought to the disk, then renamed.

    Parameters
    ----------
    stream : Stream
        With labels.
    path : str or path
        Should end in ``.arrow``, so that :func:`rosenblatt.streams.open_stream` knows it.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    DataError
        The stream cannot be read, pyarrow is not installed, or labels that were whole numbers
        become fractions.
    ValueError
        The stream has no labels.
    OSError
        The file cannot be written; what was at ``path`` is untouched.

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
    if not stream.labelled:
        raise ValueError(f"the stream {stream.name} has no labels: open it with labelled=True.")
    try:
        import pyarrow as pa
    except ImportError:
        problem = "Arrow is written by pyarrow, which is missing: pip install 'rosenblatt[data]'."
        raise DataError(os.fspath(path), None, None, problem) from None
    if stream.sparse and stream.feature_names is not None:
        for _ in stream:  # all names are known when all rows were read once
            pass
    batches, rows = iter(stream), 0
    first = next(batches)  # a stream without rows is a DataError
    schema = _schema(stream, first)
    with replacing(path, "Arrow file") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(_record_batch(stream.name, schema, batch))
            rows += len(batch.y)
    return rows


def _schema(stream: Stream, first: Batch) -> pa.Schema:
    import pyarrow as pa

    if stream.sparse:
        types = [pa.list_(pa.int32()), pa.list_(pa.float64())]
        fields = list(zip(PAIR, types, strict=True))
    else:
        names = stream.feature_names or [f"x{j}" for j in range(first.X.shape[1])]
        fields = [(name, pa.float64()) for name in names]
    named = None if stream.sparse or stream.feature_names is None else stream.target
    label = named or LABEL
    fields.append((label, pa.array(first.y[:0]).type))
    notes = {TARGET: label.encode()}
    if stream.index_base is not None:
        notes[INDEX_BASE] = str(stream.index_base).encode()
    if stream.sparse and stream.feature_names is not None:
        notes[NAMES] = json.dumps(stream.feature_names).encode()
    return pa.schema(fields, notes)


def _record_batch(name: str, schema: pa.Schema, batch: Batch) -> pa.RecordBatch:
    import pyarrow as pa

    X, y, first_row, weight = batch
    if weight is not None:
        problem = (
            "its rows have weights, which this Arrow form does not keep: learn from it as it is."
        )
        raise DataError(name, None, None, problem)
    columns = _lists(X) if hasattr(X, "indptr") else [pa.array(X[:, j]) for j in range(X.shape[1])]
    try:
        labels = pa.array(y).cast(schema.types[-1])
    except pa.ArrowInvalid as error:
        problem = (
            f"the labels are whole numbers before row {first_row:,} (from 0), fractions after it: "
            "an Arrow column has one type. Write the first label with a point."
        )
        raise DataError(name, None, None, problem) from error
    return pa.record_batch([*columns, labels], schema=schema)


def _lists(X: Any) -> list[pa.Array]:
    """Sparse rows as a pair of lists."""
    import pyarrow as pa

    offsets = pa.array(X.indptr, pa.int32())
    return [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (X.indices, X.data)]
