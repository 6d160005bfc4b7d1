"""Svmlight text as a stream of sparse batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import numpy as np

from rosenblatt.engine.text.svmlight import LARGEST_INDEX, Parsed, parse
from rosenblatt.streams.core.batch import Batch, csr, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import MAX_SPARSE_COLUMNS
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.labels import NumericLabels
from rosenblatt.streams.io.files import Text
from rosenblatt.streams.io.parsing import ParsedChunk, line_of_row, parse_ahead
from rosenblatt.utils.arrays import Matrix, NDArray

_WITHOUT_LABEL = rb"(?:[ \t\r]*(?:#.*)?\n)*[ \t]*[0-9]+:"


class SvmlightStream(Stream):
    r"""Rows of svmlight text.

    Column j of ``X`` is the index ``index_base`` + j of the text. Labels are int64 while all labels
    of the stream so far are integers, float64 from the first batch with others on.

    Parameters
    ----------
    text : Text
        Of its options, ``index_base`` is the index of the first column; None: 0 if the first batch
        with entries has an index 0, else 1. With ``bits``, the index i is in column i mod 2^bits,
        and there is no base. Without ``labelled``, rows have no labels if the first has none.

    Examples
    --------
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> from rosenblatt.streams.io.files import Pipe
    >>> source = Pipe("demo", iter([b"+1 1:2 3:4\n"]), 99)
    >>> stream = SvmlightStream(Text("svmlight", source, source.head(), ReadOptions()))
    >>> [batch.X.toarray().tolist() for batch in stream]
    [[[2.0, 0.0, 4.0]]]
    """

    def __init__(self, text: Text) -> None:
        options = text.options
        super().__init__(text.source.name, text.format, options.on_bad_row)
        self.sparse, self.index_base, self.bits = True, options.index_base, options.bits
        self.labelled = options.labelled or not begins_without_label(text.head.text)
        self._source, self._written = text.source, options.written

    def __iter__(self) -> Iterator[Batch]:
        first_row = width = 0
        labels = NumericLabels()
        largest = MAX_SPARSE_COLUMNS if self.bits is None else LARGEST_INDEX
        read = partial(parse, labelled=self.labelled, largest=largest, written=self._written)
        for chunk in parse_ahead(self._source, read, self._bad):
            self._line_of = partial(line_of_row, chunk)
            long = chunk.parsed.long
            if self.bits is not None:
                X = _hashed(chunk.parsed, self.bits)
            else:
                columns = self._columns(chunk)
                width = max(width, int(columns.max(initial=-1)) + 1)
                X = csr(chunk.parsed.data, columns, chunk.parsed.indptr, width)
                long = long._replace(columns=long.columns - (self.index_base or 0))
            y = labels.convert(chunk.parsed.labels) if self.labelled else None
            yield Batch(X, y, first_row, long=long, computed=self.bits is not None)
            first_row += X.shape[0]
        self._bad.end(first_row)

    def _columns(self, chunk: ParsedChunk[Parsed]) -> NDArray[np.int32]:
        """Return the indices, counted from 0."""
        parsed = chunk.parsed
        indices = parsed.indices
        has_zero = len(indices) > 0 and indices.min() == 0
        if self.index_base is None and len(indices):
            self.index_base = 0 if has_zero else 1
        if self.index_base != 1:
            return indices
        if has_zero:
            row = row_of(parsed.indptr, int(np.argmin(indices)))
            line = line_of_row(chunk, row)
            problem = "found index 0 in data whose indices start at 1: if they start at 0, set"
            raise DataError(self.name, f"{problem} index_base=0.", line)
        return np.subtract(indices, np.int32(1), out=indices)


def begins_without_label(head: bytes) -> bool:
    r"""Return whether the first row begins with ``index:value``.

    Examples
    --------
    >>> begins_without_label(b"# no labels\n\n1:0.5 7:2\n"), begins_without_label(b"1 7:2\n")
    (True, False)
    """
    return re.match(_WITHOUT_LABEL, head) is not None


def _hashed(parsed: Parsed, bits: int) -> Matrix:
    """Return the rows with the index i in column i mod 2^bits; values in one column are added."""
    columns = parsed.indices & np.int32((1 << bits) - 1)
    X = csr(parsed.data, columns, parsed.indptr, 1 << bits).tocsr()
    X.has_sorted_indices = X.has_canonical_format = False
    X.sum_duplicates()
    return X
