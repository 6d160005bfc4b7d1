"""Cache of files at URLs, and of ranges of them, on the disk of a process, within a budget."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any

from rosenblatt.streams.core.access import Access, Version


class DiskCache:
    """Files of a folder of its own, together at most ``budget`` bytes; it ends with the process.

    A file is one version of one range of a URL: what is there never changes. It is written beside
    its name and renamed when it is whole. The one that was used longest ago goes first.

    Parameters
    ----------
    folder : str or None
        Where the folder is made; None: in the folder for temporary files.
    budget : int
    """

    def __init__(self, folder: str | None, budget: int) -> None:
        self.folder = tempfile.mkdtemp(prefix="rosenblatt-cache-", dir=folder)
        self._delete = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._budget, self._sizes, self._lock = budget, OrderedDict[str, int](), Lock()

    def open(
        self,
        url: str,
        start: int,
        stop: int | None,
        version: Version,
        connect: Callable[[], Any],
    ) -> Any:
        """Open a range, from the disk if it is there; else what is read to its end is kept.

        ``connect`` returns the remote file. A file without a tag is not kept.
        """
        key = _key(url, start, stop, version)
        kept = self._find(key, version)
        if kept is not None:
            return kept
        file = connect()
        end = file.version.size if stop is None else stop
        if end is None or not version.tag or end - start > self._budget:
            return file
        return _Keeping(self, file, key, end - start)

    def _find(self, key: str, version: Version) -> _KeptFile | None:
        with self._lock:
            if key not in self._sizes:
                return None
            self._sizes.move_to_end(key)
            return _KeptFile(os.path.join(self.folder, key), version)

    def add(self, path: str, key: str, size: int) -> None:
        """Take over a file, and delete those used longest ago that exceed the budget."""
        with self._lock:
            os.replace(path, os.path.join(self.folder, key))
            self._sizes[key] = size
            while sum(self._sizes.values()) > self._budget:
                oldest, _ = self._sizes.popitem(last=False)
                with suppress(OSError):
                    os.unlink(os.path.join(self.folder, oldest))


class _KeptFile(io.FileIO):
    """A file of the cache, with the version of the URL that it has."""

    has_ranges = True

    def __init__(self, path: str, version: Version) -> None:
        super().__init__(path)
        self.version = version

    def read1(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        return self.read(size) or b""


class _Keeping(io.RawIOBase):
    """A remote file whose bytes are written to the cache as they are read."""

    def __init__(self, cache: DiskCache, file: Any, key: str, length: int) -> None:
        super().__init__()
        self._cache, self._file, self._length, self._written = cache, file, length, 0
        self._key = key
        self.name, self.version, self.has_ranges = file.name, file.version, file.has_ranges
        descriptor, self._path = tempfile.mkstemp(dir=cache.folder)
        self._copy = open(descriptor, "wb")  # noqa: SIM115  closed with this file

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        piece = self._file.read(size)
        self._written += self._copy.write(piece)
        return bytes(piece)

    read1 = read

    def readinto(self, buffer: Any, /) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            self._copy.close()
            if self._written == self._length:
                self._cache.add(self._path, self._key, self._length)
            else:
                with suppress(FileNotFoundError):
                    os.unlink(self._path)
        super().close()


def _key(url: str, start: int, stop: int | None, version: Version) -> str:
    return sha256(repr((url, start, stop, *version)).encode()).hexdigest()


_caches: dict[tuple[str | None, int], DiskCache] = {}
_lock = Lock()


def cache_of(access: Access) -> DiskCache:
    """Return the cache that this process has in a folder, with a budget."""
    with _lock:
        key = access.cache_folder, access.cache_bytes
        if key not in _caches:
            _caches[key] = DiskCache(*key)
        return _caches[key]
