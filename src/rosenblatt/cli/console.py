"""A console whose reader may go away."""

from __future__ import annotations

import sys
from typing import TextIO, cast

from rich.console import Console

from rosenblatt.cli.screen import drop


class Screen(Console):
    """A console that falls silent when nobody reads it any more.

    A result that nobody reads ends the command; messages that nobody reads do not.
    """

    def on_broken_pipe(self) -> None:
        """The reader is gone."""
        self.quiet = True
        file = cast(TextIO, self.file)
        drop(file)
        if file is sys.stdout:
            raise BrokenPipeError
