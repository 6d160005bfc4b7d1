"""Table of the progressive error at 1, 2, 4, 8, … examples, with a status line below it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.text import Text

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.status_line import StatusLine, progress_bar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from rosenblatt.learning.evaluation.progressive import Line


_COLUMNS = (
    # two header lines, width, style of the cells
    ("", "examples", 13, ""),
    ("error", "so far", 10, "bold"),
    ("95 %", "interval", 15, ""),
    ("recent", "error", 11, ""),
    ("", "examples/s", 11, "dim"),
    ("", "updates", 11, ""),
    ("", "‖w‖", 9, ""),
)
_MIN_TIMED_EXAMPLES = 16  # fewer give no meaningful rate


class ProgressTable:
    """Printer of the lines that :func:`rosenblatt.progressive.learn` reports.

    Parameters
    ----------
    console : Console
    epochs : int, default=1
        Maximal number of epochs; with more than one, later epochs print a line, too.

    Attributes
    ----------
    lines : list of Line
        The lines printed.
    """

    def __init__(self, console: Console, epochs: int = 1) -> None:
        self.console, self.epochs = console, epochs
        self.lines: list[Line] = []
        self._status = StatusLine(console)
        self._printed_at = time.perf_counter()
        self._pass_start = (0, 0.0)  # epoch, time of its first batch

    def __enter__(self) -> Self:
        self._status.show(
            _dim(f"{'starting;':>13} the first run compiles the loops, for some seconds …")
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def add(self, line: Line, timed: bool = True) -> None:
        """Print a line of the first epoch, unless it was the last one printed.

        Parameters
        ----------
        line : Line
        timed : bool, default=True
            Whether this process has learned these examples, so that their rate is known.
        """
        if not self.lines:
            self._print_header()
        elif line.examples == self.lines[-1].examples:
            return
        if line.updates:  # the loops are compiled
            self._status.stop()
        self._print_line(line, self._speed(line) if timed else "")
        self.lines.append(line)
        self._printed_at = time.perf_counter()

    def show_position(self, examples: int, epoch: int, length: int | None = None) -> None:
        """Update the status line, at most ten times a second.

        Parameters
        ----------
        examples : int
            Examples learned, over all epochs.
        epoch : int
        length : int or None
            Examples of an epoch; if it is known, a progress bar is shown.
        """
        if epoch != self._pass_start[0]:
            self._pass_start = epoch, time.perf_counter()
        if examples and self._status.is_due():
            self._status.show(self._position(examples, epoch, length))

    def _position(self, examples: int, epoch: int, length: int | None) -> RenderableType:
        name = f"epoch {epoch:,} of {self.epochs:,}" if self.epochs > 1 else ""
        if length is None:
            name = f", {name}" if name else ""
            return _dim(f"{examples:>13,}{name} … Ctrl-C stops and saves the model")
        done, seconds = examples - (epoch - 1) * length, time.perf_counter() - self._pass_start[1]
        width, hint = self.console.width, "Ctrl-C stops and saves"
        return progress_bar(f"{name:>13}", done, length, seconds, width, hint)

    def end_epoch(self, epoch: int, mistakes: int, updates: int) -> None:
        """Print the counts of epoch 2, 4, 8, …, and of the last one."""
        self._status.stop()
        if epoch & (epoch - 1) == 0 or updates == 0 or epoch == self.epochs:
            counts = f"{fmt.count(mistakes, 'mistake')}, {fmt.count(updates, 'update')}"
            self.console.print(f"{'epoch ' + format(epoch, ','):>13}   {counts}")

    def _print_header(self) -> None:
        for row in (0, 1):
            names = (f"{column[row]:>{column[2]}}" for column in _COLUMNS)
            self.console.print(Text("".join(names), "dim"), soft_wrap=True)

    def _print_line(self, line: Line, speed: str) -> None:
        cells = (
            f"{line.examples:,}",
            fmt.percent(line.error),
            fmt.interval(line.low, line.high),
            fmt.percent(line.since),
            speed,
            f"{line.updates:,}",
            _format_norm(line.norm),
        )
        text = Text()
        for cell, (_, _, width, style) in zip(cells, _COLUMNS, strict=True):
            text.append(f"{cell:>{width}}", style)
        self.console.print(text, soft_wrap=True)

    def _speed(self, line: Line) -> str:
        new = line.examples - (self.lines[-1].examples if self.lines else 0)
        if new < _MIN_TIMED_EXAMPLES:
            return ""
        return f"{new / (time.perf_counter() - self._printed_at):,.0f}"


def _dim(text: str) -> Text:
    return Text(text, "dim")


def _format_norm(norm: float) -> str:
    """Format a norm below 10¹⁰⁰ in at most eight characters."""
    text = f"{norm:.4g}"
    return f"{norm:.2e}" if "e" in text else text
