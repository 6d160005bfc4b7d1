"""A source through a compiled parser: the rows before the first fault, then the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from numpy.typing import NDArray

from rosenblatt.streams.core.bad_rows import BadRows
from rosenblatt.streams.core.errors import BadLine, Fault
from rosenblatt.streams.io.files import Text
from rosenblatt.streams.io.lines import BROKEN, bad_byte, broken, sifted, text_before
from rosenblatt.streams.io.prefetch import mapped_ahead

if TYPE_CHECKING:
    from rosenblatt.engine.text.scanning import TextError


class _Parsed(Protocol):
    @property
    def labels(self) -> NDArray[Any]: ...
    @property
    def lines(self) -> int: ...
    @property
    def plain(self) -> bool: ...


class Texts(Protocol):
    """Where texts come from: see :class:`rosenblatt.streams.io.files.File`."""

    name: str
    each: int

    def texts(self) -> Iterator[Text]:
        """All lines, from the first, in texts of whole lines."""


P = TypeVar("P", bound=_Parsed)


class Part(NamedTuple, Generic[P]):
    """Some rows of a source: what was parsed of a text, and the number of its first line.

    Where bad rows were left out of the text, their lines are blank in it.
    """

    parsed: P
    text: Text
    first_line: int


def parts(
    source: Texts,
    parse: Callable[[bytes], P],
    bad: BadRows | None = None,
    nothing: str = "no rows.",
) -> Iterator[Part[P]]:
    r"""The rows of a source, parsed by threads ahead of who asks for them.

    Parameters
    ----------
    source : File, Pipe, or what cuts their texts in another way
    parse : callable
        Raises a ``TextError``; what it returns tells whether all bytes are ``plain``. Blank lines
        are nothing to it.
    bad : BadRows, optional
        What becomes of rows that cannot be read. By default the first is an error.
    nothing : str, default "no rows."
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
    >>> [(part.parsed.labels.tolist(), part.first_line) for part in parts(source, parse)]
    [([1.0], 1), ([-1.0], 2)]
    """
    bad = bad or BadRows(source.name)
    bad.begin()
    rows = 0
    for part, faults in _parsed(source, partial(_read, parse, bad.skips)):
        if len(part.parsed.labels):
            rows += len(part.parsed.labels)
            yield part
        bad.settle([bad.of(fault, part.first_line) for fault in faults])
    bad.end(rows, nothing)


_Read = tuple[P, Text, list[BadLine]]
"""What was parsed of a text, the text without its bad lines, and these."""


def _parsed(
    source: Texts, read: Callable[[Text], _Read[P]]
) -> Iterator[tuple[Part[P], list[BadLine]]]:
    line = 1
    try:
        for _, (parsed, text, faults) in mapped_ahead(read, source.texts(), source.each):
            yield Part(parsed, text, line), faults
            line += parsed.lines
    except BROKEN as failure:
        raise broken(source.name, line, failure) from failure


def _read(parse: Callable[[bytes], P], skips: bool, load: Text) -> _Read[P]:
    from rosenblatt.engine.text.scanning import TextError

    text = load()
    try:
        parsed = parse(text)
        if parsed.plain or bad_byte(text) is None:
            return parsed, load, []
    except TextError:
        pass
    good, faults = sifted(text, partial(_first_fault, parse), skips)
    return parse(good), lambda: good, faults


def _first_fault(parse: Callable[[bytes], P], text: bytes) -> Fault | None:
    fault, error = bad_byte(text), _error_of(parse, text)
    if error is not None and (fault is None or error.line < fault.line):
        return Fault(error.line, error.column, error.message, error.lines)
    torn = None if fault is None else _error_of(parse, text_before(text, fault.line))
    if fault is None or torn is None:
        return fault
    # the record with the byte began on a line before
    before = fault.line - torn.line
    return fault._replace(lines=before + 1, before=before)


def _error_of(parse: Callable[[bytes], P], text: bytes) -> TextError | None:
    from rosenblatt.engine.text.scanning import TextError

    try:
        parse(text)
    except TextError as error:
        return error
    return None
