"""Helpers of the tests of streams: the rows of a stream, the error of a bad source, compression."""

import bz2
import gzip
import lzma

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt.streams import DataError, open_stream

COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


def rows_of(stream):
    """All rows as (dense values without trailing zeros, label), checking the batches on the way."""
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
    """The DataError that opening or reading ends with, checked."""
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(source, **options))
    error = caught.value
    assert (error.line, error.column) == (line, column)
    place = ":".join(str(part) for part in (error.source, line, column) if part is not None)
    assert str(error) == f"{place}: {error.problem}"
    assert error.problem[-1] in ".?"
    return error
