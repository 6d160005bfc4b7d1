"""Helpers of the tests of streams: the rows of a stream, the error of a bad source, compression."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from rosenblatt.streams import DataError, open_stream

COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}

NEAREST = {} if pd.__version__ >= "3" else {"float_precision": "round_trip"}
"""Options with which pandas reads the nearest float64 of a number, as newer ones do by default."""

SVM = b"# made by hand\n+1 1:2 3:4\n-1\n\n-1 qid:1 5:0.5 2:1 # unsorted\n+1 1:1"
SVM_ROWS = [([2.0, 0.0, 4.0], 1), ([], -1), ([0.0, 1.0, 0.0, 0.0, 0.5], -1), ([1.0], 1)]


def rows_of(stream):
    """Return all rows as (dense values without trailing zeros, label); check the batches."""
    rows, width = [], 0
    for X, y, first_row, *_ in stream:
        assert first_row == len(rows)
        assert X.shape[0] == len(y) > 0
        assert X.shape[1] >= width
        assert X.dtype == np.float64
        width = X.shape[1]
        dense = X.toarray() if stream.sparse else X
        rows += [
            (np.trim_zeros(row, "b").tolist(), label)
            for row, label in zip(dense, y.tolist(), strict=True)
        ]
    return rows


def refused(source, message, line=None, column=None, **options):
    """Check the DataError of opening or reading a source, and return it."""
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(source, **options))
    error = caught.value
    assert (error.line, error.column) == (line, column)
    place = ":".join(str(part) for part in (error.source, line, column) if part is not None)
    assert str(error) == f"{place}: {error.problem}"
    assert error.problem[-1] in ".?"
    return error


def rows_by_name(stream):
    """Return every row as a dictionary, and its label; check widths and first rows."""
    rows, width = [], 0
    for X, y, first_row, *_ in stream:
        assert first_row == len(rows)
        assert X.shape[1] >= width
        assert X.has_canonical_format
        width = X.shape[1]
        for k in range(X.shape[0]):
            part = slice(X.indptr[k], X.indptr[k + 1])
            names = [stream.feature_names[j] for j in X.indices[part]]
            values = dict(zip(names, X.data[part].tolist(), strict=True))
            rows.append((values, None if y is None else y.tolist()[k]))
    return rows


def refused_at(source, message, line=None, column=None, **options):
    """Check the error of a source, and that it names the source as the caller wrote it."""
    assert refused(source, message, line, column, **options).source == source


def write_table(table, name="a.parquet"):
    """Write a table as Parquet, or as an Arrow file of one record batch."""
    if name.endswith(".parquet"):
        pa.parquet.write_table(table, name)
    else:
        with pa.ipc.new_file(name, table.schema) as writer:
            writer.write_table(table)
    return name
