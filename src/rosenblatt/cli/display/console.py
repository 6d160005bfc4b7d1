"""A console of rich without control characters and trailing blanks, which bears a closed pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO, cast

from rich.console import Console
from rich.segment import Segment

from rosenblatt.cli.display.fmt import printable
from rosenblatt.cli.display.screen import MAX_WIDTH, silence

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType


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
        """Yield the segments of a renderable, without control characters of names and labels.

        Lines end without the blanks that fill a table; one in a cell gets them again.
        """
        for segment in _trimmed(super().render(renderable, options)):
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


def _trimmed(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments without blanks before the ends of lines."""
    blanks: list[Segment] = []  # that something on the line may follow
    for segment in segments:
        text = re.sub(" +\n", "\n", segment.text)
        shown = text.rstrip(" ")
        if shown and not shown.startswith("\n"):
            yield from blanks
        if shown:
            yield segment._replace(text=shown)
            blanks = []
        if shown != text:
            blanks.append(segment._replace(text=text[len(shown) :]))
    yield from blanks
