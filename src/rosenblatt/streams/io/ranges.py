"""Texts at URLs, whole or by ranges of bytes, and files at URLs that are read at any position.

A range of a text is asked of the server alone, and has the lines that start in it, as that of a
file on a disk.
"""

from __future__ import annotations

import io
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from threading import local
from typing import Any

from rosenblatt.streams.core.access import NO_ACCESS, Access, Version
from rosenblatt.streams.io.files import (
    HEAD_BYTES,
    ChunkLoader,
    File,
    first_block,
    preloaded,
    unpacked,
)
from rosenblatt.streams.io.lines import READ_ERRORS, LineBlock, line_chunks
from rosenblatt.streams.io.paths import ByteRange
from rosenblatt.streams.io.remote import CONNECTIONS, RemoteError, find_version, open_url

_PIECE = 1 << 16
_TAIL = 1 << 12  # bytes asked at first for the rest of a line


class RemoteText(File):
    """Text at a URL, or a byte range of it.

    The first lines are read once: the first pass goes on from them. All passes read the same
    version, or fail.

    Parameters
    ----------
    name : str
        A URL, or ``URL#bytes=A-B``.
    size : int
        Approximate bytes of text per chunk.
    access : Access
    """

    def __init__(self, name: str, size: int, access: Access = NO_ACCESS) -> None:
        super().__init__(name, size)
        self._access = access
        self._begun: Iterator[bytes] | None = None
        self._version = access.versions.get(self._address.path)

    def head(self, skips: bool = False) -> LineBlock:
        """Return the first lines, of a range those of the file.

        Raises
        ------
        NoRowsError
            The source is empty.
        """
        read: list[bytes] = []
        has_all = self._part is None
        pieces = self._from_first() if has_all else self._beginning()

        def recorded() -> Iterator[bytes]:
            try:
                for piece in pieces:
                    read.append(piece)
                    yield piece
            except READ_ERRORS:
                read.clear()  # the first pass begins anew, and raises it again
                raise

        with closing(line_chunks(recorded(), HEAD_BYTES)) as chunks:
            block = first_block(self.name, chunks, skips)
        if has_all and read:
            self._begun = chain(read, pieces)
        return block

    def chunks(self) -> Iterator[ChunkLoader]:
        """Yield loaders of all lines, from the first."""
        part = self._part
        pieces = (self._begun or self._from_first()) if part is None else self._range(part)
        self._begun = None
        return map(preloaded, line_chunks(pieces, self._size))

    def resized(self, size: int) -> File:
        """Return the source with chunks of another size; it goes on from the same first lines."""
        other = RemoteText(self.name, max(1, size), self._access)
        other._begun, other._version, self._begun = self._begun, self._version, None
        return other

    @property
    def lines_before(self) -> int:
        """Number of lines that start before the range, as far as they can be a table's header."""
        part = self._part
        if part is None or part.start == 0:
            return 0
        text = next(self._beginning(), b"")[: part.start - 1]
        return text.count(b"\n") + 1

    def _open(self, start: int, stop: int | None) -> Any:
        file = open_url(self._address.path, self._access, start, stop, self._version)
        self._version = file.version
        return file

    def _from_first(self) -> Iterator[bytes]:
        """Yield the text as it arrives, decompressed."""
        packing = self._address.packing
        with self._open(0, None) as file, unpacked(file, packing) if packing else file as text:
            while piece := text.read1(_PIECE):
                yield piece

    def _beginning(self) -> Iterator[bytes]:
        """Yield the bytes of the file from its first, as many as are asked for."""
        position = 0
        while text := first_bytes(self._address.path, self._access, self._located(), position):
            yield text
            position += len(text)

    def _located(self) -> Version:
        """Return the version of a file whose ranges are read."""
        if self._version is None or self._version.size is None:
            self._version, problem = find_version(self._address.path, self._access)
            if problem:
                raise RemoteError(f"{problem}, so name the file alone")
        return self._version

    def _range(self, part: ByteRange) -> Iterator[bytes]:
        """Yield the lines that start in a range."""
        size = self._located().size
        stop = part.stop if size is None else min(part.stop, size)
        if part.start >= stop:
            return
        skips, last = part.start > 0, b"\n"
        with self._open(max(0, part.start - 1), stop) as file:
            while piece := file.read1(_PIECE):
                if skips:
                    end = piece.find(b"\n") + 1
                    if not end:
                        continue
                    piece, skips = piece[end:], False
                if piece:
                    last = piece[-1:]
                    yield piece
        if last != b"\n":
            yield from rest_of_line(part.path, stop, self._access, self._located())


def rest_of_line(url: str, position: int, access: Access, version: Version) -> Iterator[bytes]:
    """Yield the bytes from a position up to the end of the line; the size is known."""
    step, end = _TAIL, 0
    while position < (version.size or 0) and not end:
        stop = min(position + step, version.size or 0)
        text = _read_bytes(url, access, version, position, stop)
        end = text.find(b"\n") + 1
        yield text[:end] if end else text
        position, step = stop, 2 * step


def line_starts(url: str, positions: Sequence[int], access: Access, version: Version) -> list[int]:
    """Return the first start of a line at or after each position, which is within the file."""

    def start_at(position: int) -> int:
        return position - 1 + sum(map(len, rest_of_line(url, position - 1, access, version)))

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return list(pool.map(start_at, positions))


_heads: OrderedDict[tuple[str, Version, int], bytes] = OrderedDict()
_HEADS = 64  # first bytes that a process keeps: 4 MiB


def first_bytes(url: str, access: Access, version: Version, position: int = 0) -> bytes:
    """Return some bytes from a position; those of the latest files are kept in memory."""
    key = url, version, position
    text = _heads.get(key)
    if text is None:
        size = version.size or 0
        stop = min(position + HEAD_BYTES, size)
        text = b"" if position >= size else _read_bytes(url, access, version, position, stop)
        if version.tag:
            _heads[key] = text
        while len(_heads) > _HEADS:
            _heads.popitem(last=False)
    return text


def _read_bytes(url: str, access: Access, version: Version, start: int, stop: int) -> bytes:
    with open_url(url, access._replace(cache_bytes=0), start, stop, version) as file:
        return file.readall() or b""


class _Seekable(io.RawIOBase):
    """File at a URL that is read at any position, by a request for each read.

    Each thread has a position of its own: pyarrow seeks and reads in several at once.

    Parameters
    ----------
    url : str
    access : Access
    version : Version
        Its size is known.
    """

    def __init__(self, url: str, access: Access, version: Version) -> None:
        super().__init__()
        assert version.size is not None
        self.name, self._access, self._version, self._size = url, access, version, version.size
        self._thread = local()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return getattr(self._thread, "position", 0)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self.tell(), os.SEEK_END: self._size}[whence]
        self._thread.position = begin + offset
        return self.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        start = self.tell()
        stop = self._size if size is None or size < 0 else min(start + size, self._size)
        if start >= stop:
            return b""
        with open_url(self.name, self._access, start, stop, self._version) as file:
            text = file.readall() or b""
        self._thread.position = start + len(text)
        return text

    def readinto(self, buffer: Any, /) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def open_seekable(url: str, access: Access, version: Version) -> io.RawIOBase:
    """Open a URL whose size is known, to be read at any position, by a request for each read."""
    return _Seekable(url, access, version)
