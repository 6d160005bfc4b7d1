"""Vowpal Wabbit text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import Text

_DECIMAL = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TAG = rb"'[^\s|:]+[ \t]*"
_LABEL = _DECIMAL + rb"(?:[ \t]+" + _DECIMAL + rb")?(?:[ \t]*|[ \t]+[^\s|:]+|[ \t]+" + _TAG + rb")"
_NAMESPACE = rb"[|](?:[^\s|:]+(?::" + _DECIMAL + rb")?)?(?=[ \t]|\Z)[^|]*"
_ROW = rb"(?:" + _LABEL + rb"|" + _TAG + rb")?(?:" + _NAMESPACE + rb")+"
_FEATURES = rb"[|][^\s|]*[ \t]"


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether all rows are namespaces behind bars, with a label or a tag or without.

    Examples
    --------
    >>> row = b"1 2.5 'mail7|words spam offer:2"
    >>> begins(row, [row]), begins(b"age|work|y", [b"age|work|y"])
    (True, False)
    """
    has_features = any(re.search(_FEATURES, row) for row in rows)
    return has_features and all(re.fullmatch(_ROW, row) for row in rows)


def open_lines(text: Text) -> Stream:
    """Return the rows, in chunks that suit their number of pairs."""
    from rosenblatt.streams.formats.vowpal_wabbit import VwStream, fit_chunks

    return VwStream(fit_chunks(text.source, text.head.text, text.options), text.options)


def write(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows, with the names of their features."""
    from rosenblatt.streams.writers.output import write_lines
    from rosenblatt.streams.writers.sparse_text import VowpalWabbitLines

    return write_lines(stream, path, VowpalWabbitLines)


FORMATS = (
    Format(
        name="vw",
        title="Vowpal Wabbit text",
        contents="Vowpal Wabbit text: names, namespaces, importances",
        page="vw",
        options=("bits", "interactions"),
        rank=20,
        suffixes=(".vw",),
        begins=begins,
        open_lines=open_lines,
        write=write,
        written="Vowpal Wabbit text",
        written_as="lines",
    ),
)
