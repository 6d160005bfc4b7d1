"""Parallel parsing of a source by a compiled parser, and the search for its bad rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from rosenblatt.engine.text.scanning import TextError
from rosenblatt.streams.core.bad_rows import BadRows
from rosenblatt.streams.core.errors import TextFault
from rosenblatt.streams.io.files import ChunkLoader, Source, preloaded
from rosenblatt.streams.io.lines import (
    READ_ERRORS,
    find_bad_byte,
    lines_before,
    read_error,
    split_bad_lines,
)
from rosenblatt.streams.io.prefetch import prefetch_map
from rosenblatt.utils.arrays import Array


class _ParsedRows(Protocol):
    @property
    def labels(self) -> Array: ...
    @property
    def lines(self) -> int: ...
    @property
    def plain(self) -> bool: ...


P = TypeVar("P", bound=_ParsedRows)


class ParsedChunk(NamedTuple, Generic[P]):
    """Rows parsed from one chunk.

    Parameters
    ----------
    parsed : the parser's result
    load : callable
        Returns the text of the chunk, in which the lines of skipped rows are blank.
    first_line : int
    """

    parsed: P
    load: ChunkLoader
    first_line: int


def line_of_row(chunk: ParsedChunk[Any], row: int) -> int:
    """Return the number of the line on which a row begins, by the parser's ``starts``."""
    return chunk.first_line + chunk.load().count(b"\n", 0, int(chunk.parsed.starts[row]))


def parse_ahead(
    source: Source,
    parse: Callable[[bytes], P],
    bad: BadRows | None = None,
    chunks: Iterator[ChunkLoader] | None = None,
) -> Iterator[ParsedChunk[P]]:
    r"""Parse a source in threads, ahead of the consumer.

    Parameters
    ----------
    source : File or Pipe
    parse : callable
        Raises a ``TextError``; its result has a flag ``plain``: all bytes are ASCII. It skips blank
        lines.
    bad : BadRows, optional
        The policy for bad rows. By default the first is an error.
    chunks : iterator of loaders, optional
        The texts to parse, by default those of the source.

    Raises
    ------
    DataError
        A row is bad, or the source cannot be read. The rows before are yielded first.

    Examples
    --------
    >>> from rosenblatt.streams.io.files import Pipe
    >>> from rosenblatt.engine.text.svmlight import parse
    >>> source = Pipe("demo", iter([b"1 1:2\n", b"-1 3:4\n"]), 6)
    >>> [(chunk.parsed.labels.tolist(), chunk.first_line) for chunk in parse_ahead(source, parse)]
    [([1.0], 1), ([-1.0], 2)]
    """
    bad = bad or BadRows(source.name)
    bad.begin()
    read = partial(_parse_chunk, parse, bad.skips)
    parsed = _parse_chunks(source, chunks or source.chunks(), read)
    for chunk, faults in _cut_chunks(parsed, parse) if bad.in_order else parsed:
        if len(chunk.parsed.labels):
            yield chunk
        bad.report_all([bad.bad_row(fault, chunk.first_line) for fault in faults])


_ChunkResult = tuple[P, ChunkLoader, list[TextFault]]
"""The parser's result, a loader of the text without bad rows, and the faults of these."""


def _parse_chunks(
    source: Source, chunks: Iterator[ChunkLoader], read: Callable[[ChunkLoader], _ChunkResult[P]]
) -> Iterator[tuple[ParsedChunk[P], list[TextFault]]]:
    line = 1
    try:
        for parsed, load, faults in prefetch_map(read, chunks, source.prefetch_depth):
            yield ParsedChunk(parsed, load, line), faults
            line += parsed.lines
    except READ_ERRORS as error:
        raise read_error(source.name, line, error) from error


def _cut_chunks(
    chunks: Iterator[tuple[ParsedChunk[P], list[TextFault]]], parse: Callable[[bytes], P]
) -> Iterator[tuple[ParsedChunk[P], list[TextFault]]]:
    """Cut chunks at their bad rows, so that at most one follows each part."""
    for chunk, faults in chunks:
        if not faults:
            yield chunk, []
            continue
        lines = [line + b"\n" for line in chunk.load().split(b"\n")]
        begin = 0
        for fault in faults:
            end = fault.line - fault.before - 1
            text = b"".join(lines[begin:end])
            part = ParsedChunk(parse(text), preloaded(text), chunk.first_line + begin)
            yield part, [fault._replace(line=fault.line - begin)]
            begin = end
        text = b"".join(lines[begin:])
        yield ParsedChunk(parse(text), preloaded(text), chunk.first_line + begin), []


def _parse_chunk(parse: Callable[[bytes], P], skips: bool, load: ChunkLoader) -> _ChunkResult[P]:
    text = load()
    try:
        parsed = parse(text)
        if parsed.plain or find_bad_byte(text) is None:
            return parsed, load, []
    except TextError:
        pass
    good, faults = split_bad_lines(text, partial(_first_fault, parse), skips)
    return parse(good), lambda: good, faults


def _first_fault(parse: Callable[[bytes], P], text: bytes) -> TextFault | None:
    fault, error = find_bad_byte(text), _text_error(parse, text)
    if error is not None and (fault is None or error.line < fault.line):
        return TextFault(error.line, error.column, error.message, error.lines)
    cut_error = None if fault is None else _text_error(parse, lines_before(text, fault.line))
    if fault is None or cut_error is None:
        return fault
    # the record that contains the byte began on an earlier line
    before = fault.line - cut_error.line
    return fault._replace(lines=before + 1, before=before)


def _text_error(parse: Callable[[bytes], P], text: bytes) -> TextError | None:
    try:
        parse(text)
    except TextError as error:
        return error
    return None
