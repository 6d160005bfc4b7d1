"""Consoles for standard output (results) and standard error (everything else)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO, cast

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from rosenblatt.cli.display.fmt import printable

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType

MAX_WIDTH = 100
"""Columns of the widest output, however wide the terminal is."""


class SafeConsole(Console):
    """A console that escapes control characters, and stops writing when the pipe is closed.

    On standard output a closed pipe ends the command; on standard error it does not.
    """

    def __init__(self, file: TextIO, quiet: bool) -> None:
        super().__init__(file=file, quiet=quiet, highlight=False, emoji=False)
        self.width = min(self.width, MAX_WIDTH)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the segments of a renderable, without control characters of names and labels."""
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or text.isprintable():
                yield segment
            else:
                safe = "\n".join(map(printable, text.split("\n")))
                yield Segment(safe, segment.style)

    def on_broken_pipe(self) -> None:
        """Silence the console; raise BrokenPipeError for standard output only."""
        self.quiet = True
        file = cast(TextIO, self.file)
        silence(file)
        if file is sys.stdout:
            raise BrokenPipeError


def stdout(quiet: bool = False) -> Console:
    """Return a console on standard output, for results."""
    return SafeConsole(sys.stdout, quiet)


def stderr(quiet: bool = False) -> Console:
    """Return a console on standard error, for progress, notes and errors."""
    return SafeConsole(sys.stderr, quiet)


def silence(file: TextIO) -> None:
    """Redirect ``file`` to the null device, so that flushing it at exit raises no error."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, file.fileno())
    os.close(null)


class NoteHandler(logging.Handler):
    """A handler that prints records of the library's logger as notes."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        note(record.getMessage())


def log_as_notes(quiet: bool = False) -> None:
    """Print what the library logs as notes on standard error, or nothing."""
    logger = logging.getLogger("rosenblatt")
    logger.propagate = False
    logger.handlers = [logging.NullHandler() if quiet else NoteHandler()]


def error(message: str) -> None:
    """Print one line that starts with "error:" on standard error."""
    print_line("error", message, "bold red")


def note(message: str) -> None:
    """Print one line that starts with "note:" on standard error."""
    print_line("note", message, "yellow")


def print_line(kind: str, message: str, style: str) -> None:
    """Print one line on standard error: the kind in the style, a colon, the message."""
    stderr().print(Text.assemble((f"{kind}:", style), " ", printable(message)), soft_wrap=True)
