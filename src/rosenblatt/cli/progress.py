"""The progressive table: one line at 1, 2, 4, 8, … examples, and where it is in between."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.cli import screen

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

    from rosenblatt.progressive import Line

_COLUMNS = (
    # the two lines of the header, and the width
    ("", "examples", 13),
    ("error", "so far", 9),
    ("95 %", "interval", 15),
    ("error since", "line above", 13),
    ("", "updates", 11),
    ("", "‖w‖", 9),
    ("examples", "a second", 10),
)
_REFRESH = 0.1  # seconds between two looks at a batch


class ProgressTable:
    """Prints the lines of :func:`rosenblatt.progressive.learn` as they come.

    Parameters
    ----------
    console : Console
    epochs : int, default=1
        Passes at most; with more than one, each pass has its say.
    """

    def __init__(self, console: Console, epochs: int = 1) -> None:
        self.console, self.epochs = console, epochs
        self.lines: list[Line] = []
        self._live: Live | None = None
        self._looked = 0.0

    def __enter__(self) -> Self:
        if self.console.is_interactive and not self.console.quiet:
            from rich.live import Live

            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def add(self, line: Line) -> None:
        """Print a line of the first pass; the last one may have been printed before."""
        if not self.lines:
            self._print_header()
        elif line.examples == self.lines[-1].examples:
            return
        self.lines.append(line)
        self._print_line(line)

    def at(self, examples: int, epoch: int) -> None:
        """Say how far it is, on a terminal, but not too often."""
        now = time.perf_counter()
        if self._live is None or now - self._looked < _REFRESH:
            return
        self._looked = now
        place = f", pass {epoch:,} of {self.epochs:,}" if self.epochs > 1 else ""
        text = f"  {screen.count(examples, 'example')}{place} … Ctrl-C saves what was learned"
        self._live.update(_dim(text), refresh=True)

    def end_pass(self, epoch: int, mistakes: int, updates: int) -> None:
        """Sum up a pass, at 1, 2, 4, 8, … passes and where it was the last that was needed."""
        if self.epochs > 1 and (epoch & (epoch - 1) == 0 or mistakes == 0 or epoch == self.epochs):
            made = f"{screen.count(mistakes, 'mistake')}, {screen.count(updates, 'update')}"
            self.console.print(f"{'pass ' + format(epoch, ','):>13}  {made}")

    def _print_header(self) -> None:
        for row in (0, 1):
            names = (f"{column[row]:>{column[2]}}" for column in _COLUMNS)
            self.console.print(_dim("".join(names)), soft_wrap=True)

    def _print_line(self, line: Line) -> None:
        from rich.text import Text

        cells = (
            f"{line.examples:,}",
            screen.percent(line.error),
            screen.interval(line.low, line.high),
            screen.percent(line.since),
            f"{line.updates:,}",
            f"{line.norm:.4g}",
            f"{line.rate:,.0f}",
        )
        styles = ("", "bold", "", "", "", "", "dim")
        text = Text()
        for cell, style, (_, _, width) in zip(cells, styles, _COLUMNS, strict=True):
            text.append(f"{cell:>{width}}", style)
        self.console.print(text, soft_wrap=True)


def _dim(text: str) -> Any:
    from rich.text import Text

    return Text(text, "dim")
