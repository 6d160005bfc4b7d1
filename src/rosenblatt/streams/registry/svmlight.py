"""Svmlight text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import Text

_DECIMAL = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_ENTRY = rb"[0-9]+:" + _DECIMAL
_LABEL = _DECIMAL + rb"(?:[ \t]+qid:[0-9]+)?"
_ROW = rb"(?:" + _LABEL + rb"|" + _ENTRY + rb")(?:[ \t]+" + _ENTRY + rb")*[ \t\r]*(?:#.*)?"
_WITHOUT_LABEL = rb"(?:[ \t\r]*(?:#.*)?\n)*[ \t]*[0-9]+:"


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether all rows are entries ``index:value``, with a label or without.

    Examples
    --------
    >>> begins(b"1 2:3", [b"1 2:3", b"4:5"]), begins(b"1", [b"1"])
    (True, False)
    """
    return any(b":" in row for row in rows) and all(re.fullmatch(_ROW, row) for row in rows)


def begins_without_label(head: bytes) -> bool:
    r"""Return whether the first row begins with ``index:value``.

    Examples
    --------
    >>> begins_without_label(b"# no labels\n\n1:0.5 7:2\n"), begins_without_label(b"1 7:2\n")
    (True, False)
    """
    return re.match(_WITHOUT_LABEL, head) is not None


def open_lines(text: Text) -> Stream:
    """Return the rows; without labels only if the first row has none."""
    from rosenblatt.streams.formats.svmlight import SvmlightStream

    labelled = text.options.labelled or not begins_without_label(text.head.text)
    return SvmlightStream(text.source, text.options._replace(labelled=labelled))


def write(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows, with the indices of the source or from 1."""
    from rosenblatt.streams.writers.output import write_lines
    from rosenblatt.streams.writers.sparse_text import SvmlightLines

    return write_lines(stream, path, SvmlightLines)


FORMATS = (
    Format(
        name="svmlight",
        title="svmlight text",
        contents="svmlight text",
        page="svmlight",
        options=("index_base", "bits"),
        rank=10,
        suffixes=(".svm", ".svmlight", ".libsvm"),
        begins=begins,
        open_lines=open_lines,
        write=write,
        written="svmlight text",
        written_as="lines",
    ),
)
