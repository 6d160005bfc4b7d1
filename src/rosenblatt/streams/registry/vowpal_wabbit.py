"""Vowpal Wabbit text."""

from __future__ import annotations

import re

from rosenblatt.streams.core.format import DECIMAL, Format, late

_TAG = rb"'[^\s|:]+[ \t]*"
_LABEL = DECIMAL + rb"(?:[ \t]+" + DECIMAL + rb")?(?:[ \t]*|[ \t]+[^\s|:]+|[ \t]+" + _TAG + rb")"
_NAMESPACE = rb"[|](?:[^\s|:]+(?::" + DECIMAL + rb")?)?(?=[ \t]|\Z)[^|]*"
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


FORMATS = (
    Format(
        name="vw",
        title="Vowpal Wabbit text",
        contents="Vowpal Wabbit text: names, namespaces, importances",
        page="vw",
        options=("bits", "interactions", "keep", "ignore"),
        rank=20,
        suffixes=(".vw",),
        begins=begins,
        cut_at_lines=True,
        open_lines=late("formats.vowpal_wabbit", "VwStream"),
        write=late("writers.sparse_text", "write_vowpal_wabbit"),
        written="Vowpal Wabbit text",
        written_as="lines",
    ),
)
