"""The rows of a record batch that can be read, and those that cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.streams.badrows import BadRow
from rosenblatt.streams.base import Batch
from rosenblatt.streams.columns import Layout
from rosenblatt.streams.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from rosenblatt.coding import Coded


class Sound(NamedTuple):
    """The rows that can be read, None where there are none; their words; and bad ones, as JSON."""

    batch: Batch | None
    words: dict[str, Coded]
    bad: list[BadRow]


def sound_rows(layout: Layout, batch: pa.RecordBatch, first_row: int, skips: bool) -> Sound:
    """Read a record batch, without its bad rows where these are to be left out.

    Parameters
    ----------
    layout : Layout
    batch : pyarrow.RecordBatch
        Not empty.
    first_row : int
        Its first row's number, from 0, for error messages.
    skips : bool

    Raises
    ------
    DataError
        As :meth:`rosenblatt.streams.columns.Layout.rows`, if bad rows are not to be left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"x": [1.5, None], "y": [1, 2]})
    >>> layout = Layout("a.arrow", {"x": "number", "y": "label"}, True)
    >>> read = sound_rows(layout, batch, 0, True)
    >>> read.batch.X.tolist(), read.batch.y.tolist(), [bad.row for bad in read.bad]
    ([[1.5]], [1], ['{"x": null, "y": 2}'])
    """
    try:
        return Sound(layout.rows(batch, first_row), layout.words(batch), [])
    except DataError:
        if not skips:
            raise
    import pyarrow as pa

    bad = dict(_bad_rows(layout, batch, first_row))
    told = [BadRow(error, _shown(batch, row - first_row), row) for row, error in bad.items()]
    if len(bad) == len(batch):
        return Sound(None, {}, told)
    keep = pa.array([row not in bad for row in range(first_row, first_row + len(batch))])
    kept = batch.filter(keep)
    return Sound(layout.rows(kept, first_row), layout.words(kept), told)


def _bad_rows(
    layout: Layout, batch: pa.RecordBatch, first_row: int
) -> Iterator[tuple[int, DataError]]:
    """The bad rows' numbers and errors: what cannot be read is halved until it is one row."""
    try:
        layout.rows(batch, first_row)
    except DataError as error:
        if len(batch) == 1:
            yield first_row, error
            return
        half = len(batch) // 2
        yield from _bad_rows(layout, batch.slice(0, half), first_row)
        yield from _bad_rows(layout, batch.slice(half), first_row + half)


def _shown(batch: pa.RecordBatch, row: int) -> str:
    return json.dumps(batch.slice(row, 1).to_pylist()[0], ensure_ascii=False, default=str)
