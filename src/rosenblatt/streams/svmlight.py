"""Svmlight text as a stream of sparse batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.ahead import mapped_ahead
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.lines import Block
from rosenblatt.streams.sources import Source

if TYPE_CHECKING:
    from rosenblatt.svmtext import Parsed

_LARGEST_WHOLE = 2**53


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
        whole = True
        for block, parsed in mapped_ahead(self._parsed, self._source.blocks()):
            rows = len(parsed.labels)
            if rows == 0:
                continue
            columns = self._columns(parsed, block)
            width = max(width, int(columns.max(initial=-1)) + 1)
            whole = whole and _are_whole(parsed.labels)
            y = parsed.labels.astype(np.int64) if whole else parsed.labels
            X = csr_array((parsed.data, columns, parsed.indptr), shape=(rows, width))
            yield Batch(X, y, first_row)
            first_row += rows
        if first_row == 0:
            raise DataError(self.name, None, None, "no rows.")

    def _parsed(self, block: Block) -> Parsed:
        from rosenblatt.svmtext import TextError, parse

        try:
            return parse(block.text, block.first_line)
        except TextError as error:
            raise DataError(self.name, error.line, error.column, error.message) from None

    def _columns(self, parsed: Parsed, block: Block) -> NDArray[np.int32]:
        """Indices counted from 0."""
        zeros = np.flatnonzero(parsed.indices == 0)
        if self.index_base is None and len(parsed.indices):
            self.index_base = 0 if len(zeros) else 1
        if self.index_base != 1:
            return parsed.indices
        if len(zeros):
            row = np.searchsorted(parsed.indptr, zeros[0], side="right") - 1
            line = block.first_line + block.text.count(b"\n", 0, int(parsed.starts[row]))
            problem = "found index 0 in data whose indices start at 1: if they start at 0, set"
            raise DataError(self.name, line, None, f"{problem} index_base=0.")
        return parsed.indices - np.int32(1)


def _are_whole(labels: NDArray[np.float64]) -> bool:
    return bool(np.all((labels == np.floor(labels)) & (np.abs(labels) <= _LARGEST_WHOLE)))
