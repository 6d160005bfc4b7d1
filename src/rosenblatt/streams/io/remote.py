"""What lies at an address, ``https://…`` or ``s3://…``, read through fsspec."""

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
from urllib.parse import urlsplit

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.lines import read_error

PATIENCE = 60.0
"""Seconds without a byte after which a web server is given up."""

_BUFFER = 1 << 18
_NO_FSSPEC = (
    "addresses are read through fsspec, which is missing: pip install 'rosenblatt[remote]', or "
    "download it first."
)


def is_url(name: str) -> bool:
    """Whether it is an address, no path.

    Examples
    --------
    >>> is_url("https://example.org/mail.svm"), is_url("mail.svm"), is_url("sklearn:iris")
    (True, False, False)
    """
    return "://" in name


def url_path(name: str) -> str:
    """The path that a name ends in: of a web address, what is before ``?`` and ``#``.

    Examples
    --------
    >>> url_path("https://example.org/mail.svm.gz?key=a.b"), url_path("mail.svm")
    ('/mail.svm.gz', 'mail.svm')
    """
    return urlsplit(name).path if _is_http(name) else name


def glob_urls(url: str) -> list[str]:
    """All addresses that a pattern matches, in sorted order; a web address means itself.

    Raises
    ------
    DataError
        fsspec, or what it needs, is missing, or the place cannot be read.
    """
    if _is_http(url):
        return [url]
    try:
        with _os_errors("no list of files"):
            filesystem, path = _filesystem(url)
            return sorted(filesystem.unstrip_protocol(name) for name in filesystem.glob(path))
    except OSError as failure:
        raise read_error(url, 1, failure) from failure


def open_url(url: str) -> io.BufferedIOBase:
    """What is at an address, from its first byte on. Web servers are asked once, for all of it.

    Raises
    ------
    OSError
        It cannot be opened, or later read; its ``strerror`` says why.
    DataError
        fsspec, or what it needs, is missing.
    """
    with _os_errors("no connection"):
        filesystem, path = _filesystem(url)
        return _RemoteFile(url, filesystem.open(path, "rb", **_http_options(filesystem, url)))


class TemporaryCopy:
    """What is at an address, in a temporary file, which is deleted when this is let go.

    Parameters
    ----------
    url : str

    Attributes
    ----------
    path : str

    Raises
    ------
    DataError
        It cannot be read.
    """

    def __init__(self, url: str) -> None:
        descriptor, self.path = tempfile.mkstemp(prefix="rosenblatt-")
        delete = weakref.finalize(self, os.unlink, self.path)
        try:
            with open(descriptor, "wb") as copy, open_url(url) as file:
                shutil.copyfileobj(file, copy, _BUFFER)
        except OSError as failure:
            delete()
            raise read_error(url, 1, failure) from failure


class _RemoteFile(io.BufferedIOBase):
    """An open file of fsspec's, whose every failure is an ``OSError`` that says why.

    A read gives what is there, so that nothing that came before a failure is lost.
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
    """The file system of an address, and the path in it."""
    try:
        from fsspec import url_to_fs
    except ImportError:
        raise DataError(url, _NO_FSSPEC) from None
    try:
        filesystem, path = url_to_fs(url)
    except ImportError as error:  # fsspec says which package it needs
        raise DataError(url, f"fsspec cannot read it: {error}.") from error
    except ValueError as error:
        raise DataError(url, f"no such kind of address ({error}).") from error
    return filesystem, path


def _http_options(filesystem: Any, url: str) -> dict[str, Any]:
    """What a web server is asked: all bytes as they lie there, in one answer, however long."""
    if not _is_http(url):
        return {}
    from aiohttp import ClientTimeout

    return {
        "block_size": 0,
        "size": 1,  # any: else fsspec asks for it, and makes every failure a 404
        "headers": {**filesystem.kwargs.get("headers", {}), "Accept-Encoding": "identity"},
        "auto_decompress": False,
        "timeout": ClientTimeout(total=None, sock_connect=PATIENCE, sock_read=PATIENCE),
    }


@contextmanager
def _os_errors(failure: str) -> Iterator[None]:
    """Raise what goes wrong as an ``OSError`` that says why; backends raise nearly anything."""
    try:
        yield
    except DataError:
        raise
    except FileNotFoundError as error:
        raise OSError(errno.EIO, "there is nothing at this address") from error
    except TimeoutError as error:
        raise OSError(errno.EIO, f"no answer for {PATIENCE:g} s") from error
    except Exception as error:
        status = getattr(error, "status", None)
        reason = " ".join(str(getattr(error, "message", error)).partition(": <")[0].split()).rstrip(
            "."
        )
        answer = f"the server answers {status} {reason}" if status else f"{failure} ({reason})"
        raise OSError(errno.EIO, answer) from error
