"""How requests to the service are sent: over a connection that waits, or over asyncio's.

Both have the methods of :class:`Transport`; those of :class:`Blocking` never let others run.
"""

from __future__ import annotations

import asyncio
import http.client
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from threading import Lock
from typing import NamedTuple, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit

IDLE_SECONDS = 10.0
"""A connection that was silent for longer is opened anew: the service closes it after 20."""
CONNECTIONS = 32
"""Connections of a client of asyncio; other requests wait for one."""
NO_BODY = (204, 304)
"""Statuses whose answers have no body."""

T = TypeVar("T")
_Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Reply(NamedTuple):
    """Status and body of an answer, and its Retry-After in seconds, if it has one."""

    status: int
    body: bytes
    retry_after: float | None


class Transport(Protocol):
    """Sends requests, one after another or at the same time."""

    def __init__(self, target: Target) -> None: ...

    async def send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        """Send a request; return its answer.

        Raises
        ------
        OSError, http.client.HTTPException, EOFError
            There was no answer, or none of HTTP.
        """

    async def wait(self, seconds: float) -> None:
        """Wait before the next attempt."""


@dataclass
class Target:
    """Where a service is.

    Parameters
    ----------
    url : str
        Of http or https.
    timeout : float
        Longest wait for an answer, in seconds.
    cafile : str, optional
        Certificates to trust, as PEM, instead of the system's.

    Raises
    ------
    ValueError
        The URL is not one of http or https.
    """

    url: str
    timeout: float
    cafile: str | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(
                f"url must be http://HOST:PORT or https://HOST:PORT; got {self.url!r}."
            )
        self.host, self.port = parts.hostname, parts.port
        self.name = parts.netloc.rpartition("@")[2]
        self.base = parts.path.rstrip("/")
        self.context: ssl.SSLContext | None = None
        if parts.scheme == "https":
            self.context = ssl.create_default_context(cafile=self.cafile)


class Blocking:
    """One connection, which threads may share: their requests go one after another.

    Parameters
    ----------
    target : Target
    """

    def __init__(self, target: Target) -> None:
        self._base = target.base
        connect: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        if target.context is not None:
            connect = partial(http.client.HTTPSConnection, context=target.context)
        self._connection = connect(target.host, target.port, timeout=target.timeout)
        self._lock = Lock()
        self._last = 0.0

    async def send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        """Send a request; return its answer."""
        with self._lock:
            try:
                if time.monotonic() - self._last > IDLE_SECONDS:
                    self._connection.close()
                self._connection.request(method, self._base + path, body, headers)
                answer = self._connection.getresponse()
                reply = _reply(answer.status, answer.headers, answer.read())
                self._last = time.monotonic()
            except (OSError, http.client.HTTPException):
                self._connection.close()
                raise
        return reply

    async def wait(self, seconds: float) -> None:
        """Wait before the next attempt."""
        time.sleep(seconds)

    def close(self) -> None:
        """Close the connection; the next request opens one."""
        with self._lock:
            self._connection.close()


class Streams:
    """Connections of asyncio, some at once, which are kept between requests.

    Parameters
    ----------
    target : Target
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[tuple[_Connection, float]] = []

    async def send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        """Send a request; return its answer."""
        lines = {"Host": self._target.name, **headers}
        if body is not None or method != "GET":
            lines["Content-Length"] = str(len(body or b""))
        head = f"{method} {_checked(self._target.base + path)} HTTP/1.1\r\n"
        head += "".join(f"{name}: {_checked(value)}\r\n" for name, value in lines.items())
        request = head.encode("latin-1") + b"\r\n" + (body or b"")
        async with self._free:
            connection = await self._connect()
            try:
                reply, goes_on = await self._exchange(connection, request)
            except BaseException as error:  # one that is cancelled leaves its answer unread
                connection[1].close()
                if isinstance(error, ValueError | asyncio.LimitOverrunError):
                    raise http.client.HTTPException(f"no answer of HTTP: {error}") from error
                raise
            if goes_on:
                self._idle.append((connection, time.monotonic()))
            else:
                connection[1].close()
        return reply

    async def wait(self, seconds: float) -> None:
        """Wait before the next attempt."""
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Close all connections; the next request opens one."""
        idle, self._idle = self._idle, []
        for (_, writer), _ in idle:
            writer.close()
        for (_, writer), _ in idle:
            with suppress(OSError):
                await writer.wait_closed()

    async def _connect(self) -> _Connection:
        """Return a connection that was silent for a short time, or a new one."""
        while self._idle:
            connection, last = self._idle.pop()
            if time.monotonic() - last <= IDLE_SECONDS and not connection[0].at_eof():
                return connection
            connection[1].close()
        own = self._target
        port = own.port or (80 if own.context is None else 443)
        return await self._in_time(asyncio.open_connection(own.host, port, ssl=own.context))

    async def _exchange(self, connection: _Connection, request: bytes) -> tuple[Reply, bool]:
        """Send a request; return its answer, and whether the connection goes on."""
        reader, writer = connection
        writer.write(request)
        with suppress(ConnectionError):  # what is refused may be answered before it was read
            await self._in_time(writer.drain())
        status = 100
        while status < 200:  # those before are no answers yet
            first, _, lines = (await self._in_time(reader.readuntil(b"\r\n\r\n"))).partition(
                b"\r\n"
            )
            version, number, *_ = first.split()
            if not version.startswith(b"HTTP/1.") or not number.isdigit():
                raise http.client.BadStatusLine(repr(first[:80]))
            status, headers = int(number), http.client.parse_headers(BytesIO(lines))
        in_use = version != b"HTTP/1.0" and headers.get("Connection", "").lower() != "close"
        if status in NO_BODY:
            body = b""
        elif headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = await self._read_chunks(reader)
        elif (size := headers.get("Content-Length")) is not None:
            body = await self._in_time(reader.readexactly(int(size)))
        else:
            body, in_use = await self._in_time(reader.read()), False
        return _reply(status, headers, body), in_use

    async def _read_chunks(self, reader: asyncio.StreamReader) -> bytes:
        body = bytearray()
        while size := int((await self._in_time(reader.readuntil(b"\r\n"))).partition(b";")[0], 16):
            body += await self._in_time(reader.readexactly(size))
            await self._in_time(reader.readexactly(2))
        while await self._in_time(reader.readuntil(b"\r\n")) != b"\r\n":
            pass
        return bytes(body)

    async def _in_time(self, waiting: Awaitable[T]) -> T:
        return await asyncio.wait_for(waiting, self._target.timeout)


def _reply(status: int, headers: http.client.HTTPMessage, body: bytes) -> Reply:
    again = headers.get("Retry-After", "")
    return Reply(status, body, float(again) if again.isdecimal() else None)


def _checked(value: str) -> str:
    """Return a part of the head of a request, which is in one line.

    Raises
    ------
    ValueError
        It is not.
    """
    if not value.isprintable():
        raise ValueError("a header, such as the token, has characters that are not printable.")
    return value
