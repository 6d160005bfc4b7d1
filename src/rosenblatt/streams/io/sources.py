"""Sources of text by their names: files, byte ranges, pipes and URLs."""

from __future__ import annotations

import stat

from rosenblatt.streams.core.access import NO_ACCESS, Access
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.files import (
    PIPE_BYTES,
    File,
    Pipe,
    Source,
    file_mode,
    pieces,
    stdin_pieces,
)
from rosenblatt.streams.io.paths import ByteRange, address_of


def open_source(name: str, size: int, access: Access = NO_ACCESS) -> Source:
    """Open a source: ``-`` is standard input, everything else a path, its byte range or a URL.

    Parameters
    ----------
    name : str
    size : int
        Approximate bytes of text per chunk.
    access : Access
        How URLs are read.

    Raises
    ------
    DataError
        The path does not exist or is a directory.
    """
    if name == "-":
        return Pipe("stdin", stdin_pieces(max(size, PIPE_BYTES)), size)
    address = address_of(name)
    if address.part is not None and address.packing:
        raise DataError(name, "only text as it is has byte ranges: name the file alone.")
    if address.part is not None and not isinstance(address.part, ByteRange):
        raise DataError(name, "only Parquet and Arrow files have row groups: name the file alone.")
    if address.is_url:
        from rosenblatt.streams.io.ranges import RemoteText

        return RemoteText(name, size, access)
    if stat.S_ISREG(file_mode(address.path)) or address.part is not None:
        return File(name, size)
    return Pipe(name, pieces(address, max(size, PIPE_BYTES)), size)
