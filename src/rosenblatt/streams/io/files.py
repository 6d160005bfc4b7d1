"""Sources of bytes: files, plain or compressed, byte ranges of files, and pipes.

A plain file is cut at line ends into chunks, which the worker threads read themselves.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rosenblatt.streams.core.access import NO_ACCESS, Access
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.io.lines import LineBlock, line_blocks, line_chunks
from rosenblatt.streams.io.paths import Address, ByteRange, address_of
from rosenblatt.streams.io.positions import count_lines_before

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.features.vocabulary import Vocabulary
    from rosenblatt.streams.io.remote import TemporaryCopy

ChunkLoader = Callable[[], bytes]
"""Function that returns a text of whole lines, reading it if necessary."""

_SEARCH_BYTES = 1 << 16  # bytes read at a time in search of a newline


class _OpenFile:
    """Open file, closed when its last chunk is gone. Unpickling opens the path again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)

    def __reduce__(self) -> tuple[type[_OpenFile], tuple[str]]:
        return _OpenFile, (self.path,)


def _read_lines(file: _OpenFile, start: int, stop: int) -> bytes:
    """Read whole lines of a file from byte ``start`` up to ``stop``, without a byte order mark.

    Raises
    ------
    OSError
        The file cannot be read, or has become shorter.
    """
    pieces, position = [], start
    while position < stop:  # one read gives 2 GB at most
        piece = os.pread(file.descriptor, stop - position, position)
        if not piece:
            raise OSError(errno.EIO, "it became shorter while it was read")
        pieces.append(piece)
        position += len(piece)
    text = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return text if start else text.removeprefix(codecs.BOM_UTF8)


def file_chunks(
    path: str, size: int, start: int = 0, stop: int | None = None
) -> Iterator[ChunkLoader]:
    """Cut a file, in its present size, into chunks of whole lines of about ``size`` bytes.

    Their loaders can be pickled.

    Parameters
    ----------
    path : str
    size : int
    start, stop : int, optional
        Only lines that start at these bytes: ranges that cover a file share out its lines.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    file = _OpenFile(path)
    length = os.fstat(file.descriptor).st_size
    end = length if stop is None else _line_end(file, stop, length)
    start = _line_end(file, start, length)
    while start < end:
        stop = _line_end(file, min(start + size, end), end)
        yield partial(_read_lines, file, start, stop)
        start = stop


def _line_end(file: _OpenFile, position: int, end: int) -> int:
    """Return the position after the line that contains the byte before ``position``; 0 for 0."""
    if position == 0:
        return 0
    position -= 1
    while position < end:
        piece = os.pread(file.descriptor, _SEARCH_BYTES, position)
        newline = piece.find(b"\n")
        if newline >= 0:
            return min(position + newline + 1, end)
        if not piece:
            break
        position += len(piece)
    return end


HEAD_BYTES = 1 << 16
"""Bytes of the first lines, which decide how all are read."""

PIPE_BYTES = 1 << 16  # read from a pipe at a time, if it has as many


def preloaded(text: bytes) -> ChunkLoader:
    """Return a loader of a text in memory, which is not copied."""
    return partial(bytes, text)


class File:
    """Source that can be read several times: a file, or a part of one.

    The first lines of a byte range, which decide the format, the names of columns and their kinds,
    are those of the file, so that all ranges of a file are read alike. Lines count from the first
    of the range.

    Parameters
    ----------
    name : str
        A path, or ``PATH#bytes=A-B``. With the suffix ``.gz``, ``.xz``, ``.bz2`` or ``.zst``
        the text is decompressed.
    size : int
        Approximate bytes of text per chunk.
    """

    prefetch_depth = 3  # chunks that each thread is ahead of the learner

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self._address, self._size = address_of(name), size
        part = self._address.part
        self._part = part if isinstance(part, ByteRange) else None

    def head(self, skips: bool = False) -> LineBlock:
        """Return the first lines.

        Raises
        ------
        NoRowsError
            The source is empty.
        """
        with closing(line_chunks(pieces(self._address, HEAD_BYTES), HEAD_BYTES)) as chunks:
            return first_block(self.name, chunks, skips)

    def chunks(self) -> Iterator[ChunkLoader]:
        """Yield loaders of all lines, from the first."""
        path, _, _, packing, _ = self._address
        part = self._part
        if part is not None:
            return file_chunks(path, self._size, part.start, part.stop)
        # special files, as those in /proc, have size 0
        is_on_disk = not packing and os.stat(path).st_size > 0
        if is_on_disk and hasattr(os, "pread"):
            return file_chunks(path, self._size)
        return map(preloaded, line_chunks(pieces(self._address, self._size), self._size))

    def resized(self, size: int) -> File:
        """Return the source with chunks of another size."""
        return File(self.name, max(1, size))

    @property
    def lines_before(self) -> int:
        """Number of lines that start before the range, as far as they can be a table's header."""
        part = self._part
        if part is None:
            return 0
        return count_lines_before(part._replace(start=min(part.start, HEAD_BYTES)))


def first_block(name: str, chunks: Iterable[bytes], skips: bool) -> LineBlock:
    """Return the first lines of chunks."""
    block = next(line_blocks(name, chunks, skips), None)
    if block is None:
        raise NoRowsError(name, "no rows: it is empty.")
    return block


class Pipe:
    """Source that can be read only once: standard input, a FIFO.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    pieces : iterator of bytes
    size : int
        Approximate bytes of text per chunk; 1: chunks are the lines of each piece.
    """

    def __init__(self, name: str, pieces: Iterator[bytes], size: int) -> None:
        self.name = name
        self.lines_before = 0
        # Rows should be learned without delay; at one byte per chunk, before more are awaited.
        self.prefetch_depth = 0 if size == 1 else 1
        self._chunks = line_chunks(pieces, size)
        self._first_chunk: bytes | None = None
        self._consumed = False

    def head(self, skips: bool = False) -> LineBlock:
        """Return the first lines, which :meth:`chunks` yields again.

        Raises
        ------
        NoRowsError
            The pipe is empty.
        """
        return first_block(self.name, self._until_head(), skips)

    def _until_head(self) -> Iterator[bytes]:
        blank = b""
        for text in self._chunks:
            self._first_chunk = blank + text
            if text.isspace():
                blank += text
            else:
                yield self._first_chunk
        if blank and blank == self._first_chunk:
            yield blank

    def chunks(self) -> Iterator[ChunkLoader]:
        """Yield loaders of all lines, from the first.

        Raises
        ------
        DataError
            The pipe has been read already.
        """
        if self._consumed:
            raise DataError(self.name, "can be read only once: for several epochs, give a file.")
        self._consumed = True
        with closing(self._chunks):  # also on an early exit: the writer waits for that
            if self._first_chunk is not None:
                yield preloaded(self._first_chunk)
            for text in self._chunks:
                yield preloaded(text)


Source = File | Pipe


class Text(NamedTuple):
    """A source of lines, its first lines, and how to read them.

    Parameters
    ----------
    format : str
        The name of the format.
    source : File or Pipe
    head : LineBlock
    options : ReadOptions
    vocabulary : Vocabulary or None
        The columns so far, where columns are created as names appear.
    """

    format: str
    source: Source
    head: LineBlock
    options: ReadOptions
    vocabulary: Vocabulary | None = None


class NamedFile(NamedTuple):
    """The name of a source that is no text, and how to read it.

    Parameters
    ----------
    format : str
        The name of the format.
    name : str
    options : ReadOptions
    vocabulary : Vocabulary or None
        The columns so far, where columns are created as names appear.
    """

    format: str
    name: str
    options: ReadOptions
    vocabulary: Vocabulary | None = None


class LocalFile(NamedTuple):
    """Path of a file on disk, and the temporary copy it is if it came from a URL."""

    path: str
    copy: TemporaryCopy | None = None


def local_file(name: str, kind: str, access: Access = NO_ACCESS) -> LocalFile:
    """Return a file on disk, for formats that are read in place; a URL is downloaded.

    Parameters
    ----------
    name : str
    kind : str
        The expected format, for the message.
    access : Access
        How a URL is read.

    Raises
    ------
    DataError
        The path does not exist, is a directory or a pipe, is compressed, or is empty.

    Examples
    --------
    >>> local_file("-", "Parquet")
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: stdin: Parquet is read from files only: name a file.
    """
    address = address_of(name)
    if address.part is not None:
        raise DataError(name, f"{kind} has no byte ranges: name the file alone.")
    if name == "-" or not (address.is_url or stat.S_ISREG(file_mode(name))):
        name = "stdin" if name == "-" else name
        raise DataError(name, f"{kind} is read from files only: name a file.")
    if address.packing:
        raise DataError(name, f"{kind} is read as it is: decompress it first.")
    file = LocalFile(name)
    if address.is_url:
        from rosenblatt.streams.io.remote import TemporaryCopy

        copy = TemporaryCopy(name, access)
        file = LocalFile(copy.path, copy)
    if os.path.getsize(file.path) == 0:
        raise NoRowsError(name, "no rows: it is empty.")
    return file


def file_mode(name: str) -> int:
    """Return the mode of a file; refuse directories."""
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise DataError(name, f"cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(mode):
        raise DataError(name, "is a directory: give a file.")
    return mode


def pieces(address: Address, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file or pipe, decompressed, as they arrive."""
    with (
        open(address.path, "rb") as packed,
        unpacked(packed, address.packing) if address.packing else packed as file,
    ):
        while piece := file.read1(size):
            yield piece


_MODULES = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}


def unpacked(file: Any, packing: str) -> BufferedIOBase:
    """Open the text of a compressed file; the modules for it are imported here."""
    if packing in _MODULES:
        return cast(BufferedIOBase, import_module(_MODULES[packing]).open(file))
    try:
        import pyarrow as pa
    except ImportError:
        problem = (
            "zstd is unpacked by pyarrow, which is missing: pip install 'rosenblatt[data]', or "
            "decompress it first (zstd -d)."
        )
        raise DataError(file.name, problem) from None
    return cast(BufferedIOBase, pa.CompressedInputStream(file, "zstd"))


_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ": ".xz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}


@contextmanager
def open_unpacked(path: str) -> Iterator[BufferedIOBase]:
    """Open a file on disk, decompressed as its first bytes, not its suffix, tell."""
    with open(path, "rb") as packed:
        start = packed.peek(8)
        suffix = next((suffix for magic, suffix in _MAGIC.items() if start.startswith(magic)), "")
        with unpacked(packed, suffix) if suffix else packed as file:
            yield file


def stdin_pieces(size: int) -> Iterator[bytes]:
    """Yield the bytes of standard input as they arrive."""
    if sys.stdin is None:
        raise OSError(0, "standard input is closed")
    file = cast(BufferedIOBase, sys.stdin.buffer)
    while piece := file.read1(size):
        yield piece
