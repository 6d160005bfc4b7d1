"""Where people see it: standard output for results, standard error for everything else.

A console whose reader may go away.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO, cast

from rich.console import Console

MAX_WIDTH = 100
"""No screen is wider, however wide the terminal."""


def stdout(quiet: bool = False) -> Console:
    """Standard output, for results."""
    return _console(sys.stdout, quiet)


def stderr(quiet: bool = False) -> Console:
    """Standard error, for everything else."""
    return _console(sys.stderr, quiet)


def _console(file: TextIO, quiet: bool) -> Console:

    console = PipeSafeConsole(file=file, quiet=quiet, highlight=False, emoji=False)
    console.width = min(console.width, MAX_WIDTH)
    return console


def silence(file: TextIO) -> None:
    """Let what is still to be written go nowhere, so that nobody complains at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file.fileno())
    os.close(nowhere)


def error(message: str) -> None:
    """One line on what went wrong."""
    print_line("error", message, "bold red")


def note(message: str) -> None:
    """One line on what should be known."""
    print_line("note", message, "yellow")


def print_line(kind: str, message: str, style: str) -> None:
    """One line on standard error: what kind it is of, then the message."""
    from rich.text import Text

    stderr().print(Text.assemble((f"{kind}:", style), " ", message), soft_wrap=True)


class PipeSafeConsole(Console):
    """A console that falls silent when nobody reads it any more.

    A result that nobody reads ends the command; messages that nobody reads do not.
    """

    def on_broken_pipe(self) -> None:
        """The reader is gone."""
        self.quiet = True
        file = cast(TextIO, self.file)
        silence(file)
        if file is sys.stdout:
            raise BrokenPipeError
