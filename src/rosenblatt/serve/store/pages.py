"""Pages with checksums: SQLite's VFS of that kind, and a look at the pages of a file.

The last eight bytes of a page are its checksum. The VFS writes it with the page, and refuses to
read a page that has another one: no flipped bit of a row, an index or a free page goes unseen. The
format is that of SQLite's documentation, "The Checksum VFS Shim".
"""

from __future__ import annotations

import os
from functools import cache

import apsw
import apsw.sqlite_extra
import numpy as np

from rosenblatt.serve.store.errors import StoreError
from rosenblatt.serve.store.sums import page_sums

SIZE = 4096
"""Bytes of a page, in all stores."""
RESERVED = 8
"""Bytes at the end of each page that has a checksum."""
_MAGIC = b"SQLite format 3\0"
_AT_ONCE = 1024


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
    if not head:
        return None
    if head[:16] != _MAGIC:
        return "its first bytes are no header of SQLite"
    if int.from_bytes(head[16:18], "big") != SIZE or head[20] not in (0, RESERVED):
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
