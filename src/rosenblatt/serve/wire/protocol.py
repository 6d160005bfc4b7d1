"""One connection: limits of what a client may send and leave unread, before anything is asked.

uvicorn's protocol has none. What comes is counted while the parser reads it, so that a connection
holds a bounded number of bytes, whether it has a token or not.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import socket
import struct
import sys
import termios
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import BROKEN_OFF
from rosenblatt.serve.http.problems import fault
from rosenblatt.serve.telemetry.logs import LimitedLog

MAX_HEAD = 2**15
"""Bytes of a request that are no body: its head, or what stands between two parts of its body."""
MAX_HEADERS = 100
"""Header lines of a request, those behind the body among them."""
MAX_WAITING = 32
"""Requests of a connection that wait for the answer to one before."""
MAX_CONNECTIONS = 1000
"""Connections of one address, or of one network /64 of IPv6."""
IDLE_SECONDS = 20.0
"""Time that a connection may be silent between requests, and that the head of one may take."""
BODY_SECONDS = 30.0
"""Longest time between two parts of a body."""
WRITE_SECONDS = 30.0
"""Longest time in which a client takes nothing of an answer."""
LINGER_SECONDS = 2.0
"""Time for which what a client still sends is dropped, so that it sees why its request ended."""
OWN = ("127.0.0.1", "::1")
"""This machine's addresses, from which a proxy connects for all its clients: not counted."""

_log = logging.getLogger("rosenblatt.serve")
_log_too_many = LimitedLog(_log, "too many connections of one address")
_log_refused = LimitedLog(_log, "a request that is no HTTP, or too long, was refused")


class _Protocol(HttpToolsProtocol):
    """uvicorn's protocol, with limits.

    A timer for each request would cost as much as its learning: the server's clock ticks for all.

    Parameters
    ----------
    clients : Counter
        Open connections by :func:`client_of`, shared by all protocols of a server.
    """

    def __init__(self, *args: Any, clients: Counter[bytes], **options: Any) -> None:
        super().__init__(*args, **options)
        self._clients, self._client = clients, b""
        self._in_head = True
        self._ticks = 0  # that the head, or the next part of the body, is awaited
        self._framing = 0  # bytes since the last part of a body
        self._header_lines = self._head_size = 0
        self._unsent = self._unsent_ticks = 0
        self._deaf = False  # what still comes is dropped
        self._refusal: RefusedError | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(_Joining(transport, self.loop))  # type: ignore[arg-type]
        address = self.client[0] if self.client else OWN[0]
        if address in OWN:
            return
        self._client = client_of(address)
        self._clients[self._client] += 1
        if self._clients[self._client] > MAX_CONNECTIONS:
            _log_too_many({"address": address})
            self._cut()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._client:
            self._clients[self._client] -= 1
            if not self._clients[self._client]:
                del self._clients[self._client]

    # --- what comes ------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        if not self._in_head:  # a head has its time as a whole, however it comes
            self._ticks = 0
        self._framing += len(data)
        super().data_received(data)
        if self._framing > MAX_HEAD and not self._deaf:  # of this, at most one read is kept
            self._refusal = _too_long()
            self.send_400_response("")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._ticks = True, 0
        self._header_lines = self._head_size = self._framing = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_lines += 1
        self._head_size += len(name) + len(value)
        self._check_head()
        if self._in_head:  # nobody reads those behind the body
            super().on_header(name, value)

    def _check_head(self) -> None:
        """Refuse a head that is too long: an error in the parser's call ends its work at once."""
        size = len(self.url) + self._head_size
        if size > MAX_HEAD or self._header_lines > MAX_HEADERS:
            self._refusal = _too_long()
            raise self._refusal

    def on_headers_complete(self) -> None:
        self._check_head()
        self._in_head, self._framing = False, 0
        super().on_headers_complete()
        if len(self.pipeline) > MAX_WAITING:
            raise RefusedError(400, "too many requests at once")

    def on_body(self, body: bytes) -> None:
        self._framing = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        """End the connection, since what came is no HTTP, or over a limit.

        A request whose body comes is told, and answers what it has done; one that is being answered
        is answered whole.
        """
        refusal = self._refusal or RefusedError(400, "this is no HTTP, or over a limit of it.")
        _log_refused({"address": self.client[0] if self.client else "", "status": refusal.status})
        self._hang_up()
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_encoded(refusal))
            self.transport.close()
        elif self.cycle.more_body:
            self.break_off(refusal)
        else:
            self.cycle.keep_alive = False

    def break_off(self, reason: RefusedError) -> None:
        """End the body that comes, if one does; its request answers why."""
        cycle = self.cycle
        if cycle is not None and cycle.more_body and not cycle.response_complete:
            self._hang_up()
            cycle.keep_alive = False
            cycle.scope[BROKEN_OFF] = reason  # type: ignore[literal-required]
            cycle.message_event.set()

    def _hang_up(self) -> None:
        """Drop what still comes, and let the client read the answer before the end."""
        self._deaf = True
        self.transport.lingers = True  # type: ignore[attr-defined]

    # --- what goes -------------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete:  # no other request has come: the next one is awaited
            self._in_head, self._ticks = True, 0

    def tick(self) -> None:
        """Close the connection, or end the request, after too many seconds; called each second."""
        if self._takes_nothing():
            self._cut()
            return
        cycle = self.cycle
        in_body = cycle is not None and cycle.more_body and not cycle.message_event.is_set()
        self._ticks = self._ticks + 1 if self._in_head or in_body else 0
        if self._in_head and self._ticks >= IDLE_SECONDS:
            self.transport.close()
        elif in_body and self._ticks >= BODY_SECONDS:
            self.break_off(RefusedError(408, f"no data for {BODY_SECONDS:g} seconds."))

    def _takes_nothing(self) -> bool:
        """Return whether the client has taken nothing of what it is sent for too many seconds."""
        unsent = self.transport.get_write_buffer_size()
        if unsent:
            unsent += _in_system(self.transport.get_extra_info("socket"))
        stuck = 0 < self._unsent <= unsent
        self._unsent, self._unsent_ticks = unsent, self._unsent_ticks + 1 if stuck else 0
        return self._unsent_ticks >= WRITE_SECONDS

    def _cut(self) -> None:
        """End the connection at once: the system, too, forgets what was not sent."""
        self._deaf = True
        reset = struct.pack("ii", 1, 0)
        self.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, reset
        )
        self.transport.abort()


def new_protocols() -> Callable[..., asyncio.Protocol]:
    """Return what makes the protocol of a connection, for all connections of a server."""
    return partial(_Protocol, clients=Counter())


def client_of(address: str) -> bytes:
    """Return what the connections of an address are counted under: in IPv6, its network.

    Examples
    --------
    >>> client_of("2001:db8::1") == client_of("2001:db8::2")
    True
    >>> client_of("192.0.2.1") == client_of("192.0.2.2")
    False
    """
    if ":" not in address:
        return address.encode()
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])[:8]


def _in_system(connection: socket.socket) -> int:
    """Return the bytes that the system has not yet sent; 0 where it does not say."""
    with suppress(OSError):
        queued = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"\0" * 4)
        return int.from_bytes(queued, sys.byteorder)
    return 0


def _too_long() -> RefusedError:
    return RefusedError(
        431, f"the head may have {MAX_HEAD:,} bytes in {MAX_HEADERS} lines; so has what is no body."
    )


def _encoded(refusal: RefusedError) -> bytes:
    """Return a whole answer, where there is no request to answer."""
    answer = fault(refusal)
    assert isinstance(answer.body, bytes)
    return b"%bcontent-type: %b\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b" % (
        STATUS_LINE[answer.status], answer.type, len(answer.body), answer.body,
    )  # fmt: skip


class _Joining:
    """A transport that sends the head and the body of an answer in one call of the system.

    Attributes
    ----------
    lingers : bool
        Whether :meth:`close` drops for a while what still comes: the system forgets what was sent
        if more comes after the end.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []
        self._closing = self.lingers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send with the next part, or soon."""
        self._parts.append(data)
        if len(self._parts) > 1:
            self._flush()
        else:
            self._loop.call_soon(self._flush)

    def is_closing(self) -> bool:
        """Return whether nothing more is sent."""
        return self._closing or self._transport.is_closing()

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        if not self.lingers:
            self._transport.close()
        elif not self._closing:
            self._closing = True
            if self._transport.can_write_eof():
                self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(LINGER_SECONDS, self._transport.close)

    def _flush(self) -> None:
        if self._parts:
            self._transport.writelines(self._parts)
            self._parts = []
