"""Files at URLs, ``https://…`` or ``s3://…``, read through fsspec.

A file is read in one request of a web server, and else in blocks. A connection that is lost is
taken up again at the byte where it broke, where the server sends ranges of bytes.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from rosenblatt.streams.core.access import NO_ACCESS, Access, Version
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.lines import read_error

READ_TIMEOUT = 60.0
"""Seconds to wait for a web server's next byte."""

RETRY_WAITS = (0.2, 1.0, 3.0)
"""Seconds before each further try to read the same byte: a server that restarts needs some."""

CONNECTIONS = 16
"""Requests to servers at a time, where each asks for little."""

_BLOCK = 1 << 23  # bytes asked of an object store at a time: a request costs as much as 1 MB
_BUFFER = 1 << 18
_PASSING = (429, 500, 502, 503, 504)  # answers of a server that may be well again soon
_NO_SUCH_RANGE = 416  # the answer to a range of an empty file
_REDIRECTS = ("301", "PermanentRedirect")  # of S3, to the region of the bucket
_REGION = re.compile("[a-z0-9-]{1,40}")
_NO_FSSPEC = (
    "URLs are read through fsspec, which is missing: pip install 'rosenblatt[remote]', or "
    "download it first."
)


class RemoteError(OSError):
    """A file at a URL that cannot be read: the reason, the status of HTTP, whether it may pass."""

    def __init__(self, reason: str, may_pass: bool = False, status: int | None = None) -> None:
        super().__init__(errno.EIO, reason)
        self.may_pass, self.status = may_pass, status


def is_url(name: str) -> bool:
    """Return whether a name is a URL, not a path.

    Examples
    --------
    >>> is_url("https://example.org/mail.svm"), is_url("mail.svm"), is_url("sklearn:iris")
    (True, False, False)
    """
    return "://" in name


def open_url(
    url: str,
    access: Access = NO_ACCESS,
    start: int = 0,
    stop: int | None = None,
    version: Version | None = None,
) -> Any:
    """Return a URL open for reading: a :class:`_RemoteFile`, or one that the cache keeps.

    Web servers get a single request, unless a connection is lost.

    Parameters
    ----------
    url : str
    access : Access
    start, stop : int, optional
        The first byte, and the byte after the last; by default the whole file.
    version : Version, optional
        The version that the file must have; by default as ``access`` has it.

    Raises
    ------
    OSError
        The file cannot be opened, or later read, or is another than ``version``; ``strerror`` says
        why.
    DataError
        fsspec, or a package it needs, is missing.
    """
    version = version or access.versions.get(url)
    if not access.cache_bytes:
        return _RemoteFile(url, access, start, stop, version)
    from rosenblatt.streams.io.cache import cache_of

    if version is None or not version.tag:
        version, _ = find_version(url, access)
    return cache_of(access).open(
        url, start, stop, version, lambda: _RemoteFile(url, access, start, stop, version)
    )


def find_version(url: str, access: Access) -> tuple[Version, str]:
    """Return the version of a file, and why no range of it can be read; empty: it can.

    Parameters
    ----------
    url : str
    access : Access

    Raises
    ------
    OSError
    """
    if not is_http(url):
        with os_errors("no answer on its size", access):
            filesystem, path = filesystem_of(url, access)
            filesystem.invalidate_cache(path)
            version = version_of_info(filesystem.info(path))
        return version, "" if version.size is not None else "its size is not known"
    try:
        file = _RemoteFile(url, access, 0, 1, None, needs_range=False)
    except RemoteError as error:
        if error.status != _NO_SUCH_RANGE:
            raise
        return Version(0, ""), ""
    with file:
        if file.version.size is None:
            return file.version, "the server does not tell its size"
        return file.version, "" if file.has_ranges else "the server sends no ranges of bytes"


class TemporaryCopy:
    """Download of a URL into a temporary file, which is deleted with this object.

    Parameters
    ----------
    url : str
    access : Access

    Attributes
    ----------
    path : str

    Raises
    ------
    DataError
        The URL cannot be read.
    """

    def __init__(self, url: str, access: Access = NO_ACCESS) -> None:
        descriptor, self.path = tempfile.mkstemp(prefix="rosenblatt-")
        delete = weakref.finalize(self, os.unlink, self.path)
        try:
            with open(descriptor, "wb") as copy, open_url(url, access) as file:
                shutil.copyfileobj(file, copy, _BUFFER)
        except OSError as error:
            delete()
            raise read_error(url, 1, error) from error


class _RemoteFile(io.RawIOBase):
    """File at a URL, or a range of its bytes, as an unbuffered stream.

    A read returns the bytes that have arrived, so that none are lost before an error. Every error
    is an ``OSError`` with its reason.

    Parameters
    ----------
    url, access, start, stop, version
        As of :func:`open_url`.
    needs_range : bool, default True
        Whether a server that sends the whole file instead of a range is an error.

    Attributes
    ----------
    version : Version
        That of the file as it was opened.
    has_ranges : bool
        Whether ranges of it can be read.
    """

    def __init__(
        self,
        url: str,
        access: Access,
        start: int,
        stop: int | None,
        version: Version | None,
        needs_range: bool = True,
    ) -> None:
        super().__init__()
        self.name, self._access = url, access
        self._position, self._stop, self._needs_range = start, stop, needs_range
        self.version, self.has_ranges = version or Version(None, ""), True
        self._body: Any = None
        self._tries = 0
        self._repeat(lambda: None)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        piece: bytes = self._repeat(lambda: self._arrived(size))
        self._position, self._tries = self._position + len(piece), 0
        return piece

    def read1(self, size: int = _BUFFER, /) -> bytes:
        """Return the bytes that have arrived."""
        return self.read(size)

    def readinto(self, buffer: Any, /) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._hang_up()
        super().close()

    def _hang_up(self) -> None:
        if self._body is not None:
            with suppress(Exception):  # of a connection that is lost already
                self._body.close()
        self._body = None

    def _arrived(self, size: int) -> bytes:
        piece = bytes(self._body.read(size))
        ends = [end for end in (self._stop, self.version.size) if end is not None]
        if not piece and size and ends and self._position < min(ends):
            raise EOFError(f"{min(ends) - self._position:,} bytes are missing")
        return piece

    def _repeat(self, read: Any) -> Any:
        """Call a function of the open file, which is opened again where the connection is lost."""
        while True:
            try:
                if self._body is None:
                    self._connect()
                with os_errors("the connection was lost", self._access):
                    return read()
            except RemoteError as error:
                if not (error.may_pass and self.has_ranges):
                    raise
                if self._tries >= len(RETRY_WAITS):
                    position = f"at byte {self._position:,}, after {self._tries + 1} tries"
                    raise RemoteError(f"{error.strerror}, {position}") from None
                self._hang_up()
                time.sleep(RETRY_WAITS[self._tries])
                self._tries += 1

    def _connect(self) -> None:
        problem = "the connection was lost" if self._tries else "no connection"
        with os_errors(problem, self._access):
            filesystem, path = filesystem_of(self.name, self._access)
            if is_http(self.name):
                self._request(filesystem, path)
            else:
                filesystem.invalidate_cache(path)
                self._check(version_of_info(filesystem.info(path)))
                ends = [end for end in (self._stop, self.version.size) if end is not None]
                stop = min(ends, default=None)
                self._body = (
                    filesystem.open(path, "rb")
                    if stop is None
                    else _Blocks(filesystem, path, self._position, stop)
                )

    def _request(self, filesystem: Any, path: str) -> None:
        """Ask a web server for the bytes that are missing."""
        is_part = self._position > 0 or self._stop is not None
        if self._stop is not None and self._position >= self._stop:
            self._body = io.BytesIO()
            return
        last = "" if self._stop is None else self._stop - 1
        ranges = {"Range": f"bytes={self._position}-{last}"} if is_part else {}
        body = filesystem.open(path, "rb", **_http_options(filesystem, ranges))
        headers, status = body.r.headers, body.r.status
        length = headers.get("Content-Length", "") if status == 200 else ""
        sent, _, total = headers.get("Content-Range", "").partition("/")
        tag = headers.get("ETag") or headers.get("Last-Modified") or ""
        self._body = body
        size = total if status == 206 else length
        self._check(Version(int(size) if size.isdecimal() else None, tag))
        sends_ranges = headers.get("Accept-Ranges", "").lower() == "bytes"
        self.has_ranges = status == 206 or (not is_part and sends_ranges)
        is_asked = status == 206 and sent.startswith(f"bytes {self._position}-")
        if is_part and not is_asked and (self._needs_range or self._tries):
            raise RemoteError("the server sends no ranges of bytes, but the whole file")

    def _check(self, actual: Version) -> None:
        if self.version.is_other(actual):
            raise RemoteError(
                "it has changed since it was first read: its size or its version is another. "
                "Begin anew, or read files that stay as they are"
            )
        self.version = Version(
            actual.size if self.version.size is None else self.version.size,
            self.version.tag or actual.tag,
        )


class _Blocks:
    """Bytes of an object store, read a block at a time, and never beyond the last one."""

    def __init__(self, filesystem: Any, path: str, start: int, stop: int) -> None:
        self._read = filesystem.cat_file
        self._path, self._position, self._stop, self._block = path, start, stop, memoryview(b"")

    def read(self, size: int) -> memoryview:
        if not self._block and self._position < self._stop:
            end = min(self._position + _BLOCK, self._stop)
            block = self._read(self._path, start=self._position, end=end)
            if not block:
                raise EOFError("it has become shorter")
            self._position, self._block = self._position + len(block), memoryview(block)
        piece, self._block = self._block[:size], self._block[size:]
        return piece

    def close(self) -> None:
        self._block = memoryview(b"")


def is_http(url: str) -> bool:
    """Return whether a URL is a web address."""
    return url.startswith(("http://", "https://"))


def filesystem_of(url: str, access: Access) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from fsspec import url_to_fs
    except ImportError:
        raise DataError(url, _NO_FSSPEC) from None
    try:
        filesystem, path = url_to_fs(url, **access.storage)
    except ImportError as error:  # fsspec says which package it needs
        raise DataError(url, f"fsspec cannot read it: {error}.") from error
    except ValueError as error:
        reason = access.without_secrets(str(error))
        raise DataError(url, f"unknown kind of address ({reason}).") from None
    return filesystem, path


def version_of_info(info: dict[str, Any]) -> Version:
    """Return the version in what a file system tells of a file, under the names of several.

    A time is its seconds since 1970: some list it so, and tell a date where a file is asked for.
    """
    keys = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "updated")
    tag = next((info[key] for key in (*keys, "created") if info.get(key) is not None), "")
    return Version(info.get("size"), str(tag.timestamp() if isinstance(tag, datetime) else tag))


def _http_options(filesystem: Any, headers: dict[str, str]) -> dict[str, Any]:
    """Return options that request all bytes as stored, in one response of any length."""
    from aiohttp import ClientTimeout

    others = filesystem.kwargs.get("headers", {})
    return {
        "block_size": 0,
        "size": 1,  # without it fsspec asks for the size, and turns every error into a 404
        "headers": {**others, "Accept-Encoding": "identity", **headers},
        "auto_decompress": False,
        "timeout": ClientTimeout(total=None, sock_connect=READ_TIMEOUT, sock_read=READ_TIMEOUT),
    }


@contextmanager
def os_errors(problem: str, access: Access) -> Iterator[None]:
    """Turn every exception into an ``OSError`` with its reason; backends raise nearly anything.

    The exceptions themselves are dropped: they may show a signed URL.
    """
    try:
        yield
    except (DataError, RemoteError):
        raise
    except FileNotFoundError:
        raise RemoteError("there is no file at this address") from None
    except PermissionError as error:
        reason = access.without_secrets(" ".join(str(error).split()).rstrip("."))
        raise RemoteError(f"access is denied ({reason})") from None
    except TimeoutError:
        raise RemoteError(f"no answer for {READ_TIMEOUT:g} s", may_pass=True) from None
    except Exception as error:
        if (other := _other_region(error)) is not None:
            raise RemoteError(other) from None
        status = getattr(error, "status", None)
        message = str(getattr(error, "message", error)).partition(": <")[0]
        reason = access.without_secrets(" ".join(message.split()).rstrip("."))
        answer = f"the server answers {status} {reason}" if status else f"{problem} ({reason})"
        is_lost = status is None and problem != "no connection"
        raise RemoteError(answer, is_lost or status in _PASSING, status) from None


def _other_region(error: Exception) -> str | None:
    """Return what to do where a store says that a bucket is in another region; else None."""
    response = getattr(error.__cause__, "response", None)  # of botocore
    if not isinstance(response, dict):
        return None
    fault = response.get("Error", {})
    headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region") or fault.get("Region", "")
    if fault.get("Code") not in _REDIRECTS and "Region" not in fault:
        return None
    named, value = (f", {region}", region) if _REGION.fullmatch(region) else ("", "…")
    return (
        f"the bucket is in another region{named}: set AWS_DEFAULT_REGION={value}; an endpoint that "
        "is set, as by AWS_ENDPOINT_URL, must be of this region, too"
    )
