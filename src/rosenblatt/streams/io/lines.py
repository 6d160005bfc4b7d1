"""Chunks and blocks of whole lines.

A chunk is a text of whole lines; a block is a chunk with the number of its first line, after a
check that its bytes are UTF-8 text.
"""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import NamedTuple

from rosenblatt.streams.core.errors import DataError, TextFault

READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""Exceptions of opening, reading and decompressing a source."""


class LineBlock(NamedTuple):
    r"""Numbered whole lines; only the last line of a source may lack its newline.

    Parameters
    ----------
    first_line : int
        The number of the first line, from 1.
    text : bytes
    bad : sequence of TextFault, default ()
        Skipped rows; their lines are blank in ``text``.

    Examples
    --------
    >>> LineBlock(7, b"a\nb\n").first_line
    7
    """

    first_line: int
    text: bytes
    bad: Sequence[TextFault] = ()


def line_chunks(pieces: Iterable[bytes], size: int) -> Generator[bytes, None, None]:
    r"""Cut a stream of bytes into chunks of whole lines, each of about ``size`` bytes.

    Longer lines are not cut. A byte order mark is dropped. The lines before a read error are
    yielded before it is raised.

    Parameters
    ----------
    pieces : iterable of bytes
    size : int

    Examples
    --------
    >>> list(line_chunks([b"a\nb", b"c\nd"], 2))
    [b'a\n', b'bc\n', b'd']
    """
    pending: list[bytes] = []
    length, has_line = 0, False
    mark = codecs.BOM_UTF8  # only the first chunk may begin with it
    try:
        for piece in pieces:
            length += len(piece)
            stop = piece.rfind(b"\n") + 1
            if (stop or has_line) and length >= size:
                if not stop:
                    text = b"".join([*pending, piece])
                    stop = text.rfind(b"\n") + 1
                    pending, piece = [], text
                yield b"".join([*pending, memoryview(piece)[:stop]]).removeprefix(mark)
                pending, length, has_line, mark = [piece[stop:]], len(piece) - stop, False, b""
            else:
                pending.append(piece)
                has_line = has_line or stop > 0
    except READ_ERRORS:
        text = b"".join(pending)
        yield text[: text.rfind(b"\n") + 1].removeprefix(mark)
        raise
    yield b"".join(pending).removeprefix(mark)


def line_blocks(
    name: str, texts: Iterable[bytes], skips: bool = False
) -> Generator[LineBlock, None, None]:
    r"""Number and check the lines of chunks; the lines before an error are yielded first.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    texts : iterable of bytes
        Chunks of whole lines.
    skips : bool, default False
        Whether lines that are not text are skipped; else the first is an error.

    Raises
    ------
    DataError
        The source cannot be opened, read or decompressed, or a byte is NUL or not UTF-8.

    Examples
    --------
    >>> [block.first_line for block in line_blocks("name", [b"a\nb\n", b"c\n"])]
    [1, 3]
    """
    line = 1
    try:
        for text in texts:
            if line == 1 and (problem := magic_problem(text)):
                raise DataError(name, problem, 1, 1)
            good, bad = text, list[TextFault]()
            if find_bad_byte(text) is not None:
                good, bad = split_bad_lines(text, find_bad_byte, skips)
            if good:
                yield LineBlock(line, good, bad if skips else ())
            if bad and not skips:
                fault = bad[0]
                raise DataError(name, fault.message, line + fault.line - 1, fault.column)
            line += text.count(b"\n")
    except READ_ERRORS as error:
        raise read_error(name, line, error) from error


def lines_before(text: bytes, line: int) -> bytes:
    r"""Return the lines before ``line``, which counts from 1.

    Examples
    --------
    >>> lines_before(b"a\nb\nc\n", 3)
    b'a\nb\n'
    """
    return text[: len(text) - len(text.split(b"\n", line - 1)[-1])]


_FIRST_STEP = 1 << 12  # bytes scanned after a bad line, doubled at each good step


def split_bad_lines(
    text: bytes, first_fault: Callable[[bytes], TextFault | None], skips: bool
) -> tuple[bytes, list[TextFault]]:
    r"""Separate a text from its bad rows.

    After a bad row the text is scanned in steps that double, so that many bad rows take linear
    time.

    Parameters
    ----------
    text : bytes
        Whole lines.
    first_fault : callable
        ``first_fault(lines)`` returns the first fault of some of the lines, or None.
    skips : bool
        Whether the lines of bad rows become blank, so that the other lines keep their numbers; else
        the text is cut before the first.

    Examples
    --------
    >>> good, bad = split_bad_lines(b"a\nb\0\nc\n", find_bad_byte, True)
    >>> good, [(line.line, line.row) for line in bad]
    (b'a\n\nc\n', [(2, b'b\x00')])
    """
    good, bad = [], []
    start, line, step = 0, 0, len(text)
    while start < len(text):
        stop = text.find(b"\n", start + step - 1) + 1 or len(text)
        piece = text[start:stop]
        fault = first_fault(piece)
        if fault is None:
            good.append(piece)
            line, start, step = line + piece.count(b"\n"), stop, 2 * step
            continue
        if fault.lines == 0 and stop < len(text):
            step *= 2
            continue
        begin, lines = fault.line - fault.before, max(1, fault.lines)
        before = lines_before(piece, begin)
        row = b"\n".join(piece[len(before) :].split(b"\n", lines)[:lines])
        good.append(before)
        bad.append(fault._replace(line=line + fault.line, row=row))
        if not skips:
            break
        good.append(b"\n" * lines)
        line, start = line + begin + lines - 1, start + len(before) + len(row) + 1
        step = _FIRST_STEP
    return b"".join(good), bad


_MAGIC = {
    b"\x1f\x8b": ("gzip", "name it ….gz, or decompress it first."),
    b"BZh": ("bzip2", "name it ….bz2, or decompress it first."),
    b"\xfd7zXZ": ("xz", "name it ….xz, or decompress it first."),
    b"PK\x03\x04": ("zip", "decompress it first, or save it as CSV if it is a workbook (.xlsx)."),
    b"\x28\xb5\x2f\xfd": ("zstandard", "name it ….zst, or decompress it first."),
    b"PAR1": ("Parquet", "name it ….parquet."),
    b"ARROW1": ("Arrow", "name it ….arrow."),
}


def magic_problem(text: bytes) -> str | None:
    r"""Return the problem of a source that begins as another kind of file does, or None.

    Other kinds are binary formats, by their magic bytes, UTF-16 with its mark, and text whose lines
    end with CR alone.

    Examples
    --------
    >>> magic_problem(b"BZh91AY&SY\xff")
    'found bzip2 data, expected text: name it ….bz2, or decompress it first.'
    """
    for magic, (kind, advice) in _MAGIC.items():
        if text.startswith(magic) and not text[:64].isascii():
            return f"found {kind} data, expected text: {advice}"
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _not_utf8(text[0], "utf-16")
    if b"\r" in text.strip() and b"\n" not in text:
        return (
            "found lines that end with a carriage return (CR) alone, expected LF or CRLF: convert "
            "them, for instance with tr '\\r' '\\n'."
        )
    return None


def find_bad_byte(text: bytes) -> TextFault | None:
    r"""Return the fault of the first byte that is not UTF-8 text, or None.

    Examples
    --------
    >>> find_bad_byte(b"a\nb\0").message
    'found a NUL byte, expected text: it is binary, UTF-16 or damaged.'
    """
    nul = text.find(0)
    checked = text if nul < 0 else text[:nul]
    if not checked.isascii():
        try:
            checked.decode()
        except UnicodeDecodeError as error:
            return _fault_at(text, error.start, _not_utf8(text[error.start], "cp1252"))
    if nul >= 0:
        return _fault_at(
            text, nul, "found a NUL byte, expected text: it is binary, UTF-16 or damaged."
        )
    return None


def _not_utf8(byte: int, charset: str) -> str:
    remedy = f"convert the file, for instance with iconv -f {charset} -t utf-8."
    return f"found the byte 0x{byte:02x}, expected UTF-8: {remedy}"


def _fault_at(text: bytes, position: int, message: str) -> TextFault:
    before = text[:position]
    return TextFault(before.count(b"\n") + 1, position - before.rfind(b"\n"), message)


def read_error(name: str, line: int, error: Exception) -> DataError:
    """Return the error of a source that cannot be read from ``line`` on."""
    if isinstance(error, OSError) and error.errno is not None:
        problem = f"cannot be read: {error.strerror}."
    elif line == 1 and "not" in str(error).lower():  # "Not a gzipped file" and similar messages
        problem = (
            f"is damaged from its first byte on, or not compressed as its suffix says ({error}): "
            "download it again, or rename it."
        )
    else:
        position = f"after line {line - 1}" if line > 1 else "before its first line ends"
        damage = f"the archive is truncated or damaged {position} ({error})"
        problem = f"{damage}: compress or download it again."
    return DataError(name, problem, line - 1 or None)
