"""Examples that the core has parsed, beside those of which Python has every value.

A parsed row is numbers by name, ready to be learned, and the bytes that the log keeps. Whatever
needs more of it reads these bytes, as a replay does.
"""

from __future__ import annotations

from typing import TypeAlias

from rosenblatt.engine.serving.examples import ExampleParser, ParsedRow
from rosenblatt.serve.schema import LARGEST, MAX_FEATURES, MAX_WORD, Label
from rosenblatt.serve.store.log import Row, decode_row, encode_row

NewRow: TypeAlias = Row | tuple[ParsedRow, Label, float]
"""Features, label and weight of an example that is to be learned."""

LONGEST = 2**17
"""Bytes of a line that the core parses; it takes as long as a turn of the loop."""

_parser = ExampleParser(
    MAX_FEATURES, MAX_WORD, LARGEST
)  # bytes of a word are no fewer than characters


def parse_examples(lines: list[bytes]) -> list[NewRow | None]:
    """Return the row of each line, checked; None of one that must be decoded.

    Examples
    --------
    >>> row, _ = parse_examples([b'{"features": {"size": 3}, "label": "ham"}', b'{"features": 1}'])
    >>> plain(row)
    ({'size': 3.0}, 'ham', 1.0)
    """
    if max(map(len, lines)) > LONGEST:
        lines = [line if len(line) <= LONGEST else b"" for line in lines]
    return [*_parser.parse(lines)]


def is_parsed(row: NewRow) -> bool:
    """Return whether the core has parsed a row."""
    return type(row[0]) is ParsedRow


def plain(row: NewRow) -> Row:
    """Return a row with all values."""
    features, label, weight = row
    return (
        decode_row(features.body) if isinstance(features, ParsedRow) else (features, label, weight)
    )


def body_of(row: NewRow) -> bytes:
    """Return what the log keeps of an example."""
    features, label, weight = row
    return (
        features.body if isinstance(features, ParsedRow) else encode_row((features, label, weight))
    )
