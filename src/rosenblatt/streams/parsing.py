"""A source through a compiled parser: the rows before the first fault, then the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.ahead import mapped_ahead
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.lines import BROKEN, BadByte, bad_byte, broken, text_before
from rosenblatt.streams.sources import Source, Text

if TYPE_CHECKING:
    from rosenblatt.scanning import TextError


class _Parsed(Protocol):
    @property
    def labels(self) -> NDArray[np.float64]: ...
    @property
    def lines(self) -> int: ...
    @property
    def plain(self) -> bool: ...


P = TypeVar("P", bound=_Parsed)


class Part(NamedTuple, Generic[P]):
    """Some rows of a source: what was parsed of a text, and the number of its first line."""

    parsed: P
    text: Text
    first_line: int


def parts(source: Source, parse: Callable[[bytes], P]) -> Iterator[Part[P]]:
    r"""The rows of a source, parsed by threads ahead of who asks for them.

    Parameters
    ----------
    source : File or Pipe
    parse : callable
        Raises a ``TextError``; what it returns tells whether all bytes are ``plain``.

    Raises
    ------
    DataError
        A line is wrong, the source cannot be read, or has no rows. The rows before come out first.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> from rosenblatt.svmtext import parse
    >>> source = Pipe("demo", iter([b"1 1:2\n", b"-1 3:4\n"]), 6)
    >>> [(part.parsed.labels.tolist(), part.first_line) for part in parts(source, parse)]
    [([1.0], 1), ([-1.0], 2)]
    """
    line, rows = 1, 0
    try:
        for text, (parsed, fault) in mapped_ahead(
            partial(_read, parse), source.texts(), source.each
        ):
            if len(parsed.labels):
                rows += len(parsed.labels)
                yield Part(parsed, text, line)
            if fault is not None:
                raise DataError(source.name, line + fault.line - 1, fault.column, fault.message)
            line += parsed.lines
    except BROKEN as failure:
        raise broken(source.name, line, failure) from failure
    if rows == 0:
        raise DataError(source.name, None, None, "no rows.")


def _read(parse: Callable[[bytes], P], load: Text) -> tuple[P, BadByte | TextError | None]:
    """The rows before the first fault of a text, and that fault."""
    from rosenblatt.scanning import TextError

    text = load()
    error: TextError | None = None
    try:
        parsed = parse(text)
        if parsed.plain:
            return parsed, None
    except TextError as caught:
        error = caught
    fault: BadByte | TextError | None = bad_byte(text)
    if fault is None or (error is not None and error.line < fault.line):
        fault = error
    if fault is not None:
        parsed = parse(text_before(text, fault.line))
    return parsed, fault
