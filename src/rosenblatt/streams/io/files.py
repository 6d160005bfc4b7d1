"""Where bytes come from: files, plain or compressed, pipes, and addresses.

A plain file cut at line ends: each span of it is read where it is worked on, in any thread.
"""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple, cast

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io import remote
from rosenblatt.streams.io.lines import Block, blocks, texts

_STEP = 1 << 16  # bytes searched for a line's end at a time


class _Handle:
    """An open file, closed when the last span of it is gone."""

    def __init__(self, path: str) -> None:
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


@dataclass(frozen=True)
class Span:
    """Whole lines of a file, not read yet.

    Parameters
    ----------
    handle : open file
    start, stop : int
        Positions of the first byte, and behind the last.
    """

    handle: _Handle
    start: int
    stop: int

    def __call__(self) -> bytes:
        """The text, without a byte order mark.

        Raises
        ------
        OSError
            The file cannot be read, or has become shorter.
        """
        pieces, start = [], self.start
        while start < self.stop:  # one read gives 2 GB at most
            piece = os.pread(self.handle.number, self.stop - start, start)
            if not piece:
                raise OSError(errno.EIO, "it became shorter while it was read")
            pieces.append(piece)
            start += len(piece)
        text = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return text if self.start else text.removeprefix(codecs.BOM_UTF8)


def spans(path: str, size: int) -> Iterator[Span]:
    """The file as it is now, in spans of whole lines of about ``size`` bytes; longer lines whole.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    handle = _Handle(path)
    start, end = 0, os.fstat(handle.number).st_size
    while start < end:
        stop = _line_end(handle, min(start + size, end), end)
        yield Span(handle, start, stop)
        start = stop


def _line_end(handle: _Handle, position: int, end: int) -> int:
    """Where the line of the byte before ``position`` ends."""
    position -= 1
    while position < end:
        piece = os.pread(handle.number, _STEP, position)
        newline = piece.find(b"\n")
        if newline >= 0:
            return min(position + newline + 1, end)
        if not piece:
            break
        position += len(piece)
    return end


def _zstd(file: Any) -> BufferedIOBase:
    try:
        import pyarrow as pa
    except ImportError:
        problem = (
            "zstd is unpacked by pyarrow, which is missing: pip install 'rosenblatt[data]', or "
            "decompress it first (zstd -d)."
        )
        raise DataError(file.name, None, None, problem) from None
    return cast(BufferedIOBase, pa.CompressedInputStream(file, "zstd"))


_ARCHIVES: dict[str, Callable[[Any], BufferedIOBase]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
    ".zst": _zstd,
}
_HEAD_BYTES = 1 << 16

Text = Callable[[], bytes]
"""A text of whole lines, read when it is called."""


class File:
    """A file that can be read again and again, or an address: every time it is downloaded anew.

    Parameters
    ----------
    path : str
        What ends in ``.gz``, ``.xz``, ``.bz2`` or ``.zst`` is unpacked.
    size : int
        About how many bytes of text a block has.
    """

    each = 3  # texts a thread is ahead of the learner

    def __init__(self, path: str, size: int) -> None:
        self.name = path
        self._size = size

    def head(self, skips: bool = False) -> Block | None:
        """The first lines; None where there are none."""
        with closing(texts(_unpacked(self.name, _HEAD_BYTES), _HEAD_BYTES)) as cut:
            return next(blocks(self.name, map(_ready, cut), skips), None)

    def texts(self) -> Iterator[Text]:
        """All lines, from the first, in texts of whole lines."""
        if self._is_plain() and hasattr(os, "pread"):
            return spans(self.name, self._size)
        return map(_ready, texts(_unpacked(self.name, self._size), self._size))

    def _is_plain(self) -> bool:
        """Whether the text lies on a disk; a file of the system's tells no size."""
        away = remote.is_url(self.name) or _is_archive(self.name)
        return not away and os.stat(self.name).st_size > 0


class Pipe:
    """Bytes that pass only once: standard input, a FIFO.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    pieces : iterator of bytes
    size : int
        About how many bytes of text a block has.
    """

    each = 1  # a pipe's rows are wanted soon

    def __init__(self, name: str, pieces: Iterator[bytes], size: int) -> None:
        self.name = name
        self._texts = texts(pieces, size)
        self._first: bytes | None = None
        self._passed = False

    def head(self, skips: bool = False) -> Block | None:
        """The first lines, which :meth:`texts` gives too; None where there are none."""
        return next(blocks(self.name, map(_ready, self._peeked()), skips), None)

    def _peeked(self) -> Iterator[bytes]:
        for text in self._texts:
            self._first = text
            yield text

    def texts(self) -> Iterator[Text]:
        """All lines, from the first, in texts of whole lines, once.

        Raises
        ------
        DataError
            This is not the first time.
        """
        if self._passed:
            raise DataError(
                self.name, None, None, "passes only once: for several epochs, give a file."
            )
        self._passed = True
        with closing(self._texts):  # who leaves early closes the pipe: its writer waits for that
            if self._first is not None:
                yield _ready(self._first)
            for text in self._texts:
                yield _ready(text)


Source = File | Pipe


def open_source(name: str, size: int) -> Source:
    """The source of that name: ``-`` is standard input, everything else a path or an address.

    Parameters
    ----------
    name : str
    size : int
        About how many bytes of text a block has.

    Raises
    ------
    DataError
        The path does not exist or is a directory.
    """
    if name == "-":
        return Pipe("stdin", _stdin(size), size)
    if remote.is_url(name):
        return File(name, size)
    mode = _mode(name)
    return File(name, size) if stat.S_ISREG(mode) else Pipe(name, _unpacked(name, size), size)


class OnDisk(NamedTuple):
    """Where a file lies, and the copy that it is, of what is at an address."""

    path: str
    copy: remote.Copy | None = None


def on_disk(name: str, kind: str) -> OnDisk:
    """A file on a disk, plain as it is, where only such a file can be read; of an address a copy.

    Parameters
    ----------
    name : str
    kind : str
        What it should hold, for the message.

    Raises
    ------
    DataError
        The path does not exist, is a directory, a pipe or standard input, an archive, or empty.

    Examples
    --------
    >>> on_disk("-", "Parquet")
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: stdin: Parquet is read from files only: name a file.
    """
    away = remote.is_url(name)
    if name == "-" or not (away or stat.S_ISREG(_mode(name))):
        name = "stdin" if name == "-" else name
        raise DataError(name, None, None, f"{kind} is read from files only: name a file.")
    if _is_archive(name):
        raise DataError(name, None, None, f"{kind} is read as it is: decompress it first.")
    copy = remote.Copy(name) if away else None
    path = name if copy is None else copy.path
    if os.path.getsize(path) == 0:
        raise DataError(name, None, None, "no rows: it is empty.")
    return OnDisk(path, copy)


def _mode(name: str) -> int:
    """What kind of file it is; a directory is refused."""
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise DataError(name, None, None, f"cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(mode):
        raise DataError(name, None, None, "is a directory: give a file.")
    return mode


def inner_suffix(name: str) -> str:
    """The suffix of the text inside: ``.svm`` for ``a.SVM.gz``.

    Examples
    --------
    >>> inner_suffix("a.SVM.gz"), inner_suffix("heart_scale")
    ('.svm', '')
    """
    path = Path(remote.path_in(name))
    return Path(path.stem if _is_archive(name) else path).suffix.lower()


def _ready(text: bytes) -> Text:
    return lambda: text


def _is_archive(name: str) -> bool:
    return _suffix(name) in _ARCHIVES


def _suffix(name: str) -> str:
    return Path(remote.path_in(name)).suffix.lower()


def _unpacked(name: str, size: int) -> Iterator[bytes]:
    unpack = _ARCHIVES.get(_suffix(name), _as_it_is)
    with _opened(name) as packed, unpack(packed) as file:
        while piece := file.read1(size):
            yield piece


def _opened(name: str) -> BufferedIOBase:
    return remote.opened(name) if remote.is_url(name) else open(name, "rb")


def _as_it_is(file: BufferedIOBase) -> BufferedIOBase:
    return file


def _stdin(size: int) -> Iterator[bytes]:
    if sys.stdin is None:
        raise OSError(0, "standard input is closed")
    file = cast(BufferedIOBase, sys.stdin.buffer)
    while piece := file.read1(size):
        yield piece
