"""Rows on their way into the log and the model: values of Python, or parsed by the core.

A parsed row is numbers by name, ready to be learned, and the bytes that the log keeps. Whatever
needs more of it reads these bytes, as a replay does.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from rosenblatt.engine.serving.examples import Block, ExampleParser
from rosenblatt.serve.schema import LARGEST, MAX_FEATURES, MAX_WORD, Label
from rosenblatt.serve.store.log import Row, decode_row, encode_row

LONGEST = 2**17
"""Bytes of a line that the core parses: a longer one takes more than a turn of the loop."""

_parser = ExampleParser(
    MAX_FEATURES, MAX_WORD, LARGEST
)  # a word has no fewer bytes than characters


class PlainRows:
    """Examples in order, checked, of which Python has the values.

    Parameters
    ----------
    rows : list

    Attributes
    ----------
    labels : list
    """

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self.labels: list[Label] = [label for _, label, _ in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: int) -> Row:
        return self._rows[i]

    def body(self, i: int) -> bytes:
        """Return what the log keeps of a row."""
        return self._encoded[i]

    @property
    def kinds(self) -> set[tuple[type, type]]:
        """Types of the features of a row and of its label."""
        return {(type(features), type(label)) for features, label, _ in self._rows}

    @cached_property
    def bodies(self) -> bytes:
        """What the log keeps of each, one after the other."""
        return b"".join(self._encoded)

    @cached_property
    def ends(self) -> array[int]:
        """Where each body ends."""
        return array("q", accumulate(map(len, self._encoded)))

    @cached_property
    def _encoded(self) -> list[bytes]:
        return [encode_row(row) for row in self._rows]


class ParsedRows:
    """The same as :class:`PlainRows`, of a block that the core has parsed."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def extend(self, other: ParsedRows) -> None:
        """Add other rows, which are none then; neither has been read before."""
        self.block.extend(other.block)

    @property
    def labels(self) -> list[Label]:
        """Labels of the rows."""
        return self.block.labels

    @cached_property
    def bodies(self) -> bytes:
        """What the log keeps of each, one after the other."""
        return self.block.bodies

    @cached_property
    def ends(self) -> memoryview[int]:
        """Where each body ends."""
        return memoryview(self.block.ends).cast("q")

    def __len__(self) -> int:
        return len(self.block)

    def __getitem__(self, i: int) -> Row:
        return decode_row(self.body(i))

    def body(self, i: int) -> bytes:
        """Return what the log keeps of a row."""
        return self.bodies[self.ends[i - 1] if i else 0 : self.ends[i]]

    @property
    def kinds(self) -> set[tuple[type, type]]:
        """Types of the features of a row and of its label."""
        return {(dict, kind) for kind in set(map(type, self.labels))}


Rows: TypeAlias = PlainRows | ParsedRows


def parse_examples(lines: list[bytes]) -> tuple[ParsedRows, list[int]]:
    """Return the examples of lines, and the places of those that must be decoded.

    Examples
    --------
    >>> rows, left = parse_examples([b'{"features": {"size": 3}, "label": "ham"}', b'{"label": 1}'])
    >>> rows[0], left
    (({'size': 3.0}, 'ham', 1.0), [1])
    """
    if max(map(len, lines)) > LONGEST:
        lines = [line if len(line) <= LONGEST else b"" for line in lines]
    block, left = _parser.parse(lines)
    return ParsedRows(block), left


def parts(rows: Rows, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of runs of rows, each of some more bytes than ``most`` but the last.

    Examples
    --------
    >>> rows = PlainRows([({"a": 1.0}, "b", 1.0)] * 5)
    >>> rows.ends.tolist(), list(parts(rows, 40))
    ([24, 48, 72, 96, 120], [(0, 2), (2, 4), (4, 5)])
    """
    start, before, ends = 0, 0, rows.ends
    while start < len(ends):
        stop = min(bisect_right(ends, before + most, start) + 1, len(ends))
        yield start, stop
        start, before = stop, ends[stop - 1]
