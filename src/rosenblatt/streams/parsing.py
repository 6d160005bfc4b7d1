"""A source through a compiled parser: the rows before the first fault, then the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from numpy.typing import NDArray

from rosenblatt.streams.ahead import mapped_ahead
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.lines import BROKEN, BadByte, bad_byte, broken, text_before
from rosenblatt.streams.sources import Text

if TYPE_CHECKING:
    from rosenblatt.scanning import TextError


class _Parsed(Protocol):
    @property
    def labels(self) -> NDArray[Any]: ...
    @property
    def lines(self) -> int: ...
    @property
    def plain(self) -> bool: ...


class Texts(Protocol):
    """Where texts come from: see :class:`rosenblatt.streams.sources.File`."""

    name: str
    each: int

    def texts(self) -> Iterator[Text]:
        """All lines, from the first, in texts of whole lines."""


P = TypeVar("P", bound=_Parsed)


class Part(NamedTuple, Generic[P]):
    """Some rows of a source: what was parsed of a text, and the number of its first line."""

    parsed: P
    text: Text
    first_line: int


def parts(
    source: Texts, parse: Callable[[bytes], P], nothing: str = "no rows."
) -> Iterator[Part[P]]:
    r"""The rows of a source, parsed by threads ahead of who asks for them.

    Parameters
    ----------
    source : File, Pipe, or what cuts their texts in another way
    parse : callable
        Raises a ``TextError``; what it returns tells whether all bytes are ``plain``.
    nothing : str, default "no rows."
        What to say where there are none.

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
        raise DataError(source.name, None, None, nothing)


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
        try:
            parsed = parse(text_before(text, fault.line))
        except TextError as torn:  # the record with the fault began on a line before
            parsed = parse(text_before(text, torn.line))
    return parsed, fault
