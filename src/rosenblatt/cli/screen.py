"""Where people see it: standard output for results, standard error for everything else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 100
"""No screen is wider, however wide the terminal."""


def output(quiet: bool = False) -> Console:
    """Standard output, for results."""
    return _console(sys.stdout, quiet)


def messages(quiet: bool = False) -> Console:
    """Standard error, for everything else."""
    return _console(sys.stderr, quiet)


def _console(file: Any, quiet: bool) -> Console:
    from rich.console import Console

    console = Console(file=file, quiet=quiet, highlight=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def complain(message: str) -> None:
    """One line on what went wrong."""
    say("error", message, "bold red")


def note(message: str) -> None:
    """One line on what should be known."""
    say("note", message, "yellow")


def say(kind: str, message: str, style: str) -> None:
    """One line on standard error: what kind it is of, then the message."""
    from rich.text import Text

    messages().print(Text.assemble((f"{kind}:", style), " ", message), soft_wrap=True)
