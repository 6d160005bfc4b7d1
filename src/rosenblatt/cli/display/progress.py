"""Table of the progressive error at 1, 2, 4, 8, … examples, with a status line below it."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

from rosenblatt.cli.display import fmt, render
from rosenblatt.cli.display.status_line import StatusLine, progress_bar

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.learning.evaluation.progressive import Line


class Column(NamedTuple):
    """A column of a growing table: two lines of its header, and its width with the gap before."""

    header: tuple[str, str]
    width: int
    style: str = ""


class GrowingTable:
    """Printer of lines as they come, below a header, aligned to the right."""

    def __init__(self, console: Console, columns: Sequence[Column]) -> None:
        self.console, self.columns = console, columns
        self._has_header = False

    def add_line(self, cells: Sequence[str]) -> None:
        """Print a line."""
        if not self._has_header:
            for k in (0, 1):
                self._print([column.header[k] for column in self.columns], ["dim"] * len(cells))
            self._has_header = True
        self._print(cells, [column.style for column in self.columns])

    def _print(self, cells: Sequence[str], styles: Sequence[str]) -> None:
        padded = (
            (f"  {cell:>{column.width - 2}}", style)
            for cell, column, style in zip(cells, self.columns, styles, strict=True)
        )
        self.console.print(render.text(*padded), soft_wrap=True)


_COLUMNS = (
    Column(("", "examples"), 13),
    Column(("error", "so far"), 9, "bold"),
    Column(("95 %", "interval"), 15),
    Column(("recent", "error"), 9),
    Column(("", "examples/s"), 12, "dim"),
    Column(("", "updates"), 11),
    Column(("", "‖w‖"), 11),
)
_LEFT_OUT = ("examples/s", "updates", "‖w‖", "error")
"""Columns that a narrow terminal does not show, the first first; "error" is the recent error."""

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
        columns = list(_COLUMNS)
        for name in _LEFT_OUT:
            if sum(column.width for column in columns) > console.width:
                columns = [one for one in columns if one.header[1] != name]
        self._table = GrowingTable(console, columns)
        self._status = StatusLine(console)
        self._printed_at = perf_counter()
        self._pass_start = (0, 0.0)  # epoch, time of its first batch

    def __enter__(self) -> Self:
        self._status.show(render.text((f"{'starting':>13} …", "dim")))
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
        if self.lines and line.examples == self.lines[-1].examples:
            return
        if line.updates:  # the first line has come
            self._status.stop()
        speed, new = "", line.examples - (self.lines[-1].examples if self.lines else 0)
        if timed and new >= _MIN_TIMED_EXAMPLES:
            speed = fmt.short_count(new / max(perf_counter() - self._printed_at, 1e-9), 10)
        cells = {
            "examples": fmt.short_count(line.examples, 11),
            "so far": fmt.percent(line.error),
            "interval": fmt.interval(line.low, line.high),
            "error": fmt.percent(line.since),
            "examples/s": speed,
            "updates": fmt.short_count(line.updates, 9),
            "‖w‖": _format_norm(line.norm),
        }
        self._table.add_line([cells[column.header[1]] for column in self._table.columns])
        self.lines.append(line)
        self._printed_at = perf_counter()

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
            self._pass_start = epoch, perf_counter()
        if not (examples and self._status.is_due()):
            return
        name = f"epoch {epoch:,} of {self.epochs:,}" if self.epochs > 1 else ""
        if length is None:
            name = f", {name}" if name else ""
            position = f"{examples:>13,}{name} … Ctrl-C stops and saves the model"
            self._status.show(render.text((position, "dim")))
            return
        done, seconds = examples - (epoch - 1) * length, perf_counter() - self._pass_start[1]
        width, hint = self.console.width, "Ctrl-C stops and saves"
        self._status.show(progress_bar(f"{name:>13}", done, length, seconds, width, hint))

    def end_epoch(self, epoch: int, mistakes: int, updates: int) -> None:
        """Print the counts of epoch 2, 4, 8, …, and of the last one."""
        self._status.stop()
        if epoch & (epoch - 1) == 0 or updates == 0 or epoch == self.epochs:
            counts = f"{fmt.count(mistakes, 'mistake')}, {fmt.count(updates, 'update')}"
            self.console.print(f"{'epoch ' + format(epoch, ','):>13}   {counts}")


def _format_norm(norm: float) -> str:
    """Format a norm in at most nine characters.

    Examples
    --------
    >>> [_format_norm(norm) for norm in (0.0, 0.000123456, 1234.56, 3.2e17, 1e-120)]
    ['0', '0.0001235', '1235', '3.2e+17', '1e-120']
    >>> _format_norm(1.23456e-120)
    '1.23e-120'
    """
    text = f"{norm:.4g}"
    return text if len(text) <= 9 else f"{norm:.3g}"
