"""Svmlight text as a stream of sparse batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.ahead import mapped_ahead
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.labels import are_whole
from rosenblatt.streams.lines import BROKEN, BadByte, bad_byte, broken, text_before
from rosenblatt.streams.sources import Source, Text

if TYPE_CHECKING:
    from rosenblatt.svmtext import Parsed, TextError


class SvmlightStream(Stream):
    r"""Rows of svmlight text.

    Column j of ``X`` is the index ``index_base`` + j of the text. Labels are int64 as long as all
    labels of the stream so far are whole numbers, float64 from the first batch that has another.

    Parameters
    ----------
    source : File or Pipe
    index_base : 0, 1 or None
        The index of the first column; None lets the first batch with entries decide: 0 if it has
        an index 0, else 1.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> stream = SvmlightStream(Pipe("demo", iter([b"+1 1:2 3:4\n"]), 99), None)
    >>> [X.toarray().tolist() for X, y, first_row in stream]
    [[[2.0, 0.0, 4.0]]]
    """

    sparse = True

    def __init__(self, source: Source, index_base: int | None) -> None:
        super().__init__(source.name, "svmlight")
        self.index_base = index_base
        self._source = source

    def __iter__(self) -> Iterator[Batch]:
        from scipy.sparse import csr_array

        first_row = width = 0
        line = 1
        whole = True
        texts = self._source.texts()
        try:
            for load, (parsed, fault) in mapped_ahead(_read, texts, self._source.each):
                rows = len(parsed.labels)
                if rows:
                    columns = self._columns(parsed, load, line)
                    width = max(width, int(columns.max(initial=-1)) + 1)
                    whole = whole and are_whole(parsed.labels)
                    y = parsed.labels.astype(np.int64) if whole else parsed.labels
                    # As narrow as scikit-learn's own loader gives them: much of it takes no others.
                    indptr = parsed.indptr.astype(np.int32 if len(columns) < 2**31 else np.int64)
                    X = csr_array((parsed.data, columns, indptr), shape=(rows, width))
                    yield Batch(X, y, first_row)
                    first_row += rows
                if fault is not None:
                    raise DataError(self.name, line + fault.line - 1, fault.column, fault.message)
                line += parsed.lines
        except BROKEN as failure:
            raise broken(self.name, line, failure) from failure
        if first_row == 0:
            raise DataError(self.name, None, None, "no rows.")

    def _columns(self, parsed: Parsed, load: Text, line: int) -> NDArray[np.int32]:
        """Indices counted from 0."""
        indices = parsed.indices
        has_zero = len(indices) > 0 and indices.min() == 0
        if self.index_base is None and len(indices):
            self.index_base = 0 if has_zero else 1
        if self.index_base != 1:
            return indices
        if has_zero:
            row = np.searchsorted(parsed.indptr, np.argmin(indices), side="right") - 1
            line += load().count(b"\n", 0, int(parsed.starts[row]))
            problem = "found index 0 in data whose indices start at 1: if they start at 0, set"
            raise DataError(self.name, line, None, f"{problem} index_base=0.")
        return np.subtract(indices, np.int32(1), out=indices)


class _Read(NamedTuple):
    """The rows before the first fault of a text, and that fault."""

    parsed: Parsed
    fault: BadByte | TextError | None


def _read(load: Text) -> _Read:
    from rosenblatt.svmtext import TextError, parse

    text = load()
    error: TextError | None = None
    try:
        parsed = parse(text)
        if parsed.plain:
            return _Read(parsed, None)
    except TextError as caught:
        error = caught
    fault: BadByte | TextError | None = bad_byte(text)
    if fault is None or (error is not None and error.line < fault.line):
        fault = error
    if fault is not None:
        parsed = parse(text_before(text, fault.line))
    return _Read(parsed, fault)
