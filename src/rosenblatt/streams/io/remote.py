"""Files at URLs, ``https://…`` or ``s3://…``, read through fsspec."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.lines import read_error

READ_TIMEOUT = 60.0
"""Seconds to wait for a web server's next byte."""

_BUFFER = 1 << 18
_NO_FSSPEC = (
    "URLs are read through fsspec, which is missing: pip install 'rosenblatt[remote]', or "
    "download it first."
)


def is_url(name: str) -> bool:
    """Return whether a name is a URL, not a path.

    Examples
    --------
    >>> is_url("https://example.org/mail.svm"), is_url("mail.svm"), is_url("sklearn:iris")
    (True, False, False)
    """
    return "://" in name


def glob_urls(url: str) -> list[str]:
    """Return all URLs that match a pattern, sorted. Web addresses are not patterns.

    Raises
    ------
    DataError
        fsspec, or a package it needs, is missing, or the folder cannot be read.
    """
    if _is_http(url):
        return [url]
    try:
        with _os_errors("no list of files"):
            filesystem, path = _filesystem(url)
            return sorted(filesystem.unstrip_protocol(name) for name in filesystem.glob(path))
    except OSError as error:
        raise read_error(url, 1, error) from error


def open_url(url: str) -> io.BufferedIOBase:
    """Open a URL for reading from its first byte. Web servers get a single request.

    Raises
    ------
    OSError
        The file cannot be opened, or later read; ``strerror`` says why.
    DataError
        fsspec, or a package it needs, is missing.
    """
    with _os_errors("no connection"):
        filesystem, path = _filesystem(url)
        return _RemoteFile(url, filesystem.open(path, "rb", **_http_options(filesystem, url)))


class TemporaryCopy:
    """Download of a URL into a temporary file, which is deleted with this object.

    Parameters
    ----------
    url : str

    Attributes
    ----------
    path : str

    Raises
    ------
    DataError
        The URL cannot be read.
    """

    def __init__(self, url: str) -> None:
        descriptor, self.path = tempfile.mkstemp(prefix="rosenblatt-")
        delete = weakref.finalize(self, os.unlink, self.path)
        try:
            with open(descriptor, "wb") as copy, open_url(url) as file:
                shutil.copyfileobj(file, copy, _BUFFER)
        except OSError as error:
            delete()
            raise read_error(url, 1, error) from error


class _RemoteFile(io.BufferedIOBase):
    """Wrapper of fsspec's file that raises every error as an ``OSError`` with its reason.

    A read returns the bytes that have arrived, so that none are lost before an error.
    """

    def __init__(self, name: str, file: Any) -> None:
        self.name, self._file = name, file

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        with _os_errors("the connection was lost"):
            return bytes(self._file.read(-1 if size is None else size))

    read1 = read

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _is_http(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from fsspec import url_to_fs
    except ImportError:
        raise DataError(url, _NO_FSSPEC) from None
    try:
        filesystem, path = url_to_fs(url)
    except ImportError as error:  # fsspec says which package it needs
        raise DataError(url, f"fsspec cannot read it: {error}.") from error
    except ValueError as error:
        raise DataError(url, f"unknown kind of address ({error}).") from error
    return filesystem, path


def _http_options(filesystem: Any, url: str) -> dict[str, Any]:
    """Return options that request all bytes as stored, in one response of any length."""
    if not _is_http(url):
        return {}
    from aiohttp import ClientTimeout

    return {
        "block_size": 0,
        "size": 1,  # without it fsspec asks for the size, and turns every error into a 404
        "headers": {**filesystem.kwargs.get("headers", {}), "Accept-Encoding": "identity"},
        "auto_decompress": False,
        "timeout": ClientTimeout(total=None, sock_connect=READ_TIMEOUT, sock_read=READ_TIMEOUT),
    }


@contextmanager
def _os_errors(problem: str) -> Iterator[None]:
    """Turn every exception into an ``OSError`` with its reason; backends raise nearly anything."""
    try:
        yield
    except DataError:
        raise
    except FileNotFoundError as error:
        raise OSError(errno.EIO, "there is no file at this address") from error
    except TimeoutError as error:
        raise OSError(errno.EIO, f"no answer for {READ_TIMEOUT:g} s") from error
    except Exception as error:
        status = getattr(error, "status", None)
        reason = " ".join(str(getattr(error, "message", error)).partition(": <")[0].split()).rstrip(
            "."
        )
        answer = f"the server answers {status} {reason}" if status else f"{problem} ({reason})"
        raise OSError(errno.EIO, answer) from error
