"""The progressive table: one line at 1, 2, 4, 8, … examples, and where it is in between."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.text import Text

from rosenblatt.cli import words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

    from rosenblatt.progressive import Line

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
_FEW = 16  # examples whose speed says nothing
_REFRESH = 0.1  # seconds between two looks at where it is


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
        self._live: Live | None = None
        self._shows_place = console.is_interactive and console.file.isatty() and not console.quiet
        self._printed = self._looked = time.perf_counter()

    def __enter__(self) -> Self:
        if self._shows_place:
            self._show(f"{'getting ready;':>13} the first time, this compiles …")
        return self

    def __exit__(self, *error: object) -> None:
        self._hide()

    def add(self, line: Line) -> None:
        """Print a line of the first pass, unless it is there already."""
        if not self.lines:
            self._print_header()
        elif line.examples == self.lines[-1].examples:
            return
        if line.updates:  # the loop is there
            self._hide()
        self._print_line(line)
        self.lines.append(line)
        self._printed = time.perf_counter()

    def at(self, examples: int, epoch: int) -> None:
        """Say how far it is, on a terminal, but not too often."""
        now = time.perf_counter()
        if not (self._shows_place and examples) or now - self._looked < _REFRESH:
            return
        self._looked = now
        place = f", pass {epoch:,} of {self.epochs:,}" if self.epochs > 1 else ""
        self._show(f"{examples:>13,}{place} … Ctrl-C saves what was learned")

    def end_pass(self, epoch: int, mistakes: int, updates: int) -> None:
        """Sum up a pass, at 2, 4, 8, … passes and where it was the last."""
        if epoch & (epoch - 1) == 0 or updates == 0 or epoch == self.epochs:
            made = f"{words.count(mistakes, 'mistake')}, {words.count(updates, 'update')}"
            self.console.print(f"{'pass ' + format(epoch, ','):>13}   {made}")

    def _show(self, text: str) -> None:
        """Keep a line below the table."""
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Text(text, "dim"), refresh=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _print_header(self) -> None:
        for row in (0, 1):
            names = (f"{column[row]:>{column[2]}}" for column in _COLUMNS)
            self.console.print(Text("".join(names), "dim"), soft_wrap=True)

    def _print_line(self, line: Line) -> None:
        cells = (
            f"{line.examples:,}",
            words.percent(line.error),
            words.interval(line.low, line.high),
            words.percent(line.since),
            self._speed(line),
            f"{line.updates:,}",
            _short(line.norm),
        )
        text = Text()
        for cell, (_, _, width, style) in zip(cells, _COLUMNS, strict=True):
            text.append(f"{cell:>{width}}", style)
        self.console.print(text, soft_wrap=True)

    def _speed(self, line: Line) -> str:
        new = line.examples - (self.lines[-1].examples if self.lines else 0)
        return f"{new / (time.perf_counter() - self._printed):,.0f}" if new >= _FEW else ""


def _short(norm: float) -> str:
    """A length in at most eight letters, below 10¹⁰⁰."""
    text = f"{norm:.4g}"
    return f"{norm:.2e}" if "e" in text else text
