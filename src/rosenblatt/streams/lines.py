"""Bytes become blocks of whole lines, checked to be UTF-8 text without NUL bytes."""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Generator, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.streams.errors import DataError

_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)  # what opening and reading may raise


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


def blocks(name: str, pieces: Iterable[bytes], size: int) -> Generator[Block, None, None]:
    r"""Cut the pieces of a source into blocks of whole lines, each of about ``size`` bytes.

    A longer line is kept whole. A byte order mark is dropped. The lines before a bad place come
    out before its error is raised.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    pieces : iterable of bytes
    size : int

    Raises
    ------
    DataError
        The source cannot be opened or read, an archive is truncated or damaged, or a byte is NUL
        or not UTF-8.

    Examples
    --------
    >>> [block.text for block in blocks("name", [b"a\nb", b"c\nd"], 2)]
    [b'a\n', b'bc\n', b'd']
    """
    line = 1
    try:
        for text in _whole_lines(pieces, size):
            yield from _checked(name, line, text)
            line += _newlines(text)
    except _BROKEN as failure:
        raise DataError(name, line - 1 or None, None, _problem(failure, line)) from failure


def _whole_lines(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Whole lines, joined; where reading fails, the lines so far come out first."""
    held: list[bytes] = []
    length, has_line = 0, False
    try:
        for piece in pieces:
            held.append(piece)
            length += len(piece)
            has_line = has_line or b"\n" in piece
            if has_line and length >= size:
                text = b"".join(held)
                stop = text.rfind(b"\n") + 1
                held, length, has_line = [text[stop:]], len(text) - stop, False
                yield text[:stop]
    except _BROKEN:
        text = b"".join(held)
        yield text[: text.rfind(b"\n") + 1]
        raise
    yield b"".join(held)


def _newlines(text: bytes) -> int:
    """As ``text.count``, but several times as fast where lines are short."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))


def _checked(name: str, line: int, text: bytes) -> Iterator[Block]:
    """The text as a block; where a byte is bad, the lines before it, then the error."""
    if line == 1:
        text = text.removeprefix(codecs.BOM_UTF8)
    bad, problem = _bad_byte(text)
    stop = len(text) if bad is None else text.rfind(b"\n", 0, bad) + 1
    if stop:
        yield Block(line, text[:stop])
    if bad is not None:
        raise DataError(name, line + text.count(b"\n", 0, bad), bad - stop + 1, problem)


_MAGIC = {
    b"\x1f\x8b": ("gzip", ".gz"),
    b"BZh": ("bzip2", ".bz2"),
    b"\xfd7zXZ": ("xz", ".xz"),
    b"PK\x03\x04": ("zip", None),
    b"\x28\xb5\x2f\xfd": ("zstandard", None),
    b"PAR1": ("Parquet", None),
}


def _bad_byte(text: bytes) -> tuple[int | None, str]:
    """Where the first byte is that is not text, and what to say; None where there is none."""
    for magic, (kind, suffix) in _MAGIC.items():
        if text.startswith(magic) and not text[:64].isascii():
            way = f"name it …{suffix}, or " if suffix else ""
            return 0, f"found {kind} data, expected text: {way}decompress it first."
    nul = text.find(0)
    if nul >= 0:
        text = text[:nul]
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            found = f"found the byte 0x{text[error.start]:02x}"
            return error.start, f"{found}, expected UTF-8: convert the file to UTF-8."
    if nul >= 0:
        return nul, "found a NUL byte, expected text: it is binary, UTF-16 or damaged."
    return None, ""


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
