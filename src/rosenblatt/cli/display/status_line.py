"""A transient line at the bottom of a terminal that shows the progress of long work."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rosenblatt.cli.display import fmt, render

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.table import Table

_REFRESH_SECONDS = 0.1
_MAX_BAR, _MIN_BAR = 30, 10  # characters of a progress bar


class StatusLine:
    """Line below all other output, on a terminal only.

    Parameters
    ----------
    console : Console
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._is_visible = console.is_interactive and console.file.isatty() and not console.quiet
        self._live: Live | None = None
        self._refreshed_at = time.perf_counter()

    def is_due(self) -> bool:
        """Return whether the line is visible and was not refreshed a moment ago."""
        now = time.perf_counter()
        due = self._is_visible and now - self._refreshed_at >= _REFRESH_SECONDS
        if due:
            self._refreshed_at = now
        return due

    def show(self, line: RenderableType) -> None:
        """Replace the content of the line."""
        if not self._is_visible:
            return
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(line, refresh=True)

    def stop(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def progress_bar(
    name: str, done: int, total: int, seconds: float, width: int, hint: str = ""
) -> Table:
    """Return a bar with the rows done, the time left, the rate and a hint, as far as they fit.

    Parameters
    ----------
    name : str
        The text before the bar.
    done, total : int
        Rows.
    seconds : float
        Time since the first row.
    width : int
        Columns of the terminal. On a narrow one the last parts are left out.
    hint : str, optional
    """
    from rich.progress_bar import ProgressBar

    size, rate = f"{total:,}", done / max(seconds, 1e-9)
    parts = [f"{done:>{len(size)},} of {size}"]
    if done:
        time_left = fmt.time_left((total - done) / rate)
        parts += [f"{time_left} left", f"{rate:,.0f} rows/s", hint]
    room = width - len(name) - _MIN_BAR - 2
    while len(parts) > 1 and sum(len(text) + 2 for text in parts) > room:
        parts.pop()
    room -= sum(len(text) + 2 for text in parts)
    progress = ProgressBar(total, done, width=min(_MAX_BAR, max(_MIN_BAR, _MIN_BAR + room)))
    dim = [render.text((part, "dim")) for part in (name, *parts)]
    return render.table([render.Column()] * (len(dim) + 1), [[dim[0], progress, *dim[1:]]], gap=2)
