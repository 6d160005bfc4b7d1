"""gzip of bodies and of answers, piece by piece, so that others have their turn.

A small body can become a large one, so what it becomes is bounded while it is unpacked.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator

from rosenblatt.serve.errors import RefusedError

MAX_UNPACKED = 2**26
"""Bytes that lines of a body of gzip may become: without gzip they may be any number."""
RATIO, FREE = 100, 2**20
"""How many times its own size a body may become, besides some bytes that it may in any case: JSON
becomes a twentieth, and zeros a thousandth."""
MIN_PACKED = 2**12
"""Bytes of an answer from which on it is packed where the client asks for it."""
PIECE = 2**16
"""Bytes that are unpacked or packed at once, in less than a millisecond."""
LEVEL = 1
"""The fastest one: JSON becomes a fifth."""
_GZIP = 16 + zlib.MAX_WBITS
_ACCEPTED = re.compile(rb"(?:^|,) *gzip *(?:; *q=(?!0(?:\.0*)? *(?:,|$))[0-9.]+ *)?(?:,|$)", re.I)

Headers = Iterable[tuple[bytes, bytes]]


def is_packed(headers: Headers) -> bool:
    """Return whether a body is gzip.

    Raises
    ------
    RefusedError
        It has another coding, or several.

    Examples
    --------
    >>> is_packed([(b"content-encoding", b"gzip")]), is_packed([])
    (True, False)
    """
    codings = [value.lower() for name, value in headers if name == b"content-encoding"]
    if codings in ([], [b"identity"]):
        return False
    if codings not in ([b"gzip"], [b"x-gzip"]):
        raise RefusedError(
            415,
            "the body may have Content-Encoding: gzip, once, and no other.",
            headers=((b"accept-encoding", b"gzip"),),
        )
    return True


async def unpack(parts: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Yield the pieces of a body of gzip.

    Raises
    ------
    RefusedError
        It is no gzip, it breaks off, or it or what it becomes is over a limit, such as ``most``
        bytes.
    """
    unpacker, packed, unpacked = zlib.decompressobj(_GZIP), 0, 0
    async for part in parts:
        packed += len(part)  # parts of it may become nothing
        rest, is_full = part, True
        while rest or is_full:  # what is read may become more than a piece
            if unpacker.eof and rest:
                raise RefusedError(400, "the body goes on behind the end of its gzip.")
            try:
                piece = unpacker.decompress(rest, PIECE)
            except zlib.error as error:
                raise RefusedError(400, f"the body is no gzip: {error}.") from None
            rest, is_full = unpacker.unconsumed_tail or unpacker.unused_data, len(piece) == PIECE
            unpacked += len(piece)
            if max(packed, unpacked) > most or unpacked > FREE + RATIO * packed:
                raise RefusedError(
                    413,
                    f"a body of gzip may become {most:,} bytes, and beyond {FREE:,} bytes {RATIO} "
                    "times its own size: send it in several bodies, or without gzip.",
                )
            yield piece
            await asyncio.sleep(0)
    if not unpacker.eof:
        raise RefusedError(400, "the gzip of the body ends before it is complete.")


def accepts_packed(headers: Headers) -> bool:
    """Return whether a client takes an answer as gzip.

    Examples
    --------
    >>> asked = [b"deflate, gzip;q=0.5, br", b"gzip;q=0", b"identity", b"xgzip"]
    >>> [accepts_packed([(b"accept-encoding", value)]) for value in asked]
    [True, False, False, False]
    """
    return any(name == b"accept-encoding" and _ACCEPTED.search(value) for name, value in headers)


def pack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip makes of each piece of an answer, which may be nothing yet.

    Examples
    --------
    >>> zlib.decompress(b"".join(pack([b"spam", b"ham"])), _GZIP)
    b'spamham'
    """
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP)
    yield from map(packer.compress, pieces)
    yield packer.flush()
