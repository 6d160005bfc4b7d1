"""Bytes become texts of whole lines, and blocks: texts that are numbered, and checked."""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from rosenblatt.streams.errors import DataError

BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""What opening and reading a source may raise."""


class Block(NamedTuple):
    r"""Whole lines; only the last line of a source may lack its end.

    Parameters
    ----------
    first_line : int
        The number of the first line, from 1.
    text : bytes

    Examples
    --------
    >>> Block(7, b"a\nb\n").first_line
    7
    """

    first_line: int
    text: bytes


def texts(pieces: Iterable[bytes], size: int) -> Generator[bytes, None, None]:
    r"""Cut the pieces of a source into texts of whole lines, each of about ``size`` bytes.

    A longer line is kept whole. A byte order mark is dropped. Where reading fails, the lines so far
    come out first.

    Parameters
    ----------
    pieces : iterable of bytes
    size : int

    Examples
    --------
    >>> list(texts([b"a\nb", b"c\nd"], 2))
    [b'a\n', b'bc\n', b'd']
    """
    begun = False
    for text in _whole_lines(pieces, size):
        yield text if begun else text.removeprefix(codecs.BOM_UTF8)
        begun = True


def _whole_lines(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    held: list[bytes] = []
    length, has_line = 0, False
    try:
        for piece in pieces:
            length += len(piece)
            stop = piece.rfind(b"\n") + 1
            if (stop or has_line) and length >= size:
                if not stop:
                    text = b"".join([*held, piece])
                    stop = text.rfind(b"\n") + 1
                    held, piece = [], text
                yield b"".join([*held, memoryview(piece)[:stop]])
                held, length, has_line = [piece[stop:]], len(piece) - stop, False
            else:
                held.append(piece)
                has_line = has_line or stop > 0
    except BROKEN:
        text = b"".join(held)
        yield text[: text.rfind(b"\n") + 1]
        raise
    yield b"".join(held)


def blocks(name: str, source: Iterable[Callable[[], bytes]]) -> Generator[Block, None, None]:
    r"""Number the lines of texts, and check them. The lines before a bad place come out first.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    source : iterable of callables
        Each gives whole lines.

    Raises
    ------
    DataError
        The source cannot be opened or read, an archive is truncated or damaged, or a byte is NUL
        or not UTF-8.

    Examples
    --------
    >>> [block.first_line for block in blocks("name", [lambda: b"a\nb\n", lambda: b"c\n"])]
    [1, 3]
    """
    line = 1
    try:
        for load in source:
            text = load()
            bad = bad_byte(text)
            good = text if bad is None else text_before(text, bad.line)
            if good:
                yield Block(line, good)
            if bad is not None:
                raise DataError(name, line + bad.line - 1, bad.column, bad.message)
            line += text.count(b"\n")
    except BROKEN as failure:
        raise broken(name, line, failure) from failure


def text_before(text: bytes, line: int) -> bytes:
    r"""The lines before ``line``, which counts from 1.

    Examples
    --------
    >>> text_before(b"a\nb\nc\n", 3)
    b'a\nb\n'
    """
    return text[: len(text) - len(text.split(b"\n", line - 1)[-1])]


class BadByte(NamedTuple):
    """A place that is not text, its line and column from 1, and what to say of it."""

    line: int
    column: int
    message: str


_MAGIC = {
    b"\x1f\x8b": ("gzip", "name it ….gz, or decompress it first."),
    b"BZh": ("bzip2", "name it ….bz2, or decompress it first."),
    b"\xfd7zXZ": ("xz", "name it ….xz, or decompress it first."),
    b"PK\x03\x04": ("zip", "decompress it first."),
    b"\x28\xb5\x2f\xfd": ("zstandard", "name it ….zst, or decompress it first."),
    b"PAR1": ("Parquet", "name it ….parquet."),
    b"ARROW1": ("Arrow", "name it ….arrow."),
}


def bad_byte(text: bytes) -> BadByte | None:
    r"""The first byte that is not text, if there is one.

    Examples
    --------
    >>> bad_byte(b"a\nb\0").message
    'found a NUL byte, expected text: it is binary, UTF-16 or damaged.'
    """
    for magic, (kind, way) in _MAGIC.items():
        if text.startswith(magic) and not text[:64].isascii():
            return BadByte(1, 1, f"found {kind} data, expected text: {way}")
    nul = text.find(0)
    checked = text if nul < 0 else text[:nul]
    if not checked.isascii():
        try:
            checked.decode()
        except UnicodeDecodeError as error:
            found = f"found the byte 0x{text[error.start]:02x}"
            return _bad(text, error.start, f"{found}, expected UTF-8: convert the file to UTF-8.")
    if nul >= 0:
        return _bad(text, nul, "found a NUL byte, expected text: it is binary, UTF-16 or damaged.")
    return None


def _bad(text: bytes, place: int, message: str) -> BadByte:
    before = text[:place]
    return BadByte(before.count(b"\n") + 1, place - before.rfind(b"\n"), message)


def broken(name: str, line: int, failure: Exception) -> DataError:
    """The error of a source that cannot be read from ``line`` on."""
    return DataError(name, line - 1 or None, None, _problem(failure, line))


def _problem(failure: Exception, line: int) -> str:
    if isinstance(failure, OSError) and failure.errno is not None:
        return f"cannot be read: {failure.strerror}."
    if line == 1 and "not" in str(failure).lower():  # "Not a gzipped file", and its like
        return (
            f"is damaged from its first byte on, or no archive of its suffix's kind ({failure}): "
            "fetch it again, or name it for what it is."
        )
    where = f"after line {line - 1}" if line > 1 else "before its first line ends"
    return f"the archive is truncated or damaged {where} ({failure}): make or fetch it again."
