"""Standard output (results) and standard error (everything else).

A console, which rich draws tables with, is imported where one is asked for; lines and help pages do
without.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING

from rosenblatt.cli.display.fmt import printable
from rosenblatt.cli.display.screen import has_styles, silence, style

if TYPE_CHECKING:
    from rich.console import Console


def stdout(quiet: bool = False) -> Console:
    """Return a console on standard output, for results."""
    from rosenblatt.cli.display.console import SafeConsole

    return SafeConsole(sys.stdout, quiet)


def stderr(quiet: bool = False) -> Console:
    """Return a console on standard error, for progress, notes and errors."""
    from rosenblatt.cli.display.console import SafeConsole

    return SafeConsole(sys.stderr, quiet)


def print_json(record: dict[str, object]) -> None:
    """Print the one object of ``--json``."""
    print(json.dumps(record, ensure_ascii=False))


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


def print_line(kind: str, message: str, words: str) -> None:
    """Print one line on standard error: the kind in a :func:`style`, a colon, the message.

    URLs in it have no user and no query, where signatures stand.
    """
    if "://" in message:
        from rosenblatt.streams.core.access import shown

        message = shown(message)
    kind = f"{kind}:"
    try:
        print(
            style(kind, words) if has_styles(sys.stderr) else kind,
            printable(message),
            file=sys.stderr,
        )
    except BrokenPipeError:
        silence(sys.stderr)
