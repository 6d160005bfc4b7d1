"""Checksums: of the pages of a file, of SQLite's journal, and one that a value carries with it.

The last eight bytes of a page are its checksum. SQLite's VFS of that kind writes it with the page,
and refuses to read a page that has another one: no flipped bit of a row, an index or a free page
goes unseen. The format is that of SQLite's documentation, "The Checksum VFS Shim".
"""

from __future__ import annotations

import os
import zlib
from functools import cache

import apsw
import apsw.sqlite_extra
import numpy as np

from rosenblatt.serve.errors import StoreError
from rosenblatt.utils.arrays import NDArray

SIZE = 4096
"""Bytes of a page, in all stores."""
RESERVED = 8
"""Bytes at the end of each page that has a checksum."""
_MAGIC = b"SQLite format 3\0"
_AT_ONCE = 1024
Words = NDArray[np.uint32]


@cache
def checking_vfs() -> str:
    """Return the name of the VFS that checks pages; it is loaded at the first call.

    Raises
    ------
    StoreError
        This build of apsw does not have it.
    """
    default = apsw.vfs_names()[0]
    loader = apsw.Connection(":memory:")
    try:
        apsw.sqlite_extra.load(loader, "cksumvfs")
    except (apsw.Error, apsw.sqlite_extra.NotAvailable) as error:
        raise StoreError(
            f"this apsw has no checksums of pages ({error}): install the one of PyPI."
        ) from error
    finally:
        loader.close()
    apsw.set_default_vfs(default)  # of other users of SQLite in this process
    return "cksmvfs"


def header_fault(path: str | os.PathLike[str]) -> str | None:
    """Return what is wrong with the header of a database, if it has one: it says how to read it."""
    try:
        with open(path, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return None
    if head and head[:16] != _MAGIC:
        return "its first bytes are no header of SQLite"
    if head and (int.from_bytes(head[16:18], "big") != SIZE or head[20] not in (0, RESERVED)):
        return "its header is damaged, or of another program"
    return None


def has_checksums(path: str | os.PathLike[str]) -> bool:
    """Return whether the header of a database says that its pages have checksums."""
    with open(path, "rb") as file:
        return file.read(100)[20:21] == bytes([RESERVED])


def damaged_pages(path: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the pages of a file whose checksums are wrong.

    A page that lacks some of its bytes is one of them.
    """
    wrong_pages: list[int] = []
    first = 1
    with open(path, "rb") as file:
        while data := file.read(_AT_ONCE * SIZE):
            words = np.frombuffer(data[: len(data) // SIZE * SIZE], "<u4").reshape(-1, SIZE // 4)
            words = words.astype(np.uint32)
            wrong = (page_sums(words[:, :-2]) != words[:, -2:]).any(axis=1)
            wrong_pages += (first + np.flatnonzero(wrong)).tolist()
            first += len(words)
            if len(data) % SIZE:
                wrong_pages.append(first)
    return wrong_pages


def page_sums(words: Words) -> Words:
    """Return SQLite's two sums of each row of words, from 0.

    The sums of a row from others are ``page_sums(row) + carry(sums, row.size)``: each pair of words
    is one step of a linear recurrence modulo 2³².
    """
    factors, _ = _steps(words.shape[1] // 2)
    return words @ factors


def carry(sums: Words, words: int) -> Words:
    """Return what sums become after a number of words that are 0."""
    return sums @ _steps(words // 2)[1]


@cache
def _steps(pairs: int) -> tuple[Words, Words]:
    """Return the factors of the words of so many pairs, and the factor of the sums before them.

    A step is ``first += word + second; second += next word + first``.
    """
    step = np.array([[1, 1], [1, 2]], dtype=np.uint32)  # of the sums
    factors = np.empty((pairs, 2, 2), dtype=np.uint32)
    after: Words = np.eye(2, dtype=np.uint32)
    for j in reversed(range(pairs)):
        factors[j] = np.array([[1, 1], [0, 1]], dtype=np.uint32) @ after
        after = step @ after
    return factors.reshape(2 * pairs, 2), after


def seal(data: bytes) -> bytes:
    """Return data with its checksum behind it.

    Examples
    --------
    >>> unseal(seal(b"data"), "a value")
    b'data'
    """
    return data + zlib.crc32(data).to_bytes(4, "little")


def unseal(sealed: bytes, what: str) -> bytes:
    """Return the data of :func:`seal`.

    Raises
    ------
    StoreError
        The checksum is wrong; the message names what is damaged.
    """
    if not isinstance(sealed, bytes) or seal(sealed[:-4]) != sealed:
        raise StoreError(
            f"{what} is damaged: its checksum is wrong. Restore the store from a backup "
            "(rosenblatt backup makes one)."
        )
    return sealed[:-4]
