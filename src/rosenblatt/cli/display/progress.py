"""The progressive table: one line at 1, 2, 4, 8, … examples, and where it is in between."""

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
    # the two lines of the header, the width, the style of the cells
    ("", "examples", 13, ""),
    ("error", "so far", 10, "bold"),
    ("95 %", "interval", 15, ""),
    ("since the", "error", 11, ""),
    ("line above", "a second", 11, "dim"),
    ("", "updates", 11, ""),
    ("", "‖w‖", 9, ""),
)
_MIN_TIMED_EXAMPLES = 16  # examples whose speed says nothing


class ProgressTable:
    """Prints the lines of :func:`rosenblatt.progressive.learn` as they come.

    Parameters
    ----------
    console : Console
    epochs : int, default=1
        Passes at most; with more than one, each pass has its say.

    Attributes
    ----------
    lines : list of Line
        What was printed.
    """

    def __init__(self, console: Console, epochs: int = 1) -> None:
        self.console, self.epochs = console, epochs
        self.lines: list[Line] = []
        self._status = StatusLine(console)
        self._printed_at = time.perf_counter()
        self._pass_start = (0, 0.0)  # which one, and when it began

    def __enter__(self) -> Self:
        self._status.show(_dim(f"{'getting ready;':>13} the first time, this compiles …"))
        return self

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def add(self, line: Line, timed: bool = True) -> None:
        """Print a line of the first pass, unless it is there already.

        Parameters
        ----------
        line : Line
        timed : bool, default=True
            Whether this process has learned it, and so knows its speed.
        """
        if not self.lines:
            self._print_header()
        elif line.examples == self.lines[-1].examples:
            return
        if line.updates:  # the loop is there
            self._status.stop()
        self._print_line(line, self._speed(line) if timed else "")
        self.lines.append(line)
        self._printed_at = time.perf_counter()

    def show_position(self, examples: int, epoch: int, length: int | None = None) -> None:
        """Say how far it is, on a terminal, but not too often.

        Parameters
        ----------
        examples : int
            Learned, over all passes.
        epoch : int
        length : int or None
            Examples of a pass: where it is known there is a bar.
        """
        if epoch != self._pass_start[0]:
            self._pass_start = epoch, time.perf_counter()
        if examples and self._status.is_due():
            self._status.show(self._position(examples, epoch, length))

    def _position(self, examples: int, epoch: int, length: int | None) -> RenderableType:
        name = f"pass {epoch:,} of {self.epochs:,}" if self.epochs > 1 else ""
        if length is None:
            name = f", {name}" if name else ""
            return _dim(f"{examples:>13,}{name} … Ctrl-C saves what was learned")
        done, seconds = examples - (epoch - 1) * length, time.perf_counter() - self._pass_start[1]
        width, hint = self.console.width, "Ctrl-C saves"
        return progress_bar(f"{name:>13}", done, length, seconds, width, hint)

    def end_pass(self, epoch: int, mistakes: int, updates: int) -> None:
        """Sum up a pass, at 2, 4, 8, … passes and where it was the last."""
        self._status.stop()
        if epoch & (epoch - 1) == 0 or updates == 0 or epoch == self.epochs:
            counts = f"{fmt.count(mistakes, 'mistake')}, "
            counts += fmt.count(updates, "update")
            self.console.print(f"{'pass ' + format(epoch, ','):>13}   {counts}")

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
        return (
            f"{new / (time.perf_counter() - self._printed_at):,.0f}"
            if new >= _MIN_TIMED_EXAMPLES
            else ""
        )


def _dim(text: str) -> Text:
    return Text(text, "dim")


def _format_norm(norm: float) -> str:
    """A length in at most eight letters, below 10¹⁰⁰."""
    text = f"{norm:.4g}"
    return f"{norm:.2e}" if "e" in text else text
