"""What a format is asked to open: a text whose first lines are read, or a file by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.features.encoding import Vocabulary
    from rosenblatt.streams.io.files import Source
    from rosenblatt.streams.io.lines import LineBlock


class Text(NamedTuple):
    """A source of lines, its first lines, and how to read them.

    Parameters
    ----------
    format : str
        The name of the format.
    source : File or Pipe
    head : LineBlock
    options : ReadOptions
    vocabulary : Vocabulary or None
        The columns so far, where columns are created as names appear.
    """

    format: str
    source: Source
    head: LineBlock
    options: ReadOptions
    vocabulary: Vocabulary | None = None


class NamedFile(NamedTuple):
    """The name of a source that is no text, and how to read it.

    Parameters
    ----------
    format : str
        The name of the format.
    name : str
    options : ReadOptions
    vocabulary : Vocabulary or None
        The columns so far, where columns are created as names appear.
    """

    format: str
    name: str
    options: ReadOptions
    vocabulary: Vocabulary | None = None
