"""Where long work is: one line at the bottom of a terminal, gone when the work is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live


_REFRESH_SECONDS = 0.1  # seconds between two looks at where it is
_MAX_BAR, _MIN_BAR = 30, 12  # letters of a bar


class StatusLine:
    """A line below everything else, shown on a terminal only.

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
        """Whether it is worth a look again."""
        now = time.perf_counter()
        due = self._is_visible and now - self._refreshed_at >= _REFRESH_SECONDS
        if due:
            self._refreshed_at = now
        return due

    def show(self, line: RenderableType) -> None:
        """Show this instead of what was there."""
        if not self._is_visible:
            return
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(line, refresh=True)

    def stop(self) -> None:
        """Let it go."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def progress_bar(
    name: str, done: int, total: int, seconds: float, width: int, hint: str = ""
) -> Table:
    """How much is done: a bar, the rows, the time left, the rate and a hint, if there is room.

    Parameters
    ----------
    name : str
        What is before the bar.
    done, total : int
        Rows.
    seconds : float
        Since the first of them.
    width : int
        Of the screen.
    hint : str, optional
    """
    size, rate = f"{total:,}", done / max(seconds, 1e-9)
    parts = [f"{done:>{len(size)},} of {size}"]
    if done:
        parts += [
            f"{fmt.time_left((total - done) / rate)} left",
            f"{rate:,.0f} a second",
            hint,
        ]
    room = width - len(name) - _MIN_BAR - 2
    while len(parts) > 1 and sum(len(text) + 2 for text in parts) > room:
        parts.pop()
    room -= sum(len(text) + 2 for text in parts)
    progress = ProgressBar(total, done, width=min(_MAX_BAR, max(_MIN_BAR, _MIN_BAR + room)))
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2 + len(parts)):
        table.add_column(no_wrap=True)
    table.add_row(Text(name, "dim"), progress, *(Text(text, "dim") for text in parts))
    return table
