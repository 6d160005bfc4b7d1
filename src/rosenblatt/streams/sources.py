"""Where bytes come from: files, plain or compressed, pipes, and addresses."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple, cast

from rosenblatt.streams import remote
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.lines import Block, blocks, texts
from rosenblatt.streams.spans import spans


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
    rosenblatt.streams.errors.DataError: stdin: Parquet is read from files only: name a file.
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
