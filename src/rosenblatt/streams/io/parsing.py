"""A source through a compiled parser: the rows before the first fault, then the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from numpy.typing import NDArray

from rosenblatt.streams.core.bad_rows import BadRows
from rosenblatt.streams.core.errors import BadLine, Fault
from rosenblatt.streams.io.files import ChunkLoader
from rosenblatt.streams.io.lines import (
    READ_ERRORS,
    find_bad_byte,
    lines_before,
    read_error,
    split_bad_lines,
)
from rosenblatt.streams.io.prefetch import prefetch_map

if TYPE_CHECKING:
    from rosenblatt.engine.text.scanning import TextError


class _ParsedRows(Protocol):
    @property
    def labels(self) -> NDArray[Any]: ...
    @property
    def lines(self) -> int: ...
    @property
    def plain(self) -> bool: ...


class ChunkSource(Protocol):
    """Where texts come from: see :class:`rosenblatt.streams.io.files.File`."""

    name: str
    each: int

    def texts(self) -> Iterator[ChunkLoader]:
        """All lines, from the first, in texts of whole lines."""


P = TypeVar("P", bound=_ParsedRows)


class ParsedChunk(NamedTuple, Generic[P]):
    """Some rows of a source: what was parsed of a text, and the number of its first line.

    Where bad rows were left out of the text, their lines are blank in it.
    """

    parsed: P
    text: ChunkLoader
    first_line: int


def parse_ahead(
    source: ChunkSource,
    parse: Callable[[bytes], P],
    bad: BadRows | None = None,
    empty_message: str = "no rows.",
) -> Iterator[ParsedChunk[P]]:
    r"""The rows of a source, parsed by threads ahead of who asks for them.

    Parameters
    ----------
    source : File, Pipe, or what cuts their texts in another way
    parse : callable
        Raises a ``TextError``; what it returns tells whether all bytes are ``plain``. Blank lines
        are nothing to it.
    bad : BadRows, optional
        What becomes of rows that cannot be read. By default the first is an error.
    empty_message : str, default "no rows."
        What to say where there are none.

    Raises
    ------
    DataError
        A line is wrong, the source cannot be read, or has no rows. The rows before come out first.

    Examples
    --------
    >>> from rosenblatt.streams.io.files import Pipe
    >>> from rosenblatt.engine.text.svmlight import parse
    >>> source = Pipe("demo", iter([b"1 1:2\n", b"-1 3:4\n"]), 6)
    >>> [(part.parsed.labels.tolist(), part.first_line) for part in parse_ahead(source, parse)]
    [([1.0], 1), ([-1.0], 2)]
    """
    bad = bad or BadRows(source.name)
    bad.begin()
    rows = 0
    for chunk, faults in _parse_chunks(source, partial(_parse_chunk, parse, bad.skips)):
        if len(chunk.parsed.labels):
            rows += len(chunk.parsed.labels)
            yield chunk
        bad.flush([bad.of(fault, chunk.first_line) for fault in faults])
    bad.end(rows, empty_message)


_ChunkResult = tuple[P, ChunkLoader, list[BadLine]]
"""What was parsed of a text, the text without its bad lines, and these."""


def _parse_chunks(
    source: ChunkSource, read: Callable[[ChunkLoader], _ChunkResult[P]]
) -> Iterator[tuple[ParsedChunk[P], list[BadLine]]]:
    line = 1
    try:
        for _, (parsed, text, faults) in prefetch_map(read, source.texts(), source.each):
            yield ParsedChunk(parsed, text, line), faults
            line += parsed.lines
    except READ_ERRORS as failure:
        raise read_error(source.name, line, failure) from failure


def _parse_chunk(parse: Callable[[bytes], P], skips: bool, load: ChunkLoader) -> _ChunkResult[P]:
    from rosenblatt.engine.text.scanning import TextError

    text = load()
    try:
        parsed = parse(text)
        if parsed.plain or find_bad_byte(text) is None:
            return parsed, load, []
    except TextError:
        pass
    good, faults = split_bad_lines(text, partial(_first_fault, parse), skips)
    return parse(good), lambda: good, faults


def _first_fault(parse: Callable[[bytes], P], text: bytes) -> Fault | None:
    fault, error = find_bad_byte(text), _text_error(parse, text)
    if error is not None and (fault is None or error.line < fault.line):
        return Fault(error.line, error.column, error.message, error.lines)
    cut_error = None if fault is None else _text_error(parse, lines_before(text, fault.line))
    if fault is None or cut_error is None:
        return fault
    # the record with the byte began on a line before
    before = fault.line - cut_error.line
    return fault._replace(lines=before + 1, before=before)


def _text_error(parse: Callable[[bytes], P], text: bytes) -> TextError | None:
    from rosenblatt.engine.text.scanning import TextError

    try:
        parse(text)
    except TextError as error:
        return error
    return None
