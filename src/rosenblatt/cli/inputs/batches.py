"""Batches of DATA for predictions, with a progress line for slow models."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.model_facts import is_kernel
from rosenblatt.cli.display.status_line import StatusLine, progress_bar
from rosenblatt.cli.inputs.data import count_lines
from rosenblatt.cli.options.kernel import BATCH
from rosenblatt.streams.rechunk import SplitBatches

if TYPE_CHECKING:
    from rosenblatt.streams import Batch, Stream

_QUIET_SECONDS = 1.0  # without a progress line


def with_progress(model: object, stream: Stream, data: str, quiet: bool) -> Iterable[Batch]:
    """Return the batches of a stream; for a kernel model, small ones with a progress line.

    Parameters
    ----------
    model : estimator
    stream : Stream
    data : str
        DATA as the command line names it.
    quiet : bool
        Without the line.
    """
    if not is_kernel(model):
        return stream
    return show_progress(SplitBatches(stream, BATCH), data, quiet)


def show_progress(batches: Iterable[Batch], data: str, quiet: bool) -> Iterator[Batch]:
    """Yield the batches; after a second, show the number of rows done."""
    console = terminal.stderr(quiet)
    status, started, rows = StatusLine(console), time.perf_counter(), 0
    lines: int | None = None
    try:
        for batch in batches:
            yield batch
            rows += batch.rows.shape[0]
            seconds = time.perf_counter() - started
            if seconds < _QUIET_SECONDS or not status.is_due():
                continue
            if lines is None:
                lines = count_lines(data)
            if rows < lines:
                status.show(progress_bar("rows", rows, lines, seconds, console.width))
            elif lines == 0:
                rate = f"{rows / seconds:,.0f} rows/s"
                status.show(render.text((f"{fmt.count(rows, 'row')}, {rate} …", "dim")))
    finally:
        status.stop()
