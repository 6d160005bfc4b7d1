"""Tables whose columns are separated by blanks, any number of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rosenblatt.streams.io.files import ChunkLoader, preloaded

BLANKS = " "
"""The separator that stands for any number of blanks and tabs."""

_QUOTED_OR_BLANKS = re.compile(rb'("[^"\n]*")|[ \t]+')
_CELL = re.compile(rb'"[^"]*"|[^\s"]+')
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TWO_NUMBERS = re.compile(rb" *" + _NUMBER.pattern + rb" +" + _NUMBER.pattern + rb"(?: |\Z)")
_OTHER_SEPARATORS = re.compile(rb"[,;|]")


def is_blank_separated(rows: list[bytes], *, has_header: bool) -> bool:
    r"""Return whether rows are a table whose cells have only blanks between them.

    Every row has the same number of cells, two or more, and no other separator; below a header,
    whose cells are no numbers, every row has a number. Rows with equally many tabs are so only if
    one cell between tabs begins with two numbers in each of them.

    Examples
    --------
    >>> is_blank_separated([b" 5.1  3.5 setosa", b"6.0 2.2  versicolor"], has_header=False)
    True
    >>> is_blank_separated([b"two words", b"or three"], has_header=True)
    False
    """
    cells = [_CELL.findall(row) for row in rows]
    widths = {len(one) for one in cells}
    unquoted = [re.sub(rb'"[^"]*"', b"", row) for row in rows]
    if len(widths) != 1 or widths == {1} or any(map(_OTHER_SEPARATORS.search, unquoted)):
        return False
    if len({row.count(b"\t") for row in rows}) == 1 and b"\t" in rows[0]:
        by_tabs = zip(*(row.split(b"\t") for row in rows), strict=True)
        if not any(all(map(_TWO_NUMBERS.match, column)) for column in by_tabs):
            return False
    numbers = [any(map(_NUMBER.fullmatch, one)) for one in cells]
    return not has_header or (len(rows) > 1 and not numbers[0] and all(numbers[1:]))


def tab_chunks(chunks: Iterable[ChunkLoader]) -> Iterator[ChunkLoader]:
    r"""Yield texts whose lines have one tab for the blanks between two cells, and none at the ends.

    Examples
    --------
    >>> [load() for load in tab_chunks([preloaded(b' 18.0   8\t"ford  torino"\n')])]
    [b'18.0\t8\t"ford  torino"\n']
    """
    for load in chunks:
        yield preloaded(with_tabs(load()))


def with_tabs(text: bytes) -> bytes:
    r"""Return lines with one tab for the blanks between two cells, and none at the ends.

    Examples
    --------
    >>> with_tabs(b" 5.1  3.5 setosa\n")
    b'5.1\t3.5\tsetosa\n'
    """
    if b'"' in text:
        text = _QUOTED_OR_BLANKS.sub(lambda match: match[1] or b"\t", text)
    else:
        text = _QUOTED_OR_BLANKS.sub(b"\t", text)
    return re.sub(rb"^\t|\t(?=\r?$)", b"", text, flags=re.MULTILINE)
