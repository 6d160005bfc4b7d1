"""TODO."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from rosenblatt.cli.display import text
from rosenblatt.cli.display.model_facts import is_kernel
from rosenblatt.cli.display.status_line import Place, bar
from rosenblatt.cli.inputs.data import lines_of
from rosenblatt.cli.options.kernel import BATCH
from rosenblatt.streams.rechunk import Cut

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.streams import Batch, Stream

_PATIENCE = 1.0  # seconds that nobody minds to wait without a word


def answered(model: Any, stream: Stream, data: str, console: Console) -> Iterable[Batch]:
    """The rows of DATA, for a model to answer: with a kernel some at a time, and telling where.

    Parameters
    ----------
    model : estimator
    stream : Stream
    data : str
        DATA as it was named.
    console : Console
    """
    return _told(Cut(stream, BATCH), data, console) if is_kernel(model) else stream


def _told(batches: Iterable[Batch], data: str, console: Console) -> Iterator[Batch]:
    """The same batches; where they take their time, a line tells how many rows are done."""
    place, begin, rows = Place(console), time.perf_counter(), 0
    lines: int | None = None
    try:
        for batch in batches:
            yield batch
            rows += batch.X.shape[0]
            seconds = time.perf_counter() - begin
            if seconds < _PATIENCE or not place.is_due():
                continue
            if lines is None:
                lines = lines_of(data)
            if rows < lines:
                place.show(bar("rows", rows, lines, seconds, console.width))
            elif lines == 0:
                rate = f"{rows / seconds:,.0f} a second"
                place.show(Text(f"{text.count(rows, 'row')}, {rate} …", "dim"))
    finally:
        place.leave()
